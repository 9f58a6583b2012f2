/* SPDX-License-Identifier: BSD-3-Clause */
#include "ethdev.h"

#include <assert.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

/* Descriptors asked for; a device with other limits adjusts them. */
#define RX_SLOTS 1024
#define TX_SLOTS 1024
/* uids of received packets: above those of any node (packet.h). */
#define UID_OF_DEVICES (1ULL << 63)

static int
fail(const struct ethdev_port *port, int rc, const char *what, char *why, size_t why_bytes)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "?";

	(void)rte_eth_dev_get_name_by_port(port->port_id, name);
	snprintf(why, why_bytes, "%s: %s: %s", name, what, rte_strerror(rc < 0 ? -rc : rc));
	return rc < 0 ? rc : -rc;
}

/* Not every device can change its MTU: packet sockets and rings have none to set. */
static int
set_mtu(struct ethdev_port *port, const struct ethdev_cfg *cfg, const struct rte_eth_dev_info *info,
	char *why, size_t why_bytes)
{
	uint32_t overhead = info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu
				    ? info->max_rx_pktlen - info->max_mtu
				    : RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	int rc = -EINVAL;

	if (cfg->mtu_bytes == 0)
		return 0;
	/* Ask only for what the device says it can: drivers complain aloud. */
	if (cfg->mtu_required || cfg->mtu_bytes + overhead <= info->max_rx_pktlen)
		rc = rte_eth_dev_set_mtu(port->port_id, cfg->mtu_bytes);
	port->mtu_refused = rc != 0;
	if (rc == 0 || rc == -ENOTSUP || !cfg->mtu_required)
		return 0;
	return fail(port, rc, "does not take this mtu", why, why_bytes);
}

/* The kernel's interface of a NIC, not one of its own making. */
static bool
is_nic(uint32_t interface)
{
	char name[IF_NAMESIZE], path[64];

	if (interface == 0 || if_indextoname(interface, name) == NULL)
		return false;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", name);
	return access(path, F_OK) == 0;
}

/*
 * Pause frames are the node's to answer. A device that acts on them too would stop behind the
 * node's back, and one that swallows them would keep them from it.
 */
static enum ethdev_pauses
release_pauses(const struct ethdev_port *port, const struct ethdev_cfg *cfg)
{
	struct rte_eth_fc_conf conf = {0};

	if (rte_eth_dev_flow_ctrl_get(port->port_id, &conf) != 0)
		return cfg->hardware || is_nic(port->interface) ? ETHDEV_PAUSES_UNKNOWN
								: ETHDEV_PAUSES_PASS;
	conf.mode = RTE_ETH_FC_NONE;
	conf.autoneg = 0;
	conf.mac_ctrl_frame_fwd = 1;
	if (rte_eth_dev_flow_ctrl_set(port->port_id, &conf) == 0)
		return ETHDEV_PAUSES_PASS;
	/* Some refuse that flag alone. */
	conf.mac_ctrl_frame_fwd = 0;
	if (rte_eth_dev_flow_ctrl_set(port->port_id, &conf) == 0)
		return ETHDEV_PAUSES_KEPT;
	return ETHDEV_PAUSES_STUCK;
}

const char *
ethdev_pauses_doubt(const struct ethdev_port *port)
{
	static const char *const texts[] = {
		[ETHDEV_PAUSES_UNKNOWN] =
			"PFC is enabled, but its driver does not say whether pause frames reach "
			"the port: turn the NIC's own flow control off (ethtool -A NAME rx off tx "
			"off), and see whether xoff_received counts",
		[ETHDEV_PAUSES_KEPT] =
			"PFC is enabled, but its driver passes no MAC control frames on: pauses of "
			"its peer are not seen; use a device that does, or `pfc_enable: []`",
		[ETHDEV_PAUSES_STUCK] =
			"PFC is enabled, but its driver would not turn the NIC's own flow control "
			"off: it may act on pause frames itself, or keep them; turn it off outside "
			"(ethtool -A NAME rx off tx off)",
	};
	const struct node_port *p = &port->node->ports[port->node_port];
	uint64_t seen = p->pause_frames + p->mac_control_other;

	for (int i = 0; i < PFC_PRIORITIES; i++)
		seen += p->pfc_rx.xoff_frames[i] + p->pfc_rx.xon_frames[i];
	return p->cfg.pfc.enable == 0 || seen != 0 ? NULL : texts[port->pauses];
}

static bool
interface_up(const struct ethdev_port *port)
{
	struct ifreq request = {0};
	int fd, rc = -1;

	/* Its frames still come and go by the device's own descriptor. */
	if (if_indextoname(port->interface, request.ifr_name) == NULL)
		return port->may_leave;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		rc = ioctl(fd, SIOCGIFFLAGS, &request);
		close(fd);
	}
	return rc != 0 || (request.ifr_flags & IFF_UP && request.ifr_flags & IFF_RUNNING);
}

