/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routing of a fabric: for every switch the groups of next hops towards every host, over all
 * equally short paths. Paths are searched once for each switch that has hosts (an edge), not for
 * each host. Members of a group stand in the order of the file.
 *
 * Where the fabric is a Clos network, paths go up and then down, never up again: what has a way
 * down takes the shortest of those, the rest goes up. So no failure makes a path with a valley,
 * which could close a cycle of buffers that wait for each other; a pair of hosts may be cut off
 * instead. In any other fabric the shortest path is taken whatever its course.
 */
#ifndef RAILYARD_FABRIC_ROUTES_H
#define RAILYARD_FABRIC_ROUTES_H

#include "fabric_graph.h"
#include "host_routes.h"
#include "scenario.h"

/* Which host is where. 0, -ENOMEM, or -E2BIG: more switches than there are numbers for. */
int fabric_routes_directory(struct host_directory *d, const struct fabric_graph *g,
			    const struct scenario *scenario);

/* Whether up-down reaches all that can be reached, as shortly, with every link up. */
int fabric_routes_up_down(const struct fabric_graph *g, bool *up_down);

/*
 * Tables of all switches (tables[switch_count]) over the links that are up. 0, or -ENOMEM, or
 * -E2BIG when a switch would have too many groups; then none is left to free.
 */
int fabric_routes_compute(struct host_routes *tables, const struct host_directory *d,
			  const struct fabric_graph *g, const struct scenario *scenario,
			  bool up_down);
void fabric_routes_free(struct host_routes *tables, uint32_t count);

#endif
