/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch: a node with queues, a buffer, forwarding tables and a pipeline that puts them in
 * order. The pipeline is chosen by name; see pipelines/.
 *
 * Invariants: a queue's bytes and packets equal the sum over the packets it links; the MMU's
 * sums equal the queues' (mmu.h).
 */
#ifndef RAILYARD_SWITCH_H
#define RAILYARD_SWITCH_H

#include "forwarding.h"
#include "mmu.h"
#include "node.h"
#include "prng.h"
#include "scheduler.h"
#include "watchdog.h"
#include "wred.h"

#define SWITCH_QUEUES 8
#define SWITCH_TCS 16
#define SWITCH_MAX_PORTS 512

/* DSCP_TO_TC_MAP, DOT1P_TO_TC_MAP, TC_TO_PRIORITY_GROUP_MAP, TC_TO_QUEUE_MAP, and PFC's maps. */
struct switch_maps {
	uint8_t dscp_to_tc[64];
	uint8_t pcp_to_tc[8];
	uint8_t tc_to_pg[SWITCH_TCS];    /* of the port a frame comes in by */
	uint8_t tc_to_queue[SWITCH_TCS]; /* of the port it goes out by */
	uint8_t pfc_to_queue[8];         /* received pause for priority p stops this queue */
	uint8_t pg_to_pfc[8]; /* XOFF of a PG is sent as this priority, and as those of tc_to_pg */
	bool trust_pcp;       /* tagged frames by PCP; the others, or all, by DSCP */
};

struct switch_port_cfg {
	struct node_port_cfg port;
	struct mmu_port_cfg mmu;
	int16_t wred[SWITCH_QUEUES];      /* index into wred, or -1 */
	int16_t scheduler[SWITCH_QUEUES]; /* index into schedulers, or -1 */
	struct shaper_cfg shaper;         /* of the whole port */
	uint32_t mtu_bytes;               /* largest frame, FCS counted */
	uint32_t maps;                    /* 0: the switch's; n: port_maps[n - 1] */
	struct watchdog_cfg watchdog;
};

struct switch_cfg {
	char name[NODE_NAME_BYTES];
	char pipeline[NODE_NAME_BYTES];
	uint16_t port_count;
	const struct switch_port_cfg *ports;
	struct mmu_cfg mmu;
	struct switch_maps maps;
	const struct switch_maps *port_maps; /* of ports with maps of their own */
	struct forwarding_cfg forwarding;
	uint32_t wred_count;
	const struct wred_cfg *wred;
	uint32_t scheduler_count;
	const struct scheduler_cfg *schedulers;
	uint64_t latency_ps;         /* from a frame's arrival to its place in a queue */
	uint64_t sample_interval_ps; /* 0 = none */
	uint64_t watchdog_poll_ps;   /* more than 0 where a port has a watchdog */
	uint64_t watchdog_start_ps;  /* no poll before */
};

/* What each frame needs is in the first line. */
struct switch_queue {
	struct rte_mbuf *head;
	struct rte_mbuf *tail;
	uint64_t bytes;
	uint32_t packets;
	uint16_t port;
	uint8_t index;
	const struct wred_cfg *wred; /* NULL = none */
	uint64_t max_bytes;          /* results */
	uint64_t tx_packets;
	uint64_t tx_bytes;
	struct wred_state wred_state;
	uint64_t marked;
	uint64_t dropped;    /* WRED and egress limit */
	uint64_t emptied_ps; /* its last packet began to leave, none waited; 0 = never */
	uint64_t pad[3];
};
static_assert(offsetof(struct switch_queue, wred_state) == LINE_BYTES, "queues keep to lines");
static_assert(sizeof(struct switch_queue) == 2 * LINE_BYTES, "queues keep to lines");

