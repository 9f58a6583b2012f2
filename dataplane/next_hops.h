/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of next hops (ECMP groups): the ways out that lead to a destination equally well. A
 * group is stored once however many destinations it serves, so a switch of a large fabric has few.
 */
#ifndef RAILYARD_NEXT_HOPS_H
#define RAILYARD_NEXT_HOPS_H

#include <stdint.h>

#define NEXT_HOPS_NONE UINT16_MAX /* no group */
#define NEXT_HOPS_MOST (UINT16_MAX - 1)

/* One way out. No padding: groups are compared as bytes. */
struct next_hop {
	uint32_t weight; /* share of the traffic it should carry, relative to the group's others */
	uint16_t port;
	uint8_t mac[6]; /* what is behind the port; zero = the destination host itself */
};

struct next_hop_group {
	uint32_t first; /* of its members */
	uint16_t count;
};

struct next_hops {
	struct next_hop_group *groups;
	struct next_hop *members;
	uint32_t group_count;
	uint32_t group_size;
	uint32_t member_count;
	uint32_t member_size;
	uint16_t *slots; /* hash of a group's members -> group; power of two, NULL until used */
	uint32_t slot_count;
};

/*
 * The group of these members in this order; *group is its number. 0, or -ENOMEM, or -E2BIG: more
 * than NEXT_HOPS_MOST groups.
 */
int next_hops_add(struct next_hops *n, const struct next_hop *members, uint16_t count,
		  uint16_t *group);
void next_hops_fini(struct next_hops *n);

/*
 * Take members out whose port is down (down[port] != 0); groups keep their numbers, also when none
 * of their members is left. Nothing can be added afterwards.
 */
void next_hops_without(struct next_hops *n, const uint8_t *down);

static inline const struct next_hop *
next_hops_members(const struct next_hops *n, uint16_t group)
{
	return &n->members[n->groups[group].first];
}

#endif
