/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every stream here is fixed by its seed, so that nothing is a matter of luck; the bands are
 * those a true random source would leave once in a million runs (about 4.9 standard errors).
 */
#include "prng.h"
#include "suite.h"

#define DRAWS 400000ull

/* Steele, Lea, Flood's generator from state 1234567, as their and Vigna's code prints it. */
START_TEST(is_splitmix64)
{
	static const uint64_t published[] = {6457827717110365317ULL, 3203168211198807973ULL,
					     9817491932198370423ULL, 4593380528125082431ULL,
					     16408922859458223821ULL};
	struct prng p = {1234567};

	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		ck_assert_uint_eq(prng_next(&p), published[i]);
}
END_TEST

/* Mean m, variance m^2, and P(X > m) = 1/e: standard errors m/sqrt(n), m^2 sqrt(8/n). */
START_TEST(exponential_has_its_moments)
{
	static const uint64_t means[] = {1000000, 1000, 123456789, 1000000000000ULL};
	const uint64_t mean = means[_i];
	struct prng p = prng_init(7, (uint64_t)_i);
	uint64_t above = 0;
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < DRAWS; i++) {
		uint64_t x = prng_exponential(&p, mean);
		double scaled = (double)x / (double)mean;

		sum += scaled;
		squares += (scaled - 1) * (scaled - 1);
		above += x > mean;
	}
	/* 4.9 / sqrt(400,000) = 0.0078; times sqrt(8) = 0.022; one unit of rounding in 1,000. */
	ck_assert_double_eq_tol(sum / DRAWS, 1.0, 0.0078 + 0.001);
	ck_assert_double_eq_tol(squares / DRAWS, 1.0, 0.022 + 0.002);
	ck_assert_double_eq_tol((double)above / DRAWS, 0.36788, 0.0038 + 0.0005);
}
END_TEST

START_TEST(exponential_of_zero_is_zero)
{
	struct prng p = prng_init(1, 1);

	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(prng_exponential(&p, 0), 0);
}
END_TEST

START_TEST(chance_bounds_are_exact)
{
	struct prng p = prng_init(3, 0);

	for (int i = 0; i < 100000; i++) {
		EXPECT(!prng_chance(&p, 0));
		EXPECT(prng_chance(&p, 1ULL << 32));
	}
}
END_TEST

START_TEST(chance_is_fair)
{
	static const double probabilities[] = {0.001, 0.05, 0.2, 0.5, 0.99};
	const double want = probabilities[_i];
	uint64_t p_q32 = (uint64_t)(want * 4294967296.0);
	struct prng p = prng_init(11, (uint64_t)_i);
	uint64_t hits = 0;
	double variance = want * (1 - want) * DRAWS;

	for (uint64_t i = 0; i < DRAWS; i++)
		hits += (uint64_t)prng_chance(&p, p_q32);
	/* Squared, to do without libm: |hits - mean| <= 4.9 sigma. */
	ck_assert_double_le(((double)hits - want * DRAWS) * ((double)hits - want * DRAWS),
			    4.9 * 4.9 * variance + 1);
}
END_TEST

START_TEST(below_is_uniform_and_below)
{
	struct prng p = prng_init(5, 5);
	uint64_t counts[7] = {0};

	for (uint64_t i = 0; i < DRAWS; i++) {
		uint64_t x = prng_below(&p, 7);

		EXPECT(x < 7);
		counts[x]++;
	}
	/* sigma = sqrt(n 6/49) = 221 */
	for (int i = 0; i < 7; i++)
		ck_assert_double_eq_tol((double)counts[i], DRAWS / 7.0, 4.9 * 221.3);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(prng_below(&p, 1), 0);
}
END_TEST

/* Fraction of equal bits of two streams: 1/2 within 4.9 sigma of 64 x 4,096 coin tosses. */
static void
assert_unrelated(struct prng a, struct prng b)
{
	uint64_t equal = 0;

	for (int i = 0; i < 4096; i++)
		equal += (uint64_t)__builtin_popcountll(~(prng_next(&a) ^ prng_next(&b)));
	ck_assert_double_eq_tol((double)equal, 32.0 * 4096, 4.9 * 256);
}

START_TEST(streams_are_independent)
{
	for (uint64_t key = 0; key < 16; key++) {
		for (uint64_t other = 0; other < key; other++) {
			assert_unrelated(prng_init(1, key), prng_init(1, other));
			assert_unrelated(prng_init(1, key), prng_init(2, key));
			assert_unrelated(prng_init(key, other), prng_init(other, key));
		}
	}
}
END_TEST

/* Drawing from one stream leaves another as it was; the same name gives the same stream. */
START_TEST(streams_are_reproducible)
{
	struct prng a = prng_init(9, 1), b = prng_init(9, 2), again = prng_init(9, 2);

	for (int i = 0; i < 1000; i++)
		prng_next(&a);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(prng_next(&b), prng_next(&again));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("prng");
	TCase *draws = suite_topic(suite, "draws");
	TCase *streams = suite_topic(suite, "streams");

	tcase_add_test(draws, is_splitmix64);
	tcase_add_loop_test(draws, exponential_has_its_moments, 0, 4);
	tcase_add_test(draws, exponential_of_zero_is_zero);
	tcase_add_test(draws, chance_bounds_are_exact);
	tcase_add_loop_test(draws, chance_is_fair, 0, 5);
	tcase_add_test(draws, below_is_uniform_and_below);
	tcase_add_test(streams, streams_are_independent);
	tcase_add_test(streams, streams_are_reproducible);
	return suite_run(suite);
}
