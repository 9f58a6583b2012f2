/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which lcore runs which node: work in balance, and what talks most to each other together, as
 * far as that goes: a node with one cable goes with its peer. A packet that changes lcores costs
 * cache misses, an idle lcore costs more.
 *
 * The outcome of a run does not depend on it.
 */
#ifndef RAILYARD_PLACEMENT_H
#define RAILYARD_PLACEMENT_H

#include <stdint.h>

#include "node.h"

/* lcore_of[count] from work[count], in any unit. Writes the nodes' slots. 0 or -ENOMEM. */
int placement_make(struct node *const *nodes, uint32_t count, const uint64_t *work, uint16_t lcores,
		   uint16_t *lcore_of);

/* A first guess at a node's work: the cables it has. */
uint64_t placement_guess(const struct node *node);

#endif
