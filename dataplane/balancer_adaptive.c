/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive routing as switch ASICs do it: Broadcom's dynamic load balancing, which SAI calls
 * adaptive routing and switching (saiarsprofile.h), NVIDIA's adaptive routing. Every interval each
 * port's load is sampled: what it sent (past) and what is queued at it (future), each as a moving
 * average with weight 2^-exponent of the sample. The two, as shares of a full port and weighted,
 * make one of 8 quality bands; a packet goes to a member of the best band there is, drawn at
 * random.
 *
 * What is moved is each packet, a flow after a silence (flowlet), or nothing once a flow has its
 * port (flow). Sticky: it moves only for a better band.
 *
 * SAI leaves open how the two averages become a band; here it is their weighted mean in equal
 * steps. Samples are taken with the first packet after they are due, in fixed point of 2^-16; an
 * interval without packets counts by its length. Between samples all packets see the same loads, so
 * a long interval makes a herd.
 */
#include "balancer_flows.h"

#include <errno.h>
#include <stdlib.h>

#include "units.h"

#define BANDS 8
#define ONE_Q16 (1u << 16)
/* After so many intervals, times 2^exponent, the average is the sample. */
#define SETTLED_INTERVALS 16u

struct load {
	uint64_t sent_bytes; /* at the last sample */
	int32_t past_q16;    /* share of what it could have sent */
	int32_t future_q16;  /* share of a full queue */
};

struct adaptive {
	uint64_t sampled_ps;
	struct load *loads;          /* by port */
	uint8_t *quality;            /* by port, 7 is best; apart: they are what choose() reads */
	struct balancer_flow *flows; /* NULL: each packet on its own, from scratch */
};

static bool
keeps_flows(const struct balancer_cfg *cfg)
{
	return cfg->unit != BALANCER_PACKET || cfg->sticky;
}

/* One allocation for all of it. */
static int
init(struct balancer *b)
{
	size_t flows = keeps_flows(b->cfg) ? b->cfg->table_entries : 0;
	size_t loads = (size_t)b->port_count * sizeof(struct load);
	struct adaptive *a =
		calloc(1, sizeof(*a) + loads + flows * sizeof(*a->flows) + b->port_count);

	if (a == NULL)
		return -ENOMEM;
	a->loads = (struct load *)(a + 1);
	a->flows = flows == 0 ? NULL : (struct balancer_flow *)((char *)a->loads + loads);
	a->quality = (uint8_t *)a->loads + loads + flows * sizeof(*a->flows);
	for (uint16_t i = 0; i < b->port_count; i++)
		a->quality[i] = BANDS - 1;
	b->state = a;
	return 0;
}

/* Bytes as a share of what a port sends in that time. */
static int32_t
share_q16(uint64_t bytes, uint64_t rate_bps, uint64_t time_ps)
{
	uint64_t most = (uint64_t)((unsigned __int128)rate_bps * time_ps / (8 * UNITS_PS_PER_S));

	return bytes >= most ? (int32_t)ONE_Q16 : (int32_t)((bytes << 16) / most);
}

/* The average after that many intervals with one sample. */
static int32_t
average(const struct balancer_cfg *cfg, int32_t before, int32_t sample, uint64_t intervals)
{
	if ((cfg->falls_at_once && sample < before) || intervals >= (uint64_t)SETTLED_INTERVALS
									    << cfg->exponent)
		return sample;
	while (intervals-- > 0)
		before += (sample - before) / (1 << cfg->exponent);
	return before;
}

static void
sample(const struct balancer *b, struct adaptive *a, uint64_t now_ps)
{
	const struct balancer_cfg *cfg = b->cfg;
	uint64_t elapsed_ps = now_ps - a->sampled_ps;
	uint64_t intervals = elapsed_ps / cfg->interval_ps;
	uint32_t weights = cfg->past_weight + cfg->future_weight;

	for (uint16_t i = 0; i < b->port_count; i++) {
		const struct balancer_port *port = &b->ports[i];
		struct load *load = &a->loads[i];
		uint64_t sent_bytes = port->sent_bytes - load->sent_bytes;
		uint32_t mean_q16;

		load->sent_bytes = port->sent_bytes;
		load->past_q16 =
			average(cfg, load->past_q16,
				share_q16(sent_bytes, port->rate_bps, elapsed_ps), intervals);
		load->future_q16 =
			average(cfg, load->future_q16,
				share_q16(port->queued_bytes, port->rate_bps, cfg->full_queue_ps),
				intervals);
		mean_q16 = (cfg->past_weight * (uint32_t)load->past_q16 +
			    cfg->future_weight * (uint32_t)load->future_q16) /
			   weights;
		a->quality[i] = (uint8_t)(BANDS - 1 - RTE_MIN(mean_q16 * BANDS >> 16, BANDS - 1u));
	}
	a->sampled_ps = now_ps;
}

static uint32_t
best_member(struct balancer *b, const struct adaptive *a, const struct balancer_group *group)
{
	uint32_t best = 0, equals = 0, nth, i;

	for (i = 0; i < group->count; i++) {
		uint8_t quality = a->quality[group->members[i].port];

		equals = quality > best ? 1 : equals + (quality == best);
		best = RTE_MAX(best, quality);
	}
	nth = (uint32_t)prng_below(&b->prng, equals);
	for (i = 0;; i++) {
		if (a->quality[group->members[i].port] == best && nth-- == 0)
			return i;
	}
}

/* Whether the flow's next packet may leave the member it is on. */
static bool
may_move(const struct balancer_cfg *cfg, const struct balancer_flow *flow, uint64_t now_ps)
{
	if (cfg->unit == BALANCER_FLOW)
		return false;
	return cfg->unit == BALANCER_PACKET || now_ps - flow->seen_ps > cfg->gap_ps;
}

static uint32_t
choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m, uint64_t now_ps)
{
	struct adaptive *a = b->state;
	struct balancer_flow *flow;
	uint32_t member;
	int32_t present;

	if (now_ps - a->sampled_ps >= b->cfg->interval_ps)
		sample(b, a, now_ps);
	if (a->flows == NULL)
		return best_member(b, a, group);
	flow = balancer_flow_of(b, a->flows, m);
	present = balancer_flow_member(flow, group);
	if (present >= 0 && !may_move(b->cfg, flow, now_ps)) {
		flow->seen_ps = now_ps;
		return (uint32_t)present;
	}
	member = best_member(b, a, group);
	if (present >= 0 && b->cfg->sticky &&
	    a->quality[flow->port] >= a->quality[group->members[member].port])
		member = (uint32_t)present;
	balancer_flow_take(flow, group, member, now_ps);
	return member;
}

const struct balancer_ops balancer_adaptive = {
	.name = "adaptive",
	.help = "to a port of the best quality band, by what it sent and has queued",
	.init = init,
	.choose = choose,
};
