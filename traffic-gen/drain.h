/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A slow receiver: the NIC's receive buffer in front of memory that takes drain_bps. Requests,
 * READ responses and datagrams wait in it in arrival order (acknowledgements and CNPs carry
 * nothing for memory and pass); what does not fit is dropped. Above rx_xoff_bytes the priority
 * of the arriving packet is paused at the peer, below rx_xon_bytes all are released.
 *
 * Invariant: `bytes` is the sum of frame_bytes over the packets in the ring.
 */
#ifndef RAILYARD_DRAIN_H
#define RAILYARD_DRAIN_H

#include <stdint.h>

#include <rte_mbuf.h>

struct host;

struct drain {
	struct rte_mbuf **ring;
	uint32_t head;
	uint32_t tail;
	uint32_t mask;
	uint64_t bytes;
	uint64_t next_ps; /* the oldest packet is in memory then; never when empty */
	uint8_t paused;   /* bit n: priority n was put in XOFF */
};

int drain_init(struct drain *drain);
void drain_fini(struct drain *drain);

/* Take in a packet of ours. */
void drain_arrive(struct host *host, struct rte_mbuf *m, uint64_t now_ps);

/* Hand over what memory has taken by now_ps. */
void drain_run(struct host *host, uint64_t now_ps);

#endif
