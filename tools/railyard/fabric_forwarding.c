/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routing of a fabric into its switches' configuration: tables of routes to hosts in layer 3,
 * static entries for hosts in layer 2.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

uint16_t
fabric_port_to(const struct fabric *f, uint32_t sw, uint32_t host)
{
	const struct host_routes *table = &f->routes[sw];
	uint16_t group = host_routes_group(table, host);

	if (group == NEXT_HOPS_NONE || table->hops.groups[group].count == 0)
		return FABRIC_NO_PORT;
	return next_hops_members(&table->hops, group)[0].port;
}

/* What the configuration says of an address stands. */
static bool
has_static(const struct fdb_entry_cfg *statics, uint32_t count, const struct fdb_entry_cfg *entry)
{
	for (uint32_t i = 0; i < count; i++) {
		if (statics[i].vlan == entry->vlan && memcmp(statics[i].mac, entry->mac, 6) == 0)
			return true;
	}
	return false;
}

static int
add_statics(const struct fabric *f, struct scenario *s, uint32_t index)
{
	struct scenario_switch *sw = &s->switches[index];
	struct forwarding_cfg *cfg = &sw->cfg.forwarding;
	uint32_t configured = cfg->static_count;
	struct fdb_entry_cfg *grown =
		realloc(sw->statics, ((size_t)configured + s->host_count + 1) * sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	sw->statics = grown;
	cfg->statics = grown;
	for (uint32_t i = 0; i < s->host_count; i++) {
		const struct scenario_host *host = &s->hosts[i];
		struct fdb_entry_cfg entry = {
			.vlan = host->cfg.has_vlan ? host->cfg.vlan_tci & 0xfff : 0,
			.port = fabric_port_to(f, index, i),
		};

		memcpy(entry.mac, host->address.mac, 6);
		if (entry.port != FABRIC_NO_PORT && !has_static(grown, configured, &entry))
			grown[cfg->static_count++] = entry;
	}
	return 0;
}

/* A configured route without next hop addresses means whatever is linked to its ports. */
static void
fill_next_hops(const struct fabric *f, struct scenario *s, uint32_t sw)
{
	static const uint8_t none[6];

	for (uint32_t r = 0; r < s->switches[sw].cfg.forwarding.route_count; r++) {
		struct next_hop_cfg *hop = &s->switches[sw].routes[r].hop;

		for (uint16_t i = 0; i < hop->member_count; i++) {
			const struct graph_arc *arc =
				fabric_graph_behind(&f->graph, sw, hop->ports[i]);

			if (arc == NULL || memcmp(hop->mac[i], none, 6) != 0)
				continue;
			memcpy(hop->mac[i],
			       arc->to < f->switch_count
				       ? s->switches[arc->to].ports[arc->to_port].port.mac
				       : s->hosts[arc->to - f->switch_count].address.mac,
			       6);
		}
	}
}

/* Tables to change, where links fail. */
static int
compute_live(struct fabric *f, const struct scenario *s)
{
	f->live = f->routes;
	if (s->failure_count == 0)
		return 0;
	f->live = calloc((size_t)s->switch_count + 1, sizeof(*f->live));
	if (f->live == NULL)
		return -ENOMEM;
	return fabric_routes_compute(f->live, &f->directory, &f->graph, s, f->up_down);
}

static int
find_cycle(struct fabric *f, const struct scenario *s)
{
	int rc;

	if (!fabric_cycles_may_be(s, f->up_down))
		return 0;
	rc = fabric_cycles_find(&f->graph, s, f->routes, &f->cycle);
	if (rc != 0)
		return rc;
	return fabric_cycles_after_failures(&f->graph, &f->directory, s, f->up_down, &f->cycle);
}

int
fabric_forwarding(struct fabric *f, struct scenario *s)
{
	int rc = fabric_graph_init(&f->graph, s);

	f->routes = calloc((size_t)s->switch_count + 1, sizeof(*f->routes));
	if (rc == 0 && f->routes == NULL)
		rc = -ENOMEM;
	if (rc == 0)
		rc = fabric_routes_directory(&f->directory, &f->graph, s);
	if (rc == 0)
		rc = fabric_routes_up_down(&f->graph, &f->up_down);
	if (rc == 0)
		rc = fabric_routes_compute(f->routes, &f->directory, &f->graph, s, f->up_down);
	if (rc == 0)
		rc = compute_live(f, s);
	if (rc == 0)
		rc = find_cycle(f, s);
	for (uint32_t i = 0; rc == 0 && i < s->switch_count; i++) {
		struct scenario_switch *sw = &s->switches[i];

		if (sw->cfg.forwarding.layer3) {
			fill_next_hops(f, s, i);
			sw->cfg.forwarding.hosts = &f->live[i];
		} else if (!sw->learn) {
			rc = add_statics(f, s, i);
		}
	}
	return rc;
}

void
fabric_forwarding_free(struct fabric *f)
{
	if (f->live != NULL && f->live != f->routes) {
		fabric_routes_free(f->live, f->switch_count);
		free(f->live);
	}
	if (f->routes != NULL)
		fabric_routes_free(f->routes, f->switch_count);
	free(f->routes);
	host_directory_fini(&f->directory);
	fabric_graph_fini(&f->graph);
}
