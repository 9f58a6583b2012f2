/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port that always has the serializer's next slot: queues with endless or finite backlogs of
 * frames of random sizes. The bounds are those of Shreedhar and Varghese's proof: while two
 * queues stay backlogged, what each has sent over its weight differs by no more than a quantum
 * and a largest frame.
 */
#include "prng.h"
#include "scheduler.h"
#include "suite.h"

#define GBPS 1000000000ULL
#define LARGEST 1518u

struct load {
	struct scheduler_port port;
	struct prng prng;
	uint32_t head[SCHEDULER_QUEUES];
	uint64_t left[SCHEDULER_QUEUES]; /* frames */
	uint64_t sent_bytes[SCHEDULER_QUEUES];
	uint8_t backlogged;
	uint64_t now_ps;
};

static uint32_t
frame_bytes(struct load *l)
{
	return 64 + (uint32_t)prng_below(&l->prng, LARGEST - 64 + 1);
}

static void
load_init(struct load *l, const struct scheduler_cfg *cfg, uint8_t used,
	  const struct shaper_cfg *port_shaper)
{
	static const struct shaper_cfg none;
	const struct scheduler_cfg *queues[SCHEDULER_QUEUES] = {0};

	*l = (struct load){.prng = prng_init(1, used), .backlogged = used};
	for (int q = 0; q < SCHEDULER_QUEUES; q++) {
		if (cfg != NULL && used >> q & 1)
			queues[q] = &cfg[q];
		l->left[q] = UINT64_MAX;
		l->head[q] = frame_bytes(l);
	}
	scheduler_init(&l->port, queues, port_shaper == NULL ? &none : port_shaper);
}

/* Send one frame of whichever queue is picked; -1 and *retry_ps when none may. */
static int
step(struct load *l, uint8_t paused, uint64_t *retry_ps)
{
	int q = scheduler_pick(&l->port, l->backlogged, paused, l->head, l->now_ps, retry_ps);

	if (q < 0)
		return q;
	EXPECT(l->backlogged >> q & 1);
	EXPECT(!(paused >> q & 1));
	l->left[q]--;
	if (l->left[q] == 0)
		l->backlogged &= (uint8_t) ~(1u << q);
	scheduler_sent(&l->port, (uint8_t)q, l->head[q], l->left[q] == 0, l->now_ps);
	l->sent_bytes[q] += l->head[q];
	l->head[q] = frame_bytes(l);
	return q;
}

START_TEST(strict_goes_first_and_higher_index_first)
{
	struct scheduler_cfg cfg[8] = {{.weight = 10}, {.weight = 10}};
	struct load l;
	uint64_t retry_ps;

	cfg[5].strict = cfg[7].strict = true;
	load_init(&l, cfg, 0xa3, NULL);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(step(&l, 0, &retry_ps), 7);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(step(&l, 0x80, &retry_ps), 5);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_lt(step(&l, 0xa0, &retry_ps), 2);
	ck_assert_int_eq(step(&l, 0x20, &retry_ps), 7);
}
END_TEST

/* Bytes over weight of any two queues: apart by a quantum and a largest frame of each. */
static void
expect_fair(const struct load *l, const uint32_t *weights)
{
	for (int a = 0; a < SCHEDULER_QUEUES; a++) {
		for (int b = 0; b < SCHEDULER_QUEUES; b++) {
			double bound;

			if (weights[a] == 0 || weights[b] == 0)
				continue;
			bound = SCHEDULER_QUANTUM_BYTES + LARGEST / (double)weights[a] +
				LARGEST / (double)weights[b];
			EXPECT((double)l->sent_bytes[a] / weights[a] -
				       (double)l->sent_bytes[b] / weights[b] <=
			       bound);
		}
	}
}

