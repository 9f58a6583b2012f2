/* SPDX-License-Identifier: BSD-3-Clause */
#include "expect_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config_units.h"
#include "drop.h"

/* What a bound may be written in: a plain number, and what else. */
static const struct {
	enum config_unit quantity; /* CONFIG_UNIT_COUNT: nothing else */
	const char *help;
} units[] = {
	[EXPECT_COUNT] = {CONFIG_UNIT_COUNT, "is a count: write a plain number"},
	[EXPECT_BYTES] = {CONFIG_UNIT_SIZE,
			  "is in bytes: write a number of bytes, or a size such as "
			  "100KB"},
	[EXPECT_US] = {CONFIG_UNIT_TIME,
		       "is a time: write a number of microseconds, or a time such "
		       "as 2ms"},
	[EXPECT_S] = {CONFIG_UNIT_TIME, "is a time: write a number of seconds, or a time such as "
					"500ms"},
	[EXPECT_BPS] = {CONFIG_UNIT_RATE, "is a rate: write a number of bits a second, or a rate "
					  "such as 90Gbps"},
	[EXPECT_PER_S] = {CONFIG_UNIT_COUNT, "is a number a second: write a plain number"},
	[EXPECT_RATIO] = {CONFIG_UNIT_COUNT, "is a ratio: write a plain number such as 1.5"},
	[EXPECT_FRACTION] = {CONFIG_UNIT_PERCENT, "is a fraction: write a number from 0 to 1, or a "
						  "percentage such as 1%"},
};

/*
 * X(metric, path in summary.json, unit, what it is). A new figure that users may want to hold a run
 * to is a line here; expect_check() knows no others.
 */
