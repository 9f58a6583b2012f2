/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of limits: frames of a cell each into stopped ports, to either side of what is right. */
#include <inttypes.h>
#include <stdio.h>

#include "accept_internal.h"

/* From the last frame until ports go on. */
#define SETTLE_PS ((uint64_t)(100 * UNITS_PS_PER_US))

/* Keep ports stopped until so many frames have come. */
static uint64_t
set_stall(const struct accept_dut *dut, struct accept_sets *sets, uint32_t frames)
{
	/* Senders have a fifth of their port. */
	uint64_t frame_ps = units_frame_ps(ACCEPT_FRAME_BYTES, dut->rate_bps / 5);

	uint64_t until_ps = frames * frame_ps + SETTLE_PS;

	accept_set(sets, "impairments[0].until=%" PRIu64 "ps", until_ps);
	sets->too_deep |= frames > ACCEPT_MOST_FRAMES;
	return until_ps;
}

/* The same, and the run goes on for as long again: other ports stay stopped. */
static void
set_stall_and_duration(const struct accept_dut *dut, struct accept_sets *sets, uint32_t frames)
{
	accept_set(sets, "duration=%" PRIu64 "ps", 2 * set_stall(dut, sets, frames));
}

static void
set_count(struct accept_sets *sets, uint32_t workload, uint32_t frames)
{
	accept_set(sets, "workload[%u].udp.count=%u", workload, frames);
}

bool
accept_prepare_xoff_limit(const struct accept_dut *dut, struct accept_sets *sets,
			  char why[ACCEPT_TEXT_BYTES])
{
	uint32_t xoff = accept_xoff_cells(dut, 1), drop = xoff + accept_headroom_cells(dut) + 1;

	(void)why;
	set_count(sets, 0, xoff - ACCEPT_MARGIN);
	set_count(sets, 1, xoff + ACCEPT_MARGIN);
	set_count(sets, 2, drop - ACCEPT_MARGIN);
	set_count(sets, 3, drop + ACCEPT_MARGIN);
	set_stall(dut, sets, drop + ACCEPT_MARGIN);
	return true;
}

bool
accept_prepare_xon_limit(const struct accept_dut *dut, struct accept_sets *sets,
			 char why[ACCEPT_TEXT_BYTES])
{
	uint32_t all = accept_xoff_cells(dut, 1) + ACCEPT_MARGIN;
	uint32_t resume = accept_resume_cells(dut);

	if (resume == 0) {
		snprintf(why, ACCEPT_TEXT_BYTES, "it resumes at the limit at which it pauses");
		return false;
	}
	/* The margin of frames beyond XOFF leaves the headroom first. */
	set_count(sets, 0, resume);
	set_count(sets, 1, all - resume);
	set_count(sets, 2, resume + 1 + 2 * ACCEPT_MARGIN);
	set_count(sets, 3, all - (resume + 1 + 2 * ACCEPT_MARGIN));
	set_stall_and_duration(dut, sets, all);
	return true;
}

/* A lossy backlog that leaves the lossless class room, and that the lossy one may have. */
bool
accept_prepare_own_frames(const struct accept_dut *dut, struct accept_sets *sets,
			  char why[ACCEPT_TEXT_BYTES])
{
	uint32_t backlog = 2000;
	uint32_t count = accept_xoff_beside_cells(dut, backlog) + ACCEPT_MARGIN;

	if (accept_lossy_cells(dut) < backlog + ACCEPT_MARGIN || count < 2 * backlog) {
		snprintf(why, ACCEPT_TEXT_BYTES, "a lossy backlog of %u frames is too much for it",
			 backlog);
		return false;
	}
	set_count(sets, 0, count);
	set_count(sets, 1, count);
	set_stall_and_duration(dut, sets, count);
	return true;
}

#define HEADROOM_PGS 8

bool
accept_prepare_headroom_pool(const struct accept_dut *dut, struct accept_sets *sets,
			     char why[ACCEPT_TEXT_BYTES])
{
	uint32_t each = accept_headroom_pool_cells(dut) / HEADROOM_PGS;
	uint32_t xoff = accept_xoff_cells(dut, HEADROOM_PGS);

	if (each == 0)
		snprintf(why, ACCEPT_TEXT_BYTES, "it has no shared headroom pool");
	else if (each + ACCEPT_MARGIN > accept_headroom_cells(dut))
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "its shared headroom pool holds all that %u priority groups may use",
			 HEADROOM_PGS);
	else if (dut->partition < HEADROOM_PGS)
		snprintf(why, ACCEPT_TEXT_BYTES, "takes %u ports in one partition", HEADROOM_PGS);
	if (why[0] != '\0')
		return false;
	set_count(sets, 0, xoff + each - ACCEPT_MARGIN);
	set_count(sets, 1, xoff + each + ACCEPT_MARGIN);
	set_stall(dut, sets, xoff + each + ACCEPT_MARGIN);
	return true;
}

