/* SPDX-License-Identifier: BSD-3-Clause */
#include "lint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lint_internal.h"
#include "pipelines.h"

static const struct {
	const char *name;
	enum lint_level level;
	const char *why;
} rules[] = {
#define X(id, name, level, why) {name, LINT_##level, why},
	LINT_RULES(X)
#undef X
};

const char *
lint_rule_name(enum lint_rule rule)
{
	return rules[rule].name;
}

const char *
lint_rule_why(enum lint_rule rule)
{
	return rules[rule].why;
}

enum lint_level
lint_rule_level(enum lint_rule rule)
{
	return rules[rule].level;
}

const char *
lint_level_name(enum lint_level level)
{
	static const char *const names[] = {"info", "warning", "error"};

	return names[level];
}

static bool
same_but_port(const struct lint_finding *f, enum lint_rule rule, const struct lint_place *place,
	      const char *found, const char *right)
{
	const char *item = f->place.item;

	return f->place.node == place->node && f->rule == rule &&
	       (f->place.port < 0) == (place->port < 0) && f->place.index == place->index &&
	       (item == NULL ? place->item == NULL
			     : place->item != NULL && strcmp(item, place->item) == 0) &&
	       strcmp(f->found, found) == 0 && strcmp(f->right, right) == 0;
}

static void
set_port(struct lint_finding *f, int32_t port)
{
	if (port < 0)
		return;
	f->ports.given = true;
	f->ports.bits[port / 64] |= 1ULL << port % 64;
}

static struct lint_finding *
new_finding(struct lint *lint)
{
	if (lint->count == lint->size) {
		size_t size = lint->size == 0 ? 32 : 2 * lint->size;
		struct lint_finding *grown = realloc(lint->findings, size * sizeof(*grown));

		if (grown == NULL)
			return NULL;
		lint->findings = grown;
		lint->size = size;
	}
	lint->findings[lint->count] = (struct lint_finding){0};
	return &lint->findings[lint->count];
}

void
lint_find(struct lint *lint, enum lint_rule rule, const struct lint_place *place, const char *found,
	  const char *right)
{
	struct lint_finding *f;

	for (size_t i = lint->node_from; i < lint->count; i++) {
		if (!same_but_port(&lint->findings[i], rule, place, found, right))
			continue;
		set_port(&lint->findings[i], place->port);
		return;
	}
	f = new_finding(lint);
	if (f != NULL) {
		f->rule = rule;
		f->place = *place;
		f->found = strdup(found);
		f->right = strdup(right);
		set_port(f, place->port);
	}
	if (f == NULL || f->found == NULL || f->right == NULL)
		lint->short_of_memory = true;
	else
		lint->count++;
}

/* Errors first; within a level as they were found. */
static void
sort(struct lint *lint)
{
	struct lint_finding *sorted = malloc((lint->count + 1) * sizeof(*sorted));
	size_t n = 0;

	if (sorted == NULL) {
		lint->short_of_memory = true;
		return;
	}
	for (int level = LINT_ERROR; level >= LINT_INFO; level--) {
		for (size_t i = 0; i < lint->count; i++) {
			if ((int)rules[lint->findings[i].rule].level == level)
				sorted[n++] = lint->findings[i];
		}
	}
	free(lint->findings);
	lint->findings = sorted;
	lint->size = lint->count;
}

/* What is asked about, when nobody said: what the hosts send. */
static void
assume_dscps(struct lint *lint)
{
	const struct scenario *s = lint->scenario;

	for (uint32_t i = 0; lint->roce_dscps == 0 && i < s->host_count; i++)
		lint->roce_dscps |= 1ULL << s->hosts[i].dscp;
	for (uint32_t i = 0; s->host_count > 0 && i < s->workload_count; i++) {
		const struct scenario_workload *w = &s->workloads[i];

		if (w->dscp != SCENARIO_DSCP_OF_HOST && w->kind != SCENARIO_UDP)
			lint->roce_dscps |= 1ULL << w->dscp;
	}
	if (lint->roce_dscps == 0)
		lint->roce_dscps = 1ULL << 26;
	if (lint->cnp_dscp > 63)
		lint->cnp_dscp = s->host_count > 0 ? s->hosts[0].cfg.cnp_dscp : 48;
}

static void
attach(struct lint *lint, const struct scenario_end *end, uint32_t link)
{
	if (end->is_switch)
		lint->link_of[lint->first_port[end->index] + end->port] = link;
}

/* Which link a port has, found once. */
static int
index_links(struct lint *lint)
{
	const struct scenario *s = lint->scenario;
	uint32_t ports = 0;

	lint->first_port = calloc(s->switch_count + 1, sizeof(*lint->first_port));
	if (lint->first_port == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->switch_count; i++) {
		lint->first_port[i] = ports;
		ports += s->switches[i].cfg.port_count;
	}
	lint->link_of = malloc((ports + 1) * sizeof(*lint->link_of));
	if (lint->link_of == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < ports; i++)
		lint->link_of[i] = LINT_NO_LINK;
	for (uint32_t i = 0; i < s->link_count; i++) {
		attach(lint, &s->links[i].a, i);
		attach(lint, &s->links[i].b, i);
	}
	return 0;
}

int
lint_run(struct lint *lint, const struct scenario *scenario, uint64_t roce_dscps, uint8_t cnp_dscp)
{
	*lint = (struct lint){.scenario = scenario, .roce_dscps = roce_dscps, .cnp_dscp = cnp_dscp};
	lint->dscps_given = roce_dscps != 0;
	assume_dscps(lint);
	if (index_links(lint) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < scenario->switch_count; i++) {
		if (!pipelines_find(scenario->switches[i].cfg.pipeline)->uses_mmu)
			continue;
		lint->node_from = lint->count;
		lint_pfc(lint, i);
		lint_headroom(lint, i);
		lint_pools(lint, i);
		lint_ecn(lint, i);
		lint_qos(lint, i);
		lint_watchdog(lint, i);
		lint_merge_indices(lint);
	}
	lint->node_from = lint->count;
	lint_links(lint);
	lint_cycles(lint);
	lint_merge_groups(lint);
	sort(lint);
	return lint->short_of_memory ? -ENOMEM : 0;
}

void
lint_finding_fini(struct lint_finding *f)
{
	free(f->found);
	free(f->right);
	free(f->nodes);
	free(f->members);
	*f = (struct lint_finding){0};
}

void
lint_fini(struct lint *lint)
{
	for (size_t i = 0; i < lint->count; i++)
		lint_finding_fini(&lint->findings[i]);
	free(lint->findings);
	free(lint->first_port);
	free(lint->link_of);
	*lint = (struct lint){0};
}

size_t
lint_count(const struct lint *lint, enum lint_level level)
{
	size_t count = 0;

	for (size_t i = 0; i < lint->count; i++)
		count += rules[lint->findings[i].rule].level == level;
	return count;
}
