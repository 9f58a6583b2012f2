/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest set that waits for itself: begin with every queue that is paused and has not moved,
 * and take out what waits for a group that holds packets elsewhere, or none, until nothing changes.
 * Ports of all switches are numbered as in the graph.
 */
#include "fabric_deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

/* So many pause times must pass. */
#define ROUNDS 3u

static uint32_t
port_count(const struct fabric *f)
{
	const struct switch_node *last = f->switches[f->switch_count - 1];

	return f->graph.first_port[f->switch_count - 1] + last->node.port_count;
}

/* The longest pause of a cable between switches, and how long watchdogs may take. */
static void
find_times(const struct fabric *f, uint64_t *pause_ps, uint64_t *watchdog_ps)
{
	*pause_ps = 0;
	*watchdog_ps = 0;
	for (uint32_t sw = 0; sw < f->switch_count; sw++) {
		const struct switch_cfg *cfg = f->switches[sw]->cfg;

		for (uint16_t i = 0; i < cfg->port_count; i++) {
			const struct node_port_cfg *port = &cfg->ports[i].port;
			const struct watchdog_cfg *watchdog = &cfg->ports[i].watchdog;
			const struct graph_arc *arc = fabric_graph_behind(&f->graph, sw, i);

			if (port->pfc.enable == 0 || arc == NULL || arc->to >= f->switch_count)
				continue;
			*pause_ps = RTE_MAX(*pause_ps,
					    units_pause_ps(port->pfc.quanta, port->rate_bps));
			if (watchdog->priorities != 0 && watchdog->action != WATCHDOG_ALERT)
				*watchdog_ps = RTE_MAX(*watchdog_ps, watchdog->detection_ps);
		}
	}
}

int
fabric_deadlock_init(struct fabric *f)
{
	struct fabric_deadlock *d = &f->deadlock;
	uint64_t watchdog_ps;
	uint32_t ports;

	d->next_ps = UNITS_NEVER_PS;
	if (f->switch_count == 0)
		return 0;
	find_times(f, &d->interval_ps, &watchdog_ps);
	if (d->interval_ps == 0)
		return 0;
	ports = port_count(f);
	d->sent = calloc((size_t)ports * SWITCH_QUEUES, sizeof(*d->sent));
	d->stuck = calloc(ports, 1);
	d->held = calloc(ports, 1);
	d->moves = calloc(ports, 1);
	if (d->sent == NULL || d->stuck == NULL || d->held == NULL || d->moves == NULL)
		return -ENOMEM;
	d->next_ps = d->interval_ps;
	/* It polls: found within two detection times. */
	d->rounds_needed = ROUNDS + (uint32_t)RTE_MIN(2 * watchdog_ps / d->interval_ps, 1u << 30);
	return 0;
}

void
fabric_deadlock_fini(struct fabric *f)
{
	free(f->deadlock.sent);
	free(f->deadlock.stuck);
	free(f->deadlock.held);
	free(f->deadlock.moves);
}

/* The queues of a port that stand still because they are paused. */
static uint8_t
paused_still(struct fabric_deadlock *d, const struct switch_node *sw, uint16_t index, uint32_t port,
	     uint64_t now_ps)
{
	const struct switch_port *p = &sw->ports[index];
	const struct pfc_rx *rx = &sw->node.ports[index].pfc_rx;
	uint8_t still = 0;

	for (uint8_t left = rx->paused; left != 0; left &= (uint8_t)(left - 1)) {
		uint8_t priority = (uint8_t)__builtin_ctz(left);
		uint8_t queue = p->maps->pfc_to_queue[priority];
		uint64_t *sent = &d->sent[(size_t)port * SWITCH_QUEUES + queue];

		if (rx->until_ps[priority] <= now_ps || p->queues[queue].head == NULL ||
		    p->pause_ignored >> queue & 1)
			continue;
		if (*sent == p->queues[queue].tx_packets)
			still |= (uint8_t)(1u << queue);
		*sent = p->queues[queue].tx_packets;
	}
	return still;
}

static bool
find_candidates(struct fabric *f, uint64_t now_ps)
{
	struct fabric_deadlock *d = &f->deadlock;
	bool any = false;

	memset(d->stuck, 0, port_count(f));
	for (uint32_t i = 0; i < f->switch_count; i++) {
		const struct switch_node *sw = f->switches[i];

		for (uint16_t n = 0; sw->held_packets != 0 && n < sw->node.port_count; n++) {
			uint32_t port = f->graph.first_port[i] + n;

			if (sw->ports[n].backlogged == 0 || sw->node.ports[n].pfc_rx.paused == 0)
				continue;
			d->stuck[port] = paused_still(d, sw, n, port, now_ps);
			any |= d->stuck[port] != 0;
		}
	}
	return any;
}

/* Which groups hold packets in queues of the set, and which in others. */
static void
find_holders(struct fabric *f)
{
	struct fabric_deadlock *d = &f->deadlock;

	memset(d->held, 0, port_count(f));
	memset(d->moves, 0, port_count(f));
	for (uint32_t i = 0; i < f->switch_count; i++) {
		const struct switch_node *sw = f->switches[i];
		uint32_t first = f->graph.first_port[i];

		for (uint32_t n = 0;
		     sw->held_packets != 0 && n < (uint32_t)sw->node.port_count * SWITCH_QUEUES;
		     n++) {
			uint32_t port = n / SWITCH_QUEUES, queue = n % SWITCH_QUEUES;
			uint8_t *by_port = d->stuck[first + port] >> queue & 1 ? d->held : d->moves;

			for (const struct rte_mbuf *m = sw->ports[port].queues[queue].head;
			     m != NULL; m = packet_of(m)->next)
				by_port[first + packet_of(m)->in_port] |=
					(uint8_t)(1u << packet_of(m)->pg);
		}
	}
}

