/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_state.h"
#include "requester.h"
#include "responder.h"
#include "selective.h"

void
host_schedule(struct host *host)
{
	uint64_t due_ps = host->drain.next_ps;

	if (!host->stopped) {
		due_ps = RTE_MIN(due_ps, heap_due_ps(&host->sources.due));
		/* Deadlines of what has been answered since would only prolong the run. */
		if (host->outstanding != 0)
			due_ps = RTE_MIN(due_ps, heap_due_ps(&host->retransmit));
		due_ps = RTE_MIN(due_ps, neighbour_due_ps(&host->neighbours));
	}
	if (due_ps == host->timer_ps)
		return;
	host->timer_ps = due_ps;
	node_set_timer(&host->node, due_ps);
}

static void
timer(struct node *node, uint64_t now_ps)
{
	struct host *host = host_of(node);

	host->timer_ps = UNITS_NEVER_PS;
	if (!host->stopped) {
		host_sources_run(host, now_ps);
		requester_timeouts(host, now_ps);
		neighbour_run(host, now_ps);
	}
	drain_run(host, now_ps);
	host_schedule(host);
}

static void
stop(struct node *node, uint64_t now_ps)
{
	struct host *host = host_of(node);

	host->stopped = true;
	host_schedule(host);
}

static struct rte_mbuf *
dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	return nic_dequeue(host_of(node), now_ps, next_ps);
}

/* Headers that make a queue pair's packet something for memory, not for the transport alone. */
static bool
is_response(uint8_t opcode)
{
	return opcode >= ROCE_READ_RESPONSE_FIRST && opcode <= ROCE_READ_RESPONSE_ONLY;
}

static bool
is_request(uint8_t opcode)
{
	return opcode <= ROCE_READ_REQUEST;
}

static bool
addressed_to(const struct host *host, const struct rte_mbuf *m)
{
	const struct roce_address *me = &host->env->peers[host->id].address;
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct packet *k = packet_of(m);

	if (m->data_len < 6 || memcmp(frame, me->mac, 6) != 0)
		return false;
	if (k->flags & PACKET_IPV4)
		return !me->is_ipv6 && memcmp(frame + k->l3_ofs + 16, me->ip, 4) == 0;
	if (k->flags & PACKET_IPV6)
		return me->is_ipv6 && memcmp(frame + k->l3_ofs + 24, me->ip, 16) == 0;
	return true;
}

/* False: it lies beyond the receiver's window. */
static bool
dispatch(struct host *host, struct qp *qp, const struct packet *k, const struct roce_packet *p,
	 uint64_t now_ps)
{
	if (is_request(p->opcode)) {
		host->results.data_packets_received++;
		reorder_observe(host, &qp->request_watch, k->uid, p->psn);
		return responder_request(host, qp, p, packet_dscp(k), now_ps);
	}
	if (is_response(p->opcode)) {
		host->results.data_packets_received++;
		reorder_observe(host, &qp->response_watch, k->uid, p->psn);
		return requester_read_response(host, qp, p, now_ps);
	}
	if (p->opcode == ROCE_ACK) {
		requester_ack(host, qp, p, now_ps);
	} else {
		host->results.cnp_received++;
		congestion_notified(&qp->congestion, &host->cfg->congestion, now_ps);
	}
	return true;
}

void
host_receive(struct host *host, struct rte_mbuf *m, const struct roce_packet *p, uint64_t now_ps)
{
	const struct packet *k = packet_of(m);
	struct qp *qp;

	if (unlikely(!(k->flags & PACKET_ROCE))) {
		if (k->flags & PACKET_UDP)
			datagram_received(host, k);
		node_deliver(&host->node, m, now_ps);
		return;
	}
	/* A request makes the responder's half; anything else answers what we have sent. */
	qp = is_request(p->opcode) ? qp_get(host, p->dest_qp) : qp_find(&host->qps, p->dest_qp);
	if (unlikely(qp == NULL || qp->error)) {
		node_drop(&host->node, 0, host_priority(host, packet_dscp(k)), DROP_NO_QP, m,
			  now_ps);
		return;
	}
	if (likely(dispatch(host, qp, k, p, now_ps)))
		node_deliver(&host->node, m, now_ps);
	else
		node_drop(&host->node, 0, host_priority(host, packet_dscp(k)), DROP_REORDER_WINDOW,
			  m, now_ps);
}

