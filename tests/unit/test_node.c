/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop that all nodes share: serialization, the order of events, MAC control frames and
 * where packets end. At 100 Gb/s a 64-byte frame takes (64 + 20) x 80 = 6,720 ps on the wire, a
 * 1,000-byte frame 81,600 ps.
 */
#include <string.h>

#include "eal.h"
#include "frames.h"
#include "node.h"
#include "suite.h"

#define GBPS 1000000000ULL
#define DELAY_PS 1000000ULL
#define PORTS 4u
#define PACKETS 2047u
#define LOG 256u

static struct rte_mempool *pool;

enum what { ARRIVED, ASKED, TIMED };

/* A node that logs what it is asked to do and sends from one plain queue a port. */
struct probe {
	struct node node; /* first */
	struct rte_mbuf *queue[PORTS][LOG];
	uint32_t head[PORTS];
	uint32_t tail[PORTS];
	struct {
		enum what what;
		uint16_t port;
		uint64_t now_ps;
	} log[LOG];
	uint32_t logged;
};

static struct probe probe;
static struct link in[PORTS], out[PORTS];

static void
log_event(struct probe *p, enum what what, uint16_t port, uint64_t now_ps)
{
	ck_assert_uint_lt(p->logged, LOG);
	p->log[p->logged].what = what;
	p->log[p->logged].port = port;
	p->log[p->logged++].now_ps = now_ps;
}

static void
probe_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	log_event((struct probe *)node, ARRIVED, port, now_ps);
	node_deliver(node, m, now_ps);
}

static struct rte_mbuf *
probe_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	struct probe *p = (struct probe *)node;

	log_event(p, ASKED, port, now_ps);
	*next_ps = UNITS_NEVER_PS;
	if (p->head[port] == p->tail[port])
		return NULL;
	*next_ps = now_ps;
	return p->queue[port][p->head[port]++];
}

static void
probe_timer(struct node *node, uint64_t now_ps)
{
	log_event((struct probe *)node, TIMED, 0, now_ps);
}

static const struct node_ops probe_ops = {
	.arrive = probe_arrive, .dequeue = probe_dequeue, .timer = probe_timer};

static void
probe_open(const struct node_port_cfg *cfg)
{
	struct node_port_cfg ports[PORTS];

	memset(&probe, 0, sizeof(probe));
	for (uint16_t i = 0; i < PORTS; i++)
		ports[i] = *cfg;
	ck_assert_int_eq(node_init(&probe.node, &probe_ops, "probe", 3, 1, pool, PORTS, ports), 0);
	for (uint16_t i = 0; i < PORTS; i++) {
		ck_assert_int_eq(link_init(&in[i], DELAY_PS), 0);
		ck_assert_int_eq(link_init(&out[i], DELAY_PS), 0);
		node_attach(&probe.node, i, &out[i], &in[i]);
	}
}

static void
probe_close(void)
{
	for (uint16_t i = 0; i < PORTS; i++) {
		while (probe.head[i] != probe.tail[i])
			packet_free(probe.queue[i][probe.head[i]++]);
		link_fini(&in[i]);
		link_fini(&out[i]);
	}
	node_fini(&probe.node);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), PACKETS);
}

static struct rte_mbuf *
make(uint32_t frame_bytes, uint64_t uid)
{
	const struct frame_spec s = {.from = 1, .to = 2, .frame_bytes = frame_bytes};

	return frame_make(pool, &s, uid);
}

static void
enqueue(uint16_t port, uint32_t frame_bytes, uint64_t at_ps)
{
	probe.queue[port][probe.tail[port]] = make(frame_bytes, probe.tail[port]);
	probe.tail[port]++;
	node_wake_port(&probe.node, port, at_ps);
}

static void
feed(uint16_t port, struct rte_mbuf *m, uint64_t arrive_ps)
{
	link_send(&in[port], m, arrive_ps - DELAY_PS, arrive_ps - DELAY_PS);
}

static uint64_t
run(uint64_t until_ps)
{
	node_collect(&probe.node);
	return node_advance(&probe.node, until_ps);
}

/* End of the n-th frame that left a port. */
static uint64_t
left_ps(uint16_t port, uint32_t n)
{
	ck_assert_uint_lt(n, out[port].staged[0].count);
	return packet_of(out[port].staged[0].entries[n].packet)->tail_ps - DELAY_PS;
}

static const struct node_port_cfg plain = {.rate_bps = 100 * GBPS, .mac = {2, 0x52, 0x59, 0, 0, 9}};

