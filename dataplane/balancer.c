/* SPDX-License-Identifier: BSD-3-Clause */
#include "balancer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

static const struct balancer_ops *const all[] = {
	&balancer_ecmp,     &balancer_weighted, &balancer_flowlet,
	&balancer_adaptive, &balancer_drill,    &balancer_spray,
};

const struct balancer_ops *
balancer_at(unsigned int n)
{
	return n < RTE_DIM(all) ? all[n] : NULL;
}

const struct balancer_ops *
balancer_find(const char *name)
{
	for (unsigned int n = 0; n < RTE_DIM(all); n++) {
		if (strcmp(all[n]->name, name) == 0)
			return all[n];
	}
	return NULL;
}

int
balancer_init(struct balancer *b, const struct balancer_cfg *cfg, uint16_t port_count)
{
	size_t bytes = (port_count + 1u) * sizeof(*b->ports);
	int rc;

	*b = (struct balancer){
		.cfg = cfg,
		.ops = cfg->ops != NULL ? cfg->ops : &balancer_ecmp,
		.port_count = port_count,
		.prng = prng_init(cfg->seed, 0x4c42000000000000ULL),
	};
	b->ports = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	if (b->ports == NULL)
		return -ENOMEM;
	memset(b->ports, 0, bytes);
	rc = b->ops->init != NULL ? b->ops->init(b) : 0;
	if (rc != 0)
		balancer_fini(b);
	return rc;
}

void
balancer_fini(struct balancer *b)
{
	free(b->state);
	free(b->ports);
	*b = (struct balancer){0};
}
