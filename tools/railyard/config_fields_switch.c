/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a switch. Names are SONiC's where SONiC has one. */
#include "mmu.h"
#include "node.h"
#include "scheduler.h"
#include "switch.h"
#include "wred.h"

#include "config_table.h"

static const char *const trusts[] = {"dscp", "pcp", NULL};
static const char *const modes[] = {"l2", "l3", NULL};
static const char *const pool_types[] = {"ingress", "egress", "both", NULL};
static const char *const pool_modes[] = {"dynamic", "static", NULL};
static const char *const ecns[] = {"none", "all", NULL};
static const char *const mark_places[] = {"dequeue", "enqueue", NULL};
static const char *const drops[] = {"curve", "none", NULL};
static const char *const headroom_words[] = {"computed", NULL};
static const char *const scheduler_types[] = {"dwrr", "strict", "wrr", NULL};

static const struct config_field static_fields[] = {
	TEXT(struct raw_static, mac, "mac", NULL, "address, 02:00:00:00:00:01",
	     .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_static, vlan, "vlan", COUNT, "0", "VLAN ID, 0 = untagged", .max = 4094),
	NUMBER(struct raw_static, port, "port", COUNT, NULL, "port it is behind",
	       .flags = CONFIG_REQUIRED, .max = SWITCH_MAX_PORTS - 1),
	END,
};

static const struct config_object static_object = {
	.name = "static",
	.help = "A static forwarding entry: never moved, never aged.",
	.size = sizeof(struct raw_static),
	.fields = static_fields,
};

static const struct config_field route_fields[] = {
	TEXT(struct raw_route, prefix, "prefix", NULL, "IPv4 or IPv6 prefix, 10.1.0.0/16",
	     .flags = CONFIG_REQUIRED),
	RANGE(struct raw_route, ports, "ports", SWITCH_MAX_PORTS,
	      "member ports; more than one is an ECMP group", .flags = CONFIG_REQUIRED),
	TEXTS(struct raw_route, macs, "macs",
	      "next hop's address behind each member; left out: the address of what is linked to "
	      "the port"),
	END,
};

static const struct config_object route_object = {
	.name = "route",
	.help = "A layer 3 route; the longest prefix wins.",
	.size = sizeof(struct raw_route),
	.fields = route_fields,
};

static const struct config_field forwarding_fields[] = {
	CHOICE(struct raw_forwarding, mode, "mode", modes, "l2",
	       "bridge by MAC address, or route by IP address"),
	FLAG(struct raw_forwarding, learn, "learn", "no",
	     "learn where hosts are from their frames; otherwise attached hosts are entered as "
	     "static entries and routes"),
	NUMBER(struct raw_forwarding, table_size, "table_size", COUNT, "4096",
	       "entries of the MAC table", .min = 1, .max = 1 << 20),
	NUMBER(struct raw_forwarding, aging_ps, "aging", TIME, "0",
	       "a learned entry is forgotten after this silence; 0 = never"),
	OBJECTS(struct raw_forwarding, statics, "static", &static_object, "static MAC entries"),
	OBJECTS(struct raw_forwarding, routes, "routes", &route_object, "layer 3 routes"),
	END,
};

static const struct config_object forwarding_object = {
	.name = "forwarding",
	.help = "Where frames go.",
	.size = sizeof(struct raw_forwarding),
	.fields = forwarding_fields,
};

