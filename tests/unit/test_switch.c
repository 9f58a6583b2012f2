/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The switch as a whole: classification, time, order, the frames it makes and refuses. At
 * 100 Gb/s a 64-byte frame takes 6,720 ps on the wire, a 1,000-byte frame 81,600 ps.
 */
#include "switch_rig.h"

static struct rig rig;

static void
open_default(void)
{
	rig_clear(&rig);
	rig_open(&rig, 1);
}

/* Every DSCP goes to the queue and is charged to the PG its maps say; so does every PCP. */
START_TEST(dscp_and_pcp_maps)
{
	for (int trust_pcp = 0; trust_pcp < 2; trust_pcp++) {
		rig_clear(&rig);
		rig.cfg.maps.trust_pcp = trust_pcp;
		for (uint8_t i = 0; i < 8; i++) {
			rig.cfg.maps.pcp_to_tc[i] = (uint8_t)(7 - i);
			rig.cfg.maps.tc_to_pg[i] = (i + 1) % 8;
			rig.cfg.maps.tc_to_queue[i] = (i + 2) % 8;
		}
		for (uint8_t i = 0; i < 64; i++)
			rig.cfg.maps.dscp_to_tc[i] = (uint8_t)(i * 5 % 8);
		rig_open(&rig, 1);
		for (uint8_t i = 0; i < 64; i++) {
			const struct frame_spec spec = {.from = 0,
							.to = 1,
							.dscp = i,
							.ipv6 = i & 1,
							.tagged = trust_pcp,
							.tci = (uint16_t)(i % 8 << 13)};
			uint8_t tc = trust_pcp ? (uint8_t)(7 - i % 8) : (uint8_t)(i * 5 % 8);
			uint64_t before = mmu_pg(&rig.sw->mmu, 0, (tc + 1) % 8)->packets;

			rig_feed(&rig, 0, &spec, rig.now_ps + RIG_CABLE_PS);
			rig_run(&rig, rig.now_ps + 3 * RIG_CABLE_PS);
			ck_assert_uint_eq(mmu_pg(&rig.sw->mmu, 0, (tc + 1) % 8)->packets,
					  before + 1);
		}
		for (uint8_t queue = 0; queue < 8; queue++)
			ck_assert_uint_eq(rig.sw->ports[1].queues[queue].tx_packets, 8);
		rig_close(&rig);
	}
}
END_TEST

/*
 * A dual ToR (SONiC's dualtor): its uplinks put DSCP 2 in a lossless class of its own, its other
 * ports do not. The port a frame comes in by says class and PG, the one it leaves by the queue.
 */
START_TEST(ports_have_maps_of_their_own)
{
	static struct switch_maps uplink;
	const struct frame_spec up = {.from = 0, .to = 1, .dscp = 2};
	const struct frame_spec down = {.from = 1, .to = 0, .dscp = 2};

	rig_clear(&rig);
	uplink = rig.cfg.maps;
	rig.cfg.maps.dscp_to_tc[2] = 9;
	rig.cfg.maps.tc_to_pg[9] = 5;
	rig.cfg.maps.tc_to_queue[9] = 1;
	uplink.dscp_to_tc[2] = 2;
	uplink.tc_to_pg[2] = 6;
	uplink.tc_to_queue[9] = 7;
	rig.cfg.port_maps = &uplink;
	rig.ports[1].maps = 1;
	rig_open(&rig, 1);
	rig_feed(&rig, 0, &up, rig.now_ps + RIG_CABLE_PS);
	rig_feed(&rig, 1, &down, rig.now_ps + RIG_CABLE_PS);
	rig_run(&rig, rig.now_ps + 3 * RIG_CABLE_PS);
	ck_assert_uint_eq(mmu_pg(&rig.sw->mmu, 0, 5)->packets, 1);
	ck_assert_uint_eq(rig.sw->ports[1].queues[7].tx_packets, 1);
	ck_assert_uint_eq(mmu_pg(&rig.sw->mmu, 1, 6)->packets, 1);
	ck_assert_uint_eq(rig.sw->ports[0].queues[2].tx_packets, 1);
	rig_close(&rig);
}
END_TEST

