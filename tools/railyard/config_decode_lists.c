/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of values with a notation of their own: ranges, masks, tables, curves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_decode.h"

static bool
parse_index(const char **text, uint32_t *value)
{
	char *end;
	unsigned long n;

	if (**text < '0' || **text > '9')
		return false;
	n = strtoul(*text, &end, 10);
	if (end - *text > 9)
		return false;
	*text = end;
	*value = (uint32_t)n;
	return true;
}

bool
config_parse_span(const char *text, uint32_t count, uint32_t *first, uint32_t *last)
{
	while (*text == ' ')
		text++;
	if (!parse_index(&text, first))
		return false;
	*last = *first;
	while (*text == ' ')
		text++;
	if (*text == '-') {
		text++;
		while (*text == ' ')
			text++;
		if (!parse_index(&text, last))
			return false;
	}
	while (*text == ' ')
		text++;
	return *text == '\0' && *first <= *last && *last < count;
}

static int
fail_span(const struct config_decoder *d, const struct config_field *f,
	  const struct config_node *node, uint32_t count, const char *all)
{
	char buffer[64];

	return config_fail(d->error, &node->mark,
			   "%s: %s, but it takes %snumbers 0 to %u, \"0-3\", "
			   "or a list of these",
			   f->key, config_node_describe(node, buffer, sizeof(buffer)), all,
			   count - 1);
}

/* "0-3,7" into bits. */
static bool
add_spans(const char *text, uint32_t count, uint64_t *bits)
{
	char span[24];

	for (;;) {
		size_t n = strcspn(text, ",");
		uint32_t first, last;

		if (n >= sizeof(span))
			return false;
		memcpy(span, text, n);
		span[n] = '\0';
		if (!config_parse_span(span, count, &first, &last))
			return false;
		for (uint32_t i = first; i <= last; i++)
			bits[i / 64] |= 1ULL << i % 64;
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

int
config_decode_range(const struct config_decoder *d, const struct config_field *f,
		    const struct config_node *node, struct raw_range *range)
{
	uint32_t count = (uint32_t)f->max;

	*range = (struct raw_range){.given = true};
	if (node->kind == CONFIG_SCALAR && strcmp(node->text, "all") == 0) {
		range->all = true;
		return 0;
	}
	if (node->kind == CONFIG_SCALAR)
		return add_spans(node->text, count, range->bits)
			       ? 0
			       : fail_span(d, f, node, count, "all, ");
	if (node->kind == CONFIG_MAP || node->count == 0)
		return fail_span(d, f, node, count, "all, ");
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_node *v = node->entries[i].value;

		if (v->kind != CONFIG_SCALAR || !add_spans(v->text, count, range->bits))
			return fail_span(d, f, v, count, "");
	}
	return 0;
}

int
config_decode_priorities(const struct config_decoder *d, const struct config_field *f,
			 const struct config_node *node, int *mask)
{
	struct config_field range_field = *f;
	struct raw_range range;
	int rc;

	*mask = 0;
	if (node->kind == CONFIG_LIST && node->count == 0)
		return 0;
	range_field.max = 8;
	if (node->kind == CONFIG_SCALAR && strcmp(node->text, "all") == 0)
		return fail_span(d, f, node, 8, "");
	rc = config_decode_range(d, &range_field, node, &range);
	if (rc == 0)
		*mask = (int)range.bits[0];
	return rc;
}

static int
table_value(const struct config_decoder *d, const struct config_field *f,
	    const struct config_entry *e, int8_t *value)
{
	uint32_t first, last;

	if (e->value->kind != CONFIG_SCALAR ||
	    !config_parse_span(e->value->text, (uint32_t)f->min, &first, &last) || first != last)
		return fail_span(d, f, e->value, (uint32_t)f->min, "");
	*value = (int8_t)first;
	return 0;
}

/* Ranges first, so that single numbers win; of a file and its profile the file wins. */
int
config_decode_table(const struct config_decoder *d, const struct config_field *f,
		    const struct config_node *node, struct raw_map *map)
{
	const struct config_entry *by[64] = {NULL};
	uint32_t count = (uint32_t)f->max;

	if (node->kind != CONFIG_MAP)
		return config_fail(d->error, &node->mark,
				   "%s: takes a map of numbers, such as {3: 3, \"4-7\": 1}",
				   f->key);
	memset(map->value, CONFIG_UNSET, sizeof(map->value));
	map->given = true;
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];
		uint32_t first, last;
		int8_t value = 0;
		int rc = table_value(d, f, e, &value);

		if (rc != 0)
			return rc;
		if (!config_parse_span(e->key, count, &first, &last))
			return config_fail(
				d->error, &e->mark,
				"%s: \"%.40s\" is neither a number 0 to %u nor a range of "
				"them",
				f->key, e->key, count - 1);
		for (uint32_t n = first; n <= last; n++) {
			bool single = by[n] != NULL && strchr(by[n]->key, '-') == NULL;

			if (first != last && by[n] != NULL && !single &&
			    by[n]->mark.file == e->mark.file)
				return config_fail(d->error, &e->mark,
						   "%s: %u is in two ranges, %s and %s", f->key, n,
						   by[n]->key, e->key);
			if (single || (first != last && by[n] != NULL))
				continue;
			by[n] = e;
			map->value[n] = value;
		}
	}
	return 0;
}

