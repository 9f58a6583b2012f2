/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real engine, with clocks brought along: nodes on devices exchange what they send, pauses
 * cross, a loop that was held up follows in slices, and nodes of one process do to each other
 * exactly what they do in virtual time.
 */
#define TEST_EAL_LCORES "(0-1)@0"

#include <errno.h>

#include <rte_ethdev.h>

#include "engine_real.h"
#include "ring_pair.h"
#include "station.h"

#define GBPS 1000000000ULL
#define PACKETS 8191u
#define TURN_PS UNITS_PS_PER_US
/* 1,000 bytes, preamble and gap at 10 Gb/s */
#define FRAME_PS 816000ULL

static struct rte_mempool *pool;
static struct station a, b;
static struct node *nodes[] = {&a.node, &b.node};
static struct engine_virtual inner;
static struct engine_real e;

static const struct node_port_cfg port_cfg = {
	.rate_bps = 10 * GBPS,
	.mac = {2, 0, 0, 0, 0, 1},
	.pfc = {.enable = 1 << 3, .quanta = 65535, .refresh_ps = UNITS_PS_PER_S},
};

static const struct frame_spec to_b = {.from = 0, .to = 1, .frame_bytes = 1000};

/* Devices send what is in memory: the whole frame. */
static struct rte_mbuf *
whole_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	struct rte_mbuf *m = station_dequeue(node, port, now_ps, next_ps);
	uint32_t bytes;

	if (m == NULL)
		return NULL;
	bytes = packet_of(m)->frame_bytes - UNITS_FCS_BYTES;
	if (bytes > m->data_len)
		memset(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len), 0, bytes - m->data_len);
	m->data_len = (uint16_t)bytes;
	m->pkt_len = bytes;
	return m;
}

static struct node_ops whole_ops;

static void
set_up(void)
{
	test_eal_init();
	if (pool == NULL)
		pool = packet_pool_create("engine_real", PACKETS, 2048);
	ck_assert_ptr_nonnull(pool);
	station_init(&a, 0, 1, pool, &port_cfg);
	station_init(&b, 1, 1, pool, &port_cfg);
	whole_ops = station_ops;
	whole_ops.dequeue = whole_dequeue;
	a.node.ops = &whole_ops;
	b.node.ops = &whole_ops;
}

static void
tear_down(void)
{
	node_fini(&a.node);
	node_fini(&b.node);
	ck_assert_uint_eq(rte_mempool_in_use_count(pool), 0);
}

/* a and b on devices that meet. */
static struct ethdev_port ports[2];
static struct rte_ring *rings[2];

static void
open_devices(void)
{
	rings[0] = ring_new(1024);
	rings[1] = ring_new(1024);
	ring_port_open(&ports[0], rings[1], rings[0], pool, 0);
	ring_port_open(&ports[1], rings[0], rings[1], pool, 0);
	ethdev_attach(&ports[0], &a.node, 0);
	ethdev_attach(&ports[1], &b.node, 0);
	ck_assert_int_eq(engine_virtual_init(&inner, nodes, 2, UNITS_NEVER_PS), 0);
	ck_assert_int_eq(engine_real_init(&e, &inner, ports, 2), 0);
}

static void
close_devices(void)
{
	engine_real_fini(&e);
	engine_virtual_fini(&inner);
	for (int i = 0; i < 2; i++) {
		ethdev_close(&ports[i]);
		ck_assert_uint_eq(rte_ring_count(rings[i]), 0);
		rte_ring_free(rings[i]);
	}
}

static void
turns(uint64_t from_ps, uint64_t until_ps)
{
	for (uint64_t at_ps = from_ps; at_ps <= until_ps; at_ps += TURN_PS)
		engine_real_turn(&e, at_ps);
}

