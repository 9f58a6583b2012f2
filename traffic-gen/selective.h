/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What selective repeat adds to a queue pair: the receiver's windows, and at the sender what is
 * to be sent again, and nothing else is.
 *
 * On the wire everything is IBTA's. A NAK (PSN sequence error) names one missing packet, and only
 * that one is sent again, as in NVIDIA's US 10,430,374 and 11,870,590; unlike with go-back-N it
 * acknowledges nothing. There is at most one NAK for each packet that comes, as in IRN (Mittal et
 * al., SIGCOMM 2018), and one for each hole. Of a READ, the requester asks for the missing part
 * again: a READ of these PSNs, which IBTA 9.7.1.1 counts as a duplicate request. All verbs are
 * placed on arrival, SENDs as well, as in IRN; messages are completed, and counted in the MSN, in
 * order.
 *
 * The timer is the last resort: it sends the first missing packet, and as long as acknowledgements
 * then stop short of what had been sent, the next one, as NewReno's partial acknowledgements do
 * (RFC 6582).
 */
#ifndef RAILYARD_SELECTIVE_H
#define RAILYARD_SELECTIVE_H

#include "qp.h"

/* Packets to be sent again; a READ's are asked for again. */
struct resend {
	uint64_t seq;
	uint32_t packets;
	uint8_t cause; /* enum repeat_cause */
};

struct selective {
	struct reorder_window *requests;  /* responder; NULL until one comes early */
	struct reorder_window *responses; /* requester, the same */
	struct resend *resends;           /* the oldest is not acknowledged */
	uint32_t resend_head;
	uint32_t resend_tail;
	uint32_t resend_mask;
	uint32_t peer_window;   /* PSNs that the peer's receiver spans */
	uint64_t recover_seq;   /* what is missing before it was sent before the last timeout */
	uint64_t recovered_seq; /* what is missing before it was sent again since */
};

/* NULL: no memory. */
struct selective *selective_new(uint32_t peer_window);
void selective_free(struct selective *s);

/* Something is to be sent again. */
static inline bool
selective_pending(const struct qp *qp)
{
	return qp->selective != NULL && qp->selective->resend_head != qp->selective->resend_tail;
}

/* Its priority. */
uint8_t selective_priority(const struct host *host, const struct qp *qp);

/* The packet, or NULL when no packet buffer is left. */
struct rte_mbuf *selective_send(struct host *host, struct qp *qp, uint64_t now_ps);

/* Everything before acked_seq was acknowledged. */
void selective_acknowledge(struct host *host, struct qp *qp, uint64_t acked_seq, uint64_t now_ps);

/* The packet is missing at the responder. */
void selective_nak(struct host *host, struct qp *qp, uint64_t seq, uint64_t now_ps);

/* A READ response for a packet not acknowledged yet; false: beyond the window. */
bool selective_read_response(struct host *host, struct qp *qp, uint64_t seq,
			     const struct roce_packet *p, uint64_t now_ps);

/* The retransmit timer has run out. */
void selective_timed_out(struct host *host, struct qp *qp, uint64_t now_ps);

/* una_seq has moved. */
void selective_progressed(struct host *host, struct qp *qp, uint64_t now_ps);

/* The QP is in error. */
void selective_fail(struct qp *qp);

/*
 * The receiver's window (requests or responses) that a packet with PSN `psn` finds, which is ahead
 * of the expected one: made when there is none. NULL: it is beyond the window, or memory is out;
 * then, and when it follows a hole, what is missing before it counts as lost.
 */
struct reorder_window *selective_window(struct host *host, struct qp *qp,
					struct reorder_window **window, uint32_t expected_psn,
					uint32_t psn, uint64_t now_ps);

#endif
