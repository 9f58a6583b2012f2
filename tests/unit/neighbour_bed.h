/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pair of hosts of which the second is asked things: frames written by hand arrive at it, and
 * what it sends beside RoCE is kept.
 */
#ifndef RAILYARD_TEST_NEIGHBOUR_BED_H
#define RAILYARD_TEST_NEIGHBOUR_BED_H

#include "host_pair.h"

#include "frames.h"
#include "host_state.h"
#include "suite.h"

#define FRAMES 64
#define FRAME_BYTES 256

/* The host, 02:00:00:00:00:02, and whoever asks it. */
static const uint8_t my_mac[6] = {2, 0, 0, 0, 0, 2};
static const uint8_t asker_mac[6] = {2, 0, 0, 0, 0, 1};
static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t my_ipv6[16] = {0xfd, [14] = 0xab, [15] = 2};
static const uint8_t asker_ipv6[16] = {0xfd, [15] = 1};
/* RFC 4291 2.7.1, RFC 2464 7: of fd00::ab02. */
static const uint8_t my_group[16] = {0xff, 2, [11] = 1, [12] = 0xff, [14] = 0xab, [15] = 2};
static const uint8_t my_group_mac[6] = {0x33, 0x33, 0xff, 0, 0xab, 2};

struct frame {
	uint8_t at[FRAME_BYTES];
	uint32_t bytes;
	uint32_t frame_bytes;
};

/* The bed: host 1 of a pair; host 0 sends nothing by itself. Sent frames are kept. */
struct seen {
	struct frame frames[FRAMES];
	uint32_t count;
	bool lose; /* what host 1 sends does not arrive */
};

static inline enum pair_fate
see(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct seen *seen = pair->hook_context;
	struct frame *f;

	if (from != 1 || p != NULL)
		return PAIR_PASS;
	ck_assert_uint_lt(seen->count, FRAMES);
	f = &seen->frames[seen->count++];
	f->bytes = m->data_len;
	f->frame_bytes = packet_of(m)->frame_bytes;
	ck_assert_uint_le(f->bytes, FRAME_BYTES);
	memcpy(f->at, rte_pktmbuf_mtod(m, void *), f->bytes);
	return seen->lose ? PAIR_DROP : PAIR_PASS;
}

static inline struct pair *
bed(struct seen *seen, bool is_ipv6)
{
	struct pair *pair = pair_new();

	memset(seen, 0, sizeof(*seen));
	pair->pool_bytes = FRAME_BYTES;
	pair->hook = see;
	pair->hook_context = seen;
	for (int i = 0; i < 2; i++) {
		struct roce_address *a = &pair->peers[i].address;

		*a = (struct roce_address){.is_ipv6 = is_ipv6};
		memcpy(a->mac, i == 0 ? asker_mac : my_mac, 6);
		memcpy(a->ip, i == 0 ? asker_ipv6 : my_ipv6, 16);
		if (!is_ipv6)
			memcpy(a->ip, (uint8_t[16]){10, 0, 0, (uint8_t)(i + 1)}, 16);
	}
	return pair;
}

static inline void
end(struct pair *pair)
{
	pair_finish(pair);
	pair_free(pair);
}

/* A frame of the outside arrives at host 1. */
static inline void
arrive(struct pair *pair, const struct frame *f)
{
	struct rte_mbuf *m = packet_alloc(pair->pool);

	m->data_len = (uint16_t)f->bytes;
	m->pkt_len = f->bytes;
	memcpy(rte_pktmbuf_mtod(m, void *), f->at, f->bytes);
	packet_of(m)->frame_bytes =
		f->frame_bytes != 0 ? f->frame_bytes : RTE_MAX(f->bytes + 4, 64u);
	packet_of(m)->uid = 1;
	pair->copies++;
	link_send(&pair->link[0], m, pair->now_ps, pair->now_ps);
	(void)pair_run(pair, pair->now_ps + 10 * PAIR_DELAY_PS);
}

static inline uint8_t *
put(struct frame *f, const void *bytes, uint32_t count)
{
	uint8_t *at = f->at + f->bytes;

	memcpy(at, bytes, count);
	f->bytes += count;
	return at;
}

static inline void
put_ethernet(struct frame *f, const uint8_t to[6], uint16_t type, int tci)
{
	*f = (struct frame){.bytes = 0};
	put(f, to, 6);
	put(f, asker_mac, 6);
	if (tci >= 0)
		put(f, (uint8_t[4]){0x81, 0, (uint8_t)(tci >> 8), (uint8_t)tci}, 4);
	put(f, (uint8_t[2]){(uint8_t)(type >> 8), (uint8_t)type}, 2);
}

/* RFC 826: hardware 1, protocol 0x800, lengths 6 and 4, opcode, sender, target. */
static inline void
put_arp(struct frame *f, uint8_t opcode, const uint8_t sender_ip[4], const uint8_t target_ip[4])
{
	put(f, (uint8_t[8]){0, 1, 8, 0, 6, 4, 0, opcode}, 8);
	put(f, asker_mac, 6);
	put(f, sender_ip, 4);
	put(f, opcode == 2 ? my_mac : (const uint8_t[6]){0}, 6);
	put(f, target_ip, 4);
}

static inline void
arp_request(struct frame *f, int tci)
{
	put_ethernet(f, broadcast, 0x0806, tci);
	put_arp(f, 1, (uint8_t[4]){10, 0, 0, 1}, (uint8_t[4]){10, 0, 0, 2});
}

static inline void
check_padding(const struct frame *f, uint32_t from)
{
	ck_assert_uint_ge(f->bytes, 60);
	ck_assert_uint_eq(f->frame_bytes, f->bytes + 4);
	for (uint32_t i = from; i < f->bytes; i++)
		ck_assert_uint_eq(f->at[i], 0);
}

/* RFC 8200 8.1: source, destination, length, zeros, next header; then the message. */
static inline uint16_t
icmpv6_checksum(const uint8_t *ip)
{
	uint32_t bytes = (uint32_t)(ip[4] << 8 | ip[5]);
	uint8_t pseudo[FRAME_BYTES + 40] = {0};

	memcpy(pseudo, ip + 8, 32);
	frame_be16(pseudo + 34, bytes);
	pseudo[39] = 58;
	memcpy(pseudo + 40, ip + 40, bytes);
	pseudo[42] = pseudo[43] = 0;
	return (uint16_t)~frame_ones_sum(pseudo, 40 + bytes);
}

#endif
