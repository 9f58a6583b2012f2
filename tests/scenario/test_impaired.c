/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs with impaired ports: whatever the wires do, every message completes exactly once, the
 * invariants hold (the rig checks them), and the same seed gives the same run.
 */
#include "rig.h"

#include "prng.h"

enum { CONFIGS = 50 };

static struct rig *
run(uint64_t seed, const char *payload, const char *impairments)
{
	return rig_run(
		"seed: %llu\n"
		"payload: %s\n"
		"switches: {s: {profile: tomahawk-7060cx, ports: 4, rate: 100Gbps}}\n"
		"hosts: {h: {count: 4, nic: 100Gbps, timeout: 5, retry: 7}}\n"
		"links: [{from: h, to: s, delay: 1us}]\n"
		"impairments:\n%s"
		"workload:\n"
		"  - incast: {from: 'h[1-2]', to: 'h[0]', size: 100KB, rounds: 5, period: "
		"50us}\n"
		"  - incast: {from: 'h[0]', to: 'h[3]', size: 30KB, rounds: 5, period: 50us, "
		"verb: read}\n",
		(unsigned long long)seed, payload, impairments);
}

static uint64_t
permille(struct prng *p, uint64_t most)
{
	return prng_below(p, most + 1);
}

/* One entry of the list, of everything that can go wrong, at a port or two. */
static void
draw(struct prng *p, char *text, size_t bytes)
{
	static const char *const ports[] = {"h[0]", "h[1]", "s[0]", "s[0-3]", "h[2-3]"};
	static const char *const directions[] = {"rx", "tx", "both"};

	snprintf(text, bytes,
		 "  - {port: '%s', direction: %s, from: %lluus, until: %lluus, loss: 0.%llu%%, "
		 "duplicate: 0.%llu%%, reorder: 0.%llu%%, reorder_delay: %lluns, delay: %lluns, "
		 "jitter: %lluns, bit_errors: 0.%llu%%, mark: %llu%%, loss_every: %llu, "
		 "mac_control: %s}\n",
		 ports[prng_below(p, 5)], directions[prng_below(p, 3)],
		 (unsigned long long)prng_below(p, 50),
		 (unsigned long long)(60 + prng_below(p, 500)), (unsigned long long)permille(p, 9),
		 (unsigned long long)permille(p, 9), (unsigned long long)permille(p, 9),
		 (unsigned long long)(1 + prng_below(p, 20000)),
		 (unsigned long long)prng_below(p, 3000), (unsigned long long)prng_below(p, 3000),
		 (unsigned long long)permille(p, 9), (unsigned long long)prng_below(p, 20),
		 (unsigned long long)(prng_below(p, 3) == 0 ? 50 + prng_below(p, 200) : 0),
		 prng_below(p, 4) == 0 ? "yes" : "no");
}

START_TEST(every_message_completes_once)
{
	for (uint64_t i = 0; i < CONFIGS; i++) {
		struct prng p = prng_init(20260103, i);
		const char *payload = prng_below(&p, 2) ? "full" : "elided";
		char text[2048] = "";
		size_t used = 0;
		struct rig *r;

		for (uint64_t n = 0; n <= i % 3; n++) {
			draw(&p, text + used, sizeof(text) - used);
			used = strlen(text);
		}
		r = run(i, payload, text);
		rig_assert_all_delivered(r, 15);
		if (i % 10 == 0) {
			struct rig *again = run(i, payload, text);

			ck_assert_uint_eq(r->digest, again->digest);
			rig_free(again);
		}
		rig_free(r);
	}
}
END_TEST

/* Found by CRC where the payload is in memory, by its flag where not: the same packets. */
START_TEST(bit_errors_are_bad_icrc_and_sent_again)
{
	static const char *const payloads[] = {"full", "elided"};
	uint64_t dropped[2];

	for (int i = 0; i < 2; i++) {
		struct rig *r =
			run(1, payloads[i], "  - {port: 'h[0]', direction: rx, bit_errors: 2%}\n");
		const struct impair_counters *c =
			&host_node(r->fabric->hosts[0])->ports[0].impair->counters;

		dropped[i] = rig_drops(r, DROP_BAD_ICRC);
		ck_assert_uint_gt(dropped[i], 0);
		ck_assert_uint_eq(dropped[i], c->corrupted);
		ck_assert_uint_eq(rig_all_drops(r), dropped[i]);
		rig_assert_all_delivered(r, 15);
		rig_free(r);
	}
	ck_assert_uint_eq(dropped[0], dropped[1]);
}
END_TEST

/* 65,535 quanta at 100 Gb/s are 335.5 us: five XOFFs, 100 us apart, stop h0 for 735.5 us. */
START_TEST(storm_stops_the_peer)
{
	struct rig *r = run(1, "elided",
			    "  - {port: 's[1]', direction: tx, from: 10us, until: 510us, pause: "
			    "{priorities: [3], interval: 100us}}\n");
	const struct node_port *h1 = &host_node(r->fabric->hosts[1])->ports[0];

	ck_assert_uint_eq(h1->pfc_rx.xoff_frames[3], 5);
	ck_assert_uint_ge(h1->pfc_rx.paused_ps[3], 735 * UNITS_PS_PER_US);
	ck_assert_uint_le(h1->pfc_rx.paused_ps[3], 737 * UNITS_PS_PER_US);
	rig_assert_all_delivered(r, 15);
	rig_free(r);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {every_message_completes_once,
				      bit_errors_are_bad_icrc_and_sent_again, storm_stops_the_peer};

	return rig_main("impaired", tests, sizeof(tests) / sizeof(tests[0]));
}
