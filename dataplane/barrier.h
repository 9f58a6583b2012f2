/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where lcores wait for each other, thousands of times a second: they spin for some
 * microseconds, and then sleep, for there may be more lcores than CPUs that are free.
 *
 * What each did before the barrier is seen by all after it.
 */
#ifndef RAILYARD_BARRIER_H
#define RAILYARD_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

struct barrier {
	uint32_t parties; /* these two are constant */
	uint32_t spins;
	uint32_t arrived __rte_cache_aligned;
	uint32_t turn __rte_cache_aligned; /* one more each time all have arrived */
	uint32_t asleep;                   /* of those who wait for it */
};

/* `shared`: there are fewer CPUs than parties. */
void barrier_init(struct barrier *b, uint32_t parties, bool shared);

void barrier_wait(struct barrier *b);

#endif
