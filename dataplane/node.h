/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node (a switch or a host) owns ports and state, is single-threaded, has no globals, and
 * has one operation: advance to until_ps, handling in time order every arrival and internal
 * event before it. Nodes meet only through ports. Time is an argument: no node reads a clock.
 *
 * The loop, MAC control frames and the serializer are the same for every node and live in
 * node.c; what differs is in node_ops.
 */
#ifndef RAILYARD_NODE_H
#define RAILYARD_NODE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "agenda.h"
#include "digest.h"
#include "drop.h"
#include "impair.h"
#include "packet.h"
#include "lines.h"
#include "link.h"
#include "pfc.h"

#define NODE_NAME_BYTES 32

struct node;

/*
 * What the outside may watch; every member may be NULL. Called in the node's time order, on the
 * lcore that runs the node, while other lcores run other nodes.
 */
struct node_observer {
	void *context;
	/* A frame's first bit left (is_tx) or the frame arrived, at a port that is captured. */
	void (*frame)(void *context, const struct node *node, uint16_t port, bool is_tx,
		      struct rte_mbuf *m, uint64_t now_ps);
	/* Every sample_interval_ps. */
	void (*sample)(void *context, struct node *node, uint64_t now_ps);
};

struct node_port_cfg {
	uint64_t rate_bps;
	uint8_t mac[6];
	struct pfc_cfg pfc;
	uint64_t hold_from_ps;  /* transmits no data in [hold_from, hold_until): a stopped egress */
	uint64_t hold_until_ps; /* equal = no hold */
};

/* What each frame needs is in two lines: the first, and that of the counters. */
struct node_port {
	struct link *tx;        /* we send here; NULL = not connected */
	struct link *rx;        /* we receive here */
	uint64_t busy_until_ps; /* end of the frame on the wire */
	uint64_t byte_ps;       /* 0 = rate_bps does not divide: compute */
	struct impair *impair;  /* NULL = none; the node destroys it */
	bool captured;
	bool link_down; /* no carrier: nothing can be sent */
	bool has_hold;  /* cfg has one */
	struct pfc_rx pfc_rx;
	/* results */
	uint64_t pause_frames;      /* 802.3x PAUSE received: ignored and counted */
	uint64_t mac_control_other; /* MAC control that is neither, or PFC with an empty vector */
	uint64_t link_ups;          /* how often the link came up, and went down, in the run */
	uint64_t link_downs;
	uint64_t pad;
	uint64_t rx_packets; /* a line begins */
	uint64_t rx_bytes;
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t busy_ps; /* time spent serializing */
	struct pfc_tx pfc_tx;
	struct node_port_cfg cfg;
	uint64_t drops[DROP_REASON_COUNT][8]; /* by reason and PG or queue (0 where none) */
};
static_assert(offsetof(struct node_port, pfc_rx.until_ps) == LINE_BYTES,
	      "with what is asked often");
static_assert(offsetof(struct node_port, rx_packets) % LINE_BYTES == 0, "with PFC to be sent");
static_assert(sizeof(struct node_port) % LINE_BYTES == 0, "arrays of ports keep to lines");

/* Packets end in exactly one of delivered, consumed, dropped; created and copied balance them. */
struct node_counters {
	uint64_t hops;      /* frames that arrived over a link */
	uint64_t created;   /* packets this node made (PFC frames included) */
	uint64_t delivered; /* handed to a host's transport */
	uint64_t copied;    /* extra packets made by flooding and by duplication */
	uint64_t consumed;  /* MAC control frames acted on */
	uint64_t dropped;
	uint64_t dropped_bytes;
	uint64_t marked; /* CE set by this node */
};

struct node_ops {
	/* A frame that is not MAC control has arrived; the node now owns it. */
	void (*arrive)(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps);
	/*
	 * The port may start a frame. Return it, or NULL; *next_ps says when the port next
	 * wants to be asked (never when it has nothing; the caller adds the serializer's end).
	 */
	struct rte_mbuf *(*dequeue)(struct node *node, uint16_t port, uint64_t now_ps,
				    uint64_t *next_ps);
	/* The node's own timer, set by node_set_timer. May be NULL. */
	void (*timer)(struct node *node, uint64_t now_ps);
	/* The port's link came up or went down. May be NULL. */
	void (*link)(struct node *node, uint16_t port, bool up, uint64_t now_ps);
	/* Stop making new work; what is under way may finish. May be NULL. */
	void (*stop)(struct node *node, uint64_t now_ps);
	/* Packets the node holds in its queues (0 at the end of a run). */
	uint64_t (*held)(const struct node *node);
	/* Check the node's invariants: 0, or -EPROTO with one line in `why`. */
	int (*check)(const struct node *node, char *why, size_t why_bytes);
	void (*destroy)(struct node *node);
};

