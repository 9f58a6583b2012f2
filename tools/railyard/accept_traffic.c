/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests with traffic: storms, overload, marks, RoCE. Sizes and times follow from the buffer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accept_internal.h"

#define MB 1000000u
/* Payload of full RoCE packets, and what they take on the wire. */

uint64_t
accept_bytes_ps(const struct accept_dut *dut, uint64_t bytes)
{
	return (uint64_t)((unsigned __int128)bytes * 8 * UNITS_PS_PER_S / dut->rate_bps);
}

uint64_t
accept_size_bytes(const struct accept_dut *dut, struct accept_sets *sets, uint32_t senders,
		  uint64_t least)
{
	uint64_t bytes = 2 * (uint64_t)accept_xoff_cells(dut, senders) * dut->cfg->mmu.cell_bytes;

	sets->too_deep |= bytes > ACCEPT_MOST_BYTES;
	return bytes > least ? bytes : least;
}

bool
accept_prepare_storm(const struct accept_dut *dut, struct accept_sets *sets,
		     char why[ACCEPT_TEXT_BYTES])
{
	/* Until the buffer has reached XOFF, and half as long again. */
	uint64_t size = accept_size_bytes(dut, sets, 1, 16 * MB),
		 storm_ps = accept_bytes_ps(dut, size * 3 / 4);
	uint64_t least_ps = 1000 * (uint64_t)UNITS_PS_PER_US;

	(void)why;
	accept_set(sets, "workload[0].elephants.size=%" PRIu64, size);
	accept_set(sets, "impairments[0].until=%" PRIu64 "ps",
		   20 * least_ps / 1000 + (storm_ps > least_ps ? storm_ps : least_ps));
	return true;
}

bool
accept_prepare_lossy_storm(const struct accept_dut *dut, struct accept_sets *sets,
			   char why[ACCEPT_TEXT_BYTES])
{
	uint8_t enabled = dut->cfg->ports[0].port.pfc.enable;
	char list[32] = "";

	if (enabled == 0xff) {
		snprintf(why, ACCEPT_TEXT_BYTES, "all priorities are in pfc_enable");
		return false;
	}
	for (int i = 0; i < 8; i++) {
		if (!(enabled >> i & 1))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d",
				 list[0] == '\0' ? "" : ", ", i);
	}
	accept_set(sets, "impairments[0].pause.priorities=[%s]", list);
	return true;
}

bool
accept_prepare_response(const struct accept_dut *dut, struct accept_sets *sets,
			char why[ACCEPT_TEXT_BYTES])
{
	uint64_t room_ps = accept_bytes_ps(dut, (uint64_t)accept_headroom_cells(dut) *
							dut->cfg->mmu.cell_bytes);

	(void)why;
	accept_set(sets, "hosts.prompt.pfc.response=%" PRIu64 "ps", room_ps * 2 / 5);
	accept_set(sets, "hosts.slow.pfc.response=%" PRIu64 "ps", room_ps * 3 / 2);
	accept_set(sets, "workload[0].incast.size=%" PRIu64,
		   accept_size_bytes(dut, sets, 4, 4 * MB));
	accept_set(sets, "workload[1].incast.size=%" PRIu64,
		   accept_size_bytes(dut, sets, 4, 4 * MB));
	return true;
}

const struct scheduler_cfg *
accept_scheduler(const struct accept_dut *dut, const struct accept_class *class)
{
	int16_t n = dut->cfg->ports[0].scheduler[class->queue];

	return n < 0 ? NULL : &dut->cfg->schedulers[n];
}

/* The largest message that there is. */
#define MOST_MESSAGE_BYTES (2ULL << 30)

uint64_t
accept_set_duration(const struct accept_dut *dut, struct accept_sets *sets, uint64_t least_ps)
{
	uint64_t bytes = (uint64_t)accept_lossy_cells(dut) * dut->cfg->mmu.cell_bytes;
	uint64_t ps = 2 * 10 * accept_bytes_ps(dut, bytes);
	uint64_t message;

	if (ps < least_ps)
		ps = least_ps;
	message = (uint64_t)((double)ps / accept_bytes_ps(dut, 1000) * 1000);
	if (message > MOST_MESSAGE_BYTES)
		message = MOST_MESSAGE_BYTES;
	sets->too_deep |= bytes > ACCEPT_MOST_BYTES / 4;
	accept_set(sets, "duration=%" PRIu64 "ps", ps);
	accept_set(sets, "workload[0].elephants.size=%" PRIu64, message);
	return ps;
}

double
accept_running_share(const struct accept_dut *dut, uint64_t duration_ps)
{
	uint64_t cells = (uint64_t)accept_lossy_cells(dut) + 2 * accept_xoff_cells(dut, 2);
	uint64_t drain_ps = accept_bytes_ps(dut, cells * dut->cfg->mmu.cell_bytes);

	return (double)duration_ps / (double)(duration_ps + drain_ps);
}

