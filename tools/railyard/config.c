/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading: text to tree, overrides, profiles under the switches, decode, resolve, check.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "sonic.h"

struct config_mark
config_item_mark(const struct raw_item *item, const char *key)
{
	if (item->node != NULL && config_tree_find(item->node, key) != NULL)
		return config_tree_find(item->node, key)->mark;
	return item->mark;
}

void
config_warn(struct config *c, const struct config_mark *mark, const char *format, ...)
{
	struct scenario *s = c->scenario;
	char place[300], text[512], *line;
	size_t bytes;
	va_list args;

	config_mark_print(mark, place, sizeof(place));
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	bytes = strlen(place) + strlen(text) + 3;
	line = config_arena_alloc(&c->arena, bytes);
	snprintf(line, bytes, "%s: %s", place, text);
	if (s->warning_count == c->warning_size) {
		uint32_t size = c->warning_size == 0 ? 16 : 2 * c->warning_size;
		char **warnings = CONFIG_NEW(c, char *, size);

		if (s->warning_count > 0)
			memcpy(warnings, s->warnings, s->warning_count * sizeof(*warnings));
		s->warnings = warnings;
		c->warning_size = size;
	}
	s->warnings[s->warning_count++] = line;
}

static int
apply_overrides(struct config *c, const struct config_override *sets, size_t count, bool merged,
		bool *done)
{
	for (size_t i = 0; i < count; i++) {
		int rc = done[i] ? 0
				 : config_tree_set(&c->arena, c->root, sets[i].text, merged,
						   &c->error);

		if (rc == -ENOENT && merged)
			return config_fail(&c->error, NULL,
					   "--set %s: there is no such entry of a list",
					   sets[i].text);
		if (rc == -EINVAL)
			return rc;
		done[i] = rc == 0;
	}
	return 0;
}

