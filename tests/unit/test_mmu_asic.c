/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MMU against the packet counts that the SONiC community's tests hold real switches to,
 * with a margin of 0 to 4 packets: sonic-mgmt's qos parameters for Tomahawk (th) and Trident3
 * (td3), on the buffer settings sonic-buildimage ships for the Arista 7060CX-32S and 7050CX3.
 * All packets have 64 bytes, one cell, and the egress ports are held.
 */
#include <stdlib.h>

#include "mmu_bed.h"

#define LOSSY 0
#define MARGIN 4

static struct bed bed;

/* Arista 7060CX-32S; PGs 3 and 4 lossless with the headroom of one row of its table. */
static void
tomahawk(uint64_t xoff_bytes)
{
	uint32_t ingress, lossless, lossy;
	int16_t pg, queue;

	bed_clear(&bed, 208, 4);
	ingress = bed_pool(&bed, (struct mmu_pool_cfg){.dynamic = true,
						       .size_bytes = 10875072,
						       .xoff_bytes = 4194112});
	lossless = bed_pool(&bed, (struct mmu_pool_cfg){.egress = true, .size_bytes = 15982720});
	lossy = bed_pool(&bed, (struct mmu_pool_cfg){
				       .egress = true, .dynamic = true, .size_bytes = 9243812});
	pg = bed_profile(&bed, (struct mmu_profile_cfg){.pool = ingress,
							.size_bytes = 1248,
							.dynamic_th = 0,
							.lossless = true,
							.xoff_bytes = xoff_bytes,
							.xon_bytes = 2288,
							.xon_offset_bytes = 2288});
	queue = bed_profile(&bed, (struct mmu_profile_cfg){.pool = lossless,
							   .size_bytes = 1518,
							   .is_static = true,
							   .static_th_bytes = 15982720});
	bed_bind(&bed, 3, pg, queue);
	bed_bind(&bed, 4, pg, queue);
	pg = bed_profile(&bed, (struct mmu_profile_cfg){.pool = ingress, .dynamic_th = 3});
	queue = bed_profile(
		&bed, (struct mmu_profile_cfg){.pool = lossy, .size_bytes = 1518, .dynamic_th = 3});
	bed_bind(&bed, LOSSY, pg, queue);
	bed_open(&bed);
}

/* Arista 7050CX3 (one partition), with the headroom pool its test table implies. */
static void
trident3(void)
{
	uint32_t ingress, lossless;
	int16_t pg, queue;

	bed_clear(&bed, 256, 1);
	ingress = bed_pool(&bed, (struct mmu_pool_cfg){.dynamic = true,
						       .size_bytes = 32441856,
						       .xoff_bytes = 1622016});
	lossless = bed_pool(&bed, (struct mmu_pool_cfg){.egress = true, .size_bytes = 32441856});
	pg = bed_profile(&bed, (struct mmu_profile_cfg){.pool = ingress,
							.size_bytes = 4608,
							.dynamic_th = 0,
							.lossless = true,
							.xoff_bytes = 160000,
							.xon_bytes = 4608,
							.xon_offset_bytes = 4608});
	queue = bed_profile(&bed, (struct mmu_profile_cfg){.pool = lossless,
							   .is_static = true,
							   .static_th_bytes = 32441856});
	bed_bind(&bed, 3, pg, queue);
	bed_bind(&bed, 4, pg, queue);
	bed_open(&bed);
}

/* The 300 m rows of its table: 100, 50 and 40 Gb/s; headroom / 208 B, plus the one that drops. */
static const struct {
	uint64_t xoff_bytes;
	uint32_t to_drop;
	uint32_t congested; /* PGs of the headroom pool test */
	uint32_t congested_trigger;
	uint32_t partial; /* cells of headroom that are left for the last of them */
} rows[] = {
	{268736, 1293, 4, 2620, 1165},
	{141856, 683, 8, 1458, 267},
	{108160, 521, 10, 1194, 361},
};

/* pkts_num_trig_pfc 6542 on every port and both PGs, then pkts_num_trig_ingr_drp. */
START_TEST(tomahawk_xoff_and_first_drop)
{
	for (uint16_t port = 0; port < BED_PORTS; port += 5) {
		for (uint8_t pg = 3; pg <= 4; pg++) {
			tomahawk(rows[_i].xoff_bytes);
			ck_assert_uint_eq(bed_fill_to_xoff(&bed, port, 31, pg), 6542);
			ck_assert_uint_eq(
				bed_fill_to_drop(&bed, port, 31, pg, DROP_INGRESS_HEADROOM),
				rows[_i].to_drop);
			bed_close(&bed);
		}
	}
}
END_TEST

