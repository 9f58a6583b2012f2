/* SPDX-License-Identifier: BSD-3-Clause */
#include "node.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prng.h"

/*
 * Event sources of a node with P ports: [0, P) a port's transmit opportunity, P the timer,
 * [P + 1, 2P + 1) arrivals. At one instant buffers are freed before frames are admitted.
 */
static uint32_t
timer_source(const struct node *node)
{
	return node->port_count;
}

static uint32_t
arrival_source(const struct node *node, uint16_t port)
{
	return node->port_count + 1u + port;
}

int
node_init(struct node *node, const struct node_ops *ops, const char *name, uint32_t id,
	  uint64_t seed, struct rte_mempool *pool, uint16_t port_count,
	  const struct node_port_cfg *cfg)
{
	int rc;

	*node = (struct node){.ops = ops,
			      .pool = pool,
			      .id = id,
			      .next_uid = (uint64_t)id << 40,
			      .port_count = port_count,
			      .sample_next_ps = UNITS_NEVER_PS};
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->digest.hash = prng_mix(id + 1);
	node->ports = lines_alloc(port_count, sizeof(*node->ports));
	if (node->ports == NULL)
		return -ENOMEM;
	rc = agenda_init(&node->agenda, 2u * port_count + 1, port_count + 1u, prng_mix(seed ^ id));
	for (uint16_t i = 0; rc == 0 && i < port_count; i++) {
		struct node_port *port = &node->ports[i];

		port->cfg = cfg[i];
		port->has_hold = cfg[i].hold_until_ps > cfg[i].hold_from_ps;
		node_set_rate(node, i, cfg[i].rate_bps);
		port->pfc_tx.refresh_at_ps = UNITS_NEVER_PS;
		rc = pfc_rx_init(&port->pfc_rx, &cfg[i].pfc, cfg[i].rate_bps);
	}
	if (rc != 0)
		node_fini(node);
	return rc;
}

void
node_fini(struct node *node)
{
	for (uint16_t i = 0; node->ports != NULL && i < node->port_count; i++) {
		pfc_rx_fini(&node->ports[i].pfc_rx);
		impair_destroy(node->ports[i].impair);
	}
	agenda_fini(&node->agenda);
	free(node->ports);
	node->ports = NULL;
}

void
node_attach(struct node *node, uint16_t port, struct link *tx, struct link *rx)
{
	node->ports[port].tx = tx;
	node->ports[port].rx = rx;
	if (rx == NULL)
		return;
	rx->to_node = node;
	rx->to_port = port;
}

void
node_set_link(struct node *node, uint16_t index, bool up, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];

	if (port->link_down == !up)
		return;
	port->link_down = !up;
	if (up) {
		port->link_ups++;
		/* Whoever is there now has not heard it. */
		port->pfc_tx.sent = 0;
	} else {
		port->link_downs++;
		pfc_rx_close(&port->pfc_rx, port->cfg.rate_bps, now_ps);
	}
	if (node->ops->link != NULL)
		node->ops->link(node, index, up, now_ps);
	node_wake_port(node, index, now_ps);
}

void
node_set_rate(struct node *node, uint16_t index, uint64_t rate_bps)
{
	struct node_port *port = &node->ports[index];

	port->cfg.rate_bps = rate_bps;
	port->byte_ps = 8 * UNITS_PS_PER_S % rate_bps == 0 ? 8 * UNITS_PS_PER_S / rate_bps : 0;
}

void
node_impair(struct node *node, uint16_t port, struct impair *impair)
{
	node->ports[port].impair = impair;
	if (impair->storm_next_ps != UNITS_NEVER_PS)
		node_wake_port(node, port, impair->storm_next_ps);
}

void
node_stop(struct node *node, uint64_t now_ps)
{
	for (uint16_t i = 0; i < node->port_count; i++) {
		if (node->ports[i].impair != NULL)
			impair_storm_stop(node->ports[i].impair);
	}
	if (node->ops->stop != NULL)
		node->ops->stop(node, now_ps);
}

