/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps and schedulers: where RoCE and its notifications end up, and who is served how. */
#include "lint_internal.h"

/* A share of the bandwidth that is next to nothing, in percent. */
#define STARVED_PERCENT 2

static const struct scheduler_cfg *
scheduler_of(const struct switch_cfg *cfg, uint32_t port, uint8_t queue)
{
	int16_t index = cfg->ports[port].scheduler[queue];

	return index < 0 ? NULL : &cfg->schedulers[index];
}

static void
judge_data(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t dscp)
{
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	uint8_t tc = maps->dscp_to_tc[dscp], queue = maps->tc_to_queue[tc];
	const struct scheduler_cfg *s = scheduler_of(cfg, port, queue);
	struct lint_place at = {cfg->name, (int32_t)port, "DSCP", dscp};
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (cfg->ports[port].port.pfc.enable != 0 && !lint_is_lossless(cfg, port, tc)) {
		int priority = __builtin_ctz(cfg->ports[port].port.pfc.enable);

		snprintf(found, sizeof(found), "goes to traffic class %u and PG %u, which is lossy",
			 tc, maps->tc_to_pg[tc]);
		snprintf(right, sizeof(right),
			 "dscp_to_tc: %u to the class of priority %d; or --roce-dscp, if RoCE has "
			 "another",
			 dscp, priority);
		lint_find(lint, LINT_ROCE_LOSSY, &at, found, right);
	}
	if (s != NULL && s->strict && s->shaper.rate_bps == 0 && queue > 0) {
		at.item = "queue";
		at.index = queue;
		snprintf(found, sizeof(found), "carries RoCE (DSCP %u) by %s, strict", dscp,
			 s->name);
		lint_find(lint, LINT_STRICT_DATA, &at, found, "DWRR, or a shaper (pir)");
	}
}

/* Strict, and above the data: served first. */
static bool
is_ahead(const struct switch_cfg *cfg, uint32_t port, uint8_t cnp, uint8_t data)
{
	const struct scheduler_cfg *c = scheduler_of(cfg, port, cnp);
	const struct scheduler_cfg *d = scheduler_of(cfg, port, data);

	if (cnp == data || c == NULL || !c->strict)
		return false;
	return d == NULL || !d->strict || cnp > data;
}

/* Does no other DSCP lead to the same queue? */
static bool
is_alone(const struct switch_maps *maps, uint8_t dscp)
{
	uint8_t queue = maps->tc_to_queue[maps->dscp_to_tc[dscp]];

	for (uint8_t other = 0; other < 64; other++) {
		if (other != dscp && maps->tc_to_queue[maps->dscp_to_tc[other]] == queue)
			return false;
	}
	return true;
}

static void
judge_cnp(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t dscp)
{
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	const struct lint_place at = {cfg->name, (int32_t)port, "DSCP", lint->cnp_dscp};
	uint8_t cnp_tc = maps->dscp_to_tc[lint->cnp_dscp];
	uint8_t cnp = maps->tc_to_queue[cnp_tc], data = maps->tc_to_queue[maps->dscp_to_tc[dscp]];
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (!is_ahead(cfg, port, cnp, data)) {
		snprintf(found, sizeof(found),
			 "CNPs are in queue %u, %s data in queue %u (DSCP %u)", cnp,
			 cnp == data ? "with" : "not served before", data, dscp);
		/* Where they are alone already, that queue need but come first. */
		if (is_alone(maps, lint->cnp_dscp) && !lint_is_lossless(cfg, port, cnp_tc))
			snprintf(right, sizeof(right),
				 "a strict scheduler for queue %u, before that of the data", cnp);
		else
			snprintf(right, sizeof(right), "a strict queue of their own");
		lint_find(lint, LINT_CNP_NOT_AHEAD, &at, found, right);
	}
	if (lint_is_lossless(cfg, port, cnp_tc)) {
		snprintf(found, sizeof(found), "CNPs are in lossless traffic class %u", cnp_tc);
		lint_find(lint, LINT_CNP_LOSSLESS, &at, found, "a lossy class of their own");
	}
}

