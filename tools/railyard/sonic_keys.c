/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of rows about ports: "Ethernet0|3-4", lists of ports in older files
 * ("Ethernet0,Ethernet4|3-4"), and on chassis with virtual output queues "host|asic|Ethernet0|3-4",
 * which are the queues of every switch of the chassis towards that port.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sonic.h"

static const char *const unit_tables[] = {"BUFFER_QUEUE", "QUEUE", "BUFFER_PG", NULL};

/* How many | are in the key. */
static uint32_t
count_bars(const char *key)
{
	uint32_t n = 0;

	for (; *key != '\0'; key++)
		n += *key == '|';
	return n;
}

/* The first two tokens of a key of four. */
static const char *
unit_of(struct sonic *s, const char *key)
{
	const char *second = strchr(key, '|') + 1;

	return config_arena_copy(&s->c->arena, key, (size_t)(strchr(second, '|') - key));
}

/* Is "host|asic0" what was asked for as "host|asic0", "asic0" or "0"? */
static bool
is_wanted(const char *unit, const char *wanted)
{
	const char *asic = strchr(unit, '|') + 1;

	if (strchr(wanted, '|') != NULL)
		return strcasecmp(unit, wanted) == 0;
	return strcasecmp(asic, wanted) == 0 ||
	       (strncasecmp(asic, "asic", 4) == 0 && strcmp(asic + 4, wanted) == 0);
}

/* By DEVICE_METADATA, whose host and ASIC the files are of. */
static bool
is_own(struct sonic *s, const char *unit)
{
	const struct config_node *device = sonic_row(s, "DEVICE_METADATA", "localhost");
	const char *host = sonic_field(device, "hostname");
	const char *asic = sonic_field(device, "asic_name");
	size_t n = strcspn(unit, "|");

	if (host == NULL || strlen(host) != n || strncmp(unit, host, n) != 0)
		return false;
	return asic == NULL || strcasecmp(unit + n + 1, asic) == 0;
}

static void
take_unit(struct sonic *s, const char *unit, bool *chosen, uint32_t *others)
{
	bool right = s->options->namespace != NULL ? is_wanted(unit, s->options->namespace)
						   : is_own(s, unit);

	if (s->unit != NULL && strcmp(s->unit, unit) == 0)
		return;
	if (s->unit != NULL)
		(*others)++;
	if (s->unit == NULL || (right && !*chosen))
		s->unit = unit;
	*chosen = *chosen || right;
}

int
sonic_choose_unit(struct sonic *s)
{
	uint32_t others = 0;
	bool chosen = false;

	for (const char *const *name = unit_tables; *name != NULL; name++) {
		const struct config_node *table = sonic_table(s, *name);

		for (uint32_t i = 0; i < table->count; i++)
			if (count_bars(table->entries[i].key) == 3)
				take_unit(s, unit_of(s, table->entries[i].key), &chosen, &others);
	}
	if (others > 0 && !chosen && s->options->namespace != NULL)
		return config_fail(&s->c->error, &s->options->mark,
				   "no queue is of \"%.60s\"; there is %s", s->options->namespace,
				   s->unit);
	if (others > 0 && !chosen)
		config_warn(s->c, &s->options->mark,
			    "queues of several switches: those towards %s are taken, others left "
			    "out; asic_namespace says which",
			    s->unit);
	return 0;
}

static int
port_named(const struct sonic *s, const char *name)
{
	for (uint32_t i = 0; i < s->port_count; i++)
		if (strcmp(s->ports[i].name, name) == 0)
			return (int)i;
	return -1;
}

void
sonic_check_members(struct sonic *s)
{
	const struct config_node *table = sonic_table(s, "PORTCHANNEL_MEMBER");

	for (uint32_t i = 0; s->has_ports && i < table->count; i++) {
		const struct config_entry *e = &table->entries[i];
		const char *name = strchr(e->key, '|');

		name = name != NULL ? name + 1 : "";
		if (port_named(s, name) < 0 && !sonic_is_internal(s, name))
			config_warn(s->c, &e->value->mark,
				    "there is no port \"%.40s\" in PORT: this member is left out",
				    name);
	}
}

/* Members carry what a port channel is given. */
static bool
add_members(struct sonic *s, const char *channel, struct sonic_key *key)
{
	const struct config_node *table = sonic_table(s, "PORTCHANNEL_MEMBER");
	size_t n = strlen(channel);
	bool any = false;

	for (uint32_t i = 0; i < table->count; i++) {
		const char *member = table->entries[i].key;
		int port;

		if (strncmp(member, channel, n) != 0 || member[n] != '|')
			continue;
		port = port_named(s, member + n + 1);
		if (port >= 0)
			key->ports[port / 64] |= 1ULL << port % 64;
		any = any || port >= 0;
	}
	return any;
}

static int
add_port(struct sonic *s, const struct config_entry *row, const char *name, struct sonic_key *key)
{
	int port = port_named(s, name);

	if (port >= 0)
		key->ports[port / 64] |= 1ULL << port % 64;
	else if (!sonic_is_internal(s, name) && !add_members(s, name, key))
		return config_fail(&s->c->error, &row->value->mark,
				   "there is no port %.40s in PORT", name);
	return 0;
}

/* "Ethernet0,Ethernet4" */
static int
add_ports(struct sonic *s, const struct config_entry *row, const char *text, size_t bytes,
	  struct sonic_key *key)
{
	const char *end = text + bytes;

	while (text <= end) {
		size_t n = strcspn(text, ",|");
		int rc;

		if (n == 0 || text + n > end)
			return config_fail(&s->c->error, &row->value->mark,
					   "the key names no port");
		rc = add_port(s, row, config_arena_copy(&s->c->arena, text, n), key);
		if (rc != 0)
			return rc;
		text += n + 1;
	}
	return 0;
}

int
sonic_read_key(struct sonic *s, const struct config_entry *row, bool has_classes,
	       struct sonic_key *key)
{
	const char *text = row->key, *classes = strrchr(text, '|');
	uint32_t bars = count_bars(text);

	*key = (struct sonic_key){.classes = 0};
	if (bars == 3 && has_classes) {
		if (s->unit == NULL || strcmp(unit_of(s, text), s->unit) != 0)
			return 0;
		text = strchr(strchr(text, '|') + 1, '|') + 1;
	} else if (bars != (has_classes ? 1 : 0)) {
		return config_fail(&s->c->error, &row->value->mark,
				   has_classes
					   ? "a key here is port|number or host|asic|port|number"
					   : "a key here is a port");
	}
	if (has_classes) {
		int rc = sonic_classes(s, &row->value->mark, classes + 1, &key->classes);

		if (rc != 0)
			return rc;
	}
	return add_ports(s, row, text, has_classes ? (size_t)(classes - text) : strlen(text), key);
}
