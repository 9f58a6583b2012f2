/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of all but the switch. */
#include "host.h"
#include "scenario.h"

#include "config_table.h"

static const char *const times[] = {"virtual", "real", NULL};
static const char *const payloads[] = {"elided", "full", NULL};
static const char *const overs[] = {"memory", "net_ring", NULL};
static const char *const details[] = {"auto", "full", "aggregate", NULL};
static const char *const ips[] = {"ipv4", "ipv6", NULL};
static const char *const presets[] = {"dcqcn", "connectx", "paper", "none", NULL};
static const char *const scopes[] = {"per_qp", "per_ip", "per_port", NULL};
static const char *const verbs[] = {"send", "send_imm", "write", "write_imm", "read", NULL};

#define OVERRIDE .flags = CONFIG_MAY_BE_UNSET

static const struct config_field congestion_fields[] = {
	CHOICE(struct raw_congestion, preset, "preset", presets, "dcqcn",
	       "connectx: the NIC form of DCQCN with firmware defaults; dcqcn: the same; paper: "
	       "the "
	       "classic form as published; none: a fixed rate"),
	NUMBER(struct raw_congestion, rate_bps, "rate", RATE, "0",
	       "preset none: rate of each queue pair; 0 = line rate", .flags = CONFIG_OR_ZERO,
	       .min = LEAST_RATE_BPS),
	NUMBER(struct raw_congestion, alpha_timer_ps, "alpha_timer", TIME, NULL,
	       "alpha decays this often (DCE_TCP_RTT)",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE),
	NUMBER(struct raw_congestion, g_q32, "g", SHARE, NULL,
	       "weight of a new sample in alpha (DCE_TCP_G)", OVERRIDE, .max = CONFIG_ONE_Q32),
	NUMBER(struct raw_congestion, initial_alpha_q32, "initial_alpha", SHARE, NULL,
	       "alpha at the first CNP (INITIAL_ALPHA_VALUE)", OVERRIDE, .max = CONFIG_ONE_Q32),
	NUMBER(struct raw_congestion, cut_period_ps, "cut_period", TIME, NULL,
	       "at most one cut in this time (RATE_REDUCE_MONITOR_PERIOD)", OVERRIDE),
	NUMBER(struct raw_congestion, increase_timer_ps, "increase_timer", TIME, NULL,
	       "T: an increase this often (RPG_TIME_RESET)",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_POSITIVE),
	NUMBER(struct raw_congestion, byte_counter_bytes, "byte_counter", SIZE, NULL,
	       "B: an increase every so many bytes; 0 = none (RPG_BYTE_RESET)", OVERRIDE),
	NUMBER(struct raw_congestion, threshold, "threshold", COUNT, NULL,
	       "F: stages of fast recovery (RPG_THRESHOLD)", OVERRIDE, .min = 1, .max = 31),
	NUMBER(struct raw_congestion, ai_rate_bps, "ai_rate", RATE, NULL,
	       "R_AI: additive increase (RPG_AI_RATE)", OVERRIDE),
	NUMBER(struct raw_congestion, hai_rate_bps, "hai_rate", RATE, NULL,
	       "R_HAI: hyper increase (RPG_HAI_RATE)", OVERRIDE),
	NUMBER(struct raw_congestion, min_rate_bps, "min_rate", RATE, NULL,
	       "never slower (RPG_MIN_RATE)", OVERRIDE, .min = LEAST_RATE_BPS),
	NUMBER(struct raw_congestion, max_rate_bps, "max_rate", RATE, NULL,
	       "never faster; 0 = line rate (RPG_MAX_RATE)",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_OR_ZERO, .min = LEAST_RATE_BPS),
	NUMBER(struct raw_congestion, gd, "gd", COUNT, NULL,
	       "a cut takes alpha / 2^(gd - 10) of the rate (RPG_GD)", OVERRIDE, .min = 10,
	       .max = 20),
	NUMBER(struct raw_congestion, min_decrease_q32, "min_decrease", PERCENT, NULL,
	       "a cut leaves at least this much of the rate (RPG_MIN_DEC_FAC)", OVERRIDE,
	       .max = CONFIG_ONE_Q32),
	FLAG(struct raw_congestion, clamp_target, "clamp_target", NULL,
	     "each cut lowers the target rate (CLAMP_TGT_RATE)", OVERRIDE),
	FLAG(struct raw_congestion, clamp_target_after_timer, "clamp_target_after_timer", NULL,
	     "a timer increase makes the next cut do so (CLAMP_TGT_RATE_AFTER_TIME_INC)", OVERRIDE),
	NUMBER(struct raw_congestion, first_rate_bps, "first_rate", RATE, NULL,
	       "rate set at the first CNP; 0 = leave (RATE_TO_SET_ON_FIRST_CNP)",
	       .flags = CONFIG_MAY_BE_UNSET | CONFIG_OR_ZERO, .min = LEAST_RATE_BPS),
	END,
};

