/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receivers that place out of order, and senders that repeat only what is missing: every packet's
 * payload is placed exactly once whatever the network does, messages complete in order, and what
 * goes over the wire again is what was lost.
 */
#include "host_pair.h"

#include "impair.h"
#include "suite.h"

enum { QPS = 3, SEQS = 1 << 15 };

static const enum verb verbs[] = {VERB_SEND, VERB_SEND_IMM, VERB_WRITE, VERB_WRITE_IMM, VERB_READ};

/* Payload bytes + 1 by QP of host 0 and packet, 0 = not placed. */
static uint32_t placed[QPS][SEQS];

static void
record_placed(void *context, uint32_t host, uint32_t qpn, bool response, uint32_t psn,
	      uint32_t bytes)
{
	const struct pair *pair = context;
	uint8_t k = (uint8_t)qpn;
	uint32_t seq = (psn - qp_first_psn(pair->env.seed, 0, 1, k)) & ROCE_PSN_MASK;

	/* Host 0 requests: data goes to host 1, and responses to host 0. */
	ck_assert_uint_eq(host, response ? 0 : 1);
	ck_assert_uint_lt(k, QPS);
	ck_assert_uint_lt(seq, SEQS);
	ck_assert_msg(placed[k][seq] == 0, "QP %u packet %u is placed twice", k, seq);
	placed[k][seq] = bytes + 1;
}

/* Every packet of every message was placed, with its bytes, and none else. */
static void
check_placed(const struct message *messages, uint32_t count, uint32_t mtu)
{
	uint32_t next[QPS] = {0}, found = 0, expected = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t left = messages[i].bytes;

		do {
			uint32_t *seq = &next[messages[i].qp];
			uint32_t bytes = (uint32_t)RTE_MIN(left, mtu);

			ck_assert_uint_eq(placed[messages[i].qp][*seq], bytes + 1);
			(*seq)++;
			expected++;
			left -= bytes;
		} while (left != 0);
	}
	for (uint32_t k = 0; k < QPS; k++) {
		for (uint32_t i = 0; i < SEQS; i++)
			found += placed[k][i] != 0;
	}
	ck_assert_uint_eq(found, expected);
}

/* Both ends place out of order, in windows of that many packets. */
static struct pair *
selective_pair(uint32_t window, uint32_t nak_distance)
{
	struct pair *pair = pair_new();

	for (int i = 0; i < 2; i++) {
		pair->cfg[i].receiver = (struct receiver_cfg){.ordering = RECEIVER_OUT_OF_ORDER,
							      .window_packets = window,
							      .nak_distance = nak_distance};
		pair->peers[i].reorder_packets = window;
	}
	memset(placed, 0, sizeof(placed));
	pair->placed = record_placed;
	return pair;
}

/* The next seed at which the PSN of QP 0 wraps after 40 to 50 packets. */
static uint64_t
wrapping_seed(uint64_t seed)
{
	while (ROCE_PSN_MASK - qp_first_psn(seed, 0, 1, 0) - 40 > 10)
		seed++;
	return seed;
}

/* Lose the frames that a list names, counted from 0, of one side. */
struct lose {
	int from;
	uint32_t seen;
	uint32_t count;
	uint32_t frames[64];
};

static enum pair_fate
lose_listed(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct lose *lose = pair->hook_context;
	uint32_t index;

	if (from != lose->from)
		return PAIR_PASS;
	index = lose->seen++;
	for (uint32_t i = 0; i < lose->count; i++) {
		if (lose->frames[i] == index)
			return PAIR_DROP;
	}
	return PAIR_PASS;
}

static const struct lose losses[] = {
	{.from = 0, .count = 1, .frames = {10}},
	{.from = 0, .count = 5, .frames = {0, 3, 4, 500, 700}},
	{.from = 0, .count = 20, .frames = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109,
					    110, 111, 112, 113, 114, 115, 116, 117, 118, 119}},
	/* where PSNs wrap, with the seed for it */
	{.from = 0,
	 .count = 17,
	 .frames = {37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53}},
};

