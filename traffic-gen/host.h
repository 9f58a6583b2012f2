/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host: a node with one NIC port, reliable-connection queue pairs (IBTA 9.7), and sources
 * that give it messages.
 *
 * Queue pairs need no set-up traffic: the QPN, the first PSN and the path of the k-th pair
 * between hosts a and b follow from (seed, a, b, k), so each side makes its half on first use.
 *
 * NIC transmit order: PFC frames, CNPs, acknowledgements, then data: round robin over the
 * priorities that are not paused and within each over the queue pairs that have something to
 * send and whose pacing allows it. Priority of a packet is its DSCP >> 3,
 * unless a map says otherwise.
 */
#ifndef RAILYARD_HOST_H
#define RAILYARD_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "congestion.h"
#include "histogram.h"
#include "node.h"
#include "roce.h"
#include "source.h"

/* What every host knows of every other; one array for the whole run. */
struct host_peer {
	struct roce_address address;
	bool mac_unknown;   /* address.mac says nothing: to be found out by ARP or ND */
	uint32_t mtu_bytes; /* path MTU: the smaller of the two ends' counts */
	uint64_t nic_rate_bps;
	uint32_t reorder_packets; /* window of its receiver when it places out of order, else 0 */
};

/* Which CNPs share one pacing timer at the notification point. */
enum cnp_scope { CNP_PER_QP, CNP_PER_IP, CNP_PER_PORT };

enum receiver_ordering { RECEIVER_GO_BACK_N, RECEIVER_OUT_OF_ORDER };

/* What a receiver does about packets that do not come in order of their PSNs. */
struct receiver_cfg {
	enum receiver_ordering ordering;
	uint32_t window_packets; /* out of order: PSNs from the expected one on, 2 or more */
	uint32_t
		nak_distance; /* out of order: missing when one so far beyond has come, 1 or more */
	bool silent;          /* no NAK: the sender's timer finds out */
	bool cnp;             /* a CNP as well, at most each cnp_interval_ps */
};

/*
 * What switches that only hash can tell packets of one flow apart by: with `ports` above 1 data
 * packets of a queue pair take that many UDP source ports in turn, from the pair's own on.
 */
struct entropy_cfg {
	uint16_t ports; /* 0 or 1: the pair's own; at most ROCE_SOURCE_PORTS */
};

struct host_cfg {
	char name[NODE_NAME_BYTES];
	struct node_port_cfg port;
	uint32_t mtu_bytes; /* path MTU: 256, 512, 1024, 2048 or 4096 */
	bool with_payload;
	bool ecn_capable; /* data is ECT(0) */
	bool has_vlan;
	uint16_t vlan_tci;  /* PCP follows the packet's priority */
	bool maps_priority; /* by dscp_to_priority, not DSCP >> 3 */
	uint8_t dscp_to_priority[64];
	uint8_t cnp_dscp;
	int8_t ack_dscp; /* -1: that of the data */
	uint8_t ttl;
	struct congestion_cfg congestion;
	uint64_t cnp_interval_ps; /* MIN_TIME_BETWEEN_CNPS */
	enum cnp_scope cnp_scope;
	uint32_t ack_request_packets;   /* AckReq at least every n-th data packet; 0 = last only */
	uint32_t ack_coalesce;          /* answer every n-th AckReq; a message's last at once */
	uint64_t retransmit_timeout_ps; /* 4.096 us x 2^timeout; 0 = never */
	uint32_t retry_limit;           /* retry_cnt, 0..7 */
	uint64_t window_bytes;          /* most unacknowledged payload of a QP; 0 = no limit */
	uint32_t max_read_outstanding;  /* max_rd_atomic */
	struct receiver_cfg receiver;
	struct entropy_cfg entropy;
	uint64_t drain_bps;       /* slow receiver: rate at which memory takes data; 0 = line */
	uint64_t rx_buffer_bytes; /* NIC receive buffer, used when drain_bps is set */
	uint64_t rx_xoff_bytes;   /* PFC XOFF to the switch above this, XON below rx_xon */
	uint64_t rx_xon_bytes;
};

/* One finished (or, at the end of a run, unfinished) message. */
struct flow_record {
	uint32_t source; /* host ids */
	uint32_t destination;
	uint32_t source_qp;
	uint32_t destination_qp;
	uint16_t workload;
	enum verb verb;
	uint64_t bytes;
	uint64_t start_ps; /* handed to the host */
	uint64_t end_ps;   /* acknowledged (READ: last response in); 0 = not completed */
	uint64_t ideal_ps; /* same transfer alone on the idle path; 0 = unknown */
	uint64_t retransmitted_packets;
	bool failed; /* retries used up, or a fatal NAK */
};

