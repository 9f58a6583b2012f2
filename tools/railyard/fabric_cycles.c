/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A vertex is a port of a switch that a cable comes in by (numbered as in the graph); an edge leads
 * to the port that the cable out of one of `next` comes in by.
 */
#include "fabric_cycles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_units.h"
#include "fabric_way.h"

#define WORDS FABRIC_WAY_WORDS
#define NONE UINT32_MAX

enum colour { WHITE, GREY, BLACK };

struct hunt {
	const struct fabric_graph *g;
	const struct scenario *s;
	const struct host_routes *tables;
	uint32_t vertices;
	uint64_t (*next)[WORDS]; /* by vertex: ports out of its switch */
	uint8_t *priorities;     /* by vertex: paused over the cable, both ends agreeing */
	uint8_t *colours;
	uint32_t *stack; /* vertices on the path, and how far each has got */
	uint32_t *at;
	bool *visited; /* by switch */
	uint32_t *queue;
};

/* The vertex behind a port of a switch; NONE: no cable, or it is down, or a host. */
static uint32_t
vertex_behind(const struct hunt *h, uint32_t sw, uint32_t port)
{
	const struct graph_arc *arc = fabric_graph_behind(h->g, sw, (uint16_t)port);

	if (arc == NULL || arc->to >= h->g->switch_count || !fabric_graph_is_up(h->g, arc))
		return NONE;
	return h->g->first_port[arc->to] + arc->to_port;
}

