/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <assert.h>

/* The first point whose cumulative share lies beyond u_q32. */
static uint32_t
point_beyond(const struct cdf *cdf, uint64_t u_q32)
{
	uint32_t low = 0;
	uint32_t high = cdf->count - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (cdf->points[middle].share_q32 > u_q32)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Inverse transform; the share of the first point is the probability of exactly its bytes. */
uint64_t
cdf_sample(const struct cdf *cdf, struct prng *prng)
{
	uint64_t u_q32 = prng_next(prng) >> 32;
	const struct cdf_point *to;
	const struct cdf_point *from;
	unsigned __int128 part;

	assert(cdf->count > 0 && cdf->points[cdf->count - 1].share_q32 == 1ULL << 32);
	to = &cdf->points[point_beyond(cdf, u_q32)];
	if (to == cdf->points)
		return to->bytes;
	from = to - 1;
	part = (unsigned __int128)(to->bytes - from->bytes) * (u_q32 - from->share_q32);
	return from->bytes + (uint64_t)(part / (to->share_q32 - from->share_q32));
}

uint64_t
cdf_mean_bytes(const struct cdf *cdf)
{
	/* Twice the sum over the segments of share times middle. */
	unsigned __int128 sum =
		(unsigned __int128)cdf->points[0].bytes * 2 * cdf->points[0].share_q32;

	for (uint32_t i = 1; i < cdf->count; i++) {
		const struct cdf_point *from = &cdf->points[i - 1];
		const struct cdf_point *to = &cdf->points[i];

		sum += ((unsigned __int128)from->bytes + to->bytes) *
		       (to->share_q32 - from->share_q32);
	}
	return (uint64_t)(sum >> 33);
}
