/* SPDX-License-Identifier: BSD-3-Clause */
/* libyaml's events into a tree. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yaml.h>

#include "config_tree.h"

struct anchor {
	struct anchor *next;
	const char *name;
	const struct config_node *node; /* NULL while it is being read */
};

struct reader {
	yaml_parser_t parser;
	struct config_arena *arena;
	struct config_error *error;
	const char *file;
	struct anchor *anchors;
};

static struct config_mark
mark_at(const struct reader *r, const yaml_mark_t *m)
{
	return (struct config_mark){
		.file = r->file,
		.line = (uint32_t)m->line + 1,
		.column = (uint32_t)m->column + 1,
	};
}

static int
fail_yaml(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct config_mark mark = mark_at(r, &p->problem_mark);

	if (p->error == YAML_READER_ERROR)
		mark = (struct config_mark){.file = r->file};
	return config_fail(r->error, &mark, "not YAML: %s%s%s",
			   p->problem != NULL ? p->problem : "cannot be read",
			   p->context != NULL ? ", " : "", p->context != NULL ? p->context : "");
}

static int
next_event(struct reader *r, yaml_event_t *event)
{
	return yaml_parser_parse(&r->parser, event) ? 0 : fail_yaml(r);
}

static int
new_node(struct reader *r, const yaml_event_t *event, enum config_node_kind kind,
	 struct config_node **out)
{
	struct config_mark mark = mark_at(r, &event->start_mark);

	if (++r->arena->nodes > CONFIG_MAX_NODES)
		return config_fail(r->error, &mark, "more than %u values (aliases counted)",
				   CONFIG_MAX_NODES);
	*out = config_arena_alloc(r->arena, sizeof(**out));
	(*out)->kind = kind;
	(*out)->mark = mark;
	return 0;
}

static struct anchor *
add_anchor(struct reader *r, const yaml_char_t *name)
{
	struct anchor *a;

	if (name == NULL)
		return NULL;
	a = config_arena_alloc(r->arena, sizeof(*a));
	a->name = config_arena_copy(r->arena, (const char *)name, strlen((const char *)name));
	a->next = r->anchors;
	r->anchors = a;
	return a;
}

static int read_value(struct reader *r, yaml_event_t *event, unsigned depth,
		      struct config_node **out);

/* A copy for each use, since overrides may change one of them. */
static int
copy_node(struct reader *r, const yaml_event_t *event, const struct config_node *from,
	  unsigned depth, struct config_node **out)
{
	int rc = new_node(r, event, from->kind, out);

	if (rc != 0)
		return rc;
	if (depth > CONFIG_MAX_DEPTH)
		return config_fail(r->error, &(*out)->mark, "nested deeper than %u",
				   CONFIG_MAX_DEPTH);
	(*out)->plain = from->plain;
	(*out)->text = from->text;
	for (uint32_t i = 0; i < from->count; i++) {
		struct config_node *value = NULL;

		rc = copy_node(r, event, from->entries[i].value, depth + 1, &value);
		if (rc != 0)
			return rc;
		value->mark = from->entries[i].value->mark;
		config_tree_append(r->arena, *out, from->entries[i].key, &from->entries[i].mark,
				   value);
	}
	return 0;
}

static int
read_alias(struct reader *r, const yaml_event_t *event, unsigned depth, struct config_node **out)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct config_mark mark = mark_at(r, &event->start_mark);

	for (const struct anchor *a = r->anchors; a != NULL; a = a->next) {
		if (strcmp(a->name, name) != 0)
			continue;
		if (a->node == NULL)
			return config_fail(r->error, &mark, "*%s is inside what it stands for",
					   name);
		return copy_node(r, event, a->node, depth, out);
	}
	return config_fail(r->error, &mark, "*%s: no &%s before it", name, name);
}