static const struct config_object congestion_object = {
	.name = "congestion_control",
	.help = "Reaction of a sender to CNPs. A word alone is the preset: `congestion_control: "
		"paper`. What is left out is the preset's.",
	.shorthand = "preset",
	.size = sizeof(struct raw_congestion),
	.fields = congestion_fields,
};

static const struct config_field host_fields[] = {
	NUMBER(struct raw_host, count, "count", COUNT, NULL,
	       "hosts of this kind, named name0, name1, ...; left out: one, named as here",
	       .flags = CONFIG_MAY_BE_UNSET, .min = 1, .max = 65536),
	NUMBER(struct raw_host, nics, "nics", COUNT, NULL,
	       "servers with so many NICs, each NIC a host of its own: name0-0, name0-1, ..., "
	       "selected as name[server][nic]",
	       .flags = CONFIG_MAY_BE_UNSET, .min = 1, .max = 256),
	NUMBER(struct raw_host, nic_bps, "nic", RATE, "100Gbps", "rate of its port",
	       .min = LEAST_PORT_RATE_BPS),
	NUMBER(struct raw_host, mtu_bytes, "mtu", SIZE, "4096",
	       "path MTU: RoCE payload of a packet; 256, 512, 1024, 2048 or 4096"),
	NUMBER(struct raw_host, dscp, "dscp", COUNT, "26",
	       "of data; its priority in the NIC is DSCP / 8", .max = 63),
	NUMBER(struct raw_host, cnp_dscp, "cnp_dscp", COUNT, "48", "of CNPs", .max = 63),
	NUMBER(struct raw_host, ack_dscp, "ack_dscp", COUNT, "auto",
	       "of acknowledgements; auto = as the data", .flags = CONFIG_MAY_BE_AUTO, .max = 63),
	TABLE(struct raw_host, dscp_to_priority, "dscp_to_priority", 64, 8,
	      "priority of a packet, for PFC and PCP, by its DSCP; not listed: DSCP / 8"),
	NUMBER(struct raw_host, vlan, "vlan", COUNT, "0",
	       "VLAN ID of its frames, PCP = priority; 0 = untagged", .max = 4094),
	NUMBER(struct raw_host, ttl, "ttl", COUNT, "64", "TTL or hop limit", .min = 1, .max = 255),
	CHOICE(struct raw_host, ip, "ip", ips, "ipv4", "RoCEv2 over IPv4 or IPv6"),
	TEXT(struct raw_host, mac, "mac", NULL,
	     "MAC address of the group's first; the next ones count up; left out: assigned, or, of "
	     "remote hosts, asked for by ARP or neighbour discovery",
	     .max = 18),
	TEXT(struct raw_host, address, "address", NULL,
	     "IP address of the group's first; the next ones count up; left out: assigned",
	     .max = 46),
	FLAG(struct raw_host, remote, "remote", "no",
	     "it is a real machine, or lives in another process: its address is known here, and no "
	     "more"),
	FLAG(struct raw_host, ecn_capable, "ecn_capable", "yes", "data is ECT(0)"),
	OBJECT(struct raw_host, congestion, struct raw_congestion, "congestion_control",
	       &congestion_object, "reaction to CNPs"),
	NUMBER(struct raw_host, cnp_interval_ps, "cnp_interval", TIME, "auto",
	       "least time between CNPs; auto = 50us with the preset paper, else 4us",
	       .flags = CONFIG_MAY_BE_AUTO),
	CHOICE(struct raw_host, cnp_scope, "cnp_scope", scopes, "per_qp",
	       "what cnp_interval is kept for"),
	PRIORITIES(struct raw_host, pfc_enable, "pfc_enable", "[3, 4]",
		   "priorities that send and obey PFC"),
	OBJECT(struct raw_host, pfc, struct raw_pfc, "pfc", &config_pfc_object, "PFC timing"),
	NUMBER(struct raw_host, ack_every, "ack_every", COUNT, "16",
	       "request an acknowledgement every n-th packet; 0 = of a message's last only",
	       .max = 1 << 22),
	NUMBER(struct raw_host, ack_coalesce, "ack_coalesce", COUNT, "1",
	       "answer every n-th request, and a message's last at once", .min = 1, .max = 1 << 22),
	NUMBER(struct raw_host, timeout, "timeout", COUNT, "14",
	       "retransmit after 4.096 us x 2^n; 0 = never", .max = 31),
	NUMBER(struct raw_host, retry, "retry", COUNT, "7",
	       "timeouts in a row before the queue pair fails (retry_cnt)", .max = 7),
	NUMBER(struct raw_host, window_bytes, "window", SIZE, "0",
	       "most unacknowledged payload of a queue pair; 0 = no limit"),
	NUMBER(struct raw_host, max_read, "max_read", COUNT, "16",
	       "READs outstanding on a queue pair (max_rd_atomic)", .min = 1, .max = 255),
	OBJECT(struct raw_host, receiver, struct raw_receiver, "receiver", &config_receiver_object,
	       "packets that come out of order"),
	OBJECT(struct raw_host, entropy, struct raw_entropy, "entropy", &config_entropy_object,
	       "UDP source ports, for fabrics that only hash"),
	NUMBER(struct raw_host, drain_rate_bps, "drain_rate", RATE, "0",
	       "slow receiver: rate at which memory takes data; 0 = as it comes",
	       .flags = CONFIG_OR_ZERO, .min = LEAST_RATE_BPS),
	NUMBER(struct raw_host, rx_buffer_bytes, "rx_buffer", SIZE, "1MiB",
	       "slow receiver: receive buffer of the NIC", .flags = CONFIG_POSITIVE),
	NUMBER(struct raw_host, rx_xoff_bytes, "rx_xoff", SIZE, "512KiB",
	       "slow receiver: pauses the switch above this"),
	NUMBER(struct raw_host, rx_xon_bytes, "rx_xon", SIZE, "256KiB",
	       "slow receiver: resumes below this"),
	OPTIONAL(struct raw_host, hold, struct raw_hold, "hold", &config_hold_object,
		 "the NIC transmits no data in an interval"),
	END,
};

