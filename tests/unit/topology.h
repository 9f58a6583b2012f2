/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios of switches, hosts and links only, made link by link. */
#ifndef RAILYARD_TEST_TOPOLOGY_H
#define RAILYARD_TEST_TOPOLOGY_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

struct topology {
	struct scenario scenario;
	uint16_t *used; /* ports of a switch */
	uint32_t link_size;
};

/* Routers of `ports` ports at 100 Gb/s; hosts 10.0.0.0 and up. */
static inline void
topology_open(struct topology *t, uint32_t switches, uint16_t ports, uint32_t hosts)
{
	struct scenario *s = &t->scenario;

	*t = (struct topology){.link_size = 16};
	s->switch_count = switches;
	s->host_count = hosts;
	s->switches = calloc(switches + 1, sizeof(*s->switches));
	s->hosts = calloc(hosts + 1, sizeof(*s->hosts));
	s->links = calloc(t->link_size, sizeof(*s->links));
	t->used = calloc(switches + 1, sizeof(*t->used));
	for (uint32_t i = 0; i < switches; i++) {
		struct scenario_switch *sw = &s->switches[i];

		snprintf(sw->cfg.name, sizeof(sw->cfg.name), "s%u", i);
		sw->ports = calloc(ports, sizeof(*sw->ports));
		sw->cfg.ports = sw->ports;
		sw->cfg.port_count = ports;
		sw->cfg.forwarding.layer3 = true;
		for (uint16_t port = 0; port < ports; port++) {
			const uint8_t mac[6] = {2, 1, i >> 8 & 0xff, i & 0xff, port >> 8, port};

			sw->ports[port].port.rate_bps = 100000000000;
			memcpy(sw->ports[port].port.mac, mac, 6);
		}
	}
	for (uint32_t i = 0; i < hosts; i++) {
		const uint8_t bytes[6] = {2, 0, 10, i >> 16 & 0xff, i >> 8 & 0xff, i & 0xff};

		s->hosts[i].cfg.port.rate_bps = 100000000000;
		memcpy(s->hosts[i].address.mac, bytes, 6);
		memcpy(s->hosts[i].address.ip, bytes + 2, 4);
	}
}

static inline void
topology_close(struct topology *t)
{
	for (uint32_t i = 0; i < t->scenario.switch_count; i++)
		free(t->scenario.switches[i].ports);
	free(t->scenario.switches);
	free(t->scenario.hosts);
	free(t->scenario.links);
	free(t->used);
}

static inline uint32_t
topology_link(struct topology *t, struct scenario_end a, struct scenario_end b)
{
	struct scenario *s = &t->scenario;

	if (s->link_count == t->link_size) {
		t->link_size *= 2;
		s->links = realloc(s->links, t->link_size * sizeof(*s->links));
		ck_assert_ptr_nonnull(s->links);
	}
	s->links[s->link_count] =
		(struct scenario_link){.a = a, .b = b, .delay_ps = UNITS_PS_PER_US};
	return s->link_count++;
}

/* The next free ports of both. */
static inline uint32_t
topology_cable(struct topology *t, uint32_t a, uint32_t b)
{
	struct scenario_end x = {.is_switch = true, .index = a, .port = t->used[a]++};
	struct scenario_end y = {.is_switch = true, .index = b, .port = t->used[b]++};

	return topology_link(t, x, y);
}

static inline uint32_t
topology_host(struct topology *t, uint32_t host, uint32_t sw)
{
	struct scenario_end x = {.index = host};
	struct scenario_end y = {.is_switch = true, .index = sw, .port = t->used[sw]++};

	return topology_link(t, x, y);
}

#endif
