/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of the tiers and workloads that a summary has, for those who have no scenario. */
#include <string.h>

#include "expect_internal.h"

static const struct {
	const char *list; /* of the summary */
	const char *key;  /* of a row's name */
	bool (*metric_at)(size_t n, struct expect_metric *metric);
} parts[] = {
	{"tiers", "tier", expect_tier_metric_at},
	{"workloads", "name", expect_workload_metric_at},
};

#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

const json_t *
expect_row_of(const struct expect_metric *metric, const json_t *summary)
{
	for (size_t i = 0; i < PART_COUNT; i++) {
		const json_t *row;
		size_t n;

		if (strcmp(metric->list, parts[i].list) != 0)
			continue;
		json_array_foreach(json_object_get(summary, metric->list), n, row)
		{
			const char *name = json_string_value(json_object_get(row, parts[i].key));

			if (name != NULL && strcmp(name, metric->row) == 0)
				return row;
		}
	}
	return NULL;
}

/* From the name within the row to that within all. */
static bool
name_whole(struct expect_metric *metric, const char *list, const char *row)
{
	char rest[EXPECT_NAME_BYTES];

	memcpy(rest, metric->name, sizeof(rest));
	if (snprintf(metric->row, sizeof(metric->row), "%s", row) >= (int)sizeof(metric->row))
		return false;
	metric->list = list;
	return snprintf(metric->name, sizeof(metric->name), "%s.%s.%s", list, row, rest) <
	       (int)sizeof(metric->name);
}

bool
expect_part_metric_at(const json_t *summary, size_t n, struct expect_metric *metric)
{
	for (size_t i = 0; i < PART_COUNT; i++) {
		const json_t *list = json_object_get(summary, parts[i].list);
		size_t each = 0, rows = json_array_size(list);
		const char *name;

		while (parts[i].metric_at(each, metric))
			each++;
		if (n >= each * rows) {
			n -= each * rows;
			continue;
		}
		name = json_string_value(
			json_object_get(json_array_get(list, n / each), parts[i].key));
		return parts[i].metric_at(n % each, metric) &&
		       name_whole(metric, parts[i].list, name == NULL ? "" : name);
	}
	return false;
}
