/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARP (RFC 826), neighbour solicitations and advertisements (RFC 4861) and echo (RFC 792, RFC
 * 4443) on the wire: what a station with one address needs so that others find it and it finds
 * them. Encoding and decoding only: no state.
 *
 * A station takes part in one VLAN, or in none, and hears nothing of others. Frames made here
 * are whole, with valid checksums, and at least of the smallest size. ARP and neighbour discovery
 * are of priority 0; an echo is answered with the DSCP it came with.
 */
#ifndef RAILYARD_NEIGHBOUR_FRAME_H
#define RAILYARD_NEIGHBOUR_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "roce.h"

struct neighbour_station {
	struct roce_address address;
	uint16_t vlan_id; /* 0: untagged */
	uint8_t ttl;
};

enum neighbour_kind {
	NEIGHBOUR_OTHER,     /* none of the following, or not for this station */
	NEIGHBOUR_REQUEST,   /* someone asks for our MAC address */
	NEIGHBOUR_ANSWER,    /* someone tells us theirs */
	NEIGHBOUR_ECHO,      /* an echo request */
	NEIGHBOUR_MALFORMED, /* would be one of these, but is broken */
};

/* What a request or an answer says of who sent it. */
struct neighbour_claim {
	uint8_t ip[16];   /* all zeros: asked without an address (a probe) */
	uint8_t mac[6];   /* where an answer goes; from the frame's header if it says no other */
	bool mac_claimed; /* `mac` is the claim of `ip`'s owner, not only where the frame is from */
};

/*
 * What a parsed frame is to the station. Fills *claim for a request or an answer. Broken are
 * those that RFC 4861 7.1 wants discarded, ARP of wrong sizes or of a group's MAC address, and
 * checksums that do not hold where the frame is whole in memory.
 */
enum neighbour_kind neighbour_decode(const struct neighbour_station *me, const struct rte_mbuf *m,
				     struct neighbour_claim *claim);

/* Write into the blank packet m: who has `ip`? A broadcast, or to its solicited-node group. */
void neighbour_encode_request(const struct neighbour_station *me, const uint8_t ip[16],
			      struct rte_mbuf *m);

/* Our MAC address, to the one who asked; to all nodes if that one has no address yet. */
void neighbour_encode_answer(const struct neighbour_station *me,
			     const struct neighbour_claim *asked, struct rte_mbuf *m);

/*
 * The answer to an echo request, with its data; m has room for as much as `request` holds. A
 * payload that is elided stays so: of the checksum only what changes is worked out (RFC 1624).
 */
void neighbour_encode_echo(const struct neighbour_station *me, const struct rte_mbuf *request,
			   struct rte_mbuf *m);

#endif
