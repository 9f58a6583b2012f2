/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t
fabric_graph_rate_bps(const struct scenario *s, const struct scenario_link *link)
{
	const struct scenario_end *end = &link->a;

	return end->is_switch ? s->switches[end->index].ports[end->port].port.rate_bps
			      : s->hosts[end->index].cfg.port.rate_bps;
}

static uint32_t
node_of(const struct fabric_graph *g, const struct scenario_end *end)
{
	return end->is_switch ? end->index : g->switch_count + end->index;
}

static void
add_arc(struct fabric_graph *g, uint32_t *next, uint32_t link, const struct scenario_end *from,
	const struct scenario_end *to)
{
	uint32_t node = node_of(g, from);
	uint32_t at = next[node]++;

	g->by_port[g->first_port[node] + from->port] = at;
	g->arcs[at] = (struct graph_arc){
		.to = node_of(g, to), .link = link, .port = from->port, .to_port = to->port};
}

static void
fill(struct fabric_graph *g, const struct scenario *s, uint32_t *next)
{
	uint32_t nodes = g->switch_count + g->host_count;

	for (uint32_t i = 0; i < s->link_count; i++) {
		g->rates_bps[i] = fabric_graph_rate_bps(s, &s->links[i]);
		g->first[node_of(g, &s->links[i].a) + 1]++;
		g->first[node_of(g, &s->links[i].b) + 1]++;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		g->first[i + 1] += g->first[i];
		next[i] = g->first[i];
	}
	for (uint32_t i = 0; i < s->link_count; i++) {
		add_arc(g, next, i, &s->links[i].a, &s->links[i].b);
		add_arc(g, next, i, &s->links[i].b, &s->links[i].a);
	}
}

/* Breadth first from all hosts at once; `queue` has room for every switch. */
static void
find_levels(struct fabric_graph *g, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t sw = 0; sw < g->switch_count; sw++) {
		g->levels[sw] = UINT32_MAX;
		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			if (g->arcs[i].to >= g->switch_count)
				g->levels[sw] = 0;
		}
		if (g->levels[sw] == 0)
			queue[tail++] = sw;
	}
	while (head < tail) {
		uint32_t sw = queue[head++];

		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			uint32_t to = g->arcs[i].to;

			if (to >= g->switch_count || g->levels[to] != UINT32_MAX)
				continue;
			g->levels[to] = g->levels[sw] + 1;
			queue[tail++] = to;
		}
	}
	g->layered = tail == g->switch_count;
	for (uint32_t i = 0; i < tail; i++)
		g->by_level[i] = queue[tail - 1 - i];
}

static void
find_layers(struct fabric_graph *g, uint32_t *queue)
{
	find_levels(g, queue);
	for (uint32_t sw = 0; sw < g->switch_count; sw++) {
		for (uint32_t i = g->first[sw]; i < g->first[sw + 1]; i++) {
			uint32_t to = g->arcs[i].to;

			if (to < g->switch_count && g->levels[to] == g->levels[sw])
				g->layered = false;
		}
	}
}

int
fabric_graph_init(struct fabric_graph *g, const struct scenario *s)
{
	size_t nodes = (size_t)s->switch_count + s->host_count, ports = 0;
	uint32_t *next = calloc(nodes + 1, sizeof(*next));

	*g = (struct fabric_graph){.switch_count = s->switch_count, .host_count = s->host_count};
	g->first = calloc(nodes + 2, sizeof(*g->first));
	g->first_port = calloc(nodes + 1, sizeof(*g->first_port));
	g->arcs = calloc(2 * (size_t)s->link_count + 1, sizeof(*g->arcs));
	g->levels = calloc((size_t)s->switch_count + 1, sizeof(*g->levels));
	g->by_level = calloc((size_t)s->switch_count + 1, sizeof(*g->by_level));
	g->rates_bps = calloc((size_t)s->link_count + 1, sizeof(*g->rates_bps));
	for (size_t i = 0; g->first_port != NULL && i < nodes; i++) {
		g->first_port[i] = (uint32_t)ports;
		ports += i < s->switch_count ? s->switches[i].cfg.port_count : 1;
	}
	g->by_port = malloc((ports + 1) * sizeof(*g->by_port));
	if (next == NULL || g->first == NULL || g->first_port == NULL || g->arcs == NULL ||
	    g->rates_bps == NULL || g->by_port == NULL || g->levels == NULL ||
	    g->by_level == NULL) {
		free(next);
		fabric_graph_fini(g);
		return -ENOMEM;
	}
	memset(g->by_port, 0xff, (ports + 1) * sizeof(*g->by_port));
	fill(g, s, next);
	find_layers(g, next);
	free(next);
	return 0;
}

void
fabric_graph_fini(struct fabric_graph *g)
{
	free(g->first);
	free(g->first_port);
	free(g->by_port);
	free(g->arcs);
	free(g->rates_bps);
	free(g->levels);
	free(g->by_level);
	*g = (struct fabric_graph){0};
}