void
node_sample_every(struct node *node, uint64_t interval_ps)
{
	node->sample_interval_ps = interval_ps;
	node->sample_next_ps = interval_ps == 0 ? UNITS_NEVER_PS : interval_ps;
}

/* From the wire, or from what an impairment holds back. */
static uint64_t
arrival_due_ps(const struct node_port *port)
{
	uint64_t due_ps = link_next_ps(port->rx);

	if (unlikely(port->impair != NULL) && link_next_ps(&port->impair->line) < due_ps)
		due_ps = link_next_ps(&port->impair->line);
	return due_ps;
}

uint64_t
node_lose_arrivals(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	uint64_t lost = 0;

	/* What was sent last may not have been taken in yet. */
	link_collect(port->rx);
	while (link_next_ps(port->rx) != UNITS_NEVER_PS) {
		node_drop(node, index, 0, DROP_LINK_DOWN, link_pop(port->rx), now_ps);
		lost++;
	}
	agenda_set(&node->agenda, arrival_source(node, index), arrival_due_ps(port));
	return lost;
}

uint64_t
node_collect(struct node *node)
{
	for (uint16_t i = 0; i < node->port_count; i++) {
		struct link *rx = node->ports[i].rx;

		if (rx == NULL || rx->staged[0].count + rx->staged[1].count == 0)
			continue;
		link_collect(rx);
		agenda_set(&node->agenda, arrival_source(node, i), arrival_due_ps(&node->ports[i]));
	}
	return agenda_due_ps(&node->agenda, agenda_first(&node->agenda));
}

uint64_t
node_take(struct link *rx, unsigned int parity)
{
	struct node *node = rx->to_node;
	uint64_t due_ps;

	link_take(rx, parity);
	due_ps = arrival_due_ps(&node->ports[rx->to_port]);
	agenda_set(&node->agenda, arrival_source(node, rx->to_port), due_ps);
	return due_ps;
}

void
node_set_timer(struct node *node, uint64_t due_ps)
{
	agenda_set(&node->agenda, timer_source(node), due_ps);
}

void
node_wake_port(struct node *node, uint16_t port, uint64_t at_ps)
{
	uint64_t busy_ps = node->ports[port].busy_until_ps;
	uint64_t due_ps = at_ps > busy_ps ? at_ps : busy_ps;

	if (due_ps < agenda_due_ps(&node->agenda, port))
		agenda_set(&node->agenda, port, due_ps);
}

void
node_pause_peer(struct node *node, uint16_t port, uint8_t priority, bool xoff, uint64_t now_ps)
{
	struct node_port *p = &node->ports[port];

	if (!(p->cfg.pfc.enable >> priority & 1))
		return;
	pfc_tx_set(&p->pfc_tx, priority, xoff, now_ps);
	if (p->pfc_tx.wanted != p->pfc_tx.sent)
		node_wake_port(node, port, now_ps);
}

struct rte_mbuf *
node_new_packet(struct node *node)
{
	struct rte_mbuf *m = packet_alloc(node->pool);

	if (unlikely(m == NULL)) {
		node->no_buffers++;
		return NULL;
	}
	packet_of(m)->uid = node->next_uid++;
	node->counters.created++;
	return m;
}

void
node_drop(struct node *node, uint16_t port, uint8_t class, enum drop_reason reason,
	  struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);

	node->ports[port].drops[reason][class]++;
	node->counters.dropped++;
	node->counters.dropped_bytes += p->frame_bytes;
	digest_add(&node->digest, DIGEST_DROPPED, now_ps, p->uid ^ ((uint64_t)reason << 48));
	packet_free(m);
}

void
node_deliver(struct node *node, struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);

	node->counters.delivered++;
	digest_add(&node->digest, DIGEST_DELIVERED, now_ps,
		   p->uid ^ ((uint64_t)p->traffic_class << 40));
	packet_free(m);
}

