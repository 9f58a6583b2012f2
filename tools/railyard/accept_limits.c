/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits by the rules that reproduce the packet counts of SONiC's tests of real switches: a
 * pool's size in bytes over partitions and cells, alpha B / (1 + n alpha) for n alike.
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

/* Shared cells that each of n alike may have when others have so many. */
static uint64_t
shared_beside(const struct accept_dut *dut, const struct mmu_profile_cfg *p, uint32_t n,
	      uint64_t others)
{
	uint64_t pool = accept_pool_cells(dut, p->pool);
	uint64_t up, down;

	pool -= others < pool ? others : pool;

	if (p->is_static)
		return accept_cells(dut, p->static_th_bytes) < pool
			       ? accept_cells(dut, p->static_th_bytes)
			       : pool;
	/* alpha = up / down */
	up = p->dynamic_th >= 0 ? 1ULL << p->dynamic_th : 1;
	down = p->dynamic_th >= 0 ? 1 : 1ULL << -p->dynamic_th;
	return (up * pool + down + n * up - 1) / (down + n * up);
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
