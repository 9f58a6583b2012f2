/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a cable: a delay line from one node's port to another's.
 *
 * The sender appends to one of two batches, by turns from window to window; in the next window
 * the receiver moves the batch into its own ring while the sender fills the other. So no node
 * ever touches memory that another node uses in the same window, and lcores meet once a window.
 * Invariant: the ring is in non-decreasing time order (impairments may send out of order), and
 * no arrival is earlier than the end of the window in which it was sent, because delay_ps is at
 * least the window's length.
 *
 * An outbox is what the nodes of one lcore have sent in a window: for each other lcore the links
 * that have something for its nodes, so that nobody has to look at all links.
 */
#ifndef RAILYARD_LINK_H
#define RAILYARD_LINK_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "packet.h"
#include "units.h"

struct node;

struct link_entry {
	uint64_t arrival_ps;
	struct rte_mbuf *packet;
};

struct link_batch {
	struct link_entry *entries;
	uint32_t count;
	uint32_t size;
};

/* No lcore collects this link by list: its other end is no node of the engine's. */
#define LINK_NOBODY UINT16_MAX

/* Arrays of these are aligned to cache lines: sender and receiver each have one. */
struct link {
	/* receiver */
	struct link_entry *ring;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	uint16_t to_port;
	struct node *to_node; /* set by node_attach() */
	uint8_t pad[32];
	/* sender; the receiver empties a batch */
	struct link_batch staged[2]; /* by the lowest bit of the window */
	uint64_t window;             /* in which it last sent */
	/* constant during a run */
	uint64_t delay_ps;          /* propagation */
	uint32_t cut_through_bytes; /* receiver acts after this many bytes; 0 = whole frame */
	uint16_t to_lcore;          /* index of the engine's, or LINK_NOBODY */
	uint32_t to_slot;           /* the receiver's place among that lcore's nodes */
	uint32_t pad2;
};
static_assert(offsetof(struct link, staged) == RTE_CACHE_LINE_MIN_SIZE, "a line of the receiver's");
static_assert(sizeof(struct link) == 2 * RTE_CACHE_LINE_MIN_SIZE, "and one of the sender's");

/* A link that has something, and for whom: so that nobody has to look into the link to know. */
struct link_note {
	struct link *link;
	uint32_t slot;
};

struct link_list {
	struct link_note *notes;
	uint32_t count;
	uint32_t size;
};

struct link_outbox {
	uint64_t window;   /* from 1 up */
	uint64_t first_ps; /* earliest arrival among what was sent in this window */
	uint16_t lcore;    /* index, whose outbox it is */
	uint16_t lcores;
	uint16_t lane;           /* the lcore's number among all of the process, engines or not */
	struct link_list *lists; /* [2 * lcores]: by the window's lowest bit, and receiver */
};

/* Rings start small (memory latency decides the emulator's speed) and double when full. */
int link_init(struct link *link, uint64_t delay_ps);
void link_fini(struct link *link);

/*
 * Append a frame whose first bit leaves at start_ps and whose last bit leaves at end_ps. Returns
 * when the receiver acts on it.
 */
uint64_t link_send(struct link *link, struct rte_mbuf *m, uint64_t start_ps, uint64_t end_ps);

/*
 * Put a packet on the receiver's side at once, for a delay line within one node: behind all that
 * arrive no later.
 */
void link_put(struct link *link, struct rte_mbuf *m, uint64_t arrival_ps);

/* Move what the sender staged in windows with this lowest bit into the receiver's ring. */
void link_take(struct link *link, unsigned int parity);

/* Outside of windows: all that is staged. */
void link_collect(struct link *link);

/* Packets in it, staged and in the ring. */
uint32_t link_held(const struct link *link);

/* 0 or -ENOMEM. */
int link_outbox_init(struct link_outbox *o, uint16_t lcore, uint16_t lcores);
void link_outbox_fini(struct link_outbox *o);

/* The next window begins; what was sent in the one before the last has been taken. */
void link_outbox_next(struct link_outbox *o);

/* The link's first frame of a window: list it. */
void link_outbox_add(struct link_outbox *o, struct link *link);

/* link_send(), noted in the sender's outbox; NULL: it has none. */
static inline void
link_send_by(struct link_outbox *o, struct link *link, struct rte_mbuf *m, uint64_t start_ps,
	     uint64_t end_ps)
{
	uint64_t arrival_ps;

	if (o == NULL || link->to_lcore == LINK_NOBODY) {
		link_send(link, m, start_ps, end_ps);
		return;
	}
	if (link->window != o->window)
		link_outbox_add(o, link);
	arrival_ps = link_send(link, m, start_ps, end_ps);
	if (arrival_ps < o->first_ps)
		o->first_ps = arrival_ps;
}

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
