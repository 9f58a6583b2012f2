/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings for people, for programs, and as annotations of a hosted CI. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "lint.h"

#define LINT_JUNIT_BYTES 65536

/* "leaf[0-3,6]"; returns what it would take, as snprintf() does. */
static size_t
format_nodes(const struct lint_finding *f, char *text, size_t bytes)
{
	size_t used;

	if (f->nodes == NULL)
		return (size_t)snprintf(text, bytes, "%s", f->place.node);
	used = (size_t)snprintf(text, bytes, "%s[", f->group);
	for (uint32_t i = 0, last; i < f->node_count && used < bytes; i = last + 1) {
		for (last = i;
		     last + 1 < f->node_count && f->members[last + 1] == f->members[last] + 1;
		     last++)
			;
		used += (size_t)snprintf(text + used, bytes - used, i == last ? "%s%u" : "%s%u-%u",
					 i == 0 ? "" : ",", f->members[i], f->members[last]);
	}
	if (used < bytes)
		used += (size_t)snprintf(text + used, bytes - used, "]");
	return used;
}

void
lint_format_place(const struct lint_finding *f, char *text, size_t bytes)
{
	size_t used = format_nodes(f, text, bytes);
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
		used += (size_t)snprintf(text + used, bytes - used,
					 f->place.index < 0 ? " %s" : " %s %d", f->place.item,
					 f->place.index);
	for (uint32_t index = 0; index < 64 && used < bytes; index++) {
		if (f->also >> index & 1)
			used += (size_t)snprintf(text + used, bytes - used, ", %u", index);
	}
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

void
lint_print_github(const struct lint *lint, FILE *out)
{
	static const enum annotate_level levels[] = {
		[LINT_INFO] = ANNOTATE_NOTICE,
		[LINT_WARNING] = ANNOTATE_WARNING,
		[LINT_ERROR] = ANNOTATE_ERROR,
	};

	for (size_t i = 0; i < lint->count; i++) {
		const struct lint_finding *f = &lint->findings[i];
		char place[256], message[2048];

		lint_format_place(f, place, sizeof(place));
		snprintf(message, sizeof(message), "%s%s%s. %s. %s", place,
			 place[0] == '\0' ? "" : ": ", f->found, lint_rule_why(f->rule), f->right);
		annotate(out, levels[lint_rule_level(f->rule)], lint->scenario->file,
			 lint_rule_name(f->rule), message);
	}
}

/* All that a rule found, a line each; false: nothing. */
static bool
collect(const struct lint *lint, enum lint_rule rule, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < lint->count && used < bytes; i++) {
		const struct lint_finding *f = &lint->findings[i];
		char place[256];

		if (f->rule != rule)
			continue;
		lint_format_place(f, place, sizeof(place));
		used += (size_t)snprintf(text + used, bytes - used, "%s%s%s; %s\n", place,
					 place[0] == '\0' ? "" : ": ", f->found, f->right);
	}
	return used > 0;
}

void
lint_junit(const struct lint *lint, enum lint_level failing, struct junit *junit)
{
	char *text = malloc(LINT_JUNIT_BYTES);

	if (text == NULL) {
		junit->short_of_memory = true;
		return;
	}
	for (int i = 0; i < LINT_RULE_COUNT; i++) {
		enum lint_rule rule = (enum lint_rule)i;
		bool found = collect(lint, rule, text, LINT_JUNIT_BYTES);

		junit_add(junit,
			  found && lint_rule_level(rule) >= failing ? JUNIT_FAILED : JUNIT_PASSED,
			  lint->scenario->file, lint_rule_name(rule), lint_rule_why(rule), text);
	}
	free(text);
}

json_t *
lint_json(const struct lint *lint)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lint->count; i++) {
		const struct lint_finding *f = &lint->findings[i];
		json_t *ports = json_array(), *nodes = json_array();
		char place[256], node[256];

		lint_format_place(f, place, sizeof(place));
		format_nodes(f, node, sizeof(node));
		for (uint32_t n = 0; n < f->node_count; n++)
			json_array_append_new(nodes, json_string(f->nodes[n]));
		if (f->nodes == NULL && f->place.node[0] != '\0')
			json_array_append_new(nodes, json_string(f->place.node));
		for (uint32_t port = 0; port < SWITCH_MAX_PORTS; port++) {
			if (f->ports.bits[port / 64] >> port % 64 & 1)
				json_array_append_new(ports, json_integer(port));
		}
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:s, s:s}",
						"rule", lint_rule_name(f->rule), "level",
						lint_level_name(lint_rule_level(f->rule)), "node",
						node, "nodes", nodes, "place", place, "ports",
						ports, "found", f->found, "why",
						lint_rule_why(f->rule), "right", f->right));
	}
	return json_pack("{s:s, s:I, s:I, s:I, s:o}", "file", lint->scenario->file, "errors",
			 (json_int_t)lint_count(lint, LINT_ERROR), "warnings",
			 (json_int_t)lint_count(lint, LINT_WARNING), "remarks",
			 (json_int_t)lint_count(lint, LINT_INFO), "findings", list);
}
