/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of a tier: of the switches that share a name. */
#include <string.h>

#include "drop.h"
#include "expect_internal.h"

static const struct {
	const char *name;
	const char *path; /* in a row of summary.tiers */
	enum expect_unit unit;
} metrics[] = {
	{"drops", "dropped", EXPECT_COUNT},
	{"ecn_marked", "marked", EXPECT_COUNT},
	{"pfc.xoff_sent", "xoff_sent", EXPECT_COUNT},
	{"pfc.xon_sent", "xon_sent", EXPECT_COUNT},
	{"pfc.last_xoff_us", "last_xoff_us", EXPECT_US},
	{"queues.max_bytes", "queue_max_bytes", EXPECT_BYTES},
	{"pools.ingress_max_bytes", "pools.ingress_max_bytes", EXPECT_BYTES},
	{"pools.egress_max_bytes", "pools.egress_max_bytes", EXPECT_BYTES},
	{"pools.headroom_max_bytes", "pools.headroom_max_bytes", EXPECT_BYTES},
	{"watchdog.detected", "watchdog.detected", EXPECT_COUNT},
	{"watchdog.restored", "watchdog.restored", EXPECT_COUNT},
	{"watchdog.dropped", "watchdog.dropped", EXPECT_COUNT},
	{"watchdog.first_detected_us", "watchdog.first_detected_us", EXPECT_US},
	{"watchdog.last_restored_us", "watchdog.last_restored_us", EXPECT_US},
	/* N: a class, 0 to 7 */
	{"queues.N.tx_packets", "", EXPECT_COUNT},
	{"queues.N.tx_bytes", "", EXPECT_BYTES},
	{"queues.N.marked", "", EXPECT_COUNT},
	{"queues.N.dropped", "", EXPECT_COUNT},
	{"queues.N.max_bytes", "", EXPECT_BYTES},
	{"queues.N.emptied_us", "", EXPECT_US},
	{"pgs.N.packets", "", EXPECT_COUNT},
	{"pgs.N.bytes", "", EXPECT_BYTES},
	{"pgs.N.dropped", "", EXPECT_COUNT},
	{"pgs.N.xoffs", "", EXPECT_COUNT},
	{"pgs.N.max_bytes", "", EXPECT_BYTES},
	{"pgs.N.headroom_max_bytes", "", EXPECT_BYTES},
};

static void
name_metric(struct expect_metric *metric, const char *name, const char *path, enum expect_unit unit)
{
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->path, sizeof(metric->path), "%s", path[0] == '\0' ? name : path);
	metric->unit = unit;
	metric->list = "";
}

bool
expect_tier_metric_at(size_t n, struct expect_metric *metric)
{
	char name[EXPECT_NAME_BYTES], path[EXPECT_NAME_BYTES];
	const char *reason;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		size_t classes = strstr(metrics[i].name, ".N.") == NULL ? 1 : 8;

		if (n >= classes) {
			n -= classes;
			continue;
		}
		snprintf(name, sizeof(name), "%s", metrics[i].name);
		if (classes > 1)
			strstr(name, ".N.")[1] = (char)('0' + n);
		name_metric(metric, name, metrics[i].path, metrics[i].unit);
		return true;
	}
	if (n >= DROP_REASON_COUNT)
		return false;
	reason = drop_reason_name((enum drop_reason)n);
	snprintf(name, sizeof(name), "drops.%s", reason);
	snprintf(path, sizeof(path), "drops_by_reason.%s", reason);
	name_metric(metric, name, path, EXPECT_COUNT);
	return true;
}

static bool
resolve(const char *name, char path[EXPECT_NAME_BYTES], enum expect_unit *unit)
{
	struct expect_metric metric;

	for (size_t n = 0; expect_tier_metric_at(n, &metric); n++) {
		if (strcmp(name, metric.name) != 0)
			continue;
		memcpy(path, metric.path, sizeof(metric.path));
		*unit = metric.unit;
		return true;
	}
	return false;
}

const char *
expect_tier_of(const struct scenario *scenario, const char *metric, char path[EXPECT_NAME_BYTES],
	       enum expect_unit *unit)
{
	const char *found = NULL;

	if (strncmp(metric, EXPECT_TIERS, strlen(EXPECT_TIERS)) != 0)
		return NULL;
	metric += strlen(EXPECT_TIERS);
	for (uint32_t i = 0; i < scenario->switch_count && found == NULL; i++) {
		const char *tier = scenario->switches[i].tier;
		size_t length = strlen(tier);

		if (strncmp(metric, tier, length) == 0 && metric[length] == '.' &&
		    resolve(metric + length + 1, path, unit))
			found = tier;
	}
	return found;
}

const json_t *
expect_tier_row(const json_t *summary, const char *tier)
{
	const json_t *list = json_object_get(summary, "tiers"), *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "tier"));

		if (name != NULL && strcmp(name, tier) == 0)
			return row;
	}
	return NULL;
}

void
expect_print_tier_metrics(FILE *out)
{
	fprintf(out, "%-24s %s\n", "tiers.*.drops.REASON",
		"of the switches of one name, as are the following; N is a class, 0 to 7");
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		fprintf(out, "tiers.*.%s\n", metrics[i].name);
}
