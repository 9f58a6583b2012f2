/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which queue of a port sends next: strict queues first (the higher index first), then deficit
 * round robin by bytes (Shreedhar and Varghese 1996) over the rest; queues that are paused or
 * over their shaper are skipped, so the port stays work conserving. A queue may count packets
 * instead (WRR): each is as much as a weight of 1 sends in a round.
 *
 * A shaper is a virtual-scheduling token bucket (GCRA, ITU-T I.371): one time, no timer.
 */
#ifndef RAILYARD_SCHEDULER_H
#define RAILYARD_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

#define SCHEDULER_QUEUES 8
#define SCHEDULER_NAME_BYTES 48
/* Bytes a weight of 1 may send in a round. */
#define SCHEDULER_QUANTUM_BYTES 1024

struct shaper_cfg {
	uint64_t rate_bps; /* 0 = none */
	uint64_t burst_bytes;
};

struct shaper {
	uint64_t ready_ps; /* theoretical arrival time of the next conforming frame */
};

/* SCHEDULER */
struct scheduler_cfg {
	char name[SCHEDULER_NAME_BYTES];
	bool strict;
	bool by_packets; /* WRR: a weight of 1 is a packet a round, of whatever size */
	uint32_t weight; /* DWRR and WRR, 1..100 */
	struct shaper_cfg shaper;
};

struct scheduler_port {
	uint8_t strict;     /* bit n: queue n is strict */
	uint8_t by_packets; /* bit n: queue n counts packets */
	uint8_t turn;       /* DWRR: queue whose turn it is */
	bool fresh;         /* it has not had its quantum this round */
	uint8_t shaped;     /* bit n: queue n has a shaper */
	bool port_shaped;   /* the port has one */
	int64_t deficit_bytes[SCHEDULER_QUEUES];
	uint32_t quantum_bytes[SCHEDULER_QUEUES];
	struct shaper_cfg queue_shaper[SCHEDULER_QUEUES];
	struct shaper_cfg port_shaper;
	struct shaper queue_bucket[SCHEDULER_QUEUES];
	struct shaper port_bucket;
};

/* queues[n] may be NULL: DWRR with weight 1. */
void scheduler_init(struct scheduler_port *s, const struct scheduler_cfg *const queues[8],
		    const struct shaper_cfg *port_shaper);

/*
 * Pick among the queues of bit mask `backlogged` (not empty) minus `paused`, whose first
 * frames have head_bytes[]. Returns the queue, or -1 with *retry_ps the time a shaper opens
 * (never when all are merely paused).
 */
int scheduler_pick(struct scheduler_port *s, uint8_t backlogged, uint8_t paused,
		   const uint32_t head_bytes[SCHEDULER_QUEUES], uint64_t now_ps,
		   uint64_t *retry_ps);

/* The queue has nothing left though it was not sent: its deficit is forfeited all the same. */
void scheduler_emptied(struct scheduler_port *s, uint8_t queue);

/* Charge what was sent. `empty`: the queue has nothing left (its deficit is forfeited). */
void scheduler_sent(struct scheduler_port *s, uint8_t queue, uint32_t frame_bytes, bool empty,
		    uint64_t now_ps);

#endif
