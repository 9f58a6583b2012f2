/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The switch by the clock between two DPDK ports, as fast as one core goes: nanoseconds of the
 * core a packet, and what a long run must not lose.
 *
 * usage: bench_real null|ring FRAME_BYTES PACKETS
 *
 * null: net_null devices; every packet of a port's pool holds a frame to the station behind the
 * other port, and the driver hands them out as they are. ring: the two ports are cabled to each
 * other by net_ring devices, and a frame to the station behind one port that is put in at the
 * other goes round for ever. Either way each packet is parsed, classified, learned from, looked
 * up, admitted to the buffer, judged by WRED, queued, scheduled, and serialized at a rate that
 * the core cannot reach.
 *
 * At the end every counter must agree with every other, the frames must be where they were and
 * the same bytes, and each direction of the ring in its order; else exit status 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "eal.h"
#include "engine_real.h"
#include "frames.h"
#include "pipelines.h"
#include "switch.h"

enum { PORTS = 2, PACKETS = 4096, CIRCLING = 64, SEQUENCE_OFS = 56 };
/* A turn that came late may make a ring larger, once; a leak of packets is counted by itself. */
enum { GROWTH_KIB = 1024 };

static const uint64_t rate_bps = 800000000000;

struct bench {
	struct switch_node *sw;
	struct switch_cfg cfg;
	struct switch_port_cfg ports[PORTS];
	struct wred_cfg wred;
	struct node *node;
	struct engine_virtual nodes;
	struct engine_real engine;
	struct ethdev_port devices[PORTS];
	struct rte_mempool *pools[PORTS];
	struct rte_ring *rings[PORTS]; /* what port i receives from */
	uint32_t frame_bytes;
	uint64_t stop_at_packets;
	bool failed;
};

static void
require(struct bench *b, bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "bench_real: %s\n", what);
	b->failed = true;
}

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Resident memory of the process: the exact count, which statm does not have. */
static uint64_t
resident_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	uint64_t kib = 0;
	char line[256];

	if (f == NULL)
		return 0;
	while (kib == 0 && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "Rss: %" SCNu64, &kib) != 1)
			kib = 0;
	}
	fclose(f);
	return kib;
}

/* The frame that comes in at `port`: to the station behind the other one, ECT(0). */
static void
write_frame(const struct bench *b, uint8_t *at, int port, uint32_t sequence)
{
	const struct frame_spec s = {
		.from = (uint8_t)port, .to = (uint8_t)(1 - port), .dscp = 26, .ecn = 2};

	memset(at, 0, b->frame_bytes - UNITS_FCS_BYTES);
	frame_write(at, &s, b->frame_bytes);
	memcpy(at + SEQUENCE_OFS, &sequence, sizeof(sequence));
}

