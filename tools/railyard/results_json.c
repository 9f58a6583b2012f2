/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.json as a whole: the run, its packets, drops and transport; docs/results.md. */
#include "human.h"
#include "results_internal.h"

static const char *
state_name(enum results_state state)
{
	switch (state) {
	case RESULTS_COMPLETE:
		return "complete";
	case RESULTS_DURATION:
		return "duration";
	case RESULTS_INTERRUPTED:
		return "interrupted";
	case RESULTS_BROKEN:
		return "broken";
	case RESULTS_DEADLOCK:
		return "deadlock";
	case RESULTS_RUNNING:
		return "running";
	}
	return "";
}

static void
set_integer(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

/* Packets of the outside, which came in by a device, or went out by one. */
static void
add_devices(const struct fabric *f, json_t *o)
{
	uint64_t from = 0, to = 0, dropped = 0;

	for (uint32_t i = 0; i < f->ethdev_count; i++) {
		/* Both ends of a ring cable are inside. */
		if (i >= f->ring_port_count) {
			from += f->ethdevs[i].counters.rx_packets;
			to += f->ethdevs[i].counters.tx_packets;
		}
		dropped += f->ethdevs[i].counters.tx_dropped + f->ethdevs[i].counters.tx_no_link;
	}
	set_integer(o, "from_devices", from);
	set_integer(o, "to_devices", to);
	set_integer(o, "dropped_at_devices", dropped);
}

/*
 * What the run says is under way; and what the counters say when it says nothing, which is
 * nothing unless an invariant is broken.
 */
static json_t *
packets_json(const struct fabric *f, const struct node_counters *c, uint64_t in_flight)
{
	uint64_t begun = c->created + c->copied;
	uint64_t ended = c->delivered + c->consumed + c->dropped;
	json_t *o = json_object();

	set_integer(o, "sent", c->created);
	set_integer(o, "copied", c->copied);
	set_integer(o, "delivered", c->delivered);
	set_integer(o, "consumed", c->consumed);
	set_integer(o, "dropped", c->dropped);
	set_integer(o, "dropped_bytes", c->dropped_bytes);
	if (f->ethdev_count != 0)
		add_devices(f, o);
	json_object_set_new(o, "in_flight",
			    json_integer(in_flight > 0
						 ? (json_int_t)in_flight
						 : (json_int_t)begun + fabric_ethdev_balance(f) -
							   (json_int_t)ended));
	return o;
}

/* The class is a PG for what the ingress side refuses, and a queue for the egress side. */
static const char *
class_kind(enum drop_reason reason)
{
	switch (reason) {
	case DROP_INGRESS_HEADROOM:
	case DROP_HEADROOM_POOL:
	case DROP_INGRESS_LIMIT:
		return "pg";
	case DROP_EGRESS_LIMIT:
	case DROP_WRED:
	case DROP_PFC_WATCHDOG:
		return "queue";
	default:
		return NULL;
	}
}

static void
add_port_drops(const struct node *node, uint16_t port, json_t *list,
	       uint64_t by_reason[DROP_REASON_COUNT])
{
	for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
		const char *kind = class_kind((enum drop_reason)reason);
		uint64_t packets = 0;

		for (int class = 0; class < 8; class ++) {
			json_t *o;

			packets += node->ports[port].drops[reason][class];
			/* One row where the class says nothing. */
			if (packets == 0 || (kind == NULL && class < 7))
				continue;
			by_reason[reason] += packets;
			o = json_pack("{s:s, s:i, s:s, s:I}", "node", node->name, "port", port,
				      "reason", drop_reason_name((enum drop_reason)reason),
				      "packets", (json_int_t)packets);
			if (kind != NULL)
				json_object_set_new(o, kind, json_integer(class));
			json_array_append_new(list, o);
			packets = 0;
		}
	}
}

static void
set_drops(const struct results *r, json_t *summary)
{
	uint64_t by_reason[DROP_REASON_COUNT] = {0};
	json_t *list = json_array();
	json_t *reasons = json_object();

	for (uint32_t i = 0; i < r->fabric->node_count; i++) {
		for (uint16_t port = 0; port < r->fabric->nodes[i]->port_count; port++)
			add_port_drops(r->fabric->nodes[i], port, list, by_reason);
	}
	for (int reason = 0; reason < DROP_REASON_COUNT; reason++)
		set_integer(reasons, drop_reason_name((enum drop_reason)reason), by_reason[reason]);
	json_object_set_new(summary, "drops", list);
	json_object_set_new(summary, "drops_by_reason", reasons);
}

