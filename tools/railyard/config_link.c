/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections such as h[0-16] and tor[3], and the links between them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

/* Light in glass: 5.05 ns a metre. */
#define PS_PER_MM 505
#define PS_PER_MM_DIVISOR 100
#define MAX_ENDS 65536

struct ends {
	struct scenario_end *items;
	uint32_t count;
	uint32_t size;
};

const char *
config_end_name(const struct config *c, const struct scenario_end *end, char *buffer, size_t bytes)
{
	if (!end->is_switch)
		return c->scenario->hosts[end->index].cfg.name;
	snprintf(buffer, bytes, "%s port %u", c->scenario->switches[end->index].cfg.name,
		 end->port);
	return buffer;
}

static void
add_end(struct config *c, struct ends *ends, bool is_switch, uint32_t index, uint32_t port)
{
	if (ends->count == ends->size) {
		uint32_t size = ends->size == 0 ? 32 : 2 * ends->size;
		struct scenario_end *items = CONFIG_NEW(c, struct scenario_end, size);

		if (ends->count > 0)
			memcpy(items, ends->items, ends->count * sizeof(*items));
		ends->items = items;
		ends->size = size;
	}
	ends->items[ends->count++] = (struct scenario_end){
		.is_switch = is_switch,
		.index = index,
		.port = (uint16_t)port,
	};
}

/* What a name stands for: a switch with its ports, or a group with its hosts. */
struct named {
	bool is_switch;
	uint32_t first; /* host, or index of the switch */
	uint32_t count; /* hosts or ports */
	bool single;    /* a host without number */
};

static int
find_named(struct config *c, const struct raw_text *text, const char *name, bool hosts_only,
	   struct named *out)
{
	const char *known[64];
	const char *nearest;
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->raw.hosts.count; i++) {
		const struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, i);

		if (strcmp(h->item.name, name) == 0) {
			*out = (struct named){.first = h->first, .single = h->count == CONFIG_AUTO};
			out->count = out->single ? 1 : (uint32_t)h->count;
			return 0;
		}
		if (count < 64)
			known[count++] = h->item.name;
	}
	for (uint32_t i = 0; i < c->scenario->switch_count; i++) {
		const struct switch_cfg *sw = &c->scenario->switches[i].cfg;

		if (strcmp(sw->name, name) == 0 && hosts_only)
			return config_fail(&c->error, &text->mark,
					   "%s is a switch; only hosts send "
					   "and receive",
					   name);
		if (strcmp(sw->name, name) == 0) {
			*out = (struct named){true, i, sw->port_count, false};
			return 0;
		}
		if (count < 64)
			known[count++] = sw->name;
	}
	nearest = config_nearest(name, known, count);
	if (nearest != NULL)
		return config_fail(&c->error, &text->mark,
				   "there is no %s \"%.31s\"; did you mean %s?",
				   hosts_only ? "host" : "host or switch", name, nearest);
	return config_fail(&c->error, &text->mark, "there is no %s \"%.31s\"",
			   hosts_only ? "host" : "host or switch", name);
}

static void
add_span(struct config *c, const struct named *named, uint32_t first, uint32_t last,
	 struct ends *ends)
{
	for (uint32_t n = first; n <= last; n++) {
		if (named->is_switch)
			add_end(c, ends, true, named->first, n);
		else
			add_end(c, ends, false, named->first + n, 0);
	}
}

/* "0-3,7]" */
static int
select_numbers(struct config *c, const struct raw_text *text, const char *p,
	       const struct named *named, const char *name, struct ends *ends)
{
	char span[32];

	for (;;) {
		size_t n = strcspn(p, ",]");
		uint32_t first, last;

		if (n >= sizeof(span) || p[n] == '\0' || n == 0)
			break;
		memcpy(span, p, n);
		span[n] = '\0';
		if (!config_parse_span(span, UINT32_MAX, &first, &last))
			break;
		if (last >= named->count)
			return config_fail(&c->error, &text->mark, "%s: %s has %s 0 to %u",
					   text->text, name, named->is_switch ? "ports" : "hosts",
					   named->count - 1);
		if (ends->count + (last - first) >= MAX_ENDS)
			return config_fail(&c->error, &text->mark, "more than %u selected",
					   MAX_ENDS);
		add_span(c, named, first, last, ends);
		if (p[n] == ']' && p[n + 1] == '\0')
			return 0;
		if (p[n] == ']')
			break;
		p += n + 1;
	}
	return config_fail(&c->error, &text->mark,
			   "\"%.40s\" selects nothing; write %s[0-3] or %s[0,2,5-7]", text->text,
			   name, name);
}

/* One text: a name, "name[...]", or the name of a single host ("h3"). */
static int
select_text(struct config *c, const struct raw_text *text, bool hosts_only, struct ends *ends)
{
	size_t n = strcspn(text->text, "[");
	struct named named;
	char name[NODE_NAME_BYTES];
	int rc;

	for (uint32_t i = 0; text->text[n] == '\0' && i < c->scenario->host_count; i++) {
		if (strcmp(c->scenario->hosts[i].cfg.name, text->text) == 0) {
			add_end(c, ends, false, i, 0);
			return 0;
		}
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, text->text);
	rc = find_named(c, text, name, hosts_only, &named);
	if (rc != 0)
		return rc;
	if (text->text[n] == '\0') {
		add_span(c, &named, 0, named.count - 1, ends);
		return 0;
	}
	return select_numbers(c, text, text->text + n + 1, &named, name, ends);
}

int
config_select(struct config *c, const struct raw_texts *texts, bool hosts_only,
	      struct scenario_end **out, uint32_t *count)
{
	struct ends ends = {.count = 0};

	for (uint32_t i = 0; i < texts->count; i++) {
		int rc = select_text(c, &texts->items[i], hosts_only, &ends);

		if (rc != 0)
			return rc;
	}
	*out = ends.items;
	*count = ends.count;
	return 0;
}

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
		if (total > MAX_ENDS)
			return config_fail(&c->error, &l->item.mark, "link: more than %u links",
					   MAX_ENDS);
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
