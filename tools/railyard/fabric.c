/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "pipelines.h"

/* Bytes of a frame that a cut-through switch has in before it forwards it. */
#define CUT_THROUGH_BYTES 64u
/* A driver starts a frame after its headroom; a packet socket wants room for its own frames. */
static uint32_t
device_bytes(const struct scenario_ethdev *e)
{
	const char *frame = e->is_pci ? NULL : strstr(e->device, "framesz=");
	unsigned long bytes = e->mtu_bytes + 64u;

	if (frame != NULL)
		bytes = RTE_MAX(bytes, strtoul(frame + strlen("framesz="), NULL, 10));
	return RTE_PKTMBUF_HEADROOM + (uint32_t)RTE_MIN(bytes, 60000ul);
}

uint32_t
fabric_data_bytes(const struct scenario *s)
{
	uint32_t bytes = PACKET_HEADER_ROOM_BYTES;

	for (uint32_t i = 0; i < s->ethdev_count; i++)
		bytes = RTE_MAX(bytes, device_bytes(&s->ethdevs[i]));
	for (uint32_t i = 0; s->with_payload && i < s->host_count; i++) {
		uint32_t frame = PACKET_HEADER_ROOM_BYTES + s->hosts[i].cfg.mtu_bytes;

		if (frame > bytes)
			bytes = frame;
	}
	for (uint32_t i = 0; s->with_payload && i < s->workload_count; i++) {
		if (s->workloads[i].frame_bytes > bytes)
			bytes = s->workloads[i].frame_bytes;
	}
	return bytes;
}

uint64_t
fabric_memory_bytes(const struct scenario *s, uint32_t packets, uint32_t data_bytes)
{
	/*
	 * What a pool of real time makes of mbuf, private area and data, and its ring (one of
	 * virtual time brings its own memory); forwarding tables.
	 */
	uint64_t each =
		16 + rte_mempool_calc_obj_size(
			     sizeof(struct rte_mbuf) + sizeof(struct packet) + data_bytes, 0, NULL);
	uint64_t tables = 0;

	for (uint32_t i = 0; i < s->switch_count; i++) {
		const struct forwarding_cfg *f = &s->switches[i].cfg.forwarding;

		if (f->layer3 && f->route_count == 0)
			continue; /* routes to hosts are no DPDK objects */
		tables += (1 << 20) + (uint64_t)f->fdb_size * 256 + (uint64_t)f->route_count * 2048;
	}
	return (s->real_time ? packets * each : 0) + tables + (16 << 20);
}

/* Pool names are unique in the process: tests build many fabrics. */
static struct rte_mempool *
pool_create(const struct fabric *f, uint32_t packets, uint32_t data_bytes)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "packets_%lx", (unsigned long)(uintptr_t)f & 0xffffffff);
	return f->scenario->real_time ? packet_pool_create(name, packets, data_bytes)
				      : packet_pool_create_growing(name, packets, data_bytes);
}

static int
arrays_create(struct fabric *f, const struct scenario *s, uint32_t extra_nodes)
{
	f->switch_count = s->switch_count;
	f->host_count = s->host_count;
	f->node_size = s->switch_count + s->host_count + extra_nodes;
	f->link_size = 2 * (s->link_count + extra_nodes);
	f->nodes = calloc(f->node_size + 1, sizeof(*f->nodes));
	f->switches = calloc(f->switch_count + 1, sizeof(*f->switches));
	f->hosts = calloc(f->host_count + 1, sizeof(*f->hosts));
	f->peers = calloc(f->host_count + 1, sizeof(*f->peers));
	f->links = lines_alloc(f->link_size + 1, sizeof(*f->links));
	f->edges = calloc(f->link_size + 1, sizeof(*f->edges));
	if (f->nodes == NULL || f->switches == NULL || f->hosts == NULL || f->peers == NULL ||
	    f->links == NULL || f->edges == NULL)
		return -ENOMEM;
	return 0;
}

static int
switches_create(struct fabric *f, struct scenario *s, const struct fabric_options *options,
		char *why, size_t why_bytes)
{
	for (uint32_t i = 0; i < s->switch_count; i++) {
		struct switch_cfg *cfg = &s->switches[i].cfg;
		const struct pipeline *pipeline = pipelines_find(cfg->pipeline);
		int rc;

		if (pipeline == NULL) {
			snprintf(why, why_bytes, "switch %s: there is no pipeline '%s'", cfg->name,
				 cfg->pipeline);
			return -EINVAL;
		}
		cfg->sample_interval_ps = s->sample_interval_ps;
		cfg->latency_ps = s->switches[i].latency_ps;
		rc = switch_create(&f->switches[i], cfg, pipeline, i, s->seed, f->pool,
				   options->node_observer);
		if (rc != 0) {
			snprintf(why, why_bytes, "switch %s: %s", cfg->name, strerror(-rc));
			return rc;
		}
		f->nodes[f->node_count++] = &f->switches[i]->node;
	}
	return 0;
}

