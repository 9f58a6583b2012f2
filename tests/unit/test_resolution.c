/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that knows a peer by its IP address only asks for the MAC address; what it has for the
 * peer waits until it knows, or until it gives up.
 */
#include "neighbour_bed.h"

#define RETRY_PS UNITS_PS_PER_S
#define TRIES 10

/* What host 1 knows of the others: of hosts 0 and 2 no MAC address. */
static struct host_peer known[PAIR_MAX_PEERS];
static struct host_env env;

static void
start(struct pair *pair)
{
	pair_start(pair);
	memcpy(known, pair->peers, sizeof(known));
	for (int i = 0; i <= 2; i += 2) {
		known[i].mac_unknown = true;
		memset(known[i].address.mac, 0xee, 6);
	}
	env = pair->env;
	env.peers = known;
	pair->host[1]->env = &env;
}

static void
message_to_0(struct pair *pair, struct message *message, enum verb verb)
{
	*message =
		(struct message){.peer = 0, .bytes = verb == VERB_UDP ? 200 : 10000, .verb = verb};
	script_add(pair, 1, message, 1, PAIR_START_PS);
}

/* Host 1 knows host 0 by IP address only: it asks, host 0 answers, the message goes through. */
START_TEST(a_peer_is_found)
{
	/* RFC 826; and for IPv6 from the other end, which checks it: see below. */
	static const uint8_t request[42] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0,  0, 0, 0, 2, 8, 6, 0, 1, 8, 0,  6, 4, 0,
		1,    2,    0,    0,    0,    0,    2, 10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
	struct seen seen;
	struct pair *pair = bed(&seen, _i == 1);
	struct message message;

	start(pair);
	message_to_0(pair, &message, VERB_WRITE);
	ck_assert(pair_run(pair, UNITS_PS_PER_S));
	ck_assert_uint_eq(pair->flow_count, 1);
	ck_assert(!pair->flows[0].failed);
	ck_assert_uint_gt(pair->flows[0].end_ps, 0);
	ck_assert_uint_eq(seen.count, 1);
	if (_i == 0) {
		ck_assert_mem_eq(seen.frames[0].at, request, 42);
		check_padding(&seen.frames[0], 42);
	} else {
		const uint8_t *ip = seen.frames[0].at + 14;

		/* To ff02::1:ff00:1 as 33:33:ff:00:00:01, from us, for fd00::1, with our MAC. */
		ck_assert_mem_eq(seen.frames[0].at, ((uint8_t[6]){0x33, 0x33, 0xff, 0, 0, 1}), 6);
		ck_assert_mem_eq(ip + 24, ((uint8_t[16]){0xff, 2, [11] = 1, [12] = 0xff, [15] = 1}),
				 16);
		ck_assert_uint_eq(ip[7], 255);
		ck_assert_mem_eq(ip + 8, my_ipv6, 16);
		ck_assert_uint_eq(ip[40], 135);
		ck_assert_uint_eq(ip[42] << 8 | ip[43], icmpv6_checksum(ip));
		ck_assert_mem_eq(ip + 48, asker_ipv6, 16);
		ck_assert_mem_eq(ip + 64, ((uint8_t[8]){1, 1, 2, 0, 0, 0, 0, 2}), 8);
	}
	/* Round trip for the question, then for the message; no timer prolongs the run. */
	ck_assert_uint_gt(pair->flows[0].end_ps, PAIR_START_PS + 4 * PAIR_DELAY_PS);
	ck_assert_uint_lt(pair->now_ps, PAIR_START_PS + 10 * PAIR_DELAY_PS);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_asked, 1);
	ck_assert_uint_eq(host_results(pair->host[0])->neighbours_answered, 1);
	ck_assert_uint_eq(host_asked_in_vain(pair->host[1], 0), 0);
	ck_assert(host_done(pair->host[1]));
	end(pair);
}
END_TEST

/* It is READ from, too: responses come back by the learned address. And datagrams. */
START_TEST(what_waits_goes_on)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct message messages[4];

	start(pair);
	message_to_0(pair, &messages[0], VERB_READ);
	message_to_0(pair, &messages[1], VERB_UDP);
	message_to_0(pair, &messages[2], VERB_SEND);
	message_to_0(pair, &messages[3], VERB_UDP);
	ck_assert(pair_run(pair, UNITS_PS_PER_S));
	ck_assert_uint_eq(host_results(pair->host[1])->messages_completed, 2);
	ck_assert_uint_eq(host_results(pair->host[0])->udp_received, 2);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_asked, 1);
	end(pair);
}
END_TEST

/* Of two peers one answers: what is for the other is not touched, and lost once. */
START_TEST(what_waits_is_for_one_peer)
{
	const struct message messages[] = {{.peer = 2, .bytes = 200, .verb = VERB_UDP},
					   {.peer = 0, .bytes = 200, .verb = VERB_UDP},
					   {.peer = 2, .bytes = 200, .verb = VERB_UDP},
					   {.peer = 0, .bytes = 200, .verb = VERB_UDP},
					   {.peer = 2, .bytes = 200, .verb = VERB_SEND},
					   {.peer = 0, .bytes = 200, .verb = VERB_SEND}};
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct node *node;

	start(pair);
	node = host_node(pair->host[1]);
	script_add(pair, 1, messages, RTE_DIM(messages), PAIR_START_PS);
	ck_assert(!pair_run(pair, RETRY_PS / 2));
	ck_assert_uint_eq(host_results(pair->host[0])->udp_received, 2);
	ck_assert_uint_eq(host_results(pair->host[1])->messages_completed, 1);
	ck_assert_uint_eq(node->ports[0].drops[DROP_NO_NEIGHBOUR][0], 0);
	ck_assert(pair_run(pair, 20 * RETRY_PS));
	ck_assert_uint_eq(host_results(pair->host[0])->udp_received, 2);
	ck_assert_uint_eq(host_results(pair->host[1])->messages_failed, 1);
	ck_assert_uint_eq(node->ports[0].drops[DROP_NO_NEIGHBOUR][0], 2);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_asked, 1 + TRIES);
	ck_assert_uint_eq(host_asked_in_vain(pair->host[1], 2), TRIES);
	end(pair);
}
END_TEST

