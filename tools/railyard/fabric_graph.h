/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is linked to whom: for each node the ends of its cables, in the order of the file. Nodes are
 * numbered as in the fabric: switches first, then hosts.
 */
#ifndef RAILYARD_FABRIC_GRAPH_H
#define RAILYARD_FABRIC_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

#define GRAPH_NO_ARC UINT32_MAX

/* One end of a cable, at the node whose list it is in. */
struct graph_arc {
	uint32_t to;   /* node at the other end */
	uint32_t link; /* of the scenario */
	uint16_t port;
	uint16_t to_port;
};

struct fabric_graph {
	uint32_t switch_count;
	uint32_t host_count;
	uint32_t *first; /* [nodes + 1]: of a node's arcs */
	struct graph_arc *arcs;
	uint32_t *first_port; /* [nodes]: of a node's ports */
	uint32_t *by_port;    /* arc; GRAPH_NO_ARC = not linked */
	uint64_t *rates_bps;  /* by link; 0 = it is down */
	/* By switch: cables to the nearest host, less one: leaves 0, spines 1. With every link up.
	 */
	uint32_t *levels;
	uint32_t *by_level; /* switches, the highest level first */
	bool layered;       /* every cable between switches goes one level up or down */
};

/* All links are up, at the rate of their ports. 0 or -ENOMEM. */
int fabric_graph_init(struct fabric_graph *g, const struct scenario *scenario);
void fabric_graph_fini(struct fabric_graph *g);

/* The rate of both ends' ports. */
uint64_t fabric_graph_rate_bps(const struct scenario *scenario, const struct scenario_link *link);

/* What is linked to a port of a node, or NULL. */
static inline const struct graph_arc *
fabric_graph_behind(const struct fabric_graph *g, uint32_t node, uint16_t port)
{
	uint32_t arc = g->by_port[g->first_port[node] + port];

	return arc == GRAPH_NO_ARC ? NULL : &g->arcs[arc];
}

static inline bool
fabric_graph_is_up(const struct fabric_graph *g, const struct graph_arc *arc)
{
	return g->rates_bps[arc->link] != 0;
}

#endif
