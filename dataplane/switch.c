/* SPDX-License-Identifier: BSD-3-Clause */
#include "switch.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
switch_enqueue(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	struct packet *p = packet_of(m);
	struct switch_port *port = &sw->ports[p->out_port];
	struct switch_queue *q = &port->queues[p->queue];

	p->next = NULL;
	p->queued_ps = now_ps;
	if (q->head == NULL) {
		q->head = m;
		port->backlogged |= (uint8_t)(1u << p->queue);
	} else {
		packet_of(q->tail)->next = m;
	}
	q->tail = m;
	q->packets++;
	q->bytes += p->frame_bytes;
	if (q->bytes > q->max_bytes)
		q->max_bytes = q->bytes;
	sw->held_packets++;
	sw->forwarding.balancer.ports[p->out_port].queued_bytes += p->frame_bytes;
	node_wake_port(&sw->node, p->out_port, now_ps);
}

void
switch_pause_senders(struct switch_node *sw, uint16_t port, uint8_t pg, bool xoff, uint64_t now_ps)
{
	struct switch_port *p = &sw->ports[port];
	uint8_t stopped = 0;

	p->xoff_pgs = (uint8_t)((p->xoff_pgs & ~(1u << pg)) | (unsigned int)xoff << pg);
	for (uint8_t left = p->xoff_pgs; left != 0; left &= (uint8_t)(left - 1))
		stopped |= p->pfc_of_pg[__builtin_ctz(left)];
	stopped &= (uint8_t)~p->pause_withheld;
	for (uint8_t left = p->pfc_of_pg[pg]; left != 0; left &= (uint8_t)(left - 1)) {
		uint8_t priority = (uint8_t)__builtin_ctz(left);

		node_pause_peer(&sw->node, port, priority, stopped >> priority & 1, now_ps);
	}
}

uint8_t
switch_pg_priorities(const struct switch_maps *maps, uint8_t pg)
{
	uint8_t priorities = (uint8_t)(1u << maps->pg_to_pfc[pg]);

	for (uint8_t tc = 0; tc < PFC_PRIORITIES && maps->pg_to_pfc[pg] == pg; tc++) {
		if (maps->tc_to_pg[tc] == pg)
			priorities |= (uint8_t)(1u << tc);
	}
	return priorities;
}

static void
pfc_of_pg_init(struct switch_port *port)
{
	for (uint8_t pg = 0; pg < MMU_CLASSES; pg++)
		port->pfc_of_pg[pg] = switch_pg_priorities(port->maps, pg);
}

static struct rte_mbuf *
queue_pop(struct switch_node *sw, struct switch_queue *q)
{
	struct switch_port *port = &sw->ports[q->port];
	struct rte_mbuf *m = q->head;
	struct packet *p = packet_of(m);

	q->head = p->next;
	if (q->head == NULL)
		port->backlogged &= (uint8_t) ~(1u << q->index);
	else
		rte_prefetch0(packet_of(q->head));
	q->packets--;
	q->bytes -= p->frame_bytes;
	sw->forwarding.balancer.ports[q->port].queued_bytes -= p->frame_bytes;
	return m;
}

uint32_t
switch_flush(struct switch_node *sw, uint16_t port, uint8_t queue, enum drop_reason reason,
	     uint64_t now_ps)
{
	struct switch_queue *q = &sw->ports[port].queues[queue];
	uint32_t flushed = q->packets;

	while (q->head != NULL) {
		struct rte_mbuf *m = queue_pop(sw, q);
		const struct packet *p = packet_of(m);

		sw->held_packets--;
		if (sw->pipeline->uses_mmu && mmu_release(&sw->mmu, p))
			switch_pause_senders(sw, p->in_port, p->pg, false, now_ps);
		node_drop(&sw->node, port, queue, reason, m, now_ps);
	}
	q->dropped += flushed;
	scheduler_emptied(&sw->ports[port].scheduler, queue);
	return flushed;
}

