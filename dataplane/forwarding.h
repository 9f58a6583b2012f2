/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a frame goes. Layer 2: a table of (VLAN, MAC) -> port, learned from source addresses
 * or set statically (a static entry is never moved or aged); unknown unicast and group
 * addresses flood, never back out of the port they came in; 01:80:c2:00:00:0x stays local
 * (802.1Q 8.6.3). Layer 3: longest prefix match to a group of next hops, configured routes and
 * routes to hosts together; of two of one length the configured one counts.
 */
#ifndef RAILYARD_FORWARDING_H
#define RAILYARD_FORWARDING_H

#include <stdbool.h>
#include <stdint.h>

#include "balancer.h"
#include "drop.h"
#include "host_routes.h"
#include "next_hops.h"
#include "packet.h"

struct rte_hash;
struct rte_rib;
struct rte_rib6;

#define FORWARDING_MAX_MEMBERS 64

struct fdb_entry_cfg {
	uint8_t mac[6];
	uint16_t vlan; /* 0 = untagged */
	uint16_t port;
};

struct next_hop_cfg {
	uint16_t member_count;
	uint16_t ports[FORWARDING_MAX_MEMBERS];
	uint8_t mac[FORWARDING_MAX_MEMBERS][6]; /* the next hop's address behind each member */
};

struct route_cfg {
	bool is_ipv6;
	uint8_t address[16]; /* network order; IPv4 in the first 4 bytes */
	uint8_t prefix_bits;
	struct next_hop_cfg hop;
};

struct forwarding_cfg {
	bool layer3;       /* route IP; the rest is dropped as no_route */
	uint32_t fdb_size; /* entries */
	uint64_t aging_ps; /* learned entries; 0 = never */
	uint32_t static_count;
	const struct fdb_entry_cfg *statics;
	uint32_t route_count;
	const struct route_cfg *routes;
	const struct host_routes *hosts; /* NULL = none */
	bool no_learning;                /* layer 2: source addresses tell nothing */
	bool fixed; /* everything leaves by fixed_port, whatever its addresses */
	uint16_t fixed_port;
	struct balancer_cfg balancer; /* of the member choice */
};

struct fdb_entry {
	uint64_t seen_ps;
	uint16_t port;
	bool is_static;
};

/* Direct-mapped, in front of the hash: most frames belong to few conversations. */
#define FDB_CACHE_SLOTS 256

struct fdb_cache {
	uint64_t key;
	int32_t entry; /* < 0 = empty slot */
};

struct forwarding {
	const struct forwarding_cfg *cfg;
	struct rte_hash *fdb;
	struct fdb_entry *entries;
	struct fdb_cache *cache;
	/* Layer 3. Configured routes: NULL where there is none of that kind. */
	struct rte_rib *rib;
	struct rte_rib6 *rib6;
	struct next_hops hops;           /* theirs */
	const struct host_routes *hosts; /* changed from outside with the routing */
	struct balancer balancer;
	uint64_t learned;
	uint64_t moved;
	uint64_t table_full;
};

/*
 * 0 or -errno. f stays where it is until forwarding_fini(). Rates in balancer.ports[] are the
 * caller's to set.
 */
int forwarding_init(struct forwarding *f, const struct forwarding_cfg *cfg, uint16_t port_count);
void forwarding_fini(struct forwarding *f);

/* Layer 2: forget the stations that were learned on a port. */
void forwarding_forget_port(struct forwarding *f, uint16_t port);

/*
 * Layer 3: configured routes over those of their members whose port is up (down[port] == 0); the
 * routes to hosts are their owner's concern. 0 or -ENOMEM.
 */
int forwarding_follow_ports(struct forwarding *f, const uint8_t *down);

enum forwarding_verdict { FORWARDING_UNICAST, FORWARDING_FLOOD, FORWARDING_DROP };

/* Learn the source and look the destination up; *port for UNICAST, *reason for DROP. */
enum forwarding_verdict forwarding_layer2(struct forwarding *f, struct rte_mbuf *m, uint64_t now_ps,
					  uint16_t *port, enum drop_reason *reason);

/* Ways out, of which one is to be chosen. */
struct forwarding_choice {
	struct balancer_group group;
	const uint8_t *host_mac; /* the destination's own address, where it is known */
};

/*
 * The ways to the packet's destination; one hop less, with the checksum. UNICAST, or DROP with
 * *reason.
 */
enum forwarding_verdict forwarding_route(struct forwarding *f, struct rte_mbuf *m,
					 struct forwarding_choice *choice,
					 enum drop_reason *reason);

/* Both MAC addresses of a packet that leaves by `member` of `choice`, from this address. */
void forwarding_readdress(struct rte_mbuf *m, const struct forwarding_choice *choice,
			  uint32_t member, const uint8_t port_mac[6]);

/*
 * Route: have the balancer choose the member, decrement TTL or hop limit, rewrite the checksum and
 * both MAC addresses (source = mac_of_port(out)). Never FLOOD.
 */
enum forwarding_verdict forwarding_layer3(struct forwarding *f, struct rte_mbuf *m,
					  const uint8_t (*port_macs)[6], uint64_t now_ps,
					  uint16_t *port, enum drop_reason *reason);

#endif
