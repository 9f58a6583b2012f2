/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cyclic buffer dependencies: a packet that came in by one cable waits for the buffer behind the
 * next, and where routes chain such cables into a ring, PFC can stop them all for good (Dally and
 * Seitz 1987 for wormhole networks; Hu and others, HotNets 2016, for RoCE). A cable depends on
 * the next if the routes to some host use both, and a host sends that way; each lossless priority
 * has its own buffers, so a ring is one of a priority.
 */
#ifndef RAILYARD_FABRIC_CYCLES_H
#define RAILYARD_FABRIC_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric_graph.h"
#include "fabric_routes.h"

/* A port of a switch that sends into the next switch's buffer. */
struct cycle_hop {
	uint32_t sw;
	uint16_t port;
};

#define CYCLE_MAX_HOPS 64

/* The last hop leads to the first. */
struct fabric_cycle {
	uint32_t count; /* 0 = there is none; more than CYCLE_MAX_HOPS: only these are known */
	uint64_t at_ps; /* 0 = with every link up; or of the routes from then on */
	uint8_t priorities;
	struct cycle_hop hops[CYCLE_MAX_HOPS];
};

/* Up-down routes close no cycle; shortest paths may, and what is configured. */
bool fabric_cycles_may_be(const struct scenario *scenario, bool up_down);

/* A ring among the routes of these tables and the configured ones. 0 or -ENOMEM. */
int fabric_cycles_find(const struct fabric_graph *g, const struct scenario *scenario,
		       const struct host_routes *tables, struct fabric_cycle *cycle);

/*
 * Unless a cycle is known: the same among the routes that answer the scenario's failures, the
 * first to close one. Not for networks with bridges. 0 or -ENOMEM or -E2BIG.
 */
int fabric_cycles_after_failures(const struct fabric_graph *healthy,
				 const struct host_directory *directory,
				 const struct scenario *scenario, bool up_down,
				 struct fabric_cycle *cycle);

/*
 * Both of the above for a scenario that is not built: routes are computed and given up again.
 * up_down: see fabric_routes_up_down(). 0 or -ENOMEM.
 */
int fabric_cycles_judge(const struct fabric_graph *g, const struct scenario *scenario,
			bool *up_down, struct fabric_cycle *cycle);

/* "a:1 -> b:1 -> c:1 -> a:1, priority 3" */
const char *fabric_cycle_text(const struct scenario *scenario, const struct fabric_cycle *cycle,
			      char *text, size_t bytes);

#endif
