/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A running hash over a node's events in the order it handled them. Each node owns one; the
 * run's digest folds them in node order, so it does not depend on which lcore ran whom.
 */
#ifndef RAILYARD_DIGEST_H
#define RAILYARD_DIGEST_H

#include <stdint.h>

enum digest_event {
	DIGEST_DELIVERED = 1,
	DIGEST_CONSUMED,
	DIGEST_MARKED,
	DIGEST_DROPPED,
	DIGEST_PAUSED,
	DIGEST_COMPLETED,
};

struct digest {
	uint64_t hash;
};

static inline void
digest_add(struct digest *d, enum digest_event kind, uint64_t now_ps, uint64_t what)
{
	uint64_t h = (d->hash ^ now_ps) * 0x9e3779b97f4a7c15ULL;

	h = ((h << 29) | (h >> 35)) ^ what ^ ((uint64_t)kind << 56);
	d->hash = h * 0xff51afd7ed558ccdULL;
}

#endif
