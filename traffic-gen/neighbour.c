/* SPDX-License-Identifier: BSD-3-Clause */
#include "neighbour.h"

#include <stdlib.h>
#include <string.h>

#include "host_state.h"
#include "requester.h"

#define VLAN_ID_MASK 0xfff

void
neighbour_init(struct host *host)
{
	const struct host_cfg *cfg = host->cfg;

	host->neighbours = (struct neighbours){
		.context.kind = NIC_NEIGHBOUR,
		.me =
			{
				.address = host->env->peers[host->id].address,
				.vlan_id = cfg->has_vlan ? cfg->vlan_tci & VLAN_ID_MASK : 0,
				.ttl = cfg->ttl,
			},
	};
}

void
neighbour_fini(struct neighbours *n)
{
	while (n->head != n->tail)
		packet_free(n->ring[n->head++ % NEIGHBOUR_RING]);
	free(n->ring);
	free(n->peers);
	heap_fini(&n->due);
}

uint8_t
neighbour_priority(const struct neighbours *n)
{
	return packet_of(n->ring[n->head % NEIGHBOUR_RING])->traffic_class >> 5;
}

struct rte_mbuf *
neighbour_send(struct host *host)
{
	return host->neighbours.ring[host->neighbours.head++ % NEIGHBOUR_RING];
}

/* Into the ring; whether it had room. */
static bool
submit(struct host *host, struct rte_mbuf *m, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;

	if (n->ring == NULL)
		n->ring = malloc(NEIGHBOUR_RING * sizeof(struct rte_mbuf *));
	if (n->ring == NULL || n->tail - n->head == NEIGHBOUR_RING) {
		node_drop(&host->node, 0, packet_of(m)->traffic_class >> 5, DROP_HOST_QUEUE, m,
			  now_ps);
		return false;
	}
	n->ring[n->tail++ % NEIGHBOUR_RING] = m;
	nic_ready(host, &n->context, neighbour_priority(n), now_ps);
	return true;
}

enum neighbour_state
neighbour_state_of(const struct host *host, uint32_t peer)
{
	if (!host->env->peers[peer].mac_unknown)
		return NEIGHBOUR_RESOLVED;
	if (host->neighbours.peers == NULL)
		return NEIGHBOUR_UNKNOWN;
	return (enum neighbour_state)host->neighbours.peers[peer].state;
}

const uint8_t *
neighbour_mac(const struct host *host, uint32_t peer)
{
	if (host->env->peers[peer].mac_unknown && host->neighbours.peers != NULL)
		return host->neighbours.peers[peer].mac;
	return host->env->peers[peer].address.mac;
}

static void
ask(struct host *host, uint32_t peer, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;
	struct rte_mbuf *m = node_new_packet(&host->node);

	/* Without a packet buffer it counts as asked for in vain: there is a next time. */
	n->peers[peer].tries++;
	heap_push(&n->due, now_ps + NEIGHBOUR_RETRY_PS, (void *)(uintptr_t)peer);
	if (m == NULL)
		return;
	neighbour_encode_request(&n->me, host->env->peers[peer].address.ip, m);
	host->results.neighbours_asked += submit(host, m, now_ps);
}

void
neighbour_want(struct host *host, uint32_t peer, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;

	if (neighbour_state_of(host, peer) != NEIGHBOUR_UNKNOWN)
		return;
	if (n->peers == NULL)
		n->peers = calloc(host->env->host_count, sizeof(*n->peers));
	/* Without memory there is no run. */
	if (n->peers == NULL || heap_reserve(&n->due, n->due.count + 1) != 0)
		abort();
	n->peers[peer].state = NEIGHBOUR_RESOLVING;
	n->resolving++;
	ask(host, peer, now_ps);
	host_schedule(host);
}

/* It is known, or it will not be: whoever waited for it goes on, or fails. */
static void
settle(struct host *host, uint32_t peer, enum neighbour_state state, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;

	n->resolving -= n->peers[peer].state == NEIGHBOUR_RESOLVING;
	n->peers[peer].state = (uint8_t)state;
	for (uint32_t i = 0; i < host->qps.count; i++) {
		struct qp *qp = host->qps.all[i];

		if (qp->peer != peer || qp->error)
			continue;
		if (state == NEIGHBOUR_RESOLVED)
			nic_admit(host, qp->contexts, NIC_CNP + 1, now_ps);
		else
			requester_fail(host, qp, now_ps);
	}
	datagram_release(host, peer, now_ps);
	host_schedule(host);
}

void
neighbour_run(struct host *host, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;

	while (heap_due_ps(&n->due) <= now_ps) {
		uint32_t peer = (uint32_t)(uintptr_t)heap_pop(&n->due).item;

		if (n->peers[peer].state != NEIGHBOUR_RESOLVING)
			continue;
		if (n->peers[peer].tries < NEIGHBOUR_TRIES) {
			ask(host, peer, now_ps);
			continue;
		}
		host->results.neighbours_lost++;
		settle(host, peer, NEIGHBOUR_FAILED, now_ps);
	}
}

/* Someone says whose an address is: of interest while it is one that was asked for in vain. */
static void
learn(struct host *host, const struct neighbour_claim *claim, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;
	uint32_t ip_bytes = n->me.address.is_ipv6 ? 16 : 4;

	for (uint32_t i = 0; n->peers != NULL && i < host->env->host_count; i++) {
		const struct roce_address *a = &host->env->peers[i].address;

		if ((n->peers[i].state != NEIGHBOUR_RESOLVING &&
		     n->peers[i].state != NEIGHBOUR_FAILED) ||
		    a->is_ipv6 != n->me.address.is_ipv6 || memcmp(a->ip, claim->ip, ip_bytes) != 0)
			continue;
		memcpy(n->peers[i].mac, claim->mac, 6);
		settle(host, i, NEIGHBOUR_RESOLVED, now_ps);
	}
}

/* Answer what m asks, or drop it for want of a packet buffer. */
static void
answer(struct host *host, struct rte_mbuf *m, const struct neighbour_claim *asked, uint64_t now_ps)
{
	struct neighbours *n = &host->neighbours;
	struct rte_mbuf *reply = node_new_packet(&host->node);

	if (reply == NULL) {
		node_drop(&host->node, 0, packet_of(m)->traffic_class >> 5, DROP_NO_MBUF, m,
			  now_ps);
		return;
	}
	if (asked != NULL) {
		neighbour_encode_answer(&n->me, asked, reply);
		host->results.neighbours_answered += submit(host, reply, now_ps);
	} else {
		neighbour_encode_echo(&n->me, m, reply);
		host->results.echoes_answered += submit(host, reply, now_ps);
	}
	node_consume(&host->node, m, now_ps);
}

bool
neighbour_arrive(struct host *host, struct rte_mbuf *m, uint64_t now_ps)
{
	struct neighbour_claim claim;
	enum neighbour_kind kind = neighbour_decode(&host->neighbours.me, m, &claim);

	if (kind == NEIGHBOUR_OTHER)
		return false;
	if (kind == NEIGHBOUR_MALFORMED) {
		node_drop(&host->node, 0, packet_of(m)->traffic_class >> 5, DROP_MALFORMED, m,
			  now_ps);
		return true;
	}
	if (kind != NEIGHBOUR_ECHO && claim.mac_claimed)
		learn(host, &claim, now_ps);
	if (kind == NEIGHBOUR_ANSWER)
		node_consume(&host->node, m, now_ps);
	else
		answer(host, m, kind == NEIGHBOUR_REQUEST ? &claim : NULL, now_ps);
	return true;
}
