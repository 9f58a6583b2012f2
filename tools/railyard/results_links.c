/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary of a fabric: by tier what its switches did, and by kind of link (leaf to spine,
 * spine to leaf, ...) how much it was used. How evenly is a matter of groups: results_groups.c.
 */
#include <string.h>

#include "results_internal.h"

#define MAX_KINDS 64

struct link_kind {
	bool back;        /* of links within a tier: towards the lower switch */
	const char *from; /* tiers; "host" */
	const char *to;
	uint32_t links;
	uint64_t busy_ps;
	uint64_t busy_max_ps;
	uint64_t busy_min_ps;
	uint64_t packets;
	char max_at[RESULTS_PLACE_BYTES];
};

struct link_kinds {
	uint32_t count;
	struct link_kind kinds[MAX_KINDS];
};

static const char *
tier_of(const struct fabric *fabric, uint32_t node)
{
	return node < fabric->switch_count ? fabric->scenario->switches[node].tier : "host";
}

/* NULL: more kinds than are told apart. */
static struct link_kind *
kind_of(struct link_kinds *kinds, const struct fabric *fabric, const struct fabric_edge *edge)
{
	const char *from = tier_of(fabric, edge->from_node);
	const char *to = tier_of(fabric, edge->to_node);
	bool back = strcmp(from, to) == 0 && edge->from_node > edge->to_node;

	for (uint32_t i = 0; i < kinds->count; i++) {
		if (strcmp(kinds->kinds[i].from, from) == 0 &&
		    strcmp(kinds->kinds[i].to, to) == 0 && kinds->kinds[i].back == back)
			return &kinds->kinds[i];
	}
	if (kinds->count == MAX_KINDS)
		return NULL;
	kinds->kinds[kinds->count] = (struct link_kind){
		.back = back,
		.from = from,
		.to = to,
		.busy_min_ps = UINT64_MAX,
	};
	return &kinds->kinds[kinds->count++];
}

static void
add_links(struct link_kinds *kinds, const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct fabric_edge *edge = &fabric->edges[i];
		const struct node *node = fabric->nodes[edge->from_node];
		const struct node_port *port = &node->ports[edge->from_port];
		struct link_kind *k = kind_of(kinds, fabric, edge);

		if (k == NULL)
			continue;
		k->links++;
		k->busy_ps += port->busy_ps;
		k->packets += port->tx_packets;
		if (port->busy_ps < k->busy_min_ps)
			k->busy_min_ps = port->busy_ps;
		if (port->busy_ps > k->busy_max_ps || k->links == 1) {
			k->busy_max_ps = port->busy_ps;
			results_place(k->max_at, node, edge->from_port);
		}
	}
}

static json_t *
kind_json(const struct link_kind *k, uint64_t run_ps)
{
	double run = run_ps == 0 ? 1 : (double)run_ps;

	return json_pack("{s:s, s:s, s:i, s:I, s:f, s:f, s:f, s:s}", "from", k->from, "to", k->to,
			 "links", (int)k->links, "packets", (json_int_t)k->packets,
			 "utilisation_mean", (double)k->busy_ps / k->links / run, "utilisation_max",
			 (double)k->busy_max_ps / run, "utilisation_min",
			 (double)k->busy_min_ps / run, "max_at", k->max_at);
}

json_t *
results_links_json(const struct results *r)
{
	static const struct link_kinds none;
	struct link_kinds kinds = none;
	double busiest = 0, run_ps = (double)r->end.virtual_ps, worst, sampled;
	json_t *list = json_array();

	add_links(&kinds, r->fabric);
	for (uint32_t i = 0; i < kinds.count; i++) {
		const struct link_kind *k = &kinds.kinds[i];

		json_array_append_new(list, kind_json(k, r->end.virtual_ps));
		if (run_ps > 0 && (double)k->busy_max_ps / run_ps > busiest)
			busiest = (double)k->busy_max_ps / run_ps;
	}
	worst = results_groups_json(r, list);
	sampled = results_groups_sampled(r);
	return json_pack("{s:f, s:o, s:o, s:o}", "utilisation_max", busiest, "imbalance",
			 worst > 0 ? json_real(worst) : json_null(), "imbalance_sampled",
			 sampled > 0 ? json_real(sampled) : json_null(), "kinds", list);
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
	row = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "tier", tier, "switches", 0,
			"dropped", 0, "marked", 0, "xoff_sent", 0, "xon_sent", 0, "queue_max_bytes",
			0, "drops_by_reason", no_drops());
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

json_t *
results_tiers_json(const struct results *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
		const struct switch_node *sw = r->fabric->switches[i];
		json_t *row = tier_row(list, r->fabric->scenario->switches[i].tier);
		json_t *deepest = json_object_get(row, "queue_max_bytes");
		uint64_t xoffs, xons;

		count_pfc(&sw->node, &xoffs, &xons);
		add(row, "switches", 1);
		add(row, "dropped", sw->node.counters.dropped);
		add(row, "marked", sw->node.counters.marked);
		add(row, "xoff_sent", xoffs);
		add(row, "xon_sent", xons);
		add_drops(json_object_get(row, "drops_by_reason"), &sw->node);
		if ((json_int_t)deepest_of(sw) > json_integer_value(deepest))
			json_integer_set(deepest, (json_int_t)deepest_of(sw));
	}
	return list;
}
