/* SPDX-License-Identifier: BSD-3-Clause */
/* The digest: the same for the same configuration and seed, another for another seed. */
#include "rig.h"

#define MIXED                                                                            \
	"seed: %u\n"                                                                     \
	"duration: 400us\n"                                                              \
	"payload: %s\n"                                                                  \
	"sample_interval: %s\n"                                                          \
	"switches: {tor: {profile: generic-32mb, ports: 9, rate: 100Gbps,\n"             \
	"  wred: {lossless: {min: 50KB, max: 200KB, probability: 20%%, ecn: all}}}}\n"   \
	"hosts: {h: {count: 9, nic: 100Gbps, mtu: 1024}}\n"                              \
	"links: [{from: 'h[0-8]', to: 'tor[0-8]', delay: 1us}]\n"                        \
	"workload:\n"                                                                    \
	"  - incast: {from: 'h[1-6]', to: 'h[0]', size: 200KB, at: 10us, jitter: 5us}\n" \
	"  - udp: {from: 'h[7-8]', to: 'h[0]', rate: 20Gbps, frame: 1024B, poisson: yes}\n"

static uint64_t
digest_of(unsigned int seed, const char *payload, const char *interval)
{
	struct rig *r = rig_run(MIXED, seed, payload, interval);
	uint64_t digest = r->digest;

	ck_assert_uint_gt(r->fabric->switches[0]->node.counters.hops, 1000);
	rig_free(r);
	return digest;
}

START_TEST(test_same_seed)
{
	ck_assert_uint_eq(digest_of(1, "elided", "0"), digest_of(1, "elided", "0"));
}
END_TEST

START_TEST(test_other_seed)
{
	ck_assert_uint_ne(digest_of(1, "elided", "0"), digest_of(2, "elided", "0"));
}
END_TEST

/* What is observed, and whether payloads are in memory, changes nothing that happens. */
START_TEST(test_observation)
{
	ck_assert_uint_eq(digest_of(3, "elided", "0"), digest_of(3, "full", "0"));
	ck_assert_uint_eq(digest_of(3, "elided", "0"), digest_of(3, "elided", "7us"));
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {test_same_seed, test_other_seed, test_observation};

	return rig_main("determinism", tests, sizeof(tests) / sizeof(tests[0]));
}
