/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlocks of PFC in a run: queues that are paused by priority groups which can only drain into
 * queues of the same set. Nothing that the emulator does can free them, so a set found once stays;
 * it is looked for at intervals of the longest pause time and believed when it has stood for
 * several of them, and longer where a watchdog may yet break it up.
 */
#ifndef RAILYARD_FABRIC_DEADLOCK_H
#define RAILYARD_FABRIC_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric_cycles.h"

struct fabric;

struct fabric_deadlock {
	uint64_t interval_ps;
	uint64_t next_ps; /* when to look; UNITS_NEVER_PS: no switch sends PFC to another */
	uint32_t rounds_needed;
	uint32_t rounds; /* in a row that found one */
	uint64_t since_ps;
	uint64_t *sent; /* by port of a switch and queue: what it had sent when last seen paused */
	uint8_t *stuck; /* by port of a switch: queues of the set */
	uint8_t *held;  /* by port of a switch: PGs that hold packets in queues of the set ... */
	uint8_t *moves; /* ... and in others */
	bool found;
	struct fabric_cycle cycle; /* of queues, each waiting for the next */
};

/* 0 or -ENOMEM. */
int fabric_deadlock_init(struct fabric *fabric);
void fabric_deadlock_fini(struct fabric *fabric);

/* Look, between windows at now_ps. True: there is a deadlock, and `cycle` names it. */
bool fabric_deadlock_check(struct fabric *fabric, uint64_t now_ps);

#endif
