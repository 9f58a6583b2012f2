/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pools, buffer profiles and what is bound to them. The headroom table makes profiles for the
 * priorities of pfc_enable, as SONiC's buffer manager does from pg_profile_lookup.ini.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

static int
fail_name(struct config *c, const struct raw_item *item, const char *key, const char *what,
	  const char *name, const char *const *known, uint32_t count)
{
	struct config_mark mark = config_item_mark(item, key);
	const char *nearest = config_nearest(name, known, count);
	char list[200] = "";

	if (nearest != NULL)
		return config_fail(&c->error, &mark,
				   "%s: there is no %s \"%.48s\"; did you mean %s?", key, what,
				   name, nearest);
	for (uint32_t i = 0; i < count; i++) {
		strncat(list, i == 0 ? "" : ", ", sizeof(list) - strlen(list) - 1);
		strncat(list, known[i], sizeof(list) - strlen(list) - 1);
	}
	return config_fail(&c->error, &mark, "%s: there is no %s \"%.48s\"; there %s %s", key, what,
			   name, count == 0 ? "is" : "are", count == 0 ? "none" : list);
}

/* Index of `name` among the named items, or -EINVAL with a message. */
static int
find_name(struct config *c, const struct raw_array *array, size_t size, const struct raw_item *item,
	  const char *key, const char *what, const char *name)
{
	const char *known[MMU_MAX_PROFILES];
	uint32_t count = array->count < MMU_MAX_PROFILES ? array->count : MMU_MAX_PROFILES;

	for (uint32_t i = 0; i < array->count; i++) {
		const struct raw_item *other = config_array_at(array, size, i);

		if (strcmp(other->name, name) == 0)
			return (int)i;
		if (i < MMU_MAX_PROFILES)
			known[i] = other->name;
	}
	return fail_name(c, item, key, what, name, known, count);
}

int
config_find_profile(const struct mmu_cfg *mmu, const char *name, bool egress)
{
	for (uint32_t i = 0; i < mmu->profile_count; i++)
		if (strcmp(mmu->profiles[i].name, name) == 0 &&
		    mmu->pools[mmu->profiles[i].pool].egress == egress)
			return (int)i;
	return -1;
}

/*
 * A pool that both sides count in is one memory: a second pool, after all others, holds what
 * queues count in it. Headroom is part of what they may hold.
 */
static int
add_views(struct config *c, const struct raw_switch *raw, struct mmu_cfg *mmu)
{
	for (uint32_t i = 0; i < raw->pools.count; i++) {
		const struct raw_pool *r = RAW_AT(raw->pools, struct raw_pool, i);
		struct mmu_pool_cfg *p = &mmu->pools[mmu->pool_count];

		if (r->type != RAW_BOTH)
			continue;
		if (mmu->pool_count == MMU_MAX_POOLS)
			return config_fail(&c->error, &r->item.mark,
					   "pools: more than %u (both counts twice)",
					   MMU_MAX_POOLS);
		*p = mmu->pools[i];
		p->egress = true;
		p->size_bytes += mmu->size_includes_xoff ? 0 : p->xoff_bytes;
		p->xoff_bytes = 0;
		snprintf(p->name, sizeof(p->name), "%.*s_egress", MMU_NAME_BYTES - 8, r->item.name);
		mmu->pool_count++;
	}
	return 0;
}

/* The pool that queues with a profile of pool n count in. */
static uint32_t
egress_view(const struct raw_switch *raw, uint32_t n)
{
	uint32_t view = raw->pools.count;

	if (RAW_AT(raw->pools, struct raw_pool, n)->type != RAW_BOTH)
		return n;
	for (uint32_t i = 0; i < n; i++)
		view += RAW_AT(raw->pools, struct raw_pool, i)->type == RAW_BOTH;
	return view;
}

static int
resolve_pools(struct config *c, struct raw_switch *raw, struct mmu_cfg *mmu)
{
	struct config_mark mark = config_item_mark(&raw->item, "pools");

	if (raw->pools.count > MMU_MAX_POOLS)
		return config_fail(&c->error, &mark, "pools: more than %u", MMU_MAX_POOLS);
	for (uint32_t i = 0; i < raw->pools.count; i++) {
		const struct raw_pool *r = RAW_AT(raw->pools, struct raw_pool, i);
		struct mmu_pool_cfg *p = &mmu->pools[i];

		mark = config_item_mark(&r->item, "xoff");
		snprintf(p->name, sizeof(p->name), "%s", r->item.name);
		p->egress = r->type == RAW_EGRESS;
		p->dynamic = r->mode == RAW_DYNAMIC;
		p->size_bytes = r->size_bytes;
		p->xoff_bytes = r->xoff_bytes;
		if (p->egress && p->xoff_bytes > 0)
			return config_fail(
				&c->error, &mark,
				"xoff: a shared headroom pool belongs to an ingress pool, "
				"not to %s",
				p->name);
		if (mmu->size_includes_xoff && p->xoff_bytes > 0 && p->xoff_bytes >= p->size_bytes)
			return config_fail(&c->error, &mark,
					   "xoff: takes all of %s, whose size includes it",
					   p->name);
	}
	mmu->pool_count = raw->pools.count;
	return add_views(c, raw, mmu);
}

