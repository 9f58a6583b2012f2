/* SPDX-License-Identifier: BSD-3-Clause */
/* Consistency of a switch: what would be silent trouble in the field is said here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "pipelines.h"

struct check {
	struct config *c;
	const struct raw_switch *raw;
	const struct scenario_switch *sw;
	uint16_t used; /* traffic classes */
};

/* Ports of one kind are reported once: by the first of them. */
static int
check_enabled(const struct check *k, uint32_t port)
{
	const struct switch_port_cfg *p = &k->sw->ports[port];
	const struct mmu_cfg *mmu = &k->sw->cfg.mmu;
	struct config_mark mark = config_item_mark(&k->raw->item, "pfc_enable");

	for (uint32_t priority = 0; priority < 8; priority++) {
		bool found = false, lossless = true;

		if (!(p->port.pfc.enable >> priority & 1))
			continue;
		for (uint32_t g = 0; g < MMU_CLASSES; g++) {
			int16_t n = p->mmu.pg_profile[g];

			if (switch_port_maps(&k->sw->cfg, port)->pg_to_pfc[g] != priority)
				continue;
			found = true;
			lossless = lossless && n >= 0 && mmu->profiles[n].lossless;
		}
		if (!found)
			return config_fail(&k->c->error, &mark,
					   "pfc_enable: no priority group pauses priority %u; see "
					   "maps.pg_to_pfc",
					   priority);
		if (!lossless)
			return config_fail(
				&k->c->error, &mark,
				"pfc_enable: priority %u of %s port %u has no headroom; give "
				"its PG a profile with xoff, or cable and headroom (rows, or "
				"computed)",
				priority, k->raw->item.name, port);
	}
	return 0;
}

static void
warn_not_enabled(const struct check *k, uint32_t port, uint8_t *warned)
{
	const struct switch_port_cfg *p = &k->sw->ports[port];

	for (uint32_t g = 0; g < MMU_CLASSES; g++) {
		uint8_t priority = switch_port_maps(&k->sw->cfg, port)->pg_to_pfc[g];
		int16_t n = p->mmu.pg_profile[g];

		if (n < 0 || !k->sw->cfg.mmu.profiles[n].lossless || *warned >> g & 1 ||
		    p->port.pfc.enable >> priority & 1)
			continue;
		*warned |= (uint8_t)(1u << g);
		config_warn(
			k->c, &k->raw->item.mark,
			"%s port %u: PG %u is lossless (%s), but priority %u is not in pfc_enable: "
			"it will not pause anyone",
			k->raw->item.name, port, g, k->sw->cfg.mmu.profiles[n].name, priority);
	}
}

/* Traffic classes that a frame can get that comes in by a port. */
static uint16_t
classes_of_port(const struct check *k, uint32_t port)
{
	const struct switch_maps *m = switch_port_maps(&k->sw->cfg, port);
	uint16_t used = 1; /* what is not IP */

	for (uint32_t i = 0; i < 64; i++)
		used |= (uint16_t)(1u << m->dscp_to_tc[i]);
	for (uint32_t i = 0; i < 8 && m->trust_pcp; i++)
		used |= (uint16_t)(1u << m->pcp_to_tc[i]);
	return used;
}

/* ... by any port that has maps of its own, or by the others. */
static uint16_t
classes_in_use(const struct check *k)
{
	uint32_t seen = UINT32_MAX;
	uint16_t used = 0;

	for (uint32_t port = 0; port < k->sw->cfg.port_count; port++) {
		if (k->sw->ports[port].maps != seen)
			used |= classes_of_port(k, port);
		seen = k->sw->ports[port].maps;
	}
	return used;
}

static int
check_bound(const struct check *k, uint32_t port)
{
	const struct switch_port_cfg *p = &k->sw->ports[port];
	const struct switch_maps *m = switch_port_maps(&k->sw->cfg, port);
	uint16_t in = classes_of_port(k, port);

	for (uint32_t tc = 0; tc < SWITCH_TCS; tc++) {
		uint8_t pg = m->tc_to_pg[tc], queue = m->tc_to_queue[tc];

		if (in >> tc & 1 && p->mmu.pg_profile[pg] < 0)
			return config_fail(
				&k->c->error, &k->raw->item.mark,
				"%s port %u: traffic class %u goes to PG %u, which has no "
				"buffer profile; add it to pgs",
				k->raw->item.name, port, tc, pg);
		if (k->used >> tc & 1 && p->mmu.queue_profile[queue] < 0)
			return config_fail(
				&k->c->error, &k->raw->item.mark,
				"%s port %u: traffic class %u goes to queue %u, which has no "
				"buffer profile; add it to queues",
				k->raw->item.name, port, tc, queue);
	}
	return 0;
}

static uint64_t
cells_bytes(const struct mmu_cfg *mmu, uint64_t bytes)
{
	return (bytes + mmu->cell_bytes - 1) / mmu->cell_bytes * mmu->cell_bytes;
}