/* Queues that received pauses stop, through the map from priority to queue. */
static uint8_t
paused_queues(const struct switch_port *port, uint8_t priorities)
{
	uint8_t queues = 0;

	while (priorities != 0) {
		queues |= (uint8_t)(1u << port->maps->pfc_to_queue[__builtin_ctz(priorities)]);
		priorities &= (uint8_t)(priorities - 1);
	}
	return queues;
}

struct rte_mbuf *
switch_dequeue(struct switch_node *sw, uint16_t index, uint64_t now_ps, uint64_t *next_ps)
{
	struct switch_port *port = &sw->ports[index];
	const struct pfc_rx *rx = &sw->node.ports[index].pfc_rx;
	uint32_t head_bytes[SWITCH_QUEUES];
	uint64_t retry_ps;
	struct rte_mbuf *m;
	int q;

	*next_ps = UNITS_NEVER_PS;
	if (unlikely((rx->paused & sw->cfg->ports[index].watchdog.priorities) != 0) &&
	    sw->watchdog_due_ps == UNITS_NEVER_PS)
		switch_watchdog_arm(sw, now_ps);
	if (port->backlogged == 0)
		return NULL;
	for (uint8_t left = port->backlogged; left != 0; left &= (uint8_t)(left - 1)) {
		int i = __builtin_ctz(left);

		head_bytes[i] = packet_of(port->queues[i].head)->frame_bytes;
	}
	q = scheduler_pick(&port->scheduler, port->backlogged,
			   paused_queues(port, rx->paused) & (uint8_t)~port->pause_ignored,
			   head_bytes, now_ps, &retry_ps);
	if (q < 0) {
		*next_ps = retry_ps < rx->next_change_ps ? retry_ps : rx->next_change_ps;
		return NULL;
	}
	m = queue_pop(sw, &port->queues[q]);
	port->queues[q].tx_packets++;
	port->queues[q].tx_bytes += head_bytes[q];
	if (port->queues[q].head == NULL)
		port->queues[q].emptied_ps = now_ps;
	sw->held_packets--;
	sw->forwarding.balancer.ports[index].sent_bytes += head_bytes[q];
	scheduler_sent(&port->scheduler, (uint8_t)q, head_bytes[q], port->queues[q].head == NULL,
		       now_ps);
	if (port->backlogged != 0)
		*next_ps = now_ps;
	return m;
}

static void
switch_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	struct switch_node *sw = switch_of(node);

	if (sw->cfg->latency_ps == 0) {
		sw->pipeline->arrive(sw, port, m, now_ps);
		return;
	}
	/* Arrivals come in time order and all wait as long: the line stays in order. */
	packet_of(m)->tail_ps += sw->cfg->latency_ps;
	link_put(&sw->pipe, m, now_ps + sw->cfg->latency_ps);
	switch_set_timer(sw);
}

void
switch_set_timer(struct switch_node *sw)
{
	uint64_t pipe_ps = link_next_ps(&sw->pipe);

	node_set_timer(&sw->node, pipe_ps < sw->watchdog_due_ps ? pipe_ps : sw->watchdog_due_ps);
}

static void
switch_timer(struct node *node, uint64_t now_ps)
{
	struct switch_node *sw = switch_of(node);

	while (link_next_ps(&sw->pipe) <= now_ps) {
		struct rte_mbuf *m = link_pop(&sw->pipe);

		sw->pipeline->arrive(sw, packet_of(m)->in_port, m, now_ps);
	}
	if (unlikely(sw->watchdog_due_ps <= now_ps))
		switch_watchdog_poll(sw, now_ps);
	switch_set_timer(sw);
}

static struct rte_mbuf *
switch_transmit(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	struct switch_node *sw = switch_of(node);

	return sw->pipeline->dequeue(sw, port, now_ps, next_ps);
}

/* Who was behind the port may turn up at another. */
static void
switch_link(struct node *node, uint16_t port, bool up, uint64_t now_ps)
{
	if (!up)
		forwarding_forget_port(&switch_of(node)->forwarding, port);
}

