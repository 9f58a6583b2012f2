/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_decode.h"

#define WORD_BYTES 64

static uint32_t
word_distance(const char *a, const char *b)
{
	uint32_t row[WORD_BYTES + 1];
	size_t n = strlen(b);

	if (strlen(a) > WORD_BYTES || n > WORD_BYTES)
		return UINT32_MAX;
	for (uint32_t j = 0; j <= n; j++)
		row[j] = j;
	for (uint32_t i = 1; a[i - 1] != '\0'; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (uint32_t j = 1; j <= n; j++) {
			uint32_t change = diagonal + (a[i - 1] != b[j - 1]);
			uint32_t other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

			diagonal = row[j];
			row[j] = change < other ? change : other;
		}
	}
	return row[n];
}

const char *
config_nearest(const char *word, const char *const *known, uint32_t count)
{
	uint32_t limit = 1 + (uint32_t)strlen(word) / 3;
	const char *best = NULL;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t d = word_distance(word, known[i]);

		if (d < limit || (d == limit && best == NULL)) {
			limit = d;
			best = known[i];
		}
	}
	return best;
}

const char *
config_node_describe(const struct config_node *node, char *buffer, size_t bytes)
{
	if (node->kind == CONFIG_MAP)
		return "a map";
	if (node->kind == CONFIG_LIST)
		return "a list";
	if (node->text[0] == '\0')
		return "no value";
	snprintf(buffer, bytes, "\"%.40s\"", node->text);
	return buffer;
}

static bool
is_empty(const struct config_node *node)
{
	return node->kind == CONFIG_SCALAR && node->plain &&
	       (node->text[0] == '\0' || strcmp(node->text, "~") == 0);
}

static int
fail_kind(const struct config_decoder *d, const struct config_field *f,
	  const struct config_node *node, const char *right)
{
	char buffer[64];

	return config_fail(d->error, &node->mark, "%s: %s, but it takes %s", f->key,
			   config_node_describe(node, buffer, sizeof(buffer)), right);
}

static int
decode_number(const struct config_decoder *d, const struct config_field *f,
	      const struct config_node *node, uint64_t *out)
{
	char why[160], low[32], high[32];
	uint64_t max = f->max != 0 ? f->max : config_unit_max(f->unit);
	int rc;

	if (node->kind != CONFIG_SCALAR || node->text[0] == '\0')
		return fail_kind(d, f, node, config_unit_example(f->unit));
	if ((f->flags & CONFIG_MAY_BE_AUTO) && strcmp(node->text, "auto") == 0) {
		*out = CONFIG_AUTO;
		return 0;
	}
	rc = config_unit_parse(f->unit, node->text, out, why, sizeof(why));
	if (rc != 0)
		return config_fail(d->error, &node->mark, "%s: %s", f->key, why);
	if ((f->flags & CONFIG_POSITIVE) && *out == 0)
		return config_fail(d->error, &node->mark, "%s: must be more than 0", f->key);
	if ((*out >= (uint64_t)f->min && *out <= max) || (*out == 0 && f->flags & CONFIG_OR_ZERO))
		return 0;
	config_unit_format(f->unit, (uint64_t)f->min, low, sizeof(low));
	config_unit_format(f->unit, max, high, sizeof(high));
	return config_fail(d->error, &node->mark, "%s: %.40s is out of range, %s%s to %s", f->key,
			   node->text, f->flags & CONFIG_OR_ZERO ? "0 or " : "", low, high);
}

static int
decode_signed(const struct config_decoder *d, const struct config_field *f,
	      const struct config_node *node, int64_t *out)
{
	char *end;

	if (node->kind != CONFIG_SCALAR || node->text[0] == '\0')
		return fail_kind(d, f, node, "a whole number");
	errno = 0;
	*out = strtoll(node->text, &end, 10);
	if (*end != '\0' || node->text[0] == ' ')
		return fail_kind(d, f, node, "a whole number");
	if (errno != 0 || *out < f->min || *out > (int64_t)f->max)
		return config_fail(d->error, &node->mark,
				   "%s: %.40s is out of range, %" PRId64 " to %" PRIu64, f->key,
				   node->text, f->min, f->max);
	return 0;
}

static int
decode_flag(const struct config_decoder *d, const struct config_field *f,
	    const struct config_node *node, int *out)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};

	for (int i = 0; node->kind == CONFIG_SCALAR && i < 6; i++) {
		if (strcmp(node->text, words[i]) == 0) {
			*out = i % 2;
			return 0;
		}
	}
	return fail_kind(d, f, node, "yes or no");
}

static int
decode_choice(const struct config_decoder *d, const struct config_field *f,
	      const struct config_node *node, int *out)
{
	char right[160] = "one of";

	for (int i = 0; f->choices[i] != NULL; i++) {
		if (node->kind == CONFIG_SCALAR && strcmp(node->text, f->choices[i]) == 0) {
			*out = i;
			return 0;
		}
		strncat(right, i == 0 ? " " : ", ", sizeof(right) - strlen(right) - 1);
		strncat(right, f->choices[i], sizeof(right) - strlen(right) - 1);
	}
	return fail_kind(d, f, node, right);
}