static int
read_scalar(struct reader *r, const yaml_event_t *event, struct config_node **out)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t bytes = event->data.scalar.length;
	int rc = new_node(r, event, CONFIG_SCALAR, out);

	if (rc != 0)
		return rc;
	if (memchr(text, '\0', bytes) != NULL)
		return config_fail(r->error, &(*out)->mark, "a NUL character in a value");
	(*out)->text = config_arena_copy(r->arena, text, bytes);
	(*out)->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return 0;
}

static int
read_list(struct reader *r, const yaml_event_t *start, unsigned depth, struct config_node **out)
{
	int rc = new_node(r, start, CONFIG_LIST, out);

	while (rc == 0) {
		struct config_node *value = NULL;
		yaml_event_t event;

		rc = next_event(r, &event);
		if (rc != 0)
			break;
		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			break;
		}
		rc = read_value(r, &event, depth, &value);
		if (rc == 0)
			config_tree_append(r->arena, *out, NULL, &value->mark, value);
	}
	return rc;
}

static int
add_to_map(struct reader *r, struct config_node *map, struct config_node *merged,
	   const struct config_node *key, struct config_node *value)
{
	if (strcmp(key->text, "<<") == 0 && key->plain) {
		if (value->kind != CONFIG_MAP)
			return config_fail(r->error, &key->mark, "<<: merges a map only");
		config_tree_merge(r->arena, merged, value);
		return 0;
	}
	if (config_tree_find(map, key->text) != NULL)
		return config_fail(r->error, &key->mark,
				   "%s: a second time; the first is at line %u", key->text,
				   config_tree_mark(map, key->text).line);
	config_tree_append(r->arena, map, key->text, &key->mark, value);
	return 0;
}

static int
read_map(struct reader *r, const yaml_event_t *start, unsigned depth, struct config_node **out)
{
	struct config_node merged = {.kind = CONFIG_MAP}; /* its keys yield to the map's own */
	int rc = new_node(r, start, CONFIG_MAP, out);

	while (rc == 0) {
		struct config_node *key, *value = NULL;
		yaml_event_t event;

		rc = next_event(r, &event);
		if (rc != 0)
			break;
		if (event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			break;
		}
		rc = read_value(r, &event, depth, &key);
		if (rc == 0 && key->kind != CONFIG_SCALAR)
			rc = config_fail(r->error, &key->mark,
					 "a list or map as a key; keys are plain words");
		if (rc == 0)
			rc = next_event(r, &event);
		if (rc == 0)
			rc = read_value(r, &event, depth, &value);
		if (rc == 0)
			rc = add_to_map(r, *out, &merged, key, value);
	}
	if (rc == 0)
		config_tree_merge(r->arena, *out, &merged);
	return rc;
}

/* Takes the event. */
static int
read_value(struct reader *r, yaml_event_t *event, unsigned depth, struct config_node **out)
{
	struct config_mark mark = mark_at(r, &event->start_mark);
	struct anchor *anchor = NULL;
	int rc;

	*out = NULL;
	if (depth >= CONFIG_MAX_DEPTH) {
		rc = config_fail(r->error, &mark, "nested deeper than %u", CONFIG_MAX_DEPTH);
		yaml_event_delete(event);
		return rc;
	}
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		rc = read_alias(r, event, depth + 1, out);
		break;
	case YAML_SCALAR_EVENT:
		anchor = add_anchor(r, event->data.scalar.anchor);
		rc = read_scalar(r, event, out);
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = add_anchor(r, event->data.sequence_start.anchor);
		rc = read_list(r, event, depth + 1, out);
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = add_anchor(r, event->data.mapping_start.anchor);
		rc = read_map(r, event, depth + 1, out);
		break;
	default:
		rc = config_fail(r->error, &mark, "not YAML: a value is missing");
		break;
	}
	if (rc == 0 && anchor != NULL)
		anchor->node = *out;
	yaml_event_delete(event);
	return rc;
}

