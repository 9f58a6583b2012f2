/* SPDX-License-Identifier: BSD-3-Clause */
#include "accept_internal.h"

static const struct accept_test tests[] = {
	{"s1-pfc-xoff-limit",
	 "a lossless PG pauses at its limit, and loses nothing before its headroom is full", 2,
	 false, accept_prepare_xoff_limit},
	{"s2-pfc-xon-limit", "it resumes xon_offset below its limit, not before", 3, false,
	 accept_prepare_xon_limit},
	{"s3-pfc-xon-own-frames", "what leaves other queues does not resume it", 4, true,
	 accept_prepare_own_frames},
	{"s4-headroom-pool", "the shared headroom pool holds what it says", 9, false,
	 accept_prepare_headroom_pool},
	{"s5-shared-limit", "four PGs that fill up alike pause at their share", 5, false,
	 accept_prepare_shared_limit},
	{"s6-lossy-queue-limit", "a lossy queue drops at its limit, and nobody is paused", 2, true,
	 accept_prepare_lossy_limit},
	{"s7-watermarks", "watermarks of PG, queue and headroom are what was held", 2, false,
	 accept_prepare_watermarks},
	{"s8-pg-guarantee", "a PG's guarantee is there when lossy traffic fills the pool", 8, true,
	 accept_prepare_guarantee},
	{"s9-drop-counters", "every refused frame is counted once, at the PG", 2, false,
	 accept_prepare_drop_counters},
	{"t1-storm-on-lossless", "a storm on the lossless class stops its sender alone", 4, false,
	 accept_prepare_storm},
	{"t2-storm-on-lossy", "a storm on lossy priorities means nothing", 4, false,
	 accept_prepare_lossy_storm},
	{"t6-pause-response", "headroom holds what comes until senders stop, and no more", 5, false,
	 accept_prepare_response},
	{"t7-lossless-and-lossy-overload",
	 "at 120 %, lossless loses nothing and has its weight; lossy loses", 5, true,
	 accept_prepare_overload},
	{"t8-lossy-overload", "lossy overload pauses nobody", 5, true,
	 accept_prepare_lossy_overload},
	{"t11-storms-from-outside", "short pauses delay, and lose nothing", 4, false,
	 accept_prepare_throttle},
	{"t14-line-rate", "pairs at line rate are not slowed down", 4, false, NULL},
	{"e1-ecn-accuracy", "marks follow the line from Kmin to Kmax", 5, false,
	 accept_prepare_accuracy},
	{"e3-marks-by-load", "no marks below line rate, marks above", 3, false,
	 accept_prepare_load},
	{"w1-watchdog-drop", "the watchdog drops a storm's queue, and nothing else", 4, false,
	 NULL},
	{"w4-watchdog-bursts", "bursts of pauses are no storm", 2, false, NULL},
	{"w7-watchdog-forward", "with action forward nothing is lost", 2, false, NULL},
	{"r1-roce-incast", "PFC alone keeps an incast lossless", 9, false, accept_prepare_incast},
	{"r2-dcqcn-incast", "with DCQCN it takes few pauses", 9, false, accept_prepare_dcqcn},
};

const struct accept_test *
accept_test_at(size_t n)
{
	return n < sizeof(tests) / sizeof(tests[0]) ? &tests[n] : NULL;
}
