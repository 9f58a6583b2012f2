/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits by the rules that reproduce the packet counts of SONiC's tests of real switches: a
 * pool's size in bytes over partitions and cells, alpha B / (1 + n alpha) for n alike. Where ports
 * have limits of their own (NVIDIA), as SONiC's tests have it for one PG or queue a port:
 * g (p B + r) / (1 + g + n g p), with g its own alpha, p the port's and r the port's guarantee.
 */
#include "accept.h"

uint32_t
accept_cells(const struct accept_dut *dut, uint64_t bytes)
{
	uint64_t cell = dut->cfg->mmu.cell_bytes;

	return (uint32_t)((bytes + cell - 1) / cell);
}

uint32_t
accept_pool_cells(const struct accept_dut *dut, uint32_t pool)
{
	const struct mmu_cfg *mmu = &dut->cfg->mmu;
	const struct mmu_pool_cfg *p = &mmu->pools[pool];
	uint64_t size = p->size_bytes - (mmu->size_includes_xoff ? p->xoff_bytes : 0);
	uint32_t parts = p->egress && !p->dynamic ? 1 : mmu->partitions;

	return (uint32_t)(size / parts / mmu->cell_bytes);
}

static const struct mmu_profile_cfg *
pg_profile(const struct accept_dut *dut, const struct accept_class *class)
{
	return &dut->cfg->mmu.profiles[dut->cfg->ports[0].mmu.pg_profile[class->pg]];
}

/* What all of a port may hold of a pool, or NULL. */
static const struct mmu_profile_cfg *
port_profile(const struct accept_dut *dut, uint32_t pool)
{
	uint8_t n = dut->cfg->ports[0].mmu.pool_profile[pool];

	return n == 0 ? NULL : &dut->cfg->mmu.profiles[n - 1];
}

/* alpha = up / down */
struct alpha {
	uint64_t up;
	uint64_t down;
};

static struct alpha
alpha_of(const struct mmu_profile_cfg *p)
{
	int n = p->is_static ? 0 : p->dynamic_th;

	return (struct alpha){.up = n >= 0 ? 1ULL << n : 1, .down = n >= 0 ? 1 : 1ULL << -n};
}

