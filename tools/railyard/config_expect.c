/* SPDX-License-Identifier: BSD-3-Clause */
/* "< 2000", "<= 1%", 0, "2ms .. 5ms": what a metric of the results must be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

static const struct {
	const char *text;
	enum scenario_operator op;
} operators[] = {
	{"<=", SCENARIO_LE}, {">=", SCENARIO_GE}, {"==", SCENARIO_EQ}, {"!=", SCENARIO_NE},
	{"<", SCENARIO_LT},  {">", SCENARIO_GT},  {"=", SCENARIO_EQ},
};

/* A metric's unit is the end of one of its words: flows.fct_us.p99, goodput_bps. */
static const struct {
	const char *suffix;
	enum config_unit unit;
	double scale; /* of one of it in the unit's base */
} metric_units[] = {
	{"_us", CONFIG_UNIT_TIME, 1e6},  {"_ns", CONFIG_UNIT_TIME, 1e3},
	{"_ms", CONFIG_UNIT_TIME, 1e9},  {"_s", CONFIG_UNIT_TIME, 1e12},
	{"_ps", CONFIG_UNIT_TIME, 1},    {"_bps", CONFIG_UNIT_RATE, 1},
	{"_bytes", CONFIG_UNIT_SIZE, 1},
};

#define METRIC_UNITS (sizeof(metric_units) / sizeof(metric_units[0]))

static int
find_unit(const char *metric)
{
	const char *start = metric;

	/* workloads.NAME.X: the name is the user's and says nothing about units. */
	if (strncmp(metric, "workloads.", 10) == 0)
		start = strchr(metric + 10, '.') != NULL ? strchr(metric + 10, '.') : metric;
	for (const char *word = start; *word != '\0';) {
		size_t n = strcspn(word, ".");

		for (size_t i = 0; i < METRIC_UNITS; i++) {
			size_t length = strlen(metric_units[i].suffix);

			if (n > length &&
			    strncmp(word + n - length, metric_units[i].suffix, length) == 0)
				return (int)i;
		}
		word += n + (word[n] == '.');
	}
	return -1;
}

static int
fail_value(struct config *c, const struct config_mark *mark, const char *metric, const char *text)
{
	return config_fail(
		&c->error, mark,
		"%s: \"%.40s\" is no expectation; write a number, or <, <=, >, >=, == or "
		"!= and a number, such as \"< 1%%\", or two as in \"10 .. 20\"",
		metric, text);
}

/* A number, a percentage, or a quantity in a unit the metric's can be converted from. */
static int
parse_value(struct config *c, const struct config_mark *mark, const char *metric, const char *text,
	    double *value)
{
	int unit = find_unit(metric);
	char why[160], *end;
	uint64_t n;

	if ((*text < '0' || *text > '9') && *text != '-' && *text != '.')
		return fail_value(c, mark, metric, text);
	*value = strtod(text, &end);
	while (*end == ' ')
		end++;
	if (*end == '\0' && end > text)
		return 0;
	if (strcmp(end, "%") == 0) {
		*value /= 100;
		return 0;
	}
	if (unit < 0)
		return fail_value(c, mark, metric, text);
	if (config_unit_parse(metric_units[unit].unit, text, &n, why, sizeof(why)) != 0)
		return config_fail(&c->error, mark, "%s: %s", metric, why);
	*value = (double)n / metric_units[unit].scale;
	return 0;
}

/* "LOW .. HIGH" */
static int
parse_range(struct config *c, const struct config_mark *mark, struct scenario_expectation *e,
	    const char *dots)
{
	char low[SCENARIO_TEXT_BYTES];
	size_t length = (size_t)(dots - e->text);
	int rc;

	while (length > 0 && e->text[length - 1] == ' ')
		length--;
	memcpy(low, e->text, length);
	low[length] = '\0';
	rc = parse_value(c, mark, e->metric, low, &e->value);
	if (rc == 0)
		rc = parse_value(c, mark, e->metric, dots + 2 + strspn(dots + 2, " "), &e->high);
	if (rc == 0 && e->high < e->value)
		return config_fail(&c->error, mark,
				   "%s: \"%.40s\": the first is larger than the "
				   "second; write the smaller one first",
				   e->metric, e->text);
	e->op = SCENARIO_IN;
	return rc;
}

static int
resolve_expectation(struct config *c, const struct raw_expect *r, struct scenario_expectation *e)
{
	struct config_mark mark = r->item.node != NULL ? r->item.node->mark : r->item.mark;
	const char *text = r->text;

	snprintf(e->metric, sizeof(e->metric), "%s", r->item.name);
	snprintf(e->text, sizeof(e->text), "%s", r->text);
	config_mark_print(&mark, e->place, sizeof(e->place));
	if (strstr(e->text, "..") != NULL)
		return parse_range(c, &mark, e, strstr(e->text, ".."));
	e->op = SCENARIO_EQ;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i].text);

		if (strncmp(text, operators[i].text, n) == 0) {
			e->op = operators[i].op;
			text += n;
			break;
		}
	}
	while (*text == ' ')
		text++;
	return parse_value(c, &mark, e->metric, text, &e->value);
}

int
config_resolve_expectations(struct config *c)
{
	const struct raw_array *list = &c->raw.expect;

	c->scenario->expectations = CONFIG_NEW(c, struct scenario_expectation, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		int rc = resolve_expectation(c, RAW_AT(*list, struct raw_expect, i),
					     &c->scenario->expectations[i]);

		if (rc != 0)
			return rc;
		c->scenario->expectation_count++;
	}
	return 0;
}
