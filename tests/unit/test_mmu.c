/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer admission rule by rule, on small numbers that can be followed by hand, and a property
 * test over random configurations. Cells are 100 bytes, pools have no partitions, unless said.
 */
#include <stdlib.h>

#include "mmu_bed.h"
#include "prng.h"

static struct bed bed;

/* One ingress pool of 1,000 cells with one profile on PG 3, and no limit at egress. */
static void
one_pool(struct mmu_pool_cfg pool, struct mmu_profile_cfg profile)
{
	bed_clear(&bed, 100, 1);
	if (pool.size_bytes == 0)
		pool.size_bytes = 100000;
	profile.pool = bed_pool(&bed, pool);
	bed_bind(&bed, 3, bed_profile(&bed, profile), bed_open_egress(&bed));
	bed_open(&bed);
}

static const struct mmu_pool_cfg dynamic_pool = {.dynamic = true};
static const struct mmu_pool_cfg static_pool = {.dynamic = false};

/*
 * Choudhury and Hahne: k users that are always backlogged settle at alpha B / (1 + k alpha).
 * For one user 11.1 %, 50 % and 88.9 % of the pool at alpha 1/8, 1 and 8.
 */
START_TEST(dynamic_threshold_fixed_points)
{
	static const struct {
		int32_t n;
		uint32_t users;
		uint32_t cells; /* alpha x 100,000 / (1 + k alpha) */
	} rows[] = {
		{-3, 1, 11111}, {0, 1, 50000}, {3, 1, 88889}, {-3, 4, 8333}, {0, 2, 33333},
		{0, 4, 20000},  {3, 2, 47059}, {3, 10, 9877}, {-8, 1, 389},  {7, 1, 99225},
	};
	const uint32_t users = rows[_i].users;
	uint32_t full = 0;

	one_pool((struct mmu_pool_cfg){.dynamic = true, .size_bytes = 10000000},
		 (struct mmu_profile_cfg){.dynamic_th = rows[_i].n});
	for (uint16_t port = 0; full < users; port = (uint16_t)((port + 1) % users))
		full = bed_admit(&bed, port, 31, 3).admitted ? 0 : full + 1;
	for (uint16_t port = 0; port < users; port++)
		ck_assert_int_le(
			abs((int)mmu_pg(&bed.mmu, port, 3)->shared_cells - (int)rows[_i].cells), 2);
	bed_close(&bed);
}
END_TEST

/* The same at egress, where it bounds a lossy queue. */
START_TEST(dynamic_threshold_at_egress)
{
	uint32_t ingress, egress;

	bed_clear(&bed, 100, 1);
	ingress = bed_pool(&bed, (struct mmu_pool_cfg){.size_bytes = 10000000});
	egress = bed_pool(
		&bed, (struct mmu_pool_cfg){.egress = true, .dynamic = true, .size_bytes = 100000});
	bed_bind(&bed, 0,
		 bed_profile(&bed, (struct mmu_profile_cfg){.pool = ingress,
							    .is_static = true,
							    .static_th_bytes = 10000000}),
		 bed_profile(&bed, (struct mmu_profile_cfg){.pool = egress, .dynamic_th = 0}));
	bed_open(&bed);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 5, 0, DROP_EGRESS_LIMIT), 501);
	ck_assert(bed_admit(&bed, 1, 5, 0).at_egress); /* whichever port it comes from */
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 6, 0, DROP_EGRESS_LIMIT), 251);
	ck_assert_uint_eq(mmu_queue_limit_cells(&bed.mmu, 5, 0), 250);
	/* A refused packet has charged nothing on either side. */
	ck_assert_uint_eq(mmu_pg(&bed.mmu, 0, 0)->shared_cells, 750);
	bed_close(&bed);
}
END_TEST

/* Cells are whole: 100 B is one, 101 two, 1,500 fifteen, 9,216 ninety-three. */
START_TEST(packets_take_whole_cells)
{
	static const struct {
		uint32_t bytes, cells;
	} rows[] = {{64, 1}, {100, 1}, {101, 2}, {1500, 15}, {9216, 93}};

	one_pool(static_pool,
		 (struct mmu_profile_cfg){.is_static = true, .static_th_bytes = 50000});
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert(bed_admit_bytes(&bed, 0, 1, 3, rows[i].bytes).admitted);
		ck_assert_uint_eq(bed.held[i].cells, rows[i].cells);
		ck_assert_uint_eq(bed.held[i].lossless, 0);
	}
	ck_assert_uint_eq(bed.mmu.held_cells, 112);
	ck_assert_uint_eq(mmu_pg(&bed.mmu, 0, 3)->bytes, 64 + 100 + 101 + 1500 + 9216);
	bed_close(&bed);
}
END_TEST

