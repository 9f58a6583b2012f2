/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two hosts back to back over two links, advanced in windows as the virtual engine does, with a
 * hook that sees every frame between the two and may drop, copy, mark, corrupt or swap it.
 */
#ifndef RAILYARD_TEST_HOST_PAIR_H
#define RAILYARD_TEST_HOST_PAIR_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mempool.h>

#include "eal.h"
#include "host.h"
#include "qp.h"

#define PAIR_MAX_PEERS 20
#define PAIR_FLOWS 4096
#define PAIR_RATE_BPS 100000000000ULL
#define PAIR_DELAY_PS 1000000ULL
#define PAIR_START_PS 10000000ULL

/* What becomes of a frame on its way. */
enum pair_fate { PAIR_PASS, PAIR_DROP, PAIR_COPY, PAIR_SWAP };

struct pair {
	struct host *host[2];
	struct link link[2]; /* link[i]: from host i to the other */
	struct host_cfg cfg[2];
	struct host_peer peers[PAIR_MAX_PEERS];
	struct host_env env;
	struct host_observer observer;
	struct rte_mempool *pool;
	uint32_t pool_bytes;
	uint32_t pool_packets;
	uint64_t now_ps;
	/* Called for each frame host `from` sent; p is NULL when it is not RoCE. */
	enum pair_fate (*hook)(struct pair *pair, int from, struct rte_mbuf *m,
			       const struct roce_packet *p);
	void *hook_context;
	/* host_observer.placed, with the pair as context. */
	void (*placed)(void *context, uint32_t host, uint32_t qpn, bool response, uint32_t psn,
		       uint32_t bytes);
	uint64_t copies;
	uint64_t losses;
	uint32_t flow_count;
	struct flow_record flows[PAIR_FLOWS];
};

/* A source that follows a script. */
struct script {
	struct source source;
	const struct message *messages;
	const uint64_t *due_ps; /* NULL: all at start_ps */
	uint64_t start_ps;
	uint32_t count;
	uint32_t next;
	uint32_t completed;
};

static inline uint64_t
script_due_ps(const struct source *source)
{
	const struct script *s = (const struct script *)source;

	if (s->next == s->count)
		return UNITS_NEVER_PS;
	return s->due_ps != NULL ? s->due_ps[s->next] : s->start_ps;
}

static inline void
script_take(struct source *source, uint64_t now_ps, struct message *out)
{
	struct script *s = (struct script *)source;

	*out = s->messages[s->next++];
}

static inline void
script_completed(struct source *source, uint64_t now_ps)
{
	((struct script *)source)->completed++;
}

static inline void
script_destroy(struct source *source)
{
	free(source);
}

static inline struct script *
script_add(struct pair *pair, int host, const struct message *messages, uint32_t count,
	   uint64_t start_ps)
{
	static const struct source_ops ops = {.name = "script",
					      .due_ps = script_due_ps,
					      .take = script_take,
					      .completed = script_completed,
					      .destroy = script_destroy};
	struct script *s = calloc(1, sizeof(*s));

	s->source.ops = &ops;
	s->messages = messages;
	s->count = count;
	s->start_ps = start_ps;
	ck_assert_int_eq(host_add_source(pair->host[host], &s->source), 0);
	return s;
}

static inline void
pair_flow(void *context, const struct flow_record *record)
{
	struct pair *pair = context;

	ck_assert_uint_lt(pair->flow_count, PAIR_FLOWS);
	pair->flows[pair->flow_count++] = *record;
}

