/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario around an imported switch, so that it runs as it is: a host at every port in use,
 * cables of their lengths, and an incast into the first of the fastest ports, of a DSCP that the
 * switch's maps put in a class with PFC.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

#define SENDERS 8
#define DEFAULT_CABLE "5m"
#define DEFAULT_PATH_MTU 4096
#define LEAST_PATH_MTU 256
/* IPv4, UDP, BTH, the longest extended headers and the ICRC. */
#define HEADER_BYTES (20 + 8 + 12 + 16 + 4 + 4)

/* Hosts of one rate, and the ports of it. */
struct hosts {
	char name[32];
	uint64_t speed_mbps;
	uint32_t count;
	uint8_t pfc_enable;
};

static bool
in_use(const struct sonic_port *p)
{
	for (uint32_t n = 0; n < SONIC_CLASSES; n++)
		if (p->queue[n] != NULL && (p->pg[n] != NULL || p->pfc_enable >> n & 1))
			return true;
	return false;
}

/* A DSCP that ends in a class with PFC; that RoCE's own comes first. */
static uint32_t
lossless_dscp(struct sonic *s, const struct sonic_port *p, uint32_t *priority)
{
	struct sonic_maps maps;

	*priority = 3;
	if (sonic_read_maps(s, p, &maps) != 0)
		return 26;
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t dscp = (i + 26) % 64;
		int8_t tc = maps.value[0][dscp];

		if (tc < 0 || tc >= SONIC_CLASSES || !(p->pfc_enable >> tc & 1))
			continue;
		*priority = (uint32_t)tc;
		return dscp;
	}
	return 26;
}

/* The largest path MTU of RDMA of which a packet, with IP, UDP, RoCE and ICRC, passes all ports. */
static uint32_t
path_mtu(const struct sonic *s)
{
	uint32_t mtu = DEFAULT_PATH_MTU;

	for (uint32_t i = 0; i < s->port_count; i++) {
		while (in_use(&s->ports[i]) && mtu > LEAST_PATH_MTU &&
		       mtu + HEADER_BYTES > s->ports[i].mtu_bytes)
			mtu /= 2;
	}
	return mtu;
}

static void
write_hosts(struct sonic *s, struct config_node *hosts, const struct hosts *h, uint32_t dscp,
	    uint32_t priority)
{
	uint32_t mtu = path_mtu(s);
	const struct config_mark *mark = &s->options->mark;
	struct config_node *group = sonic_put_map(s, hosts, h->name, CONFIG_MAP, mark), *map;
	char rate[32];

	config_unit_format(CONFIG_UNIT_RATE, h->speed_mbps * 1000000, rate, sizeof(rate));
	sonic_put(s, group, "count", mark, "%u", h->count);
	sonic_put(s, group, "nic", mark, "%s", rate);
	if (mtu != DEFAULT_PATH_MTU)
		sonic_put(s, group, "mtu", mark, "%u", mtu);
	sonic_put(s, group, "dscp", mark, "%u", dscp);
	map = sonic_put_map(s, group, "dscp_to_priority", CONFIG_MAP, mark);
	sonic_put(s, map, sonic_print(s, "%u", dscp), mark, "%u", priority);
	sonic_put_priorities(s, group, "pfc_enable", mark, h->pfc_enable);
}

/* One link entry for ports of one rate and cable. */
static void
write_link(struct sonic *s, struct config_node *links, const char *name, const struct hosts *h,
	   const uint64_t *host_bits, const uint64_t *port_bits, const char *cable)
{
	const struct config_mark *mark = &s->options->mark;
	struct config_node *link = sonic_put_map(s, links, NULL, CONFIG_MAP, mark);

	sonic_put(s, link, "from", mark, "%s[%s]", h->name,
		  sonic_span(s, host_bits, SWITCH_MAX_PORTS));
	sonic_put(s, link, "to", mark, "%s[%s]", name, sonic_span(s, port_bits, SWITCH_MAX_PORTS));
	sonic_put(s, link, "length", mark, "%s", cable);
}

static const char *
cable_of(const struct sonic_port *p)
{
	return p->cable == NULL || strcmp(p->cable, "0m") == 0 ? DEFAULT_CABLE : p->cable;
}