static const struct config_field maps_fields[] = {
	TABLE(struct raw_maps, dscp_to_tc, "dscp_to_tc", 64, SWITCH_TCS,
	      "DSCP to traffic class; not listed: TC 0; no map: DSCP / 8"),
	TABLE(struct raw_maps, pcp_to_tc, "pcp_to_tc", 8, SWITCH_TCS,
	      "802.1p priority to traffic class; not listed: TC 0; no map: itself"),
	TABLE(struct raw_maps, tc_to_pg, "tc_to_pg", SWITCH_TCS, 8,
	      "traffic class to ingress priority group; not listed: PG 0; no map: itself, 8 to "
	      "15 to PG 0"),
	TABLE(struct raw_maps, tc_to_queue, "tc_to_queue", SWITCH_TCS, 8,
	      "traffic class to egress queue; not listed: queue 0; no map: itself, 8 to 15 to "
	      "queue 0"),
	TABLE(struct raw_maps, pfc_to_queue, "pfc_to_queue", 8, 8,
	      "queue that a received pause of this priority stops; not listed: itself"),
	TABLE(struct raw_maps, pg_to_pfc, "pg_to_pfc", 8, 8,
	      "priority that a PG in XOFF pauses; not listed: itself"),
	END,
};

static const struct config_object maps_object = {
	.name = "maps",
	.help = "How a frame is classified. Keys are numbers or ranges: `{26: 3, \"0-7\": 1}`; a "
		"single number beats a range.",
	.size = sizeof(struct raw_maps),
	.fields = maps_fields,
};

static const struct config_field pfc_fields[] = {
	NUMBER(struct raw_pfc, quanta, "quanta", COUNT, "65535",
	       "pause time in our XOFF frames, in 512 bit times", .min = 1, .max = 65535),
	NUMBER(struct raw_pfc, refresh_ps, "refresh", TIME, "auto",
	       "XOFF is repeated this often; auto = half the pause time at the port's rate",
	       .flags = CONFIG_MAY_BE_AUTO | CONFIG_POSITIVE),
	NUMBER(struct raw_pfc, response_ps, "response", TIME, "auto",
	       "from a pause frame's arrival to the transmitter's stop; auto = the most that "
	       "802.3 31B.3.7 allows at the port's rate",
	       .flags = CONFIG_MAY_BE_AUTO),
	END,
};

const struct config_object config_pfc_object = {
	.name = "pfc",
	.help = "Priority flow control of a port.",
	.size = sizeof(struct raw_pfc),
	.fields = pfc_fields,
};

#define THRESHOLDS(S)                                                         \
	SIGNED(S, dynamic_th, "dynamic_th",                                   \
	       "shared limit of a dynamic pool: 2^n x the pool's free bytes", \
	       .flags = CONFIG_MAY_BE_UNSET, .min = -8, .max = 7),            \
		NUMBER(S, static_th_bytes, "static_th", SIZE, NULL,           \
		       "shared limit of a static pool", .flags = CONFIG_MAY_BE_UNSET)

static const struct config_field headroom_fields[] = {
	NUMBER(struct raw_headroom, speed_bps, "speed", RATE, NULL, "port rate of this row",
	       .flags = CONFIG_REQUIRED, .min = LEAST_PORT_RATE_BPS),
	NUMBER(struct raw_headroom, cable_mm, "cable", LENGTH, NULL, "cable length of this row",
	       .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_headroom, size_bytes, "size", SIZE, NULL, "guaranteed to the PG",
	       .flags = CONFIG_MAY_BE_UNSET),
	NUMBER(struct raw_headroom, xoff_bytes, "xoff", SIZE, NULL,
	       "headroom: what the PG may take after XOFF",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE),
	NUMBER(struct raw_headroom, xon_bytes, "xon", SIZE, NULL,
	       "resume when shared use is at or below this; 0 if left out beside size and xoff",
	       .flags = CONFIG_MAY_BE_UNSET),
	NUMBER(struct raw_headroom, xon_offset_bytes, "xon_offset", SIZE, "0",
	       "resume when shared use is this far below the limit"),
	THRESHOLDS(struct raw_headroom),
	TEXT(struct raw_headroom, pool, "pool", NULL,
	     "pool of the profile; left out: that of headroom_model", .max = MMU_NAME_BYTES),
	END,
};