static uint32_t
switch_of_vertex(const struct hunt *h, uint32_t vertex)
{
	uint32_t low = 0, high = h->g->switch_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (h->g->first_port[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Follow what all hosts send to this one. */
static void
follow(struct hunt *h, uint32_t host)
{
	uint64_t ports[WORDS], beyond[WORDS];
	uint32_t tail = 0;

	memset(h->visited, 0, h->g->switch_count * sizeof(*h->visited));
	for (uint32_t sw = 0; sw < h->g->switch_count; sw++) {
		if (h->tables[sw].slot_count == 0)
			continue;
		h->visited[sw] = true;
		h->queue[tail++] = sw;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t sw = h->queue[head];

		fabric_way_out(h->s, &h->tables[sw], sw, host, ports);
		for (uint32_t port = 0; fabric_way_next(ports, &port); port++) {
			uint32_t vertex = vertex_behind(h, sw, port), to;

			if (vertex == NONE)
				continue;
			to = switch_of_vertex(h, vertex);
			fabric_way_out(h->s, &h->tables[to], to, host, beyond);
			for (int i = 0; i < WORDS; i++)
				h->next[vertex][i] |= beyond[i];
			if (h->visited[to])
				continue;
			h->visited[to] = true;
			h->queue[tail++] = to;
		}
	}
}

/* One host of each edge will do, unless routes are configured: those may tell hosts apart. */
static void
follow_all(struct hunt *h)
{
	bool configured = false;

	for (uint32_t sw = 0; sw < h->g->switch_count; sw++)
		configured |= h->s->switches[sw].cfg.forwarding.route_count != 0;
	for (uint32_t host = 0; host < h->g->host_count; host++) {
		struct host_place place = h->tables[0].directory->places[host];

		if (place.edge != HOST_ROUTES_NO_EDGE && (configured || place.slot == 0))
			follow(h, host);
	}
}

/* Which priorities pause the sender of each cable; false when there is none at all. */
static bool
find_priorities(struct hunt *h)
{
	bool any = false;

	for (uint32_t sw = 0; sw < h->g->switch_count; sw++) {
		for (uint32_t i = h->g->first[sw]; i < h->g->first[sw + 1]; i++) {
			const struct graph_arc *arc = &h->g->arcs[i];
			uint8_t enabled = h->s->switches[sw].ports[arc->port].port.pfc.enable;

			if (arc->to >= h->g->switch_count)
				continue;
			enabled &= h->s->switches[arc->to].ports[arc->to_port].port.pfc.enable;
			h->priorities[h->g->first_port[sw] + arc->port] = enabled;
			any |= enabled != 0;
		}
	}
	return any;
}

/* The part of the path from where it has come back to. */
static void
take_cycle(const struct hunt *h, uint32_t depth, uint32_t back_to, struct fabric_cycle *cycle)
{
	uint32_t from = depth;

	while (h->stack[from] != back_to)
		from--;
	cycle->count = depth - from + 1;
	cycle->priorities = 0xff;
	for (uint32_t i = from; i <= depth; i++) {
		struct cycle_hop hop = {.sw = switch_of_vertex(h, h->stack[i]),
					.port = (uint16_t)h->at[i]};

		cycle->priorities &= h->priorities[h->stack[i]];
		if (i - from < CYCLE_MAX_HOPS)
			cycle->hops[i - from] = hop;
	}
}

/* Depth first among the vertices of a priority; true when it came back to its own path. */
static bool
search(struct hunt *h, uint32_t root, uint8_t priority, struct fabric_cycle *cycle)
{
	uint32_t depth = 0;

	h->stack[0] = root;
	h->at[0] = 0;
	h->colours[root] = GREY;
	for (;;) {
		uint32_t vertex = h->stack[depth], to;

		if (!fabric_way_next(h->next[vertex], &h->at[depth])) {
			h->colours[vertex] = BLACK;
			if (depth == 0)
				return false;
			h->at[--depth]++;
			continue;
		}
		to = vertex_behind(h, switch_of_vertex(h, vertex), h->at[depth]);
		if (to != NONE && h->priorities[to] >> priority & 1 && h->colours[to] == GREY) {
			take_cycle(h, depth, to, cycle);
			return true;
		}
		if (to == NONE || !(h->priorities[to] >> priority & 1) || h->colours[to] == BLACK) {
			h->at[depth]++;
			continue;
		}
		h->colours[to] = GREY;
		h->stack[++depth] = to;
		h->at[depth] = 0;
	}
}

static void
search_all(struct hunt *h, struct fabric_cycle *cycle)
{
	for (uint8_t priority = 0; priority < 8; priority++) {
		memset(h->colours, WHITE, h->vertices);
		for (uint32_t i = 0; i < h->vertices; i++) {
			if (h->priorities[i] >> priority & 1 && h->colours[i] == WHITE &&
			    search(h, i, priority, cycle))
				return;
		}
	}
}

bool
fabric_cycles_may_be(const struct scenario *s, bool up_down)
{
	for (uint32_t i = 0; up_down && i < s->switch_count; i++) {
		const struct forwarding_cfg *f = &s->switches[i].cfg.forwarding;

		if (f->route_count != 0 || f->static_count != 0)
			return true;
	}
	return !up_down;
}

int
fabric_cycles_find(const struct fabric_graph *g, const struct scenario *s,
		   const struct host_routes *tables, struct fabric_cycle *cycle)
{
	struct hunt h = {.g = g, .s = s, .tables = tables};
	int rc = -ENOMEM;

	*cycle = (struct fabric_cycle){.count = 0};
	if (g->switch_count == 0)
		return 0;
	/* Ports of switches come first. */
	h.vertices = g->first_port[g->switch_count - 1] +
		     s->switches[g->switch_count - 1].cfg.port_count;
	h.next = calloc(h.vertices, sizeof(*h.next));
	h.priorities = calloc(h.vertices, 1);
	h.colours = calloc(h.vertices, 1);
	h.stack = calloc((size_t)h.vertices + 1, sizeof(*h.stack));
	h.at = calloc((size_t)h.vertices + 1, sizeof(*h.at));
	h.visited = calloc(g->switch_count, sizeof(*h.visited));
	h.queue = calloc(g->switch_count, sizeof(*h.queue));
	if (h.next != NULL && h.priorities != NULL && h.colours != NULL && h.stack != NULL &&
	    h.at != NULL && h.visited != NULL && h.queue != NULL) {
		rc = 0;
		if (find_priorities(&h)) {
			follow_all(&h);
			search_all(&h, cycle);
		}
	}
	free(h.next);
	free(h.priorities);
	free(h.colours);
	free(h.stack);
	free(h.at);
	free(h.visited);
	free(h.queue);
	return rc;
}

const char *
fabric_cycle_text(const struct scenario *s, const struct fabric_cycle *cycle, char *text,
		  size_t bytes)
{
	uint32_t shown = RTE_MIN(cycle->count, 8u);
	size_t used = 0;
	char at[32];

	text[0] = '\0';
	for (uint32_t i = 0; i < shown && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s:%u -> ",
					 s->switches[cycle->hops[i].sw].cfg.name,
					 cycle->hops[i].port);
	if (used < bytes && cycle->count > shown)
		used += (size_t)snprintf(text + used, bytes - used, "%u more -> ",
					 cycle->count - shown);
	if (used < bytes)
		used += (size_t)snprintf(text + used, bytes - used, "%s:%u, priority",
					 s->switches[cycle->hops[0].sw].cfg.name,
					 cycle->hops[0].port);
	for (int i = 0, n = 0; i < 8 && used < bytes; i++) {
		if (cycle->priorities >> i & 1)
			used += (size_t)snprintf(text + used, bytes - used, "%s%d",
						 n++ == 0 ? " " : ", ", i);
	}
	config_unit_format(CONFIG_UNIT_TIME, cycle->at_ps, at, sizeof(at));
	if (used < bytes && cycle->at_ps != 0)
		snprintf(text + used, bytes - used, ", by the routes from %s on", at);
	return text;
}

int
fabric_cycles_judge(const struct fabric_graph *g, const struct scenario *s, bool *up_down,
		    struct fabric_cycle *cycle)
{
	struct host_routes *tables = calloc((size_t)s->switch_count + 1, sizeof(*tables));
	struct host_directory directory = {.host_count = 0};
	int rc = tables == NULL ? -ENOMEM : 0;
	bool may_be;

	*cycle = (struct fabric_cycle){.count = 0};
	if (rc == 0)
		rc = fabric_routes_directory(&directory, g, s);
	if (rc == 0)
		rc = fabric_routes_up_down(g, up_down);
	may_be = rc == 0 && fabric_cycles_may_be(s, *up_down);
	if (may_be)
		rc = fabric_routes_compute(tables, &directory, g, s, *up_down);
	if (rc == 0 && may_be)
		rc = fabric_cycles_find(g, s, tables, cycle);
	if (rc == 0 && may_be)
		rc = fabric_cycles_after_failures(g, &directory, s, *up_down, cycle);
	if (tables != NULL)
		fabric_routes_free(tables, s->switch_count);
	free(tables);
	host_directory_fini(&directory);
	return rc;
}
