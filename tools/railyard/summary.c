/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary on a terminal: what people ask after a run, in the order they ask it. Made from
 * the JSON alone, so that both always agree. Each part lists its few worst rows and says where
 * the others are.
 */
#include <inttypes.h>
#include <string.h>

#include "drop.h"
#include "human.h"
#include "results_internal.h"

#define WORST 5
/* Of running text, after the label. */
#define WIDTH 86
#define LABEL "%-10s"
#define INDENT "          "

struct page {
	FILE *out;
	const char *dir; /* NULL: no files */
	bool colour;
};

static double
number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static uint64_t
count(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static const char *
text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "";
}

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const char *
good(const struct page *p)
{
	return p->colour ? "\033[32m" : "";
}

static const char *
bad(const struct page *p)
{
	return p->colour ? "\033[31m" : "";
}

static const char *
plain(const struct page *p)
{
	return p->colour ? "\033[0m" : "";
}

/* The rows of a list with the largest `key`, largest first, earlier ones first among equals. */
static size_t
pick_worst(const json_t *list, const char *key, size_t want, json_t *worst[WORST])
{
	size_t found = 0;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		size_t at = found;

		while (at > 0 && number(row, key) > number(worst[at - 1], key))
			at--;
		if (at >= want)
			continue;
		if (found < want)
			found++;
		memmove(&worst[at + 1], &worst[at], (found - at - 1) * sizeof(worst[0]));
		worst[at] = row;
	}
	return found;
}

static void
print_rest(const struct page *p, size_t total, size_t shown, const char *file)
{
	if (total <= shown)
		return;
	if (p->dir != NULL)
		fprintf(p->out, INDENT "%zu more in %s/%s\n", total - shown, p->dir, file);
	else
		fprintf(p->out, INDENT "%zu more; --out DIR writes them to %s\n", total - shown,
			file);
}

static void
print_run(const struct page *p, const json_t *s)
{
	const char *state = text(s, "state");
	const char *meaning = strcmp(state, "duration") == 0      ? "stopped at its duration"
			      : strcmp(state, "interrupted") == 0 ? "interrupted; results so far"
			      : strcmp(state, "broken") == 0      ? "BROKEN"
								  : "complete";

	fprintf(p->out, "%s: %s%s%s\n", text(s, "scenario"),
		strcmp(state, "broken") == 0 ? bad(p) : "", meaning, plain(p));
	if (strcmp(state, "broken") == 0)
		fprintf(p->out, LABEL "%s\n", "Invariant", text(s, "broken"));
}

static void
drop_place(const json_t *row, char *place, size_t bytes)
{
	const char *kind = json_object_get(row, "pg") != NULL      ? "pg"
			   : json_object_get(row, "queue") != NULL ? "queue"
								   : NULL;
	int port = (int)number(row, "port");

	if (kind == NULL)
		snprintf(place, bytes, "%s:%d", text(row, "node"), port);
	else
		snprintf(place, bytes, "%s:%d %s %d", text(row, "node"), port, kind,
			 (int)number(row, kind));
}

/* What a reason means, without where it is charged: that is the column before. */
static int
meaning_of(const char *reason, const char **meaning)
{
	for (int i = 0; i < DROP_REASON_COUNT; i++) {
		if (strcmp(reason, drop_reason_name((enum drop_reason)i)) != 0)
			continue;
		*meaning = drop_reason_help((enum drop_reason)i);
		return (int)strcspn(*meaning, "(");
	}
	*meaning = "";
	return 0;
}

static void
print_lost(const struct page *p, const json_t *s)
{
	const json_t *packets = json_object_get(s, "packets");
	const json_t *drops = json_object_get(s, "drops");
	uint64_t dropped = count(packets, "dropped");
	uint64_t all = count(packets, "sent") + count(packets, "copied");
	json_t *worst[WORST];
	size_t shown = pick_worst(drops, "packets", WORST, worst);

	if (dropped == 0) {
		fprintf(p->out, LABEL "%snothing%s of %s packets\n", "Lost", good(p), plain(p),
			human_count(all).text);
	} else {
		fprintf(p->out, LABEL "%s%s of %s packets (%s)%s, %s\n", "Lost", bad(p),
			human_count(dropped).text, human_count(all).text,
			human_percent((double)dropped / (double)all).text, plain(p),
			human_bytes(number(packets, "dropped_bytes")).text);
		fprintf(p->out, INDENT "%12s  %-20s %s\n", "packets", "where", "why");
	}
	for (size_t i = 0; i < shown; i++) {
		char place[80];
		const char *meaning;
		int length = meaning_of(text(worst[i], "reason"), &meaning);

		drop_place(worst[i], place, sizeof(place));
		fprintf(p->out, INDENT "%12s  %-20s %-16s %.*s\n",
			human_count(count(worst[i], "packets")).text, place,
			text(worst[i], "reason"), length, meaning);
	}
	print_rest(p, json_array_size(drops), shown, "drops.csv");
	if (number(packets, "in_flight") != 0)
		fprintf(p->out, INDENT "%s packets were on their way at the end\n",
			human_count(count(packets, "in_flight")).text);
}

