/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A binary min-heap of times. Entries are not moved when what they stand for is put off: the
 * owner compares the entry it pops with its own true time and pushes it again. Of entries with
 * equal times the order follows from the order of operations alone, so runs repeat.
 */
#ifndef RAILYARD_HEAP_H
#define RAILYARD_HEAP_H

#include <stdint.h>

#include "units.h"

struct heap_entry {
	uint64_t due_ps;
	void *item;
};

struct heap {
	struct heap_entry *entries;
	uint32_t count;
	uint32_t size;
};

/* Make room for `count` entries in all; pushes beyond the room assert. 0 or -ENOMEM. */
int heap_reserve(struct heap *h, uint32_t count);
void heap_fini(struct heap *h);

void heap_push(struct heap *h, uint64_t due_ps, void *item);

/* Take the earliest entry; the heap must not be empty. */
struct heap_entry heap_pop(struct heap *h);

static inline uint64_t
heap_due_ps(const struct heap *h)
{
	return h->count == 0 ? UNITS_NEVER_PS : h->entries[0].due_ps;
}

#endif
