/* SPDX-License-Identifier: BSD-3-Clause */
/* `sonic` and `asic` of a switch: what they stand for goes under the switch's own keys. */
#include <errno.h>
#include <string.h>

#include "sonic.h"

/* A key's value, if it is not to be taken out (--set KEY=null). */
static struct config_node *
given(const struct config_node *sw, const char *key)
{
	struct config_node *value = config_tree_find(sw, key);

	return value != NULL && value->removed ? NULL : value;
}

/* The facts that are keys of a switch. */
static int
merge_asic(struct config *c, struct config_node *sw, const struct config_node *asic)
{
	static const char *const keys[] = {"cell", "partitions", "buffer", "size_includes_xoff"};
	struct raw_asic facts;
	struct config_node *file;
	int rc;

	if (asic->kind != CONFIG_SCALAR || asic->text[0] == '\0')
		return 0; /* decoding says what is wrong with it */
	rc = config_find_asic(c, asic->text, &asic->mark, &facts, &file);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && rc == 0; i++) {
		struct config_node *value = config_tree_find(file, keys[i]);

		if (value == NULL && strcmp(keys[i], "buffer") == 0)
			value = config_tree_find(file, "memory");
		if (value != NULL && config_tree_find(sw, keys[i]) == NULL)
			config_tree_append(&c->arena, sw, keys[i], &value->mark, value);
	}
	return rc;
}

static int
read_options(struct config *c, const struct config_node *sw, struct raw_switch *raw,
	     struct sonic_options *o)
{
	static const char *const keys[] = {"sonic", "asic", "asic_namespace", "rate"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct config_field *f = config_find_field(&config_switch_object, keys[i]);
		const struct config_node *value = given(sw, keys[i]);
		int rc = value == NULL ? 0
				       : config_decode_field(&c->decoder, f, value,
							     (char *)raw + f->offset);

		if (rc != 0)
			return rc;
	}
	*o = (struct sonic_options){
		.files = raw->sonic.items,
		.file_count = raw->sonic.count,
		.asic = raw->asic,
		.namespace = raw->asic_namespace,
		.rate_bps = raw->rate_bps,
		.mark = config_tree_find(sw, "sonic")->mark,
	};
	return 0;
}

int
config_merge_sonic(struct config *c, struct config_node *sw)
{
	const struct config_node *asic = given(sw, "asic");
	struct raw_switch *raw = CONFIG_NEW(c, struct raw_switch, 1);
	struct sonic_options options;
	struct sonic sonic;
	int rc;

	if (given(sw, "sonic") == NULL)
		return asic == NULL ? 0 : merge_asic(c, sw, asic);
	rc = read_options(c, sw, raw, &options);
	if (rc == 0)
		rc = sonic_import(&sonic, c, &options);
	if (rc == 0)
		config_tree_merge(&c->arena, sw, sonic.out);
	return rc;
}

int
config_make_sonic(struct config *c, const struct config_sonic *what)
{
	struct raw_text *files = CONFIG_NEW(c, struct raw_text, what->file_count);
	struct sonic_options options = {
		.files = files,
		.file_count = what->file_count,
		.asic = what->asic,
		.namespace = what->asic_namespace,
		.mark.file = what->files[0],
	};
	struct config_node *switches;
	struct sonic s;
	char why[160];
	int rc;

	for (uint32_t i = 0; i < what->file_count; i++)
		files[i].text = what->files[i];
	if (what->rate != NULL && config_unit_parse(CONFIG_UNIT_RATE, what->rate, &options.rate_bps,
						    why, sizeof(why)) != 0)
		return config_fail(&c->error, NULL, "--rate: %s", why);
	if (what->rate != NULL && options.rate_bps < 1000000)
		return config_fail(&c->error, NULL, "--rate %s: takes 1Mbps or more", what->rate);
	rc = sonic_import(&s, c, &options);
	if (rc != 0)
		return rc;
	c->root = sonic_map(&s, &options.mark);
	sonic_put(&s, c->root, "time", &options.mark, "virtual");
	sonic_put(&s, c->root, "duration", &options.mark, "5ms");
	switches = sonic_put_map(&s, c->root, "switches", CONFIG_MAP, &options.mark);
	config_tree_append(&c->arena, switches,
			   config_arena_copy(&c->arena, what->name, strlen(what->name)),
			   &options.mark, s.out);
	return sonic_write_scenario(&s, what->name, c->root);
}
