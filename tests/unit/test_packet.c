/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing, marking and hashing of frames written by hand, whole and cut anywhere. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eal.h"
#include "frames.h"
#include "packet.h"
#include "prng.h"
#include "suite.h"

static struct rte_mempool *pool;

static struct rte_mbuf *
parsed(const struct frame_spec *s)
{
	struct rte_mbuf *m = frame_make(pool, s, 1);

	ck_assert_ptr_nonnull(m);
	packet_parse(m);
	return m;
}

static void
assert_parsed(const struct frame_spec *s, uint8_t flags, uint8_t l3_ofs, uint8_t l4_ofs)
{
	struct rte_mbuf *m = parsed(s);
	const struct packet *p = packet_of(m);

	ck_assert_uint_eq(p->flags, PACKET_PARSED | flags);
	ck_assert_uint_eq(p->l3_ofs, l3_ofs);
	ck_assert_uint_eq(p->l4_ofs, l4_ofs);
	if (s->tagged)
		ck_assert_uint_eq(p->vlan_tci, s->tci);
	ck_assert_uint_eq(packet_dscp(p), s->dscp);
	ck_assert_uint_eq(packet_ecn(p), s->ecn);
	packet_free(m);
}

START_TEST(ordinary_frames)
{
	struct frame_spec s = {.from = 1, .to = 2, .dscp = 26, .ecn = PACKET_ECT0};

	assert_parsed(&s, PACKET_IPV4 | PACKET_UDP | PACKET_ROCE, 14, 34);
	s.tagged = true;
	s.tci = 3 << 13 | 100;
	s.frame_bytes = 4096;
	assert_parsed(&s, PACKET_VLAN | PACKET_IPV4 | PACKET_UDP | PACKET_ROCE, 18, 38);
	s.ipv6 = true;
	assert_parsed(&s, PACKET_VLAN | PACKET_IPV6 | PACKET_UDP | PACKET_ROCE, 18, 58);
	s.tagged = false;
	s.destination_port = 53;
	assert_parsed(&s, PACKET_IPV6 | PACKET_UDP, 14, 54);
	s.protocol = 6;
	assert_parsed(&s, PACKET_IPV6, 14, 54);
	s.ipv6 = false;
	assert_parsed(&s, PACKET_IPV4, 14, 34);
}
END_TEST

/* A fragment, an extension header or ICMP leaves no ports to look at; DSCP is there all the same.
 */
START_TEST(no_layer_four)
{
	struct frame_spec s = {.dscp = 5, .ecn = 1};

	s.fragment = 0x2000; /* the first of several: no more than the rest has */
	assert_parsed(&s, PACKET_IPV4, 14, 0);
	s.fragment = 0x00b9; /* the last */
	assert_parsed(&s, PACKET_IPV4, 14, 0);
	s.fragment = 0x4000; /* only "don't fragment" */
	assert_parsed(&s, PACKET_IPV4 | PACKET_UDP | PACKET_ROCE, 14, 34);
	s.protocol = 1;
	assert_parsed(&s, PACKET_IPV4, 14, 0);
	s.ipv6 = true;
	s.protocol = 0x2c; /* fragment header */
	assert_parsed(&s, PACKET_IPV6, 14, 0);
	s.protocol = 0x3c; /* destination options */
	assert_parsed(&s, PACKET_IPV6, 14, 0);
}
END_TEST

