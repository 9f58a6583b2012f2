/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: headroom against what it must hold, pools against what they promise. */
#include <string.h>

#include "headroom.h"
#include "lint_internal.h"

/* Light in glass, as headroom.c has it: 198,000 km/s are 0.198 mm a ps. */
static uint64_t
cable_of_delay_mm(uint64_t delay_ps)
{
	return delay_ps / 1000 * 198;
}

/* The longer of what the port's `cable` says and what its link's delay stands for. */
static bool
cable_mm(const struct lint *lint, uint32_t sw, uint32_t port, const struct raw_port *raw,
	 uint64_t *mm)
{
	bool known = raw->cable_mm != CONFIG_AUTO;
	uint32_t link = lint->link_of[lint->first_port[sw] + port];
	uint64_t wired_mm;

	*mm = known ? raw->cable_mm : 0;
	if (link == LINT_NO_LINK)
		return known;
	wired_mm = cable_of_delay_mm(lint->scenario->links[link].delay_ps);
	if (!known || wired_mm > *mm)
		*mm = wired_mm;
	return true;
}

static struct headroom_cfg
model_of(const struct raw_switch *raw, const struct raw_port *port)
{
	const struct raw_headroom_model *m = &raw->headroom_model;
	uint32_t percent = 50;

	(void)config_unit_percents(m->small_packets_q32, &percent);
	return (struct headroom_cfg){
		.speed_bps = port->rate_bps,
		.port_mtu_bytes = (uint32_t)port->mtu_bytes,
		.lossless_mtu_bytes = (uint32_t)m->lossless_mtu_bytes,
		.small_packet_percent = percent,
		.cell_bytes = (uint32_t)raw->cell_bytes,
		.pipeline_latency_bytes = (uint32_t)m->pipeline_latency_bytes,
		.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
		.peer_millibytes = m->peer_response_bytes == CONFIG_AUTO
					   ? HEADROOM_PEER_AUTO
					   : m->peer_response_bytes * 1000,
		.lanes = (uint32_t)m->lanes,
		.tile = m->tile == 1,
	};
}

static void
judge_headroom(struct lint *lint, uint32_t index, uint32_t port)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;
	const struct raw_switch *raw = lint_raw(lint, index);
	const struct raw_port *settings = lint_raw_port(raw, port);
	struct headroom_cfg model = model_of(raw, settings);
	char rate[32], cable[32], found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];
	uint64_t need_bytes;

	if (!cable_mm(lint, index, port, settings, &model.cable_mm))
		return;
	need_bytes = headroom_compute(&model).xoff_bytes;
	config_unit_format(CONFIG_UNIT_RATE, model.speed_bps, rate, sizeof(rate));
	config_unit_format(CONFIG_UNIT_LENGTH, model.cable_mm, cable, sizeof(cable));
	for (uint8_t pg = 0; pg < MMU_CLASSES; pg++) {
		const struct mmu_profile_cfg *p =
			lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]);
		const struct lint_place at = {cfg->name, (int32_t)port, "PG", pg};

		if (p == NULL || !p->lossless || p->xoff_bytes >= need_bytes)
			continue;
		snprintf(found, sizeof(found),
			 "%s has xoff %" PRIu64 ", but %s over %s needs %" PRIu64, p->name,
			 p->xoff_bytes, rate, cable, need_bytes);
		snprintf(right, sizeof(right),
			 "xoff of %" PRIu64 " or more; `railyard headroom --speed %s --cable %s "
			 "--cell %u` shows why",
			 need_bytes, rate, cable, model.cell_bytes);
		lint_find(lint, LINT_HEADROOM_SHORT, &at, found, right);
	}
}

/* Two rows of which one asks for no less of everything, and has less. */
static void
judge_rows(struct lint *lint, const struct switch_cfg *cfg, const struct raw_headroom *more,
	   const struct raw_headroom *less)
{
	const struct lint_place at = {cfg->name, -1, "headroom", -1};
	char rate[2][32], cable[2][32], found[LINT_TEXT_BYTES];

	if (more->speed_bps < less->speed_bps || more->cable_mm < less->cable_mm ||
	    more->xoff_bytes >= less->xoff_bytes)
		return;
	config_unit_format(CONFIG_UNIT_RATE, more->speed_bps, rate[0], sizeof(rate[0]));
	config_unit_format(CONFIG_UNIT_RATE, less->speed_bps, rate[1], sizeof(rate[1]));
	config_unit_format(CONFIG_UNIT_LENGTH, more->cable_mm, cable[0], sizeof(cable[0]));
	config_unit_format(CONFIG_UNIT_LENGTH, less->cable_mm, cable[1], sizeof(cable[1]));
	snprintf(found, sizeof(found), "%s over %s has xoff %" PRIu64 ", %s over %s has %" PRIu64,
		 rate[0], cable[0], more->xoff_bytes, rate[1], cable[1], less->xoff_bytes);
	lint_find(lint, LINT_HEADROOM_TABLE_ODD, &at, found,
		  "compare both rows with `railyard headroom`");
}

