/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_sources.h"

#include <errno.h>
#include <stdlib.h>

#include "host_state.h"
#include "requester.h"

void
host_sources_fini(struct host_sources *sources)
{
	for (uint32_t i = 0; i < sources->count; i++) {
		struct source *source = sources->all[i].source;

		if (source->ops->destroy != NULL)
			source->ops->destroy(source);
	}
	free(sources->all);
	heap_fini(&sources->due);
	*sources = (struct host_sources){0};
}

/* See that the heap has a live entry for when the source is due next. */
static void
schedule(struct host_sources *sources, uint32_t index)
{
	struct host_source *s = &sources->all[index];
	uint64_t due_ps = s->source->ops->due_ps(s->source);

	if (due_ps >= s->scheduled_ps)
		return;
	if (s->scheduled_ps == UNITS_NEVER_PS)
		sources->scheduled++;
	s->scheduled_ps = due_ps;
	/* A source that moves its time forward over and over outgrows the room made for it. */
	if (heap_reserve(&sources->due, sources->due.count + 1) != 0)
		abort();
	heap_push(&sources->due, due_ps, (void *)(uintptr_t)index);
}

int
host_add_source(struct host *host, struct source *source)
{
	struct host_sources *sources = &host->sources;

	if (sources->count == sources->size) {
		uint32_t size = sources->size == 0 ? 4 : 2 * sources->size;
		struct host_source *all = realloc(sources->all, size * sizeof(*all));

		if (all == NULL)
			return -ENOMEM;
		sources->all = all;
		sources->size = size;
	}
	if (heap_reserve(&sources->due, sources->count + 1) != 0)
		return -ENOMEM;
	sources->all[sources->count] =
		(struct host_source){.source = source, .scheduled_ps = UNITS_NEVER_PS};
	schedule(sources, sources->count++);
	host_schedule(host);
	return 0;
}

static void
take_due(struct host *host, uint32_t index, uint64_t now_ps)
{
	struct source *source = host->sources.all[index].source;
	struct message message;

	while (source->ops->due_ps(source) <= now_ps) {
		source->ops->take(source, now_ps, &message);
		if (message.verb == VERB_UDP)
			datagram_post(host, &message, now_ps);
		else
			requester_post(host, &message, index, now_ps);
	}
}

void
host_sources_run(struct host *host, uint64_t now_ps)
{
	struct host_sources *sources = &host->sources;

	while (heap_due_ps(&sources->due) <= now_ps) {
		struct heap_entry entry = heap_pop(&sources->due);
		uint32_t index = (uint32_t)(uintptr_t)entry.item;

		if (entry.due_ps != sources->all[index].scheduled_ps)
			continue;
		sources->all[index].scheduled_ps = UNITS_NEVER_PS;
		sources->scheduled--;
		take_due(host, index, now_ps);
		schedule(sources, index);
	}
}

void
host_sources_completed(struct host *host, uint32_t index, uint64_t now_ps)
{
	struct source *source = host->sources.all[index].source;

	if (source->ops->completed == NULL)
		return;
	source->ops->completed(source, now_ps);
	schedule(&host->sources, index);
	host_schedule(host);
}
