/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A planned topology as the YAML that a patient user would have written: a group of switches a
 * tier, a group of hosts, and a few links by pattern. The rest of the configuration sees nothing
 * else, so what holds for hand-written fabrics (checks, overrides, dumps) holds for these.
 *
 * Ports: of a leaf, hosts first, then `count` cables to each spine in turn; of a spine, the same
 * to each leaf, then to each core of its plane; of a core, to each pod.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config_topology.h"

struct writer {
	struct config *c;
	const struct topology_plan *plan;
	struct config_mark mark; /* all that is made stands where the topology stands */
	struct config_node *links;
};

static struct config_node *
new_node(const struct writer *w, enum config_node_kind kind)
{
	struct config_node *node = config_arena_alloc(&w->c->arena, sizeof(*node));

	node->kind = kind;
	node->plain = kind == CONFIG_SCALAR;
	node->mark = w->mark;
	node->text = kind == CONFIG_SCALAR ? "" : NULL;
	return node;
}

static struct config_node *
put(const struct writer *w, struct config_node *map, const char *key, struct config_node *value)
{
	config_tree_append(&w->c->arena, map, key, &w->mark, value);
	return value;
}

static void __attribute__((format(printf, 4, 5)))
put_text(const struct writer *w, struct config_node *map, const char *key, const char *format, ...)
{
	struct config_node *node = new_node(w, CONFIG_SCALAR);
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	node->text = config_arena_copy(&w->c->arena, text, strlen(text));
	put(w, map, key, node);
}

static void
put_unit(const struct writer *w, struct config_node *map, const char *key, enum config_unit unit,
	 uint64_t value)
{
	char text[64];

	config_unit_format(unit, value, text, sizeof(text));
	put_text(w, map, key, "%s", text);
}

/* What stands under a key, made if need be; "key:" alone is an empty one. */
static struct config_node *
open_node(const struct writer *w, struct config_node *map, const char *key,
	  enum config_node_kind kind)
{
	struct config_node *node = config_tree_find(map, key);

	if (node == NULL)
		return put(w, map, key, new_node(w, kind));
	if (node->kind == CONFIG_SCALAR && node->text[0] == '\0')
		node->kind = kind;
	return node;
}

struct config_node *
topology_section(struct config *c, const struct raw_topology *raw, const char *key,
		 enum config_node_kind kind)
{
	struct writer w = {.c = c, .mark = raw->item.mark};
	struct config_node *node = open_node(&w, c->root, key, kind);

	if (node->kind == kind)
		return node;
	config_fail(&c->error, &node->mark, "%s: takes a %s", key,
		    kind == CONFIG_MAP ? "map of names" : "list");
	return NULL;
}

struct config_node *
topology_group(struct config *c, const struct raw_topology *raw, const char *section,
	       const char *name, const struct raw_item *all, int *rc)
{
	struct writer w = {.c = c, .mark = raw->item.mark};
	struct config_node *groups = topology_section(c, raw, section, CONFIG_MAP), *group;

	*rc = groups == NULL ? -EINVAL : 0;
	if (groups == NULL)
		return NULL;
	group = open_node(&w, groups, name, CONFIG_MAP);
	if (group->kind != CONFIG_MAP)
		return NULL;
	if (all != NULL && all->node->kind == CONFIG_MAP)
		config_tree_merge(&c->arena, group, all->node);
	return group;
}

void
topology_put_first(struct config *c, struct config_node *group, const char *key,
		   struct config_node *entry)
{
	struct writer w = {.c = c, .mark = entry->mark};
	struct config_node *list = open_node(&w, group, key, CONFIG_LIST);

	if (list->kind != CONFIG_LIST)
		return; /* decoding says what is wrong with it */
	put(&w, list, NULL, entry);
	for (uint32_t i = list->count - 1; i > 0; i--) {
		struct config_entry held = list->entries[i];

		list->entries[i] = list->entries[i - 1];
		list->entries[i - 1] = held;
	}
}

