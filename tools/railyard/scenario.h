/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario: everything a run needs, decoded from YAML, checked, every default resolved.
 * config_load() makes it and scenario_free() frees it with all that it owns.
 *
 * Switches and hosts are numbered from 0 in the order of the file; a group of n is n of them. All
 * MAC and IP addresses are assigned. What the fabric builder adds is what follows from the links:
 * static forwarding entries and routes to the attached hosts.
 */
#ifndef RAILYARD_SCENARIO_H
#define RAILYARD_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"
#include "roce.h"
#include "source.h"
#include "switch.h"

#define SCENARIO_DSCP_OF_HOST (-1)
#define SCENARIO_METRIC_BYTES 128
#define SCENARIO_TEXT_BYTES 64
#define SCENARIO_MAX_INPUTS 64
#define SCENARIO_DEVICE_BYTES 256

struct config;

struct scenario_switch {
	struct switch_cfg cfg;      /* its arrays are the ones below; cfg.name is "leaf3" */
	char tier[NODE_NAME_BYTES]; /* "leaf"; of a switch alone, its name */
	struct switch_port_cfg *ports;
	struct switch_maps *port_maps;
	struct wred_cfg *wred;
	struct scheduler_cfg *schedulers;
	/* From the file; whoever appends reallocates these and sets cfg.forwarding again. */
	struct fdb_entry_cfg *statics;
	struct route_cfg *routes;
	bool learn; /* do not add entries for the attached hosts: let it learn them */
	bool cut_through;
	uint64_t latency_ps; /* fixed, from a frame's arrival to its place in a queue */
};

struct scenario_host {
	struct host_cfg cfg; /* cfg.name is "h3", the 3rd of group h */
	struct roce_address address;
	uint8_t dscp;     /* of data, unless the workload says otherwise */
	bool remote;      /* in another process, or a real machine: known, but not run here */
	bool mac_unknown; /* remote, and address.mac means nothing: hosts ask for it */
};

struct scenario_end {
	bool is_switch;
	uint16_t port;  /* 0 at a host */
	uint32_t index; /* into switches or hosts */
};

/* A cable: both directions have the same delay. The ends' port rates are equal. */
struct scenario_link {
	struct scenario_end a;
	struct scenario_end b;
	uint64_t delay_ps; /* > 0 */
	bool over_ring;    /* in real time, over a pair of net_ring devices */
};

/* What goes wrong at a port. */
struct scenario_impairment {
	struct scenario_end end;
	struct impair_cfg cfg;
};

/* A link that fails or gets worse in [at, until). */
struct scenario_failure {
	uint32_t link;
	bool down;
	uint64_t rate_bps; /* 0 = as it was */
	uint64_t delay_ps; /* this and loss are impairments of both ends, and among those too */
	uint64_t loss_q32;
	uint64_t at_ps;
	uint64_t until_ps; /* UNITS_NEVER_PS = to the end */
};

/* What routing answers, as against loss and delay. */
static inline bool
scenario_failure_is_of_rate(const struct scenario_failure *f)
{
	return f->down || f->rate_bps != 0;
}

/* How soon routers answer a change of a link. */
struct scenario_routing {
	uint64_t failover_ps; /* those at its ends */
	uint64_t reroute_ps;  /* all */
};

/* A port on a DPDK device; real time only. */
struct scenario_ethdev {
	struct scenario_end end;
	char device[SCENARIO_DEVICE_BYTES]; /* "net_tap0,iface=x" or "0000:03:00.0" */
	char place[256];                    /* file:line:col */
	bool is_pci;
	bool mtu_required;
	bool promiscuous;
	uint16_t mtu_bytes;
	uint64_t delay_ps; /* of what it receives */
};

/* What DPDK's environment is started with; real time only. */
struct scenario_eal {
	char cores[SCENARIO_TEXT_BYTES];       /* "" = wherever this process may run */
	char cores_place[256];                 /* file:line:col */
	char file_prefix[SCENARIO_TEXT_BYTES]; /* "" = one of our own */
	uint64_t memory_bytes;                 /* 0 = worked out */
	uint16_t core_count;                   /* of `cores`; 0 = none are named */
	bool hugepages;
	bool telemetry;
};