static uint64_t
switch_held(const struct node *node)
{
	const struct switch_node *sw = (const struct switch_node *)node;

	return sw->held_packets + (sw->pipe.tail - sw->pipe.head);
}

/* Walk every queue: what it links must be what it counts, and what the MMU was charged. */
static int
switch_check(const struct node *node, char *why, size_t why_bytes)
{
	const struct switch_node *sw = (const struct switch_node *)node;
	uint64_t held = 0, cells = 0;

	for (uint16_t port = 0; port < node->port_count; port++) {
		uint64_t queued_bytes = sw->forwarding.balancer.ports[port].queued_bytes;

		for (int i = 0; i < SWITCH_QUEUES; i++) {
			const struct switch_queue *q = &sw->ports[port].queues[i];
			uint64_t bytes = 0, packets = 0;

			for (const struct rte_mbuf *m = q->head; m != NULL;
			     m = packet_of(m)->next) {
				bytes += packet_of(m)->frame_bytes;
				cells += packet_of(m)->cells;
				packets++;
			}
			held += packets;
			queued_bytes -= bytes;
			if (bytes == q->bytes && packets == q->packets)
				continue;
			snprintf(why, why_bytes,
				 "port %u queue %d counts %u packets, %llu bytes but links %llu, "
				 "%llu",
				 port, i, q->packets, (unsigned long long)q->bytes,
				 (unsigned long long)packets, (unsigned long long)bytes);
			return -EPROTO;
		}
		if (queued_bytes != 0) {
			snprintf(why, why_bytes,
				 "port %u: the balancer sees %lld bytes more than its queues hold",
				 port, (long long)queued_bytes);
			return -EPROTO;
		}
	}
	if (held != sw->held_packets) {
		snprintf(why, why_bytes, "holds %llu packets but its queues link %llu",
			 (unsigned long long)sw->held_packets, (unsigned long long)held);
		return -EPROTO;
	}
	if (!sw->pipeline->uses_mmu)
		return 0;
	if (cells != sw->mmu.held_cells) {
		snprintf(why, why_bytes, "MMU holds %llu cells, the queued packets %llu",
			 (unsigned long long)sw->mmu.held_cells, (unsigned long long)cells);
		return -EPROTO;
	}
	return mmu_check(&sw->mmu, why, why_bytes);
}

static void
switch_destroy(struct node *node)
{
	struct switch_node *sw = switch_of(node);

	for (uint16_t port = 0; sw->ports != NULL && port < node->port_count; port++) {
		for (int i = 0; i < SWITCH_QUEUES; i++) {
			struct switch_queue *q = &sw->ports[port].queues[i];

			while (q->head != NULL)
				packet_free(queue_pop(sw, q));
		}
	}
	link_fini(&sw->pipe);
	mmu_fini(&sw->mmu);
	forwarding_fini(&sw->forwarding);
	node_fini(node);
	free(sw->watchdogs);
	free(sw->ports);
	free(sw->wred_bins);
	free(sw->port_macs);
	free(sw);
}

static const struct node_ops switch_ops = {
	.arrive = switch_arrive,
	.dequeue = switch_transmit,
	.timer = switch_timer,
	.link = switch_link,
	.held = switch_held,
	.check = switch_check,
	.destroy = switch_destroy,
};

static void
port_init(struct switch_node *sw, uint16_t index)
{
	const struct switch_port_cfg *cfg = &sw->cfg->ports[index];
	const struct scheduler_cfg *schedulers[SWITCH_QUEUES];
	struct switch_port *port = &sw->ports[index];

	for (uint8_t i = 0; i < SWITCH_QUEUES; i++) {
		int16_t wred = cfg->wred[i], scheduler = cfg->scheduler[i];

		port->queues[i].port = index;
		port->queues[i].index = i;
		port->queues[i].wred = wred < 0 ? NULL : &sw->cfg->wred[wred];
		schedulers[i] = scheduler < 0 ? NULL : &sw->cfg->schedulers[scheduler];
	}
	scheduler_init(&port->scheduler, schedulers, &cfg->shaper);
	port->mtu_bytes = cfg->mtu_bytes;
	port->maps = switch_port_maps(sw->cfg, index);
	pfc_of_pg_init(port);
	sw->forwarding.balancer.ports[index].rate_bps = cfg->port.rate_bps;
	memcpy(sw->port_macs[index], cfg->port.mac, 6);
}

