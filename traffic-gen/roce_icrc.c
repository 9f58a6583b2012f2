/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The invariant CRC covers what no switch may change, so a frame's mutable fields are taken as
 * ones: IPv4 TOS, TTL and checksum; IPv6 traffic class, flow label and hop limit; the UDP
 * checksum; BTH byte 4 with FECN and BECN. Eight bytes of ones stand where native InfiniBand
 * has its local route header (IBTA annex A17.3.3).
 */
#include <assert.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_net_crc.h>

#include "roce.h"

#define LRH_BYTES 8u
#define UDP_HEADER_BYTES 8u
#define BTH_BYTES 12u
/* Holds the masked headers in one piece: their end is below 256 + UDP and BTH. */
#define CHUNK_BYTES 1024u

static void
mask_headers(uint8_t *l3, uint32_t l3_bytes)
{
	uint8_t *l4 = l3 + l3_bytes;

	if (l3[0] >> 4 == 4) {
		l3[1] = 0xff;
		l3[8] = 0xff;
		memset(l3 + 10, 0xff, 2);
	} else {
		l3[0] |= 0x0f;
		memset(l3 + 1, 0xff, 3);
		l3[7] = 0xff;
	}
	memset(l4 + 6, 0xff, 2);
	l4[UDP_HEADER_BYTES + 4] = 0xff;
}

/*
 * rte_net_crc always starts from a register of ones. The register enters a reflected CRC-32 as
 * an exclusive-or with the next four bytes, so a CRC is continued by folding the one so far
 * (which is the register's complement) into them.
 */
static uint32_t
crc_continue(uint8_t *chunk, uint32_t chunk_bytes, uint32_t crc)
{
	uint32_t word;

	memcpy(&word, chunk, sizeof(word));
	word ^= rte_cpu_to_le_32(crc);
	memcpy(chunk, &word, sizeof(word));
	return rte_net_crc_calc(chunk, chunk_bytes, RTE_NET_CRC32_ETH);
}

void
roce_icrc_prepare(void)
{
	(void)rte_net_crc_calc("", 0, RTE_NET_CRC32_ETH);
}

uint32_t
roce_icrc(const uint8_t *frame, uint32_t frame_bytes, uint8_t l3_ofs, uint8_t l4_ofs)
{
	const uint8_t *at = frame + l3_ofs;
	uint32_t left = frame_bytes - l3_ofs - ROCE_ICRC_BYTES;
	uint32_t fill = LRH_BYTES;
	uint32_t crc = 0;
	uint8_t chunk[CHUNK_BYTES];

	assert(l3_ofs < l4_ofs);
	assert(frame_bytes >= l4_ofs + UDP_HEADER_BYTES + BTH_BYTES + ROCE_ICRC_BYTES);
	memset(chunk, 0xff, LRH_BYTES);
	while (left > 0) {
		uint32_t take = RTE_MIN(left, CHUNK_BYTES - fill);

		/* A continued chunk needs its four bytes. */
		if (left - take > 0 && left - take < sizeof(uint32_t))
			take -= sizeof(uint32_t);
		memcpy(chunk + fill, at, take);
		if (fill != 0)
			mask_headers(chunk + fill, l4_ofs - l3_ofs);
		crc = crc_continue(chunk, fill + take, crc);
		at += take;
		left -= take;
		fill = 0;
	}
	return crc;
}

bool
roce_icrc_verify(const struct rte_mbuf *m)
{
	const struct packet *k = packet_of(m);
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t end, stored;
	uint16_t udp_bytes;

	assert(k->flags & PACKET_ROCE);
	memcpy(&udp_bytes, frame + k->l4_ofs + 4, sizeof(udp_bytes));
	/* By the UDP length: a short frame may end in Ethernet padding. */
	end = k->l4_ofs + rte_be_to_cpu_16(udp_bytes);
	if (end > rte_pktmbuf_data_len(m))
		return true;
	if (end < k->l4_ofs + UDP_HEADER_BYTES + BTH_BYTES + ROCE_ICRC_BYTES)
		return false;
	memcpy(&stored, frame + end - ROCE_ICRC_BYTES, sizeof(stored));
	return rte_le_to_cpu_32(stored) == roce_icrc(frame, end, k->l3_ofs, k->l4_ofs);
}
