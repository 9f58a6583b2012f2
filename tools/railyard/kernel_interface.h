/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel tells of the interface behind a device. */
#ifndef RAILYARD_KERNEL_INTERFACE_H
#define RAILYARD_KERNEL_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether it leaves checksums or segmentation to hardware (of a veth: to nobody). False also when
 * there is no such interface, or it does not tell.
 */
bool kernel_interface_offloads(uint32_t interface);

/* Frames it has received, modulo 2^32; false when there is no such interface here. */
bool kernel_interface_received(uint32_t interface, uint32_t *packets);

#endif
