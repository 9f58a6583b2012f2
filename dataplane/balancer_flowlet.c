/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LetFlow (Vanini et al., NSDI 2017): a flow that was silent for longer than the gap may take
 * another path without overtaking itself, and takes one at random; congested paths have more gaps,
 * so bursts leave them by themselves. RDMA paces packets: such gaps are rare, and then this
 * is ECMP.
 */
#include "balancer_flows.h"

#include <errno.h>
#include <stdlib.h>

static int
init(struct balancer *b)
{
	b->state = calloc(b->cfg->table_entries, sizeof(struct balancer_flow));
	return b->state == NULL ? -ENOMEM : 0;
}

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	struct balancer_flow *flow = balancer_flow_of(b, b->state, m);
	int32_t member = balancer_flow_member(flow, group);

	if (member < 0 || now_ps - flow->seen_ps > b->cfg->gap_ps)
		member = (int32_t)prng_below(&b->prng, group->count);
	balancer_flow_take(flow, group, (uint32_t)member, now_ps);
	return (uint32_t)member;
}

const struct balancer_ops balancer_flowlet = {
	.name = "flowlet",
	.help = "by bursts of a flow, at random (LetFlow)",
	.init = init,
	.choose = choose,
};
