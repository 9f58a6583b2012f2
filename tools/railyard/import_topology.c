/* SPDX-License-Identifier: BSD-3-Clause */
#include "import_topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config_units.h"

#define MOST_NODES 81920u
#define MOST_LINKS (1u << 18)
#define MOST_FLOWS (1u << 20)
#define MOST_FIELDS 8u

/* The lines of a file that say something. */
struct lines {
	struct import *import;
	const char *file;
	uint8_t *data;
	FILE *in; /* data */
	char *line;
	size_t size;
	uint32_t number;
	uint32_t said_at; /* the line that says how many follow */
	uint32_t count;
	char *fields[MOST_FIELDS]; /* the first ones; into line */
};

#define FAIL(l, ...)                                                                      \
	config_fail((l)->import->error, &(struct config_mark){(l)->file, (l)->number, 1}, \
		    __VA_ARGS__)

static int
lines_open(struct lines *l, struct import *import, const char *file)
{
	size_t bytes = 0;
	int rc;

	*l = (struct lines){.import = import, .file = file};
	rc = config_read_file(&(struct config_mark){.file = file}, &l->data, &bytes, import->error);
	if (rc != 0)
		return rc;
	l->in = fmemopen(l->data, bytes, "r");
	return l->in != NULL ? 0 : FAIL(l, "%s", strerror(errno));
}

static void
lines_close(struct lines *l)
{
	free(l->line);
	if (l->in != NULL)
		fclose(l->in);
	free(l->data);
}

/* The next line that is not empty, in words; false at the end of the file. */
static bool
lines_next(struct lines *l)
{
	while (getline(&l->line, &l->size, l->in) >= 0) {
		char *rest = l->line, *word;

		l->number++;
		l->count = 0;
		while ((word = strsep(&rest, " \t\r\n")) != NULL) {
			if (*word == '\0')
				continue;
			if (l->count < MOST_FIELDS)
				l->fields[l->count] = word;
			l->count++;
		}
		if (l->count > 0 && l->fields[0][0] != '#')
			return true;
	}
	return false;
}

static bool
to_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number <= max;
}

/*
 * No more of them than the file says: some would be left out in silence. The simulators' own files
 * do end in notes, and in links of nodes that their counts no longer have: those lines are none.
 */
static int
check_no_more(struct lines *l, const struct import *m, const char *what, uint32_t count)
{
	uint64_t node;

	while (lines_next(l)) {
		if (!m->flows_of_hosts &&
		    (l->count < 4 || !to_number(l->fields[0], m->node_count - 1, &node) ||
		     !to_number(l->fields[1], m->node_count - 1, &node)))
			continue;
		return FAIL(l, "more than the %u %s that line %u says", count, what, l->said_at);
	}
	return 0;
}

static int
read_counts(struct lines *l, struct import *m, uint64_t *switches)
{
	uint64_t nodes, links;

	if (!lines_next(l))
		return FAIL(l, "is empty; it starts with the numbers of nodes, switches and links");
	if (l->count != 3 || !to_number(l->fields[0], MOST_NODES, &nodes) ||
	    !to_number(l->fields[1], nodes, switches) ||
	    !to_number(l->fields[2], MOST_LINKS, &links))
		return FAIL(
			l,
			"takes the numbers of nodes (at most %u), switches and links (at most %u)",
			MOST_NODES, MOST_LINKS);
	l->said_at = l->number;
	m->node_count = (uint32_t)nodes;
	m->nodes = config_arena_alloc(m->arena, (nodes + 1) * sizeof(*m->nodes));
	m->links = config_arena_alloc(m->arena, (links + 1) * sizeof(*m->links));
	m->link_count = (uint32_t)links;
	return 0;
}

/* On one line, or on several. */
static int
read_switches(struct lines *l, struct import *m, uint64_t count)
{
	uint64_t found = 0, node;

	while (found < count) {
		char *rest = NULL, *word;

		if (getline(&l->line, &l->size, l->in) < 0)
			return FAIL(l, "ends within the numbers of %u switches",
				    (unsigned int)count);
		l->number++;
		for (word = strtok_r(l->line, " \t\r\n", &rest); word != NULL;
		     word = strtok_r(NULL, " \t\r\n", &rest)) {
			if (!to_number(word, m->node_count - 1, &node))
				return FAIL(l, "%.20s is no node; there are 0 to %u", word,
					    m->node_count - 1);
			if (m->nodes[node].is_switch || found == count)
				return FAIL(
					l,
					found == count
						? "%.20s: more switches than the first line says"
						: "%.20s is in the list twice",
					word);
			m->nodes[node].is_switch = true;
			found++;
		}
	}
	return 0;
}

