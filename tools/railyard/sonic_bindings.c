/* SPDX-License-Identifier: BSD-3-Clause */
/* What ports, priority groups and queues are bound to: read by port, written by what is alike. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

#define PORTS(key, port) ((key).ports[(port) / 64] >> (port) % 64 & 1)

static void
bind(struct sonic *s, const struct sonic_key *key, size_t offset, const char *name)
{
	for (uint32_t port = 0; name != NULL && port < s->port_count; port++) {
		const char **slots = (const char **)(void *)((char *)&s->ports[port] + offset);

		for (uint32_t n = 0; PORTS(*key, port) && n < SONIC_CLASSES; n++)
			if (key->classes >> n & 1)
				slots[n] = name;
	}
}

/* BUFFER_PG or BUFFER_QUEUE. "NULL" for a PG: the dynamic model is to make its profile. */
static int
read_buffers(struct sonic *s, const char *name, size_t offset)
{
	static const char *const fields[] = {"profile", NULL};
	const struct config_node *table = sonic_table(s, name);

	for (uint32_t i = 0; i < table->count; i++) {
		const struct config_entry *row = &table->entries[i];
		const char *profile = sonic_field(row->value, "profile");
		struct sonic_key key;
		int rc = sonic_read_key(s, row, true, &key);

		if (rc == 0)
			rc = sonic_known_fields(s, row->value, fields);
		if (rc == 0 && profile == NULL)
			rc = config_fail(&s->c->error, &row->value->mark, "has no profile");
		if (rc == 0 && strcmp(profile, "NULL") != 0)
			rc = sonic_reference(s, row->value, "profile", "BUFFER_PROFILE", &profile);
		if (rc != 0)
			return rc;
		bind(s, &key, offset, profile);
	}
	return 0;
}

static int
read_queues(struct sonic *s)
{
	static const char *const fields[] = {"scheduler", "wred_profile", NULL};
	const struct config_node *table = sonic_table(s, "QUEUE");

	for (uint32_t i = 0; i < table->count; i++) {
		const struct config_entry *row = &table->entries[i];
		const char *scheduler = NULL, *wred = NULL;
		struct sonic_key key;
		int rc = sonic_read_key(s, row, true, &key);

		if (rc == 0)
			rc = sonic_known_fields(s, row->value, fields);
		if (rc == 0)
			rc = sonic_reference(s, row->value, "scheduler", "SCHEDULER", &scheduler);
		if (rc == 0)
			rc = sonic_reference(s, row->value, "wred_profile", "WRED_PROFILE", &wred);
		if (rc != 0)
			return rc;
		bind(s, &key, offsetof(struct sonic_port, scheduler), scheduler);
		bind(s, &key, offsetof(struct sonic_port, wred), wred);
	}
	return 0;
}

static int
read_port_maps(struct sonic *s)
{
	const struct config_node *table = sonic_table(s, "PORT_QOS_MAP");

	for (uint32_t i = 0; i < table->count; i++) {
		const struct config_entry *row = &table->entries[i];
		const char *enable = sonic_field(row->value, "pfc_enable");
		struct sonic_key key;
		uint8_t mask = 0;
		int rc;

		if (strcmp(row->key, "global") == 0)
			continue;
		rc = sonic_read_key(s, row, false, &key);
		if (rc == 0 && enable != NULL && enable[0] != '\0')
			rc = sonic_classes(s, &row->value->mark, enable, &mask);
		if (rc != 0)
			return rc;
		for (uint32_t port = 0; port < s->port_count; port++) {
			if (!PORTS(key, port))
				continue;
			s->ports[port].qos = row->value;
			s->ports[port].pfc_enable = mask;
			s->has_qos = true;
		}
	}
	return 0;
}

static const char *const limit_tables[2] = {"BUFFER_PORT_INGRESS_PROFILE_LIST",
					    "BUFFER_PORT_EGRESS_PROFILE_LIST"};

static int
read_limits(struct sonic *s, int side)
{
	static const char *const fields[] = {"profile_list", NULL};
	const struct config_node *table = sonic_table(s, limit_tables[side]);

	for (uint32_t i = 0; i < table->count; i++) {
		struct sonic_key key;
		int rc = sonic_read_key(s, &table->entries[i], false, &key);

		if (rc == 0)
			rc = sonic_known_fields(s, table->entries[i].value, fields);
		if (rc != 0)
			return rc;
		for (uint32_t port = 0; port < s->port_count; port++)
			if (PORTS(key, port))
				s->ports[port].limits[side] = table->entries[i].value;
	}
	return 0;
}

