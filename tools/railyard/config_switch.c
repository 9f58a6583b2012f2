/* SPDX-License-Identifier: BSD-3-Clause */
/* A switch's raw struct into a struct switch_cfg: ports, maps, WRED, schedulers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc.h"
#include "units.h"

#include "config_internal.h"
#include "pipelines.h"

#define MAX_SWITCHES 16384u

void
config_fill_pfc(struct raw_pfc *pfc, uint64_t rate_bps)
{
	if (pfc->refresh_ps == CONFIG_AUTO) {
		pfc->refresh_ps = units_pause_ps((uint16_t)pfc->quanta, rate_bps) / 2;
		if (pfc->refresh_ps == 0)
			pfc->refresh_ps = 1;
	}
	if (pfc->response_ps == CONFIG_AUTO)
		pfc->response_ps = units_pause_response_ps(rate_bps);
}

static int
check_range(struct config *c, const struct raw_switch *raw, const struct raw_range *range,
	    const struct raw_item *item)
{
	struct config_mark mark = config_item_mark(item, "ports");

	for (uint32_t n = (uint32_t)raw->ports; !range->all && n < CONFIG_MAX_RANGE; n++)
		if (range->bits[n / 64] >> n % 64 & 1)
			return config_fail(&c->error, &mark,
					   "ports: there is no port %u; %s has ports 0 to %u", n,
					   raw->item.name, (unsigned int)raw->ports - 1);
	return 0;
}

static int
check_ranges(struct config *c, const struct raw_switch *raw)
{
	int rc = 0;

	for (uint32_t i = 0; i < raw->pgs.count && rc == 0; i++) {
		const struct raw_pg *pg = RAW_AT(raw->pgs, struct raw_pg, i);

		rc = check_range(c, raw, &pg->ports, &pg->item);
	}
	for (uint32_t i = 0; i < raw->queues.count && rc == 0; i++) {
		const struct raw_queue *q = RAW_AT(raw->queues, struct raw_queue, i);

		rc = check_range(c, raw, &q->ports, &q->item);
	}
	for (uint32_t i = 0; i < raw->port_settings.count && rc == 0; i++) {
		const struct raw_port *p = RAW_AT(raw->port_settings, struct raw_port, i);

		rc = check_range(c, raw, &p->ports, &p->item);
	}
	for (uint32_t i = 0; i < raw->forwarding.routes.count && rc == 0; i++) {
		const struct raw_route *r = RAW_AT(raw->forwarding.routes, struct raw_route, i);

		rc = check_range(c, raw, &r->ports, &r->item);
	}
	return rc;
}

static int
check_port_names(struct config *c, const struct raw_switch *raw)
{
	const struct raw_texts *names = &raw->port_names;
	struct config_mark mark = config_item_mark(&raw->item, "port_names");

	if (names->count != 0 && names->count != raw->ports)
		return config_fail(&c->error, &mark, "port_names: %u names for %u ports",
				   names->count, (unsigned int)raw->ports);
	for (uint32_t i = 0; i < names->count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(names->items[i].text, names->items[k].text) == 0)
				return config_fail(&c->error, &names->items[i].mark,
						   "port_names: %.31s a second time",
						   names->items[i].text);
	return 0;
}

/* What applies to one port, from the switch and the settings in order. */
static struct raw_port
effective_port(const struct raw_switch *raw, uint32_t port)
{
	struct raw_port e = {
		.item = raw->item,
		.rate_bps = raw->rate_bps,
		.mtu_bytes = raw->mtu_bytes,
		.cable_mm = raw->cable_mm,
		.pfc_enable = raw->pfc_enable,
	};

	for (uint32_t i = 0; i < raw->port_settings.count; i++) {
		const struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		if (!config_range_has(&s->ports, port))
			continue;
		e.item = s->item;
		e.rate_bps = s->rate_bps != CONFIG_AUTO ? s->rate_bps : e.rate_bps;
		e.mtu_bytes = s->mtu_bytes != CONFIG_AUTO ? s->mtu_bytes : e.mtu_bytes;
		e.cable_mm = s->cable_mm != CONFIG_AUTO ? s->cable_mm : e.cable_mm;
		e.pfc_enable = s->pfc_enable != CONFIG_UNSET ? s->pfc_enable : e.pfc_enable;
		e.pfc = s->pfc != NULL ? s->pfc : e.pfc;
		e.maps = s->maps != NULL ? s->maps : e.maps;
		e.ingress_profiles =
			s->ingress_profiles.count > 0 ? s->ingress_profiles : e.ingress_profiles;
		e.egress_profiles =
			s->egress_profiles.count > 0 ? s->egress_profiles : e.egress_profiles;
		e.shaper = s->shaper != NULL ? s->shaper : e.shaper;
		e.hold = s->hold != NULL ? s->hold : e.hold;
		e.watchdog = s->watchdog != NULL ? s->watchdog : e.watchdog;
	}
	return e;
}