/* What is wrong with the whole may be due to an override that is right by itself. */
static void
blame_overrides(struct config *c, const struct config_override *sets, size_t count)
{
	char *text = c->error.text;
	size_t used = strlen(text), bytes = c->error.bytes;
	size_t whole = used;

	if (count == 0 || strncmp(text, "--set ", 6) == 0)
		return;
	for (size_t i = 0; i < count && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, " %s--set %s",
					 i == 0 ? "(with " : "", sets[i].text);
	if (used + 1 >= bytes)
		used = whole + (size_t)snprintf(text + whole, bytes - whole, " (with --set ...");
	if (used + 1 < bytes)
		strcat(text, ")");
	for (char *p = text + whole; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

static int
merge_profile(struct config *c, struct config_node *sw, const struct config_node *name)
{
	struct config_node *file;
	int rc;

	if (name->kind != CONFIG_SCALAR || name->text[0] == '\0')
		return 0; /* decoding says what is wrong with it */
	rc = config_find_file(c, "profiles", name->text, &name->mark, &file);
	if (rc != 0)
		return rc;
	if (config_tree_find(file, "profile") != NULL) {
		struct config_mark mark = config_tree_mark(file, "profile");

		return config_fail(&c->error, &mark, "profile: a profile has none itself");
	}
	if (c->arena.nodes > CONFIG_MAX_NODES)
		return config_fail(&c->error, &name->mark, "more than %u values", CONFIG_MAX_NODES);
	config_tree_merge(&c->arena, sw, file);
	return 0;
}

/* What a switch names, under its own keys. */
static int
merge_profiles(struct config *c)
{
	const struct config_node *switches = config_tree_find(c->root, "switches");

	for (uint32_t i = 0; switches != NULL && i < switches->count; i++) {
		struct config_node *sw = switches->entries[i].value;
		const struct config_node *profile = config_tree_find(sw, "profile");
		bool list = profile != NULL && profile->kind == CONFIG_LIST;
		int rc = config_merge_sonic(c, sw);

		if (rc == 0 && profile != NULL && !list)
			rc = merge_profile(c, sw, profile);
		for (uint32_t n = 0; rc == 0 && list && n < profile->count; n++)
			rc = merge_profile(c, sw, profile->entries[n].value);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
resolve(struct config *c)
{
	struct raw_run *r = &c->raw;
	struct scenario *s = c->scenario;
	int rc;

	s->real_time = r->time == 1;
	s->duration_ps = r->duration_ps;
	s->seed = r->seed;
	s->with_payload = r->payload == 1;
	s->sample_interval_ps = r->sample_interval_ps;
	s->detail = (enum scenario_detail)r->results.detail;
	s->mbufs = (uint32_t)r->mbufs;
	s->lcores = r->lcores == CONFIG_AUTO ? 0 : (uint16_t)r->lcores;
	rc = config_resolve_switches(c);
	if (rc == 0)
		rc = config_resolve_hosts(c);
	if (rc == 0)
		rc = config_resolve_links(c);
	if (rc == 0)
		rc = config_resolve_real(c);
	if (rc == 0)
		rc = config_resolve_impairments(c);
	if (rc == 0)
		rc = config_resolve_failures(c);
	if (rc == 0)
		rc = config_resolve_workloads(c);
	if (rc == 0)
		rc = config_resolve_expectations(c);
	if (rc == 0 && !c->judged)
		rc = config_check_switches(c);
	if (rc == 0)
		rc = config_check_fabric(c);
	if (rc == 0)
		rc = config_check_loops(c);
	if (rc == 0)
		rc = config_check_pfc(c);
	if (rc == 0)
		rc = config_check_traffic(c);
	return rc;
}

/* A switch's own file in place of a scenario. */
static int
refuse_sonic(struct config *c)
{
	for (uint32_t i = 0; i < c->root->count; i++) {
		const struct config_entry *e = &c->root->entries[i];

		if (sonic_is_read(e->key))
			return config_fail(
				&c->error, &e->mark,
				"%s: a table of SONiC's CONFIG_DB, but this takes a scenario: "
				"`railyard import sonic` makes one of it",
				e->key);
	}
	return 0;
}

static int
load_tree(struct config *c, const struct config_override *sets, size_t count)
{
	bool *done = CONFIG_NEW(c, bool, count);
	int rc;

	if (c->root->kind != CONFIG_MAP)
		return config_fail(&c->error, &c->root->mark, "must be a map of keys to values");
	rc = refuse_sonic(c);
	if (rc == 0)
		rc = apply_overrides(c, sets, count, false, done);
	if (rc == 0)
		rc = config_expand_topology(c);
	if (rc == 0)
		rc = merge_profiles(c);
	if (rc == 0)
		rc = apply_overrides(c, sets, count, true, done);
	if (rc == 0)
		rc = config_tree_prune(c->root, &c->error);
	if (rc == 0)
		rc = config_decode(&c->decoder, &config_run_object, c->root, &c->root->mark,
				   &c->raw.item);
	if (rc == 0)
		rc = resolve(c);
	if (rc != 0)
		blame_overrides(c, sets, count);
	return rc;
}

static struct scenario *
new_scenario(const char *name, const char *const *search_dirs, char *error, size_t error_bytes)
{
	struct scenario *s = calloc(1, sizeof(*s));
	struct config *c = calloc(1, sizeof(*c));
	const char *slash = strrchr(name, '/');

	if (s == NULL || c == NULL) {
		snprintf(error, error_bytes, "%s: out of memory", name);
		free(s);
		free(c);
		return NULL;
	}
	snprintf(s->file, sizeof(s->file), "%s", name);
	s->config = c;
	c->scenario = s;
	c->search = search_dirs;
	c->error = (struct config_error){.text = error, .bytes = error_bytes};
	c->decoder = (struct config_decoder){.arena = &c->arena, .error = &c->error};
	c->directory = slash == NULL
			       ? "."
			       : config_arena_copy(&c->arena, name, (size_t)(slash - name) + 1);
	return s;
}

static int
finish(struct scenario *s, int rc, struct scenario **out)
{
	struct config *c = s->config;

	c->error = (struct config_error){.text = NULL};
	c->search = NULL;
	if (rc != 0)
		scenario_free(s);
	*out = rc == 0 ? s : NULL;
	return rc;
}

static int
load_file(const char *path, const struct config_override *sets, size_t set_count,
	  const char *const *search_dirs, bool judged, struct scenario **out, char *error,
	  size_t error_bytes)
{
	struct scenario *s = new_scenario(path, search_dirs, error, error_bytes);
	struct config *c;
	int rc;

	*out = NULL;
	if (s == NULL)
		return -ENOMEM;
	c = s->config;
	c->judged = judged;
	config_note_input(c, config_arena_copy(&c->arena, path, strlen(path)));
	rc = config_tree_read(&c->arena, path, &c->root, &c->error);
	if (rc == 0)
		rc = load_tree(c, sets, set_count);
	return finish(s, rc, out);
}

int
config_load(const char *path, const struct config_override *sets, size_t set_count,
	    const char *const *search_dirs, struct scenario **out, char *error, size_t error_bytes)
{
	return load_file(path, sets, set_count, search_dirs, false, out, error, error_bytes);
}

int
config_load_judged(const char *path, const struct config_override *sets, size_t set_count,
		   const char *const *search_dirs, struct scenario **out, char *error,
		   size_t error_bytes)
{
	return load_file(path, sets, set_count, search_dirs, true, out, error, error_bytes);
}

int
config_load_buffer(const uint8_t *data, size_t bytes, const char *name,
		   const struct config_override *sets, size_t set_count,
		   const char *const *search_dirs, struct scenario **out, char *error,
		   size_t error_bytes)
{
	struct scenario *s = new_scenario(name, search_dirs, error, error_bytes);
	struct config *c;
	int rc;

	*out = NULL;
	if (s == NULL)
		return -ENOMEM;
	c = s->config;
	rc = config_tree_parse(&c->arena, config_arena_copy(&c->arena, name, strlen(name)), data,
			       bytes, &c->root, &c->error);
	if (rc == 0)
		rc = load_tree(c, sets, set_count);
	return finish(s, rc, out);
}

int
config_load_sonic(const struct config_sonic *what, const char *const *search_dirs,
		  struct scenario **out, char *error, size_t error_bytes)
{
	struct scenario *s = new_scenario("", search_dirs, error, error_bytes);
	struct config *c;
	int rc;

	*out = NULL;
	if (s == NULL)
		return -ENOMEM;
	c = s->config;
	rc = config_make_sonic(c, what);
	if (rc == 0)
		rc = load_tree(c, NULL, 0);
	return finish(s, rc, out);
}

int
config_load_asic(const char *name, const char *const *search_dirs, struct raw_asic *asic,
		 char *error, size_t error_bytes)
{
	struct scenario *s = new_scenario("./--asic", search_dirs, error, error_bytes);
	struct config_mark mark = {.file = "--asic"};
	struct config_node *node;
	int rc;

	if (s == NULL)
		return -ENOMEM;
	rc = config_find_asic(s->config, name, &mark, asic, &node);
	scenario_free(s); /* and the names of platforms with it */
	asic->platforms.count = 0;
	return rc;
}

void
config_print_source(const struct scenario *s, const char *switch_name, FILE *out)
{
	const struct config_node *switches = config_tree_find(s->config->root, "switches");

	config_tree_print(switch_name == NULL ? s->config->root
					      : config_tree_find(switches, switch_name),
			  out);
}

void
scenario_free(struct scenario *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->switch_count; i++) {
		free(s->switches[i].statics);
		free(s->switches[i].routes);
	}
	config_arena_free(&s->config->arena);
	free(s->config);
	free(s);
}
