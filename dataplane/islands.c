/* SPDX-License-Identifier: BSD-3-Clause */
#include "islands.h"

#include <errno.h>
#include <stdlib.h>

#include "parts.h"

struct island {
	uint32_t name;
	uint32_t devices; /* ports that lead out of memory */
};

/* Most devices first; of equals the one that the configuration has first. */
static int
compare(const void *a, const void *b)
{
	const struct island *x = a, *y = b;

	if (x->devices != y->devices)
		return x->devices < y->devices ? 1 : -1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Join what memory joins; islands[] by slot, of which only those named by themselves are any. */
static void
join(struct node *const *nodes, uint32_t count, uint32_t *parts, struct island *islands)
{
	parts_init(parts, count);
	for (uint32_t i = 0; i < count; i++) {
		for (uint16_t port = 0; port < nodes[i]->port_count; port++) {
			const struct link *tx = nodes[i]->ports[port].tx;

			if (tx != NULL && tx->to_node != NULL)
				parts_join(parts, i, tx->to_node->slot);
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		islands[i].name = i;
		for (uint16_t port = 0; port < nodes[i]->port_count; port++) {
			const struct link *tx = nodes[i]->ports[port].tx;

			islands[parts_find(parts, i)].devices += tx != NULL && tx->to_node == NULL;
		}
	}
}

/* Deal the islands out; to how many lcores. */
static int
deal(struct island *islands, uint32_t count, uint32_t *parts, uint32_t *work, uint16_t lcores,
     uint16_t *lcore_of)
{
	uint32_t island_count = 0;
	int used = 0;

	for (uint32_t i = 0; i < count; i++)
		if (parts_find(parts, i) == i)
			islands[island_count++] = islands[i];
	qsort(islands, island_count, sizeof(*islands), compare);
	for (uint32_t i = 0; i < island_count; i++) {
		uint16_t least = 0;

		for (uint16_t l = 1; l < lcores; l++)
			if (work[l] < work[least])
				least = l;
		/* An island without devices is some work too. */
		work[least] += islands[i].devices + 1;
		lcore_of[islands[i].name] = least;
		if (least >= used)
			used = least + 1;
	}
	for (uint32_t i = 0; i < count; i++)
		lcore_of[i] = lcore_of[parts_find(parts, i)];
	return used;
}

int
islands_make(struct node *const *nodes, uint32_t count, uint16_t lcores, uint16_t *lcore_of)
{
	uint32_t *parts = calloc(count + 1, sizeof(*parts));
	uint32_t *work = calloc(lcores, sizeof(*work));
	struct island *islands = calloc(count + 1, sizeof(*islands));
	int used = -ENOMEM;

	if (parts != NULL && work != NULL && islands != NULL) {
		join(nodes, count, parts, islands);
		used = deal(islands, count, parts, work, lcores, lcore_of);
	}
	free(parts);
	free(work);
	free(islands);
	return used < 0 ? used : RTE_MAX(used, 1);
}
