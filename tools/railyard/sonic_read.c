/* SPDX-License-Identifier: BSD-3-Clause */
/* CONFIG_DB files into one tree of tables, rows and fields. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "sonic.h"

/* Of several ASICs, the name space of one: "0" or "asic0". */
static bool
is_namespace(const char *key)
{
	return strncmp(key, "asic", 4) == 0 && key[4] >= '0' && key[4] <= '9' &&
	       key[4 + strspn(key + 4, "0123456789")] == '\0';
}

/* A comma list, as older files have lists. */
static const char *
join_list(struct sonic *s, const json_t *list)
{
	size_t bytes = 1, used = 0, i;
	char *text;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return NULL;
		bytes += json_string_length(item) + 1;
	}
	text = config_arena_alloc(&s->c->arena, bytes);
	json_array_foreach(list, i, item) used += (size_t)snprintf(
		text + used, bytes - used, "%s%s", i == 0 ? "" : ",", json_string_value(item));
	return text;
}

/* A file has each name once: `fresh` rows are not searched for what only another file can give. */
static int
read_field(struct sonic *s, struct config_node *row, const char *key, const json_t *value,
	   bool fresh)
{
	const char *text = NULL;

	if (json_is_string(value))
		text = config_arena_copy(&s->c->arena, json_string_value(value),
					 json_string_length(value));
	else if (json_is_integer(value))
		text = sonic_print(s, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_array(value))
		text = join_list(s, value);
	if (text == NULL)
		return config_fail(&s->c->error, &row->mark,
				   "%.60s: takes a text (\"...\"), as every field of CONFIG_DB",
				   key);
	if (s->c->arena.nodes > CONFIG_MAX_NODES)
		return config_fail(&s->c->error, &row->mark, "more than %u values",
				   CONFIG_MAX_NODES);
	for (uint32_t i = 0; !fresh && i < row->count; i++) {
		if (strcmp(row->entries[i].key, key) == 0) {
			row->entries[i].value->text = text;
			return 0;
		}
	}
	sonic_put(s, row, config_arena_copy(&s->c->arena, key, strlen(key)), &row->mark, "%s", "");
	row->entries[row->count - 1].value->text = text;
	return 0;
}

