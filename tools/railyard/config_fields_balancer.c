/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of load balancers. Names are SAI's and SONiC's (ARS) where they have one. */
#include "balancer.h"

#include "config_table.h"

static const char *const kinds[] = {"ecmp", "spray", NULL};
static const char *const functions[] = {"crc32", "toeplitz", "jhash", NULL};
static const char *const picks[] = {"mixed", "modulo", NULL};
static const char *const orders[] = {"round-robin", "random", NULL};

static const struct config_field hash_fields[] = {
	CHOICE(struct raw_hash, function, "function", functions, "crc32",
	       "CRC-32C, Toeplitz with Microsoft's key as in RSS, or Jenkins' hash"),
	TEXTS(struct raw_hash, fields, "fields",
	      "what is hashed, of src_ip, dst_ip, src_port, dst_port, protocol, dest_qp (of the "
	      "BTH), "
	      "vlan, src_mac, dst_mac, in_port; left out: the first five"),
	NUMBER(struct raw_hash, seed, "seed", COUNT, "auto",
	       "auto = another for each switch; switches with the same seed, function and number "
	       "of "
	       "members send the same flows the same way",
	       .flags = CONFIG_MAY_BE_AUTO),
	CHOICE(struct raw_hash, pick, "pick", picks, "mixed",
	       "from hash to member: mixed with the seed, or the hash modulo the members, in which "
	       "a "
	       "seed of crc32 or toeplitz changes little"),
	NUMBER(struct raw_hash, offset, "offset", COUNT, "0",
	       "modulo: bits that the hash is rotated by first", .max = 31),
	END,
};

static const struct config_object hash_object = {
	.name = "hash",
	.help = "How flows are told apart.",
	.size = sizeof(struct raw_hash),
	.fields = hash_fields,
};

static const struct config_field balancer_fields[] = {
	CHOICE(struct raw_balancer, kind, "kind", kinds, "ecmp",
	       "ecmp: by a hash of the flow. spray: each packet on its own"),
	OBJECT(struct raw_balancer, hash, struct raw_hash, "hash", &hash_object,
	       "how flows are told apart; not of spray"),
	CHOICE(struct raw_balancer, order, "order", orders, "round-robin",
	       "spray: members in turn, or drawn"),
	END,
};

const struct config_object config_balancer_object = {
	.name = "balancer",
	.help = "Which member of an ECMP group a packet takes; docs/load-balancing.md. "
		"`balancer: spray` = its kind alone. Keys of other kinds do nothing, so that runs "
		"may differ in the kind only.",
	.shorthand = "kind",
	.size = sizeof(struct raw_balancer),
	.fields = balancer_fields,
};
