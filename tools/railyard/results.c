/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a run's results: output directory, files, the summary at the end. */
#include "results.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "results_internal.h"

#define FLUSH_NS 1000000000ULL
#define BUFFER_BYTES 65536

static void
observe_frame(void *context, const struct node *node, uint16_t port, bool is_tx, struct rte_mbuf *m,
	      uint64_t now_ps)
{
	struct results *r = context;
	size_t i = capture_set_next(r->captures, 0, node, port, is_tx);

	for (; i < capture_set_count(r->captures);
	     i = capture_set_next(r->captures, i + 1, node, port, is_tx)) {
		capture_set_record(r->captures, i, m, now_ps, journal_begin(r->journal, node));
		results_noted(r, node, RESULTS_CAPTURED);
	}
}

/* A host has finished a message. */
static void
observe_flow(void *context, const struct flow_record *f)
{
	struct results *r = context;
	const struct node *node = host_node(r->fabric->hosts[f->source]);

	fwrite(f, sizeof(*f), 1, journal_begin(r->journal, node));
	results_noted(r, node, RESULTS_FLOWS);
}

void
results_noted(struct results *r, const struct node *node, uint32_t kind)
{
	/* Lcores may come to this at the same time. */
	if (journal_end(r->journal, node, kind) != 0)
		__atomic_store_n(&r->short_of_memory, true, __ATOMIC_RELAXED);
}

/* A note of a node, in the order of windows and nodes. */
static void
hear(void *context, uint32_t kind, const void *note, size_t bytes)
{
	struct results *r = context;
	struct flow_record flow;

	if (kind == RESULTS_CAPTURED) {
		capture_set_write(r->captures, note);
	} else if (kind == RESULTS_FLOWS) {
		memcpy(&flow, note, sizeof(flow));
		results_flow(r, &flow);
	} else {
		fwrite(note, bytes, 1, r->files[kind]);
	}
}

void
results_drain(struct results *r)
{
	if (r->journal != NULL && journal_drain(r->journal, hear, r) != 0)
		r->short_of_memory = true;
}

struct results *
results_create(void)
{
	struct results *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->node_observer = (struct node_observer){r, observe_frame, results_sample};
	r->host_observer = (struct host_observer){r, observe_flow};
	r->first_start_ps = UNITS_NEVER_PS;
	r->captures = capture_set_create();
	r->warnings = json_array();
	if (r->captures == NULL || r->warnings == NULL) {
		results_destroy(r);
		return NULL;
	}
	return r;
}

const struct node_observer *
results_node_observer(const struct results *r)
{
	return &r->node_observer;
}

const struct host_observer *
results_host_observer(const struct results *r)
{
	return &r->host_observer;
}

struct capture_set *
results_captures(struct results *r)
{
	return r->captures;
}

bool
results_path(const struct results *r, const char *name, char *path, size_t path_bytes)
{
	return r->dir != NULL &&
	       (size_t)snprintf(path, path_bytes, "%s/%s", r->dir, name) < path_bytes;
}

static void
close_files(struct results *r)
{
	for (int i = 0; i < RESULTS_FILE_COUNT; i++) {
		if (r->files[i] != NULL)
			fclose(r->files[i]);
		r->files[i] = NULL;
	}
}

/* Take back what open_directory() and open_files() made: nothing is left of a run that did not
 * start. */
static void
remove_directory(struct results *r)
{
	char path[4096];

	close_files(r);
	for (int i = 0; r->made_dir && i < RESULTS_FILE_COUNT; i++) {
		if (results_path(r, results_file_names[i], path, sizeof(path)))
			unlink(path);
	}
	if (r->made_dir)
		rmdir(r->dir);
	r->made_dir = false;
	free(r->dir);
	r->dir = NULL;
}

