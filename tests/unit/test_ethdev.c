/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port on a device: what comes in is stamped and in order, what goes out leaves when its time
 * has come, and a device that takes nothing makes a bounded queue. No clock is looked at.
 */
#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "frames.h"
#include "ring_pair.h"

#define PACKETS 4095u
#define DELAY_PS 1000000ULL
#define ROOM_BYTES 2048u

static struct rte_mempool *pool;
static struct rte_ring *rx, *tx;
static struct ethdev_port port;

static void
set_up(void)
{
	test_eal_init();
	if (pool == NULL)
		pool = packet_pool_create("ethdev", PACKETS, ROOM_BYTES);
	ck_assert_ptr_nonnull(pool);
	rx = ring_new(1024);
	tx = ring_new(64);
	ring_port_open(&port, rx, tx, pool, DELAY_PS);
}

static void
tear_down(void)
{
	struct rte_mbuf *m;

	ethdev_close(&port);
	while (rte_ring_dequeue(rx, (void **)&m) == 0 || rte_ring_dequeue(tx, (void **)&m) == 0)
		packet_free(m);
	rte_ring_free(rx);
	rte_ring_free(tx);
	ck_assert_uint_eq(rte_mempool_in_use_count(pool), 0);
}

/* As a driver leaves it: after the headroom, with traces of its last owner and of the driver. */
static struct rte_mbuf *
received(uint32_t bytes, uint8_t number)
{
	struct rte_mbuf *m = packet_alloc(pool);

	ck_assert_ptr_nonnull(m);
	memset(packet_of(m), 0xff, sizeof(struct packet));
	m->data_off = RTE_PKTMBUF_HEADROOM;
	m->data_len = (uint16_t)bytes;
	m->pkt_len = bytes;
	m->ol_flags = RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_IP_CKSUM_GOOD;
	memset(rte_pktmbuf_mtod(m, void *), number, bytes);
	return m;
}

static struct rte_mbuf *
take_in(uint64_t *arrival_ps)
{
	link_collect(port.to_node);
	*arrival_ps = link_next_ps(port.to_node);
	ck_assert_uint_ne(*arrival_ps, UNITS_NEVER_PS);
	return link_pop(port.to_node);
}

START_TEST(received_frames_are_blank_and_in_order)
{
	uint64_t arrival_ps, last_uid = 0;

	for (uint8_t i = 0; i < 100; i++)
		ck_assert_int_eq(rte_ring_enqueue(rx, received(200, i)), 0);
	ethdev_receive(&port, 5000);
	ethdev_receive(&port, 6000);
	ck_assert_uint_eq(port.counters.rx_packets, 100);
	/* 200 in memory, 4 of FCS on the wire */
	ck_assert_uint_eq(port.counters.rx_bytes, 100 * 204);
	for (uint8_t i = 0; i < 100; i++) {
		struct rte_mbuf *m = take_in(&arrival_ps);
		const struct packet *p = packet_of(m);

		ck_assert_uint_eq(*rte_pktmbuf_mtod(m, uint8_t *), i);
		ck_assert_uint_eq(arrival_ps, (i < ETHDEV_BURST ? 5000 : 6000) + DELAY_PS);
		ck_assert_uint_eq(p->tail_ps, arrival_ps);
		ck_assert_uint_eq(p->frame_bytes, 204);
		ck_assert_uint_eq(p->flags, 0);
		ck_assert(!p->elided);
		ck_assert_uint_eq(m->ol_flags, 0);
		ck_assert_uint_gt(p->uid, last_uid);
		last_uid = p->uid;
		packet_free(m);
	}
}
END_TEST

START_TEST(short_frames_count_as_the_smallest)
{
	uint64_t arrival_ps;
	struct rte_mbuf *m;

	ck_assert_int_eq(rte_ring_enqueue(rx, received(42, 1)), 0);
	ethdev_receive(&port, 0);
	m = take_in(&arrival_ps);
	ck_assert_uint_eq(packet_of(m)->frame_bytes, 64);
	ck_assert_uint_eq(m->data_len, 42);
	packet_free(m);
}
END_TEST

