/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An imported network as YAML: nodes of one kind as groups (hosts by rate, switches by level and
 * rates of their ports), numbered in the order of the file, and the links in that order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config_units.h"
#include "import_topology.h"

#define LEVELS 4u
#define UNREACHED UINT32_MAX
#define MOST_WORKLOADS 1000u
#define LINKS_PER_ENTRY 64u

struct group {
	char name[16];
	char tier[8];
	const struct import_node *like; /* the one with the most ports */
	uint32_t count;
	bool is_switch;
};

struct writer {
	struct import *m;
	FILE *out;
	struct group *groups;
	uint32_t group_count;
};

static const char *
unit_text(enum config_unit unit, uint64_t value, char text[40])
{
	config_unit_format(unit, value, text, 40);
	return text;
}

static uint32_t
across(const struct import *m, uint32_t node, uint32_t port)
{
	const struct import_link *l = &m->links[m->nodes[node].links[port]];

	return l->ends[0] == node && l->ports[0] == port ? l->ends[1] : l->ends[0];
}

static void
note_origin(const struct writer *w, const char *file, uint32_t line)
{
	w->m->origins[w->m->origin_count++] =
		(struct import_origin){.offset = ftell(w->out), .file = file, .line = line};
}

/* Breadth first from all hosts at once. */
static void
find_levels(struct import *m)
{
	uint32_t *queue = config_arena_alloc(m->arena, (m->node_count + 1) * sizeof(*queue));
	uint32_t tail = 0;

	for (uint32_t n = 0; n < m->node_count; n++) {
		m->nodes[n].level = UNREACHED;
		if (!m->nodes[n].is_switch)
			queue[tail++] = n;
	}
	for (uint32_t head = 0; head < tail; head++) {
		const struct import_node *node = &m->nodes[queue[head]];

		for (uint32_t p = 0; p < node->link_count; p++) {
			struct import_node *next = &m->nodes[across(m, queue[head], p)];

			if (!next->is_switch || next->level != UNREACHED)
				continue;
			next->level = node->is_switch ? node->level + 1 : 0;
			queue[tail++] = (uint32_t)(next - m->nodes);
		}
	}
}

static bool
same_rates(const struct import_node *a, const struct import_node *b)
{
	for (uint32_t p = 0; p < a->link_count && p < b->link_count; p++)
		if (a->rates_bps[p] != b->rates_bps[p])
			return false;
	return true;
}

/* "leaf", the next kind of leaves "leaf-b", ...; hosts "h", "h-b", ... */
static void
name_group(const struct writer *w, const struct import_node *node, struct group *g)
{
	static const char *const tiers[LEVELS] = {"leaf", "spine", "core", "top"};
	const char *base =
		node->is_switch ? tiers[node->level < LEVELS ? node->level : LEVELS - 1] : "h";
	uint32_t same = 0;

	for (uint32_t i = 0; i < w->group_count; i++)
		same += strcmp(w->groups[i].tier, base) == 0;
	snprintf(g->tier, sizeof(g->tier), "%s", base);
	if (same == 0)
		snprintf(g->name, sizeof(g->name), "%s", base);
	else if (same < 26)
		snprintf(g->name, sizeof(g->name), "%s-%c", base, 'a' + same);
	else
		snprintf(g->name, sizeof(g->name), "%s-%c%c", base, 'a' + same / 26 % 26,
			 'a' + same % 26);
}

static void
add_to_group(struct writer *w, struct import_node *node)
{
	uint32_t i = 0;

	for (; i < w->group_count; i++) {
		const struct group *g = &w->groups[i];

		if (g->is_switch == node->is_switch && same_rates(g->like, node) &&
		    (!node->is_switch || g->like->level == node->level))
			break;
	}
	if (i == w->group_count) {
		name_group(w, node, &w->groups[i]);
		w->groups[i].is_switch = node->is_switch;
		w->groups[i].like = node;
		w->group_count++;
	}
	if (node->link_count > w->groups[i].like->link_count)
		w->groups[i].like = node;
	node->group = i;
	node->number = w->groups[i].count++;
}

/* Which nodes are which, for who knows the file. */
static void
write_names(const struct writer *w)
{
	const struct import *m = w->m;

	for (uint32_t first = 0, last; first < m->node_count; first = last + 1) {
		const struct import_node *node = &m->nodes[first];
		const char *name = w->groups[node->group].name;

		for (last = first;
		     last + 1 < m->node_count && m->nodes[last + 1].group == node->group;)
			last++;
		if (last > first)
			fprintf(w->out, "# Nodes %u to %u are %s%u to %s%u.\n", first, last, name,
				node->number, name, m->nodes[last].number);
		else
			fprintf(w->out, "# Node %u is %s%u.\n", first, name, node->number);
	}
}

