/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: one entry for each link that an item of the list selects. */
#include <errno.h>
#include <string.h>

#include "config_internal.h"

#define NO_LINK UINT32_MAX
/* More would make times of a run overflow sooner or later. */
#define MAX_DELAY_PS (10 * UNITS_PS_PER_S)

static bool
same_end(const struct scenario_end *a, const struct scenario_end *b)
{
	return a->is_switch == b->is_switch && a->index == b->index && a->port == b->port;
}

static uint32_t
link_at(const struct scenario *s, const struct scenario_end *end)
{
	for (uint32_t i = 0; i < s->link_count; i++) {
		if (same_end(&s->links[i].a, end) || same_end(&s->links[i].b, end))
			return i;
	}
	return NO_LINK;
}

static int
check_item(struct config *c, const struct raw_failure *r)
{
	struct config_mark mark = config_item_mark(&r->item, "until");

	if (r->until_ps != 0 && r->until_ps <= r->at_ps)
		return config_fail(&c->error, &mark, "until: is not after at");
	mark = config_item_mark(&r->item, "delay");
	if (r->delay_ps > MAX_DELAY_PS)
		return config_fail(&c->error, &mark, "delay: is more than 10s");
	if (r->down != 1 && r->rate_bps == 0 && r->delay_ps == 0 && r->loss_q32 == 0)
		return config_fail(
			&c->error, &r->item.mark,
			"failure: says nothing of what happens; give down: yes, or rate, "
			"delay or loss");
	if (r->down == 1 && r->rate_bps + r->delay_ps + r->loss_q32 != 0)
		return config_fail(&c->error, &r->item.mark,
				   "failure: a link that is down has no rate, delay or loss");
	return 0;
}

/* The links that an item selects, each once; ports without one do not count. */
static int
select_links(struct config *c, const struct raw_failure *r, uint32_t **links, uint32_t *count)
{
	const struct scenario *s = c->scenario;
	struct config_mark mark = config_item_mark(&r->item, "link");
	struct scenario_end *ends;
	uint32_t end_count;
	bool *taken;
	int rc = config_select(c, &r->link, false, &ends, &end_count);

	if (rc != 0)
		return rc;
	taken = CONFIG_NEW(c, bool, s->link_count);
	*links = CONFIG_NEW(c, uint32_t, end_count);
	*count = 0;
	for (uint32_t i = 0; i < end_count; i++) {
		uint32_t link = link_at(s, &ends[i]);

		if (link == NO_LINK || taken[link])
			continue;
		taken[link] = true;
		(*links)[(*count)++] = link;
	}
	if (*count == 0)
		return config_fail(&c->error, &mark, "link: nothing is linked to %s",
				   r->link.items[0].text);
	return 0;
}

static int
check_rate(struct config *c, const struct raw_failure *r, uint32_t link)
{
	struct config_mark mark = config_item_mark(&r->item, "rate");
	uint64_t rate_bps = config_end_rate(c->scenario, &c->scenario->links[link].a);
	char text[32];

	if (r->rate_bps <= rate_bps)
		return 0;
	config_unit_format(CONFIG_UNIT_RATE, rate_bps, text, sizeof(text));
	return config_fail(&c->error, &mark, "rate: is more than the link's own %s", text);
}

/* What is down or slow can be so by one failure at a time; loss and delay add up. */
static int
check_overlap(struct config *c, const struct raw_failure *r, const struct scenario_failure *f)
{
	const struct scenario *s = c->scenario;
	char name[64];

	for (uint32_t i = 0; scenario_failure_is_of_rate(f) && i < s->failure_count; i++) {
		const struct scenario_failure *o = &s->failures[i];

		if (o->link != f->link || !scenario_failure_is_of_rate(o) ||
		    o->at_ps >= f->until_ps || f->at_ps >= o->until_ps)
			continue;
		return config_fail(
			&c->error, &r->item.mark,
			"failure: another one of the link at %s overlaps with it; let one end "
			"(until) before the other begins",
			config_end_name(c, &s->links[f->link].a, name, sizeof(name)));
	}
	return 0;
}

