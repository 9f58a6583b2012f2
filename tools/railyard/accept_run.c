/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test is run in a process of its own: DPDK's environment starts once a process, and a run that
 * breaks ends no other.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accept.h"

/* The whole run, with its summary on stdout and what goes wrong on stderr. */
static int
run_here(const char *file, const struct accept_sets *sets)
{
	struct session_options options = {.config = file, .json = true, .quiet = true};
	struct session s;
	int code;

	for (size_t i = 0; i < sets->count; i++)
		options.sets[options.set_count++].text = sets->text[i];
	code = session_load(&s, &options);
	if (code == SESSION_FINE)
		code = session_build(&s, 0, 0);
	if (code == SESSION_FINE)
		code = session_run(&s);
	code = session_end(&s, code);
	return fflush(stdout) == 0 ? code : SESSION_USAGE;
}

/* Exit code of the run, its output in files; -1 when there is no process to be had. */
static int
run_apart(const char *file, const struct accept_sets *sets, FILE *out, FILE *errors)
{
	int status;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		if (dup2(fileno(out), STDOUT_FILENO) < 0 || dup2(fileno(errors), STDERR_FILENO) < 0)
			_exit(SESSION_USAGE);
		_exit(run_here(file, sets));
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : SESSION_BROKEN;
}

/* The last line that the run printed for people. */
static void
read_why(FILE *errors, char *why, size_t bytes)
{
	char line[1024];

	snprintf(why, bytes, "the run ended without a word");
	rewind(errors);
	while (fgets(line, sizeof(line), errors) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "railyard: ", 10) == 0)
			snprintf(why, bytes, "%s", line + 10);
	}
}

static void
judge(struct accept_result *r, int code, FILE *out, FILE *errors)
{
	if (code == SESSION_FINE || code == SESSION_EXPECTATION) {
		rewind(out);
		r->summary = json_loadf(out, 0, NULL);
	}
	r->verdict = code == SESSION_FINE ? ACCEPT_PASS : ACCEPT_FAIL;
	if (r->summary == NULL) {
		r->verdict = ACCEPT_ERROR;
		read_why(errors, r->why, sizeof(r->why));
	}
}

/* False: it does not apply, or cannot be run. */
static bool
prepare(const struct accept_dut *dut, const struct accept_test *test, const char *const *dirs,
	struct accept_sets *sets, struct accept_result *r)
{
	struct scenario *scenario;
	char why[ACCEPT_TEXT_BYTES] = "";

	r->verdict = ACCEPT_NOT_APPLICABLE;
	if (!dut->lossless.found)
		snprintf(why, sizeof(why), "port 0 has no lossless class");
	else if (test->lossy && !dut->lossy.found)
		snprintf(why, sizeof(why), "port 0 has no lossy class");
	else if (dut->ports < test->ports)
		snprintf(why, sizeof(why), "takes %u ports alike from port 0 on, there are %u",
			 test->ports, dut->ports);
	else if (dut->cfg->mmu.cell_bytes < ACCEPT_FRAME_BYTES)
		snprintf(why, sizeof(why), "cells of less than a frame");
	if (why[0] == '\0' && test->prepare != NULL && test->prepare(dut, sets, why))
		why[0] = '\0';
	if (why[0] == '\0' && sets->too_deep)
		snprintf(why, sizeof(why),
			 "its buffer is too deep to be filled in reasonable time");
	snprintf(r->why, sizeof(r->why), "%s", why);
	if (why[0] != '\0')
		return false;
	r->verdict = ACCEPT_ERROR;
	for (; *dirs != NULL; dirs++) {
		snprintf(r->file, sizeof(r->file), "%s/acceptance/%s.yaml", *dirs, test->name);
		if (access(r->file, R_OK) == 0)
			break;
	}
	if (config_load(r->file, NULL, 0, dirs, &scenario, r->why, sizeof(r->why)) != 0)
		return false;
	accept_set_common(dut, scenario, test->own_dscps, sets);
	scenario_free(scenario);
	if (sets->full)
		snprintf(r->why, sizeof(r->why), "more to set than there is room for");
	return !sets->full;
}

void
accept_run(const struct accept_dut *dut, const struct accept_test *test,
	   const char *const *search_dirs, struct accept_result *result)
{
	struct accept_sets sets = {0};
	FILE *out = NULL, *errors = NULL;

	*result = (struct accept_result){.test = test};
	if (!prepare(dut, test, search_dirs, &sets, result))
		return;
	out = tmpfile();
	errors = tmpfile();
	if (out == NULL || errors == NULL)
		snprintf(result->why, sizeof(result->why), "no temporary file: %s",
			 strerror(errno));
	else
		judge(result, run_apart(result->file, &sets, out, errors), out, errors);
	if (out != NULL)
		fclose(out);
	if (errors != NULL)
		fclose(errors);
}
