/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the summary on links that failed, and its lines on a terminal. */
#include <stdio.h>
#include <string.h>

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

static json_t *
failure_json(const struct fabric *f, uint32_t index)
{
	const struct scenario_failure *x = &f->scenario->failures[index];
	const struct failure_record *done = &f->failures.records[index];
	char name[2 * RESULTS_PLACE_BYTES + 4];
	json_t *o = json_object();

	link_name(f, x->link, name, sizeof(name));
	json_object_set_new(o, "link", json_string(name));
	json_object_set_new(o, "begun", json_boolean(done->begun));
	json_object_set_new(o, "down", json_boolean(x->down));
	json_object_set_new(o, "rate_bps", json_integer((json_int_t)x->rate_bps));
	json_object_set_new(o, "full_rate_bps",
			    json_integer((json_int_t)fabric_graph_rate_bps(
				    f->scenario, &f->scenario->links[x->link])));
	json_object_set_new(o, "loss", json_real((double)x->loss_q32 / (double)(1ull << 32)));
	json_object_set_new(o, "delay_us", time_us(true, x->delay_ps));
	json_object_set_new(o, "at_us", time_us(true, x->at_ps));
	json_object_set_new(o, "until_us", time_us(done->ended, x->until_ps));
	json_object_set_new(o, "rerouted_us", time_us(done->rerouted_ps != 0, done->rerouted_ps));
	json_object_set_new(o, "restored_us", time_us(done->restored_ps != 0, done->restored_ps));
	json_object_set_new(o, "lost_packets", json_integer((json_int_t)done->lost_packets));
	return o;
}

json_t *
results_failures_json(const struct results *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->fabric->scenario->failure_count; i++)
		json_array_append_new(list, failure_json(r->fabric, i));
	return list;
}

/* "down", or "at 10 Gb/s, 1 % lost, 2 us longer". */
static const char *
describe(const json_t *o, char text[128])
{
	size_t used = 0;

	text[0] = '\0';
	if (json_is_true(json_object_get(o, "down")))
		return "down";
	if (page_count(o, "rate_bps") != 0)
		used += (size_t)snprintf(text + used, 128 - used, ", at %s",
					 human_rate_bps(page_number(o, "rate_bps")).text);
	if (page_number(o, "loss") != 0)
		used += (size_t)snprintf(text + used, 128 - used, ", %s lost",
					 human_percent(page_number(o, "loss")).text);
	if (page_number(o, "delay_us") != 0)
		snprintf(text + used, 128 - used, ", %s longer",
			 human_time_us(page_number(o, "delay_us")).text);
	return text[0] == '\0' ? text : text + strlen(", ");
}

static void
print_failure(const struct page *p, const char *label, const json_t *o)
{
	char what[128], end[48] = "to the end", lost[64] = "", routes[128] = "";
	size_t used = 0;

	if (!json_is_true(json_object_get(o, "begun"))) {
		page_say(p, label, "%s %s: never happened; the run had ended before %s",
			 page_text(o, "link"), describe(o, what),
			 human_time_us(page_number(o, "at_us")).text);
		return;
	}
	if (!json_is_null(json_object_get(o, "until_us")))
		snprintf(end, sizeof(end), "to %s", human_time_us(page_number(o, "until_us")).text);
	if (json_is_true(json_object_get(o, "down")))
		snprintf(lost, sizeof(lost), "; %s lost on the wire",
			 human_count(page_count(o, "lost_packets")).text);
	if (!json_is_null(json_object_get(o, "rerouted_us")))
		used = (size_t)snprintf(routes, sizeof(routes), "; new routes at %s",
					human_time_us(page_number(o, "rerouted_us")).text);
	if (!json_is_null(json_object_get(o, "restored_us")))
		snprintf(routes + used, sizeof(routes) - used, "%s at %s",
			 used == 0 ? "; new routes" : ", and",
			 human_time_us(page_number(o, "restored_us")).text);
	page_say(p, label, "%s %s, from %s %s%s%s", page_text(o, "link"), describe(o, what),
		 human_time_us(page_number(o, "at_us")).text, end, lost, routes);
}

void
summary_print_links(const struct page *p, const json_t *summary)
{
	const json_t *list = json_object_get(summary, "failures");
	size_t count = json_array_size(list);

	for (size_t i = 0; i < count && i < SHOWN; i++)
		print_failure(p, i == 0 ? "Failed" : "", json_array_get(list, i));
	if (count > SHOWN)
		page_say(p, "", "and %zu more links; see failures in summary.json", count - SHOWN);
}
