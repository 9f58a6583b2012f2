/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A linter for lossless fabrics: it runs no traffic, it reads the effective configuration of
 * switches and of what is at the other end of their links, and says what will hurt.
 *
 * A rule is a line of LINT_RULES, and a place in lint_*.c that calls lint_find(). Findings that
 * differ in nothing but the port are one finding with a range of ports, and those that differ in
 * nothing but the member of a group are one finding of several nodes.
 */
#ifndef RAILYARD_LINT_H
#define RAILYARD_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "config_raw.h"
#include "junit.h"
#include "scenario.h"

enum lint_level { LINT_INFO, LINT_WARNING, LINT_ERROR };

/* X(RULE, "name", level, "why it hurts") */
#define LINT_RULES(X)                                                                              \
	X(PFC_NOT_LOSSLESS, "pfc-not-lossless", ERROR,                                             \
	  "the priority is paused, but its priority group has no headroom: what arrives after "    \
	  "XOFF is lost")                                                                          \
	X(LOSSLESS_NOT_PFC, "lossless-not-pfc", ERROR,                                             \
	  "the priority group is meant to be lossless, but pauses nobody: its headroom fills "     \
	  "once, "                                                                                 \
	  "and then it drops")                                                                     \
	X(PAUSE_WRONG_QUEUE, "pause-wrong-queue", ERROR,                                           \
	  "the class is paused by one priority and obeys another: what is to stop goes on, and "   \
	  "is lost")                                                                               \
	X(HEADROOM_SHORT, "headroom-short", ERROR,                                                 \
	  "more may arrive after XOFF than the headroom holds: lossless packets are lost")         \
	X(HEADROOM_POOL_SHORT, "headroom-pool-short", WARNING,                                     \
	  "the shared headroom pool is smaller than what a few ports may need at once")            \
	X(NO_BUFFER, "no-buffer", ERROR,                                                           \
	  "traffic comes to it, and it has no buffer profile: such a configuration does not run")  \
	X(POOL_OVERCOMMITTED, "pool-overcommitted", ERROR,                                         \
	  "more is promised to queues and priority groups than there is")                          \
	X(XOFF_BEFORE_ECN, "xoff-before-ecn", WARNING,                                             \
	  "senders are paused before a mark has told them to slow down: congestion spreads")       \
	X(ECN_STEP, "ecn-step", WARNING,                                                           \
	  "Kmin and Kmax are the same: every packet beyond it is marked, and senders swing in "    \
	  "step")                                                                                  \
	X(ECN_JUMP, "ecn-jump", WARNING,                                                           \
	  "marking has no slope to hold senders at: it is nothing below Kmax, or all of a sudden " \
	  "everything")                                                                            \
	X(ECN_STEEP, "ecn-steep", INFO,                                                            \
	  "below Kmax already most packets are marked: senders are cut hard")                      \
	X(ECN_COLLAPSED, "ecn-collapsed", WARNING,                                                 \
	  "in whole cells of the ASIC the thresholds are the same: the slope is not there")        \
	X(ECN_OFF, "ecn-off", WARNING, "nothing is marked: only PFC holds the senders back")       \
	X(WRED_DROPS_LOSSLESS, "wred-drops-lossless", ERROR,                                       \
	  "WRED without ECN drops packets of a class that must lose none")                         \
	X(ROCE_LOSSY, "roce-lossy", ERROR,                                                         \
	  "RoCE data is treated as lossy beside a lossless class: congestion drops it")            \
	X(ROCE_USUAL_LOSSY, "roce-usual-lossy", WARNING,                                           \
	  "NICs set up as their vendors' guides have it send RoCE with DSCP 24 or 26: congestion " \
	  "would drop it")                                                                         \
	X(CNP_NOT_AHEAD, "cnp-not-ahead", WARNING,                                                 \
	  "congestion notifications wait behind the congestion that they are to end")              \
	X(CNP_LOSSLESS, "cnp-lossless", INFO,                                                      \
	  "congestion notifications can be paused with the class they are to slow down")           \
	X(NO_SCHEDULER, "no-scheduler", WARNING,                                                   \
	  "beside queues with weights it gets that of the default, 1")                             \
	X(STARVED_QUEUE, "starved-queue", WARNING, "under load the queue gets next to nothing")    \
	X(STRICT_DATA, "strict-data", WARNING,                                                     \
	  "data in a strict queue without a shaper keeps all queues below it from sending")        \
	X(NO_HYSTERESIS, "no-hysteresis", WARNING,                                                 \
	  "XON follows XOFF by a packet: a storm of PFC frames at the edge")                       \
	X(HEADROOM_TABLE_ODD, "headroom-table-odd", WARNING,                                       \
	  "a longer cable or a faster port cannot need less headroom")                             \
	X(CABLE_WITHOUT_ROW, "cable-without-row", ERROR,                                           \
	  "no row of the headroom table is for this speed and cable: no lossless profile is made") \
	X(CABLE_ZERO, "cable-zero", WARNING,                                                       \
	  "a cable of no length: headroom for what is under way is missing")                       \
	X(WATCHDOG_RANGE, "watchdog-range", WARNING,                                               \
	  "SONiC refuses the value (detection 100 to 5000 ms, restoration 100 to 60000 ms, poll "  \
	  "100 to 1000 ms)")                                                                       \
	X(WATCHDOG_OFF, "watchdog-off", INFO,                                                      \
	  "one NIC that pauses without end stops everybody who sends to it, and those behind")     \
	X(EGRESS_DROPS_LOSSLESS, "egress-drops-lossless", ERROR,                                   \
	  "the queue's own limit is reached before the priority group pauses: the egress drops "   \
	  "what the ingress promised to keep")                                                     \
	X(PFC_ASYMMETRIC, "pfc-asymmetric", ERROR,                                                 \
	  "one end pauses priorities that the other does not obey: packets are lost at this end")  \
	X(MTU_ASYMMETRIC, "mtu-asymmetric", WARNING,                                               \
	  "frames that one end sends are too large for the other")                                 \
	X(MAP_ASYMMETRIC, "map-asymmetric", WARNING,                                               \
	  "the two ends put the same DSCP into different priorities: pause stops the wrong one")   \
	X(BUFFER_CYCLE, "buffer-cycle", ERROR,                                                     \
	  "routes chain lossless buffers into a ring: PFC can stop all of it for good")            \
	X(CONFIG, "config", WARNING, "")

