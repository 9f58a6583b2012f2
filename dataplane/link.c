/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

/* Most links of a large fabric are idle most of the time. */
#define LINK_RING_START 16u

int
link_init(struct link *link, uint64_t delay_ps)
{
	*link = (struct link){
		.delay_ps = delay_ps, .mask = LINK_RING_START - 1, .to_lcore = LINK_NOBODY};
	link->ring = calloc(LINK_RING_START, sizeof(*link->ring));
	return link->ring == NULL ? -ENOMEM : 0;
}

void
link_fini(struct link *link)
{
	if (link->ring != NULL) {
		while (link->head != link->tail)
			packet_free(link->ring[link->head++ & link->mask].packet);
	}
	free(link->ring);
	link->ring = NULL;
	for (int i = 0; i < 2; i++) {
		struct link_batch *batch = &link->staged[i];

		while (batch->count != 0)
			packet_free(batch->entries[--batch->count].packet);
		free(batch->entries);
		*batch = (struct link_batch){0};
	}
}

/*
 * In-flight frames are bounded by delay x rate; running out of memory here ends the program.
 * Growing is rare: kept out of line, it costs the callers no registers.
 */
static __rte_noinline void *
grow(void *old, uint32_t entries, size_t entry_bytes)
{
	void *larger = realloc(old, (size_t)entries * entry_bytes);

	if (larger == NULL)
		abort();
	return larger;
}

static __rte_noinline void
batch_grow(struct link_batch *batch)
{
	batch->size = batch->size == 0 ? LINK_RING_START : 2 * batch->size;
	batch->entries = grow(batch->entries, batch->size, sizeof(*batch->entries));
}

uint64_t
link_send(struct link *link, struct rte_mbuf *m, uint64_t start_ps, uint64_t end_ps)
{
	struct link_batch *batch = &link->staged[link->window & 1];
	struct packet *p = packet_of(m);
	uint64_t acts_ps = end_ps;

	p->tail_ps = end_ps + link->delay_ps;
	if (link->cut_through_bytes != 0 && p->frame_bytes > link->cut_through_bytes) {
		/* The head is in after its share of the frame's time on the wire. */
		acts_ps = start_ps + (end_ps - start_ps) / p->frame_bytes * link->cut_through_bytes;
	}
	if (unlikely(batch->count == batch->size))
		batch_grow(batch);
	batch->entries[batch->count++] =
		(struct link_entry){.arrival_ps = acts_ps + link->delay_ps, .packet = m};
	return acts_ps + link->delay_ps;
}

static __rte_noinline void
ring_double(struct link *link)
{
	uint32_t size = link->mask + 1;
	uint32_t first = link->head & link->mask;

	link->ring = grow(link->ring, size * 2, sizeof(*link->ring));
	/* The part that had wrapped goes behind the part that had not. */
	memcpy(link->ring + size, link->ring, first * sizeof(*link->ring));
	link->mask = size * 2 - 1;
	link->tail = first + (link->tail - link->head);
	link->head = first;
}

void
link_put(struct link *link, struct rte_mbuf *m, uint64_t arrival_ps)
{
	uint32_t at;

	if (unlikely(link->tail - link->head == link->mask + 1))
		ring_double(link);
	at = link->tail++;
	/* Few frames are out of order, and few pass them. */
	while (unlikely(at != link->head &&
			link->ring[(at - 1) & link->mask].arrival_ps > arrival_ps)) {
		link->ring[at & link->mask] = link->ring[(at - 1) & link->mask];
		at--;
	}
	link->ring[at & link->mask] = (struct link_entry){.arrival_ps = arrival_ps, .packet = m};
}

void
link_take(struct link *link, unsigned int parity)
{
	struct link_batch *batch = &link->staged[parity];

	for (uint32_t i = 0; i < batch->count; i++) {
		struct rte_mbuf *m = batch->entries[i].packet;

		/* Most of what was sent in the last window arrives in this one. */
		rte_prefetch0(packet_of(m));
		rte_prefetch0(m);
		link_put(link, m, batch->entries[i].arrival_ps);
	}
	batch->count = 0;
}

void
link_collect(struct link *link)
{
	link_take(link, 0);
	link_take(link, 1);
}

uint32_t
link_held(const struct link *link)
{
	return link->tail - link->head + link->staged[0].count + link->staged[1].count;
}

int
link_outbox_init(struct link_outbox *o, uint16_t lcore, uint16_t lcores)
{
	*o = (struct link_outbox){.lcore = lcore, .lcores = lcores, .lane = lcore};
	o->lists = calloc(2u * lcores, sizeof(*o->lists));
	return o->lists == NULL ? -ENOMEM : 0;
}

void
link_outbox_fini(struct link_outbox *o)
{
	for (uint32_t i = 0; o->lists != NULL && i < 2u * o->lcores; i++)
		free(o->lists[i].notes);
	free(o->lists);
	o->lists = NULL;
}

void
link_outbox_next(struct link_outbox *o)
{
	struct link_list *lists;

	o->window++;
	o->first_ps = UNITS_NEVER_PS;
	lists = &o->lists[(o->window & 1) * o->lcores];
	for (uint16_t i = 0; i < o->lcores; i++)
		lists[i].count = 0;
}

void
link_outbox_add(struct link_outbox *o, struct link *link)
{
	struct link_list *list = &o->lists[(o->window & 1) * o->lcores + link->to_lcore];

	link->window = o->window;
	if (list->count == list->size) {
		list->size = list->size == 0 ? LINK_RING_START : 2 * list->size;
		list->notes = grow(list->notes, list->size, sizeof(*list->notes));
	}
	list->notes[list->count++] = (struct link_note){link, link->to_slot};
}
