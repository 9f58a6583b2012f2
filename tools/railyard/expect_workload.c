/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of a workload: those of its messages, and of its datagrams. */
#include <string.h>

#include "expect_internal.h"

/* Paths in a row of summary.workloads are their names. */
static const struct {
	const char *name;
	enum expect_unit unit;
	const char *help;
} datagrams[] = {
	{"udp.sent", EXPECT_COUNT, "datagrams of a workload that left their host"},
	{"udp.received", EXPECT_COUNT, "those that came in"},
	{"udp.lost_fraction", EXPECT_FRACTION, "share of those sent that did not"},
	{"udp.ce_received", EXPECT_COUNT, "those that came in marked"},
	{"udp.ce_first", EXPECT_COUNT,
	 "which of a receiver's was the first marked, from 1; 0 = none"},
	{"udp.ce_last", EXPECT_COUNT, "and which the last"},
};

#define DATAGRAM_METRICS (sizeof(datagrams) / sizeof(datagrams[0]))

const char *
expect_workload_rest(const struct scenario *scenario, const char *metric, uint32_t *index)
{
	const char *rest = NULL;
	size_t longest = 0;

	if (strncmp(metric, EXPECT_WORKLOADS, strlen(EXPECT_WORKLOADS)) != 0)
		return NULL;
	metric += strlen(EXPECT_WORKLOADS);
	/* Names may have dots in them: the longest that fits is meant. */
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

bool
expect_workload_metric_at(size_t n, struct expect_metric *metric)
{
	if (n < DATAGRAM_METRICS) {
		snprintf(metric->name, sizeof(metric->name), "%s", datagrams[n].name);
		snprintf(metric->path, sizeof(metric->path), "%s", datagrams[n].name);
		metric->unit = datagrams[n].unit;
		metric->list = "";
		return true;
	}
	n -= DATAGRAM_METRICS;
	/* Messages: what follows "flows.", and jain. */
	for (size_t i = 0; expect_metric_at(i, metric); i++) {
		bool flows = strncmp(metric->name, EXPECT_FLOWS, strlen(EXPECT_FLOWS)) == 0;

		if ((!flows && strcmp(metric->name, "jain") != 0) || n-- > 0)
			continue;
		if (flows) {
			memmove(metric->name, metric->name + strlen(EXPECT_FLOWS),
				strlen(metric->name) - strlen(EXPECT_FLOWS) + 1);
			memmove(metric->path, metric->path + strlen(EXPECT_FLOWS),
				strlen(metric->path) - strlen(EXPECT_FLOWS) + 1);
		}
		return true;
	}
	return false;
}

bool
expect_workload_resolve(const char *rest, char path[EXPECT_NAME_BYTES], enum expect_unit *unit)
{
	struct expect_metric metric;

	for (size_t i = 0; expect_workload_metric_at(i, &metric); i++) {
		if (strcmp(rest, metric.name) != 0)
			continue;
		memcpy(path, metric.path, sizeof(metric.path));
		*unit = metric.unit;
		return true;
	}
	return false;
}

void
expect_print_workload_metrics(FILE *out)
{
	for (size_t i = 0; i < DATAGRAM_METRICS; i++)
		fprintf(out, "workloads.*.%-17s %s\n", datagrams[i].name, datagrams[i].help);
}
