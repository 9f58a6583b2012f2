/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology worked out: one shape fits all kinds. Pods of leaves and spines, every leaf of a pod
 * linked to every spine of it; above, planes of cores: spine s of each pod is linked to every core
 * of plane s (Al-Fares et al., SIGCOMM 2008). A leaf-spine is one pod without cores. All that is a
 * cluster; of several, every core (or spine, where there are no cores) is linked to every gateway.
 */
#ifndef RAILYARD_CONFIG_TOPOLOGY_H
#define RAILYARD_CONFIG_TOPOLOGY_H

#include "config_internal.h"

/* Cables of one tier of a topology: to the switches above. */
struct raw_tier_links {
	struct raw_item item;
	uint64_t rate_bps; /* CONFIG_AUTO: the topology's, as delay and length */
	uint64_t delay_ps;
	uint64_t length_mm;
	uint64_t count;
	uint64_t oversubscription_q32;
};

enum raw_topology_kind {
	RAW_LEAF_SPINE,
	RAW_FAT_TREE,
	RAW_THREE_TIER,
	RAW_RAIL_OPTIMIZED,
	RAW_FILE,
};

/* Counts are CONFIG_AUTO where nothing was written. */
struct raw_topology {
	struct raw_item item;
	int kind; /* enum raw_topology_kind */
	int format;
	const char *path; /* NULL: none, as `flows` */
	const char *flows;
	uint64_t k;
	uint64_t pods;
	uint64_t leaves; /* of a pod, as spines */
	uint64_t spines;
	uint64_t cores;
	uint64_t hosts_per_leaf;
	uint64_t servers;
	uint64_t servers_per_leaf;
	uint64_t gpus;
	uint64_t scale;
	uint64_t clusters;
	uint64_t gateways;
	uint64_t rate_bps;
	uint64_t delay_ps;
	uint64_t length_mm;
	struct raw_tier_links host_links;
	struct raw_tier_links leaf_links;
	struct raw_tier_links spine_links;
	struct raw_tier_links gateway_links;
	struct raw_switch *all_switches; /* NULL: none given; merged as trees */
	struct raw_host *all_hosts;
};

/* By enum raw_topology_kind; ends with NULL. */
extern const char *const config_topology_kinds[];

struct topology_links {
	uint64_t rate_bps;
	uint64_t delay_ps;  /* CONFIG_AUTO: by length */
	uint64_t length_mm; /* CONFIG_AUTO: not known */
	uint32_t count;     /* cables between two switches */
};

struct topology_plan {
	const struct raw_topology *raw;
	uint32_t clusters;
	uint32_t gateways; /* of all clusters; 0 = nothing joins them */
	uint32_t pods;     /* of a cluster */
	uint32_t leaves;   /* of a pod */
	uint32_t spines;   /* of a pod */
	uint32_t cores;    /* of a plane; 0 = no such tier */
	uint32_t hosts;    /* of a leaf */
	uint32_t gpus;     /* rails: NICs of a server; 0 = hosts are not servers */
	struct topology_links host_links;
	struct topology_links leaf_links;
	struct topology_links spine_links;
	struct topology_links gateway_links;
};

/* Switches of a cluster that gateways are linked to. */
static inline uint32_t
topology_tops(const struct topology_plan *p)
{
	return p->cores > 0 ? p->cores * p->spines : p->pods * p->spines;
}

/* From what the user wrote. 0 or -EINVAL with the error. */
int topology_plan_make(struct config *c, const struct raw_topology *raw,
		       struct topology_plan *plan);

/* Into the tree: switches, hosts, links. */
int topology_plan_write(struct config *c, const struct topology_plan *plan);

/* config_topology_file.c: the same of a network in a file, and its flows as workload. */
int topology_file_write(struct config *c, const struct raw_topology *raw);

/* Keys that mean something with `kind: file` only, or with the other kinds only. 0 or -EINVAL. */
int topology_file_check(struct config *c, const struct raw_topology *raw);

/* Take a key out of a map, if it is there. */
void topology_remove_key(struct config_node *map, const char *key);

/* A section of the file, made if need be. NULL after an error. */
struct config_node *topology_section(struct config *c, const struct raw_topology *raw,
				     const char *key, enum config_node_kind kind);

/*
 * The group `name` of a section, made if need be, with what the topology says of all switches or
 * hosts (`all`; may be NULL). NULL: it is no map, which decoding will say (0 in *rc), or an error.
 */
struct config_node *topology_group(struct config *c, const struct raw_topology *raw,
				   const char *section, const char *name,
				   const struct raw_item *all, int *rc);

/* Put an entry before those that the user wrote, so that theirs win. */
void topology_put_first(struct config *c, struct config_node *group, const char *key,
			struct config_node *entry);

/* Does the user say what buffers a group of switches has? Else it needs a profile. */
bool topology_has_buffers(const struct config_node *group);

#endif