/* Static: XOFF when 10 + 200 cells are in, XON when 20 fewer are, whatever the others hold. */
START_TEST(static_limit_and_xon_offset)
{
	uint32_t released = 1;

	one_pool(static_pool, (struct mmu_profile_cfg){.size_bytes = 1000,
						       .is_static = true,
						       .static_th_bytes = 20000,
						       .lossless = true,
						       .xoff_bytes = 5000,
						       .xon_offset_bytes = 2000});
	for (int i = 0; i < 100; i++)
		bed_admit(&bed, 9, 1, 3);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 1, 3), 210);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 1, 3, DROP_INGRESS_HEADROOM), 51);
	while (!bed_release(&bed, bed.held_count - 1))
		released++;
	ck_assert_uint_eq(released, 50 + 20);
	ck_assert_uint_eq(mmu_pg(&bed.mmu, 0, 3)->xoffs, 1);
	bed_close(&bed);
}
END_TEST

/* XON at max(xon, T - xon_offset): xon 150 cells of a limit of 200 with an offset of 100. */
START_TEST(xon_is_the_larger_of_the_two)
{
	uint32_t released = 1;

	one_pool(static_pool, (struct mmu_profile_cfg){.is_static = true,
						       .static_th_bytes = 20000,
						       .lossless = true,
						       .xoff_bytes = 5000,
						       .xon_bytes = 15000,
						       .xon_offset_bytes = 10000});
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 1, 3), 200);
	while (!bed_release(&bed, bed.held_count - 1))
		released++;
	ck_assert_uint_eq(released, 50);
	bed_close(&bed);
}
END_TEST

/* Without hysteresis XOFF and XON meet at the limit, and toggle with each packet. */
START_TEST(no_hysteresis_toggles)
{
	one_pool(static_pool, (struct mmu_profile_cfg){.is_static = true,
						       .static_th_bytes = 10000,
						       .lossless = true,
						       .xoff_bytes = 5000});
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 1, 3), 100);
	for (int i = 0; i < 10; i++) {
		uint32_t in = mmu_pg(&bed.mmu, 0, 3)->shared_cells;
		bool xon = bed_release(&bed, bed.held_count - 1);

		ck_assert_uint_le(in, 101);
		if (!xon)
			ck_assert(bed_release(&bed, bed.held_count - 1));
		bed_fill_to_xoff(&bed, 0, 1, 3);
	}
	bed_close(&bed);
}
END_TEST

/* Pool of 1,000 cells with a headroom pool of 400 in it or on top: one user gets 300 or 500. */
START_TEST(size_may_include_xoff)
{
	for (int includes = 0; includes < 2; includes++) {
		bed_clear(&bed, 100, 1);
		bed.cfg.size_includes_xoff = includes;
		bed_pool(&bed, (struct mmu_pool_cfg){
				       .dynamic = true, .size_bytes = 100000, .xoff_bytes = 40000});
		bed_bind(&bed, 3,
			 bed_profile(&bed, (struct mmu_profile_cfg){.lossless = true,
								    .xoff_bytes = 90000}),
			 bed_open_egress(&bed));
		bed_open(&bed);
		ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 1, 3), includes ? 300 : 500);
		ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 1, 3, DROP_HEADROOM_POOL), 401);
		bed_close(&bed);
	}
}
END_TEST

/* Own headroom (no shared headroom pool): every PG has its xoff, however many use theirs. */
START_TEST(own_headroom_is_not_shared)
{
	one_pool(dynamic_pool,
		 (struct mmu_profile_cfg){.dynamic_th = 0, .lossless = true, .xoff_bytes = 30000});
	for (uint16_t port = 0; port < 30; port++) {
		const struct mmu_account *pg = mmu_pg(&bed.mmu, port, 3);

		while (bed_admit(&bed, port, 31, 3).admitted)
			;
		ck_assert_uint_eq(pg->headroom_cells, 300);
		ck_assert(pg->xoff);
	}
	bed_close(&bed);
}
END_TEST

