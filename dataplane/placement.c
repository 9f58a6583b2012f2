/* SPDX-License-Identifier: BSD-3-Clause */
#include "placement.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* The busiest lcore may have this much more than the mean, in percent, before groups are split. */
#define UNEVEN_PERCENT 10

struct group {
	uint64_t work;
	uint32_t leader; /* index of a node */
};

struct placing {
	uint32_t count;
	uint16_t lcores;
	uint16_t *lcore_of;
	const uint64_t *work;
	uint32_t *leader; /* by node: whose group it is in */
	struct group *groups;
	uint64_t *load; /* by lcore */
};

uint64_t
placement_guess(const struct node *node)
{
	uint64_t cables = 0;

	for (uint16_t i = 0; i < node->port_count; i++)
		cables += node->ports[i].tx != NULL;
	return cables;
}

/* A node with one cable goes with whom it leads to, unless that has only this one too. */
static uint32_t
leader_of(struct node *const *nodes, uint32_t count, uint32_t index)
{
	const struct node *node = nodes[index];
	const struct node *peer;

	if (node->port_count != 1 || node->ports[0].tx == NULL)
		return index;
	peer = node->ports[0].tx->to_node;
	if (peer == NULL || peer->port_count == 1)
		return index;
	return peer->slot < count && nodes[peer->slot] == peer ? peer->slot : index;
}

static int
by_work(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	return x->leader < y->leader ? -1 : x->leader > y->leader;
}

/* The largest first, each to whom has least; true when that is even enough. */
static bool
distribute(struct placing *p)
{
	uint64_t total = 0, most = 0;
	uint32_t groups = 0;

	for (uint32_t i = 0; i < p->count; i++)
		p->groups[i] = (struct group){0, i};
	for (uint32_t i = 0; i < p->count; i++) {
		/* Those that have nothing to do yet are dealt out evenly too. */
		uint64_t work = p->work[i] * 256 + 1;

		p->groups[p->leader[i]].work += work;
		total += work;
	}
	qsort(p->groups, p->count, sizeof(*p->groups), by_work);
	for (uint16_t i = 0; i < p->lcores; i++)
		p->load[i] = 0;
	while (groups < p->count && p->groups[groups].work != 0) {
		const struct group *group = &p->groups[groups++];
		uint16_t least = 0;

		for (uint16_t i = 1; i < p->lcores; i++)
			if (p->load[i] < p->load[least])
				least = i;
		p->load[least] += group->work;
		p->lcore_of[group->leader] = least;
	}
	for (uint16_t i = 0; i < p->lcores; i++)
		most = RTE_MAX(most, p->load[i]);
	return most * p->lcores * 100 <= total * (100 + UNEVEN_PERCENT);
}

int
placement_make(struct node *const *nodes, uint32_t count, const uint64_t *work, uint16_t lcores,
	       uint16_t *lcore_of)
{
	struct placing p = {count, lcores, lcore_of, work, NULL, NULL, NULL};
	int rc = -ENOMEM;

	p.leader = calloc(count + 1, sizeof(*p.leader));
	p.groups = calloc(count + 1, sizeof(*p.groups));
	p.load = calloc(lcores, sizeof(*p.load));
	if (p.leader == NULL || p.groups == NULL || p.load == NULL)
		goto out;
	for (uint32_t i = 0; i < count; i++)
		nodes[i]->slot = i;
	for (uint32_t i = 0; i < count; i++)
		p.leader[i] = leader_of(nodes, count, i);
	if (!distribute(&p)) {
		for (uint32_t i = 0; i < count; i++)
			p.leader[i] = i;
		distribute(&p);
	}
	for (uint32_t i = 0; i < count; i++)
		lcore_of[i] = lcore_of[p.leader[i]];
	rc = 0;
out:
	free(p.leader);
	free(p.groups);
	free(p.load);
	return rc;
}