void
node_consume(struct node *node, struct rte_mbuf *m, uint64_t now_ps)
{
	node->counters.consumed++;
	digest_add(&node->digest, DIGEST_CONSUMED, now_ps, packet_of(m)->uid);
	packet_free(m);
}

static void
mac_control(struct node *node, uint16_t index, struct rte_mbuf *m, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	struct pfc_frame frame;

	if (!pfc_decode(m, &frame)) {
		node_drop(node, index, 0, DROP_MALFORMED, m, now_ps);
		return;
	}
	if (frame.is_pfc && frame.vector != 0) {
		pfc_rx_advance(&port->pfc_rx, port->cfg.rate_bps, now_ps);
		pfc_rx_frame(&port->pfc_rx, &port->cfg.pfc, now_ps, &frame);
		digest_add(&node->digest, DIGEST_PAUSED, now_ps, frame.vector);
		if (port->pfc_rx.next_change_ps != UNITS_NEVER_PS)
			node_wake_port(node, index, port->pfc_rx.next_change_ps);
	} else if (frame.is_pause) {
		port->pause_frames++;
	} else {
		port->mac_control_other++;
	}
	node_consume(node, m, now_ps);
}

static void
receive(struct node *node, uint16_t index, struct rte_mbuf *m, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	struct packet *p = packet_of(m);

	p->in_port = index;
	node->last_event_ps = now_ps;
	port->rx_packets++;
	port->rx_bytes += p->frame_bytes;
	if (unlikely(!(p->flags & PACKET_PARSED)))
		packet_parse(m);
	if (unlikely(port->captured))
		node->observer->frame(node->observer->context, node, index, false, m, now_ps);
	if (unlikely(p->flags & PACKET_MAC_CONTROL))
		mac_control(node, index, m, now_ps);
	else
		node->ops->arrive(node, index, m, now_ps);
}

/* What a verdict does to a frame that goes on; returns its copy if it is to have one. */
static struct rte_mbuf *
impair_frame(struct node *node, struct impair *im, struct rte_mbuf *m,
	     const struct impair_verdict *v, uint64_t now_ps)
{
	struct rte_mbuf *copy = NULL;

	if (v->mark) {
		packet_mark_ce(m);
		node->counters.marked++;
		digest_add(&node->digest, DIGEST_MARKED, now_ps, packet_of(m)->uid);
	}
	if (v->corrupt)
		(void)impair_flip(im, m);
	if (!v->duplicate)
		return NULL;
	copy = packet_copy(m, node->pool);
	if (copy == NULL) {
		node->no_buffers++;
		im->counters.duplicated--;
		return NULL;
	}
	packet_of(copy)->uid = node->next_uid++;
	node->counters.copied++;
	return copy;
}

/* A frame off the wire of an impaired port: lost, or held back until it counts as received. */
static void
judge_arrival(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	struct rte_mbuf *copy, *m = link_pop(port->rx);
	struct packet *p = packet_of(m);
	struct impair_verdict v;

	node->counters.hops++;
	node->last_event_ps = now_ps;
	if (unlikely(!(p->flags & PACKET_PARSED)))
		packet_parse(m);
	v = impair_judge(port->impair, IMPAIR_RX, p, now_ps, 0);
	if (v.lost) {
		node_drop(node, index, 0, DROP_IMPAIRED_LOSS, m, now_ps);
		return;
	}
	p->tail_ps += v.extra_ps;
	copy = impair_frame(node, port->impair, m, &v, now_ps);
	link_put(&port->impair->line, m, now_ps + v.extra_ps);
	if (copy != NULL)
		link_put(&port->impair->line, copy, now_ps + v.extra_ps);
}

