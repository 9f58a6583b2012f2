/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shortest paths, breadth first from each edge switch. To a member's weight counts what the path
 * behind it can carry: the least of its links, where paths that part again add up.
 */
#include "fabric_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define UNREACHED UINT32_MAX
#define MBPS 1000000u

/* How a switch reaches the edge. */
enum course { NOT, DOWN, UP };

struct search {
	const struct scenario *scenario;
	const struct fabric_graph *graph;
	const struct host_directory *directory;
	struct host_routes *tables;
	bool up_down;
	uint32_t *distance; /* by switch */
	uint8_t *course;    /* the same */
	uint32_t *queue;    /* switches that reach it, behind those that they use */
	uint32_t reached;
	uint32_t *capacity; /* by switch, towards the edge, in Mb/s */
	struct next_hop *members;
};

int
fabric_routes_directory(struct host_directory *d, const struct fabric_graph *g,
			const struct scenario *s)
{
	struct host_address *addresses;
	int rc;

	if (g->switch_count >= HOST_ROUTES_NO_EDGE)
		return -E2BIG;
	addresses = calloc((size_t)s->host_count + 1, sizeof(*addresses));
	if (addresses == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->host_count; i++) {
		memcpy(addresses[i].ip, s->hosts[i].address.ip, sizeof(addresses[i].ip));
		addresses[i].is_ipv6 = s->hosts[i].address.is_ipv6;
	}
	rc = host_directory_init(d, addresses, s->host_count);
	free(addresses);
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; i < s->host_count; i++)
		memcpy(d->macs[i], s->hosts[i].address.mac, 6);
	for (uint32_t sw = 0; sw < g->switch_count; sw++) {
		uint16_t slot = 0;

		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			struct host_place place = {.edge = (uint16_t)sw, .slot = slot};

			if (g->arcs[i].to < g->switch_count)
				continue;
			d->places[g->arcs[i].to - g->switch_count] = place;
			slot++;
		}
	}
	return 0;
}

/* Whether `sw` may use the arc to a switch that is nearer to the edge. */
static bool
may_use(const struct search *q, uint32_t sw, const struct graph_arc *arc, enum course course)
{
	const struct fabric_graph *g = q->graph;

	if (arc->to >= g->switch_count || !fabric_graph_is_up(g, arc) || q->course[arc->to] == NOT)
		return false;
	if (!q->up_down)
		return true;
	return course == DOWN ? q->course[arc->to] == DOWN && g->levels[arc->to] < g->levels[sw]
			      : g->levels[arc->to] > g->levels[sw];
}

/* Breadth first from the edge; with up_down only upwards, so that paths to it only go down. */
static void
search_near(struct search *q, uint32_t edge)
{
	const struct fabric_graph *g = q->graph;
	uint32_t head = 0;

	memset(q->distance, 0xff, g->switch_count * sizeof(*q->distance));
	memset(q->course, NOT, g->switch_count * sizeof(*q->course));
	q->reached = 0;
	q->distance[edge] = 0;
	q->course[edge] = DOWN;
	q->queue[q->reached++] = edge;
	while (head < q->reached) {
		uint32_t sw = q->queue[head++];

		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[i];

			if (arc->to >= g->switch_count || q->course[arc->to] != NOT ||
			    !fabric_graph_is_up(g, arc) ||
			    (q->up_down && g->levels[arc->to] < g->levels[sw]))
				continue;
			q->distance[arc->to] = q->distance[sw] + 1;
			q->course[arc->to] = DOWN;
			q->queue[q->reached++] = arc->to;
		}
	}
}

/* The rest goes up: those above have been decided before those below. */
static void
search_up(struct search *q)
{
	const struct fabric_graph *g = q->graph;

	for (uint32_t n = 0; n < g->switch_count; n++) {
		uint32_t sw = g->by_level[n];

		if (q->course[sw] != NOT)
			continue;
		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[i];

			if (may_use(q, sw, arc, UP) && q->distance[arc->to] < q->distance[sw] - 1)
				q->distance[sw] = q->distance[arc->to] + 1;
		}
		if (q->distance[sw] == UNREACHED)
			continue;
		q->course[sw] = UP;
		q->queue[q->reached++] = sw;
	}
}

static void
search_from(struct search *q, uint32_t edge)
{
	search_near(q, edge);
	if (q->up_down)
		search_up(q);
}

static uint32_t
rate_mbps(const struct fabric_graph *g, const struct graph_arc *arc)
{
	uint64_t mbps = g->rates_bps[arc->link] / MBPS;

	return mbps == 0 ? 1 : mbps > UINT32_MAX ? UINT32_MAX : (uint32_t)mbps;
}

/*
 * The address that a router's frame carries when it leaves for a switch: that of the next
 * router's port, or (zero) the host's own where bridges are in between: they know it, and a
 * router behind them routes whatever it gets.
 */
static void
address_behind(const struct scenario *s, const struct graph_arc *arc, uint8_t mac[6])
{
	const struct scenario_switch *sw = &s->switches[arc->to];

	if (sw->cfg.forwarding.layer3)
		memcpy(mac, sw->ports[arc->to_port].port.mac, 6);
}

