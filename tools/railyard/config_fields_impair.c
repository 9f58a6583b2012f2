/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of impairments. */
#include "config_table.h"

static const char *const directions[] = {"both", "rx", "tx", NULL};

static const char *const pause_frames[] = {"pfc", "global", NULL};

static const struct config_field storm_fields[] = {
	CHOICE(struct raw_storm, frames, "frames", pause_frames, "pfc",
	       "pfc: of some priorities (802.1Qbb). global: of the whole port (802.3x PAUSE), "
	       "which a "
	       "port with PFC does not obey"),
	PRIORITIES(struct raw_storm, priorities, "priorities", "[3]",
		   "that the port's peer stops; []: no class is enabled, though all have a time"),
	NUMBER(struct raw_storm, quanta, "quanta", COUNT, "65535", "in each frame",
	       .flags = CONFIG_POSITIVE, .max = UINT16_MAX),
	NUMBER(struct raw_storm, interval_ps, "interval", TIME, "100us",
	       "from one frame to the next", .flags = CONFIG_POSITIVE),
	TEXT(struct raw_storm, source_mac, "source_mac", NULL,
	     "MAC address that the frames come from; left out: the port's"),
	END,
};

static const struct config_object storm_object = {
	.name = "pause",
	.help = "A pause storm: frames that the port sends whatever its buffer holds.",
	.size = sizeof(struct raw_storm),
	.fields = storm_fields,
};

#define EVERY(M, KEY, HELP) \
	NUMBER(struct raw_impairment, M, KEY, COUNT, "0", HELP "; 0 = none", .max = UINT32_MAX)
#define SHARE(M, KEY, HELP) \
	NUMBER(struct raw_impairment, M, KEY, PERCENT, "0%", HELP, .max = CONFIG_ONE_Q32)

static const struct config_field impairment_fields[] = {
	TEXTS(struct raw_impairment, port, "port",
	      "`tor[0]`: a port of a switch, or `h[3]`: a host; or several",
	      .flags = CONFIG_REQUIRED),
	CHOICE(struct raw_impairment, direction, "direction", directions, "both",
	       "rx: what the port receives. tx: what it sends"),
	NUMBER(struct raw_impairment, from_ps, "from", TIME, "0", "begins"),
	NUMBER(struct raw_impairment, until_ps, "until", TIME, "0", "ends; 0 = with the run"),
	SHARE(loss_q32, "loss", "share of frames lost"),
	NUMBER(struct raw_impairment, loss_burst, "loss_burst", COUNT, "0",
	       "mean number of frames lost in a row (Gilbert's two-state chain); 0 = each frame is "
	       "lost or not whatever became of others",
	       .max = 1000000),
	EVERY(loss_every, "loss_every", "every n-th frame is lost"),
	SHARE(duplicate_q32, "duplicate", "share of frames that arrive twice"),
	NUMBER(struct raw_impairment, delay_ps, "delay", TIME, "0", "of every frame"),
	NUMBER(struct raw_impairment, jitter_ps, "jitter", TIME, "0",
	       "further delay, uniform from 0 to this; frames stay in order"),
	SHARE(reorder_q32, "reorder", "share of frames that are taken out of order"),
	NUMBER(struct raw_impairment, reorder_delay_ps, "reorder_delay", TIME, "10us",
	       "further delay of those"),
	SHARE(bit_error_q32, "bit_errors",
	      "share of frames with a bit flipped in payload or ICRC; the receiver drops them as "
	      "bad_icrc"),
	SHARE(mark_q32, "mark", "share of ECT frames that get CE"),
	EVERY(mark_every, "mark_every", "every n-th ECT frame gets CE"),
	FLAG(struct raw_impairment, mac_control, "mac_control", "no",
	     "also impair MAC control frames, such as those of PFC"),
	FLAG(struct raw_impairment, stall, "stall", "no",
	     "the port sends nothing but PFC frames, as `hold` of a port does"),
	OPTIONAL(struct raw_impairment, pause, struct raw_storm, "pause", &storm_object,
		 "a pause storm from this port"),
	END,
};

const struct config_object config_impairment_object = {
	.name = "impairment",
	.help = "What goes wrong at a port, and when. Several of one port apply one after another. "
		"Delays keep frames in order, apart from `reorder`.",
	.size = sizeof(struct raw_impairment),
	.fields = impairment_fields,
};
