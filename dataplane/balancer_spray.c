/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet spraying: each packet on its own, over all members in turn or drawn uniformly, whatever
 * their load (Dixit et al., INFOCOM 2013). Uses a symmetric fabric evenly and reorders flows, so
 * receivers must place packets out of order.
 *
 * Turns begin at a random member of each group: switches in step would all begin with the first.
 */
#include "balancer.h"

#include <errno.h>
#include <stdlib.h>

static int
init(struct balancer *b)
{
	uint16_t *next = calloc(BALANCER_GROUP_SLOTS, sizeof(*next));

	if (next == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < BALANCER_GROUP_SLOTS; i++)
		next[i] = (uint16_t)prng_next(&b->prng);
	b->state = next;
	return 0;
}

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	uint16_t *next = &((uint16_t *)b->state)[group->id & (BALANCER_GROUP_SLOTS - 1)];
	uint32_t member;

	(void)m;
	(void)now_ps;
	if (b->cfg->random)
		return (uint32_t)prng_below(&b->prng, group->count);
	/* Past the end at first, and when a member is gone. */
	member = likely(*next < group->count) ? *next : *next % group->count;
	*next = (uint16_t)(member + 1 == group->count ? 0 : member + 1);
	return member;
}

const struct balancer_ops balancer_spray = {
	.name = "spray",
	.help = "each packet on its own, in turn or at random",
	.init = init,
	.choose = choose,
};