/* 802.1ad: the outer tag classifies, the inner is skipped to find IP. */
START_TEST(two_tags)
{
	const struct frame_spec s = {.from = 1, .to = 2, .dscp = 48, .frame_bytes = 200};
	struct rte_mbuf *m = frame_make(pool, &s, 1);
	uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);

	memmove(at + 20, at + 12, m->data_len - 12);
	frame_be16(at + 12, 0x88a8);
	frame_be16(at + 14, 5 << 13 | 7);
	frame_be16(at + 16, 0x8100);
	frame_be16(at + 18, 2 << 13 | 9);
	m->data_len = m->pkt_len = m->data_len + 8;
	packet_of(m)->frame_bytes += 8;
	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags,
			  PACKET_PARSED | PACKET_VLAN | PACKET_IPV4 | PACKET_UDP | PACKET_ROCE);
	ck_assert_uint_eq(packet_of(m)->vlan_tci, 5 << 13 | 7);
	ck_assert_uint_eq(packet_of(m)->l3_ofs, 22);
	ck_assert_uint_eq(packet_dscp(packet_of(m)), 48);
	packet_free(m);
}
END_TEST

/* Change one byte of a good frame; is the result malformed? */
static bool
malformed_with(const struct frame_spec *s, uint32_t at, uint8_t value)
{
	struct rte_mbuf *m = frame_make(pool, s, 1);
	bool malformed;

	rte_pktmbuf_mtod(m, uint8_t *)[at] = value;
	packet_parse(m);
	malformed = packet_of(m)->flags & PACKET_MALFORMED;
	packet_free(m);
	return malformed;
}

START_TEST(contradicting_headers)
{
	const struct frame_spec v4 = {.frame_bytes = 100};
	const struct frame_spec v6 = {.frame_bytes = 100, .ipv6 = true};

	ck_assert(!malformed_with(&v4, 0, 2));
	ck_assert(malformed_with(&v4, 14, 0x55)); /* version 5 */
	ck_assert(malformed_with(&v4, 14, 0x44)); /* header of 16 bytes */
	ck_assert(malformed_with(&v4, 17, 100));  /* total length 100 of 82 there are */
	ck_assert(malformed_with(&v4, 17, 83));
	ck_assert(!malformed_with(&v4, 17, 82));
	ck_assert(!malformed_with(&v4, 17, 46)); /* padded */
	ck_assert(malformed_with(&v4, 17, 19));
	ck_assert(!malformed_with(&v4, 14, 0x46)); /* one word of options */
	ck_assert(malformed_with(&v4, 14, 0x4f));  /* 60 bytes of header, 40 in memory */
	ck_assert(malformed_with(&v6, 14, 0x40));
	ck_assert(!malformed_with(&v6, 19, 42));
	ck_assert(malformed_with(&v6, 19, 43)); /* 40 + 43 of 82 */
}
END_TEST

/* MAC control is ethertype 0x8808 to 01:80:c2:00:00:01 and nothing else. */
START_TEST(mac_control_and_other_types)
{
	struct rte_mbuf *m = packet_alloc(pool);
	uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);
	static const uint8_t head[14] = {0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08};

	memset(at, 0, 60);
	memcpy(at, head, sizeof(head));
	m->data_len = 60;
	packet_of(m)->frame_bytes = 64;
	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags, PACKET_PARSED | PACKET_MAC_CONTROL);
	at[5] = 0x0e; /* LLDP's address */
	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags, PACKET_PARSED);
	at[5] = 0x01;
	at[13] = 0x09; /* slow protocols */
	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags, PACKET_PARSED);
	frame_be16(at + 12, 0x0806);
	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags, PACKET_PARSED);
	packet_free(m);
}
END_TEST

/*
 * An untagged RoCEv2 frame cut after `bytes`: Ethernet 14, IPv4 20, UDP 8, BTH 12. What the
 * rest would have been is not looked at: the frame ends where unmapped memory begins.
 */
static uint8_t
flags_when_cut(uint32_t bytes)
{
	if (bytes < 34)
		return PACKET_MALFORMED;
	if (bytes < 42)
		return PACKET_IPV4 | PACKET_MALFORMED;
	return PACKET_IPV4 | PACKET_UDP | (bytes < 54 ? 0 : PACKET_ROCE);
}

