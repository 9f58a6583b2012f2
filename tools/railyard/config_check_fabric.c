/* SPDX-License-Identifier: BSD-3-Clause */
/* Consistency of links and traffic with the nodes they meet. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "pipelines.h"
#include "units.h"

#define MAX_FLOWS 1000000u

/* Ethernet, VLAN, IPv6, UDP, BTH, RETH, immediate, ICRC, FCS around a payload. */
static uint32_t
frame_bytes(const struct scenario_host *h, uint32_t payload_bytes)
{
	return 14 + (h->cfg.has_vlan ? 4 : 0) + (h->address.is_ipv6 ? 40 : 20) + 8 + 12 + 16 + 4 +
	       payload_bytes + 4 + UNITS_FCS_BYTES;
}

static uint64_t
end_rate(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? s->switches[e->index].ports[e->port].port.rate_bps
			    : s->hosts[e->index].cfg.port.rate_bps;
}

static const struct pfc_cfg *
end_pfc(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? &s->switches[e->index].ports[e->port].port.pfc
			    : &s->hosts[e->index].cfg.port.pfc;
}

static uint32_t
end_frame(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? s->switches[e->index].ports[e->port].mtu_bytes
			    : frame_bytes(&s->hosts[e->index], s->hosts[e->index].cfg.mtu_bytes);
}

/* The raw link that a resolved one came from: they are in order. */
struct place {
	struct config_mark mark;
	uint32_t left;
	uint32_t next;
};

static const struct config_mark *
next_place(struct config *c, struct place *p)
{
	while (p->left == 0) {
		struct raw_link *l = RAW_AT(c->raw.links, struct raw_link, p->next++);
		struct scenario_end *ends;

		if (config_select(c, &l->from, false, &ends, &p->left) != 0)
			return &p->mark;
		p->mark = l->item.mark;
	}
	p->left--;
	return &p->mark;
}

static int
take_end(struct config *c, const struct config_mark *mark, const struct scenario_end *e,
	 uint8_t **taken)
{
	uint32_t node = e->is_switch ? c->scenario->host_count + e->index : e->index;
	char name[64];

	if (taken[node][e->port]++ == 0)
		return 0;
	return config_fail(&c->error, mark, "link: %s is linked already; a port takes one link",
			   config_end_name(c, e, name, sizeof(name)));
}

static int
check_link(struct config *c, const struct scenario_link *l, const struct config_mark *mark,
	   uint8_t **taken)
{
	const struct scenario *s = c->scenario;
	uint64_t a = end_rate(s, &l->a), b = end_rate(s, &l->b);
	char a_name[64], b_name[64], a_rate[32], b_rate[32];
	int rc = take_end(c, mark, &l->a, taken);

	if (rc == 0)
		rc = take_end(c, mark, &l->b, taken);
	if (rc != 0)
		return rc;
	config_unit_format(CONFIG_UNIT_RATE, a, a_rate, sizeof(a_rate));
	config_unit_format(CONFIG_UNIT_RATE, b, b_rate, sizeof(b_rate));
	if (a != b)
		return config_fail(
			&c->error, mark,
			"link: %s runs at %s and %s at %s; set the same with nic, rate or "
			"port_settings",
			config_end_name(c, &l->a, a_name, sizeof(a_name)), a_rate,
			config_end_name(c, &l->b, b_name, sizeof(b_name)), b_rate);
	return 0;
}

/* A frame of the host must fit the switch port it meets. */
static int
check_mtu(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
	  const struct config_mark *mark)
{
	const struct scenario *s = c->scenario;
	uint32_t frame = end_frame(s, host), mtu;

	if (host->is_switch || !port->is_switch)
		return 0;
	mtu = s->switches[port->index].ports[port->port].mtu_bytes;
	if (frame <= mtu)
		return 0;
	return config_fail(
		&c->error, mark,
		"link: frames of %s take up to %u bytes at path MTU %u, but %s port %u takes "
		"%u; raise the switch's mtu or lower the host's",
		s->hosts[host->index].cfg.name, frame, s->hosts[host->index].cfg.mtu_bytes,
		s->switches[port->index].cfg.name, port->port, mtu);
}

/*
 * What may still arrive after XOFF is decided: the pause frame may wait for a frame on the
 * wire, both ways of the cable are full, the peer takes its response time and finishes a
 * frame. In whole cells, as the headroom is counted.
 */
