/* SPDX-License-Identifier: BSD-3-Clause */
#include "qp.h"

#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "host_state.h"
#include "selective.h"

/* No path is ready for this DSCP. */
#define NO_DSCP 0xff

uint32_t
qp_first_psn(uint64_t seed, uint32_t from, uint32_t to, uint8_t pair)
{
	uint64_t names = (uint64_t)from << 40 | (uint64_t)to << 8 | pair;

	return (uint32_t)prng_mix(prng_mix(seed) ^ prng_mix(names + 1)) & ROCE_PSN_MASK;
}

int
qp_table_init(struct qp_table *table)
{
	*table = (struct qp_table){.slot_bits = 4};
	table->slots = calloc(1u << table->slot_bits, sizeof(*table->slots));
	table->all = calloc(1u << (table->slot_bits - 1), sizeof(*table->all));
	return table->slots == NULL || table->all == NULL ? -ENOMEM : 0;
}

void
qp_table_fini(struct qp_table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		selective_free(table->all[i]->selective);
		free(table->all[i]->requests);
		free(table->all[i]->jobs);
		free(table->all[i]);
	}
	free(table->slots);
	free(table->all);
	*table = (struct qp_table){0};
}

static void
table_insert(struct qp_table *table, struct qp *qp)
{
	uint32_t mask = (1u << table->slot_bits) - 1;
	uint32_t at = qp->qpn * 0x9e3779b1u >> (32 - table->slot_bits);

	while (table->slots[at] != NULL)
		at = (at + 1) & mask;
	table->slots[at] = qp;
}

/* Room for one more, so that the table stays at most half full. */
static int
table_grow(struct qp_table *table)
{
	struct qp **slots, **all;

	if (table->count < 1u << (table->slot_bits - 1))
		return 0;
	all = realloc(table->all, sizeof(*all) << table->slot_bits);
	if (all == NULL)
		return -ENOMEM;
	table->all = all;
	slots = calloc(2u << table->slot_bits, sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	free(table->slots);
	table->slots = slots;
	table->slot_bits++;
	for (uint32_t i = 0; i < table->count; i++)
		table_insert(table, table->all[i]);
	return 0;
}

static void
qp_init(struct host *host, struct qp *qp, uint32_t peer, uint8_t pair)
{
	const struct host_env *env = host->env;
	const struct host_cfg *cfg = host->cfg;

	enum neighbour_state state = neighbour_state_of(host, peer);

	for (uint8_t kind = 0; kind <= NIC_CNP; kind++) {
		qp->contexts[kind].kind = kind;
		qp->contexts[kind].place = state == NEIGHBOUR_RESOLVED ? NIC_IDLE : NIC_BARRED;
	}
	qp->error = state == NEIGHBOUR_FAILED;
	qp->peer = peer;
	qp->pair = pair;
	qp->qpn = qp_number(peer, pair);
	qp->remote_qpn = qp_number(host->id, pair);
	qp->first_psn = qp_first_psn(env->seed, host->id, peer, pair);
	qp->expected_psn = qp_first_psn(env->seed, peer, host->id, pair);
	qp->mtu_bytes = RTE_MIN(cfg->mtu_bytes, env->peers[peer].mtu_bytes);
	qp->mtu_log2 = (uint8_t)__builtin_ctz(qp->mtu_bytes);
	qp->deadline_ps = UNITS_NEVER_PS;
	qp->pace_rate_bps = UINT64_MAX;
	memset(qp->path_dscp, NO_DSCP, sizeof(qp->path_dscp));
	congestion_init(&qp->congestion, &cfg->congestion, cfg->port.rate_bps);
}

static bool
qp_selective(const struct host *host, uint32_t peer)
{
	return host->cfg->receiver.ordering == RECEIVER_OUT_OF_ORDER &&
	       host->env->peers[peer].reorder_packets != 0;
}

static struct qp *
qp_create(struct host *host, uint32_t peer, uint8_t pair)
{
	struct qp_table *table = &host->qps;
	struct qp *qp;

	/* Of each QP two contexts may wait for pacing, and one entry for its timer. */
	if (table_grow(table) != 0 || heap_reserve(&host->nic.paced, 2 * (table->count + 1)) != 0 ||
	    heap_reserve(&host->retransmit, table->count + 1) != 0)
		return NULL;
	qp = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*qp));
	if (qp == NULL)
		return NULL;
	memset(qp, 0, sizeof(*qp));
	if (qp_selective(host, peer)) {
		qp->selective = selective_new(host->env->peers[peer].reorder_packets);
		if (qp->selective == NULL) {
			free(qp);
			return NULL;
		}
	}
	qp_init(host, qp, peer, pair);
	table->all[table->count++] = qp;
	table_insert(table, qp);
	return qp;
}

struct qp *
qp_get(struct host *host, uint32_t qpn)
{
	struct qp *qp = qp_find(&host->qps, qpn);
	uint32_t peer = (qpn >> QP_PAIR_BITS) - 1;

	if (likely(qp != NULL))
		return qp;
	if (peer >= host->env->host_count || peer == host->id)
		return NULL;
	return qp_create(host, peer, (uint8_t)qpn);
}

