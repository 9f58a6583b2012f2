/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of nodes on DPDK devices: cables over net_ring, and the devices of the scenario. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "fabric.h"

/* Frames that a cable over net_ring holds while the other end is not polled. */
#define RING_SLOTS 1024

static struct node *
end_node(const struct fabric *f, const struct scenario_end *end)
{
	return end->is_switch ? &f->switches[end->index]->node : host_node(f->hosts[end->index]);
}

/* Arrays for all ports there will be, on the first use. */
static int
reserve(struct fabric *f)
{
	const struct scenario *s = f->scenario;
	uint32_t size = 2 * s->link_count + s->ethdev_count + 1;

	if (f->ethdevs != NULL)
		return 0;
	f->ethdevs = calloc(size, sizeof(*f->ethdevs));
	f->ethdev_ends = calloc(size, sizeof(*f->ethdev_ends));
	f->rings = calloc(size, sizeof(*f->rings));
	f->sockets = calloc(size, sizeof(*f->sockets));
	return f->ethdevs == NULL || f->ethdev_ends == NULL || f->rings == NULL ||
			       f->sockets == NULL
		       ? -ENOMEM
		       : 0;
}

/* A device whose port is number f->ethdev_count, attached to the node's port. */
static int
add(struct fabric *f, struct node *node, uint16_t node_port, uint16_t port_id,
    const struct ethdev_cfg *cfg, struct link *to_node, char *why, size_t why_bytes)
{
	uint32_t n = f->ethdev_count;
	int rc = ethdev_open(&f->ethdevs[n], port_id, cfg, f->pool, to_node, (uint16_t)n, why,
			     why_bytes);

	if (rc != 0)
		return rc;
	ethdev_attach(&f->ethdevs[n], node, node_port);
	f->ethdev_ends[n] = (struct fabric_end){node->id, node_port};
	f->ethdev_count++;
	return 0;
}

/* Names are unique in the process: tests build many fabrics. */
static struct rte_ring *
new_ring(const struct fabric *f, uint32_t number)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "ry%lx_%u", (unsigned long)(uintptr_t)f >> 4 & 0xffffffff,
		 number);
	return rte_ring_create(name, RING_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

/* One end of a cable, which reads what the other writes. */
static int
add_ring(struct fabric *f, struct node *node, uint16_t node_port, struct rte_ring *rx,
	 struct rte_ring *tx, struct link *to_node, char *why, size_t why_bytes)
{
	static const struct ethdev_cfg cfg = {.promiscuous = true};
	char name[32];
	int port_id;

	/* The driver's own names have room for little more. */
	snprintf(name, sizeof(name), "%lx_%u", (unsigned long)(uintptr_t)f >> 4 & 0xffffffff,
		 f->ethdev_count);
	port_id = rte_eth_from_rings(name, &rx, 1, &tx, 1, 0);
	if (port_id < 0) {
		snprintf(why, why_bytes, "%s port %u: net_ring: %s", node->name, node_port,
			 rte_strerror(rte_errno));
		return -rte_errno;
	}
	return add(f, node, node_port, (uint16_t)port_id, &cfg, to_node, why, why_bytes);
}

int
fabric_ethdev_cable(struct fabric *f, struct node *a, uint16_t a_port, struct node *b,
		    uint16_t b_port, uint64_t delay_ps, char *why, size_t why_bytes)
{
	struct link *there = NULL, *back = NULL;
	uint32_t first = f->ring_port_count;
	int rc = reserve(f);

	if (rc == 0)
		rc = fabric_link(f, a, a_port, b, b_port, delay_ps, &there);
	if (rc == 0)
		rc = fabric_link(f, b, b_port, a, a_port, delay_ps, &back);
	if (rc != 0) {
		snprintf(why, why_bytes, "cable over net_ring: %s", strerror(-rc));
		return rc;
	}
	f->ring_port_count += 2;
	f->rings[first] = new_ring(f, first);
	f->rings[first + 1] = new_ring(f, first + 1);
	if (f->rings[first] == NULL || f->rings[first + 1] == NULL) {
		snprintf(why, why_bytes, "no memory for a ring of %u frames", RING_SLOTS);
		return -ENOMEM;
	}
	rc = add_ring(f, a, a_port, f->rings[first + 1], f->rings[first], back, why, why_bytes);
	if (rc == 0)
		rc = add_ring(f, b, b_port, f->rings[first], f->rings[first + 1], there, why,
			      why_bytes);
	return rc;
}

/* The name in "name,argument=value,...". */
static void
device_name(const struct scenario_ethdev *e, char *name, size_t bytes)
{
	snprintf(name, bytes, "%.*s", (int)strcspn(e->device, ","), e->device);
}

/* Nor does vhost say that it found a file where its socket is to be. */
static int
check_socket(const struct scenario_ethdev *e, const char *iface, char *why, size_t why_bytes)
{
	char path[SCENARIO_DEVICE_BYTES];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(iface, ","), iface);
	if (strstr(e->device, "client=1") != NULL || access(path, F_OK) != 0)
		return 0;
	snprintf(why, why_bytes,
		 "%s: there is a socket %s already: another process uses it, or left it behind; "
		 "remove it or choose another",
		 e->place, path);
	return -EEXIST;
}

