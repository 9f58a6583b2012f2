/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of the headroom table that are computed rather than written down. The numbers go into
 * the raw rows, so that a dump shows them.
 */
#include <errno.h>
#include <string.h>

#include "headroom.h"

#include "config_internal.h"

static bool
has_row(const struct raw_switch *raw, const struct raw_port *s)
{
	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);

		if (h->speed_bps == s->rate_bps && h->cable_mm == s->cable_mm)
			return true;
	}
	return false;
}

/* `headroom: computed`: a row for each rate and cable that ports with PFC have. */
static void
add_rows(struct config *c, struct raw_switch *raw)
{
	struct raw_headroom *rows = CONFIG_NEW(c, struct raw_headroom, raw->port_settings.count);

	raw->headroom.items = rows;
	for (uint32_t i = 0; i < raw->port_settings.count; i++) {
		const struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		if (s->cable_mm == CONFIG_AUTO || s->pfc_enable == 0 || has_row(raw, s))
			continue;
		rows[raw->headroom.count++] = (struct raw_headroom){
			.item.mark = config_item_mark(&raw->item, "headroom"),
			.speed_bps = s->rate_bps,
			.cable_mm = s->cable_mm,
			.size_bytes = CONFIG_AUTO,
			.xon_bytes = CONFIG_AUTO,
			.xoff_bytes = CONFIG_AUTO,
			.dynamic_th = INT64_MIN,
			.static_th_bytes = CONFIG_AUTO,
		};
	}
}

static const struct raw_pool *
find_pool(const struct raw_switch *raw, const char *name)
{
	for (uint32_t i = 0; i < raw->pools.count; i++) {
		const struct raw_pool *pool = RAW_AT(raw->pools, struct raw_pool, i);

		if (strcmp(pool->item.name, name) == 0)
			return pool;
	}
	return NULL;
}

/* The largest among the ports that the row is for; the switch's when there are none. */
static uint32_t
row_mtu(const struct raw_switch *raw, const struct raw_headroom *h)
{
	uint64_t mtu_bytes = 0;

	for (uint32_t i = 0; i < raw->port_settings.count; i++) {
		const struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		if (s->rate_bps == h->speed_bps && s->cable_mm == h->cable_mm &&
		    s->mtu_bytes > mtu_bytes)
			mtu_bytes = s->mtu_bytes;
	}
	return (uint32_t)(mtu_bytes > 0 ? mtu_bytes : raw->mtu_bytes);
}

static void
compute_row(const struct raw_switch *raw, uint32_t small_packet_percent, struct raw_headroom *h)
{
	const struct raw_headroom_model *m = &raw->headroom_model;
	const struct raw_pool *pool = find_pool(raw, h->pool);
	const struct headroom_cfg cfg = {
		.speed_bps = h->speed_bps,
		.cable_mm = h->cable_mm,
		.port_mtu_bytes = row_mtu(raw, h),
		.lossless_mtu_bytes = (uint32_t)m->lossless_mtu_bytes,
		.small_packet_percent = small_packet_percent,
		.cell_bytes = (uint32_t)raw->cell_bytes,
		.pipeline_latency_bytes = (uint32_t)m->pipeline_latency_bytes,
		.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
		.peer_millibytes = m->peer_response_bytes == CONFIG_AUTO
					   ? HEADROOM_PEER_AUTO
					   : m->peer_response_bytes * 1000,
		.lanes = (uint32_t)m->lanes,
		.tile = m->tile == 1,
		.shared_pool = pool != NULL && pool->xoff_bytes > 0,
	};
	const struct headroom computed = headroom_compute(&cfg);

	h->xoff_bytes = computed.xoff_bytes;
	h->xon_bytes = computed.xon_bytes;
	/* SONiC's size counts xoff unless it comes from a shared pool; the MMU's never does. */
	h->size_bytes = computed.size_bytes - (cfg.shared_pool ? 0 : computed.xoff_bytes);
	if (h->dynamic_th == INT64_MIN && h->static_th_bytes == CONFIG_AUTO &&
	    (pool == NULL || pool->mode == RAW_DYNAMIC))
		h->dynamic_th = m->dynamic_th;
}

int
config_complete_headroom(struct config *c, struct raw_switch *raw)
{
	const struct raw_headroom_model *m = &raw->headroom_model;
	struct config_mark mark = config_item_mark(&m->item, "small_packets");
	uint32_t percent;

	if (!config_unit_percents(m->small_packets_q32, &percent))
		return config_fail(&c->error, &mark, "small_packets: takes whole percents");
	if (raw->headroom.word != 0)
		add_rows(c, raw);
	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);
		bool size = h->size_bytes != CONFIG_AUTO, xoff = h->xoff_bytes != CONFIG_AUTO;
		bool xon = h->xon_bytes != CONFIG_AUTO;

		if (h->pool == NULL)
			h->pool = m->pool;
		if (size != xoff || (xon && !size))
			return config_fail(&c->error, &h->item.mark,
					   "headroom: give size and xoff; or none of size, xoff "
					   "and xon, and all are computed");
		if (!size)
			compute_row(raw, percent, h);
		else if (!xon)
			h->xon_bytes = 0;
	}
	return 0;
}