START_TEST(dwrr_shares_follow_the_weights)
{
	static const uint32_t weights[][8] = {
		{1, 1, 1, 1, 1, 1, 1, 1},      {14, 14, 14, 15, 15, 14, 14, 14},
		{1, 2, 4, 8, 16, 32, 64, 100}, {1, 1, 1, 1, 1, 1, 1, 100},
		{3, 0, 0, 7, 0, 0, 0, 0},
	};
	struct scheduler_cfg cfg[8] = {0};
	uint8_t used = 0;
	struct load l;
	uint64_t retry_ps;

	for (int q = 0; q < 8; q++) {
		cfg[q].weight = weights[_i][q];
		used |= (uint8_t)((weights[_i][q] != 0) << q);
	}
	load_init(&l, cfg, used, NULL);
	for (int i = 0; i < 200000; i++) {
		EXPECT(step(&l, 0, &retry_ps) >= 0);
		if (i % 61 == 0)
			expect_fair(&l, weights[_i]);
	}
}
END_TEST

/* Bytes, not frames: 9,000-byte and 64-byte frames of equal weight get equal bytes. */
START_TEST(dwrr_counts_bytes)
{
	struct scheduler_cfg cfg[8] = {{.weight = 1}, {.weight = 1}};
	struct load l;
	uint64_t retry_ps;
	double ratio;

	load_init(&l, cfg, 0x03, NULL);
	for (int i = 0; i < 300000; i++) {
		l.head[0] = 9000;
		l.head[1] = 64;
		EXPECT(step(&l, 0, &retry_ps) >= 0);
	}
	ratio = (double)l.sent_bytes[0] / (double)l.sent_bytes[1];
	ck_assert_double_eq_tol(ratio, 1.0, 0.01);
}
END_TEST

/* Without a SCHEDULER a queue is DWRR with weight 1. */
/* Weighted round robin: in a round each queue sends as many frames as its weight, of any size. */
START_TEST(wrr_counts_packets)
{
	static const uint32_t weights[8] = {1, 0, 5, 0, 0, 14, 0, 2};
	struct scheduler_cfg cfg[8];
	uint32_t sent[8] = {0};
	struct load l;
	uint64_t retry_ps;

	for (int q = 0; q < 8; q++)
		cfg[q] = (struct scheduler_cfg){.by_packets = true, .weight = weights[q]};
	load_init(&l, cfg, 0xa5, NULL);
	for (int i = 0; i < 22 * 1000; i++)
		sent[step(&l, 0, &retry_ps)]++;
	for (int q = 0; q < 8; q++)
		ck_assert_uint_eq(sent[q], weights[q] * 1000);
}
END_TEST

START_TEST(default_is_dwrr_with_weight_one)
{
	struct load l;
	uint64_t retry_ps;

	load_init(&l, NULL, 0x81, NULL);
	for (int i = 0; i < 20000; i++)
		EXPECT(step(&l, 0, &retry_ps) >= 0);
	ck_assert_double_eq_tol((double)l.sent_bytes[0] / (double)l.sent_bytes[7], 1.0, 0.01);
}
END_TEST

/* Paused queues are skipped and lose their share only; a queue alone gets everything. */
START_TEST(paused_queues_are_skipped_and_the_port_conserves_work)
{
	struct scheduler_cfg cfg[8];
	struct prng p = prng_init(3, 3);
	struct load l;
	uint64_t retry_ps;

	for (int q = 0; q < 8; q++)
		cfg[q] = (struct scheduler_cfg){.weight = (uint32_t)q + 1, .strict = q == 6};
	load_init(&l, cfg, 0xff, NULL);
	for (int i = 0; i < 100000; i++) {
		uint8_t paused = (uint8_t)prng_next(&p);
		int q = step(&l, paused, &retry_ps);

		EXPECT((q < 0) == (paused == 0xff));
		EXPECT(q >= 0 || retry_ps == UNITS_NEVER_PS);
	}
}
END_TEST

/* While one is paused the others keep their ratio, and it comes back without a backlog of credit.
 */
