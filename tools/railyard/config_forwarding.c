/* SPDX-License-Identifier: BSD-3-Clause */
/* Static forwarding entries and routes from the file. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"

bool
config_parse_mac(const char *text, uint8_t mac[6])
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

/* What frames may be sent to: one station. */
static int
read_station(struct config *c, const char *key, const char *text, const struct config_mark *mark,
	     uint8_t mac[6])
{
	if (!config_parse_mac(text, mac))
		return config_fail(&c->error, mark,
				   "%s: \"%.40s\" is not an address such as 02:00:00:00:00:01", key,
				   text);
	if (mac[0] & 1)
		return config_fail(&c->error, mark,
				   "%s: %s is a group's address (the first byte is odd); give one "
				   "station's",
				   key, text);
	return 0;
}

static int
compare_statics(const void *a, const void *b)
{
	const struct fdb_entry_cfg *x = *(const struct fdb_entry_cfg *const *)a;
	const struct fdb_entry_cfg *y = *(const struct fdb_entry_cfg *const *)b;
	int order = memcmp(x->mac, y->mac, sizeof(x->mac));

	if (order == 0)
		order = (x->vlan > y->vlan) - (x->vlan < y->vlan);
	return order != 0 ? order : (x > y) - (x < y);
}

/* An address of a VLAN is behind one port. */
static int
check_statics(struct config *c, const struct raw_switch *raw, const struct scenario_switch *sw)
{
	uint32_t count = raw->forwarding.statics.count;
	const struct fdb_entry_cfg **sorted = CONFIG_NEW(c, const struct fdb_entry_cfg *, count);

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &sw->statics[i];
	qsort(sorted, count, sizeof(sorted[0]), compare_statics);
	for (uint32_t i = 1; i < count; i++) {
		const struct fdb_entry_cfg *a = sorted[i - 1], *b = sorted[i];
		const struct raw_static *r = RAW_AT(raw->forwarding.statics, struct raw_static,
						    (uint32_t)(b - sw->statics));

		if (memcmp(a->mac, b->mac, 6) != 0 || a->vlan != b->vlan || a->port == b->port)
			continue;
		return config_fail(&c->error, &r->item.mark,
				   "static: %s of VLAN %u is behind port %u already", r->mac,
				   b->vlan, a->port);
	}
	return 0;
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

		if (read_station(c, "mac", r->mac, &mark, e->mac) != 0)
			return -EINVAL;
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
	return check_statics(c, raw, sw);
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
		if (read_station(c, "macs", r->macs.items[i].text, &r->macs.items[i].mark,
				 hop->mac[i]) != 0)
			return -EINVAL;
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
	rc = resolve_statics(c, raw, sw);
	return rc != 0 ? rc : resolve_routes(c, raw, sw);
}

int
config_copy_forwarding(struct config *c, const struct raw_switch *raw, struct scenario_switch *sw)
{
	struct forwarding_cfg *f = &sw->cfg.forwarding;
	const struct fdb_entry_cfg *statics = sw->statics;
	const struct route_cfg *routes = sw->routes;

	sw->statics = calloc(f->static_count + 1, sizeof(*statics));
	sw->routes = calloc(f->route_count + 1, sizeof(*routes));
	if (sw->statics == NULL || sw->routes == NULL)
		return config_fail(&c->error, &raw->item.mark, "out of memory");
	memcpy(sw->statics, statics, f->static_count * sizeof(*statics));
	memcpy(sw->routes, routes, f->route_count * sizeof(*routes));
	f->statics = sw->statics;
	f->routes = sw->routes;
	config_seed_balancer(c, raw, sw);
	return 0;
}
