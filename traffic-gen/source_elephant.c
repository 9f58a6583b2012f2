/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

/* A sender of an incast whose rounds follow one another at once is just this. */
struct source *
source_elephant_create(const struct source_common *common, uint32_t peer, uint64_t bytes,
		       uint32_t count, uint64_t at_ps)
{
	return source_incast_create(common, peer, bytes, count, at_ps, 0, 0, 0);
}
