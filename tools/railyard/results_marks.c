/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks by queue depth: for each WRED profile, what became of packets in ranges of depth, held
 * against the profile. A range is judged by the probabilities at its two ends, so it does not
 * matter how depths lie within it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results_internal.h"

/* Both tails of a normal distribution beyond it are 0.1 %. */
#define Z 3.29

struct profile_bins {
	const struct wred_cfg *cfg;
	struct wred_bins bins;
};

struct profile_list {
	struct profile_bins *profiles;
	uint32_t count;
	bool short_of_memory;
};

/* The same name and line, of whatever switch. */
static bool
is_same(const struct wred_cfg *a, const struct wred_cfg *b)
{
	return a == b || (strcmp(a->name, b->name) == 0 && a->mark.min_bytes == b->mark.min_bytes &&
			  a->mark.max_bytes == b->mark.max_bytes &&
			  a->mark.probability_q32 == b->mark.probability_q32);
}

static struct profile_bins *
find(struct profile_list *list, const struct wred_cfg *cfg)
{
	struct profile_bins *more;

	for (uint32_t i = 0; i < list->count; i++) {
		if (is_same(list->profiles[i].cfg, cfg))
			return &list->profiles[i];
	}
	more = realloc(list->profiles, (list->count + 1) * sizeof(*more));
	if (more == NULL) {
		list->short_of_memory = true;
		return NULL;
	}
	list->profiles = more;
	more[list->count] = (struct profile_bins){.cfg = cfg};
	return &more[list->count++];
}

static void
add_queue(struct profile_list *list, const struct switch_queue *q)
{
	const struct wred_bins *bins = q->wred_state.bins;
	struct profile_bins *sum = NULL;

	if (q->wred == NULL || bins == NULL)
		return;
	for (uint32_t i = 0; i < WRED_BINS; i++) {
		if (bins->packets[i] == 0)
			continue;
		if (sum == NULL)
			sum = find(list, q->wred);
		if (sum == NULL)
			return;
		sum->bins.packets[i] += bins->packets[i];
		sum->bins.marked[i] += bins->marked[i];
	}
}

/* The line of the profile, worked out apart from what the switch does. */
static double
probability(const struct wred_curve *c, uint64_t depth)
{
	if (depth >= c->max_bytes)
		return 1;
	return (double)c->probability_q32 / 4294967296.0 * (double)(depth - c->min_bytes) /
	       (double)(c->max_bytes - c->min_bytes);
}

/* A quantile of the binomial distribution, its skew counted: sign -1 the lower, 1 the upper. */
static double
quantile(uint64_t n, double p, int sign)
{
	double mean = (double)n * p;
	double x = mean + sign * Z * sqrt(mean * (1 - p)) + (Z * Z - 1) * (1 - 2 * p) / 6;

	if (p >= 1)
		return mean;
	if (sign < 0)
		return x > 1 ? floor(x) - 1 : 0;
	return x < (double)n ? ceil(x) : (double)n;
}

/* One row; true when the marks are not what they should be. */
static bool
add_row(json_t *rows, const struct profile_bins *p, uint32_t bin)
{
	const struct wred_curve *c = &p->cfg->mark;
	uint64_t from = wred_bin_from_bytes(c, bin);
	bool last = bin + 1 == WRED_BINS;
	uint64_t to = last ? from : wred_bin_from_bytes(c, bin + 1);
	uint64_t packets = p->bins.packets[bin], marked = p->bins.marked[bin];
	double least = quantile(packets, probability(c, from), -1);
	double most = quantile(packets, probability(c, last ? to : to - 1), 1);

	json_array_append_new(rows,
			      json_pack("{s:s, s:I, s:o, s:I, s:I, s:f, s:f}", "profile",
					p->cfg->name, "from_bytes", (json_int_t)from, "to_bytes",
					last ? json_null() : json_integer((json_int_t)to),
					"packets", (json_int_t)packets, "marked",
					(json_int_t)marked, "least", least, "most", most));
	return (double)marked < least || (double)marked > most;
}

json_t *
results_marks_json(const struct results *r)
{
	struct profile_list list = {0};
	json_t *rows = json_array();
	uint32_t outside = 0;

	for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
		const struct switch_node *sw = r->fabric->switches[i];

		for (uint16_t port = 0; port < sw->node.port_count; port++) {
			for (uint8_t queue = 0; queue < SWITCH_QUEUES; queue++)
				add_queue(&list, &sw->ports[port].queues[queue]);
		}
	}
	for (uint32_t i = 0; i < list.count; i++) {
		for (uint32_t bin = 0; bin < WRED_BINS; bin++) {
			if (list.profiles[i].bins.packets[bin] > 0)
				outside += add_row(rows, &list.profiles[i], bin);
		}
	}
	free(list.profiles);
	if (list.short_of_memory) {
		json_decref(rows);
		return json_null();
	}
	return json_pack("{s:I, s:I, s:o}", "counted", (json_int_t)json_array_size(rows), "outside",
			 (json_int_t)outside, "ranges", rows);
}
