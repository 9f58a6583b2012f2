/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call does never depends on how often the others were made: rate events are applied
 * one by one at their own times, and alpha, which only matters when it is used, is brought up
 * to date by the events that use it.
 */
#include "dcqcn.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "units.h"

#define ONE_Q32 (1ULL << 32)
#define MEGABIT 1000000ULL

/*
 * NVIDIA firmware defaults as mlxconfig lists them. The unit of RPG_BYTE_RESET (32767) is not
 * published; 64 bytes make it 2 MB, the byte reset other vendors' testers default to.
 */
static const struct dcqcn_cfg preset_connectx = {
	.nic_form = true,
	.alpha_ps = 1 * UNITS_PS_PER_US,
	.g_q32 = 5 * (ONE_Q32 / 1024), /* DCE_TCP_G 1019: weight of the old value in 1/1024 */
	.initial_alpha_q32 = 1023 * (ONE_Q32 / 1024),
	.cut_ps = 4 * UNITS_PS_PER_US,
	.increase_ps = 300 * UNITS_PS_PER_US,
	.byte_counter_bytes = 32767 * 64,
	.threshold = 1,
	.ai_bps = 5 * MEGABIT,
	.hai_bps = 50 * MEGABIT,
	.min_rate_bps = 1 * MEGABIT,
	.gd_log2 = 11,
	.min_decrease_percent = 50,
	.clamp_target = false,
	.clamp_target_after_timer = true,
};

/* The deployment of the SIGCOMM 2015 paper; R_HAI from its first author's simulator. */
static const struct dcqcn_cfg preset_paper = {
	.nic_form = false,
	.alpha_ps = 55 * UNITS_PS_PER_US,
	.g_q32 = ONE_Q32 / 256,
	.initial_alpha_q32 = ONE_Q32,
	.increase_ps = 55 * UNITS_PS_PER_US,
	.byte_counter_bytes = 10000000,
	.threshold = 5,
	.ai_bps = 40 * MEGABIT,
	.hai_bps = 200 * MEGABIT,
	.min_rate_bps = 40 * MEGABIT,
	.gd_log2 = 11,
	.clamp_target = true,
	.clamp_target_after_timer = true,
};

int
dcqcn_preset(const char *name, struct dcqcn_cfg *cfg)
{
	if (strcmp(name, "connectx") == 0)
		*cfg = preset_connectx;
	else if (strcmp(name, "paper") == 0)
		*cfg = preset_paper;
	else
		return -ENOENT;
	return 0;
}

static uint64_t
min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A period of 0 is a timer that does not exist. */
static uint64_t
timer_after(uint64_t now_ps, uint64_t period_ps)
{
	return period_ps == 0 ? UNITS_NEVER_PS : now_ps + period_ps;
}

static uint64_t
rate_limit_bps(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	return cfg->max_rate_bps == 0 ? s->line_bps : min_u64(cfg->max_rate_bps, s->line_bps);
}

/* R_C = R_T = limit: increase events change nothing but their counts. */
static bool
is_recovered(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	return s->current_bps >= rate_limit_bps(s, cfg);
}

void
dcqcn_init(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t line_bps)
{
	assert(cfg->g_q32 <= ONE_Q32 && cfg->initial_alpha_q32 <= ONE_Q32 && cfg->gd_log2 < 64);
	*s = (struct dcqcn_state){.line_bps = line_bps,
				  .alpha_q32 = cfg->initial_alpha_q32,
				  .alpha_at_ps = UNITS_NEVER_PS,
				  .cut_at_ps = UNITS_NEVER_PS,
				  .increase_at_ps = UNITS_NEVER_PS};
	s->current_bps = rate_limit_bps(s, cfg);
	s->target_bps = s->current_bps;
}

/* alpha (1-g)^periods, by squaring in 2^-63, so that an idle year costs as little as a period. */
static uint64_t
alpha_decayed(uint64_t alpha_q32, uint64_t g_q32, uint64_t periods)
{
	uint64_t factor_q63 = (ONE_Q32 - g_q32) << 31;
	unsigned __int128 alpha_q63 = (unsigned __int128)alpha_q32 << 31;

	for (; periods != 0 && alpha_q63 != 0; periods >>= 1) {
		if (periods & 1)
			alpha_q63 = (alpha_q63 * factor_q63) >> 63;
		factor_q63 = ((unsigned __int128)factor_q63 * factor_q63) >> 63;
	}
	return (uint64_t)(alpha_q63 >> 31);
}

