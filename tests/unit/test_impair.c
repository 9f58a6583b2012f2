/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verdicts against what probability theory says of them, and a node with an impaired port.
 * Bounds are five standard deviations of the binomial distribution; seeds are fixed. At 100 Gb/s
 * a 64-byte frame takes 6,720 ps on the wire.
 */
#include <math.h>
#include <string.h>

#include "eal.h"
#include "frames.h"
#include "impair.h"
#include "node.h"
#include "roce.h"
#include "suite.h"

#define ONE_Q32 (1ULL << 32)
#define FRAMES 200000u
#define PACKETS 1023u
#define DELAY_PS 1000000ULL
#define FRAME_PS 6720ULL

static struct rte_mempool *pool;

static struct rte_mbuf *
make(uint8_t ecn, bool ipv6)
{
	const struct frame_spec spec = {.from = 1, .to = 2, .ecn = ecn, .ipv6 = ipv6};
	struct rte_mbuf *m = frame_make(pool, &spec, 1);

	packet_parse(m);
	return m;
}

static struct impair *
create(const struct impair_cfg *cfg, uint64_t seed)
{
	struct impair *im;

	ck_assert_int_eq(impair_create(&im, cfg, 1, seed, 7), 0);
	return im;
}

static void
assert_share(uint64_t count, double p)
{
	double deviation = sqrt(FRAMES * p * (1 - p));

	ck_assert_double_le(fabs((double)count - FRAMES * p), 5 * deviation);
}

static const uint64_t shares_q32[] = {ONE_Q32 / 1000, ONE_Q32 / 20, ONE_Q32 / 2};

START_TEST(shares_are_binomial)
{
	uint64_t q32 = shares_q32[_i];
	double p = (double)q32 / ONE_Q32;
	struct impair_cfg cfg = {.rx = true,
				 .until_ps = UNITS_NEVER_PS,
				 .duplicate_q32 = q32,
				 .bit_error_q32 = q32,
				 .reorder_q32 = q32,
				 .reorder_delay_ps = 1,
				 .mark_q32 = q32};
	struct rte_mbuf *m = make(PACKET_ECT0, false);

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct impair *im = create(&cfg, seed);
		uint64_t corrupt = 0, lost = 0;

		for (uint32_t i = 0; i < FRAMES; i++)
			corrupt += impair_judge(im, IMPAIR_RX, packet_of(m), i, 0).corrupt;
		assert_share(im->counters.duplicated, p);
		assert_share(im->counters.reordered, p);
		assert_share(im->counters.marked, p);
		assert_share(corrupt, p);
		impair_destroy(im);
		im = create(&(struct impair_cfg){.tx = true, .until_ps = FRAMES, .loss_q32 = q32},
			    seed);
		for (uint32_t i = 0; i < FRAMES; i++)
			lost += impair_judge(im, IMPAIR_TX, packet_of(m), i, 0).lost;
		assert_share(lost, p);
		ck_assert_uint_eq(im->counters.lost, lost);
		impair_destroy(im);
	}
	packet_free(m);
}
END_TEST

/* Runs are geometric: mean L, deviation sqrt(L (L - 1)); their share of frames is as asked. */
START_TEST(bursts_have_their_mean_length)
{
	const struct impair_cfg cfg = {
		.rx = true, .until_ps = UNITS_NEVER_PS, .loss_q32 = ONE_Q32 / 20, .loss_burst = 8};
	struct rte_mbuf *m = make(PACKET_ECT0, false);
	struct impair *im = create(&cfg, 1);
	uint64_t runs = 0, lost = 0;
	bool before = false;
	double mean;

	for (uint32_t i = 0; i < FRAMES; i++) {
		bool now = impair_judge(im, IMPAIR_RX, packet_of(m), i, 0).lost;

		runs += now && !before;
		lost += now;
		before = now;
	}
	mean = (double)lost / (double)runs;
	ck_assert_double_le(fabs(mean - 8), 5 * sqrt(8 * 7 / (double)runs));
	/* Frames of a run go together: the deviation of the share grows by the run's length. */
	ck_assert_double_le(fabs((double)lost - FRAMES * 0.05),
			    5 * sqrt(FRAMES * 0.05 * 0.95 * (2 * 8)));
	impair_destroy(im);
	packet_free(m);
}
END_TEST

