/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks and flows in the files of other simulators, read and written as a scenario.
 *
 * Topology, of the ns-3 RDMA simulators (HPCC and its descendants): "nodes switches links", the
 * switches' numbers, then a line a link: "node node rate delay error_rate". All other nodes are
 * hosts. Flows of the same: how many, then "source destination priority port bytes start_s".
 * Flows of htsim (connection matrices): "Nodes n", "Connections n", "s->d start 0 size bytes".
 */
#ifndef RAILYARD_IMPORT_TOPOLOGY_H
#define RAILYARD_IMPORT_TOPOLOGY_H

#include <stdint.h>
#include <stdio.h>

#include "config_tree.h"

struct import_link {
	uint32_t ends[2]; /* nodes */
	uint32_t ports[2];
	uint64_t rate_bps;
	uint64_t delay_ps;
	double loss;
	uint32_t line;
};

struct import_flow {
	uint32_t from; /* nodes; in a connection matrix, the n-th hosts */
	uint32_t to;
	uint32_t priority;
	uint64_t bytes;
	uint64_t start_ps;
	uint32_t line;
};

struct import_node {
	bool is_switch;
	uint32_t link_count;
	uint64_t *rates_bps; /* by port */
	uint32_t *links;     /* by port */
	uint32_t level;      /* of a switch: links to the nearest host, less one */
	uint32_t group;
	uint32_t number; /* in its group */
};

/* What the scenario has from `offset` on, in bytes, comes from there. */
struct import_origin {
	long offset;
	const char *file;
	uint32_t line;
};

struct import {
	struct config_arena *arena;
	struct config_error *error;
	const char *file;
	const char *flow_file; /* NULL: none */
	uint32_t node_count;
	uint32_t link_count;
	uint32_t flow_count;
	struct import_node *nodes;
	struct import_link *links;
	struct import_flow *flows;
	bool flows_of_hosts; /* flows count hosts, not nodes */
	uint32_t flow_nodes; /* and say that there are so many */
	uint32_t origin_count;
	struct import_origin *origins; /* made by writing; in the order of the scenario */
};

/* Read them: 0, or -EINVAL with file:line and what is wrong in the error. */
int import_topology_read(struct import *import, const char *file);
int import_flows_read(struct import *import, const char *file);

/* The scenario, as YAML. */
int import_topology_write(struct import *import, FILE *out);

#endif
