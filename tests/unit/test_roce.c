/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of real NICs and of another implementation, whose ICRCs were made elsewhere, are the
 * oracle of the checksum; round trips and the packet parser are that of the encoder.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>

#include "eal.h"
#include "packet.h"
#include "roce.h"
#include "suite.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct rte_mempool *pool;

static void
setup(void)
{
	test_eal_init();
	pool = packet_pool_create("roce", 63, 10240);
	ck_assert_ptr_nonnull(pool);
}

static void
teardown(void)
{
	ck_assert_uint_eq(rte_mempool_avail_count(pool), 63);
	rte_mempool_free(pool);
}

static struct rte_mbuf *
packet_from_bytes(const uint8_t *bytes, uint32_t count, uint32_t frame_bytes)
{
	struct rte_mbuf *m = packet_alloc(pool);

	ck_assert_ptr_nonnull(m);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), bytes, count);
	m->data_len = count;
	m->pkt_len = count;
	packet_of(m)->frame_bytes = RTE_MAX(frame_bytes, 64u);
	packet_parse(m);
	return m;
}

static uint32_t
bytes_from_hex(const char *hex, uint8_t *out)
{
	uint32_t count = strlen(hex) / 2;

	for (uint32_t i = 0; i < count; i++) {
		char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};

		out[i] = strtoul(digits, NULL, 16);
	}
	return count;
}

/* Whole frames without FCS, the last 4 bytes their ICRC. */
static const struct {
	const char *origin;
	const char *hex;
	uint8_t opcode;
	bool is_ipv6;
} vectors[] = {
	{"CNP of a ConnectX-4 Lx (scapy's test suite)",
	 "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
	 "8100ffff40000118000000000000000000000000000000000000000082fd002a",
	 0x81, false},
	{"RC SEND Only with immediate, pad 3, BTH byte 4 = 0x10 (hns NIC, public capture)",
	 "183d5ebf5192183d5ebf43710800450200c00000400040112cd0c0a84604c0a84606004512b700ac0000"
	 "0570ffff100000488000000000000001474554202f20485454502f312e310d0a557365722d4167656e74"
	 "3a20576765742f312e31392e3520286c696e75782d676e75290d0a4163636570743a202a2f2a0d0a4163"
	 "636570742d456e636f64696e673a206964656e746974790d0a486f73743a206c6f63616c686f73743a38"
	 "3538350d0a436f6e6e656374696f6e3a204b6565702d416c6976650d0a0d0a00000072c340a7",
	 0x05, false},
	{"RC ACK (hns NIC, public capture)",
	 "183d5ebf4371183d5ebf51920800450200300000400040112d60c0a84606c0a84604004812b7001c0000"
	 "1140ffff000000450000000006000001259cc216",
	 0x11, false},
	{"UC SEND Only, IPv4 (scapy's test suite)",
	 "248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002caca2"
	 "2460ffff000000d300cf17104630818be28935d90e9a95505401be885e50000078f353f3",
	 0x24, false},
	{"UC SEND Only, IPv6 (scapy's test suite)",
	 "248a07a8fa22248a07a8fa2286dd6e21face002c11ff2022000000000000000000000000102320230000"
	 "000000000000000000001024c00012b7002ce7c52460ffff000000d300cf17104630818be28935d90e9a"
	 "95505401be885e5000003e5b743b",
	 0x24, true},
};

START_TEST(icrc_of_published_frames)
{
	uint8_t bytes[512];
	uint32_t count = bytes_from_hex(vectors[_i].hex, bytes);
	struct rte_mbuf *m = packet_from_bytes(bytes, count, count + 4);
	const struct packet *k = packet_of(m);
	struct roce_packet p;
	uint32_t stored;

	ck_assert_msg(k->flags & PACKET_ROCE, "%s", vectors[_i].origin);
	ck_assert_int_eq((k->flags & PACKET_IPV6) != 0, vectors[_i].is_ipv6);
	memcpy(&stored, bytes + count - 4, 4);
	ck_assert_uint_eq(roce_icrc(bytes, count, k->l3_ofs, k->l4_ofs), rte_le_to_cpu_32(stored));
	ck_assert_msg(roce_icrc_verify(m), "%s", vectors[_i].origin);
	ck_assert_int_eq(roce_decode(m, &p), 0);
	ck_assert_uint_eq(p.opcode, vectors[_i].opcode);
	packet_free(m);
}
END_TEST

