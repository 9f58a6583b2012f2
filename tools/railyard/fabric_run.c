/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine, interrupted at the exact times at which something happens from outside the nodes. */
#include "fabric.h"

enum engine_end
fabric_run(struct fabric *f, uint64_t until_ps)
{
	for (;;) {
		uint64_t next_ps = RTE_MIN(fabric_failures_next_ps(f), f->deadlock.next_ps);
		enum engine_end end = engine_virtual_run(&f->engine, RTE_MIN(next_ps, until_ps));

		if (end != ENGINE_UNTIL || next_ps >= until_ps)
			return end;
		fabric_failures_apply(f, next_ps);
		if (f->deadlock.next_ps <= next_ps && fabric_deadlock_check(f, next_ps))
			return ENGINE_STOPPED;
	}
}
