/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of ECN marks: how many, which, and when. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "accept_internal.h"

const struct wred_cfg *
accept_wred(const struct accept_dut *dut)
{
	int16_t n = dut->cfg->ports[0].wred[dut->lossless.queue];

	return n < 0 || !dut->cfg->wred[n].mark.enable ? NULL : &dut->cfg->wred[n];
}

/* Frames of 1024 B that leave or find i others: sum of p and of p (1 - p). */
static void
expect_marks(const struct wred_curve *c, uint32_t frames, double *mean, double *variance)
{
	*mean = *variance = 0;
	for (uint32_t i = 0; i < frames; i++) {
		double depth = 1024.0 * i, p = 1;

		if (depth < (double)c->min_bytes)
			p = 0;
		else if (depth < (double)c->max_bytes)
			p = (double)c->probability_q32 / 4294967296.0 *
			    (depth - (double)c->min_bytes) / (double)(c->max_bytes - c->min_bytes);
		*mean += p;
		*variance += p * (1 - p);
	}
}

#define ACCURACY_SENDERS 4
#define ACCURACY_QUEUES 16

/* In how many of the ranges that results count in one of the frames falls. */
static uint32_t
ranges_hit(const struct wred_curve *c, uint32_t frames)
{
	bool hit[WRED_BINS] = {false};
	uint32_t count = 0;

	for (uint64_t depth = 0; depth < 1024 * (uint64_t)frames; depth += 1024) {
		if (depth >= c->min_bytes)
			hit[wred_bin(c, depth)] = true;
	}
	for (uint32_t i = 0; i < WRED_BINS; i++)
		count += hit[i];
	return count;
}

bool
accept_prepare_accuracy(const struct accept_dut *dut, struct accept_sets *sets,
			char why[ACCEPT_TEXT_BYTES])
{
	const struct wred_cfg *wred = accept_wred(dut);
	uint32_t each, cells, room;
	double mean, variance, width;

	if (wred == NULL) {
		snprintf(why, ACCEPT_TEXT_BYTES, "the lossless queue marks nothing");
		return false;
	}
	each = (uint32_t)(wred->mark.max_bytes / 1024 + 10 + ACCURACY_SENDERS - 1) /
	       ACCURACY_SENDERS;
	cells = each * accept_cells(dut, 1024);
	room = accept_xoff_cells(dut, ACCURACY_SENDERS);
	if (cells > room + accept_headroom_cells(dut) / 2 || dut->partition < ACCURACY_SENDERS) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "Kmax of %" PRIu64 " is more than %u priority groups may hold",
			 wred->mark.max_bytes, ACCURACY_SENDERS);
		return false;
	}
	expect_marks(&wred->mark, each * ACCURACY_SENDERS, &mean, &variance);
	mean *= ACCURACY_QUEUES;
	/* 99.9 % of a normal distribution; two frames a queue for what `others` means. */
	width = 3.29 * sqrt(variance * ACCURACY_QUEUES) + 2 * ACCURACY_QUEUES;
	accept_set(sets, "workload[0].udp.count=%u", each);
	accept_set(sets, "impairments[0].until=%" PRIu64 "ps",
		   accept_bytes_ps(dut, (uint64_t)each * 1044 * 5) +
			   100 * (uint64_t)UNITS_PS_PER_US);
	accept_set(sets, "expect.ecn_marked=%.0f .. %.0f", mean > width ? floor(mean - width) : 0,
		   ceil(mean + width));
	accept_set(sets, "expect.ecn_bins.counted=%u",
		   ranges_hit(&wred->mark, each * ACCURACY_SENDERS));
	return true;
}

