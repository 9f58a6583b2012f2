/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a reliable-connection queue pair: requester and responder state, the headers of
 * its packets, its pacing, and the table that finds it by number.
 *
 * Packets are counted in 64 bits from 0 ("seq"); a PSN is the first PSN plus seq, in 24 bits.
 * Invariant: una_seq <= next_seq <= sent_seq, or next_seq was set back to una_seq by go-back-N.
 *
 * A queue pair is selective when both hosts place out of order, as ConnectX takes selective repeat
 * only when both ends do; otherwise it goes back N. selective.h has what that adds.
 *
 * The number of the k-th pair that a host has with peer b is (b + 1) << 8 | k: 256 pairs with
 * each of up to 65,535 peers, and numbers 0 and 1 stay reserved (IBTA 3.5.1).
 */
#ifndef RAILYARD_QP_H
#define RAILYARD_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "congestion.h"
#include "nic.h"
#include "reorder.h"
#include "roce.h"
#include "source.h"

#define QP_PAIR_BITS 8
#define QP_MAX_HOSTS 65535u
/* Unacknowledged packets: well within half of the PSN space (IBTA 9.7.2). */
#define QP_OUTSTANDING_PACKETS (1u << 22)
/* Packets that one READ request asks for at most; longer READs take several. */
#define QP_READ_PACKETS (1u << 21)
/* READ requests that a responder keeps. */
#define QP_MAX_READ_JOBS 256u
#define QP_NO_SOURCE UINT32_MAX

/* A message that was posted and has not completed. */
struct request {
	uint64_t first_seq;
	uint64_t packets;
	uint64_t bytes;
	uint64_t first_byte; /* payload bytes posted on this QP before it */
	uint64_t start_ps;
	uint64_t retransmitted;
	uint32_t source; /* index in the host, or QP_NO_SOURCE */
	uint16_t workload;
	uint8_t verb; /* enum verb */
	uint8_t dscp;
	bool last_of_source;
	bool read_requested; /* counted in reads_outstanding */
};

/* A READ request that the responder is answering. */
struct read_job {
	uint64_t bytes;
	uint32_t psn;
	uint32_t packets;
	uint32_t next;  /* packets sent */
	uint32_t fresh; /* those before had been sent for an earlier request */
	uint8_t dscp;
};

/* Why a packet is sent again. */
enum repeat_cause { REPEAT_NAK, REPEAT_GAP, REPEAT_TIMEOUT, REPEAT_CAUSES };

struct selective;

enum qp_path { QP_PATH_DATA, QP_PATH_ACK, QP_PATHS };

struct qp {
	struct nic_context contexts[NIC_CNP + 1]; /* first: qp_of() */

	/* requester */
	uint64_t next_seq;   /* to send next */
	uint64_t una_seq;    /* first not acknowledged; within a READ: response expected */
	uint64_t sent_seq;   /* after the highest ever sent */
	uint64_t ackreq_seq; /* after the last packet that asks for an answer */
	uint64_t ack_seen_seq;
	uint64_t deadline_ps; /* of the retransmit timer */
	struct request *requests;
	uint32_t head;   /* requests[head & request_mask] is the oldest */
	uint32_t cursor; /* holds next_seq, or equals tail */
	uint32_t tail;
	uint32_t request_mask;
	struct selective *selective; /* NULL: go-back-N */

	/* pacing, shared by requests and READ responses */
	uint64_t last_start_ps;
	uint64_t pace_rate_bps;
	uint64_t pace_ps_q16; /* ps a byte at that rate, in 2^-16; 0 = line rate */
	uint32_t last_wire_bytes;

