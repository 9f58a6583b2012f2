/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes to hosts, in two steps that a large fabric can afford: one directory for all switches
 * says which host an address is and which switch that host hangs on (its edge), and each switch
 * has one group of next hops an edge, and one for each host of its own.
 *
 * Neither changes once made: a new routing is a new table.
 */
#ifndef RAILYARD_HOST_ROUTES_H
#define RAILYARD_HOST_ROUTES_H

#include <stddef.h>
#include <stdint.h>

#include "next_hops.h"

#define HOST_ROUTES_NO_HOST UINT32_MAX
#define HOST_ROUTES_NO_EDGE UINT16_MAX
/* In by_edge: the switch is the edge itself, by_slot says more. */
#define HOST_ROUTES_HERE (NEXT_HOPS_NONE - 1)

/* Hosts whose addresses and numbers both follow each other. */
struct host_range {
	uint64_t high; /* IPv6: the upper half of the first address */
	uint64_t low;  /* its lower half; an IPv4 address */
	uint32_t count;
	uint32_t host;
};

struct host_place {
	uint16_t edge; /* number of the switch; HOST_ROUTES_NO_EDGE = on none */
	uint16_t slot; /* among the hosts of that switch */
};

struct host_directory {
	uint32_t host_count;
	uint32_t range4_count;
	uint32_t range6_count;
	struct host_range *ranges4; /* by address, apart from each other */
	struct host_range *ranges6;
	struct host_place *places; /* by host */
	uint8_t (*macs)[6];        /* by host */
};

struct host_routes {
	const struct host_directory *directory;
	struct next_hops hops;
	uint32_t edge_count;
	uint32_t slot_count;
	uint16_t *by_edge; /* group, HOST_ROUTES_HERE or NEXT_HOPS_NONE */
	uint16_t *by_slot; /* group or NEXT_HOPS_NONE */
};

/* A host's address in network order; IPv4 in the first 4 bytes. */
struct host_address {
	uint8_t ip[16];
	uint8_t is_ipv6;
};

/*
 * Places are all HOST_ROUTES_NO_EDGE and addresses of stations zero: the caller's to fill. Of hosts
 * with one address the first has it. 0 or -ENOMEM.
 */
int host_directory_init(struct host_directory *d, const struct host_address *hosts, uint32_t count);
void host_directory_fini(struct host_directory *d);

/* Which host has the address; HOST_ROUTES_NO_HOST: none. */
uint32_t host_directory_find4(const struct host_directory *d, uint32_t ip);
uint32_t host_directory_find6(const struct host_directory *d, const uint8_t ip[16]);

/* All without a group. 0 or -ENOMEM. */
int host_routes_init(struct host_routes *r, const struct host_directory *d, uint32_t edge_count,
		     uint32_t slot_count);
void host_routes_fini(struct host_routes *r);

/* The group towards a host, or NEXT_HOPS_NONE. */
static inline uint16_t
host_routes_group(const struct host_routes *r, uint32_t host)
{
	struct host_place place = r->directory->places[host];
	uint16_t group;

	if (place.edge == HOST_ROUTES_NO_EDGE)
		return NEXT_HOPS_NONE;
	group = r->by_edge[place.edge];
	return group == HOST_ROUTES_HERE ? r->by_slot[place.slot] : group;
}

#endif
