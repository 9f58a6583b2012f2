/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a scenario's network: tiers, capacities, paths, over fabric_graph.h. Hosts forward
 * nothing: no path leads through one.
 *
 * The level of a switch is its distance from the nearest host: 0 where hosts are attached. A
 * link to a higher level leads up, to a lower one or to a host down.
 */
#ifndef RAILYARD_TOPO_H
#define RAILYARD_TOPO_H

#include <stdint.h>
#include <stdio.h>

#include "fabric_graph.h"

#define TOPO_UNREACHED UINT32_MAX

/* Switches of one name of tier. */
struct topo_tier {
	const char *name;
	uint32_t level; /* of the lowest of them */
	uint32_t first; /* switch */
	uint32_t last;
	uint32_t count;
	uint32_t ports_min; /* of a switch */
	uint32_t ports_max;
	uint32_t links_down; /* of all together */
	uint32_t links_up;
	uint64_t down_bps;
	uint64_t up_bps;
};

struct topo {
	const struct scenario *scenario;
	uint32_t node_count;
	struct fabric_graph graph;
	uint32_t *level; /* by switch; TOPO_UNREACHED: no host in reach */
	uint32_t tier_count;
	struct topo_tier *tiers; /* from the hosts up */
	uint32_t *tier_of;       /* by switch */
};

/* 0 or -ENOMEM; fini in any case. */
int topo_init(struct topo *topo, const struct scenario *scenario);
void topo_fini(struct topo *topo);

const char *topo_name(const struct topo *topo, uint32_t node);

/* Where routes lead that do not lead to the destination. */
enum topo_stray {
	TOPO_STRAY_NONE,
	TOPO_STRAY_LOOP, /* back to a switch */
	TOPO_STRAY_END,  /* to one that has no way on */
};

/* The paths that routes offer from one host to another; of bridges there is one. */
struct topo_paths {
	uint32_t links;     /* of the shortest; TOPO_UNREACHED: none */
	uint32_t links_max; /* of the longest */
	uint64_t count;     /* UINT64_MAX: as many or more */
	uint64_t delay_ps;  /* least of them: propagation, and the switches' latency */
	enum topo_stray stray;
	uint32_t stray_at; /* switch */
};

/* Between hosts of these numbers (topo_paths.c). 0, -ENOMEM or -E2BIG. */
int topo_paths_between(const struct topo *topo, uint32_t from, uint32_t to,
		       struct topo_paths *paths);

/* Over all pairs of hosts: the fewest and most links of a shortest path, and pairs without one. */
struct topo_span {
	uint32_t links_min;
	uint32_t links_max;
	uint64_t unreachable; /* ordered pairs */
};

int topo_span_of(const struct topo *topo, struct topo_span *span);

/*
 * Largest flow from the hosts [0, split) to the others, over all paths (topo_flow.c): what both
 * halves can exchange in one direction. *send_bps: what the NICs of the smaller side can. 0 or
 * -ENOMEM.
 */
int topo_flow(const struct topo *topo, uint32_t split, uint64_t *flow_bps, uint64_t *send_bps);

/* How it is routed (topo_routing.c), on stdout. 0 or -ENOMEM. */
int topo_print_routing(const struct topo *topo);

/* All of the above for people, on stdout (topo_report.c). 0 or -ENOMEM. */
int topo_print(const struct topo *topo, const uint32_t pair[2]);

/*
 * Graphviz text (topo_dot.c). Large networks are drawn with like nodes as one: hosts by switch,
 * then all by pod and tier, then by tier. 0 or -errno.
 */
int topo_dot(const struct topo *topo, FILE *out);

#endif
