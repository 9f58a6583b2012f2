/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a run that goes on, as named flat rows: what telemetry answers with. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "results_internal.h"

/* NODE, or NODE,PORT; all of them where the caller names none. */
struct selection {
	char node[NODE_NAME_BYTES];
	long port; /* -1 = all */
};

static void
set(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

/* Whether it is one that the fabric has. */
static bool
parse_selection(const struct fabric *f, const char *text, struct selection *s)
{
	size_t n = text == NULL ? 0 : strcspn(text, ",");
	char *end;

	*s = (struct selection){.port = -1};
	if (n == 0)
		return text == NULL || *text == '\0';
	if (n >= sizeof(s->node))
		return false;
	memcpy(s->node, text, n);
	if (text[n] == ',') {
		s->port = strtol(text + n + 1, &end, 10);
		if (end == text + n + 1 || *end != '\0' || s->port < 0)
			return false;
	}
	for (uint32_t i = 0; i < f->node_count; i++)
		if (strcmp(f->nodes[i]->name, s->node) == 0)
			return s->port < f->nodes[i]->port_count;
	return false;
}

static bool
is_selected(const struct selection *s, const struct node *node, uint16_t port)
{
	return (s->node[0] == '\0' || strcmp(s->node, node->name) == 0) &&
	       (s->port < 0 || s->port == port);
}

/*
 * A row, by a name such as "tor/0/3" that says which: letters, digits, "_" and "/", the only ones
 * that DPDK takes. Names of nodes may be the same after that.
 */
static json_t *
add_row(json_t *rows, const char *format, ...)
{
	json_t *row = json_object();
	char name[128];
	va_list args;
	size_t n;

	va_start(args, format);
	n = (size_t)vsnprintf(name, sizeof(name) / 2, format, args);
	va_end(args);
	for (char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && *c != '/')
			*c = '_';
	for (n = strlen(name); json_object_get(rows, name) != NULL && n + 1 < sizeof(name); n++) {
		name[n] = '_';
		name[n + 1] = '\0';
	}
	json_object_set_new(rows, name, row);
	return row;
}

static void
set_port(json_t *o, const struct node *node, uint16_t port)
{
	json_object_set_new(o, "node", json_string(node->name));
	set(o, "port", port);
}

static void
add_port(const struct fabric *f, const struct node *node, uint16_t index, json_t *rows)
{
	const struct node_port *port = &node->ports[index];
	uint64_t drops = 0, xoff_sent = 0, xoff_received = 0, depth_bytes = 0;
	json_t *o = add_row(rows, "%s/%u", node->name, index);

	for (int reason = 0; reason < DROP_REASON_COUNT; reason++)
		for (int class = 0; class < 8; class ++)
			drops += port->drops[reason][class];
	for (int n = 0; n < PFC_PRIORITIES; n++) {
		xoff_sent += port->pfc_tx.xoff_frames[n];
		xoff_received += port->pfc_rx.xoff_frames[n];
	}
	for (int n = 0; node->id < f->switch_count && n < SWITCH_QUEUES; n++)
		depth_bytes += f->switches[node->id]->ports[index].queues[n].bytes;
	set_port(o, node, index);
	set(o, "rate_bps", port->cfg.rate_bps);
	set(o, "rx_packets", port->rx_packets);
	set(o, "rx_bytes", port->rx_bytes);
	set(o, "tx_packets", port->tx_packets);
	set(o, "tx_bytes", port->tx_bytes);
	set(o, "depth_bytes", depth_bytes);
	set(o, "drops", drops);
	set(o, "xoff_sent", xoff_sent);
	set(o, "xoff_received", xoff_received);
	set(o, "paused", port->pfc_rx.paused);
	set(o, "link_up", !port->link_down);
	set(o, "link_ups", port->link_ups);
	set(o, "link_downs", port->link_downs);
}

static void
add_queues(const struct fabric *f, const struct node *node, uint16_t port, json_t *rows)
{
	const struct switch_node *sw = f->switches[node->id];
	struct buffer_row row;

	for (uint8_t n = 0; n < SWITCH_QUEUES; n++) {
		json_t *o;

		if (!results_queue_row(sw, port, n, &row))
			continue;
		o = add_row(rows, "%s/%u/%u", node->name, port, n);
		set_port(o, node, port);
		set(o, "queue", n);
		set(o, "tx_packets", row.packets);
		set(o, "tx_bytes", row.bytes);
		set(o, "marked", row.marked);
		set(o, "dropped", row.dropped);
		set(o, "depth_bytes", sw->ports[port].queues[n].bytes);
		set(o, "max_bytes", row.max_bytes);
	}
}

static void
add_pgs(const struct fabric *f, const struct node *node, uint16_t port, json_t *rows)
{
	const struct switch_node *sw = f->switches[node->id];
	struct buffer_row row;

	for (uint8_t n = 0; n < MMU_CLASSES; n++) {
		json_t *o;

		if (!results_pg_row(sw, port, n, &row))
			continue;
		o = add_row(rows, "%s/%u/%u", node->name, port, n);
		set_port(o, node, port);
		set(o, "pg", n);
		set(o, "lossless", row.lossless);
		set(o, "packets", row.packets);
		set(o, "bytes", row.bytes);
		set(o, "dropped", row.dropped);
		set(o, "xoffs", row.xoffs);
		set(o, "xoff", sw->ports[port].xoff_pgs >> n & 1);
		set(o, "max_bytes", row.max_bytes);
		set(o, "headroom_max_bytes", (uint64_t)row.headroom_max_cells * row.cell_bytes);
	}
}

static void
add_drops(const struct fabric *f, const struct node *node, uint16_t port, json_t *rows)
{
	for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
		for (int class = 0; class < 8; class ++) {
			uint64_t packets = node->ports[port].drops[reason][class];
			json_t *o;

			if (packets == 0)
				continue;
			o = add_row(rows, "%s/%u/%s/%d", node->name, port,
				    drop_reason_name((enum drop_reason)reason), class);
			set_port(o, node, port);
			set(o, "class", (uint64_t) class);
			json_object_set_new(
				o, "reason",
				json_string(drop_reason_name((enum drop_reason)reason)));
			set(o, "packets", packets);
		}
	}
}

