/* SPDX-License-Identifier: BSD-3-Clause */
#include "responder.h"

#include <assert.h>
#include <stdlib.h>

#include "host_state.h"
#include "requester.h"
#include "selective.h"

#define JOBS_START 4u

enum opcode_trait {
	IS_FIRST = 1 << 0, /* starts a message: First and Only */
	IS_LAST = 1 << 1,  /* ends one: Last and Only */
	IS_SEND = 1 << 2,
	IS_WRITE = 1 << 3,
	/* What is kept of packets that came early has two more. */
	IS_READ = 1 << 4,
	ASKS_ACK = 1 << 5,
};

static const uint8_t traits[ROCE_WRITE_ONLY_IMM + 1] = {
	[ROCE_SEND_FIRST] = IS_SEND | IS_FIRST,
	[ROCE_SEND_MIDDLE] = IS_SEND,
	[ROCE_SEND_LAST] = IS_SEND | IS_LAST,
	[ROCE_SEND_LAST_IMM] = IS_SEND | IS_LAST,
	[ROCE_SEND_ONLY] = IS_SEND | IS_FIRST | IS_LAST,
	[ROCE_SEND_ONLY_IMM] = IS_SEND | IS_FIRST | IS_LAST,
	[ROCE_WRITE_FIRST] = IS_WRITE | IS_FIRST,
	[ROCE_WRITE_MIDDLE] = IS_WRITE,
	[ROCE_WRITE_LAST] = IS_WRITE | IS_LAST,
	[ROCE_WRITE_LAST_IMM] = IS_WRITE | IS_LAST,
	[ROCE_WRITE_ONLY] = IS_WRITE | IS_FIRST | IS_LAST,
	[ROCE_WRITE_ONLY_IMM] = IS_WRITE | IS_FIRST | IS_LAST,
};

/* An acknowledgement goes out as soon as the READ responses before it have. */
static void
schedule_ack(struct host *host, struct qp *qp, uint64_t now_ps)
{
	if (responder_can_ack(qp))
		nic_ready(host, &qp->contexts[NIC_ACK], host_priority(host, qp->ack_dscp), now_ps);
}

static void
owe_ack(struct host *host, struct qp *qp, uint64_t now_ps)
{
	qp->ackreqs = 0;
	qp->ack_due = true;
	schedule_ack(host, qp, now_ps);
}

static void
owe_nak(struct host *host, struct qp *qp, uint8_t syndrome, uint32_t psn, uint64_t now_ps)
{
	qp->nak_due = true;
	qp->nak_syndrome = syndrome;
	qp->nak_psn = psn;
	schedule_ack(host, qp, now_ps);
}

/* A request that breaks the rules: NAK invalid request, and the QP goes to error. */
static void
refuse(struct host *host, struct qp *qp, uint64_t now_ps)
{
	requester_fail(host, qp, now_ps);
	owe_nak(host, qp, ROCE_SYNDROME_NAK_INVALID, qp->expected_psn, now_ps);
}

static struct read_job *
job_at(const struct qp *qp, uint32_t index)
{
	return &qp->jobs[index & qp->job_mask];
}

/* 0, or -1 when the responder keeps as many as it can. */
static int
jobs_grow(struct qp *qp)
{
	uint32_t size = qp->jobs == NULL ? 0 : qp->job_mask + 1;
	uint32_t larger = size == 0 ? JOBS_START : 2 * size;
	struct read_job *jobs;

	if (qp->job_tail - qp->job_head < size)
		return 0;
	if (larger > QP_MAX_READ_JOBS)
		return -1;
	jobs = malloc(larger * sizeof(*jobs));
	if (jobs == NULL)
		return -1;
	for (uint32_t i = 0; i < size; i++)
		jobs[i] = *job_at(qp, qp->job_head + i);
	free(qp->jobs);
	qp->jobs = jobs;
	qp->job_mask = larger - 1;
	qp->job_tail -= qp->job_head;
	qp->job_head = 0;
	return 0;
}