static int
decode_text(const struct config_decoder *d, const struct config_field *f,
	    const struct config_node *node, const char **out)
{
	if (node->kind != CONFIG_SCALAR || node->text[0] == '\0')
		return fail_kind(d, f, node, "a word");
	if (f->max != 0 && strlen(node->text) >= f->max)
		return config_fail(d->error, &node->mark, "%s: longer than %" PRIu64 " characters",
				   f->key, f->max - 1);
	*out = node->text;
	return 0;
}

static int
check_name(const struct config_decoder *d, const struct config_field *f,
	   const struct config_object *o, const struct config_entry *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	bool metric = strcmp(o->name, "expect") == 0;
	size_t n = strlen(e->key);

	if (n == 0 || n >= o->name_bytes)
		return config_fail(d->error, &e->mark, "%s: a name has 1 to %u characters", f->key,
				   o->name_bytes - 1);
	if (!metric && strspn(e->key, allowed) != n)
		return config_fail(d->error, &e->mark,
				   "%s: \"%.40s\" is no name; use letters, digits, _ and -", f->key,
				   e->key);
	return 0;
}

static int
decode_named(const struct config_decoder *d, const struct config_field *f,
	     const struct config_node *node, struct raw_array *out)
{
	const struct config_object *o = f->object;

	if (is_empty(node))
		return 0;
	if (node->kind != CONFIG_MAP)
		return fail_kind(d, f, node, "a map of names");
	out->items = config_arena_alloc(d->arena, o->size * (node->count + 1));
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];
		struct raw_item *item = config_array_at(out, o->size, i);
		int rc = check_name(d, f, o, e);

		if (rc == 0)
			rc = config_decode(d, o, e->value, &e->mark, item);
		if (rc != 0)
			return rc;
		item->name = e->key;
		out->count++;
	}
	return 0;
}

/* In place of a list. */
static int
decode_word(const struct config_decoder *d, const struct config_field *f,
	    const struct config_node *node, struct raw_array *out)
{
	char right[64];

	for (uint32_t i = 0; f->choices[i] != NULL; i++) {
		if (strcmp(node->text, f->choices[i]) != 0)
			continue;
		out->word = i + 1;
		return 0;
	}
	snprintf(right, sizeof(right), "a list, or %s", f->choices[0]);
	return fail_kind(d, f, node, right);
}

static int
decode_objects(const struct config_decoder *d, const struct config_field *f,
	       const struct config_node *node, struct raw_array *out)
{
	const struct config_object *o = f->object;

	if (is_empty(node))
		return 0;
	if (node->kind == CONFIG_SCALAR && f->choices != NULL)
		return decode_word(d, f, node, out);
	if (node->kind != CONFIG_LIST)
		return fail_kind(d, f, node, "a list (each entry after a dash, or in [ ])");
	out->items = config_arena_alloc(d->arena, o->size * (node->count + 1));
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];
		int rc = config_decode(d, o, e->value, &e->mark, config_array_at(out, o->size, i));

		if (rc != 0)
			return rc;
		out->count++;
	}
	return 0;
}

static int
decode_optional(const struct config_decoder *d, const struct config_field *f,
		const struct config_node *node, struct raw_item **out)
{
	*out = config_arena_alloc(d->arena, f->object->size);
	return config_decode(d, f->object, node, &node->mark, *out);
}

int
config_decode_field(const struct config_decoder *d, const struct config_field *f,
		    const struct config_node *node, void *slot)
{
	switch (f->kind) {
	case CONFIG_NUMBER:
		return decode_number(d, f, node, slot);
	case CONFIG_SIGNED:
		return decode_signed(d, f, node, slot);
	case CONFIG_FLAG:
		return decode_flag(d, f, node, slot);
	case CONFIG_CHOICE:
		return decode_choice(d, f, node, slot);
	case CONFIG_TEXT:
		return decode_text(d, f, node, slot);
	case CONFIG_TEXTS:
		return config_decode_texts(d, f, node, slot);
	case CONFIG_PRIORITIES:
		return config_decode_priorities(d, f, node, slot);
	case CONFIG_RANGE:
		return config_decode_range(d, f, node, slot);
	case CONFIG_TABLE:
		return config_decode_table(d, f, node, slot);
	case CONFIG_POINTS: {
		struct raw_cdf *cdf =
			(struct raw_cdf *)((char *)slot - offsetof(struct raw_cdf, points));

		return config_decode_points(d, f, node, &cdf->points, &cdf->point_count);
	}
	case CONFIG_OBJECT:
		return config_decode(d, f->object, node, &node->mark, slot);
	case CONFIG_OPTIONAL:
		return decode_optional(d, f, node, slot);
	case CONFIG_NAMED:
		return decode_named(d, f, node, slot);
	case CONFIG_OBJECTS:
		return decode_objects(d, f, node, slot);
	}
	return -EINVAL;
}

