/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations on the page, and as lines for those who asked for no page. */
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "results.h"
#include "summary_page.h"

#define RULE_COLUMNS 34
#define MAX_DIGITS 17

/* -1, 0, 1: below, equal, above. */
static int
side(double value, double bound)
{
	return (value > bound) - (value < bound);
}

/*
 * A value times scale, with the digits it takes to see on which side of the bound it is:
 * 99.99999, not 100, where less than 100 was asked for.
 */
static void
format_measured(char *out, size_t bytes, double value, double scale, double bound)
{
	double shown = value * scale;

	if (shown >= 0 && shown < 1e15 && shown == (double)(uint64_t)shown &&
	    side(shown / scale, bound) == side(value, bound)) {
		snprintf(out, bytes, "%s", human_count((uint64_t)shown).text);
		return;
	}
	for (int digits = 7; digits <= MAX_DIGITS; digits++) {
		/* Plain digits where %g would write an exponent. */
		if (shown >= 1e6)
			snprintf(out, bytes, "%.*f", digits - 7, shown);
		else
			snprintf(out, bytes, "%.*g", digits, shown);
		if (side(strtod(out, NULL) / scale, bound) == side(value, bound))
			return;
	}
}

void
summary_format_measured(const json_t *row, char *out, size_t bytes)
{
	const json_t *measured = json_object_get(row, "measured");
	double value = json_number_value(measured);
	double bound = page_number(row, "bound");

	if (!json_is_number(measured)) {
		snprintf(out, bytes, "nothing");
	} else if (strchr(page_text(row, "expected"), '%') != NULL) {
		format_measured(out, bytes - 1, value, 100, bound);
		strcat(out, "%");
	} else {
		format_measured(out, bytes, value, 1, bound);
	}
}

static void
print_rule(const struct page *p, const json_t *row)
{
	bool is_met = json_is_true(json_object_get(row, "met"));
	const char *verdict = is_met ? "met   " : "FAILED";
	const char *colour = is_met ? page_good(p) : page_bad(p);
	char measured[64];
	char rule[256];

	summary_format_measured(row, measured, sizeof(measured));
	snprintf(rule, sizeof(rule), "%s %s", page_text(row, "metric"), page_text(row, "expected"));
	if (strlen(rule) <= RULE_COLUMNS) {
		page_say(p, "", "%s%s%s  %-*s  measured %s", colour, verdict, page_plain(p),
			 RULE_COLUMNS, rule, measured);
		return;
	}
	page_say(p, "", "%s%s%s  %s", colour, verdict, page_plain(p), rule);
	page_say(p, "", "        %-*s  measured %s", RULE_COLUMNS, "", measured);
}

void
summary_print_expectations(const struct page *p, const json_t *summary)
{
	const json_t *list = json_object_get(summary, "expectations");
	size_t met = 0;
	size_t i;
	json_t *row;

	if (json_array_size(list) == 0)
		return;
	json_array_foreach(list, i, row)
	{
		met += json_is_true(json_object_get(row, "met"));
	}
	page_say(p, "Expected", "%s%zu of %zu met%s",
		 met == json_array_size(list) ? page_good(p) : page_bad(p), met,
		 json_array_size(list), page_plain(p));
	json_array_foreach(list, i, row)
	{
		print_rule(p, row);
	}
}

void
summary_print_failures(json_t *summary, FILE *out)
{
	const json_t *list = json_object_get(summary, "expectations");
	char measured[64];
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		if (json_is_true(json_object_get(row, "met")))
			continue;
		summary_format_measured(row, measured, sizeof(measured));
		fprintf(out, "railyard: %s: expected %s %s, measured %s\n", page_text(row, "place"),
			page_text(row, "metric"), page_text(row, "expected"), measured);
	}
}