/* What a switch may rewrite leaves the ICRC right; any other byte does not. */
START_TEST(icrc_covers_all_but_mutable_fields)
{
	uint8_t bytes[512];
	uint32_t count = bytes_from_hex(vectors[_i].hex, bytes);
	struct rte_mbuf *m = packet_from_bytes(bytes, count, count + 4);
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	const struct packet *k = packet_of(m);
	uint32_t l3 = k->l3_ofs, l4 = k->l4_ofs;

	for (uint32_t at = l3; at < count; at++) {
		bool is_mutable = at == l4 + 6 || at == l4 + 7 || at == l4 + 8 + 4;

		if (vectors[_i].is_ipv6)
			is_mutable |= at <= l3 + 3 || at == l3 + 7; /* of byte 0 the low half */
		else
			is_mutable |=
				at == l3 + 1 || at == l3 + 8 || at == l3 + 10 || at == l3 + 11;
		/* The UDP length says where the ICRC is. */
		if (at == l4 + 4 || at == l4 + 5)
			continue;
		frame[at] ^= 0x05;
		ck_assert_msg(roce_icrc_verify(m) == is_mutable, "%s: byte %u", vectors[_i].origin,
			      at);
		frame[at] ^= 0x05;
	}
	packet_free(m);
}
END_TEST

