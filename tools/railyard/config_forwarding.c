/* SPDX-License-Identifier: BSD-3-Clause */
/* Static forwarding entries and routes from the file. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

static bool
parse_mac(const char *text, uint8_t mac[6])
{
	unsigned int b[6];
	int used = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &used) != 6 ||
	    text[used] != '\0')
		return false;
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	return true;
}

static bool
parse_prefix(const char *text, struct route_cfg *route)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t n = slash != NULL ? (size_t)(slash - text) : strlen(text);
	unsigned long bits;
	char *end;

	if (n >= sizeof(address))
		return false;
	memcpy(address, text, n);
	address[n] = '\0';
	route->is_ipv6 = strchr(address, ':') != NULL;
	if (inet_pton(route->is_ipv6 ? AF_INET6 : AF_INET, address, route->address) != 1)
		return false;
	route->prefix_bits = route->is_ipv6 ? 128 : 32;
	if (slash == NULL)
		return true;
	bits = strtoul(slash + 1, &end, 10);
	if (slash[1] < '0' || slash[1] > '9' || *end != '\0' || bits > route->prefix_bits)
		return false;
	route->prefix_bits = (uint8_t)bits;
	return true;
}

static int
resolve_statics(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	const struct raw_array *list = &raw->forwarding.statics;

	sw->statics = calloc(list->count + 1, sizeof(*sw->statics));
	if (sw->statics == NULL)
		return config_fail(&c->error, &raw->item.mark, "out of memory");
	for (uint32_t i = 0; i < list->count; i++) {
		const struct raw_static *r = RAW_AT(*list, struct raw_static, i);
		struct config_mark mark = config_item_mark(&r->item, "mac");
		struct fdb_entry_cfg *e = &sw->statics[i];

		if (!parse_mac(r->mac, e->mac))
			return config_fail(&c->error, &mark,
					   "mac: \"%.40s\" is not an address such as "
					   "02:00:00:00:00:01",
					   r->mac);
		mark = config_item_mark(&r->item, "port");
		if (r->port >= raw->ports)
			return config_fail(&c->error, &mark,
					   "port: there is no port %u; %s has ports 0 to %u",
					   (unsigned int)r->port, raw->item.name,
					   (unsigned int)raw->ports - 1);
		e->vlan = (uint16_t)r->vlan;
		e->port = (uint16_t)r->port;
	}
	sw->cfg.forwarding.statics = sw->statics;
	sw->cfg.forwarding.static_count = list->count;
	return 0;
}

static int
resolve_members(struct config *c, struct raw_switch *raw, const struct raw_route *r,
		struct next_hop_cfg *hop)
{
	struct config_mark mark = config_item_mark(&r->item, "ports");

	for (uint32_t port = 0; port < raw->ports; port++) {
		if (!config_range_has(&r->ports, port))
			continue;
		if (hop->member_count == FORWARDING_MAX_MEMBERS)
			return config_fail(&c->error, &mark, "ports: more than %u members",
					   FORWARDING_MAX_MEMBERS);
		hop->ports[hop->member_count++] = (uint16_t)port;
	}
	if (r->macs.count == 0)
		return 0; /* zero: the builder puts in what is linked to the port */
	mark = config_item_mark(&r->item, "macs");
	if (r->macs.count != hop->member_count)
		return config_fail(&c->error, &mark, "macs: %u for %u ports; give one a port",
				   r->macs.count, hop->member_count);
	for (uint32_t i = 0; i < r->macs.count; i++)
		if (!parse_mac(r->macs.items[i].text, hop->mac[i]))
			return config_fail(&c->error, &r->macs.items[i].mark,
					   "macs: \"%.40s\" is not an address such as "
					   "02:00:00:00:00:01",
					   r->macs.items[i].text);
	return 0;
}

static int
resolve_routes(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	const struct raw_array *list = &raw->forwarding.routes;

	sw->routes = calloc(list->count + 1, sizeof(*sw->routes));
	if (sw->routes == NULL)
		return config_fail(&c->error, &raw->item.mark, "out of memory");
	for (uint32_t i = 0; i < list->count; i++) {
		const struct raw_route *r = RAW_AT(*list, struct raw_route, i);
		struct config_mark mark = config_item_mark(&r->item, "prefix");
		int rc;

		if (!parse_prefix(r->prefix, &sw->routes[i]))
			return config_fail(
				&c->error, &mark,
				"prefix: \"%.60s\" is not a prefix such as 10.1.0.0/16 or "
				"fd00::/64",
				r->prefix);
		rc = resolve_members(c, raw, r, &sw->routes[i].hop);
		if (rc != 0)
			return rc;
	}
	sw->cfg.forwarding.routes = sw->routes;
	sw->cfg.forwarding.route_count = list->count;
	return 0;
}

int
config_resolve_forwarding(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	int rc;

	sw->learn = raw->forwarding.learn == 1;
	sw->cfg.forwarding.layer3 = raw->forwarding.mode == 1;
	sw->cfg.forwarding.fdb_size = (uint32_t)raw->forwarding.table_size;
	sw->cfg.forwarding.aging_ps = raw->forwarding.aging_ps;
	sw->cfg.forwarding.hash_seed = c->scenario->seed + (uint64_t)(sw - c->scenario->switches);
	rc = resolve_statics(c, raw, sw);
	return rc != 0 ? rc : resolve_routes(c, raw, sw);
}
