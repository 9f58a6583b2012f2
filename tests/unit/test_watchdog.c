/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watchdog's clockwork against SONiC's rules, with a storm that begins and ends anywhere
 * between two polls. Times in units of 1 ms; a storm is a priority that stays paused and gets a
 * pause frame each ms.
 */
#include "watchdog.h"

#include "suite.h"

#define MS 1000000000ULL

enum { POLL = 100, DETECTION = 300, RESTORATION = 200 };

static const struct watchdog_cfg cfgs[] = {
	[WATCHDOG_PAUSE_FRAMES] = {.priorities = 8,
				   .detect = WATCHDOG_PAUSE_FRAMES,
				   .detection_ps = DETECTION * MS,
				   .restoration_ps = RESTORATION * MS},
	[WATCHDOG_NO_PROGRESS] = {.priorities = 8,
				  .detect = WATCHDOG_NO_PROGRESS,
				  .detection_ps = DETECTION * MS,
				  .restoration_ps = RESTORATION * MS},
};

struct bench {
	const struct watchdog_cfg *cfg;
	struct watchdog w;
	struct watchdog_reading now;
	uint64_t ms;
	uint64_t detected_ms; /* of the last event; 0 = none */
	uint64_t restored_ms;
};

/* One ms goes by, with the priority paused or not; a poll at whole multiples of the interval. */
static void
tick(struct bench *b, bool paused, bool frames, uint64_t sent)
{
	enum watchdog_event event;

	b->ms++;
	b->now.resumes += b->now.paused && !paused;
	b->now.paused = paused;
	b->now.paused_ps += paused ? MS : 0;
	b->now.pause_frames += frames;
	b->now.tx_packets += sent;
	if (b->ms % POLL != 0)
		return;
	event = watchdog_poll(&b->w, b->cfg, &b->now, POLL * MS, b->ms * MS);
	if (event == WATCHDOG_DETECTED)
		b->detected_ms = b->ms;
	if (event == WATCHDOG_RESTORED)
		b->restored_ms = b->ms;
}

static void
ticks(struct bench *b, uint64_t count, bool stormy)
{
	for (uint64_t i = 0; i < count; i++)
		tick(b, stormy, stormy, stormy ? 0 : 1);
}

static struct bench
bench_of(int detect)
{
	return (struct bench){.cfg = &cfgs[detect], .now.queued_packets = 10};
}

/* W6: detected in (Td, Td + Tp], over in [Tr, Tr + Tp], whatever the phase. */
START_TEST(storm_is_found_and_its_end_in_time)
{
	for (uint64_t phase = 0; phase < POLL; phase += 7) {
		struct bench b = bench_of(_i);
		uint64_t begin, end;

		ticks(&b, 1000 + phase, false);
		begin = b.ms;
		ticks(&b, 700 + 3 * phase, true);
		end = b.ms;
		ticks(&b, 1000, false);
		ck_assert_uint_ge(b.detected_ms - begin, DETECTION);
		ck_assert_uint_le(b.detected_ms - begin, DETECTION + POLL);
		ck_assert_uint_ge(b.restored_ms - end, RESTORATION);
		ck_assert_uint_le(b.restored_ms - end, RESTORATION + POLL);
		ck_assert_uint_eq(b.w.detected, 1);
		ck_assert_uint_eq(b.w.restored, 1);
		ck_assert_uint_eq(b.w.first_detected_ps, b.detected_ms * MS);
		ck_assert_uint_eq(b.w.last_restored_ps, b.restored_ms * MS);
	}
}
END_TEST

/* W1: a storm of half the detection time; W4: 15 bursts of half a poll. */
START_TEST(short_storms_and_bursts_are_none)
{
	struct bench b = bench_of(_i);

	ticks(&b, 1030, false);
	ticks(&b, DETECTION / 2, true);
	ticks(&b, 1000, false);
	for (int i = 0; i < 15; i++) {
		ticks(&b, POLL / 2, true);
		ticks(&b, POLL / 2, false);
	}
	ck_assert_uint_eq(b.w.detected, 0);
}
END_TEST

/* A pause that ends once, for a moment, begins anew: with the first rule, also between polls. */
START_TEST(a_resume_starts_over)
{
	struct bench b = bench_of(_i);

	ticks(&b, 1000, false);
	for (int i = 0; i < 20; i++) {
		ticks(&b, 2 * POLL - 5, true);
		ticks(&b, 5, false);
	}
	ck_assert_uint_eq(b.w.detected, 0);
}
END_TEST

/* Nobody pauses: idle, or with packets that do not move for another reason. */
START_TEST(idle_and_slow_queues_are_no_storm)
{
	struct bench b = bench_of(_i);

	for (int i = 0; i < 5000; i++)
		tick(&b, false, false, 0);
	b.now.queued_packets = 0;
	for (int i = 0; i < 5000; i++)
		tick(&b, false, false, 0);
	ck_assert_uint_eq(b.w.detected, 0);
	ck_assert(!watchdog_is_busy(&b.w, b.cfg));
}
END_TEST

/* Zero quanta resume: readings do not count them, so they neither make a storm nor keep one. */
START_TEST(resume_frames_do_not_keep_a_storm)
{
	struct bench b = bench_of(_i);

	ticks(&b, 1000, true);
	ck_assert_uint_eq(b.w.detected, 1);
	for (int i = 0; i < RESTORATION + POLL; i++)
		tick(&b, false, false, 1);
	ck_assert_uint_eq(b.w.restored, 1);
}
END_TEST

/* An empty queue: a storm by the first rule, none by the second. */
START_TEST(empty_queue_counts_by_one_rule_only)
{
	struct bench b = bench_of(_i);

	b.now.queued_packets = 0;
	ticks(&b, 2000, true);
	ck_assert_uint_eq(b.w.detected, _i == WATCHDOG_PAUSE_FRAMES);
}
END_TEST

/* Restoration of 0: the storm is never over, and no more polls are asked for. */
START_TEST(without_restoration_a_storm_stays)
{
	struct watchdog_cfg cfg = cfgs[_i];
	struct bench b = bench_of(_i);

	cfg.restoration_ps = 0;
	b.cfg = &cfg;
	ticks(&b, 1000, true);
	ticks(&b, 5000, false);
	ck_assert_uint_eq(b.w.detected, 1);
	ck_assert(b.w.storming);
	ck_assert(!watchdog_is_busy(&b.w, &cfg));
}
END_TEST

/* After the end of one storm, the next is found as the first was. */
START_TEST(storms_come_again)
{
	struct bench b = bench_of(_i);

	for (int i = 0; i < 3; i++) {
		ticks(&b, 730, true);
		ticks(&b, 770, false);
	}
	ck_assert_uint_eq(b.w.detected, 3);
	ck_assert_uint_eq(b.w.restored, 3);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("watchdog");
	TCase *tc = suite_topic(suite, "clockwork");

	tcase_add_loop_test(tc, storm_is_found_and_its_end_in_time, 0, 2);
	tcase_add_loop_test(tc, short_storms_and_bursts_are_none, 0, 2);
	tcase_add_loop_test(tc, a_resume_starts_over, 0, 2);
	tcase_add_loop_test(tc, idle_and_slow_queues_are_no_storm, 0, 2);
	tcase_add_loop_test(tc, resume_frames_do_not_keep_a_storm, 0, 2);
	tcase_add_loop_test(tc, empty_queue_counts_by_one_rule_only, 0, 2);
	tcase_add_loop_test(tc, without_restoration_a_storm_stays, 0, 2);
	tcase_add_loop_test(tc, storms_come_again, 0, 2);
	return suite_run(suite);
}
