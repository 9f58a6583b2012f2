/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for every balancer, the hash, and the kinds that keep little: ecmp, spray. */
#include <check.h>

#include "balancer_rig.h"

/* A UDP packet with the 4-tuple of Microsoft's verification suite for RSS. */
static struct rte_mbuf *
tuple(uint32_t source, uint16_t source_port, uint32_t destination, uint16_t destination_port)
{
	struct rte_mbuf *m = balancer_packet(0);
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *) + 14;

	for (int i = 0; i < 4; i++) {
		ip[12 + i] = (uint8_t)(source >> (24 - 8 * i));
		ip[16 + i] = (uint8_t)(destination >> (24 - 8 * i));
	}
	frame_be16(ip + 20, source_port);
	frame_be16(ip + 22, destination_port);
	packet_parse(m);
	return m;
}

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

/* Microsoft, "Verifying the RSS hash calculation": 5 tuples, with and without ports. */
static const struct {
	uint32_t source, destination;
	uint16_t source_port, destination_port;
	uint32_t with_ports, addresses;
} vectors[] = {
	{IP(66, 9, 149, 187), IP(161, 142, 100, 80), 2794, 1766, 0x51ccc178, 0x323e8fc2},
	{IP(199, 92, 111, 2), IP(65, 69, 140, 83), 14230, 4739, 0xc626b0ea, 0xd718262a},
	{IP(24, 19, 198, 95), IP(12, 22, 207, 184), 12898, 38024, 0x5c2b394a, 0xd2d0a5de},
	{IP(38, 27, 205, 30), IP(209, 142, 163, 6), 48228, 2217, 0xafc7327f, 0x82989176},
	{IP(153, 39, 163, 191), IP(202, 188, 127, 2), 44251, 1303, 0x10e828a2, 0x5d1809c5},
};

START_TEST(toeplitz_is_that_of_rss)
{
	for (unsigned int i = 0; i < RTE_DIM(vectors); i++) {
		struct balancer_hash_cfg hash = {.function = BALANCER_TOEPLITZ};
		struct rte_mbuf *m = tuple(vectors[i].source, vectors[i].source_port,
					   vectors[i].destination, vectors[i].destination_port);

		hash.fields = BALANCER_SRC_IP | BALANCER_DST_IP;
		ck_assert_uint_eq(balancer_hash(&hash, m), vectors[i].addresses);
		hash.fields |= BALANCER_SRC_PORT | BALANCER_DST_PORT;
		ck_assert_uint_eq(balancer_hash(&hash, m), vectors[i].with_ports);
		packet_free(m);
	}
}
END_TEST

/* CRC-32C without its final complement, by its definition, bit by bit. */
static uint32_t
crc32c(const uint8_t *at, size_t bytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return crc;
}

START_TEST(crc32_is_castagnolis)
{
	const struct balancer_hash_cfg hash = {.fields = BALANCER_SRC_IP | BALANCER_DST_IP |
							 BALANCER_DST_PORT | BALANCER_DEST_QP};
	struct rte_mbuf *m = tuple(IP(10, 1, 2, 3), 0xc001, IP(10, 4, 5, 6), 4791);
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	const uint8_t key[] = {10, 1, 2, 3, 10, 4, 5, 6, 4791 >> 8, 4791 & 0xff, 0x12, 0x34, 0x56};

	memcpy(data + 14 + 20 + 8 + 5, key + 10, 3);
	ck_assert_uint_eq(crc32c((const uint8_t *)"123456789", 9) ^ UINT32_MAX, 0xe3069283);
	ck_assert_uint_eq(balancer_hash(&hash, m), crc32c(key, sizeof(key)));
	packet_free(m);
}
END_TEST

/* Each field alone tells packets apart that differ in it, and no others. */
START_TEST(fields_are_told_apart)
{
	/* Where each field's last byte is, in an Ethernet, IPv4, UDP, BTH frame. */
	static const uint8_t last_byte[BALANCER_FIELDS] = {29, 33, 35, 37, 23, 49, 0, 11, 5, 0};

	for (int function = BALANCER_CRC32C; function <= BALANCER_JHASH; function++) {
		for (int i = 0; i < BALANCER_FIELDS; i++) {
			struct balancer_hash_cfg hash = {.function = function,
							 .fields = (uint16_t)(1u << i)};
			struct rte_mbuf *m = balancer_packet(0);
			uint32_t before = balancer_hash(&hash, m);

			for (int j = 0; j < BALANCER_FIELDS; j++) {
				uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *) + last_byte[j];

				if (last_byte[j] == 0)
					continue;
				*at ^= 1;
				ck_assert_int_eq(balancer_hash(&hash, m) != before, i == j);
				*at ^= 1;
			}
			packet_of(m)->in_port ^= 1;
			ck_assert_int_eq(balancer_hash(&hash, m) != before, i == 9);
			packet_free(m);
		}
	}
}
END_TEST