static int
read_link(struct lines *l, struct import *m, struct import_link *link)
{
	char why[160];
	uint64_t a, b;
	char *end = NULL;

	*link = (struct import_link){.line = l->number};
	if (l->count < 4)
		return FAIL(l, "a link is: node node rate delay error_rate");
	if (!to_number(l->fields[0], m->node_count - 1, &a) ||
	    !to_number(l->fields[1], m->node_count - 1, &b))
		return FAIL(l, "%.20s, %.20s: there are nodes 0 to %u", l->fields[0], l->fields[1],
			    m->node_count - 1);
	if (config_unit_parse(CONFIG_UNIT_RATE, l->fields[2], &link->rate_bps, why, sizeof(why)) !=
		    0 ||
	    config_unit_parse(CONFIG_UNIT_TIME, l->fields[3], &link->delay_ps, why, sizeof(why)) !=
		    0)
		return FAIL(l, "%s", why);
	if (link->rate_bps == 0 || link->delay_ps == 0)
		return FAIL(l, "a link's rate and delay are more than 0");
	if (l->count > 4)
		link->loss = strtod(l->fields[4], &end);
	if (l->count > 4 && (*end != '\0' || !(link->loss >= 0 && link->loss < 1)))
		return FAIL(l, "%.20s: an error rate is 0 to 1", l->fields[4]);
	link->ends[0] = (uint32_t)a;
	link->ends[1] = (uint32_t)b;
	for (int i = 0; i < 2; i++)
		link->ports[i] = m->nodes[link->ends[i]].link_count++;
	return 0;
}