/* What has no DSCP, or no tag where tags are trusted, is traffic class 0. */
START_TEST(unmapped_is_class_zero)
{
	struct rte_mbuf *m;

	open_default();
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 0, .to = 1, .dscp = 63}, 1);
	frame_be16(rte_pktmbuf_mtod(m, uint8_t *) + 12, 0x0806);
	rig_feed_packet(&rig, 0, m, 5000000);
	rig_run(&rig, 9000000);
	ck_assert_uint_eq(rig.sw->ports[1].queues[0].tx_packets, 1);
	rig_close(&rig);
	rig_clear(&rig);
	/* Trusting PCP, an untagged frame still has its DSCP. */
	rig.cfg.maps.trust_pcp = true;
	rig.cfg.maps.dscp_to_tc[63] = 5;
	rig_open(&rig, 1);
	rig_feed(&rig, 0, &(const struct frame_spec){.from = 0, .to = 1, .dscp = 63}, 5000000);
	rig_run(&rig, 9000000);
	ck_assert_uint_eq(rig.sw->ports[1].queues[5].tx_packets, 1);
	rig_close(&rig);
}
END_TEST

/* Two PGs that pause one priority: it stays paused until both have let go. */
START_TEST(a_priority_waits_for_all_its_pgs)
{
	const uint64_t now_ps = 1000;
	const struct pfc_tx *tx;

	rig_clear(&rig);
	rig.cfg.maps.pg_to_pfc[4] = 3;
	rig.cfg.maps.tc_to_pg[2] = 3;
	rig_open(&rig, 1);
	tx = &rig.sw->node.ports[0].pfc_tx;
	rig.sw->node.ports[0].cfg.pfc.enable = 0xff;
	switch_pause_senders(rig.sw, 0, 3, true, now_ps);
	ck_assert_uint_eq(tx->wanted, 1 << 3 | 1 << 2); /* and every priority that fills it */
	switch_pause_senders(rig.sw, 0, 4, true, now_ps);
	ck_assert_uint_eq(tx->wanted, 1 << 3 | 1 << 2);
	switch_pause_senders(rig.sw, 0, 3, false, now_ps);
	ck_assert_uint_eq(tx->wanted, 1 << 3);
	switch_pause_senders(rig.sw, 0, 4, false, now_ps);
	ck_assert_uint_eq(tx->wanted, 0);
	rig_close(&rig);
}
END_TEST

/* A fixed latency delays what is queued, and not the pauses that come in. */
START_TEST(latency_is_behind_mac_control)
{
	const struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = 1000};

	rig_clear(&rig);
	rig.cfg.latency_ps = 700000;
	rig_open(&rig, 1);
	rig_feed(&rig, 0, &spec, 5000000);
	rig_run(&rig, 20000000);
	ck_assert_uint_eq(rig.count, 1);
	ck_assert_uint_eq(rig.departures[0].end_ps,
			  5700000 + units_frame_ps(1000, rig.ports[1].port.rate_bps));
	rig_close(&rig);
}
END_TEST

/* A whole frame that arrives at t starts to leave at t; a second one when the first is through. */
START_TEST(store_and_forward_times)
{
	const struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = 1000};

	open_default();
	rig_feed(&rig, 0, &spec, 5000000);
	rig_feed(&rig, 2, &spec, 5000000);
	rig_feed(&rig, 0, &spec, 9000000);
	rig_run(&rig, 20000000);
	ck_assert_uint_eq(rig.departures[0].end_ps, 5000000 + 81600);
	ck_assert_uint_eq(rig.departures[1].end_ps, 5000000 + 2 * 81600);
	ck_assert_uint_eq(rig.departures[2].end_ps, 9000000 + 81600);
	rig_close(&rig);
}
END_TEST

