/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages that pipelines are made of. A stage looks at one packet and either lets it go on
 * or ends it; a stage that ends a packet has disposed of it.
 */
#ifndef RAILYARD_STAGES_H
#define RAILYARD_STAGES_H

#include "switch.h"

/* What becomes of one egress copy: admit, mark, enqueue. Takes the packet. */
typedef void (*stage_egress)(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/*
 * Refuse runts and what is larger than the port's MTU. False: dropped. A bad layer 3 header is no
 * concern of a bridge (and a capture's snap length may have cut it); a router refuses it.
 */
bool stage_validate(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/* DSCP or PCP -> TC -> PG and queue, into the packet, by the maps of the port it came in by. */
void stage_classify(const struct switch_node *sw, struct packet *p);

/* TC -> queue by the map of the port it goes out by. */
void stage_queue(const struct switch_node *sw, struct packet *p);

/*
 * A watchdog drops what comes to a queue in a pause storm (the packet's out port and queue), and
 * what comes in by that port for the same queue. False: dropped.
 */
bool stage_watchdog_ingress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);
bool stage_watchdog_egress(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/*
 * Choose the out port (layer 2 or 3) and hand the packet, or a copy for each port when it is
 * flooded, to `egress`. Drops what cannot be forwarded.
 */
void stage_forward(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps,
		   stage_egress egress);

/* Ask the MMU; tell the sender XOFF when it says so. False: dropped. */
bool stage_admit(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/* Give the cells back; tell the sender XON when the MMU says so. */
void stage_release(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/*
 * WRED verdict on the queue's depth before this packet enters. It does nothing to the packet:
 * what the buffer then refuses has not been marked.
 */
enum wred_verdict stage_wred_enqueue(struct switch_node *sw, const struct rte_mbuf *m);

/* Set CE, and count it. */
void stage_mark(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

/* ECN mark on the queue's depth after the packet has left, at dequeue. */
void stage_wred_dequeue(struct switch_node *sw, struct rte_mbuf *m, uint64_t now_ps);

#endif
