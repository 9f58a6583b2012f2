/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures expected here are worked out from the rig's counters, in comments where it is
 * not plain, and every file is parsed back.
 */
#include <sys/stat.h>

#include "results_internal.h"
#include "results_rig.h"
#include "suite.h"

static const char *
text_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

START_TEST(summary_says_what_was_counted)
{
	struct rig *rig = rig_create();
	json_t *s;

	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	s = finish_results(rig, RESULTS_DURATION);
	ck_assert_str_eq(text_at(s, "state"), "duration");
	ck_assert_str_eq(text_at(s, "digest"), "0000000000abcdef");
	ck_assert_double_eq(at(s, "seed"), 7);
	ck_assert_double_eq(at(s, "virtual_s"), 100e-6);
	ck_assert_double_eq(at(s, "packet_hops"), 190);
	ck_assert_double_eq(at(s, "packet_hops_per_s"), 380);
	ck_assert_double_eq(at(s, "packets/sent"), 100);
	ck_assert_double_eq(at(s, "packets/in_flight"), 5);
	ck_assert_double_eq(at(s, "drops_by_reason/ingress_headroom"), 2);
	ck_assert_double_eq(at(s, "drops_by_reason/no_route"), 1);
	ck_assert_double_eq(at(s, "drops_by_reason/wred"), 0);
	ck_assert_double_eq(at(s, "ecn_marked"), 12);
	ck_assert_double_eq(at(s, "ecn_marked_fraction"), 0.25); /* 12 of 48 */
	ck_assert_double_eq(at(s, "cnp_sent"), 3);
	ck_assert_double_eq(at(s, "transport/retransmitted_packets"), 6);
	rig_destroy(rig);
}
END_TEST

START_TEST(pauses_name_who_stopped_whom)
{
	struct rig *rig = rig_create();
	json_t *pfc;

	open_results(rig);
	fill_counters(rig);
	pfc = json_object_get(finish_results(rig, RESULTS_COMPLETE), "pfc");
	ck_assert_double_eq(at(pfc, "xoff_sent"), 5);
	ck_assert_double_eq(at(pfc, "xon_sent"), 4);
	ck_assert_double_eq(at(pfc, "paused_fraction/max"), 0.25);
	ck_assert_str_eq(text_at(json_object_get(pfc, "paused_fraction"), "max_port"), "h1:0");
	ck_assert_str_eq(text_at(json_object_get(pfc, "paused_fraction"), "max_by"), "tor:1");
	ck_assert_double_eq(at(pfc, "paused_fraction/ports/h1:0/3"), 0.25);
	ck_assert_double_eq(at(pfc, "paused_fraction/ports/h0:0/4"), 0.1);
	ck_assert_uint_eq(json_array_size(json_object_get(pfc, "pauses")), 2);
	ck_assert_double_eq(at(pfc, "pauses/1/paused_us"), 25);
	rig_destroy(rig);
}
END_TEST

