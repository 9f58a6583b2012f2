/* SPDX-License-Identifier: BSD-3-Clause */
#include "mmu.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t
cells_floor(const struct mmu *mmu, uint64_t bytes)
{
	uint64_t cells = bytes / mmu->cell_bytes;

	return cells > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)cells;
}

static void
limit_init(struct mmu *mmu, struct mmu_limit *l, const struct mmu_cfg *cfg,
	   const struct mmu_profile_cfg *p)
{
	const struct mmu_pool_cfg *pool = &cfg->pools[p->pool];

	/* A guarantee is rounded up to whole cells, a limit down. */
	*l = (struct mmu_limit){
		.min_cells = cells_floor(mmu, p->size_bytes + mmu->cell_bytes - 1),
		.static_cells = cells_floor(mmu, p->static_th_bytes),
		.xoff_cells = cells_floor(mmu, p->xoff_bytes),
		.xon_cells = cells_floor(mmu, p->xon_bytes),
		.xon_offset_cells = cells_floor(mmu, p->xon_offset_bytes),
		.alpha_log2 = (int8_t)p->dynamic_th,
		.is_static = p->is_static,
		.lossless = p->lossless,
		.pool = (uint8_t)p->pool,
		.whole = pool->egress && !pool->dynamic,
	};
}

static void
pools_init(struct mmu *mmu, const struct mmu_cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->pool_count; i++) {
		const struct mmu_pool_cfg *c = &cfg->pools[i];
		uint64_t shared_bytes = c->size_bytes;
		uint32_t split = c->egress && !c->dynamic ? 1 : cfg->partitions;

		if (cfg->size_includes_xoff && !c->egress)
			shared_bytes -= c->xoff_bytes;
		for (uint32_t part = 0; part < split; part++) {
			struct mmu_pool *p = &mmu->pools[part * cfg->pool_count + i];

			p->size_cells = cells_floor(mmu, shared_bytes / split);
			p->headroom_size_cells = cells_floor(mmu, c->xoff_bytes / split);
		}
	}
}

static void
account_init(struct mmu_account *a, int16_t profile)
{
	a->bound = profile != MMU_NO_PROFILE;
	a->limit = a->bound ? (uint16_t)profile : 0;
}

/* 0 or -ENOMEM. */
static int
rooms_init(struct mmu *mmu, const struct mmu_port_cfg *ports)
{
	uint32_t count = mmu->port_count * mmu->pool_count;

	for (uint32_t i = 0; i < count; i++) {
		uint8_t profile = ports[i / mmu->pool_count].pool_profile[i % mmu->pool_count];

		if (profile == 0)
			continue;
		if (mmu->rooms == NULL)
			mmu->rooms = calloc(count, sizeof(*mmu->rooms));
		if (mmu->rooms == NULL)
			return -ENOMEM;
		mmu->rooms[i].limit = &mmu->limits[profile - 1];
	}
	return 0;
}

int
mmu_init(struct mmu *mmu, const struct mmu_cfg *cfg, uint16_t port_count,
	 const struct mmu_port_cfg *ports)
{
	size_t accounts = (size_t)port_count * MMU_CLASSES;

	*mmu = (struct mmu){.cell_bytes = cfg->cell_bytes,
			    .partitions = cfg->partitions,
			    .pool_count = cfg->pool_count,
			    .port_count = port_count};
	mmu->limits = calloc(cfg->profile_count + 1, sizeof(*mmu->limits));
	mmu->pools = calloc((size_t)cfg->partitions * cfg->pool_count + 1, sizeof(*mmu->pools));
	mmu->pgs = lines_alloc(accounts, sizeof(*mmu->pgs));
	mmu->queues = lines_alloc(accounts, sizeof(*mmu->queues));
	mmu->partition = calloc(port_count, 1);
	if (mmu->limits == NULL || mmu->pools == NULL || mmu->pgs == NULL || mmu->queues == NULL ||
	    mmu->partition == NULL) {
		mmu_fini(mmu);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < cfg->profile_count; i++)
		limit_init(mmu, &mmu->limits[i], cfg, &cfg->profiles[i]);
	pools_init(mmu, cfg);
	if (rooms_init(mmu, ports) != 0) {
		mmu_fini(mmu);
		return -ENOMEM;
	}
	for (uint16_t port = 0; port < port_count; port++) {
		mmu->partition[port] = (uint8_t)(port * cfg->partitions / port_count);
		for (uint8_t c = 0; c < MMU_CLASSES; c++) {
			account_init(mmu_pg(mmu, port, c), ports[port].pg_profile[c]);
			account_init(mmu_queue(mmu, port, c), ports[port].queue_profile[c]);
		}
	}
	return 0;
}

