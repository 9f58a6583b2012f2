/* SPDX-License-Identifier: BSD-3-Clause */
#include "forwarding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_rib.h>
#include <rte_rib6.h>

static const uint8_t link_local_prefix[5] = {0x01, 0x80, 0xc2, 0x00, 0x00};

/* (VLAN, MAC) in one word: VLAN above the address, whose byte order does not matter here. */
static uint64_t
fdb_key(const uint8_t mac[6], uint16_t vlan)
{
	uint32_t low;
	uint16_t high;

	/* In registers: a word written in parts and read as a whole waits for the stores. */
	memcpy(&low, mac, 4);
	memcpy(&high, mac + 4, 2);
	return (uint64_t)(vlan & 0xfff) << 48 | (uint64_t)high << 32 | low;
}

static struct fdb_cache *
fdb_slot(const struct forwarding *f, uint64_t key)
{
	return &f->cache[(key * 0x9e3779b97f4a7c15ULL) >> 56];
}

/* Index of the key's entry, or < 0. */
static int32_t
fdb_find(struct forwarding *f, uint64_t key)
{
	struct fdb_cache *slot = fdb_slot(f, key);
	int32_t at;

	if (likely(slot->entry >= 0 && slot->key == key))
		return slot->entry;
	at = rte_hash_lookup(f->fdb, &key);
	if (at >= 0)
		*slot = (struct fdb_cache){.key = key, .entry = at};
	return at;
}

static void
fdb_forget(struct forwarding *f, uint64_t key)
{
	struct fdb_cache *slot = fdb_slot(f, key);

	rte_hash_del_key(f->fdb, &key);
	if (slot->key == key)
		slot->entry = -1;
}

static int
fdb_init(struct forwarding *f, const struct forwarding_cfg *cfg)
{
	char unique[RTE_HASH_NAMESIZE];
	struct rte_hash_parameters params = {
		.name = unique,
		.entries = cfg->fdb_size < 16 ? 16 : cfg->fdb_size,
		.key_len = sizeof(uint64_t),
		.hash_func = rte_hash_crc,
		.socket_id = SOCKET_ID_ANY,
	};

	snprintf(unique, sizeof(unique), "fdb_%p", (const void *)f);
	f->fdb = rte_hash_create(&params);
	if (f->fdb == NULL)
		return -rte_errno;
	f->entries = calloc((size_t)rte_hash_max_key_id(f->fdb) + 1, sizeof(*f->entries));
	f->cache = calloc(FDB_CACHE_SLOTS, sizeof(*f->cache));
	if (f->entries == NULL || f->cache == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < FDB_CACHE_SLOTS; i++)
		f->cache[i].entry = -1;
	for (uint32_t i = 0; i < cfg->static_count; i++) {
		const struct fdb_entry_cfg *s = &cfg->statics[i];
		uint64_t key = fdb_key(s->mac, s->vlan);
		int32_t at = rte_hash_add_key(f->fdb, &key);

		if (at < 0)
			return at;
		f->entries[at] = (struct fdb_entry){.port = s->port, .is_static = true};
	}
	return 0;
}

