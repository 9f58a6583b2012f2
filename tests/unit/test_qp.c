/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport between two hosts: every verb and size, loss, duplicates and reordering, NAKs,
 * timeouts. Rules: IBTA 9.7 as protocol.md tells them ("PSN / go-back-N rules").
 */
#include "host_pair.h"

static const enum verb verbs[] = {VERB_SEND, VERB_SEND_IMM, VERB_WRITE, VERB_WRITE_IMM, VERB_READ};

START_TEST(every_verb_and_size)
{
	static const uint32_t mtus[] = {256, 1024, 4096};
	struct message messages[8];

	for (size_t m = 0; m < RTE_DIM(mtus); m++) {
		uint64_t sizes[] = {0,           1,           mtus[m] - 1, mtus[m],
				    mtus[m] + 1, 2 * mtus[m], 3000001,     7};
		struct pair *pair = pair_new();

		/* The smaller of the two ends' MTUs counts. */
		pair->cfg[0].mtu_bytes = mtus[m];
		pair->peers[0].mtu_bytes = mtus[m];
		for (int i = 0; m == 1 && i < 2; i++) {
			pair->peers[i].address.is_ipv6 = true;
			pair->peers[i].address.ip[15] = (uint8_t)(i + 1);
		}
		pair_start(pair);
		for (size_t i = 0; i < RTE_DIM(sizes); i++)
			messages[i] = (struct message){
				.peer = 1, .bytes = sizes[i], .verb = verbs[_i], .dscp = 26};
		pair_run_messages(pair, messages, RTE_DIM(sizes));
		ck_assert_uint_eq(host_results(pair->host[0])->retransmitted_packets, 0);
		ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 0);
		ck_assert_uint_eq(host_results(pair->host[1])->retransmitted_packets, 0);
		pair_free(pair);
	}
}
END_TEST

/* Opcodes and lengths of a message of n packets, IBTA table 38. */
static enum pair_fate
record_opcodes(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	uint8_t *seen = pair->hook_context;

	if (from == 0 && p != NULL)
		seen[++seen[0]] = p->opcode;
	return PAIR_PASS;
}

START_TEST(opcodes_of_a_message)
{
	static const struct {
		enum verb verb;
		uint64_t bytes;
		uint8_t count;
		uint8_t opcodes[3];
	} cases[] = {
		{VERB_SEND, 4096, 1, {ROCE_SEND_ONLY}},
		{VERB_SEND, 8193, 3, {ROCE_SEND_FIRST, ROCE_SEND_MIDDLE, ROCE_SEND_LAST}},
		{VERB_SEND_IMM, 0, 1, {ROCE_SEND_ONLY_IMM}},
		{VERB_SEND_IMM, 4097, 2, {ROCE_SEND_FIRST, ROCE_SEND_LAST_IMM}},
		{VERB_WRITE, 1, 1, {ROCE_WRITE_ONLY}},
		{VERB_WRITE, 12288, 3, {ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST}},
		{VERB_WRITE_IMM, 4096, 1, {ROCE_WRITE_ONLY_IMM}},
		{VERB_WRITE_IMM, 8192, 2, {ROCE_WRITE_FIRST, ROCE_WRITE_LAST_IMM}},
		{VERB_READ, 1000000, 1, {ROCE_READ_REQUEST}},
	};
	struct pair *pair = pair_new();
	uint8_t seen[16] = {0};
	struct message message = {
		.peer = 1, .bytes = cases[_i].bytes, .verb = cases[_i].verb, .dscp = 26};

	pair->hook = record_opcodes;
	pair->hook_context = seen;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(seen[0], cases[_i].count);
	ck_assert_mem_eq(seen + 1, cases[_i].opcodes, cases[_i].count);
	pair_free(pair);
}
END_TEST

struct ports_seen {
	uint16_t data[300]; /* in the order sent */
	uint32_t count;
	uint16_t ack;
};

static enum pair_fate
record_ports(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	const uint8_t *udp = rte_pktmbuf_mtod(m, const uint8_t *) + packet_of(m)->l4_ofs;
	struct ports_seen *seen = pair->hook_context;
	uint16_t port = (uint16_t)(udp[0] << 8 | udp[1]);

	(void)p;
	if (from == 1) {
		ck_assert(seen->ack == 0 || seen->ack == port);
		seen->ack = port;
	} else {
		ck_assert_uint_lt(seen->count, RTE_DIM(seen->data));
		seen->data[seen->count++] = port;
	}
	return PAIR_PASS;
}

/* Data takes the configured number of source ports in turn, from the pair's own on and around
 * the end of their range; answers keep that of the pair. */
