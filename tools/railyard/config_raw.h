/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration as the user wrote it, one struct an object of the YAML, with defaults in.
 * Resolving it (config_switch.c, config_host.c, ...) makes the scenario and writes what it
 * worked out back here, so that a dump shows it.
 *
 * Types follow the field's kind (config_fields.h): numbers are uint64_t in the unit of the
 * dataplane, flags and choices int, names const char *. CONFIG_AUTO, or -1, is "not given".
 */
#ifndef RAILYARD_CONFIG_RAW_H
#define RAILYARD_CONFIG_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "config_tree.h"

#define CONFIG_AUTO UINT64_MAX
#define CONFIG_UNSET (-1)
#define CONFIG_MAX_RANGE 512

/* Every object starts with one. */
struct raw_item {
	const struct config_node *node; /* NULL: made here, not by the user */
	const char *name;               /* its key, in maps of named objects */
	struct config_mark mark;
};

struct raw_array {
	void *items;
	uint32_t count;
	uint32_t word; /* a word in its place: 1 + index into the field's choices; 0 = none */
};

/* "all", 3, "0-15,20" or a list of these. */
struct raw_range {
	bool given;
	bool all;
	uint64_t bits[CONFIG_MAX_RANGE / 64];
};

struct raw_text {
	const char *text;
	struct config_mark mark;
};

struct raw_texts {
	struct raw_text *items;
	uint32_t count;
};

/* A table of small numbers; CONFIG_UNSET where nothing was written. */
struct raw_map {
	int8_t value[64];
	bool given;
};

struct raw_point {
	uint64_t bytes;
	uint64_t share_q32;
	struct config_mark mark;
};

struct raw_pfc {
	struct raw_item item;
	uint64_t quanta;
	uint64_t refresh_ps;
	uint64_t response_ps;
};

/* A port's has neither poll nor detect: those are the switch's. */
struct raw_watchdog {
	struct raw_item item;
	uint64_t poll_ps;
	uint64_t start_ps;
	int detect; /* enum watchdog_detect */
	uint64_t detection_ps;
	uint64_t restoration_ps;
	int action;     /* enum watchdog_action */
	int priorities; /* CONFIG_UNSET: those of pfc_enable */
};

struct raw_headroom {
	struct raw_item item;
	uint64_t speed_bps;
	uint64_t cable_mm;
	uint64_t size_bytes; /* CONFIG_AUTO, as xon and xoff: to be computed */
	uint64_t xon_bytes;
	uint64_t xoff_bytes;
	uint64_t xon_offset_bytes;
	int64_t dynamic_th;
	uint64_t static_th_bytes;
	const char *pool; /* NULL: the model's */
};

/* What headroom is computed from, beside a port's rate, cable and mtu and the cell. */
struct raw_headroom_model {
	struct raw_item item;
	uint64_t lossless_mtu_bytes;
	uint64_t small_packets_q32;
	uint64_t peer_response_bytes;
	uint64_t pipeline_latency_bytes;
	uint64_t lanes;
	int tile;
	int64_t dynamic_th;
	const char *pool;
};

struct raw_pool {
	struct raw_item item;
	int type; /* enum raw_pool_type */
	int mode;
	uint64_t size_bytes;
	uint64_t xoff_bytes;
};

enum raw_pool_type { RAW_INGRESS, RAW_EGRESS, RAW_BOTH };
enum raw_pool_mode { RAW_DYNAMIC, RAW_STATIC };

struct raw_profile {
	struct raw_item item;
	const char *pool;
	uint64_t size_bytes;
	int64_t dynamic_th;
	uint64_t static_th_bytes;
	uint64_t xoff_bytes; /* CONFIG_AUTO: not lossless */
	uint64_t xon_bytes;
	uint64_t xon_offset_bytes;
};

struct raw_pg {
	struct raw_item item;
	struct raw_range ports;
	struct raw_range pgs;
	const char *profile;
};

struct raw_queue {
	struct raw_item item;
	struct raw_range ports;
	struct raw_range queues;
	const char *profile;
	const char *scheduler;
	const char *wred;
};

