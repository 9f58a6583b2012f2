/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A summary stays small however large the fabric is: of long lists it keeps the rows that people
 * ask for first. The CSV files have all.
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

static int
by_index(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* The rows with the largest key (and `more` added), in their old order; how many are left out. */
static size_t
keep_largest(json_t *list, const char *key, const char *more)
{
	size_t count = json_array_size(list);
	struct ranked *rank;
	json_t *kept;

	if (count <= RESULTS_LIST_MAX)
		return 0;
	rank = calloc(count, sizeof(*rank));
	kept = json_array();
	if (rank == NULL || kept == NULL) {
		free(rank);
		json_decref(kept);
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(list, i);

		rank[i] = (struct ranked){json_number_value(json_object_get(row, key)), i};
		if (more != NULL)
			rank[i].value += json_number_value(json_object_get(row, more));
	}
	qsort(rank, count, sizeof(*rank), by_value);
	qsort(rank, RESULTS_LIST_MAX, sizeof(*rank), by_index);
	for (size_t i = 0; i < RESULTS_LIST_MAX; i++)
		json_array_append(kept, json_array_get(list, rank[i].index));
	json_array_clear(list);
	json_array_extend(list, kept);
	json_decref(kept);
	free(rank);
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
		{"drops", "packets", NULL},
	};
	json_t *pfc = json_object_get(summary, "pfc");
	json_t *paused = json_object_get(json_object_get(pfc, "paused_fraction"), "ports");
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
	if (json_object_size(paused) > RESULTS_LIST_MAX)
		json_object_clear(paused);
	json_object_set_new(summary, "left_out", left_out);
}
