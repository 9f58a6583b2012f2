/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet-hops a second of whole fabrics, by size and number of lcores, and memory a host: every
 * host of a two-tier fabric sends at line rate to another one, in 4 KiB packets.
 *
 * usage: bench_fabric [HOSTS [LCORES [MICROSECONDS]]]
 *
 * The wall clock says what a user waits for and is only worth something on an idle machine; the
 * CPU's own clock is steadier, and with several lcores counts their waiting as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "eal.h"
#include "fabric.h"

struct shape {
	uint32_t leaves;
	uint32_t spines;
	uint32_t hosts_per_leaf;
	uint32_t warm_us;
	uint32_t run_us;
};

static const struct shape shapes[] = {
	{4, 4, 4, 200, 4000}, {8, 8, 16, 100, 1000}, {32, 16, 32, 50, 150}};

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Bytes of memory the process has in use. */
static uint64_t
resident_bytes(void)
{
	unsigned long size = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL || fscanf(file, "%lu %lu", &size, &pages) != 2)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
fail(const char *what)
{
	fprintf(stderr, "bench_fabric: %s\n", what);
	exit(EXIT_FAILURE);
}

static struct scenario *
load(const struct shape *shape)
{
	static const char *const dirs[] = {BENCH_CONFIGS, NULL};
	char yaml[1024], error[CONFIG_ERROR_BYTES];
	struct scenario *s;

	snprintf(yaml, sizeof(yaml),
		 "duration: 1s\n"
		 "topology: {kind: leaf-spine, leaves: %u, spines: %u, hosts_per_leaf: %u,\n"
		 "  rate: 100Gbps, delay: 500ns, leaf_links: {rate: 200Gbps}}\n"
		 "workload: [{elephants: {permutation: h, size: 1MB, count: 0}}]\n",
		 shape->leaves, shape->spines, shape->hosts_per_leaf);
	if (config_load_buffer((const uint8_t *)yaml, strlen(yaml), "bench.yaml", NULL, 0, dirs, &s,
			       error, sizeof(error)) != 0)
		fail(error);
	return s;
}

static void
measure(struct fabric *f, const struct shape *shape, uint16_t lcores, uint64_t before_bytes)
{
	uint64_t warm_ps = shape->warm_us * UNITS_PS_PER_US;
	double wall_s, cpu_s;
	uint64_t count;

	if (engine_virtual_run(&f->engine, warm_ps) != ENGINE_UNTIL)
		fail("the run ended early");
	count = fabric_hops(f);
	wall_s = seconds(CLOCK_MONOTONIC);
	cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
	engine_virtual_run(&f->engine, warm_ps + shape->run_us * UNITS_PS_PER_US);
	wall_s = seconds(CLOCK_MONOTONIC) - wall_s;
	cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	count = fabric_hops(f) - count;
	printf("%5u hosts, %u lcore%s %6.2f M packet-hops/s, %4.0f ns of CPU a hop, "
	       "%.0f KB a host, digest %016llx\n",
	       f->host_count, lcores, lcores == 1 ? ": " : "s:", (double)count / wall_s / 1e6,
	       1e9 * cpu_s / (double)count,
	       (double)(resident_bytes() - before_bytes) / 1e3 / f->host_count,
	       (unsigned long long)engine_virtual_digest(&f->engine));
	fflush(stdout);
}

static void
bench(const struct shape *shape, uint16_t lcores)
{
	struct scenario *s = load(shape);
	uint64_t before_bytes = resident_bytes();
	struct fabric_options options = {
		.packets = fabric_packets(s) + (lcores - 1u) * PACKET_CACHED_PER_LCORE,
		.data_bytes = fabric_data_bytes(s),
		.lcores = lcores,
	};
	struct fabric *f;
	char why[512];

	if (fabric_create(&f, s, &options, why, sizeof(why)) != 0 ||
	    fabric_start(f, why, sizeof(why)) != 0)
		fail(why);
	measure(f, shape, lcores, before_bytes);
	fabric_destroy(f);
	scenario_free(s);
}

/* In a process of its own: what one leaves in memory must not count for the next. */
static void
bench_apart(uint32_t hosts, uint16_t lcores)
{
	char hosts_text[16], lcores_text[16];
	int status;

	snprintf(hosts_text, sizeof(hosts_text), "%u", hosts);
	snprintf(lcores_text, sizeof(lcores_text), "%u", lcores);
	if (fork() == 0) {
		execl("/proc/self/exe", "bench_fabric", hosts_text, lcores_text, NULL);
		_exit(EXIT_FAILURE);
	}
	if (wait(&status) < 0 || status != 0)
		fail("a bench has failed");
}

int
main(int argc, char **argv)
{
	uint32_t hosts = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	uint16_t lcores = argc > 2 ? (uint16_t)atoi(argv[2]) : 0;
	char why[512];

	if (lcores != 0 && eal_start_virtual(lcores, 64 << 20, why, sizeof(why)) != 0)
		fail(why);
	for (size_t i = 0; i < RTE_DIM(shapes); i++) {
		struct shape shape = shapes[i];
		uint32_t shape_hosts = shape.leaves * shape.hosts_per_leaf;

		if (argc > 3)
			shape.run_us = (uint32_t)atoi(argv[3]);
		if (hosts != 0 && hosts != shape_hosts)
			continue;
		if (lcores != 0) {
			bench(&shape, lcores);
			continue;
		}
		for (uint16_t n = 1; n <= 2; n++)
			bench_apart(shape_hosts, n);
	}
	if (lcores != 0)
		eal_stop();
	return EXIT_SUCCESS;
}
