/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nanoseconds a packet of the switch alone: frames are put into its links, one to each of 64
 * ports at 400 Gb/s a wire time, leave by another port, and are taken back from there. Printed
 * beside what the rig costs without the switch (allocate, fill in, hand over, free).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "eal.h"
#include "pipelines.h"
#include "roce.h"
#include "switch.h"

enum { PORTS = 64, FRAME_PAYLOAD_BYTES = 4096, ROUNDS = 20000, BATCH = 16 };

static const uint64_t rate_bps = 400000000000;
static const uint64_t delay_ps = 1000000;

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct rig {
	struct switch_node *sw;
	struct switch_cfg cfg;
	struct switch_port_cfg ports[PORTS];
	struct wred_cfg wred;
	struct fdb_entry_cfg statics[PORTS];
	struct link in[PORTS];
	struct link out[PORTS];
	struct roce_path paths[PORTS];
	struct rte_mempool *pool;
	uint64_t checksum;
};

static void
mac_of(uint8_t mac[6], int port)
{
	memset(mac, 0, 6);
	mac[0] = 2;
	mac[5] = (uint8_t)port;
}

static void
rig_mmu(struct rig *r)
{
	struct mmu_cfg *mmu = &r->cfg.mmu;

	mmu->cell_bytes = 254;
	mmu->partitions = 1;
	mmu->pool_count = 2;
	mmu->pools[0] =
		(struct mmu_pool_cfg){.name = "in", .dynamic = true, .size_bytes = 64 << 20};
	mmu->pools[1] =
		(struct mmu_pool_cfg){.name = "out", .egress = true, .size_bytes = 128 << 20};
	mmu->profile_count = 2;
	mmu->profiles[0] = (struct mmu_profile_cfg){.name = "pg",
						    .size_bytes = 2540,
						    .lossless = true,
						    .xoff_bytes = 200000,
						    .xon_offset_bytes = 2540};
	mmu->profiles[1] = (struct mmu_profile_cfg){
		.name = "queue", .pool = 1, .is_static = true, .static_th_bytes = 128 << 20};
}

static void
rig_port(struct rig *r, int i)
{
	struct switch_port_cfg *p = &r->ports[i];

	p->port.rate_bps = rate_bps;
	p->port.pfc = (struct pfc_cfg){.enable = 0x18,
				       .quanta = 0xffff,
				       .refresh_ps = 40 * UNITS_PS_PER_US,
				       .response_ps = UNITS_PS_PER_US};
	p->mtu_bytes = 9216;
	mac_of(p->port.mac, 128 + i);
	for (int c = 0; c < 8; c++) {
		p->mmu.pg_profile[c] = 0;
		p->mmu.queue_profile[c] = 1;
		p->wred[c] = 0;
		p->scheduler[c] = -1;
	}
	mac_of(r->statics[i].mac, i);
	r->statics[i].port = (uint16_t)i;
}

static void
rig_path(struct rig *r, int from, int to)
{
	struct roce_path_cfg cfg = {
		.udp_source_port = 0xc000, .ttl = 64, .traffic_class = 26 << 2 | 2};

	mac_of(cfg.source.mac, from);
	mac_of(cfg.destination.mac, to);
	cfg.source.ip[0] = cfg.destination.ip[0] = 10;
	cfg.source.ip[3] = (uint8_t)from;
	cfg.destination.ip[3] = (uint8_t)to;
	roce_path_init(&r->paths[from], &cfg);
}