static json_t *
impairments_json(const struct impair_counters *c)
{
	json_t *o = json_object();

	set_integer(o, "lost", c->lost);
	set_integer(o, "duplicated", c->duplicated);
	set_integer(o, "delayed", c->delayed);
	set_integer(o, "reordered", c->reordered);
	set_integer(o, "corrupted", c->corrupted);
	set_integer(o, "marked", c->marked);
	set_integer(o, "pauses", c->pauses);
	return o;
}

static json_t *
transport_json(const struct host_results *h)
{
	json_t *o = json_object();

	set_integer(o, "messages_posted", h->messages_posted);
	set_integer(o, "messages_completed", h->messages_completed);
	set_integer(o, "messages_failed", h->messages_failed);
	set_integer(o, "messages_delivered", h->messages_delivered);
	set_integer(o, "bytes_delivered", h->bytes_delivered);
	set_integer(o, "data_packets_sent", h->data_packets_sent);
	set_integer(o, "retransmitted_packets", h->retransmitted_packets);
	set_integer(o, "retransmitted_nak", h->retransmitted_nak);
	set_integer(o, "retransmitted_gap", h->retransmitted_gap);
	set_integer(o, "retransmitted_timeout", h->retransmitted_timeout);
	set_integer(o, "acks_sent", h->acks_sent);
	set_integer(o, "naks_sent", h->naks_sent);
	set_integer(o, "timeouts", h->timeouts);
	set_integer(o, "out_of_order", h->out_of_order);
	set_integer(o, "duplicates", h->duplicates);
	set_integer(o, "ce_received", h->ce_received);
	set_integer(o, "cnp_received", h->cnp_received);
	set_integer(o, "udp_sent", h->udp_sent);
	set_integer(o, "udp_received", h->udp_received);
	set_integer(o, "udp_bytes_received", h->udp_bytes_received);
	return o;
}

/*
 * Rates over the whole run, in bytes of the frame. What hosts sent is known only where they sent
 * nothing but datagrams.
 */
static json_t *
udp_json(const struct results *r, const struct host_results *h)
{
	double seconds = (double)r->end.virtual_ps / UNITS_PS_PER_S;
	uint64_t tx_bytes = 0;
	json_t *o = json_object();

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		tx_bytes += host_node(r->fabric->hosts[i])->ports[0].tx_bytes;
	json_object_set_new(o, "sent_bps",
			    h->udp_sent == 0 || h->messages_posted > 0 || seconds <= 0
				    ? json_null()
				    : json_real((double)tx_bytes * 8 / seconds));
	json_object_set_new(
		o, "received_bps",
		json_real(seconds > 0 ? (double)h->udp_bytes_received * 8 / seconds : 0));
	return o;
}

/* Ports of switches that anything passed. */
static json_t *
ports_json(const struct fabric *fabric)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		const struct node *node = &fabric->switches[i]->node;

		for (uint16_t n = 0; n < node->port_count; n++) {
			const struct node_port *port = &node->ports[n];

			if (port->rx_packets == 0 && port->tx_packets == 0)
				continue;
			json_array_append_new(list,
					      json_pack("{s:s, s:i, s:I, s:I, s:I, s:I}", "node",
							node->name, "port", n, "rx_packets",
							(json_int_t)port->rx_packets, "rx_bytes",
							(json_int_t)port->rx_bytes, "tx_packets",
							(json_int_t)port->tx_packets, "tx_bytes",
							(json_int_t)port->tx_bytes));
		}
	}
	return list;
}

/*
 * Of data packets the hosts sent, those that arrived marked; where hosts sent none, marks of all
 * packets there were (a replay), or that came in (by the clock).
 */
static double
marked_fraction(const struct results_totals *t, bool real_time)
{
	uint64_t all = real_time ? t->nodes.hops : t->nodes.created;

	/* Acknowledgements are marked as well: of data, those that came in marked. */
	if (t->hosts.data_packets_sent != 0)
		return (double)t->hosts.ce_received / (double)t->hosts.data_packets_sent;
	return all == 0 ? 0 : (double)t->nodes.marked / (double)all;
}

/* A run without a packet is seldom meant. */
static void
warn_of_silence(struct results *r, const struct results_totals *t)
{
	const struct fabric *f = r->fabric;

	/* A switch on devices passes on what others send. */
	if (t->nodes.created > 0 || f->ethdev_count > 0)
		return;
	if (f->node_count > f->switch_count + f->host_count)
		results_warn(r, "nothing was sent: no frame came from the trace");
	else if (r->workload_count == 0)
		results_warn(r, "nothing was sent: no workload");
	else
		results_warn(r, "nothing was sent: no workload began before the end of the run");
}

