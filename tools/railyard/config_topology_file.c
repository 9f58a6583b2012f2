/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology that another simulator's file has: what `railyard import topology` would write goes
 * into the tree, each part with the line of that file that it comes from as its place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_topology.h"
#include "import_topology.h"

/* Numbers of the kinds that count mean nothing here, and file's own nothing there. */
int
topology_file_check(struct config *c, const struct raw_topology *raw)
{
	static const char *const own[] = {"format", "path", "flows"};
	static const char *const all[] = {"kind", "switch", "host"};
	const struct config_node *node = raw->item.node;

	for (uint32_t i = 0; i < node->count; i++) {
		const char *key = node->entries[i].key;
		bool is_own = false, is_of_all = false;

		for (size_t n = 0; n < sizeof(own) / sizeof(own[0]); n++) {
			is_own |= strcmp(key, own[n]) == 0;
			is_of_all |= strcmp(key, all[n]) == 0;
		}
		if (raw->kind == RAW_FILE && !is_own && !is_of_all)
			return config_fail(&c->error, &node->entries[i].mark,
					   "%s: the file says it; take it out", key);
		if (raw->kind != RAW_FILE && is_own)
			return config_fail(&c->error, &node->entries[i].mark,
					   "%s: only with kind: file", key);
	}
	if (raw->kind == RAW_FILE && raw->path == NULL)
		return config_fail(&c->error, &raw->item.mark, "path: file needs it");
	return 0;
}

/* The path of a key's file, which can be read; NULL after an error. */
static const char *
find_file(struct config *c, const struct raw_topology *raw, const char *key, const char *name)
{
	struct config_mark mark = config_item_mark(&raw->item, key);
	const char *path = config_beside(c, name);

	if (access(path, R_OK) == 0)
		return path;
	config_fail(&c->error, &mark, "%s: %s: %s", key, path, strerror(errno));
	return NULL;
}

/* Where in the scenario's text the walk is, and what comes from where. */
struct origins {
	const struct import *import;
	uint32_t *lines; /* of the text, by origin */
	uint32_t next;   /* origin */
};

static void
number_lines(struct origins *o, struct config *c, const char *text)
{
	const struct import *m = o->import;
	uint32_t line = 1;
	long at = 0;

	o->lines = CONFIG_NEW(c, uint32_t, m->origin_count);
	for (uint32_t i = 0; i < m->origin_count; i++) {
		for (; at < m->origins[i].offset; at++)
			line += text[at] == '\n';
		o->lines[i] = line;
	}
}

/* Parts come in the order of the text. */
static void
replace_mark(struct origins *o, struct config_mark *mark)
{
	const struct import *m = o->import;

	while (o->next < m->origin_count && o->lines[o->next] <= mark->line)
		o->next++;
	*mark = (struct config_mark){.file = m->file};
	if (o->next > 0)
		*mark = (struct config_mark){m->origins[o->next - 1].file,
					     m->origins[o->next - 1].line, 1};
}

static void
replace_marks(struct origins *o, struct config_node *node)
{
	replace_mark(o, &node->mark);
	for (uint32_t i = 0; i < node->count; i++) {
		replace_mark(o, &node->entries[i].mark);
		replace_marks(o, node->entries[i].value);
	}
}

/* The files as the tree of a scenario. 0 or -EINVAL with the error. */
static int
read_files(struct config *c, const struct raw_topology *raw, struct config_node **out)
{
	char text[CONFIG_ERROR_BYTES] = "", *yaml = NULL;
	struct config_error inner = {.text = text, .bytes = sizeof(text)};
	struct import m = {.arena = &c->arena, .error = &c->error};
	struct origins o = {.import = &m};
	const char *path = find_file(c, raw, "path", raw->path), *flows = NULL;
	size_t bytes = 0;
	FILE *stream;
	int rc = path == NULL ? -EINVAL : import_topology_read(&m, path);

	if (rc == 0 && raw->flows != NULL) {
		flows = find_file(c, raw, "flows", raw->flows);
		rc = flows == NULL ? -EINVAL : import_flows_read(&m, flows);
	}
	if (path != NULL)
		config_note_input(c, path);
	if (flows != NULL)
		config_note_input(c, flows);
	stream = rc == 0 ? open_memstream(&yaml, &bytes) : NULL;
	if (rc == 0 && stream == NULL)
		rc = config_fail(&c->error, &raw->item.mark, "%s", strerror(errno));
	if (rc == 0)
		rc = import_topology_write(&m, stream);
	if (stream != NULL)
		fclose(stream);
	if (rc == 0 &&
	    config_tree_parse(&c->arena, path, (const uint8_t *)yaml, bytes, out, &inner) != 0)
		rc = config_fail(&c->error, &(struct config_mark){.file = path},
				 "is too large: as a scenario it has more than %u values",
				 CONFIG_MAX_NODES);
	if (rc == 0) {
		number_lines(&o, c, yaml);
		replace_marks(&o, *out);
	}
	free(yaml);
	return rc;
}

/* Groups of switches or hosts under those of the file; ports' settings before the user's. */
static int
put_groups(struct config *c, const struct raw_topology *raw, const char *section,
	   const struct config_node *groups, const struct raw_item *all)
{
	for (uint32_t i = 0; groups != NULL && i < groups->count; i++) {
		struct config_node *from = groups->entries[i].value;
		struct config_node *ports = config_tree_find(from, "port_settings");
		struct config_node *group;
		int rc;

		group = topology_group(c, raw, section, groups->entries[i].key, all, &rc);
		if (rc != 0)
			return rc;
		if (group == NULL)
			continue;
		if (topology_has_buffers(group))
			topology_remove_key(from, "profile");
		for (uint32_t n = ports == NULL ? 0 : ports->count; n > 0; n--)
			topology_put_first(c, group, "port_settings", ports->entries[n - 1].value);
		config_tree_merge(&c->arena, group, from);
	}
	return 0;
}

/* Behind the file's own entries. */
static int
put_list(struct config *c, const struct raw_topology *raw, const char *section,
	 const struct config_node *from)
{
	struct config_node *list;

	if (from == NULL)
		return 0;
	list = topology_section(c, raw, section, CONFIG_LIST);
	for (uint32_t i = 0; list != NULL && i < from->count; i++)
		config_tree_append(&c->arena, list, NULL, &from->entries[i].mark,
				   from->entries[i].value);
	return list == NULL ? -EINVAL : 0;
}

int
topology_file_write(struct config *c, const struct raw_topology *raw)
{
	static const char *const lists[] = {"links", "impairments", "workload"};
	struct config_node *tree = NULL;
	int rc = read_files(c, raw, &tree);

	if (rc == 0)
		rc = put_groups(c, raw, "switches", config_tree_find(tree, "switches"),
				raw->all_switches == NULL ? NULL : &raw->all_switches->item);
	if (rc == 0)
		rc = put_groups(c, raw, "hosts", config_tree_find(tree, "hosts"),
				raw->all_hosts == NULL ? NULL : &raw->all_hosts->item);
	for (size_t i = 0; rc == 0 && i < sizeof(lists) / sizeof(lists[0]); i++)
		rc = put_list(c, raw, lists[i], config_tree_find(tree, lists[i]));
	return rc;
}
