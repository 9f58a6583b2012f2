/* SPDX-License-Identifier: BSD-3-Clause */
#include "datagram.h"

#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "host_state.h"

#define UDP_HEADER_BYTES 8u

void
datagram_init(struct datagrams *datagrams)
{
	*datagrams = (struct datagrams){0};
	for (uint8_t i = 0; i < NIC_PRIORITIES; i++)
		datagrams->queues[i].context.kind = NIC_DATAGRAM;
}

void
datagram_fini(struct datagrams *datagrams)
{
	for (uint8_t i = 0; i < NIC_PRIORITIES; i++)
		free(datagrams->queues[i].ring);
	free(datagrams->aside);
	free(datagrams->counts);
}

/* NULL when memory is short. */
static struct datagram_counts *
counts_of(struct datagrams *all, uint16_t workload)
{
	struct datagram_counts *counts = all->counts;
	uint32_t count = workload + 1u;

	if (likely(workload < all->count_count))
		return &counts[workload];
	counts = realloc(counts, count * sizeof(*counts));
	if (counts == NULL)
		return NULL;
	memset(&counts[all->count_count], 0, (count - all->count_count) * sizeof(*counts));
	all->counts = counts;
	all->count_count = count;
	return &counts[workload];
}

/* Lengths and checksums for a UDP datagram of zeros that fills the frame. */
static void
finish_headers(uint8_t *frame, const struct roce_path *path, uint32_t frame_bytes)
{
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(frame + path->l4_ofs);
	uint32_t l4_bytes = frame_bytes - UNITS_FCS_BYTES - path->l4_ofs;

	udp->dst_port = rte_cpu_to_be_16(DATAGRAM_UDP_PORT);
	udp->dgram_len = rte_cpu_to_be_16((uint16_t)l4_bytes);
	udp->dgram_cksum = 0;
	if (path->is_ipv6) {
		struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(frame + path->l3_ofs);
		uint32_t sum;

		ip->payload_len = rte_cpu_to_be_16((uint16_t)l4_bytes);
		/* Zeros add nothing: the sum over the headers is that over the datagram. */
		sum = rte_ipv6_phdr_cksum(ip, 0) + rte_raw_cksum(udp, sizeof(*udp));
		sum = (sum & 0xffff) + (sum >> 16);
		udp->dgram_cksum = (uint16_t)~sum == 0 ? 0xffff : (uint16_t)~sum;
	} else {
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(frame + path->l3_ofs);

		ip->total_length =
			rte_cpu_to_be_16((uint16_t)(l4_bytes + path->l4_ofs - path->l3_ofs));
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
	}
}

static void
encode(struct host *host, const struct datagram *d, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	/* One dynamic port a pair of hosts, so that it is one flow to a load balancer. */
	uint16_t port = 0xc000 | (prng_mix((uint64_t)host->id << 32 | d->peer) & 0x3fff);
	struct packet *k = packet_of(m);
	struct roce_path path;
	uint32_t stored, least;

	qp_path_init(host, &path, d->peer, port,
		     (uint8_t)(d->dscp << 2 | (d->ect ? PACKET_ECT0 : PACKET_NOT_ECT)));
	stored = path.l4_ofs + UDP_HEADER_BYTES;
	least = RTE_MAX(UNITS_MIN_FRAME_BYTES, stored + UNITS_FCS_BYTES);
	k->frame_bytes = RTE_MAX(d->frame_bytes, least);
	memcpy(frame, path.bytes, stored);
	finish_headers(frame, &path, k->frame_bytes);
	if (host->cfg->with_payload &&
	    rte_pktmbuf_tailroom(m) >= k->frame_bytes - UNITS_FCS_BYTES) {
		memset(frame + stored, 0, k->frame_bytes - UNITS_FCS_BYTES - stored);
		stored = k->frame_bytes - UNITS_FCS_BYTES;
	}
	k->elided = stored < k->frame_bytes - UNITS_FCS_BYTES;
	m->data_len = (uint16_t)stored;
	m->pkt_len = stored;
	k->flags = PACKET_PARSED | PACKET_UDP | (path.is_ipv6 ? PACKET_IPV6 : PACKET_IPV4) |
		   (path.has_vlan ? PACKET_VLAN : 0);
	k->l3_ofs = path.l3_ofs;
	k->l4_ofs = path.l4_ofs;
	k->traffic_class = path.traffic_class;
	k->vlan_tci = path.vlan_tci;
	k->workload = d->workload;
}