static void
arrive(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	struct impair *im = port->impair;
	struct rte_mbuf *m = NULL;

	if (likely(im == NULL)) {
		m = link_pop(port->rx);
		node->counters.hops++;
	} else if (link_next_ps(&im->line) <= now_ps) {
		m = link_pop(&im->line);
	} else {
		judge_arrival(node, index, now_ps);
	}
	agenda_set(&node->agenda, arrival_source(node, index), arrival_due_ps(port));
	if (m != NULL)
		receive(node, index, m, now_ps);
}

/* It took its time on the wire; what becomes of it shows at the other end. */
static void
send_impaired(struct node *node, uint16_t index, struct rte_mbuf *m, uint64_t now_ps,
	      uint64_t end_ps)
{
	struct node_port *port = &node->ports[index];
	struct impair_verdict v =
		impair_judge(port->impair, IMPAIR_TX, packet_of(m), end_ps, end_ps - now_ps);
	struct rte_mbuf *copy;

	if (v.lost) {
		node_drop(node, index, 0, DROP_IMPAIRED_LOSS, m, now_ps);
		return;
	}
	copy = impair_frame(node, port->impair, m, &v, now_ps);
	link_send_by(node->outbox, port->tx, m, now_ps + v.extra_ps, end_ps + v.extra_ps);
	if (copy != NULL)
		link_send_by(node->outbox, port->tx, copy, now_ps + v.extra_ps,
			     end_ps + v.extra_ps);
}

static void
transmit(struct node *node, uint16_t index, struct rte_mbuf *m, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	const struct packet *p = packet_of(m);
	uint64_t wire_ps = port->byte_ps != 0
				   ? (p->frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) * port->byte_ps
				   : units_frame_ps(p->frame_bytes, port->cfg.rate_bps);
	uint64_t end_ps = now_ps + wire_ps;

	/* Cut through: the last bit cannot leave before it has come in. */
	if (p->tail_ps > end_ps)
		end_ps = p->tail_ps;
	port->busy_until_ps = end_ps;
	if (unlikely(port->link_down)) {
		node_drop(node, index, 0, DROP_LINK_DOWN, m, now_ps);
		return;
	}
	port->busy_ps += end_ps - now_ps;
	port->tx_packets++;
	port->tx_bytes += p->frame_bytes;
	node->last_event_ps = now_ps;
	if (unlikely(port->captured))
		node->observer->frame(node->observer->context, node, index, true, m, now_ps);
	if (unlikely(port->impair != NULL))
		send_impaired(node, index, m, now_ps, end_ps);
	else
		link_send_by(node->outbox, port->tx, m, now_ps, end_ps);
}

static struct rte_mbuf *
pfc_frame_due(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	uint16_t quanta[PFC_PRIORITIES];
	struct rte_mbuf *m;
	uint8_t vector;

	if (likely(pfc_tx_due_ps(&port->pfc_tx) > now_ps))
		return NULL;
	m = node_new_packet(node);
	if (m == NULL)
		return NULL;
	pfc_tx_take(&port->pfc_tx, &port->cfg.pfc, now_ps, &vector, quanta);
	pfc_encode(m, port->cfg.mac, vector, quanta);
	return m;
}

/* A pause storm's next frame. */
static struct rte_mbuf *
storm_frame_due(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	const uint8_t *source_mac;
	struct impair_pause pause;
	struct rte_mbuf *m;

	if (port->impair->storm_next_ps > now_ps)
		return NULL;
	m = node_new_packet(node);
	if (m == NULL)
		return NULL;
	impair_storm_take(port->impair, now_ps, &pause);
	source_mac = pause.source_mac != NULL ? pause.source_mac : port->cfg.mac;
	if (pause.global) {
		pfc_encode_pause(m, source_mac, pause.quanta[0]);
		return m;
	}
	pfc_encode(m, source_mac, pause.vector, pause.quanta);
	port->pfc_tx.frames++;
	for (int i = 0; i < PFC_PRIORITIES; i++)
		port->pfc_tx.xoff_frames[i] += pause.vector >> i & 1;
	return m;
}

