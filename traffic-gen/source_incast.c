/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <stdlib.h>

#define INCAST_STREAM 0x696e63617374ULL

struct incast {
	struct source source;
	struct source_common common;
	uint64_t bytes;
	uint64_t round_ps; /* start of the round that is due, without jitter */
	uint64_t period_ps;
	uint64_t jitter_ps;
	uint64_t due_ps;
	struct prng prng;
	uint32_t peer;
	uint32_t rounds; /* 0 = no end */
	uint32_t taken;
	uint32_t under_way;
};

/* Without a period a completion makes room for the next. */
static bool
has_room(const struct incast *s)
{
	return s->under_way < (s->common.outstanding > 1 ? s->common.outstanding : 1);
}

static void
schedule_round(struct incast *s, uint64_t round_ps)
{
	s->round_ps = round_ps;
	s->due_ps = round_ps;
	if (s->jitter_ps != 0)
		s->due_ps += prng_below(&s->prng, s->jitter_ps);
}

static bool
has_more(const struct incast *s)
{
	return s->rounds == 0 || s->taken < s->rounds;
}

static uint64_t
incast_due_ps(const struct source *source)
{
	return ((const struct incast *)source)->due_ps;
}

static void
incast_take(struct source *source, uint64_t now_ps, struct message *out)
{
	struct incast *s = (struct incast *)source;

	*out = (struct message){
		.peer = s->peer,
		.bytes = s->bytes,
		.verb = s->common.verb,
		.dscp = s->common.dscp,
		.qp = source_qp(&s->common, s->taken),
		.workload = s->common.workload,
	};
	s->taken++;
	s->under_way++;
	out->last_of_source = !has_more(s);
	if (s->period_ps != 0 && has_more(s))
		schedule_round(s, s->round_ps + s->period_ps);
	else if (s->period_ps != 0 || !has_more(s) || !has_room(s))
		s->due_ps = UNITS_NEVER_PS;
}

static void
incast_completed(struct source *source, uint64_t now_ps)
{
	struct incast *s = (struct incast *)source;

	s->under_way--;
	if (s->period_ps == 0 && has_more(s) && s->due_ps == UNITS_NEVER_PS)
		schedule_round(s, now_ps);
}

static void
incast_destroy(struct source *source)
{
	free(source);
}

static const struct source_ops incast_ops = {
	.name = "incast",
	.due_ps = incast_due_ps,
	.take = incast_take,
	.completed = incast_completed,
	.destroy = incast_destroy,
};

struct source *
source_incast_create(const struct source_common *common, uint32_t peer, uint64_t bytes,
		     uint32_t rounds, uint64_t at_ps, uint64_t period_ps, uint64_t jitter_ps,
		     uint64_t seed)
{
	struct incast *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = (struct incast){
		.source.ops = &incast_ops,
		.common = *common,
		.bytes = bytes,
		.period_ps = period_ps,
		.jitter_ps = jitter_ps,
		.prng = prng_init(seed, INCAST_STREAM),
		.peer = peer,
		.rounds = rounds,
	};
	schedule_round(s, at_ps);
	return &s->source;
}