/* Ports that differ in rate from the first, run by run. */
static void
write_port_settings(const struct writer *w, const struct import_node *node)
{
	char rate[40];
	bool any = false;

	for (uint32_t p = 0, n; p < node->link_count; p += n) {
		for (n = 1;
		     p + n < node->link_count && node->rates_bps[p + n] == node->rates_bps[p];)
			n++;
		if (node->rates_bps[p] == node->rates_bps[0])
			continue;
		if (!any)
			fputs("    port_settings:\n", w->out);
		any = true;
		fprintf(w->out, "      - {ports: \"%u-%u\", rate: %s}\n", p, p + n - 1,
			unit_text(CONFIG_UNIT_RATE, node->rates_bps[p], rate));
	}
}

static void
write_nodes(const struct writer *w, bool switches)
{
	char rate[40];
	bool any = false;

	for (uint32_t i = 0; i < w->group_count; i++) {
		const struct group *g = &w->groups[i];

		if (g->is_switch != switches)
			continue;
		if (!any)
			fputs(switches ? "\nswitches:\n" : "\nhosts:\n", w->out);
		any = true;
		note_origin(w, w->m->file,
			    g->like->link_count > 0 ? w->m->links[g->like->links[0]].line : 1);
		if (!switches) {
			fprintf(w->out, "  %s: {count: %u, nic: %s}\n", g->name, g->count,
				unit_text(CONFIG_UNIT_RATE, g->like->rates_bps[0], rate));
			continue;
		}
		fprintf(w->out, "  %s:\n    count: %u\n    tier: %s\n    profile: generic-32mb\n",
			g->name, g->count, g->tier);
		fprintf(w->out, "    ports: %u\n    forwarding: {mode: l3}\n",
			g->like->link_count > 0 ? g->like->link_count : 1);
		if (g->like->link_count > 0)
			fprintf(w->out, "    rate: %s\n",
				unit_text(CONFIG_UNIT_RATE, g->like->rates_bps[0], rate));
		write_port_settings(w, g->like);
	}
}

/* A run of ends: hosts h3 to h5, or ports 3 to 5 of a switch. */
static bool
continues(const struct writer *w, const struct import_link *a, const struct import_link *b, int end)
{
	const struct import_node *x = &w->m->nodes[a->ends[end]], *y = &w->m->nodes[b->ends[end]];

	if (x->is_switch)
		return x == y && a->ports[end] + 1 == b->ports[end];
	return !y->is_switch && x->group == y->group && x->number + 1 == y->number;
}

static void
write_ends(const struct writer *w, uint32_t first, uint32_t count, int end)
{
	const struct import_link *links = &w->m->links[first];
	const char *comma = "";

	fputc('[', w->out);
	for (uint32_t i = 0, n; i < count; i += n) {
		const struct import_node *node = &w->m->nodes[links[i].ends[end]];
		const char *name = w->groups[node->group].name;
		uint32_t from = node->is_switch ? links[i].ports[end] : node->number;

		for (n = 1; i + n < count && continues(w, &links[i + n - 1], &links[i + n], end);)
			n++;
		fprintf(w->out, "%s\"%s", comma, name);
		if (node->is_switch)
			fprintf(w->out, "%u", node->number);
		fprintf(w->out, n > 1 ? "[%u-%u]\"" : "[%u]\"", from, from + n - 1);
		comma = ", ";
	}
	fputc(']', w->out);
}

/* Links that share a switch and a delay stand together. */
static bool
belongs(const struct import_link *first, const struct import_link *next)
{
	return next->delay_ps == first->delay_ps &&
	       (next->ends[0] == first->ends[0] || next->ends[1] == first->ends[1]);
}

static void
write_links(const struct writer *w)
{
	const struct import *m = w->m;
	char delay[40];

	if (m->link_count > 0)
		fputs("\nlinks:\n", w->out);
	for (uint32_t i = 0, n; i < m->link_count; i += n) {
		for (n = 1; i + n < m->link_count && n < LINKS_PER_ENTRY &&
			    belongs(&m->links[i], &m->links[i + n]);)
			n++;
		note_origin(w, m->file, m->links[i].line);
		fputs("  - {from: ", w->out);
		write_ends(w, i, n, 0);
		fputs(", to: ", w->out);
		write_ends(w, i, n, 1);
		fprintf(w->out, ", delay: %s}\n",
			unit_text(CONFIG_UNIT_TIME, m->links[i].delay_ps, delay));
	}
}