static int
open_files(struct results *r, char *why, size_t why_bytes)
{
	char path[4096];

	for (int i = 0; i < RESULTS_FILE_COUNT; i++) {
		int error = ENAMETOOLONG;

		if (results_path(r, results_file_names[i], path, sizeof(path))) {
			r->files[i] = fopen(path, "w");
			error = errno;
		}
		if (r->files[i] == NULL) {
			snprintf(why, why_bytes,
				 "cannot write %s/%s: %s; name a directory you can write to with "
				 "--out",
				 r->dir, results_file_names[i], strerror(error));
			return -error;
		}
		setvbuf(r->files[i], NULL, _IOFBF, BUFFER_BYTES);
		results_write_header(r, (enum results_file)i);
		fflush(r->files[i]);
	}
	/* An earlier run's summary must not pass for this one's should this one crash. */
	if (results_path(r, RESULTS_SUMMARY, path, sizeof(path)))
		unlink(path);
	return 0;
}

static int
open_directory(struct results *r, const char *dir, char *why, size_t why_bytes)
{
	struct stat st;
	int ret;

	if (dir == NULL)
		return 0;
	r->dir = strdup(dir);
	if (r->dir == NULL) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	if (mkdir(dir, 0777) == 0) {
		r->made_dir = true;
	} else if (errno != EEXIST) {
		ret = -errno;
		snprintf(why, why_bytes, "cannot make the output directory %s: %s%s", dir,
			 strerror(errno),
			 errno == ENOENT ? "; make its parent first"
					 : "; name one you can write to with --out");
		return ret;
	} else if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode)) {
		snprintf(why, why_bytes,
			 "cannot make the output directory %s: a file of that name is there; "
			 "name another with --out",
			 dir);
		return -ENOTDIR;
	}
	return 0;
}

/* Ports above which files do not have all rows unless they were asked for. */
#define PORTS_IN_FULL 65536

static void
choose_detail(struct results *r)
{
	enum scenario_detail detail = r->fabric->scenario->detail;
	uint64_t ports = 0;

	for (uint32_t i = 0; i < r->fabric->node_count; i++)
		ports += r->fabric->nodes[i]->port_count;
	r->full = detail == SCENARIO_DETAIL_FULL;
	r->aggregate = detail == SCENARIO_DETAIL_AGGREGATE ||
		       (detail == SCENARIO_DETAIL_AUTO && ports > PORTS_IN_FULL);
}

int
results_open(struct results *r, const struct fabric *fabric, const char *dir, char *why,
	     size_t why_bytes)
{
	int ret;

	assert(r->fabric == NULL);
	r->fabric = fabric;
	choose_detail(r);
	r->node_count = fabric->node_count;
	r->workload_count = fabric->scenario->workload_count;
	r->workloads = calloc(r->workload_count + 1, sizeof(r->workloads[0]));
	r->journal = journal_create(RTE_MAX(fabric->lcores, 1));
	if (r->workloads == NULL || r->journal == NULL || results_series_init(r) != 0 ||
	    results_groups_init(r) != 0) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < fabric->scenario->warning_count; i++)
		results_warn(r, "%s", fabric->scenario->warnings[i]);
	/* Captures may go into the directory; and a wrong one must not cost an earlier run's files.
	 */
	ret = open_directory(r, dir, why, why_bytes);
	if (ret == 0)
		ret = results_check_outputs(r, why, why_bytes);
	if (ret == 0)
		ret = capture_set_open(r->captures, fabric->nodes, fabric->node_count, why,
				       why_bytes);
	if (ret == 0 && dir != NULL)
		ret = open_files(r, why, why_bytes);
	if (ret != 0) {
		capture_set_discard(r->captures);
		remove_directory(r);
	}
	return ret;
}

void
results_between(struct results *r)
{
	struct timespec now;
	uint64_t now_ns;

	results_drain(r);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
	if (now_ns - r->flushed_ns < FLUSH_NS)
		return;
	r->flushed_ns = now_ns;
	for (int i = 0; i < RESULTS_FILE_COUNT; i++) {
		if (r->files[i] != NULL)
			fflush(r->files[i]);
	}
	capture_set_flush(r->captures);
}

void
results_warn(struct results *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_array_append_new(r->warnings, json_string(text));
}

