/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log-linear histogram after HdrHistogram (Tene): three significant digits over the whole
 * range of uint64_t, in memory that does not depend on how many values are recorded.
 *
 * Values below 2,048 have a counter each. Above, every power of two [2^(10+k), 2^(11+k)) is
 * cut into 1,024 equal counters, so a counter is never wider than 1/1,024 (0.098 %) of any
 * value in it. Integers only: the same values give the same percentiles with every compiler.
 *
 * Invariant: the counters sum to `count`. One owner; histograms of several owners are merged.
 */
#ifndef RAILYARD_HISTOGRAM_H
#define RAILYARD_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_LOG2 10
/* Exact counters, then 1,024 for each of the powers of two 2^11 to 2^63. */
#define HISTOGRAM_COUNTERS ((64 - HISTOGRAM_SUB_LOG2 + 1) << HISTOGRAM_SUB_LOG2)

struct histogram {
	uint64_t *counters; /* [HISTOGRAM_COUNTERS]; pages that are never counted in cost nothing */
	uint64_t count;
	uint64_t min; /* exact; UINT64_MAX while empty */
	uint64_t max; /* exact */
	unsigned __int128 sum;
};

/* 0 or -ENOMEM. */
int histogram_init(struct histogram *h);
void histogram_fini(struct histogram *h);

void histogram_record(struct histogram *h, uint64_t value);

/* Add everything that `from` has recorded. */
void histogram_merge(struct histogram *h, const struct histogram *from);

/*
 * The nearest-rank percentile: the smallest value such that at least ppm / 10^6 of all values
 * are at or below it (990000 is p99; ppm <= 10^6). Never below the exact one, above it by less
 * than 0.1 %, within min and max; 0 when empty.
 */
uint64_t histogram_percentile(const struct histogram *h, uint32_t ppm);

/* Exact sum over count, rounded down; 0 when empty. */
uint64_t histogram_mean(const struct histogram *h);

#endif
