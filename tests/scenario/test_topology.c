/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic over generated topologies, and over what they are dumped as. */
#include "rig.h"

static const char *const kinds[] = {
	"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4}",
	"{kind: fat-tree, k: 4}",
	("{kind: three-tier, pods: 2, leaves: 2, hosts_per_leaf: 4, spine_links: "
	 "{oversubscription: "
	 "2}}"),
	"{kind: rail-optimized, servers: 4, gpus: 4, host: {mtu: 1024}}",
};

#define PERMUTATION "topology: %s\nworkload: [{elephants: {permutation: %s, size: 100KB}}]\n"

/* The dump holds groups and links by pattern, and is the same network to the last event. */
START_TEST(test_dump_runs_alike)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct rig *r = rig_run(PERMUTATION, kinds[i], i == 3 ? "gpu" : "h");
		struct rig *again;
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		rig_assert_all_delivered(r, 16);
		ck_assert_uint_eq(rig_all_drops(r), 0);
		config_dump(r->scenario, out);
		fclose(out);
		ck_assert_ptr_null(strstr(text, "topology"));
		again = rig_build(text);
		rig_drive(again);
		ck_assert_uint_eq(again->digest, r->digest);
		rig_free(again);
		rig_free(r);
		free(text);
	}
}
END_TEST

static uint64_t
sent_by_tier(const struct rig *r, const char *tier)
{
	uint64_t packets = 0;

	for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
		const struct node *n = &r->fabric->switches[i]->node;

		for (uint16_t p = 0; p < n->port_count; p++)
			if (strcmp(r->scenario->switches[i].tier, tier) == 0)
				packets += n->ports[p].tx_packets;
	}
	return packets;
}

/* Rings within rails stay on the rails' leaves; from rail to rail the spines must help. */
START_TEST(test_rails_keep_to_themselves)
{
	struct rig *r = rig_run("topology: {kind: rail-optimized, servers: 4, gpus: 4}\n"
				"workload: [{elephants: {from: 'gpu[*][*]', to: 'gpu[1-3,0][*]', "
				"size: 100KB}}]\n");

	rig_assert_all_delivered(r, 16);
	ck_assert_uint_gt(sent_by_tier(r, "leaf"), 0);
	ck_assert_uint_eq(sent_by_tier(r, "spine"), 0);
	rig_free(r);
	r = rig_run("topology: {kind: rail-optimized, servers: 4, gpus: 4}\n"
		    "workload: [{elephants: {from: 'gpu[*][0]', to: 'gpu[*][1]', size: 100KB}}]\n");
	rig_assert_all_delivered(r, 4);
	/* 25 packets of 4 KiB a message, and answers */
	ck_assert_uint_ge(sent_by_tier(r, "spine"), 4 * 25);
	rig_free(r);
}
END_TEST

/*
 * A pair alone, six links of 100 Gb/s and 1 us apart: WRITE only is 4,096 bytes and 14 + 20 + 8 +
 * 12 + 16 + 4 + 4 around them, 20 on the wire: 335.52 ns a link. Its answer, 66 and 20 bytes, 6.88
 * ns.
 */
START_TEST(test_six_links)
{
	struct rig *r = rig_run("topology: {kind: fat-tree, k: 4}\n"
				"workload: [{elephants: {from: h0, to: h15, size: 4096}}]\n");

	ck_assert_uint_eq(r->flow_count, 1);
	ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps,
			  6 * (335520 + 1000000) + 6 * (6880 + 1000000));
	rig_free(r);
}
END_TEST

#define TIERS                                                      \
	"hosts_per_leaf: 1, leaves: 1, spines: 1, rate: 100Gbps, " \
	"host_links: {delay: 300ns}, leaf_links: {rate: 50Gbps, delay: 2us}"
#define HIGHEST "{rate: 25Gbps, delay: 5us}"

/* Six links again, of three rates and delays: by tiers of a topology, and by hand. */
static const char *const tiers[] = {
	("topology: {kind: three-tier, pods: 2, cores: 1, " TIERS ", spine_links: " HIGHEST "}\n"),
	("topology: {kind: leaf-spine, clusters: 2, gateways: 1, " TIERS ", gateway_links: " HIGHEST
	 "}\n"),
	("switches:\n"
	 "  low: {count: 2, profile: generic-32mb, ports: 2, forwarding: {mode: l3}, "
	 "port_settings: [{ports: 1, rate: 50Gbps}]}\n"
	 "  middle: {count: 2, profile: generic-32mb, ports: 2, rate: 50Gbps, forwarding: {mode: "
	 "l3}, "
	 "port_settings: [{ports: 1, rate: 25Gbps}]}\n"
	 "  top: {profile: generic-32mb, ports: 2, rate: 25Gbps, forwarding: {mode: l3}}\n"
	 "hosts: {h: {count: 2}}\n"
	 "links:\n"
	 "  - {from: h, to: 'low[0-1][0]', delay: 300ns}\n"
	 "  - {from: 'low[0-1][1]', to: 'middle[0-1][0]', delay: 2us}\n"
	 "  - {from: 'middle[0-1][1]', to: top, delay: 5us}\n"),
};

#define ONE_MESSAGE "%sworkload: [{elephants: {from: h0, to: h1, size: 4096, at: 10us}}]\n"

/* 4,194 bytes on the wire take 335.52 ns at 100 Gb/s, the answer's 86 take 6.88 ns; half the rate,
 * twice the time. */
START_TEST(test_tiers_have_rates_and_delays)
{
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		struct rig *r = rig_run(ONE_MESSAGE, tiers[i]);

		ck_assert_uint_eq(r->flow_count, 1);
		ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps,
				  2 * (335520 + 6880 + 2 * 300000) +
					  2 * (2 * (335520 + 6880) + 2 * 2000000) +
					  2 * (4 * (335520 + 6880) + 2 * 5000000));
		rig_free(r);
	}
}
END_TEST

/* One link of them gets worse before the message: from 50 to 10 Gb/s and 3 us longer, both ways. */
START_TEST(test_a_link_gets_worse)
{
	static const char *const ends[] = {"leaf0[1]", "leaf0[1]", "low0[1]"};

	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		struct rig *r =
			rig_run("%sfailures: [{link: '%s', at: 5us, until: 1ms, rate: 10Gbps, "
				"delay: 3us}]\n"
				"workload: [{elephants: {from: h0, to: h1, size: 4096, at: "
				"10us}}]\n",
				tiers[i], ends[i]);

		ck_assert_uint_eq(r->flow_count, 1);
		ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps,
				  2 * (335520 + 6880 + 2 * 300000) + (2 + 10) * (335520 + 6880) +
					  2 * (2000000 + 5000000) +
					  2 * (4 * (335520 + 6880) + 2 * 5000000));
		rig_free(r);
	}
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {test_dump_runs_alike, test_rails_keep_to_themselves,
				      test_six_links, test_tiers_have_rates_and_delays,
				      test_a_link_gets_worse};

	return rig_main("topology", tests, sizeof(tests) / sizeof(tests[0]));
}