void
mmu_fini(struct mmu *mmu)
{
	free(mmu->limits);
	free(mmu->pools);
	free(mmu->pgs);
	free(mmu->queues);
	free(mmu->partition);
	free(mmu->rooms);
	*mmu = (struct mmu){0};
}

static struct mmu_pool *
pool_of(const struct mmu *mmu, const struct mmu_limit *l, uint16_t port)
{
	uint32_t part = l->whole ? 0 : mmu->partition[port];

	return &mmu->pools[part * mmu->pool_count + l->pool];
}

/* One of the two sides of a packet: its account, and what bounds it. */
struct side {
	const struct mmu_limit *limit;
	struct mmu_account *account;
	struct mmu_pool *pool;
	struct mmu_room *room; /* NULL: the port has no limit */
};

static inline struct side
side_of(const struct mmu *mmu, struct mmu_account *a, uint16_t port)
{
	const struct mmu_limit *l = &mmu->limits[a->limit];
	struct side s = {.limit = l, .account = a, .pool = pool_of(mmu, l, port)};

	if (unlikely(mmu->rooms != NULL)) {
		s.room = &mmu->rooms[port * mmu->pool_count + l->pool];
		if (s.room->limit == NULL)
			s.room = NULL;
	}
	return s;
}

/* A limit's share of free cells: alpha times as many, or its own number. */
static inline uint32_t
threshold_cells(const struct mmu_limit *l, uint64_t free_cells)
{
	uint64_t t;

	if (l->is_static)
		return l->static_cells;
	t = l->alpha_log2 >= 0 ? free_cells << l->alpha_log2 : free_cells >> -l->alpha_log2;
	return t > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)t;
}

/* What is left to the port, or where it has no limit in the pool, if `more` cells were in use. */
static inline uint64_t
free_cells(const struct side *s, uint32_t more)
{
	uint64_t used = (uint64_t)s->pool->used_cells + more, limit;
	uint64_t left = used < s->pool->size_cells ? s->pool->size_cells - used : 0;

	if (likely(s->room == NULL))
		return left;
	limit = (uint64_t)threshold_cells(s->room->limit, left) + s->room->limit->min_cells;
	used = (uint64_t)s->room->used_cells + more;
	return used < limit ? limit - used : 0;
}

/* T if `more` cells of the pool's shared space were in use beyond those that are. */
static inline uint32_t
limit_cells(const struct side *s, uint32_t more)
{
	return threshold_cells(s->limit, free_cells(s, more));
}

uint32_t
mmu_pg_limit_cells(const struct mmu *mmu, uint16_t port, uint8_t pg)
{
	const struct side s = side_of(mmu, mmu_pg(mmu, port, pg), port);

	return limit_cells(&s, 0);
}

uint32_t
mmu_queue_limit_cells(const struct mmu *mmu, uint16_t port, uint8_t queue)
{
	const struct side s = side_of(mmu, mmu_queue(mmu, port, queue), port);

	return limit_cells(&s, 0);
}

/* How `cells` more would be held by an account. */
struct share {
	uint32_t min;
	uint32_t rest;
	bool headroom; /* the rest goes to headroom, not to shared */
};

static inline struct share
share_of(const struct side *s, uint32_t cells)
{
	uint32_t held = s->account->min_cells;
	uint32_t min_free = s->limit->min_cells > held ? s->limit->min_cells - held : 0;
	uint32_t min = cells < min_free ? cells : min_free;

	return (struct share){.min = min, .rest = cells - min};
}

static inline bool
fits_shared(const struct side *s, uint32_t cells)
{
	return s->pool->used_cells + cells <= s->pool->size_cells &&
	       (likely(s->room == NULL) || cells <= free_cells(s, 0)) &&
	       s->account->shared_cells + cells <= limit_cells(s, 0);
}

