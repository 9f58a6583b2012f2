/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DRILL(d, m) (Ghorbani et al., SIGCOMM 2017): for each packet d members drawn at random, and the
 * m that were least loaded the last time, are compared by the bytes queued at their ports; the
 * shortest takes it. Memory makes up for drawing few; drawing keeps switches from all running
 * after the same port. Reorders flows a little where paths are symmetric.
 *
 * With no memory and d = 2 it is the power of two choices.
 */
#include "balancer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct remembered {
	uint16_t members[BALANCER_MAX_SAMPLES]; /* the least loaded first */
};

struct candidate {
	uint64_t queued_bytes;
	uint16_t member;
};

static int
init(struct balancer *b)
{
	struct remembered *all = calloc(BALANCER_GROUP_SLOTS, sizeof(*all));

	if (all == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < BALANCER_GROUP_SLOTS; i++)
		for (uint32_t j = 0; j < BALANCER_MAX_SAMPLES; j++)
			all[i].members[j] = (uint16_t)prng_next(&b->prng);
	b->state = all;
	return 0;
}

/* Into a list of at most `most`, by load; of equals the earlier stays ahead. */
static uint32_t
insert(struct candidate *list, uint32_t count, uint32_t most, struct candidate new)
{
	uint32_t at = count;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].member == new.member)
			return count;
	}
	while (at > 0 && list[at - 1].queued_bytes > new.queued_bytes)
		at--;
	if (at == most)
		return count;
	if (count < most)
		count++;
	memmove(&list[at + 1], &list[at], (count - at - 1) * sizeof(*list));
	list[at] = new;
	return count;
}

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	struct remembered *slot =
		&((struct remembered *)b->state)[group->id & (BALANCER_GROUP_SLOTS - 1)];
	uint32_t memory = b->cfg->memory, most = memory > 0 ? memory : 1, count = 0;
	struct candidate best[BALANCER_MAX_SAMPLES] = {{0}};

	(void)m;
	(void)now_ps;
	/* Drawn ones first: of equally loaded ports they are taken, not always the same. */
	for (uint32_t i = 0; i < b->cfg->samples + memory; i++) {
		struct candidate new;

		if (i < b->cfg->samples)
			new.member = (uint16_t)prng_below(&b->prng, group->count);
		else
			new.member = slot->members[i - b->cfg->samples];
		if (unlikely(new.member >= group->count))
			new.member %= (uint16_t)group->count;
		new.queued_bytes = b->ports[group->members[new.member].port].queued_bytes;
		count = insert(best, count, most, new);
	}
	for (uint32_t i = 0; i < memory && i < count; i++)
		slot->members[i] = best[i].member;
	return best[0].member;
}

const struct balancer_ops balancer_drill = {
	.name = "drill",
	.help = "each packet to the shortest queue of d drawn and m remembered (DRILL)",
	.init = init,
	.choose = choose,
};
