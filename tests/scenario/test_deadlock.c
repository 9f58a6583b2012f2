/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC deadlocks: a ring of three switches whose routes all go clockwise comes to one, and it is
 * named; what only looks like one is none.
 */
#include "rig.h"

/* Hosts a, b, c at s0, s1, s2, two each; what is for the switch behind goes by the one ahead. */
static struct rig *
ring(const char *keys, bool clockwise, const char *rest)
{
	char yaml[4096];
	size_t used;

	snprintf(yaml, sizeof(yaml), "%s", "duration: 20ms\nswitches:\n");
	for (int i = 0; i < 3; i++) {
		used = strlen(yaml);
		snprintf(yaml + used, sizeof(yaml) - used,
			 "  s%d: {profile: generic-32mb, ports: 4, rate: 100Gbps, %sforwarding: "
			 "{mode: l3",
			 i, keys);
		used = strlen(yaml);
		if (clockwise)
			snprintf(yaml + used, sizeof(yaml) - used,
				 ", routes: [{prefix: 10.0.%d.1, ports: [3]}, {prefix: 10.0.%d.2, "
				 "ports: [3]}]",
				 (i + 2) % 3, (i + 2) % 3);
		strcat(yaml, "}}\n");
	}
	used = strlen(yaml);
	snprintf(yaml + used, sizeof(yaml) - used,
		 "hosts:\n"
		 "  a: {count: 2, nic: 100Gbps, address: 10.0.0.1, congestion_control: none}\n"
		 "  b: {count: 2, nic: 100Gbps, address: 10.0.1.1, congestion_control: none}\n"
		 "  c: {count: 2, nic: 100Gbps, address: 10.0.2.1, congestion_control: none}\n"
		 "links:\n"
		 "  - {from: a, to: 's0[0-1]', delay: 500ns}\n"
		 "  - {from: b, to: 's1[0-1]', delay: 500ns}\n"
		 "  - {from: c, to: 's2[0-1]', delay: 500ns}\n"
		 "  - {from: 's0[3]', to: 's1[2]', delay: 500ns}\n"
		 "  - {from: 's1[3]', to: 's2[2]', delay: 500ns}\n"
		 "  - {from: 's2[3]', to: 's0[2]', delay: 500ns}\n"
		 "%s"
		 "workload:\n"
		 "  - elephants: {from: a, to: c, size: 100MB}\n"
		 "  - elephants: {from: b, to: a, size: 100MB}\n"
		 "  - elephants: {from: c, to: b, size: 100MB}\n",
		 rest);
	return rig_build(yaml);
}

static uint64_t
delivered_bytes(const struct rig *r)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		bytes += host_results(r->fabric->hosts[i])->bytes_delivered;
	return bytes;
}

START_TEST(ring_of_three_comes_to_a_deadlock)
{
	struct rig *r = ring("", true, "");
	const struct fabric_deadlock *d = &r->fabric->deadlock;
	uint64_t bytes;

	/* It was to be foreseen. */
	ck_assert_uint_eq(r->fabric->cycle.count, 3);
	ck_assert_int_eq(fabric_run(r->fabric, 20 * UNITS_PS_PER_MS), ENGINE_STOPPED);
	ck_assert(d->found);
	ck_assert_uint_eq(d->cycle.count, 3);
	ck_assert_uint_eq(d->cycle.priorities, 1 << 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(d->cycle.hops[(i + 1) % 3].sw, (d->cycle.hops[i].sw + 1) % 3);
		ck_assert_uint_eq(d->cycle.hops[i].port, 3);
	}
	/* Nothing is lost, all is held, and the sums are right. */
	ck_assert_uint_eq(rig_all_drops(r), 0);
	ck_assert_uint_gt(fabric_in_flight(r->fabric), 0);
	ck_assert_msg(fabric_check(r->fabric, false, r->error, sizeof(r->error)) == 0, "%s",
		      r->error);
	/* It is one: with as much time again, not a byte is delivered. */
	bytes = delivered_bytes(r);
	engine_virtual_run(&r->fabric->engine, r->fabric->engine.now_ps + 20 * UNITS_PS_PER_MS);
	ck_assert_uint_eq(delivered_bytes(r), bytes);
	rig_free(r);
}
END_TEST

/* The same load over shortest paths, and the same ring with congestion control. */
START_TEST(no_cycle_no_deadlock)
{
	struct rig *r = ring("", false, "");

	ck_assert_uint_eq(r->fabric->cycle.count, 0);
	rig_drive(r);
	ck_assert(!r->fabric->deadlock.found);
	ck_assert_uint_gt(rig_xoffs(r), 0);
	rig_free(r);
}
END_TEST

/* A watchdog of 2 ms lets what waits go, at a price: no verdict before it has had its time. */
START_TEST(watchdog_breaks_it_up)
{
	struct rig *r =
		ring("pfc_watchdog: {poll: 1ms, detection: 2ms, restoration: 2ms}, ", true, "");

	ck_assert_int_eq(fabric_run(r->fabric, 20 * UNITS_PS_PER_MS), ENGINE_UNTIL);
	ck_assert(!r->fabric->deadlock.found);
	ck_assert_uint_gt(rig_drops(r, DROP_PFC_WATCHDOG), 0);
	rig_free(r);
}
END_TEST

/*
 * Hosts that pause for long bring the ring to a halt as well, but what its groups hold is in part
 * for those hosts, and will move when the storm is over.
 */
START_TEST(storm_is_no_deadlock)
{
	struct rig *r =
		ring("", true,
		     "impairments: [{port: [a0, a1], until: 15ms, pause: {priorities: [3]}}]\n");
	uint64_t sent;

	ck_assert_int_eq(fabric_run(r->fabric, 5 * UNITS_PS_PER_MS), ENGINE_UNTIL);
	sent = r->fabric->switches[2]->node.ports[3].tx_bytes;
	ck_assert_int_eq(fabric_run(r->fabric, 15 * UNITS_PS_PER_MS), ENGINE_UNTIL);
	ck_assert_uint_eq(r->fabric->switches[2]->ports[3].queues[3].packets != 0, 1);
	ck_assert_uint_le(r->fabric->switches[2]->node.ports[3].tx_bytes, sent + 100 * 64);
	ck_assert(!r->fabric->deadlock.found);
	rig_free(r);
}
END_TEST

/* What went round in the ring is cut by a link that fails: queues that wait for nobody empty. */
START_TEST(failure_before_the_verdict_frees_all)
{
	struct rig *r = ring("", true,
			     "failures: [{link: 's0[3]', at: 1700us, until: 2500us, down: yes}]\n");

	ck_assert_int_eq(fabric_run(r->fabric, 2400 * UNITS_PS_PER_US), ENGINE_UNTIL);
	ck_assert(!r->fabric->deadlock.found);
	ck_assert_uint_gt(rig_drops(r, DROP_LINK_DOWN), 0);
	rig_free(r);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		ring_of_three_comes_to_a_deadlock,
		no_cycle_no_deadlock,
		watchdog_breaks_it_up,
		storm_is_no_deadlock,
		failure_before_the_verdict_frees_all,
	};

	return rig_main("deadlock", tests, sizeof(tests) / sizeof(tests[0]));
}