static uint64_t
alpha_blended(uint64_t alpha_q32, uint64_t g_q32)
{
	return alpha_decayed(alpha_q32, g_q32, 1) + g_q32;
}

/* Apply the alpha timer's expiries up to and at now_ps. */
static void
alpha_advance(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	uint64_t periods;

	if (now_ps < s->alpha_at_ps)
		return;
	periods = (now_ps - s->alpha_at_ps) / cfg->alpha_ps + 1;
	s->alpha_at_ps += periods * cfg->alpha_ps;
	if (s->cnp_for_alpha) {
		s->alpha_q32 = alpha_blended(s->alpha_q32, cfg->g_q32);
		s->cnp_for_alpha = false;
		periods--;
	}
	s->alpha_q32 = alpha_decayed(s->alpha_q32, cfg->g_q32, periods);
}

uint64_t
dcqcn_alpha_q32(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	struct dcqcn_state copy = *s;

	alpha_advance(&copy, cfg, now_ps);
	return copy.alpha_q32;
}

/* Cut R_C, and start the increase stages over. */
static void
cut(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	uint64_t before_bps = s->current_bps;
	/* alpha / Gd: gd_log2 is the binary logarithm of Gd in units of 2^10 */
	unsigned __int128 decrease =
		((unsigned __int128)before_bps * s->alpha_q32 << 10) >> (32 + cfg->gd_log2);
	uint64_t after_bps = decrease < before_bps ? before_bps - (uint64_t)decrease : 0;
	uint64_t floor_bps =
		(uint64_t)((unsigned __int128)before_bps * cfg->min_decrease_percent / 100);

	if (cfg->clamp_target || s->increased)
		s->target_bps = before_bps;
	after_bps = max_u64(after_bps, min_u64(floor_bps, before_bps));
	after_bps = max_u64(after_bps, cfg->min_rate_bps);
	s->current_bps = min_u64(after_bps, before_bps);
	s->increased = false;
	s->time_stage = 0;
	s->byte_stage = 0;
	s->bytes = 0;
	s->increase_at_ps = timer_after(now_ps, cfg->increase_ps);
}

/* How much R_T gains at an event of the classic form; the stages count this event already. */
static uint64_t
classic_gain_bps(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	uint32_t less = s->time_stage < s->byte_stage ? s->time_stage : s->byte_stage;
	uint32_t more = s->time_stage < s->byte_stage ? s->byte_stage : s->time_stage;
	unsigned __int128 gain;

	if (more < cfg->threshold)
		return 0;
	if (less < cfg->threshold)
		return cfg->ai_bps;
	gain = (unsigned __int128)cfg->hai_bps * (less - cfg->threshold + 1);
	return gain < s->line_bps ? (uint64_t)gain : s->line_bps;
}

/* The same for the NIC form; the stages do not count this event yet. */
static uint64_t
nic_gain_bps(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	uint32_t more = s->time_stage < s->byte_stage ? s->byte_stage : s->time_stage;

	if (more < cfg->threshold)
		return 0;
	return more == cfg->threshold ? cfg->ai_bps : cfg->hai_bps;
}

/* An event of the counter whose stage is given. */
static void
increase(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint32_t *stage)
{
	uint64_t limit_bps = rate_limit_bps(s, cfg);
	uint64_t gain_bps = nic_gain_bps(s, cfg);

	if (*stage < UINT32_MAX)
		++*stage;
	if (!cfg->nic_form)
		gain_bps = classic_gain_bps(s, cfg);
	s->target_bps = min_u64(s->target_bps + gain_bps, limit_bps);
	/* Rounded up: the mean reaches the target, and then there is nothing left to do. */
	s->current_bps = min_u64((s->target_bps + s->current_bps + 1) / 2, limit_bps);
}

static void
increase_by_timer(struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	s->increase_at_ps += cfg->increase_ps;
	s->increased |= cfg->clamp_target_after_timer;
	increase(s, cfg, &s->time_stage);
}

