/* SPDX-License-Identifier: BSD-3-Clause */
/* The maps of a port, as PORT_QOS_MAP names them. A map that a port does not have maps all to 0. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

struct map_kind {
	const char *field; /* of PORT_QOS_MAP */
	const char *table;
	const char *key; /* Railyard's */
	uint32_t keys;
	uint32_t values;
	bool itself;    /* a port without it maps n to n */
	bool backwards; /* keys are values there */
};

static const struct map_kind kinds[SONIC_MAPS] = {
	{"dscp_to_tc_map", "DSCP_TO_TC_MAP", "dscp_to_tc", 64, SONIC_TCS, false, false},
	{"dot1p_to_tc_map", "DOT1P_TO_TC_MAP", "pcp_to_tc", 8, SONIC_TCS, true, false},
	{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg", SONIC_TCS, 8, false, false},
	{"tc_to_queue_map", "TC_TO_QUEUE_MAP", "tc_to_queue", SONIC_TCS, 8, false, false},
	{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue", 8, 8, true, false},
	{"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pg_to_pfc", 8, 8, true, true},
};

static int
read_number(struct sonic *s, const struct config_node *row, const char *text, uint32_t count,
	    uint32_t *out)
{
	uint32_t last;

	if (config_parse_span(text, count, out, &last) && *out == last)
		return 0;
	return config_fail(&s->c->error, &row->mark, "\"%.40s\" is not a number 0 to %u", text,
			   count - 1);
}

static int
read_map(struct sonic *s, const struct map_kind *kind, const struct config_node *row,
	 int8_t *values)
{
	for (uint32_t i = 0; i < row->count; i++) {
		uint32_t key, value;
		int rc = read_number(s, row, row->entries[i].key, kind->keys, &key);

		if (rc == 0)
			rc = read_number(s, row, row->entries[i].value->text, kind->values, &value);
		if (rc != 0)
			return rc;
		if (!kind->backwards)
			values[key] = (int8_t)value;
		else if (values[value] < 0)
			values[value] = (int8_t)key;
	}
	return 0;
}

/* SONiC's template: lossless 3 and 4 by their DSCPs, some others, and all else in class 1. */
static void
fill_default(struct sonic_maps *maps)
{
	static const uint8_t dscps[][2] = {{3, 3}, {4, 4}, {5, 2}, {8, 0}, {46, 5}, {48, 6}};

	memset(maps->value[0], 1, 64);
	for (size_t i = 0; i < sizeof(dscps) / sizeof(dscps[0]); i++)
		maps->value[0][dscps[i][0]] = (int8_t)dscps[i][1];
	for (int tc = 0; tc < 8; tc++) {
		maps->value[2][tc] = tc == 3 || tc == 4 || tc == 7 ? (int8_t)tc : 0;
		maps->value[3][tc] = (int8_t)tc;
	}
}

int
sonic_read_maps(struct sonic *s, const struct sonic_port *p, struct sonic_maps *maps)
{
	static const char *const fields[] = {"dscp_to_tc_map",   "dot1p_to_tc_map",
					     "tc_to_pg_map",     "tc_to_queue_map",
					     "pfc_to_queue_map", "pfc_to_pg_map",
					     "pfc_enable",       "pfcwd_sw_enable",
					     "scheduler",        NULL};
	const struct config_node *global = sonic_row(s, "PORT_QOS_MAP", "global");
	int rc = p->qos == NULL ? 0 : sonic_known_fields(s, p->qos, fields);

	memset(maps, -1, sizeof(*maps));
	if (!s->has_qos)
		fill_default(maps);
	for (int i = 0; i < SONIC_MAPS && rc == 0; i++) {
		const struct map_kind *kind = &kinds[i];
		const struct config_node *row = p->qos;
		const char *name;

		if (i == 0 && sonic_field(row, kind->field) == NULL)
			row = global;
		rc = row == NULL ? 0 : sonic_reference(s, row, kind->field, kind->table, &name);
		if (rc != 0)
			return rc;
		if (row != NULL && name != NULL) {
			memset(maps->value[i], -1, sizeof(maps->value[i]));
			rc = read_map(s, kind, sonic_row(s, kind->table, name), maps->value[i]);
		} else if (!kind->itself && s->has_qos) {
			maps->value[i][0] = 0;
		}
	}
	return rc;
}

/* Runs of keys with the same value; none when the map says nothing. */
static void
write_map(struct sonic *s, const struct config_mark *mark, const struct map_kind *kind,
	  const int8_t *v, struct config_node *all)
{
	struct config_node *map = NULL;

	for (uint32_t n = 0, last; n < kind->keys; n = last + 1) {
		last = n;
		if (v[n] < 0)
			continue;
		while (last + 1 < kind->keys && v[last + 1] == v[n])
			last++;
		if (map == NULL)
			map = sonic_put_map(s, all, kind->key, CONFIG_MAP, mark);
		sonic_put(s, map,
			  last > n ? sonic_print(s, "%u-%u", n, last) : sonic_print(s, "%u", n),
			  mark, "%d", v[n]);
	}
}

void
sonic_write_maps(struct sonic *s, const struct config_mark *mark, const struct sonic_maps *maps,
		 const struct sonic_maps *base, struct config_node *out)
{
	static const int8_t none[64] = {[0 ... 63] = -1}, itself[64] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct config_node *all = sonic_put_map(s, out, "maps", CONFIG_MAP, mark);

	for (int i = 0; i < SONIC_MAPS; i++) {
		const int8_t *v = maps->value[i];

		if (base != NULL && memcmp(v, base->value[i], 64) == 0)
			continue;
		/* A port without a map does not have the switch's. */
		write_map(s, mark, &kinds[i], base != NULL && memcmp(v, none, 64) == 0 ? itself : v,
			  all);
	}
}
