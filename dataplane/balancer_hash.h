/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hash that tells flows apart: chosen fields of a packet through a chosen function of DPDK's,
 * and from its value to a member. Fields that a packet does not have are left out; a packet that
 * is not IP is told by its MAC addresses.
 *
 * CRC and Toeplitz are linear over GF(2): another seed changes every value by the same bits, so
 * that two tiers which take the value modulo their members stay polarised whatever the seeds (what
 * SAI's hash offset, other bits of the value, is for). `mixed`, the default, runs value and seed
 * through a finalizer that is not linear.
 */
#ifndef RAILYARD_BALANCER_HASH_H
#define RAILYARD_BALANCER_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "prng.h"

enum balancer_function { BALANCER_CRC32C, BALANCER_TOEPLITZ, BALANCER_JHASH };

/* In the order in which they are hashed: RSS's tuple first. */
enum balancer_field {
	BALANCER_SRC_IP = 1 << 0,
	BALANCER_DST_IP = 1 << 1,
	BALANCER_SRC_PORT = 1 << 2,
	BALANCER_DST_PORT = 1 << 3,
	BALANCER_PROTOCOL = 1 << 4,
	BALANCER_DEST_QP = 1 << 5, /* of RoCE's BTH: Meta's E-ECMP, SIGCOMM 2024 */
	BALANCER_VLAN = 1 << 6,
	BALANCER_SRC_MAC = 1 << 7,
	BALANCER_DST_MAC = 1 << 8,
	BALANCER_IN_PORT = 1 << 9,
};

#define BALANCER_FIELDS 10
/* What switches hash by default: addresses, ports, protocol. */
#define BALANCER_FIVE_TUPLE 0x1f

struct balancer_hash_cfg {
	enum balancer_function function;
	uint16_t fields; /* enum balancer_field; 0 = BALANCER_FIVE_TUPLE */
	bool modulo;     /* value modulo members; otherwise mixed with the seed and scaled */
	uint8_t offset;  /* modulo: rotate the value right by so many bits, 0..31 */
	uint64_t seed;
};

/* The function's value over the fields; jhash starts from the seed, the others know of none. */
uint32_t balancer_hash(const struct balancer_hash_cfg *cfg, struct rte_mbuf *m);

/* 64 bits of which any part may be used, for tables. */
static inline uint64_t
balancer_hash_mixed(const struct balancer_hash_cfg *cfg, struct rte_mbuf *m)
{
	return prng_mix(balancer_hash(cfg, m) ^ cfg->seed);
}

/* A number below `bound`, bound >= 1. */
static inline uint32_t
balancer_hash_below(const struct balancer_hash_cfg *cfg, struct rte_mbuf *m, uint32_t bound)
{
	uint32_t value;

	if (likely(!cfg->modulo))
		return (uint32_t)((balancer_hash_mixed(cfg, m) >> 32) * bound >> 32);
	value = balancer_hash(cfg, m) ^ (uint32_t)cfg->seed;
	return (value >> cfg->offset | value << (-cfg->offset & 31)) % bound;
}

#endif