const struct config_object config_host_object = {
	.name = "host",
	.help = "A group of like hosts, each with one NIC port.",
	.size = sizeof(struct raw_host),
	.fields = host_fields,
	.name_bytes = NODE_NAME_BYTES - 6,
};

static const struct config_field link_fields[] = {
	TEXTS(struct raw_link, from, "from",
	      "`h[0-16]`: hosts by number, `tor[0-16]`: ports of a switch, `leaf[0-3][16-19]`: "
	      "ports of a group's switches, `gpu[7][3]`: NICs of servers; `[*]` or a name alone: "
	      "all",
	      .flags = CONFIG_REQUIRED),
	TEXTS(struct raw_link, to, "to", "as many as in `from`; they pair up in order",
	      .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_link, delay_ps, "delay", TIME, NULL, "propagation delay",
	       .flags = CONFIG_MAY_BE_UNSET),
	NUMBER(struct raw_link, length_mm, "length", LENGTH, NULL,
	       "instead of `delay`: cable length, 5.05 ns a metre", .flags = CONFIG_MAY_BE_UNSET),
	CHOICE(struct raw_link, over, "over", overs, "memory",
	       "real time: net_ring passes frames through a pair of DPDK ring devices, as between "
	       "two processes"),
	END,
};

static const struct config_object link_object = {
	.name = "link",
	.help = "Cables: the n-th of `from` to the n-th of `to`.",
	.size = sizeof(struct raw_link),
	.fields = link_fields,
};