bool
ethdev_link_up(const struct ethdev_port *port)
{
	struct rte_eth_link link;

	if (port->interface != 0)
		return interface_up(port);
	return rte_eth_link_get_nowait(port->port_id, &link) != 0 ||
	       link.link_status == RTE_ETH_LINK_UP;
}

static int
start(struct ethdev_port *port, const struct ethdev_cfg *cfg, struct rte_mempool *pool, char *why,
      size_t why_bytes)
{
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	uint16_t rx_slots = RX_SLOTS, tx_slots = TX_SLOTS;
	uint16_t id = port->port_id;
	int socket = rte_eth_dev_socket_id(id);
	int rc = rte_eth_dev_info_get(id, &info);

	if (rc != 0)
		return fail(port, rc, "tells nothing of itself", why, why_bytes);
	port->interface = info.if_index;
	port->may_leave = info.driver_name != NULL && strcmp(info.driver_name, "net_tap") == 0;
	rc = rte_eth_dev_configure(id, 1, 1, &conf);
	if (rc == 0)
		rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx_slots, &tx_slots);
	if (rc != 0)
		return fail(port, rc, "cannot be configured", why, why_bytes);
	rc = set_mtu(port, cfg, &info, why, why_bytes);
	if (rc != 0)
		return rc;
	rc = rte_eth_rx_queue_setup(id, 0, rx_slots, (unsigned int)socket, NULL, pool);
	if (rc != 0)
		return fail(port, rc, "receive queue (are its frames larger than the packets?)",
			    why, why_bytes);
	rc = rte_eth_tx_queue_setup(id, 0, tx_slots, (unsigned int)socket, NULL);
	if (rc != 0)
		return fail(port, rc, "transmit queue", why, why_bytes);
	rc = rte_eth_dev_start(id);
	if (rc != 0)
		return fail(port, rc, "does not start (is its peer there?)", why, why_bytes);
	port->started = true;
	rc = cfg->promiscuous ? rte_eth_promiscuous_enable(id) : 0;
	if (rc != 0 && rc != -ENOTSUP)
		return fail(port, rc, "does not become promiscuous", why, why_bytes);
	return 0;
}

int
ethdev_open(struct ethdev_port *port, uint16_t port_id, const struct ethdev_cfg *cfg,
	    struct rte_mempool *pool, struct link *to_node, uint16_t number, char *why,
	    size_t why_bytes)
{
	int rc;

	memset(port, 0, sizeof(*port));
	port->port_id = port_id;
	port->link_up = true;
	port->next_uid = UID_OF_DEVICES | (uint64_t)number << 40;
	port->to_node = to_node != NULL ? to_node : &port->own_link;
	rc = link_init(&port->from_node, 0);
	if (rc == 0 && to_node == NULL)
		rc = link_init(&port->own_link, cfg->delay_ps);
	if (rc != 0)
		(void)fail(port, rc, "no memory for its links", why, why_bytes);
	else
		rc = start(port, cfg, pool, why, why_bytes);
	if (rc != 0) {
		ethdev_close(port);
		return rc;
	}
	port->pauses = release_pauses(port, cfg);
	return 0;
}

void
ethdev_close(struct ethdev_port *port)
{
	while (port->waiting_head != port->waiting_tail)
		packet_free(port->waiting[port->waiting_head++ % ETHDEV_WAITING]);
	link_fini(&port->from_node);
	link_fini(&port->own_link);
	if (port->started)
		(void)rte_eth_dev_stop(port->port_id);
	port->started = false;
	(void)rte_eth_dev_close(port->port_id);
}

void
ethdev_attach(struct ethdev_port *port, struct node *node, uint16_t node_port)
{
	node_attach(node, node_port, &port->from_node, port->to_node);
	port->node = node;
	port->node_port = node_port;
	port->link_up = ethdev_link_up(port);
	node->ports[node_port].link_down = !port->link_up;
}

void
ethdev_poll_link(struct ethdev_port *port, uint64_t now_ps)
{
	bool up;

	if (likely(now_ps < port->link_due_ps))
		return;
	up = ethdev_link_up(port);
	port->link_due_ps = now_ps + (up ? ETHDEV_LINK_UP_PS : ETHDEV_LINK_DOWN_PS);
	if (up == port->link_up)
		return;
	port->link_up = up;
	node_set_link(port->node, port->node_port, up, now_ps);
}

