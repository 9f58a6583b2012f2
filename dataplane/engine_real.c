/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_real.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "engine_lcores.h"
#include "islands.h"

/* One lcore's share; nobody else writes it. */
struct engine_real_lcore {
	struct engine_real *engine;
	struct engine_virtual nodes;
	struct node **list; /* of `nodes` */
	struct ethdev_port **ports;
	uint32_t port_count;
	unsigned int id;   /* the EAL's */
	uint64_t now_ps;   /* emulated: its nodes have been advanced to it */
	uint64_t clock_ps; /* since the start, at the last turn */
	struct engine_real_pace pace;
} __rte_cache_aligned;

static void
lcores_free(struct engine_real *e)
{
	for (uint16_t i = 0; i < e->lcore_count; i++) {
		struct engine_real_lcore *l = &e->lcores[i];

		engine_virtual_fini(&l->nodes);
		histogram_fini(&l->pace.turn_ps);
		free(l->list);
		free(l->ports);
	}
	free(e->lcores);
	e->lcores = NULL;
	e->lcore_count = 0;
}

/* Its nodes and their devices, in the order of all. 0 or -ENOMEM. */
static int
lcore_fill(struct engine_real_lcore *l, uint16_t index, const uint16_t *lcore_of)
{
	const struct engine_real *e = l->engine;
	uint32_t count = 0;

	l->list = calloc(e->nodes->node_count + 1, sizeof(struct node *));
	l->ports = calloc(e->port_count + 1, sizeof(struct ethdev_port *));
	if (l->list == NULL || l->ports == NULL || histogram_init(&l->pace.turn_ps) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->port_count; i++)
		if (lcore_of[e->ports[i].node->slot] == index)
			l->ports[l->port_count++] = &e->ports[i];
	for (uint32_t i = 0; i < e->nodes->node_count; i++)
		if (lcore_of[i] == index)
			l->list[count++] = e->nodes->nodes[i];
	l->nodes.node_count = count;
	return 0;
}

/* Make so many, and give them their nodes. 0 or -ENOMEM. */
static int
lcores_create(struct engine_real *e, uint16_t count, const uint16_t *lcore_of)
{
	unsigned int id = rte_get_main_lcore();
	int rc = 0;

	e->lcores = aligned_alloc(RTE_CACHE_LINE_SIZE, count * sizeof(*e->lcores));
	if (e->lcores == NULL)
		return -ENOMEM;
	memset(e->lcores, 0, count * sizeof(*e->lcores));
	e->lcore_count = count;
	for (uint16_t i = 0; rc == 0 && i < count; i++) {
		e->lcores[i].engine = e;
		e->lcores[i].id = id;
		id = engine_lcores_next_id(i, id);
		rc = lcore_fill(&e->lcores[i], i, lcore_of);
	}
	/* All have found theirs: from here on nodes have other slots. */
	for (uint16_t i = 0; rc == 0 && i < count; i++) {
		struct engine_real_lcore *l = &e->lcores[i];

		rc = engine_virtual_init(&l->nodes, l->list, l->nodes.node_count,
					 e->nodes->window_ps);
		if (rc == 0)
			l->nodes.lcores[0].outbox.lane = i;
	}
	barrier_init(&e->barrier, count, engine_lcores_share_cpus(count));
	return rc;
}

int
engine_real_init(struct engine_real *e, struct engine_virtual *nodes, struct ethdev_port *ports,
		 uint32_t port_count)
{
	*e = (struct engine_real){
		.nodes = nodes,
		.ports = ports,
		.port_count = port_count,
		.slice_ps = ENGINE_REAL_SLICE_PS,
	};
	return engine_real_spread(e, 1);
}

void
engine_real_fini(struct engine_real *e)
{
	lcores_free(e);
}

int
engine_real_spread(struct engine_real *e, uint16_t lcores)
{
	uint16_t *lcore_of = calloc(e->nodes->node_count + 1, sizeof(*lcore_of));
	int rc = -ENOMEM;

	if (lcores == 0 || lcores > rte_lcore_count()) {
		free(lcore_of);
		return -EINVAL;
	}
	lcores_free(e);
	engine_virtual_spread(e->nodes, 1);
	if (lcore_of != NULL)
		rc = islands_make(e->nodes->nodes, e->nodes->node_count, lcores, lcore_of);
	if (rc > 0)
		rc = lcores_create(e, (uint16_t)rc, lcore_of);
	if (rc != 0)
		lcores_free(e);
	free(lcore_of);
	return rc;
}

void
engine_real_start(struct engine_real *e)
{
	unsigned __int128 one_second = (unsigned __int128)UNITS_PS_PER_S << 32;

	e->tick_q32 = (uint64_t)(one_second / rte_get_tsc_hz());
	e->start_tsc = rte_rdtsc() - (uint64_t)(((unsigned __int128)e->now_ps << 32) / e->tick_q32);
	for (uint16_t i = 0; i < e->lcore_count; i++)
		e->lcores[i].clock_ps = e->now_ps;
}

