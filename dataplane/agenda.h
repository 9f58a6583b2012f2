/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node's next event among a fixed set of sources: a tournament tree with one leaf a source,
 * so that one change costs log2(sources) comparisons and nothing is scanned.
 *
 * Ties: sources below `rotate_from` win by lower index; those at or above it (arrivals) are
 * served in an order drawn for each instant from the seed, so that of any set of ports each is
 * first equally often and every run of one seed agrees.
 */
#ifndef RAILYARD_AGENDA_H
#define RAILYARD_AGENDA_H

#include <stdint.h>

#include "units.h"

/* Ordered by due_ps, then by order: the tie's rank in the upper half, the source in the lower. */
struct agenda_entry {
	uint64_t due_ps;
	uint64_t order;
};

struct agenda {
	struct agenda_entry *entries; /* heap order: root at 1, leaf of source s at leaves + s */
	uint32_t leaves;              /* power of two */
	uint32_t rotate_from;
	uint64_t seed;
};

int agenda_init(struct agenda *a, uint32_t sources, uint32_t rotate_from, uint64_t seed);
void agenda_fini(struct agenda *a);
void agenda_set(struct agenda *a, uint32_t source, uint64_t due_ps);

static inline uint32_t
agenda_first(const struct agenda *a)
{
	return (uint32_t)a->entries[1].order;
}

static inline uint64_t
agenda_due_ps(const struct agenda *a, uint32_t source)
{
	return a->entries[a->leaves + source].due_ps;
}

#endif
