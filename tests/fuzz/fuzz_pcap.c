/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a capture file. A file that scans well is replayed into a small switch with one
 * lossless and one lossy class, three sinks behind it; then the packets close, the nodes'
 * invariants hold and every buffer is back.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/eal.h"
#include "engine_virtual.h"
#include "fuzz.h"
#include "pipelines.h"
#include "replay.h"
#include "sink.h"
#include "switch.h"

enum {
	PORTS = 4,
	NODES = PORTS + 1,
	LARGEST_FILE = 1 << 16,
	POOL_PACKETS = 2047,
	POOL_BYTES = 2048,
	LARGEST_FRAME = 9216,
	WINDOWS = 4096, /* bound on a run: a window is a link's delay */
};
#define RATE_BPS 100000000000ULL
#define DELAY_PS (1000 * UNITS_PS_PER_NS)

struct fabric {
	struct replay *replay;
	struct switch_node *sw;
	struct node *nodes[NODES]; /* replay, sinks, switch */
	struct link up[PORTS];     /* to the switch */
	struct link down[PORTS];
	uint32_t windows;
};

/* Priority 3 is lossless with its own headroom, the others share a lossy pool. */
static const struct mmu_cfg mmu_cfg = {
	.cell_bytes = 208,
	.partitions = 1,
	.pool_count = 2,
	.profile_count = 3,
	.pools = {{.name = "ingress", .dynamic = true, .size_bytes = 100000},
		  {.name = "egress", .egress = true, .dynamic = true, .size_bytes = 100000}},
	.profiles = {{.name = "lossless",
		      .size_bytes = 1248,
		      .dynamic_th = -2,
		      .lossless = true,
		      .xoff_bytes = 40000,
		      .xon_offset_bytes = 2288},
		     {.name = "lossy", .dynamic_th = 0},
		     {.name = "out", .pool = 1, .dynamic_th = 1}},
};
static const struct wred_cfg wred = {
	.name = "ecn",
	.mark = {true, 2000, 20000, 1ULL << 31},
	.drop = {true, 2000, 20000, 1ULL << 31},
	.at_enqueue = true,
};
static const struct fdb_entry_cfg fdb_entry = {.mac = {2, 0, 0, 0, 1, 0}, .port = 1};

static const struct pfc_cfg pfc_cfg = {.enable = 1 << 3,
				       .quanta = 0xffff,
				       .refresh_ps = 100 * UNITS_PS_PER_US,
				       .response_ps = 500 * UNITS_PS_PER_NS};

static void
port_cfg_fill(struct switch_port_cfg *port, uint16_t number)
{
	*port = (struct switch_port_cfg){.mtu_bytes = LARGEST_FRAME};
	/* The way out is slower than the way in, so that queues build up. */
	port->port.rate_bps = number == 0 ? RATE_BPS : RATE_BPS / 10;
	port->port.mac[0] = 2;
	port->port.mac[5] = (uint8_t)number;
	port->port.pfc = pfc_cfg;
	for (int i = 0; i < 8; i++) {
		port->mmu.pg_profile[i] = i == 3 ? 0 : 1;
		port->mmu.queue_profile[i] = 2;
		port->wred[i] = 0;
		port->scheduler[i] = -1;
	}
}

static struct switch_node *
switch_make(struct rte_mempool *pool, struct switch_cfg *cfg, struct switch_port_cfg *ports)
{
	struct switch_node *sw;
	int result;

	*cfg = (struct switch_cfg){.name = "sw",
				   .pipeline = "shared-buffer",
				   .port_count = PORTS,
				   .ports = ports,
				   .mmu = mmu_cfg,
				   .wred_count = 1,
				   .wred = &wred};
	cfg->forwarding =
		(struct forwarding_cfg){.fdb_size = 64, .static_count = 1, .statics = &fdb_entry};
	for (int i = 0; i < 64; i++)
		cfg->maps.dscp_to_tc[i] = (uint8_t)(i >> 3);
	for (uint8_t i = 0; i < 8; i++) {
		cfg->maps.pcp_to_tc[i] = cfg->maps.tc_to_pg[i] = cfg->maps.tc_to_queue[i] = i;
		cfg->maps.pfc_to_queue[i] = cfg->maps.pg_to_pfc[i] = i;
	}
	for (uint16_t i = 0; i < PORTS; i++)
		port_cfg_fill(&ports[i], i);
	result = switch_create(&sw, cfg, pipelines_find(cfg->pipeline), PORTS, 1, pool, NULL);
	assert(result == 0);
	return sw;
}

