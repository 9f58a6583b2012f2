/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK devices over rings, which need no privilege and lose nothing. */
#ifndef RAILYARD_TEST_RING_PAIR_H
#define RAILYARD_TEST_RING_PAIR_H

#include <rte_eth_ring.h>
#include <rte_ring.h>

#include "eal.h"
#include "ethdev.h"
#include "suite.h"

/* A ring for slots - 1 frames, with a name of its own. */
static inline struct rte_ring *
ring_new(uint32_t slots)
{
	static unsigned int number;
	struct rte_ring *ring;
	char name[32];

	snprintf(name, sizeof(name), "test_ring%u", number++);
	ring = rte_ring_create(name, slots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	ck_assert_ptr_nonnull(ring);
	return ring;
}

/* A device that receives from one ring and sends into another. */
static inline void
ring_port_open_with(struct ethdev_port *port, struct rte_ring *rx, struct rte_ring *tx,
		    struct rte_mempool *pool, const struct ethdev_cfg *cfg)
{
	static unsigned int number;
	char name[32], why[256];
	int id;

	snprintf(name, sizeof(name), "test%u", number++);
	id = rte_eth_from_rings(name, &rx, 1, &tx, 1, 0);
	ck_assert_int_ge(id, 0);
	ck_assert_int_eq(ethdev_open(port, (uint16_t)id, cfg, pool, NULL, (uint16_t)number, why,
				     sizeof(why)),
			 0);
}

static inline void
ring_port_open(struct ethdev_port *port, struct rte_ring *rx, struct rte_ring *tx,
	       struct rte_mempool *pool, uint64_t delay_ps)
{
	const struct ethdev_cfg cfg = {.delay_ps = delay_ps, .promiscuous = true};

	ring_port_open_with(port, rx, tx, pool, &cfg);
}

#endif
