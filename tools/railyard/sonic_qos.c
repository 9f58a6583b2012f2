/* SPDX-License-Identifier: BSD-3-Clause */
/* WRED_PROFILE and SCHEDULER. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonic.h"

static bool
is_true(const struct config_node *row, const char *field)
{
	const char *text = sonic_field(row, field);

	return text != NULL && strcmp(text, "true") == 0;
}

/* Does the profile mark packets of the colour green? Nothing meters, so all packets are. */
static int
marks_green(struct sonic *s, const struct config_node *row, bool *marks)
{
	static const struct {
		const char *word;
		bool green;
	} words[] = {
		{"ecn_none", false},       {"ecn_green", true},        {"ecn_yellow", false},
		{"ecn_red", false},        {"ecn_green_yellow", true}, {"ecn_green_red", true},
		{"ecn_yellow_red", false}, {"ecn_all", true},
	};
	const char *ecn = sonic_field(row, "ecn");

	*marks = false;
	if (ecn == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].word, ecn) != 0)
			continue;
		*marks = words[i].green;
		return 0;
	}
	return config_fail(&s->c->error, &row->mark,
			   "ecn: \"%.40s\", but it takes ecn_all, ecn_none, or ecn_ and colours",
			   ecn);
}

static int
write_wred(struct sonic *s, struct config_node *out, const struct config_entry *e)
{
	static const char *const fields[] = {"ecn",
					     "wred_green_enable",
					     "wred_yellow_enable",
					     "wred_red_enable",
					     "green_min_threshold",
					     "green_max_threshold",
					     "green_drop_probability",
					     "yellow_min_threshold",
					     "yellow_max_threshold",
					     "yellow_drop_probability",
					     "red_min_threshold",
					     "red_max_threshold",
					     "red_drop_probability",
					     NULL};
	const struct config_node *row = e->value;
	bool enabled = is_true(row, "wred_green_enable"), marks = false;
	uint64_t min_bytes = 0, max_bytes = 0, percent = 0;
	struct config_node *wred;
	int rc = sonic_known_fields(s, row, fields);

	if (rc == 0)
		rc = marks_green(s, row, &marks);
	if (rc == 0)
		rc = sonic_number(s, row, "green_min_threshold", 1ULL << 40, 0, &min_bytes);
	if (rc == 0)
		rc = sonic_number(s, row, "green_max_threshold", 1ULL << 40, 0, &max_bytes);
	if (rc == 0)
		rc = sonic_number(s, row, "green_drop_probability", 100, 100, &percent);
	if (rc == 0 && max_bytes < min_bytes)
		rc = config_fail(&s->c->error, &row->mark,
				 "green_max_threshold: %" PRIu64
				 " is below green_min_threshold, %" PRIu64,
				 max_bytes, min_bytes);
	if (rc == 0 && enabled && max_bytes == 0)
		rc = config_fail(&s->c->error, &row->mark,
				 "wred_green_enable: without green_max_threshold");
	if (rc != 0)
		return rc;
	wred = sonic_put_map(s, out, sonic_name(s, e->key), CONFIG_MAP, &row->mark);
	sonic_put(s, wred, "min", &row->mark, "%" PRIu64, min_bytes);
	sonic_put(s, wred, "max", &row->mark, "%" PRIu64, max_bytes == 0 ? 1 : max_bytes);
	sonic_put(s, wred, "probability", &row->mark, "%" PRIu64 "%%", percent);
	sonic_put(s, wred, "ecn", &row->mark, "%s", enabled && marks ? "all" : "none");
	sonic_put(s, wred, "mark_at", &row->mark, "%s",
		  s->asic.mark_at == 1 ? "enqueue" : "dequeue");
	if (!enabled)
		sonic_put(s, wred, "drop", &row->mark, "none");
	if (enabled && !marks && sonic_field(row, "ecn") != NULL &&
	    strcmp(sonic_field(row, "ecn"), "ecn_none") != 0)
		config_warn(s->c, &row->mark,
			    "ecn: marks nothing: all packets are green, since nothing meters them");
	if (!enabled && marks)
		config_warn(s->c, &row->mark,
			    "ecn: marks nothing, since wred_green_enable is not true");
	return 0;
}

/* Peak rate and burst: bytes a second there, bits here. */
int
sonic_write_shaper(struct sonic *s, const struct config_node *row, const char *rate_key,
		   const char *burst_key, struct config_node *out)
{
	uint64_t pir, pbs;
	int rc = sonic_number(s, row, "pir", 10000000000000ULL / 8, 0, &pir);

	if (rc == 0)
		rc = sonic_number(s, row, "pbs", 2 << 20, 0, &pbs);
	if (rc != 0 || pir == 0)
		return rc;
	sonic_put(s, out, rate_key, &row->mark, "%" PRIu64 "bps", pir * 8);
	if (pbs != 0)
		sonic_put(s, out, burst_key, &row->mark, "%" PRIu64, pbs);
	return 0;
}

static int
check_scheduler(struct sonic *s, const struct config_node *row)
{
	static const char *const fields[] = {"type", "weight", "meter_type", "cir",
					     "pir",  "cbs",    "pbs",        NULL};
	const char *meter = sonic_field(row, "meter_type");
	uint64_t cir;
	int rc = sonic_known_fields(s, row, fields);

	if (rc == 0 && meter != NULL && strcmp(meter, "bytes") != 0)
		rc = config_fail(&s->c->error, &row->mark,
				 "meter_type: Railyard's shapers count bytes, not %.20s", meter);
	if (rc == 0)
		rc = sonic_number(s, row, "cir", UINT64_MAX - 1, 0, &cir);
	if (rc == 0 && cir != 0)
		rc = config_fail(
			&s->c->error, &row->mark,
			"cir: Railyard has weights and peak rates (pir), no guaranteed rate");
	return rc;
}

static int
write_scheduler(struct sonic *s, struct config_node *out, const struct config_entry *e)
{
	const struct config_node *row = e->value;
	const char *type = sonic_field(row, "type");
	struct config_node *scheduler;
	uint64_t weight;
	int rc = check_scheduler(s, row);

	if (rc == 0)
		rc = sonic_number(s, row, "weight", 100, 1, &weight);
	if (rc != 0)
		return rc;
	scheduler = sonic_put_map(s, out, sonic_name(s, e->key), CONFIG_MAP, &row->mark);
	if (type == NULL || strcmp(type, "WRR") == 0)
		sonic_put(s, scheduler, "type", &row->mark, "wrr");
	else if (strcmp(type, "DWRR") == 0)
		sonic_put(s, scheduler, "type", &row->mark, "dwrr");
	else if (strcmp(type, "STRICT") == 0)
		sonic_put(s, scheduler, "type", &row->mark, "strict");
	else
		return config_fail(&s->c->error, &row->mark,
				   "type: \"%.40s\", but it takes DWRR, WRR or STRICT", type);
	if (weight == 0 && (type == NULL || strcmp(type, "STRICT") != 0))
		config_warn(s->c, &row->mark, "weight: 0 is taken as 1; SONiC takes 1 to 100");
	if (type == NULL || strcmp(type, "STRICT") != 0)
		sonic_put(s, scheduler, "weight", &row->mark, "%" PRIu64, weight == 0 ? 1 : weight);
	return sonic_write_shaper(s, row, "pir", "pbs", scheduler);
}

int
sonic_write_qos(struct sonic *s)
{
	int rc = sonic_write_table(s, "WRED_PROFILE", "wred", write_wred);

	return rc != 0 ? rc : sonic_write_table(s, "SCHEDULER", "schedulers", write_scheduler);
}