static bool
same_port(const struct raw_port *a, const struct raw_port *b)
{
	return a->rate_bps == b->rate_bps && a->mtu_bytes == b->mtu_bytes &&
	       a->cable_mm == b->cable_mm && a->pfc_enable == b->pfc_enable &&
	       a->pfc->quanta == b->pfc->quanta && a->pfc->refresh_ps == b->pfc->refresh_ps &&
	       a->pfc->response_ps == b->pfc->response_ps && a->shaper == b->shaper &&
	       a->hold == b->hold && a->maps == b->maps &&
	       a->ingress_profiles.items == b->ingress_profiles.items &&
	       a->egress_profiles.items == b->egress_profiles.items &&
	       config_same_watchdog(a->watchdog, b->watchdog);
}

/* Put every effective value in the raw struct: one entry a run of equal ports. */
static int
resolve_port_settings(struct config *c, struct raw_switch *raw)
{
	struct raw_port *settings = CONFIG_NEW(c, struct raw_port, raw->ports);
	uint32_t count = 0;

	for (uint32_t port = 0; port < raw->ports; port++) {
		struct raw_port e = effective_port(raw, port);
		struct raw_pfc *pfc = CONFIG_NEW(c, struct raw_pfc, 1);
		int rc = config_resolve_watchdog(c, raw, &e);

		if (rc != 0)
			return rc;
		*pfc = e.pfc != NULL ? *e.pfc : raw->pfc;
		config_fill_pfc(pfc, e.rate_bps);
		e.pfc = pfc;
		if (e.hold != NULL && e.hold->until_ps < e.hold->from_ps) {
			struct config_mark mark = config_item_mark(&e.hold->item, "until");

			return config_fail(&c->error, &mark, "hold: until is before from");
		}
		if (count == 0 || !same_port(&settings[count - 1], &e))
			settings[count++] = e;
		settings[count - 1].ports.given = true;
		settings[count - 1].ports.bits[port / 64] |= 1ULL << port % 64;
	}
	raw->port_settings = (struct raw_array){.items = settings, .count = count};
	return 0;
}

/* locally administered: 02:01, switch, port */
static void
set_macs(struct scenario_switch *sw, uint32_t index)
{
	for (uint32_t port = 0; port < sw->cfg.port_count; port++)
		memcpy(sw->ports[port].port.mac,
		       (uint8_t[6]){2, 1, (uint8_t)(index >> 8), (uint8_t)index,
				    (uint8_t)(port >> 8), (uint8_t)port},
		       6);
}

static void
fill_ports(const struct raw_switch *raw, struct scenario_switch *sw)
{
	for (uint32_t i = 0, port = 0; i < raw->port_settings.count; i++) {
		const struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		for (; port < raw->ports && config_range_has(&s->ports, port); port++) {
			struct switch_port_cfg *p = &sw->ports[port];

			p->port.rate_bps = s->rate_bps;
			p->port.pfc = (struct pfc_cfg){
				.enable = (uint8_t)s->pfc_enable,
				.quanta = (uint16_t)s->pfc->quanta,
				.refresh_ps = s->pfc->refresh_ps,
				.response_ps = s->pfc->response_ps,
			};
			p->mtu_bytes = (uint32_t)s->mtu_bytes;
			config_fill_watchdog(raw, s->watchdog, &p->watchdog);
			if (s->hold != NULL) {
				p->port.hold_from_ps = s->hold->from_ps;
				p->port.hold_until_ps = s->hold->until_ps;
			}
			if (s->shaper != NULL)
				p->shaper = (struct shaper_cfg){
					.rate_bps = s->shaper->rate_bps,
					.burst_bytes = s->shaper->burst_bytes,
				};
		}
	}
}

