/* SPDX-License-Identifier: BSD-3-Clause */
#include "reorder.h"

#include <assert.h>
#include <stdlib.h>

#include "host_state.h"

#define READS_START 4u

/* Node that numbered the packet, packet.h. */
#define UID_NODE_SHIFT 40

struct reorder_window *
reorder_window_new(uint32_t size, uint32_t expected_psn)
{
	uint32_t slots = rte_align32pow2(size);
	struct reorder_window *w = calloc(1, sizeof(*w) + slots);

	if (w == NULL)
		return NULL;
	w->size = size;
	w->mask = slots - 1;
	w->told_psn = w->lost_psn = w->edge_psn = expected_psn;
	return w;
}

void
reorder_window_free(struct reorder_window *w)
{
	if (w == NULL)
		return;
	free(w->reads);
	free(w);
}

bool
reorder_put(struct reorder_window *w, uint32_t psn, uint8_t what)
{
	uint8_t *slot = &w->slots[psn & w->mask];

	if (*slot != 0)
		return false;
	*slot = what;
	if (++w->held > w->held_max)
		w->held_max = w->held;
	return true;
}

uint8_t
reorder_take(struct reorder_window *w, uint32_t psn)
{
	uint8_t *slot = &w->slots[psn & w->mask];
	uint8_t what = *slot;

	if (what != 0) {
		assert(w->held > 0);
		*slot = 0;
		w->held--;
	}
	return what;
}

bool
reorder_put_read(struct reorder_window *w, const struct reorder_read *read)
{
	if (w->read_count == w->read_size) {
		uint32_t size = w->read_size == 0 ? READS_START : 2 * w->read_size;
		struct reorder_read *reads;

		if (size > QP_MAX_READ_JOBS)
			return false;
		reads = realloc(w->reads, size * sizeof(*reads));
		if (reads == NULL)
			return false;
		w->reads = reads;
		w->read_size = size;
	}
	w->reads[w->read_count++] = *read;
	/* Its other PSNs are no holes, as they may have seemed when it was missing. */
	if (roce_psn_compare(w->told_psn, read->psn) > 0 &&
	    roce_psn_distance(read->psn, w->told_psn) < (int32_t)read->packets)
		w->told_psn = roce_psn_add(read->psn, read->packets);
	return true;
}

static uint32_t
find_read(const struct reorder_window *w, uint32_t psn)
{
	uint32_t i = 0;

	while (i < w->read_count && w->reads[i].psn != psn)
		i++;
	return i;
}

struct reorder_read
reorder_take_read(struct reorder_window *w, uint32_t psn)
{
	uint32_t i = find_read(w, psn);
	struct reorder_read read;

	assert(i < w->read_count);
	read = w->reads[i];
	w->reads[i] = w->reads[--w->read_count];
	return read;
}

void
reorder_expect(struct reorder_window *w, uint32_t expected_psn)
{
	if (roce_psn_compare(w->told_psn, expected_psn) < 0)
		w->told_psn = expected_psn;
	if (roce_psn_compare(w->lost_psn, expected_psn) < 0)
		w->lost_psn = expected_psn;
	if (roce_psn_compare(w->edge_psn, expected_psn) < 0)
		w->edge_psn = expected_psn;
}

bool
reorder_note_early(struct reorder_window *w, uint32_t psn)
{
	bool shows_gap = roce_psn_compare(psn, w->edge_psn) > 0;

	if (roce_psn_compare(psn, w->edge_psn) >= 0)
		w->edge_psn = roce_psn_add(psn, 1);
	return shows_gap;
}

void
reorder_lost_before(struct reorder_window *w, uint32_t psn)
{
	if (roce_psn_compare(w->lost_psn, psn) < 0)
		w->lost_psn = psn;
}

/* Packets from psn on that need not come: 0 for a hole, those of a READ that was kept. */
static uint32_t
covered(const struct reorder_window *w, uint32_t psn)
{
	uint32_t i;

	if (w->slots[psn & w->mask] == 0)
		return 0;
	i = find_read(w, psn);
	return i < w->read_count ? w->reads[i].packets : 1;
}

uint32_t
reorder_run(const struct reorder_window *w, uint32_t psn, uint32_t most)
{
	uint32_t n = 1;

	while (n < most && n < w->size && w->slots[(psn + n) & w->mask] == 0)
		n++;
	return n;
}

uint32_t
reorder_next_hole(struct reorder_window *w, uint32_t expected_psn, uint32_t most, uint32_t *psn)
{
	uint32_t end_psn = roce_psn_add(expected_psn, w->size);
	uint32_t n;

	reorder_expect(w, expected_psn);
	if (roce_psn_compare(w->lost_psn, end_psn) < 0)
		end_psn = w->lost_psn;
	while (roce_psn_compare(w->told_psn, end_psn) < 0) {
		n = covered(w, w->told_psn);
		if (n == 0) {
			n = reorder_run(
				w, w->told_psn,
				RTE_MIN(most, (uint32_t)roce_psn_distance(w->told_psn, end_psn)));
			*psn = w->told_psn;
			w->told_psn = roce_psn_add(w->told_psn, n);
			return n;
		}
		w->told_psn = roce_psn_add(w->told_psn, n);
	}
	return 0;
}

void
reorder_late(struct host *host, struct reorder_watch *watch, uint64_t uid, uint32_t psn)
{
	int32_t behind = roce_psn_distance(psn, watch->psn);

	/* A copy made under way has the number of who made it, which says nothing of order. */
	if (uid >> UID_NODE_SHIFT != watch->uid >> UID_NODE_SHIFT) {
		watch->uid = uid;
		watch->psn = psn;
		return;
	}
	/* What overtook it may have been sent again, with a lower PSN. */
	behind = RTE_MAX(behind, 1);
	watch->late++;
	if ((uint32_t)behind > watch->distance_max)
		watch->distance_max = (uint32_t)behind;
	host->results.reordered_packets++;
	if (host->reorder_distance.counters == NULL && histogram_init(&host->reorder_distance) != 0)
		return;
	histogram_record(&host->reorder_distance, (uint64_t)behind);
}
