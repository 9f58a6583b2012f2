/* SPDX-License-Identifier: BSD-3-Clause */
/* Links: what a selection picks on one side with what another one picks on the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

/* Light in glass: 5.05 ns a metre. */
#define PS_PER_MM 505
#define PS_PER_MM_DIVISOR 100

static int
link_delay(struct config *c, struct raw_link *l, uint64_t *delay_ps)
{
	struct config_mark mark = config_item_mark(&l->item, "length");
	bool has_delay = l->delay_ps != CONFIG_AUTO;

	if (has_delay && l->length_mm != CONFIG_AUTO)
		return config_fail(
			&c->error, &mark, "length: delay is given too; give one of them%s",
			mark.line == 0 ? " (--set links[N].delay=null takes it out)" : "");
	if (!has_delay && l->length_mm == CONFIG_AUTO)
		return config_fail(&c->error, &l->item.mark,
				   "link: needs delay or length, such as delay: 1us");
	if (!has_delay) {
		l->delay_ps =
			(l->length_mm * PS_PER_MM + PS_PER_MM_DIVISOR / 2) / PS_PER_MM_DIVISOR;
		l->length_mm = CONFIG_AUTO;
	}
	mark = config_item_mark(&l->item, has_delay ? "delay" : "length");
	if (l->delay_ps == 0)
		return config_fail(&c->error, &mark,
				   "%s: a link takes time; 5ns is about a metre of cable",
				   has_delay ? "delay" : "length");
	*delay_ps = l->delay_ps;
	return 0;
}

static int
resolve_link(struct config *c, struct raw_link *l)
{
	struct scenario *s = c->scenario;
	struct scenario_end *from, *to;
	uint32_t from_count, to_count;
	uint64_t delay_ps = 0;
	int rc = link_delay(c, l, &delay_ps);

	if (rc == 0)
		rc = config_select(c, &l->from, false, &from, &from_count);
	if (rc == 0)
		rc = config_select(c, &l->to, false, &to, &to_count);
	if (rc != 0)
		return rc;
	if (from_count != to_count)
		return config_fail(&c->error, &l->item.mark,
				   "link: from selects %u and to %u; they pair up one to one",
				   from_count, to_count);
	for (uint32_t i = 0; i < from_count; i++) {
		c->link_marks[s->link_count] = l->item.mark;
		s->links[s->link_count++] = (struct scenario_link){
			.a = from[i],
			.b = to[i],
			.delay_ps = delay_ps,
			.over_ring = l->over == 1,
		};
	}
	return 0;
}

int
config_resolve_links(struct config *c)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < c->raw.links.count; i++) {
		struct raw_link *l = RAW_AT(c->raw.links, struct raw_link, i);
		struct scenario_end *from;
		uint32_t count;
		int rc = config_select(c, &l->from, false, &from, &count);

		if (rc != 0)
			return rc;
		total += count;
		if (total > CONFIG_MAX_ENDS)
			return config_fail(&c->error, &l->item.mark, "link: more than %u links",
					   CONFIG_MAX_ENDS);
	}
	c->scenario->links = CONFIG_NEW(c, struct scenario_link, total);
	c->link_marks = CONFIG_NEW(c, struct config_mark, total);
	for (uint32_t i = 0; i < c->raw.links.count; i++) {
		int rc = resolve_link(c, RAW_AT(c->raw.links, struct raw_link, i));

		if (rc != 0)
			return rc;
	}
	return 0;
}
