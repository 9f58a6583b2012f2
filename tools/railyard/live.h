/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run in real time shows while it lasts: on a terminal a screen that is drawn again each
 * report interval (ports with their rates, depth, marks, pauses and drops; drops by reason; the
 * poll loop), elsewhere a line of log. Both go to standard error.
 */
#ifndef RAILYARD_LIVE_H
#define RAILYARD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct fabric;
struct live_port;

struct live {
	const struct fabric *fabric;
	struct live_port *ports; /* counters of all nodes' ports at the last report */
	bool *links_down;        /* [ethdev_count]: as last said */
	bool enabled;
	bool terminal;
	uint32_t drawn_lines;
	uint64_t reported_ps;
};

/* Without memory for it, or when quiet, nothing is shown. */
void live_init(struct live *live, const struct fabric *fabric, bool quiet);

/* Report when an interval has passed; in a log, links that change at once. */
void live_update(struct live *live, uint64_t now_ps);

void live_end(struct live *live);

#endif