static void
warn_of_totals(struct results *r, const struct results_totals *t)
{
	warn_of_silence(r, t);
	if (r->end.in_flight > 0)
		results_warn(r,
			     "%s packets were still under way when the run was stopped: they "
			     "count as neither delivered nor lost",
			     human_count(r->end.in_flight).text);
	if (r->short_of_memory)
		results_warn(r, "memory ran short: flows or time series are incomplete");
	if (t->hosts.messages_failed > 0)
		results_warn(r,
			     "%s %s failed: their senders gave up after `retry` timeouts; "
			     "flows.csv has them, drops.csv what was lost of their packets",
			     human_count(t->hosts.messages_failed).text,
			     t->hosts.messages_failed == 1 ? "message" : "messages");
	if (t->exhausted_nodes > 0)
		results_warn(r, "no free packet buffer, %llu times at %llu nodes: raise `mbufs`",
			     (unsigned long long)t->no_buffers,
			     (unsigned long long)t->exhausted_nodes);
	if (t->pause_frames > 0)
		results_warn(r, "%llu 802.3x PAUSE frames were received and ignored",
			     (unsigned long long)t->pause_frames);
	if (t->mac_control_other > 0)
		results_warn(r,
			     "%llu MAC control frames were neither PFC nor PAUSE, or had an "
			     "empty vector, and were ignored",
			     (unsigned long long)t->mac_control_other);
}

static void
set_run(const struct results *r, const struct results_totals *t, json_t *s)
{
	const struct results_end *end = &r->end;
	char digest[17];

	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)end->digest);
	json_object_set_new(s, "scenario", json_string(r->fabric->scenario->file));
	json_object_set_new(s, "state", json_string(state_name(end->state)));
	if (end->broken != NULL)
		json_object_set_new(s, "broken", json_string(end->broken));
	json_object_set_new(s, "digest", json_string(digest));
	set_integer(s, "seed", r->fabric->scenario->seed);
	json_object_set_new(s, "virtual_s", json_real((double)end->virtual_ps / UNITS_PS_PER_S));
	json_object_set_new(s, "wall_s", json_real(end->wall_s));
	set_integer(s, "packet_hops", t->nodes.hops);
	json_object_set_new(s, "packet_hops_per_s",
			    json_real(end->wall_s > 0 ? (double)t->nodes.hops / end->wall_s : 0));
}

/* NULL: no memory. */
json_t *
results_build_summary(struct results *r)
{
	double jain = results_jain(&r->flows);
	struct results_totals t;
	json_t *s = json_object();

	results_totals(r, &t);
	warn_of_totals(r, &t);
	set_run(r, &t, s);
	json_object_set_new(s, "packets", packets_json(r->fabric, &t.nodes, r->end.in_flight));
	set_drops(r, s);
	json_object_set_new(s, "impairments", impairments_json(&t.impairments));
	json_object_set_new(s, "failures", results_failures_json(r));
	set_integer(s, "ecn_marked", t.nodes.marked);
	json_object_set_new(s, "ecn_marked_fraction",
			    json_real(marked_fraction(&t, r->end.real_time)));
	json_object_set_new(s, "ecn_bins", results_marks_json(r));
	set_integer(s, "cnp_sent", t.hosts.cnp_sent);
	json_object_set_new(s, "ports", ports_json(r->fabric));
	json_object_set_new(s, "pfc", results_pfc_json(r, &t));
	json_object_set_new(s, "watchdog", results_watchdog_json(r));
	json_object_set_new(s, "tiers", results_tiers_json(r));
	json_object_set_new(s, "links", results_links_json(r));
	results_buffers_json(r, s);
	json_object_set_new(s, "flows", results_flows_json(r));
	json_object_set_new(s, "workloads", results_workloads_json(r));
	json_object_set_new(s, "goodput_bps", json_real(results_goodput_bps(r, &t)));
	json_object_set_new(s, "jain", jain < 0 ? json_null() : json_real(jain));
	json_object_set_new(s, "transport", transport_json(&t.hosts));
	json_object_set_new(s, "reordering", results_reordering_json(r, &t));
	json_object_set_new(s, "udp", udp_json(r, &t.hosts));
	json_object_set_new(s, "neighbours", results_neighbours_json(r, &t.hosts));
	if (r->end.real_time)
		json_object_set_new(s, "real_time", results_real_json(r));
	json_object_set(s, "warnings", r->warnings);
	if (r->full)
		json_object_set_new(s, "left_out", json_object());
	else
		results_cap(s);
	return s;
}
