/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define SUB_COUNT (1u << HISTOGRAM_SUB_LOG2)
#define PPM 1000000u

/* How many low bits of a value its counter does not tell apart. */
static unsigned int
shift_of(uint64_t value)
{
	unsigned int top = 63 - (unsigned int)__builtin_clzll(value | 1);

	return top > HISTOGRAM_SUB_LOG2 ? top - HISTOGRAM_SUB_LOG2 : 0;
}

/*
 * value >> shift lies in [1024, 2048) except below 1,024, where shift is 0: so consecutive
 * shifts take up consecutive runs of 1,024 counters.
 */
static uint32_t
counter_of(uint64_t value)
{
	unsigned int shift = shift_of(value);

	return shift * SUB_COUNT + (uint32_t)(value >> shift);
}

/* The largest value that is counted there. */
static uint64_t
highest_of(uint32_t counter)
{
	uint32_t shift = counter < 2 * SUB_COUNT ? 0 : counter / SUB_COUNT - 1;
	uint64_t sub = counter - shift * SUB_COUNT;

	return (sub << shift) + (((uint64_t)1 << shift) - 1);
}

int
histogram_init(struct histogram *h)
{
	*h = (struct histogram){.min = UINT64_MAX};
	h->counters = calloc(HISTOGRAM_COUNTERS, sizeof(h->counters[0]));
	return h->counters == NULL ? -ENOMEM : 0;
}

void
histogram_fini(struct histogram *h)
{
	free(h->counters);
	h->counters = NULL;
}

void
histogram_record(struct histogram *h, uint64_t value)
{
	h->counters[counter_of(value)]++;
	h->count++;
	h->sum += value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void
histogram_merge(struct histogram *h, const struct histogram *from)
{
	uint32_t last;

	if (from->count == 0)
		return;
	last = counter_of(from->max);
	for (uint32_t i = counter_of(from->min); i <= last; i++) {
		if (from->counters[i] != 0) /* do not touch pages for nothing */
			h->counters[i] += from->counters[i];
	}
	h->count += from->count;
	h->sum += from->sum;
	if (from->min < h->min)
		h->min = from->min;
	if (from->max > h->max)
		h->max = from->max;
}

uint64_t
histogram_percentile(const struct histogram *h, uint32_t ppm)
{
	uint64_t rank;
	uint64_t seen = 0;
	uint32_t last;

	assert(ppm <= PPM);
	if (h->count == 0)
		return 0;
	rank = (uint64_t)(((unsigned __int128)h->count * ppm + PPM - 1) / PPM);
	if (rank <= 1)
		return h->min;
	last = counter_of(h->max);
	for (uint32_t i = counter_of(h->min); i < last; i++) {
		seen += h->counters[i];
		if (seen >= rank)
			return highest_of(i);
	}
	return h->max;
}

uint64_t
histogram_mean(const struct histogram *h)
{
	return h->count == 0 ? 0 : (uint64_t)(h->sum / h->count);
}
