/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output queues without limit: nothing is marked, paused or dropped for want of buffer. The
 * baseline that a real buffer is compared with.
 */
#include "pipelines.h"
#include "stages.h"

static void
egress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps)
{
	stage_queue(sw, packet_of(m));
	switch_enqueue(sw, m, now_ps);
}

static void
arrive(struct switch_node *sw, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	if (!stage_validate(sw, m, now_ps))
		return;
	stage_classify(sw, packet_of(m));
	stage_forward(sw, m, now_ps, egress);
}

const struct pipeline pipeline_ideal = {
	.name = "ideal",
	.help = "output queues without limit: no marks, no pauses, no buffer drops",
	.uses_mmu = false,
	.arrive = arrive,
	.dequeue = switch_dequeue,
};
