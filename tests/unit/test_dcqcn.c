/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Oracles: the identities of the algorithm (Zhu et al., SIGCOMM 2015): the first CNP at alpha 1
 * halves the rate, k recovery events leave 1/2^k of the gap, k quiet periods (1-g)^k of alpha.
 * Firmware defaults: what mlxconfig lists on a ConnectX.
 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "congestion.h"
#include "dcqcn.h"
#include "units.h"
#include "suite.h"

#define US UNITS_PS_PER_US
#define MBPS 1000000ULL
#define GBPS 1000000000ULL
#define ONE (1ULL << 32)
#define LINE (100 * GBPS)

static struct dcqcn_cfg
preset(const char *name)
{
	struct dcqcn_cfg cfg;

	ck_assert_int_eq(dcqcn_preset(name, &cfg), 0);
	return cfg;
}

/* Rates are rounded to whole bits a second at every step. */
static void
check_near(uint64_t got, double want, double tolerance)
{
	ck_assert_msg(fabs((double)got - want) <= tolerance, "%llu, not %.3f",
		      (unsigned long long)got, want);
}

START_TEST(presets)
{
	struct dcqcn_cfg cfg = preset("connectx");

	ck_assert(cfg.nic_form);
	ck_assert_uint_eq(cfg.alpha_ps, 1 * US);
	ck_assert_uint_eq(cfg.cut_ps, 4 * US);
	ck_assert_uint_eq(cfg.increase_ps, 300 * US);
	ck_assert_uint_eq(cfg.g_q32 * 1024, 5 * ONE);
	ck_assert_uint_eq(cfg.initial_alpha_q32 * 1024, 1023 * ONE);
	ck_assert_uint_eq(cfg.threshold, 1);
	ck_assert_uint_eq(cfg.ai_bps, 5 * MBPS);
	ck_assert_uint_eq(cfg.hai_bps, 50 * MBPS);
	ck_assert_uint_eq(cfg.min_rate_bps, 1 * MBPS);
	ck_assert_uint_eq(cfg.gd_log2, 11);
	ck_assert_uint_eq(cfg.min_decrease_percent, 50);
	ck_assert(!cfg.clamp_target && cfg.clamp_target_after_timer);
	cfg = preset("paper");
	ck_assert(!cfg.nic_form);
	ck_assert_uint_eq(cfg.g_q32 * 256, ONE);
	ck_assert_uint_eq(cfg.initial_alpha_q32, ONE);
	ck_assert_uint_eq(cfg.byte_counter_bytes, 10000000);
	ck_assert_uint_eq(cfg.threshold, 5);
	ck_assert_int_eq(dcqcn_preset("reno", &cfg), -ENOENT);
}
END_TEST

START_TEST(nothing_happens_before_the_first_cnp)
{
	static const char *const names[] = {"connectx", "paper"};
	struct dcqcn_cfg cfg = preset(names[_i]);
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_sent(&s, &cfg, 5 * US, 4096);
	dcqcn_advance(&s, &cfg, UNITS_PS_PER_S);
	ck_assert_uint_eq(s.current_bps, LINE);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), UNITS_NEVER_PS);
	cfg.max_rate_bps = 40 * GBPS;
	dcqcn_init(&s, &cfg, LINE);
	ck_assert_uint_eq(s.current_bps, 40 * GBPS);
}
END_TEST

START_TEST(classic_first_cnp_halves)
{
	struct dcqcn_cfg cfg = preset("paper");
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 10 * US);
	ck_assert_uint_eq(s.current_bps, LINE / 2);
	ck_assert_uint_eq(s.target_bps, LINE);
	/* alpha = (1-g) 1 + g = 1: the next one halves again, from the new target. */
	ck_assert_uint_eq(dcqcn_alpha_q32(&s, &cfg, 10 * US), ONE);
	dcqcn_cnp(&s, &cfg, 60 * US);
	ck_assert_uint_eq(s.current_bps, LINE / 4);
	ck_assert_uint_eq(s.target_bps, LINE / 2);
	/* Never below the least rate. */
	for (int i = 0; i < 40; i++)
		dcqcn_cnp(&s, &cfg, 60 * US + i);
	ck_assert_uint_eq(s.current_bps, cfg.min_rate_bps);
}
END_TEST