void
qp_path_init(const struct host *host, struct roce_path *path, uint32_t peer,
	     uint16_t udp_source_port, uint8_t traffic_class)
{
	const struct host_cfg *cfg = host->cfg;
	const struct host_peer *peers = host->env->peers;
	struct roce_path_cfg path_cfg = {
		.source = peers[host->id].address,
		.destination = peers[peer].address,
		.udp_source_port = udp_source_port,
		.traffic_class = traffic_class,
		.ttl = cfg->ttl,
		.has_vlan = cfg->has_vlan,
		.vlan_tci = (uint16_t)((cfg->vlan_tci & 0x1fff) |
				       host_priority(host, traffic_class >> 2) << 13),
	};

	memcpy(path_cfg.destination.mac, neighbour_mac(host, peer), 6);
	roce_path_init(path, &path_cfg);
}

const struct roce_path *
qp_path(struct host *host, struct qp *qp, enum qp_path which, uint8_t dscp)
{
	struct roce_path *path = &qp->paths[which];

	if (unlikely(qp->path_dscp[which] != dscp)) {
		qp_path_init(host, path, qp->peer, roce_udp_source_port(qp->qpn, qp->remote_qpn),
			     (uint8_t)(dscp << 2 | host->data_ecn));
		qp->path_dscp[which] = dscp;
	}
	return path;
}

const struct roce_path *
qp_data_path(struct host *host, struct qp *qp, uint8_t dscp)
{
	const struct roce_path *path = qp_path(host, qp, QP_PATH_DATA, dscp);
	uint32_t port;

	if (likely(host->cfg->entropy.ports <= 1))
		return path;
	port = roce_udp_source_port(qp->qpn, qp->remote_qpn) + qp->entropy;
	qp->entropy = qp->entropy + 1 < host->cfg->entropy.ports ? qp->entropy + 1 : 0;
	roce_path_set_source_port(&qp->paths[QP_PATH_DATA],
				  (uint16_t)(0xc000 | (port % ROCE_SOURCE_PORTS)));
	return path;
}

static void
pace_at(const struct host *host, struct qp *qp, uint64_t rate_bps)
{
	qp->pace_rate_bps = rate_bps;
	if (rate_bps >= host->cfg->port.rate_bps)
		qp->pace_ps_q16 = 0; /* the serializer is the limit */
	else
		qp->pace_ps_q16 = (8 * UNITS_PS_PER_S << 16) / RTE_MAX(rate_bps, 1000u);
}

uint64_t
qp_pace_ps(const struct host *host, struct qp *qp, uint64_t now_ps)
{
	uint64_t rate_bps = congestion_rate_bps(&qp->congestion, &host->cfg->congestion, now_ps);

	if (rate_bps != qp->pace_rate_bps)
		pace_at(host, qp, rate_bps);
	return qp->last_start_ps + (qp->last_wire_bytes * qp->pace_ps_q16 >> 16);
}

void
qp_sent(struct host *host, struct qp *qp, uint32_t frame_bytes, uint64_t now_ps)
{
	host->results.data_packets_sent++;
	qp->last_start_ps = now_ps;
	qp->last_wire_bytes = frame_bytes + UNITS_WIRE_OVERHEAD_BYTES;
	if (host->cfg->congestion.kind != CONGESTION_NONE)
		congestion_sent(&qp->congestion, &host->cfg->congestion, now_ps, frame_bytes);
}

/* The pacing time of CNPs that this QP shares with others, by scope. */
static uint64_t *
cnp_next(struct host *host, struct qp *qp)
{
	struct qp *first;

	switch (host->cfg->cnp_scope) {
	case CNP_PER_PORT:
		return &host->cnp_next_ps;
	case CNP_PER_IP:
		/* The pair's first QP stands for the peer. */
		first = qp_get(host, qp_number(qp->peer, 0));
		return first == NULL ? &qp->cnp_next_ps : &first->cnp_next_ps;
	case CNP_PER_QP:
		break;
	}
	return &qp->cnp_next_ps;
}

void
qp_owe_cnp(struct host *host, struct qp *qp, uint64_t now_ps)
{
	uint64_t *next_ps = cnp_next(host, qp);

	if (now_ps < *next_ps)
		return;
	*next_ps = now_ps + host->cfg->cnp_interval_ps;
	nic_ready(host, &qp->contexts[NIC_CNP], host_priority(host, host->cfg->cnp_dscp), now_ps);
}

void
qp_notify_congestion(struct host *host, struct qp *qp, uint64_t now_ps)
{
	host->results.ce_received++;
	qp_owe_cnp(host, qp, now_ps);
}

struct rte_mbuf *
qp_send_cnp(struct host *host, struct qp *qp)
{
	struct roce_packet p = {.opcode = ROCE_CNP, .becn = true, .dest_qp = qp->remote_qpn};
	struct rte_mbuf *m = node_new_packet(&host->node);
	struct roce_path path;

	if (m == NULL)
		return NULL;
	/* ECT(0), as ConnectX sends them. */
	qp_path_init(host, &path, qp->peer, roce_udp_source_port(qp->qpn, qp->remote_qpn),
		     (uint8_t)(host->cfg->cnp_dscp << 2 | PACKET_ECT0));
	roce_encode(m, &path, &p, host->cfg->with_payload);
	host->results.cnp_sent++;
	return m;
}
