/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background traffic: UDP datagrams to the discard port (RFC 863), fire and forget. Those
 * that wait for the port are kept as descriptors in a bounded ring a priority.
 */
#ifndef RAILYARD_DATAGRAM_H
#define RAILYARD_DATAGRAM_H

#include <stdint.h>

#include "nic.h"
#include "source.h"

#define DATAGRAM_RING 1024u
#define DATAGRAM_UDP_PORT 9

struct datagram {
	uint32_t peer;
	uint32_t frame_bytes;
	uint8_t dscp;
};

struct datagram_queue {
	struct nic_context context; /* first */
	struct datagram *ring;      /* DATAGRAM_RING entries, allocated on first use */
	uint32_t head;
	uint32_t tail;
};

struct datagrams {
	struct datagram_queue queues[NIC_PRIORITIES];
};

void datagram_init(struct datagrams *datagrams);
void datagram_fini(struct datagrams *datagrams);

/* Queue one; beyond the ring it is dropped as DROP_HOST_QUEUE. */
void datagram_post(struct host *host, const struct message *message, uint64_t now_ps);

/* The queue's oldest, or NULL when no packet buffer is left. */
struct rte_mbuf *datagram_send(struct host *host, struct datagram_queue *queue);

#endif
