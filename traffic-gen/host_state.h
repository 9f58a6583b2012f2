/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host is made of, for the files that together are the host. Each member is written by
 * the file of its name only (nic.c, qp.c, drain.c, ...); results by whoever counts.
 */
#ifndef RAILYARD_HOST_STATE_H
#define RAILYARD_HOST_STATE_H

#include "datagram.h"
#include "drain.h"
#include "heap.h"
#include "host.h"
#include "host_sources.h"
#include "neighbour.h"
#include "nic.h"
#include "qp.h"

struct host {
	struct node node; /* first: host_of() */
	const struct host_cfg *cfg;
	const struct host_env *env;
	struct nic nic;
	struct qp_table qps;
	struct host_results results;
	uint64_t timer_ps;    /* what the node's timer is set to */
	uint64_t outstanding; /* messages neither completed nor failed */
	uint64_t posted_bytes;
	uint64_t completed_bytes;
	uint64_t cnp_next_ps;   /* notification point, scope CNP_PER_PORT */
	struct heap retransmit; /* struct qp by deadline */
	struct host_sources sources;
	struct datagrams datagrams;
	struct neighbours neighbours;
	struct drain drain;
	struct histogram reorder_distance; /* counters NULL until the first */
	uint32_t id;
	uint8_t data_ecn; /* codepoint of our data */
	bool paced;       /* QPs may be slower than the line */
	bool stopped;
	uint8_t priority_of[64]; /* by DSCP */
	bool placement_observed;
};

static inline struct host *
host_of(struct node *node)
{
	return (struct host *)node;
}

static inline uint8_t
host_priority(const struct host *host, uint8_t dscp)
{
	return host->priority_of[dscp & 63];
}

/* Set the node's timer to the earliest of sources, retransmit timers and the slow receiver. */
void host_schedule(struct host *host);

/* Act on a packet that is ours: give it to its queue pair, or count it. Ends the packet. */
void host_receive(struct host *host, struct rte_mbuf *m, const struct roce_packet *p,
		  uint64_t now_ps);

/* Payload goes to memory. */
static inline void
host_place(struct host *host, const struct qp *qp, bool response, uint32_t psn, uint32_t bytes)
{
	host->results.bytes_delivered += bytes;
	if (unlikely(host->placement_observed))
		host->env->host_observer->placed(host->env->host_observer->context, host->id,
						 qp->qpn, response, psn, bytes);
}

#endif
