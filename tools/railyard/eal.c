/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "scenario.h"

/* What the EAL, its heap's bookkeeping and small tables need beside the caller's memory. */
#define EAL_BASE_MB 64
#define EAL_MAX_ARGUMENTS 96

/* The CPUs that this process may use, in order; how many. */
static uint32_t
usable_cpus(uint16_t cpus[CPU_SETSIZE])
{
	uint32_t count = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		CPU_SET(0, &set);
	for (uint16_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			cpus[count++] = cpu;
	}
	return count;
}

/*
 * Fewer lcores than CPUs are free to run on any, "(0-1)@(0,1,2)", so that runs side by side do
 * not all end up on the first ones. Otherwise each has its own, "0@0,1@1": lcores that wake each
 * other would be put on one CPU by a kernel that means well.
 */
static void
lcore_map(uint16_t lcores, char *map, size_t bytes)
{
	uint16_t cpus[CPU_SETSIZE];
	uint32_t count = usable_cpus(cpus);
	size_t used = 0;

	if (lcores > 1 && lcores >= count) {
		for (uint32_t i = 0; i < lcores && used < bytes; i++)
			used += (size_t)snprintf(map + used, bytes - used, "%s%u@%u",
						 i == 0 ? "" : ",", i, cpus[i % count]);
		return;
	}
	used = (size_t)snprintf(map, bytes, "(0-%u)@(", lcores - 1u);
	for (uint32_t i = 0; i < count && used < bytes; i++)
		used += (size_t)snprintf(map + used, bytes - used, "%s%u%s", i == 0 ? "" : ",",
					 cpus[i], i + 1 == count ? ")" : "");
}

/*
 * DPDK makes a runtime directory even when nothing is to be in it: have it made in one of our
 * own, and remove both as soon as it has started, so that no way of ending leaves them behind.
 */
static void
runtime_dir_make(char *dir, size_t bytes)
{
	const char *parent = getenv("TMPDIR");

	snprintf(dir, bytes, "%s/railyard-XXXXXX", parent != NULL ? parent : "/tmp");
	if (mkdtemp(dir) == NULL)
		dir[0] = '\0';
	else
		setenv("RUNTIME_DIRECTORY", dir, 1);
}

static void
runtime_dir_remove(const char *dir)
{
	char between[300];

	(void)rmdir(rte_eal_get_runtime_dir());
	snprintf(between, sizeof(between), "%s/dpdk", dir);
	(void)rmdir(between);
	if (dir[0] != '\0')
		(void)rmdir(dir);
}

/*
 * Telemetry's socket is in the runtime directory, which therefore stays for the run, where
 * dpdk-telemetry.py looks for it. What can be caught goes with it: what else ends the process
 * comes through here first.
 */
static char socket_path[300], socket_dir[256];

static void
socket_remove(void)
{
	if (socket_dir[0] == '\0')
		return;
	(void)unlink(socket_path);
	(void)rmdir(socket_dir);
}

static const int deadly[] = {SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGALRM};
static struct sigaction before_us[sizeof(deadly) / sizeof(deadly[0])];

/* Tidy up, and let it end as it would have. */
static void
on_deadly(int number)
{
	socket_remove();
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (deadly[i] == number)
			sigaction(number, &before_us[i], NULL);
	raise(number);
}

static void
socket_keep(void)
{
	const struct sigaction action = {.sa_handler = on_deadly};

	snprintf(socket_dir, sizeof(socket_dir), "%s", rte_eal_get_runtime_dir());
	snprintf(socket_path, sizeof(socket_path), "%s/dpdk_telemetry.v2", socket_dir);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		sigaction(deadly[i], NULL, &before_us[i]);
		if (before_us[i].sa_handler != SIG_IGN)
			sigaction(deadly[i], &action, NULL);
	}
	/* DPDK takes back the socket at exit, but not the directory. */
	atexit(socket_remove);
}

/*
 * The EAL explains its failures at length, on stderr and with a page of usage on stdout; one line
 * of ours says it better.
 */
static int
init_quietly(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
	int rc;

	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 2; i++)
		if (null >= 0 && saved[i] >= 0)
			(void)dup2(null, STDOUT_FILENO + i);
	rc = rte_eal_init(argc, argv);
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 2; i++) {
		if (saved[i] < 0)
			continue;
		(void)dup2(saved[i], STDOUT_FILENO + i);
		close(saved[i]);
	}
	if (null >= 0)
		close(null);
	return rc;
}