static const struct config_object headroom_object = {
	.name = "headroom",
	.help = "A row of the headroom table (SONiC's pg_profile_lookup). For the rate and cable "
		"of a port it makes the profile pg_lossless_<speed>_<cable>_profile and binds "
		"it to the PGs of the priorities of pfc_enable that have no lossless profile. A "
		"row of speed and cable alone is computed, see headroom_model.",
	.size = sizeof(struct raw_headroom),
	.fields = headroom_fields,
};

static const struct config_field headroom_model_fields[] = {
	NUMBER(struct raw_headroom_model, lossless_mtu_bytes, "lossless_mtu", SIZE, "1024",
	       "largest lossless packet", .min = 64, .max = 16384),
	NUMBER(struct raw_headroom_model, small_packets_q32, "small_packets", PERCENT, "50%",
	       "of all packets that are 64 bytes and fill cells badly", .max = CONFIG_ONE_Q32),
	NUMBER(struct raw_headroom_model, peer_response_bytes, "peer_response", SIZE, "auto",
	       "what a peer sends until it obeys; auto = the most that 802.3 31B.3.7 allows at "
	       "the row's speed",
	       .flags = CONFIG_MAY_BE_AUTO, .max = 1 << 30),
	NUMBER(struct raw_headroom_model, pipeline_latency_bytes, "pipeline_latency", SIZE, "19KiB",
	       "what is in the switch's pipeline: xon, twice that for 8 lanes", .max = 1 << 30),
	NUMBER(struct raw_headroom_model, lanes, "lanes", COUNT, "4", "lanes of a port", .min = 1,
	       .max = 16),
	FLAG(struct raw_headroom_model, tile, "tile", "no",
	     "add 120 ns at the row's speed, as for Spectrum-4 and -5"),
	SIGNED(struct raw_headroom_model, dynamic_th, "dynamic_th",
	       "of computed rows without a threshold", .fallback = "0", .min = -8, .max = 7),
	TEXT(struct raw_headroom_model, pool, "pool", "ingress_lossless_pool",
	     "of rows that name none", .max = MMU_NAME_BYTES),
	END,
};

static const struct config_object headroom_model_object = {
	.name = "headroom_model",
	.help = "How SONiC computes headroom (dynamic headroom calculation of NVIDIA Spectrum, as "
		"of 2024). xoff is lossless_mtu, and mtu + both ways of the cable + 0.8 KiB of MAC "
		"and PHY + peer_response + tile in cells that small packets fill badly; xon is "
		"pipeline_latency; each rounded up to KiB. size is what SONiC guarantees without "
		"xoff, which it counts in size when there is no shared headroom pool: xon, and the "
		"mtu for 8 lanes without such a pool. The mtu is the largest among ports of the "
		"row's speed and cable.",
	.size = sizeof(struct raw_headroom_model),
	.fields = headroom_model_fields,
};

static const struct config_field pool_fields[] = {
	CHOICE(struct raw_pool, type, "type", pool_types, NULL,
	       "which side counts in it; both: PGs and queues, each by its own count",
	       .flags = CONFIG_REQUIRED),
	CHOICE(struct raw_pool, mode, "mode", pool_modes, "dynamic",
	       "its profiles use dynamic_th or static_th"),
	NUMBER(struct raw_pool, size_bytes, "size", SIZE, NULL, "all of the pool",
	       .flags = CONFIG_REQUIRED, .max = 1ULL << 36),
	NUMBER(struct raw_pool, xoff_bytes, "xoff", SIZE, "0",
	       "shared headroom pool; 0 = each PG's headroom is its own", .max = 1ULL << 36),
	END,
};

static const struct config_object pool_object = {
	.name = "pool",
	.help = "A buffer pool (BUFFER_POOL).",
	.size = sizeof(struct raw_pool),
	.fields = pool_fields,
	.name_bytes = MMU_NAME_BYTES,
};

