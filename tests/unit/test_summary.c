/* SPDX-License-Identifier: BSD-3-Clause */
/* The page that a run prints: what it answers, and that it keeps to 80 columns. */
#include "results_internal.h"
#include "results_rig.h"
#include "suite.h"

START_TEST(the_screen_answers_in_80_columns)
{
	static const char *const answers[] = {
		"rig.yaml: stopped at its duration",
		"Lost      3 of 102 packets (2.94 %)",
		"tor:1 pg 3",
		"ingress_headroom",
		"h1:0 prio 3              25.0 us   25.0 %  tor:1",
		"88.0 KB    120 KB   75.0 %  450 of 600",
		"5.00 KB of 20.0 KB",
		"12 packets (25.0 % of data came in so); 3 CNPs",
		"2 of 2 completed",
		"Goodput   800 Gb/s; Jain fairness of flows 0.900",
		"0000000000abcdef, seed 7",
		"a warning",
	};
	struct rig *rig = rig_create();
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	results_warn(rig->results, "a %s", "warning");
	summary_print(finish_results(rig, RESULTS_DURATION), dir, false, out);
	fclose(out);
	for (size_t i = 0; i < RTE_DIM(answers); i++)
		ck_assert_msg(strstr(text, answers[i]) != NULL, "no '%s' in\n%s", answers[i], text);
	ck_assert_ptr_null(strchr(text, '\033'));
	if (getenv("SHOW_SUMMARY") != NULL)
		fputs(text, stdout);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80, "%s", line);
	free(text);
	rig_destroy(rig);
}
END_TEST

/* 600 cells of a pool of 300 are its guarantees and all of it; of fewer, no limit at all. */
START_TEST(a_threshold_beyond_the_pool_is_no_limit)
{
	static const char *const rows[] = {"88.0 KB         -        -  450\n", "450 of 600"};

	for (int i = 0; i < 2; i++) {
		struct rig *rig = rig_create();
		char *text;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);
		json_t *summary;

		open_results(rig);
		fill_counters(rig);
		summary = finish_results(rig, RESULTS_COMPLETE);
		json_object_set_new(
			summary, "pools",
			json_pack("[{s:s, s:i}]", "node", "tor", "size_cells", 299 + i));
		summary_print(summary, NULL, false, out);
		fclose(out);
		ck_assert_msg(strstr(text, rows[i]) != NULL, "no '%s' in\n%s", rows[i], text);
		free(text);
		rig_destroy(rig);
	}
}
END_TEST

/* The page of what has been counted so far, colours and all; the caller frees it. */
static char *
page_of(struct rig *rig, bool colour)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	summary_print(finish_results(rig, RESULTS_COMPLETE), NULL, colour, out);
	fclose(out);
	return text;
}

/* Names and numbers as long as they come: still 80 columns, and nothing is cut. */
START_TEST(long_names_do_not_wrap)
{
	static const char *const long_names[] = {"a-top-of-rack-switch-of-31-char",
						 "h0-of-a-group-with-a-long-name-"};
	struct rig *rig = rig_create();
	char *text;

	rig->scenario.expectation_count = 1;
	rig->expectations[0] = (struct scenario_expectation){
		"workloads.with,\"comma\".slowdown.p99_9", SCENARIO_LT, 1, "< 1", "x:1:1"};
	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	for (int i = 0; i < 2; i++)
		snprintf(rig->nodes[i]->name, sizeof(rig->nodes[i]->name), "%s", long_names[i]);
	rig->tor.ports[0].queues[3].max_bytes = 999600000000ULL;
	rig->tor.node.ports[1].drops[DROP_INGRESS_HEADROOM][3] = 18446744073709551ULL;
	results_warn(rig->results, "%s",
		     "a warning of many words that says what was met, at length,"
		     " so that it takes more than a line to say it");
	text = page_of(rig, false);
	ck_assert_ptr_nonnull(strstr(text, "h0-of-a-group-with-a-long-name-:0 prio 4\n"));
	ck_assert_ptr_nonnull(strstr(text, "a-top-of-rack-switch-of-31-char:0 queue 3\n"));
	ck_assert_ptr_nonnull(strstr(text, "FAILED  workloads.with,\"comma\".slowdown.p99_9 < 1"));
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80, "%s", line);
	free(text);
	rig_destroy(rig);
}
END_TEST

/* Under a colour's escapes the line is as long as without. */
START_TEST(colours_take_no_room)
{
	struct rig *rig = rig_create();
	char *text;

	open_results(rig);
	fill_counters(rig);
	text = page_of(rig, true);
	ck_assert_ptr_nonnull(strstr(text, "\033[31m3 of 102 packets (2.94 %)\033[0m, 0 B\n"));
	free(text);
	rig_destroy(rig);
}
END_TEST

