/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet.h"

#include <string.h>

#include <rte_byteorder.h>
#include <rte_hash_crc.h>
#include <rte_ip.h>

enum {
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_VLAN = 0x8100,
	ETHERTYPE_QINQ = 0x88a8,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_MAC_CONTROL = 0x8808,
	PROTOCOL_UDP = 17,
	PROTOCOL_TCP = 6,
	UDP_PORT_ROCE = 4791,
	BTH_BYTES = 12,
};

static const uint8_t mac_control_address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

struct rte_mbuf *
packet_copy(struct rte_mbuf *m, struct rte_mempool *pool)
{
	struct rte_mbuf *copy = rte_mbuf_raw_alloc(pool);

	if (copy == NULL)
		return NULL;
	copy->data_off = 0;
	copy->data_len = m->data_len;
	copy->pkt_len = m->pkt_len;
	memcpy(rte_pktmbuf_mtod(copy, void *), rte_pktmbuf_mtod(m, void *), m->data_len);
	*packet_of(copy) = *packet_of(m);
	return copy;
}

static uint16_t
read_be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* The frame on the wire has this many bytes after the Ethernet header at `ofs`. */
static uint32_t
wire_bytes_after(const struct packet *p, uint32_t ofs)
{
	uint32_t with_fcs = ofs + UNITS_FCS_BYTES;

	return p->frame_bytes > with_fcs ? p->frame_bytes - with_fcs : 0;
}

static void
parse_udp(struct packet *p, const uint8_t *data, uint32_t bytes)
{
	if (bytes < p->l4_ofs + 8u) {
		p->flags |= PACKET_MALFORMED;
		return;
	}
	p->flags |= PACKET_UDP;
	if (read_be16(data + p->l4_ofs + 2) == UDP_PORT_ROCE && bytes >= p->l4_ofs + 8u + BTH_BYTES)
		p->flags |= PACKET_ROCE;
}

static void
parse_ipv4(struct packet *p, const uint8_t *data, uint32_t bytes)
{
	const uint8_t *ip = data + p->l3_ofs;
	uint32_t header, total;

	if (bytes < p->l3_ofs + 20u || ip[0] >> 4 != 4) {
		p->flags |= PACKET_MALFORMED;
		return;
	}
	header = (ip[0] & 0xfu) * 4;
	total = read_be16(ip + 2);
	if (header < 20 || total < header || total > wire_bytes_after(p, p->l3_ofs) ||
	    bytes < p->l3_ofs + header) {
		p->flags |= PACKET_MALFORMED;
		return;
	}
	p->flags |= PACKET_IPV4;
	p->traffic_class = ip[1];
	/*
	 * Only a datagram's first fragment carries ports: were it hashed by them, it would take
	 * another path than the rest. Other protocols have none (ICMP has a checksum there).
	 */
	if (read_be16(ip + 6) & 0x3fff || (ip[9] != PROTOCOL_UDP && ip[9] != PROTOCOL_TCP))
		return;
	p->l4_ofs = (uint8_t)(p->l3_ofs + header);
	if (ip[9] == PROTOCOL_UDP)
		parse_udp(p, data, bytes);
}

static void
parse_ipv6(struct packet *p, const uint8_t *data, uint32_t bytes)
{
	const uint8_t *ip = data + p->l3_ofs;

	if (bytes < p->l3_ofs + 40u || ip[0] >> 4 != 6 ||
	    read_be16(ip + 4) + 40u > wire_bytes_after(p, p->l3_ofs)) {
		p->flags |= PACKET_MALFORMED;
		return;
	}
	p->flags |= PACKET_IPV6;
	p->traffic_class = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	/* Extension headers are opaque to a switch's classifier. */
	if (ip[6] != PROTOCOL_UDP && ip[6] != PROTOCOL_TCP)
		return;
	p->l4_ofs = p->l3_ofs + 40;
	if (ip[6] == PROTOCOL_UDP)
		parse_udp(p, data, bytes);
}

void
packet_parse(struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet *p = packet_of(m);
	uint32_t bytes = m->data_len;
	uint32_t type_ofs = 12;
	uint16_t type;

	p->flags = PACKET_PARSED;
	p->l3_ofs = 0;
	p->l4_ofs = 0;
	p->traffic_class = 0;
	p->vlan_tci = 0;
	p->flow_hash = 0;
	if (bytes < 14) {
		p->flags |= PACKET_MALFORMED;
		return;
	}
	type = read_be16(data + type_ofs);
	if (type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ) {
		if (bytes < 18) {
			p->flags |= PACKET_MALFORMED;
			return;
		}
		p->flags |= PACKET_VLAN;
		p->vlan_tci = read_be16(data + 14);
		type_ofs += 4;
		type = read_be16(data + type_ofs);
		/* The outer tag classifies; one more is skipped to find the IP header. */
		if (type == ETHERTYPE_VLAN && bytes >= 22) {
			type_ofs += 4;
			type = read_be16(data + type_ofs);
		}
	}
	p->l3_ofs = (uint8_t)(type_ofs + 2);
	if (type == ETHERTYPE_MAC_CONTROL && memcmp(data, mac_control_address, 6) == 0)
		p->flags |= PACKET_MAC_CONTROL;
	else if (type == ETHERTYPE_IPV4)
		parse_ipv4(p, data, bytes);
	else if (type == ETHERTYPE_IPV6)
		parse_ipv6(p, data, bytes);
}

void
packet_mark_ce(struct rte_mbuf *m)
{
	struct packet *p = packet_of(m);
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *) + p->l3_ofs;

	if (p->flags & PACKET_IPV4) {
		/* RFC 1624: HC' = ~(~HC + ~m + m'), over the word that holds the TOS byte. */
		uint32_t before = read_be16(ip);
		uint32_t sum = (uint16_t)~read_be16(ip + 10);

		ip[1] |= PACKET_CE;
		sum += (uint16_t)~before + (uint32_t)read_be16(ip);
		sum = (sum & 0xffff) + (sum >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		ip[10] = (uint8_t)(~sum >> 8);
		ip[11] = (uint8_t)~sum;
	} else {
		ip[1] |= PACKET_CE << 4;
	}
	p->traffic_class |= PACKET_CE;
}

/* rte_hash_crc reads words where it is pointed at, and headers are not aligned. */
static uint32_t
hash_bytes(const uint8_t *at, uint32_t bytes, uint32_t hash)
{
	uint64_t words[4];

	assert(bytes <= sizeof(words));
	memcpy(words, at, bytes);
	return rte_hash_crc(words, bytes, hash);
}

uint32_t
packet_flow_hash(struct rte_mbuf *m)
{
	struct packet *p = packet_of(m);
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t hash = 0x9e3779b9;

	if (p->flow_hash != 0)
		return p->flow_hash;
	if (p->flags & PACKET_IPV4) {
		hash = hash_bytes(data + p->l3_ofs + 12, 8, hash);
		hash = rte_hash_crc_1byte(data[p->l3_ofs + 9], hash);
	} else if (p->flags & PACKET_IPV6) {
		hash = hash_bytes(data + p->l3_ofs + 8, 32, hash);
		hash = rte_hash_crc_1byte(data[p->l3_ofs + 6], hash);
	} else if (m->data_len >= 12) {
		hash = hash_bytes(data, 12, hash);
	}
	if (p->l4_ofs != 0 && m->data_len >= p->l4_ofs + 4u)
		hash = hash_bytes(data + p->l4_ofs, 4, hash);
	p->flow_hash = hash | 1; /* 0 means not computed */
	return p->flow_hash;
}