static uint32_t
ipv4_of(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The group of a configured route's members. */
static int
add_hops(struct forwarding *f, const struct next_hop_cfg *hop, uint16_t *group)
{
	struct next_hop members[FORWARDING_MAX_MEMBERS];

	for (uint16_t i = 0; i < hop->member_count; i++) {
		members[i] = (struct next_hop){.weight = 1, .port = hop->ports[i]};
		memcpy(members[i].mac, hop->mac[i], 6);
	}
	return next_hops_add(&f->hops, members, hop->member_count, group);
}

static int
add_route(struct forwarding *f, const struct route_cfg *r)
{
	uint16_t group = NEXT_HOPS_NONE;
	int rc = add_hops(f, &r->hop, &group);

	if (rc != 0)
		return rc;
	if (r->is_ipv6) {
		struct rte_rib6_node *n = rte_rib6_insert(f->rib6, r->address, r->prefix_bits);

		if (n == NULL)
			return -rte_errno;
		rte_rib6_set_nh(n, group);
	} else {
		struct rte_rib_node *n =
			rte_rib_insert(f->rib, ipv4_of(r->address), r->prefix_bits);

		if (n == NULL)
			return -rte_errno;
		rte_rib_set_nh(n, group);
	}
	return 0;
}

/* DPDK's objects have names, unique in the process: the address of what owns them. */
static int
ribs_create(struct forwarding *f, uint32_t count4, uint32_t count6)
{
	struct rte_rib_conf conf = {.max_nodes = (int)count4 * 2 + 16};
	struct rte_rib6_conf conf6 = {.max_nodes = (int)count6 * 2 + 16};
	char unique[32];

	if (count4 != 0) {
		snprintf(unique, sizeof(unique), "rib_%p", (const void *)f);
		f->rib = rte_rib_create(unique, SOCKET_ID_ANY, &conf);
		if (f->rib == NULL)
			return -rte_errno;
	}
	if (count6 != 0) {
		snprintf(unique, sizeof(unique), "rib6_%p", (const void *)f);
		f->rib6 = rte_rib6_create(unique, SOCKET_ID_ANY, &conf6);
		if (f->rib6 == NULL)
			return -rte_errno;
	}
	return 0;
}

static int
routes_init(struct forwarding *f, const struct forwarding_cfg *cfg)
{
	uint32_t count6 = 0;
	int rc;

	for (uint32_t i = 0; i < cfg->route_count; i++)
		count6 += cfg->routes[i].is_ipv6;
	rc = ribs_create(f, cfg->route_count - count6, count6);
	for (uint32_t i = 0; rc == 0 && i < cfg->route_count; i++)
		rc = add_route(f, &cfg->routes[i]);
	f->hosts = cfg->hosts;
	return rc;
}

int
forwarding_follow_ports(struct forwarding *f, const uint8_t *down)
{
	int rc = 0;

	/* Added in the same order, groups have the numbers that the RIB knows. */
	next_hops_fini(&f->hops);
	for (uint32_t i = 0; rc == 0 && i < f->cfg->route_count; i++) {
		uint16_t group;

		rc = add_hops(f, &f->cfg->routes[i].hop, &group);
	}
	if (rc == 0)
		next_hops_without(&f->hops, down);
	return rc;
}

int
forwarding_init(struct forwarding *f, const struct forwarding_cfg *cfg, uint16_t port_count)
{
	int rc;

	*f = (struct forwarding){.cfg = cfg};
	rc = cfg->layer3 ? routes_init(f, cfg) : fdb_init(f, cfg);
	if (rc == 0)
		rc = balancer_init(&f->balancer, &cfg->balancer, port_count);
	if (rc != 0)
		forwarding_fini(f);
	return rc;
}

void
forwarding_fini(struct forwarding *f)
{
	rte_hash_free(f->fdb);
	free(f->entries);
	free(f->cache);
	rte_rib_free(f->rib);
	rte_rib6_free(f->rib6);
	next_hops_fini(&f->hops);
	balancer_fini(&f->balancer);
	*f = (struct forwarding){0};
}

static void
fdb_learn(struct forwarding *f, const uint8_t mac[6], uint16_t vlan, uint16_t port, uint64_t now_ps)
{
	uint64_t key = fdb_key(mac, vlan);
	struct fdb_entry *entry;
	int32_t at;

	if (mac[0] & 1)
		return; /* a group address is no station */
	at = fdb_find(f, key);
	if (at < 0) {
		at = rte_hash_add_key(f->fdb, &key);
		if (at < 0) {
			f->table_full++;
			return;
		}
		f->entries[at] = (struct fdb_entry){.port = port};
		f->learned++;
	}
	entry = &f->entries[at];
	if (entry->is_static)
		return;
	if (entry->port != port) {
		entry->port = port;
		f->moved++;
	}
	entry->seen_ps = now_ps;
}

void
forwarding_forget_port(struct forwarding *f, uint16_t port)
{
	const void *key;
	void *unused;
	uint32_t next = 0;
	int32_t at;

	if (f->fdb == NULL)
		return;
	while ((at = rte_hash_iterate(f->fdb, &key, &unused, &next)) >= 0) {
		uint64_t gone;

		if (f->entries[at].is_static || f->entries[at].port != port)
			continue;
		memcpy(&gone, key, sizeof(gone));
		fdb_forget(f, gone);
	}
}

enum forwarding_verdict
forwarding_layer2(struct forwarding *f, struct rte_mbuf *m, uint64_t now_ps, uint16_t *port,
		  enum drop_reason *reason)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct packet *p = packet_of(m);
	uint16_t vlan = p->flags & PACKET_VLAN ? p->vlan_tci & 0xfff : 0;
	const struct fdb_entry *entry;
	uint64_t key;
	int32_t at;

	if (!f->cfg->no_learning)
		fdb_learn(f, data + 6, vlan, p->in_port, now_ps);
	if (data[0] & 1) {
		/* 802.1Q table 8-1: 01-80-c2-00-00-00 to -0f are not forwarded by bridges. */
		if (memcmp(data, link_local_prefix, 5) == 0 && data[5] <= 0x0f) {
			*reason = DROP_LINK_LOCAL;
			return FORWARDING_DROP;
		}
		return FORWARDING_FLOOD;
	}
	key = fdb_key(data, vlan);
	at = fdb_find(f, key);
	if (at < 0)
		return FORWARDING_FLOOD;
	entry = &f->entries[at];
	if (!entry->is_static && f->cfg->aging_ps != 0 &&
	    now_ps - entry->seen_ps > f->cfg->aging_ps) {
		fdb_forget(f, key);
		return FORWARDING_FLOOD;
	}
	if (entry->port == p->in_port) {
		*reason = DROP_SAME_PORT;
		return FORWARDING_DROP;
	}
	*port = entry->port;
	return FORWARDING_UNICAST;
}