START_TEST(what_is_lost_is_sent_again_and_nothing_else)
{
	struct message message = {
		.peer = 1, .bytes = 4096000, .verb = _i % 2 ? VERB_WRITE : VERB_SEND, .dscp = 26};
	struct lose lose = losses[_i / 2];
	struct pair *pair = selective_pair(1024, 1);
	const struct host_results *sender, *receiver;

	pair->env.seed = _i / 2 == 3 ? wrapping_seed(1) : 1;
	pair->hook = lose_listed;
	pair->hook_context = &lose;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	receiver = host_results(pair->host[1]);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	ck_assert_uint_eq(sender->retransmitted_packets, lose.count);
	ck_assert_uint_eq(sender->retransmitted_nak, lose.count);
	ck_assert_uint_eq(receiver->naks_sent, lose.count);
	ck_assert_uint_eq(sender->timeouts, 0);
	ck_assert_uint_eq(receiver->duplicates, 0);
	ck_assert_uint_gt(receiver->reorder_held_max, 1);
	/* Nothing was reordered by the network: what is late was sent late. */
	ck_assert_uint_eq(receiver->reordered_packets, 0);
	ck_assert_uint_eq(sender->data_packets_sent, 1000 + lose.count);
	pair_free(pair);
}
END_TEST

START_TEST(lost_responses_are_asked_for_again_and_nothing_else)
{
	struct message message = {.peer = 1, .bytes = 4096000, .verb = VERB_READ, .dscp = 26};
	struct lose lose = losses[_i];
	struct pair *pair = selective_pair(2048, 1);
	const struct host_results *reader, *responder;

	pair->env.seed = _i == 3 ? wrapping_seed(1) : 1;
	lose.from = 1;
	pair->hook = lose_listed;
	pair->hook_context = &lose;
	pair_start(pair);
	reader = host_results(pair->host[0]);
	responder = host_results(pair->host[1]);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	ck_assert_uint_eq(responder->retransmitted_gap, lose.count);
	ck_assert_uint_eq(responder->data_packets_sent, 1000 + lose.count);
	/* A run of missing responses is asked for as one. */
	ck_assert_uint_eq(reader->retransmitted_gap, _i == 1 ? 4 : 1);
	ck_assert_uint_eq(reader->retransmitted_packets, reader->retransmitted_gap);
	ck_assert_uint_eq(reader->duplicates, 0);
	ck_assert_uint_eq(reader->timeouts, 0);
	pair_free(pair);
}
END_TEST

/* Silent receivers: the timer finds the first, acknowledgements that stop short the others. */
START_TEST(without_naks_one_timeout_repairs_all)
{
	struct message message = {.peer = 1, .bytes = 4096000, .verb = verbs[_i], .dscp = 26};
	struct lose lose = losses[1];
	struct pair *pair = selective_pair(2048, 1);
	int data_from = verbs[_i] == VERB_READ;
	const struct host_results *sender;

	lose.from = data_from;
	pair->cfg[0].receiver.silent = pair->cfg[1].receiver.silent = true;
	pair->cfg[0].retransmit_timeout_ps = 400 * UNITS_PS_PER_US;
	pair->hook = lose_listed;
	pair->hook_context = &lose;
	pair_start(pair);
	sender = host_results(pair->host[0]);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	ck_assert_uint_eq(sender->timeouts, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, 0);
	ck_assert_uint_eq(sender->retransmitted_timeout, data_from ? 4 : 5);
	ck_assert_uint_eq(sender->retransmitted_packets, sender->retransmitted_timeout);
	ck_assert_uint_eq(host_results(pair->host[data_from])->data_packets_sent, 1005);
	pair_free(pair);
}
END_TEST

static enum pair_fate
swap_every_16th(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	uint32_t *seen = pair->hook_context;

	return from == 0 && ++*seen % 16 == 0 ? PAIR_SWAP : PAIR_PASS;
}