/* Of the partition that needs most: a pool is split as mmu.c splits it. */
static uint64_t
guaranteed_bytes(const struct check *k, uint32_t pool, uint32_t part, uint32_t parts)
{
	const struct mmu_cfg *mmu = &k->sw->cfg.mmu;
	uint64_t sum = 0;

	for (uint32_t port = 0; port < k->sw->cfg.port_count; port++) {
		const struct mmu_port_cfg *p = &k->sw->ports[port].mmu;

		if (port * parts / k->sw->cfg.port_count != part)
			continue;
		for (uint32_t n = 0; n < MMU_CLASSES; n++) {
			const int16_t bound[2] = {p->pg_profile[n], p->queue_profile[n]};

			for (int i = 0; i < 2; i++)
				if (bound[i] >= 0 && mmu->profiles[bound[i]].pool == pool)
					sum += cells_bytes(mmu, mmu->profiles[bound[i]].size_bytes);
		}
	}
	return sum;
}

/* Pools that both sides count in are counted again after all others. */
static const struct raw_pool *
written_pool(const struct check *k, uint32_t n)
{
	const struct raw_array *pools = &k->raw->pools;
	uint32_t view = pools->count;

	for (uint32_t i = 0; n >= pools->count && i < pools->count; i++)
		if (RAW_AT(*pools, struct raw_pool, i)->type == RAW_BOTH && view++ == n)
			return RAW_AT(*pools, struct raw_pool, i);
	return RAW_AT(*pools, struct raw_pool, n);
}

static int
check_guarantees(const struct check *k)
{
	const struct mmu_cfg *mmu = &k->sw->cfg.mmu;

	for (uint32_t i = 0; i < mmu->pool_count; i++) {
		const struct mmu_pool_cfg *pool = &mmu->pools[i];
		const struct raw_pool *raw = written_pool(k, i);
		uint32_t parts = pool->egress && !pool->dynamic ? 1 : mmu->partitions;
		struct config_mark mark = config_item_mark(&raw->item, "size");
		uint64_t size = pool->size_bytes;

		if (mmu->size_includes_xoff)
			size -= pool->xoff_bytes;
		for (uint32_t part = 0; part < parts; part++) {
			uint64_t sum = guaranteed_bytes(k, i, part, parts);

			if (sum > size / parts)
				return config_fail(&k->c->error, &mark,
						   "size: pool %s has %" PRIu64
						   " bytes%s, but %" PRIu64
						   " are guaranteed to its PGs and queues",
						   pool->name, size / parts,
						   parts > 1 ? " a partition" : "", sum);
		}
	}
	return 0;
}

/*
 * Is a dynamic limit out of reach of so many bytes? alpha x (pool - use) never falls below use
 * while that is at most alpha / (1 + alpha) of the pool.
 */
static bool
is_beyond(int32_t dynamic_th, uint64_t pool_bytes, uint64_t bytes)
{
	uint64_t more = dynamic_th >= 0 ? bytes >> dynamic_th : bytes << -dynamic_th;

	return bytes + more <= pool_bytes;
}

/* Ports whose PG of the class is lossless: of one partition, if they are spread evenly. */
static uint64_t
lossless_ports(const struct scenario_switch *sw, uint8_t tc)
{
	const struct mmu_cfg *mmu = &sw->cfg.mmu;
	uint32_t count = 0;

	for (uint32_t port = 0; port < sw->cfg.port_count; port++) {
		uint8_t pg = switch_port_maps(&sw->cfg, port)->tc_to_pg[tc];
		int16_t in = sw->ports[port].mmu.pg_profile[pg];

		count += in >= 0 && mmu->profiles[in].lossless;
	}
	return (count + mmu->partitions - 1) / mmu->partitions;
}

/* n PGs settle at alpha B / (1 + n alpha) each. */
uint64_t
config_lossless_bytes(const struct scenario_switch *sw, uint32_t port, uint8_t tc)
{
	const struct mmu_cfg *mmu = &sw->cfg.mmu;
	uint8_t pg = switch_port_maps(&sw->cfg, port)->tc_to_pg[tc];
	const struct mmu_profile_cfg *p = &mmu->profiles[sw->ports[port].mmu.pg_profile[pg]];
	const struct mmu_pool_cfg *pool = &mmu->pools[p->pool];
	uint64_t bytes = pool->size_bytes - (mmu->size_includes_xoff ? pool->xoff_bytes : 0);
	uint64_t pgs = lossless_ports(sw, tc), one = 1;

	if (p->is_static)
		return p->static_th_bytes < bytes / pgs ? p->static_th_bytes * pgs : bytes;
	if (p->dynamic_th >= 0)
		pgs <<= p->dynamic_th;
	else
		one <<= -p->dynamic_th;
	return (uint64_t)((unsigned __int128)bytes * pgs / (one + pgs));
}

