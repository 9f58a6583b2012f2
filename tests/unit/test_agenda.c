/* SPDX-License-Identifier: BSD-3-Clause */
/* The tournament tree against a scan of all sources, and the fairness of its ties. */
#include "agenda.h"
#include "prng.h"
#include "suite.h"

#define MAX_SOURCES 70u

/* What the header promises, by looking at every source. */
static void
assert_agrees(const struct agenda *a, const uint64_t *due_ps, uint32_t sources)
{
	uint32_t first = agenda_first(a);
	uint32_t lowest = 0;

	for (uint32_t i = 1; i < sources; i++) {
		if (due_ps[i] < due_ps[lowest])
			lowest = i;
	}
	if (due_ps[lowest] == UNITS_NEVER_PS) {
		ck_assert_uint_eq(agenda_due_ps(a, first), UNITS_NEVER_PS);
		return;
	}
	EXPECT(first < sources);
	EXPECT(due_ps[first] == due_ps[lowest]);
	EXPECT(agenda_due_ps(a, first) == due_ps[first]);
	/* `lowest` is the lowest index of those that tie. */
	EXPECT(lowest >= a->rotate_from || first == lowest);
}

START_TEST(agrees_with_a_scan)
{
	static const uint32_t sizes[] = {1, 2, 3, 5, 8, 9, 33, 64, MAX_SOURCES};
	const uint32_t sources = sizes[_i];
	struct prng p = prng_init(1, sources);
	uint64_t due_ps[MAX_SOURCES];
	struct agenda a;

	ck_assert_int_eq(agenda_init(&a, sources, sources / 2, 99), 0);
	for (uint32_t i = 0; i < sources; i++)
		due_ps[i] = UNITS_NEVER_PS;
	assert_agrees(&a, due_ps, sources);
	for (int op = 0; op < 20000; op++) {
		uint32_t source = (uint32_t)prng_below(&p, sources);
		/* Few distinct times make many ties. */
		uint64_t at_ps = prng_below(&p, 8) == 0 ? UNITS_NEVER_PS : prng_below(&p, 12);

		due_ps[source] = at_ps;
		agenda_set(&a, source, at_ps);
		assert_agrees(&a, due_ps, sources);
	}
	agenda_fini(&a);
}
END_TEST

/* Serve all that are due at one instant; their order, as it comes. */
static uint32_t
drain(struct agenda *a, uint32_t *order)
{
	uint32_t count = 0;

	while (agenda_due_ps(a, agenda_first(a)) != UNITS_NEVER_PS) {
		order[count] = agenda_first(a);
		agenda_set(a, order[count++], UNITS_NEVER_PS);
	}
	return count;
}

/* The order of ties depends on instant, seed and source alone: not on what was set when. */
START_TEST(ties_do_not_depend_on_history)
{
	const uint32_t sources = 21, from = 4;
	struct prng p = prng_init(2, 2);
	struct agenda up, down;

	ck_assert_int_eq(agenda_init(&up, sources, from, 5), 0);
	ck_assert_int_eq(agenda_init(&down, sources, from, 5), 0);
	for (uint64_t instant = 1; instant <= 300; instant++) {
		uint32_t first[MAX_SOURCES], second[MAX_SOURCES], count;

		for (uint32_t i = 0; i < sources; i++) {
			agenda_set(&up, i, instant);
			agenda_set(&down, (uint32_t)prng_below(&p, sources), instant + 1);
		}
		for (uint32_t i = sources; i-- > 0;)
			agenda_set(&down, i, instant);
		count = drain(&up, first);
		ck_assert_uint_eq(count, sources);
		ck_assert_uint_eq(drain(&down, second), count);
		for (uint32_t i = 0; i < count; i++)
			ck_assert_uint_eq(first[i], second[i]);
		for (uint32_t i = 0; i < from; i++)
			ck_assert_uint_eq(first[i], i);
	}
	agenda_fini(&up);
	agenda_fini(&down);
}
END_TEST

/* n arrivals out of `ports` tie at each of many instants: count who is first and who is last. */
static void
count_places(uint32_t ports, const uint32_t *tied, uint32_t n, uint32_t *firsts, uint32_t *lasts)
{
	const uint32_t from = ports + 1;
	uint32_t order[2 * MAX_SOURCES];
	struct agenda a;

	ck_assert_int_eq(agenda_init(&a, 2 * ports + 1, from, 1), 0);
	for (uint64_t instant = 1; instant <= 6000; instant++) {
		for (uint32_t i = 0; i < n; i++)
			agenda_set(&a, from + tied[i], instant * 83960);
		ck_assert_uint_eq(drain(&a, order), n);
		firsts[order[0] - from]++;
		lasts[order[n - 1] - from]++;
	}
	agenda_fini(&a);
}

/* Each of n tied ports is first, and last, in 1/n of the instants: within 5 sigma of binomial. */
START_TEST(no_port_is_favoured)
{
	static const struct {
		uint32_t ports, n;
		uint32_t tied[MAX_SOURCES];
	} rows[] = {
		{2, 2, {0, 1}},       {3, 3, {0, 1, 2}},   {5, 5, {0, 1, 2, 3, 4}},
		{4, 4, {0, 1, 2, 3}}, {17, 2, {3, 4}},     {17, 2, {1, 16}},
		{17, 3, {0, 1, 2}},   {32, 3, {7, 8, 31}}, {33, 4, {1, 2, 3, 4}},
	};
	uint32_t firsts[MAX_SOURCES] = {0}, lasts[MAX_SOURCES] = {0};
	const uint32_t n = rows[_i].n;
	const double mean = 6000.0 / n, variance = 6000.0 / n * (1 - 1.0 / n);

	count_places(rows[_i].ports, rows[_i].tied, n, firsts, lasts);
	for (uint32_t i = 0; i < n; i++) {
		double first = firsts[rows[_i].tied[i]] - mean;
		double last = lasts[rows[_i].tied[i]] - mean;

		ck_assert_msg(first * first < 25 * variance,
			      "%u ports, port %u is first %u times of 6000", n, rows[_i].tied[i],
			      firsts[rows[_i].tied[i]]);
		ck_assert_msg(last * last < 25 * variance,
			      "%u ports, port %u is last %u times of 6000", n, rows[_i].tied[i],
			      lasts[rows[_i].tied[i]]);
	}
}
END_TEST

START_TEST(seeds_differ)
{
	struct agenda a, b;
	uint32_t differ = 0;

	ck_assert_int_eq(agenda_init(&a, 16, 0, 1), 0);
	ck_assert_int_eq(agenda_init(&b, 16, 0, 2), 0);
	for (uint64_t instant = 0; instant < 1000; instant++) {
		for (uint32_t i = 0; i < 16; i++) {
			agenda_set(&a, i, instant);
			agenda_set(&b, i, instant);
		}
		differ += agenda_first(&a) != agenda_first(&b);
	}
	/* 15/16 of the instants; sigma 7.7 */
	ck_assert_uint_gt(differ, 937 - 40);
	agenda_fini(&a);
	agenda_fini(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("agenda");
	TCase *order = suite_topic(suite, "order");
	TCase *ties = suite_topic(suite, "ties");

	tcase_add_loop_test(order, agrees_with_a_scan, 0, 9);
	tcase_add_test(ties, ties_do_not_depend_on_history);
	tcase_add_loop_test(ties, no_port_is_favoured, 0, 9);
	tcase_add_test(ties, seeds_differ);
	return suite_run(suite);
}
