/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECN accuracy through the whole switch, as the SONiC community's ECN tests have it: stop a
 * queue, send a known number of 1,000-byte frames, release, and look which come out marked.
 * Port 0 sends, port 1 is held until 1 ms; class 3 is lossless, class 1 lossy.
 */
#include "switch_rig.h"

#define KB 1000ULL
#define HOLD_PS UNITS_PS_PER_MS
#define PERCENT_Q32 ((1ULL << 32) / 100)

static struct rig rig;
static struct wred_cfg wred;

static void
open_held(uint64_t seed)
{
	rig_clear(&rig);
	rig.ports[1].port.hold_until_ps = HOLD_PS;
	rig.cfg.wred = &wred;
	rig.cfg.wred_count = 1;
	rig.ports[1].wred[1] = rig.ports[1].wred[3] = 0;
	rig_open(&rig, seed);
}

static const struct frame_spec ect = {
	.from = 0, .to = 1, .dscp = 24, .ecn = PACKET_ECT0, .frame_bytes = 1000};

static void
feed_frames(uint32_t count, const struct frame_spec *spec)
{
	for (uint64_t i = 0; i < count; i++)
		rig_feed(&rig, 0, spec, 2000000 + rig.fed * 81600);
}

static bool
is_marked(const struct rig_departure *d)
{
	return (d->traffic_class & 3) == PACKET_CE;
}

static const struct wred_curve gentle = {
	.enable = true,
	.min_bytes = 500 * KB,
	.max_bytes = 2000 * KB,
	.probability_q32 = 5 * PERCENT_Q32,
};

#define RUNS 200u
#define FRAMES 2010u
#define BIN 50u

/*
 * Kmin 500 KB, Kmax 2,000 KB, Pmax 5 %, 2,010 frames, marking at dequeue: the i-th frame leaves
 * 2,010 - i KB behind. The first 10 are all marked, the last 500 never, and between them each
 * bin of 50 frames x 200 runs keeps within 3.29 sigma (99.9 %) of the line.
 */
START_TEST(dequeue_marking_follows_the_line)
{
	static uint32_t marks[FRAMES + 1];

	memset(marks, 0, sizeof(marks));
	wred = (struct wred_cfg){.mark = gentle};
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		open_held(seed);
		feed_frames(FRAMES, &ect);
		rig_run(&rig, 2 * HOLD_PS);
		ck_assert_uint_eq(rig.count, FRAMES);
		for (uint32_t i = 0; i < FRAMES; i++)
			marks[i + 1] += is_marked(&rig.departures[i]);
		rig_close(&rig);
	}
	for (uint32_t i = 1; i <= 10; i++)
		ck_assert_uint_eq(marks[i], RUNS);
	for (uint32_t i = 1510; i <= FRAMES; i++)
		ck_assert_uint_eq(marks[i], 0);
	for (uint32_t first = 11; first <= 1510; first += BIN) {
		double mean = 0, variance = 0, sum = 0;

		for (uint32_t i = first; i < first + BIN; i++) {
			double p = 0.05 * (1510.0 - i) / 1500;

			mean += RUNS * p;
			variance += RUNS * p * (1 - p);
			sum += marks[i];
		}
		ck_assert_msg((sum - mean) * (sum - mean) <= 3.29 * 3.29 * variance + 1,
			      "frames %u to %u: %.0f marks, %.1f expected", first, first + BIN - 1,
			      sum, mean);
	}
}
END_TEST

/* Kmin = Kmax = 100 KB, 200 frames: at dequeue the first 100 are marked, at enqueue the last. */
START_TEST(step_shows_where_it_is_read)
{
	for (int at_enqueue = 0; at_enqueue < 2; at_enqueue++) {
		wred = (struct wred_cfg){
			.mark = {.enable = true, .min_bytes = 100 * KB, .max_bytes = 100 * KB},
			.at_enqueue = at_enqueue};
		open_held(1);
		feed_frames(200, &ect);
		rig_run(&rig, 2 * HOLD_PS);
		ck_assert_uint_eq(rig.count, 200);
		for (uint32_t i = 0; i < 200; i++)
			ck_assert_int_eq(is_marked(&rig.departures[i]), (i < 100) != at_enqueue);
		ck_assert_uint_eq(rig.sw->ports[1].queues[3].marked, 100);
		ck_assert_uint_eq(rig.sw->node.counters.marked, 100);
		rig_close(&rig);
	}
}
END_TEST