/* The ports upwards, where they differ from those downwards. */
static void
put_uplinks(const struct writer *w, struct config_node *tier, uint32_t down, uint32_t up,
	    const struct topology_links *below, const struct topology_links *above)
{
	struct config_node *entry;

	if (up == 0 || (below->rate_bps == above->rate_bps && below->length_mm == above->length_mm))
		return;
	entry = new_node(w, CONFIG_MAP);
	put_text(w, entry, "ports", "%u-%u", down, down + up - 1);
	if (below->rate_bps != above->rate_bps)
		put_unit(w, entry, "rate", CONFIG_UNIT_RATE, above->rate_bps);
	if (above->length_mm != CONFIG_AUTO && above->length_mm != below->length_mm)
		put_unit(w, entry, "cable", CONFIG_UNIT_LENGTH, above->length_mm);
	topology_put_first(w->c, tier, "port_settings", entry);
}

bool
topology_has_buffers(const struct config_node *tier)
{
	return config_tree_find(tier, "profile") != NULL ||
	       config_tree_find(tier, "pools") != NULL ||
	       config_tree_find(tier, "pipeline") != NULL;
}

/* How many there are follows from the topology's numbers: another count would fit no link. */
static int
check_count(const struct writer *w, const struct config_node *group, const char *name,
	    uint32_t count)
{
	const struct config_node *given = config_tree_find(group, "count");
	char text[16];

	snprintf(text, sizeof(text), "%u", count);
	if (given == NULL || given->kind != CONFIG_SCALAR || given->removed ||
	    strcmp(given->text, text) == 0)
		return 0;
	return config_fail(&w->c->error, &given->mark,
			   "count: the topology has %u of %s; change its own numbers", count, name);
}

static int
put_tier(const struct writer *w, const char *name, uint32_t count, uint32_t down, uint32_t up,
	 const struct topology_links *below, const struct topology_links *above)
{
	const struct raw_topology *raw = w->plan->raw;
	struct config_node *tier, *made;
	int rc;

	tier = topology_group(w->c, raw, "switches", name,
			      raw->all_switches == NULL ? NULL : &raw->all_switches->item, &rc);
	if (tier == NULL || (rc = check_count(w, tier, name, count)) != 0)
		return rc;
	put_uplinks(w, tier, down, up, below, above);
	made = new_node(w, CONFIG_MAP);
	put_text(w, made, "count", "%u", count);
	put_text(w, made, "ports", "%u", down + up);
	put_unit(w, made, "rate", CONFIG_UNIT_RATE, below->rate_bps);
	if (below->length_mm != CONFIG_AUTO)
		put_unit(w, made, "cable", CONFIG_UNIT_LENGTH, below->length_mm);
	put_text(w, put(w, made, "forwarding", new_node(w, CONFIG_MAP)), "mode", "l3");
	if (!topology_has_buffers(tier))
		put_text(w, made, "profile", "generic-32mb");
	config_tree_merge(&w->c->arena, tier, made);
	return 0;
}

static int
put_switches(const struct writer *w)
{
	const struct topology_plan *p = w->plan;
	uint32_t pods = p->clusters * p->pods, tops = p->clusters * topology_tops(p);
	uint32_t leaf_up = p->spines * p->leaf_links.count;
	uint32_t spine_down = p->leaves * p->leaf_links.count;
	uint32_t spine_up = p->cores * p->spine_links.count;
	uint32_t top_up = p->gateways * p->gateway_links.count;
	int rc = put_tier(w, "leaf", pods * p->leaves, p->hosts, leaf_up, &p->host_links,
			  &p->leaf_links);

	if (rc == 0 && p->cores > 0)
		rc = put_tier(w, "spine", pods * p->spines, spine_down, spine_up, &p->leaf_links,
			      &p->spine_links);
	else if (rc == 0)
		rc = put_tier(w, "spine", pods * p->spines, spine_down, top_up, &p->leaf_links,
			      &p->gateway_links);
	if (rc == 0 && p->cores > 0)
		rc = put_tier(w, "core", tops, p->pods * p->spine_links.count, top_up,
			      &p->spine_links, &p->gateway_links);
	if (rc == 0 && p->gateways > 0)
		rc = put_tier(w, "gateway", p->gateways, tops * p->gateway_links.count, 0,
			      &p->gateway_links, &p->gateway_links);
	return rc;
}

