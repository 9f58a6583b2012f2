/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths that routes offer from one host to another, configured ones as well. */
#include <errno.h>
#include <stdlib.h>

#include "fabric_routes.h"
#include "fabric_way.h"
#include "topo.h"

enum colour { WHITE, GREY, BLACK };

struct walk {
	const struct topo *topo;
	const struct host_routes *tables;
	uint32_t to;             /* host */
	struct topo_paths *from; /* by switch */
	uint8_t *colours;        /* by switch: GREY on the way to where we are */
	enum topo_stray stray;
	uint32_t stray_at;
};

/* What a frame waits on its way over a link: the cable, and the switch it leads to. */
static uint64_t
delay_of(const struct topo *t, const struct graph_arc *arc)
{
	const struct scenario *s = t->scenario;

	return s->links[arc->link].delay_ps +
	       (arc->to < s->switch_count ? s->switches[arc->to].latency_ps : 0);
}

static uint64_t
add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* All that go on over this cable. */
static void
add_paths(const struct topo *t, const struct graph_arc *arc, const struct topo_paths *beyond,
	  struct topo_paths *sum)
{
	uint64_t delay_ps = beyond->delay_ps + delay_of(t, arc);

	if (beyond->count == 0)
		return;
	if (sum->count == 0) {
		*sum = (struct topo_paths){.links = beyond->links + 1, .delay_ps = delay_ps};
		sum->links_max = sum->links;
	}
	sum->count = add_saturating(sum->count, beyond->count);
	sum->links = RTE_MIN(sum->links, beyond->links + 1);
	sum->links_max = RTE_MAX(sum->links_max, beyond->links_max + 1);
	sum->delay_ps = RTE_MIN(sum->delay_ps, delay_ps);
}

static void
go_astray(struct walk *w, enum topo_stray stray, uint32_t sw)
{
	if (w->stray == TOPO_STRAY_NONE) {
		w->stray = stray;
		w->stray_at = sw;
	}
}

static void
visit(struct walk *w, uint32_t sw)
{
	static const struct topo_paths there = {.count = 1};
	const struct topo *t = w->topo;
	uint32_t switches = t->scenario->switch_count;
	struct topo_paths *sum = &w->from[sw];
	uint64_t ports[FABRIC_WAY_WORDS];
	bool goes_on = false;

	w->colours[sw] = GREY;
	fabric_way_out(t->scenario, &w->tables[sw], sw, w->to, ports);
	for (uint32_t port = 0; fabric_way_next(ports, &port); port++) {
		const struct graph_arc *arc = fabric_graph_behind(&t->graph, sw, (uint16_t)port);

		if (arc == NULL || (arc->to >= switches && arc->to != switches + w->to))
			continue;
		goes_on = true;
		if (arc->to >= switches) {
			add_paths(t, arc, &there, sum);
			continue;
		}
		if (w->colours[arc->to] == GREY)
			go_astray(w, TOPO_STRAY_LOOP, arc->to);
		else if (w->colours[arc->to] == WHITE)
			visit(w, arc->to);
		if (w->colours[arc->to] == BLACK)
			add_paths(t, arc, &w->from[arc->to], sum);
	}
	if (!goes_on)
		go_astray(w, TOPO_STRAY_END, sw);
	w->colours[sw] = BLACK;
}

/* The host's own cables, and what the routes make of it from there. */
static void
leave(struct walk *w, uint32_t host, struct topo_paths *out)
{
	static const struct topo_paths there = {.count = 1};
	const struct topo *t = w->topo;
	uint32_t switches = t->scenario->switch_count, node = switches + host;

	for (uint32_t i = t->graph.first[node]; i < t->graph.first[node + 1]; i++) {
		const struct graph_arc *arc = &t->graph.arcs[i];

		if (arc->to == switches + w->to)
			add_paths(t, arc, &there, out);
		if (arc->to >= switches)
			continue;
		visit(w, arc->to);
		add_paths(t, arc, &w->from[arc->to], out);
	}
	if (out->count == 0)
		out->links = TOPO_UNREACHED;
	out->stray = w->stray;
	out->stray_at = w->stray_at;
}

int
topo_paths_between(const struct topo *t, uint32_t from, uint32_t to, struct topo_paths *out)
{
	uint32_t switches = t->scenario->switch_count;
	struct host_routes *tables = calloc((size_t)switches + 1, sizeof(*tables));
	struct host_directory directory = {.host_count = 0};
	struct walk w = {.topo = t, .tables = tables, .to = to};
	bool up_down = false;
	int rc = fabric_routes_directory(&directory, &t->graph, t->scenario);

	*out = (struct topo_paths){.links = TOPO_UNREACHED};
	w.from = calloc((size_t)switches + 1, sizeof(*w.from));
	w.colours = calloc((size_t)switches + 1, sizeof(*w.colours));
	if (rc == 0 && (tables == NULL || w.from == NULL || w.colours == NULL))
		rc = -ENOMEM;
	if (rc == 0)
		rc = fabric_routes_up_down(&t->graph, &up_down);
	if (rc == 0)
		rc = fabric_routes_compute(tables, &directory, &t->graph, t->scenario, up_down);
	if (rc == 0) {
		leave(&w, from, out);
		fabric_routes_free(tables, switches);
	}
	host_directory_fini(&directory);
	free(tables);
	free(w.from);
	free(w.colours);
	return rc;
}
