/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops of layer 2 switches. Bridges flood what they do not know, and nothing takes hops from a
 * frame in layer 2: there is no spanning tree protocol here that would block a port.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

#define NONE UINT32_MAX
#define NAMED 4 /* switches and places that a message names */

/* A spanning forest of the switches in layer 2: what it leaves out closes loops. */
struct forest {
	const struct scenario *s;
	uint32_t *head;   /* first edge of a switch */
	uint32_t *next;   /* edge 2 x link + side: its end `side` is at the switch */
	uint32_t *parent; /* edge from a switch to its parent; NONE at a root */
	uint32_t *depth;  /* NONE: not reached yet */
	uint32_t *queue;
};

static const struct scenario_end *
end_of(const struct forest *f, uint32_t edge, uint32_t side)
{
	const struct scenario_link *l = &f->s->links[edge / 2];

	return (edge + side) % 2 == 0 ? &l->a : &l->b;
}

static bool
floods(const struct scenario *s, const struct scenario_end *end)
{
	return end->is_switch && !s->switches[end->index].cfg.forwarding.layer3;
}

static bool
is_bridged(const struct forest *f, uint32_t link)
{
	return floods(f->s, &f->s->links[link].a) && floods(f->s, &f->s->links[link].b);
}

static void
grow_from(struct forest *f, uint32_t root)
{
	uint32_t first = 0, last = 0;

	f->depth[root] = 0;
	f->queue[last++] = root;
	while (first < last) {
		uint32_t sw = f->queue[first++];

		for (uint32_t e = f->head[sw]; e != NONE; e = f->next[e]) {
			uint32_t other = end_of(f, e, 1)->index;

			if (f->depth[other] != NONE)
				continue;
			f->depth[other] = f->depth[sw] + 1;
			f->parent[other] = e ^ 1; /* the same link from its side */
			f->queue[last++] = other;
		}
	}
}

static void
grow(struct config *c, struct forest *f)
{
	const struct scenario *s = f->s;
	size_t bytes = s->switch_count * sizeof(uint32_t);

	f->head = CONFIG_NEW(c, uint32_t, s->switch_count);
	f->parent = CONFIG_NEW(c, uint32_t, s->switch_count);
	f->depth = CONFIG_NEW(c, uint32_t, s->switch_count);
	f->queue = CONFIG_NEW(c, uint32_t, s->switch_count);
	f->next = CONFIG_NEW(c, uint32_t, 2 * s->link_count);
	memset(f->head, 0xff, bytes);
	memset(f->parent, 0xff, bytes);
	memset(f->depth, 0xff, bytes);
	/* backwards, so that each list is in the order of the file */
	for (uint32_t e = 2 * s->link_count; e-- > 0;) {
		uint32_t sw = end_of(f, e, 0)->index;

		if (!is_bridged(f, e / 2))
			continue;
		f->next[e] = f->head[sw];
		f->head[sw] = e;
	}
	for (uint32_t i = 0; i < s->switch_count; i++)
		if (f->depth[i] == NONE)
			grow_from(f, i);
}

struct loop {
	const char *learning; /* a switch that learns, or NULL */
	char switches[160];
	char places[400];
	uint32_t switch_count;
	uint32_t place_count;
};

static void
add_switch(const struct forest *f, uint32_t sw, struct loop *loop)
{
	const char *name = f->s->switches[sw].cfg.name;
	size_t used = strlen(loop->switches);

	if (f->s->switches[sw].learn && loop->learning == NULL)
		loop->learning = name;
	if (loop->switch_count++ < NAMED)
		snprintf(loop->switches + used, sizeof(loop->switches) - used, "%s%s",
			 used == 0 ? "" : ", ", name);
	else if (loop->switch_count == NAMED + 1)
		strcat(loop->switches, ", ...");
}

static void
add_place(const struct config_mark *mark, const struct config_mark *closing, struct loop *loop)
{
	char place[96];
	size_t used = strlen(loop->places);

	if (mark->file == closing->file && mark->line == closing->line &&
	    mark->column == closing->column)
		return;
	config_mark_print(mark, place, sizeof(place));
	if (strstr(loop->places, place) != NULL || loop->place_count++ >= NAMED)
		return;
	snprintf(loop->places + used, sizeof(loop->places) - used, "%s%s",
		 used == 0 ? " with that at " : ", ", place);
}

/* Climb from both ends of the closing link until they meet. */
static void
walk(const struct config *c, const struct forest *f, uint32_t closing, struct loop *loop)
{
	uint32_t a = f->s->links[closing].a.index, b = f->s->links[closing].b.index;

	*loop = (struct loop){.learning = NULL};
	while (a != b) {
		uint32_t *deeper = f->depth[a] >= f->depth[b] ? &a : &b;
		uint32_t up = f->parent[*deeper];

		add_switch(f, *deeper, loop);
		add_place(&c->link_marks[up / 2], &c->link_marks[closing], loop);
		*deeper = end_of(f, up, 1)->index;
	}
	add_switch(f, a, loop);
}

static bool
is_in_forest(const struct forest *f, uint32_t link)
{
	return f->parent[f->s->links[link].a.index] / 2 == link ||
	       f->parent[f->s->links[link].b.index] / 2 == link;
}

int
config_check_loops(struct config *c)
{
	struct forest f = {.s = c->scenario};
	bool warned = false;
	struct loop loop;

	grow(c, &f);
	for (uint32_t i = 0; i < c->scenario->link_count; i++) {
		if (!is_bridged(&f, i) || is_in_forest(&f, i))
			continue;
		walk(c, &f, i, &loop);
		if (loop.learning != NULL)
			return config_fail(&c->error, &c->link_marks[i],
					   "link: closes a loop of layer 2 switches (%s)%s: %s "
					   "learns, so a flooded frame would circle for ever; set "
					   "forwarding: {mode: l3}, or take out a link",
					   loop.switches, loop.places, loop.learning);
		if (warned)
			continue;
		warned = true;
		config_warn(
			c, &c->link_marks[i],
			"link: closes a loop of layer 2 switches (%s)%s: only one path is used, "
			"and a broadcast or unknown address, as in a replay, would circle for "
			"ever; forwarding: {mode: l3} uses all paths",
			loop.switches, loop.places);
	}
	return 0;
}