START_TEST(frames_cross_at_the_emulated_rate)
{
	const struct station_received *r = &b.from[0][1];

	open_devices();
	station_send(&a, 1, to_b, 1000, 0, 0);
	turns(TURN_PS, UNITS_PS_PER_MS);
	ck_assert_uint_eq(r->packets, 1000);
	ck_assert_uint_eq(r->bytes, 1000 * 1000);
	ck_assert_uint_eq(r->reordered, 0);
	ck_assert_uint_eq(ports[0].counters.tx_packets, 1000);
	ck_assert_uint_eq(ports[1].counters.rx_packets, 1000);
	/* Stamped at turns: the first and the last may each be up to one turn late. */
	ck_assert_uint_ge(r->last_ps - r->first_ps, 999 * FRAME_PS - TURN_PS);
	ck_assert_uint_le(r->last_ps - r->first_ps, 999 * FRAME_PS + TURN_PS);
	close_devices();
}
END_TEST

START_TEST(pauses_cross)
{
	open_devices();
	station_send(&a, 3, to_b, 1000, 0, 0);
	station_send(&a, 1, to_b, 10, 0, 0);
	turns(TURN_PS, 100 * TURN_PS);
	node_pause_peer(&b.node, 0, 3, true, e.now_ps);
	turns(101 * TURN_PS, 110 * TURN_PS);
	ck_assert_uint_eq(a.node.ports[0].pfc_rx.xoff_frames[3], 1);
	ck_assert_uint_eq(a.node.ports[0].pfc_rx.paused, 1 << 3);
	ck_assert_uint_eq(a.node.counters.consumed, 1);
	ck_assert_uint_eq(a.received, 0);
	{
		uint64_t sent = a.flows[3].sent;

		turns(111 * TURN_PS, 200 * TURN_PS);
		ck_assert_uint_eq(a.flows[3].sent, sent);
	}
	node_pause_peer(&b.node, 0, 3, false, e.now_ps);
	turns(201 * TURN_PS, 2000 * TURN_PS);
	ck_assert_uint_eq(a.flows[3].sent, 1000);
	ck_assert_uint_eq(b.received, 1010);
	close_devices();
}
END_TEST

/* All that a sent has ended, and once, b has got, or was lost for want of a link. */
static void
check_lost(uint64_t sent, uint64_t lost)
{
	const struct ethdev_counters *c = &ports[0].counters;

	ck_assert_uint_eq(a.flows[1].sent, sent);
	ck_assert_uint_eq(a.node.ports[0].drops[DROP_LINK_DOWN][0] + c->tx_no_link, lost);
	ck_assert_uint_eq(c->tx_packets, sent - lost);
	ck_assert_uint_eq(b.received, sent - lost);
	ck_assert_uint_eq(ethdev_held(&ports[0]), 0);
}

/* A link is looked at each second while it is up, each millisecond while it is down. */
START_TEST(a_link_goes_down_and_comes_back)
{
	open_devices();
	engine_real_turn(&e, TURN_PS);
	ck_assert(ports[0].link_up);
	ck_assert_int_eq(rte_eth_dev_set_link_down(ports[0].port_id), 0);
	for (uint64_t at_ps = 0; at_ps <= ETHDEV_LINK_UP_PS + 40 * TURN_PS; at_ps += 20 * TURN_PS)
		engine_real_turn(&e, at_ps);
	ck_assert(!ports[0].link_up && ports[1].link_up);
	ck_assert_uint_eq(a.node.ports[0].link_downs, 1);
	station_send(&a, 1, to_b, 100, e.now_ps, 0);
	turns(e.now_ps + TURN_PS, e.now_ps + 200 * TURN_PS);
	check_lost(100, 100);
	ck_assert_int_eq(rte_eth_dev_set_link_up(ports[0].port_id), 0);
	turns(e.now_ps + TURN_PS, e.now_ps + ETHDEV_LINK_DOWN_PS + TURN_PS);
	ck_assert(ports[0].link_up);
	ck_assert_uint_eq(a.node.ports[0].link_ups, 1);
	station_send(&a, 1, to_b, 50, e.now_ps, 0);
	turns(e.now_ps + TURN_PS, e.now_ps + 200 * TURN_PS);
	ck_assert_uint_eq(b.received, 50);
	close_devices();
}
END_TEST

