/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary's tiers: what the switches that share a name did, by class as well, so that
 * expectations can hold one queue or one priority group of one switch to a number.
 */
#include <string.h>

#include "results_internal.h"

static const char *const queue_counters[] = {"tx_packets", "tx_bytes", "marked", "dropped",
					     "max_bytes"};
static const char *const pg_counters[] = {"packets", "bytes",     "dropped",
					  "xoffs",   "max_bytes", "headroom_max_bytes"};

/* By class, "0" to "7": all counters 0, and of queues no time at which they ran empty. */
static json_t *
no_classes(const char *const *counters, size_t count)
{
	json_t *classes = json_object();

	for (int c = 0; c < SWITCH_QUEUES; c++) {
		char name[] = {(char)('0' + c), '\0'};
		json_t *row = json_object();

		for (size_t i = 0; i < count; i++)
			json_object_set_new(row, counters[i], json_integer(0));
		if (counters == queue_counters)
			json_object_set_new(row, "emptied_us", json_null());
		json_object_set_new(classes, name, row);
	}
	return classes;
}

static json_t *
no_pools(void)
{
	return json_pack("{s:i, s:i, s:i}", "ingress_max_bytes", 0, "egress_max_bytes", 0,
			 "headroom_max_bytes", 0);
}

static json_t *
no_watchdog(void)
{
	return json_pack("{s:i, s:i, s:i, s:n, s:n}", "detected", 0, "restored", 0, "dropped", 0,
			 "first_detected_us", "last_restored_us");
}

/* XOFF and XON that a switch sent. */
static void
count_pfc(const struct node *node, uint64_t *xoffs, uint64_t *xons)
{
	*xoffs = *xons = 0;
	for (uint16_t port = 0; port < node->port_count; port++) {
		for (int i = 0; i < PFC_PRIORITIES; i++) {
			*xoffs += node->ports[port].pfc_tx.xoff_frames[i];
			*xons += node->ports[port].pfc_tx.xon_frames[i];
		}
	}
}

static uint64_t
deepest_of(const struct switch_node *sw)
{
	uint64_t deepest = 0;

	for (uint16_t port = 0; port < sw->cfg->port_count; port++) {
		for (int q = 0; q < SWITCH_QUEUES; q++)
			deepest = RTE_MAX(deepest, sw->ports[port].queues[q].max_bytes);
	}
	return deepest;
}

static json_t *
no_drops(void)
{
	json_t *reasons = json_object();

	for (int reason = 0; reason < DROP_REASON_COUNT; reason++)
		json_object_set_new(reasons, drop_reason_name((enum drop_reason)reason),
				    json_integer(0));
	return reasons;
}

/* The tier's row, made when it is met first. */
static json_t *
tier_row(json_t *list, const char *tier)
{
	json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "tier")), tier) == 0)
			return row;
	}
	row = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:n, s:i, s:o, s:o, s:o, s:o, s:o}", "tier",
			tier, "switches", 0, "dropped", 0, "marked", 0, "xoff_sent", 0, "xon_sent",
			0, "last_xoff_us", "queue_max_bytes", 0, "drops_by_reason", no_drops(),
			"queues", no_classes(queue_counters, RTE_DIM(queue_counters)), "pgs",
			no_classes(pg_counters, RTE_DIM(pg_counters)), "pools", no_pools(),
			"watchdog", no_watchdog());
	json_array_append_new(list, row);
	return row;
}

static void
add(json_t *row, const char *key, uint64_t n)
{
	json_t *value = json_object_get(row, key);

	json_integer_set(value, json_integer_value(value) + (json_int_t)n);
}

static void
add_drops(json_t *reasons, const struct node *node)
{
	for (uint16_t port = 0; port < node->port_count; port++) {
		for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
			for (int c = 0; c < 8; c++)
				add(reasons, drop_reason_name((enum drop_reason)reason),
				    node->ports[port].drops[reason][c]);
		}
	}
}

static void
set_max(json_t *row, const char *key, uint64_t n)
{
	json_t *value = json_object_get(row, key);

	if ((json_int_t)n > json_integer_value(value))
		json_integer_set(value, (json_int_t)n);
}