void
lint_headroom(struct lint *lint, uint32_t index)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;
	const struct raw_switch *raw = lint_raw(lint, index);

	for (uint32_t port = 0; port < cfg->port_count; port++) {
		const struct lint_place at = {cfg->name, (int32_t)port, NULL, -1};

		if (lint_is_unused(lint, index, port))
			continue;
		judge_headroom(lint, index, port);
		if (lint_raw_port(raw, port)->cable_mm == 0 &&
		    cfg->ports[port].port.pfc.enable != 0)
			lint_find(lint, LINT_CABLE_ZERO, &at, "cable of 0 m",
				  "the real length; transceivers alone are worth some metres");
	}
	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		for (uint32_t j = 0; j < raw->headroom.count; j++)
			judge_rows(lint, cfg, RAW_AT(raw->headroom, struct raw_headroom, i),
				   RAW_AT(raw->headroom, struct raw_headroom, j));
	}
}

/* Of the ports of one partition: what a pool guarantees, and the headroom it keeps for PGs. */
static uint64_t
promised_bytes(const struct switch_cfg *cfg, uint32_t pool, uint32_t part, uint32_t parts)
{
	uint64_t cell = cfg->mmu.cell_bytes, cells = 0;
	bool shared = cfg->mmu.pools[pool].xoff_bytes > 0;

	for (uint32_t port = 0; port < cfg->port_count; port++) {
		const struct mmu_port_cfg *m = &cfg->ports[port].mmu;

		for (uint32_t n = 0; n < 2 * MMU_CLASSES && port * parts / cfg->port_count == part;
		     n++) {
			const struct mmu_profile_cfg *p = lint_profile(
				cfg, n < MMU_CLASSES ? m->pg_profile[n]
						     : m->queue_profile[n - MMU_CLASSES]);

			if (p == NULL || p->pool != pool)
				continue;
			cells += (p->size_bytes + cell - 1) / cell;
			if (p->lossless && !shared)
				cells += (p->xoff_bytes + cell - 1) / cell;
		}
	}
	return cells * cell;
}

static void
judge_promises(struct lint *lint, const struct switch_cfg *cfg, uint32_t pool)
{
	const struct mmu_pool_cfg *p = &cfg->mmu.pools[pool];
	const struct lint_place at = {cfg->name, -1, p->name, -1};
	uint32_t parts = p->egress && !p->dynamic ? 1 : cfg->mmu.partitions;
	uint64_t size = p->size_bytes - (cfg->mmu.size_includes_xoff ? p->xoff_bytes : 0);
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	for (uint32_t part = 0; part < parts; part++) {
		uint64_t promised = promised_bytes(cfg, pool, part, parts);

		if (promised <= size / parts)
			continue;
		snprintf(found, sizeof(found),
			 "%" PRIu64 " bytes guaranteed to PGs and queues (own headroom counted), "
			 "of %" PRIu64 "%s",
			 promised, size / parts, parts > 1 ? " a partition" : "");
		snprintf(right, sizeof(right),
			 "a pool of %" PRIu64 " or more, smaller guarantees, or a shared headroom "
			 "pool (xoff of the pool)",
			 promised * parts);
		lint_find(lint, LINT_POOL_OVERCOMMITTED, &at, found, right);
		return;
	}
}

/*
 * Pools at the ingress share the memory with what is guaranteed beside them. Those at the egress
 * count the same packets again, and are as large as one likes.
 */
static void
judge_memory(struct lint *lint, const struct switch_cfg *cfg, uint64_t buffer_bytes)
{
	const struct lint_place at = {cfg->name, -1, "buffer", -1};
	uint64_t pools = 0, promised = 0;
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	for (uint32_t pool = 0; pool < cfg->mmu.pool_count; pool++) {
		const struct mmu_pool_cfg *p = &cfg->mmu.pools[pool];

		if (p->egress)
			continue;
		pools += p->size_bytes + (cfg->mmu.size_includes_xoff ? 0 : p->xoff_bytes);
		promised += promised_bytes(cfg, pool, 0, 1);
	}
	if (pools + promised <= buffer_bytes)
		return;
	snprintf(found, sizeof(found),
		 "ingress pools of %" PRIu64 " and %" PRIu64
		 " guaranteed to PGs (own headroom counted), of %" PRIu64,
		 pools, promised, buffer_bytes);
	snprintf(right, sizeof(right), "smaller pools or guarantees, by %" PRIu64,
		 pools + promised - buffer_bytes);
	lint_find(lint, LINT_POOL_OVERCOMMITTED, &at, found, right);
}

