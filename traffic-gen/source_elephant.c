/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <stdlib.h>

struct elephant {
	struct source source;
	struct source_common common;
	uint64_t bytes;
	uint64_t due_ps;
	uint32_t peer;
	uint32_t count; /* 0 = no end */
	uint32_t taken;
};

static uint64_t
elephant_due_ps(const struct source *source)
{
	return ((const struct elephant *)source)->due_ps;
}

static void
elephant_take(struct source *source, uint64_t now_ps, struct message *out)
{
	struct elephant *s = (struct elephant *)source;

	*out = (struct message){
		.peer = s->peer,
		.bytes = s->bytes,
		.verb = s->common.verb,
		.dscp = s->common.dscp,
		.qp = source_qp(&s->common, s->taken),
		.workload = s->common.workload,
	};
	s->taken++;
	out->last_of_source = s->taken == s->count;
	s->due_ps = UNITS_NEVER_PS;
}

static void
elephant_completed(struct source *source, uint64_t now_ps)
{
	struct elephant *s = (struct elephant *)source;

	if (s->count == 0 || s->taken < s->count)
		s->due_ps = now_ps;
}

static void
elephant_destroy(struct source *source)
{
	free(source);
}

static const struct source_ops elephant_ops = {
	.name = "elephant",
	.due_ps = elephant_due_ps,
	.take = elephant_take,
	.completed = elephant_completed,
	.destroy = elephant_destroy,
};

struct source *
source_elephant_create(const struct source_common *common, uint32_t peer, uint64_t bytes,
		       uint32_t count, uint64_t at_ps)
{
	struct elephant *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = (struct elephant){
		.source.ops = &elephant_ops,
		.common = *common,
		.bytes = bytes,
		.due_ps = at_ps,
		.peer = peer,
		.count = count,
	};
	return &s->source;
}
