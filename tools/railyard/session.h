/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One run from configuration to summary: what `railyard run` and `railyard replay` share.
 *
 * Order: session_load() (nothing has happened yet if it fails), session_build(), a subcommand
 * may add nodes, session_run(), session_end().
 */
#ifndef RAILYARD_SESSION_H
#define RAILYARD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "fabric.h"
#include "live.h"
#include "progress.h"
#include "results.h"

/* Exit codes, part of the interface to scripts. */
enum session_exit {
	SESSION_FINE = 0,
	SESSION_EXPECTATION = 1, /* an expectation failed */
	SESSION_USAGE = 2,       /* bad usage, configuration or output */
	SESSION_BROKEN = 3,      /* the run itself broke an invariant, or came to a deadlock */
};

#define SESSION_MAX_SETS 128
#define SESSION_ERROR_BYTES 1024

struct session_options {
	const char *config;
	const char *out_dir; /* NULL = no files */
	struct config_override sets[SESSION_MAX_SETS];
	size_t set_count;
	bool has_seed;
	uint64_t seed;
	uint64_t lcores; /* 0 = as the configuration says */
	bool quiet;
	bool json;
	bool dump_config;
	bool github;       /* failed expectations as annotations, on stderr */
	const char *junit; /* file for a JUnit report, or NULL */
	const char *eal;   /* more arguments for DPDK's environment, or NULL */
};

struct session {
	const struct session_options *options;
	struct scenario *scenario;
	struct fabric *fabric;
	struct results *results;
	struct progress progress;
	struct live live; /* real time */
	uint64_t looks;   /* between windows */
	/* Between the end of the run and the summary; may be NULL. */
	void (*before_report)(struct session *session, void *context);
	void *context;
	bool eal_started;
	bool broken;
	char error[SESSION_ERROR_BYTES];
};

/* All return enum session_exit; on failure the line to print is in session->error. */
int session_load(struct session *s, const struct session_options *options);
int session_dump(struct session *s); /* --dump-config */
int session_build(struct session *s, uint32_t extra_nodes, uint32_t least_data_bytes);
int session_run(struct session *s);

/* How often the user has asked the run to end. */
int session_interrupts(void);

/* The summary so far; between windows or turns. See results_snapshot(). */
int session_snapshot(struct session *s, uint64_t now_ps, char *path, size_t path_bytes);

/* If the user has asked for the summary so far, write it. */
void session_look(struct session *s, uint64_t now_ps);

/* Make no new work; what is under way may finish. */
void session_stop_nodes(struct fabric *fabric, uint64_t now_ps);

/* session_real.c: the run by the clock; how it ended, and whether nothing is under way. */
enum results_state session_drive_real(struct session *s, bool *drained);

/* Print what went wrong, if code says something did, clean up, and return code. */
int session_end(struct session *s, int code);

#endif
