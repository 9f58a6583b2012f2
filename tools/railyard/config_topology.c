/* SPDX-License-Identifier: BSD-3-Clause */
/* What a topology's few numbers mean: counts of each tier, and what is asked of oversubscription.
 */
#include "config_topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "forwarding.h"
#include "units.h"

#define DEFAULT_DELAY_PS (1 * UNITS_PS_PER_US)
#define DEFAULT_GPUS 8

static int
fail_key(struct config *c, const struct raw_topology *t, const char *key, const char *what)
{
	struct config_mark mark = config_item_mark(&t->item, key);

	return config_fail(&c->error, &mark, "%s: %s", key, what);
}

/* Keys mean something to some kinds only, and some kinds cannot do without. */
static int
check_keys(struct config *c, const struct raw_topology *t)
{
	enum { LS = 1, FT = 2, TT = 4, RO = 8 };
	const struct {
		const char *key;
		uint64_t value;
		unsigned allowed;
		unsigned required;
	} keys[] = {
		{"k", t->k, FT, FT},
		{"pods", t->pods, TT | RO, TT},
		{"leaves", t->leaves, LS | TT, LS | TT},
		{"spines", t->spines, LS | TT | RO, 0},
		{"cores", t->cores, TT | RO, 0},
		{"hosts_per_leaf", t->hosts_per_leaf, LS | TT, LS | TT},
		{"servers", t->servers, RO, RO},
		{"servers_per_leaf", t->servers_per_leaf, RO, 0},
		{"gpus", t->gpus, RO, 0},
		{"scale", t->scale, LS | TT | RO, 0},
	};
	unsigned kind = 1u << t->kind;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char what[64];

		if (keys[i].value == CONFIG_AUTO && (keys[i].required & kind)) {
			snprintf(what, sizeof(what), "%s needs it", config_topology_kinds[t->kind]);
			return fail_key(c, t, keys[i].key, what);
		}
		if (keys[i].value != CONFIG_AUTO && !(keys[i].allowed & kind)) {
			snprintf(what, sizeof(what), "%s has no such number",
				 config_topology_kinds[t->kind]);
			return fail_key(c, t, keys[i].key, what);
		}
	}
	return 0;
}

static int
plan_links(struct config *c, const struct raw_topology *t, const struct raw_tier_links *r,
	   struct topology_links *out)
{
	bool placed = r->delay_ps != CONFIG_AUTO || r->length_mm != CONFIG_AUTO;

	*out = (struct topology_links){
		.rate_bps = r->rate_bps != CONFIG_AUTO ? r->rate_bps : t->rate_bps,
		.delay_ps = placed ? r->delay_ps : t->delay_ps,
		.length_mm = placed ? r->length_mm : t->length_mm,
		.count = (uint32_t)r->count,
	};
	if (out->delay_ps != CONFIG_AUTO && out->length_mm != CONFIG_AUTO) {
		const struct raw_item *item = placed ? &r->item : &t->item;
		struct config_mark mark = config_item_mark(item, "length");

		return config_fail(&c->error, &mark,
				   "length: delay is given too; give one of them");
	}
	if (out->delay_ps == CONFIG_AUTO && out->length_mm == CONFIG_AUTO)
		out->delay_ps = DEFAULT_DELAY_PS;
	return 0;
}

/*
 * Switches above one with down_bps downwards: as many as were given, or as the oversubscription
 * asks for. They must come out whole.
 */
static int
plan_above(struct config *c, const struct raw_tier_links *r, const struct topology_links *links,
	   uint64_t given, unsigned __int128 down_bps, const char *key, uint32_t *out)
{
	uint64_t ratio_q32 = r->oversubscription_q32;
	struct config_mark mark = config_item_mark(&r->item, "oversubscription");
	unsigned __int128 up, each;

	if (given != CONFIG_AUTO && ratio_q32 != CONFIG_AUTO)
		return config_fail(&c->error, &mark,
				   "oversubscription: %s are given too; give one of them", key);
	if (given != CONFIG_AUTO) {
		*out = (uint32_t)given;
		return 0;
	}
	if (ratio_q32 == CONFIG_AUTO)
		ratio_q32 = CONFIG_ONE_Q32;
	up = down_bps * CONFIG_ONE_Q32;
	each = (unsigned __int128)ratio_q32 * links->rate_bps * links->count;
	if (up % each != 0 || up / each == 0 || up / each > 65536) {
		char rate[32];
		uint64_t hundredths = (uint64_t)(up * 100 / each);

		config_unit_format(CONFIG_UNIT_RATE, links->rate_bps * links->count, rate,
				   sizeof(rate));
		return config_fail(&c->error, &mark,
				   "oversubscription: takes %" PRIu64 ".%02" PRIu64
				   " links of %s upwards, which is not a whole number; give %s",
				   hundredths / 100, hundredths % 100, rate, key);
	}
	*out = (uint32_t)(up / each);
	return 0;
}