/* A marked frame is the frame that came, but for the two ECN bits and a checksum that is right. */
static void
assert_only_ecn_changed(const struct rig_departure *d, const struct frame_spec *spec)
{
	uint8_t wanted[128];
	struct frame_spec marked = *spec;

	if (spec->ecn == PACKET_ECT0 || spec->ecn == PACKET_ECT1)
		marked.ecn = PACKET_CE;
	frame_write(wanted, &marked, spec->frame_bytes);
	ck_assert_mem_eq(d->header, wanted, 54);
	if (!spec->ipv6)
		ck_assert_uint_eq(frame_ones_sum(d->header + (spec->tagged ? 18 : 14), 20), 0xffff);
	ck_assert_uint_eq(d->traffic_class & 3, marked.ecn);
}

/*
 * Above the threshold every ECT frame is marked, CE stays CE, and Not-ECT goes as it came where
 * no drop curve is set: on a lossless queue ECN loses nothing. IPv4 and IPv6, tagged and not.
 */
START_TEST(marking_touches_nothing_else)
{
	struct frame_spec specs[16];

	wred = (struct wred_cfg){.mark = {.enable = true}, .at_enqueue = _i};
	open_held(1);
	for (uint32_t i = 0; i < 16; i++) {
		specs[i] = ect;
		specs[i].ecn = i % 4;
		specs[i].ipv6 = i & 4;
		specs[i].tagged = i & 8;
		specs[i].tci = 3 << 13; /* a priority tag: no VLAN of its own */
		specs[i].source_port = (uint16_t)(0xc000 + i * 77);
		feed_frames(1, &specs[i]);
	}
	rig_run(&rig, 2 * HOLD_PS);
	ck_assert_uint_eq(rig.count, 16);
	for (uint32_t i = 0; i < 16; i++)
		assert_only_ecn_changed(&rig.departures[i], &specs[i]);
	ck_assert_uint_eq(rig.sw->node.counters.marked, 8);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	rig_close(&rig);
}
END_TEST

/*
 * Not-ECT on a lossy queue: 2,500 frames into a stopped queue. Each sees what was admitted
 * before it, so the expected number of drops is the sum of the curve over that; the same sum
 * over marks when the frames are ECT. 4 sigma of the sum.
 */
START_TEST(drops_have_the_probability_of_marks)
{
	double expected = 0, variance = 0, got = 0;
	bool drop = _i == 0;
	struct frame_spec spec = ect;

	spec.dscp = 8;
	spec.ecn = drop ? PACKET_NOT_ECT : PACKET_ECT1;
	wred = (struct wred_cfg){.mark = gentle, .drop = gentle, .at_enqueue = true};
	wred.mark.max_bytes = wred.drop.max_bytes = 4000 * KB;
	wred.mark.probability_q32 = wred.drop.probability_q32 = 40 * PERCENT_Q32;
	for (uint64_t seed = 0; seed < 10; seed++) {
		uint32_t at = 0;

		open_held(seed);
		feed_frames(2500, &spec);
		rig_run(&rig, 2 * HOLD_PS);
		for (uint64_t uid = 1; uid <= 2500; uid++) {
			double p = at <= 500 ? 0 : 0.4 * (at - 500.0) / 3500;
			bool out = at < rig.count && rig.departures[at].uid == uid;

			expected += p;
			variance += p * (1 - p);
			got += drop ? !out : is_marked(&rig.departures[at]);
			at += out;
		}
		ck_assert_uint_eq(at, rig.count);
		ck_assert_uint_eq(rig_port(&rig, 1)->drops[DROP_WRED][1], 2500 - rig.count);
		ck_assert_uint_eq(rig.sw->ports[1].queues[1].dropped, 2500 - rig.count);
		ck_assert(drop || rig.count == 2500);
		rig_close(&rig);
	}
	ck_assert_double_gt(expected, 500);
	ck_assert_double_le((got - expected) * (got - expected), 16 * variance);
}
END_TEST

