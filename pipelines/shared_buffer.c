/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A shared-buffer ASIC (Trident, Tomahawk, Spectrum and their like): one memory for all ports,
 * admission and PFC by priority group, ECN by queue depth.
 */
#include "pipelines.h"
#include "stages.h"

static void
egress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	struct packet *p = packet_of(m);
	enum wred_verdict verdict;

	stage_queue(sw, p);
	if (!stage_watchdog_egress(sw, m, now_ps))
		return;
	verdict = stage_wred_enqueue(sw, m);
	if (verdict == WRED_DROP) {
		sw->ports[p->out_port].queues[p->queue].dropped++;
		node_drop(&sw->node, p->out_port, p->queue, DROP_WRED, m, now_ps);
		return;
	}
	if (!stage_admit(sw, m, now_ps))
		return;
	if (verdict == WRED_MARK)
		stage_mark(sw, m, now_ps);
	switch_enqueue(sw, m, now_ps);
}

static void
arrive(struct switch_node *sw, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	if (!stage_validate(sw, m, now_ps))
		return;
	stage_classify(sw, packet_of(m));
	if (!stage_watchdog_ingress(sw, m, now_ps))
		return;
	stage_forward(sw, m, now_ps, egress);
}

static struct rte_mbuf *
dequeue(struct switch_node *sw, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	struct rte_mbuf *m = switch_dequeue(sw, port, now_ps, next_ps);

	if (m == NULL)
		return NULL;
	stage_release(sw, m, now_ps);
	stage_wred_dequeue(sw, m, now_ps);
	return m;
}

const struct pipeline pipeline_shared_buffer = {
	.name = "shared-buffer",
	.help = "one memory for all ports: MMU admission, PFC, ECN/WRED",
	.uses_mmu = true,
	.arrive = arrive,
	.dequeue = dequeue,
};
