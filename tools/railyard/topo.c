/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *
topo_name(const struct topo *t, uint32_t node)
{
	const struct scenario *s = t->scenario;

	return node < s->switch_count ? s->switches[node].cfg.name
				      : s->hosts[node - s->switch_count].cfg.name;
}

/* Breadth first over switches from what is in queue[0..tail) at distance 0. */
static void
spread(const struct topo *t, uint32_t *distance, uint32_t *queue, uint32_t tail)
{
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t n = queue[head];

		for (uint32_t i = t->graph.first[n]; i < t->graph.first[n + 1]; i++) {
			uint32_t to = t->graph.arcs[i].to;

			if (to >= t->scenario->switch_count || distance[to] != TOPO_UNREACHED)
				continue;
			distance[to] = distance[n] + 1;
			queue[tail++] = to;
		}
	}
}

static bool
has_hosts(const struct topo *t, uint32_t sw)
{
	for (uint32_t i = t->graph.first[sw]; i < t->graph.first[sw + 1]; i++)
		if (t->graph.arcs[i].to >= t->scenario->switch_count)
			return true;
	return false;
}

static int
levels_init(struct topo *t)
{
	uint32_t switches = t->scenario->switch_count, tail = 0;
	uint32_t *queue = calloc(switches + 1, sizeof(*queue));

	t->level = calloc(switches + 1, sizeof(*t->level));
	if (queue == NULL || t->level == NULL) {
		free(queue);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < switches; i++) {
		t->level[i] = TOPO_UNREACHED;
		if (!has_hosts(t, i))
			continue;
		t->level[i] = 0;
		queue[tail++] = i;
	}
	spread(t, t->level, queue, tail);
	free(queue);
	return 0;
}

static struct topo_tier *
tier_named(struct topo *t, const char *name)
{
	for (uint32_t i = 0; i < t->tier_count; i++)
		if (strcmp(t->tiers[i].name, name) == 0)
			return &t->tiers[i];
	t->tiers[t->tier_count] =
		(struct topo_tier){.name = name, .level = TOPO_UNREACHED, .ports_min = UINT32_MAX};
	return &t->tiers[t->tier_count++];
}

static void
add_to_tier(const struct topo *t, uint32_t sw, struct topo_tier *tier)
{
	const struct scenario *s = t->scenario;
	uint32_t ports = s->switches[sw].cfg.port_count;

	if (tier->count++ == 0)
		tier->first = sw;
	tier->last = sw;
	tier->level = t->level[sw] < tier->level ? t->level[sw] : tier->level;
	tier->ports_min = ports < tier->ports_min ? ports : tier->ports_min;
	tier->ports_max = ports > tier->ports_max ? ports : tier->ports_max;
	for (uint32_t i = t->graph.first[sw]; i < t->graph.first[sw + 1]; i++) {
		uint64_t rate_bps = t->graph.rates_bps[t->graph.arcs[i].link];
		uint32_t to = t->graph.arcs[i].to;

		if (to >= s->switch_count || t->level[to] < t->level[sw]) {
			tier->links_down++;
			tier->down_bps += rate_bps;
		} else if (t->level[to] > t->level[sw]) {
			tier->links_up++;
			tier->up_bps += rate_bps;
		}
	}
}

static int
compare_tiers(const void *a, const void *b)
{
	const struct topo_tier *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int
tiers_init(struct topo *t)
{
	const struct scenario *s = t->scenario;

	t->tiers = calloc(s->switch_count + 1, sizeof(*t->tiers));
	t->tier_of = calloc(s->switch_count + 1, sizeof(*t->tier_of));
	if (t->tiers == NULL || t->tier_of == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->switch_count; i++)
		add_to_tier(t, i, tier_named(t, s->switches[i].tier));
	qsort(t->tiers, t->tier_count, sizeof(*t->tiers), compare_tiers);
	for (uint32_t i = 0; i < s->switch_count; i++)
		t->tier_of[i] = (uint32_t)(tier_named(t, s->switches[i].tier) - t->tiers);
	return 0;
}

int
topo_init(struct topo *t, const struct scenario *s)
{
	int rc;

	*t = (struct topo){.scenario = s, .node_count = s->switch_count + s->host_count};
	rc = fabric_graph_init(&t->graph, s);
	if (rc == 0)
		rc = levels_init(t);
	return rc != 0 ? rc : tiers_init(t);
}

void
topo_fini(struct topo *t)
{
	fabric_graph_fini(&t->graph);
	free(t->level);
	free(t->tiers);
	free(t->tier_of);
}

/* Add the pairs whose first host is at `sw` and whose second at any switch. */
static void
span_from(const struct topo *t, uint32_t sw, const uint32_t *hosts, const uint32_t *distance,
	  struct topo_span *span)
{
	for (uint32_t i = 0; i < t->scenario->switch_count; i++) {
		uint32_t others = hosts[i] - (i == sw), links = distance[i] + 2;

		if (hosts[i] == 0 || others == 0)
			continue;
		if (distance[i] == TOPO_UNREACHED) {
			span->unreachable += (uint64_t)hosts[sw] * others;
			continue;
		}
		span->links_min = links < span->links_min ? links : span->links_min;
		span->links_max = links > span->links_max ? links : span->links_max;
	}
}

int
topo_span_of(const struct topo *t, struct topo_span *span)
{
	uint32_t switches = t->scenario->switch_count;
	uint32_t *distance = calloc(switches + 1, sizeof(*distance));
	uint32_t *queue = calloc(switches + 1, sizeof(*queue));
	uint32_t *hosts = calloc(switches + 1, sizeof(*hosts));
	int rc = distance == NULL || queue == NULL || hosts == NULL ? -ENOMEM : 0;

	*span = (struct topo_span){.links_min = UINT32_MAX};
	for (uint32_t n = switches; rc == 0 && n < t->node_count; n++)
		for (uint32_t i = t->graph.first[n]; i < t->graph.first[n + 1]; i++)
			if (t->graph.arcs[i].to < switches)
				hosts[t->graph.arcs[i].to]++;
	for (uint32_t sw = 0; rc == 0 && sw < switches; sw++) {
		if (hosts[sw] == 0)
			continue;
		memset(distance, 0xff, switches * sizeof(*distance)); /* TOPO_UNREACHED */
		distance[sw] = 0;
		queue[0] = sw;
		spread(t, distance, queue, 1);
		span_from(t, sw, hosts, distance, span);
	}
	free(distance);
	free(queue);
	free(hosts);
	return rc;
}
