/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch under test: which ports and classes of it a test may use, and what it must say so. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "accept.h"
#include "config_internal.h"

/* DSCPs that the scenarios are written with. */
#define DSCP_LOSSLESS 26
#define DSCP_LOSSY 0
#define RATE_BPS 100000000000ULL

void
accept_set(struct accept_sets *sets, const char *format, ...)
{
	va_list args;

	if (sets->count == SESSION_MAX_SETS) {
		sets->full = true;
		return;
	}
	va_start(args, format);
	vsnprintf(sets->text[sets->count++], ACCEPT_TEXT_BYTES, format, args);
	va_end(args);
}

static bool
is_lossless(const struct switch_cfg *cfg, const struct accept_class *class)
{
	int16_t n = cfg->ports[0].mmu.pg_profile[class->pg];

	return n >= 0 && cfg->mmu.profiles[n].lossless &&
	       cfg->ports[0].port.pfc.enable >> class->priority & 1;
}

static bool
has_buffer(const struct switch_cfg *cfg, const struct accept_class *class)
{
	return cfg->ports[0].mmu.pg_profile[class->pg] >= 0 &&
	       cfg->ports[0].mmu.queue_profile[class->queue] >= 0;
}

void
accept_classify(const struct switch_cfg *cfg, struct accept_class *class)
{
	const struct switch_maps *maps = switch_port_maps(cfg, 0);

	class->tc = maps->dscp_to_tc[class->dscp];
	class->pg = maps->tc_to_pg[class->tc];
	class->queue = maps->tc_to_queue[class->tc];
	class->priority = maps->pg_to_pfc[class->pg];
}

/* A class that is (not) lossless, of the DSCP asked for if that one is. */
static void
find_class(const struct switch_cfg *cfg, uint32_t dscp, bool lossless, struct accept_class *found)
{
	for (uint32_t i = 0; i < 64 && !found->found; i++) {
		struct accept_class class = {.found = true, .dscp = (uint8_t)((dscp + i) % 64)};

		accept_classify(cfg, &class);
		if (has_buffer(cfg, &class) && is_lossless(cfg, &class) == lossless)
			*found = class;
	}
}

static bool
is_alike(const struct switch_cfg *cfg, uint32_t port)
{
	const struct switch_port_cfg *a = &cfg->ports[0], *b = &cfg->ports[port];

	return a->port.rate_bps == b->port.rate_bps && a->maps == b->maps &&
	       a->port.pfc.enable == b->port.pfc.enable &&
	       memcmp(&a->mmu, &b->mmu, sizeof(a->mmu)) == 0 &&
	       memcmp(a->wred, b->wred, sizeof(a->wred)) == 0 &&
	       memcmp(a->scheduler, b->scheduler, sizeof(a->scheduler)) == 0;
}

static void
find_ports(struct accept_dut *dut)
{
	const struct switch_cfg *cfg = dut->cfg;

	while (dut->ports < cfg->port_count && is_alike(cfg, dut->ports)) {
		if (dut->ports * cfg->mmu.partitions / cfg->port_count == 0)
			dut->partition++;
		dut->ports++;
	}
}

/* In single quotes, and those within twice: room for each of the name's is there. */
static void
quote(struct accept_dut *dut)
{
	char *to = dut->quoted;

	*to++ = '\'';
	for (const char *from = dut->profile; *from != '\0'; from++) {
		if (*from == '\'')
			*to++ = '\'';
		*to++ = *from;
	}
	*to++ = '\'';
	*to = '\0';
}

int
accept_dut_init(struct accept_dut *dut, const char *profile, const char *const *search_dirs,
		char *why, size_t why_bytes)
{
	char yaml[1100], path[4096];
	int rc;

	*dut = (struct accept_dut){0};
	/* A file stays that file when scenarios elsewhere name it. */
	if (strchr(profile, '/') != NULL && realpath(profile, path) != NULL)
		profile = path;
	if (strlen(profile) >= sizeof(dut->profile)) {
		snprintf(why, why_bytes, "the profile's name is too long");
		return -ENAMETOOLONG;
	}
	memcpy(dut->profile, profile, strlen(profile) + 1);
	quote(dut);
	snprintf(yaml, sizeof(yaml), "switches: {dut: {profile: %s}}\n", dut->quoted);
	rc = config_load_buffer((const uint8_t *)yaml, strlen(yaml), "accept", NULL, 0, search_dirs,
				&dut->scenario, why, why_bytes);
	if (rc != 0)
		return rc;
	dut->search_dirs = search_dirs;
	dut->cfg = &dut->scenario->switches[0].cfg;
	dut->rate_bps = dut->cfg->ports[0].port.rate_bps;
	find_ports(dut);
	find_class(dut->cfg, DSCP_LOSSLESS, true, &dut->lossless);
	find_class(dut->cfg, DSCP_LOSSY, false, &dut->lossy);
	return 0;
}

