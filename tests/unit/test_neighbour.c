/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host answers those who ask: frames written by hand from RFC 826, RFC 4861, RFC 792 and RFC
 * 4443, and what comes back held against the same layouts, byte for byte.
 */
#include "neighbour_bed.h"

/* The answer to arp_request(), from layer 3 on. */
static const uint8_t arp_reply[28] = {0,  1, 8, 0, 6, 4, 0, 2, 2, 0, 0,  0, 0, 2,
				      10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1};

START_TEST(arp_is_answered)
{
	static const uint8_t untagged[14] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6};
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame f;

	pair_start(pair);
	arp_request(&f, -1);
	arrive(pair, &f);
	/* A tag without an ID tells only a priority (802.1Q 9.6). */
	arp_request(&f, 3 << 13);
	arrive(pair, &f);
	/* And asked by unicast, as one does to see whether we are still there. */
	arp_request(&f, -1);
	memcpy(f.at, my_mac, 6);
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_mem_eq(seen.frames[i].at, untagged, 14);
		ck_assert_mem_eq(seen.frames[i].at + 14, arp_reply, 28);
		ck_assert_uint_eq(seen.frames[i].bytes, 60);
		check_padding(&seen.frames[i], 42);
	}
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_answered, 3);
	ck_assert_uint_eq(host_node(pair->host[1])->counters.consumed, 3);
	end(pair);
}
END_TEST

START_TEST(a_probe_without_an_address_is_answered)
{
	/* RFC 5227 1.1. */
	static const uint8_t reply[28] = {0,  1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 2,
					  10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0};
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame f;

	pair_start(pair);
	put_ethernet(&f, broadcast, 0x0806, -1);
	put_arp(&f, 1, (uint8_t[4]){0}, (uint8_t[4]){10, 0, 0, 2});
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 1);
	ck_assert_mem_eq(seen.frames[0].at + 14, reply, 28);
	end(pair);
}
END_TEST

START_TEST(vlans_are_apart)
{
	static const uint8_t tagged[18] = {2, 0, 0, 0,    0, 1, 2,   0, 0,
					   0, 0, 2, 0x81, 0, 0, 100, 8, 6};
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame f;

	pair->cfg[1].has_vlan = true;
	pair->cfg[1].vlan_tci = 100;
	pair_start(pair);
	arp_request(&f, -1);
	arrive(pair, &f);
	arp_request(&f, 101);
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 0);
	arp_request(&f, 5 << 13 | 100);
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 1);
	ck_assert_mem_eq(seen.frames[0].at, tagged, 18);
	ck_assert_mem_eq(seen.frames[0].at + 18, arp_reply, 28);
	check_padding(&seen.frames[0], 46);
	end(pair);
}
END_TEST

/* 0: not answered, and no fault; 1: dropped as malformed. */
static const struct {
	const char *what;
	uint32_t at;
	uint8_t value;
	uint32_t bytes; /* 0: all */
	int malformed;
} arp_cases[] = {
	{"another's address", 41, 3, 0, 0},     {"an opcode of another kind", 21, 3, 0, 0},
	{"not Ethernet", 15, 6, 0, 0},          {"not IPv4", 17, 1, 0, 0},
	{"another's MAC address", 0, 2, 0, 0},  {"cut short", 0, 0xff, 41, 1},
	{"wrong hardware length", 18, 8, 0, 1}, {"wrong protocol length", 19, 16, 0, 1},
	{"sent by a group", 22, 3, 0, 1},
};

START_TEST(arp_of_no_use)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct node_port *port;
	struct frame f;

	pair_start(pair);
	port = &host_node(pair->host[1])->ports[0];
	arp_request(&f, -1);
	f.at[arp_cases[_i].at] = arp_cases[_i].value;
	if (arp_cases[_i].bytes != 0)
		f.bytes = arp_cases[_i].bytes;
	arrive(pair, &f);
	ck_assert_msg(seen.count == 0, "%s", arp_cases[_i].what);
	ck_assert_uint_eq(port->drops[DROP_MALFORMED][0], arp_cases[_i].malformed);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_answered, 0);
	end(pair);
}
END_TEST

