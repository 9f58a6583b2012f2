/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_virtual.h"

#include <assert.h>
#include <errno.h>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "engine_lcores.h"
#include "prng.h"

/* Windows from one look at how evenly the work is spread to the next. */
#define BALANCE_WINDOWS 1024

/* What the lcores do after they have met. */
enum verdict { GO_ON, STOP, DEAL_AGAIN };

int
engine_virtual_init(struct engine_virtual *e, struct node **nodes, uint32_t node_count,
		    uint64_t window_ps)
{
	*e = (struct engine_virtual){.nodes = nodes,
				     .node_count = node_count,
				     .window_ps = window_ps,
				     .between_windows = 1};
	return engine_virtual_spread(e, 1);
}

int
engine_virtual_spread(struct engine_virtual *e, uint16_t lcores)
{
	uint64_t window = e->lcores == NULL ? 0 : e->lcores[0].outbox.window;
	int rc;

	if (lcores == 0 || lcores > rte_lcore_count())
		return -EINVAL;
	engine_lcores_free(e);
	rc = engine_lcores_create(e, lcores, window);
	if (rc == 0)
		rc = engine_lcores_deal(e);
	if (rc != 0)
		engine_lcores_free(e);
	return rc;
}

void
engine_virtual_fini(struct engine_virtual *e)
{
	for (uint32_t i = 0; e->lcores != NULL && i < e->node_count; i++)
		e->nodes[i]->outbox = NULL;
	engine_lcores_free(e);
}

/* Between runs anything may have happened to the nodes: take in all, look at all. */
static uint64_t
collect_all(struct engine_lcore *l)
{
	uint64_t first_ps = UNITS_NEVER_PS;

	for (uint32_t i = 0; i < l->node_count; i++) {
		l->due_ps[i] = node_collect(l->nodes[i]);
		if (l->due_ps[i] < first_ps)
			first_ps = l->due_ps[i];
	}
	return first_ps;
}

/* Sort what all lcores sent to this one's nodes in the last window by node. */
static void
sort_incoming(struct engine_lcore *l)
{
	const struct engine_virtual *e = l->engine;
	unsigned int parity = (l->outbox.window - 1) & 1;

	l->incoming_count = 0;
	for (uint16_t from = 0; from < e->lcore_count; from++) {
		const struct link_outbox *o = &e->lcores[from].outbox;
		const struct link_list *list = &o->lists[parity * o->lcores + l->outbox.lcore];

		for (uint32_t i = 0; i < list->count; i++) {
			uint32_t slot = list->notes[i].slot;

			l->incoming[l->incoming_count] =
				(struct incoming){list->notes[i].link, l->first[slot]};
			l->first[slot] = l->incoming_count++;
		}
	}
}

/* List the nodes with something to do before end_ps; when the first of the others has. */
static uint64_t
list_ready(struct engine_lcore *l, uint64_t end_ps)
{
	uint64_t first_ps = UNITS_NEVER_PS;
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->node_count; i++) {
		uint64_t due_ps = l->due_ps[i];
		bool is_ready = due_ps < end_ps || l->first[i] != NONE;

		l->ready[count] = i;
		count += is_ready;
		if (!is_ready && due_ps < first_ps)
			first_ps = due_ps;
	}
	/* The last one is looked ahead to over and over. */
	for (uint32_t i = 0; i < LOOK_AHEAD && count != 0; i++)
		l->ready[count + i] = l->ready[count - 1];
	l->ready_count = count;
	return first_ps;
}

/*
 * A large fabric's nodes are not in the cache when their turn comes: ask for what a node will
 * need a few nodes ahead, each time for what the last time's answer points to.
 */
static void
look_ahead(const struct engine_lcore *l, const uint32_t next[LOOK_AHEAD], unsigned int parity)
{
	uint32_t first = l->first[next[2]];

	node_prefetch(l->nodes[next[2]]);
	if (first != NONE) {
		rte_prefetch0(l->incoming[first].link);
		rte_prefetch0(l->incoming[first].link->staged);
	}
	node_prefetch_ports(l->nodes[next[1]]);
	first = l->first[next[1]];
	if (first != NONE)
		rte_prefetch0(l->incoming[first].link->staged[parity].entries);
	node_prefetch_event(l->nodes[next[0]]);
	first = l->first[next[0]];
	if (first != NONE) {
		const struct link_batch *batch = &l->incoming[first].link->staged[parity];

		rte_prefetch0(packet_of(batch->entries[0].packet));
		rte_prefetch0(batch->entries[0].packet);
	}
}

/* Take in what was sent to a node; its first event. */
static uint64_t
take(struct engine_lcore *l, uint32_t slot, unsigned int parity)
{
	const struct incoming *in = l->incoming;
	uint64_t first_ps = l->due_ps[slot];

	for (uint32_t i = l->first[slot]; i != NONE; i = in[i].next) {
		rte_prefetch0(in[i].link);
		rte_prefetch0(in[i].link->staged);
	}
	for (uint32_t i = l->first[slot]; i != NONE; i = in[i].next)
		rte_prefetch0(in[i].link->staged[parity].entries);
	for (uint32_t i = l->first[slot]; i != NONE; i = in[i].next)
		first_ps = RTE_MIN(first_ps, node_take(in[i].link, parity));
	l->first[slot] = NONE;
	return first_ps;
}