START_TEST(classic_recovery_halves_the_gap)
{
	struct dcqcn_cfg cfg = preset("paper");
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	/* F = 5: four events recover, the fifth is the first additive one. */
	for (int k = 1; k <= 4; k++) {
		ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), (uint64_t)k * 55 * US);
		dcqcn_advance(&s, &cfg, (uint64_t)k * 55 * US - 1);
		check_near(LINE - s.current_bps, LINE / 2.0 / (1 << (k - 1)), k);
		dcqcn_advance(&s, &cfg, (uint64_t)k * 55 * US);
		check_near(LINE - s.current_bps, LINE / 2.0 / (1 << k), k);
		ck_assert_uint_eq(s.target_bps, LINE);
	}
}
END_TEST

START_TEST(alpha_decays_by_the_power)
{
	static const char *const names[] = {"connectx", "paper"};
	static const uint64_t periods[] = {0, 1, 2, 3, 10, 100, 1000, 1000000000};
	struct dcqcn_cfg cfg = preset(names[_i]);
	double keep = 1 - (double)cfg.g_q32 / ONE;
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 7);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		uint64_t now_ps = 7 + periods[i] * cfg.alpha_ps;
		double want = (double)cfg.initial_alpha_q32 * pow(keep, periods[i]);

		check_near(dcqcn_alpha_q32(&s, &cfg, now_ps), want, 2);
		/* Just before the period's end it still is what it was. */
		check_near(dcqcn_alpha_q32(&s, &cfg, now_ps + cfg.alpha_ps - 1), want, 2);
	}
}
END_TEST

/* After k quiet periods a CNP cuts by alpha (1-g)^k / 2. */
START_TEST(classic_cut_uses_the_decayed_alpha)
{
	struct dcqcn_cfg cfg = preset("paper");
	struct dcqcn_state s;
	double alpha;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	/* Long enough to be back at line rate: hyper increase adds up quickly. */
	dcqcn_advance(&s, &cfg, 1000 * 55 * US);
	ck_assert_uint_eq(s.current_bps, LINE);
	alpha = pow(255.0 / 256, 1000);
	dcqcn_cnp(&s, &cfg, 1000 * 55 * US);
	check_near(s.current_bps, LINE * (1 - alpha / 2), 100);
	check_near(dcqcn_alpha_q32(&s, &cfg, 1000 * 55 * US), (alpha * 255 / 256 + 1.0 / 256) * ONE,
		   4);
}
END_TEST