/* Why the frame is not for the transport, or DROP_REASON_COUNT. */
static enum drop_reason
refusal(const struct host *host, struct rte_mbuf *m, struct roce_packet *p)
{
	const struct packet *k = packet_of(m);

	if (k->flags & PACKET_MALFORMED)
		return DROP_MALFORMED;
	if (!(k->flags & PACKET_ROCE))
		return DROP_REASON_COUNT;
	if (roce_decode(m, p) != 0 || (p->opcode > ROCE_ACK && p->opcode != ROCE_CNP))
		return DROP_MALFORMED;
	/* Without payloads in memory there is nothing to verify, and bit errors are a flag. */
	if (host->cfg->with_payload ? !roce_icrc_verify(m) : k->corrupted)
		return DROP_BAD_ICRC;
	return DROP_REASON_COUNT;
}

static void
arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	struct host *host = host_of(node);
	const struct packet *k = packet_of(m);
	bool is_roce = k->flags & PACKET_ROCE;
	enum drop_reason reason;
	struct roce_packet p;
	bool is_data;

	if (unlikely(!is_roce) && neighbour_arrive(host, m, now_ps))
		return;
	if (unlikely(!addressed_to(host, m))) {
		host->results.filtered++;
		node_consume(node, m, now_ps);
		return;
	}
	reason = refusal(host, m, &p);
	if (unlikely(reason != DROP_REASON_COUNT)) {
		node_drop(node, port, host_priority(host, packet_dscp(k)), reason, m, now_ps);
		return;
	}
	is_data = !is_roce || is_request(p.opcode) || is_response(p.opcode);
	if (is_roce && is_data && packet_ecn(k) == PACKET_CE) {
		struct qp *qp = qp_get(host, p.dest_qp);

		if (qp != NULL && !qp->error)
			qp_notify_congestion(host, qp, now_ps);
	}
	if (host->cfg->drain_bps != 0 && is_data)
		drain_arrive(host, m, now_ps);
	else
		host_receive(host, m, &p, now_ps);
}

static uint64_t
held(const struct node *node)
{
	const struct host *host = (const struct host *)node;

	return (host->drain.tail - host->drain.head) +
	       (host->neighbours.tail - host->neighbours.head);
}

static int
check_qp(const struct qp *qp, char *why, size_t why_bytes)
{
	if (qp->una_seq > qp->next_seq || qp->next_seq > qp->sent_seq ||
	    qp->sent_seq > qp->posted_seq) {
		snprintf(why, why_bytes, "QP %u: una %lu, next %lu, sent %lu, posted %lu", qp->qpn,
			 qp->una_seq, qp->next_seq, qp->sent_seq, qp->posted_seq);
		return -EPROTO;
	}
	if (qp->cursor - qp->head > qp->tail - qp->head) {
		snprintf(why, why_bytes, "QP %u: cursor %u outside %u-%u", qp->qpn, qp->cursor,
			 qp->head, qp->tail);
		return -EPROTO;
	}
	return 0;
}

static int
check(const struct node *node, char *why, size_t why_bytes)
{
	const struct host *host = (const struct host *)node;
	uint64_t outstanding = 0, bytes = 0;

	for (uint32_t i = 0; i < host->qps.count; i++) {
		const struct qp *qp = host->qps.all[i];

		if (check_qp(qp, why, why_bytes) != 0)
			return -EPROTO;
		outstanding += qp->tail - qp->head;
	}
	if (outstanding != host->outstanding) {
		snprintf(why, why_bytes, "%lu messages outstanding, QPs hold %lu",
			 host->outstanding, outstanding);
		return -EPROTO;
	}
	for (uint32_t i = host->drain.head; i != host->drain.tail; i++)
		bytes += packet_of(host->drain.ring[i & host->drain.mask])->frame_bytes;
	if (bytes != host->drain.bytes) {
		snprintf(why, why_bytes, "receive buffer counts %lu bytes, holds %lu",
			 host->drain.bytes, bytes);
		return -EPROTO;
	}
	return nic_check(&host->nic, why, why_bytes);
}

static void
destroy(struct node *node)
{
	struct host *host = host_of(node);

	host_sources_fini(&host->sources);
	datagram_fini(&host->datagrams);
	drain_fini(&host->drain);
	neighbour_fini(&host->neighbours);
	qp_table_fini(&host->qps);
	histogram_fini(&host->reorder_distance);
	heap_fini(&host->retransmit);
	heap_fini(&host->nic.paced);
	node_fini(node);
	free(host);
}

static const struct node_ops host_ops = {
	.arrive = arrive,
	.dequeue = dequeue,
	.timer = timer,
	.stop = stop,
	.held = held,
	.check = check,
	.destroy = destroy,
};