static int
plan_fat_tree(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	uint32_t half = (uint32_t)t->k / 2;

	if (t->k % 2 != 0)
		return fail_key(c, t, "k", "must be even: half of the ports go up");
	p->pods = (uint32_t)t->k;
	p->leaves = p->spines = p->cores = p->hosts = half;
	if (p->leaf_links.count * p->spine_links.count != 1)
		return fail_key(c, t, p->leaf_links.count != 1 ? "leaf_links" : "spine_links",
				"a fat-tree has one cable between two switches");
	return 0;
}

/* Servers in blocks that share a set of leaves, one a rail; blocks in pods. */
static int
plan_rails(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	uint64_t servers_of_pod = t->servers / p->pods;

	p->gpus = t->gpus == CONFIG_AUTO ? DEFAULT_GPUS : (uint32_t)t->gpus;
	if (t->servers % p->pods != 0)
		return fail_key(c, t, "servers", "must be a multiple of pods");
	p->hosts = (uint32_t)(t->servers_per_leaf == CONFIG_AUTO ? servers_of_pod
								 : t->servers_per_leaf);
	if (servers_of_pod % p->hosts != 0)
		return fail_key(c, t, "servers_per_leaf", "must divide the servers of a pod");
	p->leaves = (uint32_t)(servers_of_pod / p->hosts) * p->gpus;
	return 0;
}

/* `cores` is the user's total; a plane has a share of it. */
static int
plan_cores(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	const struct topology_links *up = &p->spine_links, *down = &p->leaf_links;
	unsigned __int128 down_bps = (unsigned __int128)down->rate_bps * down->count * p->leaves;
	uint64_t given = t->cores;

	if (p->pods == 1 && t->kind == RAW_RAIL_OPTIMIZED && given == CONFIG_AUTO)
		return 0;
	if (given != CONFIG_AUTO && given % p->spines != 0)
		return fail_key(c, t, "cores",
				"must be a multiple of spines: each spine of a pod has a plane of "
				"cores of its own");
	if (given != CONFIG_AUTO)
		given /= p->spines;
	return plan_above(c, &t->spine_links, up, given, down_bps, "cores", &p->cores);
}

/* Down to the size asked for; what does not divide is an error. */
static int
scale_down(struct config *c, const struct raw_topology *t, struct raw_topology *scaled)
{
	struct {
		const char *key;
		uint64_t *value;
	} counts[] = {{"leaves", &scaled->leaves},
		      {"servers", &scaled->servers},
		      {"cores", &scaled->cores}};

	*scaled = *t;
	for (size_t i = 0; t->scale != CONFIG_AUTO && i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (*counts[i].value == CONFIG_AUTO)
			continue;
		if (*counts[i].value % t->scale != 0)
			return fail_key(c, t, counts[i].key, "must be a multiple of scale");
		*counts[i].value /= t->scale;
	}
	return 0;
}

/* What is above the leaves, and of rails the leaves. */
static int
plan_tiers(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	int rc = 0;

	if (t->kind == RAW_FAT_TREE)
		return plan_fat_tree(c, t, p);
	if (t->kind == RAW_RAIL_OPTIMIZED)
		rc = plan_rails(c, t, p);
	if (rc == 0)
		rc = plan_above(c, &t->leaf_links, &p->leaf_links, t->spines,
				(unsigned __int128)p->host_links.rate_bps * p->hosts, "spines",
				&p->spines);
	if (rc == 0 && t->kind != RAW_LEAF_SPINE)
		rc = plan_cores(c, t, p);
	return rc;
}

static int
plan_gateways(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	const struct topology_links *down = p->cores > 0 ? &p->spine_links : &p->leaf_links;
	uint32_t below = p->cores > 0 ? p->pods : p->leaves;

	if (p->clusters == 1)
		return t->gateways == CONFIG_AUTO
			       ? 0
			       : fail_key(c, t, "gateways",
					  "they join clusters, and there is one; give clusters");
	if (t->gateways == CONFIG_AUTO && t->gateway_links.oversubscription_q32 == CONFIG_AUTO)
		return 0;
	return plan_above(c, &t->gateway_links, &p->gateway_links, t->gateways,
			  (unsigned __int128)down->rate_bps * down->count * below, "gateways",
			  &p->gateways);
}

static int
check_ports(struct config *c, const struct raw_topology *t, const char *tier, uint64_t down,
	    uint64_t up)
{
	if (down + up > SWITCH_MAX_PORTS)
		return config_fail(&c->error, &t->item.mark,
				   "topology: a %s has %" PRIu64 " ports (%" PRIu64
				   " down, %" PRIu64 " up); at most %u",
				   tier, down + up, down, up, SWITCH_MAX_PORTS);
	if (up > FORWARDING_MAX_MEMBERS)
		return config_fail(&c->error, &t->item.mark,
				   "topology: a %s has %" PRIu64
				   " links upwards; a route has at most %u equal paths",
				   tier, up, FORWARDING_MAX_MEMBERS);
	return 0;
}

