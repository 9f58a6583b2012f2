/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancers that look at weights, gaps and load: weighted, flowlet, adaptive, drill. */
#include <check.h>
#include <math.h>

#include "balancer_rig.h"

#define MEMBERS 8u
#define US UNITS_PS_PER_US

static void
queue_bytes(uint32_t member, uint64_t bytes)
{
	balancer_bed.b.ports[balancer_members[member].port].queued_bytes = bytes;
}

static void
send_bytes(uint32_t member, uint64_t bytes)
{
	balancer_bed.b.ports[balancer_members[member].port].sent_bytes += bytes;
}

/* Which members `packets` of one flow take from now_ps on, a bit each. */
static uint32_t
members_used(uint32_t packets, uint64_t now_ps)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < packets; i++)
		used |= 1u << balancer_member(1, now_ps);
	return used;
}

/* 100,000 flows by weights 1, 2, 3, 10, 0: each share within 4 sigma of its binomial. */
START_TEST(weights_are_shares)
{
	static const uint32_t weights[] = {1, 2, 3, 10, 0};
	const struct balancer_cfg cfg = {.ops = &balancer_weighted, .hash.seed = 3};
	uint32_t counts[5] = {0};

	balancer_open(&cfg, 5);
	for (int i = 0; i < 5; i++)
		balancer_members[i].weight = weights[i];
	for (uint32_t flow = 0; flow < 100000; flow++)
		counts[balancer_member(flow, 0)]++;
	for (int i = 0; i < 5; i++) {
		double p = weights[i] / 16.0;

		ck_assert_double_eq_tol(counts[i], 1e5 * p, 4 * sqrt(1e5 * p * (1 - p)) + 0.5);
	}
	for (uint32_t flow = 0; flow < 100; flow++)
		ck_assert_uint_eq(balancer_member(flow, 0), balancer_member(flow, US));
	balancer_close();
}
END_TEST

START_TEST(no_weights_are_equal_weights)
{
	const struct balancer_cfg cfg = {.ops = &balancer_weighted};
	uint32_t used = 0;

	balancer_open(&cfg, 5);
	for (int i = 0; i < 5; i++)
		balancer_members[i].weight = 0;
	for (uint32_t flow = 0; flow < 100; flow++)
		used |= 1u << balancer_member(flow, 0);
	ck_assert_uint_eq(used, 0x1f);
	balancer_close();
}
END_TEST

static const struct balancer_cfg flowlet_cfg = {
	.ops = &balancer_flowlet, .seed = 1, .table_entries = 512, .gap_ps = 100 * US};

/* A gap of just the limit is none; one longer is, and each flowlet may go anywhere: of 8,000, each
 * member takes 1,000 within 4 sigma (118). */
START_TEST(flowlets_end_with_a_gap)
{
	uint32_t counts[MEMBERS] = {0}, member;
	uint64_t now_ps = 0;

	balancer_open(&flowlet_cfg, MEMBERS);
	member = balancer_member(1, now_ps);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(balancer_member(1, now_ps += 100 * US), member);
	for (int i = 0; i < 8000; i++) {
		member = balancer_member(1, now_ps += 100 * US + 1);
		ck_assert_uint_eq(balancer_member(1, now_ps + US), member);
		now_ps += US;
		counts[member]++;
	}
	for (uint32_t i = 0; i < MEMBERS; i++)
		ck_assert_double_eq_tol(counts[i], 1000, 118);
	balancer_close();
}
END_TEST

