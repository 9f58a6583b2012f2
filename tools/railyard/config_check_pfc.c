/* SPDX-License-Identifier: BSD-3-Clause */
/* Priority flow control that cannot work, or cannot keep its promise, is said here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "pipelines.h"
#include "units.h"

/* A port, for messages. */
struct pausing {
	const char *name;
	const struct pfc_cfg *pfc;
	uint64_t rate_bps;
	uint32_t frame_bytes;
	const struct raw_item *raw; /* its `pfc` */
	struct config_mark mark;    /* where that has no place of its own */
};

static struct config_mark
mark_of(const struct pausing *p, const char *key)
{
	return p->raw->node != NULL ? config_item_mark(p->raw, key) : p->mark;
}

/* XOFF is to be repeated before it runs out, and a pause to be felt at all. */
static int
check_times(struct config *c, const struct pausing *p, bool *warned)
{
	uint64_t pause_ps = units_pause_ps(p->pfc->quanta, p->rate_bps);
	uint64_t least_ps = units_frame_ps(p->frame_bytes, p->rate_bps) + p->pfc->response_ps;
	char refresh[32], pause[32], least[32];
	struct config_mark mark = mark_of(p, "refresh");

	if (p->pfc->enable == 0)
		return 0;
	config_unit_format(CONFIG_UNIT_TIME, p->pfc->refresh_ps, refresh, sizeof(refresh));
	config_unit_format(CONFIG_UNIT_TIME, pause_ps, pause, sizeof(pause));
	config_unit_format(CONFIG_UNIT_TIME, least_ps, least, sizeof(least));
	if (p->pfc->refresh_ps >= pause_ps)
		return config_fail(&c->error, &mark,
				   "refresh: %s is too late for %s, whose pauses of %u quanta last "
				   "%s: its peer would send in between; auto is half of that",
				   refresh, p->name, p->pfc->quanta, pause);
	if (pause_ps >= least_ps || *warned)
		return 0;
	*warned = true;
	mark = mark_of(p, "quanta");
	config_warn(c, &mark,
		    "%s: pauses of %u quanta last %s, but a frame of %u bytes and the response "
		    "time take %s: a pause may be over before its peer stops",
		    p->name, p->pfc->quanta, pause, p->frame_bytes, least);
	return 0;
}

static const struct raw_port *
setting_of(const struct raw_switch *raw, uint32_t port)
{
	uint32_t i = 0;

	while (!config_range_has(&RAW_AT(raw->port_settings, struct raw_port, i)->ports, port))
		i++;
	return RAW_AT(raw->port_settings, struct raw_port, i);
}