struct switch_port {
	uint8_t backlogged; /* bit n: queue n is not empty */
	uint8_t xoff_pgs;   /* bit n: PG n holds its senders in XOFF */
	/* What a watchdog has done: queues that do not obey pause, and of these those whose packets
	 * are dropped; priorities that send none. */
	uint8_t pause_ignored;
	uint8_t condemned;
	uint8_t pause_withheld;
	uint32_t mtu_bytes;
	const struct switch_maps *maps;
	uint8_t pfc_of_pg[MMU_CLASSES]; /* priorities that fill a PG, a bit each */
	struct scheduler_port scheduler;
	uint64_t pad[4];
	struct switch_queue queues[SWITCH_QUEUES];
};
static_assert(offsetof(struct switch_port, queues) % LINE_BYTES == 0, "ports keep to lines");

struct switch_node;

/* One file in pipelines/ each. */
struct pipeline {
	const char *name;
	const char *help;
	bool uses_mmu; /* the configuration must bind buffers */
	void (*arrive)(struct switch_node *sw, uint16_t port, struct rte_mbuf *m, uint64_t now_ps);
	struct rte_mbuf *(*dequeue)(struct switch_node *sw, uint16_t port, uint64_t now_ps,
				    uint64_t *next_ps);
};

struct switch_node {
	struct node node; /* first: a node is a switch */
	const struct switch_cfg *cfg;
	const struct pipeline *pipeline;
	struct mmu mmu;
	struct forwarding forwarding;
	struct switch_port *ports;
	uint8_t (*port_macs)[6];
	struct wred_bins *wred_bins; /* results: of each queue with a WRED profile */
	struct prng prng;
	struct link pipe;      /* frames on their way through the fixed latency */
	uint64_t held_packets; /* in queues */
	struct watchdog (*watchdogs)[SWITCH_QUEUES]; /* by port and priority; NULL = none */
	uint64_t watchdog_due_ps;                    /* next poll; never: nothing to watch */
};

static inline const struct switch_maps *
switch_port_maps(const struct switch_cfg *cfg, uint32_t port)
{
	uint32_t n = cfg->ports[port].maps;

	return n == 0 ? &cfg->maps : &cfg->port_maps[n - 1];
}

/*
 * What a PG in XOFF pauses, a bit each: its own priority, and where the map leaves that at the PG's
 * number, every priority whose traffic class comes into it (SONiC's reversed priority group map).
 */
uint8_t switch_pg_priorities(const struct switch_maps *maps, uint8_t pg);

/* cfg outlives the switch. 0 or -errno; *out is destroyed by node.ops->destroy. */
int switch_create(struct switch_node **out, const struct switch_cfg *cfg,
		  const struct pipeline *pipeline, uint32_t id, uint64_t seed,
		  struct rte_mempool *pool, const struct node_observer *observer);

static inline struct switch_node *
switch_of(struct node *node)
{
	return (struct switch_node *)node;
}

/*
 * A PG went to XOFF or back: the priorities that fill it are paused as long as any PG they fill
 * is in XOFF.
 */
void switch_pause_senders(struct switch_node *sw, uint16_t port, uint8_t pg, bool xoff,
			  uint64_t now_ps);

/* Append to a queue of its out port and wake the port. */
void switch_enqueue(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/* Drop all that a queue of a port holds, buffers and all; returns how many packets. */
uint32_t switch_flush(struct switch_node *sw, uint16_t port, uint8_t queue, enum drop_reason reason,
		      uint64_t now_ps);

/* Ask for the node's timer when the first of what the switch waits for is due. */
void switch_set_timer(struct switch_node *sw);

/*
 * switch_watchdog.c: set-up (0 or -ENOMEM); a priority with a watchdog is paused: poll from the
 * next multiple of the interval on; the poll.
 */
int switch_watchdog_init(struct switch_node *sw);
void switch_watchdog_arm(struct switch_node *sw, uint64_t now_ps);
/* A packet for a condemned queue is dropped. */
void switch_watchdog_count(struct switch_node *sw, uint16_t port, uint8_t queue);
void switch_watchdog_poll(struct switch_node *sw, uint64_t now_ps);

/* Take the frame the scheduler picks, or NULL with *next_ps when to ask again. */
struct rte_mbuf *switch_dequeue(struct switch_node *sw, uint16_t port, uint64_t now_ps,
				uint64_t *next_ps);

#endif