static void
refuse(struct host *host, const struct datagram *d, enum drop_reason reason, uint64_t now_ps)
{
	struct rte_mbuf *m = node_new_packet(&host->node);

	if (m == NULL)
		return;
	encode(host, d, m);
	node_drop(&host->node, 0, host_priority(host, d->dscp), reason, m, now_ps);
}

static void
enqueue(struct host *host, const struct datagram *d, uint64_t now_ps)
{
	uint8_t priority = host_priority(host, d->dscp);
	struct datagram_queue *queue = &host->datagrams.queues[priority];

	if (queue->ring == NULL)
		queue->ring = malloc(DATAGRAM_RING * sizeof(*queue->ring));
	if (queue->ring == NULL || queue->tail - queue->head == DATAGRAM_RING) {
		refuse(host, d, DROP_HOST_QUEUE, now_ps);
		return;
	}
	queue->ring[queue->tail++ % DATAGRAM_RING] = *d;
	nic_ready(host, &queue->context, priority, now_ps);
}

/* Until its peer is known. */
static void
set_aside(struct host *host, const struct datagram *d, uint64_t now_ps)
{
	struct datagrams *all = &host->datagrams;

	neighbour_want(host, d->peer, now_ps);
	if (all->aside == NULL)
		all->aside = malloc(DATAGRAM_RING * sizeof(*all->aside));
	if (all->aside == NULL || all->aside_count == DATAGRAM_RING)
		refuse(host, d, DROP_HOST_QUEUE, now_ps);
	else
		all->aside[all->aside_count++] = *d;
}

static void
post(struct host *host, const struct datagram *d, uint64_t now_ps)
{
	enum neighbour_state state = neighbour_state_of(host, d->peer);

	if (likely(state == NEIGHBOUR_RESOLVED))
		enqueue(host, d, now_ps);
	else if (state == NEIGHBOUR_FAILED)
		refuse(host, d, DROP_NO_NEIGHBOUR, now_ps);
	else
		set_aside(host, d, now_ps);
}

void
datagram_post(struct host *host, const struct message *message, uint64_t now_ps)
{
	struct datagram d = {.peer = message->peer,
			     .frame_bytes = (uint32_t)message->bytes,
			     .dscp = message->dscp,
			     .ect = message->ect,
			     .workload = message->workload};

	post(host, &d, now_ps);
}

void
datagram_release(struct host *host, uint32_t peer, uint64_t now_ps)
{
	struct datagrams *all = &host->datagrams;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->aside_count; i++) {
		if (all->aside[i].peer == peer)
			post(host, &all->aside[i], now_ps);
		else
			all->aside[kept++] = all->aside[i];
	}
	all->aside_count = kept;
}

struct rte_mbuf *
datagram_send(struct host *host, struct datagram_queue *queue)
{
	const struct datagram *d = &queue->ring[queue->head % DATAGRAM_RING];
	struct rte_mbuf *m = node_new_packet(&host->node);
	struct datagram_counts *counts;

	if (m == NULL)
		return NULL;
	queue->head++;
	encode(host, d, m);
	host->results.udp_sent++;
	counts = counts_of(&host->datagrams, d->workload);
	if (counts != NULL)
		counts->sent++;
	return m;
}

void
datagram_received(struct host *host, const struct packet *packet)
{
	struct datagram_counts *counts = counts_of(&host->datagrams, packet->workload);

	host->results.udp_received++;
	host->results.udp_bytes_received += packet->frame_bytes;
	if (counts == NULL)
		return;
	counts->received++;
	if (packet_ecn(packet) != PACKET_CE)
		return;
	counts->ce_received++;
	counts->ce_last = counts->received;
	if (counts->ce_first == 0)
		counts->ce_first = counts->received;
}

const struct datagram_counts *
host_datagrams(const struct host *host, uint32_t workload)
{
	return workload < host->datagrams.count_count ? &host->datagrams.counts[workload] : NULL;
}
