/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where packets come from. Two kinds of pool, of which nobody but their maker need know:
 *
 * - of a fixed number, all laid out at once in DPDK's memory, as devices want it;
 * - for virtual time, one that may be as large as the worst case and is as large as the run needs:
 *   memory is laid out when there is no free packet, and what was freed last is used first. So a
 *   run touches as little memory as it can, which decides its speed (a pool that hands its packets
 *   out in turns goes through all of its memory, and none of it is in a cache when it comes back).
 */
#ifndef RAILYARD_PACKET_POOL_H
#define RAILYARD_PACKET_POOL_H

#include <stdint.h>

#include <rte_mempool.h>

/* Free packets that an lcore may keep for itself: so many more a pool needs for each. */
#define PACKET_CACHED_PER_LCORE (3u * RTE_MEMPOOL_CACHE_MAX_SIZE / 2)

/*
 * A pool of `count` packets with `data_bytes` each (PACKET_HEADER_ROOM_BYTES when payloads are
 * elided). NULL with rte_errno set when memory is short.
 */
struct rte_mempool *packet_pool_create(const char *name, uint32_t count, uint32_t data_bytes);

/* The same, but that it grows, up to `most`; not for devices. */
struct rte_mempool *packet_pool_create_growing(const char *name, uint32_t most,
					       uint32_t data_bytes);

/* Of either kind; NULL is fine. */
void packet_pool_free(struct rte_mempool *pool);

/* Packets that are not free; while no lcore uses the pool. */
uint32_t packet_pool_in_use(const struct rte_mempool *pool);

#endif