/* Stages of the timer and of the byte counter: recovery, additive, hyper with its multiple. */
START_TEST(classic_increase_phases)
{
	struct dcqcn_cfg cfg = preset("paper");
	uint64_t now_ps = 0, target_bps;
	struct dcqcn_state s;

	cfg.threshold = 2;
	cfg.byte_counter_bytes = 10000;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, now_ps);
	dcqcn_cnp(&s, &cfg, now_ps); /* R_T = 50 Gb/s: below the line, where gains show */
	target_bps = LINE / 2;
	dcqcn_sent(&s, &cfg, now_ps, 9999);
	ck_assert_uint_eq(s.byte_stage, 0);
	dcqcn_sent(&s, &cfg, now_ps, 1);
	ck_assert_uint_eq(s.byte_stage, 1);
	ck_assert_uint_eq(s.target_bps, target_bps);
	check_near(s.current_bps, 37.5 * GBPS, 1);
	dcqcn_sent(&s, &cfg, now_ps, 10000); /* byte stage 2: additive */
	target_bps += 40 * MBPS;
	ck_assert_uint_eq(s.target_bps, target_bps);
	check_near(s.current_bps, (37.5 * GBPS + target_bps) / 2, 1);
	dcqcn_advance(&s, &cfg, now_ps += 55 * US); /* time stage 1: still only bytes */
	target_bps += 40 * MBPS;
	ck_assert_uint_eq(s.target_bps, target_bps);
	dcqcn_advance(&s, &cfg, now_ps += 55 * US); /* 2 and 2: hyper, once */
	target_bps += 200 * MBPS;
	ck_assert_uint_eq(s.target_bps, target_bps);
	dcqcn_advance(&s, &cfg, now_ps += 55 * US); /* 3 and 2: once */
	target_bps += 200 * MBPS;
	ck_assert_uint_eq(s.target_bps, target_bps);
	dcqcn_sent(&s, &cfg, now_ps, 25000); /* two byte events: 3 and 3, 3 and 4: twice each */
	target_bps += 2 * 400 * MBPS;
	ck_assert_uint_eq(s.target_bps, target_bps);
	ck_assert_uint_eq(s.bytes, 5000);
	/* A CNP starts everything over. */
	dcqcn_cnp(&s, &cfg, now_ps);
	ck_assert_uint_eq(s.time_stage + s.byte_stage + s.bytes, 0);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), now_ps + 55 * US);
}
END_TEST

START_TEST(classic_least_gap_of_cuts)
{
	struct dcqcn_cfg cfg = preset("paper");
	struct dcqcn_state s;

	cfg.cut_ps = 50 * US;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_cnp(&s, &cfg, 50 * US - 1);
	ck_assert_uint_eq(s.current_bps, LINE / 2);
	dcqcn_cnp(&s, &cfg, 50 * US);
	ck_assert_uint_eq(s.current_bps, LINE / 4);
}
END_TEST

/* The cut waits for the monitor period; alpha moves first, by the period, with g when marked. */
START_TEST(nic_three_clocks)
{
	struct dcqcn_cfg cfg = preset("connectx");
	double alpha = 1023.0 / 1024;
	double rate = LINE;
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	ck_assert_uint_eq(s.current_bps, LINE);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), 4 * US);
	dcqcn_advance(&s, &cfg, 4 * US - 1);
	ck_assert_uint_eq(s.current_bps, LINE);
	dcqcn_advance(&s, &cfg, 4 * US);
	alpha *= pow(1019.0 / 1024, 4);
	rate *= 1 - alpha / 2;
	check_near(s.current_bps, rate, 100);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), 304 * US);

	/* Two CNPs in one period count once, in alpha and in the cut. */
	dcqcn_cnp(&s, &cfg, 9 * US + 1);
	dcqcn_cnp(&s, &cfg, 9 * US + 2);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), 12 * US);
	dcqcn_advance(&s, &cfg, 12 * US);
	alpha = alpha * pow(1019.0 / 1024, 6) + 5.0 / 1024; /* the periods that end at 5..10 us */
	alpha *= pow(1019.0 / 1024, 2);
	rate *= 1 - alpha / 2;
	check_near(s.current_bps, rate, 200);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), 312 * US);

	/* The cut clock keeps its phase through silence. */
	dcqcn_cnp(&s, &cfg, 101 * US);
	ck_assert_uint_eq(dcqcn_next_change_ps(&s, &cfg), 104 * US);
}
END_TEST

