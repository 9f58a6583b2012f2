/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a receiver knows of packets that came before their turn: which PSNs of a bounded window,
 * from the expected one on, have arrived (IRN, Mittal et al., SIGCOMM 2018, keeps a bitmap of
 * this kind), what it keeps of each, and which holes are to be reported. It is made when a queue
 * pair first sees a packet early, and grows no further: one byte a packet of the window.
 *
 * A hole counts as lost once a packet `nak_distance` beyond it has come, or one was dropped
 * beyond the window; each is reported once. What is lost again is left to the sender's timer.
 *
 * Invariant: held counts the slots that are not 0, all of PSNs in (expected, expected + size).
 */
#ifndef RAILYARD_REORDER_H
#define RAILYARD_REORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>

struct host;

/* READ requests that came early: they are executed in order, so they are kept whole. */
struct reorder_read {
	uint32_t psn;
	uint32_t packets;
	uint32_t bytes;
	uint8_t dscp;
};

struct reorder_window {
	uint32_t size; /* PSNs from the expected one on */
	uint32_t mask; /* of slots */
	uint32_t held;
	uint32_t held_max;
	uint32_t told_psn; /* holes before it have been reported */
	uint32_t lost_psn; /* holes before it count as lost */
	uint32_t edge_psn; /* after the latest that has come */
	uint32_t read_count;
	uint32_t read_size;
	struct reorder_read *reads;
	uint8_t slots[]; /* by PSN; what the caller keeps of a packet, 0 = it has not come */
};

/* The network's doing, seen at the receiver: the latest sent of the packets that have come. */
struct reorder_watch {
	uint64_t uid;
	uint64_t packets;
	uint64_t late; /* came after one sent later */
	uint32_t psn;
	uint32_t distance_max; /* PSNs behind it */
};

/* NULL: no memory. */
struct reorder_window *reorder_window_new(uint32_t size, uint32_t expected_psn);
void reorder_window_free(struct reorder_window *w);

static inline bool
reorder_holds(const struct reorder_window *w, uint32_t psn)
{
	return w->slots[psn & w->mask] != 0;
}

/* Keep `what` (not 0) of the packet, which is within the window; false: it is there already. */
bool reorder_put(struct reorder_window *w, uint32_t psn, uint8_t what);

/* What was kept of it, 0 = it has not come; the slot is free afterwards. */
uint8_t reorder_take(struct reorder_window *w, uint32_t psn);

/* Keep a READ request; false: no memory, or as many as a responder answers. */
bool reorder_put_read(struct reorder_window *w, const struct reorder_read *read);

/* The READ request with that PSN, which was kept. */
struct reorder_read reorder_take_read(struct reorder_window *w, uint32_t psn);

/* The packet expected next is now this one. */
void reorder_expect(struct reorder_window *w, uint32_t expected_psn);

/* A packet has come ahead of its turn; returns whether it shows a gap not seen before. */
bool reorder_note_early(struct reorder_window *w, uint32_t psn);

/* Holes before that PSN count as lost from now on. */
void reorder_lost_before(struct reorder_window *w, uint32_t psn);

/*
 * The next hole that counts as lost and was not reported: *psn, and the missing packets from
 * there on, at most `most`. They count as reported. Returns 0 when there is none.
 */
uint32_t reorder_next_hole(struct reorder_window *w, uint32_t expected_psn, uint32_t most,
			   uint32_t *psn);

/* Missing packets from psn on, which is one itself, to the next that has come; at most `most`. */
uint32_t reorder_run(const struct reorder_window *w, uint32_t psn, uint32_t most);

/* A packet came after one that was sent later. */
void reorder_late(struct host *host, struct reorder_watch *watch, uint64_t uid, uint32_t psn);

/* A data packet has come. */
static inline void
reorder_observe(struct host *host, struct reorder_watch *watch, uint64_t uid, uint32_t psn)
{
	watch->packets++;
	if (unlikely(uid < watch->uid)) {
		reorder_late(host, watch, uid, psn);
		return;
	}
	watch->uid = uid;
	watch->psn = psn;
}

#endif