START_TEST(every_nth_is_exact)
{
	const struct impair_cfg cfg = {
		.rx = true, .until_ps = UNITS_NEVER_PS, .loss_every = 7, .mark_every = 3};
	struct rte_mbuf *ect = make(PACKET_ECT1, false), *other = make(PACKET_NOT_ECT, false);
	struct impair *im = create(&cfg, 1);
	uint32_t passed = 0;

	for (uint32_t i = 1; i <= 7000; i++) {
		struct impair_verdict v;

		v = impair_judge(im, IMPAIR_RX, packet_of(ect), i, 0);
		EXPECT(v.lost == (i % 7 == 0));
		passed += !v.lost;
		EXPECT(v.mark == (!v.lost && passed % 3 == 0));
	}
	ck_assert_uint_eq(im->counters.lost, 1000);
	ck_assert_uint_eq(im->counters.marked, 2000);
	for (uint32_t i = 0; i < 70; i++)
		EXPECT(!impair_judge(im, IMPAIR_RX, packet_of(other), i, 0).mark);
	impair_destroy(im);
	packet_free(ect);
	packet_free(other);
}
END_TEST

/* Back to back at line rate, through jitter that begins and ends: never out of order. */
START_TEST(delay_keeps_order)
{
	const struct impair_cfg cfg = {.tx = true,
				       .from_ps = 1000 * FRAME_PS,
				       .until_ps = 5000 * FRAME_PS,
				       .delay_ps = 100000,
				       .jitter_ps = 3000000};
	struct rte_mbuf *m = make(PACKET_ECT0, false);
	struct impair *im = create(&cfg, 3);
	uint64_t last_ps = 0, most_ps = 0;

	for (uint64_t i = 1; i < 10000; i++) {
		uint64_t end_ps = i * FRAME_PS + FRAME_PS;
		struct impair_verdict v =
			impair_judge(im, IMPAIR_TX, packet_of(m), end_ps, FRAME_PS);

		EXPECT(end_ps + v.extra_ps >= last_ps + FRAME_PS);
		EXPECT(i >= 1000 || v.extra_ps == 0);
		EXPECT(i < 1000 || i >= 5000 || v.extra_ps >= 100000);
		most_ps = v.extra_ps > most_ps ? v.extra_ps : most_ps;
		last_ps = end_ps + v.extra_ps;
	}
	ck_assert_uint_gt(most_ps, 2900000);
	/* What was delayed first hands its delay on; no frame has more than all of it. */
	ck_assert_uint_le(most_ps, 3100000);
	impair_destroy(im);
	packet_free(m);
}
END_TEST

START_TEST(mac_control_is_exempt_unless_asked)
{
	struct impair_cfg cfg = {.rx = true, .until_ps = UNITS_NEVER_PS, .loss_q32 = ONE_Q32};
	const uint16_t quanta[PFC_PRIORITIES] = {0};
	struct rte_mbuf *m = packet_alloc(pool);
	const uint8_t mac[6] = {2};
	struct impair *im = create(&cfg, 1);

	pfc_encode(m, mac, 8, quanta);
	ck_assert(!impair_judge(im, IMPAIR_RX, packet_of(m), 1, 0).lost);
	impair_destroy(im);
	cfg.mac_control = true;
	im = create(&cfg, 1);
	ck_assert(impair_judge(im, IMPAIR_RX, packet_of(m), 1, 0).lost);
	ck_assert(!impair_judge(im, IMPAIR_TX, packet_of(m), 1, 0).lost);
	impair_destroy(im);
	packet_free(m);
}
END_TEST

