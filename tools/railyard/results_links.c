/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary of a fabric: by kind of link (leaf to spine, spine to leaf, ...) how much it was
 * used. How evenly is a matter of groups: results_groups.c.
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
