/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest flow between two sets of hosts (Dinic, 1970): phases of breadth first levels, each
 * filled with paths until nothing more gets through. Networks have few levels, so phases are few.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topo.h"

/* Arc 2n + 1 leads back along arc 2n. */
struct flow {
	uint32_t node_count;
	uint32_t arc_count;
	uint32_t source;
	uint32_t sink;
	uint32_t *to;
	uint64_t *room_bps;
	uint32_t *first; /* by node: its first arc, NONE at the end */
	uint32_t *next;  /* by arc */
	uint32_t *level;
	uint32_t *queue;
	uint32_t *current; /* by node: the arc to try next in this phase */
};

#define NONE UINT32_MAX

static void
add_arc(struct flow *f, uint32_t from, uint32_t to, uint64_t there_bps, uint64_t back_bps)
{
	const uint32_t ends[2] = {from, to};
	const uint64_t room_bps[2] = {there_bps, back_bps};

	for (int i = 0; i < 2; i++) {
		f->to[f->arc_count] = ends[1 - i];
		f->room_bps[f->arc_count] = room_bps[i];
		f->next[f->arc_count] = f->first[ends[i]];
		f->first[ends[i]] = f->arc_count++;
	}
}

static bool
find_levels(struct flow *f)
{
	uint32_t tail = 0;

	for (uint32_t i = 0; i < f->node_count; i++) {
		f->level[i] = NONE;
		f->current[i] = f->first[i];
	}
	f->level[f->source] = 0;
	f->queue[tail++] = f->source;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t n = f->queue[head];

		for (uint32_t a = f->first[n]; a != NONE; a = f->next[a]) {
			if (f->room_bps[a] == 0 || f->level[f->to[a]] != NONE)
				continue;
			f->level[f->to[a]] = f->level[n] + 1;
			f->queue[tail++] = f->to[a];
		}
	}
	return f->level[f->sink] != NONE;
}

/* Push up to limit_bps from `node` on; as deep as the phase has levels. */
static uint64_t
push(struct flow *f, uint32_t node, uint64_t limit_bps)
{
	uint64_t done_bps = 0;

	if (node == f->sink)
		return limit_bps;
	for (uint32_t *a = &f->current[node]; *a != NONE; *a = f->next[*a]) {
		uint64_t room_bps = limit_bps - done_bps, sent_bps;

		if (f->room_bps[*a] == 0 || f->level[f->to[*a]] != f->level[node] + 1)
			continue;
		if (f->room_bps[*a] < room_bps)
			room_bps = f->room_bps[*a];
		sent_bps = push(f, f->to[*a], room_bps);
		f->room_bps[*a] -= sent_bps;
		f->room_bps[*a ^ 1] += sent_bps;
		done_bps += sent_bps;
		if (done_bps == limit_bps)
			return done_bps; /* this arc may have more room */
	}
	return done_bps;
}

static int
flow_init(struct flow *f, const struct topo *t)
{
	const struct scenario *s = t->scenario;
	size_t arcs = 2 * ((size_t)s->link_count + s->host_count) + 2;

	f->node_count = t->node_count + 2;
	f->source = t->node_count;
	f->sink = t->node_count + 1;
	f->to = calloc(arcs, sizeof(*f->to));
	f->room_bps = calloc(arcs, sizeof(*f->room_bps));
	f->next = calloc(arcs, sizeof(*f->next));
	f->first = calloc(f->node_count, sizeof(*f->first));
	f->level = calloc(f->node_count, sizeof(*f->level));
	f->queue = calloc(f->node_count, sizeof(*f->queue));
	f->current = calloc(f->node_count, sizeof(*f->current));
	if (f->to == NULL || f->room_bps == NULL || f->next == NULL || f->first == NULL ||
	    f->level == NULL || f->queue == NULL || f->current == NULL)
		return -ENOMEM;
	memset(f->first, 0xff, f->node_count * sizeof(*f->first)); /* NONE */
	return 0;
}

static void
flow_fini(struct flow *f)
{
	free(f->to);
	free(f->room_bps);
	free(f->next);
	free(f->first);
	free(f->level);
	free(f->queue);
	free(f->current);
}

int
topo_flow(const struct topo *t, uint32_t split, uint64_t *flow_bps, uint64_t *send_bps)
{
	const struct scenario *s = t->scenario;
	uint64_t side_bps[2] = {0, 0};
	struct flow f = {.arc_count = 0};
	int rc = flow_init(&f, t);

	*flow_bps = 0;
	for (uint32_t i = 0; rc == 0 && i < s->host_count; i++) {
		uint64_t rate_bps = s->hosts[i].cfg.port.rate_bps;
		uint32_t host = s->switch_count + i;

		side_bps[i >= split] += rate_bps;
		if (i < split)
			add_arc(&f, f.source, host, rate_bps, 0);
		else
			add_arc(&f, host, f.sink, rate_bps, 0);
	}
	for (uint32_t n = 0; rc == 0 && n < t->node_count; n++) {
		for (uint32_t i = t->graph.first[n]; i < t->graph.first[n + 1]; i++) {
			uint64_t rate_bps = t->graph.rates_bps[t->graph.arcs[i].link];

			if (n < t->graph.arcs[i].to)
				add_arc(&f, n, t->graph.arcs[i].to, rate_bps, rate_bps);
		}
	}
	while (rc == 0 && find_levels(&f))
		*flow_bps += push(&f, f.source, UINT64_MAX);
	*send_bps = side_bps[0] < side_bps[1] ? side_bps[0] : side_bps[1];
	flow_fini(&f);
	return rc;
}
