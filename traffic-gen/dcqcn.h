/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DCQCN reaction point (Zhu et al., SIGCOMM 2015) in two forms.
 *
 * classic: every CNP cuts: R_T = R_C, R_C (1 - alpha/2), alpha = (1-g) alpha + g, and restarts
 * the counters; alpha decays by (1-g) each alpha_ps without a CNP.
 *
 * nic (ConnectX firmware): three clocks that run on their own after the first CNP. Each
 * alpha_ps: alpha = (1-g) alpha, plus g if a CNP came since. Each cut_ps: if a CNP came since,
 * cut R_C by alpha / Gd, at most to min_decrease of the old rate. Each increase_ps an increase.
 *
 * Increase events come from the timer and from the byte counter, each with its stage; R_C goes
 * halfway to R_T, after R_T gained:
 * classic: nothing while both stages are below F, R_AI when one has reached it, when both have
 * (min(stages) - F + 1) R_HAI, the event itself counted;
 * nic: by the higher stage, the event not counted: nothing below F, R_AI at F, R_HAI beyond.
 *
 * Fixed point throughout: alpha and g in 2^-32.
 */
#ifndef RAILYARD_DCQCN_H
#define RAILYARD_DCQCN_H

#include <stdbool.h>
#include <stdint.h>

struct dcqcn_cfg {
	bool nic_form;
	uint64_t alpha_ps; /* alpha timer; DCE_TCP_RTT */
	uint64_t g_q32;    /* weight of the new sample */
	uint64_t initial_alpha_q32;
	uint64_t cut_ps;             /* RATE_REDUCE_MONITOR_PERIOD (nic) or least gap of cuts */
	uint64_t increase_ps;        /* T; RPG_TIME_RESET */
	uint64_t byte_counter_bytes; /* B; RPG_BYTE_RESET; 0 = none */
	uint32_t threshold;          /* F; RPG_THRESHOLD */
	uint64_t ai_bps;             /* R_AI */
	uint64_t hai_bps;            /* R_HAI */
	uint64_t min_rate_bps;
	uint64_t max_rate_bps;         /* 0 = line rate */
	uint32_t gd_log2;              /* Gd = 2^(this - 10); 11: alpha / 2 (RPG_GD) */
	uint32_t min_decrease_percent; /* R_C after a cut is at least this much of before */
	bool clamp_target;             /* R_T = R_C at every cut, not only after an increase */
	bool clamp_target_after_timer; /* a timer event counts as an increase for that */
	uint64_t first_rate_bps;       /* rate set at the first CNP; 0 = leave */
};

struct dcqcn_state {
	uint64_t line_bps;
	uint64_t current_bps; /* R_C */
	uint64_t target_bps;  /* R_T */
	uint64_t
		alpha_q32; /* before the expiry at alpha_at_ps: may lie back, see dcqcn_alpha_q32 */
	uint64_t alpha_at_ps; /* timers: next expiry to apply */
	uint64_t cut_at_ps;
	uint64_t increase_at_ps;
	uint64_t bytes; /* since the last byte event */
	uint32_t time_stage;
	uint32_t byte_stage;
	bool active;        /* a CNP has been seen */
	bool cnp_for_alpha; /* nic: one came in this alpha period, this cut period */
	bool cnp_for_cut;
	bool increased; /* an increase event since the last cut */
};

/*
 * Presets a user picks by name: "connectx" (firmware defaults), "paper" (SIGCOMM 2015). 0, or
 * -ENOENT for another name.
 */
int dcqcn_preset(const char *name, struct dcqcn_cfg *cfg);

void dcqcn_init(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t line_bps);

/* Apply every timer that has expired at or before now_ps, in time order. */
void dcqcn_advance(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps);
void dcqcn_cnp(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps);
void dcqcn_sent(struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps,
		uint32_t bytes);

/* Earliest time at which current_bps may change without an event; UNITS_NEVER_PS = never. */
uint64_t dcqcn_next_change_ps(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg);

/* alpha at now_ps, which is not before the latest event. */
uint64_t dcqcn_alpha_q32(const struct dcqcn_state *s, const struct dcqcn_cfg *cfg, uint64_t now_ps);

#endif
