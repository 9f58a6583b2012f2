/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "expect.h"
#include "suite.h"

static const char summary_text[] =
	"{\"packets\": {\"dropped\": 3}, \"drops_by_reason\": {\"wred\": 2},"
	" \"pfc\": {\"paused_fraction\": {\"max\": 0.25}},"
	" \"flows\": {\"count\": 4, \"fct_us\": {\"p99\": 123.5, \"p99_9\": null}},"
	" \"headroom\": {\"margin_bytes\": null}, \"transport\": {\"timeouts\": 1},"
	" \"workloads\": [{\"jain\": 0.5, \"fct_us\": {\"p50\": 1.5}},"
	"                 {\"jain\": 0.75, \"fct_us\": {\"p50\": 2.5},"
	"                  \"udp\": {\"received\": 7, \"lost_fraction\": 0.125}}],"
	" \"tiers\": [{\"tier\": \"spine\", \"queues\": {\"3\": {\"tx_packets\": 8}}},"
	"             {\"tier\": \"tor\", \"queues\": {\"3\": {\"tx_packets\": 7}},"
	"              \"pgs\": {\"4\": {\"headroom_max_bytes\": 400}}, \"last_xoff_us\": 2.25,"
	"              \"watchdog\": {\"detected\": 1}}]}";

static struct scenario_switch switches[] = {{.tier = "spine"}, {.tier = "tor"}};
static struct scenario_workload workloads[] = {{.name = "incast"}, {.name = "incast.2"}};

/* The measured value of one expectation (-1: none), and whether it is met. */
static bool
evaluate(const char *metric, enum scenario_operator op, double value, double *measured)
{
	struct scenario_expectation e = {
		.op = op, .value = value, .high = value + 2, .text = "x", .place = "a:1:2"};
	struct scenario scenario = {.switch_count = 2,
				    .switches = switches,
				    .workload_count = 2,
				    .workloads = workloads,
				    .expectation_count = 1,
				    .expectations = &e};
	json_t *summary = json_loads(summary_text, 0, NULL);
	uint32_t failed;
	const json_t *row;
	bool met;

	ck_assert_ptr_nonnull(summary);
	snprintf(e.metric, sizeof(e.metric), "%s", metric);
	failed = expect_evaluate(&scenario, summary);
	row = json_array_get(json_object_get(summary, "expectations"), 0);
	met = json_is_true(json_object_get(row, "met"));
	ck_assert_uint_eq(failed, !met);
	*measured = json_is_number(json_object_get(row, "measured"))
			    ? json_number_value(json_object_get(row, "measured"))
			    : -1;
	json_decref(summary);
	return met;
}

START_TEST(operators)
{
	static const struct {
		enum scenario_operator op;
		bool below; /* met when 3 is held against 4, 3 and 2 */
		bool equal;
		bool above;
	} rows[] = {
		{SCENARIO_EQ, false, true, false}, {SCENARIO_NE, true, false, true},
		{SCENARIO_LT, true, false, false}, {SCENARIO_LE, true, true, false},
		{SCENARIO_GT, false, false, true}, {SCENARIO_GE, false, true, true},
	};
	double measured;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(evaluate("drops", rows[i].op, 4, &measured), rows[i].below);
		ck_assert_int_eq(evaluate("drops", rows[i].op, 3, &measured), rows[i].equal);
		ck_assert_int_eq(evaluate("drops", rows[i].op, 2, &measured), rows[i].above);
		ck_assert_double_eq(measured, 3);
	}
	/* From the value to 2 more, both ends counted in. */
	for (int value = 0; value <= 4; value++)
		ck_assert_int_eq(evaluate("drops", SCENARIO_IN, value, &measured),
				 value >= 1 && value <= 3);
}
END_TEST

START_TEST(metrics_find_their_figures)
{
	static const struct {
		const char *metric;
		double value;
	} rows[] = {
		{"drops", 3},
		{"drops.wred", 2},
		{"pfc.paused_fraction", 0.25},
		{"flows.count", 4},
		{"flows.fct_us.p99", 123.5},
		{"timeouts", 1},
		{"workloads.incast.jain", 0.5},
		{"workloads.incast.fct_us.p50", 1.5},
		{"workloads.incast.2.fct_us.p50", 2.5},
		{"workloads.incast.2.jain", 0.75},
		{"tiers.tor.queues.3.tx_packets", 7},
		{"tiers.spine.queues.3.tx_packets", 8},
		{"tiers.tor.pgs.4.headroom_max_bytes", 400},
		{"tiers.tor.pfc.last_xoff_us", 2.25},
		{"tiers.tor.watchdog.detected", 1},
		{"workloads.incast.2.udp.received", 7},
		{"workloads.incast.2.udp.lost_fraction", 0.125},
	};
	double measured;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(evaluate(rows[i].metric, SCENARIO_EQ, rows[i].value, &measured),
			      "%s is %g", rows[i].metric, measured);
		ck_assert_double_eq(measured, rows[i].value);
	}
}
END_TEST

/* A percentile of no flows, a margin without lossless traffic: neither small nor large. */
START_TEST(what_was_not_measured_meets_nothing)
{
	static const char *const metrics[] = {"flows.fct_us.p99_9", "headroom.margin_bytes",
					      "goodput_bps"};
	double measured;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		for (int op = SCENARIO_EQ; op <= SCENARIO_GE; op++) {
			ck_assert(!evaluate(metrics[i], (enum scenario_operator)op, 1, &measured));
			ck_assert_double_eq(measured, -1);
		}
	}
}
END_TEST

