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
#include "summary_page.h"

#define WORST 5

/* Rows of a list, with those that the summary does not keep. */
static size_t
total_of(const json_t *s, const char *list, const json_t *rows)
{
	return json_array_size(rows) + page_count(json_object_get(s, "left_out"), list);
}

/* Text without what it begins with, if it does: the label says it already. */
static const char *
after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : text;
}

static void
print_run(const struct page *p, const json_t *s)
{
	const char *state = page_text(s, "state");
	bool is_broken = json_object_get(s, "broken") != NULL;
	const char *meaning = strcmp(state, "duration") == 0      ? "stopped at its duration"
			      : strcmp(state, "interrupted") == 0 ? "interrupted; results so far"
			      : strcmp(state, "broken") == 0      ? "BROKEN"
			      : strcmp(state, "deadlock") == 0    ? "DEADLOCK"
								  : "complete";

	fprintf(p->out, "%s: %s%s%s\n", page_text(s, "scenario"), is_broken ? page_bad(p) : "",
		meaning, page_plain(p));
	if (is_broken)
		page_say(p, strcmp(state, "broken") == 0 ? "Invariant" : "Deadlock", "%s",
			 after(page_text(s, "broken"), "deadlock: "));
}

static void
drop_place(const json_t *row, char *place, size_t bytes)
{
	const char *kind = json_object_get(row, "pg") != NULL      ? "pg"
			   : json_object_get(row, "queue") != NULL ? "queue"
								   : NULL;
	int port = (int)page_number(row, "port");

	if (kind == NULL)
		snprintf(place, bytes, "%s:%d", page_text(row, "node"), port);
	else
		snprintf(place, bytes, "%s:%d %s %d", page_text(row, "node"), port, kind,
			 (int)page_number(row, kind));
}

/* What the reasons of these rows mean, once each, without "(where they are charged)". */
static void
explain_reasons(const struct page *p, json_t *const *rows, size_t count)
{
	for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
		const char *name = drop_reason_name((enum drop_reason)reason);
		const char *help = drop_reason_help((enum drop_reason)reason);
		size_t i = 0;

		while (i < count && strcmp(page_text(rows[i], "reason"), name) != 0)
			i++;
		if (i < count)
			page_say(p, "", "%s: %.*s", name, (int)strcspn(help, "(") - 1, help);
	}
}

static void
print_lost(const struct page *p, const json_t *s)
{
	const json_t *packets = json_object_get(s, "packets");
	const json_t *drops = json_object_get(s, "drops");
	uint64_t dropped = page_count(packets, "dropped");
	uint64_t all = page_count(packets, "sent") + page_count(packets, "copied") +
		       page_count(packets, "from_devices");
	json_t *worst[PAGE_WORST];
	size_t shown = page_worst(drops, "packets", NULL, WORST, worst);

	if (dropped == 0) {
		page_say(p, "Lost", "%snothing%s of %s packet%s", page_good(p), page_plain(p),
			 human_count(all).text, page_plural(all));
		return;
	}
	page_say(p, "Lost", "%s%s of %s packets (%s)%s, %s", page_bad(p), human_count(dropped).text,
		 human_count(all).text, human_percent((double)dropped / (double)all).text,
		 page_plain(p), human_bytes(page_number(packets, "dropped_bytes")).text);
	page_row(p, "", "where", "%12s  %s", "packets", "why");
	for (size_t i = 0; i < shown; i++) {
		char place[80];

		drop_place(worst[i], place, sizeof(place));
		page_row(p, "", place, "%12s  %s",
			 human_count(page_count(worst[i], "packets")).text,
			 page_text(worst[i], "reason"));
	}
	page_rest(p, total_of(s, "drops", drops), shown, "drops.csv");
	explain_reasons(p, worst, shown);
}

static void
print_impaired(const struct page *p, const json_t *s)
{
	static const char *const keys[] = {"lost",      "duplicated", "delayed", "reordered",
					   "corrupted", "marked",     "pauses"};
	const json_t *o = json_object_get(s, "impairments");
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		uint64_t count = page_count(o, keys[i]);

		if (count != 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s",
						 used == 0 ? "" : ", ", human_count(count).text,
						 keys[i]);
	}
	if (used != 0)
		page_say(p, "Impaired", "%s", text);
}

