/* SPDX-License-Identifier: BSD-3-Clause */
/* The routing of a fabric, held against distances worked out another way (Floyd and Warshall). */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "fabric_routes.h"
#include "prng.h"
#include "suite.h"
#include "topology.h"

struct bed {
	struct topology topology;
	struct fabric_graph graph;
	struct host_directory directory;
	struct host_routes *tables;
};

static void
bed_compute(struct bed *b, bool up_down)
{
	const struct scenario *s = &b->topology.scenario;

	fabric_routes_free(b->tables, s->switch_count);
	ck_assert_int_eq(fabric_routes_compute(b->tables, &b->directory, &b->graph, s, up_down), 0);
}

static bool
bed_route(struct bed *b)
{
	bool up_down = false;
	const struct scenario *s = &b->topology.scenario;

	ck_assert_int_eq(fabric_graph_init(&b->graph, s), 0);
	ck_assert_int_eq(fabric_routes_directory(&b->directory, &b->graph, s), 0);
	b->tables = calloc(s->switch_count, sizeof(*b->tables));
	ck_assert_int_eq(fabric_routes_up_down(&b->graph, &up_down), 0);
	bed_compute(b, up_down);
	return up_down;
}

static void
bed_close(struct bed *b)
{
	fabric_routes_free(b->tables, b->graph.switch_count);
	free(b->tables);
	host_directory_fini(&b->directory);
	fabric_graph_fini(&b->graph);
	topology_close(&b->topology);
}

/* Ports towards a host, in the order of the group. */
static uint16_t
ports_to(const struct bed *b, uint32_t sw, uint32_t host, uint16_t ports[64])
{
	const struct host_routes *r = &b->tables[sw];
	uint16_t group = host_routes_group(r, host);

	if (group == NEXT_HOPS_NONE)
		return 0;
	for (uint16_t i = 0; i < r->hops.groups[group].count; i++)
		ports[i] = next_hops_members(&r->hops, group)[i].port;
	return r->hops.groups[group].count;
}

enum { SWITCHES = 12, FAR = 1000 };

static void
distances(const struct scenario *s, const struct fabric_graph *g, int d[SWITCHES][SWITCHES])
{
	for (int i = 0; i < SWITCHES; i++) {
		for (int j = 0; j < SWITCHES; j++)
			d[i][j] = i == j ? 0 : FAR;
	}
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		if (l->a.is_switch && l->b.is_switch && g->rates_bps[i] != 0)
			d[l->a.index][l->b.index] = d[l->b.index][l->a.index] = 1;
	}
	for (int k = 0; k < SWITCHES; k++) {
		for (int i = 0; i < SWITCHES; i++) {
			for (int j = 0; j < SWITCHES; j++) {
				if (d[i][k] + d[k][j] < d[i][j])
					d[i][j] = d[i][k] + d[k][j];
			}
		}
	}
}

/* What the group of `sw` towards a host on `edge` must be: by links, in their order. */
static uint16_t
wanted_ports(const struct bed *b, int d[SWITCHES][SWITCHES], uint32_t sw, uint32_t edge,
	     uint32_t host, uint16_t ports[64])
{
	const struct scenario *s = &b->topology.scenario;
	uint16_t count = 0;

	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		for (int side = 0; side < 2; side++) {
			const struct scenario_end *x = side == 0 ? &l->a : &l->b;
			const struct scenario_end *y = side == 0 ? &l->b : &l->a;

			if (!x->is_switch || x->index != sw || b->graph.rates_bps[i] == 0)
				continue;
			if (y->is_switch ? sw != edge && d[y->index][edge] + 1 == d[sw][edge] &&
						   d[sw][edge] < FAR
					 : y->index == host)
				ports[count++] = x->port;
		}
	}
	return count;
}

static void
check_all(struct bed *b)
{
	int d[SWITCHES][SWITCHES];

	distances(&b->topology.scenario, &b->graph, d);
	for (uint32_t host = 0; host < SWITCHES; host++) {
		for (uint32_t sw = 0; sw < SWITCHES; sw++) {
			uint16_t got[64], wanted[64];
			uint16_t n = ports_to(b, sw, host, got);

			EXPECT(n == wanted_ports(b, d, sw, host, host, wanted));
			EXPECT(memcmp(got, wanted, n * sizeof(got[0])) == 0);
		}
	}
}

