/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network of a scenario, built: nodes, the links between them, the packet pool, and the
 * engine that drives them. Switches come first among the nodes, then hosts, then what a
 * subcommand adds (a replayed trace and its sinks).
 */
#ifndef RAILYARD_FABRIC_H
#define RAILYARD_FABRIC_H

#include <stddef.h>
#include <stdint.h>

#include "engine_real.h"
#include "engine_virtual.h"
#include "ethdev.h"
#include "fabric_cycles.h"
#include "fabric_deadlock.h"
#include "fabric_failures.h"
#include "fabric_graph.h"
#include "fabric_routes.h"
#include "host.h"
#include "scenario.h"
#include "switch.h"

/* Hops a path may have: more is a routing loop. */
#define FABRIC_MAX_HOPS 16

/* A directed cable. */
struct fabric_edge {
	uint32_t from_node;
	uint32_t to_node;
	uint16_t from_port;
	uint16_t to_port;
	uint64_t delay_ps; /* propagation, and the latency of the switch it leads to */
	uint64_t rate_bps;
};

/*
 * What the kernel has received for a packet socket, whose driver counts no losses; modulo 2^32,
 * from the start of the run to the end of what it was to take in.
 */
struct fabric_socket {
	uint32_t first;
	uint32_t last;
	bool begun;
	bool ended;
};

/* Whose port an ethdev is. */
struct fabric_end {
	uint32_t node;
	uint16_t port;
};

/* Someone who looks at the fabric each interval, at its exact time. All zero: nobody does. */
struct fabric_watch {
	uint64_t interval_ps;
	uint64_t next_ps;
	void (*look)(void *context, uint64_t now_ps); /* while no node runs */
	void *context;
};

struct fabric {
	const struct scenario *scenario;
	uint32_t node_count;
	uint32_t node_size;
	struct node **nodes;
	uint32_t switch_count;
	struct switch_node **switches;
	uint32_t host_count;
	struct host **hosts;
	struct host_peer *peers;
	uint32_t link_count; /* directed: two a cable */
	uint32_t link_size;
	struct link *links;
	struct fabric_edge *edges; /* by link */
	struct fabric_graph graph;
	struct host_directory directory;
	struct host_routes *routes; /* by switch: with every link up */
	struct host_routes *live; /* by switch: as things are; `routes` where no link ever fails */
	bool up_down;             /* see fabric_routes.h */
	struct fabric_failures failures;
	struct fabric_cycle cycle; /* of buffers, that the routes close with every link up */
	struct fabric_deadlock deadlock;
	struct fabric_watch watch;
	struct rte_mempool *pool;
	uint32_t pool_count;
	uint32_t **peer_lists; /* of sources that cannot share their workload's */
	uint32_t peer_list_count;
	uint16_t lcores;
	uint64_t lookahead_ps; /* UNITS_NEVER_PS: no link from node to node */
	struct host_env env;
	struct engine_virtual engine;
	/* Real time: ends of ring cables first, in pairs, then the configured devices. */
	uint32_t ring_port_count;
	uint32_t ethdev_count;
	struct ethdev_port *ethdevs;
	struct fabric_end *ethdev_ends; /* by ethdev */
	struct fabric_socket *sockets;  /* by ethdev */
	struct rte_ring **rings;        /* [ring_port_count]: what ring port n sends into */
	struct engine_real real;
};

#define FABRIC_NO_PORT UINT16_MAX

/* fabric_impair.c: packets that impairments' delays keep under way; 0 or -errno. */
uint64_t fabric_impaired_packets(const struct scenario *scenario);
int fabric_impair(struct fabric *fabric, char *why, size_t why_bytes);

/*
 * Packets the scenario can have under way at most (an estimate where a pipeline has no limit),
 * and the memory the EAL needs for them with data_bytes of room each.
 */
uint32_t fabric_packets(const struct scenario *scenario);
uint64_t fabric_memory_bytes(const struct scenario *scenario, uint32_t packets,
			     uint32_t data_bytes);

/* Room a packet needs: headers, or whole frames when payloads are kept. */
uint32_t fabric_data_bytes(const struct scenario *scenario);

/* fabric_lcores.c: lcores to run the scenario on; and the CPUs that this process may use. */
uint32_t fabric_usable_cpus(void);
uint16_t fabric_lcores(const struct scenario *scenario, uint32_t extra_nodes);

struct fabric_options {
	uint32_t packets;
	uint32_t data_bytes;
	uint32_t extra_nodes; /* how many a subcommand will add */
	uint16_t lcores;      /* of the EAL, to use; 0 = one */
	const struct node_observer *node_observer;
	const struct host_observer *host_observer;
};

