/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "fabric.h"
#include "human.h"
#include "host.h"
#include "node.h"

#define INTERVAL_NS 200000000ULL

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

static uint64_t
count_hops(const struct fabric *fabric)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		hops += fabric->nodes[i]->counters.hops;
	return hops;
}

/*
 * Share of the work done. Messages are posted as they fall due, so the bytes completed are a
 * share of the whole only without a duration; with one, virtual time is the measure, and a run
 * that has no more to do ends before.
 */
static double
share_done(const struct fabric *fabric, uint64_t now_ps, uint64_t completed, uint64_t posted)
{
	uint64_t duration_ps = fabric->scenario->duration_ps;

	if (duration_ps > 0)
		return now_ps < duration_ps ? (double)now_ps / (double)duration_ps : 1;
	return posted > 0 ? (double)completed / (double)posted : 0;
}

static void
draw(struct progress *p, uint64_t now_ps, uint64_t now_ns)
{
	const struct fabric *fabric = p->fabric;
	uint64_t hops = count_hops(fabric);
	uint64_t completed = 0;
	uint64_t posted = 0;
	double seconds = (double)(now_ns - p->started_ns) / 1e9;
	double rate = (double)(hops - p->drawn_hops) * 1e9 / (double)(now_ns - p->drawn_ns);
	double share;
	double left_s;

	for (uint32_t i = 0; i < fabric->host_count; i++) {
		uint64_t host_completed;
		uint64_t host_posted;

		host_progress(fabric->hosts[i], &host_completed, &host_posted);
		completed += host_completed;
		posted += host_posted;
	}
	share = share_done(fabric, now_ps, completed, posted);
	left_s = share > 0.001 ? seconds / share - seconds : -1;
	fprintf(stderr, "\r%s  %s packets/s  %.0f %%  %s of %s",
		human_time_us((double)now_ps / UNITS_PS_PER_US).text, human_short(rate).text,
		share * 100, human_bytes((double)completed).text, human_bytes((double)posted).text);
	if (left_s >= 0)
		fprintf(stderr, "  %s%.0f s left",
			fabric->scenario->duration_ps > 0 ? "at most " : "about ", left_s);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = true;
	p->drawn_ns = now_ns;
	p->drawn_hops = hops;
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
