/* SPDX-License-Identifier: BSD-3-Clause */
/* Where frames go: 802.1D learning and flooding, RFC 1812 hops, and the choice among members. */
#include "switch_rig.h"

static struct rig rig;

/* Feed one frame, run until it is gone; the ports it left by as a bit mask. */
static uint32_t
ports_of(uint16_t port, const struct frame_spec *spec)
{
	uint64_t uid = rig_feed(&rig, port, spec, rig.now_ps + RIG_CABLE_PS);
	uint32_t mask = 0, from = rig.count;

	rig_run(&rig, rig.now_ps + 10 * RIG_CABLE_PS);
	for (uint32_t i = from; i < rig.count; i++) {
		ck_assert_uint_eq(rig.departures[i].uid, uid);
		ck_assert(!(mask >> rig.departures[i].port & 1));
		mask |= 1u << rig.departures[i].port;
	}
	return mask;
}

static uint32_t
ports_of_pair(uint16_t port, uint8_t from, uint8_t to)
{
	return ports_of(port, &(const struct frame_spec){.from = from, .to = to});
}

#define ALL_PORTS ((1u << RIG_PORTS) - 1)

static void
open_layer2(void)
{
	rig_clear(&rig);
	rig_open(&rig, 1);
}

START_TEST(static_entries_lead_to_their_port)
{
	open_layer2();
	for (uint8_t to = 1; to < RIG_PORTS; to++)
		ck_assert_uint_eq(ports_of_pair(0, 0, to), 1u << to);
	ck_assert_uint_eq(rig.sw->node.counters.copied, 0);
	rig_close(&rig);
}
END_TEST

/* Unknown unicast, broadcast and multicast leave by all ports but the one they came in by. */
START_TEST(flooding_spares_the_port_it_came_from)
{
	open_layer2();
	for (uint16_t port = 0; port < RIG_PORTS; port++) {
		ck_assert_uint_eq(ports_of_pair(port, (uint8_t)port, 40),
				  ALL_PORTS & ~(1u << port));
		ck_assert_uint_eq(ports_of_pair(port, (uint8_t)port, 0xff),
				  ALL_PORTS & ~(1u << port));
	}
	ck_assert_uint_eq(rig.sw->node.counters.copied, 2 * RIG_PORTS * (RIG_PORTS - 2));
	rig_close(&rig);
}
END_TEST

/* Copies are alike but separate: each is counted and queued on its own. */
START_TEST(flooded_copies_are_equal)
{
	const struct frame_spec spec = {.from = 3, .to = 0xff, .dscp = 26, .frame_bytes = 1000};

	open_layer2();
	ports_of(3, &spec);
	ck_assert_uint_eq(rig.count, RIG_PORTS - 1);
	for (uint32_t i = 1; i < rig.count; i++) {
		ck_assert_mem_eq(rig.departures[i].header, rig.departures[0].header, 54);
		ck_assert_uint_eq(rig.departures[i].frame_bytes, 1000);
		ck_assert_uint_eq(rig.departures[i].end_ps, rig.departures[0].end_ps);
	}
	rig_close(&rig);
}
END_TEST

START_TEST(learns_and_follows_a_station_that_moves)
{
	const struct forwarding *f;

	open_layer2();
	f = &rig.sw->forwarding;
	ck_assert_uint_eq(ports_of_pair(5, 40, 1), 1 << 1);
	ck_assert_uint_eq(f->learned, 1);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), 1 << 5);
	ck_assert_uint_eq(ports_of_pair(9, 40, 1), 1 << 1);
	ck_assert_uint_eq(f->moved, 1);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), 1 << 9);
	/* On its own port it needs no forwarding. */
	ck_assert_uint_eq(ports_of_pair(9, 41, 40), 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_SAME_PORT), 1);
	rig_close(&rig);
}
END_TEST

