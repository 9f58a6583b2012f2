/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people ask to be captured: "NODE:PORT=FILE", or ports selected as in a configuration,
 * "tor[0-3]=FILE". Several ports have a file each: a-tor-0.pcap for a.pcap and tor:0.
 */
#ifndef RAILYARD_CAPTURE_SELECT_H
#define RAILYARD_CAPTURE_SELECT_H

#include "capture.h"
#include "scenario.h"

/* Files a run may write at once. */
#define CAPTURE_MOST_FILES 64

/* As capture_set_add(), for each port; nothing is added but all. */
int capture_select(struct capture_set *set, const struct scenario *scenario, const char *spec,
		   char *why, size_t why_bytes);

#endif
