/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the summary on links that failed, and its lines on a terminal. */
#include <stdio.h>

#include "human.h"
#include "results_internal.h"
#include "summary_page.h"

/* More are counted, not listed: a failed switch has many links. */
#define SHOWN 5

static void
link_name(const struct fabric *f, uint32_t link, char *name, size_t bytes)
{
	const struct scenario_link *l = &f->scenario->links[link];
	const struct scenario_end *ends[2] = {&l->a, &l->b};
	char places[2][RESULTS_PLACE_BYTES];

	for (int i = 0; i < 2; i++) {
		uint32_t node =
			ends[i]->is_switch ? ends[i]->index : f->switch_count + ends[i]->index;

		results_place(places[i], f->nodes[node], ends[i]->port);
	}
	snprintf(name, bytes, "%s - %s", places[0], places[1]);
}

static json_t *
time_us(bool known, uint64_t at_ps)
{
	return known ? json_real((double)at_ps / UNITS_PS_PER_US) : json_null();
}

json_t *
results_failures_json(const struct results *r)
{
	const struct scenario *s = r->fabric->scenario;
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->failure_count; i++) {
		const struct scenario_failure *x = &s->failures[i];
		const struct failure_record *done = &r->fabric->failures.records[i];
		char name[2 * RESULTS_PLACE_BYTES + 4];
		json_t *o = json_object();

		if (!done->begun) {
			json_decref(o);
			continue;
		}
		link_name(r->fabric, x->link, name, sizeof(name));
		json_object_set_new(o, "link", json_string(name));
		json_object_set_new(o, "down", json_boolean(x->down));
		json_object_set_new(o, "rate_bps", json_integer((json_int_t)x->rate_bps));
		json_object_set_new(o, "at_us", time_us(true, x->at_ps));
		json_object_set_new(o, "until_us", time_us(done->ended, x->until_ps));
		json_object_set_new(o, "rerouted_us",
				    time_us(done->rerouted_ps != 0, done->rerouted_ps));
		json_object_set_new(o, "lost_packets",
				    json_integer((json_int_t)done->lost_packets));
		json_array_append_new(list, o);
	}
	return list;
}

void
summary_print_links(const struct page *p, const json_t *summary)
{
	const json_t *list = json_object_get(summary, "failures");
	size_t count = json_array_size(list);

	for (size_t i = 0; i < count && i < SHOWN; i++) {
		const json_t *o = json_array_get(list, i);
		char end[48] = "to the end", routes[64] = "";

		if (!json_is_null(json_object_get(o, "until_us")))
			snprintf(end, sizeof(end), "to %s",
				 human_time_us(page_number(o, "until_us")).text);
		if (!json_is_null(json_object_get(o, "rerouted_us")))
			snprintf(routes, sizeof(routes), "; new routes at %s",
				 human_time_us(page_number(o, "rerouted_us")).text);
		if (json_is_true(json_object_get(o, "down")))
			page_say(p, i == 0 ? "Failed" : "", "%s, from %s %s; %s lost on the wire%s",
				 page_text(o, "link"), human_time_us(page_number(o, "at_us")).text,
				 end, human_count(page_count(o, "lost_packets")).text, routes);
		else
			page_say(p, i == 0 ? "Failed" : "", "%s at %s, from %s %s%s",
				 page_text(o, "link"),
				 human_rate_bps(page_number(o, "rate_bps")).text,
				 human_time_us(page_number(o, "at_us")).text, end, routes);
	}
	if (count > SHOWN)
		page_say(p, "", "and %zu more links; see failures in summary.json", count - SHOWN);
}
