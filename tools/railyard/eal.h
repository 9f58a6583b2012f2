/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's environment. For virtual time: no hugepages, no devices, no telemetry, no shared
 * configuration; nothing is left behind and no privilege is needed. For real time the same,
 * but for what the configuration asks for: telemetry's socket is there until the end, and goes
 * with every end but SIGKILL.
 */
#ifndef RAILYARD_EAL_H
#define RAILYARD_EAL_H

#include <stddef.h>
#include <stdint.h>

/* Once a process, with so many lcores. 0, or -errno with one line in why. */
int eal_start_virtual(uint16_t lcores, uint64_t memory_bytes, char *why, size_t why_bytes);

struct scenario;

/*
 * What a user gives as `extra` below: -EINVAL with one line in why for what would end the process
 * or make it wait for another, before anything is started.
 */
int eal_check_extra(const char *extra, char *why, size_t why_bytes);

/*
 * The scenario's `eal` and its NICs, and `extra`: arguments of the user's separated by blanks,
 * or NULL; lcores matters when `eal.cores` is empty. Virtual devices are probed later, one by one,
 * so that each can be told of.
 */
int eal_start_real(const struct scenario *scenario, uint16_t lcores, uint64_t memory_bytes,
		   const char *extra, char *why, size_t why_bytes);

/* Give everything back. */
void eal_stop(void);

#endif
