/* SPDX-License-Identifier: BSD-3-Clause */
/* How frames are classified: the maps of a switch, and those of ports with maps of their own. */
#include <string.h>

#include "config_internal.h"

#define FROM_ITSELF (-1)

/* A map: where it is, and what an entry is that it does not list. */
struct map_kind {
	size_t raw;
	size_t out;
	uint32_t count;
	unsigned shift; /* without a map: n >> shift, if that is below `classes` */
	uint32_t classes;
	int missing; /* with a map */
};

#define KIND(MEMBER, COUNT, SHIFT, CLASSES, MISSING)                                            \
	{                                                                                       \
		offsetof(struct raw_maps, MEMBER), offsetof(struct switch_maps, MEMBER), COUNT, \
			SHIFT, CLASSES, MISSING                                                 \
	}

static const struct map_kind kinds[] = {
	KIND(dscp_to_tc, 64, 3, 8, 0),
	KIND(pcp_to_tc, 8, 0, 8, 0),
	KIND(tc_to_pg, SWITCH_TCS, 0, MMU_CLASSES, 0),
	KIND(tc_to_queue, SWITCH_TCS, 0, SWITCH_QUEUES, 0),
	KIND(pfc_to_queue, 8, 0, SWITCH_QUEUES, FROM_ITSELF),
	KIND(pg_to_pfc, 8, 0, 8, FROM_ITSELF),
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct raw_map *
raw_of(struct raw_maps *maps, const struct map_kind *kind)
{
	return (struct raw_map *)(void *)((char *)maps + kind->raw);
}

static uint8_t
entry_of(const struct raw_map *map, const struct map_kind *kind, uint32_t n)
{
	if (map->value[n] != CONFIG_UNSET)
		return (uint8_t)map->value[n];
	if (map->given && kind->missing != FROM_ITSELF)
		return (uint8_t)kind->missing;
	return (uint8_t)(n >> kind->shift < kind->classes ? n >> kind->shift : 0);
}

/* Tables that are not given are those of `base` (NULL: the built-in ones). */
static void
resolve(struct raw_maps *raw, struct raw_maps *base, struct switch_maps *maps)
{
	for (size_t k = 0; k < KINDS; k++) {
		struct raw_map *map = raw_of(raw, &kinds[k]);
		uint8_t *out = (uint8_t *)maps + kinds[k].out;

		if (base != NULL && !map->given)
			*map = *raw_of(base, &kinds[k]);
		for (uint32_t n = 0; n < kinds[k].count; n++)
			out[n] = entry_of(map, &kinds[k], n);
		/* So that a dump shows it. */
		for (uint32_t n = 0; n < kinds[k].count; n++)
			map->value[n] = (int8_t)out[n];
		map->given = true;
	}
}

void
config_resolve_maps(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	uint32_t count = 0;

	sw->port_maps = CONFIG_NEW(c, struct switch_maps, raw->port_settings.count);
	sw->cfg.port_maps = sw->port_maps;
	resolve(&raw->maps, NULL, &sw->cfg.maps);
	sw->cfg.maps.trust_pcp = raw->trust == 1;
	for (uint32_t i = 0; i < raw->port_settings.count; i++) {
		struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);
		struct switch_maps *maps = &sw->port_maps[count];

		if (s->maps == NULL)
			continue;
		resolve(s->maps, &raw->maps, maps);
		maps->trust_pcp = raw->trust == 1;
		count++;
		for (uint32_t port = 0; port < raw->ports; port++)
			if (config_range_has(&s->ports, port))
				sw->ports[port].maps = count;
	}
}