struct wait {
	uint32_t sw;
	uint16_t in_port;
	uint8_t pg;
	uint8_t priority;
};

/* The next switch's group that stops a queue for good, as things are; false: none does. */
static bool
waits_for(const struct fabric *f, uint32_t sw, uint16_t port, uint8_t queue, struct wait *wait)
{
	const struct fabric_deadlock *d = &f->deadlock;
	const struct graph_arc *arc = fabric_graph_behind(&f->graph, sw, port);
	const struct switch_port *own = &f->switches[sw]->ports[port], *peer;
	uint8_t paused = f->switches[sw]->node.ports[port].pfc_rx.paused, stopping;
	uint32_t behind;

	if (arc == NULL || arc->to >= f->switch_count)
		return false;
	peer = &f->switches[arc->to]->ports[arc->to_port];
	behind = f->graph.first_port[arc->to] + arc->to_port;
	stopping = peer->xoff_pgs & d->held[behind] & (uint8_t)~d->moves[behind];
	for (uint8_t pg = 0; pg < MMU_CLASSES; pg++) {
		uint8_t priorities = stopping >> pg & 1 ? peer->pfc_of_pg[pg] & paused : 0;

		for (; priorities != 0; priorities &= (uint8_t)(priorities - 1)) {
			uint8_t priority = (uint8_t)__builtin_ctz(priorities);

			if (own->maps->pfc_to_queue[priority] != queue ||
			    peer->pause_withheld >> priority & 1)
				continue;
			*wait = (struct wait){arc->to, arc->to_port, pg, priority};
			return true;
		}
	}
	return false;
}

/* Take out what waits for something that moves. True when there was any such. */
static bool
shrink(struct fabric *f, bool *left)
{
	struct fabric_deadlock *d = &f->deadlock;
	bool changed = false;
	struct wait wait;

	*left = false;
	find_holders(f);
	for (uint32_t sw = 0; sw < f->switch_count; sw++) {
		for (uint16_t n = 0; n < f->switches[sw]->node.port_count; n++) {
			uint8_t *stuck = &d->stuck[f->graph.first_port[sw] + n];

			for (uint8_t all = *stuck; all != 0; all &= (uint8_t)(all - 1)) {
				uint8_t queue = (uint8_t)__builtin_ctz(all);

				if (waits_for(f, sw, n, queue, &wait))
					continue;
				*stuck &= (uint8_t) ~(1u << queue);
				changed = true;
			}
			*left |= *stuck != 0;
		}
	}
	return changed;
}

struct place {
	uint32_t sw;
	uint16_t port;
	uint8_t queue;
};

/* From a queue of the set to one that it waits for; there is one. The priority it is paused by. */
static uint8_t
go_on(const struct fabric *f, struct place *at)
{
	const struct switch_node *sw;
	struct wait wait = {.sw = 0};

	(void)waits_for(f, at->sw, at->port, at->queue, &wait);
	sw = f->switches[wait.sw];
	for (uint32_t n = 0; n < (uint32_t)sw->node.port_count * SWITCH_QUEUES; n++) {
		const struct rte_mbuf *m =
			sw->ports[n / SWITCH_QUEUES].queues[n % SWITCH_QUEUES].head;

		while (m != NULL &&
		       (packet_of(m)->in_port != wait.in_port || packet_of(m)->pg != wait.pg))
			m = packet_of(m)->next;
		if (m == NULL)
			continue;
		*at = (struct place){wait.sw, (uint16_t)(n / SWITCH_QUEUES),
				     (uint8_t)(n % SWITCH_QUEUES)};
		break;
	}
	return wait.priority;
}

/* Each waits for another: far enough from any of them there is a cycle. */
static void
name_cycle(const struct fabric *f, struct fabric_cycle *cycle)
{
	const uint8_t *stuck = f->deadlock.stuck;
	struct place at = {.sw = 0}, start;
	uint32_t first = 0;

	while (stuck[first] == 0)
		first++;
	while (at.sw + 1 < f->switch_count && f->graph.first_port[at.sw + 1] <= first)
		at.sw++;
	at.port = (uint16_t)(first - f->graph.first_port[at.sw]);
	at.queue = (uint8_t)__builtin_ctz(stuck[first]);
	for (uint32_t n = 0; n < port_count(f); n++)
		(void)go_on(f, &at);
	start = at;
	*cycle = (struct fabric_cycle){.count = 0};
	do {
		if (cycle->count < CYCLE_MAX_HOPS)
			cycle->hops[cycle->count] = (struct cycle_hop){at.sw, at.port};
		cycle->count++;
		cycle->priorities |= (uint8_t)(1u << go_on(f, &at));
	} while (at.sw != start.sw || at.port != start.port || at.queue != start.queue);
}

bool
fabric_deadlock_check(struct fabric *f, uint64_t now_ps)
{
	struct fabric_deadlock *d = &f->deadlock;
	bool left = find_candidates(f, now_ps);

	d->next_ps = now_ps + d->interval_ps;
	while (left && shrink(f, &left))
		continue;
	if (!left) {
		d->rounds = 0;
		return false;
	}
	if (d->rounds++ == 0)
		d->since_ps = now_ps;
	if (d->rounds < d->rounds_needed)
		return false;
	d->found = true;
	name_cycle(f, &d->cycle);
	return true;
}
