/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RoCEv2 on the wire: InfiniBand transport packets over UDP port 4791 (IBTA annex A17; base
 * transport header and opcodes IBTA 9.2-9.4). Encoding and decoding only: no transport state.
 *
 * A queue pair keeps a roce_path with the Ethernet, IP and UDP headers ready, so that sending
 * a packet is one copy and a few stores.
 */
#ifndef RAILYARD_ROCE_H
#define RAILYARD_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "packet.h"

#define ROCE_UDP_PORT 4791
/* Source ports are from 0xc000 on, as rdma-core takes them. */
#define ROCE_SOURCE_PORTS 0x4000u
#define ROCE_ICRC_BYTES 4u
#define ROCE_PKEY_DEFAULT 0xffff

/* RC opcodes, IBTA table 38; CNP from annex A17.9.3. */
enum roce_opcode {
	ROCE_SEND_FIRST = 0x00,
	ROCE_SEND_MIDDLE = 0x01,
	ROCE_SEND_LAST = 0x02,
	ROCE_SEND_LAST_IMM = 0x03,
	ROCE_SEND_ONLY = 0x04,
	ROCE_SEND_ONLY_IMM = 0x05,
	ROCE_WRITE_FIRST = 0x06,
	ROCE_WRITE_MIDDLE = 0x07,
	ROCE_WRITE_LAST = 0x08,
	ROCE_WRITE_LAST_IMM = 0x09,
	ROCE_WRITE_ONLY = 0x0a,
	ROCE_WRITE_ONLY_IMM = 0x0b,
	ROCE_READ_REQUEST = 0x0c,
	ROCE_READ_RESPONSE_FIRST = 0x0d,
	ROCE_READ_RESPONSE_MIDDLE = 0x0e,
	ROCE_READ_RESPONSE_LAST = 0x0f,
	ROCE_READ_RESPONSE_ONLY = 0x10,
	ROCE_ACK = 0x11,
	ROCE_CNP = 0x81,
};

/* AETH syndrome, IBTA 9.7.5.2. */
enum roce_syndrome {
	ROCE_SYNDROME_ACK = 0x1f, /* no credit limit */
	ROCE_SYNDROME_NAK_SEQUENCE = 0x60,
	ROCE_SYNDROME_NAK_INVALID = 0x61,
	ROCE_SYNDROME_NAK_ACCESS = 0x62,
	ROCE_SYNDROME_NAK_OPERATION = 0x63,
};

/* What a packet says: the union of BTH and the extended headers its opcode carries. */
struct roce_packet {
	uint8_t opcode;
	bool ack_request;
	bool becn;
	uint8_t pad_bytes; /* decode only: encode derives it from payload_bytes */
	uint32_t dest_qp;
	uint32_t psn;
	uint32_t payload_bytes; /* without pad */
	uint64_t va;            /* RETH */
	uint32_t rkey;
	uint32_t dma_bytes;
	uint8_t syndrome; /* AETH */
	uint32_t msn;
	uint32_t immediate; /* host order of the opaque word */
};

struct roce_address {
	uint8_t mac[6];
	bool is_ipv6;
	uint8_t ip[16]; /* network order; IPv4 in the first 4 bytes */
};

/* The headers of one direction of a queue pair, ready to copy. */
struct roce_path {
	uint8_t bytes[PACKET_HEADER_ROOM_BYTES];
	uint8_t l3_ofs;
	uint8_t l4_ofs;
	uint8_t bth_ofs;
	bool is_ipv6;
	uint8_t traffic_class;
	uint16_t vlan_tci;
	bool has_vlan;
	/*
	 * Sum of 16-bit words as they lie in memory. IPv4: the header without total length and
	 * identification. IPv6: the UDP pseudo header and ports, without the length.
	 */
	uint32_t checksum_base;
};

struct roce_path_cfg {
	struct roce_address source;
	struct roce_address destination;
	uint16_t udp_source_port;
	uint8_t traffic_class; /* DSCP << 2 | ECN */
	uint8_t ttl;
	bool has_vlan;
	uint16_t vlan_tci;
};

void roce_path_init(struct roce_path *path, const struct roce_path_cfg *cfg);
/* From now on packets leave from this port. */
void roce_path_set_source_port(struct roce_path *path, uint16_t udp_source_port);

/*
 * Write a whole frame into the blank packet m and set its parsed fields and frame_bytes.
 * with_payload: payload, pad and ICRC are in memory (the payload a pattern that follows from
 * PSN and offset); otherwise a frame with payload ends after its last extended header, and a
 * frame without payload is whole. m's room must hold what is written, and is at least
 * PACKET_HEADER_ROOM_BYTES. A CNP has BECN set, PSN 0 and no AckReq, whatever p says.
 */
void roce_encode(struct rte_mbuf *m, const struct roce_path *path, const struct roce_packet *p,
		 bool with_payload);

/*
 * Write the frame as it would be with its payload into frame[room]: payload, pad and ICRC of an
 * elided RoCE packet, zeros for an elided datagram, else what is in memory. Returns the bytes
 * written, at most room.
 */
uint32_t roce_restore(const struct rte_mbuf *m, uint8_t *frame, uint32_t room);

/*
 * Decode a packet with PACKET_ROCE. 0, or -EBADMSG when it is shorter than its opcode needs.
 * After an opcode that is not known, all that follows the BTH counts as payload.
 */
int roce_decode(const struct rte_mbuf *m, struct roce_packet *p);

/* Frame length on the wire, FCS counted, of a packet on this path. */
uint32_t roce_frame_bytes(const struct roce_path *path, const struct roce_packet *p);

/* Extended header bytes after the BTH for an opcode; UINT32_MAX when unknown. */
uint32_t roce_extension_bytes(uint8_t opcode);

/*
 * Before several lcores use CRCs: the library chooses its method on the first use, and another
 * lcore that comes then finds it without one.
 */
void roce_icrc_prepare(void);

/*
 * Invariant CRC of the frame (whole, without FCS): CRC-32 over 8 bytes of ones, then from the
 * IP header to the pad with the mutable fields taken as ones (IBTA A17.3.3).
 */
uint32_t roce_icrc(const uint8_t *frame, uint32_t frame_bytes, uint8_t l3_ofs, uint8_t l4_ofs);

/* The frame's last 4 bytes are its ICRC. A frame not whole in memory counts as right. */
bool roce_icrc_verify(const struct rte_mbuf *m);

/* UDP source port of a pair of QPs, as rdma-core derives it: 0xc000-0xffff, symmetric. */
uint16_t roce_udp_source_port(uint32_t local_qp, uint32_t remote_qp);
uint16_t roce_udp_source_port_of_label(uint32_t flow_label);

/* PSN arithmetic over 24 bits: < 0 when a is before b, 0 equal, > 0 after. */
#define ROCE_PSN_MASK 0xffffffu

static inline int32_t
roce_psn_compare(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8);
}

/* b - a as a number of packets (signed, within half the range). */
static inline int32_t
roce_psn_distance(uint32_t a, uint32_t b)
{
	return (int32_t)((b - a) << 8) >> 8;
}

static inline uint32_t
roce_psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & ROCE_PSN_MASK;
}

#endif