/*
 * Cut through after 64 bytes: the head of a 4,000-byte frame leaves long before its tail is in,
 * but its tail never leaves first; to a slower port it takes that port's time, from a slower
 * port it waits for the tail.
 */
START_TEST(cut_through_never_outruns_the_tail)
{
	static const struct {
		uint64_t in_bps, out_bps;
	} rows[] = {{100000000000, 100000000000},
		    {100000000000, 25000000000},
		    {25000000000, 100000000000},
		    {400000000000, 400000000000}};
	const struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = 4000};
	uint64_t in_ps = units_frame_ps(4000, rows[_i].in_bps);
	uint64_t out_ps = units_frame_ps(4000, rows[_i].out_bps);
	uint64_t head_ps, start_ps = 10000000, end_ps;

	rig_clear(&rig);
	rig.ports[1].port.rate_bps = rows[_i].out_bps;
	rig_open(&rig, 1);
	rig.in[0].cut_through_bytes = 64;
	link_send(&rig.in[0], frame_make(rig_pool, &spec, 1), start_ps, start_ps + in_ps);
	link_collect(&rig.in[0]);
	head_ps = link_next_ps(&rig.in[0]);
	ck_assert_uint_lt(head_ps, start_ps + RIG_CABLE_PS + in_ps / 50);
	agenda_set(&rig.sw->node.agenda, RIG_PORTS + 1, head_ps);
	rig_run(&rig, 100000000);
	end_ps = rig.departures[0].end_ps;
	ck_assert_uint_ge(end_ps, start_ps + RIG_CABLE_PS + in_ps);
	ck_assert_uint_ge(end_ps, head_ps + out_ps);
	ck_assert(end_ps == start_ps + RIG_CABLE_PS + in_ps || end_ps == head_ps + out_ps);
	rig_close(&rig);
}
END_TEST

/*
 * Frames that arrive at the very same instant for one port: over many instants each input is
 * first equally often. Six inputs, 3,000 instants: 500 each, sigma 20.4.
 */
START_TEST(same_instant_arrivals_take_turns)
{
	uint32_t firsts[RIG_PORTS] = {0};
	uint64_t at_ps = 5000000;

	open_default();
	for (int instant = 0; instant < 3000; instant++, at_ps += 1000000) {
		for (uint8_t port = 2; port < 8; port++)
			rig_feed(&rig, port, &(const struct frame_spec){.from = port, .to = 1},
				 at_ps);
		rig_run(&rig, at_ps + 900000);
		firsts[rig.departures[0].header[11]]++;
		ck_assert_uint_eq(rig.count, 6);
		rig.count = 0;
	}
	for (uint8_t port = 2; port < 8; port++)
		ck_assert_double_eq_tol(firsts[port], 500, 5 * 20.4);
	rig_close(&rig);
}
END_TEST

/*
 * A buffer with room for one of the frames that meet in it: none of the inputs loses more than
 * its share (a simulator that serves ports in index order starves the last).
 */
START_TEST(same_instant_drops_are_fair)
{
	uint64_t at_ps = 5000000;

	rig_clear(&rig);
	rig.cfg.mmu.pools[1] =
		(struct mmu_pool_cfg){.egress = true, .dynamic = true, .size_bytes = 208 * 4};
	rig.cfg.mmu.profiles[RIG_EGRESS] = (struct mmu_profile_cfg){.pool = 1, .dynamic_th = 0};
	rig_open(&rig, 1);
	for (int instant = 0; instant < 3000; instant++, at_ps += 1000000) {
		for (uint8_t port = 2; port < 8; port++)
			rig_feed(&rig, port, &(const struct frame_spec){.from = port, .to = 1},
				 at_ps);
		rig_run(&rig, at_ps + 900000);
		rig.count = 0;
	}
	/* The first is sent at once and two more fit: 1,500 of 3,000 each, sigma 27.4. */
	for (uint8_t port = 2; port < 8; port++)
		ck_assert_double_eq_tol((double)mmu_pg(&rig.sw->mmu, port, 0)->packets, 1500,
					5 * 27.4);
	ck_assert_uint_eq(rig.sw->ports[1].queues[0].dropped, 9000);
	ck_assert_uint_eq(rig_port(&rig, 1)->drops[DROP_EGRESS_LIMIT][0], 9000);
	rig_close(&rig);
}
END_TEST

