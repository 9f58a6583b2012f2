/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node's port on a DPDK ethdev: a NIC, or a tap, packet socket, memif, ring.
 *
 * The node does not know: it sends into one link and receives from another as it does towards
 * a node of its own process. Here is the other end of both. What the device delivers is put
 * into `to_node`; what the node has sent is taken from `from_node` once its last bit has left
 * the emulated wire, and given to the device.
 *
 * The emulated line rate is kept by the node, so queues build in the emulator's buffer and not
 * in the device's. A frame that the device does not take waits; more than ETHDEV_WAITING of
 * them would be a queue that no switch has, so what comes then is dropped and counted.
 *
 * Frames are whole (a payload that is elided cannot be sent) and in one segment.
 */
#ifndef RAILYARD_ETHDEV_H
#define RAILYARD_ETHDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "link.h"
#include "node.h"

/* How often the link is looked at: while it is up; while it is down, or takes no frames. */
#define ETHDEV_LINK_UP_PS UNITS_PS_PER_S
#define ETHDEV_LINK_DOWN_PS UNITS_PS_PER_MS

/* Frames taken from the device at a time, and most that wait for it. */
#define ETHDEV_BURST 64u
#define ETHDEV_WAITING 512u

struct ethdev_cfg {
	uint16_t mtu_bytes; /* 0 = leave the device's */
	bool mtu_required;  /* a device that refuses mtu_bytes is an error */
	bool promiscuous;
	bool hardware;     /* a NIC, with a MAC of its own */
	uint64_t delay_ps; /* propagation, and the node's fixed latency: of what is received */
};

/*
 * What becomes of pause frames on their way to the node. A MAC that does flow control itself takes
 * them, and many pass none on even when it is off.
 */
enum ethdev_pauses {
	ETHDEV_PAUSES_PASS,    /* a device of software, or told to and did not refuse */
	ETHDEV_PAUSES_UNKNOWN, /* a NIC whose driver has no call for it */
	ETHDEV_PAUSES_KEPT,    /* the driver will not pass on MAC control frames */
	ETHDEV_PAUSES_STUCK,   /* its own flow control would not be turned off */
};

struct ethdev_counters {
	uint64_t rx_packets; /* given to the node */
	uint64_t rx_bytes;   /* frame bytes, FCS counted */
	uint64_t rx_refused; /* in several segments, or no room for a stripped VLAN tag */
	uint64_t tx_packets; /* taken by the device */
	uint64_t tx_bytes;
	uint64_t tx_dropped; /* ETHDEV_WAITING frames were waiting already */
	uint64_t tx_no_link; /* had left the node when the link was found down */
};

struct ethdev_port {
	struct link *to_node; /* `own_link`, or one of the caller's */
	struct link from_node;
	struct link own_link;
	struct node *node;
	uint64_t next_uid;
	uint64_t link_due_ps; /* when to look at the link again */
	uint32_t waiting_head;
	uint32_t waiting_tail;
	uint32_t interface; /* the kernel's, behind the device; 0 = none */
	uint16_t node_port;
	uint16_t port_id;
	bool started;
	bool link_up;
	bool may_leave;   /* its interface may be in another namespace, and unseen */
	bool mtu_refused; /* the device kept its own MTU */
	enum ethdev_pauses pauses;
	struct ethdev_counters counters;
	struct rte_mbuf *waiting[ETHDEV_WAITING]; /* ring */
};

/*
 * Configure and start DPDK port `port_id` with one queue each way; received packets come from
 * `pool`. to_node NULL: it makes a link with cfg->delay_ps itself. `number` tells its packets'
 * uids from others'. 0, or -errno with one line in why (the port is then closed).
 */
int ethdev_open(struct ethdev_port *port, uint16_t port_id, const struct ethdev_cfg *cfg,
		struct rte_mempool *pool, struct link *to_node, uint16_t number, char *why,
		size_t why_bytes);
void ethdev_close(struct ethdev_port *port);

/* Make it the other end of a node's port, whose link is up or down as the device's is. */
void ethdev_attach(struct ethdev_port *port, struct node *node, uint16_t node_port);

/*
 * When pauses matter to the node and this device may keep them: one line on that and on what to do,
 * without the port's name. Otherwise, or when some have come, NULL.
 */
const char *ethdev_pauses_doubt(const struct ethdev_port *port);

/* Whether the device has a link now. */
bool ethdev_link_up(const struct ethdev_port *port);

/*
 * Look at the device's link, if it is time to, and tell the node when it has changed. Drivers of
 * kernel interfaces often know nothing of their link, so those are asked themselves.
 */
void ethdev_poll_link(struct ethdev_port *port, uint64_t now_ps);

/* Take a burst from the device; its frames are received at now_ps, plus the link's delay. */
void ethdev_receive(struct ethdev_port *port, uint64_t now_ps);

/* Give the device every frame that has left the node by now_ps; drop it when there is no link. */
void ethdev_transmit(struct ethdev_port *port, uint64_t now_ps);

/* Packets in its links and waiting for the device. */
uint64_t ethdev_held(const struct ethdev_port *port);

#endif