START_TEST(static_entries_do_not_move)
{
	open_layer2();
	ck_assert_uint_eq(ports_of_pair(9, 3, 1), 1 << 1); /* 3 pretends to be on port 9 */
	ck_assert_uint_eq(ports_of_pair(1, 1, 3), 1 << 3);
	ck_assert_uint_eq(rig.sw->forwarding.moved, 0);
	ck_assert_uint_eq(rig.sw->forwarding.learned, 0);
	rig_close(&rig);
}
END_TEST

/* A learned entry is forgotten aging_ps after it was last seen; a static one never. */
START_TEST(aging_forgets_the_silent)
{
	rig_clear(&rig);
	rig.cfg.forwarding.aging_ps = UNITS_PS_PER_MS;
	rig_open(&rig, 1);
	ports_of_pair(5, 40, 1);
	rig_run(&rig, rig.now_ps + 900 * UNITS_PS_PER_US);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), 1 << 5);
	ports_of_pair(5, 40, 1); /* heard again */
	rig_run(&rig, rig.now_ps + 900 * UNITS_PS_PER_US);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), 1 << 5); /* hearing of it is not hearing it */
	rig_run(&rig, rig.now_ps + 200 * UNITS_PS_PER_US);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), ALL_PORTS & ~(1u << 1));
	ck_assert_uint_eq(ports_of_pair(1, 1, 3), 1 << 3);
	ports_of_pair(6, 40, 1);
	ck_assert_uint_eq(ports_of_pair(1, 1, 40), 1 << 6);
	rig_close(&rig);
}
END_TEST

/* The same address in two VLANs is two stations. */
START_TEST(vlans_learn_apart)
{
	struct frame_spec from = {.from = 40, .to = 1, .tagged = true, .tci = 7 << 13 | 100};
	struct frame_spec to = {.from = 1, .to = 40, .tagged = true, .tci = 100};

	open_layer2();
	ports_of(5, &from);
	from.tci = 101;
	ports_of(6, &from);
	ck_assert_uint_eq(ports_of(1, &to), 1 << 5); /* whatever the PCP */
	to.tci = 101;
	ck_assert_uint_eq(ports_of(1, &to), 1 << 6);
	to.tci = 102;
	ck_assert_uint_eq(ports_of(1, &to), ALL_PORTS & ~(1u << 1));
	to.tagged = false;
	ck_assert_uint_eq(ports_of(1, &to), ALL_PORTS & ~(1u << 1));
	rig_close(&rig);
}
END_TEST

/* 802.1Q table 8-1: 01:80:c2:00:00:00 to :0f stay on the link, :10 is an ordinary group. */
START_TEST(link_local_groups_are_not_forwarded)
{
	open_layer2();
	for (uint8_t last = 0; last <= 0x10; last++) {
		const uint8_t mac[6] = {0x01, 0x80, 0xc2, 0, 0, last};
		struct rte_mbuf *m = frame_make(rig_pool, &(const struct frame_spec){.from = 1}, 1);

		memcpy(rte_pktmbuf_mtod(m, uint8_t *), mac, 6);
		rig_feed_packet(&rig, 1, m, rig.now_ps + RIG_CABLE_PS);
		rig_run(&rig, rig.now_ps + 10 * RIG_CABLE_PS);
		ck_assert_uint_eq(rig.count, last == 0x10 ? RIG_PORTS - 1 : 0);
	}
	ck_assert_uint_eq(rig_drops(&rig, DROP_LINK_LOCAL), 16);
	rig_close(&rig);
}
END_TEST

/* A full table learns no more and says so; frames still arrive, by flooding. */
START_TEST(full_table_floods)
{
	rig_clear(&rig);
	rig.cfg.forwarding.fdb_size = 32;
	rig_open(&rig, 1);
	for (uint8_t station = 20; station < 220; station++)
		ck_assert_uint_eq(ports_of_pair(5, station, 1), 1 << 1);
	ck_assert_uint_gt(rig.sw->forwarding.table_full, 0);
	ck_assert_uint_ge(rig.sw->forwarding.learned + rig.sw->forwarding.table_full, 200);
	ck_assert_uint_eq(ports_of_pair(1, 1, 219), ALL_PORTS & ~(1u << 1));
	ck_assert_uint_eq(ports_of_pair(1, 1, 3), 1 << 3);
	rig_close(&rig);
}
END_TEST