/* The port's MTU is the largest frame with its FCS; a runt without a whole header is refused. */
START_TEST(mtu_and_runts)
{
	struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = 1518};
	struct rte_mbuf *m;

	rig_clear(&rig);
	rig.ports[0].mtu_bytes = 1518;
	rig_open(&rig, 1);
	rig_feed(&rig, 0, &spec, 5000000);
	spec.frame_bytes = 1519;
	rig_feed(&rig, 0, &spec, 5000001);
	rig_feed(&rig, 2, &spec, 5000001);
	m = packet_alloc(rig_pool);
	m->data_len = 13;
	packet_of(m)->frame_bytes = 17;
	rig_feed_packet(&rig, 0, m, 5000002);
	rig_run(&rig, 9000000);
	ck_assert_uint_eq(rig.count, 2);
	ck_assert_uint_eq(rig_port(&rig, 0)->drops[DROP_MTU][0], 1);
	ck_assert_uint_eq(rig_port(&rig, 0)->drops[DROP_MALFORMED][0], 1);
	ck_assert_uint_eq(rig.sw->node.counters.dropped_bytes, 1519 + 17);
	rig_close(&rig);
}
END_TEST

/* A bridge carries what layer 3 would call malformed; its cut headers must not be touched. */
START_TEST(malformed_ip_is_bridged)
{
	struct rte_mbuf *m;

	open_default();
	m = frame_make(rig_pool, &(const struct frame_spec){.from = 0, .to = 1}, 1);
	m->data_len = 20; /* a snap length that cuts the IP header */
	rig_feed_packet(&rig, 0, m, 5000000);
	rig_run(&rig, 9000000);
	ck_assert_uint_eq(rig_departed(&rig, 1), 1);
	ck_assert(rig.departures[0].flags & PACKET_MALFORMED);
	rig_close(&rig);
}
END_TEST

static struct rte_mbuf *
pfc_frame(uint8_t vector, uint16_t quanta)
{
	static const uint8_t source[6] = {0}; /* T5 of the SONiC tests: an empty one is accepted */
	uint16_t all[8];
	struct rte_mbuf *m = packet_alloc(rig_pool);

	for (int i = 0; i < 8; i++)
		all[i] = quanta;
	pfc_encode(m, source, vector, all);
	packet_of(m)->flags = 0; /* as it comes off the wire */
	return m;
}

/*
 * A port whose link goes down lets go of what it holds, paused or not, and of its peer's pauses;
 * what comes for it is dropped where it came in, flooding spares it, and its stations are
 * forgotten. When the link is back all is as before.
 */