/* Bit by bit from the definition: CRC-32 of 802.3 over the masked frame. */
static uint32_t
crc32_bitwise(uint32_t crc, const uint8_t *bytes, uint32_t count)
{
	crc = ~crc;
	for (uint32_t i = 0; i < count; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

START_TEST(icrc_of_every_length)
{
	static uint8_t frame[9100];
	static uint8_t masked[9100];
	static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint32_t seed = 1;

	for (uint32_t i = 0; i < sizeof(frame); i++) {
		seed = seed * 1664525 + 1013904223;
		frame[i] = seed >> 24;
	}
	frame[14] = 0x45;
	memcpy(masked, frame, sizeof(frame));
	masked[15] = masked[22] = masked[24] = masked[25] = 0xff;
	masked[40] = masked[41] = masked[46] = 0xff;
	for (uint32_t count = 58; count < sizeof(frame); count += count < 4200 ? 1 : 97) {
		uint32_t crc = crc32_bitwise(0, ones, 8);

		crc = crc32_bitwise(crc, masked + 14, count - 4 - 14);
		ck_assert_uint_eq(roce_icrc(frame, count, 14, 34), crc);
	}
}
END_TEST

static const struct roce_address ipv4_addresses[2] = {
	{.mac = {2, 0, 0, 0, 0, 1}, .ip = {10, 0, 0, 1}},
	{.mac = {2, 0, 0, 0, 0, 2}, .ip = {10, 0, 0, 2}},
};

static const struct roce_address ipv6_addresses[2] = {
	{.mac = {2, 0, 0, 0, 0, 1}, .is_ipv6 = true, .ip = {0xfd, 0, 1, 2, [15] = 1}},
	{.mac = {2, 0, 0, 0, 0, 2}, .is_ipv6 = true, .ip = {0xfd, 0, 1, 2, [15] = 2}},
};

static void
path_make(struct roce_path *path, bool is_ipv6, bool has_vlan)
{
	const struct roce_address *addresses = is_ipv6 ? ipv6_addresses : ipv4_addresses;
	struct roce_path_cfg cfg = {
		.source = addresses[0],
		.destination = addresses[1],
		.udp_source_port = 0xd368,
		.traffic_class = 26 << 2 | PACKET_ECT0,
		.ttl = 64,
		.has_vlan = has_vlan,
		.vlan_tci = 3 << 13 | 100,
	};

	roce_path_init(path, &cfg);
}

/* Opcode and size of its extended headers: IBTA table 38. */
static const struct {
	uint8_t opcode;
	uint8_t extension_bytes;
	bool has_payload, has_reth, has_aeth, has_imm;
} opcodes[] = {
	{0x00, 0, true, false, false, false},   {0x01, 0, true, false, false, false},
	{0x02, 0, true, false, false, false},   {0x03, 4, true, false, false, true},
	{0x04, 0, true, false, false, false},   {0x05, 4, true, false, false, true},
	{0x06, 16, true, true, false, false},   {0x07, 0, true, false, false, false},
	{0x08, 0, true, false, false, false},   {0x09, 4, true, false, false, true},
	{0x0a, 16, true, true, false, false},   {0x0b, 20, true, true, false, true},
	{0x0c, 16, false, true, false, false},  {0x0d, 4, true, false, true, false},
	{0x0e, 0, true, false, false, false},   {0x0f, 4, true, false, true, false},
	{0x10, 4, true, false, true, false},    {0x11, 4, false, false, true, false},
	{0x81, 16, false, false, false, false},
};

/* Internet checksum arithmetic by the definition: 0xffff over data that holds a right sum. */
static uint32_t
ones_sum(uint32_t sum, const uint8_t *bytes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sum += i & 1 ? bytes[i] : bytes[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void
check_headers(const struct rte_mbuf *m, bool is_ipv6, bool is_whole)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint8_t *ip = frame + packet_of(m)->l3_ofs;
	const uint8_t *udp = frame + packet_of(m)->l4_ofs;

	if (!is_ipv6) {
		ck_assert_uint_eq(ones_sum(0, ip, 20), 0xffff);
		ck_assert_uint_eq(ip[6], 0x40); /* DF */
		ck_assert(udp[6] == 0 && udp[7] == 0);
		return;
	}
	ck_assert(ip[4] == udp[4] && ip[5] == udp[5]);
	ck_assert(udp[6] != 0 || udp[7] != 0);
	if (is_whole) {
		uint32_t udp_bytes = udp[4] << 8 | udp[5];
		uint32_t sum = ones_sum(17 + udp_bytes, ip + 8, 32);

		ck_assert_uint_eq(ones_sum(sum, udp, udp_bytes), 0xffff);
	}
}

static void
check_same(const struct roce_packet *sent, const struct roce_packet *got, size_t row)
{
	bool is_cnp = sent->opcode == ROCE_CNP;

	ck_assert_uint_eq(got->opcode, sent->opcode);
	ck_assert_int_eq(got->ack_request, !is_cnp && sent->ack_request);
	ck_assert_int_eq(got->becn, is_cnp || sent->becn);
	ck_assert_uint_eq(got->pad_bytes, (4 - sent->payload_bytes % 4) % 4);
	ck_assert_uint_eq(got->dest_qp, sent->dest_qp);
	ck_assert_uint_eq(got->psn, is_cnp ? 0 : sent->psn);
	ck_assert_uint_eq(got->payload_bytes, sent->payload_bytes);
	ck_assert_uint_eq(got->va, opcodes[row].has_reth ? sent->va : 0);
	ck_assert_uint_eq(got->rkey, opcodes[row].has_reth ? sent->rkey : 0);
	ck_assert_uint_eq(got->dma_bytes, opcodes[row].has_reth ? sent->dma_bytes : 0);
	ck_assert_uint_eq(got->syndrome, opcodes[row].has_aeth ? sent->syndrome : 0);
	ck_assert_uint_eq(got->msn, opcodes[row].has_aeth ? sent->msn : 0);
	ck_assert_uint_eq(got->immediate, opcodes[row].has_imm ? sent->immediate : 0);
}

static void
round_trip(const struct roce_path *path, size_t row, uint32_t payload_bytes, bool with_payload)
{
	const struct roce_packet sent = {
		.opcode = opcodes[row].opcode,
		.ack_request = payload_bytes & 1,
		.becn = payload_bytes & 2,
		.dest_qp = 0x654321,
		.psn = 0xfffffe,
		.payload_bytes = payload_bytes,
		.va = 0x0123456789abcdefULL,
		.rkey = 0xcafebabe,
		.dma_bytes = 1u << 31,
		.syndrome = ROCE_SYNDROME_NAK_SEQUENCE,
		.msn = 0xabcdef,
		.immediate = 0x11223344,
	};
	uint32_t header_bytes = path->bth_ofs + 12 + opcodes[row].extension_bytes;
	uint32_t whole_bytes = header_bytes + (payload_bytes + 3) / 4 * 4 + 4;
	bool is_whole = with_payload || payload_bytes == 0;
	struct rte_mbuf *m = packet_alloc(pool);
	struct roce_packet got;
	struct packet encoded;

	memset(rte_pktmbuf_mtod(m, void *), 0xa5, 256);
	roce_encode(m, path, &sent, with_payload);
	ck_assert_uint_eq(m->data_len, is_whole ? whole_bytes : header_bytes);
	ck_assert_uint_eq(m->pkt_len, m->data_len);
	ck_assert_uint_eq(packet_of(m)->frame_bytes, RTE_MAX(64u, whole_bytes + 4));
	ck_assert_uint_eq(packet_of(m)->frame_bytes, roce_frame_bytes(path, &sent));
	check_headers(m, path->is_ipv6, is_whole);
	ck_assert(roce_icrc_verify(m));
	ck_assert_int_eq(roce_decode(m, &got), 0);
	check_same(&sent, &got, row);

	/* The parser finds the same fields. */
	encoded = *packet_of(m);
	packet_parse(m);
	ck_assert_mem_eq(packet_of(m), &encoded, sizeof(encoded));

	/* Not one byte may be missing. */
	m->data_len = header_bytes - 1;
	ck_assert_int_eq(roce_decode(m, &got), -EBADMSG);
	packet_free(m);
}

START_TEST(round_trip_of_every_opcode)
{
	static const uint32_t payloads[] = {0, 1, 2, 3, 4, 5, 255, 1024, 4093, 4096};
	struct roce_path path;

	path_make(&path, _i & 1, _i & 2);
	for (size_t row = 0; row < COUNT_OF(opcodes); row++) {
		ck_assert_uint_eq(roce_extension_bytes(opcodes[row].opcode),
				  opcodes[row].extension_bytes);
		for (size_t i = 0; i < COUNT_OF(payloads); i++) {
			if (payloads[i] != 0 && !opcodes[row].has_payload)
				continue;
			round_trip(&path, row, payloads[i], false);
			round_trip(&path, row, payloads[i], true);
		}
	}
	ck_assert_uint_eq(roce_extension_bytes(0x82), UINT32_MAX);
	ck_assert_uint_eq(roce_extension_bytes(0x64), UINT32_MAX);
}
END_TEST

/* On the wire: 62 B around the payload of a WRITE Middle over IPv4; a CNP is 74 B and FCS. */
START_TEST(frame_lengths)
{
	struct roce_packet p = {.opcode = ROCE_WRITE_MIDDLE, .payload_bytes = 4096};
	struct roce_path path;

	path_make(&path, false, false);
	ck_assert_uint_eq(roce_frame_bytes(&path, &p), 4096 + 62);
	p.opcode = ROCE_WRITE_FIRST;
	ck_assert_uint_eq(roce_frame_bytes(&path, &p), 4096 + 62 + 16);
	p = (struct roce_packet){.opcode = ROCE_CNP};
	ck_assert_uint_eq(roce_frame_bytes(&path, &p), 74 + 4);
	p = (struct roce_packet){.opcode = ROCE_ACK};
	ck_assert_uint_eq(roce_frame_bytes(&path, &p), 66);
	p = (struct roce_packet){.opcode = ROCE_SEND_ONLY};
	ck_assert_uint_eq(roce_frame_bytes(&path, &p), 64);
}
END_TEST

/* The CNP of a ConnectX-4 Lx, byte for byte but for the IP identification. */
START_TEST(cnp_as_a_nic_sends_it)
{
	const struct roce_path_cfg cfg = {
		.source = {.mac = {0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32}, .ip = {10, 0, 17, 1}},
		.destination = {.mac = {0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2}, .ip = {10, 0, 18, 1}},
		.udp_source_port = 0,
		.traffic_class = 48 << 2 | PACKET_ECT0,
		.ttl = 64,
	};
	const struct roce_packet p = {.opcode = ROCE_CNP, .dest_qp = 0x118};
	struct rte_mbuf *m = packet_alloc(pool);
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct roce_path path;
	uint8_t real[128];

	ck_assert_uint_eq(bytes_from_hex(vectors[0].hex, real), 74);
	roce_path_init(&path, &cfg);
	roce_encode(m, &path, &p, false);
	ck_assert_uint_eq(m->data_len, 74);
	ck_assert_mem_eq(frame, real, 18);
	ck_assert_mem_eq(frame + 20, real + 20, 4);
	ck_assert_mem_eq(frame + 26, real + 26, 74 - 26 - 4);
	packet_free(m);
}
END_TEST

/* A switch's mark keeps ICRC and checksums right. */
START_TEST(ce_mark_keeps_the_checksums)
{
	const struct roce_packet p = {.opcode = ROCE_SEND_ONLY, .dest_qp = 5, .payload_bytes = 99};
	struct rte_mbuf *m = packet_alloc(pool);
	struct roce_path path;

	path_make(&path, _i & 1, _i & 2);
	roce_encode(m, &path, &p, true);
	packet_mark_ce(m);
	ck_assert_uint_eq(packet_ecn(packet_of(m)), PACKET_CE);
	ck_assert(roce_icrc_verify(m));
	check_headers(m, _i & 1, true);
	packet_free(m);
}
END_TEST

/* A path that changes its source port, however often, is as one that begins with it. */
START_TEST(source_port_changes)
{
	const struct roce_packet p = {.opcode = ROCE_SEND_ONLY, .dest_qp = 5, .payload_bytes = 99};
	struct rte_mbuf *m;
	struct roce_path path;

	path_make(&path, _i & 1, _i & 2);
	for (uint32_t n = 0; n < 20000; n++) {
		uint16_t port = (uint16_t)(0xc000 + n * 7 % ROCE_SOURCE_PORTS);
		const uint8_t *udp;

		roce_path_set_source_port(&path, port);
		if (n % 97 != 0)
			continue;
		m = packet_alloc(pool);
		roce_encode(m, &path, &p, true);
		udp = rte_pktmbuf_mtod(m, uint8_t *) + packet_of(m)->l4_ofs;
		ck_assert_uint_eq((uint32_t)udp[0] << 8 | udp[1], port);
		ck_assert(roce_icrc_verify(m));
		check_headers(m, _i & 1, true);
		packet_free(m);
	}
}
END_TEST

/* Lengths in the headers that contradict the opcode, the pad or the frame. */
START_TEST(decode_refuses_contradictions)
{
	const struct roce_packet p = {.opcode = ROCE_WRITE_ONLY, .payload_bytes = 4};
	struct rte_mbuf *m = packet_alloc(pool);
	struct roce_packet got;
	struct roce_path path;
	uint8_t *udp, *bth;

	path_make(&path, false, false);
	roce_encode(m, &path, &p, true);
	udp = rte_pktmbuf_mtod(m, uint8_t *) + path.l4_ofs;
	bth = rte_pktmbuf_mtod(m, uint8_t *) + path.bth_ofs;
	ck_assert_int_eq(roce_decode(m, &got), 0);
	udp[5] = 8 + 12 + 16 + 3; /* no room for the ICRC */
	ck_assert_int_eq(roce_decode(m, &got), -EBADMSG);
	ck_assert(roce_icrc_verify(m) == false);
	udp[5] = 8 + 12 + 16 + 4; /* empty, but with pad */
	bth[1] |= 0x10;
	ck_assert_int_eq(roce_decode(m, &got), -EBADMSG);
	bth[1] &= ~0x30;
	ck_assert_int_eq(roce_decode(m, &got), 0);
	ck_assert_uint_eq(got.payload_bytes, 0);
	udp[4] = 0xff; /* beyond the frame */
	ck_assert_int_eq(roce_decode(m, &got), -EBADMSG);
	packet_free(m);
}
END_TEST

START_TEST(psn_order_over_the_wrap)
{
	static const uint32_t bases[] = {0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff};

	for (size_t i = 0; i < COUNT_OF(bases); i++) {
		uint32_t base = bases[i];

		ck_assert_int_eq(roce_psn_compare(base, base), 0);
		for (uint32_t step = 1; step < 0x800000; step = step * 3 + 1) {
			uint32_t later = roce_psn_add(base, step);

			ck_assert_uint_le(later, 0xffffff);
			ck_assert_int_lt(roce_psn_compare(base, later), 0);
			ck_assert_int_gt(roce_psn_compare(later, base), 0);
			ck_assert_int_eq(roce_psn_distance(base, later), (int)step);
			ck_assert_int_eq(roce_psn_distance(later, base), -(int)step);
		}
	}
	ck_assert_uint_eq(roce_psn_add(0xffffff, 1), 0);
}
END_TEST

/* rdma-core's rdma_flow_label_to_udp_sport() and rdma_calc_flow_label(), worked out by hand. */
START_TEST(udp_source_ports)
{
	ck_assert_uint_eq(roce_udp_source_port(0x48, 0x45), 0xd368);
	ck_assert_uint_eq(roce_udp_source_port(0x118, 0x1010a), 0xe2c5);
	ck_assert_uint_eq(roce_udp_source_port(0x123456, 0x654321), 0xf787);
	ck_assert_uint_eq(roce_udp_source_port(0x654321, 0x123456), 0xf787);
	ck_assert_uint_eq(roce_udp_source_port_of_label(0x1368), 0xd368);
	ck_assert_uint_eq(roce_udp_source_port_of_label(0x922e1), 0xe2c5);
	ck_assert_uint_eq(roce_udp_source_port_of_label(0), 0xc000);
	ck_assert_uint_eq(roce_udp_source_port_of_label(0xfffff), 0xc000 | (0x3fff ^ 0x3f));
}
END_TEST

/* IBTA 9.7.5.2: bits 7-5 ACK 000, RNR 001, NAK 011. */
START_TEST(aeth_codes)
{
	ck_assert_uint_eq(ROCE_SYNDROME_ACK, 0x1f);
	ck_assert_uint_eq(ROCE_SYNDROME_NAK_SEQUENCE, 3 << 5 | 0);
	ck_assert_uint_eq(ROCE_SYNDROME_NAK_INVALID, 3 << 5 | 1);
	ck_assert_uint_eq(ROCE_SYNDROME_NAK_ACCESS, 3 << 5 | 2);
	ck_assert_uint_eq(ROCE_SYNDROME_NAK_OPERATION, 3 << 5 | 3);
}
END_TEST

static Suite *
roce_suite(void)
{
	Suite *s = suite_create("roce");
	TCase *c = tcase_create("wire format");

	tcase_add_unchecked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, icrc_of_published_frames, 0, COUNT_OF(vectors));
	tcase_add_loop_test(c, icrc_covers_all_but_mutable_fields, 0, COUNT_OF(vectors));
	tcase_add_test(c, icrc_of_every_length);
	tcase_add_loop_test(c, round_trip_of_every_opcode, 0, 4);
	tcase_add_test(c, frame_lengths);
	tcase_add_test(c, cnp_as_a_nic_sends_it);
	tcase_add_loop_test(c, ce_mark_keeps_the_checksums, 0, 4);
	tcase_add_loop_test(c, source_port_changes, 0, 4);
	tcase_add_test(c, decode_refuses_contradictions);
	tcase_add_test(c, psn_order_over_the_wrap);
	tcase_add_test(c, udp_source_ports);
	tcase_add_test(c, aeth_codes);
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	return suite_run(roce_suite());
}
