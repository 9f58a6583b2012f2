/* SPDX-License-Identifier: BSD-3-Clause */
#include "expect.h"

#include <errno.h>
#include <string.h>

#include "drop.h"

#define PATH_BYTES 256

/*
 * X(metric, path in summary.json, what it is). A new figure that users may want to hold a run
 * to is a line here; expect_check() knows no others.
 */
#define METRICS(X)                                                                              \
	X("drops", "packets.dropped", "packets lost, for whatever reason")                      \
	X("dropped_bytes", "packets.dropped_bytes", "bytes lost")                               \
	X("packets.sent", "packets.sent", "packets that nodes made")                            \
	X("packets.copied", "packets.copied", "extra packets made by flooding")                 \
	X("packets.delivered", "packets.delivered", "packets handed to a host's transport")     \
	X("packets.consumed", "packets.consumed", "MAC control frames acted on")                \
	X("packets.dropped", "packets.dropped", "as drops")                                     \
	X("packets.in_flight", "packets.in_flight", "packets on their way at the end")          \
	X("packet_hops", "packet_hops", "frames that arrived over a link")                      \
	X("packet_hops_per_s", "packet_hops_per_s", "hops a wall second")                       \
	X("virtual_s", "virtual_s", "virtual time at the end, in seconds")                      \
	X("wall_s", "wall_s", "time the run took, in seconds")                                  \
	X("ecn_marked", "ecn_marked", "packets that a switch marked CE")                        \
	X("ecn_marked_fraction", "ecn_marked_fraction", "share of data packets marked")         \
	X("cnp_sent", "cnp_sent", "congestion notification packets")                            \
	X("pfc.xoff_sent", "pfc.xoff_sent", "XOFF by frame and priority, refreshes included")   \
	X("pfc.xon_sent", "pfc.xon_sent", "XON by frame and priority")                          \
	X("pfc.paused_fraction", "pfc.paused_fraction.max",                                     \
	  "largest share of the run that a port's priority was paused")                         \
	X("queues.max_bytes", "queues_max.bytes", "deepest queue")                              \
	X("queues.max_fraction", "queues_max.fraction", "fullest queue, of its limit")          \
	X("pgs.max_bytes", "pgs_max.bytes", "deepest priority group")                           \
	X("pgs.max_fraction", "pgs_max.fraction", "fullest priority group, of its limit")       \
	X("headroom.margin_bytes", "headroom.margin_bytes", "least headroom left in any PG")    \
	X("headroom.used_fraction", "headroom.used_fraction", "largest share of headroom used") \
	X("flows.count", "flows.count", "messages")                                             \
	X("flows.completed", "flows.completed", "messages completed")                           \
	X("flows.failed", "flows.failed", "messages given up")                                  \
	X("flows.incomplete", "flows.incomplete", "messages under way at the end")              \
	X("flows.completed_bytes", "flows.completed_bytes", "payload of completed messages")    \
	X("flows.fct_us.min", "flows.fct_us.min", "flow completion time, in microseconds")      \
	X("flows.fct_us.mean", "flows.fct_us.mean", "")                                         \
	X("flows.fct_us.p50", "flows.fct_us.p50", "")                                           \
	X("flows.fct_us.p95", "flows.fct_us.p95", "")                                           \
	X("flows.fct_us.p99", "flows.fct_us.p99", "")                                           \
	X("flows.fct_us.p99_9", "flows.fct_us.p99_9", "")                                       \
	X("flows.fct_us.max", "flows.fct_us.max", "")                                           \
	X("flows.slowdown.min", "flows.slowdown.min", "completion time over that alone")        \
	X("flows.slowdown.mean", "flows.slowdown.mean", "")                                     \
	X("flows.slowdown.p50", "flows.slowdown.p50", "")                                       \
	X("flows.slowdown.p95", "flows.slowdown.p95", "")                                       \
	X("flows.slowdown.p99", "flows.slowdown.p99", "")                                       \
	X("flows.slowdown.p99_9", "flows.slowdown.p99_9", "")                                   \
	X("flows.slowdown.max", "flows.slowdown.max", "")                                       \
	X("goodput_bps", "goodput_bps", "payload accepted in order, bits a second")             \
	X("jain", "jain", "Jain's fairness index of completed flows' throughputs")              \
	X("retransmits", "transport.retransmitted_packets", "data packets sent again")          \
	X("timeouts", "transport.timeouts", "retransmit timers that ran out")                   \
	X("naks", "transport.naks_sent", "negative acknowledgements")                           \
	X("out_of_order", "transport.out_of_order", "packets beyond the expected PSN")          \
	X("duplicates", "transport.duplicates", "packets before the expected PSN")              \
	X("ce_received", "transport.ce_received", "marked packets that reached a host")         \
	X("udp_sent", "transport.udp_sent", "background datagrams sent")                        \
	X("udp_received", "transport.udp_received", "background datagrams received")