/* F = 1: the first event recovers, the second adds R_AI, the others R_HAI. */
START_TEST(nic_increase_phases)
{
	struct dcqcn_cfg cfg = preset("connectx");
	uint64_t target_bps, current_bps;
	struct dcqcn_state s;

	cfg.clamp_target = true;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_cnp(&s, &cfg, 5 * US); /* cuts at 4 and at 8 us */
	dcqcn_advance(&s, &cfg, 8 * US);
	target_bps = s.target_bps;
	current_bps = s.current_bps;
	ck_assert_uint_lt(target_bps, LINE);
	for (int k = 1; k <= 4; k++) {
		static const uint64_t gains[] = {0, 5 * MBPS, 50 * MBPS, 50 * MBPS};

		dcqcn_advance(&s, &cfg, 8 * US + (uint64_t)k * 300 * US);
		target_bps += gains[k - 1];
		current_bps = (target_bps + current_bps + 1) / 2;
		ck_assert_uint_eq(s.target_bps, target_bps);
		ck_assert_uint_eq(s.current_bps, current_bps);
	}
	/* The byte counter is a second such clock: 32767 x 64 bytes. */
	dcqcn_sent(&s, &cfg, 1300 * US, 32767 * 64 - 1);
	ck_assert_uint_eq(s.byte_stage, 0);
	dcqcn_sent(&s, &cfg, 1300 * US, 1);
	ck_assert_uint_eq(s.byte_stage, 1);
	ck_assert_uint_eq(s.target_bps, target_bps + 50 * MBPS);
}
END_TEST

START_TEST(nic_cut_is_bounded)
{
	struct dcqcn_cfg cfg = preset("connectx");
	struct dcqcn_state s;

	/* Gd = 2^(10-10) = 1: alpha near 1 would leave next to nothing. */
	cfg.gd_log2 = 10;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_advance(&s, &cfg, 4 * US);
	ck_assert_uint_eq(s.current_bps, LINE / 2);
	cfg.min_decrease_percent = 0;
	cfg.alpha_ps = 0; /* no clock: alpha stays */
	cfg.initial_alpha_q32 = ONE;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_advance(&s, &cfg, 4 * US);
	ck_assert_uint_eq(s.current_bps, cfg.min_rate_bps);
	/* The rate set at the first CNP. */
	cfg.first_rate_bps = 7 * GBPS;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	ck_assert_uint_eq(s.current_bps, 7 * GBPS);
	ck_assert_uint_eq(s.target_bps, 7 * GBPS);
}
END_TEST

/*
 * clamp_tgt_rate: R_T = R_C at every cut. Without it R_T follows only when an increase came
 * since the last cut: one of the byte counter, or with _after_time_inc also one of the timer.
 */
START_TEST(clamp_flags)
{
	static const struct {
		bool clamp, after_timer, by_bytes, by_timer, follows;
	} cases[] = {
		{false, false, false, false, false}, {false, true, false, false, false},
		{false, false, true, false, true},   {false, false, false, true, false},
		{false, true, false, true, true},    {true, false, false, false, true},
	};
	struct dcqcn_cfg cfg = preset("connectx");
	uint64_t now_ps = 8 * US, target_bps, before_bps;
	struct dcqcn_state s;

	cfg.clamp_target = cases[_i].clamp;
	cfg.clamp_target_after_timer = cases[_i].after_timer;
	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_advance(&s, &cfg, now_ps);
	if (cases[_i].by_bytes)
		dcqcn_sent(&s, &cfg, now_ps, cfg.byte_counter_bytes);
	if (cases[_i].by_timer)
		dcqcn_advance(&s, &cfg, now_ps = 306 * US);
	target_bps = s.target_bps;
	before_bps = s.current_bps;
	dcqcn_cnp(&s, &cfg, now_ps);
	dcqcn_advance(&s, &cfg, now_ps + 4 * US);
	ck_assert_uint_lt(s.current_bps, before_bps);
	ck_assert_uint_eq(s.target_bps, cases[_i].follows ? before_bps : target_bps);
}
END_TEST

static void
check_same_state(const struct dcqcn_state *a, const struct dcqcn_state *b,
		 const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	ck_assert_uint_eq(a->current_bps, b->current_bps);
	ck_assert_uint_eq(a->target_bps, b->target_bps);
	ck_assert_uint_eq(a->time_stage, b->time_stage);
	ck_assert_uint_eq(a->byte_stage, b->byte_stage);
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_uint_eq(a->increase_at_ps, b->increase_at_ps);
	ck_assert_int_eq(a->increased, b->increased);
	ck_assert_uint_eq(dcqcn_alpha_q32(a, cfg, now_ps), dcqcn_alpha_q32(b, cfg, now_ps));
	ck_assert_uint_eq(dcqcn_next_change_ps(a, cfg), dcqcn_next_change_ps(b, cfg));
}