void
accept_dut_fini(struct accept_dut *dut)
{
	scenario_free(dut->scenario);
	*dut = (struct accept_dut){0};
}

/* As large a share of the ports' rate as at 100 Gb/s. */
static uint64_t
scaled_bps(const struct accept_dut *dut, uint64_t rate_bps)
{
	return (uint64_t)((unsigned __int128)rate_bps * dut->rate_bps / RATE_BPS);
}

static void
set_hosts(const struct accept_dut *dut, const struct scenario *s, bool own_dscps,
	  struct accept_sets *sets)
{
	const struct raw_array *groups = &s->config->raw.hosts;
	const struct accept_class *class = &dut->lossless;

	for (uint32_t i = 0; i < groups->count; i++) {
		const struct raw_host *h = RAW_AT(*groups, struct raw_host, i);
		const struct scenario_host *host = &s->hosts[h->first];

		if (dut->rate_bps != RATE_BPS)
			accept_set(sets, "hosts.%s.nic=%" PRIu64 "kbps", h->item.name,
				   scaled_bps(dut, host->cfg.port.rate_bps) / 1000);
		if (own_dscps)
			continue;
		if (host->dscp == DSCP_LOSSLESS && class->dscp != DSCP_LOSSLESS)
			accept_set(sets, "hosts.%s.dscp=%u", h->item.name, class->dscp);
		if (host->cfg.dscp_to_priority[class->dscp] != class->priority)
			accept_set(sets, "hosts.%s.dscp_to_priority.%u=%u", h->item.name,
				   class->dscp, class->priority);
		if (host->cfg.port.pfc.enable != 0 &&
		    !(host->cfg.port.pfc.enable >> class->priority & 1))
			accept_set(sets, "hosts.%s.pfc_enable=[%u]", h->item.name, class->priority);
	}
}

static void
set_workloads(const struct accept_dut *dut, const struct scenario *s, bool own_dscps,
	      struct accept_sets *sets)
{
	static const char *const kinds[] = {
		[SCENARIO_INCAST] = "incast",
		[SCENARIO_ELEPHANTS] = "elephants",
		[SCENARIO_POISSON] = "poisson",
		[SCENARIO_UDP] = "udp",
	};

	for (uint32_t i = 0; i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];
		const char *kind = kinds[w->kind];

		if (!own_dscps && w->dscp == DSCP_LOSSLESS && dut->lossless.dscp != DSCP_LOSSLESS)
			accept_set(sets, "workload[%u].%s.dscp=%u", i, kind, dut->lossless.dscp);
		if (!own_dscps && w->dscp == DSCP_LOSSY && dut->lossy.dscp != DSCP_LOSSY)
			accept_set(sets, "workload[%u].%s.dscp=%u", i, kind, dut->lossy.dscp);
		/* Slow flows stay as they are: what matters of them is how much waits. */
		if (w->kind == SCENARIO_UDP && dut->rate_bps != RATE_BPS &&
		    w->rate_bps >= RATE_BPS / 100)
			accept_set(sets, "workload[%u].udp.rate=%" PRIu64 "kbps", i,
				   scaled_bps(dut, w->rate_bps) / 1000);
	}
}

void
accept_set_common(const struct accept_dut *dut, const struct scenario *s, bool own_dscps,
		  struct accept_sets *sets)
{
	const struct raw_array *switches = &s->config->raw.switches;
	const struct raw_array *impairments = &s->config->raw.impairments;

	for (uint32_t i = 0; i < switches->count; i++)
		accept_set(sets, "switches.%s.profile=%s",
			   RAW_AT(*switches, struct raw_switch, i)->item.name, dut->quoted);
	set_hosts(dut, s, own_dscps, sets);
	set_workloads(dut, s, own_dscps, sets);
	for (uint32_t i = 0; i < impairments->count; i++) {
		const struct raw_impairment *r = RAW_AT(*impairments, struct raw_impairment, i);
		uint64_t pause_ps = units_pause_ps(UINT16_MAX, dut->rate_bps);

		if (r->pause == NULL)
			continue;
		if (r->pause->priorities == 1 << 3 && dut->lossless.priority != 3)
			accept_set(sets, "impairments[%u].pause.priorities=[%u]", i,
				   dut->lossless.priority);
		/* A storm without a gap: its frames come before the last pause is over. */
		if (r->pause->quanta == UINT16_MAX && r->pause->interval_ps > pause_ps * 3 / 4)
			accept_set(sets, "impairments[%u].pause.interval=%" PRIu64 "ps", i,
				   pause_ps * 3 / 4);
	}
}
