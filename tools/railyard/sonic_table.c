/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and fields of CONFIG_DB, and the nodes that come out. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonic.h"

static const struct config_node no_rows = {.kind = CONFIG_MAP};

const struct config_node *
sonic_table(const struct sonic *s, const char *table)
{
	const struct config_node *node = config_tree_find(s->tables, table);

	return node != NULL ? node : &no_rows;
}

const struct config_node *
sonic_row(const struct sonic *s, const char *table, const char *key)
{
	return config_tree_find(sonic_table(s, table), key);
}

const char *
sonic_field(const struct config_node *row, const char *field)
{
	const struct config_node *value = config_tree_find(row, field);

	return value != NULL ? value->text : NULL;
}

int
sonic_number(struct sonic *s, const struct config_node *row, const char *field, uint64_t max,
	     uint64_t fallback, uint64_t *out)
{
	const char *text = sonic_field(row, field);
	char *end;

	*out = fallback;
	if (text == NULL)
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *out > max)
		return config_fail(&s->c->error, &row->mark,
				   "%s: \"%.40s\", but it takes a whole number, at most %" PRIu64,
				   field, text, max);
	return 0;
}

/* "[TABLE|name]" or "name"; the name in what is left of text. */
static int
split_reference(struct sonic *s, const struct config_node *row, const char *field,
		const char *table, const char **name)
{
	const char *text = *name;
	size_t n = strlen(text), prefix = strlen(table);

	if (text[0] != '[')
		return 0;
	if (n < prefix + 3 || text[n - 1] != ']' || strncmp(text + 1, table, prefix) != 0 ||
	    text[prefix + 1] != '|')
		return config_fail(&s->c->error, &row->mark,
				   "%s: \"%.60s\", but it takes a name in %s, or [%s|name]", field,
				   text, table, table);
	*name = config_arena_copy(&s->c->arena, text + prefix + 2, n - prefix - 3);
	return 0;
}

int
sonic_reference(struct sonic *s, const struct config_node *row, const char *field,
		const char *table, const char **name)
{
	const struct config_node *rows = sonic_table(s, table);
	const char *known[64], *nearest;
	uint32_t count = 0;
	int rc;

	*name = sonic_field(row, field);
	if (*name == NULL)
		return 0;
	rc = split_reference(s, row, field, table, name);
	if (rc != 0 || config_tree_find(rows, *name) != NULL)
		return rc;
	for (uint32_t i = 0; i < rows->count && count < 64; i++)
		known[count++] = rows->entries[i].key;
	nearest = config_nearest(*name, known, count);
	return config_fail(&s->c->error, &row->mark, "%s: there is no %s|%.60s%s%s%s", field, table,
			   *name, nearest != NULL ? "; did you mean " : "",
			   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

int
sonic_classes(struct sonic *s, const struct config_mark *mark, const char *text, uint8_t *mask)
{
	const char *p = text;
	char span[16];

	*mask = 0;
	for (;;) {
		size_t n = strcspn(p, ",");
		uint32_t first, last;

		snprintf(span, sizeof(span), "%.*s", (int)(n < 15 ? n : 15), p);
		if (n > 15 || !config_parse_span(span, SONIC_CLASSES, &first, &last))
			break;
		for (uint32_t i = first; i <= last; i++)
			*mask |= (uint8_t)(1u << i);
		if (p[n] == '\0')
			return 0;
		p += n + 1;
	}
	return config_fail(&s->c->error, mark,
			   "\"%.40s\" is not a list of numbers 0 to 7 or ranges of them; Railyard "
			   "has no others",
			   text);
}

int
sonic_known_fields(struct sonic *s, const struct config_node *row, const char *const *known)
{
	for (uint32_t i = 0; i < row->count; i++) {
		const char *const *k = known;

		while (*k != NULL && strcmp(*k, row->entries[i].key) != 0)
			k++;
		if (*k == NULL)
			return config_fail(&s->c->error, &row->mark,
					   "%.60s: Railyard does not know what this field means",
					   row->entries[i].key);
	}
	return 0;
}

struct config_node *
sonic_map(struct sonic *s, const struct config_mark *mark)
{
	struct config_node *node = config_arena_alloc(&s->c->arena, sizeof(*node));

	*node = (struct config_node){.kind = CONFIG_MAP, .mark = *mark};
	s->c->arena.nodes++;
	return node;
}

/* key NULL: an entry of a list. */
struct config_node *
sonic_put_map(struct sonic *s, struct config_node *map, const char *key, enum config_node_kind kind,
	      const struct config_mark *mark)
{
	struct config_node *node = sonic_map(s, mark);

	node->kind = kind;
	config_tree_append(&s->c->arena, map, key, mark, node);
	return node;
}

void
sonic_put(struct sonic *s, struct config_node *map, const char *key, const struct config_mark *mark,
	  const char *format, ...)
{
	struct config_node *node = sonic_put_map(s, map, key, CONFIG_SCALAR, mark);
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	node->text = config_arena_copy(&s->c->arena, text, strlen(text));
	node->plain = true;
}

const char *
sonic_name(struct sonic *s, const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	char *copy = config_arena_copy(&s->c->arena, name, strlen(name));

	for (char *p = copy + strspn(copy, allowed); *p != '\0'; p += strspn(p, allowed))
		*p = '_';
	return copy;
}

const char *
sonic_print(struct sonic *s, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return config_arena_copy(&s->c->arena, text, strlen(text));
}

const char *
sonic_span(struct sonic *s, const uint64_t *bits, uint32_t count)
{
	char text[2048];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t n = 0; n < count && used < sizeof(text); n++) {
		uint32_t last = n;

		if (!(bits[n / 64] >> n % 64 & 1))
			continue;
		while (last + 1 < count && bits[(last + 1) / 64] >> (last + 1) % 64 & 1)
			last++;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 last > n ? "%s%u-%u" : "%s%u", used == 0 ? "" : ",", n,
					 last);
		n = last;
	}
	return config_arena_copy(&s->c->arena, text, strlen(text));
}