/* What had left the node, but had not yet been given to the device, goes with the link. */
START_TEST(what_waits_for_the_device_goes_with_its_link)
{
	open_devices();
	station_send(&a, 1, to_b, 100, 0, 0);
	engine_real_turn(&e, TURN_PS);
	/* Two frames have begun, one has left. */
	ck_assert_uint_eq(a.flows[1].sent, 2);
	ck_assert_int_eq(rte_eth_dev_set_link_down(ports[0].port_id), 0);
	ports[0].link_due_ps = 0;
	turns(2 * TURN_PS, 200 * TURN_PS);
	ck_assert_uint_eq(ports[0].counters.tx_no_link, 1);
	check_lost(100, 99);
	close_devices();
}
END_TEST

START_TEST(a_loop_that_was_held_up_follows_in_slices)
{
	open_devices();
	engine_real_turn(&e, TURN_PS);
	ck_assert_uint_eq(e.now_ps, TURN_PS);
	ck_assert_uint_eq(engine_real_worst(&e)->late_ps, 0);
	for (uint32_t i = 1; i <= 50; i++) {
		engine_real_turn(&e, TURN_PS + UNITS_PS_PER_MS);
		ck_assert_uint_eq(e.now_ps, TURN_PS + i * ENGINE_REAL_SLICE_PS);
	}
	/* 50 slices of 20 us are the millisecond; the last one was no longer late. */
	ck_assert_uint_eq(engine_real_worst(&e)->late_ps, 49 * ENGINE_REAL_SLICE_PS);
	ck_assert_uint_eq(engine_real_worst(&e)->behind_max_ps, UNITS_PS_PER_MS);
	engine_real_turn(&e, 5);
	ck_assert_uint_eq(e.now_ps, TURN_PS + UNITS_PS_PER_MS);
	close_devices();
}
END_TEST

static void
load_pair(struct link *links)
{
	ck_assert_int_eq(link_init(&links[0], 3 * UNITS_PS_PER_US), 0);
	ck_assert_int_eq(link_init(&links[1], 3 * UNITS_PS_PER_US), 0);
	node_attach(&a.node, 0, &links[0], &links[1]);
	node_attach(&b.node, 0, &links[1], &links[0]);
	station_send(&a, 1, to_b, 500, 0, 0);
	station_send(&b, 2, (struct frame_spec){.from = 1, .to = 0, .frame_bytes = 64}, 900, 7000,
		     GBPS);
	ck_assert_int_eq(engine_virtual_init(&inner, nodes, 2, links[0].delay_ps), 0);
}

START_TEST(nodes_of_one_process_keep_exact_time)
{
	struct link links[2];
	uint64_t wanted, at_ps = 0;

	load_pair(links);
	ck_assert_int_eq(engine_virtual_run(&inner, UNITS_NEVER_PS), ENGINE_IDLE);
	wanted = engine_virtual_digest(&inner);
	engine_virtual_fini(&inner);
	link_fini(&links[0]);
	link_fini(&links[1]);
	tear_down();
	set_up();
	load_pair(links);
	ck_assert_int_eq(engine_real_init(&e, &inner, NULL, 0), 0);
	/* Turns of uneven lengths, some of them beyond a slice. */
	for (uint32_t i = 0; at_ps < 2 * UNITS_PS_PER_MS; i++) {
		at_ps += 1 + i * 7919 % (40 * UNITS_PS_PER_US);
		engine_real_turn(&e, at_ps);
	}
	while (e.now_ps < at_ps)
		engine_real_turn(&e, at_ps);
	ck_assert_uint_eq(b.received, 500);
	ck_assert_uint_eq(a.received, 900);
	ck_assert_uint_eq(engine_virtual_digest(&inner), wanted);
	engine_real_fini(&e);
	engine_virtual_fini(&inner);
	link_fini(&links[0]);
	link_fini(&links[1]);
}
END_TEST

static bool
stop_at_third(void *context, uint64_t now_ps)
{
	return ++*(uint32_t *)context == 3;
}