/* Frames leave back to back, never sooner than rate and gap allow; ports do not wait for others. */
START_TEST(serializes_back_to_back)
{
	probe_open(&plain);
	enqueue(0, 64, 5000000);
	enqueue(0, 1000, 5000000);
	enqueue(0, 64, 5000000);
	enqueue(1, 1000, 5000001);
	ck_assert_uint_eq(run(UNITS_NEVER_PS), UNITS_NEVER_PS);
	ck_assert_uint_eq(left_ps(0, 0), 5000000 + 6720);
	ck_assert_uint_eq(left_ps(0, 1), 5000000 + 6720 + 81600);
	ck_assert_uint_eq(left_ps(0, 2), 5000000 + 2 * 6720 + 81600);
	ck_assert_uint_eq(left_ps(1, 0), 5000001 + 81600);
	ck_assert_uint_eq(probe.node.ports[0].busy_ps, 2 * 6720 + 81600);
	ck_assert_uint_eq(probe.node.ports[0].tx_bytes, 1128);
	probe_close();
}
END_TEST

/* 84 bytes at 9 Gb/s take 74,666.7 ps: rounded up, so that ten frames need at least 746,667. */
START_TEST(odd_rate_is_never_exceeded)
{
	struct node_port_cfg cfg = plain;

	cfg.rate_bps = 9 * GBPS;
	probe_open(&cfg);
	for (int i = 0; i < 10; i++)
		enqueue(0, 64, 1000);
	run(UNITS_NEVER_PS);
	ck_assert_uint_ge(left_ps(0, 9), 1000 + 746667);
	ck_assert_uint_le(left_ps(0, 9), 1000 + 746667 + 10);
	probe_close();
}
END_TEST

/* Advance stops short of its bound and says what is next; going on later changes nothing. */
START_TEST(advance_is_divisible)
{
	uint64_t whole[8];

	probe_open(&plain);
	for (int i = 0; i < 8; i++)
		enqueue(0, 1000, 1000);
	run(UNITS_NEVER_PS);
	for (uint32_t i = 0; i < 8; i++)
		whole[i] = left_ps(0, i);
	probe_close();
	probe_open(&plain);
	for (int i = 0; i < 8; i++)
		enqueue(0, 1000, 1000);
	ck_assert_uint_eq(run(1000), 1000); /* the bound is not included */
	ck_assert_uint_eq(out[0].staged[0].count, 0);
	for (uint64_t until_ps = 1001; run(until_ps) != UNITS_NEVER_PS; until_ps += 777)
		;
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(left_ps(0, i), whole[i]);
	probe_close();
}
END_TEST

/* At one instant ports are served first, then the timer, then arrivals. */
START_TEST(departures_come_before_arrivals)
{
	probe_open(&plain);
	feed(3, make(64, 1), 9000000);
	feed(1, make(64, 2), 9000000);
	node_set_timer(&probe.node, 9000000);
	enqueue(2, 64, 9000000);
	enqueue(0, 64, 9000000);
	run(9000001);
	ck_assert_uint_eq(probe.logged, 5);
	ck_assert_int_eq(probe.log[0].what, ASKED);
	ck_assert_int_eq(probe.log[0].port, 0);
	ck_assert_int_eq(probe.log[1].what, ASKED);
	ck_assert_int_eq(probe.log[1].port, 2);
	ck_assert_int_eq(probe.log[2].what, TIMED);
	ck_assert_int_eq(probe.log[3].what, ARRIVED);
	ck_assert_int_eq(probe.log[4].what, ARRIVED);
	ck_assert_int_eq(probe.log[3].port + probe.log[4].port, 4);
	probe_close();
}
END_TEST

START_TEST(timer_is_replaced_and_fires_once)
{
	probe_open(&plain);
	node_set_timer(&probe.node, 5000);
	node_set_timer(&probe.node, 7000);
	ck_assert_uint_eq(run(6000), 7000);
	ck_assert_uint_eq(probe.logged, 0);
	ck_assert_uint_eq(run(10000), UNITS_NEVER_PS);
	ck_assert_uint_eq(probe.logged, 1);
	ck_assert_uint_eq(probe.log[0].now_ps, 7000);
	probe_close();
}
END_TEST