/* Loss and delay are what impairments do: of both ends, to what they receive. */
static void
impair(struct config *c, const struct raw_failure *r, const struct scenario_failure *f)
{
	struct scenario *s = c->scenario;
	const struct scenario_end ends[2] = {s->links[f->link].a, s->links[f->link].b};

	if (r->loss_q32 == 0 && r->delay_ps == 0)
		return;
	for (int i = 0; i < 2; i++)
		s->impairments[s->impairment_count++] = (struct scenario_impairment){
			.end = ends[i],
			.cfg = {.rx = true,
				.from_ps = f->at_ps,
				.until_ps = f->until_ps,
				.loss_q32 = r->loss_q32,
				.delay_ps = r->delay_ps},
		};
}

/* A bridge sends to where its entries point, with or without a link; said of the first alone. */
static void
warn_of_bridge(struct config *c, const struct raw_failure *r, const struct scenario_failure *f)
{
	struct config_mark mark = config_item_mark(&r->item, "link");
	const struct scenario *s = c->scenario;
	const struct scenario_end ends[2] = {s->links[f->link].a, s->links[f->link].b};
	char name[64];

	/* Nothing goes another way to a host. */
	if (!f->down || !ends[0].is_switch || !ends[1].is_switch)
		return;
	for (int i = 0; i < 2; i++) {
		const struct scenario_switch *sw = &s->switches[ends[i].index];

		if (sw->cfg.forwarding.layer3 || sw->learn || c->bridge_fails)
			continue;
		c->bridge_fails = true;
		config_warn(c, &mark,
			    "link: %s forwards at layer 2, by entries that stay as they are: what "
			    "they send there while it is down is lost (`mode: l3` goes other ways)",
			    config_end_name(c, &ends[i], name, sizeof(name)));
	}
}

static int
resolve_item(struct config *c, const struct raw_failure *r, const uint32_t *links, uint32_t count)
{
	struct scenario *s = c->scenario;
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < count; n++) {
		struct scenario_failure f = {
			.link = links[n],
			.down = r->down == 1,
			.rate_bps = r->rate_bps,
			.delay_ps = r->delay_ps,
			.loss_q32 = r->loss_q32,
			.at_ps = r->at_ps,
			.until_ps = r->until_ps == 0 ? UNITS_NEVER_PS : r->until_ps,
		};

		rc = check_rate(c, r, f.link);
		if (rc == 0)
			rc = check_overlap(c, r, &f);
		s->failures[s->failure_count++] = f;
		impair(c, r, &f);
		warn_of_bridge(c, r, &f);
	}
	return rc;
}

/* Nobody is then left to fail over. */
static void
warn_of_order(struct config *c)
{
	const struct scenario_routing *routing = &c->scenario->routing;
	struct config_mark mark = config_item_mark(&c->raw.routing.item, "reroute_delay");
	char reroute[32], failover[32];

	if (c->raw.failures.count == 0 || routing->reroute_ps >= routing->failover_ps)
		return;
	config_unit_format(CONFIG_UNIT_TIME, routing->reroute_ps, reroute, sizeof(reroute));
	config_unit_format(CONFIG_UNIT_TIME, routing->failover_ps, failover, sizeof(failover));
	config_warn(c, &mark,
		    "reroute_delay: %s is sooner than failover_delay, %s, which then has no "
		    "effect: all routers have new routes before",
		    reroute, failover);
}

int
config_resolve_failures(struct config *c)
{
	const struct raw_array *list = &c->raw.failures;
	struct scenario *s = c->scenario;
	uint32_t **links = CONFIG_NEW(c, uint32_t *, list->count);
	uint32_t *counts = CONFIG_NEW(c, uint32_t, list->count);
	const struct scenario_impairment *before = s->impairments;
	uint64_t total = 0;
	int rc = 0;

	s->routing =
		(struct scenario_routing){c->raw.routing.failover_ps, c->raw.routing.reroute_ps};
	warn_of_order(c);
	for (uint32_t i = 0; rc == 0 && i < list->count; i++) {
		const struct raw_failure *r = RAW_AT(*list, struct raw_failure, i);

		rc = check_item(c, r);
		if (rc == 0)
			rc = select_links(c, r, &links[i], &counts[i]);
		total += counts[i];
	}
	if (rc != 0 || total == 0)
		return rc;
	s->failures = CONFIG_NEW(c, struct scenario_failure, total);
	s->impairments = CONFIG_NEW(c, struct scenario_impairment, s->impairment_count + 2 * total);
	memcpy(s->impairments, before, s->impairment_count * sizeof(*before));
	for (uint32_t i = 0; rc == 0 && i < list->count; i++)
		rc = resolve_item(c, RAW_AT(*list, struct raw_failure, i), links[i], counts[i]);
	return rc;
}
