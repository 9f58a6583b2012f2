/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MMU with hand-made packets and a memory of what it holds. A packet here is its fields
 * alone: the MMU never looks at the bytes.
 */
#ifndef RAILYARD_TEST_MMU_BED_H
#define RAILYARD_TEST_MMU_BED_H

#include <string.h>

#include "mmu.h"
#include "suite.h"

#define BED_PORTS 32u
#define BED_HELD (1u << 18)

struct bed {
	struct mmu mmu;
	struct mmu_cfg cfg;
	struct mmu_port_cfg ports[BED_PORTS];
	struct packet held[BED_HELD]; /* in the order of admission */
	uint32_t held_count;
};

/* All PGs and queues unbound, no pools. */
static inline void
bed_clear(struct bed *b, uint32_t cell_bytes, uint32_t partitions)
{
	memset(b, 0, sizeof(*b));
	b->cfg.cell_bytes = cell_bytes;
	b->cfg.partitions = partitions;
	for (uint32_t port = 0; port < BED_PORTS; port++) {
		for (int i = 0; i < MMU_CLASSES; i++) {
			b->ports[port].pg_profile[i] = MMU_NO_PROFILE;
			b->ports[port].queue_profile[i] = MMU_NO_PROFILE;
		}
	}
}

static inline uint32_t
bed_pool(struct bed *b, struct mmu_pool_cfg pool)
{
	b->cfg.pools[b->cfg.pool_count] = pool;
	return b->cfg.pool_count++;
}

static inline int16_t
bed_profile(struct bed *b, struct mmu_profile_cfg profile)
{
	b->cfg.profiles[b->cfg.profile_count] = profile;
	return (int16_t)b->cfg.profile_count++;
}

/* Bind the PG and the queue of one number on every port. */
static inline void
bed_bind(struct bed *b, uint8_t class, int16_t pg_profile, int16_t queue_profile)
{
	for (uint32_t port = 0; port < BED_PORTS; port++) {
		b->ports[port].pg_profile[class] = pg_profile;
		b->ports[port].queue_profile[class] = queue_profile;
	}
}

/* Whatever refuses a packet must not do so at egress: a pool without a bound in practice. */
static inline int16_t
bed_open_egress(struct bed *b)
{
	uint32_t pool =
		bed_pool(b, (struct mmu_pool_cfg){.egress = true, .size_bytes = 1ULL << 32});

	return bed_profile(b, (struct mmu_profile_cfg){.pool = pool,
						       .is_static = true,
						       .static_th_bytes = 1ULL << 32});
}

static inline void
bed_open(struct bed *b)
{
	ck_assert_int_eq(mmu_init(&b->mmu, &b->cfg, BED_PORTS, b->ports), 0);
}

static inline struct mmu_verdict
bed_admit_bytes(struct bed *b, uint16_t in_port, uint16_t out_port, uint8_t class,
		uint32_t frame_bytes)
{
	struct packet p = {.frame_bytes = frame_bytes,
			   .in_port = in_port,
			   .out_port = out_port,
			   .pg = class,
			   .queue = class};
	struct mmu_verdict v = mmu_admit(&b->mmu, &p);

	if (v.admitted) {
		EXPECT(b->held_count < BED_HELD);
		b->held[b->held_count++] = p;
	}
	return v;
}

/* A packet of 64 bytes: one cell. */
static inline struct mmu_verdict
bed_admit(struct bed *b, uint16_t in_port, uint16_t out_port, uint8_t class)
{
	return bed_admit_bytes(b, in_port, out_port, class, 64);
}

/* Release the held packet with that index; true for XON. */
static inline bool
bed_release(struct bed *b, uint32_t index)
{
	struct packet p = b->held[index];

	b->held[index] = b->held[--b->held_count];
	return mmu_release(&b->mmu, &p);
}

/* 64-byte packets until the PG goes to XOFF: how many that took, the last included. */
static inline uint32_t
bed_fill_to_xoff(struct bed *b, uint16_t in_port, uint16_t out_port, uint8_t class)
{
	for (uint32_t sent = 1;; sent++) {
		struct mmu_verdict v = bed_admit(b, in_port, out_port, class);

		EXPECT(v.admitted);
		if (v.xoff)
			return sent;
	}
}

/* 64-byte packets until one is dropped, for `reason`: how many that took, the last included. */
static inline uint32_t
bed_fill_to_drop(struct bed *b, uint16_t in_port, uint16_t out_port, uint8_t class,
		 enum drop_reason reason)
{
	for (uint32_t sent = 1;; sent++) {
		struct mmu_verdict v = bed_admit(b, in_port, out_port, class);

		if (v.admitted)
			continue;
		ck_assert_str_eq(drop_reason_name(v.reason), drop_reason_name(reason));
		return sent;
	}
}

static inline void
bed_assert_sound(const struct bed *b)
{
	char why[256] = "";

	ck_assert_msg(mmu_check(&b->mmu, why, sizeof(why)) == 0, "%s", why);
}

static inline void
assert_account_empty(const struct mmu_account *a)
{
	EXPECT(a->min_cells == 0 && a->shared_cells == 0 && a->headroom_cells == 0);
	EXPECT(a->xoff == 0);
}

/* Release everything: nothing may be left, and no PG in XOFF. */
static inline void
bed_close(struct bed *b)
{
	bed_assert_sound(b);
	while (b->held_count > 0)
		bed_release(b, b->held_count - 1);
	bed_assert_sound(b);
	ck_assert_uint_eq(b->mmu.held_cells, 0);
	for (uint16_t port = 0; port < BED_PORTS; port++) {
		for (uint8_t i = 0; i < MMU_CLASSES; i++) {
			assert_account_empty(mmu_pg(&b->mmu, port, i));
			assert_account_empty(mmu_queue(&b->mmu, port, i));
		}
	}
	mmu_fini(&b->mmu);
}

#endif