/* Of every length and kind of packet, ICRC fails after one flip; headers stay as they were. */
START_TEST(flip_breaks_the_icrc)
{
	static const uint8_t opcodes[] = {0x04, 0x06, 0x0a, 0x0b, 0x0c, 0x10, 0x11, 0x81};
	const struct impair_cfg cfg = {.rx = true};
	struct impair *im = create(&cfg, 1);
	struct roce_path_cfg path_cfg = {
		.ttl = 64, .source = {.ip = {10, 0, 0, 1}}, .destination = {.ip = {10, 0, 0, 2}}};
	struct roce_path path;

	roce_path_init(&path, &path_cfg);
	for (uint32_t i = 0; i < 400; i++) {
		uint8_t opcode = opcodes[i % 8];
		bool has_payload = opcode <= 0x0b || opcode == 0x10;
		struct roce_packet p = {.opcode = opcode,
					.payload_bytes = has_payload ? i % 60 : 0,
					.dma_bytes = 60,
					.psn = i};
		struct rte_mbuf *m = packet_alloc(pool);
		uint8_t headers[54];

		roce_encode(m, &path, &p, true);
		memcpy(headers, rte_pktmbuf_mtod(m, uint8_t *), sizeof(headers));
		EXPECT(roce_icrc_verify(m));
		EXPECT(impair_flip(im, m));
		EXPECT(!roce_icrc_verify(m));
		EXPECT(memcmp(headers, rte_pktmbuf_mtod(m, uint8_t *), sizeof(headers)) == 0);
		packet_free(m);
	}
	ck_assert_uint_eq(im->counters.corrupted, 400);
	impair_destroy(im);
}
END_TEST

/* A node that sends what it is given from port 0, and keeps what arrives. */
struct probe {
	struct node node; /* first */
	uint64_t arrived_ps[256];
	uint64_t uids[256];
	uint32_t arrived;
	uint32_t marked;
};

static void
probe_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	struct probe *p = (struct probe *)node;
	const uint8_t *ip = rte_pktmbuf_mtod(m, const uint8_t *) + 14;

	(void)port;
	p->uids[p->arrived] = packet_of(m)->uid;
	p->arrived_ps[p->arrived++] = now_ps;
	p->marked += packet_ecn(packet_of(m)) == PACKET_CE;
	if (packet_of(m)->flags & PACKET_IPV4) {
		ck_assert_uint_eq(frame_ones_sum(ip, 20), 0xffff);
		ck_assert_uint_eq(ip[1] & 3, packet_ecn(packet_of(m)));
	}
	node_deliver(node, m, now_ps);
}

static struct rte_mbuf *
probe_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	(void)node;
	(void)port;
	(void)now_ps;
	*next_ps = UNITS_NEVER_PS;
	return NULL;
}

static const struct node_ops probe_ops = {.arrive = probe_arrive, .dequeue = probe_dequeue};
static struct probe probe;
static struct link in, out;

static struct impair *
probe_open(const struct impair_cfg *cfg)
{
	const struct node_port_cfg port = {.rate_bps = 100000000000ULL, .mac = {2, 0, 0, 0, 0, 9}};
	struct impair *im = create(cfg, 1);

	memset(&probe, 0, sizeof(probe));
	ck_assert_int_eq(node_init(&probe.node, &probe_ops, "probe", 3, 1, pool, 1, &port), 0);
	ck_assert_int_eq(link_init(&in, DELAY_PS), 0);
	ck_assert_int_eq(link_init(&out, DELAY_PS), 0);
	node_attach(&probe.node, 0, &out, &in);
	node_impair(&probe.node, 0, im);
	return im;
}

static void
probe_close(void)
{
	node_fini(&probe.node);
	link_fini(&in);
	link_fini(&out);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), PACKETS);
}

/* `count` frames, `gap_ps` apart, the n-th with uid n. */
static void
feed(uint32_t count, uint64_t gap_ps, uint8_t ecn)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct frame_spec spec = {.from = 1, .to = 2, .ecn = ecn, .ipv6 = i % 2};

		link_send(&in, frame_make(pool, &spec, i), i * gap_ps, i * gap_ps);
	}
	node_collect(&probe.node);
	ck_assert_uint_eq(node_advance(&probe.node, UNITS_NEVER_PS), UNITS_NEVER_PS);
}

