/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <assert.h>
#include <stdlib.h>

#define UDP_STREAM 0x756470ULL

struct udp {
	struct source source;
	struct source_common common;
	struct source_peers peers;
	uint64_t rate_bps;
	uint64_t gap_ps; /* whole part of a datagram's time at rate_bps */
	uint64_t gap_remainder;
	uint64_t remainder; /* of rate_bps: carried, so that the rate does not drift */
	uint64_t until_ps;
	uint64_t due_ps;
	struct prng prng;
	uint32_t next_peer;
	uint32_t frame_bytes;
	uint32_t taken;
	uint32_t count; /* 0 = no limit */
	bool poisson;
};

static uint64_t
next_gap_ps(struct udp *s)
{
	uint64_t gap_ps = s->gap_ps;

	if (s->poisson)
		return source_exponential_gap_ps(&s->prng, gap_ps);
	s->remainder += s->gap_remainder;
	if (s->remainder >= s->rate_bps) {
		s->remainder -= s->rate_bps;
		gap_ps++;
	}
	return gap_ps;
}

static void
schedule(struct udp *s, uint64_t from_ps, uint64_t gap_ps)
{
	if (from_ps >= s->until_ps || gap_ps >= s->until_ps - from_ps)
		s->due_ps = UNITS_NEVER_PS;
	else
		s->due_ps = from_ps + gap_ps;
}

static uint64_t
udp_due_ps(const struct source *source)
{
	return ((const struct udp *)source)->due_ps;
}

static void
udp_take(struct source *source, uint64_t now_ps, struct message *out)
{
	struct udp *s = (struct udp *)source;

	*out = (struct message){
		.peer = source_peer(&s->peers, s->next_peer),
		.bytes = s->frame_bytes,
		.verb = VERB_UDP,
		.dscp = s->common.dscp,
		.qp = source_qp(&s->common, s->taken),
		.workload = s->common.workload,
		.ect = s->common.ect,
	};
	s->taken++;
	s->next_peer = s->next_peer + 1 < s->peers.count ? s->next_peer + 1 : 0;
	if (s->taken == s->count)
		s->due_ps = UNITS_NEVER_PS;
	else
		schedule(s, s->due_ps, next_gap_ps(s));
	out->last_of_source = s->due_ps == UNITS_NEVER_PS;
}

static void
udp_destroy(struct source *source)
{
	free(source);
}

static const struct source_ops udp_ops = {
	.name = "udp",
	.due_ps = udp_due_ps,
	.take = udp_take,
	.destroy = udp_destroy,
};

struct source *
source_udp_create(const struct source_common *common, const struct source_peers *peers,
		  uint32_t frame_bytes, uint64_t rate_bps, bool poisson, uint64_t at_ps,
		  uint64_t until_ps, uint32_t count, uint64_t seed)
{
	uint64_t bits = (uint64_t)(frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) * 8;
	struct udp *s = malloc(sizeof(*s));

	assert(peers->count > 0 && rate_bps > 0);
	if (s == NULL)
		return NULL;
	*s = (struct udp){
		.source.ops = &udp_ops,
		.common = *common,
		.peers = *peers,
		.rate_bps = rate_bps,
		.gap_ps = bits * UNITS_PS_PER_S / rate_bps,
		.gap_remainder = bits * UNITS_PS_PER_S % rate_bps,
		.until_ps = until_ps,
		.prng = prng_init(seed, UDP_STREAM),
		.frame_bytes = frame_bytes,
		.count = count,
		.poisson = poisson,
	};
	/* Evenly spaced datagrams start at at_ps, Poisson ones a random gap after it. */
	schedule(s, at_ps, poisson ? next_gap_ps(s) : 0);
	return &s->source;
}
