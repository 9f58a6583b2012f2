/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every effective value as YAML. The raw structs hold what was worked out, so the table of
 * fields is all it takes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config_internal.h"

static void dump_object(FILE *out, const struct config_object *o, const struct raw_item *item,
			int indent, bool in_list);

static void
indent_by(FILE *out, int indent)
{
	fprintf(out, "%*s", 2 * indent, "");
}

/* "0-3,7" of the set bits. */
static void
dump_bits(FILE *out, const uint64_t *bits, uint32_t count)
{
	const char *comma = "";

	for (uint32_t n = 0; n < count; n++) {
		uint32_t last = n;

		if (!(bits[n / 64] >> n % 64 & 1))
			continue;
		while (last + 1 < count && bits[(last + 1) / 64] >> (last + 1) % 64 & 1)
			last++;
		fprintf(out, last > n ? "%s%u-%u" : "%s%u", comma, n, last);
		comma = ",";
		n = last;
	}
}

static void
dump_range(FILE *out, const struct raw_range *range)
{
	if (range->all) {
		fputs("all", out);
		return;
	}
	fputc('"', out);
	dump_bits(out, range->bits, CONFIG_MAX_RANGE);
	fputc('"', out);
}

static void
dump_table(FILE *out, const struct raw_map *map, uint32_t count)
{
	const char *comma = "";

	fputc('{', out);
	for (uint32_t n = 0; n < count; n++) {
		uint32_t last = n;

		if (map->value[n] == CONFIG_UNSET)
			continue;
		while (last + 1 < count && map->value[last + 1] == map->value[n])
			last++;
		if (last > n)
			fprintf(out, "%s\"%u-%u\": %d", comma, n, last, map->value[n]);
		else
			fprintf(out, "%s%u: %d", comma, n, map->value[n]);
		comma = ", ";
		n = last;
	}
	fputc('}', out);
}

static void
dump_mask(FILE *out, int mask)
{
	const char *comma = "";

	fputc('[', out);
	for (int n = 0; n < 8; n++) {
		if (!(mask >> n & 1))
			continue;
		fprintf(out, "%s%d", comma, n);
		comma = ", ";
	}
	fputc(']', out);
}

static void
dump_texts(FILE *out, const struct raw_texts *texts)
{
	fputc('[', out);
	for (uint32_t i = 0; i < texts->count; i++) {
		fputs(i == 0 ? "" : ", ", out);
		config_text_print(texts->items[i].text, out);
	}
	fputc(']', out);
}

static void
dump_points(FILE *out, const struct raw_cdf *cdf)
{
	fputc('[', out);
	for (uint32_t i = 0; i < cdf->point_count; i++) {
		char bytes[32], share[32];

		config_unit_format(CONFIG_UNIT_SIZE, cdf->points[i].bytes, bytes, sizeof(bytes));
		config_unit_format(CONFIG_UNIT_PERCENT, cdf->points[i].share_q32, share,
				   sizeof(share));
		fprintf(out, "%s[%s, %s]", i == 0 ? "" : ", ", bytes, share);
	}
	fputc(']', out);
}

/* A value that is not there has no line. */
static bool
is_set(const struct config_field *f, const void *slot)
{
	switch (f->kind) {
	case CONFIG_NUMBER:
		return *(const uint64_t *)slot != CONFIG_AUTO || (f->flags & CONFIG_MAY_BE_AUTO);
	case CONFIG_SIGNED:
		return *(const int64_t *)slot != INT64_MIN;
	case CONFIG_FLAG:
	case CONFIG_CHOICE:
	case CONFIG_PRIORITIES:
		return *(const int *)slot != CONFIG_UNSET;
	case CONFIG_TEXT:
		return *(const char *const *)slot != NULL && !(f->flags & CONFIG_NOT_DUMPED);
	case CONFIG_TEXTS:
		return ((const struct raw_texts *)slot)->count > 0 &&
		       !(f->flags & CONFIG_NOT_DUMPED);
	case CONFIG_RANGE:
		return ((const struct raw_range *)slot)->given;
	case CONFIG_TABLE:
		return ((const struct raw_map *)slot)->given;
	case CONFIG_POINTS:
	case CONFIG_OPTIONAL:
		return *(void *const *)slot != NULL;
	case CONFIG_NAMED:
	case CONFIG_OBJECTS:
		return ((const struct raw_array *)slot)->count > 0;
	case CONFIG_OBJECT:
		return true;
	}
	return false;
}

