/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a configuration given as text, in this process, and keeps what a test asks about. The
 * invariants are checked at the end of every run (and between windows in debug builds).
 */
#ifndef RAILYARD_SCENARIO_RIG_H
#define RAILYARD_SCENARIO_RIG_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>

#define TEST_EAL_MB "2048"

#include "config.h"
#include "eal.h"
#include "fabric.h"
#include "suite.h"

#define RIG_MAX_FLOWS 65536

struct rig {
	struct scenario *scenario;
	struct fabric *fabric;
	struct host_observer observer;
	enum engine_end end;
	uint64_t digest;
	uint64_t end_ps;
	uint32_t flow_count;
	struct flow_record flows[RIG_MAX_FLOWS];
	char error[CONFIG_ERROR_BYTES];
};

static inline void
rig_flow(void *context, const struct flow_record *record)
{
	struct rig *r = context;

	ck_assert_uint_lt(r->flow_count, RIG_MAX_FLOWS);
	r->flows[r->flow_count++] = *record;
}

#ifdef RAILYARD_DEBUG
static inline bool
rig_between(void *context, uint64_t now_ps)
{
	struct rig *r = context;
	static unsigned int windows;

	(void)now_ps;
	if (++windows % 64 == 0 && fabric_check(r->fabric, false, r->error, sizeof(r->error)) != 0)
		ck_abort_msg("during the run: %s", r->error);
	return false;
}
#endif

/* Profiles are those of the source tree. */
static const char *const rig_dirs[] = {RAILYARD_TEST_CONFIGS, NULL};

/* Make the fabric of what was loaded; `what` is shown when it cannot be. */
static inline void
rig_start(struct rig *r, const char *what)
{
	struct fabric_options options = {0};

	r->observer = (struct host_observer){.context = r, .flow = rig_flow};
	options.packets = fabric_packets(r->scenario);
	options.data_bytes = fabric_data_bytes(r->scenario);
	options.host_observer = &r->observer;
	if (fabric_create(&r->fabric, r->scenario, &options, r->error, sizeof(r->error)) != 0 ||
	    fabric_start(r->fabric, r->error, sizeof(r->error)) != 0)
		ck_abort_msg("%s\n%s", r->error, what);
#ifdef RAILYARD_DEBUG
	r->fabric->engine.between = rig_between;
	r->fabric->engine.context = r;
#endif
}

/* Build what the text describes. */
static inline struct rig *
rig_build(const char *yaml)
{
	struct rig *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	if (config_load_buffer((const uint8_t *)yaml, strlen(yaml), "test.yaml", NULL, 0, rig_dirs,
			       &r->scenario, r->error, sizeof(r->error)) != 0)
		ck_abort_msg("%s\n%s", r->error, yaml);
	rig_start(r, yaml);
	return r;
}

/* Build what a file of configs/ describes, with `sets` as --set has them. */
static inline struct rig *
rig_build_config(const char *name, const struct config_override *sets, size_t set_count)
{
	struct rig *r = calloc(1, sizeof(*r));
	char path[512];

	ck_assert_ptr_nonnull(r);
	snprintf(path, sizeof(path), "%s/%s", RAILYARD_TEST_CONFIGS, name);
	if (config_load(path, sets, set_count, rig_dirs, &r->scenario, r->error,
			sizeof(r->error)) != 0)
		ck_abort_msg("%s", r->error);
	rig_start(r, name);
	return r;
}

/* To the end of the work or the duration, then until everything under way has arrived. */
static inline void
rig_drive(struct rig *r)
{
	struct fabric *f = r->fabric;
	uint64_t until_ps = r->scenario->duration_ps;

	r->end = fabric_run(f, until_ps == 0 ? UNITS_NEVER_PS : until_ps);
	if (r->end != ENGINE_IDLE) {
		for (uint32_t i = 0; i < f->node_count; i++)
			node_stop(f->nodes[i], f->engine.now_ps);
		fabric_run(f, f->engine.now_ps + UNITS_PS_PER_S);
	}
	r->end_ps = fabric_last_event_ps(f);
	if (fabric_check(f, true, r->error, sizeof(r->error)) != 0)
		ck_abort_msg("at the end: %s", r->error);
	for (uint32_t i = 0; i < f->node_count; i++)
		node_close(f->nodes[i], r->end_ps);
	for (uint32_t i = 0; i < f->host_count; i++)
		host_close(f->hosts[i], r->end_ps);
	r->digest = engine_virtual_digest(&f->engine);
}

__attribute__((format(printf, 1, 2))) static inline struct rig *
rig_run(const char *format, ...)
{
	char yaml[8192];
	struct rig *r;
	va_list args;

	va_start(args, format);
	ck_assert_int_lt(vsnprintf(yaml, sizeof(yaml), format, args), (int)sizeof(yaml));
	va_end(args);
	r = rig_build(yaml);
	rig_drive(r);
	return r;
}

static inline void
rig_free(struct rig *r)
{
	fabric_destroy(r->fabric);
	scenario_free(r->scenario);
	free(r);
}

/* Sum over all ports of all nodes. */
static inline uint64_t
rig_drops(const struct rig *r, enum drop_reason reason)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->fabric->node_count; i++) {
		const struct node *n = r->fabric->nodes[i];

		for (uint16_t p = 0; p < n->port_count; p++) {
			for (int c = 0; c < 8; c++)
				sum += n->ports[p].drops[reason][c];
		}
	}
	return sum;
}

static inline uint64_t
rig_all_drops(const struct rig *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->fabric->node_count; i++)
		sum += r->fabric->nodes[i]->counters.dropped;
	return sum;
}

static inline uint64_t
rig_marked(const struct rig *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->fabric->switch_count; i++)
		sum += r->fabric->switches[i]->node.counters.marked;
	return sum;
}

/* XOFF frames sent by all switches. */
static inline uint64_t
rig_xoffs(const struct rig *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
		const struct node *n = &r->fabric->switches[i]->node;

		for (uint16_t p = 0; p < n->port_count; p++) {
			for (int c = 0; c < 8; c++)
				sum += n->ports[p].pfc_tx.xoff_frames[c];
		}
	}
	return sum;
}

/* Every message completed at the requester, and was delivered whole exactly once. */
static inline void
rig_assert_all_delivered(const struct rig *r, uint64_t messages)
{
	uint64_t completed = 0, delivered = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++) {
		completed += host_results(r->fabric->hosts[i])->messages_completed;
		delivered += host_results(r->fabric->hosts[i])->messages_delivered;
	}
	ck_assert_uint_eq(completed, messages);
	ck_assert_uint_eq(delivered, messages);
}

/* Jain's fairness index x 1,000,000 over n values. */
static inline uint64_t
rig_jain_ppm(const uint64_t *values, uint32_t n)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += (double)values[i];
		squares += (double)values[i] * (double)values[i];
	}
	return (uint64_t)(1e6 * sum * sum / ((double)n * squares));
}

/* Run a suite of one case in a process with the EAL. */
static inline int
rig_main(const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);

	test_eal_init();
	tcase_set_timeout(tcase, 300);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}

#endif
