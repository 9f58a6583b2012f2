/* SPDX-License-Identifier: BSD-3-Clause */
/* BUFFER_POOL and BUFFER_PROFILE. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonic.h"

#define HIGHEST_THRESHOLD 7

static int
check_word(struct sonic *s, const struct config_node *row, const char *field,
	   const char *const *words, const char *fallback, const char **out)
{
	const char *text = sonic_field(row, field);
	const char *const *known = words;

	*out = text != NULL ? text : fallback;
	if (*out == NULL)
		return config_fail(&s->c->error, &row->mark, "has no %s", field);
	for (; *words != NULL; words++)
		if (strcmp(*words, *out) == 0)
			return 0;
	return config_fail(&s->c->error, &row->mark, "%s: \"%.40s\", but it takes %s or %s", field,
			   *out, known[0], known[1]);
}

/* A size in bytes as it is written there; nothing when the field is not there. */
static int
copy_bytes(struct sonic *s, const struct config_node *row, const char *field,
	   struct config_node *out)
{
	uint64_t bytes;
	int rc = sonic_number(s, row, field, 1ULL << 40, 0, &bytes);

	if (rc == 0 && sonic_field(row, field) != NULL)
		sonic_put(s, out, field, &row->mark, "%" PRIu64, bytes);
	return rc;
}

static int
write_pool(struct sonic *s, struct config_node *pools, const struct config_entry *e)
{
	static const char *const fields[] = {"type", "mode", "size", "xoff", "percentage", NULL};
	static const char *const types[] = {"ingress", "egress", "both", NULL};
	static const char *const modes[] = {"dynamic", "static", NULL};
	const struct config_node *row = e->value;
	struct config_node *pool;
	const char *type, *mode;
	int rc = sonic_known_fields(s, row, fields);

	if (rc == 0)
		rc = check_word(s, row, "type", types, NULL, &type);
	if (rc == 0)
		rc = check_word(s, row, "mode", modes, NULL, &mode);
	if (rc != 0)
		return rc;
	pool = sonic_put_map(s, pools, sonic_name(s, e->key), CONFIG_MAP, &row->mark);
	sonic_put(s, pool, "type", &row->mark, "%s", type);
	sonic_put(s, pool, "mode", &row->mark, "%s", mode);
	rc = copy_bytes(s, row, "size", pool);
	return rc != 0 ? rc : copy_bytes(s, row, "xoff", pool);
}

/* Bytes that are guaranteed, of a size that on some ASICs counts the headroom too. */
int
sonic_guarantee(struct sonic *s, const struct config_mark *mark, const char *pool,
		uint64_t size_bytes, uint64_t xoff_bytes, uint64_t *out)
{
	const struct config_node *row = sonic_row(s, "BUFFER_POOL", pool);
	uint64_t shared_bytes = 0;
	int rc = row != NULL ? sonic_number(s, row, "xoff", 1ULL << 40, 0, &shared_bytes) : 0;

	*out = size_bytes;
	if (rc != 0 || s->asic.profile_includes_xoff != 1 || shared_bytes > 0)
		return rc;
	if (xoff_bytes > size_bytes)
		return config_fail(&s->c->error, mark,
				   "size: %" PRIu64 " is less than its xoff of %" PRIu64
				   ", which it counts on this ASIC",
				   size_bytes, xoff_bytes);
	*out = size_bytes - xoff_bytes;
	return 0;
}

static int
write_threshold(struct sonic *s, const struct config_node *row, struct config_node *profile)
{
	const char *dynamic = sonic_field(row, "dynamic_th");
	const char *fixed = sonic_field(row, "static_th");

	if (dynamic != NULL && fixed != NULL)
		return config_fail(&s->c->error, &row->mark,
				   "dynamic_th and static_th are both given");
	if (dynamic != NULL && strtol(dynamic, NULL, 10) > HIGHEST_THRESHOLD)
		return config_fail(&s->c->error, &row->mark,
				   "dynamic_th: %.40s is out of range, -8 to 7", dynamic);
	if (dynamic == NULL)
		return copy_bytes(s, row, "static_th", profile);
	if (s->asic.zero_threshold == 1 && strcmp(dynamic, "-8") == 0)
		sonic_put(s, profile, "static_th", &row->mark, "0");
	else
		sonic_put(s, profile, "dynamic_th", &row->mark, "%s",
			  strtol(dynamic, NULL, 10) > (long)s->asic.highest_threshold
				  ? sonic_print(s, "%" PRIu64, s->asic.highest_threshold)
				  : dynamic);
	return 0;
}

