/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's environment for a test that needs mbufs, hashes or memory pools: no hugepages, no PCI,
 * no telemetry socket, no privileges. It may be called from main() or from fixtures,
 * any number of times, and leaves no file behind.
 */
#ifndef RAILYARD_TEST_EAL_H
#define RAILYARD_TEST_EAL_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

/* Memory of the heap; a test that needs more says so before it includes this. */
#ifndef TEST_EAL_MB
#define TEST_EAL_MB "64"
#endif

/* Lcores as the EAL's --lcores has them. */
#ifndef TEST_EAL_LCORES
#define TEST_EAL_LCORES "0"
#endif

/*
 * Remove the runtime directory, which has no directories in it. With neither shared
 * configuration nor telemetry nothing needs it after initialisation, and so a crash leaves none.
 */
static inline void
test_eal_tidy(void)
{
	char path[4096];
	const char *dir = rte_eal_get_runtime_dir();
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path);
	}
	closedir(d);
	rmdir(dir);
}

/* Initialise once a process; a failure ends it, since no test could say anything then. */
static inline void
test_eal_init(void)
{
	char prefix[64];
	char *argv[] = {"test",        "--no-huge", "-m",
			TEST_EAL_MB,   "--no-pci",  "--no-telemetry",
			"--no-shconf", "--lcores",  TEST_EAL_LCORES,
			"--log-level", "error",     "--file-prefix",
			prefix,        NULL};
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;
	static bool ready;

	if (ready)
		return;
	snprintf(prefix, sizeof(prefix), "railyard-test-%ld", (long)getpid());
	if (rte_eal_init(argc, argv) < 0) {
		fprintf(stderr, "rte_eal_init: %s\n", rte_strerror(rte_errno));
		exit(EXIT_FAILURE);
	}
	ready = true;
	test_eal_tidy();
}

#endif