static const struct config_field profile_fields[] = {
	TEXT(struct raw_profile, pool, "pool", NULL, "name of the pool", .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_profile, size_bytes, "size", SIZE, "0",
	       "guaranteed to each PG or queue that uses the profile"),
	THRESHOLDS(struct raw_profile),
	NUMBER(struct raw_profile, xoff_bytes, "xoff", SIZE, NULL,
	       "headroom after XOFF; makes an ingress profile lossless",
	       .flags = CONFIG_MAY_BE_UNSET),
	NUMBER(struct raw_profile, xon_bytes, "xon", SIZE, "0",
	       "resume when shared use is at or below this"),
	NUMBER(struct raw_profile, xon_offset_bytes, "xon_offset", SIZE, "0",
	       "resume when shared use is this far below the limit"),
	END,
};

static const struct config_object profile_object = {
	.name = "buffer_profile",
	.help = "Limits of a priority group or queue (BUFFER_PROFILE).",
	.size = sizeof(struct raw_profile),
	.fields = profile_fields,
	.name_bytes = MMU_NAME_BYTES,
};

static const struct config_field pg_fields[] = {
	RANGE(struct raw_pg, ports, "ports", SWITCH_MAX_PORTS, "ports it applies to",
	      .fallback = "all"),
	RANGE(struct raw_pg, pgs, "pgs", MMU_CLASSES, "priority groups", .flags = CONFIG_REQUIRED),
	TEXT(struct raw_pg, profile, "profile", NULL, "name of the buffer profile",
	     .flags = CONFIG_REQUIRED),
	END,
};

static const struct config_object pg_object = {
	.name = "pg",
	.help = "Buffer profile of ingress priority groups (BUFFER_PG). Later entries win.",
	.size = sizeof(struct raw_pg),
	.fields = pg_fields,
};

static const struct config_field queue_fields[] = {
	RANGE(struct raw_queue, ports, "ports", SWITCH_MAX_PORTS, "ports it applies to",
	      .fallback = "all"),
	RANGE(struct raw_queue, queues, "queues", SWITCH_QUEUES, "queues",
	      .flags = CONFIG_REQUIRED),
	TEXT(struct raw_queue, profile, "profile", NULL, "name of the buffer profile"),
	TEXT(struct raw_queue, scheduler, "scheduler", NULL,
	     "name of the scheduler; none: DWRR with weight 1"),
	TEXT(struct raw_queue, wred, "wred", NULL, "name of the WRED profile; none: no marks"),
	END,
};

static const struct config_object queue_object = {
	.name = "queue",
	.help = "What egress queues use (BUFFER_QUEUE and QUEUE). Later entries win, key by key.",
	.size = sizeof(struct raw_queue),
	.fields = queue_fields,
};

static const struct config_field drop_fields[] = {
	CHOICE(struct raw_wred_drop, mode, "mode", drops, "curve",
	       "a curve of its own, or never drop early"),
	NUMBER(struct raw_wred_drop, min_bytes, "min", SIZE, "0", "no drop below"),
	NUMBER(struct raw_wred_drop, max_bytes, "max", SIZE, "0", "always at or above"),
	NUMBER(struct raw_wred_drop, probability_q32, "probability", PERCENT, "100%",
	       "just below max", .max = CONFIG_ONE_Q32),
	END,
};

static const struct config_object drop_object = {
	.name = "drop",
	.help = "When packets that are not ECN capable are dropped early. `drop: none` = never.",
	.shorthand = "mode",
	.size = sizeof(struct raw_wred_drop),
	.fields = drop_fields,
};