/* The first two lines are what each event needs; nodes are allocated with lines_alloc(). */
struct node {
	const struct node_ops *ops;
	struct agenda agenda;
	struct node_port *ports;
	struct link_outbox *outbox; /* of the lcore that runs it; NULL: of no engine */
	uint64_t sample_next_ps;
	struct rte_mempool *pool;
	struct digest digest;
	uint64_t last_event_ps; /* time of the last event that moved a packet */
	uint64_t next_uid;
	uint64_t window_end_ps; /* how far it is being advanced: tells the window */
	uint32_t slot;          /* its place among the nodes of its lcore */
	uint16_t port_count;
	struct node_counters counters;
	const struct node_observer *observer;
	uint64_t sample_interval_ps;
	uint64_t no_buffers; /* times the pool was empty when a frame had to be made */
	uint32_t id;
	char name[NODE_NAME_BYTES];
};
static_assert(offsetof(struct node, digest) == LINE_BYTES, "what is read, what is written");

/* Set up the common part. ports[].cfg is copied from cfg[port_count]. 0 or -errno. */
int node_init(struct node *node, const struct node_ops *ops, const char *name, uint32_t id,
	      uint64_t seed, struct rte_mempool *pool, uint16_t port_count,
	      const struct node_port_cfg *cfg);
void node_fini(struct node *node);

/* Connect a port: links outlive the node. */
void node_attach(struct node *node, uint16_t port, struct link *tx, struct link *rx);

/*
 * The port's link went down or came up; at first it is up. While it is down the port goes on
 * sending at its rate, but what it sends is dropped as link_down: queues empty themselves. Pauses
 * that the peer had asked for are forgotten; those that it should keep are told again.
 */
void node_set_link(struct node *node, uint16_t port, bool up, uint64_t now_ps);

/* A cable is cut: what is on it, on its way to the port, is dropped as link_down. How many frames.
 */
uint64_t node_lose_arrivals(struct node *node, uint16_t port, uint64_t now_ps);

/* What the port starts to send from now on, it sends at this rate. */
void node_set_rate(struct node *node, uint16_t port, uint64_t rate_bps);

static inline bool
node_can_send(const struct node *node, uint16_t port)
{
	return node->ports[port].tx != NULL && !node->ports[port].link_down;
}

/* Impair a port that is attached; the node owns `impair` from here on. */
void node_impair(struct node *node, uint16_t port, struct impair *impair);

/* Stop making new work, and pause storms; what is under way may finish. */
void node_stop(struct node *node, uint64_t now_ps);

/* Call the observer's sample every interval_ps in which something happens; 0 = never. */
void node_sample_every(struct node *node, uint64_t interval_ps);

/* Between windows: take in what peers sent, and return when the node next wants to run. */
uint64_t node_collect(struct node *node);

/*
 * In a window: take in what was sent over this link in windows with this lowest bit; when the
 * earliest of it, or of what was in the link before, is due.
 */
uint64_t node_take(struct link *rx, unsigned int parity);

/* Handle every event before until_ps; return the time of the next one (UNITS_NEVER_PS: none). */
uint64_t node_advance(struct node *node, uint64_t until_ps);

/*
 * Ask for the memory of a node that is to be advanced soon, each a step after the one before: the
 * node, its agenda and first port, what it is going to do first.
 */
static inline void
node_prefetch(const struct node *node)
{
	rte_prefetch0(node);
	rte_prefetch0(&node->digest);
	rte_prefetch0((const char *)node + 2 * LINE_BYTES);
	rte_prefetch0((const char *)node + 3 * LINE_BYTES);
}

static inline void
node_prefetch_ports(const struct node *node)
{
	rte_prefetch0(node->agenda.entries);
	rte_prefetch0(&node->agenda.entries[4]);
	rte_prefetch0(node->ports);
	rte_prefetch0(&node->ports->rx_packets);
}

static inline void
node_prefetch_event(const struct node *node)
{
	uint32_t source = agenda_first(&node->agenda);
	const struct node_port *port;

	if (source == node->port_count)
		return;
	port = &node->ports[source < node->port_count ? source : source - node->port_count - 1];
	rte_prefetch0(port);
	rte_prefetch0(&port->rx_packets);
	rte_prefetch0(&node->agenda.entries[node->agenda.leaves + source]);
}

/* Ask for node_ops.timer at due_ps (replaces the earlier request). */
void node_set_timer(struct node *node, uint64_t due_ps);

/* A port has something to send from at_ps on. */
void node_wake_port(struct node *node, uint16_t port, uint64_t at_ps);

/* Put priority `priority` of the port's peer into XOFF, or back to XON; sent as PFC frames. */
void node_pause_peer(struct node *node, uint16_t port, uint8_t priority, bool xoff,
		     uint64_t now_ps);

/* A blank packet with a uid, counted as created; NULL (and no_buffers) when none is left. */
struct rte_mbuf *node_new_packet(struct node *node);

/* The three ways a packet ends. `class` is the PG or queue it is charged to, 0 where none. */
void node_drop(struct node *node, uint16_t port, uint8_t class, enum drop_reason reason,
	       struct rte_mbuf *m, uint64_t now_ps);
void node_deliver(struct node *node, struct rte_mbuf *m, uint64_t now_ps);
void node_consume(struct node *node, struct rte_mbuf *m, uint64_t now_ps);

/* Close time books (paused time) at the end of a run. */
void node_close(struct node *node, uint64_t now_ps);

#endif