static int
check_curve(struct config *c, const struct raw_item *item, uint64_t min_bytes, uint64_t max_bytes)
{
	struct config_mark mark = config_item_mark(item, "min");
	char low[32], high[32];

	if (min_bytes <= max_bytes)
		return 0;
	config_unit_format(CONFIG_UNIT_SIZE, min_bytes, low, sizeof(low));
	config_unit_format(CONFIG_UNIT_SIZE, max_bytes, high, sizeof(high));
	return config_fail(&c->error, &mark,
			   "min: Kmin %s is above Kmax %s; min must be at most max", low, high);
}

static int
resolve_wred(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	sw->wred = CONFIG_NEW(c, struct wred_cfg, raw->wred.count);
	for (uint32_t i = 0; i < raw->wred.count; i++) {
		const struct raw_wred *r = RAW_AT(raw->wred, struct raw_wred, i);
		struct wred_cfg *w = &sw->wred[i];
		int rc = check_curve(c, &r->item, r->min_bytes, r->max_bytes);

		if (rc == 0 && r->drop != NULL && r->drop->mode == 0)
			rc = check_curve(c, &r->drop->item, r->drop->min_bytes, r->drop->max_bytes);
		if (rc != 0)
			return rc;
		snprintf(w->name, sizeof(w->name), "%s", r->item.name);
		w->drop = (struct wred_curve){
			.enable = true,
			.min_bytes = r->min_bytes,
			.max_bytes = r->max_bytes,
			.probability_q32 = r->probability_q32,
		};
		w->mark = w->drop;
		w->mark.enable = r->ecn == 1;
		if (r->drop != NULL)
			w->drop = (struct wred_curve){
				.enable = r->drop->mode == 0,
				.min_bytes = r->drop->min_bytes,
				.max_bytes = r->drop->max_bytes,
				.probability_q32 = r->drop->probability_q32,
			};
		w->weight = (uint8_t)r->weight;
		w->at_enqueue = r->mark_at == 1;
	}
	sw->cfg.wred = sw->wred;
	sw->cfg.wred_count = raw->wred.count;
	return 0;
}

static void
resolve_schedulers(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	sw->schedulers = CONFIG_NEW(c, struct scheduler_cfg, raw->schedulers.count);
	for (uint32_t i = 0; i < raw->schedulers.count; i++) {
		const struct raw_scheduler *r = RAW_AT(raw->schedulers, struct raw_scheduler, i);
		struct scheduler_cfg *s = &sw->schedulers[i];

		snprintf(s->name, sizeof(s->name), "%s", r->item.name);
		s->strict = r->type == 1;
		s->by_packets = r->type == 2;
		s->weight = (uint32_t)r->weight;
		s->shaper = (struct shaper_cfg){
			.rate_bps = r->pir_bps,
			.burst_bytes = r->pbs_bytes,
		};
	}
	sw->cfg.schedulers = sw->schedulers;
	sw->cfg.scheduler_count = raw->schedulers.count;
}

static int
check_pipeline(struct config *c, const struct raw_switch *raw)
{
	struct config_mark mark = config_item_mark(&raw->item, "pipeline");
	char known[160] = "";

	if (pipelines_find(raw->pipeline) != NULL)
		return 0;
	for (unsigned int n = 0; pipelines_at(n) != NULL; n++) {
		strncat(known, n == 0 ? "" : ", ", sizeof(known) - strlen(known) - 1);
		strncat(known, pipelines_at(n)->name, sizeof(known) - strlen(known) - 1);
	}
	return config_fail(&c->error, &mark, "pipeline: there is no \"%.31s\"; there are %s",
			   raw->pipeline, known);
}