START_TEST(packets_take_source_ports_in_turn)
{
	static const uint16_t ports[] = {0, 1, 2, 7, ROCE_SOURCE_PORTS};
	const struct message message = {
		.peer = 1, .bytes = 290 * 4096, .verb = VERB_WRITE, .dscp = 26};
	struct pair *pair = pair_new();
	struct ports_seen seen = {0};
	uint32_t period = RTE_MAX(ports[_i], 1);

	pair->hook = record_ports;
	pair->hook_context = &seen;
	pair->cfg[0].entropy.ports = ports[_i];
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(seen.count, 290);
	ck_assert_uint_eq(seen.data[0], seen.ack);
	for (uint32_t i = 0; i < seen.count; i++)
		ck_assert_uint_eq(seen.data[i], 0xc000 | ((seen.data[0] + i % period) & 0x3fff));
	pair_free(pair);
}
END_TEST

struct ackreq_seen {
	uint32_t data;
	uint32_t asked;
	uint32_t acks;
	uint32_t last_without;
	uint32_t gap;
	uint32_t max_gap;
};

static enum pair_fate
record_ackreq(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct ackreq_seen *seen = pair->hook_context;

	if (from == 1) {
		seen->acks++;
		return PAIR_PASS;
	}
	seen->data++;
	seen->gap++;
	if (seen->gap > seen->max_gap)
		seen->max_gap = seen->gap;
	if (p->ack_request) {
		seen->asked++;
		seen->gap = 0;
	} else if (p->opcode == ROCE_WRITE_LAST || p->opcode == ROCE_WRITE_ONLY) {
		seen->last_without++;
	}
	return PAIR_PASS;
}

START_TEST(ack_request_placement)
{
	/* 100 packets; the last asks, and so does every 8th: 12 x 8 = 96, then the last. */
	struct message message = {.peer = 1, .bytes = 409600, .verb = VERB_WRITE, .dscp = 26};
	struct ackreq_seen seen = {0};
	struct pair *pair = pair_new();

	pair->cfg[0].ack_request_packets = _i == 0 ? 0 : 8;
	pair->cfg[1].ack_coalesce = _i == 2 ? 4 : 1;
	pair->hook = record_ackreq;
	pair->hook_context = &seen;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(seen.data, 100);
	ck_assert_uint_eq(seen.last_without, 0);
	ck_assert_uint_eq(seen.asked, _i == 0 ? 1 : 13);
	ck_assert_uint_eq(seen.max_gap, _i == 0 ? 100 : 8);
	/* Coalescing by 4: 12 requests give 3 answers, and the last its own at once. */
	ck_assert_uint_eq(seen.acks, _i == 0 ? 1 : _i == 1 ? 13 : 4);
	pair_free(pair);
}
END_TEST

START_TEST(psn_wraps)
{
	struct message messages[] = {
		{.peer = 1, .bytes = 400000, .verb = VERB_WRITE, .dscp = 26},
		{.peer = 1, .bytes = 400000, .verb = VERB_READ, .dscp = 26},
		{.peer = 1, .bytes = 400000, .verb = VERB_SEND, .dscp = 26},
	};
	struct pair *pair = pair_new();

	/* A seed whose first PSN lies within 150 packets of the end: 293 packets cross it. */
	for (pair->env.seed = 1; ROCE_PSN_MASK - qp_first_psn(pair->env.seed, 0, 1, 0) > 150;)
		pair->env.seed++;
	pair_start(pair);
	pair_run_messages(pair, messages, 3);
	ck_assert_uint_eq(host_results(pair->host[0])->retransmitted_packets, 0);
	pair_free(pair);
}
END_TEST

/* Lose the n-th frame (from 0) of one side that is not an acknowledgement. */
struct lose {
	int from;
	uint32_t n;
	uint32_t count; /* how many from there */
	uint32_t seen;
};

static enum pair_fate
lose_nth(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct lose *lose = pair->hook_context;
	uint32_t index;

	if (from != lose->from)
		return PAIR_PASS;
	index = lose->seen++;
	return index >= lose->n && index < lose->n + lose->count ? PAIR_DROP : PAIR_PASS;
}

static enum pair_fate
lose_two(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct lose *both = pair->hook_context;
	struct lose *lose = &both[from];
	uint32_t index = lose->seen++;

	return index >= lose->n && index < lose->n + lose->count ? PAIR_DROP : PAIR_PASS;
}

