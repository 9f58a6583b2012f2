/* SPDX-License-Identifier: BSD-3-Clause */
/* Cyclic buffer dependencies, found where they are and only there. */
#include <check.h>
#include <string.h>

#include "fabric_cycles.h"
#include "suite.h"
#include "topology.h"

static struct topology topology;
static struct fabric_cycle cycle;

static void
enable_pfc(uint8_t priorities)
{
	struct scenario *s = &topology.scenario;

	for (uint32_t i = 0; i < s->switch_count; i++) {
		for (uint16_t port = 0; port < s->switches[i].cfg.port_count; port++)
			s->switches[i].ports[port].port.pfc.enable = priorities;
	}
}

/* Routes by shortest paths, or up-down where that is known to do, then the search. */
static void
find(void)
{
	struct scenario *s = &topology.scenario;
	struct host_routes *tables = calloc(s->switch_count, sizeof(*tables));
	struct host_directory directory;
	struct fabric_graph graph;

	ck_assert_int_eq(fabric_graph_init(&graph, s), 0);
	ck_assert_int_eq(fabric_routes_directory(&directory, &graph, s), 0);
	ck_assert_int_eq(fabric_routes_compute(tables, &directory, &graph, s, false), 0);
	ck_assert_int_eq(fabric_cycles_find(&graph, s, tables, &cycle), 0);
	fabric_routes_free(tables, s->switch_count);
	free(tables);
	host_directory_fini(&directory);
	fabric_graph_fini(&graph);
}

/* Port 0 to the host, 1 clockwise, 2 back; the last cable comes first at switch 0. */
static void
ring(uint32_t switches)
{
	topology_open(&topology, switches, 4, switches);
	for (uint32_t i = 0; i < switches; i++)
		topology_host(&topology, i, i);
	for (uint32_t i = 0; i < switches; i++) {
		struct scenario_end a = {.is_switch = true, .index = i, .port = 1};
		struct scenario_end b = {.is_switch = true, .index = (i + 1) % switches, .port = 2};

		topology_link(&topology, a, b);
	}
	enable_pfc(1 << 3 | 1 << 4);
}

/* Switch `sw` sends what is for `host` clockwise. */
static void
clockwise(struct route_cfg *route, uint32_t sw, uint32_t host)
{
	struct scenario_switch *s = &topology.scenario.switches[sw];

	*route = (struct route_cfg){.prefix_bits = 32, .hop = {.member_count = 1, .ports = {1}}};
	memcpy(route->address, topology.scenario.hosts[host].address.ip, 4);
	s->cfg.forwarding.routes = route;
	s->cfg.forwarding.route_count = 1;
}

/* Shortest paths of a ring of three have one cable between switches: nothing waits for the next. */
START_TEST(ring_of_three_is_safe_by_shortest_paths)
{
	ring(3);
	find();
	ck_assert_uint_eq(cycle.count, 0);
	topology_close(&topology);
}
END_TEST

START_TEST(ring_of_three_closes_by_configured_routes)
{
	struct route_cfg routes[3];
	char text[200];

	ring(3);
	for (uint32_t i = 0; i < 3; i++)
		clockwise(&routes[i], i, (i + 2) % 3);
	find();
	ck_assert_uint_eq(cycle.count, 3);
	ck_assert_uint_eq(cycle.priorities, 1 << 3 | 1 << 4);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(cycle.hops[(i + 1) % 3].sw, (cycle.hops[i].sw + 1) % 3);
		ck_assert_uint_eq(cycle.hops[i].port, 1);
	}
	fabric_cycle_text(&topology.scenario, &cycle, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "s0:1 -> s1:1"));
	ck_assert_ptr_nonnull(strstr(text, ", priority 3, 4"));
	/* A priority that one cable does not pause closes nothing; nor does a pair of routes. */
	topology.scenario.switches[1].ports[1].port.pfc.enable = 1 << 4;
	find();
	ck_assert_uint_eq(cycle.priorities, 1 << 4);
	topology.scenario.switches[1].ports[1].port.pfc.enable = 0;
	find();
	ck_assert_uint_eq(cycle.count, 0);
	topology.scenario.switches[1].ports[1].port.pfc.enable = 1 << 3;
	topology.scenario.switches[2].cfg.forwarding.route_count = 0;
	find();
	ck_assert_uint_eq(cycle.count, 0);
	topology_close(&topology);
}
END_TEST

/* From five switches on shortest paths go over two cables, either way round. */
START_TEST(larger_rings_close_by_themselves)
{
	ring(5);
	find();
	ck_assert_uint_eq(cycle.count, 5);
	topology_close(&topology);
}
END_TEST