/* Goodput of messages under way; no flows where there are none, but what took their place. */
START_TEST(other_traffic_has_its_lines)
{
	struct rig *rig = rig_create();
	const struct host_observer *o = results_host_observer(rig->results);
	char *text;

	open_results(rig);
	rig->h0.results.bytes_delivered = 1000000;
	o->flow(o->context, &(struct flow_record){.source = 1, .start_ps = 20 * UNITS_PS_PER_US});
	text = page_of(rig, false);
	ck_assert_ptr_nonnull(strstr(text, "Flows     0 of 1 completed, 1 incomplete\n"));
	ck_assert_ptr_nonnull(strstr(text, "Goodput   100 Gb/s\n")); /* 1 MB in 80 us */
	free(text);
	rig_destroy(rig);

	/* 125,000 bytes in 100 us: 10 Gb/s sent; 8 of 10 arrive */
	rig = rig_create();
	open_results(rig);
	rig->h1.results.udp_sent = 10;
	rig->h1.node.counters.created = 10;
	rig->h1.node.ports[0].tx_bytes = 125000;
	rig->h0.results.udp_received = 8;
	rig->h0.results.udp_bytes_received = 100000;
	text = page_of(rig, false);
	ck_assert_ptr_null(strstr(text, "Flows"));
	ck_assert_ptr_null(strstr(text, "Goodput"));
	ck_assert_ptr_nonnull(
		strstr(text, "Datagrams 8 of 10 received; 10.0 Gb/s sent, 8.00 Gb/s received\n"));
	ck_assert_ptr_null(strstr(text, "nothing was sent"));
	free(text);
	rig_destroy(rig);

	/* a replay: neither messages nor datagrams, but frames at ports */
	rig = rig_create();
	open_results(rig);
	rig->h1.node.counters.created = 4;
	rig->tor.node.ports[1].rx_packets = 4;
	rig->tor.node.ports[1].rx_bytes = 4000;
	rig->tor.node.ports[0].tx_packets = 3;
	rig->tor.node.ports[0].tx_bytes = 3000;
	text = page_of(rig, false);
	ck_assert_ptr_nonnull(strstr(text, "tor:1                          4   4.00 KB"));
	ck_assert_double_eq(at(results_summary(rig->results), "ports/0/tx_bytes"), 3000);
	free(text);
	rig_destroy(rig);
}
END_TEST

START_TEST(a_silent_run_is_warned_of)
{
	static const char *const says[] = {"no workload began", "no workload", "from the trace"};
	struct rig *rig = rig_create();
	char *text;

	open_results(rig);
	if (_i == 1)
		rig->results->workload_count = 0;
	if (_i == 2)
		rig->fabric.host_count = 1;
	text = page_of(rig, false);
	ck_assert_ptr_nonnull(strstr(text, "nothing was sent"));
	ck_assert_ptr_nonnull(strstr(text, says[_i]));
	free(text);
	rig_destroy(rig);
}
END_TEST

/* What had not drained when the run was stopped is a figure and a warning, no failure. */
START_TEST(packets_under_way_are_warned_of)
{
	struct rig *rig = rig_create();
	struct results_end end = {.state = RESULTS_DURATION, .in_flight = 5};
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	open_results(rig);
	fill_counters(rig);
	ck_assert_int_eq(results_finish(rig->results, &end, why, sizeof(why)), 0);
	ck_assert_double_eq(at(results_summary(rig->results), "packets/in_flight"), 5);
	summary_print(results_summary(rig->results), NULL, false, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "Warnings  5 packets were still under way"));
	free(text);
	rig_destroy(rig);
}
END_TEST

/* Rounding must not make a failed bound look met. */
START_TEST(failures_show_the_digits_that_matter)
{
	static const struct {
		double bound;
		const char *expected;
		double measured;
		const char *shown;
	} rows[] = {
		{2000, "< 2ms", 2000.00001, "2000.00001"},
		{2000, "< 2000", 1846.4754, "1846.475"},
		{2000, "< 2000", 2000, "2,000"},
		{0.01, "< 1%", 0.0100000001, "1.00000001%"},
		{0.01, "< 1%", 0.01, "1%"},
		{0.57, "< 57%", 0.57, "57%"},
		{1, ">= 100%", 0.99999999, "99.999999%"},
		{1e9, "< 1Gbps", 1e9 + 0.25, "1000000000.2"},
		{1e9, "< 1Gbps", 12345678901.25, "12345678901"},
		{5, "< 5", 1234567, "1,234,567"},
	};
	char want[64];
	char *text;
	size_t bytes;

	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		json_t *s =
			json_pack("{s:[{s:s, s:s, s:f, s:s, s:f, s:b}]}", "expectations", "metric",
				  "m", "expected", rows[i].expected, "bound", rows[i].bound,
				  "place", "a:1:2", "measured", rows[i].measured, "met", 0);
		FILE *out = open_memstream(&text, &bytes);

		summary_print_failures(s, out);
		fclose(out);
		snprintf(want, sizeof(want), " measured %s\n", rows[i].shown);
		ck_assert_msg(strstr(text, want) != NULL, "%s, not %s", text, rows[i].shown);
		free(text);
		json_decref(s);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("summary");
	TCase *tc = tcase_create("summary");

	snprintf(dir, sizeof(dir), "/tmp/railyard-summary-%ld", (long)getpid());
	tcase_add_test(tc, the_screen_answers_in_80_columns);
	tcase_add_test(tc, a_threshold_beyond_the_pool_is_no_limit);
	tcase_add_test(tc, long_names_do_not_wrap);
	tcase_add_test(tc, colours_take_no_room);
	tcase_add_test(tc, other_traffic_has_its_lines);
	tcase_add_loop_test(tc, a_silent_run_is_warned_of, 0, 3);
	tcase_add_test(tc, packets_under_way_are_warned_of);
	tcase_add_test(tc, failures_show_the_digits_that_matter);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
