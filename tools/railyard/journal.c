/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define ENTRIES_START 256u

struct entry {
	uint64_t window_ps; /* end of the window */
	uint32_t node;
	uint32_t kind;
	const char *note; /* while draining */
	size_t from;      /* of the lane's text */
	size_t bytes;
	uint64_t number; /* in its lane: a node stays in one while notes are kept */
};

/* What one lcore notes. */
struct lane {
	FILE *stream;
	char *text; /* what is in the stream, once it is flushed */
	size_t text_bytes;
	struct entry *entries;
	size_t count;
	size_t size;
	size_t begun; /* where the note that is being written begins */
} __rte_cache_aligned;

struct journal {
	struct lane *lanes;
	uint16_t lane_count;
	struct entry *sorted; /* of all lanes */
	size_t sorted_size;
};

struct journal *
journal_create(uint16_t lcores)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->lanes = aligned_alloc(RTE_CACHE_LINE_SIZE, lcores * sizeof(*j->lanes));
	for (; j->lanes != NULL && j->lane_count < lcores; j->lane_count++) {
		struct lane *lane = &j->lanes[j->lane_count];

		*lane = (struct lane){0};
		lane->stream = open_memstream(&lane->text, &lane->text_bytes);
		if (lane->stream == NULL)
			break;
	}
	if (j->lane_count == lcores)
		return j;
	journal_destroy(j);
	return NULL;
}

void
journal_destroy(struct journal *j)
{
	if (j == NULL)
		return;
	for (uint16_t i = 0; i < j->lane_count; i++) {
		fclose(j->lanes[i].stream);
		free(j->lanes[i].text);
		free(j->lanes[i].entries);
	}
	free(j->lanes);
	free(j->sorted);
	free(j);
}

static struct lane *
lane_of(struct journal *j, const struct node *node)
{
	return &j->lanes[node->outbox == NULL ? 0 : node->outbox->lane];
}

FILE *
journal_begin(struct journal *j, const struct node *node)
{
	struct lane *lane = lane_of(j, node);

	lane->begun = (size_t)ftello(lane->stream);
	return lane->stream;
}

int
journal_end(struct journal *j, const struct node *node, uint32_t kind)
{
	struct lane *lane = lane_of(j, node);
	size_t end = (size_t)ftello(lane->stream);

	if (end == lane->begun)
		return ferror(lane->stream) != 0 ? -ENOMEM : 0;
	if (lane->count == lane->size) {
		size_t size = lane->size == 0 ? ENTRIES_START : 2 * lane->size;
		struct entry *entries = realloc(lane->entries, size * sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		lane->entries = entries;
		lane->size = size;
	}
	lane->entries[lane->count] = (struct entry){
		.window_ps = node->window_end_ps,
		.node = node->id,
		.kind = kind,
		.from = lane->begun,
		.bytes = end - lane->begun,
		.number = lane->count,
	};
	lane->count++;
	return ferror(lane->stream) != 0 ? -ENOMEM : 0;
}

static int
by_window(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->window_ps != y->window_ps)
		return x->window_ps < y->window_ps ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* All lanes' entries in one array, and where their notes are. */
static int
gather(struct journal *j, size_t total)
{
	size_t count = 0;

	if (total > j->sorted_size) {
		free(j->sorted);
		j->sorted = calloc(total, sizeof(*j->sorted));
		j->sorted_size = j->sorted == NULL ? 0 : total;
		if (j->sorted == NULL)
			return -ENOMEM;
	}
	for (uint16_t i = 0; i < j->lane_count; i++) {
		struct lane *lane = &j->lanes[i];

		if (fflush(lane->stream) != 0)
			return -ENOMEM;
		for (size_t n = 0; n < lane->count; n++) {
			j->sorted[count] = lane->entries[n];
			j->sorted[count++].note = lane->text + lane->entries[n].from;
		}
	}
	return 0;
}

int
journal_drain(struct journal *j,
	      void (*hear)(void *context, uint32_t kind, const void *note, size_t bytes),
	      void *context)
{
	size_t total = 0;
	int rc;

	for (uint16_t i = 0; i < j->lane_count; i++)
		total += j->lanes[i].count;
	if (total == 0)
		return 0;
	rc = gather(j, total);
	if (rc == 0) {
		qsort(j->sorted, total, sizeof(*j->sorted), by_window);
		for (size_t i = 0; i < total; i++)
			hear(context, j->sorted[i].kind, j->sorted[i].note, j->sorted[i].bytes);
	}
	for (uint16_t i = 0; i < j->lane_count; i++) {
		j->lanes[i].count = 0;
		rewind(j->lanes[i].stream);
	}
	return rc;
}
