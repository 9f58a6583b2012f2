/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALWAYS_Q32 (1ULL << 32)
#define UDP_BYTES 8u
#define ICRC_BYTES 4u
/* BTH and the longest of our extended headers, RETH and ImmDt: payload begins no later. */
#define ROCE_HEADERS_BYTES (12u + 16u + 4u)

static void
storm_update(struct impair *im)
{
	im->storm_next_ps = UNITS_NEVER_PS;
	for (uint32_t i = 0; i < im->rule_count; i++) {
		if (im->rules[i].storm_next_ps < im->storm_next_ps)
			im->storm_next_ps = im->rules[i].storm_next_ps;
	}
}

int
impair_create(struct impair **out, const struct impair_cfg *cfg, uint32_t count, uint64_t seed,
	      uint64_t key)
{
	struct impair *im = calloc(1, sizeof(*im));
	int rc;

	if (im == NULL)
		return -ENOMEM;
	im->rules = calloc(count + 1, sizeof(*im->rules));
	rc = im->rules == NULL ? -ENOMEM : link_init(&im->line, 0);
	if (rc != 0) {
		free(im->rules);
		free(im);
		return rc;
	}
	im->rule_count = count;
	im->flips = prng_init(seed, ~prng_mix(key));
	for (uint32_t i = 0; i < count; i++) {
		struct impair_rule *rule = &im->rules[i];

		rule->cfg = cfg[i];
		rule->storm_next_ps =
			cfg[i].pause_interval_ps != 0 && cfg[i].from_ps < cfg[i].until_ps
				? cfg[i].from_ps
				: UNITS_NEVER_PS;
		for (uint32_t d = 0; d < IMPAIR_DIRECTIONS; d++)
			rule->state[d].prng =
				prng_init(seed, prng_mix(key) + IMPAIR_DIRECTIONS * i + d);
	}
	storm_update(im);
	*out = im;
	return 0;
}

void
impair_destroy(struct impair *im)
{
	if (im == NULL)
		return;
	link_fini(&im->line);
	free(im->rules);
	free(im);
}

static bool
chance(struct prng *prng, uint64_t p_q32)
{
	/* Nothing is drawn for what is not asked for. */
	return p_q32 != 0 && prng_chance(prng, p_q32);
}

static bool
every(uint32_t n, uint32_t *count)
{
	if (n == 0 || ++*count < n)
		return false;
	*count = 0;
	return true;
}

/* The chain moves with each frame, and the state it comes to decides. */
static bool
burst_lost(const struct impair_cfg *cfg, struct impair_state *s)
{
	uint64_t leave_q32 = ALWAYS_Q32 / cfg->loss_burst;

	if (cfg->loss_q32 >= ALWAYS_Q32)
		return true;
	if (s->losing)
		s->losing = !prng_chance(&s->prng, leave_q32);
	else
		s->losing = prng_chance(&s->prng,
					(uint64_t)((unsigned __int128)leave_q32 * cfg->loss_q32 /
						   (ALWAYS_Q32 - cfg->loss_q32)));
	return s->losing;
}

static bool
is_lost(const struct impair_cfg *cfg, struct impair_state *s)
{
	bool lost = false;

	if (cfg->loss_q32 != 0)
		lost = cfg->loss_burst != 0 ? burst_lost(cfg, s)
					    : prng_chance(&s->prng, cfg->loss_q32);
	return every(cfg->loss_every, &s->loss_count) || lost;
}

/* One rule for one frame; false when it is lost. */
static bool
apply(const struct impair_cfg *cfg, struct impair_state *s, const struct packet *p,
      struct impair_verdict *v, bool *reordered)
{
	uint8_t ecn = packet_ecn(p);

	if (is_lost(cfg, s)) {
		v->lost = true;
		return false;
	}
	v->duplicate |= chance(&s->prng, cfg->duplicate_q32);
	v->corrupt |= chance(&s->prng, cfg->bit_error_q32);
	v->extra_ps += cfg->delay_ps;
	if (cfg->jitter_ps != 0)
		v->extra_ps += prng_below(&s->prng, cfg->jitter_ps + 1);
	if (chance(&s->prng, cfg->reorder_q32)) {
		*reordered = true;
		v->extra_ps += cfg->reorder_delay_ps;
	}
	if (ecn == PACKET_ECT0 || ecn == PACKET_ECT1) {
		v->mark |= every(cfg->mark_every, &s->mark_count);
		v->mark |= chance(&s->prng, cfg->mark_q32);
	}
	return true;
}

