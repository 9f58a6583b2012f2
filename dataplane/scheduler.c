/* SPDX-License-Identifier: BSD-3-Clause */
#include "scheduler.h"

#include <string.h>

#include "units.h"

void
scheduler_init(struct scheduler_port *s, const struct scheduler_cfg *const queues[8],
	       const struct shaper_cfg *port_shaper)
{
	*s = (struct scheduler_port){.fresh = true,
				     .port_shaper = *port_shaper,
				     .port_shaped = port_shaper->rate_bps != 0};
	for (int q = 0; q < SCHEDULER_QUEUES; q++) {
		const struct scheduler_cfg *cfg = queues[q];

		s->quantum_bytes[q] = SCHEDULER_QUANTUM_BYTES;
		if (cfg == NULL)
			continue;
		if (cfg->strict)
			s->strict |= (uint8_t)(1u << q);
		if (cfg->by_packets)
			s->by_packets |= (uint8_t)(1u << q);
		if (cfg->weight > 0)
			s->quantum_bytes[q] = cfg->weight * SCHEDULER_QUANTUM_BYTES;
		s->queue_shaper[q] = cfg->shaper;
		if (cfg->shaper.rate_bps != 0)
			s->shaped |= (uint8_t)(1u << q);
	}
}

/* When the bucket lets a frame go: its theoretical time less the burst tolerance. */
static uint64_t
shaper_open_ps(const struct shaper_cfg *cfg, const struct shaper *bucket)
{
	uint64_t tolerance_ps = units_bits_ps(cfg->burst_bytes * 8, cfg->rate_bps);

	return bucket->ready_ps > tolerance_ps ? bucket->ready_ps - tolerance_ps : 0;
}

static void
shaper_charge(const struct shaper_cfg *cfg, struct shaper *bucket, uint32_t bytes, uint64_t now_ps)
{
	uint64_t from_ps = bucket->ready_ps > now_ps ? bucket->ready_ps : now_ps;

	bucket->ready_ps = from_ps + units_bits_ps((uint64_t)bytes * 8, cfg->rate_bps);
}

/* Take shaped queues that must wait out of the mask; remember when the first of them opens. */
static uint8_t
without_shaped(const struct scheduler_port *s, uint8_t ready, uint64_t now_ps, uint64_t *retry_ps)
{
	uint8_t check = ready & s->shaped;

	while (check != 0) {
		int q = __builtin_ctz(check);
		uint64_t open_ps = shaper_open_ps(&s->queue_shaper[q], &s->queue_bucket[q]);

		check &= (uint8_t)(check - 1);
		if (open_ps <= now_ps)
			continue;
		ready &= (uint8_t) ~(1u << q);
		if (open_ps < *retry_ps)
			*retry_ps = open_ps;
	}
	return ready;
}

static uint32_t
cost_bytes(const struct scheduler_port *s, int q, uint32_t frame_bytes)
{
	return s->by_packets >> q & 1 ? SCHEDULER_QUANTUM_BYTES : frame_bytes;
}

/* Deficit round robin over the queues of `ready` (not empty). */
static int
pick_dwrr(struct scheduler_port *s, uint8_t ready, const uint32_t head_bytes[SCHEDULER_QUEUES])
{
	for (;;) {
		uint8_t q = s->turn;

		if (ready >> q & 1) {
			if (s->fresh)
				s->deficit_bytes[q] += s->quantum_bytes[q];
			s->fresh = false;
			if (s->deficit_bytes[q] >= cost_bytes(s, q, head_bytes[q]))
				return q;
		}
		s->turn = (uint8_t)((q + 1) % SCHEDULER_QUEUES);
		s->fresh = true;
	}
}

int
scheduler_pick(struct scheduler_port *s, uint8_t backlogged, uint8_t paused,
	       const uint32_t head_bytes[SCHEDULER_QUEUES], uint64_t now_ps, uint64_t *retry_ps)
{
	uint8_t ready = backlogged & (uint8_t)~paused;

	*retry_ps = UNITS_NEVER_PS;
	if (ready == 0)
		return -1;
	if (s->port_shaped) {
		uint64_t open_ps = shaper_open_ps(&s->port_shaper, &s->port_bucket);

		if (open_ps > now_ps) {
			*retry_ps = open_ps;
			return -1;
		}
	}
	if (s->shaped != 0) {
		ready = without_shaped(s, ready, now_ps, retry_ps);
		if (ready == 0)
			return -1;
	}
	if (ready & s->strict)
		return 31 - __builtin_clz((uint32_t)(ready & s->strict));
	/* Alone, a queue has round after round to itself: what it does not use it keeps. */
	if ((ready & (ready - 1)) == 0) {
		int q = __builtin_ctz(ready);

		while (s->deficit_bytes[q] < cost_bytes(s, q, head_bytes[q]))
			s->deficit_bytes[q] += s->quantum_bytes[q];
		s->turn = (uint8_t)q;
		s->fresh = false;
		return q;
	}
	return pick_dwrr(s, ready, head_bytes);
}

void
scheduler_emptied(struct scheduler_port *s, uint8_t queue)
{
	if (!(s->strict >> queue & 1))
		s->deficit_bytes[queue] = 0;
}

void
scheduler_sent(struct scheduler_port *s, uint8_t queue, uint32_t frame_bytes, bool empty,
	       uint64_t now_ps)
{
	if (s->shaped >> queue & 1)
		shaper_charge(&s->queue_shaper[queue], &s->queue_bucket[queue], frame_bytes,
			      now_ps);
	if (s->port_shaped)
		shaper_charge(&s->port_shaper, &s->port_bucket, frame_bytes, now_ps);
	if (s->strict >> queue & 1)
		return;
	s->deficit_bytes[queue] -= cost_bytes(s, queue, frame_bytes);
	if (empty)
		s->deficit_bytes[queue] = 0;
}
