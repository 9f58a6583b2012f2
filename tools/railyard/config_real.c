/* SPDX-License-Identifier: BSD-3-Clause */
/* What only real time has: ports on devices, DPDK's environment, hosts that live elsewhere. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* "0000:03:00.0" or "03:00.0", and arguments after a comma. */
static bool
is_pci_address(const char *text)
{
	unsigned int number;
	int n = 0;

	if (sscanf(text, "%*4x:%*2x:%*2x.%1u%n", &number, &n) != 1 || n == 0) {
		n = 0;
		if (sscanf(text, "%*2x:%*2x.%1u%n", &number, &n) != 1 || n == 0)
			return false;
	}
	return number < 8 && (text[n] == '\0' || text[n] == ',');
}

/* What a device is told by: its name, or its address with the domain that may be left out. */
static void
device_key(const struct scenario_ethdev *e, char *key, size_t bytes)
{
	int n = (int)strcspn(e->device, ",");
	bool is_short = e->is_pci && strchr(e->device, ':') == strrchr(e->device, ':');

	snprintf(key, bytes, "%s%.*s", is_short ? "0000:" : "", n, e->device);
}

/* The kernel's interface in "net_tap0,iface=x,...", or "". */
static void
interface_of(const struct scenario_ethdev *e, char *name, size_t bytes)
{
	const char *at = e->is_pci ? NULL : strstr(e->device, ",iface=");

	at = at == NULL ? "" : at + strlen(",iface=");
	snprintf(name, bytes, "%.*s", (int)strcspn(at, ","), at);
}

/* Two ports on one device would take each other's frames. */
static int
check_unique(struct config *c, const struct scenario_ethdev *list, uint32_t last,
	     const struct config_mark *mark)
{
	char key[SCENARIO_DEVICE_BYTES + 8], other[SCENARIO_DEVICE_BYTES + 8];

	for (uint32_t i = 0; i < last; i++) {
		device_key(&list[last], key, sizeof(key));
		device_key(&list[i], other, sizeof(other));
		if (strcasecmp(key, other) != 0) {
			interface_of(&list[last], key, sizeof(key));
			interface_of(&list[i], other, sizeof(other));
			if (key[0] == '\0' || strcmp(key, other) != 0)
				continue;
		}
		return config_fail(&c->error, mark,
				   "%s: %.60s is the device of another port already, at %s",
				   list[last].is_pci ? "pci" : "vdev", key, list[i].place);
	}
	return 0;
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
				   "ethdev: %s, such as vdev: \"net_tap0,iface=ry0\"",
				   r->pci != NULL ? "has both vdev and pci: give one of them"
						  : "needs either vdev or pci");
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
	if (e->is_pci && !is_pci_address(e->device))
		return config_fail(&c->error, &mark,
				   "pci: \"%.40s\" is no address of a NIC, such as 0000:03:00.0 or "
				   "03:00.0",
				   e->device);
	return check_unique(c, s->ethdevs, (uint32_t)(e - s->ethdevs), &mark);
}

/* Of "2-5,7"; what is no core is refused when DPDK's environment starts. */
static uint16_t
count_cores(const char *cores)
{
	unsigned long count = 0;

	while (*cores != '\0' && count < UINT8_MAX) {
		char *end;
		unsigned long first = strtoul(cores, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		count += last >= first && last - first < UINT8_MAX ? last - first + 1 : 1;
		cores = end + strcspn(end, ",");
		cores += *cores == ',';
	}
	return (uint16_t)RTE_MIN(count, (unsigned long)RTE_MAX_LCORE);
}

static void
resolve_eal(struct config *c)
{
	const struct raw_eal *r = &c->raw.eal;
	struct config_mark mark = config_item_mark(&r->item, "cores");
	struct scenario_eal *e = &c->scenario->eal;

	if (r->cores != NULL)
		snprintf(e->cores, sizeof(e->cores), "%s", r->cores);
	e->core_count = count_cores(e->cores);
	config_mark_print(&mark, e->cores_place, sizeof(e->cores_place));
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