struct impair_verdict
impair_judge(struct impair *im, enum impair_direction direction, const struct packet *p,
	     uint64_t at_ps, uint64_t wire_ps)
{
	uint64_t start_ps = at_ps - wire_ps;
	bool is_control = p->flags & PACKET_MAC_CONTROL;
	bool exempt = is_control, reordered = false;
	struct impair_verdict v = {0};

	for (uint32_t i = 0; i < im->rule_count; i++) {
		const struct impair_cfg *cfg = &im->rules[i].cfg;

		if (!(direction == IMPAIR_RX ? cfg->rx : cfg->tx) || start_ps < cfg->from_ps ||
		    start_ps >= cfg->until_ps || (is_control && !cfg->mac_control))
			continue;
		exempt = false;
		if (!apply(cfg, &im->rules[i].state[direction], p, &v, &reordered)) {
			im->counters.lost++;
			return v;
		}
	}
	if (!exempt && !reordered) {
		/* What was delayed before stays before. */
		uint64_t least_ps = im->ordered_ps[direction] + wire_ps;

		if (at_ps + v.extra_ps < least_ps)
			v.extra_ps = least_ps - at_ps;
		im->ordered_ps[direction] = at_ps + v.extra_ps;
	}
	im->counters.duplicated += v.duplicate;
	im->counters.marked += v.mark;
	im->counters.reordered += reordered;
	im->counters.delayed += v.extra_ps != 0;
	return v;
}

/* Bytes of the frame that headers account for: what follows is padding. */
static uint32_t
end_of_ip(const struct packet *p, const uint8_t *data, uint32_t bytes)
{
	const uint8_t *ip = data + p->l3_ofs;
	uint32_t end = bytes;

	if (p->flags & PACKET_IPV4)
		end = p->l3_ofs + ((uint32_t)ip[2] << 8 | ip[3]);
	else if (p->flags & PACKET_IPV6)
		end = p->l3_ofs + 40u + ((uint32_t)ip[4] << 8 | ip[5]);
	return end < bytes ? end : bytes;
}

bool
impair_flip(struct impair *im, struct rte_mbuf *m)
{
	struct packet *p = packet_of(m);
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t end = end_of_ip(p, data, m->data_len);
	uint32_t start = p->l4_ofs != 0 ? p->l4_ofs + UDP_BYTES : p->l3_ofs;
	uint64_t bit;

	if (p->flags & PACKET_ROCE) {
		start += ROCE_HEADERS_BYTES;
		if (start + ICRC_BYTES > end)
			start = end - ICRC_BYTES;
	}
	if (!p->elided && start >= end)
		return false;
	im->counters.corrupted++;
	p->corrupted = true;
	if (p->elided)
		return true;
	bit = prng_below(&im->flips, 8 * (uint64_t)(end - start));
	data[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
	return true;
}

/* Can one frame be of both storms? */
static bool
storms_alike(const struct impair_cfg *a, const struct impair_cfg *b)
{
	return a->pause_global == b->pause_global && a->pause_forged == b->pause_forged &&
	       (a->pause_vector == 0) == (b->pause_vector == 0) &&
	       memcmp(a->pause_source_mac, b->pause_source_mac, sizeof(a->pause_source_mac)) == 0;
}

static void
storm_add(const struct impair_cfg *cfg, struct impair_pause *pause)
{
	pause->global = cfg->pause_global;
	pause->source_mac = cfg->pause_forged ? cfg->pause_source_mac : NULL;
	pause->vector |= cfg->pause_vector;
	for (int n = 0; n < PFC_PRIORITIES; n++) {
		if (cfg->pause_vector == 0 || cfg->pause_vector >> n & 1)
			pause->quanta[n] = cfg->pause_quanta;
	}
}

void
impair_storm_take(struct impair *im, uint64_t now_ps, struct impair_pause *pause)
{
	const struct impair_cfg *first = NULL;

	*pause = (struct impair_pause){0};
	for (uint32_t i = 0; i < im->rule_count; i++) {
		struct impair_rule *rule = &im->rules[i];

		if (rule->storm_next_ps > now_ps ||
		    (first != NULL && !storms_alike(first, &rule->cfg)))
			continue;
		first = &rule->cfg;
		storm_add(first, pause);
		/* On its grid, unless the wire was taken for a whole interval. */
		rule->storm_next_ps += rule->cfg.pause_interval_ps;
		if (rule->storm_next_ps <= now_ps)
			rule->storm_next_ps = now_ps + rule->cfg.pause_interval_ps;
		if (rule->storm_next_ps >= rule->cfg.until_ps)
			rule->storm_next_ps = UNITS_NEVER_PS;
	}
	im->counters.pauses++;
	storm_update(im);
}

void
impair_storm_stop(struct impair *im)
{
	for (uint32_t i = 0; i < im->rule_count; i++)
		im->rules[i].storm_next_ps = UNITS_NEVER_PS;
	im->storm_next_ps = UNITS_NEVER_PS;
}
