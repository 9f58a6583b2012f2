/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a topology. */
#include "switch.h"

#include "config_table.h"
#include "config_topology.h"

const char *const config_topology_kinds[] = {"leaf-spine",     "fat-tree", "three-tier",
					     "rail-optimized", "file",     NULL};
static const char *const formats[] = {"hpcc", NULL};

#define UNSET .flags = CONFIG_MAY_BE_UNSET
#define CABLE_FIELDS(S, RATE_DEFAULT, RATE_HELP)                                               \
	NUMBER(S, rate_bps, "rate", RATE, RATE_DEFAULT, RATE_HELP, UNSET,                      \
	       .min = LEAST_PORT_RATE_BPS),                                                    \
		NUMBER(S, delay_ps, "delay", TIME, NULL,                                       \
		       "propagation delay; 1us where nothing is said",                         \
		       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE),                        \
		NUMBER(S, length_mm, "length", LENGTH, NULL,                                   \
		       "instead of `delay`: cable length, which the ports know too (`cable`)", \
		       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE)

static const struct config_field tier_links_fields[] = {
	CABLE_FIELDS(struct raw_tier_links, NULL, "of each cable; left out: the topology's"),
	NUMBER(struct raw_tier_links, count, "count", COUNT, "1",
	       "cables between two switches, side by side", .min = 1, .max = 64),
	NUMBER(struct raw_tier_links, oversubscription_q32, "oversubscription", SHARE, NULL,
	       "instead of the number of switches above: a switch's rate downwards to that "
	       "upwards, 3 for 3:1",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE, .max = 1024 * CONFIG_ONE_Q32),
	END,
};

static const struct config_object tier_links_object = {
	.name = "tier_links",
	.help = "Cables from one tier of a topology to the next one up.",
	.size = sizeof(struct raw_tier_links),
	.fields = tier_links_fields,
};

#define COUNTED(M, KEY, DEFAULT, HELP) \
	NUMBER(struct raw_topology, M, KEY, COUNT, DEFAULT, HELP, UNSET, .min = 1, .max = 65536)

static const struct config_field topology_fields[] = {
	CHOICE(struct raw_topology, kind, "kind", config_topology_kinds, NULL,
	       "leaf-spine: every leaf to every spine. fat-tree: of switches with k ports. "
	       "three-tier: pods of leaves and spines, cores above. rail-optimized: NIC i of each "
	       "server on rail i's leaf, spines above. file: as another simulator's file has it",
	       .flags = CONFIG_REQUIRED),
	CHOICE(struct raw_topology, format, "format", formats, "hpcc",
	       "file: hpcc: of the ns-3 RDMA simulators, HPCC and its descendants"),
	TEXT(struct raw_topology, path, "path", NULL, "file: its name, from this file's directory",
	     .max = 4096),
	TEXT(struct raw_topology, flows, "flows", NULL,
	     "file: a file of flows, which become workload entries: of the same simulators, or a "
	     "connection matrix of htsim",
	     .max = 4096),
	COUNTED(k, "k", NULL, "fat-tree: ports of a switch, even"),
	COUNTED(pods, "pods", NULL, "three-tier, rail-optimized (1 when left out): pods"),
	COUNTED(leaves, "leaves", NULL, "leaf-spine, three-tier: leaves (of each pod)"),
	COUNTED(spines, "spines", NULL,
		"spines (of each pod); left out: as `leaf_links.oversubscription` asks for, or "
		"1:1"),
	COUNTED(cores, "cores", NULL,
		"with pods: cores, a multiple of `spines`; left out: as "
		"`spine_links.oversubscription` asks for, or 1:1"),
	COUNTED(hosts_per_leaf, "hosts_per_leaf", NULL, "leaf-spine, three-tier"),
	COUNTED(servers, "servers", NULL, "rail-optimized: servers"),
	COUNTED(servers_per_leaf, "servers_per_leaf", NULL,
		"rail-optimized: servers that share one set of leaves; left out: all of a pod"),
	COUNTED(gpus, "gpus", NULL,
		"rail-optimized: NICs of a server, each a host; 8 when left out"),
	COUNTED(scale, "scale", NULL,
		"all but fat-tree: divides leaves (rail-optimized: servers), and cores where they "
		"are given: fewer racks, the same paths between them"),
	COUNTED(clusters, "clusters", NULL,
		"so many of all that, side by side; numbers go on from one to the next"),
	COUNTED(gateways, "gateways", NULL,
		"of clusters: switches above, each linked to every core, or every spine where "
		"there "
		"are no cores; left out: none, or as `gateway_links.oversubscription` asks for"),
	CABLE_FIELDS(struct raw_topology, "100Gbps", "of all cables, where no tier says otherwise"),
	OBJECT(struct raw_topology, host_links, struct raw_tier_links, "host_links",
	       &tier_links_object, "hosts to leaves"),
	OBJECT(struct raw_topology, leaf_links, struct raw_tier_links, "leaf_links",
	       &tier_links_object, "leaves to spines"),
	OBJECT(struct raw_topology, spine_links, struct raw_tier_links, "spine_links",
	       &tier_links_object, "spines to cores"),
	OBJECT(struct raw_topology, gateway_links, struct raw_tier_links, "gateway_links",
	       &tier_links_object, "cores, or spines where there are none, to gateways"),
	OPTIONAL(struct raw_topology, all_switches, struct raw_switch, "switch",
		 &config_switch_object,
		 "of all its switches; `switches: {leaf: ..., spine: ..., core: ..., gateway: "
		 "...}` of "
		 "one tier wins"),
	OPTIONAL(
		struct raw_topology, all_hosts, struct raw_host, "host", &config_host_object,
		"of all its hosts; `hosts: {h: ...}`, of servers `hosts: {gpu: ...}`, is the same"),
	END,
};

const struct config_object config_topology_object = {
	.name = "topology",
	.help = "A fabric in a few lines. It becomes groups of switches (`leaf`, `spine`, `core`, "
		"`gateway`), "
		"of hosts (`h`; with rails `gpu`, selected as gpu[server][rail]) and their links; "
		"what the file has under the same names is added and wins. Switches route (layer "
		"3) and have the profile generic-32mb unless told otherwise.",
	.size = sizeof(struct raw_topology),
	.fields = topology_fields,
};
