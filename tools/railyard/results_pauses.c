/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary's PFC: which port was stopped, by whom, and for how much of the run. */
#include "results_internal.h"

/* The port at the other end of a cable, as what comes from there tells: "" when unknown. */
static void
peer_place(char place[RESULTS_PLACE_BYTES], const struct fabric *fabric, const struct link *rx)
{
	const struct fabric_edge *edge;

	place[0] = '\0';
	/* A device's own link is not one of the fabric's. */
	if (rx < fabric->links || rx >= fabric->links + fabric->link_count)
		return;
	edge = &fabric->edges[rx - fabric->links];
	results_place(place, fabric->nodes[edge->from_node], edge->from_port);
}

struct pause_sums {
	json_t *ports; /* "tor:0" -> {"3": fraction} */
	json_t *list;
	double max;
	char max_at[RESULTS_PLACE_BYTES];
	int max_priority;
	char by[RESULTS_PLACE_BYTES];
};

static void
add_port(struct pause_sums *sums, const char *place, const char *by, const struct pfc_rx *rx,
	 uint64_t virtual_ps)
{
	json_t *fractions = json_object();

	for (int i = 0; i < PFC_PRIORITIES; i++) {
		char key[2] = {(char)('0' + i), '\0'};
		double fraction =
			virtual_ps > 0 ? (double)rx->paused_ps[i] / (double)virtual_ps : 0;

		if (rx->pauses[i] == 0 && rx->paused_ps[i] == 0)
			continue;
		json_object_set_new(fractions, key, json_real(fraction));
		json_array_append_new(
			sums->list,
			json_pack("{s:s, s:i, s:s, s:f, s:f, s:I}", "port", place, "priority", i,
				  "by", by, "paused_us", (double)rx->paused_ps[i] / UNITS_PS_PER_US,
				  "fraction", fraction, "pauses", (json_int_t)rx->pauses[i]));
		if (fraction <= sums->max)
			continue;
		sums->max = fraction;
		sums->max_priority = i;
		snprintf(sums->max_at, sizeof(sums->max_at), "%s", place);
		snprintf(sums->by, sizeof(sums->by), "%s", by);
	}
	if (json_object_size(fractions) > 0)
		json_object_set_new(sums->ports, place, fractions);
	else
		json_decref(fractions);
}

static json_t *
fraction_json(const struct pause_sums *sums)
{
	json_t *o = json_pack("{s:f, s:o}", "max", sums->max, "ports", sums->ports);

	if (sums->max > 0) {
		json_object_set_new(o, "max_port", json_string(sums->max_at));
		json_object_set_new(o, "max_priority", json_integer(sums->max_priority));
		json_object_set_new(o, "max_by", json_string(sums->by));
	}
	return o;
}

json_t *
results_pfc_json(const struct results *r, const struct results_totals *t)
{
	const struct fabric *fabric = r->fabric;
	struct pause_sums sums = {.ports = json_object(), .list = json_array()};
	char place[RESULTS_PLACE_BYTES];
	char by[RESULTS_PLACE_BYTES];

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (uint16_t port = 0; port < node->port_count; port++) {
			results_place(place, node, port);
			peer_place(by, fabric, node->ports[port].rx);
			add_port(&sums, place, by, &node->ports[port].pfc_rx, r->end.virtual_ps);
		}
	}
	return json_pack("{s:I, s:I, s:I, s:o, s:o}", "xoff_sent", (json_int_t)t->xoff_frames,
			 "xon_sent", (json_int_t)t->xon_frames, "xoff_obeyed",
			 (json_int_t)t->xoff_obeyed, "paused_fraction", fraction_json(&sums),
			 "pauses", sums.list);
}
