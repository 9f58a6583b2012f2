/* SPDX-License-Identifier: BSD-3-Clause */
#include "watchdog.h"

static bool
is_stormy(const struct watchdog *w, enum watchdog_detect detect, const struct watchdog_reading *now,
	  uint64_t poll_ps)
{
	const struct watchdog_reading *last = &w->last;

	if (detect == WATCHDOG_PAUSE_FRAMES)
		return now->pause_frames > last->pause_frames && now->resumes == last->resumes &&
		       now->paused && last->paused;
	return now->queued_packets > 0 && now->tx_packets == last->tx_packets &&
	       (now->paused_ps - last->paused_ps) > poll_ps / 100 * 99;
}

static bool
has_lasted(const struct watchdog *w, const struct watchdog_cfg *cfg)
{
	if (cfg->detect == WATCHDOG_PAUSE_FRAMES)
		return w->stormy_ps >= cfg->detection_ps;
	return w->stormy_ps > cfg->detection_ps / 100 * 99;
}

static enum watchdog_event
watch_for_end(struct watchdog *w, const struct watchdog_cfg *cfg,
	      const struct watchdog_reading *now, uint64_t poll_ps, uint64_t now_ps)
{
	w->quiet_ps = now->pause_frames > w->last.pause_frames ? 0 : w->quiet_ps + poll_ps;
	if (cfg->restoration_ps == 0 || w->quiet_ps < cfg->restoration_ps)
		return WATCHDOG_NOTHING;
	w->storming = false;
	w->stormy_ps = 0;
	w->restored++;
	w->last_restored_ps = now_ps;
	return WATCHDOG_RESTORED;
}

static enum watchdog_event
watch_for_start(struct watchdog *w, const struct watchdog_cfg *cfg,
		const struct watchdog_reading *now, uint64_t poll_ps, uint64_t now_ps)
{
	w->stormy_ps = is_stormy(w, cfg->detect, now, poll_ps) ? w->stormy_ps + poll_ps : 0;
	if (w->stormy_ps == 0 || !has_lasted(w, cfg))
		return WATCHDOG_NOTHING;
	w->storming = true;
	w->quiet_ps = 0;
	if (w->detected++ == 0)
		w->first_detected_ps = now_ps;
	return WATCHDOG_DETECTED;
}

enum watchdog_event
watchdog_poll(struct watchdog *w, const struct watchdog_cfg *cfg,
	      const struct watchdog_reading *now, uint64_t poll_ps, uint64_t now_ps)
{
	enum watchdog_event event = w->storming ? watch_for_end(w, cfg, now, poll_ps, now_ps)
						: watch_for_start(w, cfg, now, poll_ps, now_ps);

	w->last = *now;
	return event;
}

bool
watchdog_is_busy(const struct watchdog *w, const struct watchdog_cfg *cfg)
{
	if (w->storming)
		return cfg->restoration_ps != 0;
	return w->last.paused || w->stormy_ps != 0;
}
