/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selections: h[0-16] of a group of hosts, tor[3] of the ports of a switch, leaf[0-3][16-19] of
 * the ports of a group of switches, gpu[7][3] of a group of servers with several NICs. Each
 * bracket picks at one level; a level that is left out is taken whole. leaf3[16] and gpu7-3
 * name a member directly.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

#define LEVELS 2

struct ends {
	struct scenario_end *items;
	uint32_t count;
	uint32_t size;
};

struct level {
	uint32_t count;
	const char *noun;
	const struct raw_texts *names; /* of ports; NULL: they have numbers alone */
};

/* What a name stands for: levels that brackets pick from, and where the first of all is. */
struct named {
	const char *name;
	bool is_switch;
	bool ports_last; /* the last level are ports: others are nodes in order */
	uint32_t first;  /* host or switch */
	uint32_t depth;
	struct level levels[LEVELS];
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

struct raw_switch *
config_raw_switch(const struct config *c, uint32_t index)
{
	uint32_t low = 0, high = c->raw.switches.count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (RAW_AT(c->raw.switches, struct raw_switch, middle)->first <= index)
			low = middle;
		else
			high = middle;
	}
	return RAW_AT(c->raw.switches, struct raw_switch, low);
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

static void
name_hosts(const struct raw_host *h, struct named *out)
{
	*out = (struct named){.name = h->item.name, .first = h->first, .depth = 1};
	out->levels[0] = (struct level){config_host_servers(h), "hosts"};
	if (h->nics == CONFIG_AUTO)
		return;
	out->depth = 2;
	out->levels[0].noun = "servers";
	out->levels[1] = (struct level){(uint32_t)h->nics, "NICs"};
}

static void
name_switches(const struct raw_switch *sw, struct named *out)
{
	const struct level ports = {(uint32_t)sw->ports, "ports", &sw->port_names};

	*out = (struct named){
		.name = sw->item.name,
		.is_switch = true,
		.ports_last = true,
		.first = sw->first,
		.depth = 1,
		.levels = {ports},
	};
	if (sw->count == CONFIG_AUTO)
		return;
	out->depth = 2;
	out->levels[0] = (struct level){(uint32_t)sw->count, "switches"};
	out->levels[1] = ports;
}

/* A group, or a single node, by the first `bytes` of a name. */
static bool
find_group(const struct config *c, const char *name, size_t bytes, struct named *out)
{
	for (uint32_t i = 0; i < c->raw.hosts.count; i++) {
		const struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, i);

		if (strncmp(h->item.name, name, bytes) == 0 && h->item.name[bytes] == '\0') {
			name_hosts(h, out);
			return true;
		}
	}
	for (uint32_t i = 0; i < c->raw.switches.count; i++) {
		const struct raw_switch *sw = RAW_AT(c->raw.switches, struct raw_switch, i);

		if (strncmp(sw->item.name, name, bytes) == 0 && sw->item.name[bytes] == '\0') {
			name_switches(sw, out);
			return true;
		}
	}
	return false;
}

/* The number at the end of name[0..bytes), as names are made: no leading zero. */
static bool
cut_number(const char *name, size_t *bytes, uint32_t *number)
{
	size_t digits = 0;
	uint64_t n = 0, scale = 1;

	for (; digits < *bytes && digits < 9; digits++, scale *= 10) {
		char ch = name[*bytes - digits - 1];

		if (ch < '0' || ch > '9')
			break;
		n += scale * (uint64_t)(ch - '0');
	}
	if (digits == 0 || digits == *bytes || (digits > 1 && name[*bytes - digits] == '0'))
		return false;
	*bytes -= digits;
	*number = (uint32_t)n;
	return true;
}

/* What is left of a group once its first level is settled. */
static bool
take_member(struct named *named, uint32_t number)
{
	uint32_t each = 1;

	if (number >= named->levels[0].count)
		return false;
	if (named->depth == 2 && !named->ports_last)
		each = named->levels[1].count;
	named->first += number * each;
	named->levels[0] = named->levels[1];
	named->depth--;
	return true;
}

static bool
is_group(const struct named *named)
{
	return !named->is_switch || named->depth == 2;
}