static void
print_paused(const struct page *p, const json_t *s)
{
	const json_t *pfc = json_object_get(s, "pfc");
	const json_t *list = json_object_get(pfc, "pauses");
	json_t *worst[WORST];
	size_t shown = pick_worst(list, "paused_us", WORST, worst);

	if (json_array_size(list) == 0)
		fprintf(p->out, LABEL "nobody", "Paused");
	else
		fprintf(p->out, LABEL "%zu sender%s", "Paused", json_array_size(list),
			plural(json_array_size(list)));
	fprintf(p->out, "; %s XOFF and %s XON sent\n", human_count(count(pfc, "xoff_sent")).text,
		human_count(count(pfc, "xon_sent")).text);
	if (shown > 0)
		fprintf(p->out, INDENT "%12s %8s  %-20s %s\n", "paused", "of run", "port", "by");
	for (size_t i = 0; i < shown; i++) {
		char who[80];

		snprintf(who, sizeof(who), "%s prio %d", text(worst[i], "port"),
			 (int)number(worst[i], "priority"));
		fprintf(p->out, INDENT "%12s %8s  %-20s %s\n",
			human_time_us(number(worst[i], "paused_us")).text,
			human_percent(number(worst[i], "fraction")).text, who,
			text(worst[i], "by"));
	}
	print_rest(p, json_array_size(list), shown, "ports.csv");
}

static void
print_occupancy(const struct page *p, const json_t *row, const char *kind)
{
	char place[80];
	char cells[64];
	uint64_t headroom = count(row, "headroom_bytes");

	snprintf(place, sizeof(place), "%s:%d %s %d", text(row, "node"), (int)number(row, "port"),
		 kind, (int)number(row, kind));
	fprintf(p->out, INDENT "%-20s %9s", place, human_bytes(number(row, "max_bytes")).text);
	if (json_object_get(row, "limit_cells") != NULL) {
		snprintf(cells, sizeof(cells), "%s/%s", human_count(count(row, "used_cells")).text,
			 human_count(count(row, "limit_cells")).text);
		fprintf(p->out, " %9s %8s %15s", human_bytes(number(row, "limit_bytes")).text,
			human_percent(number(row, "used_fraction")).text, cells);
	}
	if (headroom > 0)
		fprintf(p->out, "  %s of %s", human_bytes(number(row, "headroom_max_bytes")).text,
			human_bytes((double)headroom).text);
	fputc('\n', p->out);
}

static void
print_depth(const struct page *p, const json_t *s, const char *list_key, const char *kind,
	    const char *file)
{
	const json_t *list = json_object_get(s, list_key);
	bool is_pg = strcmp(kind, "pg") == 0;
	json_t *worst[WORST];
	size_t shown = pick_worst(list, "max_bytes", 3, worst);

	if (shown == 0)
		return;
	/* A queue of acknowledgements beside one of megabytes is not what was asked about. */
	while (number(worst[shown - 1], "max_bytes") < number(worst[0], "max_bytes") / 100)
		shown--;
	fprintf(p->out, LABEL "%-20s %9s %9s %8s %15s%s\n", is_pg ? "" : "Depth",
		is_pg ? "priority group" : "queue", "deepest", "limit", "used", "cells",
		is_pg ? "  headroom used" : "");
	for (size_t i = 0; i < shown; i++)
		print_occupancy(p, worst[i], kind);
	print_rest(p, json_array_size(list), shown, file);
}

static void
print_marked(const struct page *p, const json_t *s)
{
	uint64_t marked = count(s, "ecn_marked");
	uint64_t cnps = count(s, "cnp_sent");

	if (marked == 0)
		fprintf(p->out, LABEL "nothing", "Marked");
	else
		fprintf(p->out, LABEL "%s packet%s (%s of data)", "Marked",
			human_count(marked).text, plural(marked),
			human_percent(number(s, "ecn_marked_fraction")).text);
	fprintf(p->out, "; %s CNP%s sent\n", human_count(cnps).text, plural(cnps));
}

static void
print_distribution(const struct page *p, const char *name, const json_t *d, bool is_time)
{
	static const char *const points[] = {"p50", "p95", "p99", "p99_9", "max"};

	fprintf(p->out, INDENT "%-10s", name);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		double value = number(d, points[i]);

		if (is_time)
			fprintf(p->out, " %10s", human_time_us(value).text);
		else
			fprintf(p->out, " %10s", human_short(value).text);
	}
	fputc('\n', p->out);
}

