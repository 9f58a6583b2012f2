/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A drawing of a network for Graphviz. What is drawn as one node is a group: at first each node
 * alone, then, as long as the picture would be too full, hosts by their switch, everything by pod
 * and tier, everything by tier. Pods are what falls apart when the switches of the highest level
 * are taken out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config_units.h"
#include "parts.h"
#include "topo.h"

/* A picture with more does not help anyone. */
#define MOST_GROUPS 100u
#define MOST_EDGES 400u
/* What is still wide enough to read when the picture is as wide as a page. */
#define MOST_HOSTS_ABREAST 24u

/* Cables between two groups, all alike. */
struct bundle {
	uint32_t high; /* groups; the one nearer to the top first */
	uint32_t low;
	uint64_t rate_bps;
	uint64_t delay_ps;
	uint32_t count;
};

struct drawing {
	const struct topo *topo;
	uint32_t *group; /* by node: the first node of its group */
	uint32_t *last;  /* by first node */
	uint32_t *count; /* by first node */
	uint32_t *pod;   /* by node */
	uint32_t group_count;
	uint32_t bundle_count;
	struct bundle *bundles;
};

static bool
is_host(const struct topo *t, uint32_t node)
{
	return node >= t->scenario->switch_count;
}

/* Hosts are below all; a switch that no host reaches stands at the top. */
static uint32_t
height(const struct topo *t, uint32_t node)
{
	return is_host(t, node)                   ? 0
	       : t->level[node] == TOPO_UNREACHED ? UINT32_MAX
						  : t->level[node] + 1;
}

static uint32_t
top_level(const struct topo *t)
{
	uint32_t top = 0;

	for (uint32_t i = 0; i < t->scenario->switch_count; i++)
		if (t->level[i] != TOPO_UNREACHED && t->level[i] > top)
			top = t->level[i];
	return top;
}

/* Join what is linked below the top; a pod is known by its first node. */
static void
find_pods(struct drawing *d)
{
	const struct topo *t = d->topo;
	uint32_t top = top_level(t);

	parts_init(d->pod, t->node_count);
	for (uint32_t n = 0; n < t->node_count; n++) {
		for (uint32_t i = t->graph.first[n]; i < t->graph.first[n + 1]; i++) {
			uint32_t to = t->graph.arcs[i].to;

			if (top == 0 || (height(t, n) <= top && height(t, to) <= top))
				parts_join(d->pod, n, to);
		}
	}
	for (uint32_t n = 0; n < t->node_count; n++)
		d->pod[n] = parts_find(d->pod, n);
}

enum grouping { GROUP_NONE, GROUP_HOSTS, GROUP_PODS, GROUP_TIERS, GROUPINGS };

/* What nodes of one group have in common. */
static uint64_t
key_of(const struct drawing *d, uint32_t node, enum grouping grouping)
{
	const struct topo *t = d->topo;
	uint32_t tier = is_host(t, node) ? t->tier_count : t->tier_of[node];
	bool linked = t->graph.first[node] != t->graph.first[node + 1];

	switch (grouping) {
	case GROUP_HOSTS:
		if (is_host(t, node) && linked)
			return 1ull << 32 | t->graph.arcs[t->graph.first[node]].to;
		return node;
	case GROUP_PODS:
		/* at the top each is a pod of its own: they are told apart by tier alone */
		if (height(t, node) > top_level(t))
			return tier;
		return (uint64_t)(d->pod[node] + 1) << 32 | tier;
	case GROUP_TIERS:
		return tier;
	default:
		return node;
	}
}

struct keyed {
	uint64_t key;
	uint32_t node;
};

static int
compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int
group_nodes(struct drawing *d, enum grouping grouping)
{
	uint32_t nodes = d->topo->node_count;
	struct keyed *keys = calloc(nodes + 1, sizeof(*keys));

	if (keys == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < nodes; n++)
		keys[n] = (struct keyed){key_of(d, n, grouping), n};
	qsort(keys, nodes, sizeof(*keys), compare_keyed);
	d->group_count = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		bool first = i == 0 || keys[i].key != keys[i - 1].key;
		uint32_t group = first ? keys[i].node : d->group[keys[i - 1].node];

		d->group[keys[i].node] = group;
		d->last[group] = keys[i].node;
		d->count[group] = first ? 1 : d->count[group] + 1;
		d->group_count += first;
	}
	free(keys);
	return 0;
}

static int
compare_bundles(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct bundle, count));
}

/* Links between the same groups, of the same rate and delay, become one. */
static void
bundle_links(struct drawing *d)
{
	const struct topo *t = d->topo;
	uint32_t kept = 0, count = 0;

	for (uint32_t n = 0; n < t->node_count; n++) {
		for (uint32_t i = t->graph.first[n]; i < t->graph.first[n + 1]; i++) {
			const struct graph_arc *arc = &t->graph.arcs[i];
			bool up = height(t, n) > height(t, arc->to);

			if (!up && (height(t, n) < height(t, arc->to) || n < arc->to))
				continue;
			d->bundles[count] = (struct bundle){
				.high = d->group[n],
				.low = d->group[arc->to],
				.rate_bps = t->graph.rates_bps[arc->link],
				.delay_ps = t->scenario->links[arc->link].delay_ps,
				.count = 1,
			};
			count++;
		}
	}
	qsort(d->bundles, count, sizeof(*d->bundles), compare_bundles);
	for (uint32_t i = 0; i < count; i++) {
		if (kept > 0 && compare_bundles(&d->bundles[kept - 1], &d->bundles[i]) == 0)
			d->bundles[kept - 1].count++;
		else
			d->bundles[kept++] = d->bundles[i];
	}
	d->bundle_count = kept;
}