/* Random graphs, some in several parts, with parallel links; then again with links down. */
START_TEST(groups_are_all_shortest_paths)
{
	struct prng random = prng_init(_i, 1);
	struct bed b;

	topology_open(&b.topology, SWITCHES, 64, SWITCHES);
	for (uint32_t i = 0; i < SWITCHES; i++)
		topology_host(&b.topology, i, i);
	for (uint32_t n = 6 + prng_below(&random, 20); n > 0; n--) {
		uint32_t x = (uint32_t)prng_below(&random, SWITCHES);

		topology_cable(&b.topology, x,
			       (x + 1 + (uint32_t)prng_below(&random, SWITCHES - 1)) % SWITCHES);
	}
	bed_route(&b);
	bed_compute(&b, false);
	check_all(&b);
	for (int n = 0; n < 6; n++)
		b.graph.rates_bps[prng_below(&random, b.topology.scenario.link_count)] = 0;
	bed_compute(&b, false);
	check_all(&b);
	bed_close(&b);
}
END_TEST

/*
 * h0 - s0 - {s1, s2, s2} - s3 - h1, where s1 has one link to s3 and s2 two, one of them slow:
 * s0's members by what is behind them.
 */
START_TEST(weights_are_what_a_path_carries)
{
	const struct next_hop *m;
	uint16_t group;
	struct bed b;

	topology_open(&b.topology, 4, 8, 2);
	topology_host(&b.topology, 0, 0);
	topology_host(&b.topology, 1, 3);
	topology_cable(&b.topology, 0, 1);
	topology_cable(&b.topology, 0, 2);
	topology_cable(&b.topology, 0, 2);
	topology_cable(&b.topology, 1, 3);
	topology_cable(&b.topology, 2, 3);
	topology_cable(&b.topology, 2, 3);
	bed_route(&b);
	b.graph.rates_bps[5] = 25000000000;
	bed_compute(&b, false);
	group = host_routes_group(&b.tables[0], 1);
	ck_assert_uint_eq(b.tables[0].hops.groups[group].count, 3);
	m = next_hops_members(&b.tables[0].hops, group);
	ck_assert_uint_eq(m[0].weight, 25000);
	ck_assert_uint_eq(m[1].weight, 100000);
	ck_assert_uint_eq(m[2].weight, 100000);
	ck_assert_mem_eq(m[0].mac, b.topology.scenario.switches[1].ports[0].port.mac, 6);
	bed_close(&b);
}
END_TEST

/* Leaves 0 to 3 and spines 4 and 5; hosts 0 to 3. */
static void
leaf_spine(struct bed *b)
{
	topology_open(&b->topology, 6, 8, 4);
	for (uint32_t leaf = 0; leaf < 4; leaf++)
		topology_host(&b->topology, leaf, leaf);
	for (uint32_t i = 0; i < 8; i++)
		topology_cable(&b->topology, i / 2, 4 + i % 2);
}

/* Leaf 0 has lost spine 4 and leaf 1 spine 5: they could meet by another leaf, and must not. */
START_TEST(no_failure_makes_a_valley)
{
	uint16_t ports[64];
	struct bed b;

	leaf_spine(&b);
	ck_assert(bed_route(&b));
	ck_assert_uint_eq(ports_to(&b, 0, 1, ports), 2);
	b.graph.rates_bps[4] = 0; /* leaf 0 to spine 4, behind the hosts' four */
	b.graph.rates_bps[7] = 0;
	bed_compute(&b, true);
	ck_assert_uint_eq(ports_to(&b, 0, 1, ports), 0);
	ck_assert_uint_eq(ports_to(&b, 4, 0, ports), 0);
	ck_assert_uint_eq(ports_to(&b, 0, 2, ports), 1);
	ck_assert_uint_eq(ports[0], 2);
	ck_assert_uint_eq(ports_to(&b, 2, 0, ports), 1);
	ck_assert_uint_eq(ports[0], 2);
	ck_assert_uint_eq(ports_to(&b, 2, 3, ports), 2);
	/* Shortest paths would: leaf 0, spine 5, leaf 2 or 3, spine 4, leaf 1. */
	bed_compute(&b, false);
	ck_assert_uint_eq(ports_to(&b, 0, 1, ports), 1);
	bed_close(&b);
}
END_TEST

