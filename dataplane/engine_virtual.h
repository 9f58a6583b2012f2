/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual clock: all nodes advance through windows no longer than the shortest link delay,
 * so nothing sent in a window can arrive in it and the nodes of a window are independent. Time
 * in which no node has anything to do is skipped.
 *
 * Nodes are dealt out to lcores. Each takes in what was sent to its nodes in the last window,
 * advances them, says when the next event of its nodes or of what they sent is due, and waits
 * for the others: one barrier a window. All then know the same times and so agree on the next
 * window without a word. Which lcore runs a node changes nothing that happens.
 */
#ifndef RAILYARD_ENGINE_VIRTUAL_H
#define RAILYARD_ENGINE_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "barrier.h"
#include "node.h"

enum engine_end { ENGINE_IDLE, ENGINE_UNTIL, ENGINE_STOPPED };

struct engine_lcore;

struct engine_virtual {
	struct node **nodes;
	uint32_t node_count;
	uint64_t window_ps; /* lookahead: the shortest link delay */
	uint64_t now_ps;    /* end of the last window */
	/*
	 * Called on the main lcore between windows, every between_windows of them, while no node
	 * runs; true ends the run early. It looks and does not touch. May be NULL.
	 */
	bool (*between)(void *context, uint64_t now_ps);
	void *context;
	uint32_t between_windows; /* 1 unless changed */
	/* The lcores' own. */
	uint16_t lcore_count;
	struct engine_lcore *lcores;
	uint64_t *work;   /* by node: what they are dealt out by */
	uint64_t *worked; /* by node: at the last look */
	struct barrier barrier;
	uint64_t until_ps; /* of this run */
	int verdict;       /* of the main lcore's last look */
	uint32_t returned; /* lcores other than the main one that are done with it */
};

/*
 * One lcore. window_ps >= 1. 0 or -ENOMEM. The node array is the caller's and must outlive the
 * engine, as must the nodes.
 */
int engine_virtual_init(struct engine_virtual *e, struct node **nodes, uint32_t node_count,
			uint64_t window_ps);
void engine_virtual_fini(struct engine_virtual *e);

/*
 * Deal the nodes out to so many lcores, the main one counted; between runs. 0, -ENOMEM, or
 * -EINVAL when the EAL has fewer.
 */
int engine_virtual_spread(struct engine_virtual *e, uint16_t lcores);

/*
 * Run until no node wants anything, or until_ps is reached, or between() says stop. Called on
 * the main lcore. Between runs nodes and links may be changed.
 */
enum engine_end engine_virtual_run(struct engine_virtual *e, uint64_t until_ps);

/* Every node's digest folded in node order. */
uint64_t engine_virtual_digest(const struct engine_virtual *e);

#endif
