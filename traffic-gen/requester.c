/* SPDX-License-Identifier: BSD-3-Clause */
#include "requester.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host_state.h"
#include "requester_internal.h"
#include "selective.h"

#define REQUESTS_START 4u

static struct request *
request_at(const struct qp *qp, uint32_t index)
{
	return &qp->requests[index & qp->request_mask];
}

struct request *
requester_oldest(const struct qp *qp)
{
	return qp->head == qp->tail ? NULL : request_at(qp, qp->head);
}

struct request *
requester_of_seq(const struct qp *qp, uint64_t seq)
{
	uint32_t first = 0, count = qp->tail - qp->head;

	while (count > 1) {
		uint32_t half = count / 2;

		if (request_at(qp, qp->head + first + half)->first_seq <= seq)
			first += half;
		count -= half;
	}
	return request_at(qp, qp->head + first);
}

static void
report(struct host *host, const struct qp *qp, const struct request *r, uint64_t end_ps,
       bool failed)
{
	const struct host_env *env = host->env;
	struct flow_record record = {
		.source = host->id,
		.destination = qp->peer,
		.source_qp = qp->qpn,
		.destination_qp = qp->remote_qpn,
		.workload = r->workload,
		.verb = (enum verb)r->verb,
		.bytes = r->bytes,
		.start_ps = r->start_ps,
		.end_ps = end_ps,
		.retransmitted_packets = r->retransmitted,
		.failed = failed,
	};

	if (env->host_observer == NULL || env->host_observer->flow == NULL)
		return;
	if (env->ideal_ps != NULL)
		record.ideal_ps = env->ideal_ps(env->ideal_context, host->id, qp->peer, record.verb,
						r->bytes);
	env->host_observer->flow(env->host_observer->context, &record);
}

/* The oldest message is done; it leaves the ring. */
static void
complete(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct request *r = request_at(qp, qp->head++);

	if (r->read_requested)
		qp->reads_outstanding--;
	host->results.messages_completed++;
	host->completed_bytes += r->bytes;
	host->outstanding--;
	digest_add(&host->node.digest, DIGEST_COMPLETED, now_ps,
		   (uint64_t)qp->qpn << 32 ^ r->first_seq ^ r->bytes << 20);
	report(host, qp, r, now_ps, false);
	if (r->source != QP_NO_SOURCE)
		host_sources_completed(host, r->source, now_ps);
	/* The last one out turns the retransmit timer off. */
	if (host->outstanding == 0)
		host_schedule(host);
}

void
requester_report_unfinished(struct host *host, struct qp *qp)
{
	for (uint32_t i = qp->head; i != qp->tail; i++)
		report(host, qp, request_at(qp, i), 0, false);
}

static void
fail(struct host *host, struct qp *qp, const struct request *r)
{
	host->results.messages_failed++;
	host->outstanding--;
	report(host, qp, r, 0, true);
}

void
requester_fail(struct host *host, struct qp *qp, uint64_t now_ps)
{
	qp->error = true;
	qp->deadline_ps = UNITS_NEVER_PS;
	qp->job_head = qp->job_tail;
	qp->ack_due = false;
	qp->reads_outstanding = 0;
	for (; qp->head != qp->tail; qp->head++) {
		const struct request *r = request_at(qp, qp->head);

		digest_add(&host->node.digest, DIGEST_DROPPED, now_ps,
			   (uint64_t)qp->qpn << 32 ^ r->first_seq);
		fail(host, qp, r);
	}
	qp->cursor = qp->tail;
	qp->una_seq = qp->next_seq = qp->sent_seq = qp->ackreq_seq = qp->posted_seq;
	selective_fail(qp);
}

/* One more slot in the ring. */
static void
requests_grow(struct qp *qp)
{
	uint32_t size = qp->requests == NULL ? 0 : qp->request_mask + 1;
	uint32_t larger = size == 0 ? REQUESTS_START : 2 * size;
	struct request *requests;

	if (qp->tail - qp->head < size)
		return;
	requests = malloc(larger * sizeof(*requests));
	/* A backlog that fills memory ends the program: there is no run to continue. */
	if (requests == NULL)
		abort();
	for (uint32_t i = 0; i < size; i++)
		requests[i] = *request_at(qp, qp->head + i);
	free(qp->requests);
	qp->requests = requests;
	qp->request_mask = larger - 1;
	qp->cursor -= qp->head;
	qp->tail -= qp->head;
	qp->head = 0;
}