static const struct config_field wred_fields[] = {
	NUMBER(struct raw_wred, min_bytes, "min", SIZE, NULL,
	       "Kmin: no mark or drop below this queue depth", .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_wred, max_bytes, "max", SIZE, NULL,
	       "Kmax: always at or above this queue depth",
	       .flags = CONFIG_REQUIRED | CONFIG_POSITIVE),
	NUMBER(struct raw_wred, probability_q32, "probability", PERCENT, "100%",
	       "Pmax: just below max; linear in between", .max = CONFIG_ONE_Q32),
	CHOICE(struct raw_wred, ecn, "ecn", ecns, NULL,
	       "mark ECN-capable packets, or drop early only what is not",
	       .flags = CONFIG_REQUIRED),
	CHOICE(struct raw_wred, mark_at, "mark_at", mark_places, "dequeue",
	       "when the queue's depth is looked at"),
	NUMBER(struct raw_wred, weight, "weight", COUNT, "0",
	       "depth is averaged with weight 2^-n; 0 = instantaneous", .max = 15),
	OPTIONAL(struct raw_wred, drop, struct raw_wred_drop, "drop", &drop_object,
		 "early drop of packets that are not ECN capable; left out: the same curve"),
	END,
};

static const struct config_object wred_object = {
	.name = "wred",
	.help = "ECN marking and early drop by queue depth (WRED_PROFILE).",
	.size = sizeof(struct raw_wred),
	.fields = wred_fields,
	.name_bytes = WRED_NAME_BYTES,
};

static const struct config_field scheduler_fields[] = {
	CHOICE(struct raw_scheduler, type, "type", scheduler_types, "dwrr",
	       "deficit round robin by bytes, or by packets (wrr), or strict: before all that is "
	       "not"),
	NUMBER(struct raw_scheduler, weight, "weight", COUNT, "1",
	       "share among DWRR and WRR queues", .min = 1, .max = 100),
	NUMBER(struct raw_scheduler, pir_bps, "pir", RATE, "0",
	       "shaper: peak rate of the queue; 0 = none", .flags = CONFIG_OR_ZERO,
	       .min = LEAST_RATE_BPS),
	NUMBER(struct raw_scheduler, pbs_bytes, "pbs", SIZE, "8KiB", "shaper: burst",
	       .flags = CONFIG_POSITIVE, .max = 2 << 20),
	END,
};

static const struct config_object scheduler_object = {
	.name = "scheduler",
	.help = "How a queue is served (SCHEDULER).",
	.size = sizeof(struct raw_scheduler),
	.fields = scheduler_fields,
	.name_bytes = SCHEDULER_NAME_BYTES,
};

static const struct config_field shaper_fields[] = {
	NUMBER(struct raw_shaper, rate_bps, "rate", RATE, NULL, "peak rate; 0 = none",
	       .flags = CONFIG_REQUIRED | CONFIG_OR_ZERO, .min = LEAST_RATE_BPS),
	NUMBER(struct raw_shaper, burst_bytes, "burst", SIZE, "8KiB", "burst",
	       .flags = CONFIG_POSITIVE, .max = 2 << 20),
	END,
};

static const struct config_object shaper_object = {
	.name = "shaper",
	.help = "Token bucket of a whole port.",
	.size = sizeof(struct raw_shaper),
	.fields = shaper_fields,
};

static const struct config_field hold_fields[] = {
	NUMBER(struct raw_hold, from_ps, "from", TIME, "0", "stops"),
	NUMBER(struct raw_hold, until_ps, "until", TIME, NULL, "goes on", .flags = CONFIG_REQUIRED),
	END,
};

const struct config_object config_hold_object = {
	.name = "hold",
	.help = "An interval in which the port transmits no data (PFC frames are sent).",
	.size = sizeof(struct raw_hold),
	.fields = hold_fields,
};