/* rte_eal_init() that leaves nothing behind, whatever comes in between. */
static int
start(int argc, char **argv, bool quiet, bool telemetry)
{
	sigset_t all, before;
	char dir[256] = "";
	int rc;

	/* A signal waits until there is nothing to leave behind. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!telemetry)
		runtime_dir_make(dir, sizeof(dir));
	rc = quiet ? init_quietly(argc, argv) : rte_eal_init(argc, argv);
	if (rc >= 0 && telemetry)
		socket_keep();
	else
		runtime_dir_remove(dir);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int
eal_start_virtual(uint16_t lcores, uint64_t memory_bytes, char *why, size_t why_bytes)
{
	char memory_mb[24], prefix[48], map[8192];
	char *argv[] = {"railyard",       "--no-huge",     "-m",       memory_mb, "--no-pci",
			"--no-telemetry", "--no-shconf",   "--lcores", map,       "--log-level",
			"emergency",      "--file-prefix", prefix,     NULL};
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;

	lcore_map(lcores, map, sizeof(map));
	snprintf(memory_mb, sizeof(memory_mb), "%llu",
		 (unsigned long long)(memory_bytes >> 20) + EAL_BASE_MB);
	snprintf(prefix, sizeof(prefix), "railyard-%ld", (long)getpid());
	if (start(argc, argv, true, false) >= 0)
		return 0;
	snprintf(why, why_bytes,
		 "DPDK's environment did not start with %s MB of memory: %s; free memory, or set "
		 "`mbufs` lower",
		 memory_mb, rte_strerror(rte_errno));
	return -rte_errno;
}

/* Arguments being put together; what add_argument() prints stands in `text`. */
struct arguments {
	char *argv[EAL_MAX_ARGUMENTS + 1];
	int argc;
	char text[8192];
	size_t used;
	bool overflow;
};

static void __attribute__((format(printf, 2, 3)))
add_argument(struct arguments *a, const char *format, ...)
{
	size_t room = sizeof(a->text) - a->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(a->text + a->used, room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room || a->argc == EAL_MAX_ARGUMENTS) {
		a->overflow = true;
		return;
	}
	a->argv[a->argc++] = a->text + a->used;
	a->argv[a->argc] = NULL;
	a->used += (size_t)n + 1;
}

/*
 * Whether the EAL would take the word for the option, of which it is the start if not all: such a
 * word ends in "=VALUE" or not.
 */
static bool
is_option(const char *word, size_t bytes, const char *option, size_t least)
{
	size_t n = RTE_MIN(bytes, strcspn(word, "= \t"));

	return n >= least && n <= strlen(option) && strncmp(word, option, n) == 0;
}

int
eal_check_extra(const char *extra, char *why, size_t why_bytes)
{
	const char *word = extra;

	if (strpbrk(extra, "\"'") != NULL) {
		snprintf(why, why_bytes, "--eal: takes no quotes: blanks separate its arguments");
		return -EINVAL;
	}
	while (*(word += strspn(word, " \t")) != '\0') {
		size_t n = strcspn(word, " \t");

		/* One more process of another's run waits for that forever; the rest ends ours. */
		if (is_option(word, n, "--proc-type", 3) || is_option(word, n, "--help", 4) ||
		    is_option(word, n, "--version", 4) || strncmp(word, "-h", 2) == 0 ||
		    strncmp(word, "-v", 2) == 0) {
			snprintf(why, why_bytes,
				 "--eal: %.*s is not for a run; leave it out (`railyard --version` "
				 "and `railyard run --help` are there)",
				 (int)n, word);
			return -EINVAL;
		}
		word += n;
	}
	return 0;
}

/* What the user adds comes last: of an option given twice the EAL takes the last. */
static void
add_words(struct arguments *a, const char *words)
{
	while (words != NULL && *(words += strspn(words, " \t")) != '\0') {
		size_t n = strcspn(words, " \t");

		add_argument(a, "%.*s", (int)n, words);
		words += n;
	}
}

static void
compose(struct arguments *a, const struct scenario *s, uint16_t count, uint64_t memory_bytes,
	const char *extra)
{
	uint64_t bytes = s->eal.memory_bytes != 0 ? s->eal.memory_bytes
						  : memory_bytes + ((uint64_t)EAL_BASE_MB << 20);
	bool has_nic = false;
	char lcores[8192];

	add_argument(a, "railyard");
	if (!s->eal.hugepages)
		add_argument(a, "--no-huge");
	add_argument(a, "-m");
	add_argument(a, "%llu", (unsigned long long)(bytes >> 20));
	if (s->eal.cores[0] != '\0') {
		add_argument(a, "-l");
		add_argument(a, "%s", s->eal.cores);
	} else {
		lcore_map(count, lcores, sizeof(lcores));
		add_argument(a, "--lcores");
		add_argument(a, "%s", lcores);
	}
	for (uint32_t i = 0; i < s->ethdev_count; i++) {
		if (!s->ethdevs[i].is_pci)
			continue;
		has_nic = true;
		add_argument(a, "-a");
		add_argument(a, "%s", s->ethdevs[i].device);
	}
	if (!has_nic)
		add_argument(a, "--no-pci");
	if (!s->eal.telemetry)
		add_argument(a, "--no-telemetry");
	add_argument(a, "--no-shconf");
	add_argument(a, "--log-level");
	add_argument(a, "error");
	add_argument(a, "--file-prefix");
	if (s->eal.file_prefix[0] != '\0')
		add_argument(a, "%s", s->eal.file_prefix);
	else
		add_argument(a, "railyard-%ld", (long)getpid());
	add_words(a, extra);
}

/* The EAL would only say that the core is not there, in a page of others. */
static int
check_cores(const struct scenario_eal *e, char *why, size_t why_bytes)
{
	long there = sysconf(_SC_NPROCESSORS_CONF);

	if (e->cores[strspn(e->cores, "0123456789,-")] != '\0') {
		snprintf(why, why_bytes, "%s: cores: \"%.40s\" is no core, such as 3",
			 e->cores_place, e->cores);
		return -EINVAL;
	}
	for (const char *at = e->cores; *(at += strcspn(at, "0123456789")) != '\0';
	     at += strspn(at, "0123456789")) {
		unsigned long core = strtoul(at, NULL, 10);

		if (core < (unsigned long)there)
			continue;
		snprintf(why, why_bytes, "%s: cores: there is no core %lu here, but 0 to %ld",
			 e->cores_place, core, there - 1);
		return -EINVAL;
	}
	return 0;
}

/* One line on why it did not start, and with what. */
static void
explain(const struct arguments *a, const struct scenario *s, char *why, size_t why_bytes)
{
	int used = snprintf(why, why_bytes,
			    "DPDK's environment did not start: %s; see `eal`, `mbufs` and --eal%s; "
			    "it was given:",
			    rte_strerror(rte_errno),
			    s->eal.hugepages ? ", and whether there are hugepages" : "");

	for (int i = 1; i < a->argc && used > 0 && (size_t)used < why_bytes; i++)
		used += snprintf(why + used, why_bytes - (size_t)used, " %s", a->argv[i]);
}

int
eal_start_real(const struct scenario *s, uint16_t lcores, uint64_t memory_bytes, const char *extra,
	       char *why, size_t why_bytes)
{
	struct arguments *a = calloc(1, sizeof(*a));
	/* Who asks for the log wants to read it. */
	bool quiet = extra == NULL || strstr(extra, "log-level") == NULL;
	int rc = check_cores(&s->eal, why, why_bytes), taken;

	if (rc != 0) {
		free(a);
		return rc;
	}
	if (a == NULL) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	compose(a, s, lcores, memory_bytes, extra);
	if (a->overflow) {
		rc = -E2BIG;
		snprintf(why, why_bytes, "too many arguments for DPDK's environment");
		free(a);
		return rc;
	}
	taken = start(a->argc, a->argv, quiet, s->eal.telemetry);
	if (taken < 0) {
		rc = -rte_errno;
		explain(a, s, why, why_bytes);
	} else if (taken < a->argc - 1) {
		/* It leaves what is no option to the end. */
		rc = -EINVAL;
		snprintf(why, why_bytes, "--eal: \"%.60s\" is no option of DPDK's environment",
			 a->argv[taken + 1]);
		eal_stop();
	}
	/* Drivers are loud about what does not matter; what does, we say ourselves. */
	if (rc == 0 && quiet)
		rte_log_set_global_level(RTE_LOG_CRIT);
	free(a);
	return rc;
}

void
eal_stop(void)
{
	rte_eal_cleanup();
	socket_remove();
}