/* The ports of `sw` on a shortest path to the edge. */
static uint16_t
members_of(struct search *q, uint32_t sw)
{
	const struct fabric_graph *g = q->graph;
	uint64_t capacity = 0;
	uint16_t count = 0;

	for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[i];
		struct next_hop *hop = &q->members[count];

		if (!may_use(q, sw, arc, q->course[sw]) ||
		    q->distance[arc->to] + 1 != q->distance[sw])
			continue;
		*hop = (struct next_hop){.port = arc->port,
					 .weight =
						 RTE_MIN(rate_mbps(g, arc), q->capacity[arc->to])};
		address_behind(q->scenario, arc, hop->mac);
		capacity += hop->weight;
		count++;
	}
	q->capacity[sw] = (uint32_t)RTE_MIN(capacity, UINT32_MAX);
	return count;
}

/* The hosts of the edge itself. */
static int
route_attached(struct search *q, uint32_t edge)
{
	const struct fabric_graph *g = q->graph;
	struct host_routes *table = &q->tables[edge];
	int rc = 0;

	table->by_edge[edge] = HOST_ROUTES_HERE;
	q->capacity[edge] = UINT32_MAX;
	for (uint32_t i = g->first[edge]; rc == 0 && i < g->first[edge + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[i];
		struct next_hop hop = {.port = arc->port, .weight = rate_mbps(g, arc)};
		uint32_t host = arc->to - g->switch_count;

		if (arc->to < g->switch_count || !fabric_graph_is_up(g, arc))
			continue;
		memcpy(hop.mac, q->directory->macs[host], 6);
		rc = next_hops_add(&table->hops, &hop, 1,
				   &table->by_slot[q->directory->places[host].slot]);
	}
	return rc;
}

static int
route_to(struct search *q, uint32_t edge)
{
	int rc = route_attached(q, edge);

	search_from(q, edge);
	for (uint32_t n = 1; rc == 0 && n < q->reached; n++) {
		uint32_t sw = q->queue[n];
		struct host_routes *table = &q->tables[sw];
		uint16_t count = members_of(q, sw);

		rc = next_hops_add(&table->hops, q->members, count, &table->by_edge[edge]);
	}
	return rc;
}

/* How many hosts hang on a switch: 0 = it is no edge. */
static uint32_t
attached_hosts(const struct fabric_graph *g, uint32_t sw)
{
	uint32_t count = 0;

	for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++)
		count += g->arcs[i].to >= g->switch_count;
	return count;
}

static int
compute(struct search *q)
{
	const struct fabric_graph *g = q->graph;
	int rc = 0;

	for (uint32_t sw = 0; rc == 0 && sw < g->switch_count; sw++)
		rc = host_routes_init(&q->tables[sw], q->directory, g->switch_count,
				      attached_hosts(g, sw));
	for (uint32_t sw = 0; rc == 0 && sw < g->switch_count; sw++) {
		if (attached_hosts(g, sw) != 0)
			rc = route_to(q, sw);
	}
	return rc;
}

static int
search_init(struct search *q)
{
	size_t count = (size_t)q->graph->switch_count + 1;

	q->distance = malloc(count * sizeof(*q->distance));
	q->course = malloc(count * sizeof(*q->course));
	q->queue = malloc(count * sizeof(*q->queue));
	q->capacity = calloc(count, sizeof(*q->capacity));
	q->members = calloc(SWITCH_MAX_PORTS, sizeof(*q->members));
	return q->distance == NULL || q->course == NULL || q->queue == NULL ||
			       q->capacity == NULL || q->members == NULL
		       ? -ENOMEM
		       : 0;
}

static void
search_fini(struct search *q)
{
	free(q->distance);
	free(q->course);
	free(q->queue);
	free(q->capacity);
	free(q->members);
}

int
fabric_routes_up_down(const struct fabric_graph *g, bool *up_down)
{
	size_t bytes = ((size_t)g->switch_count + 1) * sizeof(uint32_t);
	struct search q = {.graph = g};
	uint32_t *shortest = malloc(bytes);
	int rc = search_init(&q);

	*up_down = g->layered;
	for (uint32_t sw = 0; rc == 0 && shortest != NULL && *up_down && sw < g->switch_count;
	     sw++) {
		if (g->levels[sw] != 0)
			continue;
		q.up_down = false;
		search_from(&q, sw);
		memcpy(shortest, q.distance, g->switch_count * sizeof(*shortest));
		q.up_down = true;
		search_from(&q, sw);
		*up_down = memcmp(shortest, q.distance, g->switch_count * sizeof(*shortest)) == 0;
	}
	search_fini(&q);
	rc = shortest == NULL ? -ENOMEM : rc;
	free(shortest);
	return rc;
}

int
fabric_routes_compute(struct host_routes *tables, const struct host_directory *d,
		      const struct fabric_graph *g, const struct scenario *s, bool up_down)
{
	struct search q = {
		.scenario = s, .graph = g, .directory = d, .tables = tables, .up_down = up_down};
	int rc;

	memset(tables, 0, g->switch_count * sizeof(*tables));
	rc = search_init(&q);
	if (rc == 0)
		rc = compute(&q);
	search_fini(&q);
	if (rc != 0)
		fabric_routes_free(tables, g->switch_count);
	return rc;
}

void
fabric_routes_free(struct host_routes *tables, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		host_routes_fini(&tables[i]);
}