/* One packet to each of `count` PGs of a partition in turn, until all are in XOFF: sent[]. */
static void
congest(uint32_t count, uint32_t *sent)
{
	uint32_t at_xoff = 0;

	memset(sent, 0, count * sizeof(*sent));
	for (uint32_t i = 0; at_xoff < count; i = (i + 1) % count) {
		uint16_t port = (uint16_t)(i / 2);
		uint8_t pg = 3 + i % 2;

		if (mmu_pg(&bed.mmu, port, pg)->xoff)
			continue;
		EXPECT(bed_admit(&bed, port, 7, pg).admitted);
		sent[i]++;
		at_xoff += mmu_pg(&bed.mmu, port, pg)->xoff;
	}
}

/* pkts_num_trig_pfc of hdrm_pool_size: 1,194, 1,458 and 2,620 with 10, 8 and 4 PGs. */
START_TEST(tomahawk_xoff_of_many_pgs)
{
	uint32_t sent[10];

	tomahawk(rows[_i].xoff_bytes);
	congest(rows[_i].congested, sent);
	for (uint32_t i = 0; i < rows[_i].congested; i++)
		ck_assert_int_le(abs((int)sent[i] - (int)rows[_i].congested_trigger), MARGIN);
	bed_close(&bed);
}
END_TEST

/*
 * Shared headroom pool of 4,194,112 B / 4 / 208 B = 5,041 cells: 9 x 520 + 361, 7 x 682 + 267,
 * 3 x 1,292 + 1,165 (pkts_num_hdrm_full and _partial). Then the next packet is dropped.
 */
START_TEST(tomahawk_headroom_pool)
{
	const uint32_t last = rows[_i].congested - 1;
	const struct mmu_pool *pool;
	uint32_t sent[10];

	tomahawk(rows[_i].xoff_bytes);
	pool = &bed.mmu.pools[0];
	congest(rows[_i].congested, sent);
	for (uint32_t i = 0; i < last; i++) {
		bed_fill_to_drop(&bed, (uint16_t)(i / 2), 7, 3 + i % 2, DROP_INGRESS_HEADROOM);
		ck_assert_uint_eq(mmu_pg(&bed.mmu, (uint16_t)(i / 2), 3 + i % 2)->headroom_cells,
				  rows[_i].xoff_bytes / 208);
	}
	bed_fill_to_drop(&bed, (uint16_t)(last / 2), 7, 3 + last % 2, DROP_HEADROOM_POOL);
	ck_assert_uint_eq(mmu_pg(&bed.mmu, (uint16_t)(last / 2), 3 + last % 2)->headroom_cells,
			  rows[_i].partial);
	ck_assert_uint_eq(pool->headroom_used_cells, 5041);
	ck_assert_uint_eq(pool->max_headroom_cells, 5041);
	bed_close(&bed);
}
END_TEST

/* Another partition has a pool and a headroom pool of its own. */
START_TEST(tomahawk_partitions_are_apart)
{
	tomahawk(rows[0].xoff_bytes);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 0, 31, 3), 6542);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 8, 31, 3), 6542);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 16, 31, 3), 6542);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 31, 31, 3), 6542);
	/* 13,071 cells, 6,536 in use: a second PG gets half the rest, 3,267.5, and its minimum. */
	ck_assert_int_le(abs((int)bed_fill_to_xoff(&bed, 1, 31, 3) - (6 + 3268)), 1);
	bed_close(&bed);
}
END_TEST

/* pkts_num_dismiss_pfc 12, where xon_offset is 11 cells. */
START_TEST(tomahawk_xon)
{
	uint32_t released = 1;

	tomahawk(rows[0].xoff_bytes);
	ck_assert_uint_eq(bed_fill_to_xoff(&bed, 2, 9, 3), 6542);
	while (!bed_release(&bed, bed.held_count - 1))
		released++;
	ck_assert_uint_ge(released, 11);
	ck_assert_uint_le(released, 12);
	bed_close(&bed);
}
END_TEST

/* As after XOFF some headroom is in use: that goes first, then the 11 to 12 cells. */
START_TEST(tomahawk_xon_from_headroom)
{
	uint32_t released = 1;

	tomahawk(rows[0].xoff_bytes);
	bed_fill_to_xoff(&bed, 2, 9, 3);
	for (int i = 0; i < 1000; i++)
		ck_assert(bed_admit(&bed, 2, 9, 3).admitted);
	while (!bed_release(&bed, 0))
		released++;
	ck_assert_uint_ge(released, 1011);
	ck_assert_uint_le(released, 1012);
	bed_close(&bed);
}
END_TEST

/*
 * Hysteresis with queues apart (the tests' xon_hysteresis): while another PG's backlog drains,
 * the PG itself stays in XOFF; it comes back when it drains itself.
 */