/* A group is no sender: it is not learned, or unicast to it would follow. */
START_TEST(group_sources_are_not_learned)
{
	open_layer2();
	ports_of_pair(5, 0xff, 1);
	ck_assert_uint_eq(rig.sw->forwarding.learned, 0);
	ck_assert_uint_eq(ports_of_pair(1, 1, 0xff), ALL_PORTS & ~(1u << 1));
	rig_close(&rig);
}
END_TEST

START_TEST(uncabled_port_is_link_down)
{
	open_layer2();
	node_attach(&rig.sw->node, 3, NULL, &rig.in[3]);
	ck_assert_uint_eq(ports_of_pair(1, 1, 3), 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_LINK_DOWN), 1);
	ck_assert_uint_eq(ports_of_pair(1, 1, 0xff), ALL_PORTS & ~(1u << 1 | 1u << 3));
	rig_close(&rig);
}
END_TEST

/* 10.0.0.0/8 -> 1, 10.0.0.0/24 -> 2, 10.0.0.7/32 -> 3, fd00::/64 -> 4, fd00::7/128 -> 5. */
static struct route_cfg routes[] = {
	{.address = {10}, .prefix_bits = 8},
	{.address = {10}, .prefix_bits = 24},
	{.address = {10, 0, 0, 7}, .prefix_bits = 32},
	{.is_ipv6 = true, .address = {0xfd}, .prefix_bits = 64},
	{.is_ipv6 = true, .address = {[0] = 0xfd, [15] = 7}, .prefix_bits = 128},
};

static void
open_layer3(void)
{
	rig_clear(&rig);
	for (uint16_t i = 0; i < 5; i++) {
		routes[i].hop.member_count = 1;
		routes[i].hop.ports[0] = i + 1;
		frame_station(routes[i].hop.mac[0], (uint8_t)(0x80 + i + 1));
	}
	rig.cfg.forwarding =
		(struct forwarding_cfg){.layer3 = true, .route_count = 5, .routes = routes};
	rig_open(&rig, 1);
}

START_TEST(longest_prefix_wins)
{
	struct frame_spec spec = {.from = 1, .to = 9};

	open_layer3();
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 2);
	spec.to = 7;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 3);
	spec.ipv6 = true;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 5);
	spec.to = 9;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 4);
	/* A router may send it back where it came from. */
	ck_assert_uint_eq(ports_of(4, &spec), 1 << 4);
	rig_close(&rig);
}
END_TEST

/*
 * Hosts 10.0.0.7, .8 and .9 hang on another switch, behind port 1; configured are 10.0.0.0/24 by
 * port 2 and 10.0.0.7/32 by port 3. When port 1 is down, .8 and .9 fall back to the prefix.
 */
START_TEST(host_routes_are_whole_addresses)
{
	const struct host_address hosts[3] = {
		{{10, 0, 0, 7}, 0}, {{10, 0, 0, 8}, 0}, {{10, 0, 0, 9}, 0}};
	const struct next_hop hop = {.weight = 1, .port = 1, .mac = {2, 1}};
	struct frame_spec spec = {.from = 1, .to = 9};
	struct host_directory directory;
	uint8_t down[8] = {[1] = 1};
	struct host_routes table;

	ck_assert_int_eq(host_directory_init(&directory, hosts, 3), 0);
	for (int i = 0; i < 3; i++)
		directory.places[i] = (struct host_place){.edge = 1};
	ck_assert_int_eq(host_routes_init(&table, &directory, 2, 0), 0);
	ck_assert_int_eq(next_hops_add(&table.hops, &hop, 1, &table.by_edge[1]), 0);
	open_layer3();
	rig.sw->forwarding.hosts = &table;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 1);
	ck_assert_mem_eq(rig.departures[0].header, hop.mac, 6);
	spec.to = 7;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 3);
	spec.to = 10;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 2);
	next_hops_without(&table.hops, down);
	spec.to = 9;
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 2);
	/* Configured routes lose ports as well, and get them back. */
	down[2] = 1;
	ck_assert_int_eq(forwarding_follow_ports(&rig.sw->forwarding, down), 0);
	ck_assert_uint_eq(ports_of(0, &spec), 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_NO_ROUTE), 1);
	memset(down, 0, sizeof(down));
	ck_assert_int_eq(forwarding_follow_ports(&rig.sw->forwarding, down), 0);
	ck_assert_uint_eq(ports_of(0, &spec), 1 << 2);
	rig_close(&rig);
	host_routes_fini(&table);
	host_directory_fini(&directory);
}
END_TEST