/* Defaults: 100 Gb/s, 1 us, MTU 4096, no congestion control, PFC off. To be changed at will. */
static inline struct pair *
pair_new(void)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	pair->pool_bytes = PACKET_HEADER_ROOM_BYTES;
	pair->pool_packets = 16384;
	for (int i = 0; i < 2; i++) {
		struct host_cfg *cfg = &pair->cfg[i];

		snprintf(cfg->name, sizeof(cfg->name), "h%d", i);
		cfg->port.rate_bps = PAIR_RATE_BPS;
		cfg->port.pfc = (struct pfc_cfg){.quanta = 0xffff, .refresh_ps = 100000000};
		cfg->mtu_bytes = 4096;
		cfg->ecn_capable = true;
		cfg->cnp_dscp = 48;
		cfg->ack_dscp = -1;
		cfg->ttl = 64;
		cfg->cnp_interval_ps = 4000000;
		cfg->ack_coalesce = 1;
		cfg->retransmit_timeout_ps = 100000000;
		cfg->retry_limit = 7;
		cfg->max_read_outstanding = 16;
	}
	for (uint32_t i = 0; i < PAIR_MAX_PEERS; i++) {
		struct host_peer *peer = &pair->peers[i];

		*peer = (struct host_peer){.mtu_bytes = 4096, .nic_rate_bps = PAIR_RATE_BPS};
		peer->address = (struct roce_address){.mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)},
						      .ip = {10, 0, 0, (uint8_t)(i + 1)}};
	}
	pair->env.seed = 1;
	pair->env.host_count = PAIR_MAX_PEERS;
	return pair;
}

static inline void
pair_start(struct pair *pair)
{
	static uint32_t pools;
	char name[32];

	snprintf(name, sizeof(name), "pair-%u", pools++);
	pair->pool = packet_pool_create(name, pair->pool_packets, pair->pool_bytes);
	ck_assert_ptr_nonnull(pair->pool);
	pair->observer =
		(struct host_observer){.context = pair, .flow = pair_flow, .placed = pair->placed};
	pair->env.peers = pair->peers;
	pair->env.pool = pair->pool;
	pair->env.host_observer = &pair->observer;
	for (uint32_t i = 0; i < 2; i++) {
		memcpy(pair->cfg[i].port.mac, pair->peers[i].address.mac, 6);
		ck_assert_int_eq(link_init(&pair->link[i], PAIR_DELAY_PS), 0);
		ck_assert_int_eq(host_create(&pair->host[i], &pair->cfg[i], &pair->env, i, i), 0);
	}
	node_attach(host_node(pair->host[0]), 0, &pair->link[0], &pair->link[1]);
	node_attach(host_node(pair->host[1]), 0, &pair->link[1], &pair->link[0]);
}

static inline void
pair_check(struct pair *pair)
{
	char why[256] = "";

	for (int i = 0; i < 2; i++) {
		struct node *node = host_node(pair->host[i]);

		ck_assert_msg(node->ops->check(node, why, sizeof(why)) == 0, "%s", why);
	}
}

/* Let the hook decide what becomes of the frames host `from` has sent. */
static inline void
pair_filter(struct pair *pair, int from)
{
	struct link_batch *staged = &pair->link[from].staged[0];
	struct link_entry *in = staged->entries;
	uint32_t count = staged->count;

	if (pair->hook == NULL || count == 0)
		return;
	staged->entries = malloc(2 * count * sizeof(*in));
	staged->size = 2 * count;
	staged->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = in[i].packet;
		struct roce_packet p;
		bool is_roce = packet_of(m)->flags & PACKET_ROCE && roce_decode(m, &p) == 0;
		enum pair_fate fate = pair->hook(pair, from, m, is_roce ? &p : NULL);

		if (fate == PAIR_DROP) {
			packet_free(m);
			pair->losses++;
			continue;
		}
		if (fate == PAIR_SWAP && i + 1 < count) {
			in[i].packet = in[i + 1].packet;
			in[i + 1].packet = m;
			m = in[i].packet;
		}
		staged->entries[staged->count++] = in[i];
		if (fate == PAIR_COPY) {
			struct link_entry again = in[i];

			again.packet = packet_copy(m, pair->pool);
			staged->entries[staged->count++] = again;
			pair->copies++;
		}
	}
	free(in);
}