static void
print_paused(const struct page *p, const json_t *s)
{
	const json_t *pfc = json_object_get(s, "pfc");
	const json_t *list = json_object_get(pfc, "pauses");
	size_t count = total_of(s, "pfc.pauses", list);
	json_t *worst[PAGE_WORST];
	size_t shown = page_worst(list, "paused_us", NULL, WORST, worst);
	char who[80] = "nobody";

	if (count > 0)
		snprintf(who, sizeof(who), "%zu sender%s", count, page_plural(count));
	page_say(p, "Paused", "%s; %s XOFF and %s XON sent", who,
		 human_count(page_count(pfc, "xoff_sent")).text,
		 human_count(page_count(pfc, "xon_sent")).text);
	if (shown > 0)
		page_row(p, "", "port", "%12s %8s  %s", "paused", "of run", "by");
	for (size_t i = 0; i < shown; i++) {
		snprintf(who, sizeof(who), "%s prio %d", page_text(worst[i], "port"),
			 (int)page_number(worst[i], "priority"));
		page_row(p, "", who, "%12s %8s  %s",
			 human_time_us(page_number(worst[i], "paused_us")).text,
			 human_percent(page_number(worst[i], "fraction")).text,
			 page_text(worst[i], "by"));
	}
	page_rest(p, count, shown, "ports.csv");
}

/* Storms, as they were found first; those of ports without a watchdog show as pauses alone. */
static void
print_watchdog(const struct page *p, const json_t *s)
{
	const json_t *watchdog = json_object_get(s, "watchdog");
	const json_t *list = json_object_get(watchdog, "storms");
	json_t *worst[PAGE_WORST];
	size_t shown = page_worst(list, "detected", NULL, WORST, worst);
	char who[80];

	if (shown == 0)
		return;
	page_row(p, "Watchdog", "pause storm", "%5s %5s %10s %10s %9s", "found", "over", "first",
		 "last over", "dropped");
	for (size_t i = 0; i < shown; i++) {
		bool over = json_is_number(json_object_get(worst[i], "last_restored_us"));

		snprintf(who, sizeof(who), "%s:%d prio %d", page_text(worst[i], "node"),
			 (int)page_number(worst[i], "port"),
			 (int)page_number(worst[i], "priority"));
		page_row(p, "", who, "%5s %5s %10s %10s %9s",
			 human_count(page_count(worst[i], "detected")).text,
			 human_count(page_count(worst[i], "restored")).text,
			 human_time_us(page_number(worst[i], "first_detected_us")).text,
			 over ? human_time_us(page_number(worst[i], "last_restored_us")).text : "-",
			 human_count(page_count(worst[i], "dropped")).text);
	}
	page_rest(p, json_array_size(list), shown, "summary.json");
}

/*
 * A dynamic threshold of many times what is free is far beyond the pool, which ends it: no limit.
 * What is guaranteed comes on top of a whole pool, hence twice.
 */
static bool
is_unlimited(const json_t *s, const json_t *row)
{
	uint64_t largest = 0, limit = page_count(row, "limit_cells");
	size_t i;
	json_t *pool;

	json_array_foreach(json_object_get(s, "pools"), i, pool)
	{
		uint64_t cells = page_count(pool, "size_cells");

		if (strcmp(page_text(pool, "node"), page_text(row, "node")) == 0 && cells > largest)
			largest = cells;
	}
	return largest > 0 && limit > 2 * largest;
}