START_TEST(one_nak_a_gap)
{
	/* 1,000 packets, the 11th is lost: the responder counts each later one, NAKs once. */
	struct message message = {.peer = 1, .bytes = 4096000, .verb = VERB_WRITE, .dscp = 26};
	struct lose lose = {.from = 0, .n = 10, .count = 1};
	const struct host_results *sender, *receiver;
	struct pair *pair = pair_new();

	pair->hook = lose_nth;
	pair->hook_context = &lose;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	receiver = host_results(pair->host[1]);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(receiver->naks_sent, 1);
	ck_assert_uint_gt(receiver->out_of_order, 1);
	ck_assert_uint_eq(sender->timeouts, 0);
	/* Go-back-N: the lost one and every one that came too early goes again. */
	ck_assert_uint_eq(sender->retransmitted_packets, receiver->out_of_order + 1);
	ck_assert_uint_eq(pair->flows[0].retransmitted_packets, sender->retransmitted_packets);
	ck_assert_uint_eq(sender->data_packets_sent, 1000 + sender->retransmitted_packets);
	pair_free(pair);
}
END_TEST

START_TEST(lost_tail_is_repaired_by_the_timer)
{
	struct message message = {.peer = 1, .bytes = 409600, .verb = VERB_WRITE, .dscp = 26};
	/* The last packet is lost: nothing shows the gap but the timer. */
	struct lose lose = {.from = 0, .n = 99, .count = 1};
	struct pair *pair = pair_new();
	struct script *s;

	pair->hook = lose_nth;
	pair->hook_context = &lose;
	pair_start(pair);
	s = script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(s->completed, 1);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 0);
	/*
	 * AckReq is on the 100th packet only, which starts after 4,194 + 98 x 4,178 bytes; the
	 * timer runs 100 us from there. Then all go again from the first, but the first
	 * duplicate is acknowledged with PSN 98 after 4,194 x 80 ps + 86 x 80 ps + 2 us =
	 * 2,342,400 ps, when the 8th has just started: the lost one is next.
	 */
	ck_assert_uint_eq(pair->flows[0].retransmitted_packets, 9);
	ck_assert_uint_eq(pair->flows[0].end_ps - pair->flows[0].start_ps,
			  (4194 + 98 * 4178) * 80ULL + 100000000 + (4194 + 8 * 4178) * 80ULL +
				  86 * 80 + 2 * PAIR_DELAY_PS);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(lost_nak_is_repaired_by_the_timer)
{
	/* The 11th packet is lost and so is the NAK: silence until the timer. */
	struct message message = {.peer = 1, .bytes = 409600, .verb = VERB_WRITE, .dscp = 26};
	struct lose both[2] = {{.from = 0, .n = 10, .count = 1}, {.from = 1, .n = 0, .count = 1}};
	struct pair *pair = pair_new();

	pair->hook = lose_two;
	pair->hook_context = both;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 1);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, 1);
	pair_free(pair);
}
END_TEST

