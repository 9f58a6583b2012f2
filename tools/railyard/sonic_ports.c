/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports: those of PORT, in the order of the numbers in their names. Files without PORT (a
 * buffers.json alone) name their ports in other tables, and do not say their speeds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonic.h"
#include "units.h"

#define DEFAULT_SPEED_MBPS 100000
#define DEFAULT_MTU 9100

/* Ports between the parts of a chassis, which carry no traffic of a user: recycle and inband. */
bool
sonic_is_internal(const struct sonic *s, const char *name)
{
	const char *role = sonic_field(sonic_row(s, "PORT", name), "role");

	if (role != NULL && (strcmp(role, "Rec") == 0 || strcmp(role, "Inb") == 0))
		return true;
	return strncmp(name, "Ethernet-Rec", 12) == 0 || strncmp(name, "Ethernet-IB", 11) == 0 ||
	       strcmp(name, "CPU") == 0;
}

static int
add_port(struct sonic *s, const struct config_mark *mark, const char *name)
{
	size_t letters = strcspn(name, "0123456789");

	for (uint32_t i = 0; i < s->port_count; i++)
		if (strcmp(s->ports[i].name, name) == 0)
			return 0;
	if (sonic_is_internal(s, name))
		return 0;
	if (strlen(name) > 31 || strpbrk(name, ",[]| \"") != NULL || name[0] == '\0')
		return config_fail(&s->c->error, mark, "\"%.40s\" is no name of a port", name);
	if (s->port_count == SWITCH_MAX_PORTS)
		return config_fail(&s->c->error, mark, "more than %u ports", SWITCH_MAX_PORTS);
	s->ports[s->port_count++] = (struct sonic_port){
		.name = name,
		.mark = *mark,
		.number = (uint32_t)strtoul(name + letters, NULL, 10),
		.lanes = 4,
		.mtu_bytes = DEFAULT_MTU,
		.up = true,
	};
	return 0;
}

static int
compare_ports(const void *a, const void *b)
{
	const struct sonic_port *p = a, *q = b;
	size_t n = strcspn(p->name, "0123456789"), m = strcspn(q->name, "0123456789");
	int letters = strncmp(p->name, q->name, n < m ? m : n);

	if (n == m && strncmp(p->name, q->name, n) == 0 && p->number != q->number)
		return p->number < q->number ? -1 : 1;
	return letters != 0 ? letters : strcmp(p->name, q->name);
}

static int
read_port(struct sonic *s, struct sonic_port *p, const struct config_node *row)
{
	const char *lanes = sonic_field(row, "lanes"), *status = sonic_field(row, "admin_status");
	int rc = sonic_number(s, row, "speed", 10000000, 0, &p->speed_mbps);

	if (rc == 0 && p->speed_mbps == 0 && sonic_field(row, "speed") != NULL)
		return config_fail(&s->c->error, &row->mark,
				   "speed: takes Mb/s, 1 or more, such as 100000");
	if (rc == 0)
		rc = sonic_number(s, row, "mtu", 16384 - 22, DEFAULT_MTU, &p->mtu_bytes);
	if (rc != 0)
		return rc;
	if (lanes != NULL) {
		p->lanes = 1;
		for (; *lanes != '\0'; lanes++)
			p->lanes += *lanes == ',';
	}
	if (p->lanes > 16)
		return config_fail(&s->c->error, &p->mark, "lanes: more than 16");
	p->up = status == NULL || strcmp(status, "down") != 0;
	return 0;
}

/* Names of ports in keys of tables: "Ethernet0", "Ethernet0,Ethernet4|3-4". */
static int
add_from_keys(struct sonic *s, const char *name, uint32_t bars)
{
	const struct config_node *table = sonic_table(s, name);

	for (uint32_t i = 0; i < table->count; i++) {
		const struct config_entry *e = &table->entries[i];
		const char *p = e->key;

		if (strchr(p, '|') != NULL && strchr(strchr(p, '|') + 1, '|') != NULL) {
			if (s->unit == NULL || strncmp(p, s->unit, strlen(s->unit)) != 0)
				continue;
			p += strlen(s->unit) + 1;
		} else if ((strchr(p, '|') != NULL) != (bars == 1)) {
			continue; /* reading its key says what is wrong */
		}
		if (strcmp(p, "global") == 0)
			continue;
		for (;;) {
			size_t n = strcspn(p, ",|");
			int rc =
				add_port(s, &e->value->mark, config_arena_copy(&s->c->arena, p, n));

			if (rc != 0)
				return rc;
			if (p[n] != ',')
				break;
			p += n + 1;
		}
	}
	return 0;
}

