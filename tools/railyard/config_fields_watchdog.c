/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of the PFC watchdog, of a switch and of a port. */
#include "watchdog.h"

#include "config_fields.h"
#include "config_raw.h"
#include "config_table.h"

static const char *const detects[] = {
	[WATCHDOG_PAUSE_FRAMES] = "pause-frames",
	[WATCHDOG_NO_PROGRESS] = "no-progress",
	NULL,
};

static const char *const actions[] = {
	[WATCHDOG_DROP] = "drop",
	[WATCHDOG_FORWARD] = "forward",
	[WATCHDOG_ALERT] = "alert",
	NULL,
};

/* Both have these. */
#define PORT_FIELDS                                                                               \
	NUMBER(struct raw_watchdog, detection_ps, "detection", TIME, "200ms",                     \
	       "a storm is one that has lasted so long", .flags = CONFIG_POSITIVE),               \
		NUMBER(struct raw_watchdog, restoration_ps, "restoration", TIME, "200ms",         \
		       "it is over when no pause frame came for so long; 0 = never"),             \
		CHOICE(struct raw_watchdog, action, "action", actions, "drop",                    \
		       "drop: flush the queue, drop what comes to it and what comes in for it, "  \
		       "neither obey nor send pause; forward: do not obey pause; alert: say so"), \
		PRIORITIES(struct raw_watchdog, priorities, "priorities", NULL,                   \
			   "those it watches, [] = none; left out: those of pfc_enable",          \
			   .flags = CONFIG_MAY_BE_UNSET)

static const struct config_field switch_fields[] = {
	NUMBER(struct raw_watchdog, poll_ps, "poll", TIME, "200ms", "interval of its looks",
	       .flags = CONFIG_POSITIVE),
	NUMBER(struct raw_watchdog, start_ps, "start", TIME, "0",
	       "it looks from then on: one that is started in traffic"),
	CHOICE(struct raw_watchdog, detect, "detect", detects, "pause-frames",
	       "what makes an interval stormy; pause-frames (Broadcom): pause frames came, and the "
	       "priority was paused all along, even if nothing waits; no-progress (NVIDIA): the "
	       "queue "
	       "held packets and sent none, and was paused for more than 99 % of it"),
	PORT_FIELDS,
	END,
};

static const struct config_field port_fields[] = {
	PORT_FIELDS,
	END,
};

const struct config_object config_watchdog_object = {
	.name = "pfc_watchdog",
	.help = "PFC storm watchdog of a switch's ports (PFC_WD).",
	.size = sizeof(struct raw_watchdog),
	.fields = switch_fields,
};

const struct config_object config_port_watchdog_object = {
	.name = "port_watchdog",
	.help = "PFC storm watchdog of some ports: instead of the switch's.",
	.size = sizeof(struct raw_watchdog),
	.fields = port_fields,
};