/* Some drivers take the tag out of the frame; the node's frames have it inside. */
static bool
restore_tag(struct rte_mbuf **m)
{
	if (likely(!((*m)->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)))
		return true;
	return rte_vlan_insert(m) == 0;
}

static void
receive_one(struct ethdev_port *port, struct rte_mbuf *m, uint64_t now_ps)
{
	struct packet *p = packet_of(m);

	if (unlikely(m->nb_segs != 1 || !restore_tag(&m))) {
		port->counters.rx_refused++;
		rte_pktmbuf_free(m);
		return;
	}
	/* What the driver says of checksums and hashes must not reach a transmitter. */
	m->ol_flags = 0;
	*p = (struct packet){.uid = port->next_uid++,
			     .frame_bytes =
				     RTE_MAX(m->pkt_len + UNITS_FCS_BYTES, UNITS_MIN_FRAME_BYTES)};
	port->counters.rx_packets++;
	port->counters.rx_bytes += p->frame_bytes;
	link_send(port->to_node, m, now_ps, now_ps);
}

void
ethdev_receive(struct ethdev_port *port, uint64_t now_ps)
{
	struct rte_mbuf *burst[ETHDEV_BURST];
	uint16_t count = rte_eth_rx_burst(port->port_id, 0, burst, ETHDEV_BURST);

	for (uint16_t i = 0; i < count; i++) {
		if (i + 4u < count)
			rte_prefetch0(packet_of(burst[i + 4]));
		receive_one(port, burst[i], now_ps);
	}
}

/* Devices may send what they are given as it is: the smallest frame has 60 bytes and FCS. */
static void
pad(struct rte_mbuf *m)
{
	uint16_t least = UNITS_MIN_FRAME_BYTES - UNITS_FCS_BYTES;

	if (likely(m->data_len >= least))
		return;
	memset(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len), 0, least - m->data_len);
	m->data_len = least;
	m->pkt_len = least;
}

/* Hand over what waits, oldest first, as much as the device takes. */
static void
flush(struct ethdev_port *port)
{
	while (port->waiting_head != port->waiting_tail) {
		uint32_t first = port->waiting_head % ETHDEV_WAITING;
		uint32_t count =
			RTE_MIN(port->waiting_tail - port->waiting_head, ETHDEV_WAITING - first);
		uint64_t bytes = 0;
		uint32_t frames[ETHDEV_BURST] = {0};
		uint16_t sent;

		count = RTE_MIN(count, ETHDEV_BURST);
		for (uint32_t i = 0; i < count; i++)
			frames[i] = packet_of(port->waiting[first + i])->frame_bytes;
		sent = rte_eth_tx_burst(port->port_id, 0, &port->waiting[first], (uint16_t)count);
		for (uint32_t i = 0; i < sent; i++)
			bytes += frames[i];
		port->counters.tx_packets += sent;
		port->counters.tx_bytes += bytes;
		port->waiting_head += sent;
		if (sent < count)
			return;
	}
}

/* What waits, and what was on its way to the device. */
static void
drop_all(struct ethdev_port *port, uint64_t now_ps)
{
	while (port->waiting_head != port->waiting_tail) {
		packet_free(port->waiting[port->waiting_head++ % ETHDEV_WAITING]);
		port->counters.tx_no_link++;
	}
	while (link_next_ps(&port->from_node) <= now_ps) {
		packet_free(link_pop(&port->from_node));
		port->counters.tx_no_link++;
	}
}

void
ethdev_transmit(struct ethdev_port *port, uint64_t now_ps)
{
	if (port->from_node.staged[0].count != 0)
		link_collect(&port->from_node);
	if (unlikely(!port->link_up)) {
		drop_all(port, now_ps);
		return;
	}
	while (link_next_ps(&port->from_node) <= now_ps) {
		struct rte_mbuf *m = link_pop(&port->from_node);

		/* An elided payload has no bytes to send. */
		assert(!packet_of(m)->elided);
		if (port->waiting_tail - port->waiting_head == ETHDEV_WAITING)
			flush(port);
		if (unlikely(port->waiting_tail - port->waiting_head == ETHDEV_WAITING)) {
			port->counters.tx_dropped++;
			packet_free(m);
			/* It may be for want of a link: look soon. */
			port->link_due_ps =
				RTE_MIN(port->link_due_ps, now_ps + ETHDEV_LINK_DOWN_PS);
			continue;
		}
		pad(m);
		port->waiting[port->waiting_tail++ % ETHDEV_WAITING] = m;
	}
	flush(port);
}

uint64_t
ethdev_held(const struct ethdev_port *port)
{
	return port->waiting_tail - port->waiting_head + link_held(&port->from_node) +
	       link_held(&port->own_link);
}
