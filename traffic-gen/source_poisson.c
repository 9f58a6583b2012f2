/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <assert.h>
#include <stdlib.h>

#define POISSON_STREAM 0x706f6973736f6eULL

struct poisson {
	struct source source;
	struct source_common common;
	struct source_peers peers;
	const struct cdf *cdf;
	uint64_t mean_gap_ps;
	uint64_t until_ps;
	uint64_t due_ps;
	struct prng arrivals; /* apart from the sizes: a new distribution keeps the arrivals */
	struct prng sizes;
	struct prng choices;
	uint32_t count; /* 0 = no limit */
	uint32_t taken;
};

static void
schedule_next(struct poisson *s, uint64_t from_ps)
{
	uint64_t gap_ps = source_exponential_gap_ps(&s->arrivals, s->mean_gap_ps);

	if ((s->count != 0 && s->taken >= s->count) || from_ps >= s->until_ps ||
	    gap_ps >= s->until_ps - from_ps)
		s->due_ps = UNITS_NEVER_PS;
	else
		s->due_ps = from_ps + gap_ps;
}

static uint64_t
poisson_due_ps(const struct source *source)
{
	return ((const struct poisson *)source)->due_ps;
}

static void
poisson_take(struct source *source, uint64_t now_ps, struct message *out)
{
	struct poisson *s = (struct poisson *)source;

	*out = (struct message){
		.peer = source_peer(&s->peers, prng_below(&s->choices, s->peers.count)),
		.bytes = cdf_sample(s->cdf, &s->sizes),
		.verb = s->common.verb,
		.dscp = s->common.dscp,
		.qp = source_qp(&s->common, s->taken),
		.workload = s->common.workload,
	};
	s->taken++;
	schedule_next(s, s->due_ps);
	out->last_of_source = s->due_ps == UNITS_NEVER_PS;
}

static void
poisson_destroy(struct source *source)
{
	free(source);
}

static const struct source_ops poisson_ops = {
	.name = "poisson",
	.due_ps = poisson_due_ps,
	.take = poisson_take,
	.destroy = poisson_destroy,
};

struct source *
source_poisson_create(const struct source_common *common, const struct source_peers *peers,
		      const struct cdf *cdf, uint64_t mean_gap_ps, uint64_t at_ps,
		      uint64_t until_ps, uint32_t count, uint64_t seed)
{
	struct poisson *s = malloc(sizeof(*s));

	assert(peers->count > 0);
	if (s == NULL)
		return NULL;
	*s = (struct poisson){
		.source.ops = &poisson_ops,
		.common = *common,
		.peers = *peers,
		.cdf = cdf,
		.mean_gap_ps = mean_gap_ps,
		.until_ps = until_ps,
		.arrivals = prng_init(seed, POISSON_STREAM),
		.sizes = prng_init(seed, POISSON_STREAM + 1),
		.choices = prng_init(seed, POISSON_STREAM + 2),
		.count = count,
	};
	schedule_next(s, at_ps);
	return &s->source;
}
