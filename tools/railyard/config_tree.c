/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_tree.h"

struct config_block {
	struct config_block *next;
	size_t used;
	size_t size;
	max_align_t data[];
};

#define BLOCK_BYTES 16384u

void *
config_arena_alloc(struct config_arena *arena, size_t bytes)
{
	struct config_block *b = arena->blocks;
	void *p;

	bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (b == NULL || b->size - b->used < bytes) {
		size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = calloc(1, sizeof(*b) + size);
		if (b == NULL) {
			fputs("railyard: out of memory\n", stderr);
			abort();
		}
		b->size = size;
		b->next = arena->blocks;
		arena->blocks = b;
	}
	p = (char *)b->data + b->used;
	b->used += bytes;
	return p;
}

char *
config_arena_copy(struct config_arena *arena, const char *text, size_t bytes)
{
	char *copy = config_arena_alloc(arena, bytes + 1);

	memcpy(copy, text, bytes);
	return copy;
}

void
config_arena_free(struct config_arena *arena)
{
	while (arena->blocks != NULL) {
		struct config_block *b = arena->blocks;

		arena->blocks = b->next;
		free(b);
	}
	arena->nodes = 0;
}

void
config_mark_print(const struct config_mark *mark, char *out, size_t bytes)
{
	if (mark->line == 0)
		snprintf(out, bytes, "%s", mark->file != NULL ? mark->file : "?");
	else
		snprintf(out, bytes, "%s:%u:%u", mark->file, mark->line, mark->column);
}

int
config_fail(struct config_error *error, const struct config_mark *mark, const char *format, ...)
{
	char place[300] = "";
	size_t used = 0;
	va_list args;

	if (error->failed || error->bytes == 0) {
		error->failed = true;
		return -EINVAL;
	}
	error->failed = true;
	if (mark != NULL) {
		config_mark_print(mark, place, sizeof(place));
		used = (size_t)snprintf(error->text, error->bytes, "%s: ", place);
	}
	if (used < error->bytes) {
		va_start(args, format);
		vsnprintf(error->text + used, error->bytes - used, format, args);
		va_end(args);
	}
	for (char *p = error->text; *p != '\0'; p++) /* one line, whatever the file holds */
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return -EINVAL;
}

struct config_node *
config_tree_find(const struct config_node *node, const char *key)
{
	if (node == NULL || node->kind != CONFIG_MAP)
		return NULL;
	for (uint32_t i = 0; i < node->count; i++)
		if (strcmp(node->entries[i].key, key) == 0)
			return node->entries[i].value;
	return NULL;
}

struct config_mark
config_tree_mark(const struct config_node *node, const char *key)
{
	if (node == NULL)
		return (struct config_mark){.file = "?"};
	for (uint32_t i = 0; node->kind == CONFIG_MAP && i < node->count; i++)
		if (strcmp(node->entries[i].key, key) == 0)
			return node->entries[i].mark;
	return node->mark;
}

void
config_tree_append(struct config_arena *arena, struct config_node *node, const char *key,
		   const struct config_mark *mark, struct config_node *value)
{
	if (node->count == node->size) {
		uint32_t size = node->size == 0 ? 4 : 2 * node->size;
		struct config_entry *entries = config_arena_alloc(arena, size * sizeof(*entries));

		if (node->count > 0)
			memcpy(entries, node->entries, node->count * sizeof(*entries));
		node->entries = entries;
		node->size = size;
	}
	node->entries[node->count++] =
		(struct config_entry){.key = key, .mark = *mark, .value = value};
}

static struct config_node *
tree_copy(struct config_arena *arena, const struct config_node *node)
{
	struct config_node *copy = config_arena_alloc(arena, sizeof(*copy));

	arena->nodes++;
	*copy = *node;
	copy->entries = NULL;
	copy->count = 0;
	copy->size = 0;
	for (uint32_t i = 0; i < node->count; i++) {
		const struct config_entry *e = &node->entries[i];

		config_tree_append(arena, copy, e->key, &e->mark, tree_copy(arena, e->value));
	}
	return copy;
}

void
config_tree_merge(struct config_arena *arena, struct config_node *over,
		  const struct config_node *under)
{
	for (uint32_t i = 0; i < under->count; i++) {
		const struct config_entry *e = &under->entries[i];
		struct config_node *own = config_tree_find(over, e->key);

		if (own != NULL && own->removed)
			own->hides = true;
		else if (own == NULL)
			config_tree_append(arena, over, e->key, &e->mark,
					   tree_copy(arena, e->value));
		else if (own->kind == CONFIG_MAP && e->value->kind == CONFIG_MAP)
			config_tree_merge(arena, own, e->value);
	}
}
