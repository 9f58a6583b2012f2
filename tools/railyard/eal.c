/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

/* What the EAL, its heap's bookkeeping and small tables need beside the caller's memory. */
#define EAL_BASE_MB 64

int
eal_start_virtual(uint64_t memory_bytes, char *why, size_t why_bytes)
{
	char memory_mb[24], prefix[48];
	/* One lcore, the one we are on: the affinity of the caller's thread is respected. */
	char *argv[] = {"railyard",       "--no-huge",     "-m",       memory_mb,    "--no-pci",
			"--no-telemetry", "--no-shconf",   "--lcores", "0@(0-1023)", "--log-level",
			"error",          "--file-prefix", prefix,     NULL};
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;

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