static json_t *
add_flows(json_t *rows, const char *key, const char *name, const struct flow_stats *s)
{
	json_t *o = add_row(rows, "%s", key);
	bool empty = s->fct_ps.counters == NULL || s->fct_ps.count == 0;

	json_object_set_new(o, "workload", json_string(name));
	set(o, "completed", s->completed);
	set(o, "failed", s->failed);
	set(o, "completed_bytes", s->completed_bytes);
	set(o, "retransmitted_packets", s->retransmitted_packets);
	set(o, "fct_p50_ns",
	    empty ? 0 : histogram_percentile(&s->fct_ps, 500000) / UNITS_PS_PER_NS);
	set(o, "fct_p99_ns",
	    empty ? 0 : histogram_percentile(&s->fct_ps, 990000) / UNITS_PS_PER_NS);
	set(o, "fct_max_ns", empty ? 0 : s->fct_ps.max / UNITS_PS_PER_NS);
	return o;
}

static json_t *
flows(const struct results *r)
{
	const struct scenario *s = r->fabric->scenario;
	json_t *rows = json_object();
	json_t *all = add_flows(rows, "all", "", &r->flows);
	struct results_totals t;

	results_totals(r, &t);
	set(all, "posted", t.hosts.messages_posted);
	set(all, "delivered", t.hosts.messages_delivered);
	for (uint32_t i = 0; i < r->workload_count; i++)
		add_flows(rows, s->workloads[i].name, s->workloads[i].name, &r->workloads[i]);
	return rows;
}

static json_t *
config(const struct results *r)
{
	const struct fabric *f = r->fabric;
	const struct scenario *s = f->scenario;
	json_t *o = json_object();
	json_t *names = json_array();

	json_object_set_new(o, "scenario", json_string(s->file));
	json_object_set_new(o, "out", json_string(r->dir == NULL ? "" : r->dir));
	set(o, "seed", s->seed);
	set(o, "duration_us", s->duration_ps / UNITS_PS_PER_US);
	set(o, "now_us", f->real.now_ps / UNITS_PS_PER_US);
	set(o, "mbufs", f->pool_count);
	set(o, "switches", f->switch_count);
	set(o, "hosts", f->host_count);
	set(o, "devices", f->ethdev_count);
	set(o, "workloads", s->workload_count);
	for (uint32_t i = 0; i < f->node_count; i++)
		json_array_append_new(names, json_string(f->nodes[i]->name));
	json_object_set_new(o, "nodes", names);
	return o;
}

json_t *
results_view(struct results *r, enum results_view view, const char *of)
{
	static void (*const adders[])(const struct fabric *, const struct node *, uint16_t,
				      json_t *) = {
		[RESULTS_VIEW_PORTS] = add_port,
		[RESULTS_VIEW_QUEUES] = add_queues,
		[RESULTS_VIEW_PGS] = add_pgs,
		[RESULTS_VIEW_DROPS] = add_drops,
	};
	bool of_switches = view == RESULTS_VIEW_QUEUES || view == RESULTS_VIEW_PGS;
	const struct fabric *f = r->fabric;
	struct selection s;
	json_t *rows;

	results_drain(r);
	if (!parse_selection(f, of, &s))
		return NULL;
	if (view == RESULTS_VIEW_CONFIG)
		return config(r);
	if (view == RESULTS_VIEW_FLOWS)
		return flows(r);
	rows = json_object();
	for (uint32_t i = 0; i < (of_switches ? f->switch_count : f->node_count); i++)
		for (uint16_t port = 0; port < f->nodes[i]->port_count; port++)
			if (is_selected(&s, f->nodes[i], port) &&
			    f->nodes[i]->ports[port].tx != NULL)
				adders[view](f, f->nodes[i], port, rows);
	return rows;
}
