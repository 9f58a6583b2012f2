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

int
main(void)
{
	const TTest *const tests[] = {test_dump_runs_alike, test_rails_keep_to_themselves,
				      test_six_links};

	return rig_main("topology", tests, sizeof(tests) / sizeof(tests[0]));
}
