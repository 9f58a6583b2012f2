/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each lcore of the virtual engine has, and which nodes: the engine's own, not for others.
 *
 * Nodes are dealt out by a guess at first, and anew when the work that was measured turns out to be
 * uneven: an incast, say, keeps a few hosts of many busy.
 */
#ifndef RAILYARD_ENGINE_LCORES_H
#define RAILYARD_ENGINE_LCORES_H

#include "engine_virtual.h"

/* Nodes whose memory is asked for while another one runs. */
#define LOOK_AHEAD 3
#define NONE UINT32_MAX

struct incoming {
	struct link *link;
	uint32_t next;
};

/* One lcore's share; nobody else writes it. */
struct engine_lcore {
	struct link_outbox outbox;
	struct engine_virtual *engine;
	struct node **nodes; /* in the engine's order */
	uint64_t *due_ps;    /* by slot */
	uint64_t work;       /* since it was last asked for */
	uint32_t node_count;
	uint32_t ready_count;
	uint32_t *ready; /* slots of the nodes that have something to do in this window */
	/* What was sent to each node in the last window: a chain of links, by slot and link. */
	uint32_t *first;
	struct incoming *incoming;
	uint32_t incoming_count;
	unsigned int id; /* the EAL's */
	/*
	 * When the next event of its nodes, or of what they have sent, is due; by the window's
	 * lowest bit, for a fast lcore may publish again before a slow one has read.
	 */
	uint64_t published_ps[2] __rte_cache_aligned;
} __rte_cache_aligned;

/* Make so many, without nodes; windows are counted from `window` on. 0 or -ENOMEM. */
int engine_lcores_create(struct engine_virtual *e, uint16_t count, uint64_t window);
void engine_lcores_free(struct engine_virtual *e);

/* Deal the nodes out by a guess; no node runs. 0 or -ENOMEM. */
int engine_lcores_deal(struct engine_virtual *e);

/* Is what was done since the last call, or since they were dealt out, unevenly spread? */
bool engine_lcores_uneven(struct engine_virtual *e);

/* Deal the nodes out by the work that was uneven; between runs. */
void engine_lcores_deal_again(struct engine_virtual *e);

/* The EAL's number of the lcore after the one with this index (0 = the main one) and number. */
unsigned int engine_lcores_next_id(uint16_t index, unsigned int id);

/* Have the first so many lcores fewer CPUs than that to run on? */
bool engine_lcores_share_cpus(uint16_t count);

#endif
