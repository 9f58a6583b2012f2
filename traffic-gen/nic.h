/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC's transmit arbiter: who sends the next frame.
 *
 * Everything that may send is a context. CNPs go first, then acknowledgements, then data:
 * round robin over the priorities that are not paused, and within a priority over its ready
 * contexts. A context whose pacing does not allow it yet waits in a heap by time, so that a
 * decision costs O(log contexts) and never scans queue pairs. Answers of neighbour.c go with
 * the acknowledgements. A queue pair whose peer's MAC address is not known yet is barred.
 *
 * Invariant: a context is in at most one place, which `place` names, and a FIFO's bit in its
 * mask is set exactly when the FIFO is not empty. Nothing here can overflow: a queue pair has
 * one context of each kind, and what is pending is kept in the queue pair.
 */
#ifndef RAILYARD_NIC_H
#define RAILYARD_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "heap.h"

#define NIC_PRIORITIES 8

struct host;

/* The first four are a queue pair's, in this order in struct qp. */
enum nic_kind { NIC_REQUESTER, NIC_RESPONDER, NIC_ACK, NIC_CNP, NIC_DATAGRAM, NIC_NEIGHBOUR };

/* BARRED: like IDLE, but may not send. HELD: would be READY, but may not send. */
enum nic_place { NIC_IDLE, NIC_READY, NIC_PACED, NIC_BARRED, NIC_HELD };

struct nic_context {
	struct nic_context *next;
	uint8_t kind;     /* enum nic_kind */
	uint8_t place;    /* enum nic_place */
	uint8_t priority; /* of the FIFO it is in, or will be */
};

struct nic_fifo {
	struct nic_context *head;
	struct nic_context *tail;
};

/* One FIFO a priority. */
struct nic_class {
	uint8_t ready; /* bit n: fifos[n] is not empty */
	uint8_t turn;  /* priority served last */
	struct nic_fifo fifos[NIC_PRIORITIES];
};

struct nic {
	struct nic_class cnp;
	struct nic_class ack;
	struct nic_class data;
	struct heap paced;
};

/* Put an idle context at the end of its FIFO and wake the port; no-op when it is not idle. */
void nic_ready(struct host *host, struct nic_context *context, uint8_t priority, uint64_t now_ps);

/* A queue pair's contexts that were barred may send from now on. */
void nic_admit(struct host *host, struct nic_context *contexts, uint32_t count, uint64_t now_ps);

/* The frame to send now, or NULL; *next_ps as node_ops.dequeue wants it. */
struct rte_mbuf *nic_dequeue(struct host *host, uint64_t now_ps, uint64_t *next_ps);

/* 0, or -EPROTO with one line in `why`. */
int nic_check(const struct nic *nic, char *why, size_t why_bytes);

#endif