static void
write_losses(const struct writer *w)
{
	const char *head = "\nimpairments:\n";

	for (uint32_t i = 0; i < w->m->link_count; i++) {
		if (w->m->links[i].loss == 0)
			continue;
		fputs(head, w->out);
		note_origin(w, w->m->file, w->m->links[i].line);
		fputs("  - {port: ", w->out);
		write_ends(w, i, 1, 0);
		fprintf(w->out, ", loss: %.10g%%}\n", 100 * w->m->links[i].loss);
		head = "";
	}
}

/* What flows of one entry have in common. */
static int
compare_flows(const void *a, const void *b)
{
	const struct import_flow *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static bool
alike(const struct import_flow *a, const struct import_flow *b)
{
	return a->start_ps == b->start_ps && a->bytes == b->bytes && a->priority == b->priority;
}

static void
write_hosts(const struct writer *w, uint32_t first, uint32_t count, bool to)
{
	const struct import *m = w->m;

	fputc('[', w->out);
	for (uint32_t i = 0; i < count; i++) {
		const struct import_flow *f = &m->flows[first + i];
		const struct import_node *node = &m->nodes[to ? f->to : f->from];

		fprintf(w->out, "%s%s%u", i > 0 ? ", " : "", w->groups[node->group].name,
			node->number);
	}
	fputc(']', w->out);
}

/* A connection matrix counts hosts. */
static void
hosts_to_nodes(struct import *m)
{
	uint32_t *hosts = config_arena_alloc(m->arena, (m->node_count + 1) * sizeof(*hosts));
	uint32_t count = 0;

	for (uint32_t n = 0; n < m->node_count; n++)
		if (!m->nodes[n].is_switch)
			hosts[count++] = n;
	for (uint32_t i = 0; i < m->flow_count; i++) {
		m->flows[i].from = hosts[m->flows[i].from];
		m->flows[i].to = hosts[m->flows[i].to];
	}
}

static int
write_flows(const struct writer *w)
{
	struct import *m = w->m;
	uint32_t entries = 0;
	char at[40];

	if (m->flows_of_hosts)
		hosts_to_nodes(m);
	if (m->flow_count == 0)
		return 0;
	qsort(m->flows, m->flow_count, sizeof(*m->flows), compare_flows);
	fputs("\nworkload:\n", w->out);
	for (uint32_t i = 0, n; i < m->flow_count; i += n) {
		const struct import_flow *f = &m->flows[i];

		for (n = 1; i + n < m->flow_count && alike(f, &m->flows[i + n]);)
			n++;
		if (++entries > MOST_WORKLOADS)
			return config_fail(
				m->error, &(struct config_mark){m->flow_file, f->line, 1},
				"more than %u different sizes and times of start", MOST_WORKLOADS);
		note_origin(w, m->flow_file, f->line);
		fputs("  - elephants: {from: ", w->out);
		write_hosts(w, i, n, false);
		fputs(", to: ", w->out);
		write_hosts(w, i, n, true);
		fprintf(w->out, ", size: %" PRIu64 ", at: %s", f->bytes,
			unit_text(CONFIG_UNIT_TIME, f->start_ps - m->flows[0].start_ps, at));
		if (f->priority != 3)
			fprintf(w->out, ", dscp: %u", 8 * f->priority);
		fputs("}\n", w->out);
	}
	return 0;
}

int
import_topology_write(struct import *m, FILE *out)
{
	struct writer w = {.m = m, .out = out};
	int rc;

	m->origins = config_arena_alloc(
		m->arena, ((size_t)m->node_count + 2 * (size_t)m->link_count + m->flow_count + 1) *
				  sizeof(*m->origins));
	w.groups = config_arena_alloc(m->arena, (m->node_count + 1) * sizeof(*w.groups));
	find_levels(m);
	for (uint32_t n = 0; n < m->node_count; n++)
		add_to_group(&w, &m->nodes[n]);
	fprintf(out, "# From %s", m->file);
	fprintf(out, m->flow_file != NULL ? " and %s.\n" : ".\n", m->flow_file);
	write_names(&w);
	write_nodes(&w, true);
	write_nodes(&w, false);
	write_links(&w);
	write_losses(&w);
	rc = write_flows(&w);
	return rc != 0 ? rc : ferror(out) ? -EIO : 0;
}
