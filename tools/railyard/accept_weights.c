/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the scheduler: every queue that has a buffer holds frames in proportion to its weight
 * behind a stopped port. Once that goes on, strict queues are empty first, and then all others
 * within a round of each other: a frame of 1024 bytes for each of the weights.
 */
#include <inttypes.h>
#include <stdio.h>

#include "accept_internal.h"

#define FRAME_BYTES 1024u
#define WORKLOADS 8u
#define MOST_ROUNDS 20u
#define LEAST_ROUNDS 3u
/* Queues whose times the scenario has, those of its own profile: 0 to 6. */
#define LISTED_QUEUES 7u
/* Weights of the lossless class's scheduler and of the others, as SONiC's test changes them. */
#define CHANGED_LOSSLESS 30u
#define CHANGED_OTHERS 8u

struct queues {
	struct accept_class classes[8]; /* by queue */
	uint32_t weight[8];             /* 0 = strict */
	uint32_t frames[8];
	uint32_t found;
	uint32_t weights; /* sum, a round */
	uint32_t strict_frames;
	uint32_t all_frames;
};

static const struct scheduler_cfg *
scheduler_of(const struct accept_dut *dut, uint32_t queue)
{
	int16_t n = dut->cfg->ports[0].scheduler[queue];

	return n < 0 ? NULL : &dut->cfg->schedulers[n];
}

/* A DSCP for each queue, and its weight; false: a shaper is in the way. */
static bool
find_queues(const struct accept_dut *dut, bool changed, struct queues *q)
{
	for (uint32_t dscp = 0; dscp < 64; dscp++) {
		struct accept_class class = {.found = true, .dscp = (uint8_t)dscp};

		accept_classify(dut->cfg, &class);
		if (!q->classes[class.queue].found)
			q->classes[class.queue] = class;
	}
	for (uint32_t i = 0; i < 8; i++) {
		const struct scheduler_cfg *s = scheduler_of(dut, i);

		if (!q->classes[i].found)
			continue;
		if (s != NULL && s->shaper.rate_bps != 0)
			return false;
		q->found++;
		q->weight[i] = s == NULL ? 1 : s->strict ? 0 : s->weight;
		if (changed && q->weight[i] != 0)
			q->weight[i] = s == scheduler_of(dut, dut->lossless.queue)
					       ? CHANGED_LOSSLESS
					       : CHANGED_OTHERS;
		q->weights += q->weight[i];
	}
	return dut->cfg->ports[0].shaper.rate_bps == 0;
}

static void
fill(struct queues *q, uint32_t rounds)
{
	q->strict_frames = q->all_frames = 0;
	for (uint32_t i = 0; i < 8; i++) {
		if (!q->classes[i].found)
			continue;
		q->frames[i] = rounds * (q->weight[i] == 0 ? WORKLOADS : q->weight[i]);
		q->all_frames += q->frames[i];
		q->strict_frames += q->weight[i] == 0 ? q->frames[i] : 0;
	}
}

/* Do buffers hold it all, without a loss, a pause or a refusal? */
static bool
fits(const struct accept_dut *dut, const struct queues *q)
{
	const struct mmu_port_cfg *port = &dut->cfg->ports[0].mmu;
	uint32_t cell = accept_cells(dut, FRAME_BYTES), all = q->all_frames * cell, pgs[8] = {0};

	for (uint32_t i = 0; i < 8; i++) {
		if (!q->classes[i].found)
			continue;
		pgs[q->classes[i].pg] += q->frames[i] * cell;
		if (!accept_holds(dut, port->queue_profile[i], q->frames[i] * cell, all) ||
		    !accept_holds(dut, port->pg_profile[q->classes[i].pg], pgs[q->classes[i].pg],
				  all))
			return false;
	}
	return true;
}

/* Frames of eight workloads: queues that take turns, each with its share of what it is to hold. */
static uint32_t
set_workloads(struct accept_sets *sets, const struct queues *q)
{
	uint32_t order[8] = {0}, count = 0, most = 0;

	for (uint32_t i = 0; i < 8; i++) {
		if (q->classes[i].found)
			order[count++] = i;
	}
	for (uint32_t i = 0; i < WORKLOADS; i++) {
		uint32_t queue = order[i % count],
			 sharing = (WORKLOADS - 1 - i % count) / count + 1;
		uint32_t frames = (q->frames[queue] + i / count) / sharing;

		accept_set(sets, "workload[%u].udp.dscp=%u", i, q->classes[queue].dscp);
		accept_set(sets, "workload[%u].udp.count=%u", i, frames);
		most = frames > most ? frames : most;
	}
	return most;
}