static void
dump_scalar(FILE *out, const struct config_field *f, const void *slot)
{
	char text[64] = "auto";

	switch (f->kind) {
	case CONFIG_NUMBER:
		if (*(const uint64_t *)slot != CONFIG_AUTO)
			config_unit_format(f->unit, *(const uint64_t *)slot, text, sizeof(text));
		fputs(text, out);
		break;
	case CONFIG_SIGNED:
		fprintf(out, "%" PRId64, *(const int64_t *)slot);
		break;
	case CONFIG_FLAG:
		fputs(*(const int *)slot == 1 ? "yes" : "no", out);
		break;
	case CONFIG_CHOICE:
		fputs(f->choices[*(const int *)slot], out);
		break;
	case CONFIG_TEXT:
		config_text_print(*(const char *const *)slot, out);
		break;
	case CONFIG_TEXTS:
		dump_texts(out, slot);
		break;
	case CONFIG_PRIORITIES:
		dump_mask(out, *(const int *)slot);
		break;
	case CONFIG_RANGE:
		dump_range(out, slot);
		break;
	case CONFIG_TABLE:
		dump_table(out, slot, (uint32_t)f->max);
		break;
	default:
		break;
	}
}

static bool
is_scalar(const struct config_field *f)
{
	return f->kind != CONFIG_OBJECT && f->kind != CONFIG_OPTIONAL && f->kind != CONFIG_NAMED &&
	       f->kind != CONFIG_OBJECTS && f->kind != CONFIG_POINTS;
}

/* An object of scalars only stands on one line. */
static bool
dump_short(FILE *out, const char *before, const struct config_object *o,
	   const struct raw_item *item)
{
	const char *comma = "";

	for (const struct config_field *f = o->fields; f->key != NULL; f++)
		if (!is_scalar(f) && is_set(f, (const char *)item + f->offset))
			return false;
	fprintf(out, "%s{", before);
	for (const struct config_field *f = o->fields; f->key != NULL; f++) {
		const void *slot = (const char *)item + f->offset;

		if (!is_set(f, slot))
			continue;
		fprintf(out, "%s%s: ", comma, f->key);
		dump_scalar(out, f, slot);
		comma = ", ";
	}
	fputs("}\n", out);
	return true;
}

static void
dump_named(FILE *out, const struct config_object *o, const struct raw_item *item, int indent)
{
	indent_by(out, indent);
	config_text_print(item->name, out);
	fputc(':', out);
	if (o->fields[1].key == NULL) { /* only its shorthand */
		fputc(' ', out);
		dump_scalar(out, o->fields, (const char *)item + o->fields[0].offset);
		fputc('\n', out);
	} else if (!dump_short(out, " ", o, item)) {
		fputc('\n', out);
		dump_object(out, o, item, indent + 1, false);
	}
}

static void
dump_array(FILE *out, const struct config_field *f, const struct raw_array *array, int indent)
{
	fputc('\n', out);
	for (uint32_t i = 0; i < array->count; i++) {
		const struct raw_item *item = config_array_at(array, f->object->size, i);

		if (f->kind == CONFIG_NAMED) {
			dump_named(out, f->object, item, indent);
			continue;
		}
		indent_by(out, indent);
		fputs("- ", out);
		if (!dump_short(out, "", f->object, item))
			dump_object(out, f->object, item, indent + 1, true);
	}
}

static void
dump_nested(FILE *out, const struct config_field *f, const struct raw_item *item, int indent)
{
	if (dump_short(out, " ", f->object, item))
		return;
	fputc('\n', out);
	dump_object(out, f->object, item, indent + 1, false);
}

static void
dump_field(FILE *out, const struct config_field *f, const void *slot, int indent)
{
	fprintf(out, "%s:", f->key);
	switch (f->kind) {
	case CONFIG_OBJECT:
		dump_nested(out, f, slot, indent);
		break;
	case CONFIG_OPTIONAL:
		dump_nested(out, f, *(const struct raw_item *const *)slot, indent);
		break;
	case CONFIG_NAMED:
	case CONFIG_OBJECTS:
		dump_array(out, f, slot, indent + 1);
		break;
	case CONFIG_POINTS:
		fputc(' ', out);
		dump_points(out,
			    (const struct raw_cdf *)(const void *)((const char *)slot - f->offset));
		fputc('\n', out);
		break;
	default:
		fputc(' ', out);
		dump_scalar(out, f, slot);
		fputc('\n', out);
	}
}

/* in_list: the first line stands after a dash already. */
static void
dump_object(FILE *out, const struct config_object *o, const struct raw_item *item, int indent,
	    bool in_list)
{
	bool first = in_list;

	for (const struct config_field *f = o->fields; f->key != NULL; f++) {
		const void *slot = (const char *)item + f->offset;

		if (!is_set(f, slot))
			continue;
		if (!first)
			indent_by(out, indent);
		first = false;
		dump_field(out, f, slot, indent);
	}
	if (first)
		fputs("{}\n", out);
}

void
config_dump(const struct scenario *scenario, FILE *out)
{
	const struct config *c = scenario->config;

	dump_object(out, &config_run_object, &c->raw.item, 0, false);
}
