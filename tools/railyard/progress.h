/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line on a terminal, rewritten at most five times a second: virtual time, packet-hops a
 * second, share done, time left. Nothing when standard error is no terminal.
 */
#ifndef RAILYARD_PROGRESS_H
#define RAILYARD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct fabric;

struct progress {
	const struct fabric *fabric;
	bool enabled;
	bool shown;
	uint64_t started_ns;
	uint64_t drawn_ns;
	uint64_t drawn_hops;
};

void progress_init(struct progress *p, const struct fabric *fabric, bool quiet);

/* Between windows; looks at the clock, so not at each of them. */
void progress_update(struct progress *p, uint64_t now_ps);

/* Wipe the line, before anything else is printed. */
void progress_end(struct progress *p);

/* Wall seconds since progress_init(). */
double progress_wall_s(const struct progress *p);

#endif
