/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of accept_*.c share; nobody else includes it. */
#ifndef RAILYARD_ACCEPT_INTERNAL_H
#define RAILYARD_ACCEPT_INTERNAL_H

#include "accept.h"

/* accept_traffic.c: how long that takes on the wire. */
uint64_t accept_bytes_ps(const struct accept_dut *dut, uint64_t bytes);
/* What each of so many senders sends, `least` or more, so that they reach XOFF. */
uint64_t accept_size_bytes(const struct accept_dut *dut, struct accept_sets *sets, uint32_t senders,
			   uint64_t least);
/* Of the class's queue; NULL: none. */
const struct scheduler_cfg *accept_scheduler(const struct accept_dut *dut,
					     const struct accept_class *class);
/*
 * Long enough for what is too much, a tenth of the rate at least, to overflow the lossy limit
 * twice; with one message of the first workload as long, since the next one would wait until the
 * queue is empty.
 */
uint64_t accept_set_duration(const struct accept_dut *dut, struct accept_sets *sets,
			     uint64_t least_ps);
/* How much of a run is its duration: it is over when what queues hold then has left. */
double accept_running_share(const struct accept_dut *dut, uint64_t duration_ps);

/* accept_marks.c: of the lossless queue; NULL: it marks nothing. */
const struct wred_cfg *accept_wred(const struct accept_dut *dut);

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

/* accept_maps.c */
ACCEPT_PREPARE(prepare_dscp_maps);
ACCEPT_PREPARE(prepare_dot1p_map);

/* accept_weights.c */
ACCEPT_PREPARE(prepare_weights);
ACCEPT_PREPARE(prepare_changed_weights);

/* accept_storms.c */
ACCEPT_PREPARE(prepare_storm_headroom);

/* accept_traffic.c */
/* Payload of a full RoCE packet, and what it takes on the wire. */
#define ACCEPT_PAYLOAD_BYTES 4096
#define ACCEPT_WIRE_BYTES (4178 + 20)

/*
 * The weight of the lossless class, and of it and the lossy one; false with a line in why unless
 * they are in two queues by weight.
 */
bool accept_weights(const struct accept_dut *dut, uint32_t *weight, uint32_t *sum,
		    char why[ACCEPT_TEXT_BYTES]);
ACCEPT_PREPARE(prepare_storm);
ACCEPT_PREPARE(prepare_lossy_storm);
ACCEPT_PREPARE(prepare_response);
ACCEPT_PREPARE(prepare_overload);
ACCEPT_PREPARE(prepare_lossy_overload);
ACCEPT_PREPARE(prepare_throttle);
ACCEPT_PREPARE(prepare_incast);
ACCEPT_PREPARE(prepare_dcqcn);

/* accept_load.c */
ACCEPT_PREPARE(prepare_both);
ACCEPT_PREPARE(prepare_fluctuating);
ACCEPT_PREPARE(prepare_throttling);
ACCEPT_PREPARE(prepare_speeds);

/* accept_marks.c */
ACCEPT_PREPARE(prepare_accuracy);
ACCEPT_PREPARE(prepare_order);
ACCEPT_PREPARE(prepare_load);
ACCEPT_PREPARE(prepare_quanta);
ACCEPT_PREPARE(prepare_codepoints);

#endif
