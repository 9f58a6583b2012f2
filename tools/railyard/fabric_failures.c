/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric_failures.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric.h"

static int
compare(const void *a, const void *b)
{
	const struct failure_event *x = a, *y = b;

	if (x->at_ps != y->at_ps)
		return x->at_ps < y->at_ps ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->failure > y->failure) - (x->failure < y->failure);
}

static void
add_event(struct fabric_failures *q, uint64_t from_ps, uint64_t delay_ps, enum failure_step step,
	  uint32_t failure)
{
	if (from_ps < UNITS_NEVER_PS - delay_ps)
		q->events[q->event_count++] = (struct failure_event){
			.at_ps = from_ps + delay_ps, .step = step, .failure = failure};
}

int
fabric_failures_init(struct fabric *f)
{
	const struct scenario *s = f->scenario;
	const struct scenario_routing *routing = &s->routing;
	struct fabric_failures *q = &f->failures;

	if (s->failure_count == 0)
		return 0;
	q->events = calloc(5 * (size_t)s->failure_count, sizeof(*q->events));
	q->records = calloc(s->failure_count, sizeof(*q->records));
	q->down = calloc(SWITCH_MAX_PORTS, sizeof(*q->down));
	if (q->events == NULL || q->records == NULL || q->down == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->failure_count; i++) {
		const struct scenario_failure *x = &s->failures[i];

		add_event(q, x->at_ps, 0, FAILURE_BEGINS, i);
		add_event(q, x->until_ps, 0, FAILURE_ENDS, i);
		if (!scenario_failure_is_of_rate(x))
			continue;
		if (x->down)
			add_event(q, x->at_ps, routing->failover_ps, FAILURE_FAILOVER, i);
		add_event(q, x->at_ps, routing->reroute_ps, FAILURE_REROUTE, i);
		add_event(q, x->until_ps, routing->reroute_ps, FAILURE_REROUTE, i);
	}
	qsort(q->events, q->event_count, sizeof(*q->events), compare);
	return 0;
}

void
fabric_failures_fini(struct fabric *f)
{
	free(f->failures.events);
	free(f->failures.records);
	free(f->failures.down);
}

static struct node *
end_node(const struct fabric *f, const struct scenario_end *end)
{
	return end->is_switch ? &f->switches[end->index]->node : host_node(f->hosts[end->index]);
}

static void
set_rate(struct fabric *f, const struct scenario_end *end, uint64_t rate_bps)
{
	node_set_rate(end_node(f, end), end->port, rate_bps);
	if (end->is_switch)
		f->switches[end->index]->forwarding.balancer.ports[end->port].rate_bps = rate_bps;
}

/* The link as the failure has it, or as it was before. */
static void
set_link(struct fabric *f, uint32_t failure, bool failed, uint64_t now_ps)
{
	const struct scenario_failure *x = &f->scenario->failures[failure];
	const struct scenario_link *l = &f->scenario->links[x->link];
	const struct scenario_end *ends[2] = {&l->a, &l->b};
	uint64_t rate_bps = fabric_graph_rate_bps(f->scenario, l);

	if (!scenario_failure_is_of_rate(x))
		return;
	for (int i = 0; i < 2; i++) {
		struct node *node = end_node(f, ends[i]);

		if (!x->down) {
			set_rate(f, ends[i], failed ? x->rate_bps : rate_bps);
			continue;
		}
		if (failed)
			f->failures.records[failure].lost_packets +=
				node_lose_arrivals(node, ends[i]->port, now_ps);
		node_set_link(node, ends[i]->port, !failed, now_ps);
	}
	f->graph.rates_bps[x->link] = !failed ? rate_bps : x->down ? 0 : x->rate_bps;
}

/* Which ports of a switch are down, for as long as nobody else asks. */
static const uint8_t *
ports_down(struct fabric *f, uint32_t sw)
{
	const struct node *node = &f->switches[sw]->node;

	for (uint16_t i = 0; i < node->port_count; i++)
		f->failures.down[i] = node->ports[i].link_down;
	return f->failures.down;
}

static void
follow_ports(struct fabric *f, uint32_t sw)
{
	const struct forwarding_cfg *cfg = &f->scenario->switches[sw].cfg.forwarding;

	if (cfg->layer3 && cfg->route_count != 0 &&
	    forwarding_follow_ports(&f->switches[sw]->forwarding, ports_down(f, sw)) != 0)
		abort();
}

static void
fail_over(struct fabric *f, uint32_t failure)
{
	const struct scenario_link *l = &f->scenario->links[f->scenario->failures[failure].link];
	const struct scenario_end *ends[2] = {&l->a, &l->b};

	for (int i = 0; i < 2; i++) {
		uint32_t sw = ends[i]->index;

		if (!ends[i]->is_switch || !f->scenario->switches[sw].cfg.forwarding.layer3)
			continue;
		next_hops_without(&f->live[sw].hops, ports_down(f, sw));
		follow_ports(f, sw);
	}
}

static void
reroute(struct fabric *f, uint64_t now_ps)
{
	const struct scenario *s = f->scenario;

	fabric_routes_free(f->live, f->switch_count);
	if (fabric_routes_compute(f->live, &f->directory, &f->graph, s, f->up_down) != 0)
		abort();
	for (uint32_t sw = 0; sw < f->switch_count; sw++)
		follow_ports(f, sw);
	for (uint32_t i = 0; i < s->failure_count; i++) {
		struct failure_record *r = &f->failures.records[i];

		if (!scenario_failure_is_of_rate(&s->failures[i]))
			continue;
		if (r->begun && r->rerouted_ps == 0 &&
		    s->failures[i].at_ps + s->routing.reroute_ps <= now_ps)
			r->rerouted_ps = now_ps;
		if (r->ended && r->restored_ps == 0 &&
		    s->failures[i].until_ps + s->routing.reroute_ps <= now_ps)
			r->restored_ps = now_ps;
	}
}

static void
take(struct fabric *f, const struct failure_event *e)
{
	switch (e->step) {
	case FAILURE_BEGINS:
		f->failures.records[e->failure].begun = true;
		set_link(f, e->failure, true, e->at_ps);
		break;
	case FAILURE_ENDS:
		f->failures.records[e->failure].ended = true;
		set_link(f, e->failure, false, e->at_ps);
		break;
	case FAILURE_FAILOVER:
		fail_over(f, e->failure);
		break;
	case FAILURE_REROUTE:
		reroute(f, e->at_ps);
		break;
	}
}

uint64_t
fabric_failures_next_ps(const struct fabric *f)
{
	const struct fabric_failures *q = &f->failures;

	return q->next == q->event_count ? UNITS_NEVER_PS : q->events[q->next].at_ps;
}

void
fabric_failures_apply(struct fabric *f, uint64_t now_ps)
{
	struct fabric_failures *q = &f->failures;

	while (fabric_failures_next_ps(f) <= now_ps) {
		const struct failure_event *e = &q->events[q->next++];
		const struct failure_event *next = &q->events[q->next];

		/* Routes are computed once for all that changed at one time. */
		if (e->step == FAILURE_REROUTE && q->next != q->event_count &&
		    next->step == FAILURE_REROUTE && next->at_ps == e->at_ps)
			continue;
		take(f, e);
	}
}