#define SHARING_PGS 4

bool
accept_prepare_shared_limit(const struct accept_dut *dut, struct accept_sets *sets,
			    char why[ACCEPT_TEXT_BYTES])
{
	uint32_t xoff = accept_xoff_cells(dut, SHARING_PGS);

	if (dut->partition < SHARING_PGS) {
		snprintf(why, ACCEPT_TEXT_BYTES, "takes %u ports in one partition", SHARING_PGS);
		return false;
	}
	set_count(sets, 0, xoff - ACCEPT_MARGIN);
	set_count(sets, 1, xoff + ACCEPT_MARGIN);
	set_stall(dut, sets, xoff + ACCEPT_MARGIN);
	return true;
}

/* One frame more than on the other side of the margin: the rule is known to be 4 frames off. */
bool
accept_prepare_lossy_limit(const struct accept_dut *dut, struct accept_sets *sets,
			   char why[ACCEPT_TEXT_BYTES])
{
	uint32_t limit = accept_lossy_cells(dut);

	(void)why;
	set_count(sets, 0, limit - ACCEPT_MARGIN - 1);
	set_count(sets, 1, limit + ACCEPT_MARGIN + 1);
	set_stall(dut, sets, limit + ACCEPT_MARGIN + 1);
	return true;
}

bool
accept_prepare_watermarks(const struct accept_dut *dut, struct accept_sets *sets,
			  char why[ACCEPT_TEXT_BYTES])
{
	uint32_t headroom = accept_headroom_cells(dut), used = headroom * 3 / 8;
	uint32_t count = accept_xoff_cells(dut, 1) + used, cell = dut->cfg->mmu.cell_bytes;
	uint64_t shared = accept_xoff_cells(dut, 1) - accept_guaranteed_cells(dut);

	(void)why;
	set_count(sets, 0, count);
	set_stall(dut, sets, count);
	accept_set(sets, "expect.pgs.max_bytes=%" PRIu64, (uint64_t)count * cell);
	accept_set(sets, "expect.queues.max_bytes=%u", count * ACCEPT_FRAME_BYTES);
	accept_set(sets, "expect.tiers.dut.pools.ingress_max_bytes=%" PRIu64 " .. %" PRIu64,
		   (shared - ACCEPT_MARGIN) * cell, (shared + ACCEPT_MARGIN) * cell);
	accept_set(sets, "expect.tiers.dut.pools.headroom_max_bytes=%u .. %u",
		   (used - ACCEPT_MARGIN) * cell, (used + ACCEPT_MARGIN) * cell);
	accept_set(sets, "expect.headroom.margin_bytes=<= %u",
		   (headroom - used + ACCEPT_MARGIN) * cell);
	accept_set(sets, "expect.headroom.used_fraction=< %.6f",
		   (double)(used + ACCEPT_MARGIN + 1) / headroom);
	return true;
}

bool
accept_prepare_guarantee(const struct accept_dut *dut, struct accept_sets *sets,
			 char why[ACCEPT_TEXT_BYTES])
{
	uint32_t guaranteed = accept_guaranteed_cells(dut);
	uint64_t until_ps;

	if (guaranteed == 0) {
		snprintf(why, ACCEPT_TEXT_BYTES, "the lossless priority group has no guarantee");
		return false;
	}
	set_count(sets, 0, guaranteed);
	/* Three queues fill up by one limit or another when they get twice what one may have. */
	until_ps = set_stall(dut, sets, 2 * accept_lossy_cells(dut) + guaranteed);
	accept_set(sets, "duration=%" PRIu64 "ps", until_ps);
	accept_set(sets, "workload[0].udp.at=%" PRIu64 "ps", until_ps - SETTLE_PS);
	accept_set(sets, "workload[1].udp.until=%" PRIu64 "ps", until_ps - SETTLE_PS);
	return true;
}

bool
accept_prepare_drop_counters(const struct accept_dut *dut, struct accept_sets *sets,
			     char why[ACCEPT_TEXT_BYTES])
{
	uint32_t count = accept_xoff_cells(dut, 1) + accept_headroom_cells(dut) + 100;

	(void)why;
	set_count(sets, 0, count);
	set_stall(dut, sets, count);
	return true;
}
