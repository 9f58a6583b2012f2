/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's environment for virtual time: no hugepages, no devices, no telemetry, no shared
 * configuration; nothing is left behind and no privilege is needed.
 */
#ifndef RAILYARD_EAL_H
#define RAILYARD_EAL_H

#include <stddef.h>
#include <stdint.h>

/* Once a process. 0, or -errno with one line in why. */
int eal_start_virtual(uint64_t memory_bytes, char *why, size_t why_bytes);

/* Give everything back. */
void eal_stop(void);

#endif
