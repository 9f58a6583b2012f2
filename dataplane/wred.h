/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECN marking and early drop by queue depth (WRED), as SONiC's WRED_PROFILE and the DCQCN
 * paper's congestion point have it:
 *
 *	p(q) = 0 below min, Pmax (q - min) / (max - min) between, 1 at or above max
 *
 * q is the depth of the queue in bytes without the packet itself: before it enters when
 * marking at enqueue, after it has left when marking at dequeue. Instantaneous, or an EWMA
 * avg += (q - avg) / 2^weight over the packets seen.
 *
 * A queue that marks nothing (SONiC's ecn_none) treats all packets as Not-ECT. Otherwise ECT
 * packets are marked, CE stays CE, Not-ECT packets are dropped with the probability of the
 * drop curve (which is the same curve unless thresholds of its own are given).
 */
#ifndef RAILYARD_WRED_H
#define RAILYARD_WRED_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"
#include "prng.h"

#define WRED_NAME_BYTES 48

struct wred_curve {
	bool enable;
	uint64_t min_bytes;
	uint64_t max_bytes;
	uint64_t probability_q32; /* at max, in 2^-32; 1 << 32 = always */
};

struct wred_cfg {
	char name[WRED_NAME_BYTES];
	struct wred_curve mark; /* ECT packets */
	struct wred_curve drop; /* Not-ECT packets */
	uint8_t weight;         /* 0 = instantaneous */
	bool at_enqueue;
};

/* Equal parts of the depths from min to max, and one for all from max on. */
#define WRED_BINS 9u

/* Results: what became of packets that might be marked, by the depth (or average) that decided. */
struct wred_bins {
	uint64_t packets[WRED_BINS];
	uint64_t marked[WRED_BINS];
};

struct wred_state {
	uint64_t average_q8;    /* EWMA, in 1/256 byte */
	struct wred_bins *bins; /* NULL = not counted */
};

enum wred_verdict { WRED_PASS, WRED_MARK, WRED_DROP };

/* One decision for a packet with codepoint `ecn` and queue depth q_bytes. */
enum wred_verdict wred_decide(const struct wred_cfg *cfg, struct wred_state *state,
			      struct prng *prng, uint64_t q_bytes, uint8_t ecn);

/* The bin of a depth of at least min. */
uint32_t wred_bin(const struct wred_curve *curve, uint64_t q_bytes);

/* The least depth in a bin; of WRED_BINS - 1: max. */
uint64_t wred_bin_from_bytes(const struct wred_curve *curve, uint32_t bin);

/* Probability of the curve at q, in 2^-32 (for tests and tables). */
uint64_t wred_probability_q32(const struct wred_curve *curve, uint64_t q_bytes);

#endif