static uint8_t *
page_before_nothing(uint32_t *page_bytes)
{
	uint8_t *at;

	*page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	at = mmap(NULL, 2 * (size_t)*page_bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(at != MAP_FAILED);
	ck_assert_int_eq(mprotect(at + *page_bytes, *page_bytes, PROT_NONE), 0);
	return at;
}

/* Parse and hash `bytes` of a frame that end at the end of the page. */
static void
parse_at_the_edge(struct rte_mbuf *m, uint8_t *page_end, const uint8_t *frame, uint32_t bytes)
{
	m->buf_addr = page_end - bytes;
	memcpy(page_end - bytes, frame, bytes);
	m->data_len = (uint16_t)bytes;
	packet_parse(m);
	packet_flow_hash(m);
}

START_TEST(cut_anywhere_reads_nothing_beyond)
{
	static const struct frame_spec specs[] = {
		{.frame_bytes = 1000},
		{.frame_bytes = 1000, .tagged = true, .tci = 5},
		{.frame_bytes = 1000, .ipv6 = true},
		{.frame_bytes = 1000, .ipv6 = true, .tagged = true},
		{.frame_bytes = 1000, .protocol = 6},
		{.frame_bytes = 1000, .protocol = 1},
	};
	struct rte_mbuf *m = packet_alloc(pool);
	void *own = m->buf_addr;
	uint8_t frame[256];
	uint32_t page_bytes, whole;
	uint8_t *page = page_before_nothing(&page_bytes);

	packet_of(m)->frame_bytes = 1000;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		whole = frame_write(frame, &specs[i], 1000);
		for (uint32_t bytes = 0; bytes <= whole; bytes++) {
			parse_at_the_edge(m, page + page_bytes, frame, bytes);
			if (i == 0)
				ck_assert_uint_eq(packet_of(m)->flags,
						  PACKET_PARSED | flags_when_cut(bytes));
		}
	}
	munmap(page, 2 * (size_t)page_bytes);
	m->buf_addr = own;
	packet_free(m);
}
END_TEST

/* Frames with random bytes put in: whatever they say, offsets stay within what is there. */
START_TEST(random_bytes_read_nothing_beyond)
{
	static const uint16_t types[] = {0x0800, 0x86dd, 0x8100, 0x88a8, 0x8808};
	struct rte_mbuf *m = packet_alloc(pool);
	struct prng prng = prng_init(1, (uint64_t)_i);
	const struct packet *p = packet_of(m);
	void *own = m->buf_addr;
	uint32_t page_bytes;
	uint8_t *page = page_before_nothing(&page_bytes);
	uint8_t frame[128];

	for (int round = 0; round < 50000; round++) {
		uint32_t bytes = (uint32_t)prng_below(&prng, 100);

		for (uint32_t i = 0; i < sizeof(frame); i++)
			frame[i] = (uint8_t)prng_next(&prng);
		frame_be16(frame + 12, types[prng_below(&prng, 5)]);
		frame_be16(frame + 16, types[prng_below(&prng, 5)]);
		if (prng_below(&prng, 2))
			frame[14] = (uint8_t)(prng_below(&prng, 2) ? 0x45 : 0x60);
		packet_of(m)->frame_bytes = (uint32_t)prng_below(&prng, 70000);
		parse_at_the_edge(m, page + page_bytes, frame, bytes);
		EXPECT(p->l3_ofs <= bytes || p->flags & PACKET_MALFORMED);
		EXPECT(p->l4_ofs <= bytes);
		EXPECT(!(p->flags & PACKET_UDP) || p->l4_ofs + 8u <= bytes);
		EXPECT(!(p->flags & PACKET_ROCE) || p->l4_ofs + 20u <= bytes);
		EXPECT(!(p->flags & PACKET_IPV4) || p->l3_ofs + 20u <= bytes);
		EXPECT(!(p->flags & PACKET_IPV6) || p->l3_ofs + 40u <= bytes);
	}
	munmap(page, 2 * (size_t)page_bytes);
	m->buf_addr = own;
	packet_free(m);
}
END_TEST

