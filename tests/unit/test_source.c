/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Oracles: a schedule by hand; the mean of a distribution against its samples' mean; the
 * moments of the exponential distribution (mean m, variance m^2).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "source.h"
#include "suite.h"

#define US UNITS_PS_PER_US
#define ONE (1ULL << 32)
#define SHARE(percent) ((uint64_t)((percent)*ONE / 100))
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const uint32_t peers[] = {3, 5, 8};
static const struct source_peers three = {peers, 3, SOURCE_SKIPS_NOBODY};
static const struct source_common common = {
	.verb = VERB_WRITE, .dscp = 26, .qps = 4, .workload = 7};

static struct message
take_at(struct source *s, uint64_t due_ps)
{
	struct message out;

	ck_assert_uint_eq(s->ops->due_ps(s), due_ps);
	s->ops->take(s, due_ps, &out);
	return out;
}

static void
check_message(const struct message *m, uint32_t peer, uint64_t bytes, uint8_t qp, bool is_last)
{
	ck_assert_uint_eq(m->peer, peer);
	ck_assert_uint_eq(m->bytes, bytes);
	ck_assert_int_eq(m->verb, VERB_WRITE);
	ck_assert_uint_eq(m->dscp, 26);
	ck_assert_uint_eq(m->workload, 7);
	ck_assert_uint_eq(m->qp, qp);
	ck_assert_int_eq(m->last_of_source, is_last);
}