/* Run until until_ps or until nothing is left to do; true when nothing is left. */
static inline bool
pair_run(struct pair *pair, uint64_t until_ps)
{
	for (;;) {
		uint64_t due_ps[2], first_ps, end_ps;

		for (int i = 0; i < 2; i++)
			pair_filter(pair, i);
		for (int i = 0; i < 2; i++)
			due_ps[i] = node_collect(host_node(pair->host[i]));
		first_ps = RTE_MIN(due_ps[0], due_ps[1]);
		if (first_ps >= until_ps) {
			if (first_ps != UNITS_NEVER_PS)
				pair->now_ps = until_ps;
			return first_ps == UNITS_NEVER_PS;
		}
		end_ps = first_ps + PAIR_DELAY_PS;
		if (end_ps > until_ps)
			end_ps = until_ps;
		for (int i = 0; i < 2; i++) {
			if (due_ps[i] < end_ps)
				node_advance(host_node(pair->host[i]), end_ps);
		}
		pair->now_ps = end_ps;
	}
}

/* Everything sent has ended in one way, nothing is held, and every packet buffer is back. */
static inline void
pair_finish(struct pair *pair)
{
	uint64_t made = pair->copies, ended = pair->losses;

	pair_check(pair);
	for (int i = 0; i < 2; i++) {
		struct node *node = host_node(pair->host[i]);

		ck_assert_uint_eq(node->no_buffers, 0);
		ck_assert_uint_eq(node->ops->held(node), 0);
		made += node->counters.created + node->counters.copied;
		ended +=
			node->counters.delivered + node->counters.consumed + node->counters.dropped;
	}
	ck_assert_uint_eq(made, ended);
	ck_assert_uint_eq(rte_mempool_avail_count(pair->pool), pair->pool->size);
}

/* Host 0 posts `count` messages; all complete, in order, and arrive once. */
static inline void
pair_run_messages(struct pair *pair, const struct message *messages, uint32_t count)
{
	struct script *s = script_add(pair, 0, messages, count, PAIR_START_PS);
	const struct host_results *sender = host_results(pair->host[0]);
	const struct host_results *receiver = host_results(pair->host[1]);
	uint64_t pushed = 0, pulled = 0;
	uint32_t next[256] = {0};

	for (uint32_t i = 0; i < count; i++) {
		if (messages[i].verb == VERB_READ)
			pulled += messages[i].bytes;
		else
			pushed += messages[i].bytes;
	}
	ck_assert(pair_run(pair, 100 * UNITS_PS_PER_MS));
	pair_finish(pair);
	ck_assert(host_done(pair->host[0]));
	ck_assert_uint_eq(s->completed, count);
	ck_assert_uint_eq(sender->messages_posted, count);
	ck_assert_uint_eq(sender->messages_completed, count);
	ck_assert_uint_eq(sender->messages_failed, 0);
	ck_assert_uint_eq(receiver->messages_delivered + sender->messages_delivered, count);
	ck_assert_uint_eq(receiver->bytes_delivered, pushed);
	ck_assert_uint_eq(sender->bytes_delivered, pulled);
	ck_assert_uint_eq(pair->flow_count, count);
	/* Completions of one QP come in the order of posting. */
	for (uint32_t i = 0; i < count; i++) {
		const struct flow_record *flow = &pair->flows[i];
		uint8_t qp = (uint8_t)flow->source_qp;

		while (messages[next[qp]].qp != qp)
			next[qp]++;
		ck_assert_uint_eq(flow->bytes, messages[next[qp]].bytes);
		ck_assert_int_eq(flow->verb, messages[next[qp]].verb);
		ck_assert_uint_ge(flow->end_ps, flow->start_ps);
		next[qp]++;
	}
}

static inline void
pair_free(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		struct node *node = host_node(pair->host[i]);

		node->ops->destroy(node);
		link_fini(&pair->link[i]);
	}
	rte_mempool_free(pair->pool);
	free(pair);
}

#endif