START_TEST(received_frames_are_delayed_and_reordered)
{
	probe_open(&(struct impair_cfg){.rx = true, .until_ps = UNITS_NEVER_PS, .delay_ps = 5000});
	feed(100, 10000, PACKET_ECT0);
	ck_assert_uint_eq(probe.arrived, 100);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(probe.arrived_ps[i], i * 10000 + DELAY_PS + 5000);
	probe_close();

	probe_open(&(struct impair_cfg){.rx = true,
					.from_ps = DELAY_PS + 30000,
					.until_ps = DELAY_PS + 30001,
					.reorder_q32 = ONE_Q32,
					.reorder_delay_ps = 25000});
	feed(10, 10000, PACKET_ECT0);
	/* The fourth comes after the sixth. */
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(probe.uids[i], ((uint64_t[]){0, 1, 2, 4, 5, 3, 6, 7, 8, 9})[i]);
	probe_close();
}
END_TEST

START_TEST(copies_losses_and_marks_are_counted)
{
	struct impair *im;

	im = probe_open(&(struct impair_cfg){.rx = true,
					     .until_ps = UNITS_NEVER_PS,
					     .loss_every = 5,
					     .duplicate_q32 = ONE_Q32,
					     .mark_every = 2});
	feed(100, 10000, PACKET_ECT0);
	ck_assert_uint_eq(probe.arrived, 160);
	ck_assert_uint_eq(probe.marked, 80);
	ck_assert_uint_eq(probe.node.counters.copied, 80);
	ck_assert_uint_eq(probe.node.counters.marked, 40);
	ck_assert_uint_eq(probe.node.counters.dropped, 20);
	ck_assert_uint_eq(probe.node.counters.hops, 100);
	ck_assert_uint_eq(probe.node.ports[0].drops[DROP_IMPAIRED_LOSS][0], 20);
	ck_assert_uint_eq(im->counters.lost, 20);
	ck_assert_uint_eq(im->counters.duplicated, 80);
	ck_assert_uint_eq(impair_held(im), 0);
	probe_close();

	probe_open(
		&(struct impair_cfg){.rx = true, .until_ps = UNITS_NEVER_PS, .mark_q32 = ONE_Q32});
	feed(20, 10000, PACKET_NOT_ECT);
	ck_assert_uint_eq(probe.marked, 0);
	probe_close();
}
END_TEST

/* 802.1Qbb: opcode 0x0101, class-enable vector, eight timers; sent at from + n x interval. */
START_TEST(storm_has_its_times_and_bytes)
{
	static const uint8_t expected[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0,    0, 0,
					   0,    0x09, 0x88, 0x08, 0x01, 0x01, 0x00, 0x18, 0, 0,
					   0,    0,    0,    0,    0x12, 0x34, 0x12, 0x34, 0, 0};
	struct impair *im = probe_open(&(struct impair_cfg){.from_ps = 1000000,
							    .until_ps = 6000000,
							    .pause_vector = 0x18,
							    .pause_quanta = 0x1234,
							    .pause_interval_ps = 1000000});

	ck_assert_uint_eq(node_advance(&probe.node, UNITS_NEVER_PS), UNITS_NEVER_PS);
	ck_assert_uint_eq(out.staged[0].count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		struct rte_mbuf *m = out.staged[0].entries[i].packet;

		ck_assert_uint_eq(out.staged[0].entries[i].arrival_ps,
				  (i + 1) * 1000000 + FRAME_PS + DELAY_PS);
		ck_assert_mem_eq(rte_pktmbuf_mtod(m, uint8_t *), expected, sizeof(expected));
		ck_assert_uint_eq(packet_of(m)->frame_bytes, 64);
	}
	ck_assert_uint_eq(im->counters.pauses, 5);
	ck_assert_uint_eq(probe.node.ports[0].pfc_tx.xoff_frames[3], 5);
	probe_close();
}
END_TEST