static const struct metric {
	const char *name;
	const char *path;
	const char *help;
} metrics[] = {
#define X(name, path, help) {name, path, help},
	METRICS(X)
#undef X
};

#define METRIC_COUNT (sizeof(metrics) / sizeof(metrics[0]))
#define DROPS_PREFIX "drops."
#define WORKLOADS_PREFIX "workloads."

/* The n-th name: the table's, then drops.REASON. */
static void
name_of(size_t n, char name[PATH_BYTES])
{
	if (n < METRIC_COUNT)
		snprintf(name, PATH_BYTES, "%s", metrics[n].name);
	else
		snprintf(name, PATH_BYTES, DROPS_PREFIX "%s",
			 drop_reason_name((enum drop_reason)(n - METRIC_COUNT)));
}

#define NAME_COUNT (METRIC_COUNT + DROP_REASON_COUNT)

/*
 * Path of a metric in the summary; false when there is no such metric. Figures of a workload
 * are workloads.NAME. and then as after flows., or jain.
 */
static bool
resolve(const char *metric, char path[PATH_BYTES])
{
	size_t prefix = strlen(DROPS_PREFIX);

	for (size_t i = 0; i < METRIC_COUNT; i++) {
		if (strcmp(metric, metrics[i].name) == 0) {
			snprintf(path, PATH_BYTES, "%s", metrics[i].path);
			return true;
		}
	}
	if (strncmp(metric, DROPS_PREFIX, prefix) != 0)
		return false;
	for (int i = 0; i < DROP_REASON_COUNT; i++) {
		if (strcmp(metric + prefix, drop_reason_name((enum drop_reason)i)) == 0) {
			snprintf(path, PATH_BYTES, "drops_by_reason.%s", metric + prefix);
			return true;
		}
	}
	return false;
}

/*
 * What follows "workloads.NAME." in a metric, or NULL; *index is that workload's. Names may have
 * dots in them: the longest that fits is meant.
 */
static const char *
workload_rest(const struct scenario *scenario, const char *metric, uint32_t *index)
{
	const char *rest = NULL;
	size_t longest = 0;

	if (strncmp(metric, WORKLOADS_PREFIX, strlen(WORKLOADS_PREFIX)) != 0)
		return NULL;
	metric += strlen(WORKLOADS_PREFIX);
	for (uint32_t i = 0; i < scenario->workload_count; i++) {
		size_t length = strlen(scenario->workloads[i].name);

		if (length <= longest ||
		    strncmp(metric, scenario->workloads[i].name, length) != 0 ||
		    metric[length] != '.')
			continue;
		longest = length;
		rest = metric + length + 1;
		*index = i;
	}
	return rest;
}

/* A workload's figures have the names that follow "flows.", and jain. */
static bool
resolve_in_workload(const char *rest, char path[PATH_BYTES])
{
	char flows[PATH_BYTES];

	if (strcmp(rest, "jain") == 0) {
		snprintf(path, PATH_BYTES, "jain");
		return true;
	}
	if (snprintf(flows, sizeof(flows), "flows.%s", rest) >= PATH_BYTES || !resolve(flows, path))
		return false;
	memmove(path, path + strlen("flows."), strlen(path) - strlen("flows.") + 1);
	return true;
}

