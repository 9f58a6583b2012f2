/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a frame, through everything that reads headers: the parser, PFC, RoCE, ARP and
 * neighbour discovery, marking and both forwarding layers. The first two bytes say how much longer
 * the frame is on the wire than in memory; the rest is the frame.
 *
 * The mbuf is our own and its data exactly as long as the frame, so that a sanitizer sees any
 * access beyond it; a pool's element would hide it.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ip.h>

#include "../unit/eal.h"
#include "forwarding.h"
#include "fuzz.h"
#include "neighbour_frame.h"
#include "packet.h"
#include "pfc.h"
#include "roce.h"

enum { PORTS = 4, LARGEST_FRAME = 9216 };

struct frame {
	struct rte_mbuf m; /* and its private area */
	struct packet p;
};
static_assert(sizeof(struct frame) == sizeof(struct rte_mbuf) + sizeof(struct packet),
	      "the private area follows the mbuf");

static const uint8_t port_macs[PORTS][6] = {
	{2, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 3}};

static const struct fdb_entry_cfg statics[] = {{.mac = {2, 0, 0, 0, 1, 0}, .port = 1}};
static const struct route_cfg routes[] = {
	{.address = {10, 0, 0, 0},
	 .prefix_bits = 8,
	 .hop = {.member_count = 3, .ports = {1, 2, 3}, .mac = {{2, 1}, {2, 2}, {2, 3}}}},
	{.is_ipv6 = true,
	 .address = {0xfd},
	 .prefix_bits = 8,
	 .hop = {.member_count = 1, .ports = {2}, .mac = {{2, 2}}}},
};
static const struct forwarding_cfg layer2_cfg = {
	.fdb_size = 64, .aging_ps = 1000, .static_count = 1, .statics = statics};
static const struct forwarding_cfg layer3_cfg = {
	.layer3 = true, .fdb_size = 64, .route_count = 2, .routes = routes};

static const struct neighbour_station stations[] = {
	{.address = {.mac = {2, 0, 0, 0, 1, 0}, .ip = {10, 0, 0, 2}}, .ttl = 64},
	{.address = {.mac = {2, 0, 0, 0, 1, 0}, .is_ipv6 = true, .ip = {0xfd, [15] = 2}},
	 .vlan_id = 7,
	 .ttl = 64},
};

static struct forwarding layer2, layer3;

static void
set_up(void)
{
	static bool ready;
	int result;

	if (ready)
		return;
	test_eal_init();
	result = forwarding_init(&layer2, &layer2_cfg, PORTS);
	assert(result == 0);
	result = forwarding_init(&layer3, &layer3_cfg, PORTS);
	assert(result == 0);
	ready = true;
}

static uint32_t
ipv4_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < (ip[0] & 0xf) * 4; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* 1: the header has a right checksum, 0: a wrong one, -1: there is none to check. */
static int
ipv4_checksum(const struct frame *f)
{
	if (!(f->p.flags & PACKET_IPV4))
		return -1;
	return ipv4_sum(rte_pktmbuf_mtod(&f->m, const uint8_t *) + f->p.l3_ofs) == 0xffff;
}

/* What packet_parse() says about any frame. */
static void
check_parsed(struct frame *f)
{
	struct packet before;

	packet_parse(&f->m);
	before = f->p;
	assert(f->p.flags & PACKET_PARSED);
	assert(!(f->p.flags & PACKET_IPV4 && f->p.flags & PACKET_IPV6));
	assert(!(f->p.flags & PACKET_UDP) || f->p.flags & (PACKET_IPV4 | PACKET_IPV6));
	assert(!(f->p.flags & PACKET_ROCE) || f->p.flags & PACKET_UDP);
	assert(!(f->p.flags & PACKET_UDP) || f->p.l4_ofs + 8 <= f->m.data_len);
	assert(!(f->p.flags & PACKET_ROCE) || f->p.l4_ofs + 20 <= f->m.data_len);
	packet_parse(&f->m);
	assert(memcmp(&before, &f->p, sizeof(before)) == 0);
}

static void
check_decoders(struct frame *f)
{
	struct roce_packet roce;
	struct pfc_frame pfc;

	if (f->p.flags & PACKET_MAC_CONTROL && pfc_decode(&f->m, &pfc))
		assert(!(pfc.is_pfc && pfc.is_pause));
	if (f->p.flags & PACKET_ROCE && !(f->p.flags & PACKET_MALFORMED)) {
		int result = roce_decode(&f->m, &roce);

		assert(result == 0 || result == -EBADMSG);
		if (result == 0)
			assert(roce.payload_bytes <= f->p.frame_bytes && roce.pad_bytes < 4 &&
			       roce.psn <= ROCE_PSN_MASK && roce.dest_qp <= 0xffffff);
		roce_icrc_verify(&f->m);
	}
}

/* Few inputs would have the right one, and what follows would not be reached. */
static void
put_icmpv6_checksum(struct frame *f)
{
	uint8_t *at = rte_pktmbuf_mtod_offset(&f->m, uint8_t *, f->p.l3_ofs);
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)at;
	uint32_t ip_bytes;
	uint16_t sum;

	if (!(f->p.flags & PACKET_IPV6) || ip->proto != 58)
		return;
	ip_bytes = sizeof(*ip) + rte_be_to_cpu_16(ip->payload_len);
	if (ip_bytes < sizeof(*ip) + 4 || f->p.l3_ofs + ip_bytes > f->m.data_len)
		return;
	memset(at + sizeof(*ip) + 2, 0, 2);
	sum = rte_ipv6_udptcp_cksum(ip, at + sizeof(*ip));
	memcpy(at + sizeof(*ip) + 2, &sum, 2);
}