static int
put_hosts(const struct writer *w)
{
	const struct topology_plan *p = w->plan;
	struct config_node *group, *made;
	const char *name = p->gpus > 0 ? "gpu" : "h";
	uint32_t hosts = p->clusters * p->pods * p->leaves * p->hosts;
	uint32_t count = p->gpus > 0 ? hosts / p->gpus : hosts; /* of servers, or of hosts */
	int rc;

	group = topology_group(w->c, p->raw, "hosts", name,
			       p->raw->all_hosts == NULL ? NULL : &p->raw->all_hosts->item, &rc);
	if (group == NULL || (rc = check_count(w, group, name, count)) != 0)
		return rc;
	made = new_node(w, CONFIG_MAP);
	put_text(w, made, "count", "%u", count);
	if (p->gpus > 0)
		put_text(w, made, "nics", "%u", p->gpus);
	put_unit(w, made, "nic", CONFIG_UNIT_RATE, p->host_links.rate_bps);
	config_tree_merge(&w->c->arena, group, made);
	return 0;
}

/* A new entry of `links` with all but its ends. */
static struct config_node *
add_link(const struct writer *w, const struct topology_links *links)
{
	struct config_node *entry = put(w, w->links, NULL, new_node(w, CONFIG_MAP));

	if (links->length_mm != CONFIG_AUTO)
		put_unit(w, entry, "length", CONFIG_UNIT_LENGTH, links->length_mm);
	else
		put_unit(w, entry, "delay", CONFIG_UNIT_TIME, links->delay_ps);
	return entry;
}

static void
link_hosts(const struct writer *w)
{
	const struct topology_plan *p = w->plan;
	struct config_node *entry;

	if (p->gpus == 0) {
		entry = add_link(w, &p->host_links);
		put_text(w, entry, "from", "h");
		put_text(w, entry, "to", "leaf[*][0-%u]", p->hosts - 1);
		return;
	}
	for (uint32_t leaf = 0; leaf < p->clusters * p->pods * p->leaves; leaf++) {
		uint32_t server = leaf / p->gpus * p->hosts;

		entry = add_link(w, &p->host_links);
		put_text(w, entry, "from", "gpu[%u-%u][%u]", server, server + p->hosts - 1,
			 leaf % p->gpus);
		put_text(w, entry, "to", "leaf%u[0-%u]", leaf, p->hosts - 1);
	}
}

/* All cables up from each switch: to switches first..first + above of the next tier. */
static void
link_up(const struct writer *w, const struct topology_links *links, const char *low, uint32_t n,
	uint32_t down, const char *high, uint32_t first, uint32_t above, uint32_t slot)
{
	struct config_node *entry = add_link(w, links);

	put_text(w, entry, "from", "%s%u[%u-%u]", low, n, down, down + above * links->count - 1);
	put_text(w, entry, "to", "%s[%u-%u][%u-%u]", high, first, first + above - 1,
		 slot * links->count, (slot + 1) * links->count - 1);
}

/* Cores stand by cluster, in it by plane; the n-th of all is at the n-th ports of each gateway. */
static void
link_switches(const struct writer *w)
{
	const struct topology_plan *p = w->plan;
	uint32_t pods = p->clusters * p->pods, tops = topology_tops(p);
	uint32_t spine_down = p->leaves * p->leaf_links.count;

	for (uint32_t leaf = 0; leaf < pods * p->leaves; leaf++)
		link_up(w, &p->leaf_links, "leaf", leaf, p->hosts, "spine",
			leaf / p->leaves * p->spines, p->spines, leaf % p->leaves);
	for (uint32_t spine = 0; p->cores > 0 && spine < pods * p->spines; spine++) {
		uint32_t pod = spine / p->spines, plane = spine % p->spines;

		link_up(w, &p->spine_links, "spine", spine, spine_down, "core",
			pod / p->pods * tops + plane * p->cores, p->cores, pod % p->pods);
	}
	for (uint32_t top = 0; p->gateways > 0 && top < p->clusters * tops; top++)
		link_up(w, &p->gateway_links, p->cores > 0 ? "core" : "spine", top,
			p->cores > 0 ? p->pods * p->spine_links.count : spine_down, "gateway", 0,
			p->gateways, top);
}