/* Levenshtein distance, for names below PATH_BYTES. */
static unsigned int
distance(const char *a, const char *b)
{
	unsigned int row[PATH_BYTES];
	size_t length = strlen(b);

	for (unsigned int j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned int i = 1; a[i - 1] != '\0'; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (unsigned int j = 1; j <= length; j++) {
			unsigned int cost = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[length];
}

/* "a, b or c": the three names nearest to what was written; containing it counts as near. */
static void
list_nearest(const char *metric, char *list, size_t list_bytes)
{
	char name[PATH_BYTES];
	bool taken[NAME_COUNT] = {false};
	size_t used = 0;

	list[0] = '\0';
	for (int n = 0; n < 3; n++) {
		unsigned int best = UINT32_MAX;
		size_t best_at = 0;

		for (size_t i = 0; i < NAME_COUNT; i++) {
			unsigned int d;

			name_of(i, name);
			d = strstr(name, metric) != NULL ? 1 : distance(metric, name);
			if (!taken[i] && d < best) {
				best = d;
				best_at = i;
			}
		}
		taken[best_at] = true;
		name_of(best_at, name);
		used += (size_t)snprintf(list + used, list_bytes - used, "%s%s",
					 n == 0   ? ""
					 : n == 1 ? ", "
						  : " or ",
					 name);
		if (used >= list_bytes)
			return;
	}
}

/* Why `metric` is not one, with what was perhaps meant. */
static void
explain(const struct scenario *scenario, const struct scenario_expectation *e, const char *rest,
	char *why, size_t why_bytes)
{
	char near[512];
	char metric[PATH_BYTES];

	if (rest == NULL && scenario->workload_count > 0 &&
	    strncmp(e->metric, WORKLOADS_PREFIX, strlen(WORKLOADS_PREFIX)) == 0) {
		snprintf(why, why_bytes, "%s: no workload of '%s' here; the first is %s%s",
			 e->place, e->metric, WORKLOADS_PREFIX, scenario->workloads[0].name);
		return;
	}
	snprintf(metric, sizeof(metric), "%s%s", rest != NULL ? "flows." : "",
		 rest != NULL ? rest : e->metric);
	list_nearest(metric, near, sizeof(near));
	snprintf(why, why_bytes, "%s: no metric is called '%s'; did you mean %s?", e->place,
		 e->metric, near);
}

int
expect_check(const struct scenario *scenario, char *why, size_t why_bytes)
{
	char path[PATH_BYTES];

	for (uint32_t i = 0; i < scenario->expectation_count; i++) {
		const struct scenario_expectation *e = &scenario->expectations[i];
		uint32_t workload;
		const char *rest = workload_rest(scenario, e->metric, &workload);

		if (rest != NULL ? resolve_in_workload(rest, path) : resolve(e->metric, path))
			continue;
		explain(scenario, e, rest, why, why_bytes);
		return -EINVAL;
	}
	return 0;
}

static bool
is_met(enum scenario_operator op, double measured, double expected)
{
	switch (op) {
	case SCENARIO_EQ:
		return measured == expected;
	case SCENARIO_NE:
		return measured != expected;
	case SCENARIO_LT:
		return measured < expected;
	case SCENARIO_LE:
		return measured <= expected;
	case SCENARIO_GT:
		return measured > expected;
	case SCENARIO_GE:
		return measured >= expected;
	}
	return false;
}

/* The number at a dotted path below `at`, or NULL. */
static const json_t *
number_at(const json_t *at, const char *path)
{
	char key[PATH_BYTES];

	while (at != NULL && *path != '\0') {
		size_t length = strcspn(path, ".");

		memcpy(key, path, length);
		key[length] = '\0';
		at = json_object_get(at, key);
		path += length + (path[length] == '.');
	}
	return json_is_number(at) ? at : NULL;
}

static const json_t *
measure(const struct scenario *scenario, const json_t *summary, const char *metric)
{
	char path[PATH_BYTES];
	uint32_t workload;
	const char *rest = workload_rest(scenario, metric, &workload);

	if (rest == NULL)
		return resolve(metric, path) ? number_at(summary, path) : NULL;
	if (!resolve_in_workload(rest, path))
		return NULL;
	return number_at(json_array_get(json_object_get(summary, "workloads"), workload), path);
}

uint32_t
expect_evaluate(const struct scenario *scenario, json_t *summary)
{
	json_t *list = json_array();
	uint32_t failed = 0;

	for (uint32_t i = 0; i < scenario->expectation_count; i++) {
		const struct scenario_expectation *e = &scenario->expectations[i];
		const json_t *measured = measure(scenario, summary, e->metric);
		bool met = measured != NULL && is_met(e->op, json_number_value(measured), e->value);

		failed += !met;
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:f, s:s, s:o, s:b}", "metric", e->metric, "expected",
				  e->text, "bound", e->value, "place", e->place, "measured",
				  measured == NULL ? json_null() : json_deep_copy(measured), "met",
				  met));
	}
	json_object_set_new(summary, "expectations", list);
	return failed;
}

void
expect_print_metrics(FILE *out)
{
	for (size_t i = 0; i < METRIC_COUNT; i++)
		fprintf(out, "%-24s %s\n", metrics[i].name, metrics[i].help);
	for (int i = 0; i < DROP_REASON_COUNT; i++)
		fprintf(out, DROPS_PREFIX "%-18s %s\n", drop_reason_name((enum drop_reason)i),
			drop_reason_help((enum drop_reason)i));
	fprintf(out, "%-24s %s\n", "workloads.NAME.*", "as flows.*, and jain, of one workload");
}
