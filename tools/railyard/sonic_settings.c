/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports into the keys of a switch: what most ports are is said once, and of the others what
 * differs, in port_settings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

/* Ethernet's header with a VLAN tag, and FCS: SONiC's mtu is without, Railyard's with. */
#define FRAME_OVERHEAD_BYTES 22

struct group {
	const struct sonic_port *first;
	struct sonic_maps maps;
	const char *shaper; /* row of SCHEDULER */
	uint32_t count;
	uint64_t ports[SWITCH_MAX_PORTS / 64];
};

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
same_limits(const struct sonic_port *p, const struct sonic_port *q)
{
	for (int side = 0; side < 2; side++)
		if (!same_text(sonic_field(p->limits[side], "profile_list"),
			       sonic_field(q->limits[side], "profile_list")))
			return false;
	return true;
}

static bool
same_group(const struct group *a, const struct group *b)
{
	const struct sonic_port *p = a->first, *q = b->first;

	return p->speed_mbps == q->speed_mbps && p->mtu_bytes == q->mtu_bytes &&
	       p->pfc_enable == q->pfc_enable && same_text(p->cable, q->cable) &&
	       same_limits(p, q) && same_text(a->shaper, b->shaper) &&
	       sonic_same_watchdog(&p->watchdog, &q->watchdog) &&
	       memcmp(&a->maps, &b->maps, sizeof(a->maps)) == 0;
}

static int
make_groups(struct sonic *s, struct group *groups, uint32_t *count)
{
	for (uint32_t port = 0; port < s->port_count; port++) {
		struct group g = {.first = &s->ports[port]};
		uint32_t i = 0;
		int rc = sonic_read_maps(s, g.first, &g.maps);

		if (rc == 0 && g.first->qos != NULL)
			rc = sonic_reference(s, g.first->qos, "scheduler", "SCHEDULER", &g.shaper);
		if (rc != 0)
			return rc;
		while (i < *count && !same_group(&groups[i], &g))
			i++;
		if (i == *count)
			groups[(*count)++] = g;
		groups[i].ports[port / 64] |= 1ULL << port % 64;
		groups[i].count++;
	}
	return 0;
}

void
sonic_put_priorities(struct sonic *s, struct config_node *out, const char *key,
		     const struct config_mark *mark, uint8_t mask)
{
	struct config_node *list = sonic_put_map(s, out, key, CONFIG_LIST, mark);

	for (uint32_t n = 0; n < SONIC_CLASSES; n++)
		if (mask >> n & 1)
			sonic_put(s, list, NULL, mark, "%u", n);
}

/* base NULL: the switch's own keys; otherwise what differs from it. */
static int
write_group(struct sonic *s, struct config_node *out, const struct group *g,
	    const struct group *base)
{
	const struct sonic_port *p = g->first, *b = base != NULL ? base->first : NULL;
	const struct config_mark *mark = p->qos != NULL ? &p->qos->mark : &p->mark;
	char rate[32];
	int rc = 0;

	config_unit_format(CONFIG_UNIT_RATE, p->speed_mbps * 1000000, rate, sizeof(rate));
	if (b == NULL || b->speed_mbps != p->speed_mbps)
		sonic_put(s, out, "rate", &p->mark, "%s", rate);
	if (b == NULL || b->mtu_bytes != p->mtu_bytes)
		sonic_put(s, out, "mtu", &p->mark, "%" PRIu64, p->mtu_bytes + FRAME_OVERHEAD_BYTES);
	if (b == NULL || b->pfc_enable != p->pfc_enable)
		sonic_put_priorities(s, out, "pfc_enable", mark, p->pfc_enable);
	if (b == NULL || memcmp(&g->maps, &base->maps, sizeof(g->maps)) != 0)
		sonic_write_maps(s, mark, &g->maps, b == NULL ? NULL : &base->maps, out);
	rc = sonic_write_watchdog(s, &p->watchdog, b == NULL ? NULL : &b->watchdog, out);
	if (rc == 0 && b != NULL && g->shaper != NULL) {
		struct config_node *shaper = sonic_put_map(s, out, "shaper", CONFIG_MAP, mark);

		rc = sonic_write_shaper(s, sonic_row(s, "SCHEDULER", g->shaper), "rate", "burst",
					shaper);
		if (rc == 0 && shaper->count == 0)
			out->count--; /* a scheduler of a port without a rate says nothing */
	}
	return rc;
}

/* Cables and shapers belong to port_settings: a port cannot be without what its switch has. */
static int
write_settings(struct sonic *s, const struct group *groups, uint32_t count,
	       const struct group *base)
{
	struct config_node *list =
		sonic_put_map(s, s->out, "port_settings", CONFIG_LIST, &s->options->mark);

	for (uint32_t i = 0; i < count; i++) {
		const struct group *g = &groups[i];
		struct config_node *entry =
			sonic_put_map(s, list, NULL, CONFIG_MAP, &g->first->mark);
		int rc;

		sonic_put(s, entry, "ports", &g->first->mark, "%s",
			  sonic_span(s, g->ports, s->port_count));
		if (sonic_needs_headroom(s, g->first) ||
		    (g->first->cable != NULL && strcmp(g->first->cable, "0m") != 0))
			sonic_put(s, entry, "cable", &g->first->mark, "%s", g->first->cable);
		rc = sonic_write_limits(s, g->first, entry);
		if (rc == 0)
			rc = write_group(s, entry, g, base);
		if (rc != 0)
			return rc;
		if (entry->count == 1)
			list->count--;
	}
	return 0;
}

/* Ports with a map of 802.1p priorities alone trust those. */
static int
write_trust(struct sonic *s, const struct group *groups, uint32_t count)
{
	const struct config_node *global = sonic_row(s, "PORT_QOS_MAP", "global");
	bool pcp = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct config_node *row = groups[i].first->qos;
		bool only_pcp = sonic_field(row, "dot1p_to_tc_map") != NULL &&
				sonic_field(row, "dscp_to_tc_map") == NULL &&
				sonic_field(global, "dscp_to_tc_map") == NULL;

		if (i > 0 && only_pcp != pcp)
			return config_fail(
				&s->c->error, &row->mark,
				"dot1p_to_tc_map: some ports trust 802.1p priorities and "
				"some DSCPs; Railyard's switch trusts one of them");
		pcp = only_pcp;
	}
	if (pcp)
		sonic_put(s, s->out, "trust", &s->options->mark, "pcp");
	return 0;
}

int
sonic_write_ports(struct sonic *s)
{
	struct group *groups = CONFIG_NEW(s->c, struct group, s->port_count);
	struct config_node *names;
	uint32_t count = 0;
	const struct group *base = groups;
	int rc = make_groups(s, groups, &count);

	if (rc != 0)
		return rc;
	for (uint32_t i = 1; i < count; i++)
		base = groups[i].count > base->count ? &groups[i] : base;
	sonic_put(s, s->out, "ports", &s->options->mark, "%u", s->port_count);
	names = sonic_put_map(s, s->out, "port_names", CONFIG_LIST, &s->options->mark);
	for (uint32_t i = 0; i < s->port_count; i++)
		sonic_put(s, names, NULL, &s->ports[i].mark, "%s", s->ports[i].name);
	rc = write_trust(s, groups, count);
	if (rc == 0)
		rc = write_group(s, s->out, base, NULL);
	return rc != 0 ? rc : write_settings(s, groups, count, base);
}