/* The longest configured prefix: its group, or NEXT_HOPS_NONE; *whole: it is a host's address. */
static uint16_t
configured_group(const struct forwarding *f, bool is_ipv4, const uint8_t *to, bool *whole)
{
	uint64_t group = NEXT_HOPS_NONE;
	uint8_t bits = 0;

	*whole = false;
	if (is_ipv4 && f->rib != NULL) {
		struct rte_rib_node *n = rte_rib_lookup(f->rib, ipv4_of(to));

		if (n == NULL || rte_rib_get_nh(n, &group) != 0)
			return NEXT_HOPS_NONE;
		*whole = rte_rib_get_depth(n, &bits) == 0 && bits == 32;
	} else if (!is_ipv4 && f->rib6 != NULL) {
		struct rte_rib6_node *n = rte_rib6_lookup(f->rib6, to);

		if (n == NULL || rte_rib6_get_nh(n, &group) != 0)
			return NEXT_HOPS_NONE;
		*whole = rte_rib6_get_depth(n, &bits) == 0 && bits == 128;
	}
	return (uint16_t)group;
}

static bool
lookup(const struct forwarding *f, const struct packet *p, const uint8_t *ip,
       struct forwarding_choice *choice)
{
	bool whole, is_ipv4 = p->flags & PACKET_IPV4;
	const uint8_t *to = is_ipv4 ? ip + 16 : ip + 24;
	uint16_t group = configured_group(f, is_ipv4, to, &whole);
	const struct next_hops *hops = &f->hops;
	const struct host_routes *r = f->hosts;

	choice->host_mac = NULL;
	if (r != NULL && !whole) {
		uint32_t host = is_ipv4 ? host_directory_find4(r->directory, ipv4_of(to))
					: host_directory_find6(r->directory, to);
		uint16_t found =
			host == HOST_ROUTES_NO_HOST ? NEXT_HOPS_NONE : host_routes_group(r, host);

		if (found != NEXT_HOPS_NONE && r->hops.groups[found].count != 0) {
			group = found;
			hops = &r->hops;
			choice->host_mac = r->directory->macs[host];
		}
	}
	if (group == NEXT_HOPS_NONE)
		return false;
	choice->group = (struct balancer_group){
		.id = group * 2u + (hops == &f->hops),
		.count = hops->groups[group].count,
		.members = next_hops_members(hops, group),
	};
	return choice->group.count != 0;
}

/* One hop less; RFC 1624 on the word that holds TTL and protocol. False when it ran out. */
static bool
take_hop(const struct packet *p, uint8_t *ip)
{
	uint8_t *ttl = p->flags & PACKET_IPV4 ? ip + 8 : ip + 7;

	if (*ttl <= 1)
		return false;
	--*ttl;
	if (p->flags & PACKET_IPV4) {
		/* The word fell by 0x0100, so HC rises by it; in one's complement 0xffff is 0. */
		uint32_t sum = ((uint32_t)ip[10] << 8 | ip[11]) + 0x0100;

		if (sum >= 0xffff)
			sum -= 0xffff;
		ip[10] = (uint8_t)(sum >> 8);
		ip[11] = (uint8_t)sum;
	}
	return true;
}

enum forwarding_verdict
forwarding_route(struct forwarding *f, struct rte_mbuf *m, struct forwarding_choice *choice,
		 enum drop_reason *reason)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	const struct packet *p = packet_of(m);

	*reason = DROP_MALFORMED;
	if (p->flags & PACKET_MALFORMED)
		return FORWARDING_DROP;
	*reason = DROP_NO_ROUTE;
	if (!(p->flags & (PACKET_IPV4 | PACKET_IPV6)) || data[0] & 1)
		return FORWARDING_DROP;
	if (!lookup(f, p, data + p->l3_ofs, choice))
		return FORWARDING_DROP;
	if (!take_hop(p, data + p->l3_ofs)) {
		*reason = DROP_TTL;
		return FORWARDING_DROP;
	}
	return FORWARDING_UNICAST;
}

void
forwarding_readdress(struct rte_mbuf *m, const struct forwarding_choice *choice, uint32_t member,
		     const uint8_t port_mac[6])
{
	static const uint8_t none[6];
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	const uint8_t *to = choice->group.members[member].mac;

	/* Bridges are next, and what they know is the station. */
	if (unlikely(memcmp(to, none, 6) == 0) && choice->host_mac != NULL)
		to = choice->host_mac;
	memcpy(data, to, 6);
	memcpy(data + 6, port_mac, 6);
}

enum forwarding_verdict
forwarding_layer3(struct forwarding *f, struct rte_mbuf *m, const uint8_t (*port_macs)[6],
		  uint64_t now_ps, uint16_t *port, enum drop_reason *reason)
{
	struct forwarding_choice choice = {0};
	uint32_t member = 0;

	if (forwarding_route(f, m, &choice, reason) != FORWARDING_UNICAST)
		return FORWARDING_DROP;
	if (choice.group.count > 1)
		member = balancer_choose(&f->balancer, &choice.group, m, now_ps);
	*port = choice.group.members[member].port;
	forwarding_readdress(m, &choice, member, port_macs[*port]);
	return FORWARDING_UNICAST;
}