/* One threshold, of the pool's kind or (as on SONiC) of the other. */
static int
check_threshold(struct config *c, const struct raw_profile *r, const struct mmu_pool_cfg *pool)
{
	bool has_dynamic = r->dynamic_th != INT64_MIN;
	bool has_static = r->static_th_bytes != CONFIG_AUTO;
	const char *right = pool->dynamic ? "dynamic_th" : "static_th";
	const char *wrong = pool->dynamic ? "static_th" : "dynamic_th";
	struct config_mark mark = config_item_mark(&r->item, wrong);

	if (has_dynamic && has_static)
		return config_fail(&c->error, &mark,
				   "%s: %s is given too, which is right for pool %s; give one",
				   wrong, right, pool->name);
	if (!has_dynamic && !has_static)
		return config_fail(&c->error, &r->item.mark, "%s: needs %s, since pool %s is %s",
				   r->item.name, right, pool->name,
				   pool->dynamic ? "dynamic" : "static");
	return 0;
}

static int
add_profile(struct config *c, const struct raw_switch *raw, const struct raw_profile *r,
	    struct mmu_cfg *mmu)
{
	int pool = find_name(c, &raw->pools, sizeof(struct raw_pool), &r->item, "pool",
			     "buffer pool", r->pool);
	struct mmu_profile_cfg *p = &mmu->profiles[mmu->profile_count];
	struct config_mark mark = config_item_mark(&r->item, "xoff");
	int rc;

	if (pool < 0)
		return pool;
	if (mmu->profile_count == MMU_MAX_PROFILES)
		return config_fail(&c->error, &r->item.mark, "more than %u buffer profiles",
				   MMU_MAX_PROFILES);
	rc = check_threshold(c, r, &mmu->pools[pool]);
	if (rc != 0)
		return rc;
	*p = (struct mmu_profile_cfg){
		.pool = (uint32_t)pool,
		.size_bytes = r->size_bytes,
		.is_static = r->static_th_bytes != CONFIG_AUTO,
		.lossless = r->xoff_bytes != CONFIG_AUTO,
		.xoff_bytes = r->xoff_bytes != CONFIG_AUTO ? r->xoff_bytes : 0,
		.xon_bytes = r->xon_bytes,
		.xon_offset_bytes = r->xon_offset_bytes,
	};
	if (p->is_static)
		p->static_th_bytes = r->static_th_bytes;
	else
		p->dynamic_th = (int32_t)r->dynamic_th;
	snprintf(p->name, sizeof(p->name), "%s", r->item.name);
	if (p->lossless && mmu->pools[pool].egress)
		return config_fail(&c->error, &mark,
				   "xoff: headroom belongs to ingress profiles; pool %s is egress",
				   r->pool);
	mmu->profile_count++;
	if (p->lossless || egress_view(raw, (uint32_t)pool) == (uint32_t)pool)
		return 0;
	if (mmu->profile_count == MMU_MAX_PROFILES)
		return config_fail(&c->error, &r->item.mark, "more than %u buffer profiles",
				   MMU_MAX_PROFILES);
	mmu->profiles[mmu->profile_count] = *p;
	mmu->profiles[mmu->profile_count++].pool = egress_view(raw, (uint32_t)pool);
	return 0;
}

/* The profile of that name for PGs or for queues. */
static int
find_side(struct config *c, const struct raw_switch *raw, const struct mmu_cfg *mmu,
	  const struct raw_item *item, const char *name, bool egress)
{
	struct config_mark mark = config_item_mark(item, "profile");
	int n = find_name(c, &raw->profiles, sizeof(struct raw_profile), item, "profile",
			  "buffer profile", name);
	int found = n < 0 ? n : config_find_profile(mmu, name, egress);

	if (n >= 0 && found < 0)
		return config_fail(
			&c->error, &mark, "profile: %s is of %s pool %s; %s need %s profile", name,
			egress ? "ingress" : "egress",
			RAW_AT(raw->profiles, struct raw_profile, n)->pool,
			egress ? "queues" : "priority groups", egress ? "an egress" : "an ingress");
	return found;
}