/* "leaf3", "h3", "gpu7", "gpu7-3" */
static bool
find_member(const struct config *c, const char *name, size_t bytes, struct named *out)
{
	uint32_t last, number;

	if (!cut_number(name, &bytes, &last))
		return false;
	if (find_group(c, name, bytes, out))
		return is_group(out) && take_member(out, last);
	if (bytes < 2 || name[--bytes] != '-' || !cut_number(name, &bytes, &number))
		return false;
	return find_group(c, name, bytes, out) && out->depth == 2 && !out->is_switch &&
	       take_member(out, number) && take_member(out, last);
}

bool
config_is_member(const struct config *c, const char *name)
{
	struct named named;

	return find_member(c, name, strlen(name), &named);
}

/* The first and the last member of the group that a name may have been meant to be of. */
static bool
name_members(const struct config *c, const char *name, bool hosts_only, char *out, size_t out_bytes)
{
	size_t bytes = strlen(name);
	struct named named;
	uint32_t number;

	if (!cut_number(name, &bytes, &number))
		return false;
	if (bytes > 1 && name[bytes - 1] == '-') {
		bytes--;
		if (!cut_number(name, &bytes, &number))
			return false;
	}
	if (!find_group(c, name, bytes, &named) || !is_group(&named) ||
	    (hosts_only && named.is_switch) || named.levels[0].count < 2)
		return false;
	if (named.depth == 2 && !named.is_switch)
		snprintf(out, out_bytes, "%.*s0-0 to %.*s%u-%u", (int)bytes, name, (int)bytes, name,
			 named.levels[0].count - 1, named.levels[1].count - 1);
	else
		snprintf(out, out_bytes, "%.*s0 to %.*s%u", (int)bytes, name, (int)bytes, name,
			 named.levels[0].count - 1);
	return true;
}

static int
fail_unknown(struct config *c, const struct raw_text *text, const char *name, bool hosts_only)
{
	const char *known[64], *nearest, *what = hosts_only ? "host" : "host or switch";
	char members[160];
	uint32_t count = 0;

	if (name_members(c, name, hosts_only, members, sizeof(members)))
		return config_fail(&c->error, &text->mark, "there is no %s \"%.31s\"; there are %s",
				   what, name, members);
	for (uint32_t i = 0; i < c->raw.hosts.count && count < 64; i++)
		known[count++] = RAW_AT(c->raw.hosts, struct raw_host, i)->item.name;
	for (uint32_t i = 0; i < c->raw.switches.count && count < 64; i++)
		known[count++] = RAW_AT(c->raw.switches, struct raw_switch, i)->item.name;
	nearest = config_nearest(name, known, count);
	if (nearest != NULL)
		return config_fail(&c->error, &text->mark,
				   "there is no %s \"%.31s\"; did you mean %s?", what, name,
				   nearest);
	return config_fail(&c->error, &text->mark, "there is no %s \"%.31s\"", what, name);
}

/* Numbers of one bracket: spans in the order they are written. */
struct spans {
	uint32_t (*items)[2];
	uint32_t count;
};

static int
fail_spans(struct config *c, const struct raw_text *text, const char *name)
{
	return config_fail(&c->error, &text->mark,
			   "\"%.40s\" selects nothing; write %s[0-3] or %s[0,2,5-7]", text->text,
			   name, name);
}

/* A port by its name on the switch: "Ethernet4". */
static bool
find_port(const struct level *level, const char *name, uint32_t *port)
{
	uint32_t count = level->names == NULL ? 0 : level->names->count;

	for (*port = 0; *port < count; (*port)++)
		if (strcmp(level->names->items[*port].text, name) == 0)
			return true;
	return false;
}