/* The ICMPv6 message of `bytes` follows with type, code and room for its checksum. */
static void
put_ipv6(struct frame *f, const uint8_t from[16], const uint8_t to[16], uint8_t hop_limit,
	 const void *message, uint32_t bytes)
{
	uint8_t *ip = f->at + f->bytes;

	put(f, (uint8_t[8]){0x60, 0, 0, 0, 0, (uint8_t)bytes, 58, hop_limit}, 8);
	put(f, from, 16);
	put(f, to, 16);
	put(f, message, bytes);
	frame_be16(ip + 42, icmpv6_checksum(ip));
}

/* RFC 4861 4.3: type 135, code, checksum, reserved, target, source link-layer address. */
static void
solicitation(struct frame *f, const uint8_t from[16], const uint8_t to_mac[6], const uint8_t to[16],
	     bool with_option)
{
	uint8_t message[32] = {135};

	memcpy(message + 8, my_ipv6, 16);
	message[24] = 1;
	message[25] = 1;
	memcpy(message + 26, asker_mac, 6);
	put_ethernet(f, to_mac, 0x86dd, -1);
	put_ipv6(f, from, to, 255, message, with_option ? 32 : 24);
}

/* RFC 4861 4.4: type 136, flags, target, target link-layer address; of the layout, all. */
static void
check_advertisement(const struct frame *f, const uint8_t to_mac[6], const uint8_t to[16],
		    uint8_t flags)
{
	static const uint8_t start[8] = {0x60, 0, 0, 0, 0, 32, 58, 255};
	static const uint8_t option[8] = {2, 1, 2, 0, 0, 0, 0, 2};
	const uint8_t *ip = f->at + 14;

	ck_assert_uint_eq(f->bytes, 14 + 40 + 32);
	ck_assert_uint_eq(f->frame_bytes, 14 + 40 + 32 + 4);
	ck_assert_mem_eq(f->at, to_mac, 6);
	ck_assert_mem_eq(f->at + 6, my_mac, 6);
	ck_assert_mem_eq(f->at + 12, ((uint8_t[2]){0x86, 0xdd}), 2);
	ck_assert_mem_eq(ip, start, 8);
	ck_assert_mem_eq(ip + 8, my_ipv6, 16);
	ck_assert_mem_eq(ip + 24, to, 16);
	ck_assert_mem_eq(ip + 40, ((uint8_t[2]){136, 0}), 2);
	ck_assert_uint_eq(ip[42] << 8 | ip[43], icmpv6_checksum(ip));
	ck_assert_mem_eq(ip + 44, ((uint8_t[4]){flags, 0, 0, 0}), 4);
	ck_assert_mem_eq(ip + 48, my_ipv6, 16);
	ck_assert_mem_eq(ip + 64, option, 8);
}

START_TEST(solicitations_are_answered)
{
	static const uint8_t nobody[16];
	static const uint8_t all_nodes[16] = {0xff, 2, [15] = 1};
	static const uint8_t all_nodes_mac[6] = {0x33, 0x33, 0, 0, 0, 1};
	struct seen seen;
	struct pair *pair = bed(&seen, true);
	struct frame f;

	pair_start(pair);
	solicitation(&f, asker_ipv6, my_group_mac, my_group, true);
	arrive(pair, &f);
	solicitation(&f, asker_ipv6, my_mac, my_ipv6, false);
	arrive(pair, &f);
	/* Is it in use? (RFC 4862 5.4.3: duplicate address detection.) */
	solicitation(&f, nobody, my_group_mac, my_group, false);
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 3);
	check_advertisement(&seen.frames[0], asker_mac, asker_ipv6, 0x60); /* solicited, override */
	check_advertisement(&seen.frames[1], asker_mac, asker_ipv6, 0x60);
	check_advertisement(&seen.frames[2], all_nodes_mac, all_nodes, 0x20); /* override */
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_answered, 3);
	end(pair);
}
END_TEST