static void
fill_packet(struct rte_mempool *pool, void *context, void *object, unsigned int index)
{
	struct rte_mbuf *m = object;
	struct bench *b = context;
	int port = pool == b->pools[1];

	write_frame(b, (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM, port, 0);
}

static uint16_t
null_device(const struct bench *b, int i)
{
	char name[32], arguments[64];
	uint16_t id;

	snprintf(name, sizeof(name), "net_null%d", i);
	snprintf(arguments, sizeof(arguments), "size=%u,copy=0", b->frame_bytes - UNITS_FCS_BYTES);
	if (rte_eal_hotplug_add("vdev", name, arguments) != 0 ||
	    rte_eth_dev_get_port_by_name(name, &id) != 0)
		exit(EXIT_FAILURE);
	return id;
}

/* Port i receives from its own ring and sends into the other's. */
static uint16_t
ring_device(struct bench *b, int i)
{
	char name[32];
	int id;

	for (int r = 0; r < PORTS && b->rings[r] == NULL; r++) {
		snprintf(name, sizeof(name), "bench_ring%d", r);
		b->rings[r] =
			rte_ring_create(name, 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	}
	snprintf(name, sizeof(name), "bench%d", i);
	id = rte_eth_from_rings(name, &b->rings[i], 1, &b->rings[1 - i], 1, SOCKET_ID_ANY);
	if (id < 0)
		exit(EXIT_FAILURE);
	return (uint16_t)id;
}

static void
fill_ring(struct bench *b, int port)
{
	for (uint32_t i = 0; i < CIRCLING; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(b->pools[port]);

		m->data_len = (uint16_t)(b->frame_bytes - UNITS_FCS_BYTES);
		m->pkt_len = m->data_len;
		write_frame(b, rte_pktmbuf_mtod(m, uint8_t *), port, i);
		rte_ring_enqueue(b->rings[port], m);
	}
}

static void
set_up_mmu(struct mmu_cfg *mmu)
{
	*mmu = (struct mmu_cfg){
		.cell_bytes = 254, .partitions = 1, .pool_count = 2, .profile_count = 2};
	mmu->pools[0] = (struct mmu_pool_cfg){.dynamic = true, .size_bytes = 32 << 20};
	mmu->pools[1] = (struct mmu_pool_cfg){.egress = true, .size_bytes = 64 << 20};
	mmu->profiles[0] = (struct mmu_profile_cfg){.size_bytes = 2540,
						    .lossless = true,
						    .xoff_bytes = 200000,
						    .xon_offset_bytes = 2540};
	mmu->profiles[1] =
		(struct mmu_profile_cfg){.pool = 1, .is_static = true, .static_th_bytes = 64 << 20};
}

/* Marks begin above what a burst of the device leaves in a queue. */
static void
set_up_switch(struct bench *b)
{
	struct switch_cfg *cfg = &b->cfg;

	*cfg = (struct switch_cfg){.name = "bench", .port_count = PORTS, .ports = b->ports};
	set_up_mmu(&cfg->mmu);
	b->wred.mark = (struct wred_curve){.enable = true,
					   .min_bytes = 400000,
					   .max_bytes = 1600000,
					   .probability_q32 = 1u << 30};
	cfg->wred = &b->wred;
	cfg->wred_count = 1;
	cfg->forwarding.fdb_size = 1024;
	memset(cfg->maps.dscp_to_tc, 3, sizeof(cfg->maps.dscp_to_tc));
	for (uint8_t c = 0; c < SWITCH_QUEUES; c++)
		cfg->maps.tc_to_pg[c] = cfg->maps.tc_to_queue[c] = cfg->maps.pfc_to_queue[c] =
			cfg->maps.pg_to_pfc[c] = c;
	for (int i = 0; i < PORTS; i++) {
		struct switch_port_cfg *p = &b->ports[i];

		p->port.rate_bps = rate_bps;
		p->port.pfc = (struct pfc_cfg){
			.enable = 0x18, .quanta = 0xffff, .refresh_ps = 20 * UNITS_PS_PER_US};
		p->mtu_bytes = 9216;
		frame_station(p->port.mac, (uint8_t)(128 + i));
		for (int c = 0; c < SWITCH_QUEUES; c++) {
			p->mmu.queue_profile[c] = 1;
			p->scheduler[c] = -1;
		}
	}
	if (switch_create(&b->sw, cfg, pipelines_find("shared-buffer"), 0, 1, b->pools[0], NULL) !=
	    0)
		exit(EXIT_FAILURE);
}

/* The engine's between(): enough packets have come in. */
static bool
is_enough(void *context, uint64_t now_ps)
{
	const struct bench *b = context;

	return b->sw->node.counters.hops >= b->stop_at_packets;
}

static void
set_up(struct bench *b, bool ring)
{
	const struct ethdev_cfg cfg = {.promiscuous = true};
	char why[256];

	for (int i = 0; i < PORTS; i++) {
		b->pools[i] = packet_pool_create(i == 0 ? "pool0" : "pool1", PACKETS,
						 RTE_PKTMBUF_HEADROOM + 2048);
		if (b->pools[i] == NULL)
			exit(EXIT_FAILURE);
		rte_mempool_obj_iter(b->pools[i], fill_packet, b);
	}
	set_up_switch(b);
	for (int i = 0; i < PORTS; i++) {
		uint16_t id = ring ? ring_device(b, i) : null_device(b, i);

		if (ethdev_open(&b->devices[i], id, &cfg, b->pools[i], NULL, (uint16_t)i, why,
				sizeof(why)) != 0) {
			fprintf(stderr, "bench_real: %s\n", why);
			exit(EXIT_FAILURE);
		}
		ethdev_attach(&b->devices[i], &b->sw->node, (uint16_t)i);
		if (ring)
			fill_ring(b, i);
	}
	b->node = &b->sw->node;
	if (engine_virtual_init(&b->nodes, &b->node, 1, ENGINE_REAL_SLICE_PS) != 0 ||
	    engine_real_init(&b->engine, &b->nodes, b->devices, PORTS) != 0)
		exit(EXIT_FAILURE);
	b->engine.between = is_enough;
	b->engine.context = b;
}

/* Let this many packets more through; false when time passes and packets do not. */
static bool
run(struct bench *b, uint64_t packets)
{
	b->stop_at_packets = b->sw->node.counters.hops + packets;
	engine_real_start(&b->engine);
	return engine_real_run(&b->engine, b->engine.now_ps + 3600 * UNITS_PS_PER_S) ==
	       ENGINE_STOPPED;
}

/* Nothing lost, made, refused or held back: what came in is out, or in a place that is known. */
static void
check_counters(struct bench *b)
{
	const struct node *node = &b->sw->node;
	uint64_t in = 0, out = 0, held = node->ops->held(node), lost = 0;
	char why[256] = "";

	for (int i = 0; i < PORTS; i++) {
		const struct ethdev_counters *c = &b->devices[i].counters;

		in += c->rx_packets;
		out += c->tx_packets;
		lost += c->rx_refused + c->tx_dropped;
		held += ethdev_held(&b->devices[i]);
		require(b, c->rx_bytes == c->rx_packets * b->frame_bytes, "received bytes");
		require(b, c->tx_bytes == c->tx_packets * b->frame_bytes, "sent bytes");
	}
	require(b, in == out + held, "packets received are neither sent nor held");
	require(b, lost == 0 && node->counters.dropped == 0, "packets were dropped");
	require(b, node->counters.created == 0, "the switch sent pauses");
	require(b, node->ops->check(node, why, sizeof(why)) == 0, why);
	require(b, b->sw->forwarding.learned == PORTS && b->sw->forwarding.moved == 0,
		"stations moved");
}

/* Empty the rings and see that each frame is there, whole, in its turn. */
static void
check_ring(struct bench *b, int port)
{
	uint8_t expected[2048];
	uint32_t first = 0;
	void *m;

	for (uint32_t i = 0; i < CIRCLING; i++) {
		const uint8_t *at;
		uint32_t sequence;

		if (rte_ring_dequeue(b->rings[port], &m) != 0) {
			require(b, false, "a frame has left the ring");
			return;
		}
		at = rte_pktmbuf_mtod((struct rte_mbuf *)m, const uint8_t *);
		memcpy(&sequence, at + SEQUENCE_OFS, sizeof(sequence));
		if (i == 0)
			first = sequence;
		require(b, sequence == (first + i) % CIRCLING, "frames are out of order");
		write_frame(b, expected, port, sequence);
		require(b, memcmp(at, expected, b->frame_bytes - UNITS_FCS_BYTES) == 0,
			"a frame has changed");
		rte_pktmbuf_free(m);
	}
	require(b, rte_ring_empty(b->rings[port]), "a frame too many in the ring");
}

/* After the last packet everything goes back to its pool. */
static void
check_end(struct bench *b, bool ring)
{
	uint64_t end_ps = b->engine.now_ps + b->engine.slice_ps;

	/* What is inside comes out; nothing more goes in. */
	engine_real_fini(&b->engine);
	require(b, engine_virtual_spread(&b->nodes, 1) == 0, "no memory");
	engine_virtual_run(&b->nodes, end_ps);
	for (int i = 0; i < PORTS; i++)
		ethdev_transmit(&b->devices[i], end_ps);
	check_counters(b);
	for (int i = 0; i < PORTS && ring; i++)
		check_ring(b, i);
	for (int i = 0; i < PORTS; i++) {
		require(b, ethdev_held(&b->devices[i]) == 0, "frames do not leave");
		ethdev_close(&b->devices[i]);
		require(b, rte_mempool_in_use_count(b->pools[i]) == 0, "packets have leaked");
	}
}

int
main(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof(*b));
	uint64_t packets, wall_ns, cpu_ns, before_kib, after_kib;
	bool ring;

	if (argc != 4) {
		fprintf(stderr, "usage: bench_real null|ring FRAME_BYTES PACKETS\n");
		return 2;
	}
	ring = strcmp(argv[1], "ring") == 0;
	b->frame_bytes = (uint32_t)strtoul(argv[2], NULL, 10);
	packets = strtoull(argv[3], NULL, 10);
	test_eal_init();
	set_up(b, ring);
	require(b, run(b, 200000), "stalled");
	before_kib = resident_kib();
	wall_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	require(b, run(b, packets), "stalled");
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	wall_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
	after_kib = resident_kib();
	require(b, after_kib <= before_kib + GROWTH_KIB, "resident memory has grown");
	check_end(b, ring);
	printf("{\"device\": \"%s\", \"frame_bytes\": %u, \"packets\": %" PRIu64
	       ", \"wall_s\": %.3f, \"ns_per_packet\": %.2f, \"mpps\": %.2f, \"rss_kib\": [%" PRIu64
	       ", %" PRIu64 "]}\n",
	       argv[1], b->frame_bytes, packets, (double)wall_ns / 1e9,
	       (double)cpu_ns / (double)packets, (double)packets * 1e3 / (double)wall_ns,
	       before_kib, after_kib);
	return b->failed;
}