START_TEST(a_link_goes_down_and_comes_back)
{
	const struct frame_spec to_1 = {.from = 0, .to = 1, .dscp = 24};
	const struct frame_spec to_stranger = {.from = 40, .to = 41};
	const struct frame_spec back = {.from = 41, .to = 40};

	open_default();
	rig_feed(&rig, 1, &back, 1500000); /* 41 is learned on port 1, 40 on port 2 */
	rig_feed(&rig, 2, &to_stranger, 1600000);
	rig_feed_packet(&rig, 1, pfc_frame(0x08, 65535), 2000000);
	rig_feed(&rig, 0, &to_1, 3000000);
	rig_run(&rig, 4000000);
	ck_assert_uint_eq(rig_departed(&rig, 1), 1);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_rx.paused, 0x08);

	node_set_link(&rig.sw->node, 1, false, 4000000);
	rig.count = 0;
	rig_feed(&rig, 0, &to_1, 6000000);
	rig_feed(&rig, 2, &to_stranger, 6000000);
	rig_run(&rig, 7000000);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_rx.paused, 0);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_rx.paused_ps[3], 2000000);
	/* Both are charged to the port that has no link: the one of its queue, and to_1. */
	ck_assert_uint_eq(rig_port(&rig, 1)->drops[DROP_LINK_DOWN][0], 1);
	ck_assert_uint_eq(rig_port(&rig, 1)->drops[DROP_LINK_DOWN][3], 1);
	ck_assert_uint_eq(rig_drops(&rig, DROP_LINK_DOWN), 2);
	ck_assert_uint_eq(rig_departed(&rig, 1), 0);
	ck_assert_uint_eq(rig.count, RIG_PORTS - 2); /* the stranger's may be anywhere else */
	ck_assert_uint_eq(rig.sw->held_packets, 0);
	ck_assert_uint_eq(rig.sw->mmu.held_cells, 0);

	node_set_link(&rig.sw->node, 1, true, 7000000);
	rig.count = 0;
	rig_feed(&rig, 0, &to_1, 9000000);
	rig_run(&rig, 10000000);
	ck_assert_uint_eq(rig.count, 1);
	ck_assert_uint_eq(rig_departed(&rig, 1), 1);
	ck_assert_uint_eq(rig_drops(&rig, DROP_LINK_DOWN), 2);
	rig_close(&rig);
}
END_TEST

/* PFC stops exactly the queue its map names, is obeyed by the port it came to, and goes no further.
 */
START_TEST(received_pfc_stops_one_queue_of_one_port)
{
	open_default();
	rig_feed_packet(&rig, 1, pfc_frame(0x08, 65535), 2000000);
	for (uint8_t priority = 0; priority < 8; priority++) {
		struct frame_spec spec = {.from = 0, .to = 1, .dscp = (uint8_t)(8 * priority)};

		rig_feed(&rig, 0, &spec, 3000000 + priority);
		spec.to = 2;
		rig_feed(&rig, 0, &spec, 3000000 + priority);
	}
	rig_run(&rig, 300 * UNITS_PS_PER_US);
	ck_assert_uint_eq(rig_departed(&rig, 1), 7);
	ck_assert_uint_eq(rig_departed(&rig, 2), 8);
	ck_assert_uint_eq(rig.count, 15); /* not forwarded anywhere */
	for (uint32_t i = 0; i < rig.count; i++)
		ck_assert(rig.departures[i].port == 2 ||
			  rig.departures[i].traffic_class != 24 << 2);
	/* 65,535 quanta are 335,539,200 ps. */
	rig_run(&rig, 2000000 + 335539200);
	ck_assert_uint_eq(rig.count, 15);
	rig_run(&rig, UNITS_PS_PER_MS);
	ck_assert_uint_eq(rig.count, 16);
	ck_assert_uint_eq(rig.departures[15].end_ps, 2000000 + 335539200 + 6720);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_rx.paused_ps[3], 335539200);
	rig_close(&rig);
}
END_TEST

/* The map from received priority to queue; a priority that is not enabled is not obeyed. */
START_TEST(received_pfc_uses_its_map)
{
	rig_clear(&rig);
	rig.cfg.maps.pfc_to_queue[3] = 6;
	rig_open(&rig, 1);
	rig_feed_packet(&rig, 1, pfc_frame(0xff, 65535), 2000000);
	for (uint8_t priority = 0; priority < 8; priority++)
		rig_feed(&rig, 0,
			 &(const struct frame_spec){
				 .from = 0, .to = 1, .dscp = (uint8_t)(8 * priority)},
			 3000000 + priority);
	rig_run(&rig, 100 * UNITS_PS_PER_US);
	ck_assert_uint_eq(rig_departed(&rig, 1), 6);
	ck_assert_uint_eq(rig.sw->ports[1].queues[3].tx_packets, 1);
	ck_assert_uint_eq(rig.sw->ports[1].queues[6].packets, 1); /* by the map */
	ck_assert_uint_eq(rig.sw->ports[1].queues[4].packets, 1); /* its own */
	rig_run(&rig, UNITS_PS_PER_MS);
	ck_assert_uint_eq(rig_departed(&rig, 1), 8);
	rig_close(&rig);
}
END_TEST

