/* SPDX-License-Identifier: BSD-3-Clause */
/* What memory joins stays together; what only devices join is spread evenly. */
#include <string.h>

#include "islands.h"
#include "suite.h"

#define NODES 6u
#define PORTS 4u

static struct node nodes[NODES];
static struct node *list[NODES];
static struct node_port ports[NODES][PORTS];
static struct link links[32];
static uint32_t link_count;
static uint16_t lcore_of[NODES];

static void
set_up(void)
{
	memset(ports, 0, sizeof(ports));
	memset(links, 0, sizeof(links));
	link_count = 0;
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i] = (struct node){.ports = ports[i], .slot = i};
		list[i] = &nodes[i];
	}
}

static void
cable(uint32_t a, uint32_t b)
{
	struct link *there = &links[link_count++], *back = &links[link_count++];

	node_attach(&nodes[a], nodes[a].port_count++, there, back);
	node_attach(&nodes[b], nodes[b].port_count++, back, there);
}

/* The other end of what the port sends is no node. */
static void
device(uint32_t a)
{
	struct link *out = &links[link_count++], *in = &links[link_count++];

	node_attach(&nodes[a], nodes[a].port_count++, out, in);
}

START_TEST(what_memory_joins_stays_together)
{
	cable(0, 3);
	cable(3, 5);
	cable(1, 4);
	device(0);
	device(4);
	device(2);
	ck_assert_int_eq(islands_make(list, NODES, 3, lcore_of), 3);
	ck_assert_uint_eq(lcore_of[0], lcore_of[3]);
	ck_assert_uint_eq(lcore_of[3], lcore_of[5]);
	ck_assert_uint_eq(lcore_of[1], lcore_of[4]);
	ck_assert_uint_ne(lcore_of[0], lcore_of[1]);
	ck_assert_uint_ne(lcore_of[0], lcore_of[2]);
	ck_assert_uint_ne(lcore_of[1], lcore_of[2]);
}
END_TEST

/* Four devices on one node, and one on each of the others, whose fifth waits for the less busy. */
START_TEST(devices_are_spread_evenly)
{
	uint32_t devices[2] = {0};

	for (uint32_t i = 0; i < PORTS; i++)
		device(5);
	for (uint32_t i = 0; i < 4; i++)
		device(i);
	ck_assert_int_eq(islands_make(list, NODES, 2, lcore_of), 2);
	for (uint32_t i = 0; i < NODES; i++)
		devices[lcore_of[i]] += nodes[i].port_count;
	/* 5 pieces of work on one; of the others, of 2 pieces, two fill up and one is left. */
	ck_assert_uint_eq(devices[0] + devices[1], 8);
	ck_assert_uint_eq(devices[lcore_of[5]], 5);
}
END_TEST

START_TEST(no_more_lcores_than_islands)
{
	cable(0, 1);
	cable(1, 2);
	cable(2, 3);
	cable(3, 4);
	cable(4, 5);
	ck_assert_int_eq(islands_make(list, NODES, 4, lcore_of), 1);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(lcore_of[i], 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("islands");
	TCase *islands = suite_topic(suite, "islands");

	tcase_add_checked_fixture(islands, set_up, NULL);
	tcase_add_test(islands, what_memory_joins_stays_together);
	tcase_add_test(islands, devices_are_spread_evenly);
	tcase_add_test(islands, no_more_lcores_than_islands);
	return suite_run(suite);
}