static int
check_switch_times(struct config *c, const struct raw_switch *raw)
{
	const struct scenario_switch *sw = &c->scenario->switches[raw->first];
	bool warned = false;

	if (!pipelines_find(sw->cfg.pipeline)->uses_mmu)
		return 0;
	for (uint32_t port = 0; port < sw->cfg.port_count; port++) {
		const struct scenario_end end = {true, (uint16_t)port, raw->first};
		char name[64];
		const struct pausing p = {
			.name = config_end_name(c, &end, name, sizeof(name)),
			.pfc = &sw->ports[port].port.pfc,
			.rate_bps = sw->ports[port].port.rate_bps,
			.frame_bytes = sw->ports[port].mtu_bytes,
			.raw = &setting_of(raw, port)->pfc->item,
			.mark = raw->item.mark,
		};
		int rc = check_times(c, &p, &warned);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
check_host_times(struct config *c, const struct raw_host *raw)
{
	const struct scenario_end end = {.index = raw->first};
	const struct scenario_host *host = &c->scenario->hosts[raw->first];
	const struct pausing p = {
		.name = host->cfg.name,
		.pfc = &host->cfg.port.pfc,
		.rate_bps = host->cfg.port.rate_bps,
		.frame_bytes = config_end_frame(c->scenario, &end),
		.raw = &raw->pfc.item,
		.mark = raw->item.mark,
	};
	bool warned = false;

	return check_times(c, &p, &warned);
}

/*
 * What may still arrive after XOFF is decided: the pause frame may wait for a frame on the
 * wire, both ways of the cable are full, the peer takes its response time and finishes a
 * frame. In whole cells, as the headroom is counted.
 */
static uint64_t
headroom_bound(const struct scenario *s, const struct scenario_link *l,
	       const struct scenario_end *peer, const struct scenario_switch *sw,
	       uint32_t own_frame)
{
	uint64_t cell_bytes = sw->cfg.mmu.cell_bytes;
	uint64_t rate = config_end_rate(s, peer);
	uint64_t frame = config_end_frame(s, peer);
	uint64_t cells = (frame + cell_bytes - 1) / cell_bytes * cell_bytes;
	/* Frames on their way through our own latency when XOFF is decided come in as well. */
	uint64_t wait_ps = 2 * l->delay_ps + config_end_pfc(s, peer)->response_ps + sw->latency_ps;
	unsigned __int128 bits = (unsigned __int128)wait_ps * rate / UNITS_PS_PER_S;
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
	bound = headroom_bound(c->scenario, l, peer, sw, config_end_frame(c->scenario, peer));
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

static void
warn_peer_pfc(struct config *c, const struct scenario_end *port, const struct scenario_end *peer,
	      const struct config_mark *mark, bool *warned)
{
	uint8_t ours, theirs;
	char name[64];

	if (!port->is_switch || *warned)
		return;
	ours = config_end_pfc(c->scenario, port)->enable;
	theirs = config_end_pfc(c->scenario, peer)->enable;
	if ((ours & ~theirs) == 0)
		return;
	*warned = true;
	config_warn(c, mark, "%s port %u pauses priorities that %s does not obey (pfc_enable)",
		    c->scenario->switches[port->index].cfg.name, port->port,
		    config_end_name(c, peer, name, sizeof(name)));
}

/* Priorities of all data: a pause is for what arrives, wherever it comes from. */
static uint8_t
data_priorities(const struct scenario *s)
{
	uint8_t mask = 0;

	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		for (uint32_t n = 0; n < w->from_count + w->to_count; n++) {
			uint32_t host = n < w->from_count ? w->from[n] : w->to[n - w->from_count];
			int16_t dscp =
				w->dscp == SCENARIO_DSCP_OF_HOST ? s->hosts[host].dscp : w->dscp;

			mask |= (uint8_t)(1u << s->hosts[host].cfg.dscp_to_priority[dscp]);
		}
	}
	return mask;
}

/* A slow receiver that the switch does not obey. */
static void
warn_not_obeyed(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
		const struct config_mark *mark, uint8_t priorities, bool *warned)
{
	const struct host_cfg *h;
	uint8_t ours, theirs;
	char name[64];

	if (host->is_switch || !port->is_switch || *warned)
		return;
	h = &c->scenario->hosts[host->index].cfg;
	ours = h->port.pfc.enable & priorities;
	theirs = config_end_pfc(c->scenario, port)->enable;
	if (h->drain_bps == 0 || h->drain_bps >= h->port.rate_bps || (ours & ~theirs) == 0)
		return;
	*warned = true;
	config_warn(c, mark,
		    "%s is a slow receiver (drain_rate) and pauses priority %d, which %s does not "
		    "obey (pfc_enable)",
		    h->name, __builtin_ctz(ours & ~theirs),
		    config_end_name(c, port, name, sizeof(name)));
}

/* What arrives at a slow receiver after XOFF must fit its buffer. */
static void
warn_rx_buffer(struct config *c, const struct scenario_link *l, const struct scenario_end *host,
	       const struct scenario_end *peer, bool *warned)
{
	const struct scenario_host *h;
	uint64_t room, bound;
	unsigned __int128 bits;

	if (host->is_switch || *warned)
		return;
	h = &c->scenario->hosts[host->index];
	if (h->cfg.drain_bps == 0 || h->cfg.drain_bps >= h->cfg.port.rate_bps ||
	    h->cfg.port.pfc.enable == 0)
		return;
	bits = (unsigned __int128)(2 * l->delay_ps +
				   config_end_pfc(c->scenario, peer)->response_ps) *
	       h->cfg.port.rate_bps / UNITS_PS_PER_S;
	bound = (uint64_t)(bits / 8) + 2 * config_end_frame(c->scenario, host);
	room = h->cfg.rx_buffer_bytes - h->cfg.rx_xoff_bytes;
	if (room >= bound)
		return;
	*warned = true;
	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		const struct raw_host *raw = RAW_AT(c->raw.hosts, struct raw_host, g);
		struct config_mark mark = config_item_mark(&raw->item, "rx_xoff");

		if (g + 1 < c->raw.hosts.count && raw[1].first <= host->index)
			continue;
		config_warn(c, &mark,
			    "%s: rx_buffer leaves %" PRIu64
			    " bytes above rx_xoff, but up to %" PRIu64
			    " may arrive after XOFF: packets may be dropped",
			    h->cfg.name, room, bound);
		return;
	}
}

static void
warn_links(struct config *c)
{
	bool headroom = false, obey = false, slow = false, rx_buffer = false;
	uint8_t priorities = data_priorities(c->scenario);

	for (uint32_t i = 0; i < c->scenario->link_count; i++) {
		const struct scenario_link *l = &c->scenario->links[i];

		for (int side = 0; side < 2; side++) {
			const struct scenario_end *end = side == 0 ? &l->a : &l->b;
			const struct scenario_end *peer = side == 0 ? &l->b : &l->a;

			warn_headroom(c, l, end, peer, &c->link_marks[i], &headroom);
			warn_peer_pfc(c, end, peer, &c->link_marks[i], &obey);
			warn_not_obeyed(c, end, peer, &c->link_marks[i], priorities, &slow);
			warn_rx_buffer(c, l, end, peer, &rx_buffer);
		}
	}
}

int
config_check_pfc(struct config *c)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->raw.switches.count && rc == 0; i++)
		rc = check_switch_times(c, RAW_AT(c->raw.switches, struct raw_switch, i));
	for (uint32_t i = 0; i < c->raw.hosts.count && rc == 0; i++)
		rc = check_host_times(c, RAW_AT(c->raw.hosts, struct raw_host, i));
	if (rc == 0 && !c->judged)
		warn_links(c);
	return rc;
}