/* Two pods of 3 leaves and 2 spines; 2 cores above all spines. Switches by level: 6, 4, 2. */
static void
two_pods(struct bed *b)
{
	topology_open(&b->topology, 12, 16, 6);
	for (uint32_t leaf = 0; leaf < 6; leaf++)
		topology_host(&b->topology, leaf, leaf);
	for (uint32_t leaf = 0; leaf < 6; leaf++) {
		topology_cable(&b->topology, leaf, 6 + leaf / 3 * 2);
		topology_cable(&b->topology, leaf, 6 + leaf / 3 * 2 + 1);
	}
	for (uint32_t i = 0; i < 8; i++)
		topology_cable(&b->topology, 6 + i / 2, 10 + i % 2);
}

/*
 * The shortest way from a switch to an edge, down only when it has been down before, by relaxing
 * until nothing changes: [0] going down only, [1] up first.
 */
static void
up_down_distances(const struct bed *b, uint32_t edge, uint32_t d[SWITCHES][2])
{
	const struct fabric_graph *g = &b->graph;
	bool changed = true;

	for (uint32_t i = 0; i < SWITCHES; i++)
		d[i][0] = d[i][1] = i == edge ? 0 : FAR;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < g->first[SWITCHES]; i++) {
			const struct graph_arc *arc = &g->arcs[i];
			uint32_t from = 0, down, any;

			while (g->first[from + 1] <= i)
				from++;
			if (arc->to >= SWITCHES || !fabric_graph_is_up(g, arc))
				continue;
			down = g->levels[arc->to] < g->levels[from] ? d[arc->to][0] + 1 : FAR;
			any = g->levels[arc->to] > g->levels[from] ? d[arc->to][1] + 1 : down;
			changed |= down < d[from][0] || any < d[from][1];
			d[from][0] = RTE_MIN(d[from][0], down);
			d[from][1] = RTE_MIN(d[from][1], any);
		}
	}
}

/* Every way on goes down where there is a way down, by the shortest of them; else up. */
static void
check_up_down(const struct bed *b, uint32_t sw, uint32_t edge)
{
	uint32_t d[SWITCHES][2];
	uint16_t ports[64], count = ports_to(b, sw, edge, ports);

	up_down_distances(b, edge, d);
	EXPECT((count != 0) == (d[sw][1] < FAR));
	for (uint16_t i = 0; sw != edge && i < count; i++) {
		uint32_t to = fabric_graph_behind(&b->graph, sw, ports[i])->to;

		if (d[sw][0] < FAR)
			EXPECT(b->graph.levels[to] < b->graph.levels[sw] &&
			       d[to][0] + 1 == d[sw][0]);
		else
			EXPECT(b->graph.levels[to] > b->graph.levels[sw] && d[to][1] < FAR);
	}
}

START_TEST(random_failures_make_no_valley)
{
	struct prng random = prng_init(_i, 2);
	struct bed b;

	two_pods(&b);
	ck_assert(bed_route(&b));
	for (int n = 0; n < 7; n++)
		b.graph.rates_bps[6 + prng_below(&random, b.topology.scenario.link_count - 6)] = 0;
	bed_compute(&b, true);
	for (uint32_t edge = 0; edge < 6; edge++) {
		for (uint32_t sw = 0; sw < SWITCHES; sw++)
			check_up_down(&b, sw, edge);
	}
	bed_close(&b);
}
END_TEST

/* Fat-trees are; chains whose ends and middle have hosts, rings and leaves in a row are not. */
START_TEST(clos_networks_are_known)
{
	struct bed b;

	topology_open(&b.topology, 20, 4, 16); /* k = 4: 8 edges, 8 aggregations, 4 cores */
	for (uint32_t i = 0; i < 16; i++) {
		topology_host(&b.topology, i, i / 2);
		topology_cable(&b.topology, i / 2, 8 + i / 4 * 2 + i % 2);
		topology_cable(&b.topology, 8 + i / 2, 16 + i / 2 % 2 * 2 + i % 2);
	}
	ck_assert(bed_route(&b));
	bed_close(&b);
	topology_open(&b.topology, 5, 4, 3); /* h s - s - h s - s - h s */
	for (uint32_t i = 0; i < 5; i++) {
		if (i % 2 == 0)
			topology_host(&b.topology, i / 2, i);
		if (i != 0)
			topology_cable(&b.topology, i - 1, i);
	}
	ck_assert(!bed_route(&b));
	bed_close(&b);
	topology_open(&b.topology, 3, 4, 3);
	for (uint32_t i = 0; i < 3; i++) {
		topology_host(&b.topology, i, i);
		topology_cable(&b.topology, i, (i + 1) % 3);
	}
	ck_assert(!bed_route(&b));
	bed_close(&b);
}
END_TEST

