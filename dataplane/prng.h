/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, so that each node, queue
 * and workload owns its stream and no stream depends on another's draws.
 */
#ifndef RAILYARD_PRNG_H
#define RAILYARD_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t state;
};

/* The finalizer alone: a good 64-bit mix of any key. */
static inline uint64_t
prng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A stream named by the run's seed and a key (node id, queue, purpose). */
static inline struct prng
prng_init(uint64_t seed, uint64_t key)
{
	return (struct prng){prng_mix(seed + 0x9e3779b97f4a7c15ULL) ^ prng_mix(~key)};
}

static inline uint64_t
prng_next(struct prng *p)
{
	p->state += 0x9e3779b97f4a7c15ULL;
	return prng_mix(p->state);
}

/* Uniform in [0, bound), bound >= 1; the bias is below 2^-32 for bounds under 2^32. */
static inline uint64_t
prng_below(struct prng *p, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)prng_next(p) * bound) >> 64);
}

/* True with probability p_q32 / 2^32; p_q32 = 2^32 is always, 0 never. */
static inline int
prng_chance(struct prng *p, uint64_t p_q32)
{
	return (prng_next(p) >> 32) < p_q32;
}

/*
 * Exponentially distributed with the given mean, by integers alone, so that the draw is the
 * same with every compiler and C library. mean < 2^40.
 */
uint64_t prng_exponential(struct prng *p, uint64_t mean);

#endif