START_TEST(watermarks_stand_against_their_limits)
{
	struct rig *rig = rig_create();
	json_t *s;

	open_results(rig);
	fill_counters(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	ck_assert_uint_eq(json_array_size(json_object_get(s, "queues")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(s, "pgs")), 1);
	ck_assert_double_eq(at(s, "queues/0/max_bytes"), 88000);
	ck_assert_double_eq(at(s, "queues/0/tx_packets"), 95);
	ck_assert_double_eq(at(s, "queues/0/tx_bytes"), 97280);
	ck_assert_double_eq(at(s, "pgs/0/packets"), 98);
	ck_assert_double_eq(at(s, "queues/0/used_fraction"), 0.75);
	ck_assert_double_eq(at(s, "queues/0/limit_bytes"), 600 * CELL_BYTES);
	ck_assert_double_eq(at(s, "pgs/0/used_cells"), 500);
	ck_assert_double_eq(at(s, "pgs/0/limit_cells"), 1000);
	ck_assert_double_eq(at(s, "pgs/0/headroom_max_bytes"), 25 * CELL_BYTES);
	ck_assert_double_eq(at(s, "pgs/0/headroom_bytes"), XOFF_BYTES);
	ck_assert_double_eq(at(s, "pgs/0/dropped"), 2);
	ck_assert_double_eq(at(s, "queues_max/bytes"), 88000);
	ck_assert_double_eq(at(s, "pgs_max/fraction"), 0.5);
	ck_assert_double_eq(at(s, "headroom/margin_bytes"), 75 * CELL_BYTES);
	ck_assert_double_eq(at(s, "headroom/used_fraction"), 0.25);
	rig_destroy(rig);
}
END_TEST

/* Neither limits nor margins where the pipeline has none. */
START_TEST(a_pipeline_without_buffer_limits)
{
	struct rig *rig = rig_create();
	json_t *s;

	rig->pipeline.uses_mmu = false;
	open_results(rig);
	fill_counters(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	ck_assert_double_eq(at(s, "queues/0/max_bytes"), 88000);
	ck_assert_ptr_null(
		json_object_get(json_array_get(json_object_get(s, "queues"), 0), "limit_cells"));
	ck_assert_uint_eq(json_array_size(json_object_get(s, "pgs")), 0);
	ck_assert(json_is_null(json_object_get(json_object_get(s, "headroom"), "margin_bytes")));
	rig_destroy(rig);
}
END_TEST

START_TEST(flows_have_times_slowdown_and_fairness)
{
	struct rig *rig = rig_create();
	const struct host_observer *o = results_host_observer(rig->results);
	json_t *s;

	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	ck_assert_double_eq(at(s, "flows/count"), 2);
	ck_assert_double_eq(at(s, "flows/completed"), 2);
	ck_assert_double_eq(at(s, "flows/fct_us/min"), 10);
	ck_assert_double_eq(at(s, "flows/fct_us/max"), 20);
	ck_assert_double_eq(at(s, "flows/fct_us/mean"), 15);
	ck_assert_double_eq_tol(at(s, "flows/fct_us/p50"), 10, 0.01);
	ck_assert_double_eq_tol(at(s, "flows/slowdown/p50"), 1.25, 0.00125);
	ck_assert_double_eq(at(s, "flows/slowdown/max"), 2.5);
	/* 2 MB from 5 us to 25 us; rates 800 and 400 Gb/s: 1200^2 / (2 (800^2 + 400^2)) = 0.9 */
	ck_assert_double_eq_tol(at(s, "goodput_bps"), 800e9, 1);
	ck_assert_double_eq_tol(at(s, "jain"), 0.9, 1e-12);
	ck_assert_double_eq(at(s, "workloads/1/jain"), 1);
	ck_assert_double_eq(at(s, "workloads/1/fct_us/max"), 20);
	rig_destroy(rig);

	/* Nothing completed: no percentile, no index; goodput until the end of the run. */
	rig = rig_create();
	o = results_host_observer(rig->results);
	open_results(rig);
	rig->h0.results.bytes_delivered = 1000000;
	o->flow(o->context, &(struct flow_record){.source = 1, .start_ps = 20 * UNITS_PS_PER_US});
	o->flow(o->context, &(struct flow_record){.source = 1,
						  .start_ps = 30 * UNITS_PS_PER_US,
						  .end_ps = 90 * UNITS_PS_PER_US,
						  .failed = true});
	s = finish_results(rig, RESULTS_INTERRUPTED);
	ck_assert_double_eq(at(s, "flows/incomplete"), 1);
	ck_assert_double_eq(at(s, "flows/failed"), 1);
	ck_assert(json_is_null(
		json_object_get(json_object_get(json_object_get(s, "flows"), "fct_us"), "p99")));
	ck_assert(json_is_null(json_object_get(s, "jain")));
	ck_assert_double_eq_tol(at(s, "goodput_bps"), 100e9, 1); /* 1 MB in 80 us */
	rig_destroy(rig);
}
END_TEST

/* Fields of a line, quoting minded; -1 when a quote is left open. */
static int
count_fields(const char *line)
{
	bool quoted = false;
	int fields = 1;

	for (; *line != '\0'; line++) {
		if (*line == '"')
			quoted = !quoted;
		fields += *line == ',' && !quoted;
	}
	return quoted ? -1 : fields;
}

/* Check that all lines have as many fields as the header; return the lines below it. */
static int
check_csv(const char *name, char *last, size_t last_bytes)
{
	char path[128];
	char header[2048];
	char line[2048];
	FILE *in;
	int lines = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	ck_assert_ptr_nonnull(fgets(header, sizeof(header), in));
	ck_assert_ptr_nonnull(strchr(header, '\n'));
	while (fgets(line, sizeof(line), in) != NULL) {
		lines++;
		ck_assert_ptr_nonnull(strchr(line, '\n'));
		ck_assert_msg(count_fields(line) == count_fields(header), "%s: %s", name, line);
		if (last != NULL)
			snprintf(last, last_bytes, "%s", line);
	}
	fclose(in);
	return lines;
}

START_TEST(csv_files_are_well_formed)
{
	struct rig *rig = rig_create();
	char line[2048];
	char path[128];
	struct stat st;
	json_t *s;
	json_t *file;

	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	ck_assert_int_eq(check_csv("flows.csv", line, sizeof(line)), 2);
	ck_assert_str_eq(line, "h1,h0,16,17,\"with,\"\"comma\"\"\",write,1000000,5.000000,"
			       "20.000000,2.500000,6,completed\n");
	ck_assert_int_eq(check_csv("ports.csv", NULL, 0), 4);
	ck_assert_int_eq(check_csv("queues.csv", line, sizeof(line)), 1);
	ck_assert_str_eq(line, "tor,0,3,95,97280,12,0,88000,450,450,600,90000,120000,0.750000\n");
	ck_assert_int_eq(check_csv("pgs.csv", line, sizeof(line)), 1);
	ck_assert_str_eq(line, "tor,1,3,1,98,100352,2,4,105000,525,500,1000,100000,200000,"
			       "0.500000,25,100,5000,20000\n");
	ck_assert_int_eq(check_csv("drops.csv", NULL, 0), 2);
	ck_assert_int_eq(check_csv("timeseries.csv", NULL, 0), 0);
	ck_assert_int_eq(check_csv("rates.csv", NULL, 0), 0);
	snprintf(path, sizeof(path), "%s/summary.json", dir);
	file = json_load_file(path, 0, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_double_eq(at(file, "goodput_bps"), at(s, "goodput_bps"));
	ck_assert_uint_eq(json_object_size(file), json_object_size(s));
	json_decref(file);
	snprintf(path, sizeof(path), "%s/summary.json.tmp", dir);
	ck_assert_int_ne(stat(path, &st), 0);
	rig_destroy(rig);
}
END_TEST

/* Sums that close: the list of drops, the file of drops, and the packets' own count. */
START_TEST(drops_add_up)
{
	struct rig *rig = rig_create();
	double listed = 0;
	size_t i;
	json_t *row;
	json_t *s;

	open_results(rig);
	fill_counters(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	json_array_foreach(json_object_get(s, "drops"), i, row)
	{
		listed += at(row, "packets");
		ck_assert_str_eq(text_at(row, "node"), "tor");
	}
	ck_assert_double_eq(listed, at(s, "packets/dropped"));
	ck_assert_double_eq(at(s, "packets/sent") + at(s, "packets/copied"),
			    at(s, "packets/delivered") + at(s, "packets/consumed") +
				    at(s, "packets/dropped") + at(s, "packets/in_flight"));
	rig_destroy(rig);
}
END_TEST

/* Rows while something happens, one more when it has stopped, then none. */
START_TEST(time_series_leave_idle_out)
{
	struct rig *rig = rig_create();
	const struct node_observer *o = results_node_observer(rig->results);
	struct switch_queue *q = &rig->tor.ports[0].queues[3];
	struct node *tor = &rig->tor.node;
	char line[2048];

	open_results(rig);
	o->sample(o->context, tor, 1 * UNITS_PS_PER_US);
	q->bytes = 4000;
	q->tx_bytes = 12500; /* 100 Gb/s for 1 us */
	q->marked = 2;
	tor->ports[0].pfc_rx.paused = 1 << 3;
	o->sample(o->context, tor, 2 * UNITS_PS_PER_US);
	q->bytes = 0;
	tor->ports[0].pfc_rx.paused = 0;
	o->sample(o->context, tor, 3 * UNITS_PS_PER_US);
	o->sample(o->context, tor, 4 * UNITS_PS_PER_US);
	results_between(rig->results);
	/* queue 3 and port 0, twice each */
	ck_assert_int_eq(check_csv("timeseries.csv", line, sizeof(line)), 4);
	ck_assert_str_eq(line, "3.000000,tor,0,port,0,0,,0,0,0\n");
	mmu_pg(&rig->tor.mmu, 1, 3)->shared_cells = 7;
	mmu_pg(&rig->tor.mmu, 1, 3)->xoff = 1;
	o->sample(o->context, tor, 5 * UNITS_PS_PER_US);
	finish_results(rig, RESULTS_COMPLETE);
	ck_assert_int_eq(check_csv("timeseries.csv", line, sizeof(line)), 5);
	/* 7 cells; 10 guaranteed and (alpha 1) all 1,000 shared cells of the pool */
	ck_assert_str_eq(line, "5.000000,tor,1,pg,3,1400,202000,1,0,0\n");
	rig_destroy(rig);
}
END_TEST

START_TEST(expectations_are_part_of_the_summary)
{
	struct rig *rig = rig_create();
	json_t *list;

	rig->scenario.expectation_count = 2;
	rig->expectations[0] = (struct scenario_expectation){"drops", SCENARIO_EQ, 0, "0", "x:1:1"};
	rig->expectations[1] = (struct scenario_expectation){"pfc.paused_fraction", SCENARIO_LT,
							     0.3, "< 30%", "x:2:1"};
	open_results(rig);
	fill_counters(rig);
	list = json_object_get(finish_results(rig, RESULTS_COMPLETE), "expectations");
	ck_assert_uint_eq(results_failed_expectations(rig->results), 1);
	ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "met")));
	ck_assert_double_eq(at(list, "0/measured"), 3);
	ck_assert(json_is_true(json_object_get(json_array_get(list, 1), "met")));
	rig_destroy(rig);
}
END_TEST

START_TEST(unusable_directories_are_one_line)
{
	static const struct {
		const char *path;
		const char *says;
	} cases[] = {
		{"/dev/null/x", "/dev/null/x: Not a directory"},
		{"/tmp/railyard-no-such-parent/x", "make its parent"},
		{"/dev/null", "a file of that name"},
		{"", "No such file or directory"},
	};
	struct rig *rig = rig_create();

	ck_assert_int_lt(results_open(rig->results, &rig->fabric, cases[_i].path, why, sizeof(why)),
			 0);
	ck_assert_msg(strstr(why, cases[_i].says) != NULL, "%s", why);
	ck_assert_ptr_null(strchr(why, '\n'));
	rig_destroy(rig);
}
END_TEST

/* Bad input leaves nothing; but a directory that was there keeps its files. */
START_TEST(a_wrong_capture_leaves_nothing)
{
	struct rig *rig = rig_create();
	struct stat st;
	char path[128];

	capture_set_add(results_captures(rig->results), "leaf:0=x.pcap", CAPTURE_BOTH, why,
			sizeof(why));
	ck_assert_int_lt(results_open(rig->results, &rig->fabric, dir, why, sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(why, "leaf"));
	ck_assert_int_ne(stat(dir, &st), 0);
	rig_destroy(rig);

	rig = rig_create();
	open_results(rig);
	add_flows(rig);
	finish_results(rig, RESULTS_COMPLETE);
	results_destroy(rig->results);
	rig->results = results_create();
	capture_set_add(results_captures(rig->results), "leaf:0=x.pcap", CAPTURE_BOTH, why,
			sizeof(why));
	ck_assert_int_lt(results_open(rig->results, &rig->fabric, dir, why, sizeof(why)), 0);
	ck_assert_int_eq(check_csv("flows.csv", NULL, 0), 2);
	/* A run that starts does take the old summary away. */
	results_destroy(rig->results);
	rig->results = results_create();
	open_results(rig);
	snprintf(path, sizeof(path), "%s/summary.json", dir);
	ck_assert_int_ne(stat(path, &st), 0);
	ck_assert_int_eq(check_csv("flows.csv", NULL, 0), 0);
	rig_destroy(rig);
}
END_TEST

/* The ten largest of 1,010 rows have the ten largest values, wherever they stood. */
START_TEST(long_lists_keep_their_largest_rows)
{
	json_t *summary = json_object(), *list = json_array();
	uint64_t sum = 0;

	for (int i = 0; i < RESULTS_LIST_MAX + 10; i++)
		json_array_append_new(list, json_pack("{s:i}", "max_bytes", i * 7 % 1010));
	json_object_set_new(summary, "queues", list);
	results_cap(summary);
	ck_assert_uint_eq(json_array_size(list), RESULTS_LIST_MAX);
	for (size_t i = 0; i < RESULTS_LIST_MAX; i++)
		sum += (uint64_t)json_integer_value(
			json_object_get(json_array_get(list, i), "max_bytes"));
	/* 7 has no divisor in common with 1,010: the values are 0 to 1,009, and 0 to 9 are gone. */
	ck_assert_uint_eq(sum, 1009 * 1010 / 2 - 9 * 10 / 2);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "max_bytes")),
			 14);
	ck_assert_int_eq(
		json_integer_value(json_object_get(json_object_get(summary, "left_out"), "queues")),
		10);
	json_decref(summary);
}
END_TEST

