/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for cycles of buffers among the routes that answer failures: once for each time at
 * which all routers have new ones, with the links as they are then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_cycles.h"

/* Each takes as long as the routes with every link up; who has more failures draws them. */
#define MOST_TIMES 64u

static int
compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* When there are new routes, each time once; how many. */
static uint32_t
list_times(const struct scenario *s, uint64_t *times_ps)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < s->failure_count; i++) {
		const struct scenario_failure *x = &s->failures[i];

		if (!scenario_failure_is_of_rate(x))
			continue;
		times_ps[count++] = x->at_ps + s->routing.reroute_ps;
		if (x->until_ps < UNITS_NEVER_PS - s->routing.reroute_ps)
			times_ps[count++] = x->until_ps + s->routing.reroute_ps;
	}
	qsort(times_ps, count, sizeof(*times_ps), compare_times);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || times_ps[kept - 1] != times_ps[i])
			times_ps[kept++] = times_ps[i];
	return RTE_MIN(kept, MOST_TIMES);
}

static void
set_rates(struct fabric_graph *g, const struct scenario *s, uint64_t now_ps)
{
	for (uint32_t i = 0; i < s->link_count; i++)
		g->rates_bps[i] = fabric_graph_rate_bps(s, &s->links[i]);
	for (uint32_t i = 0; i < s->failure_count; i++) {
		const struct scenario_failure *x = &s->failures[i];

		if (scenario_failure_is_of_rate(x) && x->at_ps <= now_ps && now_ps < x->until_ps)
			g->rates_bps[x->link] = x->down ? 0 : x->rate_bps;
	}
}

static int
find_at(const struct fabric_graph *g, const struct host_directory *d, const struct scenario *s,
	bool up_down, struct host_routes *tables, struct fabric_cycle *cycle)
{
	int rc = fabric_routes_compute(tables, d, g, s, up_down);

	if (rc != 0)
		return rc;
	rc = fabric_cycles_find(g, s, tables, cycle);
	fabric_routes_free(tables, s->switch_count);
	return rc;
}

/* What bridges know does not change. */
static bool
is_needed(const struct scenario *s, bool up_down)
{
	for (uint32_t i = 0; i < s->switch_count; i++)
		if (!s->switches[i].cfg.forwarding.layer3)
			return false;
	return s->failure_count != 0 && fabric_cycles_may_be(s, up_down);
}

int
fabric_cycles_after_failures(const struct fabric_graph *healthy, const struct host_directory *d,
			     const struct scenario *s, bool up_down, struct fabric_cycle *cycle)
{
	struct fabric_graph g = *healthy;
	struct host_routes *tables;
	uint64_t *times_ps;
	uint32_t count;
	int rc = -ENOMEM;

	if (cycle->count != 0 || !is_needed(s, up_down))
		return 0;
	tables = calloc((size_t)s->switch_count + 1, sizeof(*tables));
	times_ps = calloc(2 * (size_t)s->failure_count, sizeof(*times_ps));
	g.rates_bps = calloc((size_t)s->link_count + 1, sizeof(*g.rates_bps));
	if (tables != NULL && times_ps != NULL && g.rates_bps != NULL) {
		rc = 0;
		count = list_times(s, times_ps);
		for (uint32_t i = 0; rc == 0 && cycle->count == 0 && i < count; i++) {
			set_rates(&g, s, times_ps[i]);
			rc = find_at(&g, d, s, up_down, tables, cycle);
			cycle->at_ps = times_ps[i];
		}
	}
	free(tables);
	free(times_ps);
	free(g.rates_bps);
	return rc;
}