static void
print_group(const struct drawing *d, uint32_t group, FILE *out)
{
	static const char *const colors[] = {"#c6dbef", "#9ecae1", "#6baed6", "#4292c6"};
	const struct topo *t = d->topo;
	const char *name = topo_name(t, group), *last = topo_name(t, d->last[group]);
	uint32_t level = height(t, group);

	fprintf(out, "\t\"%s\" [", name);
	if (d->count[group] == 2)
		fprintf(out, "label=\"%s\\n%s\", ", name, last);
	else if (d->count[group] > 2)
		fprintf(out, "label=\"%s\\nto %s\\n%u %s\", ", name, last, d->count[group],
			is_host(t, group) ? "hosts" : "switches");
	if (is_host(t, group))
		fputs("shape=ellipse, fillcolor=\"#f0f0f0\"];\n", out);
	else
		fprintf(out, "shape=box, fillcolor=\"%s\"];\n", colors[level < 4 ? level - 1 : 3]);
}

static void
print_bundle(const struct drawing *d, const struct bundle *b, bool labelled, FILE *out)
{
	char rate[32], delay[32];

	config_unit_format(CONFIG_UNIT_RATE, b->rate_bps, rate, sizeof(rate));
	config_unit_format(CONFIG_UNIT_TIME, b->delay_ps, delay, sizeof(delay));
	fprintf(out, "\t\"%s\" -- \"%s\"", topo_name(d->topo, b->high), topo_name(d->topo, b->low));
	if (b->count > 1)
		fprintf(out, " [label=\"%u x %s, %s\", penwidth=2]", b->count, rate, delay);
	else if (labelled)
		fprintf(out, " [label=\"%s, %s\"]", rate, delay);
	fputs(";\n", out);
}

/* Groups of one height side by side, in their order. */
static void
print_ranks(const struct drawing *d, FILE *out)
{
	const struct topo *t = d->topo;
	uint32_t top = top_level(t) + 1;

	for (uint32_t rank = top + 1; rank-- > 0;) {
		const char *before = ";";

		fputs("\t{rank=same; edge [style=invis]", out);
		for (uint32_t n = 0; n < t->node_count; n++) {
			if (d->group[n] != n || height(t, n) != rank)
				continue;
			fprintf(out, "%s \"%s\"", before, topo_name(t, n));
			before = " --";
		}
		fputs("}\n", out);
	}
}

/* A straight line to another one of its height would run through those between. */
static bool
has_level_links(const struct drawing *d)
{
	for (uint32_t i = 0; i < d->bundle_count; i++)
		if (height(d->topo, d->bundles[i].high) == height(d->topo, d->bundles[i].low))
			return true;
	return false;
}

static void
print_drawing(const struct drawing *d, FILE *out)
{
	const struct topo *t = d->topo;

	fprintf(out,
		"graph railyard {\n"
		"\tgraph [rankdir=TB, ranksep=1, nodesep=0.3, splines=%s, fontname=sans];\n"
		"\tnode [style=filled, fontname=sans, fontsize=11];\n"
		"\tedge [fontname=sans, fontsize=9, color=\"#606060\"];\n",
		has_level_links(d) ? "true" : "line");
	for (uint32_t n = 0; n < t->node_count; n++)
		if (d->group[n] == n)
			print_group(d, n, out);
	for (uint32_t i = 0; i < d->bundle_count; i++)
		print_bundle(d, &d->bundles[i], d->bundle_count <= 8, out);
	print_ranks(d, out);
	fputs("}\n", out);
}

static int
drawing_init(struct drawing *d, const struct topo *t)
{
	*d = (struct drawing){.topo = t};
	d->group = calloc(t->node_count + 1, sizeof(*d->group));
	d->last = calloc(t->node_count + 1, sizeof(*d->last));
	d->count = calloc(t->node_count + 1, sizeof(*d->count));
	d->pod = calloc(t->node_count + 1, sizeof(*d->pod));
	d->bundles = calloc(t->scenario->link_count + 1, sizeof(*d->bundles));
	return d->group == NULL || d->last == NULL || d->count == NULL || d->pod == NULL ||
			       d->bundles == NULL
		       ? -ENOMEM
		       : 0;
}

static bool
is_too_full(const struct drawing *d, enum grouping grouping)
{
	const struct topo *t = d->topo;

	if (grouping == GROUP_NONE && t->scenario->host_count > MOST_HOSTS_ABREAST)
		return true;
	return d->group_count > MOST_GROUPS || d->bundle_count > MOST_EDGES;
}

int
topo_dot(const struct topo *t, FILE *out)
{
	struct drawing d;
	int rc = drawing_init(&d, t);

	if (rc == 0)
		find_pods(&d);
	for (int g = GROUP_NONE; rc == 0 && g < GROUPINGS; g++) {
		rc = group_nodes(&d, (enum grouping)g);
		if (rc != 0)
			break;
		bundle_links(&d);
		if (!is_too_full(&d, (enum grouping)g))
			break;
	}
	if (rc == 0)
		print_drawing(&d, out);
	free(d.group);
	free(d.last);
	free(d.count);
	free(d.pod);
	free(d.bundles);
	return rc != 0 ? rc : ferror(out) ? -EIO : 0;
}
