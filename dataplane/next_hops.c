/* SPDX-License-Identifier: BSD-3-Clause */
#include "next_hops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prng.h"

static uint64_t
hash_of(const struct next_hop *members, uint16_t count)
{
	uint64_t hash = count;

	for (uint16_t i = 0; i < count; i++) {
		uint32_t low;
		uint16_t high;

		memcpy(&low, members[i].mac, 4);
		memcpy(&high, members[i].mac + 4, 2);
		hash = prng_mix(hash ^ ((uint64_t)members[i].weight << 32 | low));
		hash = prng_mix(hash ^ ((uint64_t)members[i].port << 16 | high));
	}
	return hash;
}

/* Where the group stands, or where it would. */
static uint32_t
slot_of(const struct next_hops *n, const struct next_hop *members, uint16_t count)
{
	uint32_t at = (uint32_t)hash_of(members, count) & (n->slot_count - 1);

	while (n->slots[at] != NEXT_HOPS_NONE) {
		const struct next_hop_group *g = &n->groups[n->slots[at]];

		if (g->count == count &&
		    memcmp(&n->members[g->first], members, count * sizeof(*members)) == 0)
			break;
		at = (at + 1) & (n->slot_count - 1);
	}
	return at;
}

/* At most half full. */
static int
grow_slots(struct next_hops *n)
{
	uint32_t count = n->slot_count == 0 ? 16 : n->slot_count * 2;
	uint16_t *slots = malloc(count * sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	memset(slots, 0xff, count * sizeof(*slots));
	free(n->slots);
	n->slots = slots;
	n->slot_count = count;
	for (uint32_t i = 0; i < n->group_count; i++) {
		const struct next_hop_group *g = &n->groups[i];

		n->slots[slot_of(n, &n->members[g->first], g->count)] = (uint16_t)i;
	}
	return 0;
}

static int
reserve(struct next_hops *n, uint16_t count)
{
	void *larger;

	if (n->slot_count < 2 * (n->group_count + 1) && grow_slots(n) != 0)
		return -ENOMEM;
	if (n->group_count == n->group_size) {
		n->group_size = n->group_size * 2 + 4;
		larger = realloc(n->groups, n->group_size * sizeof(*n->groups));
		if (larger == NULL)
			return -ENOMEM;
		n->groups = larger;
	}
	if (n->member_size - n->member_count < count) {
		n->member_size = n->member_size * 2 + count;
		larger = realloc(n->members, n->member_size * sizeof(*n->members));
		if (larger == NULL)
			return -ENOMEM;
		n->members = larger;
	}
	return 0;
}

int
next_hops_add(struct next_hops *n, const struct next_hop *members, uint16_t count, uint16_t *group)
{
	uint32_t at;
	int rc = reserve(n, count);

	if (rc != 0)
		return rc;
	at = slot_of(n, members, count);
	if (n->slots[at] == NEXT_HOPS_NONE) {
		if (n->group_count == NEXT_HOPS_MOST)
			return -E2BIG;
		n->slots[at] = (uint16_t)n->group_count;
		n->groups[n->group_count++] =
			(struct next_hop_group){.first = n->member_count, .count = count};
		memcpy(&n->members[n->member_count], members, count * sizeof(*members));
		n->member_count += count;
	}
	*group = n->slots[at];
	return 0;
}

void
next_hops_without(struct next_hops *n, const uint8_t *down)
{
	for (uint32_t i = 0; i < n->group_count; i++) {
		struct next_hop_group *g = &n->groups[i];
		uint16_t kept = 0;

		for (uint16_t m = 0; m < g->count; m++) {
			if (!down[n->members[g->first + m].port])
				n->members[g->first + kept++] = n->members[g->first + m];
		}
		g->count = kept;
	}
}

void
next_hops_fini(struct next_hops *n)
{
	free(n->groups);
	free(n->members);
	free(n->slots);
	*n = (struct next_hops){0};
}