#define METRICS(X)                                                                                 \
	X("drops", "packets.dropped", COUNT, "packets lost, for whatever reason")                  \
	X("dropped_bytes", "packets.dropped_bytes", BYTES, "bytes lost")                           \
	X("packets.sent", "packets.sent", COUNT, "packets that nodes made")                        \
	X("packets.copied", "packets.copied", COUNT, "extra packets made by flooding")             \
	X("packets.delivered", "packets.delivered", COUNT, "packets handed to a host's transport") \
	X("packets.consumed", "packets.consumed", COUNT, "MAC control frames acted on")            \
	X("packets.dropped", "packets.dropped", COUNT, "as drops")                                 \
	X("packets.in_flight", "packets.in_flight", COUNT, "packets on their way at the end")      \
	X("packet_hops", "packet_hops", COUNT, "frames that arrived over a link")                  \
	X("packet_hops_per_s", "packet_hops_per_s", PER_S, "hops a wall second")                   \
	X("virtual_s", "virtual_s", S, "virtual time at the end, in seconds")                      \
	X("wall_s", "wall_s", S, "time the run took, in seconds")                                  \
	X("ecn_marked", "ecn_marked", COUNT, "packets that a switch marked CE")                    \
	X("ecn_marked_fraction", "ecn_marked_fraction", FRACTION, "share of data packets marked")  \
	X("ecn_bins.counted", "ecn_bins.counted", COUNT,                                           \
	  "ranges of queue depth, from where marks begin, in which packets were judged")           \
	X("ecn_bins.outside", "ecn_bins.outside", COUNT,                                           \
	  "those whose share of marks is not what the profile says, within 99.9 %")                \
	X("cnp_sent", "cnp_sent", COUNT, "congestion notification packets")                        \
	X("pfc.xoff_sent", "pfc.xoff_sent", COUNT,                                                 \
	  "XOFF by frame and priority, refreshes included")                                        \
	X("pfc.xon_sent", "pfc.xon_sent", COUNT, "XON by frame and priority")                      \
	X("pfc.xoff_obeyed", "pfc.xoff_obeyed", COUNT, "XOFF that came in for enabled priorities") \
	X("pfc.paused_fraction", "pfc.paused_fraction.max", FRACTION,                              \
	  "largest share of the run that a port's priority was paused")                            \
	X("watchdog.detected", "watchdog.detected", COUNT, "pause storms that watchdogs found")    \
	X("watchdog.restored", "watchdog.restored", COUNT, "those that they saw end")              \
	X("watchdog.dropped", "watchdog.dropped", COUNT, "packets that they dropped")              \
	X("links.utilisation_max", "links.utilisation_max", FRACTION, "busiest link")              \
	X("links.imbalance", "links.imbalance", RATIO,                                             \
	  "busiest of equal ways over the mean of them, between switches")                         \
	X("links.imbalance_sampled", "links.imbalance_sampled", RATIO,                             \
	  "the same, sample interval by sample interval")                                          \
	X("queues.max_bytes", "queues_max.bytes", BYTES, "deepest queue")                          \
	X("queues.max_fraction", "queues_max.fraction", FRACTION, "fullest queue, of its limit")   \
	X("pgs.max_bytes", "pgs_max.bytes", BYTES, "deepest priority group")                       \
	X("pgs.max_fraction", "pgs_max.fraction", FRACTION,                                        \
	  "fullest priority group, of its limit")                                                  \
	X("headroom.margin_bytes", "headroom.margin_bytes", BYTES,                                 \
	  "least headroom left in any PG")                                                         \
	X("headroom.used_fraction", "headroom.used_fraction", FRACTION,                            \
	  "largest share of headroom used")                                                        \
	X("flows.count", "flows.count", COUNT, "messages")                                         \
	X("flows.completed", "flows.completed", COUNT, "messages completed")                       \
	X("flows.failed", "flows.failed", COUNT, "messages given up")                              \
	X("flows.incomplete", "flows.incomplete", COUNT, "messages under way at the end")          \
	X("flows.completed_bytes", "flows.completed_bytes", BYTES,                                 \
	  "payload of completed messages")                                                         \
	X("flows.fct_us.min", "flows.fct_us.min", US, "flow completion time, in microseconds")     \
	X("flows.fct_us.mean", "flows.fct_us.mean", US, "")                                        \
	X("flows.fct_us.p50", "flows.fct_us.p50", US, "")                                          \
	X("flows.fct_us.p95", "flows.fct_us.p95", US, "")                                          \
	X("flows.fct_us.p99", "flows.fct_us.p99", US, "")                                          \
	X("flows.fct_us.p99_9", "flows.fct_us.p99_9", US, "")                                      \
	X("flows.fct_us.max", "flows.fct_us.max", US, "")                                          \
	X("flows.slowdown.min", "flows.slowdown.min", RATIO, "completion time over that alone")    \
	X("flows.slowdown.mean", "flows.slowdown.mean", RATIO, "")                                 \
	X("flows.slowdown.p50", "flows.slowdown.p50", RATIO, "")                                   \
	X("flows.slowdown.p95", "flows.slowdown.p95", RATIO, "")                                   \
	X("flows.slowdown.p99", "flows.slowdown.p99", RATIO, "")                                   \
	X("flows.slowdown.p99_9", "flows.slowdown.p99_9", RATIO, "")                               \
	X("flows.slowdown.max", "flows.slowdown.max", RATIO, "")                                   \
	X("goodput_bps", "goodput_bps", BPS, "payload accepted in order, bits a second")           \
	X("jain", "jain", FRACTION, "Jain's fairness index of completed flows' throughputs")       \
	X("retransmits", "transport.retransmitted_packets", COUNT, "data packets sent again")      \
	X("timeouts", "transport.timeouts", COUNT, "retransmit timers that ran out")               \
	X("delivered", "transport.messages_delivered", COUNT, "messages that came in whole, once") \
	X("naks", "transport.naks_sent", COUNT, "negative acknowledgements")                       \
	X("retransmits.nak", "transport.retransmitted_nak", COUNT, "of these: asked for by NAKs")  \
	X("retransmits.gap", "transport.retransmitted_gap", COUNT,                                 \
	  "READs asked for again, and their responses")                                            \
	X("retransmits.timeout", "transport.retransmitted_timeout", COUNT, "by the timer")         \
	X("out_of_order", "transport.out_of_order", COUNT,                                         \
	  "packets that came early: beyond the expected PSN")                                      \
	X("duplicates", "transport.duplicates", COUNT, "packets that had come before")             \
	X("reordering.fraction", "reordering.fraction", FRACTION,                                  \
	  "data packets that came late: after one sent later")                                     \
	X("reordering.reordered", "reordering.reordered", COUNT, "their number")                   \
	X("reordering.distance.p50", "reordering.distance_packets.p50", COUNT, "PSNs behind it")   \
	X("reordering.distance.p99", "reordering.distance_packets.p99", COUNT, "")                 \
	X("reordering.distance.max", "reordering.distance_packets.max", COUNT, "")                 \
	X("reordering.held_max", "reordering.held_max_packets", COUNT,                             \
	  "most packets of a queue pair placed before their turn")                                 \
	X("ce_received", "transport.ce_received", COUNT, "marked packets that reached a host")     \
	X("impairments.lost", "impairments.lost", COUNT, "frames that impairments lost")           \
	X("impairments.duplicated", "impairments.duplicated", COUNT, "frames that they doubled")   \
	X("impairments.delayed", "impairments.delayed", COUNT, "frames that they held back")       \
	X("impairments.reordered", "impairments.reordered", COUNT, "those taken out of order")     \
	X("impairments.corrupted", "impairments.corrupted", COUNT, "frames with a bit flipped")    \
	X("impairments.marked", "impairments.marked", COUNT, "frames they set CE in")              \
	X("impairments.pauses", "impairments.pauses", COUNT, "XOFF frames of pause storms")        \
	X("udp_sent", "transport.udp_sent", COUNT, "background datagrams sent")                    \
	X("udp_received", "transport.udp_received", COUNT, "background datagrams received")

static const struct metric {
	const char *name;
	const char *path;
	enum expect_unit unit;
	const char *help;
} metrics[] = {
#define X(name, path, unit, help) {name, path, EXPECT_##unit, help},
	METRICS(X)
#undef X
};

#define METRIC_COUNT (sizeof(metrics) / sizeof(metrics[0]))

