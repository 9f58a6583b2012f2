/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"
#include "prng.h"
#include "source.h"

struct building {
	struct fabric *fabric;
	const struct scenario_workload *workload;
	uint32_t index;
	struct source_common common;
	uint32_t *places; /* by host: where it is in the workload's to[], NOWHERE or TWICE */
};

#define NOWHERE UINT32_MAX
#define TWICE (UINT32_MAX - 1)

/* A stream of random numbers for each (workload, sender, receiver). */
static uint64_t
seed_of(const struct building *b, uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)b->index << 48 ^ (uint64_t)from << 24 ^ to;

	return prng_mix(b->fabric->scenario->seed ^ prng_mix(key + 1));
}

static int
add(const struct building *b, uint32_t from, struct source *source)
{
	if (source == NULL)
		return -ENOMEM;
	/* Its sources run where it lives. */
	if (b->fabric->scenario->hosts[from].remote) {
		source->ops->destroy(source);
		return 0;
	}
	return host_add_source(b->fabric->hosts[from], source);
}

static void
set_dscp(struct building *b, uint32_t from)
{
	int16_t dscp = b->workload->dscp;

	b->common.dscp = dscp == SCENARIO_DSCP_OF_HOST ? b->fabric->scenario->hosts[from].dscp
						       : (uint8_t)dscp;
}

static int
add_incast(struct building *b)
{
	const struct scenario_workload *w = b->workload;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->from_count; i++) {
		set_dscp(b, w->from[i]);
		for (uint32_t j = 0; rc == 0 && j < w->to_count; j++) {
			if (w->from[i] == w->to[j])
				continue;
			rc = add(b, w->from[i],
				 source_incast_create(&b->common, w->to[j], w->bytes, w->rounds,
						      w->at_ps, w->period_ps, w->jitter_ps,
						      seed_of(b, w->from[i], w->to[j])));
		}
	}
	return rc;
}

static int
add_elephants(struct building *b)
{
	const struct scenario_workload *w = b->workload;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->from_count; i++) {
		set_dscp(b, w->from[i]);
		rc = add(
			b, w->from[i],
			source_elephant_create(&b->common, w->to[i], w->bytes, w->count, w->at_ps));
	}
	return rc;
}

/* Mean gap between a sender's messages so that their bytes are `load` of its NIC's rate. */
static uint64_t
mean_gap_ps(const struct building *b, uint32_t from)
{
	const struct scenario_workload *w = b->workload;
	uint64_t rate_bps = b->fabric->peers[from].nic_rate_bps;
	unsigned __int128 load_bps = (unsigned __int128)rate_bps * w->load_q32 >> 32;

	if (load_bps == 0)
		load_bps = 1;
	return (uint64_t)((unsigned __int128)cdf_mean_bytes(&w->cdf) * 8 * UNITS_PS_PER_S /
			  load_bps);
}

static int
find_places(struct building *b)
{
	const struct scenario_workload *w = b->workload;
	uint32_t hosts = b->fabric->host_count;

	b->places = malloc((hosts + 1) * sizeof(*b->places));
	if (b->places == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < hosts; i++)
		b->places[i] = NOWHERE;
	for (uint32_t i = 0; i < w->to_count; i++)
		b->places[w->to[i]] = b->places[w->to[i]] == NOWHERE ? i : TWICE;
	return 0;
}

/*
 * The hosts of to[] without the sender. All senders share the one list; only a sender that is in
 * it more than once needs its own, which the fabric keeps.
 */
static int
others(struct building *b, uint32_t from, struct source_peers *peers)
{
	const struct scenario_workload *w = b->workload;
	uint32_t place = b->places[from];
	uint32_t *list;

	*peers = (struct source_peers){
		.hosts = w->to,
		.count = w->to_count - (place != NOWHERE),
		.skip = place == NOWHERE ? SOURCE_SKIPS_NOBODY : place,
	};
	if (place != TWICE)
		return 0;
	list = malloc((w->to_count + 1) * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	*peers = (struct source_peers){.hosts = list, .skip = SOURCE_SKIPS_NOBODY};
	for (uint32_t i = 0; i < w->to_count; i++) {
		if (w->to[i] != from)
			list[peers->count++] = w->to[i];
	}
	b->fabric->peer_lists[b->fabric->peer_list_count++] = list;
	return 0;
}

static int
add_spread(struct building *b)
{
	const struct scenario_workload *w = b->workload;
	int rc = find_places(b);

	for (uint32_t i = 0; rc == 0 && i < w->from_count; i++) {
		uint32_t from = w->from[i];
		struct source_peers peers;
		struct source *source;

		peers = (struct source_peers){
			.hosts = &w->to[i], .count = 1, .skip = SOURCE_SKIPS_NOBODY};
		rc = w->paired ? 0 : others(b, from, &peers);
		if (rc != 0 || peers.count == 0)
			continue;
		set_dscp(b, from);
		if (w->kind == SCENARIO_POISSON)
			source = source_poisson_create(&b->common, &peers, &w->cdf,
						       mean_gap_ps(b, from), w->at_ps, w->until_ps,
						       w->count, seed_of(b, from, 0));
		else
			source = source_udp_create(&b->common, &peers, w->frame_bytes, w->rate_bps,
						   w->poisson, w->at_ps, w->until_ps, w->count,
						   seed_of(b, from, 0));
		rc = add(b, from, source);
	}
	return rc;
}

static int
add_workload(struct building *b)
{
	switch (b->workload->kind) {
	case SCENARIO_INCAST:
		return add_incast(b);
	case SCENARIO_ELEPHANTS:
		return add_elephants(b);
	case SCENARIO_POISSON:
	case SCENARIO_UDP:
		return add_spread(b);
	}
	return -EINVAL;
}

static uint32_t
spread_senders(const struct scenario *s)
{
	uint32_t senders = 0;

	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		if (w->kind == SCENARIO_POISSON || w->kind == SCENARIO_UDP)
			senders += w->from_count;
	}
	return senders;
}

int
fabric_sources(struct fabric *f, char *why, size_t why_bytes)
{
	const struct scenario *s = f->scenario;
	int rc = 0;

	f->peer_lists = calloc(spread_senders(s) + 1, sizeof(*f->peer_lists));
	if (f->peer_lists == NULL)
		rc = -ENOMEM;
	for (uint32_t i = 0; rc == 0 && i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];
		struct building b = {
			.fabric = f,
			.workload = w,
			.index = i,
			.common = {.verb = w->verb,
				   .qps = w->qps,
				   .outstanding = w->outstanding,
				   .workload = (uint16_t)i,
				   .ect = w->ecn_capable},
		};

		rc = add_workload(&b);
		free(b.places);
		if (rc != 0)
			snprintf(why, why_bytes, "workload %s: %s", w->name, strerror(-rc));
	}
	return rc;
}
