/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that begins with a cache line. A packet-hop costs some hundred instructions and as many
 * nanoseconds for each line that is not at hand, so what is used together is kept in one line,
 * and who lays out a structure like that wants it to begin where a line does.
 */
#ifndef RAILYARD_LINES_H
#define RAILYARD_LINES_H

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#define LINE_BYTES RTE_CACHE_LINE_MIN_SIZE

/* `count` zeroed objects of `each` bytes, for free(); NULL when memory is short. */
static inline void *
lines_alloc(size_t count, size_t each)
{
	size_t bytes = RTE_ALIGN_CEIL(count * each + 1, (size_t)LINE_BYTES);
	void *lines = aligned_alloc(LINE_BYTES, bytes);

	if (lines != NULL)
		memset(lines, 0, bytes);
	return lines;
}

#endif