/* Up, then down: leaves and spines, with shortest paths that do the same. */
START_TEST(leaves_and_spines_close_nothing)
{
	topology_open(&topology, 12, 16, 32);
	for (uint32_t i = 0; i < 32; i++)
		topology_host(&topology, i, i / 4);
	for (uint32_t i = 0; i < 32; i++)
		topology_cable(&topology, i / 4, 8 + i % 4);
	enable_pfc(1 << 3);
	find();
	ck_assert_uint_eq(cycle.count, 0);
	topology_close(&topology);
}
END_TEST

/* Valleys that failures make shortest: two leaves of four reach each other over a third. */
START_TEST(valleys_close_a_cycle)
{
	/* Leaf i has lost spine i: what is for it is on its way up at the next leaf. */
	topology_open(&topology, 6, 8, 3);
	for (uint32_t i = 0; i < 3; i++) {
		topology_host(&topology, i, i);
		topology_cable(&topology, i, 3 + i);
		topology_cable(&topology, 3 + i, (i + 1) % 3);
	}
	enable_pfc(1 << 3);
	find();
	/* One spine each between neighbours: leaves do not transit. */
	ck_assert_uint_eq(cycle.count, 0);
	topology_close(&topology);
	topology_open(&topology, 10, 8, 5);
	for (uint32_t i = 0; i < 5; i++) {
		topology_host(&topology, i, i);
		topology_cable(&topology, i, 5 + i);
		topology_cable(&topology, 5 + i, (i + 1) % 5);
	}
	enable_pfc(1 << 3);
	find();
	ck_assert_uint_eq(cycle.count, 10);
	topology_close(&topology);
}
END_TEST

/*
 * Five switches, each linked to each: no path between two has another cable to wait for. The
 * diagonals fail one after another: 0-2, 0-3, 1-3, 1-4, 2-4. With the fourth, 0-1-2-4 is a ring
 * without diagonals, and paths of two cables lead both ways round; with 0-2 back by then, 0-2-3-4
 * is one with the fifth.
 */
START_TEST(failures_leave_a_ring)
{
	struct scenario_failure failures[5];
	struct fabric_graph graph;
	uint32_t failed = 0;
	bool up_down;
	char text[200];

	topology_open(&topology, 5, 5, 5);
	for (uint32_t i = 0; i < 5; i++)
		topology_host(&topology, i, i);
	for (uint32_t i = 0; i < 5; i++) {
		for (uint32_t j = i + 1; j < 5; j++) {
			if (j - i != 1 && j - i != 4) {
				failures[failed] = (struct scenario_failure){
					.link = topology.scenario.link_count,
					.down = true,
					.at_ps = (100 + 100 * failed) * UNITS_PS_PER_US,
					.until_ps = UNITS_NEVER_PS};
				failed++;
			}
			topology_cable(&topology, i, j);
		}
	}
	ck_assert_uint_eq(failed, 5);
	topology.scenario.routing.reroute_ps = 50 * UNITS_PS_PER_US;
	enable_pfc(1 << 3);
	ck_assert_int_eq(fabric_graph_init(&graph, &topology.scenario), 0);
	ck_assert_int_eq(fabric_cycles_judge(&graph, &topology.scenario, &up_down, &cycle), 0);
	ck_assert_uint_eq(cycle.count, 0);
	topology.scenario.failures = failures;
	topology.scenario.failure_count = 5;
	ck_assert_int_eq(fabric_cycles_judge(&graph, &topology.scenario, &up_down, &cycle), 0);
	ck_assert_uint_eq(cycle.count, 4);
	ck_assert_uint_eq(cycle.at_ps, 450 * UNITS_PS_PER_US);
	fabric_cycle_text(&topology.scenario, &cycle, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, ", priority 3, by the routes from 450us on"));
	failures[0].until_ps = 400 * UNITS_PS_PER_US;
	ck_assert_int_eq(fabric_cycles_judge(&graph, &topology.scenario, &up_down, &cycle), 0);
	ck_assert_uint_eq(cycle.count, 4);
	ck_assert_uint_eq(cycle.at_ps, 550 * UNITS_PS_PER_US);
	topology.scenario.failure_count = 3;
	ck_assert_int_eq(fabric_cycles_judge(&graph, &topology.scenario, &up_down, &cycle), 0);
	ck_assert_uint_eq(cycle.count, 0);
	fabric_graph_fini(&graph);
	topology.scenario.failure_count = 0;
	topology_close(&topology);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("cycles");
	TCase *t = suite_topic(suite, "cycles");

	tcase_add_test(t, ring_of_three_is_safe_by_shortest_paths);
	tcase_add_test(t, ring_of_three_closes_by_configured_routes);
	tcase_add_test(t, larger_rings_close_by_themselves);
	tcase_add_test(t, leaves_and_spines_close_nothing);
	tcase_add_test(t, valleys_close_a_cycle);
	tcase_add_test(t, failures_leave_a_ring);
	return suite_run(suite);
}
