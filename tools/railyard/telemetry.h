/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run's counters as commands of DPDK's telemetry, for dpdk-telemetry.py and what collects
 * metrics through it; docs/real-time.md lists them.
 *
 * DPDK calls for an answer on threads of its own, which must not look at nodes that the poll loop
 * is changing: the thread leaves its question, the poll loop answers it between two turns, and
 * the thread turns the answer into DPDK's form. An answer costs the loop the time to copy the
 * counters asked for.
 *
 * DPDK's commands have no context and cannot be taken back, so what they ask is one object of
 * the process: one run at a time.
 */
#ifndef RAILYARD_TELEMETRY_H
#define RAILYARD_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Longest list of parameters: "NODE,PORT". */
#define TELEMETRY_PARAMETERS_BYTES 64

enum telemetry_command {
	TELEMETRY_CONFIG,
	TELEMETRY_PORTS,
	TELEMETRY_QUEUES,
	TELEMETRY_PGS,
	TELEMETRY_FLOWS,
	TELEMETRY_DROPS,
	TELEMETRY_SNAPSHOT,
	TELEMETRY_COMMAND_COUNT
};

/*
 * An object of integers, strings, lists of strings, and objects of those, which is all the depth
 * that DPDK has. NULL: not to be answered.
 */
typedef json_t *(*telemetry_answer)(void *context, enum telemetry_command command,
				    const char *parameters);

/* Register the commands and let them ask from now on. 0 or -errno. */
int telemetry_start(telemetry_answer answer, void *context);

/* From the poll loop, once a turn: answer the question there is, if any. */
void telemetry_poll(void);

/* Whoever waits, or asks later, is refused. */
void telemetry_stop(void);

#endif