/* The table's, then drops.REASON. */
bool
expect_metric_at(size_t n, struct expect_metric *metric)
{
	const char *reason;

	metric->list = "";
	if (n < METRIC_COUNT) {
		snprintf(metric->name, sizeof(metric->name), "%s", metrics[n].name);
		snprintf(metric->path, sizeof(metric->path), "%s", metrics[n].path);
		metric->unit = metrics[n].unit;
		return true;
	}
	if (n >= METRIC_COUNT + DROP_REASON_COUNT)
		return false;
	reason = drop_reason_name((enum drop_reason)(n - METRIC_COUNT));
	snprintf(metric->name, sizeof(metric->name), "drops.%s", reason);
	snprintf(metric->path, sizeof(metric->path), "drops_by_reason.%s", reason);
	metric->unit = EXPECT_COUNT;
	return true;
}

/* Path of a metric in the summary, and its unit; false when there is no such metric. */
static bool
resolve(const char *name, char path[EXPECT_NAME_BYTES], enum expect_unit *unit)
{
	struct expect_metric metric;

	for (size_t i = 0; expect_metric_at(i, &metric); i++) {
		if (strcmp(name, metric.name) != 0)
			continue;
		snprintf(path, EXPECT_NAME_BYTES, "%s", metric.path);
		*unit = metric.unit;
		return true;
	}
	return false;
}

/* Does the bound's unit, if it has one, fit the metric's? */
static bool
fits(const char *text, enum expect_unit unit)
{
	const char *dots = strstr(text, "..");
	char ignored[160], low[SCENARIO_TEXT_BYTES];
	uint64_t value;
	char *end;

	if (dots != NULL) {
		snprintf(low, sizeof(low), "%.*s", (int)(dots - text), text);
		low[strcspn(low, " ")] = '\0';
		return fits(low, unit) && fits(dots + 2, unit);
	}
	text += strspn(text, "<>=! ");
	(void)strtod(text, &end);
	end += strspn(end, " ");
	if (*end == '\0')
		return true;
	if (unit == EXPECT_FRACTION)
		return strcmp(end, "%") == 0;
	return units[unit].quantity != CONFIG_UNIT_COUNT &&
	       config_unit_parse(units[unit].quantity, text, &value, ignored, sizeof(ignored)) == 0;
}

int
expect_check(const struct scenario *scenario, char *why, size_t why_bytes)
{
	char path[EXPECT_NAME_BYTES];

	for (uint32_t i = 0; i < scenario->expectation_count; i++) {
		const struct scenario_expectation *e = &scenario->expectations[i];
		uint32_t workload;
		const char *rest = expect_workload_rest(scenario, e->metric, &workload);
		enum expect_unit unit;

		if (rest != NULL ? !expect_workload_resolve(rest, path, &unit)
				 : expect_tier_of(scenario, e->metric, path, &unit) == NULL &&
					   !resolve(e->metric, path, &unit)) {
			expect_explain(scenario, e, rest, why, why_bytes);
			return -EINVAL;
		}
		if (!fits(e->text, unit)) {
			snprintf(why, why_bytes, "%s: %s: \"%s\" does not fit: the metric %s",
				 e->place, e->metric, e->text, units[unit].help);
			return -EINVAL;
		}
	}
	return 0;
}

static bool
is_met(const struct scenario_expectation *e, double measured)
{
	double expected = e->value;

	switch (e->op) {
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
	case SCENARIO_IN:
		return measured >= expected && measured <= e->high;
	}
	return false;
}

/* The number at a dotted path below `at`, or NULL. */
static const json_t *
number_at(const json_t *at, const char *path)
{
	char key[EXPECT_NAME_BYTES];

	while (at != NULL && *path != '\0') {
		size_t length = strcspn(path, ".");

		memcpy(key, path, length);
		key[length] = '\0';
		at = json_object_get(at, key);
		path += length + (path[length] == '.');
	}
	return json_is_number(at) ? at : NULL;
}

const json_t *
expect_metric_of(const struct expect_metric *metric, const json_t *summary)
{
	if (metric->list[0] != '\0')
		summary = expect_row_of(metric, summary);
	return number_at(summary, metric->path);
}

static const json_t *
measure(const struct scenario *scenario, const json_t *summary, const char *metric)
{
	char path[EXPECT_NAME_BYTES];
	uint32_t workload;
	const char *rest = expect_workload_rest(scenario, metric, &workload);
	enum expect_unit unit;
	const char *tier = expect_tier_of(scenario, metric, path, &unit);

	if (tier != NULL)
		return number_at(expect_tier_row(summary, tier), path);
	if (rest == NULL)
		return resolve(metric, path, &unit) ? number_at(summary, path) : NULL;
	if (!expect_workload_resolve(rest, path, &unit))
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
		bool met = measured != NULL && is_met(e, json_number_value(measured));

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
		fprintf(out, "drops.%-18s %s\n", drop_reason_name((enum drop_reason)i),
			drop_reason_help((enum drop_reason)i));
	fprintf(out, "%-24s %s\n", "workloads.NAME.*", "as flows.*, and jain, of one workload");
	expect_print_workload_metrics(out);
	expect_print_tier_metrics(out);
}
