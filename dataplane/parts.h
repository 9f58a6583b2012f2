/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a graph: nodes that are joined, by way of whatever many others (union-find, with paths
 * halved). A part goes by the lowest of its nodes.
 */
#ifndef RAILYARD_PARTS_H
#define RAILYARD_PARTS_H

#include <stdint.h>

/* parts[count]: each node is a part of its own. */
static inline void
parts_init(uint32_t *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		parts[i] = i;
}

static inline uint32_t
parts_find(uint32_t *parts, uint32_t node)
{
	while (parts[node] != node)
		node = parts[node] = parts[parts[node]];
	return node;
}

static inline void
parts_join(uint32_t *parts, uint32_t a, uint32_t b)
{
	a = parts_find(parts, a);
	b = parts_find(parts, b);
	parts[a > b ? a : b] = a > b ? b : a;
}

#endif