struct raw_wred_drop {
	struct raw_item item;
	int mode; /* 0 = curve, 1 = none */
	uint64_t min_bytes;
	uint64_t max_bytes;
	uint64_t probability_q32;
};

struct raw_wred {
	struct raw_item item;
	uint64_t min_bytes;
	uint64_t max_bytes;
	uint64_t probability_q32;
	int ecn;     /* 0 = none, 1 = all */
	int mark_at; /* 0 = dequeue, 1 = enqueue */
	uint64_t weight;
	struct raw_wred_drop *drop; /* NULL: as the curve above */
};

struct raw_scheduler {
	struct raw_item item;
	int type; /* 0 = dwrr, 1 = strict, 2 = wrr */
	uint64_t weight;
	uint64_t pir_bps;
	uint64_t pbs_bytes;
};

struct raw_shaper {
	struct raw_item item;
	uint64_t rate_bps;
	uint64_t burst_bytes;
};

struct raw_hold {
	struct raw_item item;
	uint64_t from_ps;
	uint64_t until_ps;
};

struct raw_port {
	struct raw_item item;
	struct raw_range ports;
	uint64_t rate_bps;
	uint64_t mtu_bytes;
	uint64_t cable_mm;
	int pfc_enable;
	struct raw_maps *maps; /* NULL: the switch's */
	struct raw_texts ingress_profiles;
	struct raw_texts egress_profiles;
	struct raw_shaper *shaper;
	struct raw_hold *hold;
	struct raw_pfc *pfc;
	struct raw_watchdog *watchdog; /* NULL = none */
};

struct raw_static {
	struct raw_item item;
	const char *mac;
	uint64_t vlan;
	uint64_t port;
};

struct raw_route {
	struct raw_item item;
	const char *prefix;
	struct raw_range ports;
	struct raw_texts macs;
};

struct raw_forwarding {
	struct raw_item item;
	int mode; /* 0 = l2, 1 = l3 */
	int learn;
	uint64_t table_size;
	uint64_t aging_ps;
	struct raw_array statics;
	struct raw_array routes;
};

struct raw_hash {
	struct raw_item item;
	int function; /* enum balancer_function */
	struct raw_texts fields;
	uint64_t seed; /* CONFIG_AUTO: the switch's own */
	int pick;      /* 0 = mixed, 1 = modulo */
	uint64_t offset;
};

struct raw_balancer {
	struct raw_item item;
	int kind; /* index into kinds of config_fields_balancer.c */
	struct raw_hash hash;
	uint64_t max_flows;
	uint64_t gap_ps;
	int unit; /* enum balancer_unit */
	int sticky;
	uint64_t interval_ps;
	uint64_t exponent;
	int load_current;
	uint64_t past_weight;
	uint64_t future_weight;
	uint64_t full_queue_ps;
	uint64_t samples;
	uint64_t memory;
	int order; /* 0 = round-robin, 1 = random */
};

struct raw_maps {
	struct raw_item item;
	struct raw_map dscp_to_tc;
	struct raw_map pcp_to_tc;
	struct raw_map tc_to_pg;
	struct raw_map tc_to_queue;
	struct raw_map pfc_to_queue;
	struct raw_map pg_to_pfc;
};

/* Facts of an ASIC (profiles/asics), for switches from SONiC's files or with `asic`. */
struct raw_asic {
	struct raw_item item;
	struct raw_texts platforms;
	uint64_t cell_bytes;
	uint64_t partitions;
	uint64_t buffer_bytes;
	uint64_t memory_bytes;
	int size_includes_xoff;
	int profile_includes_xoff;
	int zero_threshold;
	uint64_t highest_threshold;
	int mark_at;
	int watchdog;
	uint64_t pipeline_latency_bytes;
	int tile;
};