START_TEST(a_stripped_tag_is_put_back)
{
	struct rte_mbuf *m = received(100, 7);
	uint64_t arrival_ps;
	const uint8_t *frame;

	m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	m->vlan_tci = 3 << 13 | 100;
	ck_assert_int_eq(rte_ring_enqueue(rx, m), 0);
	ethdev_receive(&port, 0);
	m = take_in(&arrival_ps);
	frame = rte_pktmbuf_mtod(m, const uint8_t *);
	ck_assert_uint_eq(m->data_len, 104);
	ck_assert_uint_eq(packet_of(m)->frame_bytes, 108);
	ck_assert_uint_eq(frame[11], 7);
	ck_assert_int_eq(memcmp(frame + 12, (uint8_t[]){0x81, 0x00, 0x60, 0x64, 7, 7}, 6), 0);
	packet_free(m);
}
END_TEST

START_TEST(frames_in_pieces_are_refused)
{
	struct rte_mbuf *head = received(100, 1), *tail = received(50, 2);

	head->next = tail;
	head->nb_segs = 2;
	head->pkt_len = 150;
	ck_assert_int_eq(rte_ring_enqueue(rx, head), 0);
	ethdev_receive(&port, 0);
	ck_assert_uint_eq(port.counters.rx_refused, 1);
	ck_assert_uint_eq(port.counters.rx_packets, 0);
	ck_assert_uint_eq(ethdev_held(&port), 0);
}
END_TEST

/* A node's frame, whose last bit leaves at end_ps. */
static void
send_at(uint32_t frame_bytes, uint8_t number, uint64_t end_ps)
{
	struct rte_mbuf *m = received(frame_bytes - UNITS_FCS_BYTES, number);

	*packet_of(m) = (struct packet){.frame_bytes = RTE_MAX(frame_bytes, 64u)};
	link_send(&port.from_node, m, end_ps, end_ps);
}

START_TEST(frames_leave_when_their_time_has_come)
{
	struct rte_mbuf *m;

	send_at(100, 1, 1000);
	send_at(100, 2, 2000);
	ethdev_transmit(&port, 999);
	ck_assert_uint_eq(rte_ring_count(tx), 0);
	ck_assert_uint_eq(ethdev_held(&port), 2);
	ethdev_transmit(&port, 1000);
	ck_assert_uint_eq(rte_ring_count(tx), 1);
	ethdev_transmit(&port, 5000);
	ck_assert_uint_eq(rte_ring_count(tx), 2);
	ck_assert_uint_eq(port.counters.tx_packets, 2);
	ck_assert_uint_eq(port.counters.tx_bytes, 200);
	for (uint8_t i = 1; i <= 2; i++) {
		ck_assert_int_eq(rte_ring_dequeue(tx, (void **)&m), 0);
		ck_assert_uint_eq(*rte_pktmbuf_mtod(m, uint8_t *), i);
		packet_free(m);
	}
}
END_TEST

START_TEST(short_frames_are_padded_with_zeros)
{
	static const uint8_t zeros[18];
	struct rte_mbuf *m;

	send_at(46, 9, 0);
	ethdev_transmit(&port, 0);
	ck_assert_int_eq(rte_ring_dequeue(tx, (void **)&m), 0);
	ck_assert_uint_eq(m->pkt_len, 60);
	ck_assert_uint_eq(m->data_len, 60);
	ck_assert_uint_eq(rte_pktmbuf_mtod(m, uint8_t *)[41], 9);
	ck_assert_int_eq(memcmp(rte_pktmbuf_mtod_offset(m, uint8_t *, 42), zeros, 18), 0);
	packet_free(m);
}
END_TEST

/* The ring takes 63, ETHDEV_WAITING wait, and the rest has no place. */
START_TEST(a_device_that_takes_nothing_makes_a_bounded_queue)
{
	const uint32_t all = 63 + ETHDEV_WAITING + 10;
	struct rte_mbuf *m;
	uint32_t seen = 0;

	for (uint32_t i = 0; i < all; i++)
		send_at(100, (uint8_t)i, 0);
	port.link_due_ps = ETHDEV_LINK_UP_PS;
	ethdev_transmit(&port, 0);
	ck_assert_uint_eq(port.counters.tx_packets, 63);
	ck_assert_uint_eq(port.counters.tx_dropped, 10);
	/* It may have lost its link. */
	ck_assert_uint_eq(port.link_due_ps, ETHDEV_LINK_DOWN_PS);
	ck_assert_uint_eq(ethdev_held(&port), ETHDEV_WAITING);
	/* What waits is sent in order, once there is room. */
	while (seen < 63 + ETHDEV_WAITING) {
		uint32_t before = seen;

		while (rte_ring_dequeue(tx, (void **)&m) == 0) {
			ck_assert_uint_eq(*rte_pktmbuf_mtod(m, uint8_t *), (uint8_t)seen);
			packet_free(m);
			seen++;
		}
		ck_assert_uint_gt(seen, before);
		ethdev_transmit(&port, 0);
	}
	ck_assert_uint_eq(port.counters.tx_packets, 63 + ETHDEV_WAITING);
	ck_assert_uint_eq(ethdev_held(&port), 0);
}
END_TEST

