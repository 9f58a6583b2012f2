/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the watchdog that depend on buffers. */
#include <inttypes.h>
#include <stdio.h>

#include "accept_internal.h"

bool
accept_prepare_storm_headroom(const struct accept_dut *dut, struct accept_sets *sets,
			      char why[ACCEPT_TEXT_BYTES])
{
	uint32_t cell = dut->cfg->mmu.cell_bytes, used = accept_headroom_cells(dut) / 2;
	uint32_t frames = accept_xoff_cells(dut, 1) + used;

	if (accept_headroom_pool_cells(dut) == 0) {
		snprintf(why, ACCEPT_TEXT_BYTES, "it has no shared headroom pool");
		return false;
	}
	sets->too_deep |= frames > ACCEPT_MOST_FRAMES;
	for (uint32_t i = 0; i < 2; i++)
		accept_set(sets, "workload[%u].udp.count=%u", i, frames);
	for (uint32_t i = 0; i < 2; i++)
		accept_set(sets, "expect.tiers.%s.pools.headroom_max_bytes=%u .. %u",
			   i == 0 ? "dropped" : "forwarded", (used - ACCEPT_MARGIN) * cell,
			   (used + ACCEPT_MARGIN) * cell);
	accept_set(sets, "expect.tiers.dropped.watchdog.dropped=%u", frames);
	return true;
}