void
requester_post(struct host *host, const struct message *message, uint32_t source, uint64_t now_ps)
{
	struct qp *qp = qp_get(host, qp_number(message->peer, message->qp));
	struct request r;

	/* Peers are checked when the workload is built; without memory there is no run. */
	if (qp == NULL)
		abort();
	r = (struct request){
		.first_seq = qp->posted_seq,
		.packets = qp_packets(qp, message->bytes),
		.bytes = message->bytes,
		.first_byte = qp->posted_bytes,
		.start_ps = now_ps,
		.source = source,
		.workload = message->workload,
		.verb = (uint8_t)message->verb,
		.dscp = message->dscp,
	};
	host->results.messages_posted++;
	host->outstanding++;
	host->posted_bytes += message->bytes;
	if (qp->error) {
		fail(host, qp, &r);
		return;
	}
	requests_grow(qp);
	*request_at(qp, qp->tail++) = r;
	qp->posted_seq += r.packets;
	qp->posted_bytes += r.bytes;
	if (requester_can_send(host, qp))
		nic_ready(host, &qp->contexts[NIC_REQUESTER], requester_priority(host, qp), now_ps);
}

uint64_t
requester_read_packets(const struct host *host, const struct qp *qp)
{
	/* Half of what our window holds: the next one can be under way when one is done. */
	return qp->selective == NULL ? QP_READ_PACKETS : host->cfg->receiver.window_packets / 2;
}

uint64_t
requester_next_packets(const struct host *host, const struct qp *qp, const struct request *r,
		       uint64_t index)
{
	uint64_t most = requester_read_packets(host, qp);

	if (r->verb != VERB_READ)
		return 1;
	/* One that is repeated must lie within one that was sent. */
	if (qp->selective != NULL)
		most -= index % most;
	return RTE_MIN(r->packets - index, most);
}

/* Payload bytes posted on this QP before packet `seq`, which belongs to r. */
static uint64_t
bytes_before(const struct qp *qp, const struct request *r, uint64_t seq)
{
	return r->first_byte + RTE_MIN((seq - r->first_seq) << qp->mtu_log2, r->bytes);
}

/*
 * Packets that may be unacknowledged. A selective sender heeds the window of whoever places them,
 * as IRN's flow control by the bandwidth-delay product does, unless it was given one of its own.
 */
static uint64_t
most_outstanding(const struct host *host, const struct qp *qp, const struct request *r)
{
	if (qp->selective == NULL)
		return QP_OUTSTANDING_PACKETS;
	if (r->verb == VERB_READ)
		return host->cfg->receiver.window_packets;
	return host->cfg->window_bytes == 0 ? qp->selective->peer_window : QP_OUTSTANDING_PACKETS;
}

/* When next_seq is about to be sent, the window has room for `packets` of r from there on. */
static bool
window_open(const struct host *host, const struct qp *qp, uint64_t next_seq,
	    const struct request *r, uint64_t packets)
{
	uint64_t window_bytes = host->cfg->window_bytes;
	uint64_t una_bytes, end_bytes;

	if (next_seq == qp->una_seq)
		return true;
	if (next_seq + packets - qp->una_seq > most_outstanding(host, qp, r))
		return false;
	if (window_bytes == 0)
		return true;
	una_bytes = bytes_before(qp, request_at(qp, qp->head), qp->una_seq);
	end_bytes = bytes_before(qp, r, next_seq + packets);
	return end_bytes - una_bytes <= window_bytes;
}

bool
requester_can_send(const struct host *host, const struct qp *qp)
{
	const struct request *r;

	if (selective_pending(qp))
		return true;
	if (qp->cursor == qp->tail)
		return false;
	r = request_at(qp, qp->cursor);
	if (r->verb == VERB_READ && !r->read_requested &&
	    qp->reads_outstanding >= RTE_MAX(host->cfg->max_read_outstanding, 1u))
		return false;
	return window_open(host, qp, qp->next_seq, r,
			   requester_next_packets(host, qp, r, qp->next_seq - r->first_seq));
}