/* Can the PG take `share`? Decides shared or headroom; false with the reason. */
static inline bool
ingress_fits(const struct side *s, struct share *share, enum drop_reason *reason)
{
	const struct mmu_pool *pool = s->pool;

	if (share->rest == 0 || fits_shared(s, share->rest))
		return true;
	*reason = DROP_INGRESS_LIMIT;
	if (!s->limit->lossless)
		return false;
	share->headroom = true;
	*reason = DROP_INGRESS_HEADROOM;
	if (s->account->headroom_cells + share->rest > s->limit->xoff_cells)
		return false;
	*reason = DROP_HEADROOM_POOL;
	return pool->headroom_size_cells == 0 ||
	       pool->headroom_used_cells + share->rest <= pool->headroom_size_cells;
}

static inline void
charge(const struct side *s, struct share share)
{
	struct mmu_account *a = s->account;
	struct mmu_pool *pool = s->pool;
	uint32_t total;

	a->min_cells += share.min;
	if (share.headroom) {
		a->headroom_cells += share.rest;
		pool->headroom_used_cells += share.rest;
		if (a->headroom_cells > a->max_headroom_cells)
			a->max_headroom_cells = a->headroom_cells;
		if (pool->headroom_used_cells > pool->max_headroom_cells)
			pool->max_headroom_cells = pool->headroom_used_cells;
	} else {
		a->shared_cells += share.rest;
		if (a->shared_cells > a->max_shared_cells) {
			a->max_shared_cells = a->shared_cells;
			/* The limit that let it in: without itself in the pool. */
			a->limit_at_max_cells = limit_cells(s, 0);
		}
		pool->used_cells += share.rest;
		if (unlikely(s->room != NULL))
			s->room->used_cells += share.rest;
		if (pool->used_cells > pool->max_used_cells)
			pool->max_used_cells = pool->used_cells;
	}
	total = a->min_cells + a->shared_cells + a->headroom_cells;
	if (total > a->max_cells)
		a->max_cells = total;
}

/* After an admission: must the sender stop? Not while the PG is still within its guarantee. */
static inline bool
must_xoff(const struct side *s)
{
	const struct mmu_account *a = s->account;

	if (a->headroom_cells > 0)
		return true;
	return a->min_cells >= s->limit->min_cells && a->shared_cells >= limit_cells(s, 0);
}

static inline bool
may_xon(const struct side *s)
{
	const struct mmu_account *a = s->account;
	uint32_t offset = s->limit->xon_offset_cells;

	if (a->headroom_cells > 0)
		return false;
	return a->shared_cells <= s->limit->xon_cells ||
	       a->shared_cells + offset <= limit_cells(s, offset);
}

void
mmu_decide(struct mmu *mmu, struct packet *p, struct mmu_verdict *verdict)
{
	struct mmu_account *pg = mmu_pg(mmu, p->in_port, p->pg);
	struct mmu_account *queue = mmu_queue(mmu, p->out_port, p->queue);
	const struct side in = side_of(mmu, pg, p->in_port);
	const struct side out = side_of(mmu, queue, p->out_port);
	uint32_t cells = (p->frame_bytes + mmu->cell_bytes - 1) / mmu->cell_bytes;
	struct share in_share = share_of(&in, cells);
	struct share out_share = share_of(&out, cells);

	*verdict = (struct mmu_verdict){.admitted = false};
	assert(pg->bound && queue->bound);
	if (!ingress_fits(&in, &in_share, &verdict->reason))
		return;
	if (out_share.rest != 0 && !fits_shared(&out, out_share.rest)) {
		verdict->reason = DROP_EGRESS_LIMIT;
		verdict->at_egress = true;
		return;
	}
	charge(&in, in_share);
	charge(&out, out_share);
	pg->packets++;
	pg->bytes += p->frame_bytes;
	queue->packets++;
	queue->bytes += p->frame_bytes;
	mmu->held_cells += cells;
	if (mmu->held_cells > mmu->max_held_cells)
		mmu->max_held_cells = mmu->held_cells;
	p->cells = cells;
	p->lossless = in.limit->lossless;
	verdict->admitted = true;
	if (in.limit->lossless && !pg->xoff && must_xoff(&in)) {
		pg->xoff = 1;
		pg->xoffs++;
		verdict->xoff = true;
	}
}

static inline void
refund(const struct side *s, uint32_t cells)
{
	struct mmu_account *a = s->account;
	uint32_t headroom = cells < a->headroom_cells ? cells : a->headroom_cells;
	uint32_t shared;

	a->headroom_cells -= headroom;
	s->pool->headroom_used_cells -= headroom;
	cells -= headroom;
	shared = cells < a->shared_cells ? cells : a->shared_cells;
	a->shared_cells -= shared;
	s->pool->used_cells -= shared;
	if (unlikely(s->room != NULL))
		s->room->used_cells -= shared;
	cells -= shared;
	assert(cells <= a->min_cells);
	a->min_cells -= cells;
}

