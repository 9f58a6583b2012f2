/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of accept_*.c share; nobody else includes it. */
#ifndef RAILYARD_ACCEPT_INTERNAL_H
#define RAILYARD_ACCEPT_INTERNAL_H

#include "accept.h"

/* See struct accept_test. */
#define ACCEPT_PREPARE(NAME)                                                       \
	bool accept_##NAME(const struct accept_dut *dut, struct accept_sets *sets, \
			   char why[ACCEPT_TEXT_BYTES])

/* accept_buffers.c */
ACCEPT_PREPARE(prepare_xoff_limit);
ACCEPT_PREPARE(prepare_xon_limit);
ACCEPT_PREPARE(prepare_own_frames);
ACCEPT_PREPARE(prepare_headroom_pool);
ACCEPT_PREPARE(prepare_shared_limit);
ACCEPT_PREPARE(prepare_lossy_limit);
ACCEPT_PREPARE(prepare_watermarks);
ACCEPT_PREPARE(prepare_guarantee);
ACCEPT_PREPARE(prepare_drop_counters);

/* accept_traffic.c */
ACCEPT_PREPARE(prepare_storm);
ACCEPT_PREPARE(prepare_lossy_storm);
ACCEPT_PREPARE(prepare_response);
ACCEPT_PREPARE(prepare_overload);
ACCEPT_PREPARE(prepare_lossy_overload);
ACCEPT_PREPARE(prepare_throttle);
ACCEPT_PREPARE(prepare_accuracy);
ACCEPT_PREPARE(prepare_load);
ACCEPT_PREPARE(prepare_incast);
ACCEPT_PREPARE(prepare_dcqcn);

#endif
