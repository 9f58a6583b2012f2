/* SPDX-License-Identifier: BSD-3-Clause */
#include "balancer_hash.h"

#include <string.h>

#include <rte_byteorder.h>
#include <rte_hash_crc.h>
#include <rte_jhash.h>
#include <rte_thash.h>

#include "packet.h"

/* All fields of an IPv6 packet, in whole words. */
#define KEY_WORDS 14

struct key {
	uint32_t words[KEY_WORDS];
	uint32_t bytes;
};

/*
 * Microsoft's RSS verification key, 40 bytes, from its start again where a key is longer than
 * RSS's own tuples.
 */
static const uint8_t toeplitz_key[(KEY_WORDS + 1) * 4] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f,
	0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa, 0x6d, 0x5a, 0x56, 0xda, 0x25,
	0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
};

static void
append(struct key *key, const uint8_t *at, uint32_t bytes)
{
	memcpy((uint8_t *)key->words + key->bytes, at, bytes);
	key->bytes += bytes;
}

static void
append_ip(struct key *key, uint16_t fields, const struct packet *p, const uint8_t *ip)
{
	bool is_ipv4 = p->flags & PACKET_IPV4;
	uint32_t bytes = is_ipv4 ? 4 : 16;
	const uint8_t *addresses = ip + (is_ipv4 ? 12 : 8);

	if (fields & BALANCER_SRC_IP)
		append(key, addresses, bytes);
	if (fields & BALANCER_DST_IP)
		append(key, addresses + bytes, bytes);
}

static void
append_ports(struct key *key, uint16_t fields, const uint8_t *l4)
{
	if (fields & BALANCER_SRC_PORT)
		append(key, l4, 2);
	if (fields & BALANCER_DST_PORT)
		append(key, l4 + 2, 2);
}

static void
key_of(struct key *key, uint16_t fields, struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct packet *p = packet_of(m);

	*key = (struct key){.bytes = 0};
	if (p->flags & (PACKET_IPV4 | PACKET_IPV6)) {
		const uint8_t *ip = data + p->l3_ofs;

		append_ip(key, fields, p, ip);
		if (p->l4_ofs != 0 && m->data_len >= p->l4_ofs + 4u)
			append_ports(key, fields, data + p->l4_ofs);
		if (fields & BALANCER_PROTOCOL)
			append(key, ip + (p->flags & PACKET_IPV4 ? 9 : 6), 1);
		/* BTH after the UDP header: its 6th to 8th byte. */
		if (fields & BALANCER_DEST_QP && p->flags & PACKET_ROCE)
			append(key, data + p->l4_ofs + 8 + 5, 3);
	} else {
		fields |= BALANCER_SRC_MAC | BALANCER_DST_MAC;
	}
	if (fields & BALANCER_VLAN && p->flags & PACKET_VLAN)
		append(key, (const uint8_t[2]){p->vlan_tci >> 8 & 0xf, (uint8_t)p->vlan_tci}, 2);
	if (fields & BALANCER_SRC_MAC)
		append(key, data + 6, 6);
	if (fields & BALANCER_DST_MAC)
		append(key, data, 6);
	if (fields & BALANCER_IN_PORT)
		append(key, (const uint8_t[2]){(uint8_t)(p->in_port >> 8), (uint8_t)p->in_port}, 2);
}

static uint32_t
toeplitz(struct key *key)
{
	uint32_t words = (key->bytes + 3) / 4;

	for (uint32_t i = 0; i < words; i++)
		key->words[i] = rte_be_to_cpu_32(key->words[i]);
	return rte_softrss(key->words, words, toeplitz_key);
}

uint32_t
balancer_hash(const struct balancer_hash_cfg *cfg, struct rte_mbuf *m)
{
	uint16_t fields = cfg->fields != 0 ? cfg->fields : BALANCER_FIVE_TUPLE;
	struct key key;

	/* What the packet keeps from hop to hop; its low bit is always set, no good for modulo. */
	if (cfg->function == BALANCER_CRC32C && fields == BALANCER_FIVE_TUPLE && !cfg->modulo)
		return packet_flow_hash(m);
	key_of(&key, fields, m);
	switch (cfg->function) {
	case BALANCER_TOEPLITZ:
		return toeplitz(&key);
	case BALANCER_JHASH:
		return rte_jhash(key.words, key.bytes, (uint32_t)cfg->seed);
	default:
		return rte_hash_crc(key.words, key.bytes, UINT32_MAX);
	}
}
