/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expectations turn a run into a test: a metric of the summary, an operator, a value. Metrics
 * have names (drops, drops.wred, flows.fct_us.p99, pfc.paused_fraction, workloads.NAME.jain)
 * that stand for numbers of summary.json; expect_print_metrics() lists them.
 */
#ifndef RAILYARD_EXPECT_H
#define RAILYARD_EXPECT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "scenario.h"

#define EXPECT_NAME_BYTES 256

/*
 * Before a run: does every expectation name a metric there is, and is its bound written in a unit
 * that the metric has? 0, or -EINVAL with one line in why: the place, the metric, and the names
 * nearest to it or what its bound may be.
 */
int expect_check(const struct scenario *scenario, char *why, size_t why_bytes);

/*
 * After a run: set summary.expectations, a list of {metric, expected, measured, met}, and
 * return how many are not met. What was not measured (a percentile of no flows) meets nothing.
 */
uint32_t expect_evaluate(const struct scenario *scenario, json_t *summary);

/* What a metric's value is in, for those who print it. */
enum expect_unit {
	EXPECT_COUNT,
	EXPECT_BYTES,
	EXPECT_US,
	EXPECT_S,
	EXPECT_BPS,
	EXPECT_PER_S,
	EXPECT_RATIO,
	EXPECT_FRACTION, /* 0 to 1 */
};

struct expect_metric {
	char name[EXPECT_NAME_BYTES];
	char path[EXPECT_NAME_BYTES]; /* in summary.json, or in a row of it: */
	const char *list;             /* the list with that row; "" = none */
	char row[EXPECT_NAME_BYTES];  /* what the row is called there */
	enum expect_unit unit;
};

/* The nth metric there is (but for those of tiers and workloads); false beyond the last. */
bool expect_metric_at(size_t n, struct expect_metric *metric);

/* The same of the tiers and workloads that a summary has. */
bool expect_part_metric_at(const json_t *summary, size_t n, struct expect_metric *metric);

/* The row of a summary that such a metric is of; NULL: it has no such tier or workload. */
const json_t *expect_row_of(const struct expect_metric *metric, const json_t *summary);

/* Its value in a summary: a JSON number, borrowed; NULL when it was not measured. */
const json_t *expect_metric_of(const struct expect_metric *metric, const json_t *summary);

/* One line a metric: name and meaning. */
void expect_print_metrics(FILE *out);

#endif