/* A held port sends no data in [from, until), but does send PFC. */
START_TEST(hold_stops_data_and_not_pfc)
{
	struct node_port_cfg cfg = plain;

	cfg.hold_from_ps = 2000000;
	cfg.hold_until_ps = 9000000;
	cfg.pfc = (struct pfc_cfg){.enable = 8, .quanta = 65535, .refresh_ps = 100000000};
	probe_open(&cfg);
	enqueue(0, 64, 1999999); /* just before */
	enqueue(0, 64, 2000000);
	run(3000000);
	ck_assert_uint_eq(out[0].staged[0].count, 1);
	node_pause_peer(&probe.node, 0, 3, true, 3000000);
	run(20000000);
	ck_assert_uint_eq(out[0].staged[0].count, 3);
	ck_assert_uint_eq(left_ps(0, 1), 3000000 + 6720);
	ck_assert_uint_eq(left_ps(0, 2), 9000000 + 6720);
	probe_close();
}
END_TEST

/* XOFF leaves after the frame that is on the wire and ahead of all that wait, from the port's
 * own address, for the configured quanta; it is repeated until XON, which is sent once. */
START_TEST(pfc_goes_first_and_is_refreshed)
{
	struct node_port_cfg cfg = plain;
	const uint8_t *at;

	cfg.pfc = (struct pfc_cfg){.enable = 8, .quanta = 1000, .refresh_ps = 2000000};
	probe_open(&cfg);
	for (int i = 0; i < 3; i++)
		enqueue(0, 1000, 1000);
	run(2000);
	node_pause_peer(&probe.node, 0, 3, true, 2000);
	node_pause_peer(&probe.node, 0, 4, true, 2000); /* not enabled: nothing */
	run(5000000);
	node_pause_peer(&probe.node, 0, 3, false, 5000000);
	run(20000000);
	ck_assert_uint_eq(out[0].staged[0].count, 3 + 3 + 1);
	at = rte_pktmbuf_mtod(out[0].staged[0].entries[1].packet, const uint8_t *);
	ck_assert_mem_eq(at + 6, cfg.mac, 6);
	ck_assert_uint_eq(at[17], 0x08);
	ck_assert_uint_eq(at[24] << 8 | at[25], 1000);
	ck_assert_uint_eq(left_ps(0, 1), 1000 + 81600 + 6720);
	ck_assert_uint_eq(left_ps(0, 2), 1000 + 2 * 81600 + 6720);
	ck_assert_uint_eq(left_ps(0, 4), 1000 + 81600 + 2000000 + 6720);
	at = rte_pktmbuf_mtod(out[0].staged[0].entries[6].packet, const uint8_t *);
	ck_assert_uint_eq(at[17], 0x08);
	ck_assert_uint_eq(at[24] << 8 | at[25], 0);
	ck_assert_uint_eq(left_ps(0, 6), 5000000 + 6720);
	ck_assert_uint_eq(probe.node.counters.created, 4);
	ck_assert_uint_eq(run(1000000000), UNITS_NEVER_PS);
	probe_close();
}
END_TEST

/* Without a link frames leave at the port's rate and are lost; who comes back is told XOFF again.
 */
START_TEST(without_a_link_frames_are_lost)
{
	struct node_port_cfg cfg = plain;
	const struct node_port *port = &probe.node.ports[0];
	const uint8_t *at;

	cfg.pfc = (struct pfc_cfg){.enable = 8, .quanta = 1000, .refresh_ps = UNITS_PS_PER_S};
	probe_open(&cfg);
	port = &probe.node.ports[0];
	node_pause_peer(&probe.node, 0, 3, true, 1000);
	run(100000);
	ck_assert_uint_eq(out[0].staged[0].count, 1);
	node_set_link(&probe.node, 0, false, 100000);
	node_set_link(&probe.node, 0, false, 100000);
	for (int i = 0; i < 3; i++)
		enqueue(0, 1000, 100000);
	run(100000 + 2 * 81600);
	ck_assert_uint_eq(port->drops[DROP_LINK_DOWN][0], 2);
	run(1000000);
	ck_assert_uint_eq(port->drops[DROP_LINK_DOWN][0], 3);
	ck_assert_uint_eq(port->tx_packets, 1);
	ck_assert_uint_eq(out[0].staged[0].count, 1);
	enqueue(0, 1000, 1000000);
	node_set_link(&probe.node, 0, true, 1000000);
	run(2000000);
	ck_assert_uint_eq(out[0].staged[0].count, 3);
	at = rte_pktmbuf_mtod(out[0].staged[0].entries[1].packet, const uint8_t *);
	ck_assert_uint_eq(at[17], 0x08);
	ck_assert_uint_eq(at[24] << 8 | at[25], 1000);
	ck_assert_uint_eq(port->drops[DROP_LINK_DOWN][0], 3);
	ck_assert_uint_eq(port->link_downs, 1);
	ck_assert_uint_eq(port->link_ups, 1);
	probe_close();
}
END_TEST