static int
add_unlisted(struct sonic *s)
{
	const struct config_node *cables = sonic_table(s, "CABLE_LENGTH");
	int rc = add_from_keys(s, "PORT_QOS_MAP", 0);
	bool from_cables;

	if (rc == 0)
		rc = add_from_keys(s, "BUFFER_PG", 1);
	if (rc == 0)
		rc = add_from_keys(s, "BUFFER_QUEUE", 1);
	if (rc == 0)
		rc = add_from_keys(s, "QUEUE", 1);
	from_cables = s->port_count == 0 && cables->count > 0;
	/* It has ports that other tables say nothing of, and that are not in use. */
	for (uint32_t i = 0; rc == 0 && from_cables && i < cables->entries[0].value->count; i++)
		rc = add_port(s, &cables->entries[0].value->mark,
			      cables->entries[0].value->entries[i].key);
	return rc;
}

static int
read_cables(struct sonic *s)
{
	const struct config_node *table = sonic_table(s, "CABLE_LENGTH");
	const struct config_node *row = table->count > 0 ? table->entries[0].value : NULL;

	if (table->count > 1)
		return config_fail(&s->c->error, &table->entries[1].value->mark,
				   "a second row; %s is the one that counts",
				   table->entries[0].key);
	for (uint32_t i = 0; i < s->port_count; i++) {
		struct sonic_port *p = &s->ports[i];
		uint64_t cable_mm;
		char why[160];

		p->cable = sonic_field(row, p->name);
		if (p->cable == NULL || config_unit_parse(CONFIG_UNIT_LENGTH, p->cable, &cable_mm,
							  why, sizeof(why)) == 0)
			continue;
		return config_fail(&s->c->error, &row->mark, "%s: %s", p->name, why);
	}
	return 0;
}

/* Ports of which nothing says the speed. */
static void
fill_speeds(struct sonic *s)
{
	uint64_t speed_mbps =
		s->options->rate_bps != 0 ? s->options->rate_bps / 1000000 : DEFAULT_SPEED_MBPS;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->port_count; i++) {
		if (s->ports[i].speed_mbps != 0)
			continue;
		s->ports[i].speed_mbps = speed_mbps;
		count++;
	}
	if (count > 0 && s->options->rate_bps == 0)
		config_warn(s->c, &s->options->mark,
			    "%s: %u ports of 100Gbps are assumed; give the file with PORT, or rate",
			    s->has_ports ? "PORT has no speed" : "there is no PORT", count);
}

int
sonic_read_ports(struct sonic *s)
{
	const struct config_node *table = sonic_table(s, "PORT");
	int rc = 0;

	s->has_ports = table->count > 0;
	s->ports = CONFIG_NEW(s->c, struct sonic_port, SWITCH_MAX_PORTS);
	for (uint32_t i = 0; i < table->count && rc == 0; i++)
		rc = add_port(s, &table->entries[i].value->mark, table->entries[i].key);
	if (rc == 0 && !s->has_ports)
		rc = add_unlisted(s);
	if (rc == 0 && s->port_count == 0)
		rc = config_fail(&s->c->error, &s->options->mark,
				 "the files name no port: there is no PORT, and no row about one");
	if (rc != 0)
		return rc;
	qsort(s->ports, s->port_count, sizeof(*s->ports), compare_ports);
	for (uint32_t i = 0; i < s->port_count && rc == 0; i++)
		rc = read_port(s, &s->ports[i], sonic_row(s, "PORT", s->ports[i].name));
	if (rc == 0)
		rc = read_cables(s);
	if (rc == 0)
		fill_speeds(s);
	return rc;
}
