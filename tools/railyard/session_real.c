/* SPDX-License-Identifier: BSD-3-Clause */
/* A run by the clock: until it is done, its duration has passed, or the user ends it. */
#include <rte_cycles.h>

#include "session.h"
#include "telemetry.h"

/* Nothing moved for so long: what was under way has arrived. */
#define QUIET_PS (2 * UNITS_PS_PER_MS)
/* Wait for it at most this long; the outside may never be quiet. */
#define DRAIN_PS (200 * UNITS_PS_PER_MS)
/* Ten seconds for links to come up. */
#define LINK_TRIES 10000
#define LINK_TRY_US 1000
#define LINK_SETTLE_US 20000

static bool
is_quiet(const struct fabric *f, uint64_t now_ps)
{
	return fabric_last_event_ps(f) + QUIET_PS <= now_ps;
}

/* Hosts of this process have something to send. */
static bool
has_work(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		for (uint32_t j = 0; j < w->from_count; j++)
			if (!s->hosts[w->from[j]].remote)
				return true;
	}
	return false;
}

static bool
is_done(const struct fabric *f, uint64_t now_ps)
{
	for (uint32_t i = 0; i < f->host_count; i++)
		if (!host_done(f->hosts[i]))
			return false;
	return is_quiet(f, now_ps) && has_work(f->scenario);
}

/* A question of telemetry; on the main lcore, while no node runs. */
static json_t *
answer(void *context, enum telemetry_command command, const char *parameters)
{
	static const enum results_view views[] = {
		[TELEMETRY_CONFIG] = RESULTS_VIEW_CONFIG, [TELEMETRY_PORTS] = RESULTS_VIEW_PORTS,
		[TELEMETRY_QUEUES] = RESULTS_VIEW_QUEUES, [TELEMETRY_PGS] = RESULTS_VIEW_PGS,
		[TELEMETRY_FLOWS] = RESULTS_VIEW_FLOWS,   [TELEMETRY_DROPS] = RESULTS_VIEW_DROPS,
	};
	struct session *s = context;
	char path[1024];

	if (command != TELEMETRY_SNAPSHOT)
		return results_view(s->results, views[command], parameters);
	if (session_snapshot(s, s->fabric->real.now_ps, path, sizeof(path)) != 0)
		return NULL;
	return json_pack("{s:s}", "file", path);
}

/* What there is to do beside forwarding; and when there will be again. */
static void
look(struct session *s, uint64_t now_ps)
{
	telemetry_poll();
	fabric_apply(s->fabric, now_ps);
	session_look(s, now_ps);
	s->fabric->real.next_ps = RTE_MIN(now_ps + ENGINE_REAL_LOOK_PS, fabric_next_ps(s->fabric));
}

static bool
between_turns(void *context, uint64_t now_ps)
{
	struct session *s = context;

	look(s, now_ps);
	live_update(&s->live, now_ps);
	results_between(s->results);
	return session_interrupts() != 0 || is_done(s->fabric, now_ps);
}

static bool
drain_turns(void *context, uint64_t now_ps)
{
	struct session *s = context;

	look(s, now_ps);
	return session_interrupts() > 1 || is_quiet(s->fabric, now_ps);
}

/*
 * A sender waits for its links, so that its first messages are not lost: a NIC takes a moment,
 * a memif until its peer is there. A switch does not: its ports come and go.
 */
static void
wait_for_links(struct session *s)
{
	const struct fabric *f = s->fabric;
	uint32_t up = f->ring_port_count;

	for (uint32_t tries = 0; tries < LINK_TRIES && session_interrupts() == 0; tries++) {
		/* One that has just come up is not yet known at the other end. */
		uint32_t settle_us = tries == 0 ? 0 : LINK_SETTLE_US;

		while (up < f->ethdev_count && ethdev_link_up(&f->ethdevs[up]))
			up++;
		if (up == f->ethdev_count) {
			rte_delay_us_sleep(settle_us);
			return;
		}
		rte_delay_us_sleep(LINK_TRY_US);
	}
	results_warn(s->results, "port %s:%u had no link when the run began",
		     f->nodes[f->ethdev_ends[up].node]->name, f->ethdev_ends[up].port);
}

enum results_state
session_drive_real(struct session *s, bool *drained)
{
	struct fabric *f = s->fabric;
	struct engine_real *e = &f->real;
	uint64_t until_ps = s->scenario->duration_ps;
	enum engine_end end;
	bool complete;

	live_init(&s->live, f, s->options->quiet);
	if (s->scenario->eal.telemetry && telemetry_start(answer, s) != 0)
		results_warn(s->results, "DPDK's telemetry did not take the commands");
	if (e->lcore_count < f->lcores)
		results_warn(
			s->results,
			"it ran on %u of %u cores: what memory joins stays together, and there "
			"are no more parts that only devices join",
			e->lcore_count, f->lcores);
	e->between = between_turns;
	e->context = s;
	if (has_work(s->scenario))
		wait_for_links(s);
	fabric_sockets_begin(f);
	e->next_ps = RTE_MIN(ENGINE_REAL_LOOK_PS, fabric_next_ps(f));
	engine_real_start(e);
	end = engine_real_run(e, until_ps == 0 ? UNITS_NEVER_PS : until_ps);
	fabric_sockets_end(f);
	complete = end == ENGINE_STOPPED && session_interrupts() == 0;
	if (!complete) {
		session_stop_nodes(f, e->now_ps);
		e->between = drain_turns;
		engine_real_run(e, e->now_ps + DRAIN_PS);
	}
	telemetry_stop();
	live_end(&s->live);
	/* From devices something may always be under way. */
	*drained = fabric_in_flight(f) == 0;
	if (complete)
		return RESULTS_COMPLETE;
	return end == ENGINE_STOPPED ? RESULTS_INTERRUPTED : RESULTS_DURATION;
}