static uint8_t
mapped_queues(const struct switch_cfg *cfg, uint32_t port, uint8_t classes)
{
	uint8_t queues = 0;

	for (uint8_t tc = 0; tc < 8; tc++) {
		if (classes >> tc & 1)
			queues |= (uint8_t)(1u << switch_port_maps(cfg, port)->tc_to_queue[tc]);
	}
	return queues;
}

/* Where no queue has one, all are alike by intent. */
static void
judge_without(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t queues)
{
	for (uint8_t q = 0; q < SWITCH_QUEUES; q++) {
		const struct lint_place at = {cfg->name, (int32_t)port, "queue", q};

		if (queues >> q & 1)
			lint_find(lint, LINT_NO_SCHEDULER, &at,
				  "traffic comes to it, and it has no scheduler; others have",
				  "name one in `queues`");
	}
}

static void
judge_schedulers(struct lint *lint, const struct switch_cfg *cfg, uint32_t port, uint8_t classes)
{
	uint8_t mapped = mapped_queues(cfg, port, classes), without = 0;
	uint32_t sum = 0;

	for (uint8_t q = 0; q < SWITCH_QUEUES; q++) {
		const struct scheduler_cfg *s = scheduler_of(cfg, port, q);

		if (!(mapped >> q & 1))
			continue;
		if (s == NULL)
			without |= (uint8_t)(1u << q);
		else if (!s->strict)
			sum += s->weight;
	}
	if (sum > 0)
		judge_without(lint, cfg, port, without);
	for (uint8_t q = 0; q < SWITCH_QUEUES; q++) {
		const struct scheduler_cfg *s = scheduler_of(cfg, port, q);
		const struct lint_place at = {cfg->name, (int32_t)port, "queue", q};
		char found[LINT_TEXT_BYTES];

		if (!(mapped >> q & 1) || s == NULL || s->strict ||
		    s->weight * 100 >= sum * STARVED_PERCENT)
			continue;
		snprintf(found, sizeof(found), "%s: weight %u of %u is less than %u %%", s->name,
			 s->weight, sum, STARVED_PERCENT);
		lint_find(lint, LINT_STARVED_QUEUE, &at, found, "weights nearer to each other");
	}
}

/*
 * What NICs send when they are set up as their vendors' guides have it: DSCP 24 or 26. SONiC's
 * default map has both in traffic class 1.
 */
static void
judge_usual(struct lint *lint, const struct switch_cfg *cfg, uint32_t port)
{
	const uint64_t usual = 1ULL << 24 | 1ULL << 26;
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	uint8_t a = maps->dscp_to_tc[24], b = maps->dscp_to_tc[26];
	const struct lint_place at = {cfg->name, (int32_t)port, NULL, -1};
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (lint->dscps_given || lint->roce_dscps & usual || cfg->ports[port].port.pfc.enable == 0)
		return;
	if (lint_is_lossless(cfg, port, a) || lint_is_lossless(cfg, port, b))
		return;
	snprintf(found, sizeof(found), "DSCP 24 is traffic class %u and DSCP 26 is %u, both lossy",
		 a, b);
	snprintf(right, sizeof(right),
		 "dscp_to_tc: 24 and 26 to class %d; or --roce-dscp with what the NICs send",
		 __builtin_ctz(cfg->ports[port].port.pfc.enable));
	lint_find(lint, LINT_ROCE_USUAL_LOSSY, &at, found, right);
}

void
lint_qos(struct lint *lint, uint32_t index)
{
	const struct switch_cfg *cfg = &lint->scenario->switches[index].cfg;
	uint8_t classes = lint_all_classes(cfg);

	for (uint32_t port = 0; port < cfg->port_count; port++) {
		if (lint_is_unused(lint, index, port))
			continue;
		for (uint8_t dscp = 0; dscp < 64; dscp++) {
			if (!(lint->roce_dscps >> dscp & 1))
				continue;
			judge_data(lint, cfg, port, dscp);
			judge_cnp(lint, cfg, port, dscp);
		}
		judge_usual(lint, cfg, port);
		judge_schedulers(lint, cfg, port, classes);
	}
}
