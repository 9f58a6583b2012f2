/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every packet ends as delivered, consumed or dropped, and a drop has one reason of this list.
 *
 * X(NAME, "name in results", "where it is charged and what it means")
 */
#ifndef RAILYARD_DROP_H
#define RAILYARD_DROP_H

/* clang-format off */
#define DROP_REASONS(X) \
	X(INGRESS_HEADROOM, "ingress_headroom", "lossless PG beyond its headroom (in port, PG)") \
	X(HEADROOM_POOL, "headroom_pool", "shared headroom pool used up (in port, PG)") \
	X(INGRESS_LIMIT, "ingress_limit", "lossy PG over its shared limit (in port, PG)") \
	X(EGRESS_LIMIT, "egress_limit", "queue over its shared limit (out port, queue)") \
	X(WRED, "wred", "dropped early by WRED, not ECN capable (out port, queue)") \
	X(NO_ROUTE, "no_route", "no route to the destination (in port)") \
	X(TTL, "ttl", "TTL or hop limit ran out (in port)") \
	X(SAME_PORT, "same_port", "known to be on the port it came from (in port)") \
	X(LINK_DOWN, "link_down", "no link to leave by, or cut on the wire (the link's port)") \
	X(LINK_LOCAL, "link_local", "link-local group address, never forwarded (in port)") \
	X(MALFORMED, "malformed", "runt, or headers that contradict each other (in port)") \
	X(MTU, "mtu", "larger than the port's MTU (in port)") \
	X(NO_MBUF, "no_mbuf", "no packet buffer left for a copy (in port)") \
	X(HOST_BUFFER, "host_buffer", "the NIC's receive buffer is full (host)") \
	X(HOST_QUEUE, "host_queue", "the NIC's transmit queue is full (host)") \
	X(NO_QP, "no_qp", "no queue pair, or one in the error state (host)") \
	X(BAD_ICRC, "bad_icrc", "invariant CRC does not verify (host)") \
	X(IMPAIRED_LOSS, "impaired_loss", "lost by impairment (port and direction it is for)") \
	X(NO_NEIGHBOUR, "no_neighbour", "the peer's MAC address is not to be found (host)") \
	X(PFC_WATCHDOG, "pfc_watchdog", "queue in a pause storm, by the watchdog (port, queue)") \
	X(REORDER_WINDOW, "reorder_window", "too far ahead of the packet expected next (host)")
/* clang-format on */

enum drop_reason {
#define X(name, text, help) DROP_##name,
	DROP_REASONS(X)
#undef X
		DROP_REASON_COUNT
};

/* Name as it stands in results; what the reason means, in one line. */
const char *drop_reason_name(enum drop_reason reason);
const char *drop_reason_help(enum drop_reason reason);

#endif