/* Everything an IPv6 packet has, and what is not IP. */
START_TEST(keys_of_all_lengths)
{
	for (int function = BALANCER_CRC32C; function <= BALANCER_JHASH; function++) {
		const struct balancer_hash_cfg hash = {.function = function, .fields = 0x3ff};
		const struct frame_spec v6 = {
			.from = 1, .to = 2, .ipv6 = true, .tagged = true, .frame_bytes = 200};
		struct rte_mbuf *m = frame_make(rig_pool, &v6, 1);
		uint32_t before;

		packet_parse(m);
		ck_assert(packet_of(m)->flags & PACKET_ROCE);
		before = balancer_hash(&hash, m);
		packet_of(m)->in_port = 1; /* the key's last byte */
		ck_assert_uint_ne(balancer_hash(&hash, m), before);
		rte_pktmbuf_mtod(m, uint8_t *)[16] = 0x08; /* ARP */
		rte_pktmbuf_mtod(m, uint8_t *)[17] = 0x06;
		packet_parse(m);
		before = balancer_hash(&hash, m);
		rte_pktmbuf_mtod(m, uint8_t *)[11] ^= 1;
		ck_assert_uint_ne(balancer_hash(&hash, m), before);
		packet_free(m);
	}
}
END_TEST

/*
 * Balls in bins: 1,000 flows over 16 links have max / mean near 1.22 (62.5 + 1.77 sigma of 7.65),
 * with each function and either way to a member. The average over 40 seeds is held to within 0.04,
 * about four standard errors. Flows are drawn: consecutive port numbers a linear hash spreads
 * better than by chance.
 */
START_TEST(flows_share_like_balls_in_bins)
{
	struct balancer_cfg cfg = {.hash = {.function = _i / 2, .modulo = _i % 2}};
	double sum = 0;

	for (uint32_t seed = 0; seed < 40; seed++) {
		uint32_t counts[16] = {0}, most = 0;

		cfg.hash.seed = seed;
		balancer_open(&cfg, 16);
		for (uint32_t flow = 0; flow < 1000; flow++) {
			/* Others for each seed: a seed of modulo alone changes no share. */
			uint32_t drawn = (uint32_t)prng_mix(seed * 1000 + flow + 1) & 0x3fffff;
			uint32_t member = balancer_member(drawn, 0);

			counts[member]++;
			most = RTE_MAX(counts[member], most);
		}
		sum += most / 62.5;
		balancer_close();
	}
	ck_assert_double_eq_tol(sum / 40, 1.22, 0.04);
}
END_TEST

/* Which of 8 members a second tier uses for the flows that a first gives one of its 8. */
static uint32_t
second_tier(const struct balancer_hash_cfg *first, const struct balancer_hash_cfg *second)
{
	uint32_t used = 0;

	for (uint32_t flow = 0; flow < 4000; flow++) {
		struct rte_mbuf *m = balancer_packet(flow);

		if (balancer_hash_below(first, m, 8) == 3)
			used |= 1u << balancer_hash_below(second, m, 8);
		packet_free(m);
	}
	return used;
}

/*
 * Polarisation: with the same function, seed and number of members, 1/n of the second tier's links
 * carry everything; distinct seeds restore n. Unless the hash is linear and taken modulo: then
 * it takes other bits of it.
 */
START_TEST(same_hash_polarises)
{
	for (int function = BALANCER_CRC32C; function <= BALANCER_JHASH; function++) {
		struct balancer_hash_cfg first = {.function = function, .seed = 1}, second = first;

		ck_assert_uint_eq(second_tier(&first, &second), 1 << 3);
		second.seed = 2;
		ck_assert_uint_eq(second_tier(&first, &second), 0xff);
		first.modulo = second.modulo = true;
		if (function == BALANCER_JHASH)
			ck_assert_uint_eq(second_tier(&first, &second), 0xff);
		else
			ck_assert_int_eq(__builtin_popcount(second_tier(&first, &second)), 1);
		second.seed = 1;
		second.offset = 8;
		ck_assert_uint_eq(second_tier(&first, &second), 0xff);
	}
}
END_TEST

/* However often, however marked. */
START_TEST(ecmp_keeps_a_flow_on_its_member)
{
	const struct balancer_cfg cfg = {.hash.seed = 5};

	balancer_open(&cfg, 16);
	for (uint32_t flow = 0; flow < 200; flow++) {
		uint32_t member = balancer_member(flow, 0);

		for (uint64_t again = 1; again < 5; again++)
			ck_assert_uint_eq(balancer_member(flow, again * UNITS_PS_PER_MS), member);
	}
	balancer_close();
}
END_TEST