/* The replay on port 0 and sinks on the others. False: the file is not a capture after all. */
static bool
fabric_make(struct fabric *f, const char *path, struct rte_mempool *pool, struct switch_cfg *cfg,
	    struct switch_port_cfg *ports)
{
	struct replay_cfg replay_cfg = {
		.name = "in", .path = path, .port = {.rate_bps = RATE_BPS, .pfc = pfc_cfg}};
	struct sink_cfg sink_cfg = {.name = "out",
				    .port = {.rate_bps = RATE_BPS / 10, .pfc = pfc_cfg}};
	char error[512] = "";

	*f = (struct fabric){0};
	if (replay_create(&f->replay, &replay_cfg, 0, 1, pool, NULL, error, sizeof(error)) != 0)
		return false;
	f->sw = switch_make(pool, cfg, ports);
	f->nodes[0] = replay_node(f->replay);
	f->nodes[PORTS] = &f->sw->node;
	for (uint16_t i = 0; i < PORTS; i++) {
		int result = link_init(&f->up[i], DELAY_PS) | link_init(&f->down[i], DELAY_PS);

		assert(result == 0);
		if (i > 0)
			f->nodes[i] = sink_create(&sink_cfg, i, 1, pool, NULL);
		assert(f->nodes[i] != NULL);
		node_attach(f->nodes[i], 0, &f->up[i], &f->down[i]);
		node_attach(&f->sw->node, i, &f->down[i], &f->up[i]);
	}
	return true;
}

static bool
enough(void *context, uint64_t now_ps)
{
	return ++((struct fabric *)context)->windows >= WINDOWS;
}

static void
fabric_check(struct fabric *f)
{
	struct node_counters sum = {0};
	char why[256] = "";

	for (int i = 0; i < NODES; i++) {
		struct node *node = f->nodes[i];

		if (node->ops->check(node, why, sizeof(why)) != 0) {
			fprintf(stderr, "%s: %s\n", node->name, why);
			abort();
		}
		assert(node->ops->held(node) == 0);
		sum.created += node->counters.created;
		sum.copied += node->counters.copied;
		sum.delivered += node->counters.delivered;
		sum.consumed += node->counters.consumed;
		sum.dropped += node->counters.dropped;
	}
	assert(sum.created + sum.copied == sum.delivered + sum.consumed + sum.dropped);
}

static void
fabric_run(struct fabric *f)
{
	struct engine_virtual engine;
	int result = engine_virtual_init(&engine, f->nodes, NODES, DELAY_PS);
	enum engine_end end;

	assert(result == 0);
	engine.between = enough;
	engine.context = f;
	end = engine_virtual_run(&engine, UNITS_NEVER_PS);
	if (end == ENGINE_STOPPED) {
		for (int i = 0; i < NODES; i++) {
			if (f->nodes[i]->ops->stop != NULL)
				f->nodes[i]->ops->stop(f->nodes[i], engine.now_ps);
		}
		/* What is under way ends soon. */
		engine.between = NULL;
		end = engine_virtual_run(&engine, engine.now_ps + UNITS_PS_PER_S);
	}
	assert(end == ENGINE_IDLE);
	for (int i = 0; i < NODES; i++)
		node_close(f->nodes[i], engine.now_ps);
	engine_virtual_fini(&engine);
}

static void
fabric_destroy(struct fabric *f)
{
	for (int i = 0; i < NODES; i++)
		f->nodes[i]->ops->destroy(f->nodes[i]);
	for (int i = 0; i < PORTS; i++) {
		link_fini(&f->up[i]);
		link_fini(&f->down[i]);
	}
}

static void
replay_through_switch(const char *path)
{
	static struct rte_mempool *pool;
	struct switch_port_cfg ports[PORTS];
	struct switch_cfg cfg;
	struct fabric f;

	test_eal_init();
	if (pool == NULL)
		pool = packet_pool_create("fuzz", POOL_PACKETS, POOL_BYTES);
	assert(pool != NULL);
	if (!fabric_make(&f, path, pool, &cfg, ports))
		return;
	fabric_run(&f);
	fabric_check(&f);
	fabric_destroy(&f);
	assert(rte_mempool_avail_count(pool) == POOL_PACKETS);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64], error[512] = "";
	struct replay_scan scan;
	int fd, result;

	if (bytes > LARGEST_FILE)
		return -1;
	fd = memfd_create("capture", 0);
	assert(fd >= 0);
	if (write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = replay_scan(path, &scan, error, sizeof(error));
	if (result == 0)
		replay_through_switch(path);
	else
		assert(result < 0 && error[0] != '\0' && strchr(error, '\n') == NULL);
	close(fd);
	return 0;
}