/* RFC 4861 7.1.1; bytes from the Ethernet header, the checksum made right afterwards or not. */
static const struct {
	const char *what;
	uint32_t at;
	uint8_t value;
	bool sum_right;
	int malformed;
} nd_cases[] = {
	{"another's address", 77, 9, true, 0},
	{"another group", 53, 9, true, 0},
	{"another group's MAC address", 5, 9, true, 0},
	{"hop limit", 21, 64, true, 1},
	{"code", 55, 1, true, 1},
	{"checksum", 60, 1, false, 1},
	{"target is a group", 62, 0xff, true, 1},
	{"sent by a group", 22, 0xff, true, 1},
	{"option of no length", 79, 0, true, 1},
	{"option beyond the end", 79, 2, true, 1},
	{"claims a group's MAC address", 80, 3, true, 1},
};

START_TEST(solicitations_of_no_use)
{
	struct seen seen;
	struct pair *pair = bed(&seen, true);
	struct frame f;

	pair_start(pair);
	solicitation(&f, asker_ipv6, my_group_mac, my_group, true);
	f.at[nd_cases[_i].at] = nd_cases[_i].value;
	if (nd_cases[_i].sum_right)
		frame_be16(f.at + 56, icmpv6_checksum(f.at + 14));
	arrive(pair, &f);
	ck_assert_msg(seen.count == 0, "%s", nd_cases[_i].what);
	ck_assert_msg(host_node(pair->host[1])->ports[0].drops[DROP_MALFORMED][0] ==
			      (uint64_t)nd_cases[_i].malformed,
		      "%s", nd_cases[_i].what);
	end(pair);
}
END_TEST

/* RFC 792: type, code, checksum, identifier, sequence number, data of `bytes`. */
static void
echo_ipv4(struct frame *f, uint32_t data_bytes)
{
	uint32_t total = 20 + 8 + data_bytes;
	uint8_t *ip, *icmp;

	put_ethernet(f, my_mac, 0x0800, -1);
	ip = put(f, (uint8_t[12]){0x45, 0xba, 0, (uint8_t)total, 0x12, 0x34, 0, 0, 3, 1}, 12);
	put(f, (uint8_t[8]){10, 0, 0, 1, 10, 0, 0, 2}, 8);
	frame_be16(ip + 10, ~frame_ones_sum(ip, 20));
	icmp = put(f, (uint8_t[8]){8, 0, 0, 0, 0xca, 0xfe, 0, 7}, 8);
	for (uint32_t i = 0; i < data_bytes; i++)
		put(f, (uint8_t[1]){(uint8_t)(i * 7 + 250)}, 1);
	frame_be16(icmp + 2, ~frame_ones_sum(icmp, 8 + data_bytes));
}

static void
check_echo_ipv4(const struct frame *f, const struct frame *asked)
{
	static const uint8_t ethernet[14] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};
	static const uint8_t addresses[8] = {10, 0, 0, 2, 10, 0, 0, 1};
	const uint8_t *ip = f->at + 14;

	ck_assert_mem_eq(f->at, ethernet, 14);
	/* DSCP 46 stays; ECN 2 does not: no more than we say of ourselves. */
	ck_assert_mem_eq(ip, ((uint8_t[2]){0x45, 0xb8}), 2);
	ck_assert_mem_eq(ip + 2, asked->at + 16, 2);
	ck_assert_uint_eq(ip[6], 0x40); /* an atomic datagram, RFC 6864: ID of no meaning */
	ck_assert_uint_eq(ip[8], 64);
	ck_assert_uint_eq(ip[9], 1);
	ck_assert_mem_eq(ip + 12, addresses, 8);
	ck_assert_uint_eq(frame_ones_sum(ip, 20), 0xffff);
	ck_assert_mem_eq(ip + 20, ((uint8_t[2]){0, 0}), 2);
	ck_assert_mem_eq(ip + 24, asked->at + 38, asked->bytes - 38);
}