START_TEST(closing_frees_what_waits)
{
	for (uint32_t i = 0; i < 200; i++)
		send_at(100, 1, i < 150 ? 0 : 1000);
	ethdev_transmit(&port, 0);
	ck_assert_uint_eq(ethdev_held(&port), 200 - 63);
	/* tear_down() counts. */
}
END_TEST

/* A driver's flow control, in place of DPDK's: what the two calls answer, and what was asked. */
static int get_rc, set_rc, set_without_forwarding_rc;
static struct rte_eth_fc_conf asked;

int
rte_eth_dev_flow_ctrl_get(uint16_t port_id, struct rte_eth_fc_conf *conf)
{
	*conf = (struct rte_eth_fc_conf){.mode = RTE_ETH_FC_FULL, .autoneg = 1, .pause_time = 77};
	return get_rc;
}

int
rte_eth_dev_flow_ctrl_set(uint16_t port_id, struct rte_eth_fc_conf *conf)
{
	asked = *conf;
	return conf->mac_ctrl_frame_fwd ? set_rc : set_without_forwarding_rc;
}

/* PFC matters on priorities `enable`; whether there is a doubt, and of which device. */
static const char *
doubt(bool hardware, uint8_t enable, int get, int set, int set_without_forwarding)
{
	const struct ethdev_cfg cfg = {.promiscuous = true, .hardware = hardware};
	struct node_port ports[1] = {{.cfg.pfc.enable = enable}};
	struct node node = {.ports = ports, .port_count = 1};

	get_rc = get;
	set_rc = set;
	set_without_forwarding_rc = set_without_forwarding;
	ethdev_close(&port);
	ring_port_open_with(&port, rx, tx, pool, &cfg);
	ethdev_attach(&port, &node, 0);
	return ethdev_pauses_doubt(&port);
}

START_TEST(drivers_that_may_keep_pauses_are_told_of)
{
	/* All that can be asked for: off, not negotiated, and frames passed on. */
	ck_assert_ptr_null(doubt(true, 8, 0, 0, 0));
	ck_assert_int_eq(asked.mode, RTE_ETH_FC_NONE);
	ck_assert_int_eq(asked.autoneg, 0);
	ck_assert_int_eq(asked.mac_ctrl_frame_fwd, 1);
	ck_assert_int_eq(asked.pause_time, 77);
	/* A device of software has no MAC that could. */
	ck_assert_ptr_null(doubt(false, 8, -ENOTSUP, 0, 0));
	ck_assert_ptr_nonnull(strstr(doubt(true, 8, -ENOTSUP, 0, 0), "does not say"));
	ck_assert_ptr_nonnull(strstr(doubt(true, 8, 0, -EINVAL, 0), "passes no MAC control"));
	ck_assert_ptr_nonnull(strstr(doubt(true, 8, 0, -EINVAL, -EINVAL), "would not turn"));
	/* Where nobody is paused there is nothing to say. */
	ck_assert_ptr_null(doubt(true, 0, 0, -EINVAL, -EINVAL));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ethdev");
	TCase *topic = suite_topic(suite, "receive");

	tcase_add_checked_fixture(topic, set_up, tear_down);
	tcase_add_test(topic, received_frames_are_blank_and_in_order);
	tcase_add_test(topic, short_frames_count_as_the_smallest);
	tcase_add_test(topic, a_stripped_tag_is_put_back);
	tcase_add_test(topic, frames_in_pieces_are_refused);
	topic = suite_topic(suite, "transmit");
	tcase_add_checked_fixture(topic, set_up, tear_down);
	tcase_add_test(topic, frames_leave_when_their_time_has_come);
	tcase_add_test(topic, short_frames_are_padded_with_zeros);
	tcase_add_test(topic, a_device_that_takes_nothing_makes_a_bounded_queue);
	tcase_add_test(topic, closing_frees_what_waits);
	topic = suite_topic(suite, "pauses");
	tcase_add_checked_fixture(topic, set_up, tear_down);
	tcase_add_test(topic, drivers_that_may_keep_pauses_are_told_of);
	return suite_run(suite);
}