/* Whatever was asked, the answer is a frame that is right, and no question itself. */
static void
check_neighbour(struct frame *f, const struct neighbour_station *me)
{
	struct neighbour_claim claim = {0};
	enum neighbour_kind kind = neighbour_decode(me, &f->m, &claim);
	struct frame answer;

	if (kind != NEIGHBOUR_REQUEST && kind != NEIGHBOUR_ECHO)
		return;
	memset(&answer, 0, sizeof(answer));
	answer.m.buf_len = (uint16_t)(f->m.data_len + PACKET_HEADER_ROOM_BYTES);
	answer.m.buf_addr = malloc(answer.m.buf_len);
	answer.m.priv_size = sizeof(struct packet);
	assert(answer.m.buf_addr != NULL);
	if (kind == NEIGHBOUR_ECHO)
		neighbour_encode_echo(me, &f->m, &answer.m);
	else
		neighbour_encode_answer(me, &claim, &answer.m);
	assert(!(answer.p.flags & PACKET_MALFORMED) && answer.m.data_len >= 42);
	assert(answer.p.frame_bytes >= UNITS_MIN_FRAME_BYTES);
	assert(answer.m.data_len + UNITS_FCS_BYTES <= answer.p.frame_bytes);
	assert(((answer.p.flags & PACKET_VLAN) != 0) == (me->vlan_id != 0));
	assert(ipv4_checksum(&answer) != 0);
	assert(neighbour_decode(me, &answer.m, &claim) != NEIGHBOUR_ECHO);
	free(answer.m.buf_addr);
}

/* Marking changes the codepoint and keeps a right checksum right and a wrong one wrong. */
static void
check_mark(struct frame *f)
{
	int checksum = ipv4_checksum(f);
	uint8_t dscp = packet_dscp(&f->p);

	if (!(f->p.flags & (PACKET_IPV4 | PACKET_IPV6)) || packet_ecn(&f->p) == PACKET_NOT_ECT)
		return;
	packet_mark_ce(&f->m);
	assert(packet_ecn(&f->p) == PACKET_CE && packet_dscp(&f->p) == dscp);
	packet_parse(&f->m);
	assert(packet_ecn(&f->p) == PACKET_CE && packet_dscp(&f->p) == dscp);
	assert(ipv4_checksum(f) == checksum);
}

static void
check_layer2(struct frame *f, uint64_t now_ps)
{
	enum drop_reason reason = DROP_REASON_COUNT;
	uint16_t port = UINT16_MAX;

	switch (forwarding_layer2(&layer2, &f->m, now_ps, &port, &reason)) {
	case FORWARDING_UNICAST:
		assert(port < PORTS && port != f->p.in_port);
		break;
	case FORWARDING_FLOOD:
		break;
	case FORWARDING_DROP:
		assert(reason < DROP_REASON_COUNT);
		break;
	}
}

static void
check_layer3(struct frame *f)
{
	enum drop_reason reason = DROP_REASON_COUNT;
	enum forwarding_verdict verdict;
	int checksum = ipv4_checksum(f);
	uint16_t port = UINT16_MAX;

	if (f->m.data_len >= 14) {
		for (int i = BALANCER_CRC32C; i <= BALANCER_JHASH; i++)
			balancer_hash(&(struct balancer_hash_cfg){.function = i, .fields = 0x3ff},
				      &f->m);
	}
	verdict = forwarding_layer3(&layer3, &f->m, port_macs, 0, &port, &reason);
	assert(verdict != FORWARDING_FLOOD);
	if (verdict == FORWARDING_DROP) {
		assert(reason < DROP_REASON_COUNT);
		return;
	}
	assert(port >= 1 && port < PORTS);
	assert(f->p.flags & (PACKET_IPV4 | PACKET_IPV6));
	assert(memcmp(rte_pktmbuf_mtod_offset(&f->m, uint8_t *, 6), port_macs[port], 6) == 0);
	assert(ipv4_checksum(f) == checksum);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static uint64_t now_ps;
	struct frame f;

	if (bytes < 2 || bytes - 2 > LARGEST_FRAME)
		return -1;
	set_up();
	memset(&f, 0, sizeof(f));
	f.m.buf_addr = malloc(bytes - 2 > 0 ? bytes - 2 : 1);
	assert(f.m.buf_addr != NULL);
	memcpy(f.m.buf_addr, data + 2, bytes - 2);
	f.m.buf_len = f.m.data_len = (uint16_t)(bytes - 2);
	f.m.pkt_len = f.m.data_len;
	f.m.priv_size = sizeof(struct packet);
	f.p.frame_bytes = f.m.data_len + UNITS_FCS_BYTES + ((uint32_t)data[0] << 8 | data[1]);
	f.p.in_port = data[0] % PORTS;

	check_parsed(&f);
	check_decoders(&f);
	put_icmpv6_checksum(&f);
	for (size_t i = 0; i < RTE_DIM(stations); i++)
		check_neighbour(&f, &stations[i]);
	packet_flow_hash(&f.m);
	check_mark(&f);
	/* Runts and MAC control never come this far; contradictory headers do. */
	if (f.m.data_len >= 14 && !(f.p.flags & PACKET_MAC_CONTROL)) {
		check_layer2(&f, now_ps++);
		check_layer3(&f);
	}
	free(f.m.buf_addr);
	return 0;
}
