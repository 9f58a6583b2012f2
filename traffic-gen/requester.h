/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requester half of a queue pair (IBTA 9.7.3, 9.7.5): messages in, packets out, and what
 * acknowledgements, NAKs, READ responses and the retransmit timer do to them. Goes back N, or sends
 * again only what is missing (selective.h).
 */
#ifndef RAILYARD_REQUESTER_H
#define RAILYARD_REQUESTER_H

#include "host_state.h"
#include "selective.h"

/* Take a message; on a QP in the error state it fails at once. */
void requester_post(struct host *host, const struct message *message, uint32_t source,
		    uint64_t now_ps);

/* It has a packet to send and its window allows it. */
bool requester_can_send(const struct host *host, const struct qp *qp);

static inline bool
requester_has_unsent(const struct qp *qp)
{
	return qp->cursor != qp->tail || selective_pending(qp);
}

/* Priority of the packet that would be sent next; it has one. */
static inline uint8_t
requester_priority(const struct host *host, const struct qp *qp)
{
	if (unlikely(selective_pending(qp)))
		return selective_priority(host, qp);
	return host_priority(host, qp->requests[qp->cursor & qp->request_mask].dscp);
}

/* That packet, or NULL when no packet buffer is left. */
struct rte_mbuf *requester_send(struct host *host, struct qp *qp, uint64_t now_ps);

/* An acknowledge packet (ACK or NAK) arrived. */
void requester_ack(struct host *host, struct qp *qp, const struct roce_packet *p, uint64_t now_ps);

/* A READ response arrived; false: it lies beyond the receiver's window. */
bool requester_read_response(struct host *host, struct qp *qp, const struct roce_packet *p,
			     uint64_t now_ps);

/* Act on the retransmit timers that have run out. */
void requester_timeouts(struct host *host, uint64_t now_ps);

/* Put the QP into the error state: every message of it fails. */
void requester_fail(struct host *host, struct qp *qp, uint64_t now_ps);

/* Report each message that is still under way, as not completed. */
void requester_report_unfinished(struct host *host, struct qp *qp);

#endif