int
config_decode_texts(const struct config_decoder *d, const struct config_field *f,
		    const struct config_node *node, struct raw_texts *texts)
{
	uint32_t count = node->kind == CONFIG_LIST ? node->count : 1;

	if (node->kind == CONFIG_MAP || count == 0 ||
	    (node->kind == CONFIG_SCALAR && node->text[0] == '\0'))
		return config_fail(d->error, &node->mark, "%s: takes a word or a list of words",
				   f->key);
	texts->items = config_arena_alloc(d->arena, count * sizeof(*texts->items));
	texts->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct config_node *v =
			node->kind == CONFIG_LIST ? node->entries[i].value : node;

		if (v->kind != CONFIG_SCALAR || v->text[0] == '\0')
			return config_fail(d->error, &v->mark, "%s: takes a list of words", f->key);
		texts->items[i] = (struct raw_text){.text = v->text, .mark = v->mark};
	}
	return 0;
}

static int
decode_point(const struct config_decoder *d, const struct config_field *f,
	     const struct config_node *node, struct raw_point *point)
{
	char why[160] = "a point is [bytes, percent], such as [10KB, 15%]";
	const struct config_node *bytes, *share;

	if (node->kind != CONFIG_LIST || node->count != 2)
		return config_fail(d->error, &node->mark, "%s: %s", f->key, why);
	bytes = node->entries[0].value;
	share = node->entries[1].value;
	point->mark = node->mark;
	if (bytes->kind != CONFIG_SCALAR || share->kind != CONFIG_SCALAR)
		return config_fail(d->error, &node->mark, "%s: %s", f->key, why);
	if (config_unit_parse(CONFIG_UNIT_SIZE, bytes->text, &point->bytes, why, sizeof(why)) != 0)
		return config_fail(d->error, &bytes->mark, "%s: %s", f->key, why);
	if (config_unit_parse(CONFIG_UNIT_PERCENT, share->text, &point->share_q32, why,
			      sizeof(why)) != 0)
		return config_fail(d->error, &share->mark, "%s: %s", f->key, why);
	return 0;
}

int
config_decode_points(const struct config_decoder *d, const struct config_field *f,
		     const struct config_node *node, struct raw_point **points, uint32_t *count)
{
	struct raw_point *p;

	if (node->kind != CONFIG_LIST || node->count < 2)
		return config_fail(d->error, &node->mark,
				   "%s: takes a list of two or more [bytes, percent]", f->key);
	p = config_arena_alloc(d->arena, node->count * sizeof(*p));
	for (uint32_t i = 0; i < node->count; i++) {
		int rc = decode_point(d, f, node->entries[i].value, &p[i]);

		if (rc != 0)
			return rc;
		if (i > 0 && (p[i].bytes <= p[i - 1].bytes || p[i].share_q32 < p[i - 1].share_q32))
			return config_fail(d->error, &p[i].mark,
					   "%s: bytes must rise and percent not fall from point to "
					   "point",
					   f->key);
	}
	if (p[node->count - 1].share_q32 != CONFIG_ONE_Q32)
		return config_fail(d->error, &p[node->count - 1].mark,
				   "%s: the last point must be at 100%%", f->key);
	if (p[node->count - 1].bytes > 1ULL << 31) /* as `size` */
		return config_fail(d->error, &p[node->count - 1].mark,
				   "%s: messages larger than 2GiB", f->key);
	*points = p;
	*count = node->count;
	return 0;
}