static struct rig *
rig_create(void)
{
	struct rig *r = calloc(1, sizeof(*r));

	r->pool = packet_pool_create("bench", 65535, PACKET_HEADER_ROOM_BYTES);
	snprintf(r->cfg.name, sizeof(r->cfg.name), "bench");
	rig_mmu(r);
	for (int i = 0; i < PORTS; i++) {
		rig_port(r, i);
		rig_path(r, i, (i + 1) % PORTS);
	}
	r->wred = (struct wred_cfg){.name = "ecn",
				    .mark = {.enable = true,
					     .min_bytes = 100000,
					     .max_bytes = 400000,
					     .probability_q32 = 1u << 30}};
	r->cfg.port_count = PORTS;
	r->cfg.ports = r->ports;
	r->cfg.wred = &r->wred;
	r->cfg.wred_count = 1;
	r->cfg.forwarding.fdb_size = 1024;
	r->cfg.forwarding.statics = r->statics;
	r->cfg.forwarding.static_count = PORTS;
	memset(r->cfg.maps.dscp_to_tc, 3, 64);
	for (uint8_t c = 0; c < 8; c++)
		r->cfg.maps.tc_to_pg[c] = r->cfg.maps.tc_to_queue[c] = r->cfg.maps.pfc_to_queue[c] =
			r->cfg.maps.pg_to_pfc[c] = c;
	if (r->pool == NULL || switch_create(&r->sw, &r->cfg, pipelines_find("shared-buffer"), 0, 1,
					     r->pool, NULL) != 0)
		exit(EXIT_FAILURE);
	for (int i = 0; i < PORTS; i++) {
		link_init(&r->in[i], delay_ps);
		link_init(&r->out[i], delay_ps);
		node_attach(&r->sw->node, (uint16_t)i, &r->out[i], &r->in[i]);
	}
	return r;
}

/* A batch of frames to every port, back to back from start_ps. */
static void
inject(struct rig *r, struct link *links, uint64_t start_ps)
{
	struct roce_packet p = {.opcode = ROCE_WRITE_MIDDLE, .payload_bytes = FRAME_PAYLOAD_BYTES};

	for (int b = 0; b < BATCH; b++) {
		for (int i = 0; i < PORTS; i++) {
			struct rte_mbuf *m = packet_alloc(r->pool);
			uint64_t wire_ps;

			roce_encode(m, &r->paths[i], &p, false);
			wire_ps = units_frame_ps(packet_of(m)->frame_bytes, rate_bps);
			link_send(&links[i], m, start_ps + (uint64_t)b * wire_ps,
				  start_ps + (uint64_t)(b + 1) * wire_ps);
		}
	}
}

static uint64_t
take_back(struct rig *r, struct link *links)
{
	uint64_t count = 0;

	for (int i = 0; i < PORTS; i++) {
		link_collect(&links[i]);
		while (links[i].head != links[i].tail) {
			struct rte_mbuf *m = link_pop(&links[i]);

			r->checksum += packet_of(m)->tail_ps;
			packet_free(m);
			count++;
		}
	}
	return count;
}

static double
measure(struct rig *r, bool with_switch)
{
	uint64_t window_ps = BATCH * units_frame_ps(FRAME_PAYLOAD_BYTES + 62, rate_bps);
	uint64_t at_ps = r->sw->node.last_event_ps + 10 * delay_ps, packets = 0;
	double start_ns = now_ns();

	for (int round = 0; round < ROUNDS / BATCH; round++, at_ps += window_ps) {
		inject(r, with_switch ? r->in : r->out, at_ps);
		if (with_switch) {
			node_collect(&r->sw->node);
			node_advance(&r->sw->node, at_ps + window_ps);
		}
		packets += take_back(r, r->out);
	}
	return (now_ns() - start_ns) / (double)packets;
}

int
main(void)
{
	struct rig *r;
	double rig_ns, both_ns;

	test_eal_init();
	r = rig_create();
	measure(r, true);
	rig_ns = measure(r, false);
	both_ns = measure(r, true);
	printf("switch, %d ports, %d B frames: %.1f ns a packet (rig %.1f ns, together %.1f ns), "
	       "marked %llu\n",
	       PORTS, FRAME_PAYLOAD_BYTES + 62, both_ns - rig_ns, rig_ns, both_ns,
	       (unsigned long long)r->sw->node.counters.marked);
	return 0;
}
