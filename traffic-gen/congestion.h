/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion control of one queue pair, behind one small interface: events in, a rate out.
 * Pure state machines: time is an argument, nothing is scheduled. Timers that have passed are
 * applied, in time order, by the next call; next_change_ps says when the rate may next change
 * by itself, so that a sender who waits for its pacing can look again then.
 */
#ifndef RAILYARD_CONGESTION_H
#define RAILYARD_CONGESTION_H

#include <stdint.h>

#include "dcqcn.h"

enum congestion_kind { CONGESTION_NONE, CONGESTION_DCQCN };

struct congestion_cfg {
	enum congestion_kind kind;
	uint64_t rate_bps; /* kind NONE: fixed rate of each QP; 0 = line rate */
	struct dcqcn_cfg dcqcn;
};

struct congestion_state {
	uint64_t rate_bps;
	struct dcqcn_state dcqcn;
};

void congestion_init(struct congestion_state *s, const struct congestion_cfg *cfg,
		     uint64_t line_rate_bps);

/* A congestion notification packet arrived. */
void congestion_notified(struct congestion_state *s, const struct congestion_cfg *cfg,
			 uint64_t now_ps);

/* `bytes` (frame bytes on the wire) were sent at now_ps. */
void congestion_sent(struct congestion_state *s, const struct congestion_cfg *cfg, uint64_t now_ps,
		     uint32_t bytes);

/* Rate in bits a second at now_ps. */
uint64_t congestion_rate_bps(struct congestion_state *s, const struct congestion_cfg *cfg,
			     uint64_t now_ps);

/* Earliest time at which the rate may change without an event; UNITS_NEVER_PS = never. */
uint64_t congestion_next_change_ps(const struct congestion_state *s,
				   const struct congestion_cfg *cfg);

#endif
