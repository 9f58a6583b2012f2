/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simplest node with one port: it sends flows, one a priority, at a fixed pace or as fast as
 * its port allows, obeys PFC, and keeps books of what it receives. Its flows are open loops: what
 * a pause delays is sent as soon as the pause ends.
 */
#ifndef RAILYARD_TEST_STATION_H
#define RAILYARD_TEST_STATION_H

#include <stdlib.h>

#include "frames.h"
#include "node.h"
#include "suite.h"

#define STATIONS 64u
#define STATION_FLOWS 8u

struct station_flow {
	struct frame_spec spec;
	uint64_t left;        /* frames to send */
	uint64_t next_ps;     /* when the next may start */
	uint64_t interval_ps; /* from start to start; 0 = back to back */
	uint64_t sent;
};

/* What came from one station at one priority (DSCP / 8). */
struct station_received {
	uint64_t packets;
	uint64_t bytes;
	uint64_t marked;
	uint64_t reordered; /* uid lower than one before: a sender numbers its frames */
	uint64_t last_uid;
	uint64_t first_ps;
	uint64_t last_ps;
};

struct station {
	struct node node; /* first */
	struct station_flow flows[STATION_FLOWS];
	struct station_received from[STATIONS][STATION_FLOWS];
	uint64_t received;
};

static inline void
station_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	struct station *st = (struct station *)node;
	const struct packet *p = packet_of(m);
	struct station_received *r =
		&st->from[rte_pktmbuf_mtod(m, const uint8_t *)[11] % STATIONS][packet_dscp(p) / 8];

	if (r->packets++ == 0)
		r->first_ps = now_ps;
	else if (p->uid <= r->last_uid)
		r->reordered++;
	r->bytes += p->frame_bytes;
	r->marked += packet_ecn(p) == PACKET_CE;
	r->last_uid = p->uid;
	r->last_ps = now_ps;
	st->received++;
	node_deliver(node, m, now_ps);
}

/* Of the flows that may send, the one that has waited longest. */
static inline struct station_flow *
station_ready(struct station *st, uint64_t now_ps, uint64_t *next_ps)
{
	const struct pfc_rx *rx = &st->node.ports[0].pfc_rx;
	struct station_flow *best = NULL;

	*next_ps = UNITS_NEVER_PS;
	for (uint32_t i = 0; i < STATION_FLOWS; i++) {
		struct station_flow *f = &st->flows[i];
		uint64_t may_ps = rx->paused >> i & 1 ? rx->next_change_ps : f->next_ps;

		if (f->left == 0)
			continue;
		if (may_ps > now_ps) {
			*next_ps = may_ps < *next_ps ? may_ps : *next_ps;
			continue;
		}
		if (best == NULL || f->next_ps < best->next_ps)
			best = f;
	}
	return best;
}

static inline struct rte_mbuf *
station_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	struct station *st = (struct station *)node;
	struct station_flow *f = station_ready(st, now_ps, next_ps);
	struct rte_mbuf *m;

	if (f == NULL)
		return NULL;
	m = node_new_packet(node);
	EXPECT(m != NULL);
	m->data_len = (uint16_t)frame_write(rte_pktmbuf_mtod(m, uint8_t *), &f->spec,
					    f->spec.frame_bytes);
	m->pkt_len = m->data_len;
	packet_of(m)->frame_bytes = f->spec.frame_bytes;
	f->left--;
	f->sent++;
	f->next_ps = f->interval_ps == 0 ? now_ps : f->next_ps + f->interval_ps;
	*next_ps = now_ps;
	return m;
}

static inline uint64_t
station_held(const struct node *node)
{
	return 0;
}

static inline int
station_check(const struct node *node, char *why, size_t why_bytes)
{
	return 0;
}

static inline void
station_destroy(struct node *node)
{
	node_fini(node);
}

static const struct node_ops station_ops = {
	.arrive = station_arrive,
	.dequeue = station_dequeue,
	.held = station_held,
	.check = station_check,
	.destroy = station_destroy,
};

static inline void
station_init(struct station *st, uint32_t id, uint64_t seed, struct rte_mempool *pool,
	     const struct node_port_cfg *port)
{
	memset(st, 0, sizeof(*st));
	ck_assert_int_eq(node_init(&st->node, &station_ops, "station", id, seed, pool, 1, port), 0);
}

/* Priority `flow` sends `count` frames from at_ps on: at rate_bps on the wire, 0 = line rate. */
static inline void
station_send(struct station *st, uint8_t flow, struct frame_spec spec, uint64_t count,
	     uint64_t at_ps, uint64_t rate_bps)
{
	spec.dscp = (uint8_t)(8 * flow);
	st->flows[flow] = (struct station_flow){
		.spec = spec,
		.left = count,
		.next_ps = at_ps,
		.interval_ps = rate_bps == 0 ? 0 : units_frame_ps(spec.frame_bytes, rate_bps),
	};
	node_wake_port(&st->node, 0, at_ps);
}

#endif