/* Answer a READ after the others, or before. */
static int
add_job(struct host *host, struct qp *qp, const struct read_job *job, bool first, uint64_t now_ps)
{
	if (jobs_grow(qp) != 0)
		return -1;
	*job_at(qp, first ? --qp->job_head : qp->job_tail++) = *job;
	nic_ready(host, &qp->contexts[NIC_RESPONDER], responder_priority(host, qp), now_ps);
	return 0;
}

/*
 * A READ that was answered before is answered again from the PSN asked for. What is still
 * pending for those PSNs would only come twice: it is taken back. When only a part of what is
 * pending was asked for again, as by selective repeat, it goes first, and the rest stays.
 */
static void
repeat_read(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
	    uint64_t now_ps)
{
	struct read_job again = {.bytes = p->dma_bytes,
				 .psn = p->psn,
				 .packets = (uint32_t)qp_packets(qp, p->dma_bytes),
				 .dscp = dscp};
	uint32_t kept = qp->job_head;

	again.fresh = again.packets;
	for (uint32_t i = qp->job_head; i != qp->job_tail; i++) {
		struct read_job *job = job_at(qp, i);
		/* PSNs from the start of the one pending to that of the one asked for. */
		int32_t ahead = roce_psn_distance(job->psn, again.psn);
		uint32_t fresh = RTE_MAX(job->next, job->fresh) - (uint32_t)ahead;

		if (ahead + (int32_t)again.packets <= 0 || ahead > (int32_t)job->next ||
		    ahead + (int32_t)again.packets < (int32_t)job->packets)
			*job_at(qp, kept++) = *job;
		else
			again.fresh = RTE_MIN(again.fresh, fresh);
	}
	qp->job_tail = kept;
	/* With too many kept the requester's timer asks again. */
	(void)add_job(host, qp, &again, qp->selective != NULL, now_ps);
}

static void
duplicate(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
	  uint64_t now_ps)
{
	host->results.duplicates++;
	if (p->opcode == ROCE_READ_REQUEST)
		repeat_read(host, qp, p, dscp, now_ps);
	else
		owe_ack(host, qp, now_ps);
}

/* The READ request expected next. */
static void
accept_read(struct host *host, struct qp *qp, uint32_t bytes, uint8_t dscp, uint64_t now_ps)
{
	uint64_t packets = qp_packets(qp, bytes);
	struct read_job job = {.bytes = bytes,
			       .psn = qp->expected_psn,
			       .packets = (uint32_t)packets,
			       .dscp = dscp};

	if (qp->in_message != 0 || packets > QP_READ_PACKETS ||
	    add_job(host, qp, &job, false, now_ps) != 0) {
		refuse(host, qp, now_ps);
		return;
	}
	/* The responses will acknowledge everything before them. */
	qp->ack_due = false;
	qp->ackreqs = 0;
	qp->expected_psn = roce_psn_add(qp->expected_psn, (uint32_t)packets);
	qp->msn = (qp->msn + 1) & ROCE_PSN_MASK;
}

/* What a packet of data is, 0 = none; only a message's last may be short. */
static uint8_t
data_traits(const struct qp *qp, const struct roce_packet *p)
{
	uint8_t trait = p->opcode <= ROCE_WRITE_ONLY_IMM ? traits[p->opcode] : 0;

	if (!(trait & IS_LAST))
		return p->payload_bytes == qp->mtu_bytes ? trait : 0;
	return p->payload_bytes <= qp->mtu_bytes ? trait : 0;
}