struct host_results {
	uint64_t messages_posted;
	uint64_t messages_completed; /* at the requester */
	uint64_t messages_failed;
	uint64_t messages_delivered; /* where the data goes: whole, in order, once */
	uint64_t bytes_delivered;    /* payload accepted in order at this host */
	uint64_t data_packets_sent;  /* first transmissions and repeats */
	uint64_t retransmitted_packets;
	uint64_t retransmitted_nak;     /* of these: asked for by NAKs */
	uint64_t retransmitted_gap;     /* READs asked for again, and responses sent again */
	uint64_t retransmitted_timeout; /* by the timer, and until what it found is repaired */
	uint64_t acks_sent;
	uint64_t naks_sent;
	uint64_t timeouts;
	uint64_t out_of_order; /* packets beyond the expected PSN */
	uint64_t duplicates;   /* packets that had come before */
	uint64_t data_packets_received;
	uint64_t reordered_packets; /* that came after one sent later */
	uint64_t reorder_held_max;  /* most packets of a queue pair before their turn */
	uint64_t ce_received;
	uint64_t cnp_sent;
	uint64_t cnp_received;
	uint64_t filtered; /* frames for another station (flooded): the NIC lets them go by */
	uint64_t neighbours_answered; /* ARP requests and neighbour solicitations for us */
	uint64_t echoes_answered;
	uint64_t neighbours_asked; /* ARP requests and solicitations of ours */
	uint64_t neighbours_lost;  /* peers that did not answer */
	uint64_t udp_sent;
	uint64_t udp_received;
	uint64_t udp_bytes_received;
	uint64_t rx_buffer_max_bytes;
};

struct host_observer {
	void *context;
	/* A message completed or failed; also once for each unfinished one at host_close(). */
	void (*flow)(void *context, const struct flow_record *record);
	/* Payload of that PSN went to memory: of a request of peer's, or a response to ours. */
	void (*placed)(void *context, uint32_t host, uint32_t qpn, bool response, uint32_t psn,
		       uint32_t bytes);
};

struct host;

struct host_env {
	uint64_t seed;
	uint32_t host_count;
	const struct host_peer *peers; /* [host_count] */
	struct rte_mempool *pool;
	const struct node_observer *observer;
	const struct host_observer *host_observer;
	/* FCT of a transfer alone on the idle path (tools compute it from the topology). */
	uint64_t (*ideal_ps)(void *context, uint32_t source, uint32_t destination, enum verb verb,
			     uint64_t bytes);
	void *ideal_context;
};

/* node id = host id must be < host_count. cfg and env outlive the host. 0 or -errno. */
int host_create(struct host **out, const struct host_cfg *cfg, const struct host_env *env,
		uint32_t host_id, uint32_t node_id);
struct node *host_node(struct host *host);

/* Give it a source; the host destroys it. */
int host_add_source(struct host *host, struct source *source);

const struct host_results *host_results(const struct host *host);

/*
 * Datagrams of a workload that this host sent and received; NULL: none. What came in over a device
 * is not told apart, and counts as the first workload's.
 */
struct datagram_counts;
const struct datagram_counts *host_datagrams(const struct host *host, uint32_t workload);

/*
 * Of packets that came after one sent later: how many PSNs they were behind it. Counters are NULL
 * when there were none.
 */
const struct histogram *host_reorder_distance(const struct host *host);

/* What came of one direction of a queue pair: requests of the peer, or its READ responses. */
struct host_reordering {
	uint32_t peer;
	uint32_t qp;
	bool responses;
	uint64_t packets;
	uint64_t reordered;
	uint32_t distance_max; /* PSNs */
	uint32_t held_max;     /* packets placed before their turn, at once */
};

/* Calls back for each in which packets came after one sent later, or before their turn. */
void host_each_reordering(const struct host *host,
			  void (*each)(void *context, const struct host_reordering *reordering),
			  void *context);

/* All sources are exhausted and every message has completed or failed. */
bool host_done(const struct host *host);

/* Bytes of messages completed, and of all messages posted so far (for progress). */
void host_progress(const struct host *host, uint64_t *completed_bytes, uint64_t *posted_bytes);

/* How often the host has asked for the MAC address of a peer that has not answered; else 0. */
uint32_t host_asked_in_vain(const struct host *host, uint32_t peer);

/* Report unfinished messages to the observer, at the end of a run. */
void host_close(struct host *host, uint64_t now_ps);

/* Rate of each active QP, for time series: calls back for each QP with outstanding messages. */
void host_each_rate(struct host *host, uint64_t now_ps,
		    void (*each)(void *context, uint32_t peer, uint32_t qp, uint64_t rate_bps),
		    void *context);

#endif
