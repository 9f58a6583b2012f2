/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings for people, for programs, and as annotations of a hosted CI. */
#include <string.h>

#include "lint.h"

void
lint_format_place(const struct lint_finding *f, char *text, size_t bytes)
{
	size_t used = (size_t)snprintf(text, bytes, "%s", f->place.node);
	bool first = true;

	for (uint32_t from = 0; f->ports.given && from < SWITCH_MAX_PORTS; from++) {
		uint32_t to = from;

		if (!(f->ports.bits[from / 64] >> from % 64 & 1))
			continue;
		while (to + 1 < SWITCH_MAX_PORTS &&
		       f->ports.bits[(to + 1) / 64] >> (to + 1) % 64 & 1)
			to++;
		if (used < bytes)
			used += (size_t)snprintf(text + used, bytes - used,
						 from == to ? "%s%u" : "%s%u-%u", first ? ":" : ",",
						 from, to);
		first = false;
		from = to;
	}
	if (f->place.item != NULL && used < bytes)
		snprintf(text + used, bytes - used, f->place.index < 0 ? " %s" : " %s %d",
			 f->place.item, f->place.index);
}

static void
print_line(FILE *out, const char *text)
{
	if (text[0] != '\0')
		fprintf(out, "         %s\n", text);
}

void
lint_print(const struct lint *lint, FILE *out)
{
	for (size_t i = 0; i < lint->count; i++) {
		const struct lint_finding *f = &lint->findings[i];
		char place[256];

		lint_format_place(f, place, sizeof(place));
		fprintf(out, "%-8s %s%s%s\n", lint_level_name(lint_rule_level(f->rule)), place,
			place[0] == '\0' ? "" : ": ", f->found);
		print_line(out, lint_rule_why(f->rule));
		print_line(out, f->right);
		fprintf(out, "         [%s]\n", lint_rule_name(f->rule));
	}
	if (lint->count > 0)
		fputc('\n', out);
	fprintf(out, "%s: %zu error%s, %zu warning%s, %zu remark%s\n", lint->scenario->file,
		lint_count(lint, LINT_ERROR), lint_count(lint, LINT_ERROR) == 1 ? "" : "s",
		lint_count(lint, LINT_WARNING), lint_count(lint, LINT_WARNING) == 1 ? "" : "s",
		lint_count(lint, LINT_INFO), lint_count(lint, LINT_INFO) == 1 ? "" : "s");
}

/* A property's value or a message: % and line ends mean something in a workflow command. */
static void
print_escaped(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '%')
			fputs("%25", out);
		else if (*text == '\n')
			fputs("%0A", out);
		else
			fputc(*text, out);
	}
}

void
lint_print_github(const struct lint *lint, FILE *out)
{
	static const char *const commands[] = {"notice", "warning", "error"};

	for (size_t i = 0; i < lint->count; i++) {
		const struct lint_finding *f = &lint->findings[i];
		char place[256];

		lint_format_place(f, place, sizeof(place));
		fprintf(out, "::%s file=", commands[lint_rule_level(f->rule)]);
		print_escaped(out, lint->scenario->file);
		fprintf(out, ",title=%s::", lint_rule_name(f->rule));
		print_escaped(out, place);
		fputs(place[0] == '\0' ? "" : ": ", out);
		print_escaped(out, f->found);
		fputs(". ", out);
		print_escaped(out, lint_rule_why(f->rule));
		fputs(". ", out);
		print_escaped(out, f->right);
		fputc('\n', out);
	}
}

json_t *
lint_json(const struct lint *lint)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lint->count; i++) {
		const struct lint_finding *f = &lint->findings[i];
		json_t *ports = json_array();
		char place[256];

		lint_format_place(f, place, sizeof(place));
		for (uint32_t port = 0; port < SWITCH_MAX_PORTS; port++) {
			if (f->ports.bits[port / 64] >> port % 64 & 1)
				json_array_append_new(ports, json_integer(port));
		}
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s}",
						      "rule", lint_rule_name(f->rule), "level",
						      lint_level_name(lint_rule_level(f->rule)),
						      "node", f->place.node, "place", place,
						      "ports", ports, "found", f->found, "why",
						      lint_rule_why(f->rule), "right", f->right));
	}
	return json_pack("{s:s, s:I, s:I, s:I, s:o}", "file", lint->scenario->file, "errors",
			 (json_int_t)lint_count(lint, LINT_ERROR), "warnings",
			 (json_int_t)lint_count(lint, LINT_WARNING), "remarks",
			 (json_int_t)lint_count(lint, LINT_INFO), "findings", list);
}
