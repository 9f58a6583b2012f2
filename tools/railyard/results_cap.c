/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A summary stays small however large the fabric is: of long lists it keeps the rows that people
 * ask for first; files do the same where they would become too large.
 */
#include <errno.h>
#include <stdlib.h>

#include "results_internal.h"

struct ranked {
	double value;
	size_t index;
};

static int
by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int
results_largest(const double *values, size_t count, size_t most, bool *keep)
{
	struct ranked *rank = calloc(count + 1, sizeof(*rank));

	if (rank == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		rank[i] = (struct ranked){values[i], i};
		keep[i] = false;
	}
	qsort(rank, count, sizeof(*rank), by_value);
	for (size_t i = 0; i < count && i < most; i++)
		keep[rank[i].index] = true;
	free(rank);
	return 0;
}

/* The rows with the largest key (and `more` added), in their old order; how many are left out. */
static size_t
keep_largest(json_t *list, const char *key, const char *more)
{
	size_t count = json_array_size(list);
	double *values;
	json_t *kept, *row;
	bool *keep;
	size_t i;

	if (count <= RESULTS_LIST_MAX)
		return 0;
	values = calloc(count, sizeof(*values));
	keep = calloc(count, sizeof(*keep));
	kept = json_array();
	for (i = 0; values != NULL && i < count; i++) {
		row = json_array_get(list, i);
		values[i] = json_number_value(json_object_get(row, key));
		if (more != NULL)
			values[i] += json_number_value(json_object_get(row, more));
	}
	if (values == NULL || keep == NULL || kept == NULL ||
	    results_largest(values, count, RESULTS_LIST_MAX, keep) != 0)
		count = RESULTS_LIST_MAX; /* it stays as it is */
	else
		json_array_foreach(list, i, row)
		{
			if (keep[i])
				json_array_append(kept, row);
		}
	if (count > RESULTS_LIST_MAX) {
		json_array_clear(list);
		json_array_extend(list, kept);
	}
	json_decref(kept);
	free(values);
	free(keep);
	return count - RESULTS_LIST_MAX;
}

void
results_cap(json_t *summary)
{
	static const struct {
		const char *list;
		const char *key;
		const char *more;
	} lists[] = {
		{"ports", "rx_bytes", "tx_bytes"}, {"queues", "max_bytes", NULL},
		{"pgs", "max_bytes", NULL},        {"pools", "max_used_cells", NULL},
		{"drops", "packets", NULL},        {"failures", "lost_packets", NULL},
	};
	json_t *pfc = json_object_get(summary, "pfc");
	json_t *paused = json_object_get(json_object_get(pfc, "paused_fraction"), "ports");
	json_t *reordering = json_object_get(summary, "reordering");
	json_t *left_out = json_object();
	size_t n;

	for (size_t i = 0; i < RTE_DIM(lists); i++) {
		n = keep_largest(json_object_get(summary, lists[i].list), lists[i].key,
				 lists[i].more);
		if (n > 0)
			json_object_set_new(left_out, lists[i].list, json_integer((json_int_t)n));
	}
	n = keep_largest(json_object_get(pfc, "pauses"), "paused_us", NULL);
	if (n > 0)
		json_object_set_new(left_out, "pfc.pauses", json_integer((json_int_t)n));
	n = keep_largest(json_object_get(reordering, "hosts"), "reordered", NULL);
	if (n > 0)
		json_object_set_new(left_out, "reordering.hosts", json_integer((json_int_t)n));
	if (json_object_size(paused) > RESULTS_LIST_MAX)
		json_object_clear(paused);
	json_object_set_new(summary, "left_out", left_out);
}
