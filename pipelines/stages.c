/* SPDX-License-Identifier: BSD-3-Clause */
#include "stages.h"

enum { ETHERNET_HEADER_BYTES = 14 };

bool
stage_validate(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);
	enum drop_reason reason;

	if (unlikely(m->data_len < ETHERNET_HEADER_BYTES))
		reason = DROP_MALFORMED;
	else if (unlikely(p->frame_bytes > sw->ports[p->in_port].mtu_bytes))
		reason = DROP_MTU;
	else
		return true;
	node_drop(&sw->node, p->in_port, 0, reason, m, now_ps);
	return false;
}

void
stage_classify(const struct switch_node *sw, struct packet *p)
{
	const struct switch_maps *maps = sw->ports[p->in_port].maps;

	if (maps->trust_pcp && p->flags & PACKET_VLAN)
		p->tc = maps->pcp_to_tc[p->vlan_tci >> 13];
	else
		p->tc = p->flags & (PACKET_IPV4 | PACKET_IPV6) ? maps->dscp_to_tc[packet_dscp(p)]
							       : 0;
	p->pg = maps->tc_to_pg[p->tc];
	p->queue = maps->tc_to_queue[p->tc];
}

void
stage_queue(const struct switch_node *sw, struct packet *p)
{
	p->queue = sw->ports[p->out_port].maps->tc_to_queue[p->tc];
}

static bool
is_spared(struct switch_node *sw, struct rte_mbuf *m, uint16_t port, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);

	if (likely(!(sw->ports[port].condemned >> p->queue & 1)))
		return true;
	switch_watchdog_count(sw, port, p->queue);
	node_drop(&sw->node, port, p->queue, DROP_PFC_WATCHDOG, m, now_ps);
	return false;
}

bool
stage_watchdog_ingress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	return is_spared(sw, m, packet_of(m)->in_port, now_ps);
}

bool
stage_watchdog_egress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	return is_spared(sw, m, packet_of(m)->out_port, now_ps);
}

static void
flood(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps, stage_egress egress)
{
	struct packet *p = packet_of(m);
	enum drop_reason reason = DROP_NO_ROUTE;
	uint16_t in_port = p->in_port;
	int32_t last = -1;

	/* Copies for all but the last port, which takes the packet itself. */
	for (uint16_t port = 0; port < sw->node.port_count; port++) {
		struct rte_mbuf *copy;

		if (port == in_port || sw->node.ports[port].tx == NULL)
			continue;
		if (unlikely(sw->node.ports[port].link_down)) {
			reason = DROP_LINK_DOWN;
			continue;
		}
		if (last >= 0) {
			copy = packet_copy(m, sw->node.pool);
			if (copy == NULL) {
				/* Counts as made, and lost. */
				sw->node.no_buffers++;
				sw->node.ports[in_port].drops[DROP_NO_MBUF][p->pg]++;
				sw->node.counters.copied++;
				sw->node.counters.dropped++;
				sw->node.counters.dropped_bytes += p->frame_bytes;
			} else {
				sw->node.counters.copied++;
				packet_of(copy)->out_port = (uint16_t)last;
				egress(sw, copy, now_ps);
			}
		}
		last = port;
	}
	if (last < 0) {
		node_drop(&sw->node, in_port, p->pg, reason, m, now_ps);
		return;
	}
	p->out_port = (uint16_t)last;
	egress(sw, m, now_ps);
}

void
stage_forward(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps, stage_egress egress)
{
	struct packet *p = packet_of(m);
	enum drop_reason reason = DROP_NO_ROUTE;
	enum forwarding_verdict verdict;

	if (sw->cfg->forwarding.fixed) {
		p->out_port = sw->cfg->forwarding.fixed_port;
		verdict = FORWARDING_UNICAST;
	} else if (sw->cfg->forwarding.layer3)
		verdict = forwarding_layer3(&sw->forwarding, m, (const uint8_t(*)[6])sw->port_macs,
					    now_ps, &p->out_port, &reason);
	else
		verdict = forwarding_layer2(&sw->forwarding, m, now_ps, &p->out_port, &reason);
	if (verdict == FORWARDING_FLOOD) {
		flood(sw, m, now_ps, egress);
		return;
	}
	if (verdict == FORWARDING_UNICAST && likely(node_can_send(&sw->node, p->out_port))) {
		egress(sw, m, now_ps);
		return;
	}
	if (verdict == FORWARDING_UNICAST) {
		stage_queue(sw, p);
		node_drop(&sw->node, p->out_port, p->queue, DROP_LINK_DOWN, m, now_ps);
		return;
	}
	node_drop(&sw->node, p->in_port, p->pg, reason, m, now_ps);
}

bool
stage_admit(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	struct packet *p = packet_of(m);
	struct mmu_verdict v = mmu_admit(&sw->mmu, p);

	if (unlikely(v.xoff))
		switch_pause_senders(sw, p->in_port, p->pg, true, now_ps);
	if (likely(v.admitted))
		return true;
	if (v.at_egress) {
		sw->ports[p->out_port].queues[p->queue].dropped++;
		node_drop(&sw->node, p->out_port, p->queue, v.reason, m, now_ps);
	} else {
		node_drop(&sw->node, p->in_port, p->pg, v.reason, m, now_ps);
	}
	return false;
}

void
stage_release(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);

	if (unlikely(mmu_release(&sw->mmu, p)))
		switch_pause_senders(sw, p->in_port, p->pg, false, now_ps);
}

/* What the packet counts as: Not-ECT when it is not IP, or when the queue marks nothing. */
static uint8_t
codepoint(const struct switch_queue *q, const struct packet *p)
{
	if (!q->wred->mark.enable || !(p->flags & (PACKET_IPV4 | PACKET_IPV6)))
		return PACKET_NOT_ECT;
	return packet_ecn(p);
}

static enum wred_verdict
decide(struct switch_node *sw, struct switch_queue *q, uint8_t ecn)
{
	return wred_decide(q->wred, &q->wred_state, &sw->prng, q->bytes, ecn);
}

void
stage_mark(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);

	packet_mark_ce(m);
	sw->ports[p->out_port].queues[p->queue].marked++;
	sw->node.counters.marked++;
	digest_add(&sw->node.digest, DIGEST_MARKED, now_ps, p->uid);
}

enum wred_verdict
stage_wred_enqueue(struct switch_node *sw, const struct rte_mbuf *m)
{
	const struct packet *p = packet_of(m);
	struct switch_queue *q = &sw->ports[p->out_port].queues[p->queue];
	uint8_t ecn;

	if (q->wred == NULL)
		return WRED_PASS;
	ecn = codepoint(q, p);
	/* Marking at dequeue still drops at enqueue: what has been stored is sent. */
	if (!q->wred->at_enqueue && ecn != PACKET_NOT_ECT)
		return WRED_PASS;
	return decide(sw, q, ecn);
}

void
stage_wred_dequeue(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	const struct packet *p = packet_of(m);
	struct switch_queue *q = &sw->ports[p->out_port].queues[p->queue];
	uint8_t ecn;

	if (q->wred == NULL || q->wred->at_enqueue)
		return;
	ecn = codepoint(q, p);
	if (ecn != PACKET_NOT_ECT && decide(sw, q, ecn) == WRED_MARK)
		stage_mark(sw, m, now_ps);
}
