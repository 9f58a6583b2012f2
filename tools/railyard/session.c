/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eal.h"
#include "expect.h"
#include "human.h"
#include "junit.h"
#include "output.h"
#include "search_path.h"

/* Once sending has stopped, whatever is under way arrives within this or never will. */
#define DRAIN_LIMIT_PS UNITS_PS_PER_S
/* Windows between two looks at what happens, and (debug builds) looks between two full checks. */
#define LOOK_WINDOWS 64
#define CHECK_LOOKS 4

static volatile sig_atomic_t interrupts, snapshot_requests;

static void
on_signal(int number)
{
	if (number == SIGUSR1)
		snapshot_requests = 1;
	else
		interrupts++;
}

int
session_interrupts(void)
{
	return interrupts;
}

static void
catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
}

/* SIGUSR1 asks for the summary so far. */
void
session_look(struct session *s, uint64_t now_ps)
{
	char path[1024];

	if (likely(snapshot_requests == 0))
		return;
	snapshot_requests = 0;
	(void)session_snapshot(s, now_ps, path, sizeof(path));
}

int
session_snapshot(struct session *s, uint64_t now_ps, char *path, size_t path_bytes)
{
	const struct results_end end = {
		.virtual_ps = now_ps,
		.digest = engine_virtual_digest(&s->fabric->engine),
		.wall_s = progress_wall_s(&s->progress),
		.real_time = s->scenario->real_time,
	};

	return results_snapshot(s->results, &end, path, path_bytes);
}