/* The data packet expected next; First, Middle and Last follow each other. */
static void
accept_data(struct host *host, struct qp *qp, uint8_t trait, bool ack_request, uint64_t now_ps)
{
	uint8_t group = trait & (IS_SEND | IS_WRITE);

	if (unlikely(trait == 0 || qp->in_message != (trait & IS_FIRST ? 0 : group))) {
		refuse(host, qp, now_ps);
		return;
	}
	qp->expected_psn = roce_psn_add(qp->expected_psn, 1);
	if (trait & IS_LAST) {
		qp->in_message = 0;
		qp->msn = (qp->msn + 1) & ROCE_PSN_MASK;
		host->results.messages_delivered++;
	} else {
		qp->in_message = group;
	}
	if (!ack_request)
		return;
	qp->ackreqs++;
	if (trait & IS_LAST || qp->ackreqs >= host->cfg->ack_coalesce)
		owe_ack(host, qp, now_ps);
}

/* Go-back-N: it is lost, and so is all up to the one expected, which is asked for once. */
static void
refuse_early(struct host *host, struct qp *qp, uint64_t now_ps)
{
	const struct receiver_cfg *cfg = &host->cfg->receiver;

	host->results.out_of_order++;
	if (qp->nak_sent)
		return;
	qp->nak_sent = true;
	if (!cfg->silent)
		owe_nak(host, qp, ROCE_SYNDROME_NAK_SEQUENCE, qp->expected_psn, now_ps);
	if (cfg->cnp)
		qp_owe_cnp(host, qp, now_ps);
}

/* Place a packet before its turn; false: no room. */
static bool
place_early(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
	    uint64_t now_ps)
{
	struct reorder_window *w = selective_window(host, qp, &qp->selective->requests,
						    qp->expected_psn, p->psn, now_ps);
	bool is_read = p->opcode == ROCE_READ_REQUEST;
	uint8_t what = (is_read ? IS_READ : data_traits(qp, p)) | (p->ack_request ? ASKS_ACK : 0);
	struct reorder_read read = {.psn = p->psn,
				    .packets = (uint32_t)qp_packets(qp, p->dma_bytes),
				    .bytes = p->dma_bytes,
				    .dscp = dscp};

	if (w == NULL)
		return false;
	if ((what & ~ASKS_ACK) == 0) {
		refuse(host, qp, now_ps);
		return true;
	}
	if (reorder_holds(w, p->psn)) {
		host->results.duplicates++;
		return true;
	}
	if (is_read && !reorder_put_read(w, &read))
		return false;
	if (!is_read)
		host_place(host, qp, false, p->psn, p->payload_bytes);
	(void)reorder_put(w, p->psn, what);
	if (w->held > host->results.reorder_held_max)
		host->results.reorder_held_max = w->held;
	return true;
}

/* After the one expected has come: those that wait for their turn behind it. */
static void
accept_waiting(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct reorder_window *w = qp->selective->requests;
	bool asks_ack = false;
	uint8_t what;

	while (!qp->error && w->held > 0 && (what = reorder_take(w, qp->expected_psn)) != 0) {
		asks_ack = (what & (IS_READ | ASKS_ACK)) == ASKS_ACK ||
			   (asks_ack && !(what & IS_READ));
		if (what & IS_READ) {
			struct reorder_read read = reorder_take_read(w, qp->expected_psn);

			accept_read(host, qp, read.bytes, read.dscp, now_ps);
		} else {
			accept_data(host, qp, what & ~ASKS_ACK, what & ASKS_ACK, now_ps);
		}
	}
	/* Coalescing is for a steady stream: whoever repaired a gap is waiting. */
	if (asks_ack && !qp->error)
		owe_ack(host, qp, now_ps);
}

/* One NAK at most for each packet that comes, and one for each hole. */
static void
report_hole(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct reorder_window *w = qp->selective->requests;
	uint32_t psn;

	reorder_expect(w, qp->expected_psn);
	if (!qp->nak_due && reorder_next_hole(w, qp->expected_psn, 1, &psn) != 0)
		owe_nak(host, qp, ROCE_SYNDROME_NAK_SEQUENCE, psn, now_ps);
}

