/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations for CI systems: annotations of a GitHub workflow, and a JUnit report. */
#include "annotate.h"
#include "junit.h"
#include "results.h"
#include "summary_page.h"

#define CI_TEXT_BYTES 512

static void
format_rule(const json_t *row, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s %s", page_text(row, "metric"), page_text(row, "expected"));
}

static void
format_outcome(const json_t *row, char *text, size_t bytes)
{
	char measured[64];

	summary_format_measured(row, measured, sizeof(measured));
	snprintf(text, bytes, "expected %s %s, measured %s", page_text(row, "metric"),
		 page_text(row, "expected"), measured);
}

void
summary_annotate(json_t *summary, FILE *out)
{
	const json_t *list = json_object_get(summary, "expectations");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		char message[CI_TEXT_BYTES];

		if (json_is_true(json_object_get(row, "met")))
			continue;
		format_outcome(row, message, sizeof(message));
		annotate(out, ANNOTATE_ERROR, page_text(row, "place"), "expectation failed",
			 message);
	}
}

void
summary_junit(json_t *summary, struct junit *junit)
{
	const json_t *list = json_object_get(summary, "expectations");
	const char *scenario = page_text(summary, "scenario");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		bool met = json_is_true(json_object_get(row, "met"));
		char name[CI_TEXT_BYTES], message[CI_TEXT_BYTES];

		format_rule(row, name, sizeof(name));
		format_outcome(row, message, sizeof(message));
		junit_add(junit, met ? JUNIT_PASSED : JUNIT_FAILED, scenario, name, message,
			  met ? NULL : page_text(row, "place"));
	}
}
