/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table that tells a burst's next packet from the first of another: one entry a hash value,
 * untagged, as hardware has it, so flows whose hashes meet in an entry move together. It keeps the
 * port, not the member's number: a flow stays where it is when others of its group come and go.
 * An entry needs no ageing: silence is what frees it.
 */
#ifndef RAILYARD_BALANCER_FLOWS_H
#define RAILYARD_BALANCER_FLOWS_H

#include "balancer.h"

struct balancer_flow {
	uint64_t seen_ps; /* of its last packet */
	uint16_t port;
	bool used;
};

/* Entry of the packet's flow in a table of cfg->table_entries. */
static inline struct balancer_flow *
balancer_flow_of(const struct balancer *b, struct balancer_flow *flows, struct rte_mbuf *m)
{
	uint64_t hash = balancer_hash_mixed(&b->cfg->hash, m);

	return &flows[(hash >> 32) & (b->cfg->table_entries - 1)];
}

/* The member on the entry's port, or -1: none yet, or gone. */
static inline int32_t
balancer_flow_member(const struct balancer_flow *flow, const struct balancer_group *group)
{
	for (uint32_t i = 0; flow->used && i < group->count; i++) {
		if (group->members[i].port == flow->port)
			return (int32_t)i;
	}
	return -1;
}

static inline void
balancer_flow_take(struct balancer_flow *flow, const struct balancer_group *group, uint32_t member,
		   uint64_t now_ps)
{
	*flow = (struct balancer_flow){
		.seen_ps = now_ps, .port = group->members[member].port, .used = true};
}

#endif
