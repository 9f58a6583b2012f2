/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch's PFC watchdog: polls at whole multiples of the interval, as long as there is
 * something to watch, and does to ports what the action says. A switch in which nobody pauses
 * anybody is not polled: it would learn nothing, and the run could not end.
 */
#include "switch.h"

#include <errno.h>
#include <stdlib.h>

int
switch_watchdog_init(struct switch_node *sw)
{
	bool any = false;

	sw->watchdog_due_ps = UNITS_NEVER_PS;
	for (uint16_t i = 0; i < sw->cfg->port_count; i++)
		any |= sw->cfg->ports[i].watchdog.priorities != 0;
	if (!any)
		return 0;
	sw->watchdogs = calloc(sw->cfg->port_count, sizeof(*sw->watchdogs));
	return sw->watchdogs == NULL ? -ENOMEM : 0;
}

void
switch_watchdog_arm(struct switch_node *sw, uint64_t now_ps)
{
	uint64_t poll_ps = sw->cfg->watchdog_poll_ps;

	if (now_ps < sw->cfg->watchdog_start_ps)
		now_ps = sw->cfg->watchdog_start_ps;
	sw->watchdog_due_ps = now_ps - now_ps % poll_ps + poll_ps;
	switch_set_timer(sw);
}

static struct watchdog_reading
read_priority(const struct switch_node *sw, uint16_t port, uint8_t priority, uint64_t now_ps)
{
	const struct pfc_rx *rx = &sw->node.ports[port].pfc_rx;
	const struct switch_queue *q =
		&sw->ports[port].queues[sw->ports[port].maps->pfc_to_queue[priority]];
	bool paused = rx->paused >> priority & 1;

	return (struct watchdog_reading){
		.pause_frames = rx->xoff_frames[priority],
		.resumes = rx->pauses[priority] - paused,
		.paused_ps =
			rx->paused_ps[priority] + (paused ? now_ps - rx->since_ps[priority] : 0),
		.tx_packets = q->tx_packets,
		.queued_packets = q->packets,
		.paused = paused,
	};
}

/* Begin (storm) or end what the action does to the queue of a priority. */
static void
act(struct switch_node *sw, uint16_t index, uint8_t priority, bool storm, uint64_t now_ps)
{
	enum watchdog_action action = sw->cfg->ports[index].watchdog.action;
	struct switch_port *port = &sw->ports[index];
	uint8_t queue = port->maps->pfc_to_queue[priority];
	uint8_t queue_bit = (uint8_t)(1u << queue), priority_bit = (uint8_t)(1u << priority);

	if (action == WATCHDOG_ALERT)
		return;
	port->pause_ignored =
		(uint8_t)((port->pause_ignored & ~queue_bit) | (storm ? queue_bit : 0));
	if (action == WATCHDOG_DROP) {
		port->condemned = port->pause_ignored;
		port->pause_withheld = (uint8_t)((port->pause_withheld & ~priority_bit) |
						 (storm ? priority_bit : 0));
		if (storm)
			sw->watchdogs[index][priority].dropped +=
				switch_flush(sw, index, queue, DROP_PFC_WATCHDOG, now_ps);
		/* Who was in XOFF is let go; who should be in it after the storm is told again. */
		for (uint8_t pg = 0; pg < MMU_CLASSES; pg++)
			switch_pause_senders(sw, index, pg, port->xoff_pgs >> pg & 1, now_ps);
	}
	node_wake_port(&sw->node, index, now_ps);
}

void
switch_watchdog_count(struct switch_node *sw, uint16_t port, uint8_t queue)
{
	for (uint8_t priority = 0; priority < PFC_PRIORITIES; priority++) {
		struct watchdog *w = &sw->watchdogs[port][priority];

		if (sw->ports[port].maps->pfc_to_queue[priority] == queue && w->storming) {
			w->dropped++;
			return;
		}
	}
}

/* One port's priorities; true while polls go on to be needed. */
static bool
poll_port(struct switch_node *sw, uint16_t index, uint64_t now_ps)
{
	const struct watchdog_cfg *cfg = &sw->cfg->ports[index].watchdog;
	struct node_port *port = &sw->node.ports[index];
	bool busy = false;

	pfc_rx_advance(&port->pfc_rx, port->cfg.rate_bps, now_ps);
	for (uint8_t left = cfg->priorities; left != 0; left &= (uint8_t)(left - 1)) {
		uint8_t priority = (uint8_t)__builtin_ctz(left);
		struct watchdog *w = &sw->watchdogs[index][priority];
		const struct watchdog_reading now = read_priority(sw, index, priority, now_ps);
		enum watchdog_event event =
			watchdog_poll(w, cfg, &now, sw->cfg->watchdog_poll_ps, now_ps);

		if (event != WATCHDOG_NOTHING)
			act(sw, index, priority, event == WATCHDOG_DETECTED, now_ps);
		busy |= watchdog_is_busy(w, cfg);
	}
	return busy;
}

void
switch_watchdog_poll(struct switch_node *sw, uint64_t now_ps)
{
	bool busy = false;

	for (uint16_t i = 0; i < sw->cfg->port_count; i++) {
		if (sw->cfg->ports[i].watchdog.priorities != 0)
			busy |= poll_port(sw, i, now_ps);
	}
	sw->watchdog_due_ps = busy ? now_ps + sw->cfg->watchdog_poll_ps : UNITS_NEVER_PS;
}
