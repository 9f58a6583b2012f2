/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a cable: a delay line from one node's port to another's.
 *
 * The sender appends to `staged`; between windows the engine has the receiver collect it into
 * its own ring. So no node ever touches memory that another node uses in the same window.
 * Invariant: the ring is in non-decreasing time order (impairments may send out of order), and
 * no arrival is earlier than the end of the window in which it was sent, because delay_ps is at
 * least the window's length.
 */
#ifndef RAILYARD_LINK_H
#define RAILYARD_LINK_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "packet.h"
#include "units.h"

struct link_entry {
	uint64_t arrival_ps;
	struct rte_mbuf *packet;
};

struct link {
	/* receiver */
	struct link_entry *ring;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	/* sender */
	struct link_entry *staged;
	uint32_t staged_count;
	uint32_t staged_size;
	/* constant after set-up */
	uint64_t delay_ps;          /* propagation */
	uint32_t cut_through_bytes; /* receiver acts after this many bytes; 0 = whole frame */
};

/* Rings start small (memory latency decides the emulator's speed) and double when full. */
int link_init(struct link *link, uint64_t delay_ps);
void link_fini(struct link *link);

/* Append a frame whose first bit leaves at start_ps and whose last bit leaves at end_ps. */
void link_send(struct link *link, struct rte_mbuf *m, uint64_t start_ps, uint64_t end_ps);

/*
 * Put a packet on the receiver's side at once, for a delay line within one node: behind all that
 * arrive no later.
 */
void link_put(struct link *link, struct rte_mbuf *m, uint64_t arrival_ps);

/* Between windows: move what the sender staged into the receiver's ring. */
void link_collect(struct link *link);

static inline uint64_t
link_next_ps(const struct link *link)
{
	return link->head == link->tail ? UNITS_NEVER_PS
					: link->ring[link->head & link->mask].arrival_ps;
}

static inline struct rte_mbuf *
link_pop(struct link *link)
{
	struct rte_mbuf *m = link->ring[link->head++ & link->mask].packet;

	if (link->head != link->tail)
		rte_prefetch0(packet_of(link->ring[link->head & link->mask].packet));
	return m;
}

#endif