/*
 * S8 of the SAI tests: one PG without a guarantee takes the whole pool; a PG with one of 5 cells
 * still gets those, and no more when it is lossy.
 */
START_TEST(guarantee_holds_when_the_pool_is_exhausted)
{
	int16_t greedy, modest, lossless, queue;

	bed_clear(&bed, 100, 1);
	bed_pool(&bed, static_pool);
	bed.cfg.pools[0].size_bytes = 100000;
	greedy = bed_profile(
		&bed, (struct mmu_profile_cfg){.is_static = true, .static_th_bytes = 100000});
	modest = bed_profile(&bed, (struct mmu_profile_cfg){.size_bytes = 500,
							    .is_static = true,
							    .static_th_bytes = 100000});
	lossless = bed_profile(&bed, (struct mmu_profile_cfg){.size_bytes = 500,
							      .dynamic_th = 0,
							      .lossless = true,
							      .xoff_bytes = 1000});
	queue = bed_open_egress(&bed);
	bed_bind(&bed, 0, greedy, queue);
	bed_bind(&bed, 1, modest, queue);
	bed_bind(&bed, 3, lossless, queue);
	bed_open(&bed);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 1, 0, DROP_INGRESS_LIMIT), 1001);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 1, 1, 0, DROP_INGRESS_LIMIT), 1);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 2, 1, 1, DROP_INGRESS_LIMIT), 6);
	/* A lossless one pauses its sender when the guarantee is full, then has its headroom. */
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 3, 1, 3), 5);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 3, 1, 3, DROP_INGRESS_HEADROOM), 11);
	bed_close(&bed);
}
END_TEST

/* A guarantee is rounded up to cells, a limit and a headroom down. */
START_TEST(rounding_of_thresholds)
{
	one_pool(static_pool, (struct mmu_profile_cfg){.size_bytes = 101,
						       .is_static = true,
						       .static_th_bytes = 399,
						       .lossless = true,
						       .xoff_bytes = 299});
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 1, 3), 2 + 3);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 0, 1, 3, DROP_INGRESS_HEADROOM), 2 + 1);
	bed_close(&bed);
}
END_TEST

/* What leaves gives back headroom first, then shared, then the guarantee. */
START_TEST(release_order)
{
	const struct mmu_account *pg;

	one_pool(static_pool, (struct mmu_profile_cfg){.size_bytes = 300,
						       .is_static = true,
						       .static_th_bytes = 400,
						       .lossless = true,
						       .xoff_bytes = 500});
	pg = mmu_pg(&bed.mmu, 0, 3);
	for (int i = 0; i < 12; i++)
		ck_assert(bed_admit(&bed, 0, 1, 3).admitted);
	for (uint32_t left = 12; left > 0; left--) {
		ck_assert_uint_eq(pg->min_cells, left < 3 ? left : 3);
		ck_assert_uint_eq(pg->shared_cells, left < 3 ? 0 : left < 7 ? left - 3 : 4);
		ck_assert_uint_eq(pg->headroom_cells, left < 7 ? 0 : left - 7);
		bed_assert_sound(&bed);
		bed_release(&bed, bed.held_count - 1);
	}
	ck_assert_uint_eq(pg->max_cells, 12);
	ck_assert_uint_eq(pg->max_shared_cells, 4);
	ck_assert_uint_eq(pg->max_headroom_cells, 5);
	ck_assert_uint_eq(pg->limit_at_max_cells, 4);
	bed_close(&bed);
}
END_TEST

/* A large packet over the limit goes to headroom whole; a small one still fits below the limit. */
START_TEST(large_packets_spill_whole)
{
	const struct mmu_account *pg;

	one_pool(static_pool, (struct mmu_profile_cfg){.size_bytes = 200,
						       .is_static = true,
						       .static_th_bytes = 1000,
						       .lossless = true,
						       .xoff_bytes = 2000});
	pg = mmu_pg(&bed.mmu, 0, 3);
	ck_assert(!bed_admit_bytes(&bed, 0, 1, 3, 1000).xoff); /* 2 guaranteed, 8 shared */
	ck_assert(bed_admit_bytes(&bed, 0, 1, 3, 300).xoff);
	ck_assert_uint_eq(pg->shared_cells, 8);
	ck_assert_uint_eq(pg->headroom_cells, 3);
	ck_assert(bed_admit_bytes(&bed, 0, 1, 3, 200).admitted);
	ck_assert_uint_eq(pg->shared_cells, 10);
	ck_assert(bed_admit_bytes(&bed, 0, 1, 3, 1700).admitted);
	ck_assert_uint_eq(pg->headroom_cells, 20);
	ck_assert(!bed_admit_bytes(&bed, 0, 1, 3, 100).admitted);
	bed_close(&bed);
}
END_TEST