/*
 * Build it. The scenario is the fabric's to extend (forwarding entries of attached hosts) and
 * outlives it. 0, or -errno with one line in why.
 */
int fabric_create(struct fabric **out, struct scenario *scenario,
		  const struct fabric_options *options, char *why, size_t why_bytes);
void fabric_destroy(struct fabric *fabric);

/* Add a node (the fabric destroys it) and a cable; before fabric_start(). */
int fabric_add_node(struct fabric *fabric, struct node *node);
int fabric_connect(struct fabric *fabric, struct node *a, uint16_t a_port, struct node *b,
		   uint16_t b_port, uint64_t delay_ps);

/*
 * fabric_run.c: engine_virtual_run(), with what happens to links meanwhile. ENGINE_STOPPED also
 * when there is a deadlock: deadlock.found.
 */
enum engine_end fabric_run(struct fabric *fabric, uint64_t until_ps);

/*
 * What fabric_run() does meanwhile, for who runs the fabric otherwise: take in what is due, no node
 * running; and when there is something next, or UNITS_NEVER_PS.
 */
void fabric_apply(struct fabric *fabric, uint64_t now_ps);
uint64_t fabric_next_ps(const struct fabric *fabric);

/* Set the engine up once all nodes are connected. */
int fabric_start(struct fabric *fabric, char *why, size_t why_bytes);

/*
 * fabric_ethdev.c: a cable over a pair of net_ring devices (what fabric_connect() does in
 * memory), and the devices of the scenario. 0, or -errno with one line in why.
 */
int fabric_ethdev_cable(struct fabric *fabric, struct node *a, uint16_t a_port, struct node *b,
			uint16_t b_port, uint64_t delay_ps, char *why, size_t why_bytes);
int fabric_ethdev_open(struct fabric *fabric, char *why, size_t why_bytes);
/* Close them all; before the packet pool goes. */
void fabric_ethdev_close(struct fabric *fabric);

/* Whether the device is a packet socket: its frames are the kernel's, as it left them. */
bool fabric_ethdev_is_socket(const struct ethdev_port *port);

/*
 * fabric_sockets.c: count from here, and to here. What had been received by then and is not given
 * to the port a moment later has been lost on the way: at least so many frames of a device.
 */
void fabric_sockets_begin(struct fabric *fabric);
void fabric_sockets_end(struct fabric *fabric);
uint32_t fabric_sockets_lost(const struct fabric *fabric, uint32_t ethdev);

/* One direction of a cable, not yet attached to the nodes. */
int fabric_link(struct fabric *fabric, struct node *from, uint16_t from_port, struct node *to,
		uint16_t to_port, uint64_t delay_ps, struct link **out);

/* Packets on the other side of devices: taken from them less given to them and dropped there. */
int64_t fabric_ethdev_balance(const struct fabric *fabric);
/* Packets in ring cables, in the links of devices, and waiting for one. */
uint64_t fabric_ethdev_held(const struct fabric *fabric);

/* fabric_forwarding.c: the routing, and what follows from it in the scenario's switches. */
int fabric_forwarding(struct fabric *fabric, struct scenario *scenario);
void fabric_forwarding_free(struct fabric *fabric);
/* The first port of a switch towards a host with every link up, or FABRIC_NO_PORT. */
uint16_t fabric_port_to(const struct fabric *fabric, uint32_t sw, uint32_t host);

/* fabric_sources.c: give the hosts the sources of the workloads. */
int fabric_sources(struct fabric *fabric, char *why, size_t why_bytes);

/*
 * fabric_ideal.c: the completion time of a transfer alone on the idle path, to the
 * acknowledgement's arrival (READ: the last response's); 0 = no path. Shape of host_env.
 */
uint64_t fabric_ideal_ps(void *fabric, uint32_t source, uint32_t destination, enum verb verb,
			 uint64_t bytes);

/*
 * fabric_check.c: the invariants that hold between windows (`at_end` false) and at the end of
 * a run that has drained. 0, or -EPROTO with one line in why.
 */
int fabric_check(const struct fabric *fabric, bool at_end, char *why, size_t why_bytes);

/* Packets held by nodes and in links. */
uint64_t fabric_in_flight(const struct fabric *fabric);

/* A port sends nothing to the end of the run: what waits there does not arrive. */
bool fabric_is_stalled(const struct fabric *fabric);

/* Some node found the packet pool empty: the run is not what it would have been. */
bool fabric_exhausted(const struct fabric *fabric);

/* Frames that have crossed a link, over all nodes. */
uint64_t fabric_hops(const struct fabric *fabric);

/* Time of the last event that moved a packet, over all nodes. */
uint64_t fabric_last_event_ps(const struct fabric *fabric);

#endif
