/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shortest paths from every switch to every host, breadth first from the host; ties go to the
 * link that stands first in the configuration. Each becomes a static forwarding entry (layer
 * 2) or a host route over all equally short links (layer 3).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

#define UNREACHED UINT32_MAX

struct search {
	const struct scenario *scenario;
	uint32_t *distance; /* by switch */
	uint32_t *queue;
};

/* The other end of a link as seen from a switch, or NULL when the switch is not on it. */
static const struct scenario_end *
across(const struct scenario_link *l, uint32_t sw, uint16_t *port)
{
	if (l->a.is_switch && l->a.index == sw) {
		*port = l->a.port;
		return &l->b;
	}
	if (l->b.is_switch && l->b.index == sw) {
		*port = l->b.port;
		return &l->a;
	}
	return NULL;
}

static void
search_from(struct search *q, uint32_t host)
{
	const struct scenario *s = q->scenario;
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < s->switch_count; i++)
		q->distance[i] = UNREACHED;
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];
		const struct scenario_end *end = l->a.is_switch ? &l->a : &l->b;
		const struct scenario_end *other = end == &l->a ? &l->b : &l->a;

		if (end->is_switch && !other->is_switch && other->index == host) {
			q->distance[end->index] = 0;
			q->queue[tail++] = end->index;
		}
	}
	while (head < tail) {
		uint32_t sw = q->queue[head++];

		for (uint32_t i = 0; i < s->link_count; i++) {
			uint16_t port;
			const struct scenario_end *next = across(&s->links[i], sw, &port);

			if (next == NULL || !next->is_switch ||
			    q->distance[next->index] != UNREACHED)
				continue;
			q->distance[next->index] = q->distance[sw] + 1;
			q->queue[tail++] = next->index;
		}
	}
}

/*
 * The address that a router's frame for `host` carries when it leaves for a switch: that of the
 * next router's port, or the host's own where bridges are in between (they know it, and a router
 * behind them routes whatever it gets).
 */
static const uint8_t *
address_behind(const struct scenario *s, const struct scenario_end *end, uint32_t host)
{
	const struct scenario_switch *sw = &s->switches[end->index];

	return sw->cfg.forwarding.layer3 ? sw->ports[end->port].port.mac
					 : s->hosts[host].address.mac;
}

/* The ports of `sw` on a shortest path to `host`, with the address that is behind each. */
static void
members_of(const struct search *q, uint32_t sw, uint32_t host, struct next_hop_cfg *hop)
{
	const struct scenario *s = q->scenario;

	hop->member_count = 0;
	for (uint32_t i = 0; i < s->link_count; i++) {
		const uint8_t *mac = NULL;
		uint16_t port = 0;
		const struct scenario_end *next = across(&s->links[i], sw, &port);

		if (next == NULL || hop->member_count == FORWARDING_MAX_MEMBERS)
			continue;
		if (!next->is_switch && next->index == host)
			mac = s->hosts[host].address.mac;
		else if (next->is_switch && q->distance[next->index] != UNREACHED &&
			 q->distance[next->index] + 1 == q->distance[sw])
			mac = address_behind(s, next, host);
		if (mac == NULL)
			continue;
		memcpy(hop->mac[hop->member_count], mac, 6);
		hop->ports[hop->member_count++] = port;
	}
}

/* What the configuration says of an address stands. */
static bool
has_static(const struct forwarding_cfg *f, const struct fdb_entry_cfg *entry)
{
	for (uint32_t i = 0; i < f->static_count; i++) {
		if (f->statics[i].vlan == entry->vlan &&
		    memcmp(f->statics[i].mac, entry->mac, 6) == 0)
			return true;
	}
	return false;
}

static bool
has_route(const struct forwarding_cfg *f, const struct route_cfg *route)
{
	for (uint32_t i = 0; i < f->route_count; i++) {
		const struct route_cfg *r = &f->routes[i];

		if (r->is_ipv6 == route->is_ipv6 && r->prefix_bits == route->prefix_bits &&
		    memcmp(r->address, route->address, route->is_ipv6 ? 16 : 4) == 0)
			return true;
	}
	return false;
}