/* Every count that mmu_check compares: one more than the truth, and it says so. */
START_TEST(check_finds_corruption)
{
	char why[256] = "";
	uint32_t *counts[8];
	size_t n = 0;

	one_pool(
		(struct mmu_pool_cfg){.dynamic = true, .xoff_bytes = 50000},
		(struct mmu_profile_cfg){
			.size_bytes = 1000, .dynamic_th = 0, .lossless = true, .xoff_bytes = 5000});
	bed_fill_to_drop(&bed, 0, 1, 3, DROP_INGRESS_HEADROOM);
	counts[n++] = &bed.mmu.pools[0].used_cells;
	counts[n++] = &bed.mmu.pools[0].headroom_used_cells;
	counts[n++] = &bed.mmu.pools[1].used_cells;
	counts[n++] = &mmu_pg(&bed.mmu, 0, 3)->min_cells;
	counts[n++] = &mmu_pg(&bed.mmu, 0, 3)->shared_cells;
	counts[n++] = &mmu_pg(&bed.mmu, 0, 3)->headroom_cells;
	counts[n++] = &mmu_queue(&bed.mmu, 1, 3)->shared_cells;
	for (size_t i = 0; i < n; i++) {
		bed_assert_sound(&bed);
		++*counts[i];
		ck_assert_int_lt(mmu_check(&bed.mmu, why, sizeof(why)), 0);
		ck_assert_str_ne(why, "");
		--*counts[i];
	}
	bed.mmu.held_cells++;
	ck_assert_int_lt(mmu_check(&bed.mmu, why, sizeof(why)), 0);
	bed.mmu.held_cells--;
	/* Shared cells of two accounts exchanged for one another's: sums agree, pools do not. */
	mmu_pg(&bed.mmu, 0, 3)->shared_cells--;
	mmu_pg(&bed.mmu, 0, 3)->headroom_cells++;
	ck_assert_int_lt(mmu_check(&bed.mmu, why, sizeof(why)), 0);
	mmu_pg(&bed.mmu, 0, 3)->shared_cells++;
	mmu_pg(&bed.mmu, 0, 3)->headroom_cells--;
	bed_close(&bed);
}
END_TEST

#define LARGEST_BYTES 1600u

/* Random pools and profiles: 0 to 1 lossy, 3 and 4 lossless with room for a large packet. */
static void
random_bed(struct prng *p)
{
	static const uint32_t cells[] = {64, 208, 256, 96};
	uint64_t size_bytes = 200000 + prng_below(p, 2000000);
	bool is_static = prng_below(p, 4) == 0;

	bed_clear(&bed, cells[prng_below(p, 4)], 1 + (uint32_t)prng_below(p, 4));
	bed_pool(&bed, (struct mmu_pool_cfg){.dynamic = !is_static,
					     .size_bytes = size_bytes,
					     .xoff_bytes = prng_below(p, 2) * size_bytes / 4});
	bed.cfg.size_includes_xoff = prng_below(p, 2);
	bed_pool(&bed, (struct mmu_pool_cfg){
			       .egress = true, .dynamic = true, .size_bytes = size_bytes / 2});
	for (uint8_t i = 0; i < 6; i++) {
		bool lossless = i == 3 || i == 4;
		int16_t queue = lossless ? bed_open_egress(&bed) : MMU_NO_PROFILE;
		int16_t pg = bed_profile(
			&bed, (struct mmu_profile_cfg){.size_bytes = prng_below(p, 5000),
						       .is_static = is_static,
						       .static_th_bytes = prng_below(p, size_bytes),
						       .dynamic_th = (int32_t)prng_below(p, 8) - 4,
						       .lossless = lossless,
						       .xoff_bytes = 2 * LARGEST_BYTES +
								     prng_below(p, 60000),
						       .xon_bytes = prng_below(p, 3000),
						       .xon_offset_bytes = prng_below(p, 3000)});

		if (!lossless)
			queue = bed_profile(&bed,
					    (struct mmu_profile_cfg){
						    .pool = 1,
						    .size_bytes = prng_below(p, 3000),
						    .dynamic_th = (int32_t)prng_below(p, 6) - 2});
		bed_bind(&bed, i, pg, queue);
	}
	bed_open(&bed);
}

