/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet is one rte_mbuf with real headers from the Ethernet header on (no FCS in memory)
 * and, in the mbuf's private area, one cache line of the emulator's own fields.
 *
 * In virtual time the payload may be elided: `frame_bytes` says what is on the wire, the mbuf
 * holds the headers only. Invariant: rte_pktmbuf_data_len(m) + FCS <= frame_bytes.
 *
 * Whoever builds a frame, or packet_parse(), fills the parsed fields and sets PACKET_PARSED;
 * whoever rewrites a header keeps them true. A node owns a packet from its arrival until it
 * gives it to a link, delivers, consumes or drops it.
 */
#ifndef RAILYARD_PACKET_H
#define RAILYARD_PACKET_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "packet_pool.h"
#include "units.h"

/* Longest header stack of ours: Ethernet, VLAN, IPv6, UDP, BTH, RETH, ImmDt, ICRC. */
#define PACKET_HEADER_ROOM_BYTES 128u

enum packet_flag {
	PACKET_PARSED = 1 << 0,
	PACKET_MAC_CONTROL = 1 << 1, /* ethertype 0x8808 to 01:80:c2:00:00:01 */
	PACKET_VLAN = 1 << 2,
	PACKET_IPV4 = 1 << 3,
	PACKET_IPV6 = 1 << 4,
	PACKET_UDP = 1 << 5,
	PACKET_ROCE = 1 << 6, /* UDP destination port 4791 with a whole BTH */
	PACKET_MALFORMED = 1 << 7,
};

/* IP ECN codepoints, RFC 3168. */
enum packet_ecn { PACKET_NOT_ECT = 0, PACKET_ECT1 = 1, PACKET_ECT0 = 2, PACKET_CE = 3 };

struct packet {
	struct rte_mbuf *next; /* written by the queue that holds it */
	uint64_t tail_ps;      /* when its last bit reached this node; written by the link */
	uint64_t queued_ps;    /* when it entered the queue that holds it */
	uint64_t uid;          /* source node id << 40 | sequence; unique in a run */
	uint32_t frame_bytes;  /* on the wire, FCS counted, preamble and gap not */
	uint32_t flow_hash;    /* 0 = not yet computed */
	uint16_t in_port;      /* written by the node on arrival */
	uint16_t out_port;     /* written by the forwarding stage */
	uint16_t vlan_tci;     /* valid with PACKET_VLAN */
	uint8_t flags;         /* enum packet_flag */
	uint8_t l3_ofs;        /* bytes from the Ethernet header */
	uint8_t l4_ofs;        /* 0 = no layer 4 with ports found */
	uint8_t traffic_class; /* the IPv4 TOS / IPv6 traffic class byte: DSCP << 2 | ECN */
	uint8_t tc;            /* written by classify: traffic class, priority group, queue */
	uint8_t pg;
	uint8_t queue;
	uint8_t lossless;  /* its PG is lossless */
	uint16_t workload; /* results: a datagram's */
	uint32_t cells;    /* written by the MMU */
	bool elided;       /* its builder left the payload out: it follows from the headers */
	bool corrupted;    /* has a bit error, which with an elided payload shows only here */
};
static_assert(sizeof(struct packet) == 64, "one cache line");

static inline struct packet *
packet_of(const struct rte_mbuf *m)
{
	return (struct packet *)rte_mbuf_to_priv((struct rte_mbuf *)(uintptr_t)m);
}

/* A blank packet (zero lengths, cleared fields), or NULL. */
static inline struct rte_mbuf *
packet_alloc(struct rte_mempool *pool)
{
	struct rte_mbuf *m = rte_mbuf_raw_alloc(pool);

	if (m == NULL)
		return NULL;
	m->data_off = 0;
	m->data_len = 0;
	m->pkt_len = 0;
	*packet_of(m) = (struct packet){0};
	return m;
}

/* Packets are single segments with one owner: no reference count to consult. */
static inline void
packet_free(struct rte_mbuf *m)
{
	rte_mbuf_raw_free(m);
}

/* A private copy (flooding), or NULL when the pool is empty. */
struct rte_mbuf *packet_copy(struct rte_mbuf *m, struct rte_mempool *pool);

static inline uint8_t
packet_dscp(const struct packet *p)
{
	return p->traffic_class >> 2;
}

static inline uint8_t
packet_ecn(const struct packet *p)
{
	return p->traffic_class & 3;
}

/*
 * Fill the parsed fields from the bytes in memory. Frames that end inside a header they
 * announce, or whose lengths contradict each other, get PACKET_MALFORMED and stay
 * forwardable by layer 2; nothing is read beyond data_len.
 */
void packet_parse(struct rte_mbuf *m);

/* Set CE in the header, with the IPv4 checksum kept right (RFC 1624). Needs an ECT packet. */
void packet_mark_ce(struct rte_mbuf *m);

/* Hash of addresses, protocol and ports, cached in the packet; the caller applies its seed. */
uint32_t packet_flow_hash(struct rte_mbuf *m);

#endif
