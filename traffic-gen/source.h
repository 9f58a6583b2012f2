/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A source is the part of a workload that lives on one host: it hands out messages lazily
 * (send these bytes to that peer at this time, or once that one is done), so that no schedule
 * is computed beforehand. One file a workload: source_incast.c, source_elephant.c, ...
 */
#ifndef RAILYARD_SOURCE_H
#define RAILYARD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "prng.h"
#include "units.h"

enum verb { VERB_SEND, VERB_SEND_IMM, VERB_WRITE, VERB_WRITE_IMM, VERB_READ, VERB_UDP };

/* A request to the host. VERB_UDP: one datagram frame, fire and forget. */
struct message {
	uint32_t peer;  /* host id */
	uint64_t bytes; /* payload; VERB_UDP: frame bytes, FCS counted */
	enum verb verb;
	uint8_t dscp;
	uint8_t qp;          /* which of the pair's queue pairs */
	bool ect;            /* VERB_UDP: ECN-capable, ECT(0) */
	uint16_t workload;   /* index in the configuration, for results */
	bool last_of_source; /* the source has nothing after this one */
};

struct source;

struct source_ops {
	const char *name;
	/* When the next message is due: UNITS_NEVER_PS when none, or when one is waited for. */
	uint64_t (*due_ps)(const struct source *s);
	/* Hand out the message that is due at now_ps (due_ps(s) <= now_ps). */
	void (*take)(struct source *s, uint64_t now_ps, struct message *out);
	/* A message of this source completed at now_ps. May be NULL. */
	void (*completed)(struct source *s, uint64_t now_ps);
	void (*destroy)(struct source *s);
};

struct source {
	const struct source_ops *ops;
};

/* A flow-size distribution: bytes against cumulative share, linear between points. */
struct cdf_point {
	uint64_t bytes;
	uint64_t share_q32; /* of 2^32; the last point is 1 << 32 */
};

struct cdf {
	uint32_t count;
	const struct cdf_point *points;
};

uint64_t cdf_sample(const struct cdf *cdf, struct prng *prng);
uint64_t cdf_mean_bytes(const struct cdf *cdf);

/* What every message of a source has in common. */
struct source_common {
	enum verb verb;
	uint8_t dscp;
	uint8_t qps; /* spread successive messages over the pair's first `qps` QPs */
	bool ect;    /* datagrams are ECN-capable */
	uint16_t workload;
	uint32_t outstanding; /* elephants: messages under way at once; 0 = 1 */
};

/* QP index of a source's n-th message. */
static inline uint8_t
source_qp(const struct source_common *common, uint32_t n)
{
	return common->qps > 1 ? n % common->qps : 0;
}

/* An exponential gap of any mean: prng_exponential wants it below 2^40. */
static inline uint64_t
source_exponential_gap_ps(struct prng *prng, uint64_t mean_ps)
{
	uint32_t shift = mean_ps >> 39 == 0 ? 0 : 25;

	return prng_exponential(prng, mean_ps >> shift) << shift;
}

/*
 * The sources below are NULL when memory is short. `seed` is one of the source's own: the same
 * parameters and seed give the same messages.
 *
 * One sender of an incast: `rounds` messages (0 = no end) to one peer, round k at at_ps +
 * k * period_ps plus a uniform jitter below jitter_ps. period_ps == 0: the next round starts
 * when this one has completed.
 */
struct source *source_incast_create(const struct source_common *common, uint32_t peer,
				    uint64_t bytes, uint32_t rounds, uint64_t at_ps,
				    uint64_t period_ps, uint64_t jitter_ps, uint64_t seed);

/*
 * Messages of `bytes` to one peer, `count` of them (0 = no end): the next one starts when fewer
 * than `outstanding` are under way.
 */
struct source *source_elephant_create(const struct source_common *common, uint32_t peer,
				      uint64_t bytes, uint32_t count, uint64_t at_ps);

/* Whom to send to: a list that sources may share, each leaving one place of it out. */
struct source_peers {
	const uint32_t *hosts; /* [count], and one more when one is left out; outlives the source */
	uint32_t count;
	uint32_t skip; /* index left out, the sender's own; SOURCE_SKIPS_NOBODY = none */
};

#define SOURCE_SKIPS_NOBODY UINT32_MAX

static inline uint32_t
source_peer(const struct source_peers *peers, uint32_t n)
{
	return peers->hosts[n + (n >= peers->skip)];
}

/*
 * Poisson arrivals of mean gap mean_gap_ps in [at_ps, until_ps), sizes from a distribution, to
 * peers drawn uniformly; at most `count` messages (0 = no limit). The distribution outlives the
 * source.
 */
struct source *source_poisson_create(const struct source_common *common,
				     const struct source_peers *peers, const struct cdf *cdf,
				     uint64_t mean_gap_ps, uint64_t at_ps, uint64_t until_ps,
				     uint32_t count, uint64_t seed);

/*
 * Background datagrams of frame_bytes at rate_bps (frame bytes and wire overhead counted) in
 * [at_ps, until_ps), evenly spaced or Poisson, to peers in turn; at most `count` (0 = no limit).
 */
struct source *source_udp_create(const struct source_common *common,
				 const struct source_peers *peers, uint32_t frame_bytes,
				 uint64_t rate_bps, bool poisson, uint64_t at_ps, uint64_t until_ps,
				 uint32_t count, uint64_t seed);

#endif