static int
resolve_first(struct config *c, struct raw_switch *raw)
{
	struct scenario_switch *sw = &c->scenario->switches[raw->first];
	int rc = check_pipeline(c, raw);

	if (rc == 0)
		rc = check_port_names(c, raw);
	if (rc == 0)
		rc = check_ranges(c, raw);
	if (rc == 0)
		rc = resolve_port_settings(c, raw);
	if (rc != 0)
		return rc;
	if (raw->tier == NULL)
		raw->tier = raw->item.name;
	snprintf(sw->tier, sizeof(sw->tier), "%s", raw->tier);
	snprintf(sw->cfg.name, sizeof(sw->cfg.name), "%s%s", raw->item.name,
		 raw->count == CONFIG_AUTO ? "" : "0");
	snprintf(sw->cfg.pipeline, sizeof(sw->cfg.pipeline), "%s", raw->pipeline);
	sw->cfg.port_count = (uint16_t)raw->ports;
	sw->cfg.sample_interval_ps = c->scenario->sample_interval_ps;
	sw->cfg.watchdog_poll_ps = raw->watchdog == NULL ? 0 : raw->watchdog->poll_ps;
	sw->cfg.watchdog_start_ps = raw->watchdog == NULL ? 0 : raw->watchdog->start_ps;
	sw->ports = CONFIG_NEW(c, struct switch_port_cfg, raw->ports);
	sw->cfg.ports = sw->ports;
	sw->latency_ps = raw->latency_ps;
	sw->cut_through = raw->cut_through == 1;
	fill_ports(raw, sw);
	set_macs(sw, raw->first);
	config_resolve_maps(c, raw, sw);
	rc = resolve_wred(c, raw, sw);
	if (rc != 0)
		return rc;
	resolve_schedulers(c, raw, sw);
	rc = config_resolve_buffers(c, raw, sw);
	if (rc == 0)
		rc = config_resolve_forwarding(c, raw, sw);
	if (rc == 0)
		rc = config_resolve_balancer(c, raw, sw);
	return rc;
}

/* The next ones of a group are as the first, but for their names, addresses and hash seeds. */
static int
add_like(struct config *c, const struct raw_switch *raw, uint32_t n)
{
	const struct scenario_switch *first = &c->scenario->switches[raw->first];
	struct scenario_switch *sw = &c->scenario->switches[raw->first + n];

	*sw = *first;
	snprintf(sw->cfg.name, sizeof(sw->cfg.name), "%s%u", raw->item.name, n);
	sw->ports = CONFIG_NEW(c, struct switch_port_cfg, raw->ports);
	memcpy(sw->ports, first->ports, raw->ports * sizeof(*sw->ports));
	sw->cfg.ports = sw->ports;
	set_macs(sw, raw->first + n);
	return config_copy_forwarding(c, raw, sw);
}

static int
check_group(struct config *c, const struct raw_switch *raw)
{
	size_t n = strlen(raw->item.name);
	const char *name = raw->item.name;

	if (raw->count == CONFIG_AUTO)
		return 0;
	if (name[n - 1] >= '0' && name[n - 1] <= '9')
		return config_fail(&c->error, &raw->item.mark,
				   "switches: the name of a group with a count must not end in a "
				   "digit (%s)",
				   name);
	if (n + sizeof("16384") > NODE_NAME_BYTES)
		return config_fail(&c->error, &raw->item.mark,
				   "switches: the name of a group with a count has 1 to %zu "
				   "characters",
				   NODE_NAME_BYTES - sizeof("16384"));
	return 0;
}

int
config_resolve_switches(struct config *c)
{
	struct scenario *s = c->scenario;
	const struct raw_array *list = &c->raw.switches;
	uint32_t total = 0;

	for (uint32_t g = 0; g < list->count; g++) {
		struct raw_switch *raw = RAW_AT(*list, struct raw_switch, g);

		raw->first = total;
		total += config_switch_count(raw);
		if (total > MAX_SWITCHES)
			return config_fail(&c->error, &raw->item.mark, "switches: more than %u",
					   MAX_SWITCHES);
	}
	s->switches = CONFIG_NEW(c, struct scenario_switch, total);
	for (uint32_t g = 0; g < list->count; g++) {
		struct raw_switch *raw = RAW_AT(*list, struct raw_switch, g);
		int rc = check_group(c, raw);

		if (rc != 0)
			return rc;
		s->switch_count++;
		rc = resolve_first(c, raw);
		for (uint32_t n = 1; rc == 0 && n < config_switch_count(raw); n++) {
			s->switch_count++;
			rc = add_like(c, raw, n);
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}