/* "a,b" or "[BUFFER_PROFILE|a],[BUFFER_PROFILE|b]" */
int
sonic_write_limits(struct sonic *s, const struct sonic_port *p, struct config_node *out)
{
	static const char *const keys[2] = {"ingress_profiles", "egress_profiles"};

	for (int side = 0; side < 2; side++) {
		const struct config_node *row = p->limits[side];
		const char *text = sonic_field(row, "profile_list");
		struct config_node *list;

		if (text == NULL || text[0] == '\0')
			continue;
		list = sonic_put_map(s, out, keys[side], CONFIG_LIST, &row->mark);
		while (text != NULL) {
			size_t n = strcspn(text, ",");
			struct config_node *one = sonic_map(s, &row->mark);
			const char *profile = NULL;
			int rc;

			sonic_put(s, one, "profile_list", &row->mark, "%.*s", (int)n, text);
			rc = sonic_reference(s, one, "profile_list", "BUFFER_PROFILE", &profile);
			if (rc != 0)
				return rc;
			sonic_put(s, list, NULL, &row->mark, "%s", sonic_name(s, profile));
			text = text[n] == ',' ? text + n + 1 : NULL;
		}
	}
	return 0;
}

int
sonic_read_bindings(struct sonic *s)
{
	int rc = read_buffers(s, "BUFFER_PG", offsetof(struct sonic_port, pg));

	if (rc == 0)
		rc = read_buffers(s, "BUFFER_QUEUE", offsetof(struct sonic_port, queue));
	if (rc == 0)
		rc = read_queues(s);
	if (rc == 0)
		rc = read_limits(s, 0);
	if (rc == 0)
		rc = read_limits(s, 1);
	return rc != 0 ? rc : read_port_maps(s);
}

/* What a class of a port is bound to; entries of the same are one entry of the output. */
struct bound {
	const char *what[3]; /* profile, scheduler, WRED; of PGs the profile alone */
	uint8_t classes;
	uint64_t ports[SWITCH_MAX_PORTS / 64];
};

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static struct bound
bound_of(const struct sonic_port *p, bool queue, uint32_t n)
{
	if (queue)
		return (struct bound){.what = {p->queue[n], p->scheduler[n], p->wred[n]}};
	return (struct bound){
		.what = {p->pg[n] != NULL && strcmp(p->pg[n], "NULL") != 0 ? p->pg[n] : NULL}};
}

static bool
same_bound(const struct bound *a, const struct bound *b)
{
	return same_text(a->what[0], b->what[0]) && same_text(a->what[1], b->what[1]) &&
	       same_text(a->what[2], b->what[2]);
}

static void
write_bound(struct sonic *s, struct config_node *list, bool queue, const struct bound *b)
{
	static const char *const keys[3] = {"profile", "scheduler", "wred"};
	const uint64_t classes = b->classes;
	const struct config_mark mark = {
		.file = sonic_print(s, "%s: %s", s->options->mark.file,
				    queue ? "BUFFER_QUEUE and QUEUE" : "BUFFER_PG")};
	struct config_node *entry = sonic_put_map(s, list, NULL, CONFIG_MAP, &mark);

	sonic_put(s, entry, "ports", &mark, "%s", sonic_span(s, b->ports, s->port_count));
	sonic_put(s, entry, queue ? "queues" : "pgs", &mark, "%s",
		  sonic_span(s, &classes, SONIC_CLASSES));
	for (int i = 0; i < 3; i++)
		if (b->what[i] != NULL)
			sonic_put(s, entry, keys[i], &mark, "%s", sonic_name(s, b->what[i]));
}

/* One entry for all ports that have the same classes bound to the same. */
static void
write_list(struct sonic *s, const char *key, bool queue)
{
	struct config_node *list = sonic_put_map(s, s->out, key, CONFIG_LIST, &s->options->mark);
	struct bound *all = CONFIG_NEW(s->c, struct bound, s->port_count * SONIC_CLASSES);
	uint32_t count = 0;

	for (uint32_t port = 0; port < s->port_count; port++) {
		uint8_t done = 0;

		for (uint32_t n = 0; n < SONIC_CLASSES; n++) {
			struct bound b = bound_of(&s->ports[port], queue, n);
			uint32_t i = 0;

			if (done >> n & 1 || (!b.what[0] && !b.what[1] && !b.what[2]))
				continue;
			for (uint32_t m = n; m < SONIC_CLASSES; m++) {
				const struct bound other = bound_of(&s->ports[port], queue, m);

				if (same_bound(&b, &other))
					b.classes |= (uint8_t)(1u << m);
			}
			done |= b.classes;
			while (i < count &&
			       (!same_bound(&all[i], &b) || all[i].classes != b.classes))
				i++;
			if (i == count)
				all[count++] = b;
			all[i].ports[port / 64] |= 1ULL << port % 64;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		write_bound(s, list, queue, &all[i]);
}

int
sonic_write_bindings(struct sonic *s)
{
	write_list(s, "pgs", false);
	write_list(s, "queues", true);
	return 0;
}