bool
accept_prepare_load(const struct accept_dut *dut, struct accept_sets *sets,
		    char why[ACCEPT_TEXT_BYTES])
{
	const struct wred_cfg *wred = accept_wred(dut);
	uint64_t most_bytes = 2 * (uint64_t)accept_xoff_cells(dut, 2) * dut->cfg->mmu.cell_bytes;
	uint64_t depth_bytes;

	if (wred == NULL) {
		snprintf(why, ACCEPT_TEXT_BYTES, "the lossless queue marks nothing");
		return false;
	}
	depth_bytes = 4 * wred->mark.min_bytes;
	if (depth_bytes > most_bytes * 7 / 10)
		depth_bytes = most_bytes * 7 / 10;
	if (depth_bytes < wred->mark.min_bytes * 3 / 2 || wred->mark.min_bytes < 8192) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "Kmin of %" PRIu64 " is out of reach of two senders, or of a few frames",
			 wred->mark.min_bytes);
		return false;
	}
	/* A fifth of the rate is too much. */
	for (uint32_t i = 0; i < 2; i++)
		accept_set(sets, "workload[%u].udp.until=%" PRIu64 "ps", i,
			   5 * accept_bytes_ps(dut, depth_bytes));
	return true;
}

/*
 * For tests of when marks are set, not how many: thresholds between 49 and 50 frames of 1024 B, and
 * above them all are marked.
 */
static bool
set_step(const struct accept_dut *dut, struct accept_sets *sets, char why[ACCEPT_TEXT_BYTES])
{
	const struct wred_cfg *wred = accept_wred(dut);

	if (wred == NULL)
		snprintf(why, ACCEPT_TEXT_BYTES, "the lossless queue marks nothing");
	else if (wred->weight != 0)
		snprintf(why, ACCEPT_TEXT_BYTES, "it marks by an average of the depth");
	if (why[0] != '\0')
		return false;
	/* What the file has for the Tomahawk stays, and must be whole. */
	accept_set(sets, "switches.dut.wred.lossless.ecn=all");
	accept_set(sets, "switches.dut.wred.%s.min=50500", wred->name);
	accept_set(sets, "switches.dut.wred.%s.max=51000", wred->name);
	accept_set(sets, "switches.dut.wred.%s.probability=100%%", wred->name);
	return true;
}

bool
accept_prepare_order(const struct accept_dut *dut, struct accept_sets *sets,
		     char why[ACCEPT_TEXT_BYTES])
{
	if (!set_step(dut, sets, why))
		return false;
	if (accept_wred(dut)->at_enqueue) {
		snprintf(why, ACCEPT_TEXT_BYTES, "it marks at enqueue");
		return false;
	}
	return true;
}

/* What the longest pause gathers, at a quarter of the rate. */
#define QUANTA_FRAMES 1000

bool
accept_prepare_quanta(const struct accept_dut *dut, struct accept_sets *sets,
		      char why[ACCEPT_TEXT_BYTES])
{
	if (QUANTA_FRAMES * accept_cells(dut, 1024) > accept_xoff_cells(dut, 1)) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "%u frames are more than a priority group may hold", QUANTA_FRAMES);
		return false;
	}
	return set_step(dut, sets, why);
}

bool
accept_prepare_codepoints(const struct accept_dut *dut, struct accept_sets *sets,
			  char why[ACCEPT_TEXT_BYTES])
{
	const struct wred_cfg *wred = accept_wred(dut);

	if (!set_step(dut, sets, why))
		return false;
	if (wred->drop.enable && (wred->drop.min_bytes != wred->mark.min_bytes ||
				  wred->drop.max_bytes != wred->mark.max_bytes)) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "it has thresholds of their own for frames that are not ECN capable");
		return false;
	}
	/* All 200 wait then: 150 of them have 50 behind them, half of these are capable. */
	if (!wred->drop.enable) {
		accept_set(sets, "expect.workloads.other.udp.received=100");
		accept_set(sets, "expect.drops.wred=0");
	}
	/* Before they wait: the 25 that find Kmax not yet reached are not marked. */
	if (!wred->drop.enable || wred->at_enqueue)
		accept_set(sets, "expect.workloads.capable.udp.ce_received=73 .. 77");
	return true;
}
