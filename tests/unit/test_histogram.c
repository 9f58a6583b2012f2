/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The oracle of every percentile here is the nearest-rank percentile of the sorted values
 * themselves; the bound of 0.1 % is what "three significant digits" means.
 */
#include <check.h>
#include <stdlib.h>

#include "histogram.h"
#include "prng.h"
#include "suite.h"

#define COUNT 20000u

static const uint32_t asked_ppm[] = {0,      1,      10000,  250000, 500000, 900000,
				     950000, 990000, 999000, 999900, 1000000};

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t
exact_percentile(const uint64_t *sorted, uint64_t count, uint32_t ppm)
{
	uint64_t rank = (count * ppm + 999999) / 1000000;

	return sorted[rank == 0 ? 0 : rank - 1];
}

/* Distributions that completion times and slowdowns come in. */
static uint64_t
draw(int kind, struct prng *p)
{
	switch (kind) {
	case 0: /* small integers */
		return prng_below(p, 2000);
	case 1: /* uniform, in ps around a millisecond */
		return 1000000000ULL + prng_below(p, 1000000);
	case 2: /* log-uniform over the whole range */
		return prng_next(p) >> prng_below(p, 64);
	case 3: /* two modes, far apart */
		return prng_below(p, 10) == 0 ? 5000000000ULL + prng_below(p, 1000) : 12345678;
	case 4: /* one value */
		return 777777777777ULL;
	default: /* heavy tail: 1/u */
		return UINT64_MAX / (prng_next(p) | 1) * 1000 + prng_below(p, 1000);
	}
}

START_TEST(percentiles_have_three_digits)
{
	uint64_t *values = malloc(COUNT * sizeof(values[0]));
	struct prng prng = prng_init(1, (uint64_t)_i);
	unsigned __int128 sum = 0;
	struct histogram h;

	ck_assert_ptr_nonnull(values);
	ck_assert_int_eq(histogram_init(&h), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		values[i] = draw(_i, &prng);
		sum += values[i];
		histogram_record(&h, values[i]);
	}
	qsort(values, COUNT, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(asked_ppm) / sizeof(asked_ppm[0]); i++) {
		uint64_t exact = exact_percentile(values, COUNT, asked_ppm[i]);
		uint64_t got = histogram_percentile(&h, asked_ppm[i]);

		ck_assert_uint_ge(got, exact);
		ck_assert_uint_le(got - exact, exact / 1000);
	}
	ck_assert_uint_eq(h.count, COUNT);
	ck_assert_uint_eq(h.min, values[0]);
	ck_assert_uint_eq(h.max, values[COUNT - 1]);
	ck_assert_uint_eq(histogram_mean(&h), (uint64_t)(sum / COUNT));
	histogram_fini(&h);
	free(values);
}
END_TEST

/* Each counter's edges: a value alone must come back within 0.1 %, and 0 and 2^64 - 1 fit. */
START_TEST(every_power_of_two_and_its_neighbours)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t value = ((uint64_t)1 << bit) + (uint64_t)(int64_t)delta;
			struct histogram h;

			ck_assert_int_eq(histogram_init(&h), 0);
			/* A smaller and a larger one, or min and max would clamp the answer. */
			histogram_record(&h, 0);
			histogram_record(&h, value);
			histogram_record(&h, UINT64_MAX);
			ck_assert_uint_ge(histogram_percentile(&h, 500000), value);
			ck_assert_uint_le(histogram_percentile(&h, 500000) - value, value / 1000);
			ck_assert_uint_eq(histogram_percentile(&h, 0), 0);
			ck_assert_uint_eq(histogram_percentile(&h, 1000000), UINT64_MAX);
			histogram_fini(&h);
		}
	}
}
END_TEST

START_TEST(below_2048_is_exact)
{
	struct histogram h;

	ck_assert_int_eq(histogram_init(&h), 0);
	for (uint64_t value = 1; value <= 2000; value++)
		histogram_record(&h, value);
	for (uint32_t percent = 1; percent <= 100; percent++)
		ck_assert_uint_eq(histogram_percentile(&h, percent * 10000), 20 * percent);
	histogram_fini(&h);
}
END_TEST

START_TEST(empty_says_zero)
{
	struct histogram h;

	ck_assert_int_eq(histogram_init(&h), 0);
	ck_assert_uint_eq(histogram_percentile(&h, 500000), 0);
	ck_assert_uint_eq(histogram_mean(&h), 0);
	ck_assert_uint_eq(h.max, 0);
	histogram_fini(&h);
}
END_TEST

/* Recording into two and merging is recording into one. */
START_TEST(merge_is_recording_together)
{
	struct histogram part[2];
	struct histogram whole;
	struct prng prng = prng_init(2, 0);

	ck_assert_int_eq(histogram_init(&part[0]), 0);
	ck_assert_int_eq(histogram_init(&part[1]), 0);
	ck_assert_int_eq(histogram_init(&whole), 0);
	histogram_merge(&part[0], &part[1]);
	ck_assert_uint_eq(part[0].count, 0);
	ck_assert_uint_eq(part[0].min, UINT64_MAX);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t value = draw(2, &prng);

		histogram_record(&part[prng_below(&prng, 2)], value);
		histogram_record(&whole, value);
	}
	histogram_merge(&part[0], &part[1]);
	ck_assert_uint_eq(part[0].count, whole.count);
	ck_assert_uint_eq(part[0].min, whole.min);
	ck_assert_uint_eq(part[0].max, whole.max);
	ck_assert(part[0].sum == whole.sum);
	for (uint32_t i = 0; i < HISTOGRAM_COUNTERS; i++)
		ck_assert_uint_eq(part[0].counters[i], whole.counters[i]);
	histogram_fini(&part[0]);
	histogram_fini(&part[1]);
	histogram_fini(&whole);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("histogram");
	TCase *tc = tcase_create("histogram");

	tcase_add_loop_test(tc, percentiles_have_three_digits, 0, 6);
	tcase_add_test(tc, every_power_of_two_and_its_neighbours);
	tcase_add_test(tc, below_2048_is_exact);
	tcase_add_test(tc, empty_says_zero);
	tcase_add_test(tc, merge_is_recording_together);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