static void
write_links(struct sonic *s, struct config_node *links, const char *name, const struct hosts *h)
{
	for (uint32_t port = 0; port < s->port_count; port++) {
		uint64_t ports[SWITCH_MAX_PORTS / 64] = {0}, hosts[SWITCH_MAX_PORTS / 64] = {0};
		const char *cable = cable_of(&s->ports[port]);
		bool first = true;

		for (uint32_t i = 0, host = 0; i < s->port_count; i++) {
			const struct sonic_port *p = &s->ports[i];

			if (!in_use(p) || p->speed_mbps != h->speed_mbps)
				continue;
			if (strcmp(cable_of(p), cable) == 0) {
				first = first && i >= port;
				ports[i / 64] |= 1ULL << i % 64;
				hosts[host / 64] |= 1ULL << host % 64;
			}
			host++;
		}
		if (first && ports[port / 64] >> port % 64 & 1)
			write_link(s, links, name, h, hosts, ports, cable);
	}
}

static uint32_t
make_groups(const struct sonic *s, struct hosts *groups)
{
	uint32_t count = 0;

	for (uint32_t port = 0; port < s->port_count; port++) {
		const struct sonic_port *p = &s->ports[port];
		uint32_t i = 0;

		while (i < count && groups[i].speed_mbps != p->speed_mbps)
			i++;
		if (!in_use(p))
			continue;
		if (i == count) {
			groups[count].speed_mbps = p->speed_mbps;
			/* 2,500 Mb/s are not 2 Gb/s: no two speeds have one name. */
			if (p->speed_mbps % 1000 == 0)
				snprintf(groups[count++].name, sizeof(groups[0].name),
					 "h%" PRIu64 "g", p->speed_mbps / 1000);
			else
				snprintf(groups[count++].name, sizeof(groups[0].name),
					 "h%" PRIu64 "m", p->speed_mbps);
		}
		groups[i].count++;
		groups[i].pfc_enable |= p->pfc_enable;
	}
	return count;
}

static void
write_incast(struct sonic *s, struct config_node *root, const struct hosts *h)
{
	const struct config_mark *mark = &s->options->mark;
	struct config_node *list = sonic_put_map(s, root, "workload", CONFIG_LIST, mark);
	struct config_node *entry = sonic_put_map(s, list, NULL, CONFIG_MAP, mark);
	struct config_node *incast = sonic_put_map(s, entry, "incast", CONFIG_MAP, mark);
	uint32_t last = h->count - 1 < SENDERS ? h->count - 1 : SENDERS;

	sonic_put(s, incast, "from", mark, "%s[1-%u]", h->name, last);
	sonic_put(s, incast, "to", mark, "%s[0]", h->name);
	sonic_put(s, incast, "size", mark, "1MB");
	sonic_put(s, incast, "at", mark, "10us");
	entry = sonic_put_map(s, root, "expect", CONFIG_MAP, mark);
	sonic_put(s, entry, "drops", mark, "0");
}

int
sonic_write_scenario(struct sonic *s, const char *name, struct config_node *root)
{
	const struct config_mark *mark = &s->options->mark;
	struct hosts *groups = CONFIG_NEW(s->c, struct hosts, s->port_count);
	uint32_t count = make_groups(s, groups), dscp, priority;
	const struct hosts *most = groups;
	struct config_node *hosts, *links;

	if (count == 0)
		return config_fail(&s->c->error, mark,
				   "no port has both a priority group and a queue with buffers");
	dscp = lossless_dscp(s, s->ports, &priority);
	hosts = sonic_put_map(s, root, "hosts", CONFIG_MAP, mark);
	links = sonic_put_map(s, root, "links", CONFIG_LIST, mark);
	for (uint32_t i = 0; i < count; i++) {
		write_hosts(s, hosts, &groups[i], dscp, priority);
		write_links(s, links, name, &groups[i]);
		if (groups[i].count > 1 &&
		    (most->count == 1 || groups[i].speed_mbps > most->speed_mbps))
			most = &groups[i];
	}
	if (most->count > 1)
		write_incast(s, root, most);
	return 0;
}