static uint64_t
divide_up(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The same where n ports have a limit each, and one alike in use. */
static uint64_t
shared_of_port(const struct accept_dut *dut, const struct mmu_profile_cfg *p,
	       const struct mmu_profile_cfg *port, uint32_t n, uint64_t pool)
{
	uint64_t least_port = accept_cells(dut, port->size_bytes), whole;
	struct alpha own = alpha_of(p), all = alpha_of(port);

	if (port->is_static) {
		whole = accept_cells(dut, port->static_th_bytes) + least_port;
		if (p->is_static)
			return least(least(accept_cells(dut, p->static_th_bytes), whole), pool);
		return least(divide_up(own.up * whole, own.down + own.up), pool / n);
	}
	if (p->is_static) {
		/* Alone it may have all that the port may. */
		whole = divide_up(all.up * pool + all.down * least_port, all.down + n * all.up);
		return least(accept_cells(dut, p->static_th_bytes), whole);
	}
	whole = own.up * (all.up * pool + all.down * least_port);
	return least(
		divide_up(whole, own.down * all.down + own.up * all.down + n * own.up * all.up),
		pool / n);
}

/* Shared cells that each of n alike may have when others have so many. */
static uint64_t
shared_beside(const struct accept_dut *dut, const struct mmu_profile_cfg *p, uint32_t n,
	      uint64_t others)
{
	uint64_t pool = accept_pool_cells(dut, p->pool);
	const struct mmu_profile_cfg *port = port_profile(dut, p->pool);
	struct alpha a = alpha_of(p);

	pool -= others < pool ? others : pool;
	if (port != NULL)
		return shared_of_port(dut, p, port, n, pool);
	if (p->is_static)
		return least(accept_cells(dut, p->static_th_bytes), pool);
	return divide_up(a.up * pool, a.down + n * a.up);
}

static uint64_t
shared_cells(const struct accept_dut *dut, const struct mmu_profile_cfg *p, uint32_t n)
{
	return shared_beside(dut, p, n, 0);
}

uint32_t
accept_guaranteed_cells(const struct accept_dut *dut)
{
	return accept_cells(dut, pg_profile(dut, &dut->lossless)->size_bytes);
}

uint32_t
accept_xoff_beside_cells(const struct accept_dut *dut, uint32_t lossy_cells)
{
	const struct mmu_profile_cfg *p = pg_profile(dut, &dut->lossless);
	const struct mmu_profile_cfg *lossy = pg_profile(dut, &dut->lossy);
	uint32_t own = accept_cells(dut, lossy->size_bytes);
	uint32_t shared = lossy->pool != p->pool || lossy_cells < own ? 0 : lossy_cells - own;

	return accept_guaranteed_cells(dut) + (uint32_t)shared_beside(dut, p, 1, shared);
}

/* XON at max(xon, limit - xon_offset). */
uint32_t
accept_resume_cells(const struct accept_dut *dut)
{
	const struct mmu_profile_cfg *p = pg_profile(dut, &dut->lossless);
	uint32_t limit = (uint32_t)shared_cells(dut, p, 1);
	uint32_t offset = accept_cells(dut, p->xon_offset_bytes);
	uint32_t xon = accept_cells(dut, p->xon_bytes);

	return xon < limit && limit - xon < offset ? limit - xon : offset;
}

uint32_t
accept_xoff_cells(const struct accept_dut *dut, uint32_t pgs)
{
	const struct mmu_profile_cfg *p = pg_profile(dut, &dut->lossless);

	return accept_guaranteed_cells(dut) + (uint32_t)shared_cells(dut, p, pgs);
}

uint32_t
accept_headroom_pool_cells(const struct accept_dut *dut)
{
	const struct mmu_cfg *mmu = &dut->cfg->mmu;
	uint64_t bytes = mmu->pools[pg_profile(dut, &dut->lossless)->pool].xoff_bytes;

	return (uint32_t)(bytes / mmu->partitions / mmu->cell_bytes);
}

uint32_t
accept_headroom_cells(const struct accept_dut *dut)
{
	uint32_t own = accept_cells(dut, pg_profile(dut, &dut->lossless)->xoff_bytes);
	uint32_t pool = accept_headroom_pool_cells(dut);

	return pool != 0 && pool < own ? pool : own;
}

uint32_t
accept_lossy_cells(const struct accept_dut *dut)
{
	const struct mmu_port_cfg *port = &dut->cfg->ports[0].mmu;
	const struct mmu_profile_cfg *in = pg_profile(dut, &dut->lossy);
	const struct mmu_profile_cfg *out =
		&dut->cfg->mmu.profiles[port->queue_profile[dut->lossy.queue]];
	uint64_t ingress = accept_cells(dut, in->size_bytes) + shared_cells(dut, in, 1);
	uint64_t egress = accept_cells(dut, out->size_bytes) + shared_cells(dut, out, 1);

	return (uint32_t)(ingress < egress ? ingress : egress);
}

/* The limit as it is with all of them in the pool, guarantees left out: on the safe side. */
bool
accept_holds(const struct accept_dut *dut, int16_t profile, uint32_t cells, uint32_t all)
{
	const struct mmu_profile_cfg *p = &dut->cfg->mmu.profiles[profile];
	const struct mmu_profile_cfg *port = port_profile(dut, p->pool);
	uint64_t room = accept_pool_cells(dut, p->pool);
	struct alpha a;

	if (room < all)
		return false;
	room -= all;
	if (port != NULL) {
		a = alpha_of(port);
		room = port->is_static ? accept_cells(dut, port->static_th_bytes)
				       : room * a.up / a.down;
		if (room < all)
			return false;
		room -= all;
	}
	a = alpha_of(p);
	return cells <
	       (p->is_static ? accept_cells(dut, p->static_th_bytes) : room * a.up / a.down);
}