static int
hosts_create(struct fabric *f, struct scenario *s, const struct fabric_options *options, char *why,
	     size_t why_bytes)
{
	f->env = (struct host_env){
		.seed = s->seed,
		.host_count = s->host_count,
		.peers = f->peers,
		.pool = f->pool,
		.observer = options->node_observer,
		.host_observer = options->host_observer,
		.ideal_ps = fabric_ideal_ps,
		.ideal_context = f,
	};
	for (uint32_t i = 0; i < s->host_count; i++) {
		f->peers[i].address = s->hosts[i].address;
		f->peers[i].mac_unknown = s->hosts[i].mac_unknown;
		f->peers[i].mtu_bytes = s->hosts[i].cfg.mtu_bytes;
		f->peers[i].nic_rate_bps = s->hosts[i].cfg.port.rate_bps;
		f->peers[i].reorder_packets = s->hosts[i].cfg.receiver.window_packets;
	}
	for (uint32_t i = 0; i < s->host_count; i++) {
		struct host_cfg *cfg = &s->hosts[i].cfg;
		int rc;

		cfg->with_payload = s->with_payload;
		rc = host_create(&f->hosts[i], cfg, &f->env, i, f->node_count);
		if (rc != 0) {
			snprintf(why, why_bytes, "host %s: %s", cfg->name, strerror(-rc));
			return rc;
		}
		f->nodes[f->node_count++] = host_node(f->hosts[i]);
		if (s->sample_interval_ps != 0)
			node_sample_every(host_node(f->hosts[i]), s->sample_interval_ps);
	}
	return 0;
}

static struct node *
end_node(const struct fabric *f, const struct scenario_end *end)
{
	return end->is_switch ? &f->switches[end->index]->node : host_node(f->hosts[end->index]);
}

int
fabric_link(struct fabric *f, struct node *from, uint16_t from_port, struct node *to,
	    uint16_t to_port, uint64_t delay_ps, struct link **out)
{
	struct link *link = &f->links[f->link_count];
	struct fabric_edge *edge = &f->edges[f->link_count];
	const struct scenario_switch *sw = NULL;
	int rc;

	if (to->id < f->switch_count)
		sw = &f->scenario->switches[to->id];
	*edge = (struct fabric_edge){
		.from_node = from->id,
		.to_node = to->id,
		.from_port = from_port,
		.to_port = to_port,
		.delay_ps = delay_ps + (sw != NULL ? sw->latency_ps : 0),
		.rate_bps = from->ports[from_port].cfg.rate_bps,
	};
	rc = link_init(link, delay_ps);
	if (rc != 0)
		return rc;
	if (sw != NULL && sw->cut_through)
		link->cut_through_bytes = CUT_THROUGH_BYTES;
	f->link_count++;
	*out = link;
	return 0;
}

int
fabric_connect(struct fabric *f, struct node *a, uint16_t a_port, struct node *b, uint16_t b_port,
	       uint64_t delay_ps)
{
	struct link *there, *back;
	int rc = fabric_link(f, a, a_port, b, b_port, delay_ps, &there);

	if (rc == 0)
		rc = fabric_link(f, b, b_port, a, a_port, delay_ps, &back);
	if (rc != 0)
		return rc;
	f->lookahead_ps = RTE_MIN(f->lookahead_ps, delay_ps);
	node_attach(a, a_port, there, back);
	node_attach(b, b_port, back, there);
	return 0;
}

int
fabric_add_node(struct fabric *f, struct node *node)
{
	if (f->node_count == f->node_size)
		return -ENOSPC;
	f->nodes[f->node_count++] = node;
	return 0;
}