/* A switch that is of no tier and that no link can lead to has its name from a slip. */
static int
check_names(struct config *c, const struct topology_plan *plan)
{
	const struct config_node *switches = config_tree_find(c->root, "switches");
	const char *const tiers[] = {"leaf", "spine", plan->cores > 0 ? "core" : "leaf",
				     plan->gateways > 0 ? "gateway" : "leaf"};

	if (config_tree_find(c->root, "links") != NULL)
		return 0;
	for (uint32_t i = 0; switches != NULL && i < switches->count; i++) {
		const struct config_entry *e = &switches->entries[i];
		bool known = false;

		for (size_t n = 0; n < sizeof(tiers) / sizeof(tiers[0]); n++)
			known |= strcmp(e->key, tiers[n]) == 0;
		if (!known)
			return config_fail(&c->error, &e->mark,
					   "switches: the topology has no %s, but leaf, spine%s%s; "
					   "another switch needs links",
					   e->key, plan->cores > 0 ? ", core" : "",
					   plan->gateways > 0 ? ", gateway" : "");
	}
	return 0;
}

int
topology_plan_write(struct config *c, const struct topology_plan *plan)
{
	struct writer w = {.c = c, .plan = plan, .mark = plan->raw->item.mark};
	int rc = put_switches(&w);

	if (rc == 0)
		rc = put_hosts(&w);
	if (rc == 0)
		rc = check_names(c, plan);
	if (rc != 0)
		return rc;
	w.links = topology_section(c, plan->raw, "links", CONFIG_LIST);
	if (w.links == NULL)
		return -EINVAL;
	link_hosts(&w);
	link_switches(&w);
	return 0;
}

void
topology_remove_key(struct config_node *map, const char *key)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < map->count; i++)
		if (strcmp(map->entries[i].key, key) != 0)
			map->entries[kept++] = map->entries[i];
	map->count = kept;
}

/* What was set to null; in `switch` and `host` it may be about a profile's keys, still to come. */
static int
prune(struct config *c, struct config_node *node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->count; i++) {
		struct config_entry e = node->entries[i];
		struct config_node one = {.kind = CONFIG_MAP, .count = 1, .entries = &e};
		bool later = strcmp(e.key, "switch") == 0 || strcmp(e.key, "host") == 0;

		if (!later && config_tree_prune(&one, &c->error) != 0)
			return -EINVAL;
		if (one.count > 0)
			node->entries[kept++] = e;
	}
	node->count = kept;
	return 0;
}

int
config_expand_topology(struct config *c)
{
	struct config_node *node = config_tree_find(c->root, "topology");
	struct raw_topology raw;
	struct topology_plan plan;
	int rc = 0;

	if (node == NULL || node->removed)
		return 0;
	if (node->kind == CONFIG_MAP)
		rc = prune(c, node);
	if (rc == 0)
		rc = config_decode(&c->decoder, &config_topology_object, node, &node->mark,
				   &raw.item);
	if (rc == 0)
		rc = topology_file_check(c, &raw);
	if (rc == 0 && raw.kind == RAW_FILE)
		rc = topology_file_write(c, &raw);
	else if (rc == 0)
		rc = topology_plan_make(c, &raw, &plan);
	if (rc == 0 && raw.kind != RAW_FILE)
		rc = topology_plan_write(c, &plan);
	if (rc == 0)
		topology_remove_key(c->root, "topology");
	return rc;
}
