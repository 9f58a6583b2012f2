/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC storm watchdog of one priority of one port (SONiC PFC_WD): polled at intervals, it
 * finds a queue that is kept from sending for the detection time, says so, and says when the
 * storm has been over for the restoration time.
 *
 * What counts as stormy in an interval is the ASIC's:
 *  - pause frames (Broadcom): pause frames came, the queue was paused at both ends of the
 *    interval and never resumed in between. The queue may be empty.
 *  - no progress (NVIDIA): the queue holds packets, sent none, and was paused for more than
 *    99 % of the interval; fires beyond 99 % of the detection time.
 * A storm is over when no interval of the restoration time brought a pause frame. Frames of zero
 * quanta resume; they are not pause and keep no storm alive.
 */
#ifndef RAILYARD_WATCHDOG_H
#define RAILYARD_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

enum watchdog_detect { WATCHDOG_PAUSE_FRAMES, WATCHDOG_NO_PROGRESS };

enum watchdog_action {
	WATCHDOG_DROP,    /* flush the queue, drop what comes to it, neither obey nor send pause */
	WATCHDOG_FORWARD, /* do not obey pause */
	WATCHDOG_ALERT,   /* say so, no more */
};

struct watchdog_cfg {
	uint8_t priorities; /* bit n: priority n is watched; 0 = none */
	enum watchdog_detect detect;
	enum watchdog_action action;
	uint64_t detection_ps;   /* at least the poll interval */
	uint64_t restoration_ps; /* the same; 0 = never */
};

/* What a poll sees; counters are from the start of the run. */
struct watchdog_reading {
	uint64_t pause_frames;   /* received, of quanta other than 0 */
	uint64_t resumes;        /* times the priority was paused and is no more */
	uint64_t paused_ps;      /* up to now */
	uint64_t tx_packets;     /* of the queue */
	uint64_t queued_packets; /* now */
	bool paused;             /* now */
};

enum watchdog_event { WATCHDOG_NOTHING, WATCHDOG_DETECTED, WATCHDOG_RESTORED };

struct watchdog {
	struct watchdog_reading last;
	uint64_t stormy_ps; /* intervals in a row that were */
	uint64_t quiet_ps;  /* the same of those without pause frames, in a storm */
	bool storming;
	/* results */
	uint64_t detected;
	uint64_t restored;
	uint64_t dropped; /* packets, by its action */
	uint64_t first_detected_ps;
	uint64_t last_restored_ps;
};

/* A poll at now_ps; the one before was poll_ps ago, or nothing that it would have seen was. */
enum watchdog_event watchdog_poll(struct watchdog *w, const struct watchdog_cfg *cfg,
				  const struct watchdog_reading *now, uint64_t poll_ps,
				  uint64_t now_ps);

/* Would further polls, without new frames, come to something? */
bool watchdog_is_busy(const struct watchdog *w, const struct watchdog_cfg *cfg);

#endif