static int
check_text(const char *metric, const char *text, char *why, size_t why_bytes)
{
	struct scenario_expectation e = {.place = "a.yaml:7:3"};
	struct scenario scenario = {.workload_count = 2,
				    .workloads = workloads,
				    .expectation_count = 1,
				    .expectations = &e};

	snprintf(e.metric, sizeof(e.metric), "%s", metric);
	snprintf(e.text, sizeof(e.text), "%s", text);
	return expect_check(&scenario, why, why_bytes);
}

static int
check(const char *metric, char *why, size_t why_bytes)
{
	return check_text(metric, "0", why, why_bytes);
}

START_TEST(unknown_metrics_list_near_names)
{
	static const struct {
		const char *metric;
		const char *near;
	} rows[] = {
		{"drop", "drops"},
		{"drops.wre", "drops.wred"},
		{"drops.", "drops."},
		{"flows.fct.p99", "flows.fct_us.p99"},
		{"p99", "flows.fct_us.p99"},
		{"pfc.pause_fraction", "pfc.paused_fraction"},
		{"headroom", "headroom.margin_bytes"},
		{"retransmit", "retransmits"},
		{"total_drops", "did you mean drops?"},
		{"workloads.incast.fct_us", "workloads.incast.fct_us.p50"},
		{"workloads.incast.jani", "workloads.incast.jain?"},
		{"workloads.nobody.jain", "names no workload: there is 'incast', 'incast.2'"},
		{"workloads.incast", "'workloads.incast' is a workload: say which figure"},
		{"workloads.incast.2.", "workloads.incast.2.fct_us.p99 or workloads.incast.2.jain"},
		/* nothing is near: no guess, but where to look */
		{"latency", "there are drops, flows.fct_us.p99, jain and others"},
		{"workloads.incast.latency", "there are workloads.incast.fct_us.p99"},
		{"", "there are drops"},
	};
	char why[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_ne(check(rows[i].metric, why, sizeof(why)), 0);
		ck_assert_int_eq(strncmp(why, "a.yaml:7:3: ", 12), 0);
		ck_assert_msg(strstr(why, rows[i].near) != NULL, "%s", why);
		ck_assert_ptr_null(strchr(why, '\n'));
	}
}
END_TEST

/* A bound in a unit that the metric does not have says which it has. */
START_TEST(units_are_the_metrics_own)
{
	static const struct {
		const char *metric;
		const char *text;
		const char *says; /* NULL: fine */
	} rows[] = {
		{"drops", "< 1%", "is a count"},
		{"drops.wred", "5us", "is a count"},
		{"drops", "<= 1e3", NULL},
		{"flows.fct_us.p99", "< 2%", "is a time: write a number of microseconds"},
		{"flows.fct_us.p99", "< 2KB", "is a time"},
		{"flows.fct_us.p99", "< 2ms", NULL},
		{"flows.fct_us.p99", "< 2000", NULL},
		{"workloads.incast.fct_us.p50", ">50%", "is a time"},
		{"wall_s", "< 5%", "is a time: write a number of seconds"},
		{"queues.max_bytes", "< 50%", "is in bytes"},
		{"queues.max_bytes", "< 2ms", "is in bytes"},
		{"queues.max_bytes", "< 2MB", NULL},
		{"goodput_bps", "> 90%", "is a rate"},
		{"goodput_bps", "> 90Gbps", NULL},
		{"packet_hops_per_s", "> 1ms", "is a number a second"},
		{"flows.slowdown.p99", "< 150%", "is a ratio"},
		{"queues.max_fraction", "< 50%", NULL},
		{"queues.max_fraction", "< 2ms", "is a fraction"},
		{"jain", ">= 95 %", NULL},
		{"workloads.incast.jain", "0.95", NULL},
	};
	char why[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ret = check_text(rows[i].metric, rows[i].text, why, sizeof(why));

		ck_assert_msg((ret == 0) == (rows[i].says == NULL), "%s %s", rows[i].metric,
			      rows[i].text);
		if (rows[i].says == NULL)
			continue;
		ck_assert_msg(strstr(why, rows[i].says) != NULL, "%s", why);
		ck_assert_ptr_nonnull(strstr(why, rows[i].metric));
		ck_assert_ptr_nonnull(strstr(why, rows[i].text));
	}
}
END_TEST

/* Whatever is listed passes the check. */
START_TEST(listed_metrics_are_known)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	char why[512];
	int names = 0;

	expect_print_metrics(out);
	fclose(out);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		line[strcspn(line, " ")] = '\0';
		if (strchr(line, '*') != NULL)
			continue;
		ck_assert_msg(check(line, why, sizeof(why)) == 0, "%s", why);
		names++;
	}
	ck_assert_int_gt(names, 50);
	free(text);
	ck_assert_int_eq(check("workloads.incast.2.slowdown.p99", why, sizeof(why)), 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("expect");
	TCase *tc = tcase_create("expect");

	tcase_add_test(tc, operators);
	tcase_add_test(tc, metrics_find_their_figures);
	tcase_add_test(tc, what_was_not_measured_meets_nothing);
	tcase_add_test(tc, unknown_metrics_list_near_names);
	tcase_add_test(tc, units_are_the_metrics_own);
	tcase_add_test(tc, listed_metrics_are_known);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
