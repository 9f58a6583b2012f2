/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of next hops, and the directory of hosts. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "host_routes.h"
#include "next_hops.h"
#include "suite.h"

static uint16_t
add(struct next_hops *n, uint16_t count, uint16_t first_port)
{
	struct next_hop members[8] = {0};
	uint16_t group = NEXT_HOPS_NONE;

	for (uint16_t i = 0; i < count; i++)
		members[i] = (struct next_hop){.weight = 1, .port = first_port + i};
	EXPECT(next_hops_add(n, members, count, &group) == 0);
	return group;
}

START_TEST(equal_groups_are_one)
{
	struct next_hops n = {0};
	struct next_hop pair[2] = {{.weight = 1, .port = 1}, {.weight = 1, .port = 2}};
	uint16_t group, other;

	ck_assert_int_eq(next_hops_add(&n, pair, 2, &group), 0);
	ck_assert_uint_eq(add(&n, 2, 1), group);
	ck_assert_uint_ne(add(&n, 1, 1), group);
	/* The order of members is part of what a hash chooses. */
	pair[0].port = 2;
	pair[1].port = 1;
	ck_assert_int_eq(next_hops_add(&n, pair, 2, &other), 0);
	ck_assert_uint_ne(other, group);
	pair[0].weight = 2;
	ck_assert_int_eq(next_hops_add(&n, pair, 2, &group), 0);
	ck_assert_uint_ne(other, group);
	pair[0].mac[5] = 1;
	ck_assert_int_eq(next_hops_add(&n, pair, 2, &other), 0);
	ck_assert_uint_ne(other, group);
	ck_assert_uint_eq(n.group_count, 5);
	next_hops_fini(&n);
}
END_TEST

START_TEST(many_groups_keep_their_numbers)
{
	struct next_hops n = {0};

	for (int again = 0; again < 2; again++) {
		for (uint16_t i = 0; i < 5000; i++)
			EXPECT(add(&n, 1 + i % 8, i) == i);
	}
	ck_assert_uint_eq(n.group_count, 5000);
	for (uint16_t i = 0; i < 5000; i++) {
		EXPECT(n.groups[i].count == 1 + i % 8);
		EXPECT(next_hops_members(&n, i)[i % 8].port == i + i % 8);
	}
	next_hops_fini(&n);
}
END_TEST

START_TEST(groups_have_an_end)
{
	struct next_hops n = {0};
	struct next_hop member = {0};
	uint16_t group;

	for (uint32_t i = 0; i < NEXT_HOPS_MOST; i++) {
		member.port = (uint16_t)i;
		EXPECT(next_hops_add(&n, &member, 1, &group) == 0 && group == i);
	}
	member.weight = 7;
	ck_assert_int_eq(next_hops_add(&n, &member, 1, &group), -E2BIG);
	next_hops_fini(&n);
}
END_TEST

/* 10.0.0.0-3 are hosts 0-3, 10.0.0.4 is host 5, 10.0.1.0 host 4, and of IPv6 6 and 7. */
START_TEST(directory_knows_what_it_was_told)
{
	static const struct host_address hosts[] = {
		{{10, 0, 0, 0}, 0},
		{{10, 0, 0, 1}, 0},
		{{10, 0, 0, 2}, 0},
		{{10, 0, 0, 3}, 0},
		{{10, 0, 1, 0}, 0},
		{{10, 0, 0, 4}, 0},
		{{0xfd, [7] = 1, [8 ... 15] = 0xff}, 1},
		{{0xfd, [7] = 2}, 1},
		{{10, 0, 0, 2}, 0}, /* taken by host 2 */
	};
	const uint8_t none6[16] = {0xfd};
	struct host_directory d;

	ck_assert_int_eq(host_directory_init(&d, hosts, 9), 0);
	ck_assert_uint_eq(d.range4_count, 3);
	ck_assert_uint_eq(d.range6_count, 2); /* no range passes the halves' border */
	for (uint32_t i = 0; i < 8; i++) {
		const uint8_t *ip = hosts[i].ip;
		uint32_t low = (uint32_t)ip[0] << 24 | ip[1] << 16 | ip[2] << 8 | ip[3];

		if (hosts[i].is_ipv6)
			ck_assert_uint_eq(host_directory_find6(&d, ip), i);
		else
			ck_assert_uint_eq(host_directory_find4(&d, low), i);
	}
	ck_assert_uint_eq(host_directory_find4(&d, 0x09ffffff), HOST_ROUTES_NO_HOST);
	ck_assert_uint_eq(host_directory_find4(&d, 0x0a000005), HOST_ROUTES_NO_HOST);
	ck_assert_uint_eq(host_directory_find4(&d, 0x0a000101), HOST_ROUTES_NO_HOST);
	ck_assert_uint_eq(host_directory_find4(&d, UINT32_MAX), HOST_ROUTES_NO_HOST);
	ck_assert_uint_eq(host_directory_find6(&d, none6), HOST_ROUTES_NO_HOST);
	host_directory_fini(&d);
}
END_TEST

START_TEST(empty_directory_knows_nobody)
{
	struct host_directory d;

	ck_assert_int_eq(host_directory_init(&d, NULL, 0), 0);
	ck_assert_uint_eq(host_directory_find4(&d, 0), HOST_ROUTES_NO_HOST);
	ck_assert_uint_eq(host_directory_find4(&d, 0x0a000001), HOST_ROUTES_NO_HOST);
	host_directory_fini(&d);
}
END_TEST

START_TEST(group_by_edge_or_by_slot)
{
	static const struct host_address hosts[3] = {{{10}, 0}, {{11}, 0}, {{12}, 0}};
	struct host_directory d;
	struct host_routes r;

	ck_assert_int_eq(host_directory_init(&d, hosts, 3), 0);
	d.places[0] = (struct host_place){.edge = 1, .slot = 0};
	d.places[1] = (struct host_place){.edge = 0, .slot = 1};
	ck_assert_int_eq(host_routes_init(&r, &d, 2, 2), 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(host_routes_group(&r, i), NEXT_HOPS_NONE);
	r.by_edge[0] = HOST_ROUTES_HERE;
	r.by_edge[1] = 7;
	r.by_slot[1] = 3;
	ck_assert_uint_eq(host_routes_group(&r, 0), 7);
	ck_assert_uint_eq(host_routes_group(&r, 1), 3);
	ck_assert_uint_eq(host_routes_group(&r, 2), NEXT_HOPS_NONE);
	host_routes_fini(&r);
	host_directory_fini(&d);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("next_hops");
	TCase *t = suite_topic(suite, "groups");

	tcase_add_test(t, equal_groups_are_one);
	tcase_add_test(t, many_groups_keep_their_numbers);
	tcase_add_test(t, groups_have_an_end);
	t = suite_topic(suite, "hosts");
	tcase_add_test(t, directory_knows_what_it_was_told);
	tcase_add_test(t, empty_directory_knows_nobody);
	tcase_add_test(t, group_by_edge_or_by_slot);
	return suite_run(suite);
}