/* Marking at dequeue, Not-ECT is still refused on the way in: what was stored is sent. */
START_TEST(early_drops_are_at_enqueue)
{
	struct frame_spec spec = ect;

	spec.dscp = 8;
	wred = (struct wred_cfg){
		.mark = {.enable = true, .min_bytes = 10 * KB, .max_bytes = 10 * KB},
		.drop = {.enable = true, .min_bytes = 10 * KB, .max_bytes = 10 * KB}};
	open_held(1);
	spec.ecn = PACKET_NOT_ECT;
	feed_frames(30, &spec);
	rig_run(&rig, HOLD_PS / 2);
	ck_assert_uint_eq(rig.sw->ports[1].queues[1].packets, 10);
	ck_assert_uint_eq(rig_drops(&rig, DROP_WRED), 20);
	spec.ecn = PACKET_ECT0;
	feed_frames(5, &spec);
	rig_run(&rig, 2 * HOLD_PS);
	ck_assert_uint_eq(rig.count, 15);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(rig.departures[i].traffic_class & 3, PACKET_NOT_ECT);
	for (uint32_t i = 10; i < 15; i++) /* 4 KB and less behind them */
		ck_assert_uint_eq(rig.departures[i].traffic_class & 3, PACKET_ECT0);
	rig_close(&rig);
}
END_TEST

/* SONiC's ecn_none: WRED drops, and ECT saves nobody. */
START_TEST(a_queue_that_marks_nothing_drops)
{
	wred = (struct wred_cfg){
		.drop = {.enable = true, .min_bytes = 10 * KB, .max_bytes = 10 * KB}};
	open_held(1);
	feed_frames(30, &ect);
	rig_run(&rig, HOLD_PS / 2);
	ck_assert_uint_eq(rig_drops(&rig, DROP_WRED), 20);
	rig_run(&rig, 2 * HOLD_PS);
	ck_assert_uint_eq(rig.count, 10);
	ck_assert_uint_eq(rig.sw->node.counters.marked, 0);
	rig_close(&rig);
}
END_TEST

/* What the buffer refuses has not been marked: every mark counted comes out. */
START_TEST(marks_are_counted_only_if_stored)
{
	wred = (struct wred_cfg){.mark = {.enable = true}, .at_enqueue = true};
	rig_clear(&rig);
	rig.ports[1].port.hold_until_ps = HOLD_PS;
	rig.cfg.wred = &wred;
	rig.cfg.wred_count = 1;
	rig.ports[1].wred[3] = 0;
	rig.cfg.mmu.pools[1].size_bytes = 20 * 5 * 208;
	rig.cfg.mmu.profiles[RIG_EGRESS].static_th_bytes = 20 * 5 * 208;
	rig_open(&rig, 1);
	feed_frames(50, &ect);
	rig_run(&rig, 2 * HOLD_PS);
	ck_assert_uint_eq(rig.count, 20);
	ck_assert_uint_eq(rig.sw->node.counters.marked, 20);
	ck_assert_uint_eq(rig.sw->ports[1].queues[3].marked, 20);
	rig_close(&rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("marking");
	TCase *curve = suite_topic(suite, "curve");
	TCase *codepoints = suite_topic(suite, "codepoints");

	rig_set_up_pool();
	tcase_add_test(curve, dequeue_marking_follows_the_line);
	tcase_add_test(curve, step_shows_where_it_is_read);
	tcase_add_loop_test(codepoints, marking_touches_nothing_else, 0, 2);
	tcase_add_loop_test(codepoints, drops_have_the_probability_of_marks, 0, 2);
	tcase_add_test(codepoints, early_drops_are_at_enqueue);
	tcase_add_test(codepoints, a_queue_that_marks_nothing_drops);
	tcase_add_test(codepoints, marks_are_counted_only_if_stored);
	return suite_run(suite);
}