static int
write_json(const json_t *json, FILE *out)
{
	errno = 0;
	if (json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(RESULTS_JSON_DIGITS)) == 0 &&
	    fputc('\n', out) != EOF)
		return 0;
	return errno != 0 ? -errno : -EIO;
}

int
results_write_json(const struct results *r, const json_t *json, const char *name, char *why,
		   size_t why_bytes)
{
	char temporary[4096];
	char path[4096];
	FILE *out;
	bool failed;

	if (!results_path(r, RESULTS_SUMMARY_TEMPORARY, temporary, sizeof(temporary)) ||
	    !results_path(r, name, path, sizeof(path))) {
		snprintf(why, why_bytes, "%s/%s: the name is too long", r->dir, name);
		return -ENAMETOOLONG;
	}
	errno = 0;
	out = fopen(temporary, "w");
	failed = out == NULL || write_json(json, out) != 0;
	if (out != NULL && fclose(out) != 0)
		failed = true;
	if (!failed && rename(temporary, path) == 0)
		return 0;
	snprintf(why, why_bytes, "cannot write %s: %s", path,
		 errno != 0 ? strerror(errno) : "write error");
	unlink(temporary);
	return -EIO;
}

/* Close each file: a full disk shows here at the latest. */
static int
finish_files(struct results *r, char *why, size_t why_bytes)
{
	int ret = 0;

	for (int i = 0; i < RESULTS_FILE_COUNT; i++) {
		bool failed;

		errno = 0;
		failed = ferror(r->files[i]) != 0;
		if (fclose(r->files[i]) != 0)
			failed = true;
		r->files[i] = NULL;
		if (!failed)
			continue;
		snprintf(why, why_bytes, "cannot write all of %s/%s: %s", r->dir,
			 results_file_names[i], errno != 0 ? strerror(errno) : "write error");
		ret = -EIO;
	}
	return ret;
}

int
results_finish(struct results *r, const struct results_end *end, char *why, size_t why_bytes)
{
	int ret;

	results_drain(r);
	r->end = *end;
	/* The last interval is a short one. */
	if (r->fabric->scenario->sample_interval_ps != 0)
		results_groups_sample(r, end->virtual_ps);
	r->summary = results_build_summary(r);
	if (r->summary == NULL) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	r->failed_expectations = expect_evaluate(r->fabric->scenario, r->summary);
	ret = capture_set_close(r->captures, why, why_bytes);
	if (r->dir != NULL) {
		int files;
		int summary;

		results_write_files(r);
		files = finish_files(r, why, why_bytes);
		summary = results_write_json(r, r->summary, RESULTS_SUMMARY, why, why_bytes);
		if (ret == 0)
			ret = files != 0 ? files : summary;
	}
	return ret;
}

json_t *
results_summary(const struct results *r)
{
	return r->summary;
}

uint32_t
results_failed_expectations(const struct results *r)
{
	return r->failed_expectations;
}

int
results_flush(FILE *out)
{
	errno = 0;
	if (fflush(out) == 0 && ferror(out) == 0)
		return 0;
	return errno != 0 ? -errno : -EIO;
}

int
results_print_json(const struct results *r, FILE *out)
{
	int ret = write_json(r->summary, out);
	int flushed = results_flush(out);

	return ret != 0 ? ret : flushed;
}

void
results_destroy(struct results *r)
{
	if (r == NULL)
		return;
	close_files(r);
	flow_stats_fini(&r->flows);
	for (uint32_t i = 0; r->workloads != NULL && i < r->workload_count; i++)
		flow_stats_fini(&r->workloads[i]);
	free(r->workloads);
	results_series_fini(r);
	results_groups_fini(r);
	capture_set_destroy(r->captures);
	journal_destroy(r->journal);
	json_decref(r->warnings);
	json_decref(r->summary);
	for (size_t i = 0; i < r->input_count; i++)
		free(r->inputs[i]);
	free(r->inputs);
	free(r->dir);
	free(r);
}