static const struct config_field cdf_fields[] = {
	TEXT(struct raw_cdf, name, "name", NULL, "name of a file in configs/workloads, or a path",
	     .max = SCENARIO_TEXT_BYTES),
	{.key = "points",
	 .kind = CONFIG_POINTS,
	 .offset = SLOT(struct raw_cdf, points, struct raw_point *),
	 .help = "list of [bytes, percent]: share of messages up to that size; straight lines in "
		 "between"},
	END,
};

const struct config_object config_cdf_object = {
	.name = "cdf",
	.help = "A distribution of message sizes. A word alone is the name.",
	.shorthand = "name",
	.size = sizeof(struct raw_cdf),
	.fields = cdf_fields,
};

#define FROM_TO(S)                                                                                 \
	TEXTS(S, from, "from", "senders: `h[1-16]`, or a list of such", .flags = CONFIG_REQUIRED), \
		TEXTS(S, to, "to", "receivers", .flags = CONFIG_REQUIRED)
#define NAME(DEFAULT)                                                               \
	TEXT(struct raw_workload, name, "name", DEFAULT,                            \
	     "what results call it; left out and taken: with -2, -3, ... after it", \
	     .max = NODE_NAME_BYTES)
#define MESSAGES                                                                                   \
	CHOICE(struct raw_workload, verb, "verb", verbs, "write", "operation"),                    \
		NUMBER(struct raw_workload, dscp, "dscp", COUNT, "auto",                           \
		       "auto = that of the sending host", .flags = CONFIG_MAY_BE_AUTO, .max = 63), \
		NUMBER(struct raw_workload, qps, "qps", COUNT, "1",                                \
		       "queue pairs of each pair of hosts; messages take turns", .min = 1,         \
		       .max = 255)
#define SIZE_OF_MESSAGE                                                        \
	NUMBER(struct raw_workload, bytes, "size", SIZE, NULL, "of a message", \
	       .flags = CONFIG_REQUIRED | CONFIG_POSITIVE, .max = 1ULL << 31, .alias = "bytes")
#define AT NUMBER(struct raw_workload, at_ps, "at", TIME, "0", "start")
#define UNTIL                                                        \
	NUMBER(struct raw_workload, until_ps, "until", TIME, "auto", \
	       "no new message from here on; auto = end of the run", .flags = CONFIG_MAY_BE_AUTO)

static const struct config_field incast_fields[] = {
	NAME("incast"),
	FROM_TO(struct raw_workload),
	SIZE_OF_MESSAGE,
	AT,
	NUMBER(struct raw_workload, rounds, "rounds", COUNT, "1",
	       "bursts; 0 = until the end of the run", .max = UINT32_MAX),
	NUMBER(struct raw_workload, period_ps, "period", TIME, "0",
	       "from burst to burst; 0 = a sender's next follows its last"),
	NUMBER(struct raw_workload, jitter_ps, "jitter", TIME, "0",
	       "each message is late by a random time below this"),
	MESSAGES,
	END,
};

static const struct config_object incast_object = {
	.name = "incast",
	.help = "All of `from` send to each of `to` at once, round by round.",
	.size = sizeof(struct raw_workload),
	.fields = incast_fields,
};

static const struct config_field pair_fields[] = {
	FROM_TO(struct raw_pair),
	END,
};

static const struct config_object pair_object = {
	.name = "pair",
	.help = "The n-th of `from` sends to the n-th of `to`, or all to one.",
	.size = sizeof(struct raw_pair),
	.fields = pair_fields,
};

static const struct config_field elephants_fields[] = {
	NAME("elephants"),
	TEXTS(struct raw_workload, from, "from", "senders; the n-th sends to the n-th of `to`"),
	TEXTS(struct raw_workload, to, "to", "receivers: as many, or one for all"),
	OBJECTS(struct raw_workload, pairs, "pairs", &pair_object,
		"instead of `from` and `to`: several such pairs of lists"),
	TEXTS(struct raw_workload, permutation, "permutation",
	      "instead of both: each of these hosts sends to another one, drawn with the seed"),
	SIZE_OF_MESSAGE,
	NUMBER(struct raw_workload, count, "count", COUNT, "1",
	       "messages of each pair, one after another; 0 = until the end of the run",
	       .max = UINT32_MAX),
	NUMBER(struct raw_workload, outstanding, "outstanding", COUNT, "1",
	       "messages of a pair under way at once: with as many `qps`, one on each queue pair",
	       .min = 1, .max = 1024),
	AT,
	MESSAGES,
	END,
};