static int
bind_pgs(struct config *c, const struct raw_switch *raw, struct scenario_switch *sw)
{
	for (uint32_t i = 0; i < raw->pgs.count; i++) {
		const struct raw_pg *pg = RAW_AT(raw->pgs, struct raw_pg, i);
		int n = find_side(c, raw, &sw->cfg.mmu, &pg->item, pg->profile, false);

		if (n < 0)
			return n;
		for (uint32_t port = 0; port < raw->ports; port++)
			for (uint32_t g = 0; g < MMU_CLASSES; g++)
				if (config_range_has(&pg->ports, port) &&
				    config_range_has(&pg->pgs, g))
					sw->ports[port].mmu.pg_profile[g] = (int16_t)n;
	}
	return 0;
}

static void
bind_queue(const struct raw_switch *raw, const struct raw_queue *q, const int found[3],
	   struct scenario_switch *sw)
{
	for (uint32_t port = 0; port < raw->ports; port++) {
		for (uint32_t n = 0; n < SWITCH_QUEUES; n++) {
			struct switch_port_cfg *p = &sw->ports[port];

			if (!config_range_has(&q->ports, port) || !config_range_has(&q->queues, n))
				continue;
			if (found[0] >= 0)
				p->mmu.queue_profile[n] = (int16_t)found[0];
			if (found[1] >= 0)
				p->scheduler[n] = (int16_t)found[1];
			if (found[2] >= 0)
				p->wred[n] = (int16_t)found[2];
		}
	}
}

static int
bind_queues(struct config *c, const struct raw_switch *raw, struct scenario_switch *sw)
{
	for (uint32_t i = 0; i < raw->queues.count; i++) {
		const struct raw_queue *q = RAW_AT(raw->queues, struct raw_queue, i);
		int found[3] = {-1, -1, -1};

		if (q->profile != NULL)
			found[0] = find_side(c, raw, &sw->cfg.mmu, &q->item, q->profile, true);
		if (q->scheduler != NULL)
			found[1] = find_name(c, &raw->schedulers, sizeof(struct raw_scheduler),
					     &q->item, "scheduler", "scheduler", q->scheduler);
		if (q->wred != NULL)
			found[2] = find_name(c, &raw->wred, sizeof(struct raw_wred), &q->item,
					     "wred", "WRED profile", q->wred);
		if (c->error.failed)
			return -EINVAL;
		bind_queue(raw, q, found, sw);
	}
	return 0;
}

/* Limits of whole ports: one profile a pool. */
static int
bind_ports(struct config *c, const struct raw_switch *raw, const struct raw_port *s, bool egress,
	   struct scenario_switch *sw)
{
	const struct raw_texts *names = egress ? &s->egress_profiles : &s->ingress_profiles;

	for (uint32_t i = 0; i < names->count; i++) {
		const struct raw_item item = {.mark = names->items[i].mark};
		int n = find_side(c, raw, &sw->cfg.mmu, &item, names->items[i].text, egress);
		uint32_t pool;

		if (n < 0)
			return n;
		pool = sw->cfg.mmu.profiles[n].pool;
		for (uint32_t port = 0; port < raw->ports; port++) {
			uint8_t *slot = &sw->ports[port].mmu.pool_profile[pool];

			if (!config_range_has(&s->ports, port))
				continue;
			if (*slot != 0 && *slot != n + 1)
				return config_fail(
					&c->error, &item.mark, "%s: a second limit in pool %s",
					names->items[i].text, sw->cfg.mmu.pools[pool].name);
			*slot = (uint8_t)(n + 1);
		}
	}
	return 0;
}

static int
bind_all_ports(struct config *c, const struct raw_switch *raw, struct scenario_switch *sw)
{
	int rc = 0;

	for (uint32_t i = 0; i < raw->port_settings.count && rc == 0; i++) {
		const struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		rc = bind_ports(c, raw, s, false, sw);
		if (rc == 0)
			rc = bind_ports(c, raw, s, true, sw);
	}
	return rc;
}