/* Both addresses rewritten, one hop less, the checksum as a recount has it, and no more. */
START_TEST(hop_rewrites_the_header)
{
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		const struct frame_spec spec = {
			.from = 1, .to = 9, .ipv6 = ipv6, .dscp = 26, .frame_bytes = 200};
		uint16_t out = ipv6 ? 4 : 2;
		uint8_t wanted[128], mac[6];

		open_layer3();
		ck_assert_uint_eq(ports_of(0, &spec), 1u << out);
		frame_write(wanted, &spec, 200);
		frame_station(mac, (uint8_t)(0x80 + out));
		memcpy(wanted, mac, 6);
		memcpy(wanted + 6, rig.ports[out].port.mac, 6);
		wanted[ipv6 ? 21 : 22] = 63;
		if (!ipv6) {
			frame_be16(wanted + 24, 0);
			frame_be16(wanted + 24, ~frame_ones_sum(wanted + 14, 20));
		}
		ck_assert_mem_eq(rig.departures[0].header, wanted, 54);
		rig_close(&rig);
	}
}
END_TEST

/* RFC 1624, by recount, for every checksum there is. */
START_TEST(ttl_checksum_is_a_recount)
{
	const uint8_t(*macs)[6];
	struct rte_mbuf *m;
	uint8_t *ip;

	open_layer3();
	macs = (const uint8_t(*)[6])rig.sw->port_macs;
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 1, .to = 9}, 1);
	packet_parse(m);
	ip = rte_pktmbuf_mtod(m, uint8_t *) + 14;
	for (uint32_t id = 0; id < 65536; id++) {
		enum drop_reason reason;
		uint32_t got;
		uint16_t port;

		ip[8] = 64;
		frame_be16(ip + 4, id);
		frame_be16(ip + 10, 0);
		frame_be16(ip + 10, ~frame_ones_sum(ip, 20));
		EXPECT(forwarding_layer3(&rig.sw->forwarding, m, macs, 0, &port, &reason) ==
		       FORWARDING_UNICAST);
		got = (uint32_t)ip[10] << 8 | ip[11];
		frame_be16(ip + 10, 0);
		EXPECT(got == (~frame_ones_sum(ip, 20) & 0xffff));
	}
	packet_free(m);
	rig_close(&rig);
}
END_TEST

START_TEST(what_cannot_be_routed_is_dropped)
{
	struct frame_spec spec = {.from = 1, .to = 9, .ttl = 1};
	struct rte_mbuf *m;

	open_layer3();
	ck_assert_uint_eq(ports_of(0, &spec), 0);
	spec.ipv6 = true;
	ck_assert_uint_eq(ports_of(0, &spec), 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_TTL), 2);
	spec = (struct frame_spec){.from = 1, .to = 0xff}; /* a group address at layer 2 */
	ck_assert_uint_eq(ports_of(0, &spec), 0);
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 1, .to = 9}, 1);
	rte_pktmbuf_mtod(m, uint8_t *)[30] = 11; /* 11.0.0.9: no route */
	rig_feed_packet(&rig, 0, m, rig.now_ps + RIG_CABLE_PS);
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 1, .to = 9}, 1);
	frame_be16(rte_pktmbuf_mtod(m, uint8_t *) + 12, 0x0806); /* not IP */
	rig_feed_packet(&rig, 1, m, rig.now_ps + RIG_CABLE_PS);
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 1, .to = 9}, 1);
	rte_pktmbuf_mtod(m, uint8_t *)[14] = 0x41; /* malformed */
	rig_feed_packet(&rig, 2, m, rig.now_ps + RIG_CABLE_PS);
	rig_run(&rig, rig.now_ps + 10 * RIG_CABLE_PS);
	ck_assert_uint_eq(rig.count, 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_NO_ROUTE), 3);
	ck_assert_uint_eq(rig_drops(&rig, DROP_MALFORMED), 1);
	rig_close(&rig);
}
END_TEST

