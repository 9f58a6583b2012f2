/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "fabric.h"
#include "host.h"
#include "node.h"

#define INTERVAL_NS 200000000ULL
/* Of a terminal that does not say. */
#define DEFAULT_COLUMNS 80

static uint64_t
wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

void
progress_init(struct progress *p, const struct fabric *fabric, bool quiet)
{
	*p = (struct progress){
		.fabric = fabric,
		.enabled = !quiet && isatty(STDERR_FILENO) == 1,
		.started_ns = wall_ns(),
	};
	p->drawn_ns = p->started_ns;
}

double
progress_wall_s(const struct progress *p)
{
	return (double)(wall_ns() - p->started_ns) / 1e9;
}

/*
 * Share of the work done, or -1. With a duration, virtual time is the measure. Without, bytes
 * are, but only when nothing was posted since the last look: messages are posted as they fall
 * due, and a share of what happens to be posted by now says nothing.
 */
static double
share_done(const struct progress *p, uint64_t now_ps, uint64_t completed, uint64_t posted)
{
	uint64_t duration_ps = p->fabric->scenario->duration_ps;

	if (duration_ps > 0)
		return now_ps < duration_ps ? (double)now_ps / (double)duration_ps : 1;
	if (posted == 0 || posted != p->drawn_posted)
		return -1;
	return (double)completed / (double)posted;
}

/* One column stays free: a terminal may wrap when the last one is written. */
static size_t
terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
		return DEFAULT_COLUMNS - 1;
	return size.ws_col - 1u;
}

static void
draw(struct progress *p, uint64_t now_ps, uint64_t now_ns)
{
	const struct fabric *fabric = p->fabric;
	uint64_t hops = fabric_hops(fabric);
	double seconds = (double)(now_ns - p->started_ns) / 1e9;
	struct progress_figures f = {
		.now_ps = now_ps,
		.hops_per_s = (double)(hops - p->drawn_hops) * 1e9 / (double)(now_ns - p->drawn_ns),
		.left_s = -1,
		.at_most = fabric->scenario->duration_ps > 0,
	};
	uint64_t posted = 0;
	char line[256];

	for (uint32_t i = 0; i < fabric->host_count; i++) {
		uint64_t host_completed;
		uint64_t host_posted;

		host_progress(fabric->hosts[i], &host_completed, &host_posted);
		f.completed_bytes += host_completed;
		posted += host_posted;
	}
	f.share = share_done(p, now_ps, f.completed_bytes, posted);
	if (f.share > 0.001)
		f.left_s = seconds / f.share - seconds;
	progress_line(&f, terminal_columns(), line, sizeof(line));
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	p->shown = true;
	p->drawn_ns = now_ns;
	p->drawn_hops = hops;
	p->drawn_posted = posted;
}

void
progress_update(struct progress *p, uint64_t now_ps)
{
	uint64_t now_ns;

	if (!p->enabled)
		return;
	now_ns = wall_ns();
	if (now_ns - p->drawn_ns >= INTERVAL_NS)
		draw(p, now_ps, now_ns);
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