/* Of the queues' last frames: when they leave, in microseconds. */
static void
expect(const struct accept_dut *dut, struct accept_sets *sets, const struct queues *q,
       uint64_t from_ps)
{
	uint64_t frame_ps = units_frame_ps(FRAME_BYTES, dut->rate_bps);
	uint64_t strict_ps = from_ps + q->strict_frames * frame_ps;
	uint64_t end_ps = from_ps + q->all_frames * frame_ps;
	uint64_t round_ps = (q->weights + 1) * frame_ps;

	for (uint32_t i = 0; i < 8; i++) {
		bool strict = q->weight[i] == 0;
		uint64_t low_ps = strict ? from_ps : end_ps - round_ps;
		uint64_t high_ps = strict ? strict_ps : end_ps;

		accept_set(sets, "expect.tiers.dut.queues.%u.tx_packets=%u", i, q->frames[i]);
		if (q->classes[i].found)
			accept_set(sets, "expect.tiers.dut.queues.%u.emptied_us=%.3f .. %.3f", i,
				   (double)low_ps / UNITS_PS_PER_US,
				   (double)high_ps / UNITS_PS_PER_US);
		else if (i < LISTED_QUEUES)
			accept_set(sets, "expect.tiers.dut.queues.%u.emptied_us=null", i);
	}
	accept_set(sets, "expect.udp_received=%u", q->all_frames);
}

static bool
prepare(const struct accept_dut *dut, struct accept_sets *sets, bool changed,
	char why[ACCEPT_TEXT_BYTES])
{
	struct queues q = {0};
	uint32_t rounds = MOST_ROUNDS, most;
	uint64_t until_ps;

	if (!find_queues(dut, changed, &q))
		snprintf(why, ACCEPT_TEXT_BYTES, "a shaper holds its queues back");
	else if (q.found < 2 || q.weights == 0)
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "DSCPs come to one queue, or to strict ones alone");
	for (fill(&q, rounds); rounds >= LEAST_ROUNDS && !fits(dut, &q); fill(&q, rounds))
		rounds--;
	if (why[0] == '\0' && rounds < LEAST_ROUNDS)
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "its buffers do not hold %u rounds of %u frames for one port",
			 LEAST_ROUNDS, q.weights);
	if (why[0] != '\0')
		return false;
	most = set_workloads(sets, &q);
	/* Senders have a tenth of the rate each. */
	until_ps = (most + 1) * units_frame_ps(FRAME_BYTES, dut->rate_bps / 10) +
		   10 * (uint64_t)UNITS_PS_PER_US;
	until_ps -= until_ps % UNITS_PS_PER_US;
	accept_set(sets, "impairments[0].until=%" PRIu64 "ps", until_ps);
	expect(dut, sets, &q, until_ps);
	return true;
}

bool
accept_prepare_weights(const struct accept_dut *dut, struct accept_sets *sets,
		       char why[ACCEPT_TEXT_BYTES])
{
	return prepare(dut, sets, false, why);
}

bool
accept_prepare_changed_weights(const struct accept_dut *dut, struct accept_sets *sets,
			       char why[ACCEPT_TEXT_BYTES])
{
	const struct scheduler_cfg *own = scheduler_of(dut, dut->lossless.queue);
	bool other = false;

	if (own == NULL || own->strict) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "the lossless queue has no scheduler with a weight");
		return false;
	}
	for (uint32_t i = 0; i < dut->cfg->scheduler_count; i++) {
		const struct scheduler_cfg *s = &dut->cfg->schedulers[i];

		if (s->strict)
			continue;
		other |= s != own;
		accept_set(sets, "switches.dut.schedulers.%s.weight=%u", s->name,
			   s == own ? CHANGED_LOSSLESS : CHANGED_OTHERS);
	}
	for (uint32_t i = 0; i < 8; i++)
		other |= scheduler_of(dut, i) == NULL;
	if (!other) {
		snprintf(why, ACCEPT_TEXT_BYTES, "all queues have one scheduler");
		return false;
	}
	return prepare(dut, sets, true, why);
}