/* A next hop of `count` members, as a table of its own. */
static struct route_cfg wide = {.prefix_bits = 0};

static void
open_members(struct forwarding *f, struct forwarding_cfg *cfg, uint16_t count, uint64_t seed)
{
	wide.hop.member_count = count;
	for (uint16_t i = 0; i < count; i++)
		wide.hop.ports[i] = i;
	*cfg = (struct forwarding_cfg){
		.layer3 = true, .route_count = 1, .routes = &wide, .balancer.hash.seed = seed};
	ck_assert_int_eq(forwarding_init(f, cfg, count), 0);
}

static uint16_t
member_of(struct forwarding *f, uint32_t flow)
{
	static const uint8_t macs[64][6];
	const struct frame_spec spec = {.from = (uint8_t)(flow >> 14),
					.to = 9,
					.source_port = (uint16_t)(0xc000 | (flow & 0x3fff))};
	struct rte_mbuf *m = frame_make(rig_pool, &spec, 1);
	enum drop_reason reason;
	uint16_t port;

	packet_parse(m);
	EXPECT(forwarding_layer3(f, m, macs, 0, &port, &reason) == FORWARDING_UNICAST);
	packet_free(m);
	return port;
}

/* However often, however marked: a flow keeps its member. */
START_TEST(member_is_by_flow)
{
	struct forwarding_cfg cfg;
	struct forwarding f;

	open_members(&f, &cfg, 16, 5);
	for (uint32_t flow = 0; flow < 200; flow++) {
		uint16_t port = member_of(&f, flow);

		for (int again = 0; again < 5; again++)
			ck_assert_uint_eq(member_of(&f, flow), port);
	}
	forwarding_fini(&f);
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *layer2 = suite_topic(suite, "layer 2");
	TCase *layer3 = suite_topic(suite, "layer 3");
	TCase *members = suite_topic(suite, "members");

	tcase_add_test(layer2, static_entries_lead_to_their_port);
	tcase_add_test(layer2, flooding_spares_the_port_it_came_from);
	tcase_add_test(layer2, flooded_copies_are_equal);
	tcase_add_test(layer2, learns_and_follows_a_station_that_moves);
	tcase_add_test(layer2, static_entries_do_not_move);
	tcase_add_test(layer2, aging_forgets_the_silent);
	tcase_add_test(layer2, vlans_learn_apart);
	tcase_add_test(layer2, link_local_groups_are_not_forwarded);
	tcase_add_test(layer2, full_table_floods);
	tcase_add_test(layer2, group_sources_are_not_learned);
	tcase_add_test(layer2, uncabled_port_is_link_down);
	tcase_add_test(layer3, longest_prefix_wins);
	tcase_add_test(layer3, host_routes_are_whole_addresses);
	tcase_add_test(layer3, hop_rewrites_the_header);
	tcase_add_test(layer3, ttl_checksum_is_a_recount);
	tcase_add_test(layer3, what_cannot_be_routed_is_dropped);
	tcase_add_test(members, member_is_by_flow);
}

int
main(void)
{
	Suite *suite = suite_create("forwarding");

	rig_set_up_pool();
	add_cases(suite);
	return suite_run(suite);
}