START_TEST(retry_limit_fails_the_messages)
{
	static const struct message messages[] = {
		{.peer = 1, .bytes = 100, .verb = VERB_WRITE, .dscp = 26},
		{.peer = 1, .bytes = 5000, .verb = VERB_READ, .dscp = 26},
	};
	struct lose lose = {.from = 0, .n = 0, .count = UINT32_MAX};
	const struct host_results *sender;
	struct pair *pair = pair_new();
	struct script *late;

	pair->cfg[0].retry_limit = 3;
	pair->hook = lose_nth;
	pair->hook_context = &lose;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	script_add(pair, 0, messages, 2, PAIR_START_PS);
	late = script_add(pair, 0, messages, 1, 5 * UNITS_PS_PER_MS);
	/* 4 timeouts of 100 us, each from the (re)transmission: no sooner, no later. */
	pair_run(pair, PAIR_START_PS + 4 * 100000000);
	ck_assert_uint_eq(sender->messages_failed, 0);
	pair_run(pair, PAIR_START_PS + 4 * 100000000 + 100000);
	ck_assert_uint_eq(sender->timeouts, 4);
	ck_assert_uint_eq(sender->messages_failed, 2);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	/* The QP is in the error state: what is posted later fails at once. */
	ck_assert_uint_eq(sender->messages_failed, 3);
	ck_assert_uint_eq(late->completed, 0);
	ck_assert_uint_eq(pair->flow_count, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert(pair->flows[i].failed);
		ck_assert_uint_eq(pair->flows[i].end_ps, 0);
	}
	ck_assert(host_done(pair->host[0]));
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

START_TEST(lost_read_responses_are_asked_for_again)
{
	/* Loss of the request, the first, a middle, the last response, and a burst. */
	static const struct lose cases[] = {
		{0, 0, 1}, {1, 0, 1}, {1, 50, 1}, {1, 99, 1}, {1, 30, 40}, {1, 150, 3},
	};
	struct message messages[] = {
		{.peer = 1, .bytes = 409600, .verb = VERB_READ, .dscp = 26},
		{.peer = 1, .bytes = 409600, .verb = VERB_READ, .dscp = 26},
		{.peer = 1, .bytes = 10000, .verb = VERB_WRITE, .dscp = 26},
	};
	struct lose lose = cases[_i];
	struct pair *pair = pair_new();

	pair->hook = lose_nth;
	pair->hook_context = &lose;
	pair_start(pair);
	pair_run_messages(pair, messages, 3);
	ck_assert_uint_le(host_results(pair->host[0])->timeouts, 1);
	pair_free(pair);
}
END_TEST

struct outstanding_reads {
	int32_t now;
	int32_t max;
};

static enum pair_fate
count_reads(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct outstanding_reads *reads = pair->hook_context;

	if (from == 0 && p->opcode == ROCE_READ_REQUEST && ++reads->now > reads->max)
		reads->max = reads->now;
	if (from == 1 &&
	    (p->opcode == ROCE_READ_RESPONSE_LAST || p->opcode == ROCE_READ_RESPONSE_ONLY))
		reads->now--;
	return PAIR_PASS;
}

START_TEST(outstanding_reads_are_limited)
{
	struct outstanding_reads reads = {0};
	struct message messages[40];
	struct pair *pair = pair_new();

	for (int i = 0; i < 40; i++)
		messages[i] =
			(struct message){.peer = 1, .bytes = 20000, .verb = VERB_READ, .dscp = 26};
	pair->cfg[0].max_read_outstanding = 4;
	pair->hook = count_reads;
	pair->hook_context = &reads;
	pair_start(pair);
	pair_run_messages(pair, messages, 40);
	ck_assert_int_eq(reads.max, 4);
	pair_free(pair);
}
END_TEST

START_TEST(window_limits_what_is_in_flight)
{
	/* One window of 16 packets a round trip: 64 packets take 4 of them. */
	struct message message = {.peer = 1, .bytes = 64 * 4096, .verb = VERB_WRITE, .dscp = 26};
	struct pair *pair = pair_new();
	uint64_t fct_ps;

	pair->cfg[0].window_bytes = 16 * 4096;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	fct_ps = pair->flows[0].end_ps - pair->flows[0].start_ps;
	/* Each round: 16 packets of 4,178 bytes (the first has a RETH), ACK, two delays. */
	ck_assert_uint_eq(fct_ps, 4 * (16 * 4178 * 80ULL + 86 * 80 + 2 * PAIR_DELAY_PS) + 16 * 80);
	pair_free(pair);
}
END_TEST

struct faults {
	struct prng prng;
	uint64_t drop_q32;
	uint64_t copy_q32;
	uint64_t swap_q32;
};

static enum pair_fate
random_faults(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct faults *faults = pair->hook_context;

	if (prng_chance(&faults->prng, faults->drop_q32))
		return PAIR_DROP;
	if (prng_chance(&faults->prng, faults->copy_q32))
		return PAIR_COPY;
	return prng_chance(&faults->prng, faults->swap_q32) ? PAIR_SWAP : PAIR_PASS;
}

START_TEST(every_message_once_whatever_the_network_does)
{
	struct faults faults = {.prng = prng_init((uint64_t)_i, 7),
				.drop_q32 = (1ULL << 32) / 200,
				.copy_q32 = (1ULL << 32) / 100,
				.swap_q32 = (1ULL << 32) / 100};
	struct prng prng = prng_init((uint64_t)_i, 8);
	struct message messages[60];
	struct pair *pair = pair_new();

	for (int i = 0; i < 60; i++)
		messages[i] =
			(struct message){.peer = 1,
					 .bytes = prng_below(&prng, 1ULL << prng_below(&prng, 20)),
					 .verb = verbs[prng_below(&prng, 5)],
					 .dscp = 26,
					 .qp = (uint8_t)prng_below(&prng, 3)};
	pair->env.seed = (uint64_t)_i;
	pair->peers[1].mtu_bytes = 1024;
	pair->peers[0].mtu_bytes = 1024;
	pair->cfg[0].ack_request_packets = _i % 3 * 5;
	pair->cfg[1].ack_coalesce = 1 + _i % 2;
	pair->cfg[0].window_bytes = _i % 4 == 0 ? 30000 : 0;
	pair->cfg[0].retransmit_timeout_ps = 20000000;
	pair->hook = random_faults;
	pair->hook_context = &faults;
	pair_start(pair);
	pair_run_messages(pair, messages, 60);
	pair_free(pair);
}
END_TEST

/* Turn the opcode of one frame into a Middle out of sequence. */
static enum pair_fate
break_opcode(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	uint32_t *done = pair->hook_context;

	if (from == 0 && !*done) {
		*rte_pktmbuf_mtod_offset(m, uint8_t *, packet_of(m)->l4_ofs + 8) = ROCE_SEND_MIDDLE;
		*done = 1;
	}
	return PAIR_PASS;
}

START_TEST(invalid_sequence_is_fatal)
{
	struct message message = {.peer = 1, .bytes = 100, .verb = VERB_SEND, .dscp = 26};
	struct pair *pair = pair_new();
	uint32_t done = 0;

	pair->hook = break_opcode;
	pair->hook_context = &done;
	pair_start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, 10 * UNITS_PS_PER_MS));
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->messages_delivered, 0);
	ck_assert_uint_eq(host_results(pair->host[0])->messages_failed, 1);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, 0);
	pair_finish(pair);
	pair_free(pair);
}
END_TEST

