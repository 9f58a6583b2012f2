/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine, interrupted at the exact times at which something happens from outside the nodes. */
#include "fabric.h"

static uint64_t
watch_next_ps(const struct fabric *f)
{
	return f->watch.interval_ps == 0 ? UNITS_NEVER_PS : f->watch.next_ps;
}

static void
watch(struct fabric *f, uint64_t now_ps)
{
	struct fabric_watch *w = &f->watch;

	if (now_ps < watch_next_ps(f))
		return;
	w->look(w->context, now_ps);
	w->next_ps = now_ps - now_ps % w->interval_ps + w->interval_ps;
}

uint64_t
fabric_next_ps(const struct fabric *f)
{
	return RTE_MIN(fabric_failures_next_ps(f), watch_next_ps(f));
}

void
fabric_apply(struct fabric *f, uint64_t now_ps)
{
	watch(f, now_ps);
	fabric_failures_apply(f, now_ps);
}

enum engine_end
fabric_run(struct fabric *f, uint64_t until_ps)
{
	for (;;) {
		uint64_t next_ps = RTE_MIN(fabric_next_ps(f), f->deadlock.next_ps);
		enum engine_end end = engine_virtual_run(&f->engine, RTE_MIN(next_ps, until_ps));

		if (end != ENGINE_UNTIL || next_ps >= until_ps)
			return end;
		fabric_apply(f, next_ps);
		if (f->deadlock.next_ps <= next_ps && fabric_deadlock_check(f, next_ps))
			return ENGINE_STOPPED;
	}
}
