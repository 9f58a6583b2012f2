/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The YAML document as a tree that remembers where each part stood, and the arena that all
 * parts of a configuration live in.
 *
 * Size is bounded before anything is decoded: bytes, nodes (aliases counted each time they
 * are used) and depth. Duplicate keys are errors; "<<" merges as in YAML 1.1.
 */
#ifndef RAILYARD_CONFIG_TREE_H
#define RAILYARD_CONFIG_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_MAX_BYTES (16u << 20)
#define CONFIG_MAX_NODES (1u << 18)
#define CONFIG_MAX_DEPTH 32

/* line 0: the place has no line (a --set argument, a default). */
struct config_mark {
	const char *file;
	uint32_t line;
	uint32_t column;
};

enum config_node_kind { CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP };

struct config_node;

struct config_entry {
	const char *key; /* NULL in lists */
	struct config_mark mark;
	struct config_node *value;
};

struct config_node {
	enum config_node_kind kind;
	bool plain;   /* a scalar without quotes */
	bool removed; /* its key is to be taken out: config_tree_prune() */
	bool hides;   /* ... and there was something under it */
	struct config_mark mark;
	const char *text; /* of a scalar */
	uint32_t count;   /* entries of a list or map */
	uint32_t size;
	struct config_entry *entries;
};

struct config_block;

/* All that a configuration allocates; freed at once. Running out of memory ends the program. */
struct config_arena {
	struct config_block *blocks;
	uint32_t nodes;
};

void *config_arena_alloc(struct config_arena *arena, size_t bytes);
char *config_arena_copy(struct config_arena *arena, const char *text, size_t bytes);
void config_arena_free(struct config_arena *arena);

/* Where the one line of an error goes; the first one stays. */
struct config_error {
	char *text;
	size_t bytes;
	bool failed;
};

/* Always -EINVAL, so that `return config_fail(...)` reads well. */
int config_fail(struct config_error *error, const struct config_mark *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "file:line:col", or the file alone. */
void config_mark_print(const struct config_mark *mark, char *out, size_t bytes);

/* Parse one document. 0 or -EINVAL. An empty document is an error. */
int config_tree_parse(struct config_arena *arena, const char *file, const uint8_t *data,
		      size_t bytes, struct config_node **out, struct config_error *error);

/*
 * All of a file of at most CONFIG_MAX_BYTES, and a NUL after it; the caller frees it. mark: its
 * path. 0 or -EINVAL.
 */
int config_read_file(const struct config_mark *mark, uint8_t **data, size_t *bytes,
		     struct config_error *error);

/* The whole file; -ENOENT and the like are in the message, -EINVAL is returned for all. */
int config_tree_read(struct config_arena *arena, const char *path, struct config_node **out,
		     struct config_error *error);

/* The tree as YAML: what fits a line stands on one. */
void config_tree_print(const struct config_node *node, FILE *out);
/* A text as a YAML scalar, quoted when it must be. */
void config_text_print(const char *text, FILE *out);

/* The value of a key, or NULL (also when node is NULL or no map). */
struct config_node *config_tree_find(const struct config_node *node, const char *key);

/* Where a key of a map stands: its own mark, or the map's when it is not there. */
struct config_mark config_tree_mark(const struct config_node *node, const char *key);

void config_tree_append(struct config_arena *arena, struct config_node *node, const char *key,
			const struct config_mark *mark, struct config_node *value);

/* Add to `over` what only `under` has, maps key by key; `over` wins. */
void config_tree_merge(struct config_arena *arena, struct config_node *over,
		       const struct config_node *under);

/*
 * Apply "path=value" to the tree of a whole file; the value null takes the key out. A word that
 * stands for a map becomes that map when a key below it is set. -ENOENT with the error untouched
 * when the path names an entry of a list that is not there (a profile may bring it). With
 * merged, the entry after the last one is made. Other failures are -EINVAL with a message.
 */
int config_tree_set(struct config_arena *arena, struct config_node *root, const char *text,
		    bool merged, struct config_error *error);

/* Take out what was set to null; an error when there was no such key. */
int config_tree_prune(struct config_node *root, struct config_error *error);

#endif
