/* SPDX-License-Identifier: BSD-3-Clause */
#include "agenda.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lines.h"
#include "prng.h"

/*
 * Arrivals of one instant in an order of their own: a hash of source, time and seed. The others
 * come before them, by index.
 */
static uint64_t
order_of(const struct agenda *a, uint32_t source, uint64_t due_ps)
{
	uint64_t rank = source;

	if (source >= a->rotate_from && due_ps != UNITS_NEVER_PS)
		rank = 1ULL << 31 |
		       prng_mix(due_ps ^ a->seed ^ source * 0x9e3779b97f4a7c15ULL) >> 33;
	return rank << 32 | source;
}

int
agenda_init(struct agenda *a, uint32_t sources, uint32_t rotate_from, uint64_t seed)
{
	*a = (struct agenda){.leaves = 2, .rotate_from = rotate_from, .seed = seed};
	while (a->leaves < sources)
		a->leaves *= 2;
	a->entries = lines_alloc(2 * (size_t)a->leaves, sizeof(*a->entries));
	if (a->entries == NULL)
		return -ENOMEM;
	for (uint32_t i = 2 * a->leaves - 1; i >= 1; i--)
		a->entries[i] = i < a->leaves
					? a->entries[2 * i]
					: (struct agenda_entry){UNITS_NEVER_PS, i - a->leaves};
	return 0;
}

void
agenda_fini(struct agenda *a)
{
	free(a->entries);
	a->entries = NULL;
}

static bool
is_before(const struct agenda_entry *x, const struct agenda_entry *y)
{
	return x->due_ps < y->due_ps || (x->due_ps == y->due_ps && x->order < y->order);
}

void
agenda_set(struct agenda *a, uint32_t source, uint64_t due_ps)
{
	uint32_t at = a->leaves + source;
	struct agenda_entry first;

	if (a->entries[at].due_ps == due_ps)
		return;
	first = (struct agenda_entry){due_ps, order_of(a, source, due_ps)};
	a->entries[at] = first;
	while (at > 1) {
		if (is_before(&a->entries[at ^ 1], &first))
			first = a->entries[at ^ 1];
		at /= 2;
		/* What led here still does: nothing changes further up. */
		if (a->entries[at].order == first.order && a->entries[at].due_ps == first.due_ps)
			return;
		a->entries[at] = first;
	}
}