static int
add_static(struct scenario_switch *sw, const struct scenario_host *host, uint16_t port)
{
	struct forwarding_cfg *f = &sw->cfg.forwarding;
	struct fdb_entry_cfg entry = {.vlan = host->cfg.has_vlan ? host->cfg.vlan_tci & 0xfff : 0,
				      .port = port};
	struct fdb_entry_cfg *grown;

	memcpy(entry.mac, host->address.mac, 6);
	if (has_static(f, &entry))
		return 0;
	grown = realloc(sw->statics, (f->static_count + 1) * sizeof(*sw->statics));
	if (grown == NULL)
		return -ENOMEM;
	sw->statics = grown;
	f->statics = grown;
	grown[f->static_count++] = entry;
	return 0;
}

static int
add_route(struct scenario_switch *sw, const struct scenario_host *host,
	  const struct next_hop_cfg *hop)
{
	struct forwarding_cfg *f = &sw->cfg.forwarding;
	struct route_cfg route = {
		.is_ipv6 = host->address.is_ipv6,
		.prefix_bits = host->address.is_ipv6 ? 128 : 32,
		.hop = *hop,
	};
	struct route_cfg *grown;

	memcpy(route.address, host->address.ip, 16);
	if (has_route(f, &route))
		return 0;
	grown = realloc(sw->routes, (f->route_count + 1) * sizeof(*sw->routes));
	if (grown == NULL)
		return -ENOMEM;
	sw->routes = grown;
	f->routes = grown;
	grown[f->route_count++] = route;
	return 0;
}

/* A configured route without next hop addresses means whatever is linked to its ports. */
static void
fill_next_hops(struct scenario *s, uint32_t sw)
{
	static const uint8_t none[6];

	for (uint32_t r = 0; r < s->switches[sw].cfg.forwarding.route_count; r++) {
		struct next_hop_cfg *hop = &s->switches[sw].routes[r].hop;

		for (uint32_t i = 0; i < s->link_count * hop->member_count; i++) {
			uint32_t member = i % hop->member_count;
			uint16_t port;
			const struct scenario_end *end =
				across(&s->links[i / hop->member_count], sw, &port);

			if (end == NULL || port != hop->ports[member] ||
			    memcmp(hop->mac[member], none, 6) != 0)
				continue;
			memcpy(hop->mac[member],
			       end->is_switch ? s->switches[end->index].ports[end->port].port.mac
					      : s->hosts[end->index].address.mac,
			       6);
		}
	}
}

static int
routes_to(struct fabric *f, struct scenario *s, const struct search *q, uint32_t host)
{
	for (uint32_t i = 0; i < s->switch_count; i++) {
		struct scenario_switch *sw = &s->switches[i];
		struct next_hop_cfg hop = {0};
		int rc = 0;

		f->egress[(size_t)i * s->host_count + host] = FABRIC_NO_PORT;
		if (q->distance[i] == UNREACHED)
			continue;
		members_of(q, i, host, &hop);
		if (hop.member_count == 0)
			continue;
		f->egress[(size_t)i * s->host_count + host] = hop.ports[0];
		if (sw->cfg.forwarding.layer3)
			rc = add_route(sw, &s->hosts[host], &hop);
		else if (!sw->learn)
			rc = add_static(sw, &s->hosts[host], hop.ports[0]);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
fabric_routes(struct fabric *f, struct scenario *s)
{
	struct search q = {.scenario = s};
	int rc = 0;

	q.distance = calloc(s->switch_count + 1, sizeof(*q.distance));
	q.queue = calloc(s->switch_count + 1, sizeof(*q.queue));
	if (q.distance == NULL || q.queue == NULL)
		rc = -ENOMEM;
	for (uint32_t i = 0; rc == 0 && i < s->switch_count; i++)
		fill_next_hops(s, i);
	for (uint32_t host = 0; rc == 0 && host < s->host_count; host++) {
		search_from(&q, host);
		rc = routes_to(f, s, &q, host);
	}
	free(q.distance);
	free(q.queue);
	return rc;
}