/* In the order of dependence: routes go into the switches' tables before they are made. */
static int
build(struct fabric *f, struct scenario *s, const struct fabric_options *options, char *why,
      size_t why_bytes)
{
	int rc = arrays_create(f, s, options->extra_nodes);

	if (rc == 0)
		rc = fabric_forwarding(f, s);
	if (rc != 0) {
		snprintf(why, why_bytes, "building the network: %s", strerror(-rc));
		return rc;
	}
	f->pool_count = options->packets;
	f->pool = pool_create(f, options->packets, options->data_bytes);
	if (f->pool == NULL) {
		snprintf(why, why_bytes, "no memory for %u packets: %s; set `mbufs` lower",
			 options->packets, rte_strerror(rte_errno));
		return -ENOMEM;
	}
	rc = switches_create(f, s, options, why, why_bytes);
	if (rc == 0)
		rc = hosts_create(f, s, options, why, why_bytes);
	for (uint32_t i = 0; rc == 0 && i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		if (s->real_time && l->over_ring) {
			rc = fabric_ethdev_cable(f, end_node(f, &l->a), l->a.port,
						 end_node(f, &l->b), l->b.port, l->delay_ps, why,
						 why_bytes);
			continue;
		}
		rc = fabric_connect(f, end_node(f, &l->a), l->a.port, end_node(f, &l->b), l->b.port,
				    l->delay_ps);
		if (rc != 0)
			snprintf(why, why_bytes, "link %u: %s", i, strerror(-rc));
	}
	if (rc == 0)
		rc = fabric_ethdev_open(f, why, why_bytes);
	if (rc == 0)
		rc = fabric_impair(f, why, why_bytes);
	if (rc == 0 && (fabric_failures_init(f) != 0 || fabric_deadlock_init(f) != 0)) {
		snprintf(why, why_bytes, "failures, deadlocks: out of memory");
		rc = -ENOMEM;
	}
	return rc != 0 ? rc : fabric_sources(f, why, why_bytes);
}

int
fabric_create(struct fabric **out, struct scenario *s, const struct fabric_options *options,
	      char *why, size_t why_bytes)
{
	struct fabric *f = calloc(1, sizeof(*f));
	int rc;

	if (f == NULL) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	roce_icrc_prepare();
	f->scenario = s;
	f->lookahead_ps = UNITS_NEVER_PS;
	f->lcores = options->lcores == 0 ? 1 : options->lcores;
	rc = build(f, s, options, why, why_bytes);
	if (rc != 0) {
		fabric_destroy(f);
		return rc;
	}
	*out = f;
	return 0;
}

static void
explain_lcores(const struct fabric *f, int rc, char *why, size_t why_bytes)
{
	if (rc == -EINVAL)
		snprintf(why, why_bytes,
			 "lcores: %u are more than the %u cores that DPDK's environment was given",
			 f->lcores, rte_lcore_count());
	else
		snprintf(why, why_bytes, "the engine's %u lcores: %s", f->lcores, strerror(-rc));
}

static int
real_start(struct fabric *f)
{
	int rc = engine_real_init(&f->real, &f->engine, f->ethdevs, f->ethdev_count);

	return rc != 0 ? rc : engine_real_spread(&f->real, f->lcores);
}

int
fabric_start(struct fabric *f, char *why, size_t why_bytes)
{
	int rc;

	if (f->link_count == 0 && f->ethdev_count == 0) {
		snprintf(why, why_bytes,
			 "nothing is connected: give `hosts` and `links`, or play a trace into the "
			 "switch with `railyard replay`");
		return -EINVAL;
	}
	rc = engine_virtual_init(&f->engine, f->nodes, f->node_count, f->lookahead_ps);
	if (rc == 0 && f->lcores > 1 && !f->scenario->real_time)
		rc = engine_virtual_spread(&f->engine, f->lcores);
	if (rc == 0 && f->scenario->real_time)
		rc = real_start(f);
	if (rc != 0)
		explain_lcores(f, rc, why, why_bytes);
	return rc;
}

void
fabric_destroy(struct fabric *f)
{
	if (f == NULL)
		return;
	engine_real_fini(&f->real);
	engine_virtual_fini(&f->engine);
	fabric_ethdev_close(f);
	for (uint32_t i = 0; i < f->node_count; i++)
		f->nodes[i]->ops->destroy(f->nodes[i]);
	for (uint32_t i = 0; i < f->link_count; i++)
		link_fini(&f->links[i]);
	for (uint32_t i = 0; i < f->peer_list_count; i++)
		free(f->peer_lists[i]);
	free(f->peer_lists);
	packet_pool_free(f->pool);
	free(f->nodes);
	free(f->switches);
	free(f->hosts);
	free(f->peers);
	free(f->links);
	free(f->edges);
	fabric_deadlock_fini(f);
	fabric_failures_fini(f);
	fabric_forwarding_free(f);
	free(f);
}

uint64_t
fabric_hops(const struct fabric *f)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		hops += f->nodes[i]->counters.hops;
	return hops;
}

uint64_t
fabric_last_event_ps(const struct fabric *f)
{
	uint64_t last_ps = 0;

	for (uint32_t i = 0; i < f->node_count; i++) {
		if (f->nodes[i]->last_event_ps > last_ps)
			last_ps = f->nodes[i]->last_event_ps;
	}
	return last_ps;
}