/* Opcodes of a message: First, Middle, Last, Last with immediate, Only, Only with immediate. */
static uint8_t
data_opcode(uint8_t verb, bool is_first, bool is_last)
{
	uint8_t base =
		verb == VERB_WRITE || verb == VERB_WRITE_IMM ? ROCE_WRITE_FIRST : ROCE_SEND_FIRST;
	uint8_t immediate = verb == VERB_SEND_IMM || verb == VERB_WRITE_IMM;

	if (!is_last)
		return base + !is_first;
	return base + (is_first ? 4 : 2) + immediate;
}

static void
fill_data(const struct qp *qp, const struct request *r, uint64_t index, struct roce_packet *p)
{
	uint64_t offset = index << qp->mtu_log2;
	bool is_last = index + 1 == r->packets;

	p->opcode = data_opcode(r->verb, index == 0, is_last);
	p->payload_bytes = is_last ? (uint32_t)(r->bytes - offset) : qp->mtu_bytes;
	p->immediate = r->workload;
	p->va = r->first_byte;
	p->rkey = qp->remote_qpn;
	p->dma_bytes = (uint32_t)RTE_MIN(r->bytes, UINT32_MAX);
}

/* Ask for what is missing of the message, from packet `index` on. */
static void
fill_read(struct qp *qp, struct request *r, uint64_t index, uint64_t packets, struct roce_packet *p)
{
	uint64_t offset = index << qp->mtu_log2;

	p->opcode = ROCE_READ_REQUEST;
	p->va = r->first_byte + offset;
	p->rkey = qp->remote_qpn;
	p->dma_bytes = (uint32_t)RTE_MIN(r->bytes - offset, packets << qp->mtu_log2);
	if (!r->read_requested) {
		r->read_requested = true;
		qp->reads_outstanding++;
	}
}

void
requester_start_timer(struct host *host, struct qp *qp, uint64_t now_ps)
{
	if (host->cfg->retransmit_timeout_ps == 0)
		return;
	qp->deadline_ps = now_ps + host->cfg->retransmit_timeout_ps;
	if (qp->timer_queued)
		return;
	qp->timer_queued = true;
	heap_push(&host->retransmit, qp->deadline_ps, qp);
	host_schedule(host);
}

/*
 * Ask for an acknowledgement also every n-th packet, and when the window closes: nothing would
 * open it again otherwise.
 */
static bool
wants_ack(const struct host *host, const struct qp *qp, const struct request *r, uint64_t index)
{
	uint32_t every = host->cfg->ack_request_packets;

	if (every != 0 && qp->since_ackreq + 1 >= every)
		return true;
	return index + 1 < r->packets && !window_open(host, qp, qp->next_seq + 1, r, 1);
}

void
requester_count_repeat(struct host *host, struct request *r, enum repeat_cause cause)
{
	host->results.retransmitted_packets++;
	r->retransmitted++;
	if (cause == REPEAT_NAK)
		host->results.retransmitted_nak++;
	else if (cause == REPEAT_GAP)
		host->results.retransmitted_gap++;
	else
		host->results.retransmitted_timeout++;
}

/* The cursor goes behind the packets just put on the wire. */
static void
advance_cursor(struct host *host, struct qp *qp, struct request *r, uint64_t packets,
	       bool ack_request, uint64_t now_ps)
{
	if (unlikely(qp->next_seq < qp->sent_seq))
		requester_count_repeat(host, r, (enum repeat_cause)qp->repeat_cause);
	qp->next_seq += packets;
	if (qp->next_seq > qp->sent_seq)
		qp->sent_seq = qp->next_seq;
	if (qp->next_seq == r->first_seq + r->packets)
		qp->cursor++;
	qp->since_ackreq++;
	if (!ack_request)
		return;
	qp->since_ackreq = 0;
	if (qp->ackreq_seq <= qp->una_seq)
		requester_start_timer(host, qp, now_ps);
	qp->ackreq_seq = qp->next_seq;
}

