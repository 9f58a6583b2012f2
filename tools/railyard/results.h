/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened in a run, as files, as JSON and as a screen of text.
 *
 * Life: results_create() before the fabric, whose nodes are given its observers; results_open()
 * once configuration and fabric are good, so that bad input leaves nothing on disk;
 * results_between() now and then during the run; results_finish() after the nodes are closed
 * (node_close(), host_close()). docs/results.md describes every file and field.
 *
 * Files are streamed line by line and flushed each wall second: what was measured before a
 * crash stays readable. summary.json appears whole, at the end.
 */
#ifndef RAILYARD_RESULTS_H
#define RAILYARD_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "capture.h"
#include "host.h"
#include "node.h"

struct fabric;
struct junit;
struct results;

enum results_state {
	RESULTS_COMPLETE,    /* all work is done and nothing is under way */
	RESULTS_DURATION,    /* stopped at the configured duration */
	RESULTS_INTERRUPTED, /* Ctrl-C */
	RESULTS_BROKEN,      /* an invariant does not hold */
	RESULTS_DEADLOCK,    /* buffers wait for each other: nothing more can come of them */
	RESULTS_RUNNING,     /* not at its end: of a snapshot */
};

struct results_end {
	enum results_state state;
	const char *broken;  /* RESULTS_BROKEN, RESULTS_DEADLOCK: which, in one line */
	uint64_t virtual_ps; /* where virtual time stopped */
	/*
	 * Packets that were still under way when the run was stopped (at its duration, or
	 * interrupted) and it had not drained after a bounded time; else 0. Not a broken invariant.
	 */
	uint64_t in_flight;
	uint64_t digest;
	double wall_s;
	bool real_time; /* the fabric ran by the clock */
};

/* NULL when memory is short. */
struct results *results_create(void);

/* For switch_create() and host_env; valid as long as r. */
const struct node_observer *results_node_observer(const struct results *r);
const struct host_observer *results_host_observer(const struct results *r);

/* The captures: add to them before results_open(). */
struct capture_set *results_captures(struct results *r);

/*
 * A file that the run reads, such as its configuration: results_open() refuses to write to it.
 * Before results_open(). 0 or -ENOMEM.
 */
int results_protect(struct results *r, const char *path);

/*
 * Take in the fabric, make the output directory (its parent must exist; files in it are
 * overwritten) and open files and captures. dir NULL: no files but captures. 0, or -errno with
 * one line in why; what it made is then removed. -EEXIST: a file to write (the caller's
 * RESULTS_CONFIG is one) is a protected one or another that is to be written, by whatever name;
 * nothing was touched.
 */
int results_open(struct results *r, const struct fabric *fabric, const char *dir, char *why,
		 size_t why_bytes);

/* What the caller writes into the output directory: the effective configuration. */
#define RESULTS_CONFIG "config.yaml"

/* A file of the output directory: "DIR/name" in path. False when there is no directory. */
bool results_path(const struct results *r, const char *name, char *path, size_t path_bytes);

/*
 * Between windows: what nodes have reported comes into the files and figures, and the files are
 * flushed when a second has passed.
 */
void results_between(struct results *r);

/*
 * What the summary would be were the run to end now: as DIR/snapshot-N.json, N from 1 up, or as
 * one line on stderr when there is no directory; the files are flushed. The run is not touched.
 * `state` and `in_flight` of end are not looked at. The file's name (or "") in path. 0, or
 * -errno, a line printed.
 */
int results_snapshot(struct results *r, const struct results_end *end, char *path,
		     size_t path_bytes);

enum results_view {
	RESULTS_VIEW_CONFIG,
	RESULTS_VIEW_PORTS,
	RESULTS_VIEW_QUEUES,
	RESULTS_VIEW_PGS,
	RESULTS_VIEW_FLOWS,
	RESULTS_VIEW_DROPS,
};

/*
 * results_view.c: counters as they stand: an object of flat objects, of integers and strings, by
 * names such as "tor/0/3" for node, port and class (RESULTS_VIEW_CONFIG: one flat object). `of` is
 * NULL or empty, "NODE" or "NODE,PORT". Between windows. NULL: there is no such node or port, or no
 * memory. The caller's to free.
 */
json_t *results_view(struct results *r, enum results_view view, const char *of);

/*
 * The use of equal ways since the last time, for balance.csv. While no node runs, each
 * sample_interval. `results` is a struct results *. Shape of fabric_watch.
 */
void results_groups_sample(void *results, uint64_t now_ps);

/* One line for the summary, such as an uncommon condition that the run met. */
void results_warn(struct results *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Work out the summary with the expectations' outcome and write and close all files. 0, or
 * -errno with one line in why when not all could be written; the summary is there in any case.
 */
int results_finish(struct results *r, const struct results_end *end, char *why, size_t why_bytes);

/* After results_finish(): the content of summary.json; borrowed. */
json_t *results_summary(const struct results *r);

/* After results_finish(): how many expectations failed. */
uint32_t results_failed_expectations(const struct results *r);

/* summary.json to a stream. 0, or -errno when not all could be written. */
int results_print_json(const struct results *r, FILE *out);

/* The fabric may be gone by then. */
void results_destroy(struct results *r);

/*
 * summary.c: the summary as one screen of text of 80 columns, made from the JSON alone. dir
 * NULL: no files were written. 0, or -errno when not all could be written.
 */
int summary_print(json_t *summary, const char *dir, bool colour, FILE *out);

/* summary_expect.c: one line for each expectation that is not met: place, rule, measured value. */
void summary_print_failures(json_t *summary, FILE *out);

/* The measured value of a row of summary.expectations, as people read it. */
void summary_format_measured(const json_t *row, char *text, size_t bytes);

/* summary_ci.c: failed expectations as annotations, and all as cases of a report. */
void summary_annotate(json_t *summary, FILE *out);
void summary_junit(json_t *summary, struct junit *junit);

#endif