bool
mmu_release(struct mmu *mmu, const struct packet *p)
{
	struct mmu_account *pg = mmu_pg(mmu, p->in_port, p->pg);
	const struct side in = side_of(mmu, pg, p->in_port);
	const struct side out = side_of(mmu, mmu_queue(mmu, p->out_port, p->queue), p->out_port);

	refund(&in, p->cells);
	refund(&out, p->cells);
	assert(mmu->held_cells >= p->cells);
	mmu->held_cells -= p->cells;
	if (!pg->xoff || !may_xon(&in))
		return false;
	pg->xoff = 0;
	return true;
}

/* Sum the accounts of one side into `sums`, laid out as mmu->pools. */
static uint64_t
sum_accounts(const struct mmu *mmu, const struct mmu_account *accounts, struct mmu_pool *sums)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < (uint32_t)mmu->port_count * MMU_CLASSES; i++) {
		const struct mmu_account *a = &accounts[i];
		const struct mmu_limit *l = &mmu->limits[a->limit];
		struct mmu_pool *pool;

		if (!a->bound)
			continue;
		pool = &sums[pool_of(mmu, l, (uint16_t)(i / MMU_CLASSES)) - mmu->pools];
		pool->used_cells += a->shared_cells;
		pool->headroom_used_cells += a->headroom_cells;
		total += a->min_cells + a->shared_cells + a->headroom_cells;
	}
	return total;
}

/* What a port with limits holds of each pool is what its PGs and queues hold. */
static int
check_rooms(const struct mmu *mmu, char *why, size_t why_bytes)
{
	uint32_t count = mmu->rooms == NULL ? 0 : mmu->port_count * mmu->pool_count;

	for (uint32_t i = 0; i < count; i++) {
		uint16_t port = (uint16_t)(i / mmu->pool_count);
		uint32_t sum = 0;

		for (uint8_t n = 0; n < MMU_CLASSES; n++) {
			const struct mmu_account *both[] = {mmu_pg(mmu, port, n),
							    mmu_queue(mmu, port, n)};

			for (int k = 0; k < 2; k++)
				if (both[k]->bound &&
				    mmu->limits[both[k]->limit].pool == i % mmu->pool_count)
					sum += both[k]->shared_cells;
		}
		if (mmu->rooms[i].limit == NULL || mmu->rooms[i].used_cells == sum)
			continue;
		snprintf(why, why_bytes, "MMU port %u counts %u cells of pool %u, its users %u",
			 port, mmu->rooms[i].used_cells, i % mmu->pool_count, sum);
		return -EPROTO;
	}
	return 0;
}

int
mmu_check(const struct mmu *mmu, char *why, size_t why_bytes)
{
	uint32_t count = mmu->partitions * mmu->pool_count;
	struct mmu_pool *sums = calloc(count + 1, sizeof(*sums));
	uint64_t in, out;
	int rc = 0;

	if (sums == NULL)
		return -ENOMEM;
	in = sum_accounts(mmu, mmu->pgs, sums);
	out = sum_accounts(mmu, mmu->queues, sums);
	if (in != mmu->held_cells || out != mmu->held_cells) {
		snprintf(why, why_bytes, "MMU holds %llu cells, its PGs %llu, its queues %llu",
			 (unsigned long long)mmu->held_cells, (unsigned long long)in,
			 (unsigned long long)out);
		rc = -EPROTO;
	}
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const struct mmu_pool *p = &mmu->pools[i];

		if (p->used_cells == sums[i].used_cells && p->used_cells <= p->size_cells &&
		    p->headroom_used_cells == sums[i].headroom_used_cells)
			continue;
		snprintf(why, why_bytes,
			 "MMU pool %u of partition %u counts %u shared and %u headroom cells, "
			 "its users %u and %u, size %u",
			 i % mmu->pool_count, i / mmu->pool_count, p->used_cells,
			 p->headroom_used_cells, sums[i].used_cells, sums[i].headroom_used_cells,
			 p->size_cells);
		rc = -EPROTO;
	}
	free(sums);
	return rc != 0 ? rc : check_rooms(mmu, why, why_bytes);
}
