/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lossless and lossy traffic in one egress, as the SONiC community's many-to-one tests load it:
 * stations 0 and 2 send to station 1 at a fixed share of the line, 1,000-byte frames on 100 Gb/s,
 * for 2 ms. Classes 3 and 4 are lossless, 1 and 2 lossy; all DWRR of equal weight.
 */
#include "switch_rig.h"

#define LINE_BPS RIG_RATE_BPS
#define FRAME_BYTES 1000u
#define LAST_PS (2 * UNITS_PS_PER_MS)

static struct rig rig;
static struct scheduler_cfg schedulers[8];

/* 400 KB for all, with headroom that a response of 394 quanta needs twice over. */
static void
open_small(void)
{
	const uint64_t pool_bytes = 400000;

	rig_clear(&rig);
	rig.cfg.mmu.pools[0].size_bytes = pool_bytes;
	rig.cfg.mmu.profiles[RIG_LOSSLESS].dynamic_th = -1;
	rig.cfg.mmu.profiles[RIG_LOSSLESS].xoff_bytes = 120000;
	rig.cfg.mmu.profiles[RIG_LOSSY].dynamic_th = 0;
	for (int i = 0; i < 8; i++) {
		schedulers[i] = (struct scheduler_cfg){.weight = 10};
		rig.ports[1].scheduler[i] = (int16_t)i;
	}
	rig.cfg.schedulers = schedulers;
	rig.cfg.scheduler_count = 8;
}

static void
cable_three(void)
{
	rig_open(&rig, 1);
	for (uint16_t port = 0; port < 3; port++)
		rig_cable(&rig, port, 2017280);
}

/* A flow of `percent` of the line from a station to station 1, until LAST_PS. */
static void
load(uint8_t station, uint8_t class, uint32_t percent)
{
	const struct frame_spec spec = {
		.from = station, .to = 1, .ecn = PACKET_ECT0, .frame_bytes = FRAME_BYTES};
	uint64_t rate_bps = LINE_BPS / 100 * percent;

	station_send(&rig.stations[station], class, spec,
		     LAST_PS / units_frame_ps(FRAME_BYTES, rate_bps), 1000000, rate_bps);
}

static const struct station_received *
got(uint8_t station, uint8_t class)
{
	return &rig.stations[1].from[station][class];
}

static uint64_t
sent(uint8_t station, uint8_t class)
{
	return rig.stations[station].flows[class].sent;
}

/* Share of the line that a flow got until LAST_PS, in percent. */
static double
share(uint8_t station, uint8_t class)
{
	return (double)got(station, class)->packets * (FRAME_BYTES + UNITS_WIRE_OVERHEAD_BYTES) *
	       80 * 100 / LAST_PS;
}

static uint64_t
xoffs(uint16_t port, uint8_t class)
{
	return mmu_pg(&rig.sw->mmu, port, class)->xoffs;
}

/* Let the rest drain, and see that no lossless frame was lost or overtaken. */
static void
assert_lossless_complete(uint8_t station, uint8_t class)
{
	ck_assert_uint_eq(got(station, class)->packets, sent(station, class));
	ck_assert_uint_eq(got(station, class)->reordered, 0);
}

/*
 * 2 x 25 % lossy and 2 x 30 % lossless are 110 %: each class has a quarter of the line, so the
 * lossy lose nothing and the lossless are paused down to theirs. Shares within 5 %.
 */
START_TEST(lossless_over_its_share_is_paused_not_dropped)
{
	open_small();
	cable_three();
	load(0, 1, 25);
	load(2, 2, 25);
	load(0, 3, 30);
	load(2, 4, 30);
	rig_engine(&rig, LAST_PS);
	for (uint8_t i = 1; i <= 4; i++) {
		uint8_t station = i == 1 || i == 3 ? 0 : 2;

		ck_assert_double_eq_tol(share(station, i), 25, 25 * 0.05);
	}
	ck_assert_uint_gt(rig_port(&rig, 0)->pfc_tx.xoff_frames[3], 0);
	ck_assert_uint_gt(rig_port(&rig, 2)->pfc_tx.xoff_frames[4], 0);
	ck_assert_uint_eq(rig_port(&rig, 0)->pfc_tx.xoff_frames[1], 0);
	ck_assert_uint_eq(xoffs(0, 1) + xoffs(2, 2), 0);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	assert_lossless_complete(0, 3);
	assert_lossless_complete(2, 4);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	rig_close(&rig);
}
END_TEST

/* 2 x 40 % lossy over, 2 x 15 % lossless under their share: only lossy is lost, nobody paused. */
START_TEST(lossy_over_its_share_is_dropped_and_no_pause_sent)
{
	uint64_t lost;

	open_small();
	cable_three();
	load(0, 1, 40);
	load(2, 2, 40);
	load(0, 3, 15);
	load(2, 4, 15);
	rig_engine(&rig, LAST_PS);
	ck_assert_double_eq_tol(share(0, 1), 35, 35 * 0.05);
	ck_assert_double_eq_tol(share(2, 2), 35, 35 * 0.05);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	assert_lossless_complete(0, 3);
	assert_lossless_complete(2, 4);
	for (uint16_t port = 0; port < 3; port++)
		ck_assert_uint_eq(rig_port(&rig, port)->pfc_tx.frames, 0);
	lost = sent(0, 1) + sent(2, 2) - got(0, 1)->packets - got(2, 2)->packets;
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, lost);
	ck_assert_uint_eq(rig_drops(&rig, DROP_INGRESS_LIMIT), lost);
	ck_assert_uint_eq(got(0, 1)->reordered + got(2, 2)->reordered, 0);
	rig_close(&rig);
}
END_TEST