	uint32_t first_psn;
	uint32_t mtu_bytes;
	uint32_t reads_outstanding;
	uint32_t since_ackreq; /* data packets since the last with AckReq */
	uint8_t mtu_log2;
	uint8_t retries;
	bool timer_queued;    /* it has an entry in the retransmit heap */
	uint8_t repeat_cause; /* of the last go-back-N, enum repeat_cause */
	bool read_gap;        /* a READ response was missed and asked for again */
	bool error;
	/* responder */
	bool nak_sent; /* for the present gap */
	bool ack_due;
	bool nak_due;
	uint8_t nak_syndrome;
	uint8_t ack_dscp;
	uint8_t in_message; /* opcode group under way: 0 none, 1 SEND, 2 WRITE */
	uint32_t expected_psn;
	uint32_t nak_psn;
	uint32_t msn;
	uint32_t ackreqs; /* AckReqs not yet answered */
	struct reorder_watch request_watch;
	struct reorder_watch response_watch;
	struct read_job *jobs;
	uint32_t job_head;
	uint32_t job_tail;
	uint32_t job_mask;

	uint32_t qpn;
	uint32_t remote_qpn;
	uint32_t peer;
	uint8_t pair;
	uint8_t path_dscp[QP_PATHS];
	uint16_t entropy;     /* of the next data packet, < host_cfg.entropy.ports */
	uint64_t cnp_next_ps; /* notification point: not before */
	uint64_t posted_seq;  /* after the last packet of the last message */
	uint64_t posted_bytes;
	struct congestion_state congestion;
	struct roce_path paths[QP_PATHS];
} __rte_cache_aligned;

struct qp_table {
	struct qp **slots; /* open addressing, at most half full */
	struct qp **all;   /* in order of creation */
	uint32_t count;
	uint32_t slot_bits;
};

static inline uint32_t
qp_number(uint32_t peer, uint8_t pair)
{
	return (peer + 1) << QP_PAIR_BITS | pair;
}

/* The first PSN of requests from host `from` to host `to` on their k-th pair. */
uint32_t qp_first_psn(uint64_t seed, uint32_t from, uint32_t to, uint8_t pair);

int qp_table_init(struct qp_table *table);
void qp_table_fini(struct qp_table *table);

static inline struct qp *
qp_find(const struct qp_table *table, uint32_t qpn)
{
	uint32_t mask = (1u << table->slot_bits) - 1;
	uint32_t at = qpn * 0x9e3779b1u >> (32 - table->slot_bits);

	while (table->slots[at] != NULL && table->slots[at]->qpn != qpn)
		at = (at + 1) & mask;
	return table->slots[at];
}

/* The QP of that number, made on first use; NULL when no such pair can be or memory is out. */
struct qp *qp_get(struct host *host, uint32_t qpn);

static inline struct qp *
qp_of(struct nic_context *context)
{
	return (struct qp *)(context - context->kind);
}

/* Headers with that DSCP, ready to copy. */
const struct roce_path *qp_path(struct host *host, struct qp *qp, enum qp_path which, uint8_t dscp);

/* The same for the next data packet, whose source port may be its own. */
const struct roce_path *qp_data_path(struct host *host, struct qp *qp, uint8_t dscp);

/* Headers for a packet to `peer` that is not one of a QP's usual ones. */
void qp_path_init(const struct host *host, struct roce_path *path, uint32_t peer,
		  uint16_t udp_source_port, uint8_t traffic_class);

/* When pacing lets the QP send its next data packet, seen from now_ps; <= now_ps: at once. */
uint64_t qp_pace_ps(const struct host *host, struct qp *qp, uint64_t now_ps);

/* A data packet of frame_bytes starts at now_ps. */
void qp_sent(struct host *host, struct qp *qp, uint32_t frame_bytes, uint64_t now_ps);

/* Send a CNP unless one went out a moment ago. */
void qp_owe_cnp(struct host *host, struct qp *qp, uint64_t now_ps);

/* A data packet with CE arrived. */
void qp_notify_congestion(struct host *host, struct qp *qp, uint64_t now_ps);

/* The CNP itself, or NULL. */
struct rte_mbuf *qp_send_cnp(struct host *host, struct qp *qp);

static inline uint32_t
qp_psn(const struct qp *qp, uint64_t seq)
{
	return (uint32_t)(qp->first_psn + seq) & ROCE_PSN_MASK;
}

static inline uint64_t
qp_packets(const struct qp *qp, uint64_t bytes)
{
	return bytes == 0 ? 1 : (bytes + qp->mtu_bytes - 1) >> qp->mtu_log2;
}

#endif