/* Advance the nodes; when the next event, theirs or of what they have sent, is due. */
static uint64_t
advance(struct engine_lcore *l, uint64_t end_ps)
{
	uint64_t first_ps = list_ready(l, end_ps);
	unsigned int parity = (l->outbox.window - 1) & 1;

	for (uint32_t i = 0; i < l->ready_count; i++) {
		uint32_t slot = l->ready[i];
		uint64_t due_ps;

		look_ahead(l, &l->ready[i + 1], parity);
		due_ps = take(l, slot, parity);
		if (due_ps < end_ps)
			due_ps = node_advance(l->nodes[slot], end_ps);
		l->due_ps[slot] = due_ps;
		first_ps = RTE_MIN(first_ps, due_ps);
	}
	return RTE_MIN(first_ps, l->outbox.first_ps);
}

static uint64_t
earliest(const struct engine_virtual *e, unsigned int parity)
{
	uint64_t first_ps = UNITS_NEVER_PS;

	for (uint16_t i = 0; i < e->lcore_count; i++)
		first_ps = RTE_MIN(first_ps, e->lcores[i].published_ps[parity]);
	return first_ps;
}

static bool
is_balance_due(const struct engine_virtual *e, uint64_t window)
{
	return e->lcore_count > 1 && window % BALANCE_WINDOWS == 0;
}

static bool
is_look_due(const struct engine_virtual *e, uint64_t window)
{
	return e->between != NULL && window % e->between_windows == 0;
}

/* After a window: let the others wait while the main lcore looks, if it is to. */
static enum verdict
look(struct engine_lcore *l, uint64_t now_ps)
{
	struct engine_virtual *e = l->engine;
	uint64_t window = l->outbox.window;

	if (!is_look_due(e, window) && !is_balance_due(e, window))
		return GO_ON;
	if (l->outbox.lcore == 0) {
		e->now_ps = now_ps;
		e->verdict = GO_ON;
		if (is_look_due(e, window) && e->between(e->context, now_ps))
			e->verdict = STOP;
		else if (is_balance_due(e, window) && engine_lcores_uneven(e))
			e->verdict = DEAL_AGAIN;
	}
	barrier_wait(&e->barrier);
	return (enum verdict)e->verdict;
}

/* All lcores do the same: what decides is shared, and changes only while they wait. */
static enum engine_end
run(struct engine_lcore *l, uint64_t *now_ps)
{
	struct engine_virtual *e = l->engine;
	uint64_t first_ps = collect_all(l);
	bool advanced = false;

	for (;;) {
		unsigned int parity = l->outbox.window & 1;

		l->published_ps[parity] = first_ps;
		barrier_wait(&e->barrier);
		if (advanced && look(l, *now_ps) != GO_ON)
			return ENGINE_STOPPED;
		first_ps = earliest(e, parity);
		if (first_ps == UNITS_NEVER_PS)
			return ENGINE_IDLE;
		if (first_ps >= e->until_ps) {
			*now_ps = e->until_ps;
			return ENGINE_UNTIL;
		}
		*now_ps = e->until_ps - first_ps > e->window_ps ? first_ps + e->window_ps
								: e->until_ps;
		link_outbox_next(&l->outbox);
		sort_incoming(l);
		first_ps = advance(l, *now_ps);
		advanced = true;
	}
}

static int
run_worker(void *lcore)
{
	struct engine_lcore *l = lcore;
	uint64_t now_ps = l->engine->now_ps;

	(void)run(l, &now_ps);
	/* Who reads this sees all that was done here. */
	__atomic_add_fetch(&l->engine->returned, 1, __ATOMIC_RELEASE);
	return 0;
}

/* Until the end, or until the nodes are to be dealt out anew. */
static enum engine_end
run_all(struct engine_virtual *e)
{
	uint64_t now_ps = e->now_ps;
	enum engine_end end;

	e->verdict = GO_ON;
	e->returned = 0;
	for (uint16_t i = 1; i < e->lcore_count; i++) {
		int rc = rte_eal_remote_launch(run_worker, &e->lcores[i], e->lcores[i].id);

		assert(rc == 0);
	}
	end = run(&e->lcores[0], &now_ps);
	for (uint16_t i = 1; i < e->lcore_count; i++)
		rte_eal_wait_lcore(e->lcores[i].id);
	assert(__atomic_load_n(&e->returned, __ATOMIC_ACQUIRE) == e->lcore_count - 1u);
	e->now_ps = now_ps;
	return end;
}

enum engine_end
engine_virtual_run(struct engine_virtual *e, uint64_t until_ps)
{
	enum engine_end end;

	e->until_ps = until_ps;
	for (;;) {
		end = run_all(e);
		if (end != ENGINE_STOPPED || e->verdict != DEAL_AGAIN)
			return end;
		engine_lcores_deal_again(e);
	}
}

uint64_t
engine_virtual_digest(const struct engine_virtual *e)
{
	uint64_t folded = 0;

	for (uint32_t i = 0; i < e->node_count; i++)
		folded = prng_mix(folded ^ e->nodes[i]->digest.hash);
	return folded;
}