START_TEST(no_credit_is_saved_while_paused)
{
	struct scheduler_cfg cfg[8] = {{.weight = 1}, {.weight = 2}, {.weight = 4}};
	struct load l;
	uint64_t retry_ps, before[3];

	load_init(&l, cfg, 0x07, NULL);
	for (int i = 0; i < 50000; i++)
		EXPECT(step(&l, 0x01, &retry_ps) >= 0);
	ck_assert_uint_eq(l.sent_bytes[0], 0);
	ck_assert_double_eq_tol((double)l.sent_bytes[2] / (double)l.sent_bytes[1], 2.0, 0.01);
	for (int q = 0; q < 3; q++)
		before[q] = l.sent_bytes[q];
	for (int i = 0; i < 1000; i++)
		EXPECT(step(&l, 0, &retry_ps) >= 0);
	ck_assert_double_le((double)(l.sent_bytes[0] - before[0]),
			    (double)(l.sent_bytes[1] - before[1]) / 2 + 1024 + 2 * LARGEST);
}
END_TEST

/* A queue that empties forfeits its deficit and does not starve or flood when it comes back. */
START_TEST(finite_backlogs_are_all_sent)
{
	struct scheduler_cfg cfg[8];
	struct load l;
	uint64_t retry_ps, total = 0;

	for (int q = 0; q < 8; q++)
		cfg[q] = (struct scheduler_cfg){.weight = 1 + (uint32_t)q % 3, .strict = q == 7};
	load_init(&l, cfg, 0xff, NULL);
	for (int round = 0; round < 2000; round++) {
		for (int q = 0; q < 8; q++) {
			l.left[q] = 1 + prng_below(&l.prng, 5);
			total += l.left[q];
		}
		l.backlogged = 0xff;
		while (l.backlogged != 0) {
			EXPECT(step(&l, 0, &retry_ps) >= 0);
			total--;
		}
		ck_assert_uint_eq(total, 0);
	}
}
END_TEST

/* Serve at line_bps whenever a frame may go; jump to the time a shaper opens otherwise. */
static void
run_shaped(struct load *l, uint64_t line_bps, uint64_t until_ps)
{
	while (l->now_ps < until_ps) {
		uint64_t retry_ps;
		uint32_t heads[SCHEDULER_QUEUES];
		int q;

		for (int i = 0; i < SCHEDULER_QUEUES; i++)
			heads[i] = l->head[i];
		q = step(l, 0, &retry_ps);
		if (q >= 0) {
			l->now_ps += units_frame_ps(heads[q], line_bps);
			continue;
		}
		EXPECT(retry_ps > l->now_ps);
		l->now_ps = retry_ps;
	}
}

/* Over any time the rate is exact: rate x time, and at most the burst and one frame more. */
START_TEST(queue_shaper_keeps_its_rate)
{
	static const uint64_t rates[] = {1 * GBPS, 7 * GBPS, 25 * GBPS, 99 * GBPS, 3333333333ULL};
	const uint64_t rate_bps = rates[_i], burst_bytes = 20000, until_ps = 2 * UNITS_PS_PER_MS;
	struct scheduler_cfg cfg[8] = {0};
	struct load l;

	cfg[2] = (struct scheduler_cfg){.weight = 1, .shaper = {rate_bps, burst_bytes}};
	load_init(&l, cfg, 0x04, NULL);
	run_shaped(&l, 800 * GBPS, until_ps);
	ck_assert_double_ge((double)l.sent_bytes[2], (double)rate_bps / 8 * 0.002);
	ck_assert_double_le((double)l.sent_bytes[2],
			    (double)rate_bps / 8 * 0.002 + burst_bytes + 2 * LARGEST);
}
END_TEST

/* After silence a burst goes at line rate, no more than the burst and one frame; again later. */
START_TEST(shaper_burst_is_bounded)
{
	struct scheduler_cfg cfg[8] = {{.weight = 1, .shaper = {1 * GBPS, 10000}}};
	struct load l;
	uint64_t retry_ps = 0;

	load_init(&l, cfg, 0x01, NULL);
	for (int again = 0; again < 3; again++) {
		uint64_t before = l.sent_bytes[0];

		while (step(&l, 0, &retry_ps) == 0)
			;
		ck_assert_uint_gt(l.sent_bytes[0] - before, 10000);
		ck_assert_uint_le(l.sent_bytes[0] - before, 10000 + LARGEST);
		ck_assert_uint_gt(retry_ps, l.now_ps);
		/* 8 us a kilobyte: full again after the burst and the frame above it. */
		l.now_ps += 200 * UNITS_PS_PER_US;
	}
}
END_TEST