/* A flow stays on its port when others go, whatever number it then has, and leaves a dead one. */
START_TEST(flowlets_follow_their_port)
{
	const struct next_hop *all = balancer_members;
	uint32_t member, moved = 0;
	uint16_t port;

	balancer_open(&flowlet_cfg, MEMBERS);
	for (uint32_t flow = 0; flow < 100; flow++) {
		port = all[balancer_member(flow, 0)].port;
		for (uint32_t gone = 0; gone < MEMBERS; gone++) {
			struct next_hop left[MEMBERS];
			struct balancer_group group = {.members = left, .count = MEMBERS - 1};
			struct rte_mbuf *m = balancer_packet(flow);

			if (all[gone].port == port)
				continue;
			for (uint32_t i = 0, n = 0; i < MEMBERS; i++)
				if (i != gone)
					left[n++] = all[i];
			member = balancer_choose(&balancer_bed.b, &group, m, 0);
			ck_assert_uint_eq(left[member].port, port);
			packet_free(m);
		}
		/* Its port is not among the first two, or is. */
		balancer_bed.count = 2;
		member = balancer_member(flow, 0);
		ck_assert_uint_lt(member, 2);
		moved += all[member].port != port;
		ck_assert_uint_eq(balancer_member(flow, 0), member);
		balancer_bed.count = MEMBERS;
		ck_assert_uint_eq(balancer_member(flow, 0), member);
	}
	ck_assert_uint_gt(moved, 50);
	balancer_close();
}
END_TEST

static struct balancer_cfg
adaptive_cfg(void)
{
	return (struct balancer_cfg){
		.ops = &balancer_adaptive,
		.seed = 1,
		.table_entries = 512,
		.gap_ps = 100 * US,
		.interval_ps = 16 * US,
		.exponent = 2,
		.past_weight = 16,
		.future_weight = 16,
		.full_queue_ps = 16 * US,
	};
}

/* What a port sends in an interval, and a full queue: 16 us at 100 Gb/s. */
#define FULL 200000u

/* Of idle ports any will do; then those with the least queued; what it is changes with a sample. */
START_TEST(adaptive_takes_the_best_band)
{
	struct balancer_cfg cfg = adaptive_cfg();

	cfg.exponent = 0;
	balancer_open(&cfg, MEMBERS);
	ck_assert_uint_eq(members_used(200, 0), 0xff);
	for (uint32_t i = 0; i < MEMBERS; i++)
		queue_bytes(i, i == 2 || i == 5 ? 0 : FULL / 2);
	ck_assert_uint_eq(members_used(200, 16 * US - 1), 0xff);
	ck_assert_uint_eq(members_used(200, 16 * US), 1 << 2 | 1 << 5);
	queue_bytes(2, FULL);
	queue_bytes(5, FULL / 4); /* shares of 1/8 and 1/4: bands 1 and 2 */
	ck_assert_uint_eq(members_used(200, 32 * US - 1), 1 << 2 | 1 << 5);
	ck_assert_uint_eq(members_used(200, 32 * US), 1 << 5);
	balancer_close();
}
END_TEST

/* The drawing among equals is even: 80,000 over 8 within 4 sigma (375). */
START_TEST(adaptive_draws_among_equals)
{
	struct balancer_cfg cfg = adaptive_cfg();
	uint32_t counts[MEMBERS] = {0};

	balancer_open(&cfg, MEMBERS);
	for (int i = 0; i < 80000; i++)
		counts[balancer_member(1, 0)]++;
	for (uint32_t i = 0; i < MEMBERS; i++)
		ck_assert_double_eq_tol(counts[i], 10000, 375);
	balancer_close();
}
END_TEST

/*
 * The moving average with weight 1/4, by hand: a port that has a full load from now on is at
 * 0.25, 0.438, 0.578, 0.684, 0.763 after 1 to 5 samples: bands 2, 3, 4, 5, 6. Another with a load
 * of 0.51 for ever is in band 4. So the first has the packets, then both, then the other.
 */
