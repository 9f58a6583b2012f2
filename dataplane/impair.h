/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Impairments of a port, each for one or both directions and an interval of time: loss,
 * duplication, delay, reordering, bit errors, forced CE marks; and pause storms, which the port
 * sends. Frame and time in, verdict out; every rule draws from a stream of its own.
 *
 * Loss is independent with a probability, or comes in runs of a mean length: a two-state
 * Markov chain (Gilbert 1960) that loses everything in its bad state. With mean run L and share
 * p, it leaves the bad state with 1 / L and the good one with p / (L (1 - p)). Or every n-th
 * frame is lost.
 *
 * Delay keeps the order of frames, also when a rule begins or ends, except that reordering takes
 * single frames out and delays them further. Delays only add: what a link promises holds.
 *
 * MAC control frames pass unimpaired, unless the rule says otherwise.
 */
#ifndef RAILYARD_IMPAIR_H
#define RAILYARD_IMPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "link.h"
#include "packet.h"
#include "pfc.h"
#include "prng.h"

enum impair_direction { IMPAIR_RX, IMPAIR_TX, IMPAIR_DIRECTIONS };

struct impair_cfg {
	bool rx;
	bool tx;
	bool mac_control;       /* MAC control frames are impaired too */
	uint64_t from_ps;       /* applies in [from, until) */
	uint64_t until_ps;      /* UNITS_NEVER_PS = to the end */
	uint64_t loss_q32;      /* share of frames, in 2^-32 */
	uint32_t loss_burst;    /* mean run of lost frames; 0 = each on its own */
	uint32_t loss_every;    /* 0 = not; also below */
	uint64_t duplicate_q32; /* the copy arrives with the frame */
	uint64_t delay_ps;
	uint64_t jitter_ps;   /* uniform in [0, jitter], on top of delay */
	uint64_t reorder_q32; /* share of frames that reorder_delay_ps takes out of order */
	uint64_t reorder_delay_ps;
	uint64_t bit_error_q32; /* share of frames with a bit flipped */
	uint64_t mark_q32;      /* share of ECT frames that get CE */
	uint32_t mark_every;    /* every n-th ECT frame */
	/* A storm of pause frames; interval 0 = none. */
	uint64_t pause_interval_ps; /* from one to the next */
	uint16_t pause_quanta;
	uint8_t pause_vector; /* classes that are enabled; 0 = none, with times for all */
	bool pause_global;    /* 802.3x PAUSE instead of PFC */
	bool pause_forged;    /* from pause_source_mac instead of the port's address */
	uint8_t pause_source_mac[6];
};

/* A pause frame of a storm. */
struct impair_pause {
	bool global;
	uint8_t vector;
	uint16_t quanta[PFC_PRIORITIES]; /* global: [0] */
	const uint8_t *source_mac;       /* NULL: the port's; valid as long as the impairments */
};

struct impair_counters {
	uint64_t lost;
	uint64_t duplicated;
	uint64_t delayed; /* reordered ones too */
	uint64_t reordered;
	uint64_t corrupted;
	uint64_t marked;
	uint64_t pauses; /* frames of storms */
};

/* One rule in one direction. */
struct impair_state {
	struct prng prng;
	uint32_t loss_count; /* frames since the last multiple of loss_every */
	uint32_t mark_count;
	bool losing; /* the chain is in its bad state */
};

struct impair_rule {
	struct impair_cfg cfg;
	struct impair_state state[IMPAIR_DIRECTIONS];
	uint64_t storm_next_ps; /* UNITS_NEVER_PS: no (more) storm */
};

struct impair {
	uint32_t rule_count;
	struct impair_rule *rules;
	uint64_t ordered_ps[IMPAIR_DIRECTIONS]; /* nothing in order leaves before */
	uint64_t storm_next_ps;                 /* the earliest of all rules */
	struct link line;                       /* frames received and held back */
	struct prng flips;                      /* which bit */
	struct impair_counters counters;
};

struct impair_verdict {
	bool lost;
	bool duplicate;
	bool mark;
	bool corrupt;
	uint64_t extra_ps; /* later than without impairments */
};

/* `count` rules, applied in their order. `key` tells the port's streams from others'. */
int impair_create(struct impair **out, const struct impair_cfg *cfg, uint32_t count, uint64_t seed,
		  uint64_t key);
/* Frees what it holds back, too. */
void impair_destroy(struct impair *im);

/*
 * One frame. tx: at_ps is when its last bit would leave and wire_ps its time on the wire; rx:
 * when it would be received, and 0. Counts all but `corrupt`, which impair_flip() counts.
 */
struct impair_verdict impair_judge(struct impair *im, enum impair_direction direction,
				   const struct packet *p, uint64_t at_ps, uint64_t wire_ps);

/*
 * Flip one bit that the receiver's ICRC finds: of payload or ICRC, of headers where a frame has
 * neither. Where the payload is elided, or nothing is known of the frame, it is flagged corrupted
 * instead. False when there is no bit to flip.
 */
bool impair_flip(struct impair *im, struct rte_mbuf *m);

/* The frame that is due at now_ps; storms alike share it. Others' are due at once after it. */
void impair_storm_take(struct impair *im, uint64_t now_ps, struct impair_pause *pause);

/* No more storms: the run ends. */
void impair_storm_stop(struct impair *im);

/* Frames it holds back. */
static inline uint32_t
impair_held(const struct impair *im)
{
	return im->line.tail - im->line.head;
}

#endif