/* Two neighbours change places: a packet is 1 behind, and is missing to whoever looks no further.
 */
START_TEST(reordering_is_measured_and_tolerated)
{
	struct message message = {.peer = 1, .bytes = 4096000, .verb = VERB_WRITE, .dscp = 26};
	struct pair *pair = selective_pair(64, 2);
	const struct histogram *distance;
	const struct host_results *receiver;
	uint32_t seen = 0;

	if (_i == 1)
		pair->cfg[1].receiver.nak_distance = 1;
	if (_i == 2)
		pair->peers[1].reorder_packets = 0; /* so both go back N */
	if (_i == 2)
		pair->cfg[1].receiver.ordering = RECEIVER_GO_BACK_N;
	pair->hook = swap_every_16th;
	pair->hook_context = &seen;
	pair_start(pair);
	receiver = host_results(pair->host[1]);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	distance = host_reorder_distance(pair->host[1]);
	ck_assert_uint_gt(receiver->reordered_packets, 20);
	ck_assert_uint_eq(distance->count, receiver->reordered_packets);
	ck_assert_uint_eq(histogram_percentile(distance, 500000), 1);
	ck_assert_uint_eq(receiver->data_packets_received,
			  1000 + host_results(pair->host[0])->retransmitted_packets);
	if (_i == 0) {
		ck_assert_uint_eq(distance->max, 1);
		ck_assert_uint_eq(receiver->naks_sent, 0);
		ck_assert_uint_eq(receiver->reorder_held_max, 1);
		ck_assert_uint_eq(host_results(pair->host[0])->retransmitted_packets, 0);
	} else if (_i == 1) {
		/* Each is NAKed in vain, and comes twice. */
		ck_assert_uint_gt(receiver->naks_sent, 20);
		ck_assert_uint_eq(receiver->duplicates, receiver->naks_sent);
	} else {
		ck_assert_uint_eq(receiver->reorder_held_max, 0);
		ck_assert_uint_gt(host_results(pair->host[0])->retransmitted_nak,
				  3 * receiver->naks_sent);
	}
	pair_free(pair);
}
END_TEST

static enum pair_fate
swap_first(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	return p->opcode == ROCE_WRITE_FIRST ? PAIR_SWAP : PAIR_PASS;
}

/* The Last comes first, and its AckReq is answered when the First has come: at once. */
START_TEST(request_for_an_ack_waits_with_its_packet)
{
	struct message message = {.peer = 1, .bytes = 400, .verb = VERB_WRITE, .dscp = 26};
	struct pair *pair = selective_pair(64, 8);

	pair->peers[0].mtu_bytes = pair->peers[1].mtu_bytes = 256;
	pair->cfg[1].ack_coalesce = 4;
	pair->hook = swap_first;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 256);
	ck_assert_uint_eq(host_results(pair->host[1])->reorder_held_max, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->reordered_packets, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->acks_sent, 1);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, 0);
	pair_free(pair);
}
END_TEST

/* A sender with a window of its own, larger than the receiver's: what lies beyond is dropped. */
START_TEST(beyond_the_window_is_dropped_and_asked_for)
{
	struct message message = {.peer = 1, .bytes = 4096000, .verb = VERB_WRITE, .dscp = 26};
	struct lose lose = losses[0];
	struct pair *pair = selective_pair(4, 1);
	uint64_t dropped;

	pair->cfg[1].receiver.silent = _i == 1;
	pair->cfg[0].window_bytes = _i == 2 ? 0 : 64 * 4096;
	pair->hook = lose_listed;
	pair->hook_context = &lose;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	dropped = host_node(pair->host[1])->ports[0].drops[DROP_REORDER_WINDOW][3];
	ck_assert_uint_eq(dropped, host_node(pair->host[1])->counters.dropped);
	/* One that heeds the receiver's window loses nothing more. */
	if (_i == 2)
		ck_assert_uint_eq(dropped, 0);
	else
		ck_assert_uint_gt(dropped, 0);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, 0);
	ck_assert_uint_eq(host_results(pair->host[0])->retransmitted_packets, 1 + dropped);
	ck_assert_uint_le(host_results(pair->host[1])->reorder_held_max, 3);
	pair_free(pair);
}
END_TEST

