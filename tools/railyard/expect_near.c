/* SPDX-License-Identifier: BSD-3-Clause */
/* What was perhaps meant by the name of a metric that does not exist. */
#include <assert.h>
#include <string.h>

#include "expect_internal.h"

#define MAX_NAMES 256
#define LIST_ALL "`railyard reference --metrics` lists all"

/* Levenshtein distance, for names below EXPECT_NAME_BYTES. */
static unsigned int
distance(const char *a, const char *b)
{
	unsigned int row[EXPECT_NAME_BYTES];
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

/*
 * The n-th name that may stand where `metric` does, below a workload (of_workload) or not. False
 * beyond the last.
 */
static bool
candidate(size_t n, bool of_workload, char name[EXPECT_NAME_BYTES])
{
	struct expect_metric metric;

	if (!(of_workload ? expect_workload_metric_at(n, &metric) : expect_metric_at(n, &metric)))
		return false;
	snprintf(name, EXPECT_NAME_BYTES, "%s", metric.name);
	return true;
}

/* How far off what was written is; UINT32_MAX: nobody would take one for the other. */
static unsigned int
strangeness(const char *metric, const char *name)
{
	unsigned int most = (unsigned int)strlen(metric) / 3;
	unsigned int d;

	if ((strlen(metric) >= 3 && strstr(name, metric) != NULL) || strstr(metric, name) != NULL)
		return 1;
	d = distance(metric, name);
	return d <= (most > 2 ? most : 2) ? d : UINT32_MAX;
}

/* "a, b or c": the names, at most three, nearest to what was written; "" when none is near. */
static void
list_nearest(const char *metric, const char *prefix, char *list, size_t list_bytes)
{
	char names[3][EXPECT_NAME_BYTES];
	char name[EXPECT_NAME_BYTES];
	bool taken[MAX_NAMES] = {false};
	size_t used = 0;
	int found = 0;

	/* candidate() never has one beyond the last. */
	assert(!candidate(MAX_NAMES, prefix[0] != '\0', name));
	while (found < 3) {
		unsigned int best = UINT32_MAX;
		size_t best_at = 0;

		for (size_t i = 0; i < MAX_NAMES; i++) {
			unsigned int d;

			if (taken[i] || !candidate(i, prefix[0] != '\0', name))
				continue;
			d = strangeness(metric, name);
			if (d < best) {
				best = d;
				best_at = i;
			}
		}
		if (best == UINT32_MAX)
			break;
		taken[best_at] = true;
		candidate(best_at, prefix[0] != '\0', names[found++]);
	}
	list[0] = '\0';
	for (int i = 0; i < found && used < list_bytes; i++)
		used += (size_t)snprintf(list + used, list_bytes - used, "%s%s%s",
					 i == 0           ? ""
					 : i == found - 1 ? " or "
							  : ", ",
					 prefix, names[i]);
}

/* "workloads.NAME", or that with a dot: the index of that workload, else workload_count. */
static uint32_t
bare_workload(const struct scenario *scenario, const char *metric)
{
	uint32_t i = 0;

	if (strncmp(metric, EXPECT_WORKLOADS, strlen(EXPECT_WORKLOADS)) != 0)
		return scenario->workload_count;
	metric += strlen(EXPECT_WORKLOADS);
	for (; i < scenario->workload_count; i++) {
		const char *name = scenario->workloads[i].name;

		if (strncmp(metric, name, strlen(name)) == 0 &&
		    (metric[strlen(name)] == '\0' || strcmp(metric + strlen(name), ".") == 0))
			break;
	}
	return i;
}

/* Which workloads there are: the first few. */
static void
list_workloads(const struct scenario *scenario, char *list, size_t list_bytes)
{
	size_t used = 0;
	uint32_t i;

	snprintf(list, list_bytes, "there is none");
	for (i = 0; i < scenario->workload_count && i < 4 && used < list_bytes; i++)
		used += (size_t)snprintf(list + used, list_bytes - used, "%s'%s'",
					 i == 0 ? "there is " : ", ", scenario->workloads[i].name);
	if (i < scenario->workload_count && used < list_bytes)
		snprintf(list + used, list_bytes - used, ", ...");
}

void
expect_explain(const struct scenario *scenario, const struct scenario_expectation *e,
	       const char *rest, char *why, size_t why_bytes)
{
	uint32_t bare = bare_workload(scenario, e->metric);
	char prefix[EXPECT_NAME_BYTES] = "";
	char near[600];

	if (bare < scenario->workload_count) {
		const char *name = scenario->workloads[bare].name;

		snprintf(why, why_bytes,
			 "%s: '%s' is a workload: say which figure of it, such as " EXPECT_WORKLOADS
			 "%s.fct_us.p99 or " EXPECT_WORKLOADS "%s.jain; " LIST_ALL,
			 e->place, e->metric, name, name);
		return;
	}
	if (rest == NULL && strncmp(e->metric, EXPECT_WORKLOADS, strlen(EXPECT_WORKLOADS)) == 0) {
		list_workloads(scenario, near, sizeof(near));
		snprintf(why, why_bytes, "%s: '%s' names no workload: %s", e->place, e->metric,
			 near);
		return;
	}
	if (rest != NULL)
		snprintf(prefix, sizeof(prefix), "%.*s", (int)(rest - e->metric), e->metric);
	list_nearest(rest != NULL ? rest : e->metric, prefix, near, sizeof(near));
	if (near[0] != '\0')
		snprintf(why, why_bytes, "%s: no metric is called '%s'; did you mean %s? " LIST_ALL,
			 e->place, e->metric, near);
	else
		snprintf(why, why_bytes,
			 "%s: no metric is called '%s'; there are %s%s, %sjain and "
			 "others: " LIST_ALL,
			 e->place, e->metric, prefix,
			 rest != NULL ? "fct_us.p99" : "drops, flows.fct_us.p99", prefix);
}