static int
check_plan(struct config *c, const struct topology_plan *p)
{
	const struct raw_topology *t = p->raw;
	uint64_t leaf_up = (uint64_t)p->spines * p->leaf_links.count;
	uint64_t spine_down = (uint64_t)p->leaves * p->leaf_links.count;
	uint64_t spine_up = (uint64_t)p->cores * p->spine_links.count;
	uint64_t core_down = (uint64_t)p->pods * p->spine_links.count;
	uint64_t top_up = (uint64_t)p->gateways * p->gateway_links.count;
	uint64_t tops = (uint64_t)p->clusters * topology_tops(p);
	uint64_t pods = (uint64_t)p->clusters * p->pods;
	uint64_t leaves = pods * p->leaves;
	int rc = check_ports(c, t, "leaf", p->hosts, leaf_up);

	if (rc == 0)
		rc = check_ports(c, t, "spine", spine_down, p->cores > 0 ? spine_up : top_up);
	if (rc == 0 && p->cores > 0)
		rc = check_ports(c, t, "core", core_down, top_up);
	if (rc == 0 && p->gateways > 0)
		rc = check_ports(c, t, "gateway", tops * p->gateway_links.count, 0);
	if (rc != 0)
		return rc;
	if (leaves * p->hosts > 65536)
		return config_fail(&c->error, &t->item.mark,
				   "topology: %" PRIu64 " hosts; at most 65536", leaves * p->hosts);
	if (leaves * (p->hosts + leaf_up) + pods * p->spines * spine_up + tops * top_up >
	    CONFIG_MAX_ENDS)
		return config_fail(&c->error, &t->item.mark, "topology: more than %u links",
				   CONFIG_MAX_ENDS);
	return 0;
}

/* What is said of cables that there are none of, or that cannot be so. */
static int
check_links(struct config *c, const struct topology_plan *p)
{
	const struct raw_topology *t = p->raw;
	const struct raw_tier_links *host = &t->host_links;
	const struct {
		const char *key;
		const char *what;
		const struct raw_item *at;
		bool wrong;
	} checks[] = {
		{"count", "a host has one cable; for more, give it more NICs (rail-optimized)",
		 &host->item, host->count != 1},
		{"oversubscription", "hosts are as many as a leaf has; say it of leaf_links",
		 &host->item, host->oversubscription_q32 != CONFIG_AUTO},
		{"oversubscription", "a fat-tree has none; three-tier does", &t->leaf_links.item,
		 t->kind == RAW_FAT_TREE && t->leaf_links.oversubscription_q32 != CONFIG_AUTO},
		{"oversubscription", "a fat-tree has none; three-tier does", &t->spine_links.item,
		 t->kind == RAW_FAT_TREE && t->spine_links.oversubscription_q32 != CONFIG_AUTO},
		{"spine_links", "they lead to cores, and there are none", &t->item,
		 t->spine_links.item.node != NULL && p->cores == 0},
		{"gateway_links", "they join clusters, and there is one; give clusters", &t->item,
		 t->gateway_links.item.node != NULL && p->clusters == 1},
		{"gateway_links", "they lead to gateways, and there are none; give gateways",
		 &t->item, t->gateway_links.item.node != NULL && p->gateways == 0},
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct config_mark mark = config_item_mark(checks[i].at, checks[i].key);

		if (checks[i].wrong)
			return config_fail(&c->error, &mark, "%s: %s", checks[i].key,
					   checks[i].what);
	}
	return 0;
}

int
topology_plan_make(struct config *c, const struct raw_topology *t, struct topology_plan *p)
{
	struct raw_topology scaled;
	int rc = check_keys(c, t);

	if (rc == 0)
		rc = scale_down(c, t, &scaled);
	if (rc != 0)
		return rc;
	*p = (struct topology_plan){
		.raw = t,
		.clusters = t->clusters == CONFIG_AUTO ? 1 : (uint32_t)t->clusters,
		.pods = t->pods == CONFIG_AUTO ? 1 : (uint32_t)t->pods,
		.leaves = t->leaves == CONFIG_AUTO ? 0 : (uint32_t)scaled.leaves,
		.hosts = t->hosts_per_leaf == CONFIG_AUTO ? 0 : (uint32_t)t->hosts_per_leaf,
	};
	rc = plan_links(c, t, &t->host_links, &p->host_links);
	if (rc == 0)
		rc = plan_links(c, t, &t->leaf_links, &p->leaf_links);
	if (rc == 0)
		rc = plan_links(c, t, &t->spine_links, &p->spine_links);
	if (rc == 0)
		rc = plan_links(c, t, &t->gateway_links, &p->gateway_links);
	if (rc == 0)
		rc = plan_tiers(c, &scaled, p);
	if (rc == 0)
		rc = plan_gateways(c, t, p);
	if (rc == 0)
		rc = check_links(c, p);
	return rc != 0 ? rc : check_plan(c, p);
}
