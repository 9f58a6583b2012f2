/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is taken when the files do not say it, each with a warning: a buffers.json alone has no
 * QoS, a qos.json alone no buffers, and on a switch that is not set up yet ports lack rows.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

#define DEFAULT_BUFFER (32u << 20)

/* "field=value field=value" */
static void
put_row(struct sonic *s, const char *table, const char *key, const char *fields)
{
	const struct config_mark mark = {
		.file = sonic_print(s, "%s: %s|%s (assumed)", s->options->mark.file, table, key)};
	struct config_node *rows = config_tree_find(s->tables, table), *row;

	if (rows == NULL)
		rows = sonic_put_map(s, s->tables, table, CONFIG_MAP, &mark);
	row = sonic_put_map(s, rows, key, CONFIG_MAP, &mark);
	while (*fields != '\0') {
		size_t name = strcspn(fields, "="), value = strcspn(fields + name, " ") - 1;

		sonic_put(s, row, config_arena_copy(&s->c->arena, fields, name), &mark, "%.*s",
			  (int)value, fields + name + 1);
		fields += name + 1 + value;
		fields += strspn(fields, " ");
	}
}

void
sonic_assume_buffers(struct sonic *s)
{
	uint64_t bytes =
		s->asic.buffer_bytes != CONFIG_AUTO ? s->asic.buffer_bytes : DEFAULT_BUFFER;

	if (sonic_table(s, "BUFFER_POOL")->count > 0 || sonic_table(s, "BUFFER_PROFILE")->count > 0)
		return;
	s->asic.memory_bytes = CONFIG_AUTO; /* what is assumed is not held against it */
	put_row(s, "BUFFER_POOL", "ingress_lossless_pool",
		sonic_print(s, "type=ingress mode=dynamic size=%" PRIu64, bytes / 4 * 3));
	put_row(s, "BUFFER_POOL", "egress_lossless_pool",
		sonic_print(s, "type=egress mode=static size=%" PRIu64, bytes));
	put_row(s, "BUFFER_PROFILE", SONIC_INGRESS_LOSSY,
		"pool=ingress_lossless_pool size=0 dynamic_th=1");
	put_row(s, "BUFFER_PROFILE", SONIC_EGRESS_LOSSLESS,
		sonic_print(s, "pool=egress_lossless_pool size=0 static_th=%" PRIu64, bytes));
	put_row(s, "BUFFER_PROFILE", SONIC_EGRESS_LOSSY,
		"pool=egress_lossless_pool size=0 dynamic_th=-1");
	config_warn(
		s->c, &s->options->mark,
		"there is no BUFFER_POOL: one of %" PRIu64
		" bytes, three quarters of them shared at the ingress, is assumed; give the file "
		"with the buffers",
		bytes);
}

/* A profile of SONiC on Spectrum for ports that are down: no buffer at all. */
static bool
holds_nothing(const struct sonic *s, const char *profile)
{
	const struct config_node *row =
		profile == NULL ? NULL : sonic_row(s, "BUFFER_PROFILE", profile);
	const char *size, *fixed, *dynamic;

	if (row == NULL)
		return false;
	size = sonic_field(row, "size");
	fixed = sonic_field(row, "static_th");
	dynamic = sonic_field(row, "dynamic_th");
	if (size != NULL && strcmp(size, "0") != 0)
		return false;
	return (fixed != NULL && strcmp(fixed, "0") == 0) ||
	       (dynamic != NULL && s->asic.zero_threshold == 1 && strcmp(dynamic, "-8") == 0);
}

void
sonic_assume_qos(struct sonic *s)
{
	if (s->has_qos)
		return;
	for (uint32_t i = 0; i < s->port_count; i++)
		for (uint32_t n = 3; n <= 4; n++)
			if (!holds_nothing(s, s->ports[i].queue[n]))
				s->ports[i].pfc_enable |= (uint8_t)(1u << n);
	config_warn(
		s->c, &s->options->mark,
		"no port has a row in PORT_QOS_MAP: PFC on 3 and 4, where their queues may hold "
		"anything, and the maps of SONiC's template where there are none, are assumed");
}

/* Traffic classes of what comes in by a port. */
static int
classes_in(struct sonic *s, const struct sonic_port *p, struct sonic_maps *maps, uint16_t *classes)
{
	int rc = sonic_read_maps(s, p, maps);

	*classes = 1; /* what is not IP */
	for (uint32_t i = 0; i < 64; i++)
		if (maps->value[0][i] >= 0)
			*classes |= (uint16_t)(1u << maps->value[0][i]);
	for (uint32_t i = 0; i < 8; i++)
		if (maps->value[1][i] >= 0)
			*classes |= (uint16_t)(1u << maps->value[1][i]);
	return rc;
}

static bool
has_rows(const struct sonic_port *p)
{
	for (uint32_t n = 0; n < SONIC_CLASSES; n++)
		if (p->pg[n] != NULL || p->queue[n] != NULL)
			return true;
	return false;
}

/* The profile by SONiC's usual name for it, if there is one. */
static bool
bind(const struct sonic *s, const char **slot, const char *profile)
{
	if (*slot != NULL || sonic_row(s, "BUFFER_PROFILE", profile) == NULL)
		return false;
	*slot = profile;
	return true;
}

static bool
fill_port(const struct sonic *s, struct sonic_port *p, const struct sonic_maps *maps, uint16_t in,
	  uint16_t all)
{
	bool any = false;

	for (uint32_t tc = 0; tc < SONIC_TCS; tc++) {
		int8_t pg = maps->value[2][tc], queue = maps->value[3][tc];

		pg = pg < 0 ? (int8_t)(tc < SONIC_CLASSES ? tc : 0) : pg;
		queue = queue < 0 ? (int8_t)(tc < SONIC_CLASSES ? tc : 0) : queue;
		if (in >> tc & 1 && !(p->pfc_enable >> pg & 1))
			any |= bind(s, &p->pg[pg], SONIC_INGRESS_LOSSY);
		if (all >> tc & 1)
			any |= bind(s, &p->queue[queue],
				    p->pfc_enable >> queue & 1 ? SONIC_EGRESS_LOSSLESS
							       : SONIC_EGRESS_LOSSY);
	}
	return any;
}

int
sonic_assume_bindings(struct sonic *s)
{
	bool rows = false;
	uint16_t all = 0, in;
	struct sonic_maps maps;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->port_count; i++) {
		int rc = classes_in(s, &s->ports[i], &maps, &in);

		if (rc != 0)
			return rc;
		all |= in;
		rows = rows || has_rows(&s->ports[i]);
	}
	for (uint32_t i = 0; i < s->port_count; i++) {
		if (rows && !has_rows(&s->ports[i]))
			continue; /* a port that is not in use */
		classes_in(s, &s->ports[i], &maps, &in);
		count += fill_port(s, &s->ports[i], &maps, in, all);
	}
	if (count > 0)
		config_warn(s->c, &s->options->mark,
			    "%u ports have priority groups or queues without a row in BUFFER_PG or "
			    "BUFFER_QUEUE: " SONIC_INGRESS_LOSSY ", " SONIC_EGRESS_LOSSY
			    " and " SONIC_EGRESS_LOSSLESS " are assumed",
			    count);
	return 0;
}
