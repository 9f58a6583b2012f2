/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line on a terminal, rewritten at most five times a second and never longer than the
 * terminal is wide: virtual time, packet-hops a second, share done, bytes of the messages
 * completed, time left. Nothing when standard error is no terminal.
 */
#ifndef RAILYARD_PROGRESS_H
#define RAILYARD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fabric;

struct progress {
	const struct fabric *fabric;
	bool enabled;
	bool shown;
	uint64_t started_ns;
	uint64_t drawn_ns;
	uint64_t drawn_hops;
	uint64_t drawn_posted; /* bytes */
};

struct progress_figures {
	uint64_t now_ps;
	double hops_per_s;
	double share; /* 0 to 1; negative: not known */
	uint64_t completed_bytes;
	double left_s; /* negative: not known */
	bool at_most;  /* left_s is a bound: the work may be done before */
};

void progress_init(struct progress *p, const struct fabric *fabric, bool quiet);

/* Between windows; looks at the clock, so not at each of them. */
void progress_update(struct progress *p, uint64_t now_ps);

/* Wipe the line, before anything else is printed. */
void progress_end(struct progress *p);

/* progress_line.c: the line, without control characters, in at most so many columns. */
void progress_line(const struct progress_figures *f, size_t columns, char *line, size_t line_bytes);

/* Wall seconds since progress_init(). */
double progress_wall_s(const struct progress *p);

#endif