/* Burst 0: one frame at a time, each a whole frame's time at the shaped rate after the last. */
START_TEST(shaper_without_burst_spaces_frames)
{
	struct scheduler_cfg cfg[8] = {{.weight = 1, .shaper = {1 * GBPS, 0}}};
	struct load l;
	uint64_t retry_ps;

	load_init(&l, cfg, 0x01, NULL);
	l.head[0] = 1000;
	ck_assert_int_eq(step(&l, 0, &retry_ps), 0);
	ck_assert_int_eq(step(&l, 0, &retry_ps), -1);
	ck_assert_uint_eq(retry_ps, 8 * UNITS_PS_PER_US);
	l.now_ps = 8 * UNITS_PS_PER_US - 1;
	ck_assert_int_eq(step(&l, 0, &retry_ps), -1);
	l.now_ps++;
	ck_assert_int_eq(step(&l, 0, &retry_ps), 0);
}
END_TEST

/* One queue's shaper leaves the line to the others; the retry is the first that opens. */
START_TEST(shaped_queue_leaves_the_rest_to_others)
{
	struct scheduler_cfg cfg[8] = {{.weight = 1}, {.weight = 1}};
	const uint64_t until_ps = 2 * UNITS_PS_PER_MS;
	struct load l;

	cfg[1].shaper = (struct shaper_cfg){10 * GBPS, 3000};
	cfg[6] = (struct scheduler_cfg){.strict = true, .shaper = {20 * GBPS, 3000}};
	load_init(&l, cfg, 0x43, NULL);
	run_shaped(&l, 100 * GBPS, until_ps);
	ck_assert_double_eq_tol((double)l.sent_bytes[1] * 8 / 0.002, 10e9, 0.1e9);
	ck_assert_double_eq_tol((double)l.sent_bytes[6] * 8 / 0.002, 20e9, 0.1e9);
	/* The rest of the line, less preamble and gap of every frame (20 of about 800 B). */
	ck_assert_double_ge((double)l.sent_bytes[0] * 8 / 0.002, 66e9);
}
END_TEST

START_TEST(port_shaper_caps_the_sum)
{
	const struct shaper_cfg shaper = {40 * GBPS, 9000};
	struct scheduler_cfg cfg[8] = {{.weight = 1}, {.weight = 3}};
	const uint64_t until_ps = 2 * UNITS_PS_PER_MS;
	struct load l;
	uint64_t sum;

	load_init(&l, cfg, 0x03, &shaper);
	run_shaped(&l, 100 * GBPS, until_ps);
	sum = l.sent_bytes[0] + l.sent_bytes[1];
	ck_assert_uint_ge(sum, 40 * GBPS / 8 / 500);
	ck_assert_uint_le(sum, 40 * GBPS / 8 / 500 + 9000 + 2 * LARGEST);
	ck_assert_double_eq_tol((double)l.sent_bytes[1] / (double)l.sent_bytes[0], 3.0, 0.03);
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *order = suite_topic(suite, "order");
	TCase *shapers = suite_topic(suite, "shapers");

	tcase_add_test(order, strict_goes_first_and_higher_index_first);
	tcase_add_loop_test(order, dwrr_shares_follow_the_weights, 0, 5);
	tcase_add_test(order, dwrr_counts_bytes);
	tcase_add_test(order, wrr_counts_packets);
	tcase_add_test(order, default_is_dwrr_with_weight_one);
	tcase_add_test(order, paused_queues_are_skipped_and_the_port_conserves_work);
	tcase_add_test(order, no_credit_is_saved_while_paused);
	tcase_add_test(order, finite_backlogs_are_all_sent);
	tcase_add_loop_test(shapers, queue_shaper_keeps_its_rate, 0, 5);
	tcase_add_test(shapers, shaper_burst_is_bounded);
	tcase_add_test(shapers, shaper_without_burst_spaces_frames);
	tcase_add_test(shapers, shaped_queue_leaves_the_rest_to_others);
	tcase_add_test(shapers, port_shaper_caps_the_sum);
}

int
main(void)
{
	Suite *suite = suite_create("scheduler");

	add_cases(suite);
	return suite_run(suite);
}