struct rte_mbuf *
requester_build(struct host *host, struct qp *qp, struct request *r, uint64_t seq, uint64_t packets,
		bool ack_request, uint64_t now_ps)
{
	struct rte_mbuf *m = node_new_packet(&host->node);
	struct roce_packet p = {
		.dest_qp = qp->remote_qpn, .psn = qp_psn(qp, seq), .ack_request = ack_request};

	if (unlikely(m == NULL))
		return NULL;
	if (r->verb == VERB_READ)
		fill_read(qp, r, seq - r->first_seq, packets, &p);
	else
		fill_data(qp, r, seq - r->first_seq, &p);
	roce_encode(m, qp_data_path(host, qp, r->dscp), &p, host->cfg->with_payload);
	if (r->verb != VERB_READ)
		qp_sent(host, qp, packet_of(m)->frame_bytes, now_ps);
	return m;
}

struct rte_mbuf *
requester_send(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct request *r;
	uint64_t index, packets;
	bool ack_request;
	struct rte_mbuf *m;

	if (unlikely(selective_pending(qp)))
		return selective_send(host, qp, now_ps);
	r = request_at(qp, qp->cursor);
	index = qp->next_seq - r->first_seq;
	packets = requester_next_packets(host, qp, r, index);
	ack_request =
		r->verb == VERB_READ || index + 1 == r->packets || wants_ack(host, qp, r, index);
	m = requester_build(host, qp, r, qp->next_seq, packets, ack_request, now_ps);
	if (likely(m != NULL))
		advance_cursor(host, qp, r, packets, ack_request, now_ps);
	return m;
}

bool
requester_acknowledge(struct host *host, struct qp *qp, uint64_t acked_seq, uint64_t now_ps)
{
	uint64_t before = qp->una_seq;

	while (qp->head != qp->tail && qp->una_seq < acked_seq) {
		struct request *r = request_at(qp, qp->head);
		uint64_t end_seq = r->first_seq + r->packets;

		if (r->verb == VERB_READ)
			break;
		qp->una_seq = RTE_MIN(acked_seq, end_seq);
		if (qp->una_seq < end_seq)
			break;
		complete(host, qp, now_ps);
	}
	return qp->una_seq != before;
}

void
requester_progressed(struct host *host, struct qp *qp, uint64_t now_ps)
{
	if (qp->next_seq < qp->una_seq) {
		qp->next_seq = qp->una_seq;
		qp->cursor = qp->head;
	}
	qp->retries = 0;
	if (qp->selective != NULL)
		selective_progressed(host, qp, now_ps);
	if (qp->ackreq_seq > qp->una_seq)
		requester_start_timer(host, qp, now_ps);
	else
		qp->deadline_ps = UNITS_NEVER_PS;
	if (qp->contexts[NIC_REQUESTER].place == NIC_IDLE && requester_can_send(host, qp))
		nic_ready(host, &qp->contexts[NIC_REQUESTER], requester_priority(host, qp), now_ps);
}

/* Send again from the first packet that is not acknowledged. */
static void
go_back(struct host *host, struct qp *qp, enum repeat_cause cause, uint64_t now_ps)
{
	uint32_t end = qp->cursor == qp->tail ? qp->tail : qp->cursor + 1;

	for (uint32_t i = qp->head; i != end; i++) {
		struct request *r = request_at(qp, i);

		if (r->read_requested)
			qp->reads_outstanding--;
		r->read_requested = false;
	}
	qp->repeat_cause = (uint8_t)cause;
	qp->next_seq = qp->una_seq;
	qp->ackreq_seq = qp->una_seq;
	qp->deadline_ps = UNITS_NEVER_PS;
	qp->since_ackreq = 0;
	qp->cursor = qp->head;
	if (requester_can_send(host, qp))
		nic_ready(host, &qp->contexts[NIC_REQUESTER], requester_priority(host, qp), now_ps);
}