/* Looking often or once after a long idle gap: the same state, through random CNPs and sends. */
START_TEST(idle_gap_equals_step_by_step)
{
	static const char *const names[] = {"connectx", "paper"};
	struct dcqcn_cfg cfg = preset(names[_i]);
	struct dcqcn_state lazy, busy;
	uint64_t now_ps = 0;
	uint32_t draw = 1;

	dcqcn_init(&lazy, &cfg, LINE);
	dcqcn_init(&busy, &cfg, LINE);
	for (int event = 0; event < 300; event++) {
		uint64_t until_ps, step_ps;

		draw = draw * 1664525 + 1013904223;
		/* Gaps from below a period up to 65 ms. */
		until_ps = now_ps + 1 + ((draw >> 8) % US << (draw >> 28));
		step_ps = (until_ps - now_ps) / 1000 + 777777;
		while (now_ps + step_ps < until_ps)
			dcqcn_advance(&busy, &cfg, now_ps += step_ps);
		now_ps = until_ps;
		if (draw & 1 << 27) {
			dcqcn_cnp(&lazy, &cfg, now_ps);
			dcqcn_cnp(&busy, &cfg, now_ps);
		} else {
			dcqcn_sent(&lazy, &cfg, now_ps, 1000000);
			dcqcn_sent(&busy, &cfg, now_ps, 1000000);
		}
		check_same_state(&lazy, &busy, &cfg, now_ps);
	}
}
END_TEST

/* next_change is exact: nothing moves before it, and something at it. */
START_TEST(next_change_is_when_the_rate_moves)
{
	static const char *const names[] = {"connectx", "paper"};
	struct dcqcn_cfg cfg = preset(names[_i]);
	struct dcqcn_state s;
	uint64_t changes = 0;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	for (;;) {
		uint64_t next_ps = dcqcn_next_change_ps(&s, &cfg);
		uint64_t before_bps = s.current_bps;

		if (next_ps == UNITS_NEVER_PS)
			break;
		dcqcn_advance(&s, &cfg, next_ps - 1);
		ck_assert_uint_eq(s.current_bps, before_bps);
		dcqcn_advance(&s, &cfg, next_ps);
		ck_assert_uint_ne(s.current_bps, before_bps);
		changes++;
		ck_assert_uint_lt(changes, 10000);
	}
	ck_assert_uint_eq(s.current_bps, LINE);
	ck_assert_uint_gt(changes, 4);
}
END_TEST

/* Ten days of silence cost nothing, and leave the stages counted. */
START_TEST(long_idle_gap)
{
	static const char *const names[] = {"connectx", "paper"};
	struct dcqcn_cfg cfg = preset(names[_i]);
	uint64_t day_ps = 86400 * UNITS_PS_PER_S;
	struct dcqcn_state s;

	dcqcn_init(&s, &cfg, LINE);
	dcqcn_cnp(&s, &cfg, 0);
	dcqcn_advance(&s, &cfg, 10 * day_ps);
	ck_assert_uint_eq(s.current_bps, LINE);
	ck_assert_uint_eq(dcqcn_alpha_q32(&s, &cfg, 10 * day_ps), 0);
	ck_assert_uint_gt(s.increase_at_ps, 10 * day_ps);
	ck_assert_uint_le(s.increase_at_ps, 10 * day_ps + cfg.increase_ps);
	/* The next congestion is met by a small cut: alpha starts from 0. */
	dcqcn_cnp(&s, &cfg, 10 * day_ps);
	dcqcn_advance(&s, &cfg, 10 * day_ps + 5 * US);
	ck_assert_uint_gt(s.current_bps, LINE / 100 * 99);
}
END_TEST