static const struct config_object elephants_object = {
	.name = "elephants",
	.help = "Long transfers, one message after another.",
	.size = sizeof(struct raw_workload),
	.fields = elephants_fields,
};

static const struct config_field poisson_fields[] = {
	NAME("poisson"),
	FROM_TO(struct raw_workload),
	OBJECT(struct raw_workload, cdf, struct raw_cdf, "cdf", &config_cdf_object, "message sizes",
	       .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_workload, load_q32, "load", SHARE, NULL,
	       "offered by each sender, as a share of its NIC rate",
	       .flags = CONFIG_REQUIRED | CONFIG_POSITIVE, .max = 4 * CONFIG_ONE_Q32),
	AT,
	UNTIL,
	NUMBER(struct raw_workload, count, "count", COUNT, "0",
	       "messages of each sender at most; 0 = no limit", .max = UINT32_MAX),
	MESSAGES,
	END,
};

static const struct config_object poisson_object = {
	.name = "poisson",
	.help = "Messages that arrive at random, each to a random one of `to`.",
	.size = sizeof(struct raw_workload),
	.fields = poisson_fields,
};

static const struct config_field udp_fields[] = {
	NAME("udp"),
	FROM_TO(struct raw_workload),
	NUMBER(struct raw_workload, frame_bytes, "frame", SIZE, "1500",
	       "frame size in bytes, FCS counted", .min = 64, .max = 9216),
	NUMBER(struct raw_workload, rate_bps, "rate", RATE, NULL,
	       "of each sender; preamble and gap counted", .flags = CONFIG_REQUIRED,
	       .min = LEAST_RATE_BPS),
	FLAG(struct raw_workload, poisson, "poisson", "no", "random gaps instead of even ones"),
	AT,
	UNTIL,
	NUMBER(struct raw_workload, count, "count", COUNT, "0",
	       "datagrams of each sender at most; 0 = no limit", .max = UINT32_MAX),
	FLAG(struct raw_workload, ecn_capable, "ecn_capable", "no", "datagrams are ECT(0)"),
	FLAG(struct raw_workload, spread, "spread", "yes",
	     "each sender to all of `to` in turn; no: the n-th of `from` to the n-th of `to`"),
	NUMBER(struct raw_workload, dscp, "dscp", COUNT, "0", "of the datagrams", .max = 63),
	END,
};

static const struct config_object udp_object = {
	.name = "udp",
	.help = "Background datagrams, to each of `to` in turn (see `spread`).",
	.size = sizeof(struct raw_workload),
	.fields = udp_fields,
};

static const struct config_field workload_fields[] = {
	OPTIONAL(struct raw_workload_entry, incast, struct raw_workload, "incast", &incast_object,
		 "bursts of many to one"),
	OPTIONAL(struct raw_workload_entry, elephants, struct raw_workload, "elephants",
		 &elephants_object, "long transfers"),
	OPTIONAL(struct raw_workload_entry, poisson, struct raw_workload, "poisson",
		 &poisson_object, "random arrivals of random sizes"),
	OPTIONAL(struct raw_workload_entry, udp, struct raw_workload, "udp", &udp_object,
		 "background datagrams"),
	END,
};

static const struct config_object workload_object = {
	.name = "workload",
	.help = "One of these.",
	.size = sizeof(struct raw_workload_entry),
	.fields = workload_fields,
};

static const struct config_field expect_fields[] = {
	TEXT(struct raw_expect, text, "expect", NULL,
	     "a number, or an operator and a number, such as \"< 2000\"", .flags = CONFIG_REQUIRED,
	     .max = SCENARIO_TEXT_BYTES),
	END,
};

