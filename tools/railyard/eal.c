/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

/* What the EAL, its heap's bookkeeping and small tables need beside the caller's memory. */
#define EAL_BASE_MB 64

/*
 * "0@(0,1)": one lcore, free to run wherever the caller's thread may, so that runs side by side
 * do not all end up on the first CPU.
 */
static void
lcore_map(char *map, size_t bytes)
{
	size_t used = (size_t)snprintf(map, bytes, "0@(");
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		CPU_SET(0, &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE && used + 8 < bytes; cpu++) {
		if (CPU_ISSET(cpu, &cpus))
			used += (size_t)snprintf(map + used, bytes - used, "%s%d",
						 map[used - 1] == '(' ? "" : ",", cpu);
	}
	snprintf(map + used, bytes - used, ")");
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

/* The EAL explains its failures at length on stderr; one line of ours says it better. */
static int
init_quietly(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved = dup(STDERR_FILENO);
	int rc;

	fflush(stderr);
	if (null >= 0 && saved >= 0)
		(void)dup2(null, STDERR_FILENO);
	rc = rte_eal_init(argc, argv);
	fflush(stderr);
	if (saved >= 0) {
		(void)dup2(saved, STDERR_FILENO);
		close(saved);
	}
	if (null >= 0)
		close(null);
	return rc;
}

int
eal_start_virtual(uint64_t memory_bytes, char *why, size_t why_bytes)
{
	char memory_mb[24], prefix[48], lcores[2048], dir[256];
	char *argv[] = {"railyard",       "--no-huge",     "-m",       memory_mb, "--no-pci",
			"--no-telemetry", "--no-shconf",   "--lcores", lcores,    "--log-level",
			"emergency",      "--file-prefix", prefix,     NULL};
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;
	sigset_t all, before;
	int rc;

	lcore_map(lcores, sizeof(lcores));
	snprintf(memory_mb, sizeof(memory_mb), "%llu",
		 (unsigned long long)(memory_bytes >> 20) + EAL_BASE_MB);
	snprintf(prefix, sizeof(prefix), "railyard-%ld", (long)getpid());
	/* A signal waits until there is nothing to leave behind. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	runtime_dir_make(dir, sizeof(dir));
	rc = init_quietly(argc, argv);
	runtime_dir_remove(dir);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc >= 0)
		return 0;
	snprintf(why, why_bytes,
		 "DPDK's environment did not start with %s MB of memory: %s; free memory, or set "
		 "`mbufs` lower",
		 memory_mb, rte_strerror(rte_errno));
	return -rte_errno;
}

void
eal_stop(void)
{
	rte_eal_cleanup();
}