/* Two links down busy for 30 and 10 us of 100: mean 20 %. */
START_TEST(links_by_kind)
{
	struct results_end end = {.state = RESULTS_COMPLETE, .virtual_ps = 100 * UNITS_PS_PER_US};
	struct rig *rig = rig_create();
	const json_t *links, *kind;

	rig->tor.node.ports[0].busy_ps = 30 * UNITS_PS_PER_US;
	rig->tor.node.ports[1].busy_ps = 10 * UNITS_PS_PER_US;
	ck_assert_int_eq(results_open(rig->results, &rig->fabric, NULL, why, sizeof(why)), 0);
	ck_assert_int_eq(results_finish(rig->results, &end, why, sizeof(why)), 0);
	links = json_object_get(results_summary(rig->results), "links");
	kind = json_array_get(json_object_get(links, "kinds"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(kind, "from")), "leaf");
	ck_assert_str_eq(json_string_value(json_object_get(kind, "to")), "host");
	ck_assert_str_eq(json_string_value(json_object_get(kind, "max_at")), "tor:0");
	ck_assert_double_eq_tol(json_real_value(json_object_get(kind, "utilisation_mean")), 0.2,
				1e-9);
	/* Links to hosts are as uneven as what the hosts do: nobody chose them. */
	ck_assert(json_is_null(json_object_get(kind, "imbalance")));
	ck_assert(json_is_null(json_object_get(links, "imbalance")));
	rig_destroy(rig);
}
END_TEST

