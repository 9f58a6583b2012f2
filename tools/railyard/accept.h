/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Acceptance tests of a switch's configuration, after those that the SONiC community runs on real
 * switches. A test is a scenario in configs/acceptance that runs as it is; for another switch
 * its profile is replaced, and with it what follows from the profile: rates, DSCPs, frame counts
 * around a limit. What counts are right is worked out here from the configuration by the rules of
 * SONiC's documents, apart from the code of the MMU; whether they are is found by running frames.
 *
 * Ports 0, 1, ... of the switch under test are used, as many as are alike.
 */
#ifndef RAILYARD_ACCEPT_H
#define RAILYARD_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "scenario.h"
#include "session.h"

#define ACCEPT_TEXT_BYTES 256
#define ACCEPT_FRAME_BYTES 64u
/* Frames on either side of a limit that are allowed for. */
#define ACCEPT_MARGIN 3u
/* What is deeper is not filled: in frames, and in bytes of larger ones. */
#define ACCEPT_MOST_FRAMES 500000u
#define ACCEPT_MOST_BYTES 500000000u

/* One class of traffic at the ports in use. */
struct accept_class {
	bool found;
	uint8_t dscp;
	uint8_t tc;
	uint8_t pg;
	uint8_t queue;
	uint8_t priority; /* of PFC */
};

/* The device under test. */
struct accept_dut {
	char profile[512]; /* name or absolute path */
	char quoted[1032]; /* the same, as YAML */
	const char *const *search_dirs;
	struct scenario *scenario;
	const struct switch_cfg *cfg;
	uint64_t rate_bps;
	uint32_t ports;     /* 0 to ports - 1 are alike */
	uint32_t partition; /* so many of them share a partition with port 0 */
	struct accept_class lossless;
	struct accept_class lossy;
};

/* What is set in a test's scenario, as --set has it. */
struct accept_sets {
	char text[SESSION_MAX_SETS][ACCEPT_TEXT_BYTES];
	size_t count;
	bool full;
	bool too_deep; /* the buffer is too deep to be filled in reasonable time */
};

void accept_set(struct accept_sets *sets, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct accept_test {
	const char *name; /* configs/acceptance/NAME.yaml */
	const char *asks;
	uint32_t ports; /* it takes */
	bool lossy;     /* it takes a lossy class too */
	/* Sets what depends on the switch. False: does not apply, why says it. NULL: nothing does.
	 */
	bool (*prepare)(const struct accept_dut *dut, struct accept_sets *sets,
			char why[ACCEPT_TEXT_BYTES]);
	bool own_dscps; /* DSCPs are as the file, or prepare(), has them */
};

/* accept_tests.c: the nth test, or NULL beyond the last. */
const struct accept_test *accept_test_at(size_t n);

/* accept_dut.c: from a profile. 0, or -errno with one line in why. */
int accept_dut_init(struct accept_dut *dut, const char *profile, const char *const *search_dirs,
		    char *why, size_t why_bytes);
void accept_dut_fini(struct accept_dut *dut);

/* TC and the rest of a DSCP at port 0. */
void accept_classify(const struct switch_cfg *cfg, struct accept_class *class);

/*
 * What every test of the switch sets in its scenario, which was loaded from path as it is.
 * own_dscps: leave DSCPs, and what hosts know about them, alone.
 */
void accept_set_common(const struct accept_dut *dut, const struct scenario *scenario,
		       bool own_dscps, struct accept_sets *sets);

/*
 * accept_limits.c: limits in cells, from the configuration. pgs: how many priority groups of the
 * pool and partition fill up alike.
 */
uint32_t accept_cells(const struct accept_dut *dut, uint64_t bytes);
uint32_t accept_pool_cells(const struct accept_dut *dut, uint32_t pool);
/* The cell with which a PG is in XOFF; guaranteed ones counted. */
uint32_t accept_xoff_cells(const struct accept_dut *dut, uint32_t pgs);
/* The same beside so many cells of the lossy class, which may be of another pool. */
uint32_t accept_xoff_beside_cells(const struct accept_dut *dut, uint32_t lossy_cells);
/* Below its limit by so many it resumes; 0 = at once. */
uint32_t accept_resume_cells(const struct accept_dut *dut);
uint32_t accept_guaranteed_cells(const struct accept_dut *dut);
/* Cells that it may take after XOFF, when it is alone. */
uint32_t accept_headroom_cells(const struct accept_dut *dut);
/* Cells of the shared headroom pool; 0 = none. */
uint32_t accept_headroom_pool_cells(const struct accept_dut *dut);
/*
 * Does an account that uses the profile hold so many cells, when all hold so many together, with
 * none lost or paused?
 */
bool accept_holds(const struct accept_dut *dut, int16_t profile, uint32_t cells, uint32_t all);
/* Cells that a lossy queue, alone, holds before it drops. */
uint32_t accept_lossy_cells(const struct accept_dut *dut);

enum accept_verdict { ACCEPT_PASS, ACCEPT_FAIL, ACCEPT_NOT_APPLICABLE, ACCEPT_ERROR };

struct accept_result {
	const struct accept_test *test;
	enum accept_verdict verdict;
	char why[1024];  /* it does not apply, or could not be run */
	char file[1024]; /* of the scenario */
	json_t *summary; /* of the run, or NULL */
};

/* accept_run.c: in a process of its own. The summary is the caller's to free. */
void accept_run(const struct accept_dut *dut, const struct accept_test *test,
		const char *const *search_dirs, struct accept_result *result);

#endif
