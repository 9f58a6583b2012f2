/* SPDX-License-Identifier: BSD-3-Clause */
/* A JSON Schema (draft 7) for editors, from the table of fields. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "config_internal.h"

static void require_object(json_t *definitions, const struct config_object *o);

static json_t *
reference_to(json_t *definitions, const struct config_object *o)
{
	require_object(definitions, o);
	return json_pack("{s:s+}", "$ref", "#/definitions/", o->name);
}

static json_t *
either(json_t *a, json_t *b)
{
	return json_pack("{s:[o,o]}", "anyOf", a, b);
}

static json_t *
scalar_type(const char *other)
{
	return json_pack("{s:[s,s]}", "type", "string", other);
}

static json_t *
choices_of(const struct config_field *f)
{
	json_t *list = json_array();

	for (int i = 0; f->choices[i] != NULL; i++)
		json_array_append_new(list, json_string(f->choices[i]));
	return json_pack("{s:o}", "enum", list);
}

static json_t *
number_schema(const struct config_field *f)
{
	bool counted = f->unit == CONFIG_UNIT_COUNT, is_share = f->unit == CONFIG_UNIT_SHARE;
	json_t *schema = counted && !(f->flags & CONFIG_MAY_BE_AUTO)
				 ? json_pack("{s:s}", "type", "integer")
				 : scalar_type("number");

	/* A number alone has no unit: times and rates are text, but for 0. */
	if (f->flags & CONFIG_POSITIVE)
		json_object_set_new(schema, "exclusiveMinimum", json_integer(0));
	else if (counted || f->unit == CONFIG_UNIT_SIZE)
		json_object_set_new(schema, "minimum", json_integer((json_int_t)f->min));
	if (f->max != 0 && f->max <= INT64_MAX && (counted || f->unit == CONFIG_UNIT_SIZE))
		json_object_set_new(schema, "maximum", json_integer((json_int_t)f->max));
	if (f->max != 0 && is_share)
		json_object_set_new(schema, "maximum",
				    json_integer((json_int_t)(f->max / CONFIG_ONE_Q32)));
	return schema;
}

static json_t *
field_schema(json_t *definitions, const struct config_field *f)
{
	json_t *list;

	switch (f->kind) {
	case CONFIG_NUMBER:
		return number_schema(f);
	case CONFIG_SIGNED:
		return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
				 (json_int_t)f->min, "maximum", (json_int_t)f->max);
	case CONFIG_FLAG:
		/* YAML 1.2 readers take yes and no for strings. */
		return either(json_pack("{s:s}", "type", "boolean"),
			      json_pack("{s:[s,s,s,s]}", "enum", "yes", "no", "on", "off"));
	case CONFIG_CHOICE:
		return choices_of(f);
	case CONFIG_TEXT:
		return scalar_type("number");
	case CONFIG_TEXTS:
		return either(
			json_pack("{s:s}", "type", "string"),
			json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "string"));
	case CONFIG_PRIORITIES:
		return json_pack("{s:s, s:{s:s, s:i, s:i}}", "type", "array", "items", "type",
				 "integer", "minimum", 0, "maximum", 7);
	case CONFIG_RANGE:
		return json_pack("{s:[s,s,s]}", "type", "string", "integer", "array");
	case CONFIG_TABLE:
		return json_pack("{s:s, s:{s:s, s:i, s:i}}", "type", "object",
				 "additionalProperties", "type", "integer", "minimum", 0, "maximum",
				 (int)f->min - 1);
	case CONFIG_POINTS:
		return json_pack("{s:s, s:{s:s, s:i, s:i}}", "type", "array", "items", "type",
				 "array", "minItems", 2, "maxItems", 2);
	case CONFIG_OBJECT:
	case CONFIG_OPTIONAL:
		return reference_to(definitions, f->object);
	case CONFIG_NAMED:
		return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
				 reference_to(definitions, f->object));
	case CONFIG_OBJECTS:
		list = json_pack("{s:s, s:o}", "type", "array", "items",
				 reference_to(definitions, f->object));
		return f->choices != NULL ? either(choices_of(f), list) : list;
	}
	return json_object();
}

/* draft 7 ignores what stands beside $ref: wrap it so that the description counts. */
static json_t *
describe(json_t *schema, const struct config_field *f)
{
	if (json_object_get(schema, "$ref") != NULL)
		schema = json_pack("{s:[o]}", "allOf", schema);
	json_object_set_new(schema, "description", json_string(f->help));
	if (f->fallback != NULL && f->kind != CONFIG_PRIORITIES)
		json_object_set_new(schema, "default", json_string(f->fallback));
	return schema;
}

static json_t *
object_schema(json_t *definitions, const struct config_object *o)
{
	json_t *properties = json_object(), *required = json_array(), *schema, *short_form = NULL;

	for (const struct config_field *f = o->fields; f->key != NULL; f++) {
		json_t *field = field_schema(definitions, f);

		if (o->shorthand != NULL && strcmp(o->shorthand, f->key) == 0)
			short_form = json_deep_copy(field);
		json_object_set_new(properties, f->key, describe(field, f));
		if (f->alias != NULL)
			json_object_set(properties, f->alias, json_object_get(properties, f->key));
		if ((f->flags & CONFIG_REQUIRED) && f->alias == NULL)
			json_array_append_new(required, json_string(f->key));
	}
	if (o->is_value) {
		json_decref(properties);
		json_decref(required);
		return short_form;
	}
	schema = json_pack("{s:[s,s], s:o, s:b}", "type", "object", "null", "properties",
			   properties, "additionalProperties", 0);
	/* Not in maps of named objects: a profile may bring what one entry lacks. */
	if (json_array_size(required) > 0 && o->name_bytes == 0)
		json_object_set(schema, "required", required);
	json_decref(required);
	return short_form != NULL ? either(short_form, schema) : schema;
}

static void
require_object(json_t *definitions, const struct config_object *o)
{
	if (json_object_get(definitions, o->name) != NULL)
		return;
	json_object_set_new(definitions, o->name, json_null()); /* it may contain itself */
	json_object_set_new(definitions, o->name, object_schema(definitions, o));
}

void
config_print_schema(FILE *out)
{
	json_t *definitions = json_object();
	json_t *top = object_schema(definitions, &config_run_object);

	json_object_set_new(top, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
	json_object_set_new(top, "title", json_string("Railyard scenario"));
	json_object_set_new(top, "definitions", definitions);
	json_dumpf(top, out, JSON_INDENT(1) | JSON_SORT_KEYS);
	fputc('\n', out);
	json_decref(top);
}
