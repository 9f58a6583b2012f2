/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real clock: a poll loop that follows the time-stamp counter.
 *
 * Each turn takes what devices have received, advances all nodes to the present, and gives the
 * devices what has left the nodes by then. Between nodes of this process the virtual engine
 * runs as ever, so their links keep exact time; only devices meet the nodes once a turn.
 *
 * Nodes live in emulated time, which never runs ahead of the clock. When the loop was held up
 * it follows the clock in slices of at most slice_ps, with all devices polled in between:
 * caught up at once, a busy port would hand its device a burst that no wire carries. How far
 * emulated time was behind is measured; a run that was late often is not faithful.
 *
 * The only file besides tools that reads a clock.
 */
#ifndef RAILYARD_ENGINE_REAL_H
#define RAILYARD_ENGINE_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_virtual.h"
#include "ethdev.h"
#include "histogram.h"

#define ENGINE_REAL_SLICE_PS (20 * UNITS_PS_PER_US)

struct engine_real {
	struct engine_virtual *nodes;
	struct ethdev_port *ports;
	uint32_t port_count;
	uint64_t slice_ps;
	uint64_t now_ps;   /* emulated: nodes have been advanced to it */
	uint64_t clock_ps; /* since the start, at the last turn */
	uint64_t start_tsc;
	uint64_t tick_q32; /* picoseconds a tick, in 2^-32 */
	/* Called once a turn; true ends the run. May be NULL. */
	bool (*between)(void *context, uint64_t now_ps);
	void *context;
	/* results */
	uint64_t turns;
	uint64_t late_ps;         /* emulated time that ran while more than a slice behind */
	uint64_t behind_max_ps;   /* furthest that emulated time was behind the clock */
	struct histogram turn_ps; /* from turn to turn */
};

/* `nodes` is set up already; it and the ports outlive the engine. 0 or -ENOMEM. */
int engine_real_init(struct engine_real *e, struct engine_virtual *nodes, struct ethdev_port *ports,
		     uint32_t port_count);
void engine_real_fini(struct engine_real *e);

/* Let the clock start, or go on, from here: time passed since the last run does not count. */
void engine_real_start(struct engine_real *e);

/* Run until emulated time is until_ps (ENGINE_UNTIL) or between() says stop (ENGINE_STOPPED). */
enum engine_end engine_real_run(struct engine_real *e, uint64_t until_ps);

/* One turn at clock_ps: what engine_real_run() repeats, for tests that bring their own time. */
void engine_real_turn(struct engine_real *e, uint64_t clock_ps);

#endif
