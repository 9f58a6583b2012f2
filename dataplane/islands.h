/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which lcore runs which node by the clock. Nodes that are joined by memory keep exact time between
 * them and so stay on one lcore: an island. Islands meet through devices only and need not wait for
 * each other.
 */
#ifndef RAILYARD_ISLANDS_H
#define RAILYARD_ISLANDS_H

#include <stdint.h>

#include "node.h"

/*
 * lcore_of[count], by slot; the islands with most devices are dealt out first, each to the lcore
 * that has the fewest. Returns how many lcores have a node, at most `lcores` (at least one), or
 * -ENOMEM.
 */
int islands_make(struct node *const *nodes, uint32_t count, uint16_t lcores, uint16_t *lcore_of);

#endif
