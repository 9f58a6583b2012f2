/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One switch on a bench. To each port either frames are fed by hand, to the picosecond, and what
 * it sends is recorded; or a station is cabled to it and the virtual engine runs them all.
 *
 * Defaults, to be changed between rig_clear() and rig_open(): 100 Gb/s, 1 us cables, station n
 * statically known on port n, traffic class = DSCP / 8 = PG = queue = PFC priority, classes 3 and
 * 4 lossless with PFC, a buffer that no test fills by accident, no WRED, DWRR of equal weights.
 */
#ifndef RAILYARD_TEST_SWITCH_RIG_H
#define RAILYARD_TEST_SWITCH_RIG_H

#include <stdio.h>
#include <stdlib.h>

#include "eal.h"
#include "engine_virtual.h"
#include "frames.h"
#include "pipelines.h"
#include "station.h"
#include "suite.h"
#include "switch.h"

#ifndef RIG_PORTS
#define RIG_PORTS 16u
#define RIG_PACKETS 24576u
#endif
#ifndef RIG_CABLE_PS
#define RIG_CABLE_PS 1000000ULL
#endif
#define RIG_RATE_BPS 100000000000ULL
#define RIG_HEADER_BYTES 64u

enum { RIG_LOSSLESS, RIG_LOSSY, RIG_EGRESS, RIG_PROFILES };

/* A frame that has left a port. */
struct rig_departure {
	uint64_t end_ps; /* its last bit, gap included */
	uint64_t uid;
	uint32_t frame_bytes;
	uint16_t port;
	uint8_t flags;
	uint8_t traffic_class;
	uint8_t header[RIG_HEADER_BYTES];
};

struct rig {
	struct switch_cfg cfg;
	struct switch_port_cfg ports[RIG_PORTS];
	struct fdb_entry_cfg statics[RIG_PORTS];
	struct switch_node *sw;
	struct link in[RIG_PORTS];  /* to the switch */
	struct link out[RIG_PORTS]; /* from it */
	struct station stations[RIG_PORTS];
	bool cabled[RIG_PORTS]; /* to a station */
	struct rig_departure *departures;
	uint32_t count;
	uint32_t size;
	uint64_t now_ps;
	uint64_t fed;
};

static struct rte_mempool *rig_pool;

/* From main(), before any test runs. */
static inline void
rig_set_up_pool(void)
{
	test_eal_init();
	rig_pool = packet_pool_create("packets", RIG_PACKETS, PACKET_HEADER_ROOM_BYTES);
	if (rig_pool == NULL)
		exit(EXIT_FAILURE);
}

static inline void
rig_default_mmu(struct mmu_cfg *mmu)
{
	const uint64_t plenty = 1ULL << 30;

	*mmu = (struct mmu_cfg){.cell_bytes = 208, .partitions = 1};
	mmu->pools[mmu->pool_count++] =
		(struct mmu_pool_cfg){.dynamic = true, .size_bytes = plenty};
	mmu->pools[mmu->pool_count++] = (struct mmu_pool_cfg){.egress = true, .size_bytes = plenty};
	mmu->profiles[RIG_LOSSLESS] = (struct mmu_profile_cfg){
		.dynamic_th = 0, .lossless = true, .xoff_bytes = 1 << 20, .xon_offset_bytes = 2288};
	mmu->profiles[RIG_LOSSY] = (struct mmu_profile_cfg){.dynamic_th = 3};
	mmu->profiles[RIG_EGRESS] =
		(struct mmu_profile_cfg){.pool = 1, .is_static = true, .static_th_bytes = plenty};
	mmu->profile_count = RIG_PROFILES;
}

static inline void
rig_default_port(struct rig *rig, uint16_t port)
{
	struct switch_port_cfg *p = &rig->ports[port];

	p->port = (struct node_port_cfg){
		.rate_bps = RIG_RATE_BPS,
		.mac = {0x02, 0x52, 0x59, 0, 0, (uint8_t)port},
		.pfc = {.enable = 0x18, .quanta = 65535, .refresh_ps = 100 * UNITS_PS_PER_US}};
	p->mtu_bytes = 9216;
	for (int i = 0; i < SWITCH_QUEUES; i++) {
		p->mmu.pg_profile[i] = i == 3 || i == 4 ? RIG_LOSSLESS : RIG_LOSSY;
		p->mmu.queue_profile[i] = RIG_EGRESS;
		p->wred[i] = -1;
		p->scheduler[i] = -1;
	}
	rig->statics[port].port = port;
	frame_station(rig->statics[port].mac, (uint8_t)port);
}