/* A MAC control frame with an opcode and, for PFC, a vector and quanta of class 3. */
static struct rte_mbuf *
mac_control(uint16_t opcode, uint16_t vector, uint16_t quanta, uint16_t bytes)
{
	static const uint8_t head[14] = {1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 7, 0x88, 0x08};
	struct rte_mbuf *m = packet_alloc(pool);
	uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);

	memset(at, 0, 60);
	memcpy(at, head, sizeof(head));
	frame_be16(at + 14, opcode);
	frame_be16(at + 16, vector);
	frame_be16(at + 24, quanta);
	m->data_len = bytes;
	packet_of(m)->frame_bytes = 64;
	return m;
}

/*
 * PFC is obeyed, 802.3x PAUSE ignored and counted, an empty vector and unknown opcodes counted
 * apart, all consumed; what is cut short is dropped. None reaches the node itself.
 */
START_TEST(mac_control_frames)
{
	struct node_port_cfg cfg = plain;
	struct node_port *port;

	cfg.pfc = (struct pfc_cfg){.enable = 0x08, .response_ps = 500};
	probe_open(&cfg);
	port = &probe.node.ports[0];
	feed(0, mac_control(0x0001, 0xffff, 0, 60), 2000000);
	feed(0, mac_control(0x0101, 0x0000, 0xffff, 60), 2000001);
	feed(0, mac_control(0x0102, 0x00ff, 0xffff, 60), 2000002);
	feed(0, mac_control(0x0101, 0x00ff, 0xffff, 20), 2000003);
	run(3000000);
	ck_assert_uint_eq(port->pfc_rx.paused, 0);
	ck_assert_uint_eq(port->pause_frames, 1);
	ck_assert_uint_eq(port->mac_control_other, 2);
	ck_assert_uint_eq(port->drops[DROP_MALFORMED][0], 1);
	feed(0, mac_control(0x0101, 0x00ff, 0xffff, 60), 4000000);
	run(4000501);
	ck_assert_uint_eq(port->pfc_rx.paused, 0x08);
	ck_assert_uint_eq(port->pfc_rx.xoff_frames[3], 1);
	ck_assert_uint_eq(port->pfc_rx.xon_frames[4], 0);
	ck_assert_uint_eq(probe.node.counters.consumed, 4);
	ck_assert_uint_eq(probe.node.counters.dropped, 1);
	ck_assert_uint_eq(probe.node.counters.hops, 5);
	for (uint32_t i = 0; i < probe.logged; i++)
		ck_assert_int_ne(probe.log[i].what, ARRIVED);
	node_close(&probe.node, 5000000);
	ck_assert_uint_eq(port->pfc_rx.paused_ps[3], 5000000 - 4000500);
	probe_close();
}
END_TEST

/* A port without packets to make a PFC frame of says so; time goes on, and XOFF follows later. */
START_TEST(empty_pool_does_not_stop_time)
{
	struct node_port_cfg cfg = plain;
	struct rte_mbuf *all[PACKETS + 1];
	uint32_t taken = 0;

	cfg.pfc = (struct pfc_cfg){.enable = 8, .quanta = 9, .refresh_ps = 100 * UNITS_PS_PER_MS};
	probe_open(&cfg);
	while ((all[taken] = packet_alloc(pool)) != NULL)
		taken++;
	node_pause_peer(&probe.node, 0, 3, true, 1000);
	ck_assert_uint_gt(run(10000000), 9999999);
	ck_assert(probe.node.no_buffers > 0);
	ck_assert_uint_eq(out[0].staged[0].count, 0);
	while (taken > 0)
		packet_free(all[--taken]);
	run(20000000);
	ck_assert_uint_eq(out[0].staged[0].count, 1);
	probe_close();
}
END_TEST

