/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host among others on its link: it answers who asks for its MAC address or sends it an echo
 * request, and it finds out the MAC addresses of peers that are known by IP address only.
 *
 * Such a peer is asked for when the host first has something for it: NEIGHBOUR_TRIES times, one
 * NEIGHBOUR_RETRY_PS after the other (RFC 4861 10: RETRANS_TIMER). Until it answers, queue pairs
 * with it keep still and datagrams for it are set aside; if it never does, its queue pairs fail
 * and its datagrams are dropped. What a host has learned is its own: peers are shared.
 *
 * Frames made here wait in a bounded ring for the port, and go before data.
 * Invariant: `resolving` counts the peers that are NEIGHBOUR_RESOLVING.
 */
#ifndef RAILYARD_NEIGHBOUR_H
#define RAILYARD_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "heap.h"
#include "neighbour_frame.h"
#include "nic.h"

#define NEIGHBOUR_RING 64u
#define NEIGHBOUR_TRIES 10u
#define NEIGHBOUR_RETRY_PS UNITS_PS_PER_S

enum neighbour_state {
	NEIGHBOUR_UNKNOWN,
	NEIGHBOUR_RESOLVING,
	NEIGHBOUR_RESOLVED,
	NEIGHBOUR_FAILED
};

struct neighbour {
	uint8_t mac[6];
	uint8_t state; /* enum neighbour_state */
	uint8_t tries;
};

struct neighbours {
	struct nic_context context; /* of the ring */
	struct neighbour_station me;
	struct rte_mbuf **ring; /* NEIGHBOUR_RING frames, allocated on first use */
	uint32_t head;
	uint32_t tail;
	uint32_t resolving;
	struct neighbour *peers; /* [host_count], allocated when the first is asked for */
	struct heap due;         /* peers by when to ask again, those that have answered included */
};

void neighbour_init(struct host *host);
void neighbour_fini(struct neighbours *neighbours);

/* Take a frame that is ARP, neighbour discovery or an echo request for us; else false. */
bool neighbour_arrive(struct host *host, struct rte_mbuf *m, uint64_t now_ps);

/* What is known of a peer; a MAC address that was given is RESOLVED. */
enum neighbour_state neighbour_state_of(const struct host *host, uint32_t peer);

/* Its MAC address: given, learned, or zeros. */
const uint8_t *neighbour_mac(const struct host *host, uint32_t peer);

/* There is something for a peer that is not RESOLVED: ask for it, if that is not under way. */
void neighbour_want(struct host *host, uint32_t peer, uint64_t now_ps);

/* Ask again, or give up, where the time has come. */
void neighbour_run(struct host *host, uint64_t now_ps);

/* When neighbour_run() wants to be called. */
static inline uint64_t
neighbour_due_ps(const struct neighbours *neighbours)
{
	return neighbours->resolving == 0 ? UNITS_NEVER_PS : heap_due_ps(&neighbours->due);
}

/* The oldest frame that waits for the port. */
struct rte_mbuf *neighbour_send(struct host *host);

/* Priority of the oldest frame; only when there is one. */
uint8_t neighbour_priority(const struct neighbours *neighbours);

#endif
