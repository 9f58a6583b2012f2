/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --set PATH=VALUE: keys by dots, entries of lists as [2] or .2; missing keys are made. The table
 * of fields is followed along the path: it knows lists, and words that stand for maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_decode.h"
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

static bool
list_index(const char *part, uint32_t *index)
{
	char *end;
	unsigned long n = strtoul(part, &end, 10);

	*index = (uint32_t)n;
	return *part >= '0' && *part <= '9' && *end == '\0' && n < UINT32_MAX;
}

/* An empty plain scalar ("h:") may become a map. */
static bool
is_empty(const struct config_node *node)
{
	return node->kind == CONFIG_SCALAR && node->plain && node->text[0] == '\0';
}

/* What a node is by the table: an object, or many of a field's objects; neither when unknown. */
struct place {
	const struct config_object *object;
	const struct config_field *many;
};

static struct place
place_below(const struct place *place, const char *part)
{
	const struct config_field *f = NULL;

	if (place->many != NULL)
		return (struct place){.object = place->many->object};
	if (place->object != NULL && !place->object->is_value)
		f = config_find_field(place->object, part);
	if (f != NULL && (f->kind == CONFIG_NAMED || f->kind == CONFIG_OBJECTS))
		return (struct place){.many = f};
	return (struct place){.object = f != NULL ? f->object : NULL};
}

struct setting {
	struct config_arena *arena;
	struct config_error *error;
	struct config_mark mark;
	struct path path;
	struct config_node *value;
	bool removes;
	bool merged;
};

/* Is what the part at `at` is looked up in a list? */
static bool
wants_list(const struct setting *s, const struct place *place, uint32_t at)
{
	return s->path.index[at] || (place->many != NULL && place->many->kind == CONFIG_OBJECTS);
}

/* `node` becomes something that has entries, if it may. */
static int
open_node(const struct setting *s, struct config_node *node, const struct place *place, uint32_t at)
{
	const struct config_object *o = place->object;
	struct config_node *word;

	if (node->kind != CONFIG_SCALAR)
		return 0;
	if (is_empty(node)) {
		node->kind = wants_list(s, place, at) ? CONFIG_LIST : CONFIG_MAP;
		node->removed = false;
		return 0;
	}
	if (o == NULL || o->shorthand == NULL || o->is_value)
		return config_fail(s->error, &s->mark, "%s is a value (%s), nothing is below it",
				   at > 0 ? s->path.parts[at - 1] : "the file", node->text);
	word = config_arena_alloc(s->arena, sizeof(*word));
	*word = *node;
	node->kind = CONFIG_MAP;
	config_tree_append(s->arena, node, o->shorthand, &node->mark, word);
	return 0;
}

static struct config_entry *
append(const struct setting *s, struct config_node *node, const char *key)
{
	struct config_node *child = config_arena_alloc(s->arena, sizeof(*child));

	*child = (struct config_node){
		.kind = CONFIG_SCALAR, .plain = true, .text = "", .mark = s->mark};
	config_tree_append(s->arena, node, key, &s->mark, child);
	return &node->entries[node->count - 1];
}

static int
find_in_list(const struct setting *s, struct config_node *list, const char *part,
	     struct config_entry **out)
{
	uint32_t index;

	if (!list_index(part, &index) || index > list->count)
		return -ENOENT;
	if (index < list->count)
		*out = &list->entries[index];
	else if (s->merged)
		*out = append(s, list, NULL);
	else
		return -ENOENT;
	return 0;
}

static int
find_in_map(const struct setting *s, struct config_node *map, const struct place *place,
	    uint32_t at, struct config_entry **out)
{
	const char *part = s->path.parts[at];
	struct place below = place_below(place, part);

	for (uint32_t i = 0; i < map->count; i++) {
		if (strcmp(map->entries[i].key, part) == 0) {
			*out = &map->entries[i];
			return 0;
		}
	}
	if (at + 1 < s->path.count && wants_list(s, &below, at + 1) && !s->merged)
		return -ENOENT; /* a list that a profile may bring */
	*out = append(s, map, part);
	return 0;
}

/* What config_tree_prune() takes out. A key that cannot be is left for the decoder to reject. */
static int
remove_entry(const struct setting *s, const struct place *place, const char *part, bool was_there,
	     struct config_entry *e)
{
	if (e->key == NULL)
		return config_fail(s->error, &s->mark,
				   "null takes out a key, not an entry of a list; set the list");
	e->value = s->value;
	if (place->object != NULL && config_find_field(place->object, part) == NULL)
		return 0;
	*e->value = (struct config_node){.kind = CONFIG_SCALAR,
					 .plain = true,
					 .removed = true,
					 .hides = was_there,
					 .text = "",
					 .mark = s->mark};
	return 0;
}

static int
descend(const struct setting *s, struct config_node *node, struct place place, uint32_t at)
{
	const char *part = s->path.parts[at];
	int rc = open_node(s, node, &place, at);
	uint32_t count = node->count;
	struct config_entry *e;

	if (rc == 0 && node->kind == CONFIG_LIST)
		rc = find_in_list(s, node, part, &e);
	else if (rc == 0)
		rc = find_in_map(s, node, &place, at, &e);
	if (rc != 0)
		return rc;
	if (at + 1 < s->path.count)
		return descend(s, e->value, place_below(&place, part), at + 1);
	e->mark = s->mark;
	if (s->removes)
		return remove_entry(s, &place, part,
				    count == node->count && (!e->value->removed || e->value->hides),
				    e);
	e->value = s->value;
	return 0;
}

int
config_tree_set(struct config_arena *arena, struct config_node *root, const char *text, bool merged,
		struct config_error *error)
{
	const char *equals = strchr(text, '=');
	size_t bytes = strlen(text) + sizeof("--set ");
	char *place = config_arena_alloc(arena, bytes);
	struct setting s = {.arena = arena, .error = error, .mark.file = place, .merged = merged};
	int rc;

	snprintf(place, bytes, "--set %s", text);
	if (equals == NULL || path_split(arena, text, (size_t)(equals - text), &s.path) != 0)
		return config_fail(error, &s.mark,
				   "not PATH=VALUE, such as switches.tor.wred.lossless.min=100KB");
	rc = parse_value(arena, &s.mark, equals + 1, &s.value, error);
	if (rc != 0)
		return rc;
	mark_all(s.value, &s.mark);
	s.removes = strcmp(equals + 1, "null") == 0;
	return descend(&s, root, (struct place){.object = &config_run_object}, 0);
}

int
config_tree_prune(struct config_node *root, struct config_error *error)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < root->count; i++) {
		const struct config_entry e = root->entries[i];
		int rc;

		if (e.value->removed && !e.value->hides)
			return config_fail(error, &e.value->mark, "there is no %s to take out",
					   e.key);
		if (e.value->removed)
			continue;
		root->entries[kept++] = e;
		rc = config_tree_prune(e.value, error);
		if (rc != 0)
			return rc;
	}
	root->count = kept;
	return 0;
}
