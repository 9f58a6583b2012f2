/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of load balancers, and of what hosts do for them. Names are SAI's and SONiC's (ARS)
 * where they have one. */
#include "balancer.h"
#include "roce.h"

#include "config_table.h"

static const char *const kinds[] = {"ecmp",  "weighted", "flowlet", "adaptive",
				    "drill", "spray",    NULL};
static const char *const functions[] = {"crc32c", "toeplitz", "jhash", NULL};
static const char *const picks[] = {"mixed", "modulo", NULL};
static const char *const units[] = {"packet", "flowlet", "flow", NULL};
static const char *const orders[] = {"round-robin", "random", NULL};

static const struct config_field hash_fields[] = {
	CHOICE(struct raw_hash, function, "function", functions, "crc32c",
	       "crc32c: Castagnoli's polynomial; toeplitz: with Microsoft's key, as in RSS; jhash: "
	       "Bob Jenkins' lookup3"),
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
	       "seed of crc32c or toeplitz changes little"),
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
	       "ecmp: by a hash of the flow. weighted: the same, in proportion to what a path "
	       "carries. flowlet: at random, again after each gap of a flow. adaptive: to a port "
	       "of "
	       "the best quality. drill: to the shortest queue of a few. spray: to all in turn"),
	OBJECT(struct raw_balancer, hash, struct raw_hash, "hash", &hash_object,
	       "how flows are told apart; not of drill and spray"),
	NUMBER(struct raw_balancer, max_flows, "max_flows", COUNT, "512",
	       "flowlet, adaptive: entries of the flow table, a power of 2; flows that meet in one "
	       "move together",
	       .min = 1, .max = 1 << 20),
	NUMBER(struct raw_balancer, gap_ps, "idle_time", TIME, "256us",
	       "flowlet, adaptive per flowlet: silence after which a flow may move",
	       .alias = "gap"),
	CHOICE(struct raw_balancer, unit, "per", units, "packet",
	       "adaptive: what is sent to the best port: each packet, a flow after idle_time, or a "
	       "flow once and for all"),
	FLAG(struct raw_balancer, sticky, "sticky", "no",
	     "adaptive: what may move does so only for a better band"),
	NUMBER(struct raw_balancer, interval_ps, "sampling_interval", TIME, "16us",
	       "adaptive: from one look at the ports to the next", .flags = CONFIG_POSITIVE),
	NUMBER(struct raw_balancer, exponent, "load_exponent", COUNT, "2",
	       "adaptive: a sample counts 2^-n in the moving averages", .max = 8),
	FLAG(struct raw_balancer, load_current, "load_current", "no",
	     "adaptive: a sample below the average becomes the average"),
	NUMBER(struct raw_balancer, past_weight, "past_weight", COUNT, "16",
	       "adaptive: of what a port sent", .max = 255),
	NUMBER(struct raw_balancer, future_weight, "future_weight", COUNT, "16",
	       "adaptive: of what is queued at it", .max = 255),
	NUMBER(struct raw_balancer, full_queue_ps, "full_queue", TIME, "16us",
	       "adaptive: the worst queue there is takes the port this long to send",
	       .flags = CONFIG_POSITIVE),
	NUMBER(struct raw_balancer, samples, "samples", COUNT, "2",
	       "drill: d, members drawn for each packet", .min = 1, .max = BALANCER_MAX_SAMPLES),
	NUMBER(struct raw_balancer, memory, "memory", COUNT, "1",
	       "drill: m, least loaded members remembered", .max = BALANCER_MAX_SAMPLES),
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

static const char *const entropies[] = {"flow", "packet", NULL};

static const struct config_field entropy_fields[] = {
	CHOICE(struct raw_entropy, kind, "kind", entropies, "flow",
	       "flow: a queue pair has one source port, as rdma-core derives it. packet: each data "
	       "packet takes the next of `ports`"),
	NUMBER(struct raw_entropy, ports, "ports", COUNT, "64",
	       "packet: source ports that a queue pair takes in turn", .min = 2,
	       .max = ROCE_SOURCE_PORTS),
	END,
};

const struct config_object config_entropy_object = {
	.name = "entropy",
	.help = "What a hash can tell packets apart by. `entropy: packet` = its kind alone; "
		"packets "
		"then come out of order, so `receiver: out-of-order` goes with it.",
	.shorthand = "kind",
	.size = sizeof(struct raw_entropy),
	.fields = entropy_fields,
};