/* What is sent when packets come early: by go-back-N and selective receivers. */
START_TEST(reaction_is_selectable)
{
	struct message message = {.peer = 1, .bytes = 409600, .verb = VERB_WRITE, .dscp = 26};
	struct lose lose = losses[0];
	bool go_back = _i / 4, silent = _i & 1, cnp = _i & 2;
	struct pair *pair = selective_pair(256, 1);

	for (int i = 0; i < 2; i++) {
		pair->cfg[i].receiver.silent = silent;
		pair->cfg[i].receiver.cnp = cnp;
		if (go_back) {
			pair->cfg[i].receiver.ordering = RECEIVER_GO_BACK_N;
			pair->peers[i].reorder_packets = 0;
		}
	}
	pair->hook = lose_listed;
	pair->hook_context = &lose;
	pair_start(pair);
	pair_run_messages(pair, &message, 1);
	check_placed(&message, 1, 4096);
	ck_assert_uint_eq(host_results(pair->host[1])->naks_sent, !silent);
	ck_assert_uint_eq(host_results(pair->host[0])->timeouts, silent);
	if (cnp)
		ck_assert_uint_ge(host_results(pair->host[1])->cnp_sent, 1);
	else
		ck_assert_uint_eq(host_results(pair->host[1])->cnp_sent, 0);
	ck_assert_uint_eq(host_results(pair->host[0])->cnp_received,
			  host_results(pair->host[1])->cnp_sent);
	ck_assert_uint_eq(host_results(pair->host[1])->ce_received, 0);
	pair_free(pair);
}
END_TEST

struct faults {
	struct prng prng;
	uint32_t permille;
};

/* Payload bit errors, with payload in memory; copies and neighbours that change places. */
static enum pair_fate
random_faults(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct faults *faults = pair->hook_context;

	switch (prng_below(&faults->prng, 1000 / faults->permille)) {
	case 0:
		rte_pktmbuf_mtod(m, uint8_t *)[m->data_len - 1] ^= 1;
		return PAIR_PASS;
	case 1:
		return PAIR_COPY;
	case 2:
		return PAIR_SWAP;
	case 3:
		return PAIR_DROP;
	default:
		return PAIR_PASS;
	}
}

/* Reordering over many packets, both ways. */
static void
impair_both(struct pair *pair, uint64_t seed, uint64_t percent, uint64_t delay_ps)
{
	struct impair_cfg cfg = {.rx = true,
				 .until_ps = UNITS_NEVER_PS,
				 .loss_q32 = (1ULL << 32) / 200,
				 .duplicate_q32 = (1ULL << 32) / 100,
				 .reorder_q32 = (1ULL << 32) / 100 * percent,
				 .reorder_delay_ps = delay_ps};

	for (uint32_t i = 0; i < 2; i++) {
		struct impair *im;

		ck_assert_int_eq(impair_create(&im, &cfg, 1, seed, i), 0);
		node_impair(host_node(pair->host[i]), 0, im);
	}
}

static uint32_t
draw_messages(struct prng *prng, struct message *messages, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		messages[i] =
			(struct message){.peer = 1,
					 .bytes = prng_below(prng, 1ULL << prng_below(prng, 18)),
					 .verb = verbs[prng_below(prng, 5)],
					 .dscp = (uint8_t)(prng_below(prng, 2) ? 26 : 34),
					 .qp = (uint8_t)prng_below(prng, QPS)};
	return count;
}

