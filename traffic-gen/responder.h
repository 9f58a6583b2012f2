/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The responder half of a queue pair (IBTA 9.7.4, 9.7.5): takes requests in PSN order exactly
 * once, answers with coalesced ACKs, one NAK a gap, and READ responses.
 *
 * Answers keep the order of requests: while READ responses are outstanding, acknowledgements
 * of what came after the READ wait.
 */
#ifndef RAILYARD_RESPONDER_H
#define RAILYARD_RESPONDER_H

#include "host_state.h"

/* A request packet arrived, with that DSCP; false: it lies beyond the receiver's window. */
bool responder_request(struct host *host, struct qp *qp, const struct roce_packet *p, uint8_t dscp,
		       uint64_t now_ps);

static inline bool
responder_can_send(const struct qp *qp)
{
	return qp->job_head != qp->job_tail;
}

static inline uint8_t
responder_priority(const struct host *host, const struct qp *qp)
{
	return host_priority(host, qp->jobs[qp->job_head & qp->job_mask].dscp);
}

/* The next READ response, or NULL when no packet buffer is left. */
struct rte_mbuf *responder_send(struct host *host, struct qp *qp, uint64_t now_ps);

/* An acknowledgement is due and nothing must go before it: a selective NAK acknowledges nothing. */
static inline bool
responder_can_ack(const struct qp *qp)
{
	if (qp->nak_due && qp->selective != NULL)
		return true;
	return (qp->ack_due || qp->nak_due) && qp->job_head == qp->job_tail;
}

/* The acknowledgement that is due, or NULL when no packet buffer is left. */
struct rte_mbuf *responder_send_ack(struct host *host, struct qp *qp);

#endif
