/* SPDX-License-Identifier: BSD-3-Clause */
/* What every test binary does with Check. */
#ifndef RAILYARD_TEST_SUITE_H
#define RAILYARD_TEST_SUITE_H

#include <check.h>
#include <stdlib.h>

/*
 * For loops that run a million times: Check's own assertions write a mark to a file each time,
 * which takes longer than what they check.
 */
#define EXPECT(condition)                                         \
	do {                                                      \
		if (!(condition))                                 \
			ck_abort_msg("not true: %s", #condition); \
	} while (0)

/* A topic's cases. */
static inline TCase *
suite_topic(Suite *suite, const char *name)
{
	TCase *topic = tcase_create(name);

	tcase_set_timeout(topic, 60);
	suite_add_tcase(suite, topic);
	return topic;
}

/* Run and report as the environment asks; what main() returns. */
static inline int
suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