/* Towards bridges the address is the host's own: zero in the group, which all hosts share. */
START_TEST(bridges_leave_the_address_open)
{
	static const uint8_t none[6];
	uint16_t group;
	struct bed b;

	topology_open(&b.topology, 2, 8, 3);
	b.topology.scenario.switches[1].cfg.forwarding.layer3 = false;
	topology_host(&b.topology, 0, 0);
	topology_host(&b.topology, 1, 1);
	topology_host(&b.topology, 2, 1);
	topology_cable(&b.topology, 0, 1);
	bed_route(&b);
	group = host_routes_group(&b.tables[0], 1);
	ck_assert_uint_eq(group, host_routes_group(&b.tables[0], 2));
	ck_assert_mem_eq(next_hops_members(&b.tables[0].hops, group)->mac, none, 6);
	bed_close(&b);
}
END_TEST

/*
 * 24,576 hosts at 768 leaves; pods of 24 leaves meet at 22 aggregation switches each, and pods at
 * 44 cores. Few groups, little memory.
 */
START_TEST(large_fabrics_are_small)
{
	enum { PODS = 32, LEAVES = 24, AGGS = 22, CORES = 44, HOSTS = 32 };
	uint32_t leaf = 0, agg = PODS * LEAVES, core = agg + PODS * AGGS;
	size_t bytes = 0;
	struct bed b;

	topology_open(&b.topology, core + CORES, 128, PODS * LEAVES * HOSTS);
	for (uint32_t i = 0; i < PODS * LEAVES * HOSTS; i++)
		topology_host(&b.topology, i, leaf + i / HOSTS);
	for (uint32_t i = 0; i < PODS * LEAVES * AGGS; i++)
		topology_cable(&b.topology, leaf + i / AGGS,
			       agg + i / AGGS / LEAVES * AGGS + i % AGGS);
	for (uint32_t i = 0; i < PODS * AGGS; i++) {
		topology_cable(&b.topology, agg + i, core + i % AGGS * 2);
		topology_cable(&b.topology, agg + i, core + i % AGGS * 2 + 1);
	}
	bed_route(&b);
	ck_assert_uint_eq(b.graph.switch_count, 1516);
	for (uint32_t i = 0; i < b.graph.switch_count; i++) {
		const struct host_routes *r = &b.tables[i];

		bytes += r->hops.group_size * sizeof(*r->hops.groups) +
			 r->hops.member_size * sizeof(*r->hops.members) +
			 r->hops.slot_count * sizeof(*r->hops.slots) +
			 (r->edge_count + r->slot_count) * sizeof(*r->by_edge);
	}
	/* A leaf: a group for each of its hosts and one up. */
	ck_assert_uint_eq(b.tables[0].hops.group_count, HOSTS + 1);
	ck_assert_uint_eq(b.tables[agg].hops.group_count, LEAVES + 1);
	ck_assert_uint_eq(b.tables[core].hops.group_count, PODS);
	ck_assert_uint_lt(bytes, 16u << 20);
	bed_close(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("routes");
	TCase *t = suite_topic(suite, "paths");

	tcase_add_loop_test(t, groups_are_all_shortest_paths, 0, 200);
	tcase_add_test(t, weights_are_what_a_path_carries);
	tcase_add_test(t, no_failure_makes_a_valley);
	tcase_add_loop_test(t, random_failures_make_no_valley, 0, 300);
	tcase_add_test(t, clos_networks_are_known);
	tcase_add_test(t, bridges_leave_the_address_open);
	t = suite_topic(suite, "size");
	tcase_add_test(t, large_fabrics_are_small);
	return suite_run(suite);
}