static uint64_t
headroom_bound(const struct scenario *s, const struct scenario_link *l,
	       const struct scenario_end *peer, uint32_t own_frame, uint32_t cell_bytes)
{
	uint64_t rate = end_rate(s, peer);
	uint64_t frame = end_frame(s, peer);
	uint64_t cells = (frame + cell_bytes - 1) / cell_bytes * cell_bytes;
	unsigned __int128 bits =
		(unsigned __int128)(2 * l->delay_ps + end_pfc(s, peer)->response_ps) * rate /
		UNITS_PS_PER_S;
	uint64_t bytes = (uint64_t)(bits / 8) + own_frame + frame;

	return (uint64_t)((unsigned __int128)bytes * cells / frame);
}

static void
warn_headroom(struct config *c, const struct scenario_link *l, const struct scenario_end *port,
	      const struct scenario_end *peer, const struct config_mark *mark, bool *warned)
{
	const struct scenario_switch *sw;
	const struct switch_port_cfg *p;
	uint64_t bound;

	if (!port->is_switch || *warned)
		return;
	sw = &c->scenario->switches[port->index];
	p = &sw->ports[port->port];
	if (!pipelines_find(sw->cfg.pipeline)->uses_mmu)
		return;
	bound = headroom_bound(c->scenario, l, peer, end_frame(c->scenario, peer),
			       sw->cfg.mmu.cell_bytes);
	for (uint32_t g = 0; g < MMU_CLASSES; g++) {
		int16_t n = p->mmu.pg_profile[g];
		const struct mmu_profile_cfg *profile = n < 0 ? NULL : &sw->cfg.mmu.profiles[n];
		char name[64];

		if (profile == NULL || !profile->lossless || profile->xoff_bytes >= bound)
			continue;
		*warned = true;
		config_warn(c, mark,
			    "%s port %u: headroom of PG %u is %" PRIu64
			    " bytes (%s), but up to %" PRIu64
			    " may arrive from %s after XOFF: lossless packets may be dropped",
			    sw->cfg.name, port->port, g, profile->xoff_bytes, profile->name, bound,
			    config_end_name(c, peer, name, sizeof(name)));
		return;
	}
}

/* A host whose data the switch puts in a class that it does not pause for, though it pauses. */
static void
warn_lossy_class(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
		 bool *warned)
{
	const struct scenario_switch *sw;
	const struct scenario_host *h;
	const struct switch_port_cfg *p;
	uint8_t tc;
	int16_t n;

	if (host->is_switch || !port->is_switch || *warned)
		return;
	sw = &c->scenario->switches[port->index];
	h = &c->scenario->hosts[host->index];
	p = &sw->ports[port->port];
	tc = sw->cfg.maps.dscp_to_tc[h->dscp];
	if (sw->cfg.maps.trust_pcp && h->cfg.has_vlan)
		tc = sw->cfg.maps.pcp_to_tc[h->dscp >> 3];
	n = p->mmu.pg_profile[sw->cfg.maps.tc_to_pg[tc]];
	if (p->port.pfc.enable == 0 || !pipelines_find(sw->cfg.pipeline)->uses_mmu ||
	    (n >= 0 && sw->cfg.mmu.profiles[n].lossless))
		return;
	*warned = true;
	config_warn(
		c, &RAW_AT(c->raw.switches, struct raw_switch, port->index)->item.mark,
		"%s puts DSCP %u of %s in traffic class %u, which is lossy, while it has PFC on "
		"for other classes; see maps.dscp_to_tc",
		sw->cfg.name, h->dscp, h->cfg.name, tc);
}

