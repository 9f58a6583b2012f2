/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of one host and when each next has a message.
 *
 * Invariant: scheduled_ps of a source is the time of its live entry in the heap (never: none);
 * older entries are stale and ignored when they come up.
 */
#ifndef RAILYARD_HOST_SOURCES_H
#define RAILYARD_HOST_SOURCES_H

#include <stdint.h>

#include "heap.h"
#include "source.h"

struct host;

struct host_source {
	struct source *source;
	uint64_t scheduled_ps;
};

struct host_sources {
	struct host_source *all;
	uint32_t count;
	uint32_t size;
	uint32_t scheduled; /* sources with a live entry */
	struct heap due;    /* item: index in all */
};

void host_sources_fini(struct host_sources *sources);

/* Take every message that is due and post it. */
void host_sources_run(struct host *host, uint64_t now_ps);

/* A message of source `index` completed. */
void host_sources_completed(struct host *host, uint32_t index, uint64_t now_ps);

#endif