static int
read_row(struct sonic *s, const char *file, struct config_node *table, const char *name,
	 const char *key, json_t *fields, bool fresh)
{
	struct config_mark mark = {.file = sonic_print(s, "%s: %.60s|%.100s", file, name, key)};
	struct config_node *row = fresh ? NULL : config_tree_find(table, key);
	bool fresh_row = row == NULL;
	const char *field;
	json_t *value;

	if (!json_is_object(fields))
		return config_fail(&s->c->error, &mark, "takes an object of fields ({...})");
	if (row == NULL && table->count >= SONIC_MAX_ROWS)
		return config_fail(&s->c->error, &mark, "more than %u rows in %.60s",
				   SONIC_MAX_ROWS, name);
	if (row == NULL)
		row = sonic_put_map(s, table, config_arena_copy(&s->c->arena, key, strlen(key)),
				    CONFIG_MAP, &mark);
	row->mark = mark;
	json_object_foreach(fields, field, value)
	{
		int rc = read_field(s, row, field, value, fresh_row);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
read_table(struct sonic *s, const char *file, const char *name, json_t *rows)
{
	struct config_mark mark = {.file = sonic_print(s, "%s: %.60s", file, name)};
	struct config_node *table = config_tree_find(s->tables, name);
	bool fresh = table == NULL;
	const char *key;
	json_t *fields;
	int rc = 0;

	if (fresh && s->tables->count >= SONIC_MAX_TABLES)
		return config_fail(&s->c->error, &mark, "more than %u tables", SONIC_MAX_TABLES);
	if (fresh)
		table = sonic_put_map(s, s->tables,
				      config_arena_copy(&s->c->arena, name, strlen(name)),
				      CONFIG_MAP, &mark);
	/* What is in tables that are not read is nobody's business here, whatever it is. */
	if (!sonic_is_read(name))
		return 0;
	if (!json_is_object(rows))
		return config_fail(&s->c->error, &mark, "takes an object of rows ({...})");
	json_object_foreach(rows, key, fields)
	{
		rc = read_row(s, file, table, name, key, fields, fresh);
		if (rc != 0)
			break;
	}
	return rc;
}

static int
read_tables(struct sonic *s, const char *file, json_t *root)
{
	const char *name;
	json_t *rows;

	json_object_foreach(root, name, rows)
	{
		int rc = read_table(s, file, name, rows);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* A file of a switch of several ASICs has a CONFIG_DB for each: {"localhost": {}, "asic0": {}}. */
static int
read_namespaces(struct sonic *s, const char *file, json_t *root)
{
	struct config_mark mark = {.file = file};
	const char *name, *wanted = s->options->namespace;
	json_t *tables, *found = NULL;
	int rc;

	json_object_foreach(root, name, tables)
	{
		if (!is_namespace(name))
			continue;
		if (wanted != NULL && strcmp(name, wanted) != 0 && strcmp(name + 4, wanted) != 0)
			continue;
		if (found != NULL)
			return config_fail(
				&s->c->error, &mark,
				"holds several ASICs (asic0, ...): say which, asic_namespace: 0");
		found = tables;
	}
	if (found == NULL)
		return config_fail(&s->c->error, &mark, "has no \"%.40s\" among its ASICs",
				   wanted != NULL ? wanted : "asic0");
	tables = json_object_get(root, "localhost");
	rc = json_is_object(tables) ? read_tables(s, file, tables) : 0;
	if (rc == 0 && !json_is_object(found))
		rc = config_fail(&s->c->error, &mark, "an ASIC takes an object of tables ({...})");
	return rc != 0 ? rc : read_tables(s, file, found);
}

static int
read_json(struct sonic *s, const char *file, const uint8_t *data, size_t bytes)
{
	struct config_mark mark = {.file = file};
	json_error_t error;
	json_t *root = json_loadb((const char *)data, bytes, JSON_REJECT_DUPLICATES, &error);
	bool several = false;
	const char *key;
	json_t *value;
	int rc;

	if (root == NULL && bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
		mark.line = mark.column = 1;
		return config_fail(&s->c->error, &mark,
				   "not JSON: it begins with a byte order mark; save it without");
	}
	if (root == NULL) {
		mark.line = error.line > 0 ? (uint32_t)error.line : 1;
		mark.column = error.column > 0 ? (uint32_t)error.column : 1;
		return config_fail(&s->c->error, &mark, "not JSON: %s", error.text);
	}
	json_object_foreach(root, key, value) several = several || is_namespace(key);
	if (!json_is_object(root))
		rc = config_fail(&s->c->error, &mark, "takes an object of tables ({...})");
	else
		rc = several ? read_namespaces(s, file, root) : read_tables(s, file, root);
	json_decref(root);
	return rc;
}

static bool
has_suffix(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

int
sonic_read_files(struct sonic *s)
{
	struct config *c = s->c;

	s->tables = sonic_map(s, &s->options->mark);
	for (uint32_t i = 0; i < s->options->file_count; i++) {
		const char *file = config_beside(c, s->options->files[i].text);
		struct config_mark mark = {.file = file};
		uint8_t *data = NULL;
		size_t bytes = 0;
		int rc;

		config_note_input(c, file);
		rc = config_read_file(&mark, &data, &bytes, &c->error);
		if (rc == 0 && has_suffix(file, ".ini"))
			rc = sonic_read_lookup(s, file, (const char *)data);
		else if (rc == 0)
			rc = read_json(s, file, data, bytes);
		free(data);
		if (rc != 0)
			return rc;
	}
	return 0;
}