/* "[0-3,7]" at *p, which is moved behind it. */
static int
read_bracket(struct config *c, const struct raw_text *text, const char **p, const char *name,
	     const struct level *level, struct spans *spans)
{
	const char *at = *p + 1;
	char span[32];

	spans->items = config_arena_alloc(&c->arena, (strlen(at) + 1) * sizeof(*spans->items));
	spans->count = 0;
	if (strncmp(at, "*]", 2) == 0) {
		spans->items[spans->count][0] = 0;
		spans->items[spans->count++][1] = level->count - 1;
		*p = at + 2;
		return 0;
	}
	for (;;) {
		size_t n = strcspn(at, ",]");
		uint32_t first, last;

		if (n >= sizeof(span) || at[n] == '\0' || n == 0)
			return fail_spans(c, text, name);
		memcpy(span, at, n);
		span[n] = '\0';
		if (find_port(level, span, &first))
			last = first;
		else if (!config_parse_span(span, UINT32_MAX, &first, &last))
			return fail_spans(c, text, name);
		if (last >= level->count)
			return config_fail(&c->error, &text->mark, "%s: %s has %s 0 to %u",
					   text->text, name, level->noun, level->count - 1);
		spans->items[spans->count][0] = first;
		spans->items[spans->count++][1] = last;
		at += n + 1;
		if (at[-1] == ']')
			break;
	}
	*p = at;
	return 0;
}

static uint64_t
spans_total(const struct spans *spans)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < spans->count; i++)
		total += spans->items[i][1] - spans->items[i][0] + 1;
	return total;
}

static void
add_inner(struct config *c, const struct named *named, const struct spans *inner, uint32_t outer,
	  struct ends *ends)
{
	for (uint32_t i = 0; i < inner->count; i++) {
		for (uint32_t n = inner->items[i][0]; n <= inner->items[i][1]; n++) {
			if (named->ports_last)
				add_end(c, ends, true, named->first + outer, n);
			else
				add_end(c, ends, false,
					named->first +
						outer * named->levels[named->depth - 1].count + n,
					0);
		}
	}
}

/* The brackets after a name; what they leave out is taken whole. */
static int
select_levels(struct config *c, const struct raw_text *text, const char *p,
	      const struct named *named, const char *name, struct ends *ends)
{
	uint32_t whole[LEVELS][1][2] = {{{0, 0}}};
	struct spans spans[LEVELS];
	uint64_t total = 1;

	for (uint32_t i = 0; i < named->depth; i++) {
		whole[i][0][1] = named->levels[i].count - 1;
		spans[i] = (struct spans){whole[i], 1};
		if (*p == '[') {
			int rc = read_bracket(c, text, &p, name, &named->levels[i], &spans[i]);

			if (rc != 0)
				return rc;
		}
		total *= spans_total(&spans[i]);
	}
	if (*p != '\0')
		return fail_spans(c, text, name);
	if (ends->count + total > CONFIG_MAX_ENDS)
		return config_fail(&c->error, &text->mark, "more than %u selected",
				   CONFIG_MAX_ENDS);
	if (named->depth == 0)
		add_end(c, ends, named->is_switch, named->first, 0);
	else if (named->depth == 1)
		add_inner(c, named, &spans[0], 0, ends);
	for (uint32_t i = 0; named->depth == 2 && i < spans[0].count; i++)
		for (uint32_t n = spans[0].items[i][0]; n <= spans[0].items[i][1]; n++)
			add_inner(c, named, &spans[1], n, ends);
	return 0;
}

static int
select_text(struct config *c, const struct raw_text *text, bool hosts_only, struct ends *ends)
{
	size_t n = strcspn(text->text, "[");
	char *name = config_arena_copy(&c->arena, text->text, n);
	struct named named;

	if (!find_group(c, name, n, &named) && !find_member(c, name, n, &named))
		return fail_unknown(c, text, name, hosts_only);
	if (named.is_switch && hosts_only)
		return config_fail(&c->error, &text->mark,
				   "%s is a switch; only hosts send and receive", name);
	return select_levels(c, text, text->text + n, &named, name, ends);
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

int
config_select_ports(const struct scenario *s, const char *selection, const char *place,
		    struct scenario_end **ends, uint32_t *count, char *why, size_t why_bytes)
{
	struct config *c = s->config;
	const struct config_error before = c->error;
	struct raw_text text = {.text = selection, .mark = {.file = place}};
	struct raw_texts texts = {.items = &text, .count = 1};
	int rc;

	c->error = (struct config_error){.text = why, .bytes = why_bytes};
	rc = config_select(c, &texts, false, ends, count);
	c->error = before;
	return rc;
}
