/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failures of links in a run. Everything that happens is known before: the link goes, the routers
 * at its ends leave it out, all routers have new routes; and the same without the middle when it
 * comes back. Loss and delay begin and end, and nobody answers. Each happens between windows at its
 * exact time, before the nodes' events of that time, and knows the links as they are then.
 */
#ifndef RAILYARD_FABRIC_FAILURES_H
#define RAILYARD_FABRIC_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_virtual.h"

struct fabric;

/* At one time, in this order. */
enum failure_step { FAILURE_BEGINS, FAILURE_ENDS, FAILURE_FAILOVER, FAILURE_REROUTE };

struct failure_event {
	uint64_t at_ps;
	enum failure_step step;
	uint32_t failure; /* of the scenario */
};

/* What became of a failure. */
struct failure_record {
	bool begun;
	bool ended;
	uint64_t lost_packets; /* on the wire */
	uint64_t rerouted_ps;  /* all routers had new routes after it began; 0 = not yet */
	uint64_t restored_ps;  /* the same after it ended */
};

struct fabric_failures {
	uint32_t event_count;
	uint32_t next;
	struct failure_event *events;   /* in time order */
	struct failure_record *records; /* by failure */
	uint8_t *down;                  /* scratch: ports of one switch */
};

/* 0 or -ENOMEM. */
int fabric_failures_init(struct fabric *fabric);
void fabric_failures_fini(struct fabric *fabric);

/* Let everything happen that is due by now_ps. No memory for new routes ends the program. */
void fabric_failures_apply(struct fabric *fabric, uint64_t now_ps);

/* When the next thing happens, or UNITS_NEVER_PS. */
uint64_t fabric_failures_next_ps(const struct fabric *fabric);

#endif