static int
write_profile(struct sonic *s, struct config_node *profiles, const struct config_entry *e)
{
	static const char *const fields[] = {"pool", "size", "dynamic_th", "static_th",
					     "xoff", "xon",  "xon_offset", "packet_discard_action",
					     NULL};
	const struct config_node *row = e->value;
	const char *pool = NULL, *discard = sonic_field(row, "packet_discard_action");
	uint64_t size_bytes, xoff_bytes;
	struct config_node *profile;
	int rc = sonic_known_fields(s, row, fields);

	if (rc == 0)
		rc = sonic_reference(s, row, "pool", "BUFFER_POOL", &pool);
	if (rc == 0 && pool == NULL)
		rc = config_fail(&s->c->error, &row->mark, "has no pool");
	if (rc == 0 && discard != NULL && strcmp(discard, "drop") != 0)
		rc = config_fail(&s->c->error, &row->mark,
				 "packet_discard_action: Railyard drops; it does not %.20s",
				 discard);
	if (rc == 0)
		rc = sonic_number(s, row, "size", 1ULL << 40, 0, &size_bytes);
	if (rc == 0)
		rc = sonic_number(s, row, "xoff", 1ULL << 40, 0, &xoff_bytes);
	if (rc == 0)
		rc = sonic_guarantee(s, &row->mark, pool, size_bytes, xoff_bytes, &size_bytes);
	if (rc != 0)
		return rc;
	profile = sonic_put_map(s, profiles, sonic_name(s, e->key), CONFIG_MAP, &row->mark);
	sonic_put(s, profile, "pool", &row->mark, "%s", sonic_name(s, pool));
	sonic_put(s, profile, "size", &row->mark, "%" PRIu64, size_bytes);
	rc = write_threshold(s, row, profile);
	if (rc == 0)
		rc = copy_bytes(s, row, "xoff", profile);
	if (rc == 0)
		rc = copy_bytes(s, row, "xon", profile);
	return rc != 0 ? rc : copy_bytes(s, row, "xon_offset", profile);
}

int
sonic_write_table(struct sonic *s, const char *table, const char *key, sonic_row_writer *write)
{
	const struct config_node *rows = sonic_table(s, table);
	struct config_node *out = sonic_put_map(s, s->out, key, CONFIG_MAP, &rows->mark);
	int rc = 0;

	for (uint32_t i = 0; i < rows->count && rc == 0; i++) {
		const struct config_entry *e = &rows->entries[i];

		if (config_tree_find(out, sonic_name(s, e->key)) != NULL)
			return config_fail(&s->c->error, &e->value->mark,
					   "another row has the same name but for punctuation (%s)",
					   sonic_name(s, e->key));
		rc = write(s, out, e);
	}
	return rc;
}

int
sonic_write_buffers(struct sonic *s)
{
	struct config_mark mark = s->options->mark;
	int rc;

	sonic_put(s, s->out, "cell", &mark, "%" PRIu64, s->asic.cell_bytes);
	sonic_put(s, s->out, "partitions", &mark, "%" PRIu64, s->asic.partitions);
	if (sonic_memory(&s->asic) != CONFIG_AUTO)
		sonic_put(s, s->out, "buffer", &mark, "%" PRIu64, sonic_memory(&s->asic));
	sonic_put(s, s->out, "size_includes_xoff", &mark, "%s",
		  s->asic.size_includes_xoff == 1 ? "yes" : "no");
	rc = sonic_write_table(s, "BUFFER_POOL", "pools", write_pool);
	return rc != 0 ? rc
		       : sonic_write_table(s, "BUFFER_PROFILE", "buffer_profiles", write_profile);
}
