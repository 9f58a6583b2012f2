/* SPDX-License-Identifier: BSD-3-Clause */
#include "responder.h"

#include <assert.h>
#include <stdlib.h>

#include "host_state.h"
#include "requester.h"

#define JOBS_START 4u

enum opcode_trait {
	IS_FIRST = 1 << 0, /* starts a message: First and Only */
	IS_LAST = 1 << 1,  /* ends one: Last and Only */
	IS_SEND = 1 << 2,
	IS_WRITE = 1 << 3,
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
owe_nak(struct host *host, struct qp *qp, uint8_t syndrome, uint64_t now_ps)
{
	qp->nak_due = true;
	qp->nak_syndrome = syndrome;
	qp->nak_psn = qp->expected_psn;
	schedule_ack(host, qp, now_ps);
}

/* A request that breaks the rules: NAK invalid request, and the QP goes to error. */
static void
refuse(struct host *host, struct qp *qp, uint64_t now_ps)
{
	requester_fail(host, qp, now_ps);
	owe_nak(host, qp, ROCE_SYNDROME_NAK_INVALID, now_ps);
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

static int
add_job(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp, bool repeat,
	uint64_t now_ps)
{
	struct read_job *job;

	if (jobs_grow(qp) != 0)
		return -1;
	job = job_at(qp, qp->job_tail++);
	*job = (struct read_job){.bytes = p->dma_bytes,
				 .psn = p->psn,
				 .packets = (uint32_t)qp_packets(qp, p->dma_bytes),
				 .dscp = dscp,
				 .repeat = repeat};
	nic_ready(host, &qp->contexts[NIC_RESPONDER], responder_priority(host, qp), now_ps);
	return 0;
}

/*
 * A READ that was answered before is answered again from the PSN asked for. What is still
 * pending for those PSNs would only come twice: it is taken back.
 */
static void
repeat_read(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
	    uint64_t now_ps)
{
	uint32_t packets = (uint32_t)qp_packets(qp, p->dma_bytes);
	uint32_t kept = qp->job_head;

	for (uint32_t i = qp->job_head; i != qp->job_tail; i++) {
		struct read_job *job = job_at(qp, i);
		int32_t ahead = roce_psn_distance(job->psn, p->psn);

		/* Its range starts within the one asked for, or reaches into it. */
		if (ahead <= 0 && (uint32_t)-ahead < packets)
			continue;
		if (ahead > 0 && (uint32_t)ahead < job->packets)
			continue;
		*job_at(qp, kept++) = *job;
	}
	qp->job_tail = kept;
	/* With too many kept the requester's timer asks again. */
	(void)add_job(host, qp, p, dscp, true, now_ps);
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

static void
accept_read(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
	    uint64_t now_ps)
{
	uint64_t packets = qp_packets(qp, p->dma_bytes);

	if (qp->in_message != 0 || packets > QP_READ_PACKETS ||
	    add_job(host, qp, p, dscp, false, now_ps) != 0) {
		refuse(host, qp, now_ps);
		return;
	}
	/* The responses will acknowledge everything before them. */
	qp->ack_due = false;
	qp->ackreqs = 0;
	qp->expected_psn = roce_psn_add(qp->expected_psn, (uint32_t)packets);
	qp->msn = (qp->msn + 1) & ROCE_PSN_MASK;
	host->results.messages_delivered++;
}

/* First, Middle and Last follow each other, and only a message's last packet may be short. */
static bool
fits_message(const struct qp *qp, const struct roce_packet *p, uint8_t trait)
{
	uint8_t group = trait & (IS_SEND | IS_WRITE);

	if (qp->in_message != (trait & IS_FIRST ? 0 : group))
		return false;
	if (!(trait & IS_LAST))
		return p->payload_bytes == qp->mtu_bytes;
	return p->payload_bytes <= qp->mtu_bytes;
}

static void
accept_data(struct host *host, struct qp *qp, const struct roce_packet *p, uint64_t now_ps)
{
	uint8_t trait = p->opcode <= ROCE_WRITE_ONLY_IMM ? traits[p->opcode] : 0;

	if (unlikely(trait == 0 || !fits_message(qp, p, trait))) {
		refuse(host, qp, now_ps);
		return;
	}
	host->results.bytes_delivered += p->payload_bytes;
	qp->expected_psn = roce_psn_add(qp->expected_psn, 1);
	if (trait & IS_LAST) {
		qp->in_message = 0;
		qp->msn = (qp->msn + 1) & ROCE_PSN_MASK;
		host->results.messages_delivered++;
	} else {
		qp->in_message = trait & (IS_SEND | IS_WRITE);
	}
	if (!p->ack_request)
		return;
	qp->ackreqs++;
	if (trait & IS_LAST || qp->ackreqs >= host->cfg->ack_coalesce)
		owe_ack(host, qp, now_ps);
}

void
responder_request(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
		  uint64_t now_ps)
{
	int32_t ahead = roce_psn_distance(qp->expected_psn, p->psn);

	qp->ack_dscp = host->cfg->ack_dscp >= 0 ? (uint8_t)host->cfg->ack_dscp : dscp;
	if (unlikely(ahead > 0)) {
		host->results.out_of_order++;
		if (!qp->nak_sent)
			owe_nak(host, qp, ROCE_SYNDROME_NAK_SEQUENCE, now_ps);
		qp->nak_sent = true;
		return;
	}
	if (unlikely(ahead < 0)) {
		duplicate(host, qp, p, dscp, now_ps);
		return;
	}
	qp->nak_sent = false;
	if (p->opcode == ROCE_READ_REQUEST)
		accept_read(host, qp, p, dscp, now_ps);
	else
		accept_data(host, qp, p, now_ps);
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
	roce_encode(m, qp_path(host, qp, QP_PATH_DATA, job->dscp), &p, host->cfg->with_payload);
	qp_sent(host, qp, packet_of(m)->frame_bytes, now_ps);
	if (unlikely(job->repeat))
		host->results.retransmitted_packets++;
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
