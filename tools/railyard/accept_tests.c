/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests there are, and the numbers of each that follow from the switch. */
#include <inttypes.h>

#include "accept.h"

/* Keep ports stopped until so many frames have come. */
static void
set_stall(const struct accept_dut *dut, struct accept_sets *sets, uint32_t frames)
{
	/* Senders have a fifth of their port. */
	uint64_t frame_ps = units_frame_ps(ACCEPT_FRAME_BYTES, dut->rate_bps / 5);

	accept_set(sets, "impairments[0].until=%" PRIu64 "ps",
		   (uint64_t)(frames * frame_ps + 100 * UNITS_PS_PER_US));
}

static void
set_count(struct accept_sets *sets, uint32_t workload, uint32_t frames)
{
	accept_set(sets, "workload[%u].udp.count=%u", workload, frames);
}

static bool
prepare_xoff_limit(const struct accept_dut *dut, struct accept_sets *sets,
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

static const struct accept_test tests[] = {
	{"s1-pfc-xoff-limit",
	 "a lossless PG pauses at its limit, and loses nothing before its "
	 "headroom is full",
	 2, false, prepare_xoff_limit},
};

const struct accept_test *
accept_test_at(size_t n)
{
	return n < sizeof(tests) / sizeof(tests[0]) ? &tests[n] : NULL;
}
