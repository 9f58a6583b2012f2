/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sink is a node with one port that takes every frame and sends none (but the MAC control
 * frames any port sends): the far end of a switch's other ports in a replay. What it received
 * is in its node's and port's counters.
 */
#ifndef RAILYARD_SINK_H
#define RAILYARD_SINK_H

#include <stdint.h>

#include "node.h"

struct sink_cfg {
	char name[NODE_NAME_BYTES];
	struct node_port_cfg port;
};

/* The node, or NULL with errno set; its ops->destroy() frees it. */
struct node *sink_create(const struct sink_cfg *cfg, uint32_t node_id, uint64_t seed,
			 struct rte_mempool *pool, const struct node_observer *observer);

#endif