/* The last column is cells for a queue, and headroom for a priority group. */
static void
print_occupancy(const struct page *p, const json_t *s, const json_t *row, const char *kind)
{
	bool unlimited = is_unlimited(s, row);
	char place[80];
	char limit[128] = "";
	char last[128] = "";
	uint64_t headroom = page_count(row, "headroom_bytes");

	snprintf(place, sizeof(place), "%s:%d %s %d", page_text(row, "node"),
		 (int)page_number(row, "port"), kind, (int)page_number(row, kind));
	if (unlimited)
		snprintf(limit, sizeof(limit), " %9s %8s", "-", "-");
	else if (json_object_get(row, "limit_cells") != NULL)
		snprintf(limit, sizeof(limit), " %9s %8s",
			 human_bytes(page_number(row, "limit_bytes")).text,
			 human_percent(page_number(row, "used_fraction")).text);
	if (headroom > 0)
		snprintf(last, sizeof(last), "  %s of %s",
			 human_bytes(page_number(row, "headroom_max_bytes")).text,
			 human_bytes((double)headroom).text);
	else if (unlimited && strcmp(kind, "queue") == 0)
		snprintf(last, sizeof(last), "  %s",
			 human_count(page_count(row, "used_cells")).text);
	else if (limit[0] != '\0' && strcmp(kind, "queue") == 0)
		snprintf(last, sizeof(last), "  %s of %s",
			 human_count(page_count(row, "used_cells")).text,
			 human_count(page_count(row, "limit_cells")).text);
	page_row(p, "", place, "%9s%s%s", human_bytes(page_number(row, "max_bytes")).text, limit,
		 last);
}

static void
print_depth(const struct page *p, const json_t *s, const char *list_key, const char *kind,
	    const char *file)
{
	const json_t *list = json_object_get(s, list_key);
	bool is_pg = strcmp(kind, "pg") == 0;
	json_t *worst[PAGE_WORST];
	size_t shown = page_worst(list, "max_bytes", NULL, 3, worst);

	if (shown == 0)
		return;
	/* A queue of acknowledgements beside one of megabytes is not what was asked about. */
	while (page_number(worst[shown - 1], "max_bytes") <
	       page_number(worst[0], "max_bytes") / 100)
		shown--;
	page_row(p, is_pg ? "" : "Depth", is_pg ? "priority group" : "queue", "%9s %9s %8s  %s",
		 "deepest", "limit", "used", is_pg ? "headroom used" : "cells");
	for (size_t i = 0; i < shown; i++)
		print_occupancy(p, s, worst[i], kind);
	page_rest(p, total_of(s, list_key, list), shown, file);
}

static void
print_marked(const struct page *p, const json_t *s)
{
	uint64_t marked = page_count(s, "ecn_marked");
	uint64_t cnps = page_count(s, "cnp_sent");
	char packets[128] = "nothing";

	if (marked > 0)
		snprintf(packets, sizeof(packets), "%s packet%s (%s of data came in so)",
			 human_count(marked).text, page_plural(marked),
			 human_percent(page_number(s, "ecn_marked_fraction")).text);
	page_say(p, "Marked", "%s; %s CNP%s sent", packets, human_count(cnps).text,
		 page_plural(cnps));
}

static void
print_distribution(const struct page *p, const char *name, const json_t *d, bool is_time)
{
	static const char *const points[] = {"p50", "p95", "p99", "p99_9", "max"};
	struct human cells[5];

	for (size_t i = 0; i < RTE_DIM(points); i++) {
		double value = page_number(d, points[i]);

		cells[i] = is_time ? human_time_us(value) : human_short(value);
	}
	page_say(p, "", "%-10s %10s %10s %10s %10s %10s", name, cells[0].text, cells[1].text,
		 cells[2].text, cells[3].text, cells[4].text);
}

