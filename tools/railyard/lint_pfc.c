/* SPDX-License-Identifier: BSD-3-Clause */
/* Who pauses whom: pfc_enable against priority groups, XON, and the watchdog. */
#include <string.h>

#include "lint_internal.h"

static bool
has_headroom(const struct switch_cfg *cfg, uint32_t port, uint8_t priority)
{
	for (uint8_t pg = 0; pg < MMU_CLASSES; pg++) {
		const struct mmu_profile_cfg *p =
			lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]);

		if (switch_port_maps(cfg, port)->pg_to_pfc[pg] == priority && p != NULL &&
		    p->lossless)
			return true;
	}
	return false;
}

/* A table that has no row for the port is what is to be said of it. */
static bool
lacks_row(struct lint *lint, const struct raw_switch *raw, const struct lint_place *at)
{
	const struct raw_port *port = lint_raw_port(raw, (uint32_t)at->port);
	char rate[32], cable[32], found[LINT_TEXT_BYTES];

	if (raw->headroom.count == 0 || port->cable_mm == CONFIG_AUTO)
		return false;
	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);

		if (h->speed_bps == port->rate_bps && h->cable_mm == port->cable_mm)
			return false;
	}
	config_unit_format(CONFIG_UNIT_RATE, port->rate_bps, rate, sizeof(rate));
	config_unit_format(CONFIG_UNIT_LENGTH, port->cable_mm, cable, sizeof(cable));
	snprintf(found, sizeof(found), "%s over %s has no row in `headroom`", rate, cable);
	lint_find(lint, LINT_CABLE_WITHOUT_ROW, at, found,
		  "add the row (`railyard headroom` computes it), or use a length that has one");
	return true;
}

/* The class of the priority's number must be in a PG with headroom as well. */
static void
judge_same_class(struct lint *lint, const struct switch_cfg *cfg, const struct lint_place *at)
{
	uint8_t tc = (uint8_t)at->index;
	uint8_t pg = switch_port_maps(cfg, (uint32_t)at->port)->tc_to_pg[tc];
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (lint_is_lossless(cfg, (uint32_t)at->port, tc) ||
	    !(lint_classes(cfg, (uint32_t)at->port) >> tc & 1))
		return;
	snprintf(found, sizeof(found),
		 "in pfc_enable, but traffic class %u goes to PG %u, which is lossy", tc, pg);
	snprintf(right, sizeof(right), "tc_to_pg: %u to %u; or take it out of pfc_enable", tc, tc);
	lint_find(lint, LINT_PFC_NOT_LOSSLESS, at, found, right);
}

static void
judge_priority(struct lint *lint, const struct raw_switch *raw, const struct switch_cfg *cfg,
	       uint32_t port, uint8_t priority)
{
	const struct lint_place at = {cfg->name, (int32_t)port, "priority", priority};

	if (has_headroom(cfg, port, priority)) {
		judge_same_class(lint, cfg, &at);
		return;
	}
	if (lacks_row(lint, raw, &at))
		return;
	lint_find(lint, LINT_PFC_NOT_LOSSLESS, &at, "in pfc_enable, without a lossless profile",
		  "give its priority group a profile with xoff, or take it out of pfc_enable");
}

static void
judge_pg(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t pg)
{
	const struct mmu_profile_cfg *p = lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]);
	const struct lint_place at = {cfg->name, (int32_t)port, "PG", pg};
	uint8_t priority = switch_port_maps(cfg, port)->pg_to_pfc[pg];
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (p == NULL || !p->lossless)
		return;
	if (!(cfg->ports[port].port.pfc.enable >> priority & 1)) {
		snprintf(found, sizeof(found),
			 "has %s (xoff %" PRIu64 "), but priority %u is not "
			 "in pfc_enable",
			 p->name, p->xoff_bytes, priority);
		snprintf(right, sizeof(right), "add %u to pfc_enable, or give it a lossy profile",
			 priority);
		lint_find(lint, LINT_LOSSLESS_NOT_PFC, &at, found, right);
	}
	/* The higher of xon and the limit counts. An xon within the guarantee is NVIDIA's default.
	 */
	if (p->xon_offset_bytes == 0 && (p->xon_bytes == 0 || p->xon_bytes > p->size_bytes)) {
		snprintf(found, sizeof(found), "%s resumes at the limit at which it pauses",
			 p->name);
		lint_find(lint, LINT_NO_HYSTERESIS, &at, found,
			  "give xon_offset two frames or more");
	}
}

