/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Equal-cost multipath (RFC 2992): the member follows from a hash of the flow, so that a flow
 * keeps its path and its order as long as the group does not change. Blind to load: with few
 * large flows some members get several and some none.
 */
#include "balancer.h"

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	(void)now_ps;
	return balancer_hash_below(&b->cfg->hash, m, group->count);
}

const struct balancer_ops balancer_ecmp = {
	.name = "ecmp",
	.help = "by a hash of the flow",
	.choose = choose,
};