/* The one case with a clock: that it ends is all that is asked of it. */
START_TEST(a_run_ends_when_told)
{
	uint32_t calls = 0;

	open_devices();
	engine_real_start(&e);
	ck_assert_int_eq(engine_real_run(&e, UNITS_PS_PER_MS), ENGINE_UNTIL);
	ck_assert_uint_eq(e.now_ps, UNITS_PS_PER_MS);
	e.between = stop_at_third;
	e.context = &calls;
	ck_assert_int_eq(engine_real_run(&e, UNITS_NEVER_PS), ENGINE_STOPPED);
	ck_assert_uint_eq(calls, 3);
	/* It goes on where it stopped. */
	ck_assert_int_eq(engine_real_run(&e, 9 * UNITS_PS_PER_MS), ENGINE_UNTIL);
	ck_assert_uint_eq(e.now_ps, 9 * UNITS_PS_PER_MS);
	ck_assert_uint_eq(calls, 8);
	ck_assert_uint_eq(engine_real_worst(&e)->turns, engine_real_worst(&e)->turn_ps.count);
	close_devices();
}
END_TEST

/* Where lcores stop and for how long they go on. */
struct stops {
	uint64_t next_ps;
	uint32_t count;
	uint32_t early; /* nodes that were ahead of a stop */
};

#define STOP_PS (77 * UNITS_PS_PER_US)

static bool
note_stop(void *context, uint64_t now_ps)
{
	struct stops *s = context;

	ck_assert_uint_eq(now_ps, s->next_ps);
	s->early += a.node.last_event_ps > now_ps || b.node.last_event_ps > now_ps;
	s->count++;
	s->next_ps = RTE_MIN(now_ps + STOP_PS, 10 * UNITS_PS_PER_MS);
	e.next_ps = s->next_ps;
	return false;
}

/*
 * Two islands on two lcores: all stop at the times that between() names, and by the end what one
 * sent has come to the other. However the lcores are held up, a ring need not hold more than what
 * is sent from one stop to the next.
 */
START_TEST(lcores_stop_at_the_same_times)
{
	struct stops stops = {.next_ps = STOP_PS};

	open_devices();
	ck_assert_int_eq(engine_real_spread(&e, 3), -EINVAL);
	ck_assert_int_eq(engine_real_spread(&e, 2), 0);
	ck_assert_uint_eq(e.lcore_count, 2);
	ck_assert_uint_ne(a.node.outbox->lane, b.node.outbox->lane);
	station_send(&a, 1, to_b, 1000, 0, 0);
	e.between = note_stop;
	e.context = &stops;
	e.next_ps = STOP_PS;
	engine_real_start(&e);
	ck_assert_int_eq(engine_real_run(&e, 10 * UNITS_PS_PER_MS), ENGINE_UNTIL);
	ck_assert_uint_eq(e.now_ps, 10 * UNITS_PS_PER_MS);
	/* 129 times 77 us, and the end. */
	ck_assert_uint_eq(stops.count, 130);
	ck_assert_uint_eq(stops.early, 0);
	ck_assert_uint_eq(b.received, 1000);
	ck_assert_uint_eq(b.from[0][1].reordered, 0);
	close_devices();
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("engine_real");
	TCase *topic = suite_topic(suite, "turns");

	tcase_add_checked_fixture(topic, set_up, tear_down);
	tcase_add_test(topic, frames_cross_at_the_emulated_rate);
	tcase_add_test(topic, pauses_cross);
	tcase_add_test(topic, a_link_goes_down_and_comes_back);
	tcase_add_test(topic, what_waits_for_the_device_goes_with_its_link);
	tcase_add_test(topic, a_loop_that_was_held_up_follows_in_slices);
	tcase_add_test(topic, nodes_of_one_process_keep_exact_time);
	tcase_add_test(topic, a_run_ends_when_told);
	tcase_add_test(topic, lcores_stop_at_the_same_times);
	return suite_run(suite);
}