static const struct config_field port_fields[] = {
	RANGE(struct raw_port, ports, "ports", SWITCH_MAX_PORTS, "ports it applies to",
	      .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_port, rate_bps, "rate", RATE, NULL, "instead of the switch's",
	       .flags = CONFIG_MAY_BE_UNSET, .min = LEAST_PORT_RATE_BPS),
	NUMBER(struct raw_port, mtu_bytes, "mtu", SIZE, NULL, "instead of the switch's",
	       .flags = CONFIG_MAY_BE_UNSET, .min = 64, .max = 16384),
	NUMBER(struct raw_port, cable_mm, "cable", LENGTH, NULL, "instead of the switch's",
	       .flags = CONFIG_MAY_BE_UNSET),
	PRIORITIES(struct raw_port, pfc_enable, "pfc_enable", NULL, "instead of the switch's",
		   .flags = CONFIG_MAY_BE_UNSET),
	OPTIONAL(struct raw_port, pfc, struct raw_pfc, "pfc", &config_pfc_object,
		 "instead of the switch's"),
	OPTIONAL(struct raw_port, watchdog, struct raw_watchdog, "pfc_watchdog",
		 &config_port_watchdog_object, "instead of the switch's"),
	TEXTS(struct raw_port, ingress_profiles, "ingress_profiles",
	      "limits of the whole port: for a pool, the profile that bounds what all its PGs hold "
	      "there (BUFFER_PORT_INGRESS_PROFILE_LIST)"),
	TEXTS(struct raw_port, egress_profiles, "egress_profiles",
	      "the same for its queues (BUFFER_PORT_EGRESS_PROFILE_LIST)"),
	OPTIONAL(
		struct raw_port, maps, struct raw_maps, "maps", &maps_object,
		"of frames that come in by the port, and of queues they leave by; each map that is "
		"given, instead of the switch's"),
	OPTIONAL(struct raw_port, shaper, struct raw_shaper, "shaper", &shaper_object,
		 "shaper of the whole port"),
	OPTIONAL(struct raw_port, hold, struct raw_hold, "hold", &config_hold_object,
		 "a stopped egress"),
	END,
};

static const struct config_object port_object = {
	.name = "port_settings",
	.help = "What differs from port to port. Later entries win, key by key.",
	.size = sizeof(struct raw_port),
	.fields = port_fields,
};