static void
assert_sent(uint32_t index, const uint8_t *bytes, size_t count)
{
	ck_assert_mem_eq(rte_pktmbuf_mtod(out.staged[0].entries[index].packet, uint8_t *), bytes,
			 count);
}

/*
 * 802.3 annex 31B: opcode 0x0001 and one time, from any address; annex 31D with an empty vector and
 * eight times. Two storms that are not alike send a frame each, one after the other.
 */
START_TEST(storms_of_other_frames)
{
	static const uint8_t global[] = {0x01, 0x80, 0xc2, 0, 0,    1,    0,    0, 0, 0, 0,
					 0,    0x88, 8,    0, 0x01, 0x12, 0x34, 0, 0, 0};
	static const uint8_t empty[] = {0x01, 0x80, 0xc2, 0,    0, 1, 2, 0, 0, 0, 0, 9,
					0x88, 8,    0x01, 0x01, 0, 0, 0, 5, 0, 5, 0, 5,
					0,    5,    0,    5,    0, 5, 0, 5, 0, 5, 0};
	const struct impair_cfg rules[] = {
		{.until_ps = 1500000,
		 .pause_global = true,
		 .pause_forged = true,
		 .pause_quanta = 0x1234,
		 .pause_interval_ps = 1000000},
		{.until_ps = 1500000, .pause_quanta = 5, .pause_interval_ps = 1000000},
	};
	struct impair *im;

	impair_destroy(probe_open(&rules[0]));
	ck_assert_int_eq(impair_create(&im, rules, 2, 1, 1), 0);
	node_impair(&probe.node, 0, im);
	node_advance(&probe.node, UNITS_NEVER_PS);
	ck_assert_uint_eq(out.staged[0].count, 4);
	assert_sent(0, global, sizeof(global));
	assert_sent(1, empty, sizeof(empty));
	assert_sent(2, global, sizeof(global));
	assert_sent(3, empty, sizeof(empty));
	ck_assert_uint_eq(im->counters.pauses, 4);
	for (int i = 0; i < PFC_PRIORITIES; i++)
		ck_assert_uint_eq(probe.node.ports[0].pfc_tx.xoff_frames[i], 0);
	probe_close();
}
END_TEST

START_TEST(storm_ends_when_the_node_stops)
{
	probe_open(&(struct impair_cfg){.until_ps = UNITS_NEVER_PS,
					.pause_vector = 1,
					.pause_quanta = 1,
					.pause_interval_ps = 1000000});
	node_advance(&probe.node, 3500000);
	node_stop(&probe.node, 3500000);
	ck_assert_uint_eq(node_advance(&probe.node, UNITS_NEVER_PS), UNITS_NEVER_PS);
	ck_assert_uint_eq(out.staged[0].count, 4);
	probe_close();
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("impair");
	TCase *verdicts = suite_topic(suite, "verdicts");
	TCase *nodes = suite_topic(suite, "nodes");

	test_eal_init();
	pool = packet_pool_create("packets", PACKETS, PACKET_HEADER_ROOM_BYTES + 64);
	if (pool == NULL)
		return EXIT_FAILURE;
	tcase_add_loop_test(verdicts, shares_are_binomial, 0, 3);
	tcase_add_test(verdicts, bursts_have_their_mean_length);
	tcase_add_test(verdicts, every_nth_is_exact);
	tcase_add_test(verdicts, delay_keeps_order);
	tcase_add_test(verdicts, mac_control_is_exempt_unless_asked);
	tcase_add_test(verdicts, flip_breaks_the_icrc);
	tcase_add_test(nodes, received_frames_are_delayed_and_reordered);
	tcase_add_test(nodes, copies_losses_and_marks_are_counted);
	tcase_add_test(nodes, storm_has_its_times_and_bytes);
	tcase_add_test(nodes, storms_of_other_frames);
	tcase_add_test(nodes, storm_ends_when_the_node_stops);
	return suite_run(suite);
}
