/* SPDX-License-Identifier: BSD-3-Clause */
/* What only real time has: ports on devices, DPDK's environment, hosts that live elsewhere. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "config_internal.h"

/* Ethernet header, a VLAN tag, FCS: what a frame has beyond the MTU of a device. */
#define BEYOND_MTU_BYTES 22
/* RoCE, IP and Ethernet headers around a host's payload, generously. */
#define HEADERS_BYTES 128

static uint16_t
auto_mtu(const struct scenario *s, const struct scenario_end *end)
{
	uint32_t frame = end->is_switch ? s->switches[end->index].ports[end->port].mtu_bytes
					: s->hosts[end->index].cfg.mtu_bytes + HEADERS_BYTES;

	return frame > BEYOND_MTU_BYTES + 1500 ? (uint16_t)(frame - BEYOND_MTU_BYTES) : 1500;
}

static int
resolve_ethdev(struct config *c, const struct raw_ethdev *r, struct scenario_ethdev *e)
{
	struct scenario *s = c->scenario;
	struct config_mark mark = config_item_mark(&r->item, "port");
	struct scenario_end *ends;
	uint32_t count;
	int rc = config_select(c, &r->port, false, &ends, &count);

	if (rc != 0)
		return rc;
	if (count != 1)
		return config_fail(&c->error, &mark, "port: selects %u; a device is one port",
				   count);
	if ((r->vdev == NULL) == (r->pci == NULL))
		return config_fail(&c->error, &r->item.mark,
				   "ethdev: needs either vdev or pci, such as vdev: "
				   "\"net_tap0,iface=ry0\"");
	if (!ends[0].is_switch && s->hosts[ends[0].index].remote)
		return config_fail(&c->error, &mark, "port: %s is remote: it has no port here",
				   s->hosts[ends[0].index].cfg.name);
	*e = (struct scenario_ethdev){
		.end = ends[0],
		.is_pci = r->pci != NULL,
		.mtu_required = r->mtu_bytes != CONFIG_AUTO,
		.mtu_bytes = r->mtu_bytes != CONFIG_AUTO ? (uint16_t)r->mtu_bytes
							 : auto_mtu(s, &ends[0]),
		.promiscuous = r->promiscuous == 1,
		.delay_ps = r->delay_ps,
	};
	snprintf(e->device, sizeof(e->device), "%s", r->pci != NULL ? r->pci : r->vdev);
	mark = config_item_mark(&r->item, r->pci != NULL ? "pci" : "vdev");
	config_mark_print(&mark, e->place, sizeof(e->place));
	return 0;
}

static void
resolve_eal(struct config *c)
{
	const struct raw_eal *r = &c->raw.eal;
	struct scenario_eal *e = &c->scenario->eal;

	if (r->cores != NULL)
		snprintf(e->cores, sizeof(e->cores), "%s", r->cores);
	if (r->file_prefix != NULL)
		snprintf(e->file_prefix, sizeof(e->file_prefix), "%s", r->file_prefix);
	e->memory_bytes = r->memory_bytes == CONFIG_AUTO ? 0 : r->memory_bytes;
	e->hugepages = r->hugepages == 1;
	e->telemetry = r->telemetry == 1;
}

/* A device sends what is in memory: there must be something in it. */
static int
check_payload(struct config *c)
{
	const struct scenario *s = c->scenario;
	struct config_mark mark = config_item_mark(&c->raw.item, "payload");

	for (uint32_t i = 0; i < s->host_count && !s->with_payload; i++)
		if (!s->hosts[i].remote)
			return config_fail(&c->error, &mark,
					   "payload: must be full in real time: a device cannot "
					   "send what is elided");
	return 0;
}

int
config_resolve_real(struct config *c)
{
	struct scenario *s = c->scenario;
	const struct raw_array *list = &c->raw.ethdevs;
	struct config_mark mark = config_item_mark(&c->raw.item, "ethdevs");

	s->report_interval_ps = c->raw.report_interval_ps;
	resolve_eal(c);
	if (!s->real_time && list->count != 0)
		return config_fail(&c->error, &mark, "ethdevs: only `time: real` has devices");
	s->ethdevs = CONFIG_NEW(c, struct scenario_ethdev, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		int rc = resolve_ethdev(c, RAW_AT(*list, struct raw_ethdev, i),
					&s->ethdevs[s->ethdev_count++]);

		if (rc != 0)
			return rc;
	}
	return s->real_time ? check_payload(c) : 0;
}

/* Big-endian addition to the last four bytes. */
static void
count_up(uint8_t *tail, uint32_t n)
{
	uint32_t value = (uint32_t)tail[0] << 24 | (uint32_t)tail[1] << 16 |
			 (uint32_t)tail[2] << 8 | tail[3];

	value += n;
	for (int i = 0; i < 4; i++)
		tail[i] = (uint8_t)(value >> (24 - 8 * i));
}

int
config_host_address(struct config *c, const struct raw_host *raw, uint32_t n,
		    struct scenario_host *host)
{
	struct roce_address *a = &host->address;
	struct config_mark mark = config_item_mark(&raw->item, "mac");

	if (raw->mac != NULL) {
		if (!config_parse_mac(raw->mac, a->mac) || a->mac[0] & 1)
			return config_fail(&c->error, &mark,
					   "mac: \"%.40s\" is no station's address, such as "
					   "02:00:00:00:00:01",
					   raw->mac);
		count_up(a->mac + 2, n);
		memcpy(host->cfg.port.mac, a->mac, 6);
	}
	if (raw->address == NULL)
		return 0;
	mark = config_item_mark(&raw->item, "address");
	memset(a->ip, 0, sizeof(a->ip));
	if (inet_pton(a->is_ipv6 ? AF_INET6 : AF_INET, raw->address, a->ip) != 1)
		return config_fail(&c->error, &mark,
				   "address: \"%.50s\" is no %s address, such as %s", raw->address,
				   a->is_ipv6 ? "IPv6" : "IPv4",
				   a->is_ipv6 ? "fd00::1" : "10.0.0.1");
	count_up(a->is_ipv6 ? a->ip + 12 : a->ip, n);
	return 0;
}