START_TEST(adaptive_averages_loads)
{
	for (int past = 0; past < 2; past++) {
		static const uint32_t used[] = {1, 1, 3, 2, 2};
		struct balancer_cfg cfg = adaptive_cfg();
		uint64_t now_ps = 1000 * 16 * US;

		cfg.past_weight = past ? 16 : 0;
		cfg.future_weight = past ? 0 : 16;
		balancer_open(&cfg, 2);
		if (past)
			send_bytes(1, FULL * 1000ull * 51 / 100);
		else
			queue_bytes(1, FULL * 51 / 100);
		members_used(1, now_ps);
		for (int i = 0; i < 5; i++) {
			send_bytes(0, past ? FULL : 0);
			send_bytes(1, past ? FULL * 51 / 100 : 0);
			queue_bytes(0, past ? 0 : FULL);
			ck_assert_uint_eq(members_used(100, now_ps += 16 * US), used[i]);
		}
		balancer_close();
	}
}
END_TEST

/* A load that is gone: the average takes its time, unless a lower sample replaces it at once. */
START_TEST(adaptive_falls_at_once_if_told)
{
	for (int at_once = 0; at_once < 2; at_once++) {
		struct balancer_cfg cfg = adaptive_cfg();

		cfg.falls_at_once = at_once;
		balancer_open(&cfg, 2);
		queue_bytes(0, FULL);
		ck_assert_uint_eq(members_used(100, 1000 * 16 * US), 2);
		queue_bytes(0, 0);
		ck_assert_uint_eq(members_used(100, 1001 * 16 * US), at_once ? 3 : 2);
		balancer_close();
	}
}
END_TEST

/* Rates differ: the same bytes are a larger share of a slower port. */
START_TEST(adaptive_knows_rates)
{
	struct balancer_cfg cfg = adaptive_cfg();

	cfg.exponent = 0;
	balancer_open(&cfg, 2);
	balancer_bed.b.ports[balancer_members[1].port].rate_bps = 4 * RIG_RATE_BPS;
	queue_bytes(0, FULL);
	queue_bytes(1, FULL);
	ck_assert_uint_eq(members_used(100, 16 * US), 1 << 1);
	balancer_close();
}
END_TEST

/* Sticky: stays in the best band, leaves it for a better one only. */
START_TEST(sticky_moves_for_a_better_band)
{
	struct balancer_cfg cfg = adaptive_cfg();
	uint32_t first, second;

	cfg.exponent = 0;
	cfg.sticky = true;
	balancer_open(&cfg, MEMBERS);
	first = members_used(200, 0);
	ck_assert_int_eq(__builtin_popcount(first), 1);
	for (uint32_t i = 0; i < MEMBERS; i++)
		queue_bytes(i, FULL / 10); /* all of one band */
	ck_assert_uint_eq(members_used(200, 16 * US), first);
	queue_bytes((uint32_t)__builtin_ctz(first), FULL);
	second = members_used(200, 32 * US);
	ck_assert_int_eq(__builtin_popcount(second), 1);
	ck_assert_uint_ne(second, first);
	queue_bytes((uint32_t)__builtin_ctz(first), 0); /* still the band of FULL / 10 */
	ck_assert_uint_eq(members_used(200, 48 * US), second);
	balancer_close();
}
END_TEST

/* Per flowlet: moves after the gap only. Per flow: never. */
START_TEST(adaptive_moves_what_it_is_told_to)
{
	for (int unit = BALANCER_FLOWLET; unit <= BALANCER_FLOW; unit++) {
		struct balancer_cfg cfg = adaptive_cfg();
		uint32_t first;

		cfg.unit = unit;
		cfg.exponent = 0;
		balancer_open(&cfg, MEMBERS);
		first = members_used(100, 0);
		ck_assert_int_eq(__builtin_popcount(first), 1);
		queue_bytes((uint32_t)__builtin_ctz(first), FULL);
		for (uint64_t at = 100; at <= 1000; at += 100)
			ck_assert_uint_eq(members_used(10, at * US), first);
		ck_assert_int_eq(members_used(10, 1100 * US + 1) == first, unit == BALANCER_FLOW);
		balancer_close();
	}
}
END_TEST

/*
 * Balls into bins, one after another, 100 a bin: with one choice the fullest of 64 bins is about
 * 2.4 sigma (of 10) above the mean; with the less loaded of two it is ln ln 64 / ln 2 = 2.06 + O(1)
 * above it, however many balls (Azar et al. 1999; Berenbrink et al. 2006).
 */
