/* SPDX-License-Identifier: BSD-3-Clause */
/* Load balancers in whole fabrics: order, shares of links, polarisation, elephants. */
#include "rig.h"

/* Where the packets of a switch's balanced traffic went: least and most of ports [from, to). */
struct share {
	uint64_t least;
	uint64_t most;
	uint64_t sum;
	uint32_t used;
};

static struct share
share_of(const struct rig *r, uint32_t sw, uint16_t from, uint16_t to)
{
	const struct balancer *b = &r->fabric->switches[sw]->forwarding.balancer;
	struct share s = {.least = UINT64_MAX};

	for (uint16_t port = from; port < to; port++) {
		s.least = RTE_MIN(s.least, b->ports[port].packets);
		s.most = RTE_MAX(s.most, b->ports[port].packets);
		s.sum += b->ports[port].packets;
		s.used += b->ports[port].packets != 0;
	}
	return s;
}

static uint64_t
out_of_order(const struct rig *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		sum += host_results(r->fabric->hosts[i])->out_of_order;
	return sum;
}

/* 2 leaves with 4 hosts each (ports 0-3) and 4 spines (ports 4-7). */
#define LEAF_SPINE(balancer, host)                                                       \
	"topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts_per_leaf: 4, switch: " \
	"{balancer: "                                                                    \
	"" balancer "}, host: " host "}\n"

/*
 * Random messages that congest some uplinks: by flow, nothing overtakes. Sprayed with go-back-N
 * receivers, it does; which shows that the load is one that could.
 */
START_TEST(flows_stay_in_order)
{
	static const char *const kinds[] = {"ecmp", "weighted", "{kind: adaptive, per: flow}",
					    "{kind: flowlet, idle_time: 256us}", "spray"};

	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		struct rig *r = rig_run(
			LEAF_SPINE(
				"%s",
				"{}") "workload:\n"
				      "  - poisson: {from: h, to: h, cdf: {points: [[1KB, 50%%], "
				      "[200KB, 100%%]]}, load: 60%%, count: 150}\n",
			kinds[i]);

		rig_assert_all_delivered(r, 8 * 150);
		if (i + 1 < RTE_DIM(kinds))
			ck_assert_uint_eq(out_of_order(r), 0);
		else
			ck_assert_uint_gt(out_of_order(r), 100);
		rig_free(r);
	}
}
END_TEST

/*
 * Bursts with silences longer than the gap: flows do move, over all uplinks, and stay in order
 * because what is queued on any path drains within the gap.
 */
START_TEST(flowlets_move_in_order)
{
	struct rig *r = rig_run(LEAF_SPINE(
		"{kind: flowlet, idle_time: 50us}",
		"{}") "workload:\n"
		      "  - elephants: {from: \"h[0-3]\", to: \"h[4-7]\", size: 1, count: 1}\n"
		      "  - incast: {from: \"h[0]\", to: \"h[4]\", size: 100KB, rounds: 200, "
		      "period: 80us}\n");
	struct share s = share_of(r, 0, 4, 8);

	ck_assert_uint_eq(out_of_order(r), 0);
	/* 200 bursts of 25 packets, each anywhere: 50 a port, 4 sigma are 24. */
	ck_assert_uint_gt(s.least, 26 * 25);
	ck_assert_uint_lt(s.most, 74 * 25 + 4);
	rig_free(r);
}
END_TEST

/* Round robin: every member within 1 %, whatever the flows, on the way there and back. */
START_TEST(spray_uses_members_evenly)
{
	struct rig *r = rig_run(
		LEAF_SPINE("spray", "{receiver: out-of-order}") "workload:\n"
								"  - elephants: {from: \"h[0-3]\", "
								"to: \"h[4-7]\", size: 1MB}\n");

	for (uint32_t leaf = 0; leaf < 2; leaf++) {
		struct share s = share_of(r, leaf, 4, 8);

		/* Data, 245 packets of 4 KiB each; back, acknowledgements. One group: no more than
		 * one packet apart at any time. */
		ck_assert_uint_ge(s.sum, leaf == 0 ? 4 * 245 : 4);
		ck_assert_uint_le(s.most - s.least, 1);
	}
	rig_free(r);
}
END_TEST

/*
 * Polarisation in a fat-tree: an edge hashes each flow to one of 4 switches above, which hash it to
 * one of 4 cores. With one seed for all, what an aggregation switch gets has one hash value left:
 * one of its 4 uplinks carries everything (1/n). With seeds of their own, all do.
 */