enum lint_rule {
#define X(id, name, level, why) LINT_##id,
	LINT_RULES(X)
#undef X
		LINT_RULE_COUNT
};

/* Where: a switch, and of it a port (or -1 for all), and of that "queue", "PG", ... and which. */
struct lint_place {
	const char *node; /* "" = the file */
	int32_t port;
	const char *item; /* NULL = the port itself */
	int32_t index;
};

struct lint_finding {
	enum lint_rule rule;
	struct lint_place place;
	struct raw_range ports;
	uint64_t also;      /* further indices that the same is found of, a bit each */
	char *found;        /* the value */
	char *right;        /* what would be right */
	const char *group;  /* of several nodes: the name of their group */
	const char **nodes; /* their names; NULL = place.node alone */
	uint32_t *members;  /* their numbers in the group, in order */
	uint32_t node_count;
};

#define LINT_NO_LINK UINT32_MAX

struct lint {
	const struct scenario *scenario;
	uint64_t roce_dscps; /* a bit each */
	bool dscps_given;    /* by the user: nothing is assumed */
	uint8_t cnp_dscp;
	uint32_t *first_port; /* by switch: where its ports begin in link_of */
	uint32_t *link_of;    /* by port: index of its link, or LINT_NO_LINK */
	size_t node_from;     /* first finding of the switch that is being judged */
	struct lint_finding *findings;
	size_t count;
	size_t size;
	bool short_of_memory;
};

/*
 * Judge a scenario, which must stay until lint_fini(). roce_dscps 0: those of its hosts, or 26
 * where it has none; cnp_dscp > 63: theirs, or 48. 0 or -ENOMEM.
 */
int lint_run(struct lint *lint, const struct scenario *scenario, uint64_t roce_dscps,
	     uint8_t cnp_dscp);
void lint_fini(struct lint *lint);

size_t lint_count(const struct lint *lint, enum lint_level level);
const char *lint_rule_name(enum lint_rule rule);
const char *lint_rule_why(enum lint_rule rule);
enum lint_level lint_rule_level(enum lint_rule rule);
const char *lint_level_name(enum lint_level level);

/* For lint_*.c: both texts are copied. */
void lint_find(struct lint *lint, enum lint_rule rule, const struct lint_place *place,
	       const char *found, const char *right);

/* Rules, by what they look at. */
void lint_pfc(struct lint *lint, uint32_t sw);
void lint_pools(struct lint *lint, uint32_t sw);
void lint_ecn(struct lint *lint, uint32_t sw);
void lint_qos(struct lint *lint, uint32_t sw);
void lint_headroom(struct lint *lint, uint32_t sw);
void lint_watchdog(struct lint *lint, uint32_t sw);
void lint_links(struct lint *lint);
void lint_cycles(struct lint *lint);

/* "tor:0-31 queue 3", "leaf[0-7]:4 PG 3" */
void lint_format_place(const struct lint_finding *f, char *text, size_t bytes);

/* lint_print.c */
void lint_print(const struct lint *lint, FILE *out);
void lint_print_github(const struct lint *lint, FILE *out);
json_t *lint_json(const struct lint *lint);
/* A case for each rule, which fails when it found something of this level or above. */
void lint_junit(const struct lint *lint, enum lint_level failing, struct junit *junit);

#endif
