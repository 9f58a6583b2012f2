/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which packets came, as hosts saw it: summary and reordering.csv. */
#include <inttypes.h>

#include "results_internal.h"

struct writer {
	const struct results *r;
	const char *host;
	FILE *out;
};

static void
write_row(void *context, const struct host_reordering *row)
{
	const struct writer *w = context;

	if (!results_takes_row(w->r, RESULTS_REORDERING, (double)row->reordered))
		return;
	results_csv_text(w->out, w->host);
	fputc(',', w->out);
	results_csv_text(w->out, host_node(w->r->fabric->hosts[row->peer])->name);
	fprintf(w->out, ",%u,%s,%" PRIu64 ",%" PRIu64 ",%.9f,%u,%u\n", row->qp,
		row->responses ? "responses" : "requests", row->packets, row->reordered,
		row->packets == 0 ? 0 : (double)row->reordered / (double)row->packets,
		row->distance_max, row->held_max);
}

void
results_write_reordering(const struct results *r)
{
	FILE *out = r->files[RESULTS_REORDERING];

	for (uint32_t i = 0; out != NULL && i < r->fabric->host_count; i++) {
		struct writer w = {
			.r = r, .host = host_node(r->fabric->hosts[i])->name, .out = out};

		host_each_reordering(r->fabric->hosts[i], write_row, &w);
	}
}

/* One host with reordering, for the list; the worst by percentiles is easily found in it. */
static json_t *
host_json(const char *name, const struct host_results *h, const struct histogram *distance)
{
	return json_pack("{s:s, s:I, s:I, s:f, s:I, s:I, s:I, s:I}", "host", name, "packets",
			 (json_int_t)h->data_packets_received, "reordered",
			 (json_int_t)h->reordered_packets, "fraction",
			 (double)h->reordered_packets / (double)h->data_packets_received, "p50",
			 (json_int_t)histogram_percentile(distance, 500000), "p99",
			 (json_int_t)histogram_percentile(distance, 990000), "max",
			 (json_int_t)distance->max, "held_max", (json_int_t)h->reorder_held_max);
}

/* NULL: no memory. */
json_t *
results_reordering_json(struct results *r, const struct results_totals *t)
{
	const struct host_results *h = &t->hosts;
	struct histogram all = {0};
	json_t *hosts = json_array();
	json_t *o = json_object();

	for (uint32_t i = 0; i < r->fabric->host_count; i++) {
		const struct host *host = r->fabric->hosts[i];
		const struct histogram *distance = host_reorder_distance(host);

		if (distance->counters == NULL)
			continue;
		if (all.counters == NULL && histogram_init(&all) != 0) {
			r->short_of_memory = true;
			break;
		}
		histogram_merge(&all, distance);
		json_array_append_new(hosts, host_json(host_node(r->fabric->hosts[i])->name,
						       host_results(host), distance));
	}
	json_object_set_new(o, "packets", json_integer((json_int_t)h->data_packets_received));
	json_object_set_new(o, "reordered", json_integer((json_int_t)h->reordered_packets));
	json_object_set_new(o, "fraction",
			    json_real(h->data_packets_received == 0
					      ? 0
					      : (double)h->reordered_packets /
							(double)h->data_packets_received));
	json_object_set_new(o, "distance_packets", results_distribution_json(&all, 1));
	json_object_set_new(o, "held_max_packets", json_integer((json_int_t)h->reorder_held_max));
	json_object_set_new(o, "hosts", hosts);
	histogram_fini(&all);
	return o;
}