/* The earliest, or else the latest, of the times met so far; 0 = has not come. */
static void
set_time(json_t *row, const char *key, uint64_t ps, bool earliest)
{
	const json_t *value = json_object_get(row, key);
	double us = (double)ps / UNITS_PS_PER_US;

	if (ps == 0)
		return;
	if (json_is_null(value) ||
	    (earliest ? us < json_real_value(value) : us > json_real_value(value)))
		json_object_set_new(row, key, json_real(us));
}

static void
add_class(json_t *row, const struct switch_node *sw, uint16_t port, uint8_t class)
{
	char name[] = {(char)('0' + class), '\0'};
	json_t *queue = json_object_get(json_object_get(row, "queues"), name);
	json_t *pg = json_object_get(json_object_get(row, "pgs"), name);
	struct buffer_row b;

	if (results_queue_row(sw, port, class, &b)) {
		add(queue, "tx_packets", b.packets);
		add(queue, "tx_bytes", b.bytes);
		add(queue, "marked", b.marked);
		add(queue, "dropped", b.dropped);
		set_max(queue, "max_bytes", b.max_bytes);
		set_time(queue, "emptied_us", sw->ports[port].queues[class].emptied_ps, false);
	}
	if (results_pg_row(sw, port, class, &b)) {
		add(pg, "packets", b.packets);
		add(pg, "bytes", b.bytes);
		add(pg, "dropped", b.dropped);
		add(pg, "xoffs", b.xoffs);
		set_max(pg, "max_bytes", b.max_bytes);
		set_max(pg, "headroom_max_bytes", (uint64_t)b.headroom_max_cells * b.cell_bytes);
	}
}

/* Watermarks of the fullest pool of each kind, in any partition. */
static void
add_pools(json_t *pools, const struct switch_node *sw)
{
	const struct mmu *mmu = &sw->mmu;

	if (!sw->pipeline->uses_mmu)
		return;
	for (uint32_t i = 0; i < mmu->partitions * mmu->pool_count; i++) {
		const struct mmu_pool *pool = &mmu->pools[i];

		set_max(pools,
			sw->cfg->mmu.pools[i % mmu->pool_count].egress ? "egress_max_bytes"
								       : "ingress_max_bytes",
			(uint64_t)pool->max_used_cells * mmu->cell_bytes);
		set_max(pools, "headroom_max_bytes",
			(uint64_t)pool->max_headroom_cells * mmu->cell_bytes);
	}
}

static void
add_watchdogs(json_t *row, const struct switch_node *sw)
{
	for (uint32_t n = 0;
	     sw->watchdogs != NULL && n < (uint32_t)sw->cfg->port_count * PFC_PRIORITIES; n++) {
		const struct watchdog *w = &sw->watchdogs[n / PFC_PRIORITIES][n % PFC_PRIORITIES];

		add(row, "detected", w->detected);
		add(row, "restored", w->restored);
		add(row, "dropped", w->dropped);
		set_time(row, "first_detected_us", w->first_detected_ps, true);
		set_time(row, "last_restored_us", w->last_restored_ps, false);
	}
}

static void
add_switch(json_t *row, const struct switch_node *sw)
{
	uint64_t xoffs, xons;

	count_pfc(&sw->node, &xoffs, &xons);
	add(row, "switches", 1);
	add(row, "dropped", sw->node.counters.dropped);
	add(row, "marked", sw->node.counters.marked);
	add(row, "xoff_sent", xoffs);
	add(row, "xon_sent", xons);
	add_drops(json_object_get(row, "drops_by_reason"), &sw->node);
	set_max(row, "queue_max_bytes", deepest_of(sw));
	for (uint16_t port = 0; port < sw->cfg->port_count; port++) {
		set_time(row, "last_xoff_us", sw->node.ports[port].pfc_tx.last_xoff_ps, false);
		for (uint8_t class = 0; class < SWITCH_QUEUES; class ++)
			add_class(row, sw, port, class);
	}
	add_pools(json_object_get(row, "pools"), sw);
	add_watchdogs(json_object_get(row, "watchdog"), sw);
}

json_t *
results_tiers_json(const struct results *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->fabric->switch_count; i++)
		add_switch(tier_row(list, r->fabric->scenario->switches[i].tier),
			   r->fabric->switches[i]);
	return list;
}