START_TEST(incast_by_period)
{
	struct source *s = source_incast_create(&common, 9, 1000000, 6, 10 * US, 100 * US, 0, 1);

	for (uint32_t round = 0; round < 6; round++) {
		struct message m = take_at(s, (10 + 100 * round) * US);

		check_message(&m, 9, 1000000, round % 4, round == 5);
		/* Completions do not move a schedule. */
		s->ops->completed(s, (11 + 100 * round) * US);
	}
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

START_TEST(incast_by_completion)
{
	struct source *s = source_incast_create(&common, 9, 5000, 2, 10 * US, 0, 0, 1);
	struct message m = take_at(s, 10 * US);

	check_message(&m, 9, 5000, 0, false);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->completed(s, 33 * US);
	m = take_at(s, 33 * US);
	check_message(&m, 9, 5000, 1, true);
	s->ops->completed(s, 44 * US);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

/* Jitter stays inside its bounds around a schedule that does not drift, and fills them. */
START_TEST(incast_jitter)
{
	struct source *s = source_incast_create(&common, 9, 1, 0, 10 * US, 100 * US, 20 * US, 5);
	uint64_t sum = 0, least = UINT64_MAX, most = 0;

	for (uint64_t round = 0; round < 1000; round++) {
		uint64_t jitter_ps = s->ops->due_ps(s) - (10 + 100 * round) * US;
		struct message m;

		ck_assert_uint_lt(jitter_ps, 20 * US);
		s->ops->take(s, s->ops->due_ps(s), &m);
		ck_assert(!m.last_of_source);
		sum += jitter_ps;
		least = jitter_ps < least ? jitter_ps : least;
		most = jitter_ps > most ? jitter_ps : most;
	}
	/* Mean 10 us; its deviation is 20 us / sqrt(12 x 1000) = 0.18 us. */
	ck_assert_uint_gt(sum / 1000, 9 * US);
	ck_assert_uint_lt(sum / 1000, 11 * US);
	ck_assert_uint_lt(least, US);
	ck_assert_uint_gt(most, 19 * US);
	s->ops->destroy(s);
}
END_TEST

START_TEST(elephants_go_one_at_a_time)
{
	struct source *s = source_elephant_create(&common, 2, 1 << 30, 3, 5 * US);
	uint64_t now_ps = 5 * US;

	for (uint32_t i = 0; i < 3; i++) {
		struct message m = take_at(s, now_ps);

		check_message(&m, 2, 1 << 30, i, i == 2);
		ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
		s->ops->completed(s, now_ps += 777 * US);
	}
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
	/* Without end, on one QP. */
	s = source_elephant_create(&(struct source_common){.verb = VERB_SEND}, 2, 1, 0, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		struct message m = take_at(s, i);

		ck_assert(!m.last_of_source && m.qp == 0);
		s->ops->completed(s, i + 1);
	}
	s->ops->destroy(s);
}
END_TEST

/* So many at once, one on each QP; each completion starts one more, until all are out. */
START_TEST(elephants_go_side_by_side)
{
	const struct source_common four = {.qps = 4, .outstanding = 4};
	struct source *s = source_elephant_create(&four, 2, 1 << 20, 10, 5 * US);

	for (uint32_t i = 0; i < 4; i++) {
		struct message m = take_at(s, 5 * US);

		ck_assert_uint_eq(m.qp, i);
	}
	for (uint32_t i = 4; i < 10; i++) {
		ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
		s->ops->completed(s, i * 10 * US);
		ck_assert_uint_eq(take_at(s, i * 10 * US).last_of_source, i == 9);
	}
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
		s->ops->completed(s, 1000 * US);
	}
	s->ops->destroy(s);
	/* Two completions at one instant make room for two. */
	s = source_elephant_create(&four, 2, 1 << 20, 0, 0);
	for (uint32_t i = 0; i < 4; i++)
		take_at(s, 0);
	s->ops->completed(s, US);
	s->ops->completed(s, US);
	take_at(s, US);
	take_at(s, US);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

/* A published shape (many small, few large), with a mass on the first point. */
static const struct cdf_point points[] = {
	{1000, SHARE(15)},  {10000, SHARE(40)},   {20000, SHARE(53)},
	{80000, SHARE(60)}, {1000000, SHARE(80)}, {30000000, ONE},
};
static const struct cdf cdf = {COUNT_OF(points), points};

START_TEST(cdf_mean_is_the_samples_mean)
{
	/* 0.15 x 1000, then share times middle of each segment. */
	double want = 0.15 * 1000 + 0.25 * 5500 + 0.13 * 15000 + 0.07 * 50000 + 0.2 * 540000 +
		      0.2 * 15500000;
	struct prng prng = prng_init(42, 0);
	uint64_t below[COUNT_OF(points)] = {0};
	uint64_t least = UINT64_MAX, most = 0;
	const uint32_t n = 400000;
	double sum = 0;

	ck_assert(fabs((double)cdf_mean_bytes(&cdf) - want) <= 1);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bytes = cdf_sample(&cdf, &prng);

		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
		sum += bytes;
		for (size_t k = 0; k < COUNT_OF(points); k++)
			below[k] += bytes <= points[k].bytes;
	}
	ck_assert_uint_eq(least, 1000);
	ck_assert_uint_lt(most, 30000000);
	/* The deviation of one sample is about 7 MB: of the mean 11 kB; five of them. */
	ck_assert(fabs(sum / n - want) < 55000);
	/* Shares: deviation at most 0.0008. */
	for (size_t k = 0; k < COUNT_OF(points); k++)
		ck_assert(fabs((double)below[k] / n - (double)points[k].share_q32 / ONE) < 0.004);
}
END_TEST

START_TEST(cdf_of_one_point)
{
	static const struct cdf_point one[] = {{4096, ONE}};
	const struct cdf fixed = {1, one};
	struct prng prng = prng_init(1, 1);

	ck_assert_uint_eq(cdf_mean_bytes(&fixed), 4096);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(cdf_sample(&fixed, &prng), 4096);
}
END_TEST

/* A sender leaves itself out of a list that it shares: all others, evenly. */
START_TEST(one_is_left_out)
{
	const uint32_t all[] = {3, 5, 8, 9};
	const struct source_peers others = {all, 3, 1};
	struct source *udp = source_udp_create(&common, &others, 1500, 1000000000, false, 0,
					       UNITS_NEVER_PS, 0, 1);
	struct source *poisson =
		source_poisson_create(&common, &others, &cdf, US, 0, UNITS_NEVER_PS, 0, 1);
	uint32_t by_peer[10] = {0};
	struct message m;

	for (uint32_t i = 0; i < 6; i++) {
		static const uint32_t turn[] = {3, 8, 9};

		udp->ops->take(udp, udp->ops->due_ps(udp), &m);
		ck_assert_uint_eq(m.peer, turn[i % 3]);
	}
	for (uint32_t i = 0; i < 30000; i++) {
		poisson->ops->take(poisson, poisson->ops->due_ps(poisson), &m);
		by_peer[m.peer]++;
	}
	ck_assert_uint_eq(by_peer[5], 0);
	/* Deviation of a third of 30000 draws: 82. */
	ck_assert_int_lt(abs((int)by_peer[3] - 10000), 5 * 82);
	ck_assert_int_lt(abs((int)by_peer[8] - 10000), 5 * 82);
	ck_assert_int_lt(abs((int)by_peer[9] - 10000), 5 * 82);
	udp->ops->destroy(udp);
	poisson->ops->destroy(poisson);
}
END_TEST

START_TEST(poisson_gaps)
{
	const uint64_t mean_ps = 3 * US;
	struct source *s = source_poisson_create(&common, &three, &cdf, mean_ps, 50 * US,
						 UNITS_NEVER_PS, 0, 9);
	uint64_t last_ps = 50 * US, by_peer[16] = {0};
	const uint32_t n = 100000;
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t due_ps = s->ops->due_ps(s);
		double gap = (double)(due_ps - last_ps) / mean_ps;
		struct message m;

		s->ops->take(s, due_ps, &m);
		by_peer[m.peer]++;
		sum += gap;
		squares += gap * gap;
		last_ps = due_ps;
	}
	/* Deviation of the mean 1/sqrt(n) = 0.0032, of the mean square (2!..4!) 0.0141. */
	ck_assert(fabs(sum / n - 1) < 0.016);
	ck_assert(fabs(squares / n - 2) < 0.07);
	for (size_t k = 0; k < COUNT_OF(peers); k++)
		ck_assert(fabs((double)by_peer[peers[k]] / n - 1.0 / 3) < 0.0075);
	s->ops->destroy(s);
}
END_TEST

