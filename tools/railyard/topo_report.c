/* SPDX-License-Identifier: BSD-3-Clause */
/* A network in words and numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "topo.h"

static const char *
format_span(uint64_t low, uint64_t high, char text[80])
{
	if (low == high)
		snprintf(text, 80, "%s", human_count(low).text);
	else
		snprintf(text, 80, "%s-%s", human_count(low).text, human_count(high).text);
	return text;
}

/* Per switch; "-" where there is nothing in that direction. */
static const char *
format_capacity(uint32_t links, uint64_t rate_bps, uint32_t switches, char text[80])
{
	if (links == 0)
		return "-";
	if (links % switches == 0)
		snprintf(text, 80, "%u x %s", links / switches,
			 human_rate_bps((double)rate_bps / links).text);
	else
		snprintf(text, 80, "%s", human_rate_bps((double)rate_bps / switches).text);
	return text;
}

static void
print_tiers(const struct topo *t)
{
	printf("Switches  %s\n", human_count(t->scenario->switch_count).text);
	if (t->tier_count == 0)
		return;
	printf("          %-14s %8s %7s  %-14s %-14s %s\n", "tier", "switches", "ports",
	       "each down", "each up", "down:up");
	for (uint32_t i = 0; i < t->tier_count; i++) {
		const struct topo_tier *tier = &t->tiers[i];
		char ports[80], down[80], up[80], ratio[32] = "-";

		if (tier->up_bps > 0)
			snprintf(ratio, sizeof(ratio), "%.4g:1",
				 (double)tier->down_bps / (double)tier->up_bps);
		printf("          %-14s %8s %7s  %-14s %-14s %s\n", tier->name,
		       human_count(tier->count).text,
		       format_span(tier->ports_min, tier->ports_max, ports),
		       format_capacity(tier->links_down, tier->down_bps, tier->count, down),
		       format_capacity(tier->links_up, tier->up_bps, tier->count, up), ratio);
	}
}

static void
print_hosts(const struct topo *t)
{
	const struct scenario *s = t->scenario;

	printf("Hosts     %s", human_count(s->host_count).text);
	if (s->host_count > 1)
		printf(", %s to %s", s->hosts[0].cfg.name, s->hosts[s->host_count - 1].cfg.name);
	putchar('\n');
}

/* Cables between two ranks (rank_of()), of one rate and delay. */
struct kind {
	uint32_t low;
	uint32_t high;
	uint64_t rate_bps;
	uint64_t delay_ps;
	uint32_t count;
};

static int
compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return memcmp(x, y, offsetof(struct kind, count));
}

/* Hosts, then tiers as they stand. */
static uint32_t
rank_of(const struct topo *t, const struct scenario_end *end)
{
	return end->is_switch ? t->tier_of[end->index] + 1 : 0;
}

static const char *
rank_name(const struct topo *t, uint32_t rank)
{
	return rank == 0 ? "hosts" : t->tiers[rank - 1].name;
}

static int
print_links(const struct topo *t)
{
	const struct scenario *s = t->scenario;
	struct kind *kinds = calloc(s->link_count + 1, sizeof(*kinds));

	printf("Links     %s\n", human_count(s->link_count).text);
	if (kinds == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->link_count; i++) {
		uint32_t a = rank_of(t, &s->links[i].a), b = rank_of(t, &s->links[i].b);

		kinds[i] = (struct kind){.low = a < b ? a : b,
					 .high = a < b ? b : a,
					 .rate_bps = t->graph.rates_bps[i],
					 .delay_ps = s->links[i].delay_ps};
	}
	qsort(kinds, s->link_count, sizeof(*kinds), compare_kinds);
	if (s->link_count > 0)
		printf("          %-16s %-16s %8s  %-10s %s\n", "from", "to", "links", "rate",
		       "delay");
	for (uint32_t i = 0, n; i < s->link_count; i += n) {
		for (n = 1; i + n < s->link_count && compare_kinds(&kinds[i], &kinds[i + n]) == 0;)
			n++;
		printf("          %-16s %-16s %8s  %-10s %s\n", rank_name(t, kinds[i].low),
		       rank_name(t, kinds[i].high), human_count(n).text,
		       human_rate_bps((double)kinds[i].rate_bps).text,
		       human_time_us((double)kinds[i].delay_ps / 1e6).text);
	}
	free(kinds);
	return 0;
}

static int
print_bisection(const struct topo *t)
{
	uint32_t hosts = t->scenario->host_count;
	uint64_t flow_bps, send_bps;
	int rc;

	if (hosts < 2)
		return 0;
	rc = topo_flow(t, hosts / 2, &flow_bps, &send_bps);
	if (rc == 0)
		printf("Bisection %s from the first half of the hosts to the second,\n"
		       "          %s of what their NICs can send\n",
		       human_rate_bps((double)flow_bps).text,
		       human_percent((double)flow_bps / (double)send_bps).text);
	return rc;
}

static void
print_pair(const struct topo *t, const struct topo_paths *p)
{
	char most[24] = "";

	if (p->links != p->links_max)
		snprintf(most, sizeof(most), " to %u", p->links_max);
	if (p->links == TOPO_UNREACHED)
		puts("none");
	else
		printf("%s path%s of %u%s links, %s on the way at least\n",
		       human_count(p->count).text, p->count == 1 ? "" : "s", p->links, most,
		       human_time_us((double)p->delay_ps / 1e6).text);
	if (p->stray == TOPO_STRAY_LOOP)
		printf("          routes lead back to %s: what goes round is dropped as ttl\n",
		       topo_name(t, p->stray_at));
	else if (p->stray == TOPO_STRAY_END)
		printf("          routes lead to %s, which has no way on\n",
		       topo_name(t, p->stray_at));
}

static int
print_paths(const struct topo *t, const uint32_t pair[2])
{
	const struct scenario *s = t->scenario;
	struct topo_paths paths;
	struct topo_span span;
	int rc;

	if (s->host_count < 2)
		return 0;
	rc = topo_paths_between(t, pair[0], pair[1], &paths);
	if (rc == 0)
		rc = topo_span_of(t, &span);
	if (rc != 0)
		return rc;
	printf("Paths     %s to %s: ", s->hosts[pair[0]].cfg.name, s->hosts[pair[1]].cfg.name);
	print_pair(t, &paths);
	if (span.links_min <= span.links_max) {
		printf("          shortest paths of all pairs: %u", span.links_min);
		if (span.links_min < span.links_max)
			printf(" to %u", span.links_max);
		puts(" links");
	}
	if (span.unreachable > 0)
		printf("          %s pairs of hosts have none\n",
		       human_count(span.unreachable).text);
	return 0;
}

int
topo_print(const struct topo *t, const uint32_t pair[2])
{
	int rc;

	print_tiers(t);
	print_hosts(t);
	rc = print_links(t);
	if (rc == 0)
		rc = print_bisection(t);
	if (rc == 0)
		rc = print_paths(t, pair);
	return rc != 0 || t->scenario->switch_count == 0 ? rc : topo_print_routing(t);
}
