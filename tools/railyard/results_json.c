/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.json as a whole: the run, its packets, drops and transport; docs/results.md. */
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
	}
	return "";
}

static void
set_integer(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static json_t *
packets_json(const struct node_counters *c)
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
	json_object_set_new(o, "in_flight", json_integer((json_int_t)begun - (json_int_t)ended));
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

		for (int class = 0; class < 8; class ++) {
			uint64_t packets = node->ports[port].drops[reason][class];
			json_t *o;

			if (packets == 0)
				continue;
			by_reason[reason] += packets;
			o = json_pack("{s:s, s:i, s:s, s:I}", "node", node->name, "port", port,
				      "reason", drop_reason_name((enum drop_reason)reason),
				      "packets", (json_int_t)packets);
			if (kind != NULL)
				json_object_set_new(o, kind, json_integer(class));
			json_array_append_new(list, o);
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

/* Of data packets the hosts sent, or of all packets where there are no such (a replay). */
static double
marked_fraction(const struct results_totals *t)
{
	uint64_t of = t->hosts.data_packets_sent;

	if (of == 0)
		of = t->nodes.created;
	return of == 0 ? 0 : (double)t->nodes.marked / (double)of;
}

static void
warn_of_totals(struct results *r, const struct results_totals *t)
{
	if (r->short_of_memory)
		results_warn(r, "memory ran short: flows or time series are incomplete");
	if (t->exhausted_nodes > 0)
		results_warn(r, "%llu nodes found no free packet buffer at times: raise `mbufs`",
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
	json_object_set_new(s, "packets", packets_json(&t.nodes));
	set_drops(r, s);
	set_integer(s, "ecn_marked", t.nodes.marked);
	json_object_set_new(s, "ecn_marked_fraction", json_real(marked_fraction(&t)));
	set_integer(s, "cnp_sent", t.hosts.cnp_sent);
	json_object_set_new(s, "pfc", results_pfc_json(r, &t));
	results_buffers_json(r, s);
	json_object_set_new(s, "flows", results_flows_json(r));
	json_object_set_new(s, "workloads", results_workloads_json(r));
	json_object_set_new(s, "goodput_bps", json_real(results_goodput_bps(r, &t)));
	json_object_set_new(s, "jain", jain < 0 ? json_null() : json_real(jain));
	json_object_set_new(s, "transport", transport_json(&t.hosts));
	json_object_set(s, "warnings", r->warnings);
	return s;
}