static void
print_flows(const struct page *p, const json_t *s)
{
	const json_t *flows = json_object_get(s, "flows");
	const json_t *transport = json_object_get(s, "transport");
	uint64_t completed = count(flows, "completed");

	fprintf(p->out, LABEL "%s of %s completed", "Flows", human_count(completed).text,
		human_count(count(flows, "count")).text);
	if (count(flows, "failed") > 0)
		fprintf(p->out, ", %s%s failed%s", bad(p), human_count(count(flows, "failed")).text,
			plain(p));
	if (count(flows, "incomplete") > 0)
		fprintf(p->out, ", %s incomplete", human_count(count(flows, "incomplete")).text);
	fprintf(p->out, "; %s packets sent again, %s NAKs, %s timeouts\n",
		human_count(count(transport, "retransmitted_packets")).text,
		human_count(count(transport, "naks_sent")).text,
		human_count(count(transport, "timeouts")).text);
	if (completed == 0)
		return;
	fprintf(p->out, INDENT "%-10s %10s %10s %10s %10s %10s\n", "", "p50", "p95", "p99", "p99.9",
		"max");
	print_distribution(p, "time", json_object_get(flows, "fct_us"), true);
	if (json_is_number(json_object_get(json_object_get(flows, "slowdown"), "max")))
		print_distribution(p, "slowdown", json_object_get(flows, "slowdown"), false);
	fprintf(p->out, LABEL "%s", "Goodput", human_rate_bps(number(s, "goodput_bps")).text);
	if (json_is_number(json_object_get(s, "jain")))
		fprintf(p->out, "; Jain fairness of flows %.3f", number(s, "jain"));
	fputc('\n', p->out);
}

static void
print_speed(const struct page *p, const json_t *s)
{
	fprintf(p->out, LABEL "%s of virtual time in %s, %s packet-hops/s\n", "Speed",
		human_time_us(number(s, "virtual_s") * 1e6).text,
		human_time_us(number(s, "wall_s") * 1e6).text,
		human_short(number(s, "packet_hops_per_s")).text);
	fprintf(p->out, LABEL "%s, seed %" PRIu64 "\n", "Digest", text(s, "digest"),
		count(s, "seed"));
}

/* With the digits it takes to see on which side of the bound it is. */
static void
print_measured(const struct page *p, const json_t *measured, bool as_percent)
{
	double value = json_number_value(measured);

	if (!json_is_number(measured))
		fputs("nothing\n", p->out);
	else if (as_percent)
		fprintf(p->out, "%.6g%%\n", value * 100);
	else if (value >= 1e6)
		fprintf(p->out, "%s\n", human_count((uint64_t)value).text);
	else
		fprintf(p->out, "%.7g\n", value);
}

static void
print_expectations(const struct page *p, const json_t *s)
{
	const json_t *list = json_object_get(s, "expectations");
	size_t met = 0;
	size_t i;
	json_t *row;

	if (json_array_size(list) == 0)
		return;
	json_array_foreach(list, i, row)
	{
		met += json_is_true(json_object_get(row, "met"));
	}
	fprintf(p->out, LABEL "%s%zu of %zu met%s\n", "Expected",
		met == json_array_size(list) ? good(p) : bad(p), met, json_array_size(list),
		plain(p));
	json_array_foreach(list, i, row)
	{
		bool is_met = json_is_true(json_object_get(row, "met"));
		const json_t *measured = json_object_get(row, "measured");
		char rule[200];

		snprintf(rule, sizeof(rule), "%s %s", text(row, "metric"), text(row, "expected"));
		fprintf(p->out, INDENT "%s%s%s  %-38s measured ", is_met ? good(p) : bad(p),
			is_met ? "met   " : "FAILED", plain(p), rule);
		print_measured(p, measured, strchr(text(row, "expected"), '%') != NULL);
	}
}

void
summary_print_failures(json_t *summary, FILE *out)
{
	const json_t *list = json_object_get(summary, "expectations");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		const json_t *measured = json_object_get(row, "measured");
		const char *expected = text(row, "expected");
		struct page page = {.out = out};

		if (json_is_true(json_object_get(row, "met")))
			continue;
		fprintf(out, "railyard: %s: expected %s %s, measured ", text(row, "place"),
			text(row, "metric"), expected);
		print_measured(&page, measured, strchr(expected, '%') != NULL);
	}
}

/* Words up to the page's width, the rest under them. */
static void
print_wrapped(const struct page *p, const char *label, const char *words)
{
	while (strlen(words) > WIDTH) {
		int length = WIDTH;

		while (length > 0 && words[length] != ' ')
			length--;
		if (length == 0)
			break;
		fprintf(p->out, LABEL "%.*s\n", label, length, words);
		words += length + 1;
		label = "";
	}
	fprintf(p->out, LABEL "%s\n", label, words);
}

static void
print_warnings(const struct page *p, const json_t *s)
{
	const json_t *list = json_object_get(s, "warnings");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		print_wrapped(p, i == 0 ? "Warnings" : "", json_string_value(row));
	}
}

int
summary_print(json_t *summary, const char *dir, bool colour, FILE *out)
{
	struct page p = {out, dir, colour};

	print_run(&p, summary);
	print_lost(&p, summary);
	print_paused(&p, summary);
	print_depth(&p, summary, "queues", "queue", "queues.csv");
	print_depth(&p, summary, "pgs", "pg", "pgs.csv");
	print_marked(&p, summary);
	print_flows(&p, summary);
	print_speed(&p, summary);
	print_warnings(&p, summary);
	print_expectations(&p, summary);
	if (dir != NULL)
		fprintf(out, LABEL "%s/\n", "Files", dir);
	return results_flush(out);
}