/* WRED on a lossless queue drops what cannot be marked, before PFC has its say. */
static void
warn_not_ect(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
	     bool *warned)
{
	const struct scenario_switch *sw;
	const struct scenario_host *h;
	uint8_t tc, queue;

	if (host->is_switch || !port->is_switch || *warned)
		return;
	sw = &c->scenario->switches[port->index];
	h = &c->scenario->hosts[host->index];
	tc = sw->cfg.maps.dscp_to_tc[h->dscp];
	queue = sw->cfg.maps.tc_to_queue[tc];
	if (h->cfg.ecn_capable || !pipelines_find(sw->cfg.pipeline)->uses_mmu ||
	    !(sw->ports[port->port].port.pfc.enable >>
		      sw->cfg.maps.pg_to_pfc[sw->cfg.maps.tc_to_pg[tc]] &
	      1))
		return;
	for (uint32_t i = 0; i < sw->cfg.port_count && !*warned; i++) {
		int16_t n = sw->ports[i].wred[queue];

		if (n < 0 || !sw->wred[n].drop.enable)
			continue;
		*warned = true;
		config_warn(
			c, &RAW_AT(c->raw.switches, struct raw_switch, port->index)->item.mark,
			"%s drops packets of %s, which are not ECN capable, by WRED profile %s in "
			"lossless queue %u; see wred.%s.drop",
			sw->cfg.name, h->cfg.name, sw->wred[n].name, queue, sw->wred[n].name);
	}
}

static void
warn_peer_pfc(struct config *c, const struct scenario_end *port, const struct scenario_end *peer,
	      const struct config_mark *mark, bool *warned)
{
	uint8_t ours, theirs;
	char name[64];

	if (!port->is_switch || *warned)
		return;
	ours = end_pfc(c->scenario, port)->enable;
	theirs = end_pfc(c->scenario, peer)->enable;
	if ((ours & ~theirs) == 0)
		return;
	*warned = true;
	config_warn(c, mark, "%s port %u pauses priorities that %s does not obey (pfc_enable)",
		    c->scenario->switches[port->index].cfg.name, port->port,
		    config_end_name(c, peer, name, sizeof(name)));
}

static int
check_each_link(struct config *c, uint8_t **taken)
{
	bool headroom = false, lossy = false, obey = false, not_ect = false;
	struct place place = {.left = 0};

	for (uint32_t i = 0; i < c->scenario->link_count; i++) {
		const struct scenario_link *l = &c->scenario->links[i];
		const struct config_mark *mark = next_place(c, &place);
		int rc = check_link(c, l, mark, taken);

		if (rc == 0)
			rc = check_mtu(c, &l->a, &l->b, mark);
		if (rc == 0)
			rc = check_mtu(c, &l->b, &l->a, mark);
		if (rc != 0)
			return rc;
		warn_headroom(c, l, &l->a, &l->b, mark, &headroom);
		warn_headroom(c, l, &l->b, &l->a, mark, &headroom);
		warn_lossy_class(c, &l->a, &l->b, &lossy);
		warn_lossy_class(c, &l->b, &l->a, &lossy);
		warn_not_ect(c, &l->a, &l->b, &not_ect);
		warn_not_ect(c, &l->b, &l->a, &not_ect);
		warn_peer_pfc(c, &l->a, &l->b, mark, &obey);
		warn_peer_pfc(c, &l->b, &l->a, mark, &obey);
	}
	return 0;
}

int
config_check_fabric(struct config *c)
{
	const struct scenario *s = c->scenario;
	uint32_t nodes = s->host_count + s->switch_count;
	uint8_t **taken = CONFIG_NEW(c, uint8_t *, nodes);
	int rc;

	for (uint32_t i = 0; i < nodes; i++)
		taken[i] = CONFIG_NEW(
			c, uint8_t,
			i < s->host_count ? 1 : s->switches[i - s->host_count].cfg.port_count);
	rc = check_each_link(c, taken);
	if (rc != 0)
		return rc;
	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		const struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, g);
		uint32_t count = h->count == CONFIG_AUTO ? 1 : (uint32_t)h->count;

		for (uint32_t i = h->first; i < h->first + count; i++)
			if (taken[i][0] == 0)
				return config_fail(&c->error, &h->item.mark,
						   "hosts: %s has no link; add one to links",
						   s->hosts[i].cfg.name);
	}
	return 0;
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
	int rc = w->kind == SCENARIO_ELEPHANTS ? 0 : check_alike(c, mark, w);

	if (w->kind == SCENARIO_INCAST && (uint64_t)w->from_count * w->to_count > MAX_FLOWS)
		return config_fail(&c->error, mark, "incast: more than %u flows", MAX_FLOWS);
	for (uint32_t i = 0; i < w->from_count && rc == 0; i++) {
		if (w->kind == SCENARIO_ELEPHANTS)
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
	else if (w->kind == SCENARIO_POISSON)
		endless = w->count == 0 && w->until_ps == UNITS_NEVER_PS;
	else
		endless = w->until_ps == UNITS_NEVER_PS;
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