static int
fail_row(struct config *c, const struct raw_switch *raw, const struct raw_port *s)
{
	struct config_mark mark = config_item_mark(&s->item, "cable");
	char rate[32], cable[32], list[200] = "";
	bool found;

	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);
		size_t used = strlen(list);

		config_unit_format(CONFIG_UNIT_RATE, h->speed_bps, rate, sizeof(rate));
		config_unit_format(CONFIG_UNIT_LENGTH, h->cable_mm, cable, sizeof(cable));
		if (h->speed_bps == s->rate_bps)
			snprintf(list + used, sizeof(list) - used, "%s%s", used == 0 ? "" : ", ",
				 cable);
	}
	found = list[0] != '\0';
	for (uint32_t i = 0; !found && i < raw->headroom.count; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);

		config_unit_format(CONFIG_UNIT_RATE, h->speed_bps, rate, sizeof(rate));
		if (strstr(list, rate) != NULL)
			continue;
		strncat(list, i == 0 ? "only for " : ", ", sizeof(list) - strlen(list) - 1);
		strncat(list, rate, sizeof(list) - strlen(list) - 1);
	}
	config_unit_format(CONFIG_UNIT_RATE, s->rate_bps, rate, sizeof(rate));
	config_unit_format(CONFIG_UNIT_LENGTH, s->cable_mm, cable, sizeof(cable));
	return config_fail(&c->error, &mark,
			   "cable: %s has no headroom row for %s and %s; there are rows %s%s",
			   raw->item.name, rate, cable, strncmp(list, "only", 4) == 0 ? "" : "for ",
			   list[0] == '\0' ? "none" : list);
}

/* Make the profile of a row, unless there is one of that name. Returns its index. */
static int
row_profile(struct config *c, struct raw_switch *raw, struct mmu_cfg *mmu,
	    const struct raw_headroom *h)
{
	char cable[32], name[96];
	struct raw_profile *r;
	int n, rc;

	config_unit_format(CONFIG_UNIT_LENGTH, h->cable_mm, cable, sizeof(cable));
	snprintf(name, sizeof(name), "pg_lossless_%" PRIu64 "_%s_profile", h->speed_bps / 1000000,
		 cable);
	n = config_find_profile(mmu, name, false);
	if (n >= 0)
		return n;
	r = RAW_AT(raw->profiles, struct raw_profile, raw->profiles.count);
	*r = (struct raw_profile){
		.item = h->item,
		.pool = h->pool,
		.size_bytes = h->size_bytes,
		.dynamic_th = h->dynamic_th,
		.static_th_bytes = h->static_th_bytes,
		.xoff_bytes = h->xoff_bytes,
		.xon_bytes = h->xon_bytes,
		.xon_offset_bytes = h->xon_offset_bytes,
	};
	r->item.name = config_arena_copy(&c->arena, name, strlen(name));
	rc = add_profile(c, raw, r, mmu);
	raw->profiles.count++;
	return rc != 0 ? rc : config_find_profile(mmu, name, false);
}

/* The priority groups of a port that pause an enabled priority and are not lossless yet. */
static uint8_t
pgs_without_headroom(const struct scenario_switch *sw, uint32_t port)
{
	const struct switch_port_cfg *p = &sw->ports[port];
	uint8_t pgs = 0;

	for (uint32_t g = 0; g < MMU_CLASSES; g++) {
		int16_t n = p->mmu.pg_profile[g];

		if (!(p->port.pfc.enable >> switch_port_maps(&sw->cfg, port)->pg_to_pfc[g] & 1))
			continue;
		if (n < 0 || !sw->cfg.mmu.profiles[n].lossless)
			pgs |= (uint8_t)(1u << g);
	}
	return pgs;
}

/* The row for the rate and cable of a port, or NULL. */
static const struct raw_headroom *
find_row(const struct raw_switch *raw, const struct raw_port *s)
{
	const struct raw_headroom *row = NULL;

	for (uint32_t i = 0; i < raw->headroom.count; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);

		if (h->speed_bps == s->rate_bps && h->cable_mm == s->cable_mm)
			row = h;
	}
	return row;
}

static int
bind_headroom(struct config *c, struct raw_switch *raw, struct scenario_switch *sw,
	      const struct raw_port *s, struct raw_pg *pg)
{
	const struct raw_headroom *row = find_row(raw, s);
	int profile;

	if (row == NULL)
		return fail_row(c, raw, s);
	profile = row_profile(c, raw, &sw->cfg.mmu, row);
	if (profile < 0)
		return profile;
	pg->item.mark = row->item.mark;
	pg->ports.given = true;
	pg->pgs.given = true;
	pg->profile = config_arena_copy(&c->arena, sw->cfg.mmu.profiles[profile].name,
					strlen(sw->cfg.mmu.profiles[profile].name));
	for (uint32_t port = 0; port < raw->ports; port++) {
		if (!config_range_has(&s->ports, port))
			continue;
		pg->ports.bits[port / 64] |= 1ULL << port % 64;
		for (uint32_t g = 0; g < MMU_CLASSES; g++)
			if (pg->pgs.bits[0] >> g & 1)
				sw->ports[port].mmu.pg_profile[g] = (int16_t)profile;
	}
	return 0;
}

