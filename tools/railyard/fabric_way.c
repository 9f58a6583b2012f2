/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric_way.h"

#include <string.h>

static bool
matches(const struct route_cfg *r, const struct scenario_host *host)
{
	uint8_t bits = r->prefix_bits, rest = bits % 8;

	if (r->is_ipv6 != host->address.is_ipv6 ||
	    memcmp(r->address, host->address.ip, bits / 8) != 0)
		return false;
	return rest == 0 || (r->address[bits / 8] ^ host->address.ip[bits / 8]) >> (8 - rest) == 0;
}

/* What forwarding does: the longest prefix, of one length the configured route. */
static const struct route_cfg *
configured_route(const struct forwarding_cfg *f, const struct scenario_host *host)
{
	const struct route_cfg *best = NULL;

	for (uint32_t i = 0; i < f->route_count; i++) {
		const struct route_cfg *r = &f->routes[i];

		if (matches(r, host) && (best == NULL || r->prefix_bits > best->prefix_bits))
			best = r;
	}
	return best;
}

static const struct fdb_entry_cfg *
configured_entry(const struct forwarding_cfg *f, const struct scenario_host *host)
{
	uint16_t vlan = host->cfg.has_vlan ? host->cfg.vlan_tci & 0xfff : 0;

	for (uint32_t i = 0; i < f->static_count; i++) {
		if (f->statics[i].vlan == vlan &&
		    memcmp(f->statics[i].mac, host->address.mac, 6) == 0)
			return &f->statics[i];
	}
	return NULL;
}

static void
set(uint64_t *ports, uint16_t port)
{
	ports[port / 64] |= 1ull << port % 64;
}

static void
bridge_out(const struct forwarding_cfg *f, const struct host_routes *table, uint32_t host,
	   const struct scenario_host *to, uint64_t *ports)
{
	const struct fdb_entry_cfg *entry = configured_entry(f, to);
	uint16_t group = host_routes_group(table, host);

	if (entry != NULL)
		set(ports, entry->port);
	else if (group != NEXT_HOPS_NONE && table->hops.groups[group].count != 0)
		set(ports, next_hops_members(&table->hops, group)[0].port);
}

static void
router_out(const struct forwarding_cfg *f, const struct host_routes *table, uint32_t host,
	   const struct scenario_host *to, uint64_t *ports)
{
	const struct route_cfg *r = configured_route(f, to);
	uint16_t group = host_routes_group(table, host);

	if (r != NULL && (group == NEXT_HOPS_NONE || r->prefix_bits == (r->is_ipv6 ? 128 : 32))) {
		for (uint16_t i = 0; i < r->hop.member_count; i++)
			set(ports, r->hop.ports[i]);
	} else if (group != NEXT_HOPS_NONE) {
		const struct next_hop *members = next_hops_members(&table->hops, group);

		for (uint16_t i = 0; i < table->hops.groups[group].count; i++)
			set(ports, members[i].port);
	}
}

void
fabric_way_out(const struct scenario *s, const struct host_routes *table, uint32_t sw,
	       uint32_t host, uint64_t ports[FABRIC_WAY_WORDS])
{
	const struct forwarding_cfg *f = &s->switches[sw].cfg.forwarding;

	memset(ports, 0, FABRIC_WAY_WORDS * sizeof(*ports));
	if (f->layer3)
		router_out(f, table, host, &s->hosts[host], ports);
	else
		bridge_out(f, table, host, &s->hosts[host], ports);
}

bool
fabric_way_next(const uint64_t ports[FABRIC_WAY_WORDS], uint32_t *port)
{
	for (; *port < SWITCH_MAX_PORTS; ++*port) {
		if (*port % 64 == 0 && ports[*port / 64] == 0)
			*port += 63;
		else if (ports[*port / 64] >> *port % 64 & 1)
			return true;
	}
	return false;
}