/* How many rows lists and files of results have. */
enum scenario_detail {
	SCENARIO_DETAIL_AUTO,      /* files in full, except of very large fabrics */
	SCENARIO_DETAIL_FULL,      /* everything in full */
	SCENARIO_DETAIL_AGGREGATE, /* of each list and file the largest rows; no series by port */
};

enum scenario_workload_kind {
	SCENARIO_INCAST,    /* each of from[] to each of to[] */
	SCENARIO_ELEPHANTS, /* from[i] to to[i]: permutations are already drawn */
	SCENARIO_POISSON,   /* each of from[] to hosts drawn from to[], never itself */
	SCENARIO_UDP,       /* each of from[] to hosts of to[] in turn, never itself */
};

struct scenario_workload {
	enum scenario_workload_kind kind;
	char name[NODE_NAME_BYTES]; /* "incast", or its `name` */
	enum verb verb;             /* VERB_UDP for SCENARIO_UDP */
	int16_t dscp;               /* SCENARIO_DSCP_OF_HOST = that of the sender */
	uint8_t qps;
	uint32_t outstanding; /* elephants */
	uint32_t from_count;  /* host indices */
	uint32_t to_count;
	uint32_t *from;
	uint32_t *to;
	uint64_t at_ps;
	uint64_t until_ps; /* UNITS_NEVER_PS = no end of its own */
	/* incast, elephants */
	uint64_t bytes;
	uint32_t rounds; /* incast: 0 = no end */
	uint64_t period_ps;
	uint64_t jitter_ps;
	uint32_t count; /* elephants: messages of a pair; poisson, udp: of a sender; 0 = no end */
	/* poisson */
	char cdf_name[SCENARIO_TEXT_BYTES];
	struct cdf cdf;
	struct cdf_point *cdf_points; /* cdf.points */
	uint64_t load_q32;            /* share of the sender's NIC rate, in 2^-32 */
	/* udp */
	uint32_t frame_bytes;
	uint64_t rate_bps; /* of each sender */
	bool poisson;
	bool ecn_capable;
	bool paired; /* from[i] to to[i] alone */
};

enum scenario_operator {
	SCENARIO_EQ,
	SCENARIO_NE,
	SCENARIO_LT,
	SCENARIO_LE,
	SCENARIO_GT,
	SCENARIO_GE,
	SCENARIO_IN, /* from value to high, both counted in */
};

struct scenario_expectation {
	char metric[SCENARIO_METRIC_BYTES]; /* path in summary.json: "flows.fct_us.p99" */
	enum scenario_operator op;
	double value;                   /* in the metric's unit; percent / 100 */
	char text[SCENARIO_TEXT_BYTES]; /* "< 2000" as the user wrote it */
	char place[256];                /* file:line:col */
	double high;                    /* SCENARIO_IN */
};

struct scenario {
	char file[256]; /* as it was given */
	/* Files that it was read from, which nobody may write over. */
	const char *inputs[SCENARIO_MAX_INPUTS];
	uint32_t input_count;
	uint64_t duration_ps; /* 0 = until all work is done */
	uint64_t seed;
	bool real_time;
	bool with_payload;
	uint64_t sample_interval_ps; /* 0 = no time series */
	enum scenario_detail detail;
	uint64_t report_interval_ps; /* real time: of log lines or of the screen */
	uint32_t mbufs;              /* 0 = the builder chooses */
	uint16_t lcores;             /* the same */
	uint32_t ethdev_count;
	uint32_t switch_count;
	uint32_t host_count;
	uint32_t link_count;
	uint32_t impairment_count;
	uint32_t failure_count;
	uint32_t workload_count;
	uint32_t expectation_count;
	uint32_t warning_count;
	struct scenario_switch *switches;
	struct scenario_host *hosts;
	struct scenario_link *links;
	struct scenario_impairment *impairments; /* in the order of the file */
	struct scenario_failure *failures;       /* the same */
	struct scenario_routing routing;
	struct scenario_ethdev *ethdevs;
	struct scenario_eal eal;
	struct scenario_workload *workloads;
	struct scenario_expectation *expectations;
	char **warnings;       /* one line each, place first */
	struct config *config; /* what it was made from, for config_dump() */
};

#endif
