/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weighted multipath (WCMP, Zhou et al., EuroSys 2014): by hash as ECMP, in proportion to the
 * members' weights: what the paths behind them can carry, where links differ or have failed.
 */
#include "balancer.h"

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	uint32_t total = 0, at, member = 0;

	(void)now_ps;
	for (uint32_t i = 0; i < group->count; i++)
		total += group->members[i].weight;
	if (unlikely(total == 0))
		return balancer_hash_below(&b->cfg->hash, m, group->count);
	at = balancer_hash_below(&b->cfg->hash, m, total);
	while (at >= group->members[member].weight)
		at -= group->members[member++].weight;
	return member;
}

const struct balancer_ops balancer_weighted = {
	.name = "weighted",
	.help = "by a hash of the flow, in proportion to what a path carries",
	.choose = choose,
};
