/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations loaded from text, and dumped and loaded again. */
#ifndef RAILYARD_TEST_CONFIG_RIG_H
#define RAILYARD_TEST_CONFIG_RIG_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* Of the source tree; the compiler's working directory is the tests'. */
static inline const char *
configs_dir(char *path, size_t bytes)
{
	const char *slash = strrchr(__FILE__, '/');

	snprintf(path, bytes, "%.*s/../../configs", slash != NULL ? (int)(slash - __FILE__) : 1,
		 slash != NULL ? __FILE__ : ".");
	return path;
}

/* The error of loading `text`, or "" and the scenario in *out (freed when out is NULL). */
static inline const char *
load(const char *text, const char *const *sets, size_t set_count, struct scenario **out)
{
	static char error[CONFIG_ERROR_BYTES];
	struct config_override overrides[8];
	struct scenario *scenario = NULL;
	char configs[300];
	const char *dirs[] = {configs_dir(configs, sizeof(configs)), NULL};
	int rc;

	for (size_t i = 0; i < set_count; i++)
		overrides[i].text = sets[i];
	error[0] = '\0';
	rc = config_load_buffer((const uint8_t *)text, strlen(text), "t.yaml", overrides, set_count,
				dirs, &scenario, error, sizeof(error));
	ck_assert_msg((rc == 0) == (scenario != NULL), "%d", rc);
	ck_assert_msg((rc == 0) == (error[0] == '\0'), "%d %s", rc, error);
	if (out != NULL)
		*out = scenario;
	else
		scenario_free(scenario);
	return error;
}

static inline char *
dump(const struct scenario *scenario)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	config_dump(scenario, out);
	fclose(out);
	return text;
}

/* What a run reads of a switch, but for pointers. */
static inline void
compare_switches(const struct scenario_switch *a, const struct scenario_switch *b)
{
	ck_assert_str_eq(a->cfg.name, b->cfg.name);
	ck_assert_uint_eq(a->cfg.port_count, b->cfg.port_count);
	ck_assert_mem_eq(a->ports, b->ports, a->cfg.port_count * sizeof(*a->ports));
	ck_assert_mem_eq(&a->cfg.mmu, &b->cfg.mmu, sizeof(a->cfg.mmu));
	ck_assert_mem_eq(&a->cfg.maps, &b->cfg.maps, sizeof(a->cfg.maps));
	for (uint32_t i = 0; i < a->cfg.port_count; i++)
		ck_assert_mem_eq(switch_port_maps(&a->cfg, i), switch_port_maps(&b->cfg, i),
				 sizeof(a->cfg.maps));
	ck_assert_uint_eq(a->cfg.wred_count, b->cfg.wred_count);
	ck_assert_mem_eq(a->wred, b->wred, a->cfg.wred_count * sizeof(*a->wred));
	ck_assert_mem_eq(a->schedulers, b->schedulers,
			 a->cfg.scheduler_count * sizeof(*a->schedulers));
	ck_assert_uint_eq(a->latency_ps, b->latency_ps);
	ck_assert_int_eq(a->learn, b->learn);
}

static inline void
compare_scenarios(const struct scenario *a, const struct scenario *b)
{
	ck_assert_uint_eq(a->duration_ps, b->duration_ps);
	ck_assert_uint_eq(a->switch_count, b->switch_count);
	ck_assert_uint_eq(a->host_count, b->host_count);
	ck_assert_uint_eq(a->link_count, b->link_count);
	ck_assert_uint_eq(a->workload_count, b->workload_count);
	ck_assert_uint_eq(a->expectation_count, b->expectation_count);
	for (uint32_t i = 0; i < a->switch_count; i++)
		compare_switches(&a->switches[i], &b->switches[i]);
	ck_assert_mem_eq(a->hosts, b->hosts, a->host_count * sizeof(*a->hosts));
	ck_assert_mem_eq(a->links, b->links, a->link_count * sizeof(*a->links));
	for (uint32_t i = 0; i < a->workload_count; i++) {
		const struct scenario_workload *v = &a->workloads[i], *w = &b->workloads[i];

		ck_assert_int_eq(v->kind, w->kind);
		ck_assert_str_eq(v->name, w->name);
		ck_assert_int_eq(v->verb, w->verb);
		ck_assert_uint_eq(v->from_count, w->from_count);
		ck_assert_mem_eq(v->from, w->from, v->from_count * sizeof(*v->from));
		ck_assert_mem_eq(v->to, w->to, v->to_count * sizeof(*v->to));
		ck_assert_uint_eq(v->bytes, w->bytes);
		ck_assert_uint_eq(v->load_q32, w->load_q32);
		ck_assert_uint_eq(v->until_ps, w->until_ps);
		ck_assert_uint_eq(v->cdf.count, w->cdf.count);
		if (v->cdf.count > 0)
			ck_assert_mem_eq(v->cdf_points, w->cdf_points,
					 v->cdf.count * sizeof(*v->cdf_points));
	}
	for (uint32_t i = 0; i < a->expectation_count; i++) {
		ck_assert_str_eq(a->expectations[i].metric, b->expectations[i].metric);
		ck_assert_int_eq(a->expectations[i].op, b->expectations[i].op);
		ck_assert(a->expectations[i].value == b->expectations[i].value);
	}
}

/* A dump loads without profiles or workloads at hand, to the same scenario and the same dump. */
static inline void
check_round_trip(const struct scenario *scenario)
{
	char *first = dump(scenario), *second, error[CONFIG_ERROR_BYTES] = "";
	struct scenario *again;

	ck_assert_msg(config_load_buffer((const uint8_t *)first, strlen(first),
					 "/nowhere/dump.yaml", NULL, 0, NULL, &again, error,
					 sizeof(error)) == 0,
		      "%s\n%s", error, first);
	second = dump(again);
	ck_assert_str_eq(first, second);
	compare_scenarios(scenario, again);
	scenario_free(again);
	free(first);
	free(second);
}

#endif