/* The port may start a frame: a PFC frame that is due, or what the node wants to send. */
static void
serve(struct node *node, uint16_t index, uint64_t now_ps)
{
	struct node_port *port = &node->ports[index];
	uint64_t next_ps = 0;
	struct rte_mbuf *m;

	pfc_rx_advance(&port->pfc_rx, port->cfg.rate_bps, now_ps);
	m = pfc_frame_due(node, index, now_ps);
	if (unlikely(port->impair != NULL) && m == NULL)
		m = storm_frame_due(node, index, now_ps);
	if (m == NULL) {
		if (unlikely(port->has_hold) && now_ps >= port->cfg.hold_from_ps &&
		    now_ps < port->cfg.hold_until_ps)
			next_ps = port->cfg.hold_until_ps;
		else
			m = node->ops->dequeue(node, index, now_ps, &next_ps);
	}
	if (m != NULL)
		transmit(node, index, m, now_ps);
	if (pfc_tx_due_ps(&port->pfc_tx) < next_ps)
		next_ps = pfc_tx_due_ps(&port->pfc_tx);
	if (unlikely(port->impair != NULL) && port->impair->storm_next_ps < next_ps)
		next_ps = port->impair->storm_next_ps;
	if (next_ps < port->busy_until_ps)
		next_ps = port->busy_until_ps;
	/* A port that could not send and asks again for now would stop time. */
	assert(m != NULL || next_ps > now_ps || node->no_buffers != 0);
	if (unlikely(m == NULL && next_ps <= now_ps))
		next_ps = now_ps + UNITS_PS_PER_US;
	agenda_set(&node->agenda, index, next_ps);
}

static void
sample_at(struct node *node, uint64_t at_ps)
{
	/* Pauses start and end by time alone; a port that is not served has yet to notice. */
	for (uint16_t i = 0; i < node->port_count; i++)
		pfc_rx_advance(&node->ports[i].pfc_rx, node->ports[i].cfg.rate_bps, at_ps);
	node->observer->sample(node->observer->context, node, at_ps);
}

/* Nothing changes between events: the first and the last boundary passed tell the interval. */
static void
sample(struct node *node, uint64_t now_ps)
{
	uint64_t last_ps = now_ps - now_ps % node->sample_interval_ps;

	if (node->observer != NULL && node->observer->sample != NULL) {
		sample_at(node, node->sample_next_ps);
		if (last_ps > node->sample_next_ps)
			sample_at(node, last_ps);
	}
	node->sample_next_ps = last_ps + node->sample_interval_ps;
}

uint64_t
node_advance(struct node *node, uint64_t until_ps)
{
	node->window_end_ps = until_ps;
	for (;;) {
		uint32_t source = agenda_first(&node->agenda);
		uint64_t now_ps = agenda_due_ps(&node->agenda, source);

		if (now_ps >= until_ps)
			return now_ps;
		if (unlikely(now_ps >= node->sample_next_ps))
			sample(node, now_ps);
		if (source > node->port_count) {
			arrive(node, (uint16_t)(source - node->port_count - 1), now_ps);
		} else if (source < node->port_count) {
			serve(node, (uint16_t)source, now_ps);
		} else {
			agenda_set(&node->agenda, source, UNITS_NEVER_PS);
			node->ops->timer(node, now_ps);
		}
	}
}

void
node_close(struct node *node, uint64_t now_ps)
{
	/* What is observed now comes after all windows. */
	node->window_end_ps = UNITS_NEVER_PS;
	for (uint16_t i = 0; i < node->port_count; i++) {
		struct node_port *port = &node->ports[i];

		pfc_rx_close(&port->pfc_rx, port->cfg.rate_bps, now_ps);
		for (uint8_t priority = 0; priority < PFC_PRIORITIES; priority++)
			pfc_tx_set(&port->pfc_tx, priority, false, now_ps);
	}
	if (node->sample_interval_ps != 0 && now_ps >= node->sample_next_ps)
		sample(node, now_ps);
}
