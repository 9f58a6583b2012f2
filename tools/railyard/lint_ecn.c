/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks: their curve, and whether they come before pauses do. */
#include "lint_internal.h"

/* All of a pool that its PGs share, in one partition. */
static uint64_t
shared_bytes(const struct switch_cfg *cfg, uint32_t pool)
{
	const struct mmu_pool_cfg *p = &cfg->mmu.pools[pool];
	uint64_t size = p->size_bytes - (cfg->mmu.size_includes_xoff ? p->xoff_bytes : 0);

	return size / cfg->mmu.partitions;
}

/* Where a PG pauses when k of the pool's PGs fill up alike: alpha B / (1 + k alpha). */
static uint64_t
xoff_at_bytes(const struct switch_cfg *cfg, const struct mmu_profile_cfg *p, uint32_t k)
{
	unsigned __int128 shared = shared_bytes(cfg, p->pool);

	if (p->is_static)
		return p->size_bytes + p->static_th_bytes;
	if (p->dynamic_th >= 0)
		return p->size_bytes + (uint64_t)((shared << p->dynamic_th) /
						  (1 + ((unsigned __int128)k << p->dynamic_th)));
	return p->size_bytes + (uint64_t)(shared / ((1u << -p->dynamic_th) + k));
}

/* Ports of one partition can congest at once. */
static void
judge_order(struct lint *lint, const struct switch_cfg *cfg, const struct lint_place *at,
	    const struct mmu_profile_cfg *pg, const struct wred_cfg *wred)
{
	uint32_t ports = cfg->port_count / cfg->mmu.partitions;
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];
	uint32_t k = 1;

	while (k <= ports && xoff_at_bytes(cfg, pg, k) >= wred->mark.min_bytes)
		k++;
	if (k > ports)
		return;
	if (k == 1 || pg->is_static)
		snprintf(found, sizeof(found),
			 "%s marks from %" PRIu64 ", but a priority group pauses at %" PRIu64,
			 wred->name, wred->mark.min_bytes, xoff_at_bytes(cfg, pg, 1));
	else
		snprintf(found, sizeof(found),
			 "%s marks from %" PRIu64 ", but with %u priority groups congested each "
			 "pauses at %" PRIu64,
			 wred->name, wred->mark.min_bytes, k, xoff_at_bytes(cfg, pg, k));
	snprintf(right, sizeof(right),
		 "min below %" PRIu64 ", where one of %u congested pauses; or a larger dynamic_th",
		 xoff_at_bytes(cfg, pg, ports), ports);
	lint_find(lint, LINT_XOFF_BEFORE_ECN, at, found, right);
}

static void
judge_curve(struct lint *lint, const struct switch_cfg *cfg, const struct lint_place *at,
	    const struct wred_cfg *wred)
{
	const struct wred_curve *c = &wred->mark;
	uint32_t cell = cfg->mmu.cell_bytes;
	char found[LINT_TEXT_BYTES];

	if (c->min_bytes == c->max_bytes) {
		snprintf(found, sizeof(found), "%s: Kmin = Kmax = %" PRIu64, wred->name,
			 c->min_bytes);
		lint_find(lint, LINT_ECN_STEP, at, found, "a Kmax of 2 to 4 times Kmin");
		return;
	}
	if (c->min_bytes / cell == c->max_bytes / cell) {
		snprintf(found, sizeof(found),
			 "%s: Kmin %" PRIu64 " and Kmax %" PRIu64 " are in one cell of %u",
			 wred->name, c->min_bytes, c->max_bytes, cell);
		lint_find(lint, LINT_ECN_COLLAPSED, at, found, "thresholds some cells apart");
	}
	if (c->probability_q32 == 0) {
		snprintf(found, sizeof(found), "%s: Pmax 0 %%", wred->name);
		lint_find(lint, LINT_ECN_JUMP, at, found, "a Pmax of 1 % to 20 %");
	}
	if (c->probability_q32 >= CONFIG_ONE_Q32) {
		snprintf(found, sizeof(found), "%s: Pmax 100 %%", wred->name);
		lint_find(
			lint, LINT_ECN_STEEP, at, found,
			"meant with some NICs' defaults; 1 % to 20 % is what DCQCN was tuned for");
	}
}

static void
judge_queue(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t tc)
{
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	uint8_t queue = maps->tc_to_queue[tc], pg = maps->tc_to_pg[tc];
	const struct lint_place at = {cfg->name, (int32_t)port, "queue", queue};
	int16_t index = cfg->ports[port].wred[queue];
	const struct wred_cfg *wred = index < 0 ? NULL : &cfg->wred[index];
	char found[LINT_TEXT_BYTES];

	if (wred == NULL) {
		lint_find(lint, LINT_ECN_OFF, &at,
			  "carries a lossless class, without a WRED profile",
			  "a wred profile with ecn: all");
		return;
	}
	if (wred->mark.enable) {
		judge_curve(lint, cfg, &at, wred);
		judge_order(lint, cfg, &at, lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]),
			    wred);
		return;
	}
	snprintf(found, sizeof(found), "%s has ecn: none", wred->name);
	if (wred->drop.enable)
		lint_find(lint, LINT_WRED_DROPS_LOSSLESS, &at, found, "ecn: all, or no profile");
	else
		lint_find(lint, LINT_ECN_OFF, &at, found, "ecn: all");
}

void
lint_ecn(struct lint *lint, uint32_t index)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;

	for (uint32_t port = 0; port < cfg->port_count; port++) {
		uint8_t classes = lint_classes(cfg, port);

		for (uint8_t tc = 0; tc < 8 && !lint_is_unused(lint, index, port); tc++) {
			if (classes >> tc & 1 && lint_is_lossless(cfg, port, tc))
				judge_queue(lint, cfg, port, tc);
		}
	}
}