/* Most drivers say no more than "invalid" of an interface that is not there. */
static int
check_interface(const struct scenario_ethdev *e, char *why, size_t why_bytes)
{
	const char *at = strstr(e->device, "iface=");
	char name[IF_NAMESIZE] = "";

	/* A tap makes its own. */
	if (e->is_pci || at == NULL || strncmp(e->device, "net_tap", 7) == 0)
		return 0;
	if (strncmp(e->device, "net_vhost", 9) == 0)
		return check_socket(e, at + strlen("iface="), why, why_bytes);
	at += strlen("iface=");
	if (strcspn(at, ",") < sizeof(name))
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
	if (if_nametoindex(name) != 0)
		return 0;
	snprintf(why, why_bytes, "%s: there is no interface %.*s", e->place, (int)strcspn(at, ","),
		 at);
	return -ENODEV;
}

/* What to look at when a device does not come up; of privileges drivers say nothing. */
static const char *
remedy(const struct scenario_ethdev *e)
{
	if (e->is_pci)
		return "is it there, and bound to a driver that DPDK can use?";
	if (geteuid() != 0 && strncmp(e->device, "net_tap", 7) == 0)
		return "a tap needs root, or CAP_NET_ADMIN";
	if (geteuid() != 0 && strncmp(e->device, "net_af_packet", 13) == 0)
		return "a packet socket needs root, or CAP_NET_RAW and CAP_NET_ADMIN";
	return "--eal \"--log-level debug\" says more";
}

static int
open_device(struct fabric *f, const struct scenario_ethdev *e, char *why, size_t why_bytes)
{
	const struct ethdev_cfg cfg = {
		.mtu_bytes = e->mtu_bytes,
		.mtu_required = e->mtu_required,
		.promiscuous = e->promiscuous,
		.hardware = e->is_pci,
		.delay_ps = e->delay_ps,
	};
	char name[RTE_ETH_NAME_MAX_LEN], detail[256];
	uint16_t port_id;
	int rc;

	if (check_interface(e, why, why_bytes) != 0)
		return -ENODEV;
	device_name(e, name, sizeof(name));
	/* NICs are probed when the environment starts, for that takes its options. */
	rc = e->is_pci ? 0 : rte_dev_probe(e->device);
	if (rc != 0 || rte_eth_dev_get_port_by_name(name, &port_id) != 0) {
		rc = rc != 0 ? rc : -ENODEV;
		snprintf(why, why_bytes, "%s: no device %s: %s; %s", e->place, e->device,
			 rte_strerror(-rc), remedy(e));
		return rc;
	}
	rc = add(f, end_node(f, &e->end), e->end.port, port_id, &cfg, NULL, detail, sizeof(detail));
	if (rc != 0)
		snprintf(why, why_bytes, "%s: %s", e->place, detail);
	return rc;
}

int
fabric_ethdev_open(struct fabric *f, char *why, size_t why_bytes)
{
	const struct scenario *s = f->scenario;

	if (s->ethdev_count != 0 && reserve(f) != 0) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->ethdev_count; i++) {
		int rc = open_device(f, &s->ethdevs[i], why, why_bytes);

		if (rc != 0)
			return rc;
	}
	return 0;
}

void
fabric_ethdev_close(struct fabric *f)
{
	struct rte_mbuf *m;

	for (uint32_t i = 0; i < f->ethdev_count; i++)
		ethdev_close(&f->ethdevs[i]);
	for (uint32_t i = 0; i < f->ring_port_count; i++) {
		while (f->rings[i] != NULL && rte_ring_dequeue(f->rings[i], (void **)&m) == 0)
			packet_free(m);
		rte_ring_free(f->rings[i]);
	}
	free(f->ethdevs);
	free(f->ethdev_ends);
	free(f->rings);
	free(f->sockets);
	f->ethdev_count = 0;
	f->ring_port_count = 0;
	f->ethdevs = NULL;
}

bool
fabric_ethdev_is_socket(const struct ethdev_port *port)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";

	(void)rte_eth_dev_get_name_by_port(port->port_id, name);
	return strncmp(name, "net_af_packet", strlen("net_af_packet")) == 0;
}

int64_t
fabric_ethdev_balance(const struct fabric *f)
{
	int64_t balance = 0;

	for (uint32_t i = 0; i < f->ethdev_count; i++) {
		const struct ethdev_counters *c = &f->ethdevs[i].counters;

		balance -= (int64_t)(c->tx_dropped + c->tx_no_link);
		/* What a ring cable takes it gives back, to this process. */
		if (i >= f->ring_port_count)
			balance += (int64_t)(c->rx_packets - c->tx_packets);
	}
	return balance;
}

uint64_t
fabric_ethdev_held(const struct fabric *f)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < f->ethdev_count; i++)
		held += ethdev_held(&f->ethdevs[i]);
	for (uint32_t i = 0; i < f->ring_port_count; i++)
		held += f->rings[i] == NULL ? 0 : rte_ring_count(f->rings[i]);
	return held;
}