/* A lossless packet must find room at the egress, whatever the queue holds. */
bool
config_egress_can_drop(const struct scenario_switch *sw, uint32_t port, uint8_t tc)
{
	const struct switch_port_cfg *p = &sw->ports[port];
	const struct mmu_cfg *mmu = &sw->cfg.mmu;
	const struct switch_maps *maps = switch_port_maps(&sw->cfg, port);
	int16_t in = p->mmu.pg_profile[maps->tc_to_pg[tc]];
	int16_t out = p->mmu.queue_profile[maps->tc_to_queue[tc]];
	const struct mmu_profile_cfg *profile;
	uint64_t ingress = 0;

	if (in < 0 || out < 0 || !mmu->profiles[in].lossless)
		return false;
	for (uint32_t i = 0; i < mmu->pool_count; i++)
		if (!mmu->pools[i].egress)
			ingress += mmu->pools[i].size_bytes +
				   (mmu->size_includes_xoff ? 0 : mmu->pools[i].xoff_bytes);
	profile = &mmu->profiles[out];
	if (!profile->is_static)
		return !is_beyond(profile->dynamic_th, mmu->pools[profile->pool].size_bytes,
				  ingress);
	if (profile->static_th_bytes >= ingress && mmu->pools[profile->pool].size_bytes >= ingress)
		return false;
	/* The whole pool, as vendors set it; it need not hold all headroom as well. */
	return profile->static_th_bytes < mmu->pools[profile->pool].size_bytes ||
	       mmu->pools[profile->pool].size_bytes < config_lossless_bytes(sw, port, tc);
}

static void
warn_egress(const struct check *k, uint32_t port, uint8_t *warned)
{
	for (uint8_t tc = 0; tc < SWITCH_TCS; tc++) {
		uint8_t queue = switch_port_maps(&k->sw->cfg, port)->tc_to_queue[tc];
		int16_t out = k->sw->ports[port].mmu.queue_profile[queue];

		if (*warned >> queue & 1 || !config_egress_can_drop(k->sw, port, tc))
			continue;
		*warned |= (uint8_t)(1u << queue);
		config_warn(
			k->c, &k->raw->item.mark,
			"%s port %u: queue %u carries lossless traffic class %u, but its egress "
			"limit (%s) can drop; a static_th of the whole pool cannot",
			k->raw->item.name, port, queue, tc, k->sw->cfg.mmu.profiles[out].name);
	}
}

static bool
is_end(const struct scenario_end *end, uint32_t index, uint32_t port)
{
	return end->is_switch && end->index == index && end->port == port;
}

bool
config_port_unused(const struct scenario *s, uint32_t index, uint32_t port)
{
	const struct mmu_port_cfg *p = &s->switches[index].ports[port].mmu;
	bool pgs = false, queues = false;

	for (uint32_t n = 0; n < MMU_CLASSES; n++) {
		pgs = pgs || p->pg_profile[n] >= 0;
		queues = queues || p->queue_profile[n] >= 0;
	}
	if (pgs && queues)
		return false;
	for (uint32_t i = 0; i < s->link_count; i++)
		if (is_end(&s->links[i].a, index, port) || is_end(&s->links[i].b, index, port))
			return false;
	for (uint32_t i = 0; i < s->ethdev_count; i++)
		if (is_end(&s->ethdevs[i].end, index, port))
			return false;
	return true;
}

/* Of a group, no switch uses the port. */
static bool
is_unused(const struct check *k, uint32_t port)
{
	for (uint32_t n = 0; n < config_switch_count(k->raw); n++)
		if (!config_port_unused(k->c->scenario, k->raw->first + n, port))
			return false;
	return true;
}

static int
check_switch(const struct check *k)
{
	const struct pipeline *pipeline = pipelines_find(k->sw->cfg.pipeline);
	uint8_t warned_pgs = 0, warned_queues = 0;

	if (pipeline == NULL || !pipeline->uses_mmu)
		return 0;
	if (k->sw->cfg.mmu.pool_count == 0)
		return config_fail(&k->c->error, &k->raw->item.mark,
				   "%s has no buffer: name a profile, such as tomahawk-7060cx or "
				   "generic-32mb, or give pools, buffer_profiles, pgs and queues",
				   k->raw->item.name);
	for (uint32_t port = 0; port < k->sw->cfg.port_count; port++) {
		int rc;

		if (is_unused(k, port))
			continue;
		rc = check_enabled(k, port);
		if (rc == 0)
			rc = check_bound(k, port);
		if (rc != 0)
			return rc;
		warn_not_enabled(k, port, &warned_pgs);
		warn_egress(k, port, &warned_queues);
	}
	return check_guarantees(k);
}

int
config_check_switches(struct config *c)
{
	for (uint32_t i = 0; i < c->raw.switches.count; i++) {
		const struct raw_switch *raw = RAW_AT(c->raw.switches, struct raw_switch, i);
		/* Of a group, the first stands for all. */
		struct check k = {.c = c, .raw = raw, .sw = &c->scenario->switches[raw->first]};
		int rc;

		k.used = classes_in_use(&k);
		rc = check_switch(&k);
		if (rc != 0)
			return rc;
	}
	return 0;
}