/* Each way a packet can end has its count and its place, and moves the digest. */
START_TEST(ends_are_counted_and_digested)
{
	struct rte_mbuf *m;
	uint64_t before;

	probe_open(&plain);
	before = probe.node.digest.hash;
	node_drop(&probe.node, 2, 5, DROP_WRED, make(1000, 1), 10);
	ck_assert_uint_ne(probe.node.digest.hash, before);
	before = probe.node.digest.hash;
	node_deliver(&probe.node, make(64, 2), 20);
	ck_assert_uint_ne(probe.node.digest.hash, before);
	before = probe.node.digest.hash;
	node_consume(&probe.node, make(64, 3), 30);
	ck_assert_uint_ne(probe.node.digest.hash, before);
	ck_assert_uint_eq(probe.node.ports[2].drops[DROP_WRED][5], 1);
	ck_assert_uint_eq(probe.node.counters.dropped, 1);
	ck_assert_uint_eq(probe.node.counters.dropped_bytes, 1000);
	ck_assert_uint_eq(probe.node.counters.delivered, 1);
	ck_assert_uint_eq(probe.node.counters.consumed, 1);
	m = node_new_packet(&probe.node);
	ck_assert_uint_eq(probe.node.counters.created, 1);
	ck_assert_uint_eq(packet_of(m)->uid, 3ULL << 40);
	packet_free(m);
	probe_close();
}
END_TEST

struct watch {
	uint64_t samples_ps[LOG];
	uint32_t samples;
	uint32_t rx;
	uint32_t tx;
	uint64_t tx_ps;
};

static void
watch_sample(void *context, struct node *node, uint64_t now_ps)
{
	struct watch *w = context;

	w->samples_ps[w->samples++] = now_ps;
}

static void
watch_frame(void *context, const struct node *node, uint16_t port, bool is_tx, struct rte_mbuf *m,
	    uint64_t now_ps)
{
	struct watch *w = context;

	ck_assert_uint_eq(port, 1);
	w->rx += !is_tx;
	w->tx += is_tx;
	w->tx_ps = is_tx ? now_ps : w->tx_ps;
}

/* Nothing changes between events, so the first and last boundary passed say all there is. */
START_TEST(samples_fall_on_boundaries)
{
	struct watch watch = {.samples = 0};
	const struct node_observer observer = {.context = &watch, .sample = watch_sample};

	probe_open(&plain);
	probe.node.observer = &observer;
	node_sample_every(&probe.node, 1000000);
	enqueue(0, 64, 500000);
	enqueue(1, 64, 1000000);
	enqueue(2, 64, 7300000);
	run(UNITS_NEVER_PS);
	ck_assert_uint_eq(watch.samples, 3);
	ck_assert_uint_eq(watch.samples_ps[0], 1000000);
	ck_assert_uint_eq(watch.samples_ps[1], 2000000);
	ck_assert_uint_eq(watch.samples_ps[2], 7000000);
	probe_close();
}
END_TEST

/* A captured port shows every frame once, at its first bit out or its arrival; others nothing. */
START_TEST(captured_ports_are_watched)
{
	struct watch watch = {.samples = 0};
	const struct node_observer observer = {.context = &watch, .frame = watch_frame};

	probe_open(&plain);
	probe.node.observer = &observer;
	probe.node.ports[1].captured = true;
	for (uint16_t port = 0; port < PORTS; port++) {
		enqueue(port, 64, 5000000);
		feed(port, make(64, port), 5000000);
	}
	run(UNITS_NEVER_PS);
	ck_assert_uint_eq(watch.rx, 1);
	ck_assert_uint_eq(watch.tx, 1);
	ck_assert_uint_eq(watch.tx_ps, 5000000);
	probe_close();
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("node");
	TCase *ports = suite_topic(suite, "ports");
	TCase *events = suite_topic(suite, "events");
	TCase *control = suite_topic(suite, "mac control");
	TCase *books = suite_topic(suite, "books");
	int failed;

	test_eal_init();
	pool = packet_pool_create("packets", PACKETS, PACKET_HEADER_ROOM_BYTES);
	tcase_add_test(ports, serializes_back_to_back);
	tcase_add_test(ports, odd_rate_is_never_exceeded);
	tcase_add_test(ports, hold_stops_data_and_not_pfc);
	tcase_add_test(ports, without_a_link_frames_are_lost);
	tcase_add_test(events, advance_is_divisible);
	tcase_add_test(events, departures_come_before_arrivals);
	tcase_add_test(events, timer_is_replaced_and_fires_once);
	tcase_add_test(control, pfc_goes_first_and_is_refreshed);
	tcase_add_test(control, mac_control_frames);
	tcase_add_test(control, empty_pool_does_not_stop_time);
	tcase_add_test(books, ends_are_counted_and_digested);
	tcase_add_test(books, samples_fall_on_boundaries);
	tcase_add_test(books, captured_ports_are_watched);
	failed = suite_run(suite);
	rte_mempool_free(pool);
	return failed;
}
