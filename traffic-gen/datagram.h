/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background traffic: UDP datagrams to the discard port (RFC 863), fire and forget. Those
 * that wait for the port are kept as descriptors in a bounded ring a priority, those for peers
 * whose MAC address is being asked for in a bounded list.
 */
#ifndef RAILYARD_DATAGRAM_H
#define RAILYARD_DATAGRAM_H

#include <stdint.h>

#include "nic.h"
#include "packet.h"
#include "source.h"

#define DATAGRAM_RING 1024u
#define DATAGRAM_UDP_PORT 9

struct datagram {
	uint32_t peer;
	uint32_t frame_bytes;
	uint8_t dscp;
	bool ect;
	uint16_t workload;
};

/* Results of one workload at one host. */
struct datagram_counts {
	uint64_t sent;
	uint64_t received;
	uint64_t ce_received; /* of these: marked */
	uint64_t ce_first;    /* which of those received was the first marked, from 1; 0 = none */
	uint64_t ce_last;     /* and the last */
};

struct datagram_queue {
	struct nic_context context; /* first */
	struct datagram *ring;      /* DATAGRAM_RING entries, allocated on first use */
	uint32_t head;
	uint32_t tail;
};

struct datagrams {
	struct datagram_queue queues[NIC_PRIORITIES];
	struct datagram *aside; /* DATAGRAM_RING entries, allocated on first use */
	uint32_t aside_count;
	struct datagram_counts
		*counts; /* [count_count], by workload; grows with the first of one */
	uint32_t count_count;
};

void datagram_init(struct datagrams *datagrams);
void datagram_fini(struct datagrams *datagrams);

/*
 * Queue one, or set it aside for its peer; beyond the room there it is dropped as
 * DROP_HOST_QUEUE, and as DROP_NO_NEIGHBOUR if the peer is not to be found.
 */
void datagram_post(struct host *host, const struct message *message, uint64_t now_ps);

/* What was set aside for that peer is queued, or dropped, now that it is known which. */
void datagram_release(struct host *host, uint32_t peer, uint64_t now_ps);

/* A datagram came in. */
void datagram_received(struct host *host, const struct packet *packet);

/* The queue's oldest, or NULL when no packet buffer is left. */
struct rte_mbuf *datagram_send(struct host *host, struct datagram_queue *queue);

#endif