/* What each port leads to, now that their number is known. */
static void
fill_ports(struct import *m)
{
	for (uint32_t n = 0; n < m->node_count; n++) {
		size_t count = m->nodes[n].link_count + 1;

		m->nodes[n].rates_bps = config_arena_alloc(m->arena, count * sizeof(uint64_t));
		m->nodes[n].links = config_arena_alloc(m->arena, count * sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < m->link_count; i++) {
		const struct import_link *link = &m->links[i];

		for (int e = 0; e < 2; e++) {
			m->nodes[link->ends[e]].rates_bps[link->ports[e]] = link->rate_bps;
			m->nodes[link->ends[e]].links[link->ports[e]] = i;
		}
	}
}

static int
check_hosts(struct lines *l, const struct import *m)
{
	for (uint32_t n = 0; n < m->node_count; n++) {
		const struct import_node *node = &m->nodes[n];

		if (node->is_switch || node->link_count == 1)
			continue;
		if (node->link_count > 1)
			l->number = m->links[node->links[1]].line;
		return FAIL(l, "node %u is a host and has %u links; hosts have one port", n,
			    node->link_count);
	}
	return 0;
}

int
import_topology_read(struct import *m, const char *file)
{
	uint64_t switches = 0;
	struct lines l;
	int rc = lines_open(&l, m, file);

	m->file = file;
	if (rc == 0)
		rc = read_counts(&l, m, &switches);
	if (rc == 0)
		rc = read_switches(&l, m, switches);
	for (uint32_t i = 0; rc == 0 && i < m->link_count; i++) {
		if (!lines_next(&l))
			rc = FAIL(&l, "ends after %u of %u links", i, m->link_count);
		else
			rc = read_link(&l, m, &m->links[i]);
	}
	if (rc == 0)
		rc = check_no_more(&l, m, "links", m->link_count);
	if (rc == 0) {
		fill_ports(m);
		rc = check_hosts(&l, m);
	}
	lines_close(&l);
	return rc;
}

static int
check_flow(struct lines *l, const struct import *m, const struct import_flow *f)
{
	uint32_t hosts = 0;

	for (uint32_t n = 0; m->flows_of_hosts && n < m->node_count; n++)
		hosts += !m->nodes[n].is_switch;
	if (m->flows_of_hosts && (f->from >= m->flow_nodes || f->to >= m->flow_nodes))
		return FAIL(l, "%u to %u: there are \"Nodes %u\", numbered from 0", f->from, f->to,
			    m->flow_nodes);
	if (m->flows_of_hosts && (f->from >= hosts || f->to >= hosts))
		return FAIL(l, "%u to %u: %s has hosts 0 to %u", f->from, f->to, m->file,
			    hosts - 1);
	if (!m->flows_of_hosts && (m->nodes[f->from].is_switch || m->nodes[f->to].is_switch))
		return FAIL(l, "node %u is a switch; only hosts send and receive",
			    m->nodes[f->from].is_switch ? f->from : f->to);
	if (f->from == f->to)
		return FAIL(l, "%u would send to itself", f->from);
	if (f->bytes == 0 || f->bytes > 1ull << 31)
		return FAIL(l, "a flow has 1 to 2^31 bytes");
	return 0;
}

/* "source destination priority port bytes start_s" */
static int
read_flow(struct lines *l, const struct import *m, struct import_flow *f)
{
	uint64_t from, to, priority, bytes;
	char why[160], start[40];

	if (l->count < 6)
		return FAIL(l,
			    "a flow is: source destination priority port bytes start_in_seconds");
	if (!to_number(l->fields[0], m->node_count - 1, &from) ||
	    !to_number(l->fields[1], m->node_count - 1, &to))
		return FAIL(l, "%.20s, %.20s: %s has nodes 0 to %u", l->fields[0], l->fields[1],
			    m->file, m->node_count - 1);
	if (!to_number(l->fields[2], 7, &priority))
		return FAIL(l, "%.20s: a priority is 0 to 7", l->fields[2]);
	if (!to_number(l->fields[4], UINT64_MAX, &bytes))
		return FAIL(l, "%.20s is no number of bytes", l->fields[4]);
	snprintf(start, sizeof(start), "%.30ss", l->fields[5]);
	*f = (struct import_flow){
		.from = (uint32_t)from,
		.to = (uint32_t)to,
		.priority = (uint32_t)priority,
		.bytes = bytes,
		.line = l->number,
	};
	if (config_unit_parse(CONFIG_UNIT_TIME, start, &f->start_ps, why, sizeof(why)) != 0)
		return FAIL(l, "%s", why);
	return 0;
}

/* "s->d [id n] start 0 size bytes", and words that have no meaning here. */
static int
read_connection(struct lines *l, struct import_flow *f)
{
	char *arrow = strstr(l->fields[0], "->");
	uint64_t from = 0, to = 0;

	*f = (struct import_flow){.priority = 3, .line = l->number};
	if (arrow == NULL)
		return FAIL(l, "a connection is: source->destination start 0 size bytes");
	*arrow = '\0';
	if (!to_number(l->fields[0], MOST_NODES, &from) || !to_number(arrow + 2, MOST_NODES, &to))
		return FAIL(l, "%.20s->%.20s: not two numbers of hosts", l->fields[0], arrow + 2);
	f->from = (uint32_t)from;
	f->to = (uint32_t)to;
	for (uint32_t i = 1; i + 1 < l->count && i + 1 < MOST_FIELDS; i += 2) {
		if (strcmp(l->fields[i], "size") == 0 &&
		    !to_number(l->fields[i + 1], UINT64_MAX, &f->bytes))
			return FAIL(l, "%.20s is no number of bytes", l->fields[i + 1]);
		if (strcmp(l->fields[i], "start") == 0 && strcmp(l->fields[i + 1], "0") != 0)
			return FAIL(l,
				    "start %.20s: its unit differs from program to program; only "
				    "0 is read",
				    l->fields[i + 1]);
		if (strcmp(l->fields[i], "trigger") == 0)
			return FAIL(l, "connections that wait for a trigger are not read");
	}
	return 0;
}

/* The first line of either format, and how many flows follow. */
static int
read_flow_count(struct lines *l, struct import *m, uint64_t *count)
{
	uint64_t nodes = 0;

	if (!lines_next(l))
		return FAIL(l, "is empty");
	l->said_at = l->number;
	m->flows_of_hosts = strcmp(l->fields[0], "Nodes") == 0;
	if (!m->flows_of_hosts) {
		if (l->count == 1 && to_number(l->fields[0], MOST_FLOWS, count))
			return 0;
		return FAIL(l, "starts with the number of flows (at most %u), or \"Nodes n\"",
			    MOST_FLOWS);
	}
	if (l->count != 2 || !to_number(l->fields[1], MOST_NODES, &nodes) || !lines_next(l) ||
	    l->count != 2 || strcmp(l->fields[0], "Connections") != 0 ||
	    !to_number(l->fields[1], MOST_FLOWS, count))
		return FAIL(l, "starts with \"Nodes n\" and \"Connections n\"");
	l->said_at = l->number;
	m->flow_nodes = (uint32_t)nodes;
	return 0;
}

int
import_flows_read(struct import *m, const char *file)
{
	uint64_t count = 0;
	struct lines l;
	int rc = lines_open(&l, m, file);

	m->flow_file = file;
	if (rc == 0)
		rc = read_flow_count(&l, m, &count);
	m->flows = config_arena_alloc(m->arena, (count + 1) * sizeof(*m->flows));
	while (rc == 0 && m->flow_count < count) {
		struct import_flow *f = &m->flows[m->flow_count];

		if (!lines_next(&l))
			rc = FAIL(&l, "ends after %u of %u flows", m->flow_count,
				  (unsigned int)count);
		else
			rc = m->flows_of_hosts ? read_connection(&l, f) : read_flow(&l, m, f);
		if (rc == 0)
			rc = check_flow(&l, m, f);
		m->flow_count++;
	}
	if (rc == 0)
		rc = check_no_more(&l, m, m->flows_of_hosts ? "connections" : "flows",
				   m->flow_count);
	lines_close(&l);
	return rc;
}
