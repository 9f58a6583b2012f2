/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory management unit of a shared-buffer switch: which packet may enter, and which
 * priority group must pause its sender.
 *
 * Every byte is counted twice, in cells. Ingress, by (port, PG): guaranteed first, then shared
 * up to the limit T, then (lossless PGs) headroom up to `xoff`, and beyond it a drop. Egress,
 * by (port, queue): guaranteed, then shared up to T, then a drop. T is static bytes, or
 * alpha x (free shared cells of the pool), alpha = 2^n (Choudhury and Hahne 1998). A pool is
 * split evenly over the ASIC's partitions, and a port uses one of them; a static egress pool is
 * one for the whole switch, because its absolute limits are (SONiC sizes it to the whole memory
 * so that only ingress can refuse a lossless packet).
 *
 * A port may have a limit of its own in a pool, as NVIDIA's ASICs do (BUFFER_PORT_*_PROFILE_LIST):
 * L = size + alpha_port x (free shared cells of the pool) for all that its PGs or queues hold
 * there. What is left of L then takes the place of what is free in T: one PG alone gets
 * ag ap / (1 + ag + ag ap) of the pool.
 *
 * XOFF when, after an admission, a lossless PG's shared use is at or above T, or its headroom
 * is in use. XON when its headroom is empty and its shared use plus xon_offset would still be
 * within its limit, or its shared use is at or below xon. (The limit that counts is the one at
 * that higher use: with a dynamic threshold a PG that drains lifts its own T, and measured
 * ASICs release after xon_offset worth of cells, not after part of it.)
 *
 * Release gives back headroom first, then shared, then guaranteed.
 *
 * Invariants: a pool's use equals the sum over its PGs or queues; ingress and egress totals
 * are the same packets; everything is 0 when no packet is held.
 */
#ifndef RAILYARD_MMU_H
#define RAILYARD_MMU_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "drop.h"
#include "lines.h"
#include "packet.h"

#define MMU_CLASSES 8
#define MMU_NAME_BYTES 48
#define MMU_MAX_POOLS 16
#define MMU_MAX_PROFILES 64
#define MMU_MAX_PARTITIONS 8
#define MMU_NO_PROFILE (-1)

/* BUFFER_POOL */
struct mmu_pool_cfg {
	char name[MMU_NAME_BYTES];
	bool egress;
	bool dynamic; /* its profiles use dynamic_th */
	uint64_t size_bytes;
	uint64_t xoff_bytes; /* shared headroom pool; 0 = headroom is each PG's own */
};

/* BUFFER_PROFILE */
struct mmu_profile_cfg {
	char name[MMU_NAME_BYTES];
	uint32_t pool;       /* index into pools */
	uint64_t size_bytes; /* guaranteed to each PG or queue that uses it */
	bool is_static;
	int32_t dynamic_th; /* n: alpha = 2^n, -8..7 */
	uint64_t static_th_bytes;
	bool lossless;       /* an ingress profile with xoff */
	uint64_t xoff_bytes; /* headroom: what the PG may use after XOFF */
	uint64_t xon_bytes;
	uint64_t xon_offset_bytes;
};

struct mmu_cfg {
	uint32_t cell_bytes;
	uint32_t partitions;
	bool size_includes_xoff; /* pool size counts the shared headroom pool */
	uint32_t pool_count;
	uint32_t profile_count;
	struct mmu_pool_cfg pools[MMU_MAX_POOLS];
	struct mmu_profile_cfg profiles[MMU_MAX_PROFILES];
};

/* BUFFER_PG and BUFFER_QUEUE of one port: profile index or MMU_NO_PROFILE. */
struct mmu_port_cfg {
	int16_t pg_profile[MMU_CLASSES];
	int16_t queue_profile[MMU_CLASSES];
	uint8_t pool_profile[MMU_MAX_POOLS]; /* limit of the whole port by pool: 1 + profile; 0 =
						none */
};