static void
print_flows(const struct page *p, const json_t *s)
{
	const json_t *flows = json_object_get(s, "flows");
	const json_t *transport = json_object_get(s, "transport");
	uint64_t failed = page_count(flows, "failed");
	uint64_t incomplete = page_count(flows, "incomplete");
	char failures[80] = "";
	char rest[80] = "";
	char jain[128] = "";

	if (page_count(flows, "count") == 0)
		return;
	if (failed > 0)
		snprintf(failures, sizeof(failures), ", %s%s failed%s", page_bad(p),
			 human_count(failed).text, page_plain(p));
	if (incomplete > 0)
		snprintf(rest, sizeof(rest), ", %s incomplete", human_count(incomplete).text);
	page_say(p, "Flows", "%s of %s completed%s%s",
		 human_count(page_count(flows, "completed")).text,
		 human_count(page_count(flows, "count")).text, failures, rest);
	page_say(p, "", "%s packets sent again, %s NAKs, %s timeouts",
		 human_count(page_count(transport, "retransmitted_packets")).text,
		 human_count(page_count(transport, "naks_sent")).text,
		 human_count(page_count(transport, "timeouts")).text);
	if (page_count(flows, "completed") > 0) {
		page_say(p, "", "%-10s %10s %10s %10s %10s %10s", "", "p50", "p95", "p99", "p99.9",
			 "max");
		print_distribution(p, "time", json_object_get(flows, "fct_us"), true);
	}
	if (json_is_number(json_object_get(json_object_get(flows, "slowdown"), "max")))
		print_distribution(p, "slowdown", json_object_get(flows, "slowdown"), false);
	if (json_is_number(json_object_get(s, "jain")))
		snprintf(jain, sizeof(jain), "; Jain fairness of flows %.3f",
			 page_number(s, "jain"));
	page_say(p, "Goodput", "%s%s", human_rate_bps(page_number(s, "goodput_bps")).text, jain);
}

/* Only where the network did not keep the order. */
static void
print_reordering(const struct page *p, const json_t *s)
{
	const json_t *o = json_object_get(s, "reordering");
	const json_t *distance = json_object_get(o, "distance_packets");

	if (page_count(o, "reordered") == 0)
		return;
	page_say(p, "Reordered",
		 "%s packets (%.1f %% of data) came after one sent later, by p50 %.0f, p99 %.0f, "
		 "max "
		 "%.0f packets",
		 human_count(page_count(o, "reordered")).text, 100 * page_number(o, "fraction"),
		 page_number(distance, "p50"), page_number(distance, "p99"),
		 page_number(distance, "max"));
	if (page_count(o, "held_max_packets") == 0)
		page_say(p, "", "none was placed before its turn: receivers took them in order");
	else
		page_say(p, "", "up to %s of a queue pair at once placed before their turn",
			 human_count(page_count(o, "held_max_packets")).text);
}

static void
print_datagrams(const struct page *p, const json_t *s)
{
	const json_t *transport = json_object_get(s, "transport");
	const json_t *udp = json_object_get(s, "udp");
	char sent[64] = "";

	if (page_count(transport, "udp_sent") == 0)
		return;
	if (json_is_number(json_object_get(udp, "sent_bps")))
		snprintf(sent, sizeof(sent), "%s sent, ",
			 human_rate_bps(page_number(udp, "sent_bps")).text);
	page_say(p, "Datagrams", "%s of %s received; %s%s received",
		 human_count(page_count(transport, "udp_received")).text,
		 human_count(page_count(transport, "udp_sent")).text, sent,
		 human_rate_bps(page_number(udp, "received_bps")).text);
}

/* How evenly links between switches were used: in a fabric, that is. */
static void
print_links(const struct page *p, const json_t *s)
{
	const json_t *kinds = json_object_get(json_object_get(s, "links"), "kinds");
	bool first = true, between = false;
	json_t *row;
	size_t i;

	json_array_foreach(kinds, i, row)
	{
		between |= strcmp(page_text(row, "from"), "host") != 0 &&
			   strcmp(page_text(row, "to"), "host") != 0;
	}
	if (!between)
		return;
	json_array_foreach(kinds, i, row)
	{
		const json_t *imbalance = json_object_get(row, "imbalance");
		char name[80];

		if (first)
			page_row(p, "Links", "from, to", "%7s %9s %9s %9s  %s", "links", "mean use",
				 "max use", "max/mean", "busiest");
		first = false;
		snprintf(name, sizeof(name), "%s, %s", page_text(row, "from"),
			 page_text(row, "to"));
		page_row(p, "", name, "%7s %9s %9s %9s  %s",
			 human_count(page_count(row, "links")).text,
			 human_percent(page_number(row, "utilisation_mean")).text,
			 human_percent(page_number(row, "utilisation_max")).text,
			 json_is_null(imbalance) ? "-"
						 : human_short(json_number_value(imbalance)).text,
			 page_number(row, "utilisation_max") > 0 ? page_text(row, "max_at") : "-");
	}
}

