/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_lcores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>

#include "placement.h"

/* The busiest lcore may have so much more to do than the mean before nodes move. */
#define UNEVEN_PERCENT 25

void
engine_lcores_free(struct engine_virtual *e)
{
	for (uint16_t i = 0; e->lcores != NULL && i < e->lcore_count; i++) {
		link_outbox_fini(&e->lcores[i].outbox);
		free(e->lcores[i].nodes);
		free(e->lcores[i].due_ps);
		free(e->lcores[i].ready);
		free(e->lcores[i].first);
		free(e->lcores[i].incoming);
	}
	free(e->lcores);
	free(e->work);
	free(e->worked);
	e->lcores = NULL;
	e->work = e->worked = NULL;
}

bool
engine_lcores_share_cpus(uint16_t count)
{
	unsigned int id = rte_get_main_lcore();
	rte_cpuset_t all, own;

	CPU_ZERO(&all);
	for (uint16_t i = 0; i < count; i++) {
		own = rte_lcore_cpuset(id);
		CPU_OR(&all, &all, &own);
		id = engine_lcores_next_id(i, id);
	}
	return CPU_COUNT(&all) < count;
}

unsigned int
engine_lcores_next_id(uint16_t index, unsigned int id)
{
	return rte_get_next_lcore(index == 0 ? UINT32_MAX : id, 1, 0);
}

/* Links that lead to the nodes. */
static uint32_t
link_count(const struct engine_virtual *e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->node_count; i++)
		for (uint16_t port = 0; port < e->nodes[i]->port_count; port++)
			count += e->nodes[i]->ports[port].rx != NULL;
	return count;
}

int
engine_lcores_create(struct engine_virtual *e, uint16_t count, uint64_t window)
{
	unsigned int id = rte_get_main_lcore();

	e->lcores = aligned_alloc(RTE_CACHE_LINE_SIZE, count * sizeof(*e->lcores));
	e->work = calloc(e->node_count + 1, sizeof(*e->work));
	e->worked = calloc(e->node_count + 1, sizeof(*e->worked));
	if (e->lcores == NULL || e->work == NULL || e->worked == NULL) {
		e->lcore_count = 0;
		return -ENOMEM;
	}
	memset(e->lcores, 0, count * sizeof(*e->lcores));
	e->lcore_count = count;
	for (uint16_t i = 0; i < count; i++) {
		struct engine_lcore *l = &e->lcores[i];

		l->engine = e;
		l->id = id;
		id = engine_lcores_next_id(i, id);
		l->nodes = calloc(e->node_count + 1, sizeof(*l->nodes));
		l->due_ps = calloc(e->node_count + 1, sizeof(*l->due_ps));
		l->ready = calloc(e->node_count + 1 + LOOK_AHEAD, sizeof(*l->ready));
		l->first = malloc((e->node_count + 1) * sizeof(*l->first));
		l->incoming = calloc(link_count(e) + 1, sizeof(*l->incoming));
		if (l->nodes == NULL || l->due_ps == NULL || l->ready == NULL || l->first == NULL ||
		    l->incoming == NULL || link_outbox_init(&l->outbox, i, count) != 0)
			return -ENOMEM;
		memset(l->first, 0xff, (e->node_count + 1) * sizeof(*l->first));
		l->outbox.window = window;
	}
	barrier_init(&e->barrier, count, engine_lcores_share_cpus(count));
	return 0;
}

/* Give each lcore its nodes, in the engine's order, and tell the links who collects them. */
static void
deal(struct engine_virtual *e, const uint16_t *lcore_of)
{
	for (uint16_t i = 0; i < e->lcore_count; i++)
		e->lcores[i].node_count = 0;
	for (uint32_t i = 0; i < e->node_count; i++) {
		struct engine_lcore *l = &e->lcores[lcore_of[i]];
		struct node *node = e->nodes[i];

		node->outbox = &l->outbox;
		node->slot = l->node_count;
		l->nodes[l->node_count++] = node;
		for (uint16_t port = 0; port < node->port_count; port++) {
			struct link *rx = node->ports[port].rx;

			if (rx == NULL)
				continue;
			rx->to_lcore = lcore_of[i];
			rx->to_slot = node->slot;
			rx->window = 0;
		}
	}
}

static int
deal_by_work(struct engine_virtual *e)
{
	uint16_t *lcore_of = calloc(e->node_count + 1, sizeof(*lcore_of));
	int rc = -ENOMEM;

	if (lcore_of != NULL)
		rc = placement_make(e->nodes, e->node_count, e->work, e->lcore_count, lcore_of);
	if (rc == 0)
		deal(e, lcore_of);
	free(lcore_of);
	return rc;
}

int
engine_lcores_deal(struct engine_virtual *e)
{
	for (uint32_t i = 0; i < e->node_count; i++)
		e->work[i] = placement_guess(e->nodes[i]);
	return deal_by_work(e);
}

/* Frames that a node has made or taken in: about what it has had to do. */
static uint64_t
work_of(const struct node *node)
{
	return node->counters.hops + node->counters.created;
}

bool
engine_lcores_uneven(struct engine_virtual *e)
{
	uint64_t total = 0, most = 0;

	for (uint16_t i = 0; i < e->lcore_count; i++)
		e->lcores[i].work = 0;
	for (uint32_t i = 0; i < e->node_count; i++) {
		const struct node *node = e->nodes[i];
		uint64_t work = work_of(node);

		e->work[i] = work - e->worked[i];
		e->worked[i] = work;
		e->lcores[node->outbox->lcore].work += e->work[i];
		total += e->work[i];
	}
	for (uint16_t i = 0; i < e->lcore_count; i++)
		most = RTE_MAX(most, e->lcores[i].work);
	return most * e->lcore_count * 100 > total * (100 + UNEVEN_PERCENT);
}

void
engine_lcores_deal_again(struct engine_virtual *e)
{
	/* What is listed for the lcores that nodes had before is taken in when the run goes on. */
	for (uint16_t i = 0; i < e->lcore_count; i++)
		for (uint32_t n = 0; n < 2u * e->lcore_count; n++)
			e->lcores[i].outbox.lists[n].count = 0;
	/* Without memory they stay where they are. */
	(void)deal_by_work(e);
}
