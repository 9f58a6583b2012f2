/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric with counters set by hand: switch tor with h0 at port 0 and h1 at port 1. Nothing
 * runs; results are asked what they make of the counters and of records they are given.
 */
#ifndef RAILYARD_TEST_RESULTS_RIG_H
#define RAILYARD_TEST_RESULTS_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "fabric.h"
#include "host_state.h"
#include "results.h"

#define CELL_BYTES 200u
#define XOFF_BYTES 20000u /* 100 cells */

static char dir[64];
static char why[512];

struct rig {
	struct scenario scenario;
	struct scenario_workload workloads[2];
	struct scenario_switch scenario_switch;
	struct scenario_expectation expectations[2];
	struct fabric fabric;
	struct node *nodes[3]; /* tor, h0, h1 */
	struct switch_node tor;
	struct switch_node *switches[1];
	struct host h0;
	struct host h1;
	struct host *hosts[2];
	struct link links[4];
	struct fabric_edge edges[4];
	struct switch_cfg cfg;
	struct pipeline pipeline;
	struct results *results;
};

static void
init_node(struct node *node, uint32_t id, const char *name, uint16_t ports)
{
	node->id = id;
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->port_count = ports;
	node->ports = calloc(ports, sizeof(node->ports[0]));
	ck_assert_ptr_nonnull(node->ports);
	for (uint16_t i = 0; i < ports; i++)
		node->ports[i].cfg.rate_bps = 100000000000ULL;
}

/* Link i: 0 tor:0 -> h0, 1 back, 2 tor:1 -> h1, 3 back. */
static void
connect_nodes(struct rig *rig)
{
	for (uint16_t i = 0; i < 2; i++) {
		struct node_port *port = &rig->tor.node.ports[i];
		struct node_port *peer = &rig->nodes[1 + i]->ports[0];

		port->tx = peer->rx = &rig->links[2 * i];
		port->rx = peer->tx = &rig->links[2 * i + 1];
		rig->edges[2 * i] = (struct fabric_edge){0, 1u + i, i, 0, 0, 0};
		rig->edges[2 * i + 1] = (struct fabric_edge){1u + i, 0, 0, i, 0, 0};
	}
}

static void
init_mmu(struct rig *rig)
{
	struct mmu_cfg *cfg = &rig->cfg.mmu;
	struct mmu_port_cfg ports[2] = {0};

	cfg->cell_bytes = CELL_BYTES;
	cfg->partitions = 1;
	cfg->pool_count = 2;
	cfg->pools[0] = (struct mmu_pool_cfg){"ingress", false, true, 200000, 0};
	cfg->pools[1] = (struct mmu_pool_cfg){"egress", true, true, 200000, 0};
	cfg->profile_count = 2;
	cfg->profiles[0] = (struct mmu_profile_cfg){.name = "lossless",
						    .pool = 0,
						    .size_bytes = 10 * CELL_BYTES,
						    .lossless = true,
						    .xoff_bytes = XOFF_BYTES};
	cfg->profiles[1] = (struct mmu_profile_cfg){.name = "queue", .pool = 1};
	for (int i = 0; i < 2; i++) {
		for (int c = 0; c < MMU_CLASSES; c++) {
			ports[i].pg_profile[c] = c == 3 ? 0 : MMU_NO_PROFILE;
			ports[i].queue_profile[c] = c == 3 ? 1 : MMU_NO_PROFILE;
		}
	}
	ck_assert_int_eq(mmu_init(&rig->tor.mmu, cfg, 2, ports), 0);
}

static struct rig *
rig_create(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	ck_assert_ptr_nonnull(rig);
	snprintf(rig->workloads[0].name, sizeof(rig->workloads[0].name), "incast");
	snprintf(rig->workloads[1].name, sizeof(rig->workloads[1].name), "with,\"comma\"");
	rig->scenario = (struct scenario){.file = "rig.yaml",
					  .seed = 7,
					  .workload_count = 2,
					  .workloads = rig->workloads,
					  .switch_count = 1,
					  .switches = &rig->scenario_switch,
					  .expectations = rig->expectations};
	snprintf(rig->scenario_switch.tier, sizeof(rig->scenario_switch.tier), "leaf");
	rig->pipeline.uses_mmu = true;
	rig->tor.pipeline = &rig->pipeline;
	rig->tor.cfg = &rig->cfg;
	rig->tor.ports = calloc(2, sizeof(rig->tor.ports[0]));
	rig->nodes[0] = &rig->tor.node;
	rig->nodes[1] = &rig->h0.node;
	rig->nodes[2] = &rig->h1.node;
	init_node(rig->nodes[0], 0, "tor", 2);
	init_node(rig->nodes[1], 1, "h0", 1);
	init_node(rig->nodes[2], 2, "h1", 1);
	rig->cfg.maps.pfc_to_queue[3] = 3;
	rig->tor.ports[0].maps = &rig->cfg.maps;
	rig->tor.ports[1].maps = &rig->cfg.maps;
	rig->switches[0] = &rig->tor;
	rig->hosts[0] = &rig->h0;
	rig->hosts[1] = &rig->h1;
	connect_nodes(rig);
	init_mmu(rig);
	rig->fabric = (struct fabric){.scenario = &rig->scenario,
				      .node_count = 3,
				      .nodes = rig->nodes,
				      .switch_count = 1,
				      .switches = rig->switches,
				      .host_count = 2,
				      .hosts = rig->hosts,
				      .link_count = 4,
				      .links = rig->links,
				      .edges = rig->edges};
	rig->results = results_create();
	ck_assert_ptr_nonnull(rig->results);
	return rig;
}