/* A default is written as a user would write it. */
static int
set_default(const struct config_decoder *d, const struct config_field *f, void *slot)
{
	struct config_node scalar = {.kind = CONFIG_SCALAR, .plain = true, .text = f->fallback};
	struct config_node *list = NULL;
	int rc;

	scalar.mark.file = "the default";
	if (f->kind == CONFIG_OBJECT)
		return config_decode(d, f->object, NULL, &scalar.mark, slot);
	if (f->fallback != NULL && f->fallback[0] == '[') {
		rc = config_tree_parse(d->arena, "the default", (const uint8_t *)f->fallback,
				       strlen(f->fallback), &list, d->error);
		return rc != 0 ? rc : config_decode_field(d, f, list, slot);
	}
	if (f->fallback != NULL)
		return config_decode_field(d, f, &scalar, slot);
	if (f->kind == CONFIG_NUMBER)
		*(uint64_t *)slot = CONFIG_AUTO;
	else if (f->kind == CONFIG_SIGNED)
		*(int64_t *)slot = INT64_MIN;
	else if (f->kind == CONFIG_FLAG || f->kind == CONFIG_CHOICE || f->kind == CONFIG_PRIORITIES)
		*(int *)slot = CONFIG_UNSET;
	else if (f->kind == CONFIG_TABLE)
		memset(slot, CONFIG_UNSET, sizeof(((struct raw_map *)slot)->value));
	return 0;
}

static int
fail_unknown(const struct config_decoder *d, const struct config_object *o,
	     const struct config_entry *e)
{
	const char *known[64];
	char list[300] = "";
	const char *nearest;
	uint32_t count = 0;

	for (const struct config_field *f = o->fields; f->key != NULL && count < 64; f++) {
		known[count++] = f->key;
		strncat(list, f == o->fields ? "" : ", ", sizeof(list) - strlen(list) - 1);
		strncat(list, f->key, sizeof(list) - strlen(list) - 1);
	}
	nearest = config_nearest(e->key, known, count);
	if (nearest != NULL)
		return config_fail(d->error, &e->mark, "%.40s: unknown key; did you mean %s?",
				   e->key, nearest);
	return config_fail(d->error, &e->mark, "%.40s: unknown key; known are %s", e->key, list);
}

const struct config_field *
config_find_field(const struct config_object *o, const char *key)
{
	for (const struct config_field *f = o->fields; f->key != NULL; f++)
		if (strcmp(f->key, key) == 0 || (f->alias != NULL && strcmp(f->alias, key) == 0))
			return f;
	return NULL;
}

static int
decode_map(const struct config_decoder *d, const struct config_object *o,
	   const struct config_node *node, struct raw_item *item)
{
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];
		const struct config_field *f = config_find_field(o, e->key);
		int rc;

		if (f == NULL)
			return fail_unknown(d, o, e);
		if (strcmp(f->key, e->key) != 0 && config_tree_find(node, f->key) != NULL)
			return config_fail(d->error, &e->mark, "%s: the same as %s, given too",
					   e->key, f->key);
		rc = config_decode_field(d, f, e->value, (char *)item + f->offset);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
check_required(const struct config_decoder *d, const struct config_object *o,
	       const struct config_node *node, const struct config_mark *mark)
{
	for (const struct config_field *f = o->fields; f->key != NULL; f++) {
		if (!(f->flags & CONFIG_REQUIRED) || config_tree_find(node, f->key) != NULL ||
		    (f->alias != NULL && config_tree_find(node, f->alias) != NULL))
			continue;
		return config_fail(d->error, mark, "%s: needs %s (%s)", o->name, f->key, f->help);
	}
	return 0;
}

int
config_decode(const struct config_decoder *d, const struct config_object *o,
	      const struct config_node *node, const struct config_mark *mark, struct raw_item *item)
{
	const struct config_field *f;
	char buffer[64];
	int rc = 0;

	memset(item, 0, o->size);
	for (f = o->fields; f->key != NULL && rc == 0; f++)
		rc = set_default(d, f, (char *)item + f->offset);
	item->node = node;
	item->mark = *mark;
	if (rc != 0 || node == NULL)
		return rc;
	if (node->kind == CONFIG_SCALAR && node->text[0] != '\0' && !is_empty(node) &&
	    o->shorthand != NULL) {
		f = config_find_field(o, o->shorthand);
		return config_decode_field(d, f, node, (char *)item + f->offset);
	}
	if (o->is_value)
		return config_fail(d->error, &node->mark, "%s: %s, but it takes %s", o->name,
				   config_node_describe(node, buffer, sizeof(buffer)),
				   o->fields->help);
	if (node->kind != CONFIG_MAP && !is_empty(node))
		return config_fail(d->error, &node->mark, "%s: %s, but it takes a map of keys",
				   o->name, config_node_describe(node, buffer, sizeof(buffer)));
	if (node->kind == CONFIG_MAP)
		rc = decode_map(d, o, node, item);
	return rc != 0 ? rc : check_required(d, o, node, mark);
}