/* 30 frames of one cell into a PG of 10: XOFF is a frame of the in port, its priority by the map.
 */
START_TEST(sent_pfc_carries_the_ports_own_address)
{
	const struct frame_spec spec = {.from = 4, .to = 1, .dscp = 24};
	const struct rig_departure *pfc = NULL;

	rig_clear(&rig);
	rig.ports[1].port.hold_until_ps = 100000000;
	rig.cfg.maps.pg_to_pfc[3] = 4;
	rig.cfg.mmu.profiles[RIG_LOSSLESS] = (struct mmu_profile_cfg){
		.is_static = true, .static_th_bytes = 2080, .lossless = true, .xoff_bytes = 20800};
	rig_open(&rig, 1);
	for (uint64_t i = 0; i < 30; i++)
		rig_feed(&rig, 4, &spec, 5000000 + i * 6720);
	rig_run(&rig, 90000000);
	ck_assert_uint_eq(rig.count, 1);
	pfc = &rig.departures[0];
	ck_assert_uint_eq(pfc->port, 4);
	ck_assert_uint_eq(pfc->end_ps, 5000000 + 9 * 6720 + 6720); /* after the tenth */
	ck_assert_uint_eq(pfc->frame_bytes, 64);
	ck_assert_mem_eq(pfc->header + 6, rig.ports[4].port.mac, 6);
	ck_assert_uint_eq(pfc->header[17], 0x10);
	ck_assert_uint_eq(pfc->header[26] << 8 | pfc->header[27], 65535);
	rig_run(&rig, UNITS_PS_PER_MS);
	ck_assert_uint_eq(rig_departed(&rig, 1), 30);
	ck_assert_uint_eq(rig_departed(&rig, 4), 2); /* and XON */
	ck_assert_uint_eq(rig_drops(&rig, DROP_INGRESS_HEADROOM), 0);
	rig_close(&rig);
}
END_TEST

/* With PFC off on the port nothing is sent, and the headroom does end. */
START_TEST(no_pfc_where_it_is_not_enabled)
{
	const struct frame_spec spec = {.from = 4, .to = 1, .dscp = 24};

	rig_clear(&rig);
	rig.ports[4].port.pfc.enable = 0x10;
	rig.ports[1].port.hold_until_ps = 100000000;
	rig.cfg.mmu.profiles[RIG_LOSSLESS] = (struct mmu_profile_cfg){
		.is_static = true, .static_th_bytes = 2080, .lossless = true, .xoff_bytes = 2080};
	rig_open(&rig, 1);
	for (uint64_t i = 0; i < 30; i++)
		rig_feed(&rig, 4, &spec, 5000000 + i * 6720);
	rig_run(&rig, 90000000);
	ck_assert_uint_eq(rig.count, 0);
	ck_assert_uint_eq(rig_port(&rig, 4)->drops[DROP_INGRESS_HEADROOM][3], 10);
	rig_run(&rig, UNITS_PS_PER_MS);
	ck_assert_uint_eq(rig.count, 20);
	rig_close(&rig);
}
END_TEST

/*
 * The ideal pipeline: the same load into a buffer that would mark, pause and drop it all comes
 * out, in order, unmarked.
 */
