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
 * Several lcores each have nodes and the devices of these, and a loop of their own; nodes that
 * memory joins are on one (islands.h). All stop at the same emulated times, about once a
 * millisecond, for the main lcore to look at everything while nothing moves.
 *
 * The only file besides tools that reads a clock.
 */
#ifndef RAILYARD_ENGINE_REAL_H
#define RAILYARD_ENGINE_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "barrier.h"
#include "engine_virtual.h"
#include "ethdev.h"
#include "histogram.h"

#define ENGINE_REAL_SLICE_PS (20 * UNITS_PS_PER_US)
#define ENGINE_REAL_LOOK_PS UNITS_PS_PER_MS

struct engine_real_lcore;

/* How well a loop kept up. */
struct engine_real_pace {
	uint64_t turns;
	uint64_t late_ps;         /* emulated time that ran while more than a slice behind */
	uint64_t behind_max_ps;   /* furthest that emulated time was behind the clock */
	struct histogram turn_ps; /* from turn to turn */
};

struct engine_real {
	struct engine_virtual *nodes;
	struct ethdev_port *ports;
	uint32_t port_count;
	uint64_t slice_ps;
	uint64_t now_ps; /* emulated: all nodes have been advanced to it */
	/*
	 * Called on the main lcore while no node runs; true ends the run. It says by next_ps when
	 * it wants to be called again: by default, ENGINE_REAL_LOOK_PS later. May be NULL.
	 */
	bool (*between)(void *context, uint64_t now_ps);
	void *context;
	uint64_t next_ps;
	/* The lcores' own. */
	uint64_t start_tsc;
	uint64_t tick_q32; /* picoseconds a tick, in 2^-32 */
	uint64_t until_ps; /* of this run */
	uint64_t stop_ps;  /* where all stop next */
	bool running;
	enum engine_end end;
	uint32_t returned; /* lcores other than the main one that are done with it */
	uint16_t lcore_count;
	struct engine_real_lcore *lcores;
	struct barrier barrier;
};

/*
 * One lcore. `nodes` is set up already, for one lcore; it and the ports outlive the engine. 0 or
 * -ENOMEM.
 */
int engine_real_init(struct engine_real *e, struct engine_virtual *nodes, struct ethdev_port *ports,
		     uint32_t port_count);
void engine_real_fini(struct engine_real *e);

/*
 * Spread islands over at most so many lcores, the main one counted; before the first run. 0,
 * -ENOMEM, or -EINVAL when the EAL has fewer. lcore_count says how many have anything to do.
 */
int engine_real_spread(struct engine_real *e, uint16_t lcores);

/* Let the clock start, or go on, from here: time passed since the last run does not count. */
void engine_real_start(struct engine_real *e);

/*
 * Run until emulated time is until_ps (ENGINE_UNTIL) or between() says stop (ENGINE_STOPPED). On
 * the main lcore.
 */
enum engine_end engine_real_run(struct engine_real *e, uint64_t until_ps);

/* One turn of the main lcore at clock_ps: for tests that bring their own time. */
void engine_real_turn(struct engine_real *e, uint64_t clock_ps);

/* Of the lcore that was late most; between runs, or in between(). */
const struct engine_real_pace *engine_real_worst(const struct engine_real *e);

#endif
