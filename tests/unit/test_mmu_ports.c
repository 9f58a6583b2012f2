/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of whole ports, as NVIDIA's ASICs have them. The oracle is what the SONiC community's
 * tests expect of such a switch (sonic-mgmt, qos_param_generator): a priority group alone, with
 * alpha ag below a port with ap, gets pool x ap ag / (1 + ag + ap ag).
 */
#include "mmu_bed.h"

#define CELL 192u
#define POOL_CELLS 60000u
#define UNBOUND 100

static struct bed bed;

/* Two classes on every port, both with threshold ag, in a pool that ports are bound in with ap. */
static void
open_bed(int ag, int ap, uint64_t port_size_bytes)
{
	uint32_t pool;
	int16_t pg, port, queue;

	bed_clear(&bed, CELL, 1);
	queue = bed_open_egress(&bed);
	pool = bed_pool(&bed, (struct mmu_pool_cfg){.dynamic = true,
						    .size_bytes = (uint64_t)POOL_CELLS * CELL});
	pg = bed_profile(&bed, (struct mmu_profile_cfg){.pool = pool,
							.is_static = ag == UNBOUND,
							.static_th_bytes = 1ULL << 32,
							.dynamic_th = ag});
	port = bed_profile(&bed, (struct mmu_profile_cfg){.pool = pool,
							  .dynamic_th = ap,
							  .size_bytes = port_size_bytes});
	bed_bind(&bed, 3, pg, queue);
	bed_bind(&bed, 4, pg, queue);
	for (uint32_t i = 0; i < BED_PORTS; i++)
		bed.ports[i].pool_profile[pool] = (uint8_t)(port + 1);
	bed_open(&bed);
}

/* Cells until one is refused. */
static uint32_t
fill(uint16_t port, uint8_t class)
{
	return bed_fill_to_drop(&bed, port, 31, class, DROP_INGRESS_LIMIT) - 1;
}

static double
alpha(int n)
{
	return n >= 0 ? (double)(1 << n) : 1.0 / (1 << -n);
}

START_TEST(one_group_gets_what_both_limits_leave)
{
	for (int ag = -6; ag <= 6; ag++) {
		for (int ap = -6; ap <= 6; ap++) {
			double expected = POOL_CELLS * alpha(ap) * alpha(ag) /
					  (1 + alpha(ag) + alpha(ap) * alpha(ag));
			uint32_t measured;

			open_bed(ag, ap, 0);
			measured = fill(0, 3);
			/* Thresholds are whole cells: each rounding moves it by at most alpha. */
			ck_assert_msg(measured <= expected + 2 &&
					      measured + 2 + alpha(ag) >= expected,
				      "alpha 2^%d below 2^%d: %u cells, not %.1f", ag, ap, measured,
				      expected);
			bed_close(&bed);
		}
	}
}
END_TEST

/* A group without a bound of its own (alpha 7 there) gets ap / (1 + ap). */
START_TEST(a_port_bounds_a_group_without_bound)
{
	for (int ap = -6; ap <= 6; ap++) {
		double expected = POOL_CELLS * alpha(ap) / (1 + alpha(ap));
		uint32_t measured;

		open_bed(UNBOUND, ap, 0);
		measured = fill(0, 3);
		ck_assert_msg(measured <= expected + 1 && measured + 1 + alpha(ap) >= expected,
			      "below 2^%d: %u cells, not %.1f", ap, measured, expected);
		bed_close(&bed);
	}
}
END_TEST

/* Groups of one port share its limit; another port has its own. */
START_TEST(a_port_bounds_the_sum_of_its_groups)
{
	uint32_t first, sum, limit;

	open_bed(6, -2, 0); /* of what the port may have, one group takes nearly all */
	first = fill(0, 3);
	sum = first + fill(0, 4);
	/* The port holds a quarter of what is free: a fifth of the pool. */
	limit = POOL_CELLS / 5;
	ck_assert_uint_le(sum, limit + 1);
	ck_assert_uint_ge(sum + limit / 32, limit);
	/* The next port has a quarter of the rest, as if there were no groups on the first. */
	ck_assert_uint_ge(fill(1, 3) + limit / 32, (POOL_CELLS - sum) / 5);
	bed_close(&bed);
}
END_TEST

/* The size of a port's profile is its own, beside its part of what is free. */
START_TEST(a_port_has_its_size)
{
	uint32_t without, with;

	open_bed(6, -6, 0);
	without = fill(0, 3);
	bed_close(&bed);
	open_bed(6, -6, 1000 * CELL);
	with = fill(0, 3);
	bed_close(&bed);
	ck_assert_uint_ge(with, without + 950);
	ck_assert_uint_le(with, without + 1000);
}
END_TEST

/* What a port may not have any more is refused, and comes back with what leaves. */
START_TEST(room_comes_back)
{
	open_bed(0, 0, 0);
	fill(0, 3);
	ck_assert(!bed_admit(&bed, 0, 31, 3).admitted);
	for (uint32_t i = 0; i < 10; i++)
		bed_release(&bed, 0);
	ck_assert(bed_admit(&bed, 0, 31, 3).admitted);
	bed_close(&bed);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mmu_ports");
	TCase *t = tcase_create("ports");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, one_group_gets_what_both_limits_leave);
	tcase_add_test(t, a_port_bounds_a_group_without_bound);
	tcase_add_test(t, a_port_bounds_the_sum_of_its_groups);
	tcase_add_test(t, a_port_has_its_size);
	tcase_add_test(t, room_comes_back);
	suite_add_tcase(s, t);
	return suite_run(s);
}