/* Where hosts sent nothing (a replay), ports are what there is to look at. */
static void
print_ports(const struct page *p, const json_t *s)
{
	const json_t *list = json_object_get(s, "ports");
	json_t *worst[PAGE_WORST];
	size_t shown = page_worst(list, "rx_bytes", "tx_bytes", PAGE_WORST, worst);

	if (shown == 0 || page_count(json_object_get(s, "flows"), "count") > 0 ||
	    page_count(json_object_get(s, "transport"), "udp_sent") > 0)
		return;
	page_row(p, "Ports", "port", "%12s %9s   %12s %9s", "packets in", "bytes", "packets out",
		 "bytes");
	for (size_t i = 0; i < shown; i++) {
		char place[80];

		snprintf(place, sizeof(place), "%s:%d", page_text(worst[i], "node"),
			 (int)page_number(worst[i], "port"));
		page_row(p, "", place, "%12s %9s   %12s %9s",
			 human_count(page_count(worst[i], "rx_packets")).text,
			 human_bytes(page_number(worst[i], "rx_bytes")).text,
			 human_count(page_count(worst[i], "tx_packets")).text,
			 human_bytes(page_number(worst[i], "tx_bytes")).text);
	}
	page_rest(p, total_of(s, "ports", list), shown, "ports.csv");
}

static void
print_speed(const struct page *p, const json_t *s)
{
	const json_t *real = json_object_get(s, "real_time");
	const json_t *turn = json_object_get(real, "turn_us");

	page_say(p, "Speed", "%s of %s time in %s, %s packet-hops/s",
		 human_time_us(page_number(s, "virtual_s") * 1e6).text,
		 real != NULL ? "emulated" : "virtual",
		 human_time_us(page_number(s, "wall_s") * 1e6).text,
		 human_short(page_number(s, "packet_hops_per_s")).text);
	/* Two runs by the clock never have the same digest. */
	if (real == NULL) {
		page_say(p, "Digest", "%s, seed %" PRIu64, page_text(s, "digest"),
			 page_count(s, "seed"));
		return;
	}
	page_say(p, "Loop", "%sturns of p50 %s, p99 %s, max %s; late %s of the time, by up to %s",
		 page_count(real, "lcores") > 1 ? "of the lcore that was late most, " : "",
		 human_time_us(page_number(turn, "p50")).text,
		 human_time_us(page_number(turn, "p99")).text,
		 human_time_us(page_number(turn, "max")).text,
		 human_percent(page_number(real, "late_fraction")).text,
		 human_time_us(page_number(real, "behind_max_us")).text);
}

static void
print_warnings(const struct page *p, const json_t *s)
{
	const json_t *list = json_object_get(s, "warnings");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		page_say(p, i == 0 ? "Warnings" : "", "%s", json_string_value(row));
	}
}

int
summary_print(json_t *summary, const char *dir, bool colour, FILE *out)
{
	struct page p = {out, dir, colour, json_object_get(summary, "left_out")};

	print_run(&p, summary);
	print_lost(&p, summary);
	print_impaired(&p, summary);
	summary_print_links(&p, summary);
	print_paused(&p, summary);
	print_watchdog(&p, summary);
	print_depth(&p, summary, "queues", "queue", "queues.csv");
	print_depth(&p, summary, "pgs", "pg", "pgs.csv");
	print_marked(&p, summary);
	print_flows(&p, summary);
	print_reordering(&p, summary);
	print_datagrams(&p, summary);
	print_links(&p, summary);
	print_ports(&p, summary);
	print_speed(&p, summary);
	print_warnings(&p, summary);
	summary_print_expectations(&p, summary);
	if (dir != NULL)
		page_say(&p, "Files", "%s/", dir);
	return results_flush(out);
}
