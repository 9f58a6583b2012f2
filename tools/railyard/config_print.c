/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree as YAML, as a person would write it: collections of words that fit a line stand on one. */
#include <stdio.h>
#include <string.h>

#include "config_tree.h"

#define LINE_BYTES 100

void
config_text_print(const char *text, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./";

	if (text[0] != '\0' && text[0] != '-' && strspn(text, plain) == strlen(text)) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < ' ' || *p == 0x7f)
			fprintf(out, "\\x%02x", *p);
		else
			fputc(*p, out);
	}
	fputc('"', out);
}

/* Columns that a node takes on one line, at most: quotes counted everywhere. */
static size_t
width_of(const struct config_node *node)
{
	size_t width = 2;

	if (node->kind == CONFIG_SCALAR)
		return strlen(node->text) + 2;
	for (uint32_t i = 0; i < node->count && width < 10 * LINE_BYTES; i++) {
		const struct config_entry *e = &node->entries[i];

		width += width_of(e->value) + 2 + (e->key != NULL ? strlen(e->key) + 2 : 0);
	}
	return width;
}

/* A list of words always is on one line: the names of many ports are one thing. */
static bool
on_one_line(const struct config_node *node, int indent)
{
	bool words = true;

	for (uint32_t i = 0; i < node->count; i++)
		words = words && node->entries[i].value->kind == CONFIG_SCALAR;
	return words && (node->kind == CONFIG_LIST || node->count == 0 ||
			 (indent > 0 && width_of(node) + 2 * (size_t)indent < 2 * LINE_BYTES));
}

static void
print_flow(const struct config_node *node, FILE *out)
{
	if (node->kind == CONFIG_SCALAR) {
		config_text_print(node->text, out);
		return;
	}
	fputc(node->kind == CONFIG_LIST ? '[' : '{', out);
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];

		fputs(i > 0 ? ", " : "", out);
		if (e->key != NULL) {
			config_text_print(e->key, out);
			fputs(": ", out);
		}
		print_flow(e->value, out);
	}
	fputc(node->kind == CONFIG_LIST ? ']' : '}', out);
}

static void
print_block(const struct config_node *node, int indent, bool in_list, FILE *out)
{
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];

		if (i > 0 || !in_list)
			fprintf(out, "%*s", 2 * indent, "");
		if (e->key == NULL)
			fputs("- ", out);
		else {
			config_text_print(e->key, out);
			fputc(':', out);
		}
		if (e->value->kind == CONFIG_SCALAR || on_one_line(e->value, indent + 1)) {
			fputs(e->key != NULL ? " " : "", out);
			print_flow(e->value, out);
			fputc('\n', out);
			continue;
		}
		if (e->key != NULL)
			fputc('\n', out);
		print_block(e->value, indent + 1, e->key == NULL, out);
	}
}

void
config_tree_print(const struct config_node *node, FILE *out)
{
	if (node->kind != CONFIG_SCALAR && !on_one_line(node, 0)) {
		print_block(node, 0, false, out);
		return;
	}
	print_flow(node, out);
	fputc('\n', out);
}