static void
accept(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp, uint64_t now_ps)
{
	uint8_t trait;

	qp->nak_sent = false;
	if (p->opcode == ROCE_READ_REQUEST) {
		accept_read(host, qp, p->dma_bytes, dscp, now_ps);
		return;
	}
	trait = data_traits(qp, p);
	accept_data(host, qp, trait, p->ack_request, now_ps);
	if (likely(!qp->error))
		host_place(host, qp, false, p->psn, p->payload_bytes);
}

bool
responder_request(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
		  uint64_t now_ps)
{
	int32_t ahead = roce_psn_distance(qp->expected_psn, p->psn);
	bool fits = true;

	qp->ack_dscp = host->cfg->ack_dscp >= 0 ? (uint8_t)host->cfg->ack_dscp : dscp;
	if (likely(ahead == 0))
		accept(host, qp, p, dscp, now_ps);
	else if (ahead < 0)
		duplicate(host, qp, p, dscp, now_ps);
	else if (qp->selective != NULL)
		fits = place_early(host, qp, p, dscp, now_ps);
	else
		refuse_early(host, qp, now_ps);
	if (likely(qp->selective == NULL || qp->selective->requests == NULL) || qp->error)
		return fits;
	if (ahead == 0)
		accept_waiting(host, qp, now_ps);
	report_hole(host, qp, now_ps);
	return fits;
}

struct rte_mbuf *
responder_send(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct read_job *job = job_at(qp, qp->job_head);
	struct rte_mbuf *m = node_new_packet(&host->node);
	uint64_t offset = (uint64_t)job->next << qp->mtu_log2;
	bool is_first = job->next == 0;
	bool is_last = job->next + 1 == job->packets;
	struct roce_packet p = {
		.dest_qp = qp->remote_qpn,
		.psn = roce_psn_add(job->psn, job->next),
		.payload_bytes = is_last ? (uint32_t)(job->bytes - offset) : qp->mtu_bytes,
		.syndrome = ROCE_SYNDROME_ACK,
		.msn = qp->msn,
	};

	if (unlikely(m == NULL))
		return NULL;
	if (is_first)
		p.opcode = is_last ? ROCE_READ_RESPONSE_ONLY : ROCE_READ_RESPONSE_FIRST;
	else
		p.opcode = is_last ? ROCE_READ_RESPONSE_LAST : ROCE_READ_RESPONSE_MIDDLE;
	roce_encode(m, qp_data_path(host, qp, job->dscp), &p, host->cfg->with_payload);
	qp_sent(host, qp, packet_of(m)->frame_bytes, now_ps);
	if (unlikely(job->next < job->fresh)) {
		host->results.retransmitted_packets++;
		host->results.retransmitted_gap++;
	}
	job->next++;
	if (is_last) {
		qp->job_head++;
		schedule_ack(host, qp, now_ps);
	}
	return m;
}

struct rte_mbuf *
responder_send_ack(struct host *host, struct qp *qp)
{
	struct rte_mbuf *m = node_new_packet(&host->node);
	struct roce_packet p = {.opcode = ROCE_ACK, .dest_qp = qp->remote_qpn, .msn = qp->msn};

	if (unlikely(m == NULL))
		return NULL;
	if (qp->nak_due) {
		/* What it does not cover was acknowledged before or is by the ACK after it. */
		p.psn = qp->nak_psn;
		p.syndrome = qp->nak_syndrome;
		qp->nak_due = false;
		host->results.naks_sent++;
	} else {
		p.psn = roce_psn_add(qp->expected_psn, ROCE_PSN_MASK);
		p.syndrome = ROCE_SYNDROME_ACK;
		qp->ack_due = false;
		host->results.acks_sent++;
	}
	roce_encode(m, qp_path(host, qp, QP_PATH_ACK, qp->ack_dscp), &p, host->cfg->with_payload);
	return m;
}
