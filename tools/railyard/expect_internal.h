/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of expect*.c share; nobody else includes it. */
#ifndef RAILYARD_EXPECT_INTERNAL_H
#define RAILYARD_EXPECT_INTERNAL_H

#include "expect.h"

#define EXPECT_NAME_BYTES 256
#define EXPECT_WORKLOADS "workloads."
#define EXPECT_FLOWS "flows."

/* The metrics there are, but for those of workloads. */
size_t expect_name_count(void);
void expect_name(size_t n, char name[EXPECT_NAME_BYTES]);

/*
 * One line in why: what e->metric, which is none, was perhaps meant to be. rest: what follows
 * "workloads.NAME." in it, NULL when it is of no workload.
 */
void expect_explain(const struct scenario *scenario, const struct scenario_expectation *e,
		    const char *rest, char *why, size_t why_bytes);

#endif