/*
 * RFC 1071 by recount: for every TOS and many headers the checksum is the one a sender would
 * have written, and no byte but TOS and checksum moves (those two the ICRC does not cover).
 */
START_TEST(marking_keeps_the_ipv4_checksum)
{
	struct prng prng = prng_init(2, (uint64_t)_i);
	struct rte_mbuf *m = parsed(&(const struct frame_spec){.frame_bytes = 1000});
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *) + 14;
	uint8_t before[20], after[20];

	for (int round = 0; round < 400; round++) {
		for (uint32_t tos = 0; tos < 256; tos++) {
			for (int i = 2; i < 20; i++)
				ip[i] = round == 0 ? 0 : (uint8_t)prng_next(&prng);
			ip[1] = (uint8_t)tos;
			ip[10] = ip[11] = 0;
			frame_be16(ip + 10, ~frame_ones_sum(ip, 20));
			packet_of(m)->traffic_class = (uint8_t)tos;
			memcpy(before, ip, 20);
			packet_mark_ce(m);
			EXPECT(ip[1] == (tos | PACKET_CE));
			EXPECT(packet_of(m)->traffic_class == ip[1]);
			memcpy(after, ip, 20);
			ip[10] = ip[11] = 0;
			frame_be16(ip + 10, ~frame_ones_sum(ip, 20));
			EXPECT(memcmp(after, ip, 20) == 0);
			before[1] = after[1];
			memcpy(before + 10, after + 10, 2);
			EXPECT(memcmp(before, after, 20) == 0);
		}
	}
	packet_free(m);
}
END_TEST

/* IPv6 has no checksum: the two ECN bits change, and nothing around them. */
START_TEST(marking_ipv6_changes_two_bits)
{
	for (uint32_t tos = 0; tos < 256; tos++) {
		const struct frame_spec s = {.ipv6 = true,
					     .dscp = (uint8_t)(tos >> 2),
					     .ecn = tos & 3,
					     .tagged = tos & 1};
		struct rte_mbuf *m = parsed(&s);
		uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);
		uint8_t before[128];

		memcpy(before, at, m->data_len);
		packet_mark_ce(m);
		before[packet_of(m)->l3_ofs + 1] |= 0x30;
		ck_assert_mem_eq(before, at, m->data_len);
		ck_assert_uint_eq(packet_of(m)->traffic_class, tos | PACKET_CE);
		packet_parse(m);
		ck_assert_uint_eq(packet_of(m)->traffic_class, tos | PACKET_CE);
		packet_free(m);
	}
}
END_TEST

static uint32_t
hash_of(const struct frame_spec *s)
{
	struct rte_mbuf *m = parsed(s);
	uint32_t hash = packet_flow_hash(m);

	ck_assert_uint_ne(hash, 0);
	ck_assert_uint_eq(packet_flow_hash(m), hash);
	packet_free(m);
	return hash;
}

/* What tells flows apart, and what does not. */
START_TEST(hash_is_by_flow)
{
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		const struct frame_spec base = {.from = 1, .to = 2, .ipv6 = ipv6, .source_port = 5};
		struct frame_spec s = base;
		uint32_t hash = hash_of(&base);

		s.dscp = 26;
		s.ecn = 3;
		s.ttl = 9;
		s.frame_bytes = 777;
		s.tagged = true;
		ck_assert_uint_eq(hash_of(&s), hash);
		for (uint16_t port = 6; port < 500; port++) {
			s = base;
			s.source_port = port;
			ck_assert_uint_ne(hash_of(&s), hash);
		}
		s = base;
		s.from = 3;
		ck_assert_uint_ne(hash_of(&s), hash);
		s = base;
		s.to = 3;
		ck_assert_uint_ne(hash_of(&s), hash);
		s = base;
		s.protocol = 6;
		ck_assert_uint_ne(hash_of(&s), hash);
	}
}
END_TEST

