/* SPDX-License-Identifier: BSD-3-Clause */
/* The marking curve point by point, and decisions against the probability they should have. */
#include "wred.h"
#include "suite.h"

#define ALWAYS_Q32 (1ULL << 32)
#define KB 1000ULL
#define PERCENT_Q32 (ALWAYS_Q32 / 100)

static const struct wred_curve curve = {
	.enable = true,
	.min_bytes = 500 * KB,
	.max_bytes = 2000 * KB,
	.probability_q32 = 5 * PERCENT_Q32,
};

/* p(q): 0 below Kmin, Pmax (q - Kmin) / (Kmax - Kmin) between, 1 at or above Kmax. */
START_TEST(curve_points)
{
	const uint64_t one_unit = 1;

	ck_assert_uint_eq(wred_probability_q32(&curve, 0), 0);
	ck_assert_uint_eq(wred_probability_q32(&curve, 500 * KB - 1), 0);
	ck_assert_uint_eq(wred_probability_q32(&curve, 500 * KB), 0);
	ck_assert_uint_le(5 * PERCENT_Q32 / 2 - wred_probability_q32(&curve, 1250 * KB), one_unit);
	ck_assert_uint_le(PERCENT_Q32 - wred_probability_q32(&curve, 800 * KB), one_unit);
	ck_assert_uint_lt(wred_probability_q32(&curve, 2000 * KB - 1), 5 * PERCENT_Q32);
	ck_assert_uint_gt(wred_probability_q32(&curve, 2000 * KB - 1), 499 * PERCENT_Q32 / 100);
	ck_assert_uint_eq(wred_probability_q32(&curve, 2000 * KB), ALWAYS_Q32);
	ck_assert_uint_eq(wred_probability_q32(&curve, UINT64_MAX), ALWAYS_Q32);
}
END_TEST

START_TEST(curve_never_falls)
{
	uint64_t last = 0;

	for (uint64_t q = 0; q < 2100 * KB; q += 777) {
		uint64_t p = wred_probability_q32(&curve, q);

		ck_assert_uint_ge(p, last);
		last = p;
	}
}
END_TEST

/* Kmin = Kmax is a step, without a division by zero; a curve that is off is never anything. */
START_TEST(step_and_disabled_curves)
{
	struct wred_curve c = {.enable = true, .min_bytes = 50 * KB, .max_bytes = 50 * KB};

	ck_assert_uint_eq(wred_probability_q32(&c, 50 * KB - 1), 0);
	ck_assert_uint_eq(wred_probability_q32(&c, 50 * KB), ALWAYS_Q32);
	c.min_bytes = c.max_bytes = 0; /* DCTCP with K = 0: always */
	ck_assert_uint_eq(wred_probability_q32(&c, 0), ALWAYS_Q32);
	c.enable = false;
	ck_assert_uint_eq(wred_probability_q32(&c, UINT64_MAX), 0);
}
END_TEST

static void
assert_verdict(const struct wred_cfg *cfg, uint64_t q_bytes, uint8_t ecn, enum wred_verdict wanted)
{
	struct prng p = prng_init(1, q_bytes);
	struct wred_state state = {0};

	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(wred_decide(cfg, &state, &p, q_bytes, ecn), wanted);
}

/* RFC 3168: ECT(0) and ECT(1) are marked, Not-ECT dropped, CE passes as it is. */
START_TEST(codepoints_at_the_ends)
{
	struct wred_cfg cfg = {.mark = curve, .drop = curve};

	for (uint8_t ecn = 0; ecn < 4; ecn++)
		assert_verdict(&cfg, 500 * KB, ecn, WRED_PASS);
	assert_verdict(&cfg, 2000 * KB, PACKET_ECT0, WRED_MARK);
	assert_verdict(&cfg, 2000 * KB, PACKET_ECT1, WRED_MARK);
	assert_verdict(&cfg, 2000 * KB, PACKET_NOT_ECT, WRED_DROP);
	assert_verdict(&cfg, 2000 * KB, PACKET_CE, WRED_PASS);
	/* ECN on alone drops nothing; WRED alone marks nothing. */
	cfg.drop.enable = false;
	assert_verdict(&cfg, 3000 * KB, PACKET_NOT_ECT, WRED_PASS);
	assert_verdict(&cfg, 3000 * KB, PACKET_ECT0, WRED_MARK);
	cfg.drop.enable = true;
	cfg.mark.enable = false;
	assert_verdict(&cfg, 3000 * KB, PACKET_ECT0, WRED_PASS);
	assert_verdict(&cfg, 3000 * KB, PACKET_NOT_ECT, WRED_DROP);
}
END_TEST

/* At 1,250 KB 2.5 %: of 200,000 packets 5,000 with sigma 70, for marks and drops alike. */
START_TEST(marks_and_drops_with_the_same_probability)
{
	const struct wred_cfg cfg = {.mark = curve, .drop = curve};
	struct prng p = prng_init(8, 8);
	struct wred_state state = {0};
	uint32_t marks = 0, drops = 0;

	for (int i = 0; i < 200000; i++) {
		marks += wred_decide(&cfg, &state, &p, 1250 * KB, PACKET_ECT1) == WRED_MARK;
		drops += wred_decide(&cfg, &state, &p, 1250 * KB, PACKET_NOT_ECT) == WRED_DROP;
	}
	ck_assert_int_le(abs((int)marks - 5000), 350);
	ck_assert_int_le(abs((int)drops - 5000), 350);
}
END_TEST

