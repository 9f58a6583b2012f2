/* SPDX-License-Identifier: BSD-3-Clause */
/* From a tree to raw structs, by the table of fields. */
#ifndef RAILYARD_CONFIG_DECODE_H
#define RAILYARD_CONFIG_DECODE_H

#include "config_fields.h"
#include "config_raw.h"
#include "config_tree.h"

struct config_decoder {
	struct config_arena *arena;
	struct config_error *error;
};

/* Fill `item` (of object->size) from `node`, or with defaults when node is NULL. 0/-EINVAL. */
int config_decode(const struct config_decoder *d, const struct config_object *object,
		  const struct config_node *node, const struct config_mark *mark,
		  struct raw_item *item);

/* By key or alias; NULL when there is none. */
const struct config_field *config_find_field(const struct config_object *object, const char *key);

/* One field from a node that is not NULL. */
int config_decode_field(const struct config_decoder *d, const struct config_field *field,
			const struct config_node *node, void *slot);

/* Kinds with a notation of their own (config_decode_lists.c). */
int config_decode_priorities(const struct config_decoder *d, const struct config_field *field,
			     const struct config_node *node, int *mask);
int config_decode_range(const struct config_decoder *d, const struct config_field *field,
			const struct config_node *node, struct raw_range *range);
int config_decode_table(const struct config_decoder *d, const struct config_field *field,
			const struct config_node *node, struct raw_map *map);
int config_decode_texts(const struct config_decoder *d, const struct config_field *field,
			const struct config_node *node, struct raw_texts *texts);
int config_decode_points(const struct config_decoder *d, const struct config_field *field,
			 const struct config_node *node, struct raw_point **points,
			 uint32_t *count);

/* "3" or "0-15"; false when it is neither or beyond `count`. */
bool config_parse_span(const char *text, uint32_t count, uint32_t *first, uint32_t *last);

/* The known word nearest to `word` when it is near enough to be meant, or NULL. */
const char *config_nearest(const char *word, const char *const *known, uint32_t count);

/* "a map", "a list", "\"text\"" */
const char *config_node_describe(const struct config_node *node, char *buffer, size_t bytes);

static inline void *
config_array_at(const struct raw_array *array, size_t size, uint32_t n)
{
	return (char *)array->items + size * n;
}

static inline bool
config_range_has(const struct raw_range *range, uint32_t n)
{
	return range->all || (n < CONFIG_MAX_RANGE && (range->bits[n / 64] >> n % 64 & 1));
}

#endif