START_TEST(every_packet_is_placed_once_whatever_the_network_does)
{
	static const uint32_t windows[] = {4, 16, 64, 1024};
	struct prng prng = prng_init((uint64_t)_i, 8);
	struct faults faults = {.prng = prng_init((uint64_t)_i, 7),
				.permille = 1 + (uint32_t)prng_below(&prng, 10)};
	uint32_t window = windows[prng_below(&prng, 4)];
	struct pair *pair = selective_pair(window, 1 + (uint32_t)prng_below(&prng, window - 1));
	struct message messages[60];

	draw_messages(&prng, messages, 60);
	pair->env.seed = _i % 4 == 0 ? wrapping_seed(100000 * (uint64_t)_i) : (uint64_t)_i;
	pair->pool_bytes = 1500;
	pair->pool_packets = 4096;
	for (int i = 0; i < 2; i++) {
		pair->peers[i].mtu_bytes = 512;
		pair->cfg[i].with_payload = true;
		pair->cfg[i].ack_request_packets = (uint32_t)prng_below(&prng, 3) * 5;
		pair->cfg[i].ack_coalesce = 1 + (uint32_t)prng_below(&prng, 3);
		pair->cfg[i].receiver.silent = prng_below(&prng, 4) == 0;
		pair->cfg[i].receiver.cnp = prng_below(&prng, 4) == 0;
		pair->cfg[i].retransmit_timeout_ps = 30000000;
	}
	pair->cfg[0].window_bytes = prng_below(&prng, 2) * (1024 + prng_below(&prng, 60000));
	if (_i % 5 == 0) { /* the same rules for go-back-N */
		pair->cfg[0].receiver.ordering = RECEIVER_GO_BACK_N;
		pair->peers[0].reorder_packets = 0;
	}
	pair->hook = random_faults;
	pair->hook_context = &faults;
	pair_start(pair);
	impair_both(pair, (uint64_t)_i, prng_below(&prng, 20), prng_below(&prng, 20000000));
	pair_run_messages(pair, messages, 60);
	check_placed(messages, 60, 512);
	for (int i = 0; i < 2; i++) {
		const struct host_results *h = host_results(pair->host[i]);

		ck_assert_uint_eq(h->retransmitted_packets, h->retransmitted_nak +
								    h->retransmitted_gap +
								    h->retransmitted_timeout);
		ck_assert_uint_lt(h->reorder_held_max, window);
	}
	pair_free(pair);
}
END_TEST

START_TEST(same_seed_same_digest)
{
	uint64_t digest[2];

	for (int i = 0; i < 2; i++) {
		struct faults faults = {.prng = prng_init(3, 7), .permille = 10};
		struct prng prng = prng_init(3, 8);
		struct message messages[30];
		struct pair *pair = selective_pair(64, 4);

		draw_messages(&prng, messages, 30);
		pair->hook = random_faults;
		pair->hook_context = &faults;
		pair->pool_bytes = 5000;
		pair->pool_packets = 2048;
		pair->cfg[0].with_payload = pair->cfg[1].with_payload = true;
		pair_start(pair);
		impair_both(pair, 3, 5, 5000000);
		pair_run_messages(pair, messages, 30);
		digest[i] = host_node(pair->host[0])->digest.hash ^
			    prng_mix(host_node(pair->host[1])->digest.hash);
		pair_free(pair);
	}
	ck_assert_uint_eq(digest[0], digest[1]);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("selective");
	TCase *tcase = tcase_create("selective");

	test_eal_init();
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, what_is_lost_is_sent_again_and_nothing_else, 0, 8);
	tcase_add_loop_test(tcase, lost_responses_are_asked_for_again_and_nothing_else, 0, 4);
	tcase_add_loop_test(tcase, without_naks_one_timeout_repairs_all, 0, RTE_DIM(verbs));
	tcase_add_loop_test(tcase, reordering_is_measured_and_tolerated, 0, 3);
	tcase_add_test(tcase, request_for_an_ack_waits_with_its_packet);
	tcase_add_loop_test(tcase, beyond_the_window_is_dropped_and_asked_for, 0, 3);
	tcase_add_loop_test(tcase, reaction_is_selectable, 0, 8);
	tcase_add_loop_test(tcase, every_packet_is_placed_once_whatever_the_network_does, 0, 100);
	tcase_add_test(tcase, same_seed_same_digest);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