static inline void
rig_clear(struct rig *rig)
{
	static uint32_t rigs; /* tables keep their names when a test fails */
	struct switch_maps *maps = &rig->cfg.maps;

	memset(rig, 0, sizeof(*rig));
	snprintf(rig->cfg.name, sizeof(rig->cfg.name), "rig%u", rigs++);
	snprintf(rig->cfg.pipeline, sizeof(rig->cfg.pipeline), "shared-buffer");
	rig->cfg.port_count = RIG_PORTS;
	rig->cfg.ports = rig->ports;
	for (uint8_t i = 0; i < 64; i++)
		maps->dscp_to_tc[i] = i / 8;
	for (uint8_t i = 0; i < 8; i++) {
		maps->pcp_to_tc[i] = maps->tc_to_pg[i] = maps->tc_to_queue[i] = i;
		maps->pfc_to_queue[i] = maps->pg_to_pfc[i] = i;
	}
	rig_default_mmu(&rig->cfg.mmu);
	for (uint16_t port = 0; port < RIG_PORTS; port++)
		rig_default_port(rig, port);
	rig->cfg.forwarding = (struct forwarding_cfg){
		.fdb_size = 256, .static_count = RIG_PORTS, .statics = rig->statics};
}

/* Build the switch and cable all its ports to the bench. */
static inline void
rig_open(struct rig *rig, uint64_t seed)
{
	const struct pipeline *pipeline = pipelines_find(rig->cfg.pipeline);

	ck_assert_ptr_nonnull(pipeline);
	ck_assert_int_eq(switch_create(&rig->sw, &rig->cfg, pipeline, 1, seed, rig_pool, NULL), 0);
	for (uint16_t port = 0; port < rig->cfg.port_count; port++) {
		ck_assert_int_eq(link_init(&rig->in[port], RIG_CABLE_PS), 0);
		ck_assert_int_eq(link_init(&rig->out[port], RIG_CABLE_PS), 0);
		node_attach(&rig->sw->node, port, &rig->out[port], &rig->in[port]);
	}
}

/* Put a station on a port, with the port's own rate and PFC and the response time given. */
static inline struct station *
rig_cable(struct rig *rig, uint16_t port, uint64_t response_ps)
{
	struct station *st = &rig->stations[port];
	struct node_port_cfg cfg = rig->ports[port].port;

	frame_station(cfg.mac, (uint8_t)port);
	cfg.hold_from_ps = cfg.hold_until_ps = 0;
	cfg.pfc.response_ps = response_ps;
	station_init(st, 100u + port, 1, rig_pool, &cfg);
	node_attach(&st->node, 0, &rig->in[port], &rig->out[port]);
	rig->cabled[port] = true;
	return st;
}

/* Run the switch and its stations; what an uncabled port sends is recorded at the end. */
static inline enum engine_end
rig_engine(struct rig *rig, uint64_t until_ps)
{
	struct node *nodes[RIG_PORTS + 1] = {&rig->sw->node};
	uint32_t count = 1;
	struct engine_virtual e;
	enum engine_end end;

	for (uint16_t port = 0; port < RIG_PORTS; port++) {
		if (rig->cabled[port])
			nodes[count++] = &rig->stations[port].node;
	}
	ck_assert_int_eq(engine_virtual_init(&e, nodes, count, RIG_CABLE_PS), 0);
	end = engine_virtual_run(&e, until_ps);
	engine_virtual_fini(&e);
	return end;
}

/* A frame that has arrived at the port, whole, at arrive_ps; in order on each port. */
static inline void
rig_feed_packet(struct rig *rig, uint16_t port, struct rte_mbuf *m, uint64_t arrive_ps)
{
	EXPECT(arrive_ps >= RIG_CABLE_PS);
	link_send(&rig->in[port], m, arrive_ps - RIG_CABLE_PS, arrive_ps - RIG_CABLE_PS);
	rig->fed++;
}

