/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What nodes report while they run on several lcores at once: each lcore notes down what its
 * nodes say, and between windows one of them goes through all notes in the order of windows,
 * and within a window of nodes. That is the order in which one lcore alone would have heard it,
 * so results do not depend on how many there are.
 */
#ifndef RAILYARD_JOURNAL_H
#define RAILYARD_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "node.h"

struct journal;

/* For so many lcores (at least one). NULL when memory is short. */
struct journal *journal_create(uint16_t lcores);
void journal_destroy(struct journal *j);

/*
 * On the lcore that runs the node: a stream to write one note to. journal_end() ends it: -ENOMEM
 * when it could not be kept, else 0.
 */
FILE *journal_begin(struct journal *j, const struct node *node);
int journal_end(struct journal *j, const struct node *node, uint32_t kind);

/* While no node runs: hand over all notes, in order, and forget them. 0 or -ENOMEM. */
int journal_drain(struct journal *j,
		  void (*hear)(void *context, uint32_t kind, const void *note, size_t bytes),
		  void *context);

#endif
