/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of expect*.c share; nobody else includes it. */
#ifndef RAILYARD_EXPECT_INTERNAL_H
#define RAILYARD_EXPECT_INTERNAL_H

#include "expect.h"

#define EXPECT_WORKLOADS "workloads."
#define EXPECT_FLOWS "flows."

/*
 * One line in why: what e->metric, which is none, was perhaps meant to be. rest: what follows
 * "workloads.NAME." in it, NULL when it is of no workload.
 */
void expect_explain(const struct scenario *scenario, const struct scenario_expectation *e,
		    const char *rest, char *why, size_t why_bytes);

#endif