/* In turn: whole rounds are even to the packet, of each group on its own. */
START_TEST(spray_takes_turns)
{
	const struct balancer_cfg cfg = {.ops = &balancer_spray, .seed = 7};
	uint32_t counts[2][5] = {0};

	balancer_open(&cfg, 5);
	for (uint32_t i = 0; i < 5000; i++) {
		counts[0][balancer_member_of(0, 1, 0)]++;
		if (i % 3 == 0 && i < 3000)
			counts[1][balancer_member_of(1, 1, 0)]++;
	}
	for (int i = 0; i < 5; i++) {
		ck_assert_uint_eq(counts[0][i], 1000);
		ck_assert_uint_eq(counts[1][i], 200);
		ck_assert_uint_eq(balancer_bed.b.ports[balancer_members[i].port].packets, 1200);
		ck_assert_uint_eq(balancer_bed.b.ports[balancer_members[i].port].bytes,
				  1200 * 1000);
	}
	balancer_close();
}
END_TEST

/* A member goes and comes back: the turns go on over those that there are. */
START_TEST(spray_goes_on_when_members_change)
{
	const struct balancer_cfg cfg = {.ops = &balancer_spray, .seed = 7};
	uint32_t counts[8] = {0};

	balancer_open(&cfg, 8);
	for (int i = 0; i < 5; i++)
		balancer_member(1, 0);
	balancer_bed.count = 3;
	for (int i = 0; i < 300; i++)
		counts[balancer_member(1, 0)]++;
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(counts[i], 100);
	balancer_bed.count = 8;
	memset(counts, 0, sizeof(counts));
	for (int i = 0; i < 800; i++)
		counts[balancer_member(1, 0)]++;
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(counts[i], 100);
	balancer_close();
}
END_TEST

/* Drawn: 80,000 over 8, each within 4 sigma (94) of 10,000; and no turns. */
START_TEST(spray_draws_evenly)
{
	const struct balancer_cfg cfg = {.ops = &balancer_spray, .seed = 7, .random = true};
	uint32_t counts[8] = {0}, repeats = 0, last = 8;

	balancer_open(&cfg, 8);
	for (int i = 0; i < 80000; i++) {
		uint32_t member = balancer_member(1, 0);

		repeats += member == last;
		last = member;
		counts[member]++;
	}
	for (int i = 0; i < 8; i++)
		ck_assert_double_eq_tol(counts[i], 10000, 375);
	ck_assert_double_eq_tol(repeats, 10000, 375);
	balancer_close();
}
END_TEST

/* Two switches of the same kind draw apart, the same one always alike. */
START_TEST(draws_follow_from_the_seed)
{
	uint32_t drawn[3][64], equal = 0;

	for (int i = 0; i < 3; i++) {
		const struct balancer_cfg cfg = {
			.ops = &balancer_spray, .seed = i == 2 ? 8 : 7, .random = true};

		balancer_open(&cfg, 64);
		for (int j = 0; j < 64; j++)
			drawn[i][j] = balancer_member(1, 0);
		balancer_close();
	}
	ck_assert_mem_eq(drawn[0], drawn[1], sizeof(drawn[0]));
	for (int j = 0; j < 64; j++)
		equal += drawn[0][j] == drawn[2][j];
	ck_assert_uint_lt(equal, 10);
}
END_TEST

START_TEST(kinds_are_found_by_name)
{
	for (unsigned int n = 0; balancer_at(n) != NULL; n++)
		ck_assert_ptr_eq(balancer_find(balancer_at(n)->name), balancer_at(n));
	ck_assert_ptr_null(balancer_find("none"));
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *hash = suite_topic(suite, "hash");
	TCase *ecmp = suite_topic(suite, "ecmp");
	TCase *spray = suite_topic(suite, "spray");

	tcase_add_test(hash, toeplitz_is_that_of_rss);
	tcase_add_test(hash, crc32_is_castagnolis);
	tcase_add_test(hash, fields_are_told_apart);
	tcase_add_test(hash, keys_of_all_lengths);
	tcase_add_loop_test(hash, flows_share_like_balls_in_bins, 0, 6);
	tcase_add_test(hash, same_hash_polarises);
	tcase_add_test(ecmp, ecmp_keeps_a_flow_on_its_member);
	tcase_add_test(ecmp, kinds_are_found_by_name);
	tcase_add_test(spray, spray_takes_turns);
	tcase_add_test(spray, spray_goes_on_when_members_change);
	tcase_add_test(spray, spray_draws_evenly);
	tcase_add_test(spray, draws_follow_from_the_seed);
}

int
main(void)
{
	Suite *suite = suite_create("balancer");

	rig_set_up_pool();
	add_cases(suite);
	return suite_run(suite);
}