START_TEST(congestion_interface)
{
	struct congestion_cfg cfg = {.kind = CONGESTION_NONE};
	struct congestion_state s;

	congestion_init(&s, &cfg, LINE);
	congestion_notified(&s, &cfg, 5);
	congestion_sent(&s, &cfg, 6, 4096);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 7), LINE);
	ck_assert_uint_eq(congestion_next_change_ps(&s, &cfg), UNITS_NEVER_PS);
	cfg.rate_bps = 3 * GBPS;
	congestion_init(&s, &cfg, LINE);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 7), 3 * GBPS);
	cfg.rate_bps = 2 * LINE; /* no faster than the line */
	congestion_init(&s, &cfg, LINE);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 7), LINE);

	cfg = (struct congestion_cfg){.kind = CONGESTION_DCQCN, .dcqcn = preset("paper")};
	congestion_init(&s, &cfg, LINE);
	congestion_notified(&s, &cfg, 0);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 1), LINE / 2);
	ck_assert_uint_eq(congestion_next_change_ps(&s, &cfg), 55 * US);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 55 * US), LINE / 4 * 3);
	congestion_sent(&s, &cfg, 56 * US, 10000000);
	ck_assert_uint_eq(congestion_rate_bps(&s, &cfg, 56 * US), LINE / 8 * 7);
}
END_TEST

/* NIC form: the higher of the two stages before the event decides, whichever counter it is of. */
START_TEST(nic_gain_by_the_higher_stage)
{
	static const uint64_t gbps = 1000000000;
	const struct {
		uint32_t time_stage;
		uint64_t gain_bps;
	} rows[] = {{0, 0}, {1, 5000000}, {2, 50000000}};
	struct dcqcn_state s;
	struct dcqcn_cfg cfg;

	ck_assert_int_eq(dcqcn_preset("connectx", &cfg), 0);
	cfg.byte_counter_bytes = 1000;
	dcqcn_init(&s, &cfg, 100 * gbps);
	s.active = true;
	s.alpha_at_ps = s.cut_at_ps = s.increase_at_ps = UNITS_PS_PER_S;
	s.time_stage = rows[_i].time_stage;
	s.byte_stage = 0;
	s.current_bps = s.target_bps = 10 * gbps;
	dcqcn_sent(&s, &cfg, 1000, 1000);
	ck_assert_uint_eq(s.target_bps, 10 * gbps + rows[_i].gain_bps);
	ck_assert_uint_eq(s.byte_stage, 1);
}
END_TEST

static Suite *
dcqcn_suite(void)
{
	Suite *s = suite_create("dcqcn");
	TCase *c = tcase_create("reaction point");

	tcase_add_loop_test(c, nic_gain_by_the_higher_stage, 0, 3);
	tcase_add_test(c, presets);
	tcase_add_loop_test(c, nothing_happens_before_the_first_cnp, 0, 2);
	tcase_add_test(c, classic_first_cnp_halves);
	tcase_add_test(c, classic_recovery_halves_the_gap);
	tcase_add_loop_test(c, alpha_decays_by_the_power, 0, 2);
	tcase_add_test(c, classic_cut_uses_the_decayed_alpha);
	tcase_add_test(c, classic_increase_phases);
	tcase_add_test(c, classic_least_gap_of_cuts);
	tcase_add_test(c, nic_three_clocks);
	tcase_add_test(c, nic_increase_phases);
	tcase_add_test(c, nic_cut_is_bounded);
	tcase_add_loop_test(c, clamp_flags, 0, 6);
	tcase_add_loop_test(c, idle_gap_equals_step_by_step, 0, 2);
	tcase_add_loop_test(c, next_change_is_when_the_rate_moves, 0, 2);
	tcase_add_loop_test(c, long_idle_gap, 0, 2);
	tcase_add_test(c, congestion_interface);
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	return suite_run(dcqcn_suite());
}
