/* SPDX-License-Identifier: BSD-3-Clause */
#include "agenda.h"

#include <errno.h>
#include <stdlib.h>

#include "prng.h"

int
agenda_init(struct agenda *a, uint32_t sources, uint32_t rotate_from, uint64_t seed)
{
	*a = (struct agenda){.leaves = 2, .rotate_from = rotate_from, .seed = seed};
	while (a->leaves < sources)
		a->leaves *= 2;
	a->due_ps = malloc(a->leaves * sizeof(*a->due_ps));
	a->winner = malloc(a->leaves * sizeof(*a->winner));
	if (a->due_ps == NULL || a->winner == NULL) {
		agenda_fini(a);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < a->leaves; i++)
		a->due_ps[i] = UNITS_NEVER_PS;
	for (uint32_t i = a->leaves - 1; i >= 1; i--)
		a->winner[i] = 2 * i >= a->leaves ? 2 * i - a->leaves : a->winner[2 * i];
	return 0;
}

void
agenda_fini(struct agenda *a)
{
	free(a->due_ps);
	free(a->winner);
	a->due_ps = NULL;
	a->winner = NULL;
}

/*
 * A source's place in the order drawn for an instant. A mere rotation of the indices would put
 * the lower of two ports first unless it happens to wrap between them.
 */
static uint64_t
place(const struct agenda *a, uint32_t source)
{
	return prng_mix(a->due_ps[source] ^ a->seed ^ source * 0x9e3779b97f4a7c15ULL);
}

/* Of two sources due at the same instant, the one to serve first. */
static uint32_t
tie_break(const struct agenda *a, uint32_t x, uint32_t y)
{
	uint32_t low = x < y ? x : y;

	if (low < a->rotate_from || a->due_ps[x] == UNITS_NEVER_PS)
		return low;
	return place(a, x) < place(a, y) ? x : y;
}

void
agenda_set(struct agenda *a, uint32_t source, uint64_t due_ps)
{
	uint32_t at = (source + a->leaves) / 2;
	uint32_t best = source, other = source ^ 1;

	if (a->due_ps[source] == due_ps)
		return;
	a->due_ps[source] = due_ps;
	for (;;) {
		uint64_t best_ps = a->due_ps[best], other_ps = a->due_ps[other];

		if (other_ps < best_ps)
			best = other;
		else if (other_ps == best_ps)
			best = tie_break(a, best, other);
		/* Another source led here and still does: nothing changes further up. */
		if (best != source && a->winner[at] == best)
			return;
		a->winner[at] = best;
		if (at == 1)
			return;
		other = a->winner[at ^ 1];
		at /= 2;
	}
}