struct raw_switch {
	struct raw_item item;
	uint64_t count; /* CONFIG_AUTO: one, named as the group */
	const char *tier;
	struct raw_texts profile;
	struct raw_texts sonic;
	const char *asic;
	const char *asic_namespace;
	const char *pipeline;
	uint64_t ports;
	struct raw_texts port_names;
	uint64_t rate_bps;
	uint64_t mtu_bytes;
	uint64_t latency_ps;
	int cut_through;
	uint64_t cable_mm;
	int trust; /* 0 = dscp, 1 = pcp */
	struct raw_maps maps;
	int pfc_enable;
	struct raw_pfc pfc;
	struct raw_watchdog *watchdog; /* NULL = none */
	uint64_t cell_bytes;
	uint64_t partitions;
	uint64_t buffer_bytes; /* CONFIG_AUTO: not known */
	int size_includes_xoff;
	struct raw_array pools;
	struct raw_array profiles;
	struct raw_array headroom;
	struct raw_headroom_model headroom_model;
	struct raw_array pgs;
	struct raw_array queues;
	struct raw_array wred;
	struct raw_array schedulers;
	struct raw_array port_settings;
	struct raw_forwarding forwarding;
	struct raw_balancer balancer;
	uint32_t first; /* index of its first switch in the scenario */
};

struct raw_congestion {
	struct raw_item item;
	int preset; /* enum raw_preset */
	uint64_t rate_bps;
	uint64_t alpha_timer_ps;
	uint64_t g_q32;
	uint64_t initial_alpha_q32;
	uint64_t cut_period_ps;
	uint64_t increase_timer_ps;
	uint64_t byte_counter_bytes;
	uint64_t threshold;
	uint64_t ai_rate_bps;
	uint64_t hai_rate_bps;
	uint64_t min_rate_bps;
	uint64_t max_rate_bps;
	uint64_t gd;
	uint64_t min_decrease_q32;
	int clamp_target;
	int clamp_target_after_timer;
	uint64_t first_rate_bps;
};

struct raw_entropy {
	struct raw_item item;
	int kind; /* 0 = flow, 1 = packet */
	uint64_t ports;
};

struct raw_receiver {
	struct raw_item item;
	int ordering;   /* enum receiver_ordering */
	int on_reorder; /* index of the word */
	uint64_t window;
	uint64_t nak_distance;
};

enum raw_preset { RAW_DCQCN, RAW_CONNECTX, RAW_PAPER, RAW_NO_CONTROL };

struct raw_host {
	struct raw_item item;
	uint64_t count; /* CONFIG_AUTO: one, named as the group */
	uint64_t nics;  /* CONFIG_AUTO: one, which has no number */
	uint64_t nic_bps;
	uint64_t mtu_bytes;
	uint64_t dscp;
	uint64_t cnp_dscp;
	uint64_t ack_dscp;
	struct raw_map dscp_to_priority;
	uint64_t vlan;
	uint64_t ttl;
	int ip; /* 0 = ipv4, 1 = ipv6 */
	int remote;
	const char *mac;     /* of the first of the group; NULL: assigned */
	const char *address; /* the same */
	int ecn_capable;
	struct raw_congestion congestion;
	uint64_t cnp_interval_ps;
	int cnp_scope;
	int pfc_enable;
	struct raw_pfc pfc;
	uint64_t ack_every;
	uint64_t ack_coalesce;
	uint64_t timeout;
	uint64_t retry;
	uint64_t window_bytes;
	uint64_t max_read;
	struct raw_receiver receiver;
	struct raw_entropy entropy;
	uint64_t drain_rate_bps;
	uint64_t rx_buffer_bytes;
	uint64_t rx_xoff_bytes;
	uint64_t rx_xon_bytes;
	struct raw_hold *hold;
	uint32_t first; /* index of its first host in the scenario */
};

struct raw_link {
	struct raw_item item;
	struct raw_texts from;
	struct raw_texts to;
	uint64_t delay_ps;
	uint64_t length_mm;
	int over; /* 0 = memory, 1 = net_ring */
};

struct raw_ethdev {
	struct raw_item item;
	struct raw_texts port;
	const char *vdev;
	const char *pci;
	uint64_t mtu_bytes; /* CONFIG_AUTO: as the port's frames need, if the device can */
	uint64_t delay_ps;
	int promiscuous;
};

