/* SPDX-License-Identifier: BSD-3-Clause */
#include "drain.h"

#include <errno.h>
#include <stdlib.h>

#include "host_state.h"

#define RING_START 64u

int
drain_init(struct drain *drain)
{
	*drain = (struct drain){.mask = RING_START - 1, .next_ps = UNITS_NEVER_PS};
	drain->ring = malloc(RING_START * sizeof(*drain->ring));
	return drain->ring == NULL ? -ENOMEM : 0;
}

void
drain_fini(struct drain *drain)
{
	if (drain->ring == NULL)
		return;
	while (drain->head != drain->tail)
		packet_free(drain->ring[drain->head++ & drain->mask]);
	free(drain->ring);
	drain->ring = NULL;
}

/* Bounded by rx_buffer_bytes / 64. */
static int
ring_grow(struct drain *drain)
{
	uint32_t size = drain->mask + 1;
	struct rte_mbuf **ring;

	if (drain->tail - drain->head < size)
		return 0;
	ring = malloc(2 * size * sizeof(*ring));
	if (ring == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < size; i++)
		ring[i] = drain->ring[(drain->head + i) & drain->mask];
	free(drain->ring);
	drain->ring = ring;
	drain->mask = 2 * size - 1;
	drain->head = 0;
	drain->tail = size;
	return 0;
}

static uint64_t
drain_time_ps(const struct host *host, const struct rte_mbuf *m)
{
	return units_bits_ps(packet_of(m)->frame_bytes * 8ull, host->cfg->drain_bps);
}

static void
pause_priority(struct host *host, uint8_t priority, uint64_t now_ps)
{
	struct drain *drain = &host->drain;

	if (!(host->cfg->port.pfc.enable >> priority & 1) || drain->paused >> priority & 1)
		return;
	drain->paused |= (uint8_t)(1u << priority);
	node_pause_peer(&host->node, 0, priority, true, now_ps);
}

static void
resume_all(struct host *host, uint64_t now_ps)
{
	for (uint8_t priority = 0; priority < PFC_PRIORITIES; priority++) {
		if (host->drain.paused >> priority & 1)
			node_pause_peer(&host->node, 0, priority, false, now_ps);
	}
	host->drain.paused = 0;
}

void
drain_arrive(struct host *host, struct rte_mbuf *m, uint64_t now_ps)
{
	struct drain *drain = &host->drain;
	const struct packet *k = packet_of(m);
	uint8_t priority = host_priority(host, packet_dscp(k));

	if (drain->bytes + k->frame_bytes > host->cfg->rx_buffer_bytes || ring_grow(drain) != 0) {
		node_drop(&host->node, 0, priority, DROP_HOST_BUFFER, m, now_ps);
		return;
	}
	drain->bytes += k->frame_bytes;
	if (drain->bytes > host->results.rx_buffer_max_bytes)
		host->results.rx_buffer_max_bytes = drain->bytes;
	if (drain->head == drain->tail) {
		drain->next_ps = now_ps + drain_time_ps(host, m);
		host_schedule(host);
	}
	drain->ring[drain->tail++ & drain->mask] = m;
	if (drain->bytes > host->cfg->rx_xoff_bytes)
		pause_priority(host, priority, now_ps);
}

void
drain_run(struct host *host, uint64_t now_ps)
{
	struct drain *drain = &host->drain;

	while (drain->next_ps <= now_ps) {
		struct rte_mbuf *m = drain->ring[drain->head++ & drain->mask];
		struct roce_packet p;

		drain->bytes -= packet_of(m)->frame_bytes;
		if (drain->head == drain->tail)
			drain->next_ps = UNITS_NEVER_PS;
		else
			drain->next_ps +=
				drain_time_ps(host, drain->ring[drain->head & drain->mask]);
		if (drain->paused != 0 && drain->bytes < host->cfg->rx_xon_bytes)
			resume_all(host, now_ps);
		/* It was decoded on arrival to see what it is, so it can be. */
		if (packet_of(m)->flags & PACKET_ROCE)
			(void)roce_decode(m, &p);
		host_receive(host, m, &p, now_ps);
	}
}
