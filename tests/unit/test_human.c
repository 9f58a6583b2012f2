/* SPDX-License-Identifier: BSD-3-Clause */
/* Three significant digits, also where rounding reaches the next unit. */
#include <check.h>
#include <stdlib.h>

#include "human.h"
#include "suite.h"

START_TEST(counts_are_exact)
{
	ck_assert_str_eq(human_count(0).text, "0");
	ck_assert_str_eq(human_count(999).text, "999");
	ck_assert_str_eq(human_count(1000).text, "1,000");
	ck_assert_str_eq(human_count(1234567).text, "1,234,567");
	ck_assert_str_eq(human_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(units_change_where_digits_run_out)
{
	ck_assert_str_eq(human_bytes(0).text, "0 B");
	ck_assert_str_eq(human_bytes(999).text, "999 B");
	ck_assert_str_eq(human_bytes(1000).text, "1.00 KB");
	ck_assert_str_eq(human_bytes(9994).text, "9.99 KB");
	ck_assert_str_eq(human_bytes(9996).text, "10.0 KB");
	ck_assert_str_eq(human_bytes(99960).text, "100 KB");
	ck_assert_str_eq(human_bytes(999600).text, "1.00 MB");
	ck_assert_str_eq(human_bytes(9437184).text, "9.44 MB"); /* 9 MiB */
	ck_assert_str_eq(human_time_us(0).text, "0.00 us");
	ck_assert_str_eq(human_time_us(0.01).text, "10.0 ns");
	ck_assert_str_eq(human_time_us(335.5).text, "336 us");
	ck_assert_str_eq(human_time_us(2.5e6).text, "2.50 s");
	ck_assert_str_eq(human_time_us(1e12).text, "1000000 s");
	ck_assert_str_eq(human_rate_bps(4e11).text, "400 Gb/s");
	ck_assert_str_eq(human_rate_bps(9.994e14).text, "999 Tb/s");
	ck_assert_str_eq(human_rate_bps(3.277e15).text, "3.28 Pb/s");
	ck_assert_str_eq(human_short(5120000).text, "5.12 M");
	ck_assert_str_eq(human_short(1.25).text, "1.25");
}
END_TEST

/* Little is not nothing. */
START_TEST(small_shares_do_not_read_as_none)
{
	ck_assert_str_eq(human_percent(0).text, "0.00 %");
	ck_assert_str_eq(human_percent(0.000001).text, "<0.01 %");
	ck_assert_str_eq(human_percent(0.0001).text, "0.01 %");
	ck_assert_str_eq(human_percent(0.5).text, "50.0 %");
	ck_assert_str_eq(human_percent(1).text, "100 %");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("human");
	TCase *tc = tcase_create("human");

	tcase_add_test(tc, counts_are_exact);
	tcase_add_test(tc, units_change_where_digits_run_out);
	tcase_add_test(tc, small_shares_do_not_read_as_none);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
