/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference page of every key, from the table of fields. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config_internal.h"

static void
print_number(FILE *out, const struct config_field *f)
{
	static const char *const words[] = {
		[CONFIG_UNIT_COUNT] = "number",  [CONFIG_UNIT_TIME] = "time",
		[CONFIG_UNIT_RATE] = "rate",     [CONFIG_UNIT_SIZE] = "size",
		[CONFIG_UNIT_LENGTH] = "length", [CONFIG_UNIT_PERCENT] = "percentage",
		[CONFIG_UNIT_SHARE] = "share",
	};
	char low[32], high[32];

	fputs(words[f->unit], out);
	config_unit_format(f->unit, (uint64_t)f->min, low, sizeof(low));
	config_unit_format(f->unit, f->max, high, sizeof(high));
	if (f->flags & CONFIG_OR_ZERO)
		fputs(", 0, or", out);
	if (f->flags & CONFIG_POSITIVE && f->min == 0)
		fputs(", more than 0", out);
	if (f->flags & CONFIG_POSITIVE && f->min == 0 && f->max != 0)
		fprintf(out, ", at most %s", high);
	else if (f->max != 0)
		fprintf(out, ", %s to %s", low, high);
	else if (f->min != 0)
		fprintf(out, "%s %s or more", f->flags & CONFIG_OR_ZERO ? "" : ",", low);
}

static void
print_type(FILE *out, const struct config_field *f)
{
	switch (f->kind) {
	case CONFIG_NUMBER:
		print_number(out, f);
		break;
	case CONFIG_SIGNED:
		fprintf(out, "number, %" PRId64 " to %" PRIu64, f->min, f->max);
		break;
	case CONFIG_FLAG:
		fputs("yes or no", out);
		break;
	case CONFIG_CHOICE:
		for (int i = 0; f->choices[i] != NULL; i++)
			fprintf(out, "%s`%s`", i == 0 ? "" : ", ", f->choices[i]);
		break;
	case CONFIG_TEXT:
		fputs("word", out);
		break;
	case CONFIG_TEXTS:
		fputs("word or list", out);
		break;
	case CONFIG_PRIORITIES:
		fputs("list of 0 to 7", out);
		break;
	case CONFIG_RANGE:
		fprintf(out, "`all`, numbers 0 to %" PRIu64, f->max - 1);
		break;
	case CONFIG_TABLE:
		fprintf(out, "map of 0 to %" PRIu64 " to 0 to %" PRIi64, f->max - 1, f->min - 1);
		break;
	case CONFIG_POINTS:
		fputs("list of pairs", out);
		break;
	case CONFIG_OBJECT:
	case CONFIG_OPTIONAL:
		fprintf(out, "[%s](#%s)", f->object->name, f->object->name);
		break;
	case CONFIG_NAMED:
		fprintf(out, "map of names to [%s](#%s)", f->object->name, f->object->name);
		break;
	case CONFIG_OBJECTS:
		fprintf(out, "list of [%s](#%s)", f->object->name, f->object->name);
		for (int i = 0; f->choices != NULL && f->choices[i] != NULL; i++)
			fprintf(out, ", or `%s`", f->choices[i]);
		break;
	}
}

static void
print_default(FILE *out, const struct config_field *f)
{
	if (f->flags & CONFIG_REQUIRED)
		fputs("*required*", out);
	else if (f->fallback != NULL)
		fprintf(out, "`%s`", f->fallback);
}

static void
print_help(FILE *out, const char *help)
{
	for (const char *p = help; *p != '\0'; p++) {
		if (*p == '|')
			fputc('\\', out);
		fputc(*p, out);
	}
}

#define SECTIONS 64

struct sections {
	const struct config_object *items[SECTIONS];
	uint32_t count;
};

static void
print_object(FILE *out, const struct config_object *o)
{
	fprintf(out, "\n## %s\n\n%s\n", o->name, o->help);
	if (o->is_value)
		return;
	fputs("\n| key | value | default | meaning |\n|---|---|---|---|\n", out);
	for (const struct config_field *f = o->fields; f->key != NULL; f++) {
		fprintf(out, "| `%s` | ", f->key);
		print_type(out, f);
		fputs(" | ", out);
		print_default(out, f);
		fputs(" | ", out);
		print_help(out, f->help);
		fputs(" |\n", out);
	}
}

/* Each object once, in the order in which it is first needed. */
static void
collect(struct sections *s, const struct config_object *o)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->items[i] == o)
			return;
	if (s->count == SECTIONS)
		return;
	s->items[s->count++] = o;
	for (const struct config_field *f = o->fields; f->key != NULL; f++)
		if (f->object != NULL)
			collect(s, f->object);
}

void
config_print_reference(FILE *out)
{
	static const enum config_unit units[] = {
		CONFIG_UNIT_TIME,   CONFIG_UNIT_RATE,    CONFIG_UNIT_SIZE,
		CONFIG_UNIT_LENGTH, CONFIG_UNIT_PERCENT, CONFIG_UNIT_SHARE,
	};
	struct sections s = {.count = 0};

	fputs("# Configuration reference\n\n"
	      "Written by `railyard reference` from the table that decodes the configuration; do "
	      "not "
	      "edit.\n\n"
	      "A file is YAML. Unknown and repeated keys are errors. Every value below can be set "
	      "on "
	      "the command line too: `--set switches.tor.wred.lossless.min=100KB`, "
	      "`--set workload[0].incast.size=2MB`. `railyard run FILE --dump-config` prints every "
	      "effective value.\n\n"
	      "`--set` makes what is missing: keys, and the entry after the last one of a list "
	      "(`switches.tor.port_settings[0].ports=3`). A key below a word that stands for a map "
	      "leaves the word in place: `hosts.h.congestion_control.g=1/64` after "
	      "`congestion_control: paper`. The value `null` takes a key out, also one of a "
	      "profile: `--set links[0].delay=null --set links[0].length=5m`. Everything after "
	      "`expect.` is the metric: `--set expect.flows.fct_us.p99=\"< 2ms\"`.\n\n"
	      "Quantities have units and are exact:\n\n",
	      out);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char most[32];

		config_unit_format(units[i], config_unit_max(units[i]), most, sizeof(most));
		fprintf(out, "- %s", config_unit_example(units[i]));
		if (units[i] != CONFIG_UNIT_PERCENT && units[i] != CONFIG_UNIT_SHARE)
			fprintf(out, "; at most %s", most);
		fputc('\n', out);
	}
	collect(&s, &config_run_object);
	for (uint32_t i = 0; i < s.count; i++)
		print_object(out, s.items[i]);
}