/* All four flows over their share, lossless of twice the weight: it has two thirds. */
START_TEST(shares_follow_unequal_weights)
{
	open_small();
	for (int i = 0; i < 8; i++)
		schedulers[i].weight = i == 3 || i == 4 ? 20 : 10;
	cable_three();
	load(0, 1, 45);
	load(2, 2, 45);
	load(0, 3, 45);
	load(2, 4, 45);
	rig_engine(&rig, LAST_PS);
	ck_assert_double_eq_tol(share(0, 1) + share(2, 2), 100.0 / 3, 100.0 / 3 * 0.05);
	ck_assert_double_eq_tol(share(0, 3) + share(2, 4), 200.0 / 3, 200.0 / 3 * 0.05);
	ck_assert_double_eq_tol(share(0, 3), share(2, 4), 200.0 / 6 * 0.05);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	assert_lossless_complete(0, 3);
	assert_lossless_complete(2, 4);
	ck_assert_uint_eq(rig_drops(&rig, DROP_INGRESS_HEADROOM), 0);
	rig_close(&rig);
}
END_TEST

/* Two ports of one lossless class into one: nobody loses, both get half. */
START_TEST(two_to_one_in_one_class_is_fair)
{
	open_small();
	cable_three();
	load(0, 3, 90);
	load(2, 3, 90);
	rig_engine(&rig, LAST_PS);
	ck_assert_double_eq_tol(share(0, 3), 50, 50 * 0.05);
	ck_assert_double_eq_tol(share(2, 3), 50, 50 * 0.05);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	assert_lossless_complete(0, 3);
	assert_lossless_complete(2, 3);
	rig_close(&rig);
}
END_TEST

/* Head of line: a paused class of one port does not hold up the others. */
START_TEST(pause_of_one_class_leaves_the_others)
{
	open_small();
	rig.ports[3].port.hold_until_ps = LAST_PS; /* class 3 is stuck behind this port */
	cable_three();
	load(0, 4, 40);
	load(2, 1, 40);
	station_send(&rig.stations[0], 3,
		     (struct frame_spec){.from = 0, .to = 3, .frame_bytes = FRAME_BYTES}, 2000,
		     1000000, LINE_BPS / 100 * 40);
	rig_engine(&rig, LAST_PS);
	ck_assert_uint_gt(xoffs(0, 3), 0);
	ck_assert_uint_eq(xoffs(0, 4), 0);
	ck_assert_double_eq_tol(share(0, 4), 40, 0.5);
	ck_assert_double_eq_tol(share(2, 1), 40, 0.5);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	ck_assert_uint_eq(rig_departed(&rig, 3), 0); /* a bench port: still on its cable */
	ck_assert_uint_eq(rig.sw->node.ports[3].tx_packets, 2000);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	rig_close(&rig);
}
END_TEST

/*
 * ECN by load (E3 of the SONiC tests): two lossless flows of a and b % into one port of equal
 * weights. No mark while the sum is below 100 %; a flow above half is marked, one below is not;
 * equal flows differ by no more than 5 %; nothing is ever lost.
 */
START_TEST(marks_follow_the_load)
{
	static const struct {
		uint32_t a, b;
	} rows[] = {{90, 15}, {53, 49}, {15, 90}, {49, 49}, {50, 50}, {60, 60}, {60, 90}, {90, 60}};
	static const struct wred_cfg wred = {.mark = {.enable = true,
						      .min_bytes = 20000,
						      .max_bytes = 80000,
						      .probability_q32 = 1ULL << 30}};
	const uint32_t a = rows[_i].a, b = rows[_i].b;
	uint64_t marked_a, marked_b;

	open_small();
	rig.cfg.mmu.pools[0].size_bytes = 8000000;
	rig.cfg.wred = &wred;
	rig.cfg.wred_count = 1;
	rig.ports[1].wred[3] = rig.ports[1].wred[4] = 0;
	cable_three();
	load(0, 3, a);
	load(2, 4, b);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	marked_a = got(0, 3)->marked;
	marked_b = got(2, 4)->marked;
	ck_assert(a + b < 100 ? marked_a + marked_b == 0 : true);
	ck_assert_int_eq(marked_a > 0, a > 50);
	ck_assert_int_eq(marked_b > 0, b > 50);
	if (a == b)
		ck_assert_double_le(labs((long)marked_a - (long)marked_b), 0.05 * (double)marked_a);
	assert_lossless_complete(0, 3);
	assert_lossless_complete(2, 4);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	rig_close(&rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("sharing");
	TCase *shares = suite_topic(suite, "shares");
	TCase *marks = suite_topic(suite, "marks");

	rig_set_up_pool();
	tcase_add_test(shares, lossless_over_its_share_is_paused_not_dropped);
	tcase_add_test(shares, lossy_over_its_share_is_dropped_and_no_pause_sent);
	tcase_add_test(shares, shares_follow_unequal_weights);
	tcase_add_test(shares, two_to_one_in_one_class_is_fair);
	tcase_add_test(shares, pause_of_one_class_leaves_the_others);
	tcase_add_loop_test(marks, marks_follow_the_load, 0, 8);
	return suite_run(suite);
}