/* Flip one payload bit of the 5th frame. */
static enum pair_fate
corrupt(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	uint32_t *seen = pair->hook_context;

	if (from == 0 && (*seen)++ == 4)
		rte_pktmbuf_mtod(m, uint8_t *)[500] ^= 1;
	return PAIR_PASS;
}

START_TEST(bad_icrc_is_dropped_and_sent_again)
{
	struct message message = {.peer = 1, .bytes = 50000, .verb = VERB_WRITE, .dscp = 26};
	struct pair *pair = pair_new();
	uint32_t seen = 0;

	pair->pool_bytes = 4352;
	pair->pool_packets = 1024;
	pair->cfg[0].with_payload = pair->cfg[1].with_payload = true;
	pair->hook = corrupt;
	pair->hook_context = &seen;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	ck_assert_uint_eq(host_node(pair->host[1])->counters.dropped, 1);
	ck_assert_uint_eq(host_node(pair->host[1])->ports[0].drops[DROP_BAD_ICRC][3], 1);
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 1);
	pair_free(pair);
}
END_TEST

START_TEST(same_seed_same_digest)
{
	uint64_t digest[3];

	for (int i = 0; i < 3; i++) {
		struct faults faults = {.prng = prng_init(3, 7), .drop_q32 = (1ULL << 32) / 100};
		struct message messages[] = {
			{.peer = 1, .bytes = 1000000, .verb = VERB_WRITE, .dscp = 26},
			{.peer = 1, .bytes = 1000000, .verb = VERB_READ, .dscp = 26, .qp = 1},
		};
		struct pair *pair = pair_new();

		if (i == 2)
			faults.prng = prng_init(4, 7);
		pair->hook = random_faults;
		pair->hook_context = &faults;
		pair_start(pair);
		pair_run_messages(pair, messages, 2);
		digest[i] = host_node(pair->host[0])->digest.hash ^
			    prng_mix(host_node(pair->host[1])->digest.hash);
		pair_free(pair);
	}
	ck_assert_uint_eq(digest[0], digest[1]);
	ck_assert_uint_ne(digest[0], digest[2]);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("qp");
	TCase *tcase = tcase_create("transport");
	SRunner *runner;
	int failed;

	test_eal_init();
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, every_verb_and_size, 0, RTE_DIM(verbs));
	tcase_add_loop_test(tcase, opcodes_of_a_message, 0, 9);
	tcase_add_loop_test(tcase, packets_take_source_ports_in_turn, 0, 5);
	tcase_add_loop_test(tcase, ack_request_placement, 0, 3);
	tcase_add_test(tcase, psn_wraps);
	tcase_add_test(tcase, one_nak_a_gap);
	tcase_add_test(tcase, lost_nak_is_repaired_by_the_timer);
	tcase_add_test(tcase, lost_tail_is_repaired_by_the_timer);
	tcase_add_test(tcase, retry_limit_fails_the_messages);
	tcase_add_loop_test(tcase, lost_read_responses_are_asked_for_again, 0, 6);
	tcase_add_test(tcase, outstanding_reads_are_limited);
	tcase_add_test(tcase, window_limits_what_is_in_flight);
	tcase_add_loop_test(tcase, every_message_once_whatever_the_network_does, 0, 40);
	tcase_add_test(tcase, invalid_sequence_is_fatal);
	tcase_add_test(tcase, bad_icrc_is_dropped_and_sent_again);
	tcase_add_test(tcase, same_seed_same_digest);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	/* DPDK's memory belongs to the process that initialised it. */
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