bool
accept_weights(const struct accept_dut *dut, uint32_t *weight, uint32_t *sum,
	       char why[ACCEPT_TEXT_BYTES])
{
	const struct scheduler_cfg *own = accept_scheduler(dut, &dut->lossless);
	const struct scheduler_cfg *other = accept_scheduler(dut, &dut->lossy);

	if (dut->lossless.queue == dut->lossy.queue || (own != NULL && own->strict) ||
	    (other != NULL && other->strict)) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "takes lossless and lossy classes in two queues, neither strict");
		return false;
	}
	*weight = own == NULL ? 1 : own->weight;
	*sum = *weight + (other == NULL ? 1 : other->weight);
	return true;
}

bool
accept_prepare_overload(const struct accept_dut *dut, struct accept_sets *sets,
			char why[ACCEPT_TEXT_BYTES])
{
	uint32_t weight = 0, sum = 0;
	uint64_t ten_ms_ps = 10000 * (uint64_t)UNITS_PS_PER_US, least_ps = 0;
	uint64_t duration_ps;
	double share;

	if (!accept_weights(dut, &weight, &sum, why))
		return false;
	share = (double)weight / sum;
	if (share > 0.6)
		share = 0.6; /* all that it asks for */
	if (share < 0.6 && share > 0.55) {
		snprintf(why, ACCEPT_TEXT_BYTES, "weights of %u to %u leave it nearly 60 %%",
			 weight, sum - weight);
		return false;
	}
	if (share >= 0.6)
		accept_set(sets, "expect.pfc.xoff_sent=0");
	else
		least_ps = (uint64_t)((double)accept_bytes_ps(dut,
							      accept_size_bytes(dut, sets, 2, 0)) *
				      2 / (0.6 - share));
	accept_set(sets, "hosts.roce.congestion_control.rate=%" PRIu64 "kbps",
		   dut->rate_bps * 3 / 10 / 1000);
	duration_ps = accept_set_duration(dut, sets, least_ps > ten_ms_ps ? least_ps : ten_ms_ps);
	/* Less 5 %. */
	accept_set(sets, "expect.goodput_bps=>= %.0f",
		   0.95 * share * (double)dut->rate_bps * ACCEPT_PAYLOAD_BYTES / ACCEPT_WIRE_BYTES *
			   accept_running_share(dut, duration_ps));
	return true;
}

bool
accept_prepare_lossy_overload(const struct accept_dut *dut, struct accept_sets *sets,
			      char why[ACCEPT_TEXT_BYTES])
{
	const struct scheduler_cfg *own = accept_scheduler(dut, &dut->lossless);
	const struct scheduler_cfg *other = accept_scheduler(dut, &dut->lossy);
	uint32_t weight = own == NULL ? 1 : own->weight;
	uint32_t sum = weight + (other == NULL ? 1 : other->weight);

	if (dut->lossless.queue == dut->lossy.queue || (other != NULL && other->strict) ||
	    (!(own != NULL && own->strict) && weight * 4 < sum)) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "takes a lossless class with a weight of a quarter at least");
		return false;
	}
	accept_set(sets, "hosts.roce.congestion_control.rate=%" PRIu64 "kbps",
		   dut->rate_bps / 10 / 1000);
	accept_set_duration(dut, sets, 5 * 1000 * UNITS_PS_PER_US);
	return true;
}

bool
accept_prepare_throttle(const struct accept_dut *dut, struct accept_sets *sets,
			char why[ACCEPT_TEXT_BYTES])
{
	uint64_t quanta = 1950 * (dut->rate_bps / 1000000) / 100000;

	(void)why;
	accept_set(sets, "impairments[0].pause.quanta=%" PRIu64,
		   quanta > UINT16_MAX ? UINT16_MAX
		   : quanta < 1        ? 1
				       : quanta);
	/* As long as the pauses go on, at any rate. */
	for (uint32_t i = 0; i < 2; i++)
		accept_set(sets, "workload[%u].elephants.size=%" PRIu64, i,
			   8 * (uint64_t)MB * (dut->rate_bps / 1000000) / 100000);
	return true;
}

bool
accept_prepare_incast(const struct accept_dut *dut, struct accept_sets *sets,
		      char why[ACCEPT_TEXT_BYTES])
{
	(void)why;
	accept_set(sets, "workload[0].incast.size=%" PRIu64,
		   accept_size_bytes(dut, sets, 8, 4 * MB));
	return true;
}

bool
accept_prepare_dcqcn(const struct accept_dut *dut, struct accept_sets *sets,
		     char why[ACCEPT_TEXT_BYTES])
{
	if (accept_wred(dut) == NULL) {
		snprintf(why, ACCEPT_TEXT_BYTES, "the lossless queue marks nothing");
		return false;
	}
	return accept_prepare_incast(dut, sets, why);
}