/* As above, made from its description; its uid is its number, from 1. */
static inline uint64_t
rig_feed(struct rig *rig, uint16_t port, const struct frame_spec *spec, uint64_t arrive_ps)
{
	struct rte_mbuf *m = frame_make(rig_pool, spec, rig->fed + 1);

	EXPECT(m != NULL);
	rig_feed_packet(rig, port, m, arrive_ps);
	return rig->fed;
}

static inline void
rig_record(struct rig *rig, uint16_t port, const struct link_entry *entry)
{
	const struct rte_mbuf *m = entry->packet;
	const struct packet *p = packet_of(m);
	struct rig_departure *d;

	if (rig->count == rig->size) {
		rig->size = rig->size == 0 ? 1024 : rig->size * 2;
		rig->departures = realloc(rig->departures, rig->size * sizeof(*rig->departures));
		ck_assert_ptr_nonnull(rig->departures);
	}
	d = &rig->departures[rig->count++];
	*d = (struct rig_departure){.end_ps = p->tail_ps - RIG_CABLE_PS,
				    .uid = p->uid,
				    .frame_bytes = p->frame_bytes,
				    .port = port,
				    .flags = p->flags,
				    .traffic_class = p->traffic_class};
	memcpy(d->header, rte_pktmbuf_mtod(m, const void *),
	       m->data_len < RIG_HEADER_BYTES ? m->data_len : RIG_HEADER_BYTES);
}

/* Run the switch alone until until_ps and record what it sent, in order on each port. */
static inline void
rig_run(struct rig *rig, uint64_t until_ps)
{
	node_collect(&rig->sw->node);
	node_advance(&rig->sw->node, until_ps);
	rig->now_ps = until_ps;
	for (uint16_t port = 0; port < rig->cfg.port_count; port++) {
		struct link *out = &rig->out[port];

		for (uint32_t i = 0; i < out->staged[0].count; i++) {
			rig_record(rig, port, &out->staged[0].entries[i]);
			packet_free(out->staged[0].entries[i].packet);
		}
		out->staged[0].count = 0;
	}
}

static inline uint32_t
rig_departed(const struct rig *rig, uint16_t port)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rig->count; i++)
		n += rig->departures[i].port == port;
	return n;
}

static inline struct node_port *
rig_port(struct rig *rig, uint16_t port)
{
	return &rig->sw->node.ports[port];
}

/* Drops for a reason, over all ports and classes. */
static inline uint64_t
rig_drops(const struct rig *rig, enum drop_reason reason)
{
	uint64_t n = 0;

	for (uint16_t port = 0; port < rig->cfg.port_count; port++) {
		for (int i = 0; i < 8; i++)
			n += rig->sw->node.ports[port].drops[reason][i];
	}
	return n;
}

static inline void
rig_assert_sound(struct rig *rig)
{
	char why[256] = "";

	ck_assert_msg(rig->sw->node.ops->check(&rig->sw->node, why, sizeof(why)) == 0, "%s", why);
}

/* Every packet is accounted for; then give everything back. */
static inline void
rig_close(struct rig *rig)
{
	const struct node_counters *c = &rig->sw->node.counters;
	uint64_t sent = 0, received = 0;

	rig_assert_sound(rig);
	for (uint16_t port = 0; port < rig->cfg.port_count; port++) {
		sent += rig->sw->node.ports[port].tx_packets;
		received += rig->sw->node.ports[port].rx_packets;
	}
	ck_assert_uint_eq(received + c->created + c->copied,
			  sent + c->consumed + c->dropped + rig->sw->held_packets);
	for (uint16_t port = 0; port < RIG_PORTS; port++) {
		if (rig->cabled[port])
			rig->stations[port].node.ops->destroy(&rig->stations[port].node);
	}
	rig->sw->node.ops->destroy(&rig->sw->node);
	for (uint16_t port = 0; port < rig->cfg.port_count; port++) {
		link_fini(&rig->in[port]);
		link_fini(&rig->out[port]);
	}
	free(rig->departures);
	ck_assert_uint_eq(rte_mempool_avail_count(rig_pool), RIG_PACKETS);
}

#endif