START_TEST(echo_is_answered)
{
	static const uint32_t sizes[] = {0, 1, 18, 19, 56, 64};
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame f;

	pair->cfg[1].ttl = 64;
	pair_start(pair);
	for (uint32_t i = 0; i < RTE_DIM(sizes); i++) {
		uint32_t end_bytes = 14 + 28 + sizes[i];

		echo_ipv4(&f, sizes[i]);
		arrive(pair, &f);
		ck_assert_uint_eq(seen.count, i + 1);
		check_echo_ipv4(&seen.frames[i], &f);
		ck_assert_uint_eq(seen.frames[i].bytes, RTE_MAX(end_bytes, 60u));
		ck_assert_uint_eq(frame_ones_sum(seen.frames[i].at + 34, (9 + sizes[i]) & ~1u),
				  0xffff);
		check_padding(&seen.frames[i], end_bytes);
	}
	ck_assert_uint_eq(host_results(pair->host[1])->echoes_answered, RTE_DIM(sizes));
	/* It left as priority 5, that of DSCP 46. */
	end(pair);
}
END_TEST

START_TEST(echo_with_its_data_elided)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame whole, cut;

	pair_start(pair);
	echo_ipv4(&whole, 100);
	cut = whole;
	cut.bytes = 14 + 28;
	cut.frame_bytes = whole.bytes + 4;
	arrive(pair, &whole);
	arrive(pair, &cut);
	ck_assert_uint_eq(seen.count, 2);
	ck_assert_uint_eq(seen.frames[1].frame_bytes, seen.frames[0].frame_bytes);
	ck_assert_uint_eq(seen.frames[1].bytes, 14 + 28);
	ck_assert_mem_eq(seen.frames[1].at, seen.frames[0].at, 14 + 28);
	end(pair);
}
END_TEST

static const struct {
	const char *what;
	uint32_t at;
	uint8_t value;
	bool sums_right;
	int malformed;
} echo_cases[] = {
	{"another's address", 33, 9, true, 0}, {"another's MAC address", 5, 9, true, 0},
	{"an answer", 34, 0, true, 0},         {"a code", 35, 1, true, 0},
	{"a fragment", 21, 1, true, 0},        {"not ICMP", 23, 2, true, 0},
	{"checksum", 40, 1, false, 1},         {"header checksum", 22, 5, false, 1},
	{"sent by a group", 26, 224, true, 1}, {"sent by nobody", 26, 0, true, 1},
};

START_TEST(echo_of_no_use)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	uint64_t malformed = 0;
	struct frame f;

	pair_start(pair);
	echo_ipv4(&f, 20);
	f.at[echo_cases[_i].at] = echo_cases[_i].value;
	if (echo_cases[_i].sums_right) {
		frame_be16(f.at + 24, 0);
		frame_be16(f.at + 24, ~frame_ones_sum(f.at + 14, 20));
		frame_be16(f.at + 36, 0);
		frame_be16(f.at + 36, ~frame_ones_sum(f.at + 34, 28));
	}
	arrive(pair, &f);
	ck_assert_msg(seen.count == 0, "%s", echo_cases[_i].what);
	for (int class = 0; class < 8; class ++)
		malformed += host_node(pair->host[1])->ports[0].drops[DROP_MALFORMED][class];
	ck_assert_msg(malformed == (uint64_t)echo_cases[_i].malformed, "%s", echo_cases[_i].what);
	end(pair);
}
END_TEST