static const struct config_field switch_fields[] = {
	NUMBER(struct raw_switch, count, "count", COUNT, NULL,
	       "switches of this kind, named name0, name1, ...; left out: one, named as here",
	       .flags = CONFIG_MAY_BE_UNSET, .min = 1, .max = 16384),
	TEXT(struct raw_switch, tier, "tier", NULL,
	     "what results call switches of one kind together; left out: the name",
	     .max = NODE_NAME_BYTES),
	TEXTS(struct raw_switch, profile, "profile",
	      "name of a file in configs/profiles, or a path; its keys are defaults for these, "
	      "maps "
	      "key by key; of a list the first that has a key counts: [guides/arista-leaf, "
	      "tomahawk-7060cx]",
	      .flags = CONFIG_NOT_DUMPED),
	TEXTS(struct raw_switch, sonic, "sonic",
	      "files of a SONiC switch (CONFIG_DB as JSON, pg_profile_lookup.ini), from this "
	      "file's "
	      "directory: what they say are defaults for the keys below",
	      .flags = CONFIG_NOT_DUMPED),
	TEXT(struct raw_switch, asic, "asic", NULL,
	     "facts of the ASIC: name of a file in configs/profiles/asics; left out beside sonic: "
	     "by "
	     "the platform's name in the files",
	     .flags = CONFIG_NOT_DUMPED),
	TEXT(struct raw_switch, asic_namespace, "asic_namespace", NULL,
	     "of SONiC files about several ASICs, the one: 0, asic0 or host|asic0",
	     .flags = CONFIG_NOT_DUMPED),
	TEXT(struct raw_switch, pipeline, "pipeline", "shared-buffer",
	     "shared-buffer, or ideal: queues without limit, no marks, no pauses",
	     .max = NODE_NAME_BYTES),
	NUMBER(struct raw_switch, ports, "ports", COUNT, "32", "number of ports", .min = 1,
	       .max = SWITCH_MAX_PORTS),
	TEXTS(struct raw_switch, port_names, "port_names",
	      "names of the ports, in their order; links can say tor[Ethernet4]"),
	NUMBER(struct raw_switch, rate_bps, "rate", RATE, "100Gbps", "of each port",
	       .min = LEAST_PORT_RATE_BPS),
	NUMBER(struct raw_switch, mtu_bytes, "mtu", SIZE, "9216",
	       "largest frame in bytes, FCS counted", .min = 64, .max = 16384),
	NUMBER(struct raw_switch, latency_ps, "latency", TIME, "0",
	       "fixed, from a frame's arrival to its place in a queue"),
	FLAG(struct raw_switch, cut_through, "cut_through", "no",
	     "act on a frame once its headers are in, not when it is whole"),
	NUMBER(struct raw_switch, cable_mm, "cable", LENGTH, NULL,
	       "length of the ports' cables: picks the row of `headroom`; none: no row is used",
	       .flags = CONFIG_MAY_BE_UNSET),
	CHOICE(struct raw_switch, trust, "trust", trusts, "dscp",
	       "what classifies a frame; pcp: tagged frames by PCP, others by DSCP"),
	OBJECT(struct raw_switch, maps, struct raw_maps, "maps", &maps_object,
	       "how a frame is classified"),
	PRIORITIES(struct raw_switch, pfc_enable, "pfc_enable", "[]",
		   "priorities that send and obey PFC"),
	OBJECT(struct raw_switch, pfc, struct raw_pfc, "pfc", &config_pfc_object, "PFC timing"),
	OPTIONAL(struct raw_switch, watchdog, struct raw_watchdog, "pfc_watchdog",
		 &config_watchdog_object, "PFC storm watchdog of all ports; left out: none"),
	NUMBER(struct raw_switch, cell_bytes, "cell", SIZE, "256", "buffer cell", .min = 32,
	       .max = 65536),
	NUMBER(struct raw_switch, partitions, "partitions", COUNT, "1",
	       "parts a pool is split into evenly; a port uses one of them", .min = 1,
	       .max = MMU_MAX_PARTITIONS),
	NUMBER(struct raw_switch, buffer_bytes, "buffer", SIZE, NULL,
	       "packet memory of the ASIC, which `railyard check` holds pools and guarantees "
	       "against; left out: not known",
	       .min = 1, .max = 1ULL << 40),
	FLAG(struct raw_switch, size_includes_xoff, "size_includes_xoff", "no",
	     "a pool's size counts its shared headroom pool"),
	NAMED(struct raw_switch, pools, "pools", &pool_object, "buffer pools"),
	NAMED(struct raw_switch, profiles, "buffer_profiles", &profile_object,
	      "limits of PGs and queues"),
	OBJECTS(struct raw_switch, headroom, "headroom", &headroom_object,
		"headroom by rate and cable; computed: a computed row for each that the ports have",
		.choices = headroom_words),
	OBJECT(struct raw_switch, headroom_model, struct raw_headroom_model, "headroom_model",
	       &headroom_model_object, "what headroom is computed from"),
	OBJECTS(struct raw_switch, pgs, "pgs", &pg_object, "profiles of priority groups"),
	OBJECTS(struct raw_switch, queues, "queues", &queue_object,
		"profile, scheduler and WRED of queues"),
	NAMED(struct raw_switch, wred, "wred", &wred_object, "ECN and WRED profiles"),
	NAMED(struct raw_switch, schedulers, "schedulers", &scheduler_object, "schedulers"),
	OBJECTS(struct raw_switch, port_settings, "port_settings", &port_object,
		"what differs from port to port"),
	OBJECT(struct raw_switch, forwarding, struct raw_forwarding, "forwarding",
	       &forwarding_object, "where frames go"),
	OBJECT(struct raw_switch, balancer, struct raw_balancer, "balancer",
	       &config_balancer_object, "which of several equally short paths a packet takes"),
	END,
};

const struct config_object config_switch_object = {
	.name = "switch",
	.help = "A switch, or a group of like ones. A profile has the same keys.",
	.size = sizeof(struct raw_switch),
	.fields = switch_fields,
	.name_bytes = NODE_NAME_BYTES,
};
