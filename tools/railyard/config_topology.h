/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology worked out: one shape fits all kinds. Pods of leaves and spines, every leaf of a pod
 * linked to every spine of it; above, planes of cores: spine s of each pod is linked to every core
 * of plane s (Al-Fares et al., SIGCOMM 2008). A leaf-spine is one pod without cores.
 */
#ifndef RAILYARD_CONFIG_TOPOLOGY_H
#define RAILYARD_CONFIG_TOPOLOGY_H

#include "config_internal.h"

struct topology_links {
	uint64_t rate_bps;
	uint64_t delay_ps;  /* CONFIG_AUTO: by length */
	uint64_t length_mm; /* CONFIG_AUTO: not known */
	uint32_t count;     /* cables between two switches */
};

struct topology_plan {
	const struct raw_topology *raw;
	uint32_t pods;
	uint32_t leaves; /* of a pod */
	uint32_t spines; /* of a pod */
	uint32_t cores;  /* of a plane; 0 = no such tier */
	uint32_t hosts;  /* of a leaf */
	uint32_t gpus;   /* rails: NICs of a server; 0 = hosts are not servers */
	struct topology_links host_links;
	struct topology_links leaf_links;
	struct topology_links spine_links;
};

/* From what the user wrote. 0 or -EINVAL with the error. */
int topology_plan_make(struct config *c, const struct raw_topology *raw,
		       struct topology_plan *plan);

/* Into the tree: switches, hosts, links. */
int topology_plan_write(struct config *c, const struct topology_plan *plan);

#endif