/* What pauses the senders of a class must stop it here, too: switches in a row are set up alike. */
static void
judge_class(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t tc)
{
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	const struct lint_place at = {cfg->name, (int32_t)port, "traffic class", tc};
	uint8_t pg = maps->tc_to_pg[tc], queue = maps->tc_to_queue[tc];
	uint8_t paused = switch_pg_priorities(maps, pg) & cfg->ports[port].port.pfc.enable;
	uint8_t priority = paused == 0 ? 0 : (uint8_t)__builtin_ctz(paused);
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (!lint_is_lossless(cfg, port, tc) || paused == 0)
		return;
	for (uint8_t p = 0; p < MMU_CLASSES; p++) {
		if (paused >> p & 1 && maps->pfc_to_queue[p] == queue)
			return;
	}
	snprintf(found, sizeof(found),
		 "its PG %u pauses priority %u, of which a pause stops queue %u; but the class is "
		 "in queue %u",
		 pg, priority, maps->pfc_to_queue[priority], queue);
	snprintf(right, sizeof(right),
		 "pfc_to_queue: %u to %u; or one number for its PG, priority and queue", priority,
		 queue);
	lint_find(lint, LINT_PAUSE_WRONG_QUEUE, &at, found, right);
}

void
lint_pfc(struct lint *lint, uint32_t index)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;
	const struct raw_switch *raw = lint_raw(lint, index);

	for (uint32_t port = 0; port < cfg->port_count; port++) {
		for (uint8_t n = 0; n < MMU_CLASSES && !lint_is_unused(lint, index, port); n++) {
			if (cfg->ports[port].port.pfc.enable >> n & 1)
				judge_priority(lint, raw, cfg, port, n);
			judge_pg(lint, cfg, port, n);
			if (lint_classes(cfg, port) >> n & 1)
				judge_class(lint, cfg, port, n);
		}
	}
}

static void
judge_time(struct lint *lint, const struct lint_place *at, const char *key, uint64_t ps,
	   uint64_t least_ms, uint64_t most_ms)
{
	char value[32], found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (ps >= least_ms * UNITS_PS_PER_MS && ps <= most_ms * UNITS_PS_PER_MS)
		return;
	config_unit_format(CONFIG_UNIT_TIME, ps, value, sizeof(value));
	snprintf(found, sizeof(found), "%s is %s", key, value);
	snprintf(right, sizeof(right), "%" PRIu64 "ms to %" PRIu64 "ms", least_ms, most_ms);
	lint_find(lint, LINT_WATCHDOG_RANGE, at, found, right);
}

static const char *
unwatched_text(uint8_t priorities, char text[LINT_TEXT_BYTES])
{
	size_t used =
		(size_t)snprintf(text, LINT_TEXT_BYTES, "lossless priorities are not watched:");

	for (uint8_t n = 0; n < MMU_CLASSES; n++) {
		if (priorities >> n & 1)
			used += (size_t)snprintf(text + used, LINT_TEXT_BYTES - used, " %u", n);
	}
	return text;
}

void
lint_watchdog(struct lint *lint, uint32_t index)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;
	const struct lint_place whole = {cfg->name, -1, "pfc_watchdog", -1};

	if (cfg->watchdog_poll_ps != 0)
		judge_time(lint, &whole, "poll", cfg->watchdog_poll_ps, 100, 1000);
	for (uint32_t port = 0; port < cfg->port_count; port++) {
		const struct watchdog_cfg *w = &cfg->ports[port].watchdog;
		const struct lint_place at = {cfg->name, (int32_t)port, "pfc_watchdog", -1};
		uint8_t unwatched = cfg->ports[port].port.pfc.enable & (uint8_t)~w->priorities;
		char found[LINT_TEXT_BYTES];

		if (unwatched != 0 && !lint_is_unused(lint, index, port))
			lint_find(lint, LINT_WATCHDOG_OFF, &at, unwatched_text(unwatched, found),
				  "pfc_watchdog: {poll: 200ms, detection: 200ms, restoration: "
				  "200ms}");
		if (w->priorities == 0)
			continue;
		judge_time(lint, &at, "detection", w->detection_ps, 100, 5000);
		if (w->restoration_ps != 0)
			judge_time(lint, &at, "restoration", w->restoration_ps, 100, 60000);
	}
}
