/* SPDX-License-Identifier: BSD-3-Clause */
/* How many lcores a scenario is run on. */
#include <sched.h>

#include <rte_config.h>

#include "fabric.h"

/* Of a fabric with fewer nodes a lcore, the lcores would mostly wait for each other. */
#define NODES_PER_LCORE 32u

uint32_t
fabric_usable_cpus(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		return 1;
	return (uint32_t)CPU_COUNT(&cpus);
}

/* Poll loops take a core whole: no more of them than the user has said. */
static uint16_t
lcores_real(const struct scenario *s)
{
	uint16_t lcores = s->lcores;

	if (lcores == 0)
		lcores = s->eal.core_count;
	return RTE_MAX(lcores, 1);
}

uint16_t
fabric_lcores(const struct scenario *s, uint32_t extra_nodes)
{
	uint32_t nodes = s->switch_count + s->host_count + extra_nodes;
	uint32_t lcores = s->lcores;

	if (s->real_time)
		return lcores_real(s);
	if (lcores == 0)
		lcores = RTE_MIN(fabric_usable_cpus(), nodes / NODES_PER_LCORE);
	lcores = RTE_MIN(lcores, nodes);
	lcores = RTE_MIN(lcores, (uint32_t)RTE_MAX_LCORE);
	return (uint16_t)RTE_MAX(lcores, 1u);
}