START_TEST(tomahawk_xon_needs_own_packets_to_leave)
{
	uint32_t other;

	tomahawk(rows[0].xoff_bytes);
	for (other = 0; other < 3000; other++)
		ck_assert(bed_admit(&bed, 1, 9, 4).admitted);
	bed_fill_to_xoff(&bed, 2, 9, 3);
	while (other-- > 0)
		ck_assert(!bed_release(&bed, other));
	ck_assert(mmu_pg(&bed.mmu, 2, 3)->xoff);
	ck_assert(bed_release(&bed, bed.held_count - 1)); /* T has grown: the first that leaves */
	bed_close(&bed);
}
END_TEST

/* pkts_num_trig_egr_drp 9887: a lossy queue's limit; the sender is never paused. */
START_TEST(tomahawk_lossy_drop)
{
	uint32_t sent;

	tomahawk(rows[0].xoff_bytes);
	sent = bed_fill_to_drop(&bed, 3, 9, LOSSY, DROP_EGRESS_LIMIT);
	ck_assert_int_le(abs((int)sent - 9887), MARGIN);
	ck_assert(bed_admit(&bed, 3, 9, LOSSY).at_egress);
	ck_assert_uint_eq(mmu_pg(&bed.mmu, 3, LOSSY)->xoffs, 0);
	/* Another queue of the partition shares what is left; one elsewhere has it all. */
	ck_assert_uint_lt(bed_fill_to_drop(&bed, 4, 10, LOSSY, DROP_EGRESS_LIMIT), 1500);
	ck_assert_int_le(abs((int)bed_fill_to_drop(&bed, 20, 20, LOSSY, DROP_EGRESS_LIMIT) - 9887),
			 MARGIN);
	bed_close(&bed);
}
END_TEST

/*
 * Lossy backlog shrinks the lossless PG's limit but never its guarantee or its headroom: the
 * lossless PG takes exactly its xoff after XOFF.
 */
START_TEST(tomahawk_lossy_and_lossless_side_by_side)
{
	tomahawk(rows[0].xoff_bytes);
	bed_fill_to_drop(&bed, 0, 31, LOSSY, DROP_EGRESS_LIMIT);
	bed_fill_to_drop(&bed, 1, 23, LOSSY, DROP_INGRESS_LIMIT);
	ck_assert_uint_lt(bed_fill_to_xoff(&bed, 2, 30, 3), 1500);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 2, 30, 3, DROP_INGRESS_HEADROOM), 1293);
	bed_close(&bed);
}
END_TEST

/* Drop 626 packets after XOFF; XON 18 cells below the limit (pkts_num_dismiss_pfc 18). */
START_TEST(trident3_headroom_and_xon)
{
	uint32_t released = 1;

	trident3();
	bed_fill_to_xoff(&bed, 5, 9, 3);
	ck_assert_uint_eq(bed_fill_to_drop(&bed, 5, 9, 3, DROP_INGRESS_HEADROOM), 626);
	bed_close(&bed);
	trident3();
	bed_fill_to_xoff(&bed, 5, 9, 3);
	while (!bed_release(&bed, bed.held_count - 1))
		released++;
	ck_assert_uint_eq(released, 18);
	bed_close(&bed);
}
END_TEST

/* 18 PGs: 17 x 362 + 182 cells (pkts_num_hdrm_full and _partial) are its 6,336. */
START_TEST(trident3_headroom_pool)
{
	uint32_t sent[18];

	trident3();
	congest(18, sent);
	for (uint16_t i = 0; i < 17; i++) {
		const struct mmu_account *pg = mmu_pg(&bed.mmu, i / 2, 3 + i % 2);

		while (pg->headroom_cells < 362)
			ck_assert(bed_admit(&bed, i / 2, 31, 3 + i % 2).admitted);
	}
	bed_fill_to_drop(&bed, 8, 31, 4, DROP_HEADROOM_POOL);
	ck_assert_uint_eq(mmu_pg(&bed.mmu, 8, 4)->headroom_cells, 182);
	ck_assert_uint_eq(bed.mmu.pools[0].headroom_used_cells, 6336);
	bed_close(&bed);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("mmu_asic");
	TCase *th = suite_topic(suite, "tomahawk");
	TCase *td3 = suite_topic(suite, "trident3");

	tcase_add_loop_test(th, tomahawk_xoff_and_first_drop, 0, 3);
	tcase_add_loop_test(th, tomahawk_xoff_of_many_pgs, 0, 3);
	tcase_add_loop_test(th, tomahawk_headroom_pool, 0, 3);
	tcase_add_test(th, tomahawk_partitions_are_apart);
	tcase_add_test(th, tomahawk_xon);
	tcase_add_test(th, tomahawk_xon_from_headroom);
	tcase_add_test(th, tomahawk_xon_needs_own_packets_to_leave);
	tcase_add_test(th, tomahawk_lossy_drop);
	tcase_add_test(th, tomahawk_lossy_and_lossless_side_by_side);
	tcase_add_test(td3, trident3_headroom_and_xon);
	tcase_add_test(td3, trident3_headroom_pool);
	return suite_run(suite);
}
