/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes are dealt out evenly, and hosts with their switch as long as that is even enough. The
 * nodes here have cables and nothing else.
 */
#include <string.h>

#include "placement.h"
#include "suite.h"

#define MOST 256u
#define PORTS 64u

static struct node nodes[MOST];
static struct node *list[MOST];
static struct node_port ports[MOST][PORTS];
static struct link links[2 * MOST * 8];
static uint32_t node_count, link_count;

static uint32_t
add(void)
{
	uint32_t i = node_count++;

	nodes[i] = (struct node){.ports = ports[i]};
	list[i] = &nodes[i];
	return i;
}

static void
cable(uint32_t a, uint32_t b)
{
	struct link *there = &links[link_count++], *back = &links[link_count++];

	node_attach(&nodes[a], nodes[a].port_count++, there, back);
	node_attach(&nodes[b], nodes[b].port_count++, back, there);
}

/* Switches first, then their hosts, as a fabric has them: leaf i is node i. */
static void
build(uint32_t leaves, uint32_t spines, uint32_t hosts)
{
	memset(ports, 0, sizeof(ports));
	node_count = link_count = 0;
	for (uint32_t i = 0; i < leaves + spines; i++)
		add();
	for (uint32_t i = 0; i < leaves * spines; i++)
		cable(i / spines, leaves + i % spines);
	for (uint32_t i = 0; i < leaves * hosts; i++)
		cable(add(), i / hosts);
}

/* Greatest share of the work that one lcore has, in percent of the mean. */
static uint64_t
place(uint16_t lcores, const uint64_t *given, uint16_t *lcore_of)
{
	uint64_t work[MOST], load[16] = {0}, total = 0, most = 0;

	for (uint32_t i = 0; i < node_count; i++)
		work[i] = given != NULL ? given[i] : placement_guess(list[i]);
	ck_assert_int_eq(placement_make(list, node_count, work, lcores, lcore_of), 0);
	for (uint32_t i = 0; i < node_count; i++) {
		ck_assert_uint_lt(lcore_of[i], lcores);
		load[lcore_of[i]] += work[i];
		total += work[i];
	}
	for (uint16_t i = 0; i < lcores; i++)
		most = RTE_MAX(most, load[i]);
	return most * lcores * 100 / total;
}

START_TEST(hosts_go_with_their_leaf)
{
	uint16_t lcore_of[MOST];

	build(8, 4, 16);
	ck_assert_uint_le(place((uint16_t)_i, NULL, lcore_of), 110);
	for (uint32_t i = 12; i < node_count; i++)
		ck_assert_uint_eq(lcore_of[i], lcore_of[(i - 12) / 16]);
}
END_TEST

/* One switch: as much work as all its hosts; three leaves on two lcores do not divide. */
START_TEST(groups_are_split_where_lcores_would_idle)
{
	uint16_t lcore_of[MOST];

	build(1, 0, 16);
	ck_assert_uint_le(place(2, NULL, lcore_of), 101);
	build(3, 1, 16);
	ck_assert_uint_le(place(2, NULL, lcore_of), 105);
}
END_TEST

/* What was measured counts: of 64 hosts four work. */
START_TEST(work_is_what_is_divided)
{
	uint64_t work[MOST] = {0};
	uint16_t lcore_of[MOST];

	build(4, 2, 16);
	for (uint32_t i = 0; i < 4; i++)
		work[6 + i] = 1000000;
	ck_assert_uint_le(place(4, work, lcore_of), 101);
	ck_assert_uint_le(place(2, work, lcore_of), 101);
	ck_assert_uint_eq(place(1, work, lcore_of), 100);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("placement");
	TCase *topic = suite_topic(suite, "placement");

	tcase_add_loop_test(topic, hosts_go_with_their_leaf, 1, 5);
	tcase_add_test(topic, groups_are_split_where_lcores_would_idle);
	tcase_add_test(topic, work_is_what_is_divided);
	return suite_run(suite);
}