/* 0 or -ENOMEM. */
static int
wred_bins_init(struct switch_node *sw)
{
	uint32_t count = 0;

	for (int hand_out = 0; hand_out < 2; hand_out++) {
		for (uint16_t i = 0; i < sw->cfg->port_count; i++) {
			for (uint8_t queue = 0; queue < SWITCH_QUEUES; queue++) {
				if (sw->cfg->ports[i].wred[queue] < 0)
					continue;
				if (hand_out)
					sw->ports[i].queues[queue].wred_state.bins =
						&sw->wred_bins[--count];
				else
					count++;
			}
		}
		if (!hand_out)
			sw->wred_bins = calloc(count + 1, sizeof(*sw->wred_bins));
		if (sw->wred_bins == NULL)
			return -ENOMEM;
	}
	return 0;
}

static int
mmu_set_up(struct switch_node *sw)
{
	uint16_t count = sw->cfg->port_count;
	struct mmu_port_cfg *bindings;
	int rc;

	if (!sw->pipeline->uses_mmu)
		return 0;
	bindings = calloc(count, sizeof(*bindings));
	if (bindings == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < count; i++)
		bindings[i] = sw->cfg->ports[i].mmu;
	rc = mmu_init(&sw->mmu, &sw->cfg->mmu, count, bindings);
	free(bindings);
	return rc;
}

static int
node_set_up(struct switch_node *sw, uint32_t id, uint64_t seed, struct rte_mempool *pool)
{
	uint16_t count = sw->cfg->port_count;
	struct node_port_cfg *ports = calloc(count, sizeof(*ports));
	int rc;

	if (ports == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < count; i++)
		ports[i] = sw->cfg->ports[i].port;
	rc = node_init(&sw->node, &switch_ops, sw->cfg->name, id, seed, pool, count, ports);
	free(ports);
	return rc;
}

int
switch_create(struct switch_node **out, const struct switch_cfg *cfg,
	      const struct pipeline *pipeline, uint32_t id, uint64_t seed, struct rte_mempool *pool,
	      const struct node_observer *observer)
{
	struct switch_node *sw = lines_alloc(1, sizeof(*sw));
	int rc;

	if (sw == NULL)
		return -ENOMEM;
	sw->cfg = cfg;
	sw->pipeline = pipeline;
	sw->prng = prng_init(seed, 0x5357000000000000ULL | id);
	rc = node_set_up(sw, id, seed, pool);
	if (rc != 0) {
		free(sw);
		return rc;
	}
	sw->node.observer = observer;
	node_sample_every(&sw->node, cfg->sample_interval_ps);
	sw->ports = lines_alloc(cfg->port_count, sizeof(*sw->ports));
	sw->port_macs = calloc(cfg->port_count, sizeof(*sw->port_macs));
	rc = sw->ports == NULL || sw->port_macs == NULL ? -ENOMEM : mmu_set_up(sw);
	if (rc == 0)
		rc = wred_bins_init(sw);
	if (rc == 0)
		rc = link_init(&sw->pipe, 0);
	if (rc == 0)
		rc = switch_watchdog_init(sw);
	if (rc == 0)
		rc = forwarding_init(&sw->forwarding, &cfg->forwarding, cfg->port_count);
	if (rc != 0) {
		switch_destroy(&sw->node);
		return rc;
	}
	for (uint16_t i = 0; i < cfg->port_count; i++)
		port_init(sw, i);
	*out = sw;
	return 0;
}