/* Who sends first need not be known: the acknowledgement waits for the answer as well. */
START_TEST(answers_of_the_transport_wait)
{
	struct message message = {.peer = 1, .bytes = 5000, .verb = VERB_SEND};
	struct seen seen;
	struct pair *pair = bed(&seen, false);

	start(pair);
	script_add(pair, 0, &message, 1, PAIR_START_PS);
	ck_assert(pair_run(pair, UNITS_PS_PER_S));
	ck_assert_uint_eq(host_results(pair->host[0])->messages_completed, 1);
	ck_assert_uint_eq(seen.count, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_asked, 1);
	end(pair);
}
END_TEST

START_TEST(a_silent_peer_is_given_up)
{
	struct seen seen;
	struct pair *pair = bed(&seen, _i == 1);
	struct message messages[2], later = {.peer = 0, .bytes = 64, .verb = VERB_SEND, .qp = 1};
	struct node *node;

	seen.lose = true;
	start(pair);
	node = host_node(pair->host[1]);
	message_to_0(pair, &messages[0], VERB_WRITE);
	message_to_0(pair, &messages[1], VERB_UDP);
	/* On a queue pair that is new then. */
	script_add(pair, 1, &later, 1, PAIR_START_PS + 20 * RETRY_PS);
	ck_assert(!pair_run(pair, PAIR_START_PS + TRIES * RETRY_PS));
	ck_assert_uint_eq(seen.count, TRIES);
	ck_assert_uint_eq(pair->flow_count, 0);
	ck_assert_uint_eq(host_asked_in_vain(pair->host[1], 0), TRIES);
	ck_assert(!host_done(pair->host[1]));
	ck_assert(pair_run(pair, PAIR_START_PS + 30 * RETRY_PS));
	ck_assert_uint_eq(seen.count, TRIES);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_lost, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->messages_failed, 2);
	ck_assert_uint_eq(node->ports[0].drops[DROP_NO_NEIGHBOUR][0], 1);
	ck_assert(host_done(pair->host[1]));
	end(pair);
}
END_TEST

/* One lost question costs one interval. */
static enum pair_fate
lose_first(struct pair *pair, int from, struct rte_mbuf *m, const struct roce_packet *p)
{
	struct seen *seen = pair->hook_context;

	if (from != 1 || p != NULL)
		return PAIR_PASS;
	return seen->count++ == 0 ? PAIR_DROP : PAIR_PASS;
}

START_TEST(it_asks_again)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct message message;

	pair->hook = lose_first;
	start(pair);
	message_to_0(pair, &message, VERB_WRITE);
	ck_assert(pair_run(pair, 10 * RETRY_PS));
	ck_assert_uint_eq(seen.count, 2);
	ck_assert_uint_eq(host_results(pair->host[1])->messages_completed, 1);
	ck_assert_uint_gt(pair->flows[0].end_ps, PAIR_START_PS + RETRY_PS);
	ck_assert_uint_lt(pair->flows[0].end_ps, PAIR_START_PS + RETRY_PS + 10 * PAIR_DELAY_PS);
	end(pair);
}
END_TEST

/* RFC 826: one who asks us says who it is. */
START_TEST(one_who_asks_is_known)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct message message;
	struct frame f;

	seen.lose = true;
	start(pair);
	message_to_0(pair, &message, VERB_WRITE);
	(void)pair_run(pair, 2 * PAIR_START_PS);
	ck_assert_uint_eq(seen.count, 1);
	arp_request(&f, -1);
	arrive(pair, &f);
	ck_assert(pair_run(pair, RETRY_PS));
	ck_assert_uint_eq(host_results(pair->host[1])->messages_completed, 1);
	end(pair);
}
END_TEST

/* What is known stays: neither asked for nor taken from others. */
START_TEST(a_given_address_is_kept)
{
	struct seen seen;
	struct pair *pair = bed(&seen, false);
	struct message message;
	struct frame f;

	pair_start(pair);
	arp_request(&f, -1);
	f.at[22 + 5] = 0x77; /* another MAC address for 10.0.0.1 */
	arrive(pair, &f);
	message_to_0(pair, &message, VERB_WRITE);
	ck_assert(pair_run(pair, RETRY_PS));
	ck_assert_uint_eq(host_results(pair->host[1])->messages_completed, 1);
	ck_assert_uint_eq(host_results(pair->host[1])->neighbours_asked, 0);
	end(pair);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("resolution");
	TCase *tc = suite_topic(suite, "resolution");

	test_eal_init();
	tcase_add_loop_test(tc, a_peer_is_found, 0, 2);
	tcase_add_test(tc, what_waits_goes_on);
	tcase_add_test(tc, what_waits_is_for_one_peer);
	tcase_add_test(tc, answers_of_the_transport_wait);
	tcase_add_loop_test(tc, a_silent_peer_is_given_up, 0, 2);
	tcase_add_test(tc, it_asks_again);
	tcase_add_test(tc, one_who_asks_is_known);
	tcase_add_test(tc, a_given_address_is_kept);
	return suite_run(suite);
}
