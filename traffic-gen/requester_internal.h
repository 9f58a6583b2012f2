/* SPDX-License-Identifier: BSD-3-Clause */
/* What requester.c and selective.c, which sends again, share; nobody else includes it. */
#ifndef RAILYARD_REQUESTER_INTERNAL_H
#define RAILYARD_REQUESTER_INTERNAL_H

#include "qp.h"

/* The message under way that the packet belongs to. */
struct request *requester_of_seq(const struct qp *qp, uint64_t seq);

/* The oldest message under way, or NULL. */
struct request *requester_oldest(const struct qp *qp);

/* Packets that one READ request asks for at most. */
uint64_t requester_read_packets(const struct host *host, const struct qp *qp);

/* Packets that the frame for r's packet `index` stands for: 1, or what a READ asks for. */
uint64_t requester_next_packets(const struct host *host, const struct qp *qp,
				const struct request *r, uint64_t index);

/* The frame for `packets` of r from seq on; NULL when no packet buffer is left. */
struct rte_mbuf *requester_build(struct host *host, struct qp *qp, struct request *r, uint64_t seq,
				 uint64_t packets, bool ack_request, uint64_t now_ps);

/* A packet of r has been sent again. */
void requester_count_repeat(struct host *host, struct request *r, enum repeat_cause cause);

void requester_start_timer(struct host *host, struct qp *qp, uint64_t now_ps);

/*
 * Everything before acked_seq is acknowledged: move una_seq there, except over READs, which
 * only their responses complete. Returns whether it moved.
 */
bool requester_acknowledge(struct host *host, struct qp *qp, uint64_t acked_seq, uint64_t now_ps);

/* The response for una_seq, which the oldest message waits for, is taken. */
void requester_take_response(struct host *host, struct qp *qp, uint64_t now_ps);

/* After una_seq has moved: the cursor, the timer and whoever waited for the window. */
void requester_progressed(struct host *host, struct qp *qp, uint64_t now_ps);

#endif