START_TEST(nothing_is_written_without_a_directory)
{
	struct rig *rig = rig_create();
	char path[128];
	struct stat st;

	ck_assert_int_eq(results_open(rig->results, &rig->fabric, NULL, why, sizeof(why)), 0);
	fill_counters(rig);
	add_flows(rig);
	results_between(rig->results);
	ck_assert(!results_path(rig->results, "config.yaml", path, sizeof(path)));
	ck_assert_double_eq(at(finish_results(rig, RESULTS_COMPLETE), "flows/count"), 2);
	ck_assert_int_ne(stat(dir, &st), 0);
	rig_destroy(rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("results");
	TCase *tc = tcase_create("results");

	snprintf(dir, sizeof(dir), "/tmp/railyard-results-%ld", (long)getpid());
	tcase_add_test(tc, summary_says_what_was_counted);
	tcase_add_test(tc, pauses_name_who_stopped_whom);
	tcase_add_test(tc, watermarks_stand_against_their_limits);
	tcase_add_test(tc, a_pipeline_without_buffer_limits);
	tcase_add_test(tc, flows_have_times_slowdown_and_fairness);
	tcase_add_test(tc, csv_files_are_well_formed);
	tcase_add_test(tc, drops_add_up);
	tcase_add_test(tc, time_series_leave_idle_out);
	tcase_add_test(tc, expectations_are_part_of_the_summary);
	tcase_add_loop_test(tc, unusable_directories_are_one_line, 0, 4);
	tcase_add_test(tc, a_wrong_capture_leaves_nothing);
	tcase_add_test(tc, nothing_is_written_without_a_directory);
	tcase_add_test(tc, links_by_kind);
	tcase_add_test(tc, long_lists_keep_their_largest_rows);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
