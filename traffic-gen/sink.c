/* SPDX-License-Identifier: BSD-3-Clause */
#include "sink.h"

#include <errno.h>
#include <stdlib.h>

static void
sink_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	node_deliver(node, m, now_ps);
}

static struct rte_mbuf *
sink_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	*next_ps = UNITS_NEVER_PS;
	return NULL;
}

static uint64_t
sink_held(const struct node *node)
{
	return 0;
}

static int
sink_check(const struct node *node, char *why, size_t why_bytes)
{
	return 0;
}

static void
sink_destroy(struct node *node)
{
	node_fini(node);
	free(node);
}

static const struct node_ops sink_ops = {
	.arrive = sink_arrive,
	.dequeue = sink_dequeue,
	.held = sink_held,
	.check = sink_check,
	.destroy = sink_destroy,
};

struct node *
sink_create(const struct sink_cfg *cfg, uint32_t node_id, uint64_t seed, struct rte_mempool *pool,
	    const struct node_observer *observer)
{
	struct node *node = calloc(1, sizeof(*node));
	int rc;

	if (node == NULL)
		return NULL;
	rc = node_init(node, &sink_ops, cfg->name, node_id, seed, pool, 1, &cfg->port);
	if (rc != 0) {
		free(node);
		errno = -rc;
		return NULL;
	}
	node->observer = observer;
	return node;
}
