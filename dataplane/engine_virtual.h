/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual clock: all nodes advance through windows no longer than the shortest link delay,
 * so nothing sent in a window can arrive in it and the nodes of a window are independent. Time
 * in which no node has anything to do is skipped.
 */
#ifndef RAILYARD_ENGINE_VIRTUAL_H
#define RAILYARD_ENGINE_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "node.h"

struct engine_virtual {
	struct node **nodes;
	uint32_t node_count;
	uint64_t window_ps; /* lookahead: the shortest link delay */
	uint64_t now_ps;    /* end of the last window */
	uint64_t *due_ps;   /* by node */
	/* Called between windows; true ends the run early. May be NULL. */
	bool (*between)(void *context, uint64_t now_ps);
	void *context;
};

enum engine_end { ENGINE_IDLE, ENGINE_UNTIL, ENGINE_STOPPED };

/* window_ps >= 1. 0 or -ENOMEM. The node array is the caller's and must outlive the engine. */
int engine_virtual_init(struct engine_virtual *e, struct node **nodes, uint32_t node_count,
			uint64_t window_ps);
void engine_virtual_fini(struct engine_virtual *e);

/* Run until no node wants anything, or until_ps is reached, or between() says stop. */
enum engine_end engine_virtual_run(struct engine_virtual *e, uint64_t until_ps);

/* Every node's digest folded in node order. */
uint64_t engine_virtual_digest(const struct engine_virtual *e);

#endif