/*
 * What a lossless PG was sent since its XOFF, in cells, as its sender would count it: a drop
 * before that exceeds its headroom would be a loss that tuning cannot prevent.
 */
struct since_xoff {
	uint64_t cells[BED_PORTS][MMU_CLASSES];
};

static void
random_arrival(struct prng *p, struct since_xoff *since)
{
	uint16_t in = (uint16_t)prng_below(p, BED_PORTS), out = (uint16_t)prng_below(p, 3);
	uint8_t class = (uint8_t)prng_below(p, 6);
	uint32_t bytes = 64 + (uint32_t)prng_below(p, LARGEST_BYTES - 63);
	uint32_t cells = (bytes + bed.cfg.cell_bytes - 1) / bed.cfg.cell_bytes;
	const struct mmu_account *pg = mmu_pg(&bed.mmu, in, class);
	const struct mmu_limit *limit = &bed.mmu.limits[pg->limit];
	bool was_xoff = pg->xoff;
	struct mmu_verdict v = bed_admit_bytes(&bed, in, out, class, bytes);

	if (!limit->lossless) {
		EXPECT(!v.xoff && pg->headroom_cells == 0);
		return;
	}
	if (v.admitted) {
		EXPECT(v.xoff == (!was_xoff && pg->xoff));
		since->cells[in][class] = pg->xoff ? since->cells[in][class] * was_xoff + cells : 0;
		return;
	}
	EXPECT(!v.at_egress);
	if (v.reason == DROP_INGRESS_HEADROOM)
		EXPECT(was_xoff && since->cells[in][class] + cells > limit->xoff_cells);
	else
		EXPECT(v.reason == DROP_HEADROOM_POOL);
}

static void
random_departure(struct prng *p)
{
	uint32_t index = (uint32_t)prng_below(p, bed.held_count);
	uint16_t in = bed.held[index].in_port;
	uint8_t pg = bed.held[index].pg;
	bool was_xoff = mmu_pg(&bed.mmu, in, pg)->xoff;
	bool xon = bed_release(&bed, index);

	EXPECT(xon == (was_xoff && !mmu_pg(&bed.mmu, in, pg)->xoff));
}

/* Rising and falling load: the sums hold throughout, and at the end nothing is left. */
START_TEST(random_traffic_keeps_every_sum)
{
	struct prng p = prng_init(17, (uint64_t)_i);
	static struct since_xoff since;

	memset(&since, 0, sizeof(since));
	random_bed(&p);
	for (int op = 0; op < 12000; op++) {
		bool fill = op / 3000 % 2 == 0;

		if (bed.held_count == 0 || prng_below(&p, 10) < (fill ? 8 : 3))
			random_arrival(&p, &since);
		else
			random_departure(&p);
		if (op % 500 == 0)
			bed_assert_sound(&bed);
	}
	ck_assert_uint_ge(bed.mmu.max_held_cells, bed.mmu.held_cells);
	bed_close(&bed);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("mmu");
	TCase *limits = suite_topic(suite, "limits");
	TCase *pauses = suite_topic(suite, "pauses");
	TCase *accounts = suite_topic(suite, "accounts");

	tcase_add_loop_test(limits, dynamic_threshold_fixed_points, 0, 10);
	tcase_add_test(limits, dynamic_threshold_at_egress);
	tcase_add_test(limits, packets_take_whole_cells);
	tcase_add_test(limits, size_may_include_xoff);
	tcase_add_test(limits, guarantee_holds_when_the_pool_is_exhausted);
	tcase_add_test(limits, rounding_of_thresholds);
	tcase_add_test(pauses, static_limit_and_xon_offset);
	tcase_add_test(pauses, xon_is_the_larger_of_the_two);
	tcase_add_test(pauses, no_hysteresis_toggles);
	tcase_add_test(pauses, own_headroom_is_not_shared);
	tcase_add_test(accounts, release_order);
	tcase_add_test(accounts, large_packets_spill_whole);
	tcase_add_test(accounts, check_finds_corruption);
	tcase_add_loop_test(accounts, random_traffic_keeps_every_sum, 0, 200);
	return suite_run(suite);
}