struct raw_storm {
	struct raw_item item;
	int frames; /* 0 = PFC, 1 = 802.3x PAUSE */
	int priorities;
	uint64_t quanta;
	uint64_t interval_ps;
	const char *source_mac; /* NULL: the port's */
};

struct raw_impairment {
	struct raw_item item;
	struct raw_texts port;
	int direction; /* 0 = both, 1 = rx, 2 = tx */
	uint64_t from_ps;
	uint64_t until_ps; /* 0 = the end */
	uint64_t loss_q32;
	uint64_t loss_burst;
	uint64_t loss_every;
	uint64_t duplicate_q32;
	uint64_t delay_ps;
	uint64_t jitter_ps;
	uint64_t reorder_q32;
	uint64_t reorder_delay_ps;
	uint64_t bit_error_q32;
	uint64_t mark_q32;
	uint64_t mark_every;
	int mac_control;
	int stall;
	struct raw_storm *pause; /* NULL: none */
};

struct raw_failure {
	struct raw_item item;
	struct raw_texts link;
	uint64_t at_ps;
	uint64_t until_ps; /* 0 = the end */
	int down;
	uint64_t rate_bps; /* 0 = as it was */
	uint64_t delay_ps;
	uint64_t loss_q32;
};

struct raw_routing {
	struct raw_item item;
	uint64_t failover_ps;
	uint64_t reroute_ps;
};

struct raw_eal {
	struct raw_item item;
	const char *cores;
	uint64_t memory_bytes; /* CONFIG_AUTO: worked out */
	int hugepages;
	int telemetry;
	const char *file_prefix;
};

struct raw_cdf {
	struct raw_item item;
	const char *name;
	struct raw_point *points;
	uint32_t point_count;
};

struct raw_pair {
	struct raw_item item;
	struct raw_texts from;
	struct raw_texts to;
};

/* One struct for all kinds; each kind has the fields that mean something to it. */
struct raw_workload {
	struct raw_item item;
	int kind; /* enum scenario_workload_kind */
	const char *name;
	struct raw_texts from;
	struct raw_texts to;
	struct raw_array pairs;
	struct raw_texts permutation;
	int verb; /* enum verb */
	uint64_t dscp;
	uint64_t qps;
	uint64_t outstanding;
	uint64_t at_ps;
	uint64_t until_ps;
	uint64_t bytes;
	uint64_t rounds;
	uint64_t period_ps;
	uint64_t jitter_ps;
	uint64_t count;
	struct raw_cdf cdf;
	uint64_t load_q32;
	uint64_t frame_bytes;
	uint64_t rate_bps;
	int poisson;
	int ecn_capable;
	int spread;
};

/* An entry of the list `workload`: a map with one of these keys. */
struct raw_workload_entry {
	struct raw_item item;
	struct raw_workload *incast;
	struct raw_workload *elephants;
	struct raw_workload *poisson;
	struct raw_workload *udp;
};

struct raw_expect {
	struct raw_item item;
	const char *text; /* "< 2000" */
};

struct raw_topology; /* config_topology.h */

struct raw_results {
	struct raw_item item;
	int detail; /* enum scenario_detail */
};

struct raw_run {
	struct raw_item item;
	struct raw_topology *topology; /* NULL once it stands in switches, hosts and links */
	int time;                      /* 0 = virtual, 1 = real */
	uint64_t duration_ps;
	uint64_t seed;
	int payload; /* 0 = elided, 1 = full */
	uint64_t sample_interval_ps;
	struct raw_results results;
	uint64_t mbufs;
	uint64_t lcores; /* CONFIG_AUTO */
	uint64_t report_interval_ps;
	struct raw_eal eal;
	struct raw_array ethdevs;
	struct raw_array switches;
	struct raw_array hosts;
	struct raw_array links;
	struct raw_array impairments;
	struct raw_array failures;
	struct raw_routing routing;
	struct raw_array workload;
	struct raw_array expect;
};

#endif
