/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
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

int
eal_start_virtual(uint64_t memory_bytes, char *why, size_t why_bytes)
{
	char memory_mb[24], prefix[48], lcores[2048];
	char *argv[] = {"railyard",       "--no-huge",     "-m",       memory_mb, "--no-pci",
			"--no-telemetry", "--no-shconf",   "--lcores", lcores,    "--log-level",
			"error",          "--file-prefix", prefix,     NULL};
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;

	lcore_map(lcores, sizeof(lcores));
	snprintf(memory_mb, sizeof(memory_mb), "%llu",
		 (unsigned long long)(memory_bytes >> 20) + EAL_BASE_MB);
	snprintf(prefix, sizeof(prefix), "railyard-%ld", (long)getpid());
	if (rte_eal_init(argc, argv) >= 0)
		return 0;
	snprintf(why, why_bytes,
		 "DPDK's environment did not start with %s MB of memory: %s; lower `mbufs` or free "
		 "memory",
		 memory_mb, rte_strerror(rte_errno));
	return -rte_errno;
}

void
eal_stop(void)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	/* Ours is empty without a shared configuration; the parent goes if it was the last. */
	if (rmdir(dir) == 0) {
		char *slash = strrchr(dir, '/');

		if (slash != NULL) {
			*slash = '\0';
			(void)rmdir(dir);
		}
	}
}
