/* SPDX-License-Identifier: BSD-3-Clause */
#include "congestion.h"

#include "units.h"

void
congestion_init(struct congestion_state *s, const struct congestion_cfg *cfg,
		uint64_t line_rate_bps)
{
	*s = (struct congestion_state){.rate_bps = line_rate_bps};
	if (cfg->kind == CONGESTION_DCQCN)
		dcqcn_init(&s->dcqcn, &cfg->dcqcn, line_rate_bps);
	else if (cfg->rate_bps != 0 && cfg->rate_bps < line_rate_bps)
		s->rate_bps = cfg->rate_bps;
}

void
congestion_notified(struct congestion_state *s, const struct congestion_cfg *cfg, uint64_t now_ps)
{
	if (cfg->kind == CONGESTION_DCQCN)
		dcqcn_cnp(&s->dcqcn, &cfg->dcqcn, now_ps);
}

void
congestion_sent(struct congestion_state *s, const struct congestion_cfg *cfg, uint64_t now_ps,
		uint32_t bytes)
{
	if (cfg->kind == CONGESTION_DCQCN)
		dcqcn_sent(&s->dcqcn, &cfg->dcqcn, now_ps, bytes);
}

uint64_t
congestion_rate_bps(struct congestion_state *s, const struct congestion_cfg *cfg, uint64_t now_ps)
{
	if (cfg->kind == CONGESTION_DCQCN) {
		dcqcn_advance(&s->dcqcn, &cfg->dcqcn, now_ps);
		s->rate_bps = s->dcqcn.current_bps;
	}
	return s->rate_bps;
}

uint64_t
congestion_next_change_ps(const struct congestion_state *s, const struct congestion_cfg *cfg)
{
	if (cfg->kind == CONGESTION_DCQCN)
		return dcqcn_next_change_ps(&s->dcqcn, &cfg->dcqcn);
	return UNITS_NEVER_PS;
}