START_TEST(ideal_never_marks_pauses_or_drops)
{
	static const struct wred_cfg always = {
		.mark = {.enable = true, .probability_q32 = 1ULL << 32},
		.drop = {.enable = true, .probability_q32 = 1ULL << 32}};
	struct frame_spec spec = {.to = 1, .dscp = 24, .frame_bytes = 1518};

	rig_clear(&rig);
	snprintf(rig.cfg.pipeline, sizeof(rig.cfg.pipeline), "ideal");
	rig.cfg.wred = &always;
	rig.cfg.wred_count = 1;
	rig.ports[1].wred[3] = 0;
	rig.cfg.mmu = (struct mmu_cfg){.cell_bytes = 208, .partitions = 1};
	rig_open(&rig, 1);
	for (uint32_t i = 0; i < 12000; i++) {
		spec.from = (uint8_t)(2 + i % 6);
		spec.ecn = i % 3;
		rig_feed(&rig, spec.from, &spec, 5000000 + i / 6 * 123040);
	}
	rig_run(&rig, 5 * UNITS_PS_PER_MS);
	ck_assert_uint_eq(rig.count, 12000);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	ck_assert_uint_eq(rig.sw->node.counters.marked, 0);
	ck_assert_uint_eq(rig.sw->node.counters.created, 0); /* no PFC */
	for (uint32_t i = 0; i < rig.count; i++)
		EXPECT(rig.departures[i].end_ps == 5000000 + (i + 1) * 123040ULL);
	rig_close(&rig);
}
END_TEST

/* At one instant buffers are freed before frames are admitted: a full pool takes one more. */
START_TEST(departure_frees_room_for_an_arrival_of_the_same_instant)
{
	const struct frame_spec spec = {.from = 0, .to = 1};

	rig_clear(&rig);
	rig.cfg.mmu.pools[1] = (struct mmu_pool_cfg){.egress = true, .size_bytes = 208};
	rig.cfg.mmu.profiles[RIG_EGRESS] =
		(struct mmu_profile_cfg){.pool = 1, .is_static = true, .static_th_bytes = 208};
	rig_open(&rig, 1);
	rig_feed(&rig, 0, &spec, 5000000);        /* leaves at once */
	rig_feed(&rig, 0, &spec, 5000001);        /* waits until 5,006,720 */
	rig_feed(&rig, 2, &spec, 5000000 + 6719); /* no room */
	rig_feed(&rig, 3, &spec, 5000000 + 6720); /* just in time */
	rig_run(&rig, 9000000);
	ck_assert_uint_eq(rig.count, 3);
	ck_assert_uint_eq(rig_drops(&rig, DROP_EGRESS_LIMIT), 1);
	rig_close(&rig);
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *classes = suite_topic(suite, "classes");
	TCase *times = suite_topic(suite, "times");
	TCase *refusals = suite_topic(suite, "refusals");
	TCase *pauses = suite_topic(suite, "pauses");

	tcase_add_test(classes, dscp_and_pcp_maps);
	tcase_add_test(classes, ports_have_maps_of_their_own);
	tcase_add_test(classes, unmapped_is_class_zero);
	tcase_add_test(times, latency_is_behind_mac_control);
	tcase_add_test(pauses, a_priority_waits_for_all_its_pgs);
	tcase_add_test(times, store_and_forward_times);
	tcase_add_loop_test(times, cut_through_never_outruns_the_tail, 0, 4);
	tcase_add_test(times, same_instant_arrivals_take_turns);
	tcase_add_test(times, same_instant_drops_are_fair);
	tcase_add_test(times, departure_frees_room_for_an_arrival_of_the_same_instant);
	tcase_add_test(times, ideal_never_marks_pauses_or_drops);
	tcase_add_test(refusals, a_link_goes_down_and_comes_back);
	tcase_add_test(refusals, mtu_and_runts);
	tcase_add_test(refusals, malformed_ip_is_bridged);
	tcase_add_test(pauses, received_pfc_stops_one_queue_of_one_port);
	tcase_add_test(pauses, received_pfc_uses_its_map);
	tcase_add_test(pauses, sent_pfc_carries_the_ports_own_address);
	tcase_add_test(pauses, no_pfc_where_it_is_not_enabled);
}

int
main(void)
{
	Suite *suite = suite_create("switch");

	rig_set_up_pool();
	add_cases(suite);
	return suite_run(suite);
}