void
requester_ack(struct host *host, struct qp *qp, const struct roce_packet *p, uint64_t now_ps)
{
	int64_t distance = roce_psn_distance(qp_psn(qp, qp->una_seq), p->psn);
	bool is_ack = p->syndrome >> 5 == 0;
	int64_t acked_seq = (int64_t)qp->una_seq + distance + is_ack;

	/* What was acknowledged before, or never sent, says nothing. */
	if (acked_seq < (int64_t)qp->una_seq || acked_seq > (int64_t)qp->sent_seq)
		return;
	if (!is_ack && p->syndrome != ROCE_SYNDROME_NAK_SEQUENCE) {
		/* Receivers here are always ready: the other class B code, RNR, never comes. */
		if (p->syndrome >> 5 == 3)
			requester_fail(host, qp, now_ps);
		return;
	}
	if (qp->selective != NULL) {
		if (is_ack)
			selective_acknowledge(host, qp, (uint64_t)acked_seq, now_ps);
		else if ((uint64_t)acked_seq < qp->sent_seq)
			selective_nak(host, qp, (uint64_t)acked_seq, now_ps);
		return;
	}
	if ((uint64_t)acked_seq > qp->ack_seen_seq)
		qp->ack_seen_seq = (uint64_t)acked_seq;
	if (requester_acknowledge(host, qp, (uint64_t)acked_seq, now_ps))
		requester_progressed(host, qp, now_ps);
	if (!is_ack && qp->next_seq > qp->una_seq)
		go_back(host, qp, REPEAT_NAK, now_ps);
}

void
requester_take_response(struct host *host, struct qp *qp, uint64_t now_ps)
{
	const struct request *r = request_at(qp, qp->head);

	qp->read_gap = false;
	qp->una_seq++;
	if (qp->una_seq < r->first_seq + r->packets)
		return;
	host->results.messages_delivered++;
	complete(host, qp, now_ps);
	requester_acknowledge(host, qp, qp->ack_seen_seq, now_ps);
}

/* A response is missing: once for the gap, and as the receiver is told to. */
static void
miss_response(struct host *host, struct qp *qp, uint64_t now_ps)
{
	const struct receiver_cfg *cfg = &host->cfg->receiver;

	host->results.out_of_order++;
	if (qp->read_gap)
		return;
	qp->read_gap = true;
	if (cfg->cnp)
		qp_owe_cnp(host, qp, now_ps);
	if (!cfg->silent)
		go_back(host, qp, REPEAT_GAP, now_ps);
}

bool
requester_read_response(struct host *host, struct qp *qp, const struct roce_packet *p,
			uint64_t now_ps)
{
	int64_t distance = roce_psn_distance(qp_psn(qp, qp->una_seq), p->psn);
	uint64_t seq = (uint64_t)((int64_t)qp->una_seq + distance);
	bool moved;

	if (distance < 0 || seq >= qp->sent_seq) {
		host->results.duplicates++;
		return true;
	}
	if (qp->selective != NULL)
		return selective_read_response(host, qp, seq, p, now_ps);
	/* It acknowledges what was asked before it. */
	moved = requester_acknowledge(host, qp, seq, now_ps);
	if (qp->una_seq == seq && request_at(qp, qp->head)->verb == VERB_READ) {
		moved = true;
		host_place(host, qp, true, p->psn, p->payload_bytes);
		requester_take_response(host, qp, now_ps);
	}
	if (moved)
		requester_progressed(host, qp, now_ps);
	/* Else it is done, or claims to answer what is not a READ. */
	if (qp->una_seq < seq)
		miss_response(host, qp, now_ps);
	return true;
}

static void
timed_out(struct host *host, struct qp *qp, uint64_t now_ps)
{
	host->results.timeouts++;
	qp->deadline_ps = UNITS_NEVER_PS;
	qp->read_gap = false;
	if (qp->retries == host->cfg->retry_limit) {
		requester_fail(host, qp, now_ps);
		return;
	}
	qp->retries++;
	if (qp->selective != NULL)
		selective_timed_out(host, qp, now_ps);
	else
		go_back(host, qp, REPEAT_TIMEOUT, now_ps);
}

void
requester_timeouts(struct host *host, uint64_t now_ps)
{
	while (heap_due_ps(&host->retransmit) <= now_ps) {
		struct qp *qp = heap_pop(&host->retransmit).item;

		/* The entry is from when the timer was first started; the deadline may be later. */
		qp->timer_queued = false;
		if (qp->deadline_ps <= now_ps)
			timed_out(host, qp, now_ps);
		if (qp->deadline_ps != UNITS_NEVER_PS && !qp->timer_queued) {
			qp->timer_queued = true;
			heap_push(&host->retransmit, qp->deadline_ps, qp);
		}
	}
}