/* ECT thresholds apart from drop thresholds, as newer SONiC allows. */
START_TEST(curves_are_independent)
{
	struct wred_cfg cfg = {.mark = curve, .drop = curve};

	cfg.drop.min_bytes = cfg.drop.max_bytes = 4000 * KB;
	assert_verdict(&cfg, 3999 * KB, PACKET_NOT_ECT, WRED_PASS);
	assert_verdict(&cfg, 3999 * KB, PACKET_ECT0, WRED_MARK);
	assert_verdict(&cfg, 4000 * KB, PACKET_NOT_ECT, WRED_DROP);
}
END_TEST

/*
 * avg += (q - avg) / 2^w: after k packets at a constant q the average has closed
 * 1 - (1 - 2^-w)^k of the gap; up and down alike. Rounding is below 2^w/256 bytes.
 */
START_TEST(average_follows_an_exponential)
{
	const struct wred_cfg cfg = {.mark = curve, .weight = 4};
	struct prng p = prng_init(1, 1);
	struct wred_state state = {0};
	double model = 0;

	for (int i = 0; i < 400; i++) {
		uint64_t q_bytes = i < 200 ? 1000 * KB : 3 * KB;

		model += ((double)q_bytes - model) / 16;
		wred_decide(&cfg, &state, &p, q_bytes, PACKET_ECT0);
		ck_assert_double_eq_tol((double)state.average_q8 / 256, model, 1.0);
	}
}
END_TEST

/* A burst that is over before the average moves is not marked; without a weight it is. */
START_TEST(average_forgives_a_burst)
{
	struct wred_cfg cfg = {.mark = curve, .weight = 9};
	struct prng p = prng_init(1, 1);
	struct wred_state state = {0};

	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(wred_decide(&cfg, &state, &p, 4000 * KB, PACKET_ECT0), WRED_PASS);
	for (int i = 0; i < 5000; i++)
		wred_decide(&cfg, &state, &p, 4000 * KB, PACKET_ECT0);
	ck_assert_int_eq(wred_decide(&cfg, &state, &p, 0, PACKET_ECT0), WRED_MARK);
	cfg.weight = 0;
	ck_assert_int_eq(wred_decide(&cfg, &state, &p, 4000 * KB, PACKET_ECT0), WRED_MARK);
	ck_assert_int_eq(wred_decide(&cfg, &state, &p, 0, PACKET_ECT0), WRED_PASS);
}
END_TEST

/* Eight parts of 125 KB from 1000 KB to 2000 KB, and one from there; ECN capable packets alone. */
START_TEST(bins_are_equal_parts)
{
	static const struct {
		uint64_t kb;
		uint32_t bin;
	} rows[] = {{1000, 0}, {1124, 0}, {1125, 1}, {1500, 4}, {1999, 7}, {2000, 8}, {9000, 8}};
	const struct wred_curve line = {.enable = true,
					.min_bytes = 1000 * KB,
					.max_bytes = 2000 * KB,
					.probability_q32 = 0};
	const struct wred_cfg cfg = {.mark = line, .drop = line};
	struct wred_bins bins = {0};
	struct wred_state state = {.bins = &bins};
	struct prng p = prng_init(1, 1);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_uint_eq(wred_bin(&line, rows[i].kb * KB), rows[i].bin);
		ck_assert_uint_le(wred_bin_from_bytes(&line, rows[i].bin), rows[i].kb * KB);
		wred_decide(&cfg, &state, &p, rows[i].kb * KB, PACKET_ECT0);
		wred_decide(&cfg, &state, &p, rows[i].kb * KB, PACKET_NOT_ECT);
		wred_decide(&cfg, &state, &p, rows[i].kb * KB, PACKET_CE);
	}
	wred_decide(&cfg, &state, &p, 999 * KB, PACKET_ECT0);
	ck_assert_uint_eq(wred_bin_from_bytes(&line, 1), 1125 * KB);
	ck_assert_uint_eq(bins.packets[0], 2);
	ck_assert_uint_eq(bins.packets[8], 2);
	ck_assert_uint_eq(bins.packets[2], 0);
	ck_assert_uint_eq(bins.marked[0], 0);
	ck_assert_uint_eq(bins.marked[8], 2);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("wred");
	TCase *curves = suite_topic(suite, "curves");
	TCase *verdicts = suite_topic(suite, "verdicts");
	TCase *average = suite_topic(suite, "average");

	tcase_add_test(curves, curve_points);
	tcase_add_test(curves, curve_never_falls);
	tcase_add_test(curves, step_and_disabled_curves);
	tcase_add_test(verdicts, codepoints_at_the_ends);
	tcase_add_test(verdicts, marks_and_drops_with_the_same_probability);
	tcase_add_test(verdicts, curves_are_independent);
	tcase_add_test(verdicts, bins_are_equal_parts);
	tcase_add_test(average, average_follows_an_exponential);
	tcase_add_test(average, average_forgives_a_burst);
	return suite_run(suite);
}
