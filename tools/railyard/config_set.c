/* SPDX-License-Identifier: BSD-3-Clause */
/* --set PATH=VALUE: keys by dots, entries of lists as [2] or .2; missing keys are made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_tree.h"

#define PATH_PARTS 16

struct path {
	const char *parts[PATH_PARTS];
	bool index[PATH_PARTS]; /* written [2] */
	uint32_t count;
};

/* Everything after "expect." is one key: metrics have dots. */
static int
path_split(struct config_arena *arena, const char *text, size_t bytes, struct path *path)
{
	char *p = config_arena_copy(arena, text, bytes);

	path->count = 0;
	while (*p != '\0') {
		bool index = path->count > 0 && *p == '[';
		size_t n;

		if (path->count > 0 && !index && *p++ != '.')
			return -EINVAL;
		p += index;
		n = strcspn(p, index ? "]" : ".[");
		if (path->count == 1 && strcmp(path->parts[0], "expect") == 0)
			n = strlen(p);
		if (n == 0 || path->count == PATH_PARTS || (index && p[n] != ']'))
			return -EINVAL;
		path->index[path->count] = index;
		path->parts[path->count++] = config_arena_copy(arena, p, n);
		p += n + index;
	}
	return path->count > 0 ? 0 : -EINVAL;
}

static int
parse_value(struct config_arena *arena, const struct config_mark *mark, const char *text,
	    struct config_node **out, struct config_error *error)
{
	char buffer[256] = "";
	struct config_error inner = {.text = buffer, .bytes = sizeof(buffer)};
	const char *why;

	if (*text != '\0' && strchr("[{\"'", *text) != NULL) {
		if (config_tree_parse(arena, "", (const uint8_t *)text, strlen(text), out,
				      &inner) == 0)
			return 0;
		why = strstr(buffer, ": ");
		return config_fail(error, mark, "%s", why != NULL ? why + 2 : "not YAML");
	}
	*out = config_arena_alloc(arena, sizeof(**out));
	(*out)->kind = CONFIG_SCALAR;
	(*out)->plain = true;
	(*out)->text = config_arena_copy(arena, text, strlen(text));
	return 0;
}

/* Positions inside the argument help nobody: the argument itself is the place. */
static void
mark_all(struct config_node *node, const struct config_mark *mark)
{
	node->mark = *mark;
	for (uint32_t i = 0; i < node->count; i++) {
		node->entries[i].mark = *mark;
		mark_all(node->entries[i].value, mark);
	}
}

static int
list_index(const struct config_node *list, const char *part, uint32_t *index)
{
	char *end;
	unsigned long n = strtoul(part, &end, 10);

	if (*part < '0' || *part > '9' || *end != '\0' || n >= list->count)
		return -ENOENT;
	*index = (uint32_t)n;
	return 0;
}

/* An empty plain scalar ("h:") may become a map. */
static bool
is_empty(const struct config_node *node)
{
	return node->kind == CONFIG_SCALAR && node->plain && node->text[0] == '\0';
}

static struct config_entry *
find_entry(struct config_node *map, const char *key)
{
	for (uint32_t i = 0; i < map->count; i++)
		if (strcmp(map->entries[i].key, key) == 0)
			return &map->entries[i];
	return NULL;
}

static int
descend(struct config_arena *arena, struct config_node *node, const struct path *path, uint32_t at,
	const struct config_mark *mark, struct config_node *value, struct config_error *error)
{
	const char *part = path->parts[at];
	bool last = at + 1 == path->count;
	struct config_entry *e;
	uint32_t index;

	if (node->kind == CONFIG_SCALAR && is_empty(node))
		node->kind = CONFIG_MAP;
	if (node->kind == CONFIG_SCALAR)
		return config_fail(error, mark, "%s is a value (%s), nothing is below it",
				   at > 0 ? path->parts[at - 1] : "the file", node->text);
	if (node->kind == CONFIG_LIST) {
		if (list_index(node, part, &index) != 0)
			return -ENOENT;
		e = &node->entries[index];
	} else {
		e = find_entry(node, part);
		if (e == NULL) {
			struct config_node *child = value;

			if (!last && path->index[at + 1])
				return -ENOENT; /* a list that a profile may bring */
			if (!last) {
				child = config_arena_alloc(arena, sizeof(*child));
				child->kind = CONFIG_MAP;
				child->mark = *mark;
			}
			config_tree_append(arena, node, part, mark, child);
			e = find_entry(node, part);
		}
	}
	if (last) {
		e->value = value;
		e->mark = *mark;
		return 0;
	}
	return descend(arena, e->value, path, at + 1, mark, value, error);
}

int
config_tree_set(struct config_arena *arena, struct config_node *root, const char *text,
		struct config_error *error)
{
	const char *equals = strchr(text, '=');
	size_t bytes = strlen(text) + sizeof("--set ");
	char *place = config_arena_alloc(arena, bytes);
	struct config_mark mark = {.file = place};
	struct config_node *value;
	struct path path;
	int rc;

	snprintf(place, bytes, "--set %s", text);
	if (equals == NULL || path_split(arena, text, (size_t)(equals - text), &path) != 0)
		return config_fail(error, &mark,
				   "not PATH=VALUE, such as switches.tor.wred.lossless.min=100KB");
	rc = parse_value(arena, &mark, equals + 1, &value, error);
	if (rc != 0)
		return rc;
	mark_all(value, &mark);
	return descend(arena, root, &path, 0, &mark, value, error);
}
