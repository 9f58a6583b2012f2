/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is found alike of switches (or hosts) of one group is said once: members of a group have
 * one configuration, and a hundred lines about it hide the next.
 */
#include <stdlib.h>
#include <string.h>

#include "lint_internal.h"

/* A finding and whose it is. */
struct key {
	struct lint_finding *finding;
	const struct raw_item *group;
	uint32_t member; /* of the group */
};

/* Which element of an array has this name in it? UINT32_MAX: none. */
static uint32_t
element_of(const void *array, size_t bytes, uint32_t count, const char *name)
{
	uintptr_t from = (uintptr_t)array, at = (uintptr_t)name;

	return at < from || at >= from + bytes * count ? UINT32_MAX
						       : (uint32_t)((at - from) / bytes);
}

static const struct raw_item *
group_of(const struct lint *lint, const char *name, uint32_t *member)
{
	const struct scenario *s = lint->scenario;
	uint32_t index = element_of(s->switches, sizeof(s->switches[0]), s->switch_count, name);

	if (index != UINT32_MAX) {
		const struct raw_switch *raw = lint_raw(lint, index);

		*member = index - raw->first;
		return &raw->item;
	}
	index = element_of(s->hosts, sizeof(s->hosts[0]), s->host_count, name);
	if (index != UINT32_MAX) {
		const struct raw_host *raw = lint_raw_host(lint, index);

		*member = index - raw->first;
		return &raw->item;
	}
	*member = 0;
	return NULL;
}

/* What must be the same for two findings to be one; 0 when all of it is. */
static int
compare_found(const struct key *a, const struct key *b)
{
	const struct lint_finding *x = a->finding, *y = b->finding;
	int rc;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->place.index != y->place.index)
		return x->place.index < y->place.index ? -1 : 1;
	if (x->also != y->also)
		return x->also < y->also ? -1 : 1;
	rc = strcmp(x->place.item == NULL ? "" : x->place.item,
		    y->place.item == NULL ? "" : y->place.item);
	if (rc == 0)
		rc = strcmp(x->found, y->found);
	if (rc == 0)
		rc = strcmp(x->right, y->right);
	return rc != 0 ? rc : memcmp(x->ports.bits, y->ports.bits, sizeof(x->ports.bits));
}

static int
compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int rc = compare_found(x, y);

	if (rc != 0)
		return rc;
	return x->finding < y->finding ? -1 : x->finding > y->finding;
}

/* The first of `count` equal ones stands for all of them; the others have no text any more. */
static int
merge(struct key *keys, size_t count)
{
	struct lint_finding *first = keys[0].finding;

	if (count == 1 || keys[0].group == NULL)
		return 0;
	first->nodes = malloc(count * sizeof(*first->nodes));
	first->members = malloc(count * sizeof(*first->members));
	if (first->nodes == NULL || first->members == NULL)
		return -1;
	first->group = keys[0].group->name;
	first->node_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct lint_finding *f = keys[i].finding;

		first->nodes[i] = f->place.node;
		first->members[i] = keys[i].member;
		if (i > 0)
			lint_finding_fini(f);
	}
	return 0;
}

/* Findings without text are gone. */
static void
drop_empty(struct lint *lint, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < lint->count; i++) {
		if (lint->findings[i].found != NULL)
			lint->findings[kept++] = lint->findings[i];
	}
	lint->count = kept;
}

static bool
same_but_index(const struct lint_finding *x, const struct lint_finding *y)
{
	return x->found != NULL && y->found != NULL && x->rule == y->rule &&
	       x->place.item != NULL && y->place.item != NULL && x->place.index >= 0 &&
	       y->place.index > x->place.index && y->place.index < 64 &&
	       strcmp(x->place.item, y->place.item) == 0 && strcmp(x->found, y->found) == 0 &&
	       strcmp(x->right, y->right) == 0 &&
	       memcmp(x->ports.bits, y->ports.bits, sizeof(x->ports.bits)) == 0;
}

void
lint_merge_indices(struct lint *lint)
{
	for (size_t i = lint->node_from; i < lint->count; i++) {
		for (size_t k = i + 1; k < lint->count; k++) {
			struct lint_finding *first = &lint->findings[i], *f = &lint->findings[k];

			if (!same_but_index(first, f))
				continue;
			first->also |= 1ULL << f->place.index;
			lint_finding_fini(f);
		}
	}
	drop_empty(lint, lint->node_from);
}

void
lint_merge_groups(struct lint *lint)
{
	struct key *keys = malloc((lint->count + 1) * sizeof(*keys));

	if (keys == NULL) {
		lint->short_of_memory = true;
		return;
	}
	for (size_t i = 0; i < lint->count; i++) {
		keys[i].finding = &lint->findings[i];
		keys[i].group = group_of(lint, lint->findings[i].place.node, &keys[i].member);
	}
	qsort(keys, lint->count, sizeof(*keys), compare);
	for (size_t from = 0, to; from < lint->count; from = to) {
		for (to = from + 1; to < lint->count && compare_found(&keys[from], &keys[to]) == 0;
		     to++)
			;
		if (merge(&keys[from], to - from) != 0)
			lint->short_of_memory = true;
	}
	free(keys);
	drop_empty(lint, 0);
}
