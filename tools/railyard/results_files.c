/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files that are written at the end: all rows, or the largest of each. Then what writes them
 * goes through all rows twice, and hears only the second time which of them to write.
 */
#include <errno.h>
#include <stdlib.h>

#include "results_internal.h"

static void
write_rows(struct results *r)
{
	results_write_counters(r);
	results_write_reordering(r);
	results_write_groups(r);
}

/* A value of which nothing can be kept means that all rows are. */
static int
add_value(struct results_rank *rank, double value)
{
	if (rank->count == rank->size) {
		size_t size = rank->size == 0 ? 1024 : 2 * rank->size;
		double *grown = realloc(rank->values, size * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		rank->values = grown;
		rank->size = size;
	}
	rank->values[rank->count++] = value;
	return 0;
}

bool
results_takes_row(const struct results *r, enum results_file file, double value)
{
	struct results_rank *rank = r->ranks == NULL ? NULL : &r->ranks[file];

	if (rank == NULL || (rank->written && rank->keep == NULL))
		return true;
	if (rank->written)
		return rank->keep[rank->next++];
	if (rank->size != SIZE_MAX && add_value(rank, value) != 0)
		rank->size = SIZE_MAX;
	return false;
}

/* Which rows of one file are written. */
static void
choose_rows(struct results *r, enum results_file file)
{
	struct results_rank *rank = &r->ranks[file];
	json_t *left_out = json_object_get(r->summary, "left_out");

	rank->written = true;
	if (rank->size == SIZE_MAX || rank->count <= RESULTS_LIST_MAX)
		return;
	rank->keep = calloc(rank->count, sizeof(*rank->keep));
	if (rank->keep != NULL &&
	    results_largest(rank->values, rank->count, RESULTS_LIST_MAX, rank->keep) != 0) {
		free(rank->keep);
		rank->keep = NULL;
	}
	if (rank->keep != NULL)
		json_object_set_new(left_out, results_file_names[file],
				    json_integer((json_int_t)(rank->count - RESULTS_LIST_MAX)));
}

void
results_write_files(struct results *r)
{
	struct results_rank *ranks = NULL;

	if (r->aggregate)
		ranks = calloc(RESULTS_FILE_COUNT, sizeof(*ranks));
	r->ranks = ranks;
	if (ranks != NULL) {
		write_rows(r);
		for (int i = 0; i < RESULTS_FILE_COUNT; i++)
			choose_rows(r, (enum results_file)i);
	}
	write_rows(r);
	for (int i = 0; ranks != NULL && i < RESULTS_FILE_COUNT; i++) {
		free(ranks[i].values);
		free(ranks[i].keep);
	}
	free(ranks);
	r->ranks = NULL;
}