/* The end: by time, by count; the last message says so, and nothing is due after it. */
START_TEST(poisson_ends)
{
	struct source *s;
	struct message m;
	uint32_t n = 0;

	s = source_poisson_create(&common, &three, &cdf, 1 * US, 5 * US, 1005 * US, 0, 3);
	do {
		uint64_t due_ps = s->ops->due_ps(s);

		ck_assert_uint_ge(due_ps, 5 * US);
		ck_assert_uint_lt(due_ps, 1005 * US);
		s->ops->take(s, due_ps, &m);
		n++;
	} while (!m.last_of_source);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	/* 1000 expected; five deviations. */
	ck_assert(fabs(n - 1000.0) < 5 * sqrt(1000));
	s->ops->destroy(s);

	s = source_poisson_create(&common, &three, &cdf, 1 * US, 0, UNITS_NEVER_PS, 3, 3);
	for (uint32_t i = 0; i < 3; i++) {
		s->ops->take(s, s->ops->due_ps(s), &m);
		ck_assert_int_eq(m.last_of_source, i == 2);
	}
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

/* A mean gap beyond the generator's range. */
START_TEST(poisson_rare)
{
	const uint64_t mean_ps = 3600 * UNITS_PS_PER_S;
	struct prng prng = prng_init(7, 7);
	double sum = 0;

	for (int i = 0; i < 10000; i++)
		sum += (double)source_exponential_gap_ps(&prng, mean_ps) / mean_ps;
	ck_assert(fabs(sum / 10000 - 1) < 0.05);
}
END_TEST

START_TEST(same_seed_same_messages)
{
	for (uint64_t other = 0; other < 2; other++) {
		struct source *a =
			source_poisson_create(&common, &three, &cdf, US, 0, UNITS_NEVER_PS, 0, 11);
		struct source *b = source_poisson_create(&common, &three, &cdf, US, 0,
							 UNITS_NEVER_PS, 0, 11 + other);
		uint32_t same = 0;

		for (int i = 0; i < 100; i++) {
			uint64_t a_ps = a->ops->due_ps(a);
			uint64_t b_ps = b->ops->due_ps(b);
			struct message from_a, from_b;

			a->ops->take(a, a_ps, &from_a);
			b->ops->take(b, b_ps, &from_b);
			same += a_ps == b_ps && from_a.bytes == from_b.bytes &&
				from_a.peer == from_b.peer;
		}
		ck_assert_uint_eq(same, other == 0 ? 100 : 0);
		a->ops->destroy(a);
		b->ops->destroy(b);
	}
}
END_TEST

/*
 * 1,500 B frames with 20 B overhead at 7 Gb/s: 12,160 bits every 1,737,142 6/7 ps. The k-th
 * leaves at the floor of k times that, whatever k is.
 */
START_TEST(udp_does_not_drift)
{
	const uint64_t rate_bps = 7000000000ULL;
	struct source *s = source_udp_create(&common, &three, 1500, rate_bps, false, 2 * US,
					     UNITS_NEVER_PS, 0, 1);

	for (uint64_t k = 0; k < 20000; k++) {
		uint64_t want_ps = 2 * US + k * 12160 * 1000 / 7;
		struct message m = take_at(s, want_ps);

		ck_assert_uint_eq(m.peer, peers[k % 3]);
		ck_assert_uint_eq(m.bytes, 1500);
		ck_assert_int_eq(m.verb, VERB_UDP);
	}
	s->ops->destroy(s);
}
END_TEST

START_TEST(udp_ends_before_until)
{
	/* 105 B and 20 B overhead at 1 Gb/s: 1 us each; due at 0, 1, ..., 9 us. */
	struct source *s =
		source_udp_create(&common, &three, 105, 1000000000, false, 0, 10 * US, 0, 1);

	for (uint64_t k = 0; k < 10; k++)
		ck_assert_int_eq(take_at(s, k * US).last_of_source, k == 9);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

START_TEST(udp_ends_after_count)
{
	struct source *s =
		source_udp_create(&common, &three, 105, 1000000000, false, 0, UNITS_NEVER_PS, 7, 1);

	for (uint64_t k = 0; k < 7; k++)
		ck_assert_int_eq(take_at(s, k * US).last_of_source, k == 6);
	ck_assert_uint_eq(s->ops->due_ps(s), UNITS_NEVER_PS);
	s->ops->destroy(s);
}
END_TEST

START_TEST(udp_poisson_keeps_the_rate)
{
	struct source *s =
		source_udp_create(&common, &three, 105, 1000000000, true, 0, UNITS_NEVER_PS, 0, 1);
	uint64_t due_ps = 0;

	for (int i = 0; i < 100000; i++) {
		struct message m;

		due_ps = s->ops->due_ps(s);
		s->ops->take(s, due_ps, &m);
	}
	ck_assert(fabs((double)due_ps / (100000 * US) - 1) < 0.016);
	s->ops->destroy(s);
}
END_TEST

static Suite *
source_suite(void)
{
	Suite *s = suite_create("source");
	TCase *c = tcase_create("workloads");

	tcase_add_test(c, incast_by_period);
	tcase_add_test(c, incast_by_completion);
	tcase_add_test(c, incast_jitter);
	tcase_add_test(c, elephants_go_one_at_a_time);
	tcase_add_test(c, elephants_go_side_by_side);
	tcase_add_test(c, cdf_mean_is_the_samples_mean);
	tcase_add_test(c, cdf_of_one_point);
	tcase_add_test(c, one_is_left_out);
	tcase_add_test(c, poisson_gaps);
	tcase_add_test(c, poisson_ends);
	tcase_add_test(c, poisson_rare);
	tcase_add_test(c, same_seed_same_messages);
	tcase_add_test(c, udp_does_not_drift);
	tcase_add_test(c, udp_ends_before_until);
	tcase_add_test(c, udp_ends_after_count);
	tcase_add_test(c, udp_poisson_keeps_the_rate);
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	return suite_run(source_suite());
}
