/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many packets may exist at a time. What buffers, links and hosts can hold is more than
 * enough, but a large fabric's buffers could hold hundreds of millions. Beyond PLENTY_PACKETS
 * what the hosts can have under way decides instead: the packets that their work, the run's
 * duration or their windows allow. Work that nothing limits gets a share; if that is too little,
 * the run says that the pool was empty.
 */
#include "fabric.h"

#include "pipelines.h"

/* Packets assumed where a pipeline sets no limit and the work has no end. */
#define UNBOUNDED_PACKETS (1u << 18)
/* About half a GB. */
#define PLENTY_PACKETS (1u << 20)
#define LEAST_PACKETS (1u << 16)
#define MOST_PACKETS (1u << 24)
#define REAL_PACKETS (1u << 14)
/* Of a sender whose work nothing limits. */
#define SENDER_PACKETS (1u << 11)
/* A data packet ends where its answer begins; and the same for a repeat of it. */
#define UNDER_WAY_PER_DATA 2u
/* Pauses, CNPs, requests of acknowledgements under way on a cable. */
#define CONTROL_PER_LINK 16u

/* Packets a switch can hold: no packet is smaller than a cell. */
static uint64_t
switch_packets(const struct scenario_switch *sw)
{
	const struct mmu_cfg *mmu = &sw->cfg.mmu;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < mmu->pool_count; i++) {
		if (!mmu->pools[i].egress)
			bytes += mmu->pools[i].size_bytes + mmu->pools[i].xoff_bytes;
	}
	for (uint16_t port = 0; port < sw->cfg.port_count; port++) {
		for (int pg = 0; pg < MMU_CLASSES; pg++) {
			int16_t profile = sw->ports[port].mmu.pg_profile[pg];

			if (profile == MMU_NO_PROFILE)
				continue;
			bytes += mmu->profiles[profile].size_bytes + mmu->cell_bytes;
			/* With a shared headroom pool that pool is the bound. */
			if (mmu->pools[mmu->profiles[profile].pool].xoff_bytes == 0)
				bytes += mmu->profiles[profile].xoff_bytes;
		}
	}
	return bytes / mmu->cell_bytes;
}

/* Messages of a sender; 0 = no end is known. */
static uint64_t
sender_messages(const struct scenario_workload *w)
{
	if (w->kind == SCENARIO_INCAST)
		return (uint64_t)w->rounds * w->to_count;
	return w->kind == SCENARIO_ELEPHANTS || w->kind == SCENARIO_UDP ? w->count : 0;
}

/* Packets of all finite messages together: what queues without limit can be asked to hold. */
static uint64_t
workload_packets(const struct scenario *s)
{
	uint64_t packets = UNBOUNDED_PACKETS;

	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		if (w->from_count != 0)
			packets += sender_messages(w) * w->from_count *
				   (w->bytes / s->hosts[w->from[0]].cfg.mtu_bytes + 1);
	}
	return packets;
}

/* Data packets that a sender can have under way; UINT64_MAX: any number. */
static uint64_t
sender_packets(const struct scenario *s, const struct scenario_workload *w, uint32_t sender)
{
	const struct host_cfg *host = &s->hosts[sender].cfg;
	bool is_pairs = w->kind == SCENARIO_ELEPHANTS;
	uint64_t messages = sender_messages(w);
	uint64_t most = UINT64_MAX;

	if (w->kind == SCENARIO_UDP)
		return messages == 0 ? most : messages;
	if (w->verb == VERB_READ)
		return messages == 0 ? most : messages * (w->bytes / host->mtu_bytes + 1);
	if (messages != 0)
		most = messages * (w->bytes / host->mtu_bytes + 1);
	if (s->duration_ps != 0)
		most = RTE_MIN(
			most,
			s->duration_ps / units_frame_ps(host->mtu_bytes, host->port.rate_bps) + 1);
	if (host->window_bytes != 0)
		most = RTE_MIN(most, (host->window_bytes / host->mtu_bytes + 1) * w->qps *
					     (is_pairs ? 1 : w->to_count));
	return most;
}

/* What all hosts together can have under way, or a share for those without limit. */
static uint64_t
under_way_packets(const struct scenario *s)
{
	/* Without work of its own a run plays a trace, or answers others. */
	uint64_t least = s->workload_count == 0 ? PLENTY_PACKETS : LEAST_PACKETS;
	uint64_t packets = 0;

	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		for (uint32_t n = 0; n < w->from_count; n++) {
			uint64_t most = sender_packets(s, w, w->from[n]);

			if (most == UINT64_MAX) {
				most = SENDER_PACKETS;
				least = PLENTY_PACKETS;
			}
			packets += most;
		}
	}
	return RTE_MAX(least, packets * UNDER_WAY_PER_DATA) +
	       (uint64_t)s->link_count * CONTROL_PER_LINK;
}

/* What switches, links and hosts have room for. */
static uint64_t
held_packets(const struct scenario *s)
{
	uint64_t packets = 4096;

	for (uint32_t i = 0; i < s->switch_count; i++) {
		const struct pipeline *p = pipelines_find(s->switches[i].cfg.pipeline);

		packets += p != NULL && p->uses_mmu ? switch_packets(&s->switches[i])
						    : workload_packets(s);
	}
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];
		uint64_t rate_bps = l->a.is_switch
					    ? s->switches[l->a.index].ports[l->a.port].port.rate_bps
					    : s->hosts[l->a.index].cfg.port.rate_bps;

		packets += 2 * (l->delay_ps / units_frame_ps(UNITS_MIN_FRAME_BYTES, rate_bps) + 2);
	}
	for (uint32_t i = 0; i < s->host_count; i++)
		packets += 1024 + s->hosts[i].cfg.rx_buffer_bytes / UNITS_MIN_FRAME_BYTES;
	return packets;
}

uint32_t
fabric_packets(const struct scenario *s)
{
	uint64_t packets;

	if (s->mbufs != 0)
		return s->mbufs;
	packets = held_packets(s);
	if (packets > PLENTY_PACKETS)
		packets = RTE_MIN(packets, under_way_packets(s));
	packets += fabric_impaired_packets(s);
	/* Whole frames take memory: a full buffer of smallest ones is not provided for. */
	if (s->real_time)
		packets = RTE_MIN(packets, REAL_PACKETS + s->ethdev_count * 4096u);
	return packets < MOST_PACKETS ? (uint32_t)packets : MOST_PACKETS;
}