START_TEST(same_seed_polarises)
{
	for (int same = 0; same < 2; same++) {
		struct rig *r =
			rig_run("topology: {kind: fat-tree, k: 8, switch: {balancer: {hash: "
				"{seed: %s}}}}\n"
				"workload:\n"
				"  - incast: {from: \"h[0-15]\", to: \"h[64-71]\", size: 1, "
				"qps: 4, rounds: 4}\n",
				same ? "7" : "auto");
		uint32_t used = 0, busy = 0;

		/* Pod 0's aggregation: uplinks are ports 4 to 7. */
		for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
			struct share s = share_of(r, i, 4, 8);

			/* Edges see flows of 4 hosts x 8 x 4; the aggregation about a quarter. */
			if (strncmp(r->fabric->switches[i]->node.name, "spine", 5) != 0 ||
			    s.sum < 64)
				continue;
			busy++;
			used += s.used;
		}
		ck_assert_uint_gt(busy, 2);
		if (same)
			ck_assert_uint_eq(used, busy);
		else
			ck_assert_uint_eq(used, 4 * busy);
		rig_free(r);
	}
}
END_TEST

/* The worst slowdown of a permutation of elephants on a fabric that does not block. */
static double
slowest_elephant(const char *balancer, const char *receiver)
{
	struct rig *r =
		rig_run("topology: {kind: leaf-spine, leaves: 4, spines: 8, hosts_per_leaf: 8,\n"
			"  switch: {pipeline: ideal, balancer: %s},\n"
			"  host: {receiver: %s, congestion_control: none}}\n"
			"workload:\n"
			"  - elephants: {from: h, to: [\"h[8-31]\", \"h[0-7]\"], size: 4MB}\n",
			balancer, receiver);
	double slowest = 0;

	rig_assert_all_delivered(r, 32);
	for (uint32_t n = 0; n < r->flow_count; n++) {
		const struct flow_record *f = &r->flows[n];
		double slowdown = (double)(f->end_ps - f->start_ps) / (double)f->ideal_ps;

		slowest = slowdown > slowest ? slowdown : slowest;
	}
	rig_free(r);
	return slowest;
}

/*
 * Sprayed, with receivers that place packets as they come, every flow has more than 95 % of its
 * line; hashed, two elephants meet on an uplink and have half. Drawn members are no turns: at full
 * load queues wander as the root of the packets sent, and a flow of 4 MB ends with one of some
 * percent to wait for. Receivers that go back make that worse than hashing.
 */
START_TEST(elephants_meet_unless_sprayed)
{
	static const char *const sprays[] = {"spray", "drill",
					     "{kind: adaptive, sampling_interval: 1us}"};
	const char *drawn = "{kind: spray, order: random}";
	double hashed = slowest_elephant("ecmp", "out-of-order");

	ck_assert_double_gt(hashed, 1.9);
	for (unsigned int i = 0; i < RTE_DIM(sprays); i++)
		ck_assert_double_lt(slowest_elephant(sprays[i], "out-of-order"), 1 / 0.95);
	ck_assert_double_lt(slowest_elephant(drawn, "out-of-order"), 1 / 0.9);
	ck_assert_double_gt(slowest_elephant(drawn, "go-back-n"), hashed);
}
END_TEST

/*
 * E-ECMP: 16 messages at once over 16 queue pairs, whose numbers are hashed where addresses
 * do not tell them apart, are on every uplink (one of 4 stays empty with 4 x 0.75^16 = 4 %, with
 * this seed none); without it they are all on one.
 */
START_TEST(queue_pairs_spread_a_pair_of_hosts)
{
	for (int hashed = 0; hashed < 2; hashed++) {
		struct rig *r = rig_run(LEAF_SPINE("{hash: {fields: [src_ip, dst_ip%s]}}",
						   "{}") "workload:\n"
							 "  - elephants: {from: \"h[0]\", to: "
							 "\"h[4]\", size: 64KB, qps: 16, "
							 "outstanding: 16, count: 64}\n",
					hashed ? ", dest_qp" : "");

		ck_assert_uint_eq(share_of(r, 0, 4, 8).used, hashed ? 4 : 1);
		ck_assert_uint_eq(out_of_order(r), 0);
		rig_assert_all_delivered(r, 64);
		rig_free(r);
	}
}
END_TEST

/*
 * Where switches only hash, senders may change what they hash: one flow over 64 source ports is on
 * every uplink (with all 64 drawn apart, one of 4 stays empty with 4 x 0.75^64 = 4e-8), one
 * with its own port on one.
 */
START_TEST(source_ports_spread_a_flow)
{
	for (int spread = 0; spread < 2; spread++) {
		struct rig *r = rig_run(
			LEAF_SPINE(
				"ecmp",
				"{receiver: out-of-order, entropy: %s}") "workload:\n"
									 "  - elephants: {from: "
									 "\"h[0]\", to: \"h[4]\", "
									 "size: 1MB}\n",
			spread ? "{kind: packet, ports: 64}" : "flow");
		struct share s = share_of(r, 0, 4, 8);

		ck_assert_uint_eq(s.used, spread ? 4 : 1);
		ck_assert_uint_eq(s.sum, 245);
		rig_free(r);
	}
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {flows_stay_in_order,
				      flowlets_move_in_order,
				      spray_uses_members_evenly,
				      same_seed_polarises,
				      elephants_meet_unless_sprayed,
				      source_ports_spread_a_flow,
				      queue_pairs_spread_a_pair_of_hosts};

	return rig_main("balance", tests, RTE_DIM(tests));
}
