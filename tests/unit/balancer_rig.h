/* SPDX-License-Identifier: BSD-3-Clause */
/* A balancer on its own, with groups of any size whose members are ports in no order. */
#ifndef RAILYARD_TEST_BALANCER_RIG_H
#define RAILYARD_TEST_BALANCER_RIG_H

#include "balancer.h"
#include "switch_rig.h"

#define BALANCER_PORTS 128u

#define BALANCER_MEMBERS 64u

static struct next_hop balancer_members[BALANCER_MEMBERS];

static struct {
	struct balancer b;
	uint32_t count; /* members of each group */
} balancer_bed;

static inline void
balancer_open(const struct balancer_cfg *cfg, uint32_t count)
{
	struct balancer *b = &balancer_bed.b;

	ck_assert_int_eq(balancer_init(b, cfg, BALANCER_PORTS), 0);
	for (uint32_t i = 0; i < BALANCER_PORTS; i++)
		b->ports[i].rate_bps = RIG_RATE_BPS;
	for (uint32_t i = 0; i < BALANCER_MEMBERS; i++)
		balancer_members[i] =
			(struct next_hop){.weight = 1, .port = (uint16_t)(i * 37 % BALANCER_PORTS)};
	balancer_bed.count = count;
}

static inline void
balancer_close(void)
{
	balancer_fini(&balancer_bed.b);
}

/* A RoCE packet of 1,000 bytes; flows differ in source address and port. */
static inline struct rte_mbuf *
balancer_packet(uint32_t flow)
{
	const struct frame_spec spec = {.from = (uint8_t)(flow >> 14),
					.to = 9,
					.source_port = (uint16_t)(0xc000 | (flow & 0x3fff)),
					.frame_bytes = 1000};
	struct rte_mbuf *m = frame_make(rig_pool, &spec, 1);

	packet_parse(m);
	return m;
}

/* The member that a packet of a flow takes in a group. */
static inline uint32_t
balancer_member_of(uint32_t group_id, uint32_t flow, uint64_t now_ps)
{
	const struct balancer_group group = {
		.id = group_id, .count = balancer_bed.count, .members = balancer_members};
	struct rte_mbuf *m = balancer_packet(flow);
	uint32_t member = balancer_choose(&balancer_bed.b, &group, m, now_ps);

	EXPECT(member < group.count);
	packet_free(m);
	return member;
}

static inline uint32_t
balancer_member(uint32_t flow, uint64_t now_ps)
{
	return balancer_member_of(0, flow, now_ps);
}

#endif