/* Echo requests carry a checksum where others have ports; fragments have ports only once. */
START_TEST(hash_keeps_pings_and_fragments_together)
{
	struct frame_spec s = {.from = 1, .to = 2, .protocol = 1, .source_port = 0x0800};
	uint32_t hash = hash_of(&s);

	s.destination_port = 0xbeef;
	ck_assert_uint_eq(hash_of(&s), hash);
	s = (struct frame_spec){.from = 1, .to = 2, .source_port = 7, .fragment = 0x2000};
	hash = hash_of(&s);
	s.fragment = 0x20b9;
	s.source_port = 0x1111;
	s.destination_port = 0x2222;
	ck_assert_uint_eq(hash_of(&s), hash);
}
END_TEST

START_TEST(copy_is_private)
{
	struct rte_mbuf *m = parsed(&(const struct frame_spec){.from = 1, .to = 2, .dscp = 26});
	struct rte_mbuf *copy = packet_copy(m, pool);

	ck_assert_ptr_nonnull(copy);
	ck_assert_uint_eq(copy->data_len, m->data_len);
	ck_assert_mem_eq(packet_of(copy), packet_of(m), sizeof(struct packet));
	ck_assert_mem_eq(rte_pktmbuf_mtod(copy, void *), rte_pktmbuf_mtod(m, void *), m->data_len);
	packet_mark_ce(copy);
	ck_assert_uint_eq(packet_of(m)->traffic_class, 26 << 2);
	ck_assert_uint_eq(rte_pktmbuf_mtod(m, uint8_t *)[15], 26 << 2);
	packet_free(m);
	packet_free(copy);
}
END_TEST

START_TEST(pool_runs_dry_without_harm)
{
	struct rte_mempool *small = packet_pool_create("small", 31, PACKET_HEADER_ROOM_BYTES);
	struct rte_mbuf *m[31];

	ck_assert_ptr_nonnull(small);
	for (int i = 0; i < 31; i++) {
		m[i] = packet_alloc(small);
		ck_assert_ptr_nonnull(m[i]);
		ck_assert_uint_eq(packet_of(m[i])->flags, 0);
	}
	ck_assert_ptr_null(packet_alloc(small));
	ck_assert_ptr_null(packet_copy(m[0], small));
	for (int i = 0; i < 31; i++)
		packet_free(m[i]);
	rte_mempool_free(small);
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *parse = suite_topic(suite, "parse");
	TCase *mark = suite_topic(suite, "mark");
	TCase *hash = suite_topic(suite, "hash");
	TCase *pools = suite_topic(suite, "pools");

	tcase_add_test(parse, ordinary_frames);
	tcase_add_test(parse, no_layer_four);
	tcase_add_test(parse, two_tags);
	tcase_add_test(parse, contradicting_headers);
	tcase_add_test(parse, mac_control_and_other_types);
	tcase_add_test(parse, cut_anywhere_reads_nothing_beyond);
	tcase_add_loop_test(parse, random_bytes_read_nothing_beyond, 0, 4);
	tcase_add_loop_test(mark, marking_keeps_the_ipv4_checksum, 0, 4);
	tcase_add_test(mark, marking_ipv6_changes_two_bits);
	tcase_add_test(hash, hash_is_by_flow);
	tcase_add_test(hash, hash_keeps_pings_and_fragments_together);
	tcase_add_test(pools, copy_is_private);
	tcase_add_test(pools, pool_runs_dry_without_harm);
}

int
main(void)
{
	Suite *suite = suite_create("packet");
	int failed;

	test_eal_init();
	pool = packet_pool_create("packets", 64, PACKET_HEADER_ROOM_BYTES);
	add_cases(suite);
	failed = suite_run(suite);
	rte_mempool_free(pool);
	return failed;
}
