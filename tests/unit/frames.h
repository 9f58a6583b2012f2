/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames made by hand for tests, written from the formats' own descriptions (802.3, 802.1Q,
 * RFC 791, 768, 8200) and not with the code under test. Station n has the address
 * 02:00:00:00:00:n and 10.0.0.n or fd00::n.
 */
#ifndef RAILYARD_TEST_FRAMES_H
#define RAILYARD_TEST_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "packet.h"

struct frame_spec {
	uint8_t from; /* station */
	uint8_t to;   /* station; 0xff = broadcast */
	uint8_t dscp;
	uint8_t ecn;
	uint8_t ttl; /* 0 = 64 */
	bool ipv6;
	bool tagged;
	uint16_t tci;
	uint16_t fragment; /* IPv4 flags and offset */
	uint8_t protocol;  /* 0 = UDP */
	uint16_t source_port;
	uint16_t destination_port; /* 0 = 4791 */
	uint32_t frame_bytes;      /* on the wire, FCS counted; 0 = 64 (84 for IPv6) */
};

static inline void
frame_be16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* One's complement sum of a header, folded: 0xffff when its checksum is right. */
static inline uint32_t
frame_ones_sum(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bytes; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static inline void
frame_station(uint8_t mac[6], uint8_t station)
{
	static const uint8_t base[6] = {0x02, 0, 0, 0, 0, 0};

	memcpy(mac, base, 6);
	mac[5] = station;
	if (station == 0xff)
		memset(mac, 0xff, 6);
}

static inline uint32_t
frame_put_ipv4(uint8_t *ip, const struct frame_spec *s, uint32_t ip_bytes)
{
	memset(ip, 0, 20);
	ip[0] = 0x45;
	ip[1] = (uint8_t)(s->dscp << 2 | s->ecn);
	frame_be16(ip + 2, ip_bytes);
	frame_be16(ip + 4, 0x1234);
	frame_be16(ip + 6, s->fragment);
	ip[8] = s->ttl == 0 ? 64 : s->ttl;
	ip[9] = s->protocol == 0 ? 17 : s->protocol;
	ip[12] = ip[16] = 10;
	ip[15] = s->from;
	ip[19] = s->to;
	frame_be16(ip + 10, ~frame_ones_sum(ip, 20));
	return 20;
}

static inline uint32_t
frame_put_ipv6(uint8_t *ip, const struct frame_spec *s, uint32_t ip_bytes)
{
	uint8_t traffic_class = (uint8_t)(s->dscp << 2 | s->ecn);

	memset(ip, 0, 40);
	ip[0] = (uint8_t)(0x60 | traffic_class >> 4);
	ip[1] = (uint8_t)(traffic_class << 4 | 0x0e); /* and a flow label */
	ip[2] = 0x21;
	ip[3] = 0xfa;
	frame_be16(ip + 4, ip_bytes - 40);
	ip[6] = s->protocol == 0 ? 17 : s->protocol;
	ip[7] = s->ttl == 0 ? 64 : s->ttl;
	ip[8] = ip[24] = 0xfd;
	ip[23] = s->from;
	ip[39] = s->to;
	return 40;
}

/*
 * Write the frame's headers (Ethernet to BTH) at `at` and return how many bytes of memory they
 * take: what is on the wire beyond them is elided.
 */
static inline uint32_t
frame_write(uint8_t *at, const struct frame_spec *s, uint32_t frame_bytes)
{
	uint32_t ofs = 12, ip_bytes;

	frame_station(at, s->to);
	frame_station(at + 6, s->from);
	if (s->tagged) {
		frame_be16(at + ofs, 0x8100);
		frame_be16(at + ofs + 2, s->tci);
		ofs += 4;
	}
	frame_be16(at + ofs, s->ipv6 ? 0x86dd : 0x0800);
	ofs += 2;
	ip_bytes = frame_bytes - 4 - ofs;
	ofs += s->ipv6 ? frame_put_ipv6(at + ofs, s, ip_bytes)
		       : frame_put_ipv4(at + ofs, s, ip_bytes);
	memset(at + ofs, 0, 20); /* UDP and a BTH */
	frame_be16(at + ofs, s->source_port);
	frame_be16(at + ofs + 2, s->destination_port == 0 ? 4791 : s->destination_port);
	frame_be16(at + ofs + 4, ip_bytes - (s->ipv6 ? 40 : 20));
	return ofs + 20;
}

/* The same as a packet, not parsed yet. NULL when the pool is empty. */
static inline struct rte_mbuf *
frame_make(struct rte_mempool *pool, const struct frame_spec *s, uint64_t uid)
{
	uint32_t frame_bytes = s->frame_bytes == 0 ? (s->ipv6 ? 84 : 64) : s->frame_bytes;
	struct rte_mbuf *m = packet_alloc(pool);

	if (m == NULL)
		return NULL;
	m->data_len = (uint16_t)frame_write(rte_pktmbuf_mtod(m, uint8_t *), s, frame_bytes);
	m->pkt_len = m->data_len;
	packet_of(m)->frame_bytes = frame_bytes;
	packet_of(m)->uid = uid;
	return m;
}

#endif
