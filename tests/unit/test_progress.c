/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress line: never wider than the terminal, whatever the numbers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "suite.h"

/* 12.3 ms of 246 ms, 9.12 GB of messages done */
static const struct progress_figures figures = {.now_ps = 12300000000ULL,
						.hops_per_s = 5120000,
						.share = 0.05,
						.completed_bytes = 9120000000ULL,
						.left_s = 12,
						.at_most = true};

START_TEST(a_wide_terminal_shows_all)
{
	char line[256];

	progress_line(&figures, 79, line, sizeof(line));
	ck_assert_str_eq(line, "12.3 ms  5.12 M packets/s  5 %  9.12 GB done  at most 12 s left");
}
END_TEST

/* What cannot be told is left out. */
START_TEST(unknown_figures_are_left_out)
{
	struct progress_figures f = {.now_ps = 1000000, .share = -1, .left_s = -1};
	char line[256];

	progress_line(&f, 79, line, sizeof(line));
	ck_assert_str_eq(line, "1.00 us  0.00 packets/s");
	f.share = 0.5;
	f.left_s = 3.4;
	progress_line(&f, 79, line, sizeof(line));
	ck_assert_str_eq(line, "1.00 us  0.00 packets/s  50 %  about 3 s left");
}
END_TEST

START_TEST(no_line_is_wider_than_the_terminal)
{
	struct progress_figures large = {.now_ps = UINT64_MAX,
					 .hops_per_s = 1e18,
					 .share = 1,
					 .completed_bytes = UINT64_MAX,
					 .left_s = 1e15};
	char line[256];

	progress_line(&figures, 39, line, sizeof(line));
	ck_assert_str_eq(line, "12.3 ms  5 %  at most 12 s left");
	for (size_t columns = 1; columns < 300; columns++) {
		progress_line(&figures, columns, line, sizeof(line));
		ck_assert_uint_le(strlen(line), columns);
		ck_assert_int_eq(strncmp(line, "12.3 ms", columns < 7 ? columns : 7), 0);
		progress_line(&large, columns, line, sizeof(line));
		ck_assert_uint_le(strlen(line), columns);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("progress");
	TCase *tc = tcase_create("progress");

	tcase_add_test(tc, a_wide_terminal_shows_all);
	tcase_add_test(tc, unknown_figures_are_left_out);
	tcase_add_test(tc, no_line_is_wider_than_the_terminal);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
