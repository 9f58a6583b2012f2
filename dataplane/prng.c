/* SPDX-License-Identifier: BSD-3-Clause */
#include "prng.h"

/* log2(x) of a 32-bit x >= 1, in 2^-32: bit by bit, by repeated squaring of the mantissa. */
static uint64_t
log2_q32(uint32_t x)
{
	uint32_t exponent = 31 - (uint32_t)__builtin_clz(x);
	uint64_t mantissa = (uint64_t)x << (31 - exponent); /* in [2^31, 2^32): 1.0 .. 2.0 */
	uint64_t fraction = 0;

	for (int bit = 31; bit >= 0; bit--) {
		mantissa = (mantissa * mantissa) >> 31;
		if (mantissa >= 1ULL << 32) {
			mantissa >>= 1;
			fraction |= 1ULL << bit;
		}
	}
	return ((uint64_t)exponent << 32) | fraction;
}

uint64_t
prng_exponential(struct prng *p, uint64_t mean)
{
	const uint64_t ln2_q32 = 2977044472ULL; /* ln 2 x 2^32 */
	uint32_t u = (uint32_t)(prng_next(p) >> 32);
	uint64_t minus_log2_q32, minus_ln_q32;

	if (u == 0)
		u = 1;
	minus_log2_q32 = (32ULL << 32) - log2_q32(u);
	minus_ln_q32 = (uint64_t)(((unsigned __int128)minus_log2_q32 * ln2_q32) >> 32);
	return (uint64_t)(((unsigned __int128)minus_ln_q32 * mean) >> 32);
}