/* Count the timer's expiries up to and at now_ps at once, when they change no rate. */
static void
skip_increases(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	uint64_t periods;

	if (now_ps < s->increase_at_ps)
		return;
	periods = (now_ps - s->increase_at_ps) / cfg->increase_ps + 1;
	s->increase_at_ps += periods * cfg->increase_ps;
	s->time_stage = (uint32_t)min_u64(s->time_stage + periods, UINT32_MAX);
	s->increased |= cfg->clamp_target_after_timer;
}

/* The end of a cut period in which a CNP came. */
static void
cut_by_timer(struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	uint64_t now_ps = s->cut_at_ps;

	alpha_advance(s, cfg, now_ps);
	s->cnp_for_cut = false;
	s->cut_at_ps += cfg->cut_ps;
	cut(s, cfg, now_ps);
}

void
dcqcn_advance(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	for (;;) {
		uint64_t cut_ps = s->cnp_for_cut ? s->cut_at_ps : UNITS_NEVER_PS;

		if (is_recovered(s, cfg))
			skip_increases(s, cfg, min_u64(now_ps, cut_ps - 1));
		if (now_ps < cut_ps && now_ps < s->increase_at_ps)
			return;
		if (cut_ps <= s->increase_at_ps)
			cut_by_timer(s, cfg);
		else
			increase_by_timer(s, cfg);
	}
}

static void
first_cnp(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	s->active = true;
	if (cfg->first_rate_bps != 0) {
		s->current_bps = min_u64(cfg->first_rate_bps, rate_limit_bps(s, cfg));
		s->target_bps = s->current_bps;
	}
	s->alpha_at_ps = timer_after(now_ps, cfg->alpha_ps);
	s->increase_at_ps = timer_after(now_ps, cfg->increase_ps);
	s->cut_at_ps = cfg->nic_form ? timer_after(now_ps, cfg->cut_ps) : now_ps;
}

/* The cut clock runs on without CNPs: bring it to its first expiry after now_ps. */
static void
align_cut_clock(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	if (now_ps >= s->cut_at_ps)
		s->cut_at_ps += ((now_ps - s->cut_at_ps) / cfg->cut_ps + 1) * cfg->cut_ps;
}

static void
cnp_nic(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps, bool is_first)
{
	alpha_advance(s, cfg, now_ps);
	/* The initial alpha stands for the first CNP. */
	s->cnp_for_alpha = !is_first;
	if (cfg->cut_ps == 0) {
		cut(s, cfg, now_ps);
		return;
	}
	if (!s->cnp_for_cut)
		align_cut_clock(s, cfg, now_ps);
	s->cnp_for_cut = true;
}

static void
cnp_classic(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	if (now_ps < s->cut_at_ps)
		return;
	alpha_advance(s, cfg, now_ps);
	cut(s, cfg, now_ps);
	s->alpha_q32 = alpha_blended(s->alpha_q32, cfg->g_q32);
	s->alpha_at_ps = timer_after(now_ps, cfg->alpha_ps);
	s->cut_at_ps = now_ps + cfg->cut_ps;
}

void
dcqcn_cnp(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps)
{
	bool is_first = !s->active;

	dcqcn_advance(s, cfg, now_ps);
	if (is_first)
		first_cnp(s, cfg, now_ps);
	if (cfg->nic_form)
		cnp_nic(s, cfg, now_ps, is_first);
	else
		cnp_classic(s, cfg, now_ps);
}

void
dcqcn_sent(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps, uint32_t bytes)
{
	if (!s->active)
		return;
	dcqcn_advance(s, cfg, now_ps);
	if (cfg->byte_counter_bytes == 0)
		return;
	s->bytes += bytes;
	while (s->bytes >= cfg->byte_counter_bytes) {
		s->bytes -= cfg->byte_counter_bytes;
		s->increased = true;
		increase(s, cfg, &s->byte_stage);
	}
}

uint64_t
dcqcn_next_change_ps(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg)
{
	uint64_t cut_ps = s->cnp_for_cut ? s->cut_at_ps : UNITS_NEVER_PS;

	return is_recovered(s, cfg) ? cut_ps : min_u64(cut_ps, s->increase_at_ps);
}
