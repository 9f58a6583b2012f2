/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of expect*.c share; nobody else includes it. */
#ifndef RAILYARD_EXPECT_INTERNAL_H
#define RAILYARD_EXPECT_INTERNAL_H

#include "expect.h"

#define EXPECT_WORKLOADS "workloads."
#define EXPECT_FLOWS "flows."
#define EXPECT_TIERS "tiers."

/*
 * One line in why: what e->metric, which is none, was perhaps meant to be. rest: what follows
 * "workloads.NAME." in it, NULL when it is of no workload.
 */
void expect_explain(const struct scenario *scenario, const struct scenario_expectation *e,
		    const char *rest, char *why, size_t why_bytes);

/*
 * expect_workload.c: what follows "workloads.NAME." in a metric, or NULL; *index is that
 * workload's.
 */
const char *expect_workload_rest(const struct scenario *scenario, const char *metric,
				 uint32_t *index);

/* The nth name that may follow, with its path in the workload's row; false beyond the last. */
bool expect_workload_metric_at(size_t n, struct expect_metric *metric);

/* The path and unit of what follows; false when there is no such metric. */
bool expect_workload_resolve(const char *rest, char path[EXPECT_NAME_BYTES],
			     enum expect_unit *unit);

/* One line a metric of datagrams. */
void expect_print_workload_metrics(FILE *out);

/*
 * The tier that a metric "tiers.NAME.X" is of, with X's path in the tier's row of the summary and
 * its unit; NULL when it is no such metric.
 */
const char *expect_tier_of(const struct scenario *scenario, const char *metric,
			   char path[EXPECT_NAME_BYTES], enum expect_unit *unit);

/* The nth name that may follow "tiers.NAME.", with its path in the row; false beyond the last. */
bool expect_tier_metric_at(size_t n, struct expect_metric *metric);
void expect_print_tier_metrics(FILE *out);
const json_t *expect_tier_row(const json_t *summary, const char *tier);

#endif