int
session_load(struct session *s, const struct session_options *options)
{
	struct config_override sets[SESSION_MAX_SETS + 2];
	size_t count = options->set_count;
	struct search_path path;
	char seed[32], lcores[32];
	const char *input;

	*s = (struct session){.options = options};
	memcpy(sets, options->sets, count * sizeof(*sets));
	/* Decoding already draws from the seed, and the dump shows it. */
	snprintf(seed, sizeof(seed), "seed=%llu", (unsigned long long)options->seed);
	if (options->has_seed)
		sets[count++].text = seed;
	snprintf(lcores, sizeof(lcores), "lcores=%llu", (unsigned long long)options->lcores);
	if (options->lcores != 0)
		sets[count++].text = lcores;
	search_path_init(&path);
	if (config_load(options->config, sets, count, path.list, &s->scenario, s->error,
			sizeof(s->error)) != 0)
		return SESSION_USAGE;
	input = output_input(options->junit, s->scenario->inputs, s->scenario->input_count);
	if (input != NULL) {
		snprintf(s->error, sizeof(s->error),
			 "cannot write %.450s: it is the same file as the input %.450s; choose "
			 "another name",
			 options->junit, input);
		return SESSION_USAGE;
	}
	if (options->eal != NULL && !s->scenario->real_time) {
		snprintf(s->error, sizeof(s->error), "--eal: only for `time: real`");
		return SESSION_USAGE;
	}
	if (options->eal != NULL && eal_check_extra(options->eal, s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	if (expect_check(s->scenario, s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	return SESSION_FINE;
}

/* What was meant for a file or a pipe and did not get there is an error, not a success. */
static int
stdout_failed(void)
{
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}

int
session_dump(struct session *s)
{
	config_dump(s->scenario, stdout);
	if (!stdout_failed())
		return SESSION_FINE;
	snprintf(s->error, sizeof(s->error), "standard output: cannot write all of it");
	return SESSION_USAGE;
}

static void
warn_of_cycle(struct session *s)
{
	char text[400];

	if (s->fabric->cycle.count == 0)
		return;
	fabric_cycle_text(s->scenario, &s->fabric->cycle, text, sizeof(text));
	results_warn(
		s->results,
		"routes close a cycle of lossless buffers, which PFC can bring to a deadlock: %s",
		text);
}

/* No figure of the run, so nothing of its results either: those are the same on any number. */
static void
say_few_cpus(const struct session *s, uint16_t lcores)
{
	uint32_t cpus = fabric_usable_cpus();

	if (!s->options->quiet && lcores > cpus)
		fprintf(stderr,
			"railyard: %u lcores share %u CPU%s: results are the same, but come later "
			"than with --lcores %u\n",
			lcores, cpus, cpus == 1 ? "" : "s", cpus);
}

int
session_build(struct session *s, uint32_t extra_nodes, uint32_t least_data_bytes)
{
	uint16_t lcores = fabric_lcores(s->scenario, extra_nodes);
	struct fabric_options options = {
		.packets = fabric_packets(s->scenario) + (lcores - 1u) * PACKET_CACHED_PER_LCORE,
		.data_bytes = fabric_data_bytes(s->scenario),
		.extra_nodes = extra_nodes,
		.lcores = lcores,
	};
	uint64_t memory_bytes;

	say_few_cpus(s, lcores);
	if (options.data_bytes < least_data_bytes)
		options.data_bytes = least_data_bytes;
	memory_bytes = fabric_memory_bytes(s->scenario, options.packets, options.data_bytes);
	/* From here on something outside may have to be put back. */
	catch_signals();
	if (s->scenario->real_time) {
		/* A peer that goes, or a reader of the log, is no reason to end without results. */
		signal(SIGPIPE, SIG_IGN);
		if (eal_start_real(s->scenario, lcores, memory_bytes, s->options->eal, s->error,
				   sizeof(s->error)) != 0)
			return SESSION_USAGE;
	} else if (eal_start_virtual(lcores, memory_bytes, s->error, sizeof(s->error)) != 0) {
		return SESSION_USAGE;
	}
	s->eal_started = true;
	s->results = results_create();
	if (s->results == NULL) {
		snprintf(s->error, sizeof(s->error), "out of memory");
		return SESSION_USAGE;
	}
	options.node_observer = results_node_observer(s->results);
	options.host_observer = results_host_observer(s->results);
	if (fabric_create(&s->fabric, s->scenario, &options, s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	warn_of_cycle(s);
	return SESSION_FINE;
}

static bool
between_windows(void *context, uint64_t now_ps)
{
	struct session *s = context;

	s->looks++;
	session_look(s, now_ps);
	progress_update(&s->progress, now_ps);
	results_between(s->results);
#ifdef RAILYARD_DEBUG
	if (s->looks % CHECK_LOOKS == 0 &&
	    fabric_check(s->fabric, false, s->error, sizeof(s->error)) != 0) {
		s->broken = true;
		return true;
	}
#endif
	return interrupts != 0;
}

void
session_stop_nodes(struct fabric *f, uint64_t now_ps)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		node_stop(f->nodes[i], now_ps);
}

/* Second interrupt: give up waiting for what is under way. */
static bool
drain_between(void *context, uint64_t now_ps)
{
	struct session *s = context;

	session_look(s, now_ps);
	progress_update(&s->progress, now_ps);
	results_between(s->results);
	return interrupts > 1;
}

static enum results_state
deadlock(struct session *s, bool *drained)
{
	char text[400];

	fabric_cycle_text(s->scenario, &s->fabric->deadlock.cycle, text, sizeof(text));
	snprintf(s->error, sizeof(s->error),
		 "deadlock: queues wait for each other since %s at the latest: %s",
		 human_time_us((double)s->fabric->deadlock.since_ps / UNITS_PS_PER_US).text, text);
	*drained = false;
	return RESULTS_DEADLOCK;
}

/* The run itself; returns how it ended, and whether all that was under way has arrived. */
static enum results_state
drive(struct session *s, bool *drained)
{
	struct fabric *f = s->fabric;
	uint64_t until_ps = s->scenario->duration_ps;
	enum engine_end end;

	f->engine.between = between_windows;
	f->engine.between_windows = LOOK_WINDOWS;
	f->engine.context = s;
	*drained = true;
	end = fabric_run(f, until_ps == 0 ? UNITS_NEVER_PS : until_ps);
	if (s->broken)
		return RESULTS_BROKEN;
	if (f->deadlock.found)
		return deadlock(s, drained);
	/* What waits at a port that is stalled to the end does not arrive any more. */
	if (end == ENGINE_IDLE) {
		*drained = !fabric_is_stalled(f);
		return RESULTS_COMPLETE;
	}
	session_stop_nodes(f, f->engine.now_ps);
	f->engine.between = drain_between;
	*drained = fabric_run(f, f->engine.now_ps + DRAIN_LIMIT_PS) == ENGINE_IDLE &&
		   !fabric_is_stalled(f);
	if (f->deadlock.found)
		return deadlock(s, drained);
	return end == ENGINE_STOPPED ? RESULTS_INTERRUPTED : RESULTS_DURATION;
}

static void
close_nodes(struct fabric *f, uint64_t now_ps)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		node_close(f->nodes[i], now_ps);
	for (uint32_t i = 0; i < f->host_count; i++)
		host_close(f->hosts[i], now_ps);
}

static int
write_config(struct session *s)
{
	char path[1024];
	FILE *file;

	if (!results_path(s->results, RESULTS_CONFIG, path, sizeof(path)))
		return 0;
	file = fopen(path, "w");
	if (file != NULL) {
		config_dump(s->scenario, file);
		if (ferror(file) == 0 && fclose(file) == 0)
			return 0;
	}
	snprintf(s->error, sizeof(s->error), "cannot write %.900s: %s", path, strerror(errno));
	return -EIO;
}

/* An interrupted run has not shown what its expectations ask about. */
static int
verdict(struct session *s, enum results_state state)
{
	uint32_t failed = results_failed_expectations(s->results);

	if (failed != 0) {
		if (s->options->json || s->options->quiet)
			summary_print_failures(results_summary(s->results), stderr);
		snprintf(s->error, sizeof(s->error), "%u of %u expectations failed", failed,
			 s->scenario->expectation_count);
		return SESSION_EXPECTATION;
	}
	if (state == RESULTS_INTERRUPTED && s->scenario->expectation_count != 0) {
		snprintf(s->error, sizeof(s->error),
			 "interrupted: what is expected of the whole run was not tested");
		return SESSION_EXPECTATION;
	}
	return SESSION_FINE;
}

static int
print(struct session *s)
{
	int rc = 0;

	if (s->options->json)
		rc = results_print_json(s->results, stdout);
	else if (!s->options->quiet)
		rc = summary_print(results_summary(s->results), s->options->out_dir,
				   isatty(STDOUT_FILENO), stdout);
	return rc != 0 || stdout_failed() ? -EIO : 0;
}

/* Nothing is left to happen after the last event, but by the clock time passes all the same. */
static uint64_t
end_ps(const struct session *s)
{
	return s->scenario->real_time ? s->fabric->real.now_ps : fabric_last_event_ps(s->fabric);
}

/* For CI systems: whether it ran well is a case like what it is expected to show. */
static int
report_ci(struct session *s, enum results_state state, char *why, size_t why_bytes)
{
	bool broken = state == RESULTS_BROKEN || state == RESULTS_DEADLOCK;
	bool ran = !broken && state != RESULTS_INTERRUPTED;
	json_t *summary = results_summary(s->results);
	struct junit junit;
	int rc;

	if (s->options->github)
		summary_annotate(summary, stderr);
	if (s->options->junit == NULL)
		return 0;
	junit_init(&junit, "railyard run");
	junit_add(&junit, ran ? JUNIT_PASSED : JUNIT_ERROR, s->scenario->file, "run",
		  broken ? s->error : "interrupted", NULL);
	summary_junit(summary, &junit);
	rc = junit_write(&junit, s->options->junit, why, why_bytes);
	junit_fini(&junit);
	return rc;
}

static int
report(struct session *s, enum results_state state, uint64_t in_flight)
{
	struct results_end end = {
		.state = state,
		.in_flight = in_flight,
		.broken = state == RESULTS_BROKEN || state == RESULTS_DEADLOCK ? s->error : NULL,
		.virtual_ps = end_ps(s),
		.digest = engine_virtual_digest(&s->fabric->engine),
		.wall_s = progress_wall_s(&s->progress),
		.real_time = s->scenario->real_time,
	};
	char why[SESSION_ERROR_BYTES];
	int rc;

	rc = results_finish(s->results, &end, why, sizeof(why));
	if (rc == 0 && print(s) != 0) {
		snprintf(why, sizeof(why), "standard output: cannot write all of it");
		rc = -EIO;
	}
	if (rc == 0)
		rc = report_ci(s, state, why, sizeof(why));
	if (end.broken != NULL)
		return SESSION_BROKEN;
	if (rc != 0) {
		snprintf(s->error, sizeof(s->error), "%s", why);
		return SESSION_USAGE;
	}
	return verdict(s, state);
}

/* What the run reads. 0 or -ENOMEM. */
static int
protect_inputs(struct session *s)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < s->scenario->input_count; i++)
		rc = results_protect(s->results, s->scenario->inputs[i]);
	return rc;
}

int
session_run(struct session *s)
{
	enum results_state state;
	bool drained;
	int code;

	if (fabric_start(s->fabric, s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	if (protect_inputs(s) != 0) {
		snprintf(s->error, sizeof(s->error), "out of memory");
		return SESSION_USAGE;
	}
	if (results_open(s->results, s->fabric, s->options->out_dir, s->error, sizeof(s->error)) !=
	    0)
		return SESSION_USAGE;
	if (write_config(s) != 0)
		return SESSION_USAGE;
	s->fabric->watch = (struct fabric_watch){
		.interval_ps = s->scenario->sample_interval_ps,
		.next_ps = s->scenario->sample_interval_ps,
		.look = results_groups_sample,
		.context = s->results,
	};
	progress_init(&s->progress, s->fabric, s->options->quiet);
	state = s->scenario->real_time ? session_drive_real(s, &drained) : drive(s, &drained);
	progress_end(&s->progress);
	if (state != RESULTS_BROKEN &&
	    fabric_check(s->fabric, drained, s->error, sizeof(s->error)) != 0)
		state = RESULTS_BROKEN;
	close_nodes(s->fabric, end_ps(s));
	if (s->before_report != NULL)
		s->before_report(s, s->context);
	code = report(s, state, fabric_in_flight(s->fabric));
	/* Not the program's fault: the remedy is a setting. */
	return code == SESSION_BROKEN && fabric_exhausted(s->fabric) ? SESSION_USAGE : code;
}

int
session_end(struct session *s, int code)
{
	if (code != SESSION_FINE)
		fprintf(stderr, "railyard: %s\n", s->error);
	/* The nodes report to the results until they are gone. */
	fabric_destroy(s->fabric);
	results_destroy(s->results);
	scenario_free(s->scenario);
	if (s->eal_started)
		eal_stop();
	return code;
}
