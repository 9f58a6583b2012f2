/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receivers on networks that lose and reorder, by configuration: every message is delivered once,
 * and out-of-order receivers stand what makes go-back-N collapse.
 */
#include "rig.h"

#include "prng.h"

enum { CONFIGS = 40, MESSAGES = 15 };

/*
 * 4 hosts, 15 messages of WRITEs, READs and SENDs. CNPs on reorder may slow a sender down to its
 * least rate, at which a packet must take less than the retransmit timer.
 */
static struct rig *
run(uint64_t seed, const char *receiver, const char *impairments)
{
	return rig_run(
		"seed: %llu\n"
		"switches: {s: {profile: tomahawk-7060cx, ports: 4, rate: 100Gbps}}\n"
		"hosts: {h: {count: 4, nic: 100Gbps, timeout: 6, retry: 7, receiver: %s,\n"
		"  congestion_control: {preset: dcqcn, min_rate: 1Gbps}}}\n"
		"links: [{from: h, to: s, delay: 1us}]\n"
		"impairments:\n%s"
		"workload:\n"
		"  - incast: {from: 'h[1-2]', to: 'h[0]', size: 500KB, rounds: 3, period: 100us}\n"
		"  - incast: {from: 'h[0]', to: 'h[3]', size: 300KB, rounds: 3, period: 100us, "
		"verb: "
		"read}\n"
		"  - incast: {from: 'h[3]', to: 'h[1]', size: 300KB, rounds: 6, period: 50us, "
		"verb: "
		"send_imm}\n",
		(unsigned long long)seed, receiver, impairments);
}

static uint64_t
sum(const struct rig *r, size_t offset)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		total += *(const uint64_t *)((const char *)host_results(r->fabric->hosts[i]) +
					     offset);
	return total;
}

#define SUM(r, member) sum(r, offsetof(struct host_results, member))

static uint64_t
last_end_ps(const struct rig *r)
{
	uint64_t last_ps = 0;

	for (uint32_t i = 0; i < r->flow_count; i++)
		last_ps = RTE_MAX(last_ps, r->flows[i].end_ps);
	return last_ps;
}

/* A tenth of the frames 5 us late, which is 15 packets of 4 KiB at 100 Gb/s: no frame is lost. */
static const char reordered[] =
	"  - {port: 'h[0-3]', direction: rx, reorder: 10%, reorder_delay: 5us}\n";

START_TEST(placing_out_of_order_needs_no_repeats)
{
	struct rig *r = run(1, "out-of-order", reordered);

	rig_assert_all_delivered(r, MESSAGES);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	ck_assert_uint_eq(SUM(r, retransmitted_packets), 0);
	ck_assert_uint_eq(SUM(r, naks_sent), 0);
	ck_assert_uint_eq(SUM(r, duplicates), 0);
	ck_assert_uint_gt(SUM(r, reordered_packets), 100);
	/* No packet is later than 5 us: at 100 Gb/s, 4,178 bytes and the gap, 14.9 packets. */
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_le(host_reorder_distance(r->fabric->hosts[i])->counters == NULL
					  ? 0
					  : host_reorder_distance(r->fabric->hosts[i])->max,
				  15);
	rig_free(r);
}
END_TEST

START_TEST(go_back_n_collapses)
{
	struct rig *placed = run(1, "out-of-order", reordered);
	struct rig *back = run(1, "go-back-n", reordered);

	rig_assert_all_delivered(back, MESSAGES);
	ck_assert_uint_gt(SUM(back, retransmitted_packets), SUM(placed, data_packets_sent) / 2);
	ck_assert_uint_gt(last_end_ps(back), last_end_ps(placed) * 5 / 4);
	rig_free(placed);
	rig_free(back);
}
END_TEST

/* Each lost frame is sent again, and hardly anything else: ACKs and NAKs are lost as well. */
START_TEST(losses_cost_what_was_lost)
{
	static const char lossy[] = "  - {port: 'h[0-3]', direction: rx, loss: 0.5%}\n";
	struct rig *placed = run(1, "{ordering: out-of-order, nak_distance: 1}", lossy);
	struct rig *back = run(1, "go-back-n", lossy);

	rig_assert_all_delivered(placed, MESSAGES);
	rig_assert_all_delivered(back, MESSAGES);
	ck_assert_uint_gt(rig_drops(placed, DROP_IMPAIRED_LOSS), 5);
	ck_assert_uint_le(SUM(placed, retransmitted_packets),
			  2 * rig_drops(placed, DROP_IMPAIRED_LOSS));
	ck_assert_uint_gt(SUM(back, retransmitted_packets),
			  4 * rig_drops(back, DROP_IMPAIRED_LOSS));
	rig_free(placed);
	rig_free(back);
}
END_TEST

START_TEST(every_message_is_delivered_once)
{
	static const char *const reactions[] = {"nak", "cnp", "both", "none"};

	for (uint64_t i = 0; i < CONFIGS; i++) {
		struct prng p = prng_init(20260201, i);
		char receiver[128], impairments[256];
		struct rig *r;

		if (i % 4 == 0)
			snprintf(receiver, sizeof(receiver), "{on_reorder: %s}",
				 reactions[i / 4 % 4]);
		else
			snprintf(receiver, sizeof(receiver),
				 "{ordering: out-of-order, window: %llu, on_reorder: %s}",
				 8ULL << prng_below(&p, 8), reactions[prng_below(&p, 4)]);
		snprintf(impairments, sizeof(impairments),
			 "  - {port: 'h[0-3]', loss: 0.%llu%%, duplicate: %llu%%, reorder: %llu%%, "
			 "reorder_delay: %lluns, bit_errors: 0.%llu%%}\n",
			 (unsigned long long)prng_below(&p, 9),
			 (unsigned long long)prng_below(&p, 3),
			 (unsigned long long)prng_below(&p, 30),
			 (unsigned long long)(1 + prng_below(&p, 20000)),
			 (unsigned long long)prng_below(&p, 9));
		r = run(i, receiver, impairments);
		rig_assert_all_delivered(r, MESSAGES);
		ck_assert_uint_eq(SUM(r, bytes_delivered), 6 * 500000 + 3 * 300000 + 6 * 300000);
		if (i % 10 == 1) {
			struct rig *again = run(i, receiver, impairments);

			ck_assert_uint_eq(r->digest, again->digest);
			rig_free(again);
		}
		rig_free(r);
	}
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {placing_out_of_order_needs_no_repeats, go_back_n_collapses,
				      losses_cost_what_was_lost, every_message_is_delivered_once};

	return rig_main("receivers", tests, sizeof(tests) / sizeof(tests[0]));
}