static void
judge_shared_headroom(struct lint *lint, const struct switch_cfg *cfg, uint32_t pool)
{
	const struct mmu_pool_cfg *p = &cfg->mmu.pools[pool];
	const struct lint_place at = {cfg->name, -1, p->name, -1};
	uint64_t part_bytes = p->xoff_bytes / cfg->mmu.partitions, most = 0;
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	for (uint32_t port = 0; p->xoff_bytes > 0 && port < cfg->port_count; port++) {
		for (uint8_t pg = 0; pg < MMU_CLASSES; pg++) {
			const struct mmu_profile_cfg *profile =
				lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]);

			if (profile != NULL && profile->pool == pool && profile->lossless &&
			    profile->xoff_bytes > most)
				most = profile->xoff_bytes;
		}
	}
	if (most == 0 || part_bytes >= 2 * most)
		return;
	snprintf(found, sizeof(found),
		 "shared headroom of %" PRIu64 "%s is less than two of its PGs may use (%" PRIu64
		 " each)",
		 part_bytes, cfg->mmu.partitions > 1 ? " a partition" : "", most);
	snprintf(right, sizeof(right),
		 "xoff of %" PRIu64 " or more; see `railyard headroom --ports`",
		 2 * most * cfg->mmu.partitions);
	lint_find(lint, LINT_HEADROOM_POOL_SHORT, &at, found, right);
}

static void
judge_egress(struct lint *lint, const struct scenario_switch *sw, uint32_t port)
{
	for (uint8_t tc = 0; tc < 8; tc++) {
		const struct switch_cfg *cfg = &sw->cfg;
		uint8_t queue = switch_port_maps(cfg, port)->tc_to_queue[tc];
		const struct mmu_profile_cfg *p =
			lint_profile(cfg, cfg->ports[port].mmu.queue_profile[queue]);
		const struct lint_place at = {cfg->name, (int32_t)port, "queue", queue};
		char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

		if (!(lint_classes(cfg, port) >> tc & 1) || p == NULL ||
		    !config_egress_can_drop(sw, port, tc))
			continue;
		if (p->is_static)
			snprintf(found, sizeof(found), "%s holds %" PRIu64 " of lossless class %u",
				 p->name, p->static_th_bytes, tc);
		else
			snprintf(found, sizeof(found),
				 "%s limits lossless class %u by a dynamic threshold of %d",
				 p->name, tc, p->dynamic_th);
		snprintf(right, sizeof(right),
			 "a profile with a static_th of the whole (static) pool, of %" PRIu64
			 " or more",
			 config_lossless_bytes(sw, port, tc));
		lint_find(lint, LINT_EGRESS_DROPS_LOSSLESS, &at, found, right);
	}
}

static void
judge_bound(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t tc)
{
	const struct mmu_port_cfg *m = &cfg->ports[port].mmu;
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	uint8_t pg = maps->tc_to_pg[tc], queue = maps->tc_to_queue[tc];
	char found[LINT_TEXT_BYTES];

	snprintf(found, sizeof(found), "gets traffic class %u, without a buffer profile", tc);
	if (m->pg_profile[pg] < 0 && lint_classes(cfg, port) >> tc & 1)
		lint_find(lint, LINT_NO_BUFFER,
			  &(struct lint_place){cfg->name, (int32_t)port, "PG", pg}, found,
			  "name a profile for it in `pgs`");
	if (m->queue_profile[queue] < 0)
		lint_find(lint, LINT_NO_BUFFER,
			  &(struct lint_place){cfg->name, (int32_t)port, "queue", queue}, found,
			  "name a profile for it in `queues`");
}

void
lint_pools(struct lint *lint, uint32_t index)
{
	const struct scenario_switch *sw = &lint->scenario->switches[index];
	uint64_t buffer_bytes = lint_raw(lint, index)->buffer_bytes;
	uint8_t classes = lint_all_classes(&sw->cfg);

	for (uint32_t pool = 0; pool < sw->cfg.mmu.pool_count; pool++) {
		/* Without the memory's size, a guess: pools that are less than what is beside. */
		if (buffer_bytes == CONFIG_AUTO)
			judge_promises(lint, &sw->cfg, pool);
		judge_shared_headroom(lint, &sw->cfg, pool);
	}
	if (buffer_bytes != CONFIG_AUTO)
		judge_memory(lint, &sw->cfg, buffer_bytes);
	for (uint32_t port = 0; port < sw->cfg.port_count; port++) {
		if (lint_is_unused(lint, index, port))
			continue;
		judge_egress(lint, sw, port);
		for (uint8_t tc = 0; tc < 8; tc++) {
			if (classes >> tc & 1)
				judge_bound(lint, &sw->cfg, port, tc);
		}
	}
}