static bool
may_pace(const struct host_cfg *cfg)
{
	const struct congestion_cfg *congestion = &cfg->congestion;

	return congestion->kind != CONGESTION_NONE ||
	       (congestion->rate_bps != 0 && congestion->rate_bps < cfg->port.rate_bps);
}

int
host_create(struct host **out, const struct host_cfg *cfg, const struct host_env *env,
	    uint32_t host_id, uint32_t node_id)
{
	struct host *host;
	int rc;

	if (host_id >= env->host_count || env->host_count > QP_MAX_HOSTS)
		return -EINVAL;
	host = lines_alloc(1, sizeof(*host));
	if (host == NULL)
		return -ENOMEM;
	rc = node_init(&host->node, &host_ops, cfg->name, node_id, env->seed, env->pool, 1,
		       &cfg->port);
	if (rc != 0) {
		free(host);
		return rc;
	}
	host->node.observer = env->observer;
	host->cfg = cfg;
	host->env = env;
	host->id = host_id;
	host->timer_ps = UNITS_NEVER_PS;
	host->data_ecn = cfg->ecn_capable ? PACKET_ECT0 : PACKET_NOT_ECT;
	host->paced = may_pace(cfg);
	for (uint8_t dscp = 0; dscp < 64; dscp++)
		host->priority_of[dscp] =
			cfg->maps_priority ? cfg->dscp_to_priority[dscp] : dscp >> 3;
	host->placement_observed = env->host_observer != NULL && env->host_observer->placed != NULL;
	datagram_init(&host->datagrams);
	neighbour_init(host);
	rc = qp_table_init(&host->qps);
	if (rc == 0)
		rc = drain_init(&host->drain);
	if (rc != 0) {
		destroy(&host->node);
		return rc;
	}
	*out = host;
	return 0;
}

struct node *
host_node(struct host *host)
{
	return &host->node;
}

const struct host_results *
host_results(const struct host *host)
{
	return &host->results;
}

const struct histogram *
host_reorder_distance(const struct host *host)
{
	return &host->reorder_distance;
}

void
host_each_reordering(const struct host *host,
		     void (*each)(void *context, const struct host_reordering *reordering),
		     void *context)
{
	for (uint32_t i = 0; i < 2 * host->qps.count; i++) {
		const struct qp *qp = host->qps.all[i / 2];
		const struct reorder_watch *watch =
			i % 2 ? &qp->response_watch : &qp->request_watch;
		const struct reorder_window *w = qp->selective == NULL ? NULL
						 : i % 2               ? qp->selective->responses
								       : qp->selective->requests;
		struct host_reordering reordering = {.peer = qp->peer,
						     .qp = qp->qpn,
						     .responses = i % 2,
						     .packets = watch->packets,
						     .reordered = watch->late,
						     .distance_max = watch->distance_max,
						     .held_max = w == NULL ? 0 : w->held_max};

		if (reordering.reordered != 0 || reordering.held_max != 0)
			each(context, &reordering);
	}
}

bool
host_done(const struct host *host)
{
	/* A source that waits for a message which failed will never be due. */
	return host->outstanding == 0 && host->sources.scheduled == 0 &&
	       host->neighbours.resolving == 0;
}

uint32_t
host_asked_in_vain(const struct host *host, uint32_t peer)
{
	enum neighbour_state state = neighbour_state_of(host, peer);

	if (state != NEIGHBOUR_RESOLVING && state != NEIGHBOUR_FAILED)
		return 0;
	return host->neighbours.peers[peer].tries;
}

void
host_progress(const struct host *host, uint64_t *completed_bytes, uint64_t *posted_bytes)
{
	*completed_bytes = host->completed_bytes;
	*posted_bytes = host->posted_bytes;
}

void
host_close(struct host *host, uint64_t now_ps)
{
	for (uint32_t i = 0; i < host->qps.count; i++)
		requester_report_unfinished(host, host->qps.all[i]);
}

void
host_each_rate(struct host *host, uint64_t now_ps,
	       void (*each)(void *context, uint32_t peer, uint32_t qp, uint64_t rate_bps),
	       void *context)
{
	for (uint32_t i = 0; i < host->qps.count; i++) {
		struct qp *qp = host->qps.all[i];

		if (qp->head != qp->tail)
			each(context, qp->peer, qp->qpn,
			     congestion_rate_bps(&qp->congestion, &host->cfg->congestion, now_ps));
	}
}