START_TEST(drill_has_the_power_of_two_choices)
{
	for (uint8_t samples = 1; samples <= 2; samples++) {
		const struct balancer_cfg cfg = {
			.ops = &balancer_drill, .seed = 9, .samples = samples};
		uint32_t counts[64] = {0}, most = 0;

		balancer_open(&cfg, 64);
		for (int i = 0; i < 6400; i++) {
			uint32_t member = balancer_member(1, 0);

			queue_bytes(member, ++counts[member]);
			most = RTE_MAX(most, counts[member]);
		}
		if (samples == 1)
			ck_assert_uint_gt(most, 112);
		else
			ck_assert_uint_le(most, 105);
		balancer_close();
	}
}
END_TEST

/* Memory: once the shortest queue has been drawn, it is found again while it is the shortest. */
START_TEST(drill_remembers)
{
	for (uint8_t memory = 0; memory < 2; memory++) {
		const struct balancer_cfg cfg = {
			.ops = &balancer_drill, .seed = 2, .samples = 2, .memory = memory};
		uint32_t hits = 0;

		balancer_open(&cfg, 64);
		for (uint32_t i = 0; i < 64; i++)
			queue_bytes(i, i == 17 ? 1000 : 2000);
		for (int i = 0; i < 400; i++)
			balancer_member(1, 0); /* not drawn in 400: (62/64)^400 = 3e-6 */
		for (int i = 0; i < 400; i++)
			hits += balancer_member(1, 0) == 17;
		if (memory == 1)
			ck_assert_uint_eq(hits, 400);
		else /* 1 - (63/64)^2 of 400: 12.4, sigma 3.5 */
			ck_assert_double_eq_tol(hits, 12.4, 12);
		queue_bytes(17, 3000);
		ck_assert_uint_ne(balancer_member(1, 0), 17);
		balancer_close();
	}
}
END_TEST

/* As many as there may be, over fewer members, some of them gone. */
START_TEST(drill_with_more_choices_than_members)
{
	const struct balancer_cfg cfg = {.ops = &balancer_drill,
					 .seed = 2,
					 .samples = BALANCER_MAX_SAMPLES,
					 .memory = BALANCER_MAX_SAMPLES};

	balancer_open(&cfg, 3);
	queue_bytes(0, 5);
	queue_bytes(1, 4);
	queue_bytes(2, 3);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(balancer_member(1, 0), 2); /* (2/3)^16 = 0.2 % the first time */
	balancer_bed.count = 2;
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(balancer_member(1, 0), 1);
	balancer_close();
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *weighted = suite_topic(suite, "weighted");
	TCase *flowlet = suite_topic(suite, "flowlet");
	TCase *adaptive = suite_topic(suite, "adaptive");
	TCase *drill = suite_topic(suite, "drill");

	tcase_add_test(weighted, weights_are_shares);
	tcase_add_test(weighted, no_weights_are_equal_weights);
	tcase_add_test(flowlet, flowlets_end_with_a_gap);
	tcase_add_test(flowlet, flowlets_follow_their_port);
	tcase_add_test(adaptive, adaptive_takes_the_best_band);
	tcase_add_test(adaptive, adaptive_draws_among_equals);
	tcase_add_test(adaptive, adaptive_averages_loads);
	tcase_add_test(adaptive, adaptive_falls_at_once_if_told);
	tcase_add_test(adaptive, adaptive_knows_rates);
	tcase_add_test(adaptive, sticky_moves_for_a_better_band);
	tcase_add_test(adaptive, adaptive_moves_what_it_is_told_to);
	tcase_add_test(drill, drill_has_the_power_of_two_choices);
	tcase_add_test(drill, drill_remembers);
	tcase_add_test(drill, drill_with_more_choices_than_members);
}

int
main(void)
{
	Suite *suite = suite_create("balancer load");

	rig_set_up_pool();
	add_cases(suite);
	return suite_run(suite);
}