static void
rig_destroy(struct rig *rig)
{
	static const char *const files[] = {"flows.csv",  "ports.csv",      "queues.csv",
					    "pgs.csv",    "drops.csv",      "timeseries.csv",
					    "rates.csv",  "reordering.csv", "balance.csv",
					    "groups.csv", "summary.json"};
	char path[128];

	results_destroy(rig->results);
	for (size_t i = 0; i < RTE_DIM(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	rmdir(dir);
	mmu_fini(&rig->tor.mmu);
	free(rig->tor.ports);
	for (int i = 0; i < 3; i++)
		free(rig->nodes[i]->ports);
	free(rig);
}

static void
open_results(struct rig *rig)
{
	int ret = results_open(rig->results, &rig->fabric, dir, why, sizeof(why));

	ck_assert_msg(ret == 0, "%s", why);
}

static json_t *
finish_results(struct rig *rig, enum results_state state)
{
	struct results_end end = {.state = state,
				  .virtual_ps = 100 * UNITS_PS_PER_US,
				  .digest = 0xabcdef,
				  .wall_s = 0.5};

	ck_assert_msg(results_finish(rig->results, &end, why, sizeof(why)) == 0, "%s", why);
	return results_summary(rig->results);
}

/* What the numbers below are about. */
static void
fill_counters(struct rig *rig)
{
	struct node_port *port = &rig->tor.node.ports[1];
	struct mmu_account *pg = mmu_pg(&rig->tor.mmu, 1, 3);
	struct mmu_account *queue = mmu_queue(&rig->tor.mmu, 0, 3);
	struct switch_queue *q = &rig->tor.ports[0].queues[3];

	/* 100 + 2 begun = 90 + 4 + 3 ended, 5 under way */
	rig->h1.node.counters.created = 98;
	rig->tor.node.counters = (struct node_counters){
		.created = 2, .copied = 2, .consumed = 2, .dropped = 3, .hops = 98, .marked = 12};
	rig->h0.node.counters = (struct node_counters){.delivered = 90, .consumed = 2, .hops = 92};
	port->drops[DROP_INGRESS_HEADROOM][3] = 2;
	port->drops[DROP_NO_ROUTE][0] = 1;
	port->pfc_tx.xoff_frames[3] = 5;
	port->pfc_tx.xon_frames[3] = 4;
	port->tx_packets = 9;
	/* h1 was stopped a quarter of the run by tor:1, h0 a tenth, in another priority */
	rig->h1.node.ports[0].pfc_rx.pauses[3] = 4;
	rig->h1.node.ports[0].pfc_rx.paused_ps[3] = 25 * UNITS_PS_PER_US;
	rig->h0.node.ports[0].pfc_rx.pauses[4] = 1;
	rig->h0.node.ports[0].pfc_rx.paused_ps[4] = 10 * UNITS_PS_PER_US;
	/* 10 guaranteed + 490 of 990 shared; 25 of 100 headroom */
	*pg = (struct mmu_account){.bound = 1,
				   .limit = pg->limit,
				   .max_cells = 525,
				   .max_shared_cells = 490,
				   .max_headroom_cells = 25,
				   .limit_at_max_cells = 990,
				   .xoffs = 4,
				   .packets = 98,
				   .bytes = 100352};
	*queue = (struct mmu_account){.bound = 1,
				      .limit = queue->limit,
				      .max_cells = 450,
				      .max_shared_cells = 450,
				      .limit_at_max_cells = 600,
				      .packets = 95,
				      .bytes = 97280};
	q->max_bytes = 88000;
	q->tx_packets = 95;
	q->tx_bytes = 97280;
	q->marked = 12;
	rig->h1.results.data_packets_sent = 48;
	rig->h1.results.ce_received = 12;
	rig->h1.results.retransmitted_packets = 6;
	rig->h0.results.bytes_delivered = 2000000;
	rig->h0.results.cnp_sent = 3;
}

static void
add_flows(struct rig *rig)
{
	const struct host_observer *o = results_host_observer(rig->results);
	struct flow_record f = {.source = 1,
				.destination = 0,
				.source_qp = 16,
				.destination_qp = 17,
				.verb = VERB_WRITE,
				.bytes = 1000000,
				.start_ps = 5 * UNITS_PS_PER_US,
				.end_ps = 15 * UNITS_PS_PER_US,
				.ideal_ps = 8 * UNITS_PS_PER_US};

	o->flow(o->context, &f);
	f.end_ps = 25 * UNITS_PS_PER_US;
	f.retransmitted_packets = 6;
	f.workload = 1;
	o->flow(o->context, &f);
}

/* The number at "key/key/index" below o. */
static inline double
at(const json_t *o, const char *path)
{
	char key[64];

	while (*path != '\0') {
		size_t length = strcspn(path, "/");

		memcpy(key, path, length);
		key[length] = '\0';
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(key))
				     : json_object_get(o, key);
		path += length + (path[length] == '/');
	}
	ck_assert_msg(json_is_number(o), "no number at %s", key);
	return json_number_value(o);
}

#endif
