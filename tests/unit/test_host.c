/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC: line rate, fairness, pacing, PFC, CNPs, datagrams, the slow receiver, and what is
 * not for us. Times are worked out by hand: 100 Gb/s is 80 ps a byte, a link is 1 us, a frame
 * takes 20 bytes more on the wire than its length with FCS (802.3 clause 4).
 *
 * Frames with FCS, untagged IPv4 (protocol.md A): Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4,
 * FCS 4 = 62 bytes; RETH 16, AETH 4.
 */
#include "host_pair.h"

#include <rte_byteorder.h>

#define BYTE_PS 80ULL
#define ACK_WIRE (62 + 4 + 20)

static struct message
message_of(enum verb verb, uint64_t bytes, uint8_t dscp, uint8_t qp)
{
	return (struct message){.peer = 1, .bytes = bytes, .verb = verb, .dscp = dscp, .qp = qp};
}

static uint64_t
fct_ps(const struct pair *pair, uint32_t flow)
{
	return pair->flows[flow].end_ps - pair->flows[flow].start_ps;
}

START_TEST(idle_path_fct)
{
	static const struct {
		enum verb verb;
		uint64_t bytes;
		uint64_t wire_bytes; /* there and back, serialized one after the other */
	} cases[] = {
		{VERB_WRITE, 1024, 62 + 16 + 1024 + 20 + ACK_WIRE},
		/* 3 bytes are padded to 4; 62 + 4 = 66 is above the smallest frame. */
		{VERB_SEND, 3, 62 + 4 + 20 + ACK_WIRE},
		/* Nothing: 62 bytes are padded to the smallest frame, 64. */
		{VERB_SEND, 0, 64 + 20 + ACK_WIRE},
		{VERB_SEND_IMM, 4096, 62 + 4 + 4096 + 20 + ACK_WIRE},
		{VERB_WRITE, 8192, 2 * (62 + 4096 + 20) + 16 + ACK_WIRE},
		/* Request; responses First and Last with AETH, Middle without. */
		{VERB_READ, 12288, 62 + 16 + 20 + 3 * (62 + 4096 + 20) + 2 * 4},
		{VERB_READ, 1, 62 + 16 + 20 + 62 + 4 + 4 + 20},
	};
	struct message message = message_of(cases[_i].verb, cases[_i].bytes, 26, 0);
	struct pair *pair = pair_new();

	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, UNITS_PS_PER_MS));
	ck_assert_uint_eq(pair->flow_count, 1);
	/* A retransmit timer that is not needed any more does not prolong the run. */
	ck_assert_uint_le(pair->now_ps, pair->flows[0].end_ps + PAIR_DELAY_PS);
	ck_assert_uint_eq(pair->flows[0].start_ps, PAIR_START_PS);
	ck_assert_uint_eq(fct_ps(pair, 0), cases[_i].wire_bytes * BYTE_PS + 2 * PAIR_DELAY_PS);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(line_rate_is_filled_exactly)
{
	/* 2,000 packets of 4,178 bytes on the wire (RETH in the first), not one gap. */
	struct message message = message_of(VERB_WRITE, 2000 * 4096, 26, 0);
	struct pair *pair = pair_new();

	if (_i == 1) {
		pair->cfg[0].congestion.kind = CONGESTION_DCQCN;
		ck_assert_int_eq(dcqcn_preset("connectx", &pair->cfg[0].congestion.dcqcn), 0);
	}
	if (_i == 2)
		pair->cfg[0].congestion.rate_bps = PAIR_RATE_BPS;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(fct_ps(pair, 0),
			  (2000 * 4178 + 16 + ACK_WIRE) * BYTE_PS + 2 * PAIR_DELAY_PS);
	ck_assert_uint_eq(host_node(pair->host[0])->ports[0].busy_ps, (2000 * 4178 + 16) * BYTE_PS);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(pacing_keeps_the_rate)
{
	/* 10 Gb/s of a 100 Gb/s port, wire overhead counted: 800 ps a byte. */
	struct message message = message_of(_i == 0 ? VERB_WRITE : VERB_SEND, 100 * 4096, 26, 0);
	struct pair *pair = pair_new();
	uint64_t first_wire = 4178 + (_i == 0 ? 16 : 0);

	pair->cfg[0].congestion.rate_bps = 10000000000ULL;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	/* The last packet starts after 99 paced ones and is serialized at the port's rate. */
	ck_assert_uint_eq(fct_ps(pair, 0), (first_wire + 98 * 4178) * 800 +
						   (4178 + ACK_WIRE) * BYTE_PS + 2 * PAIR_DELAY_PS);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(read_responses_are_paced_too)
{
	struct message message = message_of(VERB_READ, 100 * 4096, 26, 0);
	struct pair *pair = pair_new();

	pair->cfg[1].congestion.rate_bps = 10000000000ULL;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	/* Request of 98 bytes; the first response has an AETH, as the last. */
	ck_assert_uint_eq(fct_ps(pair, 0), 98 * BYTE_PS + (4182 + 98 * 4178) * 800 +
						   4182 * BYTE_PS + 2 * PAIR_DELAY_PS);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

/* Bytes sent by QP; the destination address and QPN name it. */
#define FAIR_PEERS 16u
#define FAIR_PAIRS 256u

static enum pair_fate
count_by_qp(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, packet_of(m)->l3_ofs);
	uint64_t *bytes = pair->hook_context;

	if (from == 0)
		bytes[(ip[19] - 2u) * FAIR_PAIRS + (uint8_t)p->dest_qp] +=
			packet_of(m)->frame_bytes;
	return PAIR_DROP;
}

START_TEST(thousands_of_qps_share_fairly)
{
	static struct message messages[FAIR_PEERS * FAIR_PAIRS];
	static uint64_t bytes[FAIR_PEERS * FAIR_PAIRS];
	struct pair *pair = pair_new();
	uint64_t total = 0;
	double sum = 0, squares = 0;

	memset(bytes, 0, sizeof(bytes));
	for (uint32_t i = 0; i < RTE_DIM(messages); i++) {
		messages[i] = message_of(VERB_WRITE, 10000000, 26, (uint8_t)i);
		messages[i].peer = 1 + i / FAIR_PAIRS;
	}
	pair->cfg[0].retransmit_timeout_ps = 0;
	/* Unpaced, paced far below the link, and paced at twice what the link can carry. */
	if (_i == 1)
		pair->cfg[0].congestion.rate_bps = PAIR_RATE_BPS / 4096 / 2;
	if (_i == 2)
		pair->cfg[0].congestion.rate_bps = PAIR_RATE_BPS / 4096 * 2;
	pair->hook = count_by_qp;
	pair->hook_context = bytes;
	pair_start(pair);
	script_add(pair, 0, messages, RTE_DIM(messages), PAIR_START_PS);
	ck_assert(!pair_run(pair, PAIR_START_PS + 30 * UNITS_PS_PER_MS));
	pair_check(pair);
	for (uint32_t i = 0; i < RTE_DIM(messages); i++) {
		total += bytes[i];
		sum += (double)bytes[i];
		squares += (double)bytes[i] * (double)bytes[i];
	}
	/* 30 ms at 100 Gb/s are 375 MB: 89,756 packets of 4,178, 21.9 a QP. */
	if (_i == 1)
		ck_assert_uint_le(total, 375000000 / 2 + 4096 * 4178);
	else
		ck_assert_uint_ge(total, 375000000 / 4178 * 4158);
	ck_assert_double_gt(sum * sum / (RTE_DIM(messages) * squares), 0.99);
	pair_free(pair);
}
END_TEST

/* Frames of host 0 by priority and when the last of each was seen to be sent. */
struct by_priority {
	uint64_t frames[8];
};

static enum pair_fate
count_by_priority(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct by_priority *seen = pair->hook_context;

	if (from == 0 && p != NULL && p->opcode != ROCE_ACK)
		seen->frames[packet_of(m)->traffic_class >> 5]++;
	return PAIR_PASS;
}

START_TEST(pfc_stops_one_priority_only)
{
	struct message messages[] = {message_of(VERB_WRITE, 40000000, 26, 0),
				     message_of(VERB_WRITE, 40000000, 34, 1)};
	struct by_priority seen = {0}, before;
	struct pair *pair = pair_new();
	struct node *receiver;

	for (int i = 0; i < 2; i++)
		pair->cfg[i].port.pfc.enable = 0x18;
	pair->hook = count_by_priority;
	pair->hook_context = &seen;
	pair_start(pair);
	receiver = host_node(pair->host[1]);
	script_add(pair, 0, messages, 2, PAIR_START_PS);
	/* Both share the link: about 300 packets of 4,178 bytes in 100 us. */
	pair_run(pair, PAIR_START_PS + 100 * UNITS_PS_PER_US);
	ck_assert_uint_ge(seen.frames[3], 149);
	ck_assert_uint_ge(seen.frames[4], 149);
	ck_assert_uint_le(seen.frames[3] + seen.frames[4], 300);
	node_pause_peer(receiver, 0, 3, true, pair->now_ps);
	pair_run(pair, pair->now_ps + 10 * UNITS_PS_PER_US);
	before = seen;
	pair_run(pair, pair->now_ps + 100 * UNITS_PS_PER_US);
	ck_assert_uint_eq(seen.frames[3], before.frames[3]);
	/* The other has the link alone: 100 us / 334,240 ps. */
	ck_assert_uint_ge(seen.frames[4] - before.frames[4], 298);
	/* Pause lasts over several refreshes, and ends with XON. */
	pair_run(pair, pair->now_ps + 1000 * UNITS_PS_PER_US);
	ck_assert_uint_eq(seen.frames[3], before.frames[3]);
	node_pause_peer(receiver, 0, 3, false, pair->now_ps);
	pair_run(pair, pair->now_ps + 10 * UNITS_PS_PER_US);
	before = seen;
	pair_run(pair, pair->now_ps + 100 * UNITS_PS_PER_US);
	ck_assert_uint_ge(seen.frames[3] - before.frames[3], 149);
	ck_assert(pair_run(pair, 100 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[0])->messages_completed, 2);
	ck_assert_uint_eq(host_results(pair->host[0])->retransmitted_packets, 0);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

/* A congested path: every ECT data frame of host 0 gets CE. */
static enum pair_fate
mark_all(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	if (from == 0 && packet_ecn(packet_of(m)) == PACKET_ECT0)
		packet_mark_ce(m);
	return PAIR_PASS;
}

START_TEST(cnps_are_paced_by_scope)
{
	/* 4 QPs for 0.98 ms at line rate, all marked; CNPs no closer than 50 us: 20 a timer. */
	static const struct {
		enum cnp_scope scope;
		uint64_t timers;
	} cases[] = {{CNP_PER_QP, 4}, {CNP_PER_IP, 1}, {CNP_PER_PORT, 1}};
	struct message messages[4];
	struct pair *pair = pair_new();
	const struct host_results *sender, *receiver;

	for (uint8_t i = 0; i < 4; i++)
		messages[i] = message_of(VERB_WRITE, 3000000, 26, i);
	pair->cfg[1].cnp_scope = cases[_i].scope;
	pair->cfg[1].cnp_interval_ps = 50 * UNITS_PS_PER_US;
	pair->hook = mark_all;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	receiver = host_results(pair->host[1]);
	script_add(pair, 0, messages, 4, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(receiver->ce_received, sender->data_packets_sent);
	ck_assert_uint_eq(receiver->cnp_sent, 20 * cases[_i].timers);
	ck_assert_uint_eq(sender->cnp_received, receiver->cnp_sent);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(cnps_slow_the_sender)
{
	/* Oracle 14: the first CNP at alpha = 1 halves the rate. */
	struct message message = message_of(VERB_WRITE, 10000000, 26, 0);
	struct congestion_cfg *congestion;
	struct pair *pair = pair_new();
	uint64_t before, after;

	congestion = &pair->cfg[0].congestion;
	congestion->kind = CONGESTION_DCQCN;
	ck_assert_int_eq(dcqcn_preset("paper", &congestion->dcqcn), 0);
	pair->cfg[1].cnp_interval_ps = UNITS_PS_PER_S; /* one CNP */
	pair->hook = mark_all;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	pair_run(pair, PAIR_START_PS + 5 * UNITS_PS_PER_US);
	ck_assert_uint_eq(host_results(pair->host[0])->cnp_received, 1);
	before = host_node(pair->host[0])->ports[0].tx_bytes;
	pair_run(pair, PAIR_START_PS + 45 * UNITS_PS_PER_US);
	after = host_node(pair->host[0])->ports[0].tx_bytes;
	/* 40 us at 50 Gb/s: 250,000 bytes with overhead, 59.8 frames. */
	ck_assert_uint_ge(after - before, 59 * 4158);
	ck_assert_uint_le(after - before, 61 * 4158);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[0])->messages_completed, 1);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(slow_receiver)
{
	/* 10 MB into memory that takes 50 Gb/s, behind a 400 KB buffer. */
	struct message message = message_of(VERB_WRITE, 10000000, 26, 0);
	bool lossless = _i == 0;
	const struct host_results *sender, *receiver;
	struct pair *pair = pair_new();
	struct node *node;

	pair->cfg[1].drain_bps = 50000000000ULL;
	pair->cfg[1].rx_buffer_bytes = 400000;
	pair->cfg[1].rx_xoff_bytes = 200000;
	pair->cfg[1].rx_xon_bytes = 150000;
	for (int i = 0; i < 2; i++)
		pair->cfg[i].port.pfc.enable = lossless ? 0x08 : 0;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	receiver = host_results(pair->host[1]);
	node = host_node(pair->host[1]);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 100 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(sender->messages_completed, 1);
	ck_assert_uint_eq(receiver->bytes_delivered, 10000000);
	pair_finish(pair);
	if (!lossless) {
		ck_assert_uint_gt(node->ports[0].drops[DROP_HOST_BUFFER][3], 0);
		ck_assert_uint_gt(sender->retransmitted_packets, 0);
		pair_free(pair);
		return;
	}
	ck_assert_uint_eq(node->counters.dropped, 0);
	ck_assert_uint_eq(sender->retransmitted_packets, 0);
	ck_assert_uint_gt(node->ports[0].pfc_tx.xoff_frames[3], 0);
	/* XOFF takes a round trip of 2 us and two frames to act: 25,000 + 2 x 4,178 bytes more. */
	ck_assert_uint_gt(receiver->rx_buffer_max_bytes, 200000);
	ck_assert_uint_le(receiver->rx_buffer_max_bytes, 200000 + 25000 + 2 * 4178 + 4178);
	/* Memory never idles: 2,442 frames (the last of 1,664 + 62 bytes) at 160 ps a byte. */
	ck_assert_uint_eq(fct_ps(pair, 0), (4158 + 16 + 20) * BYTE_PS +
						   (2441 * 4158 + 16 + 1664 + 62) * 160ULL +
						   ACK_WIRE * BYTE_PS + 2 * PAIR_DELAY_PS);
	pair_free(pair);
}
END_TEST

START_TEST(datagrams)
{
	/* Two frames through; the smallest is 64 bytes. */
	struct message messages[] = {message_of(VERB_UDP, 1500, 8, 0),
				     message_of(VERB_UDP, 20, 8, 0)};
	struct pair *pair = pair_new();

	if (_i == 1) {
		for (int i = 0; i < 2; i++) {
			pair->peers[i].address.is_ipv6 = true;
			pair->peers[i].address.ip[15] = (uint8_t)(i + 1);
		}
		/* 14 + 40 + 8 + 4: headers of IPv6 do not fit 64. */
	}
	pair_start(pair);
	script_add(pair, 0, messages, 2, PAIR_START_PS);
	ck_assert(pair_run(pair, UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[0])->udp_sent, 2);
	ck_assert_uint_eq(host_results(pair->host[0])->messages_posted, 0);
	ck_assert_uint_eq(host_results(pair->host[1])->udp_received, 2);
	ck_assert_uint_eq(host_results(pair->host[1])->udp_bytes_received,
			  1500 + (_i == 0 ? 64 : 66));
	ck_assert(host_done(pair->host[0]));
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

/* The frame dissects again as what it was built as, with a right IPv4 header checksum. */
static enum pair_fate
reparse(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct packet before = *packet_of(m);
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, before.l3_ofs);
	uint32_t *seen = pair->hook_context;
	uint32_t sum = 0;

	packet_parse(m);
	ck_assert_uint_eq(packet_of(m)->flags, before.flags);
	ck_assert_uint_eq(packet_of(m)->l3_ofs, before.l3_ofs);
	ck_assert_uint_eq(packet_of(m)->l4_ofs, before.l4_ofs);
	ck_assert_uint_eq(packet_of(m)->traffic_class, before.traffic_class);
	ck_assert_uint_eq(packet_of(m)->vlan_tci, before.vlan_tci);
	/* PCP follows the priority, the VLAN stays 100. */
	ck_assert_uint_eq(before.vlan_tci, (before.traffic_class >> 5) << 13 | 100);
	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	ck_assert_uint_eq((sum & 0xffff) + (sum >> 16), 0xffff);
	(*seen)++;
	return PAIR_PASS;
}

START_TEST(frames_are_what_they_say)
{
	struct message messages[] = {message_of(VERB_WRITE, 5000, 26, 0),
				     message_of(VERB_READ, 5000, 34, 0),
				     message_of(VERB_UDP, 300, 0, 0)};
	struct pair *pair = pair_new();
	uint32_t seen = 0;

	for (int i = 0; i < 2; i++) {
		pair->cfg[i].has_vlan = true;
		pair->cfg[i].vlan_tci = 100;
	}
	pair->hook = reparse;
	pair->hook_context = &seen;
	pair_start(pair);
	script_add(pair, 0, messages, 3, PAIR_START_PS);
	ck_assert(pair_run(pair, UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[0])->messages_completed, 2);
	/* 2 WRITE, 1 ACK, 1 request, 2 responses, 1 datagram; the ACK may ride on a response. */
	ck_assert_uint_ge(seen, 6);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(datagram_queue_is_bounded)
{
	/* 1,500 at one instant: one is on the wire at once, 1,024 wait. */
	static struct message messages[1500];
	struct pair *pair = pair_new();

	for (int i = 0; i < 1500; i++)
		messages[i] = message_of(VERB_UDP, 1000, 8, 0);
	pair_start(pair);
	script_add(pair, 0, messages, 1500, PAIR_START_PS);
	ck_assert(pair_run(pair, UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[0])->udp_sent, 1024);
	ck_assert_uint_eq(host_node(pair->host[0])->ports[0].drops[DROP_HOST_QUEUE][1], 476);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

static enum pair_fate
misaddress(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	uint32_t *seen = pair->hook_context;
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	if (from == 0 && *seen < 3) {
		if (*seen == 0)
			frame[5] ^= 0x80; /* MAC */
		else if (*seen == 1)
			frame[33] ^= 0x80; /* IP */
		else
			frame[14 + 20 + 8 + 5] = 0xff; /* destination QP of no host */
		(*seen)++;
	}
	return PAIR_PASS;
}

START_TEST(not_for_me)
{
	struct message message = message_of(VERB_WRITE, 3 * 4096, 26, 0);
	struct pair *pair = pair_new();
	const struct node_port *port;
	uint32_t seen = 0;

	pair->hook = misaddress;
	pair->hook_context = &seen;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	port = &host_node(pair->host[1])->ports[0];
	ck_assert_uint_eq(host_results(pair->host[1])->filtered, 2);
	ck_assert_uint_eq(port->drops[DROP_NO_QP][3], 1);
	ck_assert_uint_eq(host_results(pair->host[0])->messages_completed, 1);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(stop_drains)
{
	struct message message = message_of(VERB_WRITE, 100000000, 26, 0);
	struct pair *pair = pair_new();
	uint64_t sent;

	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	pair_run(pair, PAIR_START_PS + 50 * UNITS_PS_PER_US);
	for (int i = 0; i < 2; i++)
		host_node(pair->host[i])->ops->stop(host_node(pair->host[i]), pair->now_ps);
	sent = host_results(pair->host[0])->data_packets_sent;
	ck_assert(pair_run(pair, UNITS_PS_PER_S));
	ck_assert_uint_eq(host_results(pair->host[0])->data_packets_sent, sent);
	pair_finish(pair);
	host_close(pair->host[0], pair->now_ps);
	ck_assert_uint_eq(pair->flow_count, 1);
	ck_assert_uint_eq(pair->flows[0].end_ps, 0);
	ck_assert(!pair->flows[0].failed);
	pair_free(pair);
}
END_TEST

START_TEST(sources_go_on_when_told)
{
	/* 5 messages one at a time: each starts when the one before has completed. */
	const struct source_common common = {.verb = VERB_WRITE, .dscp = 26, .qps = 2};
	uint64_t completed, posted, fct = (62 + 16 + 1024 + 20 + ACK_WIRE) * BYTE_PS + 2000000;
	struct pair *pair = pair_new();

	pair_start(pair);
	host_add_source(pair->host[0], source_elephant_create(&common, 1, 1024, 5, PAIR_START_PS));
	ck_assert(!host_done(pair->host[0]));
	ck_assert(pair_run(pair, UNITS_PS_PER_MS));
	ck_assert(host_done(pair->host[0]));
	ck_assert_uint_eq(pair->flow_count, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(pair->flows[i].end_ps, PAIR_START_PS + (i + 1) * fct);
	host_progress(pair->host[0], &completed, &posted);
	ck_assert_uint_eq(completed, 5 * 1024);
	ck_assert_uint_eq(posted, 5 * 1024);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

static Suite *
host_suite(void)
{
	Suite *suite = suite_create("host");
	TCase *tcase = tcase_create("nic");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, idle_path_fct, 0, 7);
	tcase_add_loop_test(tcase, line_rate_is_filled_exactly, 0, 3);
	tcase_add_loop_test(tcase, pacing_keeps_the_rate, 0, 2);
	tcase_add_test(tcase, read_responses_are_paced_too);
	tcase_add_loop_test(tcase, thousands_of_qps_share_fairly, 0, 3);
	tcase_add_test(tcase, pfc_stops_one_priority_only);
	tcase_add_loop_test(tcase, cnps_are_paced_by_scope, 0, 3);
	tcase_add_test(tcase, cnps_slow_the_sender);
	tcase_add_loop_test(tcase, slow_receiver, 0, 2);
	tcase_add_loop_test(tcase, datagrams, 0, 2);
	tcase_add_test(tcase, frames_are_what_they_say);
	tcase_add_test(tcase, datagram_queue_is_bounded);
	tcase_add_test(tcase, not_for_me);
	tcase_add_test(tcase, stop_drains);
	tcase_add_test(tcase, sources_go_on_when_told);
	suite_add_tcase(suite, tcase);
	return suite;
}

int
main(void)
{
	SRunner *runner;
	int failed;

	test_eal_init();
	runner = srunner_create(host_suite());
	/* DPDK's memory belongs to the process that initialised it. */
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