static const struct config_object expect_object = {
	.name = "expect",
	.help = "What a metric of summary.json must be: a number, or one of < <= > >= == != and a "
		"number: `flows.fct_us.p99: \"< 2000\"`. Units are converted to the metric's; 1% "
		"is 0.01.",
	.shorthand = "expect",
	.is_value = true,
	.size = sizeof(struct raw_expect),
	.fields = expect_fields,
	.name_bytes = SCENARIO_METRIC_BYTES,
};

static const struct config_field results_fields[] = {
	CHOICE(struct raw_results, detail, "detail", details, "auto",
	       "auto: files have all rows, lists of the summary the 1,000 largest; above 65,536 "
	       "ports as aggregate. full: all rows everywhere. aggregate: files the 1,000 largest "
	       "as well, and no time series by port and queue pair"),
	END,
};

static const struct config_object results_object = {
	.name = "results",
	.help = "What a run leaves behind. A word alone is the detail: `results: full`.",
	.shorthand = "detail",
	.size = sizeof(struct raw_results),
	.fields = results_fields,
};

static const struct config_field run_fields[] = {
	CHOICE(struct raw_run, time, "time", times, "virtual",
	       "virtual: a simulation. real: by the clock, on DPDK devices"),
	NUMBER(struct raw_run, duration_ps, "duration", TIME, "0",
	       "end of the run; 0 = when all work is done"),
	NUMBER(struct raw_run, seed, "seed", COUNT, "1", "of all that is random",
	       .max = UINT64_MAX - 1),
	CHOICE(struct raw_run, payload, "payload", payloads, "elided",
	       "full: packets carry their payload and ICRC in memory"),
	NUMBER(struct raw_run, sample_interval_ps, "sample_interval", TIME, "0",
	       "of the time series; 0 = none"),
	OBJECT(struct raw_run, results, struct raw_results, "results", &results_object,
	       "how much of it is written"),
	NUMBER(struct raw_run, mbufs, "mbufs", COUNT, "0",
	       "packets that may exist at a time; 0 = as many as the scenario needs",
	       .max = 1 << 24),
	NUMBER(struct raw_run, lcores, "lcores", COUNT, "auto",
	       "cores to run on. virtual time: with the same results; auto: those it may use, or "
	       "fewer where nodes are few. real time: poll loops, over which parts of the network "
	       "are spread that only devices join; auto: as many as `eal.cores` lists",
	       .flags = CONFIG_MAY_BE_AUTO, .min = 1, .max = 128),
	NUMBER(struct raw_run, report_interval_ps, "report_interval", TIME, "1s",
	       "real time: of log lines, or of the screen on a terminal", .flags = CONFIG_POSITIVE),
	OBJECT(struct raw_run, eal, struct raw_eal, "eal", &config_eal_object,
	       "real time: DPDK's environment"),
	OBJECTS(struct raw_run, ethdevs, "ethdevs", &config_ethdev_object,
		"real time: ports that are DPDK devices"),
	OPTIONAL(struct raw_run, topology, struct raw_topology, "topology", &config_topology_object,
		 "a whole fabric: adds its switches, hosts and links"),
	NAMED(struct raw_run, switches, "switches", &config_switch_object, "switches by name"),
	NAMED(struct raw_run, hosts, "hosts", &config_host_object, "groups of hosts by name"),
	OBJECTS(struct raw_run, links, "links", &link_object, "cables"),
	OBJECTS(struct raw_run, impairments, "impairments", &config_impairment_object,
		"what goes wrong at ports"),
	OBJECTS(struct raw_run, failures, "failures", &config_failure_object,
		"links that fail, or get worse, at given times"),
	OBJECT(struct raw_run, routing, struct raw_routing, "routing", &config_routing_object,
	       "how soon routers go other ways"),
	OBJECTS(struct raw_run, workload, "workload", &workload_object, "what the hosts send"),
	NAMED(struct raw_run, expect, "expect", &expect_object,
	      "what must come out; otherwise the exit status is 1"),
	END,
};

const struct config_object config_run_object = {
	.name = "top",
	.help = "The top of a file.",
	.size = sizeof(struct raw_run),
	.fields = run_fields,
};
