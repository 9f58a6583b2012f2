/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Load balancing: which of several equally short next hops a packet takes. Forwarding knows the
 * groups and who of their members is alive; a balancer is asked for one of them, packet by packet,
 * and sees the packet, the time, and how loaded each port of its own switch is: nothing of other
 * switches, as in hardware without telemetry between them.
 *
 * A kind of balancer is one file, balancer_KIND.c, that ends with its struct balancer_ops;
 * balancer.c lists them. Invariant: choose() returns a member of the group it was given. State
 * belongs to one switch, is bounded, and is made at set-up; draws come from the switch's own
 * stream.
 */
#ifndef RAILYARD_BALANCER_H
#define RAILYARD_BALANCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "balancer_hash.h"
#include "next_hops.h"
#include "packet.h"
#include "prng.h"

/* What is kept for a group is kept in so many slots; further groups share. A power of 2. */
#define BALANCER_GROUP_SLOTS 256u
#define BALANCER_MAX_SAMPLES 16 /* drill: d and m, each */

/* What is balanced: each packet on its own, a burst of a flow, or a flow for good. */
enum balancer_unit { BALANCER_PACKET, BALANCER_FLOWLET, BALANCER_FLOW };

struct balancer_cfg {
	const struct balancer_ops *ops; /* NULL = ecmp */
	uint64_t seed;                  /* of the draws; differs from switch to switch */
	struct balancer_hash_cfg hash;
	/* flowlet, adaptive */
	uint32_t table_entries; /* a power of 2 */
	uint64_t gap_ps;        /* silence after which a flow may move */
	/* adaptive; see balancer_adaptive.c */
	enum balancer_unit unit;
	bool sticky;            /* moves only for a better band */
	uint64_t interval_ps;   /* from sample to sample; > 0 */
	uint8_t exponent;       /* of the moving averages, in 2^-n */
	bool falls_at_once;     /* a sample below the average becomes the average */
	uint8_t past_weight;    /* of the bytes sent, beside ... */
	uint8_t future_weight;  /* ... that of the bytes queued */
	uint64_t full_queue_ps; /* a queue that takes the port this long is the worst there is */
	uint8_t samples;        /* drill: d, members drawn for each packet */
	uint8_t memory;         /* drill: m, least loaded members remembered */
	bool random;            /* spray: draw members rather than take turns */
};

/* One port of the switch, as balancers see it. A line each: only some are looked at. */
struct balancer_port {
	uint64_t queued_bytes; /* these two are written by the switch */
	uint64_t sent_bytes;
	uint64_t rate_bps; /* of the link as it is */
	/* results: what took this port where there was a choice */
	uint64_t packets;
	uint64_t bytes;
} __rte_cache_aligned;

/* A group as it is now: at least 2 members, all of them alive. */
struct balancer_group {
	const struct next_hop *members;
	uint32_t count;
	uint32_t id; /* the same for the same group as long as the routing stands */
};

struct balancer {
	const struct balancer_cfg *cfg;
	const struct balancer_ops *ops;
	struct balancer_port *ports;
	uint16_t port_count;
	struct prng prng;
	void *state; /* the kind's own; allocated by init(), freed by balancer_fini() */
};

struct balancer_ops {
	const char *name;
	const char *help;
	/* Make b->state, with one calloc(). 0 or -errno. NULL = there is none. */
	int (*init)(struct balancer *b);
	/* Index of a member, < group->count. */
	uint32_t (*choose)(struct balancer *b, const struct balancer_group *group,
			   struct rte_mbuf *m, uint64_t now_ps);
};

extern const struct balancer_ops balancer_ecmp;
extern const struct balancer_ops balancer_weighted;
extern const struct balancer_ops balancer_flowlet;
extern const struct balancer_ops balancer_adaptive;
extern const struct balancer_ops balancer_drill;
extern const struct balancer_ops balancer_spray;

/* By the name in the configuration; NULL when there is none. */
const struct balancer_ops *balancer_find(const char *name);

/* The n-th kind, NULL past the end. */
const struct balancer_ops *balancer_at(unsigned int n);

/* cfg outlives the balancer. The caller fills in rates of the ports. 0 or -errno. */
int balancer_init(struct balancer *b, const struct balancer_cfg *cfg, uint16_t port_count);
void balancer_fini(struct balancer *b);

/* Choose a member, and count it. */
static inline uint32_t
balancer_choose(struct balancer *b, const struct balancer_group *group, struct rte_mbuf *m,
		uint64_t now_ps)
{
	uint32_t member = b->ops->choose(b, group, m, now_ps);
	struct balancer_port *port = &b->ports[group->members[member].port];

	port->packets++;
	port->bytes += packet_of(m)->frame_bytes;
	return member;
}

#endif
