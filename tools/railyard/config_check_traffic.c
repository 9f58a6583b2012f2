/* SPDX-License-Identifier: BSD-3-Clause */
/* Consistency of traffic: who talks can hear, and the run comes to an end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "parts.h"
#include "units.h"

#define MAX_FLOWS 1000000u

/* A tag is as a host wrote it when the frame arrives: only routers join VLANs. */
static bool
is_routed(const struct config *c, uint32_t host)
{
	const struct scenario_end *port = &c->access[host];

	return port->is_switch && c->scenario->switches[port->index].cfg.forwarding.layer3;
}

static void
find_access(struct config *c)
{
	const struct scenario *s = c->scenario;

	c->access = CONFIG_NEW(c, struct scenario_end, s->host_count);
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		if (!l->a.is_switch)
			c->access[l->a.index] = l->b;
		if (!l->b.is_switch)
			c->access[l->b.index] = l->a;
	}
}

/* What devices lead to is not known. */
static void
find_parts(struct config *c)
{
	const struct scenario *s = c->scenario;
	uint32_t nodes = s->switch_count + s->host_count;

	if (s->ethdev_count > 0)
		return;
	c->part = CONFIG_NEW(c, uint32_t, nodes);
	parts_init(c->part, nodes);
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_end *a = &s->links[i].a, *b = &s->links[i].b;
		uint32_t from = a->index + (a->is_switch ? 0 : s->switch_count);
		uint32_t to = b->index + (b->is_switch ? 0 : s->switch_count);

		parts_join(c->part, from, to);
	}
}

/* Said once: where one pair is apart, many are. */
static void
warn_of_parts(struct config *c, const struct config_mark *mark, uint32_t from, uint32_t to)
{
	const struct scenario *s = c->scenario;

	if (c->part == NULL || s->hosts[from].remote || s->hosts[to].remote ||
	    parts_find(c->part, s->switch_count + from) ==
		    parts_find(c->part, s->switch_count + to))
		return;
	config_warn(c, mark, "no links lead from %s to %s: what they send each other is lost",
		    s->hosts[from].cfg.name, s->hosts[to].cfg.name);
	c->part = NULL;
}

static uint16_t
vlan_of(const struct host_cfg *h)
{
	return h->has_vlan ? h->vlan_tci & 0xfff : 0;
}

static int
check_flow(struct config *c, const struct config_mark *mark, uint32_t from, uint32_t to)
{
	const struct scenario_host *a = &c->scenario->hosts[from], *b = &c->scenario->hosts[to];

	if (from == to)
		return config_fail(&c->error, mark, "%s would send to itself", a->cfg.name);
	if (a->address.is_ipv6 != b->address.is_ipv6)
		return config_fail(&c->error, mark,
				   "%s has %s and %s has %s; give them the same ip", a->cfg.name,
				   a->address.is_ipv6 ? "IPv6" : "IPv4", b->cfg.name,
				   b->address.is_ipv6 ? "IPv6" : "IPv4");
	if (a->cfg.mtu_bytes != b->cfg.mtu_bytes)
		return config_fail(&c->error, mark,
				   "%s has path MTU %u and %s has %u; give them the same mtu",
				   a->cfg.name, a->cfg.mtu_bytes, b->cfg.name, b->cfg.mtu_bytes);
	if (vlan_of(&a->cfg) != vlan_of(&b->cfg) && !(is_routed(c, from) && is_routed(c, to)))
		return config_fail(&c->error, mark,
				   "%s is in VLAN %u and %s in %u (0 = untagged); give them the "
				   "same vlan, or their switches forwarding: {mode: l3}",
				   a->cfg.name, vlan_of(&a->cfg), b->cfg.name, vlan_of(&b->cfg));
	warn_of_parts(c, mark, from, to);
	return 0;
}

/* Receivers are alike, so that a sender need be checked against one of them only. */
static int
check_alike(struct config *c, const struct config_mark *mark, const struct scenario_workload *w)
{
	int rc = 0;

	for (uint32_t i = 1; i < w->to_count && rc == 0; i++)
		if (w->to[i] != w->to[0])
			rc = check_flow(c, mark, w->to[0], w->to[i]);
	return rc;
}

/* Poisson and UDP senders leave themselves out, but somebody must be left. */
static int
check_spread(struct config *c, const struct config_mark *mark, const struct scenario_workload *w,
	     uint32_t from)
{
	for (uint32_t i = 0; i < w->to_count; i++)
		if (w->to[i] != from)
			return check_flow(c, mark, from, w->to[i]);
	return check_flow(c, mark, from, from);
}

static int
check_workload(struct config *c, const struct scenario_workload *w, const struct config_mark *mark)
{
	bool pairs = w->kind == SCENARIO_ELEPHANTS || w->paired;
	int rc = pairs ? 0 : check_alike(c, mark, w);

	if (w->kind == SCENARIO_INCAST && (uint64_t)w->from_count * w->to_count > MAX_FLOWS)
		return config_fail(&c->error, mark, "incast: more than %u flows", MAX_FLOWS);
	for (uint32_t i = 0; i < w->from_count && rc == 0; i++) {
		if (pairs)
			rc = check_flow(c, mark, w->from[i], w->to[i]);
		else if (w->kind != SCENARIO_INCAST)
			rc = check_spread(c, mark, w, w->from[i]);
		for (uint32_t j = 0; w->kind == SCENARIO_INCAST && j < w->to_count && rc == 0; j++)
			rc = check_flow(c, mark, w->from[i], w->to[j]);
	}
	return rc;
}

/* Without a duration, work must come to an end by itself. */
static int
check_end(struct config *c, const struct scenario_workload *w, const struct config_mark *mark)
{
	bool endless = false;

	if (w->kind == SCENARIO_INCAST)
		endless = w->rounds == 0;
	else if (w->kind == SCENARIO_ELEPHANTS)
		endless = w->count == 0;
	else
		endless = w->count == 0 && w->until_ps == UNITS_NEVER_PS;
	if (endless && c->scenario->duration_ps == 0)
		return config_fail(
			&c->error, mark,
			"%s never ends; give it an end (rounds, count, until), or the run a "
			"duration",
			w->name);
	if (w->until_ps <= w->at_ps)
		return config_fail(&c->error, mark, "%s: until is not after at", w->name);
	return 0;
}

int
config_check_traffic(struct config *c)
{
	find_access(c);
	find_parts(c);
	for (uint32_t i = 0; i < c->scenario->workload_count; i++) {
		const struct raw_workload_entry *e =
			RAW_AT(c->raw.workload, struct raw_workload_entry, i);
		const struct scenario_workload *w = &c->scenario->workloads[i];
		int rc = check_workload(c, w, &e->item.mark);

		if (rc == 0)
			rc = check_end(c, w, &e->item.mark);
		if (rc != 0)
			return rc;
	}
	return 0;
}