static uint64_t
clock_ps(const struct engine_real *e)
{
	uint64_t ticks = rte_rdtsc() - e->start_tsc;

	return (uint64_t)((unsigned __int128)ticks * e->tick_q32 >> 32);
}

/* How far this turn goes. */
static uint64_t
next_ps(struct engine_real_lcore *l, uint64_t now_clock_ps)
{
	uint64_t behind_ps = now_clock_ps - l->now_ps, slice_ps = l->engine->slice_ps;

	/* Counters of different cores may differ by some ticks: time stands still then. */
	if (now_clock_ps <= l->now_ps)
		return l->now_ps;
	if (behind_ps > l->pace.behind_max_ps)
		l->pace.behind_max_ps = behind_ps;
	if (behind_ps <= slice_ps)
		return now_clock_ps;
	l->pace.late_ps += slice_ps;
	return l->now_ps + slice_ps;
}

static void
turn(struct engine_real_lcore *l, uint64_t until_ps)
{
	/*
	 * What has come in since the last turn came at some time between the two. The nodes have
	 * been advanced to the earlier, so from there on they may take it, at no cost in delay.
	 */
	for (uint32_t i = 0; i < l->port_count; i++) {
		ethdev_poll_link(l->ports[i], l->now_ps);
		ethdev_receive(l->ports[i], l->now_ps);
	}
	engine_virtual_run(&l->nodes, until_ps);
	l->now_ps = until_ps;
	for (uint32_t i = 0; i < l->port_count; i++)
		ethdev_transmit(l->ports[i], until_ps);
	l->pace.turns++;
}

void
engine_real_turn(struct engine_real *e, uint64_t now_clock_ps)
{
	turn(&e->lcores[0], next_ps(&e->lcores[0], now_clock_ps));
	e->now_ps = e->lcores[0].now_ps;
}

static void
advance(struct engine_real_lcore *l)
{
	const struct engine_real *e = l->engine;

	while (l->now_ps < e->stop_ps) {
		uint64_t at_ps = clock_ps(e);

		histogram_record(&l->pace.turn_ps, at_ps > l->clock_ps ? at_ps - l->clock_ps : 0);
		l->clock_ps = at_ps;
		turn(l, RTE_MIN(next_ps(l, at_ps), e->stop_ps));
	}
}

/* When all stop next. */
static void
set_stop(struct engine_real *e)
{
	e->stop_ps = e->next_ps > e->now_ps ? e->next_ps : e->now_ps + ENGINE_REAL_LOOK_PS;
	if (e->stop_ps > e->until_ps)
		e->stop_ps = e->until_ps;
}

/* All have come to stop_ps, and wait. */
static void
look(struct engine_real *e)
{
	e->now_ps = e->stop_ps;
	e->running = false;
	if (e->between != NULL && e->between(e->context, e->now_ps)) {
		e->end = ENGINE_STOPPED;
	} else if (e->now_ps >= e->until_ps) {
		e->end = ENGINE_UNTIL;
	} else {
		e->running = true;
		set_stop(e);
	}
}

/* What decides is shared, and changes only while all but the main lcore wait. */
static void
run(struct engine_real_lcore *l)
{
	struct engine_real *e = l->engine;

	do {
		advance(l);
		barrier_wait(&e->barrier);
		if (l == e->lcores)
			look(e);
		barrier_wait(&e->barrier);
	} while (e->running);
}

static int
run_worker(void *lcore)
{
	struct engine_real_lcore *l = lcore;

	run(l);
	/* Who reads this sees all that was done here. */
	__atomic_add_fetch(&l->engine->returned, 1, __ATOMIC_RELEASE);
	return 0;
}

enum engine_end
engine_real_run(struct engine_real *e, uint64_t until_ps)
{
	if (e->now_ps >= until_ps)
		return ENGINE_UNTIL;
	e->until_ps = until_ps;
	e->returned = 0;
	set_stop(e);
	for (uint16_t i = 1; i < e->lcore_count; i++) {
		int rc = rte_eal_remote_launch(run_worker, &e->lcores[i], e->lcores[i].id);

		assert(rc == 0);
	}
	run(&e->lcores[0]);
	for (uint16_t i = 1; i < e->lcore_count; i++)
		rte_eal_wait_lcore(e->lcores[i].id);
	assert(__atomic_load_n(&e->returned, __ATOMIC_ACQUIRE) == e->lcore_count - 1u);
	return e->end;
}

const struct engine_real_pace *
engine_real_worst(const struct engine_real *e)
{
	const struct engine_real_pace *worst = &e->lcores[0].pace;

	for (uint16_t i = 1; i < e->lcore_count; i++) {
		const struct engine_real_pace *p = &e->lcores[i].pace;

		if (p->late_ps > worst->late_ps ||
		    (p->late_ps == worst->late_ps && p->behind_max_ps > worst->behind_max_ps))
			worst = p;
	}
	return worst;
}