/* One profile as the dataplane uses it: in cells, pool resolved. */
struct mmu_limit {
	uint32_t min_cells;
	uint32_t static_cells; /* valid when is_static */
	uint32_t xoff_cells;
	uint32_t xon_cells;
	uint32_t xon_offset_cells;
	int8_t alpha_log2;
	bool is_static;
	bool lossless;
	uint8_t pool;
	bool whole; /* its pool is not partitioned */
};

struct mmu_pool {
	uint32_t size_cells;          /* shared, this partition */
	uint32_t used_cells;          /* shared use of all its PGs or queues */
	uint32_t headroom_size_cells; /* shared headroom pool; 0 = none */
	uint32_t headroom_used_cells;
	uint32_t max_used_cells;
	uint32_t max_headroom_cells;
};

/* What a port holds of a pool's shared cells, when it has a limit there. */
struct mmu_room {
	const struct mmu_limit *limit; /* NULL = none */
	uint32_t used_cells;
};

/* A priority group or a queue. */
struct mmu_account {
	uint32_t min_cells; /* in use, by kind */
	uint32_t shared_cells;
	uint32_t headroom_cells;
	uint16_t limit; /* index into limits */
	uint8_t xoff;   /* PG: its sender is paused */
	uint8_t bound;  /* it has a profile */
	/* watermarks */
	uint32_t max_cells;
	uint32_t max_shared_cells;
	uint32_t max_headroom_cells;
	uint32_t limit_at_max_cells; /* T when max_shared_cells was set */
	uint64_t xoffs;              /* times it went to XOFF */
	uint64_t packets;
	uint64_t bytes;
	uint64_t pad;
};
static_assert(sizeof(struct mmu_account) == LINE_BYTES, "a line each");

struct mmu {
	uint32_t cell_bytes;
	uint32_t partitions;
	uint32_t pool_count;
	uint16_t port_count;
	struct mmu_limit *limits;
	struct mmu_pool *pools;     /* [partition * pool_count + pool] */
	struct mmu_account *pgs;    /* [port * MMU_CLASSES + pg] */
	struct mmu_account *queues; /* [port * MMU_CLASSES + queue] */
	uint8_t *partition;         /* by port */
	struct mmu_room *rooms;     /* [port * pool_count + pool]; NULL: no port has a limit */
	uint64_t held_cells;
	uint64_t max_held_cells;
};

/* 0 or -ENOMEM. The configuration has been checked (mmu_cfg_check). */
int mmu_init(struct mmu *mmu, const struct mmu_cfg *cfg, uint16_t port_count,
	     const struct mmu_port_cfg *ports);
void mmu_fini(struct mmu *mmu);

struct mmu_verdict {
	enum drop_reason reason; /* when not admitted */
	bool admitted;
	bool at_egress; /* the reason is charged to the queue */
	bool xoff;      /* the PG has just gone to XOFF */
};

/* Ask both accounts and charge them, or charge nothing. Writes packet->cells and lossless. */
void mmu_decide(struct mmu *mmu, struct packet *p, struct mmu_verdict *verdict);

static inline struct mmu_verdict
mmu_admit(struct mmu *mmu, struct packet *p)
{
	struct mmu_verdict v;

	mmu_decide(mmu, p, &v);
	return v;
}

/* Give the packet's cells back; true when its PG has just gone to XON. */
bool mmu_release(struct mmu *mmu, const struct packet *p);

/* The limit T that applies to this PG or queue now, in cells (shared part only). */
uint32_t mmu_pg_limit_cells(const struct mmu *mmu, uint16_t port, uint8_t pg);
uint32_t mmu_queue_limit_cells(const struct mmu *mmu, uint16_t port, uint8_t queue);

/* Recount all sums: 0, or -EPROTO and one line in why. */
int mmu_check(const struct mmu *mmu, char *why, size_t why_bytes);

static inline struct mmu_account *
mmu_pg(const struct mmu *mmu, uint16_t port, uint8_t pg)
{
	return &mmu->pgs[port * MMU_CLASSES + pg];
}

static inline struct mmu_account *
mmu_queue(const struct mmu *mmu, uint16_t port, uint8_t queue)
{
	return &mmu->queues[port * MMU_CLASSES + queue];
}

#endif