/* STREAM-START, DOCUMENT-START, a value, DOCUMENT-END, STREAM-END. */
static int
read_stream(struct reader *r, struct config_node **out)
{
	struct config_mark mark;
	yaml_event_t event;
	int rc = next_event(r, &event);

	if (rc != 0)
		return rc;
	yaml_event_delete(&event);
	rc = next_event(r, &event);
	if (rc != 0)
		return rc;
	if (event.type != YAML_DOCUMENT_START_EVENT) {
		yaml_event_delete(&event);
		return config_fail(r->error, &(struct config_mark){.file = r->file},
				   "is empty; it must be a map of keys to values");
	}
	yaml_event_delete(&event);
	rc = next_event(r, &event);
	if (rc == 0)
		rc = read_value(r, &event, 0, out);
	if (rc == 0)
		rc = next_event(r, &event);
	if (rc != 0)
		return rc;
	yaml_event_delete(&event);
	rc = next_event(r, &event);
	if (rc != 0)
		return rc;
	mark = mark_at(r, &event.start_mark);
	if (event.type != YAML_STREAM_END_EVENT)
		rc = config_fail(r->error, &mark, "a second document; a file holds one");
	yaml_event_delete(&event);
	return rc;
}

int
config_tree_parse(struct config_arena *arena, const char *file, const uint8_t *data, size_t bytes,
		  struct config_node **out, struct config_error *error)
{
	struct reader r = {.arena = arena, .error = error, .file = file};
	struct config_mark mark = {.file = file};
	int rc;

	if (bytes > CONFIG_MAX_BYTES)
		return config_fail(error, &mark, "larger than %u MiB", CONFIG_MAX_BYTES >> 20);
	if (!yaml_parser_initialize(&r.parser))
		return config_fail(error, &mark, "out of memory");
	yaml_parser_set_input_string(&r.parser, data, bytes);
	rc = read_stream(&r, out);
	yaml_parser_delete(&r.parser);
	return rc;
}

/*
 * A pipe that nobody writes to is empty; to open it as a file would wait for somebody for good.
 * Where somebody does, as in `<(ssh switch cat ...)`, reading waits as ever.
 */
static FILE *
open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");

	if (f != NULL)
		fcntl(fd, F_SETFL, 0);
	else if (fd >= 0)
		close(fd);
	return f;
}

int
config_read_file(const struct config_mark *mark, uint8_t **out, size_t *out_bytes,
		 struct config_error *error)
{
	size_t bytes = 0, size = 65536;
	uint8_t *data = NULL, *larger;
	FILE *f = open_file(mark->file);
	int rc = 0;

	*out = NULL;
	if (f == NULL)
		return config_fail(error, mark, "%s", strerror(errno));
	do {
		larger = realloc(data, size + 1);
		if (larger == NULL) {
			rc = config_fail(error, mark, "out of memory");
			break;
		}
		data = larger;
		errno = 0;
		bytes += fread(data + bytes, 1, size - bytes, f);
		data[bytes] = '\0';
		if (ferror(f)) {
			rc = config_fail(error, mark, "%s", strerror(errno));
			break;
		}
		size *= 2;
	} while (!feof(f) && bytes <= CONFIG_MAX_BYTES);
	fclose(f);
	if (rc == 0 && bytes > CONFIG_MAX_BYTES)
		rc = config_fail(error, mark, "larger than %u MiB", CONFIG_MAX_BYTES >> 20);
	if (rc != 0) {
		free(data);
		return rc;
	}
	*out = data;
	*out_bytes = bytes;
	return 0;
}

int
config_tree_read(struct config_arena *arena, const char *path, struct config_node **out,
		 struct config_error *error)
{
	struct config_mark mark = {.file = config_arena_copy(arena, path, strlen(path))};
	uint8_t *data = NULL;
	size_t bytes = 0;
	int rc = config_read_file(&mark, &data, &bytes, error);

	if (rc == 0)
		rc = config_tree_parse(arena, mark.file, data, bytes, out, error);
	free(data);
	return rc;
}