/* For each run of equal ports; what is made is added to the raw pgs, so that a dump shows it. */
static int
resolve_headroom(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	uint32_t size = raw->pgs.count + (uint32_t)raw->ports;
	struct raw_pg *pgs = CONFIG_NEW(c, struct raw_pg, size);
	struct config_mark mark = config_item_mark(&raw->item, "headroom");
	uint32_t written = raw->pgs.count;

	for (uint32_t i = 0; i < raw->pgs.count; i++)
		pgs[i] = *RAW_AT(raw->pgs, struct raw_pg, i);
	raw->pgs.items = pgs;
	for (uint32_t i = 0; i < raw->port_settings.count; i++) {
		struct raw_port *s = RAW_AT(raw->port_settings, struct raw_port, i);

		if (s->cable_mm == CONFIG_AUTO || raw->headroom.count == 0)
			continue;
		if (c->judged && find_row(raw, s) == NULL)
			continue; /* the linter says so, of every port */
		for (uint32_t port = 0; port < raw->ports; port++) {
			struct raw_pg *pg = &pgs[raw->pgs.count];
			struct raw_port one = *s;
			int rc;

			pg->pgs.bits[0] = pgs_without_headroom(sw, port);
			if (!config_range_has(&s->ports, port) || pg->pgs.bits[0] == 0)
				continue;
			/* Ports of the run that lack the same PGs are bound together. */
			one.ports = (struct raw_range){.given = true};
			for (uint32_t p = port; p < raw->ports; p++)
				if (config_range_has(&s->ports, p) &&
				    pgs_without_headroom(sw, p) == pg->pgs.bits[0])
					one.ports.bits[p / 64] |= 1ULL << p % 64;
			rc = bind_headroom(c, raw, sw, &one, pg);
			if (rc != 0)
				return rc;
			raw->pgs.count++;
		}
	}
	if (raw->headroom.word != 0 && raw->pgs.count == written)
		config_warn(c, &mark,
			    "headroom: computed, but no port of %s uses it: it takes a cable, "
			    "pfc_enable, and PGs for it without a lossless profile",
			    raw->item.name);
	return 0;
}

static int
resolve_profiles(struct config *c, struct raw_switch *raw, struct mmu_cfg *mmu)
{
	uint32_t size = raw->profiles.count + raw->headroom.count;
	struct raw_profile *profiles = CONFIG_NEW(c, struct raw_profile, size);

	for (uint32_t i = 0; i < raw->profiles.count; i++) {
		int rc;

		profiles[i] = *RAW_AT(raw->profiles, struct raw_profile, i);
		rc = add_profile(c, raw, &profiles[i], mmu);
		if (rc != 0)
			return rc;
	}
	raw->profiles.items = profiles;
	return 0;
}

int
config_resolve_buffers(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	struct mmu_cfg *mmu = &sw->cfg.mmu;
	int rc;

	mmu->cell_bytes = (uint32_t)raw->cell_bytes;
	mmu->partitions = (uint32_t)raw->partitions;
	mmu->size_includes_xoff = raw->size_includes_xoff == 1;
	for (uint32_t port = 0; port < raw->ports; port++) {
		struct switch_port_cfg *p = &sw->ports[port];

		for (uint32_t n = 0; n < SWITCH_QUEUES; n++) {
			p->mmu.pg_profile[n] = MMU_NO_PROFILE;
			p->mmu.queue_profile[n] = MMU_NO_PROFILE;
			p->wred[n] = -1;
			p->scheduler[n] = -1;
		}
	}
	rc = resolve_pools(c, raw, mmu);
	if (rc == 0)
		rc = config_complete_headroom(c, raw);
	if (rc == 0)
		rc = resolve_profiles(c, raw, mmu);
	if (rc == 0)
		rc = bind_pgs(c, raw, sw);
	if (rc == 0)
		rc = bind_queues(c, raw, sw);
	if (rc == 0)
		rc = bind_all_ports(c, raw, sw);
	if (rc == 0)
		rc = resolve_headroom(c, raw, sw);
	return rc;
}
