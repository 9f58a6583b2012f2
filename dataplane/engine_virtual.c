/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_virtual.h"

#include <errno.h>
#include <stdlib.h>

#include "prng.h"

int
engine_virtual_init(struct engine_virtual *e, struct node **nodes, uint32_t node_count,
		    uint64_t window_ps)
{
	*e = (struct engine_virtual){
		.nodes = nodes, .node_count = node_count, .window_ps = window_ps};
	e->due_ps = calloc(node_count, sizeof(*e->due_ps));
	return e->due_ps == NULL ? -ENOMEM : 0;
}

void
engine_virtual_fini(struct engine_virtual *e)
{
	free(e->due_ps);
	e->due_ps = NULL;
}

/* The barrier: every node takes in what was sent to it; the earliest event of all. */
static uint64_t
collect(struct engine_virtual *e)
{
	uint64_t first_ps = UNITS_NEVER_PS;

	for (uint32_t i = 0; i < e->node_count; i++) {
		e->due_ps[i] = node_collect(e->nodes[i]);
		if (e->due_ps[i] < first_ps)
			first_ps = e->due_ps[i];
	}
	return first_ps;
}

enum engine_end
engine_virtual_run(struct engine_virtual *e, uint64_t until_ps)
{
	for (;;) {
		uint64_t first_ps = collect(e);
		uint64_t end_ps;

		if (first_ps == UNITS_NEVER_PS)
			return ENGINE_IDLE;
		if (first_ps >= until_ps) {
			e->now_ps = until_ps;
			return ENGINE_UNTIL;
		}
		end_ps = until_ps - first_ps > e->window_ps ? first_ps + e->window_ps : until_ps;
		for (uint32_t i = 0; i < e->node_count; i++) {
			if (e->due_ps[i] < end_ps)
				node_advance(e->nodes[i], end_ps);
		}
		e->now_ps = end_ps;
		if (e->between != NULL && e->between(e->context, end_ps))
			return ENGINE_STOPPED;
	}
}

uint64_t
engine_virtual_digest(const struct engine_virtual *e)
{
	uint64_t folded = 0;

	for (uint32_t i = 0; i < e->node_count; i++)
		folded = prng_mix(folded ^ e->nodes[i]->digest.hash);
	return folded;
}