START_TEST(echo_of_ipv6_is_answered)
{
	/* RFC 4443 4.1: type 128, code, checksum, identifier, sequence number, data. */
	uint8_t message[8 + 11] = {128, 0, 0, 0, 1, 2, 3, 4, 'a', 'b', 'c', 'd'};
	static const uint8_t start[8] = {0x6b, 0x80, 0, 0, 0, sizeof(message), 58, 64};
	struct seen seen;
	struct pair *pair = bed(&seen, true);
	struct frame f;
	const uint8_t *ip = seen.frames[0].at + 14;

	pair->cfg[1].ttl = 64;
	pair_start(pair);
	put_ethernet(&f, my_mac, 0x86dd, -1);
	put_ipv6(&f, asker_ipv6, my_ipv6, 9, message, sizeof(message));
	/* DSCP 46, CE, and a flow label. */
	f.at[14] = 0x6b;
	f.at[15] = 0xb7;
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 1);
	ck_assert_mem_eq(seen.frames[0].at, asker_mac, 6);
	ck_assert_mem_eq(ip, start, 8);
	ck_assert_mem_eq(ip + 8, my_ipv6, 16);
	ck_assert_mem_eq(ip + 24, asker_ipv6, 16);
	ck_assert_mem_eq(ip + 40, ((uint8_t[2]){129, 0}), 2);
	ck_assert_uint_eq(ip[42] << 8 | ip[43], icmpv6_checksum(ip));
	ck_assert_mem_eq(ip + 44, message + 4, sizeof(message) - 4);
	/* To a group it is none of ours: only solicitations may be. */
	put_ethernet(&f, my_group_mac, 0x86dd, -1);
	put_ipv6(&f, asker_ipv6, my_group, 9, message, sizeof(message));
	arrive(pair, &f);
	ck_assert_uint_eq(seen.count, 1);
	end(pair);
}
END_TEST

/* More than the ring holds, at once, on a port that may not send: dropped and counted. */
START_TEST(answers_are_bounded)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct node *node;
	struct frame f;

	pair->cfg[1].port.hold_until_ps = UNITS_PS_PER_MS;
	pair_start(pair);
	node = host_node(pair->host[1]);
	arp_request(&f, -1);
	for (int i = 0; i < 70; i++)
		arrive(pair, &f);
	ck_assert_uint_eq(node->ops->held(node), 64);
	ck_assert_uint_eq(node->ports[0].drops[DROP_HOST_QUEUE][0], 6);
	(void)pair_run(pair, 2 * UNITS_PS_PER_MS);
	ck_assert_uint_eq(seen.count, 64);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_answered, 64);
	end(pair);
}
END_TEST

/* A host that goes while answers wait takes them with it. */
START_TEST(answers_go_with_the_host)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct frame f;
	struct node *node;

	pair->cfg[1].port.hold_until_ps = UNITS_PS_PER_S;
	pair_start(pair);
	arp_request(&f, -1);
	arrive(pair, &f);
	node = host_node(pair->host[1]);
	ck_assert_uint_eq(node->ops->held(node), 1);
	pair_free(pair);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("neighbour");
	TCase *tc = suite_topic(suite, "answers");

	test_eal_init();
	tcase_add_test(tc, arp_is_answered);
	tcase_add_test(tc, a_probe_without_an_address_is_answered);
	tcase_add_test(tc, vlans_are_apart);
	tcase_add_loop_test(tc, arp_of_no_use, 0, RTE_DIM(arp_cases));
	tcase_add_test(tc, solicitations_are_answered);
	tcase_add_loop_test(tc, solicitations_of_no_use, 0, RTE_DIM(nd_cases));
	tcase_add_test(tc, echo_is_answered);
	tcase_add_test(tc, echo_with_its_data_elided);
	tcase_add_loop_test(tc, echo_of_no_use, 0, RTE_DIM(echo_cases));
	tcase_add_test(tc, echo_of_ipv6_is_answered);
	tcase_add_test(tc, answers_are_bounded);
	tcase_add_test(tc, answers_go_with_the_host);
	return suite_run(suite);
}
