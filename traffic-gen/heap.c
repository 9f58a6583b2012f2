/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int
heap_reserve(struct heap *h, uint32_t count)
{
	struct heap_entry *entries;
	uint32_t size = h->size == 0 ? 16 : h->size;

	if (count <= h->size)
		return 0;
	while (size < count)
		size *= 2;
	entries = realloc(h->entries, size * sizeof(*entries));
	if (entries == NULL)
		return -ENOMEM;
	h->entries = entries;
	h->size = size;
	return 0;
}

void
heap_fini(struct heap *h)
{
	free(h->entries);
	*h = (struct heap){0};
}

void
heap_push(struct heap *h, uint64_t due_ps, void *item)
{
	uint32_t at = h->count++;

	assert(h->count <= h->size);
	while (at > 0) {
		uint32_t parent = (at - 1) / 2;

		if (h->entries[parent].due_ps <= due_ps)
			break;
		h->entries[at] = h->entries[parent];
		at = parent;
	}
	h->entries[at] = (struct heap_entry){due_ps, item};
}

struct heap_entry
heap_pop(struct heap *h)
{
	struct heap_entry first, last;
	uint32_t at = 0;

	assert(h->count > 0);
	first = h->entries[0];
	last = h->entries[--h->count];
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= h->count)
			break;
		if (child + 1 < h->count && h->entries[child + 1].due_ps < h->entries[child].due_ps)
			child++;
		if (last.due_ps <= h->entries[child].due_ps)
			break;
		h->entries[at] = h->entries[child];
		at = child;
	}
	if (h->count > 0)
		h->entries[at] = last;
	return first;
}
