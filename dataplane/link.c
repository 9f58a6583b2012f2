/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define LINK_RING_START 64u

int
link_init(struct link *link, uint64_t delay_ps)
{
	*link = (struct link){
		.delay_ps = delay_ps, .mask = LINK_RING_START - 1, .staged_size = LINK_RING_START};
	link->ring = calloc(LINK_RING_START, sizeof(*link->ring));
	link->staged = calloc(LINK_RING_START, sizeof(*link->staged));
	if (link->ring != NULL && link->staged != NULL)
		return 0;
	link_fini(link);
	return -ENOMEM;
}

void
link_fini(struct link *link)
{
	if (link->ring != NULL) {
		while (link->head != link->tail)
			packet_free(link->ring[link->head++ & link->mask].packet);
	}
	for (uint32_t i = 0; i < link->staged_count; i++)
		packet_free(link->staged[i].packet);
	free(link->ring);
	free(link->staged);
	link->ring = NULL;
	link->staged = NULL;
	link->staged_count = 0;
}

/*
 * In-flight frames are bounded by delay x rate; running out of memory here ends the program.
 * Growing is rare: kept out of line, it costs the callers no registers.
 */
static __rte_noinline void *
grow(void *old, uint32_t entries)
{
	void *larger = realloc(old, (size_t)entries * sizeof(struct link_entry));

	if (larger == NULL)
		abort();
	return larger;
}

void
link_send(struct link *link, struct rte_mbuf *m, uint64_t start_ps, uint64_t end_ps)
{
	struct packet *p = packet_of(m);
	uint64_t acts_ps = end_ps;

	p->tail_ps = end_ps + link->delay_ps;
	if (link->cut_through_bytes != 0 && p->frame_bytes > link->cut_through_bytes) {
		/* The head is in after its share of the frame's time on the wire. */
		acts_ps = start_ps + (end_ps - start_ps) / p->frame_bytes * link->cut_through_bytes;
	}
	if (unlikely(link->staged_count == link->staged_size)) {
		link->staged_size *= 2;
		link->staged = grow(link->staged, link->staged_size);
	}
	link->staged[link->staged_count++] =
		(struct link_entry){.arrival_ps = acts_ps + link->delay_ps, .packet = m};
}

static __rte_noinline void
ring_double(struct link *link)
{
	uint32_t size = link->mask + 1;
	uint32_t first = link->head & link->mask;

	link->ring = grow(link->ring, size * 2);
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
link_collect(struct link *link)
{
	for (uint32_t i = 0; i < link->staged_count; i++)
		link_put(link, link->staged[i].packet, link->staged[i].arrival_ps);
	link->staged_count = 0;
}
