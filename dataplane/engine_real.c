/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_real.h"

#include <rte_cycles.h>

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
	return histogram_init(&e->turn_ps);
}

void
engine_real_fini(struct engine_real *e)
{
	histogram_fini(&e->turn_ps);
}

void
engine_real_start(struct engine_real *e)
{
	unsigned __int128 one_second = (unsigned __int128)UNITS_PS_PER_S << 32;

	e->tick_q32 = (uint64_t)(one_second / rte_get_tsc_hz());
	e->clock_ps = e->now_ps;
	e->start_tsc = rte_rdtsc() - (uint64_t)(((unsigned __int128)e->now_ps << 32) / e->tick_q32);
}

static uint64_t
clock_ps(const struct engine_real *e)
{
	uint64_t ticks = rte_rdtsc() - e->start_tsc;

	return (uint64_t)((unsigned __int128)ticks * e->tick_q32 >> 32);
}

/* How far this turn goes. */
static uint64_t
next_ps(struct engine_real *e, uint64_t now_clock_ps)
{
	uint64_t behind_ps = now_clock_ps - e->now_ps;

	/* Counters of different cores may differ by some ticks: time stands still then. */
	if (now_clock_ps <= e->now_ps)
		return e->now_ps;
	if (behind_ps > e->behind_max_ps)
		e->behind_max_ps = behind_ps;
	if (behind_ps <= e->slice_ps)
		return now_clock_ps;
	e->late_ps += e->slice_ps;
	return e->now_ps + e->slice_ps;
}

void
engine_real_turn(struct engine_real *e, uint64_t now_clock_ps)
{
	uint64_t until_ps = next_ps(e, now_clock_ps);

	/*
	 * What has come in since the last turn came at some time between the two. The nodes have
	 * been advanced to the earlier, so from there on they may take it, at no cost in delay.
	 */
	for (uint32_t i = 0; i < e->port_count; i++) {
		ethdev_poll_link(&e->ports[i], e->now_ps);
		ethdev_receive(&e->ports[i], e->now_ps);
	}
	engine_virtual_run(e->nodes, until_ps);
	e->now_ps = until_ps;
	for (uint32_t i = 0; i < e->port_count; i++)
		ethdev_transmit(&e->ports[i], until_ps);
	e->turns++;
}

enum engine_end
engine_real_run(struct engine_real *e, uint64_t until_ps)
{
	while (e->now_ps < until_ps) {
		uint64_t at_ps = clock_ps(e);

		histogram_record(&e->turn_ps, at_ps > e->clock_ps ? at_ps - e->clock_ps : 0);
		e->clock_ps = at_ps;
		engine_real_turn(e, at_ps < until_ps ? at_ps : until_ps);
		if (e->between != NULL && e->between(e->context, e->now_ps))
			return ENGINE_STOPPED;
	}
	return ENGINE_UNTIL;
}
