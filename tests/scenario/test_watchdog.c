/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC watchdog of a switch, as SONiC's tests of it ask (pfcwd_basic, two senders and two
 * receivers, burst storms, timer accuracy, actions), with their real timings in virtual time: h1
 * and h2 send datagrams of a lossless priority to h0 and h3; h0's port storms. Detection 200 ms,
 * restoration 200 ms, polls every 100 ms.
 */
#include "rig.h"

#include "results.h"

#define MS (1000 * UNITS_PS_PER_US)

enum { POLL_MS = 100, DETECTION_MS = 200, RESTORATION_MS = 200 };

/* h0 pauses from and until these times; more YAML for the watchdog and for the impairments. */
static struct rig *
run_at(const char *rate, const char *watchdog, unsigned int from_ms, unsigned int until_ms,
       const char *more)
{
	return rig_run(
		"duration: 1600ms\n"
		"switches:\n"
		"  s: {profile: tomahawk-7060cx, ports: 4, rate: 100Gbps,\n"
		"      pfc_watchdog: {poll: 100ms, detection: 200ms, restoration: 200ms%s}}\n"
		"hosts: {h: {count: 4, nic: 100Gbps}}\n"
		"links: [{from: h, to: s, delay: 1us}]\n"
		"impairments:\n"
		"  - {port: 'h[0]', direction: tx, from: %ums, until: %ums, pause: {priorities: "
		"[3], interval: 200us}}\n"
		"%s"
		"workload:\n"
		"  - udp: {name: stormed, from: 'h[1]', to: 'h[0]', frame: 1000, rate: %s, "
		"dscp: 26}\n"
		"  - udp: {name: bystander, from: 'h[2]', to: 'h[3]', frame: 1000, rate: 4Mbps, "
		"dscp: 26}\n",
		watchdog, from_ms, until_ms, more, rate);
}

static struct rig *
run(const char *watchdog, unsigned int from_ms, unsigned int until_ms, const char *more)
{
	return run_at("4Mbps", watchdog, from_ms, until_ms, more);
}

static const struct watchdog *
watchdog_of(const struct rig *r)
{
	return &r->fabric->switches[0]->watchdogs[0][3];
}

static uint64_t
received(const struct rig *r, uint32_t host)
{
	return host_results(r->fabric->hosts[host])->udp_received;
}

static uint64_t
sent(const struct rig *r, uint32_t host)
{
	return host_results(r->fabric->hosts[host])->udp_sent;
}

/* Everything of its senders is there but what the watchdog dropped; the bystander loses nothing. */
static void
assert_only_the_storm_loses(const struct rig *r)
{
	ck_assert_uint_eq(received(r, 3), sent(r, 2));
	ck_assert_uint_eq(received(r, 0) + rig_drops(r, DROP_PFC_WATCHDOG), sent(r, 1));
	ck_assert_uint_eq(rig_all_drops(r), rig_drops(r, DROP_PFC_WATCHDOG));
	ck_assert_uint_eq(watchdog_of(r)->dropped, rig_drops(r, DROP_PFC_WATCHDOG));
}

/*
 * W1 and W2, whatever ASIC's rule: the flow into the storm loses all that comes while it is known,
 * and all that was queued; what is sent once it is over arrives. 4 Mb/s are 0.49 frames of 1,020 B
 * on the wire a ms, few enough for WRED to leave them alone.
 */
START_TEST(storm_costs_its_own_queue_and_nothing_after)
{
	static const char *const rules[] = {", detect: pause-frames", ", detect: no-progress"};

	for (int i = 0; i < 2; i++) {
		struct rig *r = run(rules[i], 150, 700, "");
		const struct watchdog *w = watchdog_of(r);
		uint64_t lost_ps = w->last_restored_ps - 150 * MS;
		uint64_t frames = lost_ps / (1020 * 8 * UNITS_PS_PER_S / 4000000);

		ck_assert_uint_eq(w->detected, 1);
		ck_assert_uint_eq(w->restored, 1);
		assert_only_the_storm_loses(r);
		ck_assert_uint_ge(w->dropped, frames - 2);
		ck_assert_uint_le(w->dropped, frames + 2);
		rig_free(r);
	}
}
END_TEST

/* W1, W4: half the detection time, and bursts of half a poll: delayed, nothing lost. */
START_TEST(short_storms_lose_nothing)
{
	struct rig *r = run("", 150, 150 + DETECTION_MS / 2, "");
	char bursts[4096] = "";
	size_t used = 0;

	ck_assert_uint_eq(watchdog_of(r)->detected, 0);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	ck_assert_uint_eq(received(r, 0), sent(r, 1));
	rig_free(r);
	for (unsigned int i = 0; i < 15; i++)
		used += (size_t)snprintf(bursts + used, sizeof(bursts) - used,
					 "  - {port: 'h[0]', direction: tx, from: %ums, until: "
					 "%ums, pause: {priorities: [3], interval: 200us}}\n",
					 110 + 80 * i, 110 + 80 * i + POLL_MS / 2);
	r = run("", 20, 20 + POLL_MS / 2, bursts);
	ck_assert_uint_eq(watchdog_of(r)->detected, 0);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	rig_free(r);
}
END_TEST

/* W6: over all phases of a poll, detected in [Td, Td + Tp], over in [Tr, Tr + Tp]. */
START_TEST(timers_are_accurate)
{
	for (unsigned int phase = 1; phase < POLL_MS; phase += 7) {
		struct rig *r = run("", 200 + phase, 800 + phase, "");
		const struct watchdog *w = watchdog_of(r);
		uint64_t found_ps = w->first_detected_ps - (200 + phase) * MS;
		uint64_t over_ps = w->last_restored_ps - (800 + phase) * MS;

		ck_assert_uint_eq(w->detected, 1);
		ck_assert_uint_ge(found_ps, DETECTION_MS * MS);
		ck_assert_uint_le(found_ps, (DETECTION_MS + POLL_MS) * MS);
		/* The last pause frame goes out an interval before the storm's end at most. */
		ck_assert_uint_ge(over_ps + 200 * UNITS_PS_PER_US, RESTORATION_MS * MS);
		ck_assert_uint_le(over_ps, (RESTORATION_MS + POLL_MS) * MS);
		rig_free(r);
	}
}
END_TEST

/* W7: forward sends on, so nothing is lost and nothing waits once the storm is known. */
START_TEST(forward_ignores_pause)
{
	struct rig *r = run(", action: forward", 150, 1500, "");

	ck_assert_uint_eq(watchdog_of(r)->detected, 1);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	ck_assert_uint_eq(received(r, 0), sent(r, 1));
	ck_assert_uint_gt(received(r, 0), 1600 * 49 / 100 - 10);
	rig_free(r);
}
END_TEST

/* W7: alert says so and changes nothing: the run is the one without a watchdog. */
START_TEST(alert_changes_nothing)
{
	struct rig *with = run(", action: alert", 150, 700, "");
	struct rig *without = run(", priorities: []", 150, 700, "");

	ck_assert_uint_eq(watchdog_of(with)->detected, 1);
	ck_assert_uint_eq(watchdog_of(with)->restored, 1);
	ck_assert_uint_eq(with->digest, without->digest);
	rig_free(with);
	rig_free(without);
}
END_TEST

/*
 * The drop action keeps a full buffer from pausing the senders upstream: what cannot leave for h0
 * fills the PG and stops h1; as soon as the storm is known h1 goes on. Under `alert` it stays in
 * XOFF until the storm is over.
 */
START_TEST(drop_ends_the_pauses_upstream)
{
	static const char *const actions[] = {", action: drop", ", action: alert"};
	uint64_t xoff_ps[2];

	for (int i = 0; i < 2; i++) {
		struct rig *r = run_at("1Gbps", actions[i], 150, 1200, "");

		ck_assert_uint_eq(watchdog_of(r)->detected, 1);
		xoff_ps[i] = r->fabric->switches[0]->node.ports[1].pfc_tx.xoff_ps[3];
		rig_free(r);
	}
	/* Known at 400 ms; over at 1,200. Filling the PG takes some 11 ms. */
	ck_assert_uint_gt(xoff_ps[0], 200 * MS);
	ck_assert_uint_lt(xoff_ps[0], 250 * MS);
	ck_assert_uint_gt(xoff_ps[1], 1000 * MS);
	ck_assert_uint_lt(xoff_ps[1], 1050 * MS);
}
END_TEST

/* Two ports storm: each is judged alone, and its neighbour on the same switch goes on. */
START_TEST(queues_are_independent)
{
	struct rig *r = run("", 150, 700,
			    "  - {port: 'h[3]', direction: tx, from: 450ms, until: 500ms, pause: "
			    "{priorities: [3], interval: 200us}}\n"
			    "  - {port: 'h[3]', direction: tx, from: 150ms, until: 1200ms, pause: "
			    "{priorities: [4], interval: 200us}}\n");

	ck_assert_uint_eq(watchdog_of(r)->detected, 1);
	ck_assert_uint_eq(r->fabric->switches[0]->watchdogs[3][3].detected, 0);
	ck_assert_uint_eq(r->fabric->switches[0]->watchdogs[3][4].detected, 1);
	assert_only_the_storm_loses(r);
	rig_free(r);
}
END_TEST

/*
 * W3: all hosts to all others, and all to the one in the storm. All that is lost is lost by the
 * watchdog of that port, and it is what was sent there; every other receiver has all of its own.
 */
START_TEST(many_to_many_and_many_to_one)
{
	static const char *const to_all = "'h[0-3]'", *const to_one = "'h[0]'";

	for (int i = 0; i < 2; i++) {
		struct rig *r = rig_run(
			"duration: 1600ms\n"
			"switches:\n"
			"  s: {profile: tomahawk-7060cx, ports: 4, rate: 100Gbps,\n"
			"      pfc_watchdog: {poll: 100ms, detection: 200ms, restoration: 200ms}}\n"
			"hosts: {h: {count: 4, nic: 100Gbps}}\n"
			"links: [{from: h, to: s, delay: 1us}]\n"
			"impairments:\n"
			"  - {port: 'h[0]', direction: tx, from: 150ms, until: 700ms, pause: "
			"{priorities: [3], interval: 200us}}\n"
			"workload:\n"
			"  - udp: {from: 'h[1-3]', to: %s, frame: 1000, rate: 3Mbps, dscp: 26, "
			"until: 1500ms}\n",
			i == 0 ? to_all : to_one);
		uint64_t all = sent(r, 1) + sent(r, 2) + sent(r, 3), arrived = 0;

		ck_assert_uint_eq(watchdog_of(r)->detected, 1);
		ck_assert_uint_eq(watchdog_of(r)->restored, 1);
		for (uint32_t host = 0; host < 4; host++)
			arrived += received(r, host);
		ck_assert_uint_eq(arrived + rig_drops(r, DROP_PFC_WATCHDOG), all);
		ck_assert_uint_eq(rig_all_drops(r), rig_drops(r, DROP_PFC_WATCHDOG));
		ck_assert_uint_eq(watchdog_of(r)->dropped, rig_drops(r, DROP_PFC_WATCHDOG));
		ck_assert_uint_gt(rig_drops(r, DROP_PFC_WATCHDOG), 0);
		for (int port = 1; port < 4; port++)
			ck_assert_uint_eq(r->fabric->switches[0]->watchdogs[port][3].detected, 0);
		rig_free(r);
	}
}
END_TEST

/* W5: with a watchdog and without a storm, traffic is what it is without a watchdog. */
START_TEST(watching_changes_nothing)
{
	struct rig *with = run("", 1590, 1599, "");
	struct rig *without = run(", priorities: []", 1590, 1599, "");

	ck_assert_uint_eq(with->digest, without->digest);
	ck_assert_uint_gt(received(with, 0), 0);
	rig_free(with);
	rig_free(without);
}
END_TEST

/* The stormed link goes down in the pause, for longer than the detection takes, and comes back. */
START_TEST(a_link_that_goes_down_alarms_nobody)
{
	static const char *const rules[] = {", detect: pause-frames", ", detect: no-progress"};

	for (int i = 0; i < 2; i++) {
		struct rig *r =
			run(rules[i], 150, 290,
			    "failures: [{link: 's[0]', at: 290ms, until: 900ms, down: yes}]\n");

		ck_assert_uint_eq(watchdog_of(r)->detected, 0);
		ck_assert_uint_eq(rig_drops(r, DROP_PFC_WATCHDOG), 0);
		ck_assert_uint_eq(received(r, 3), sent(r, 2));
		rig_free(r);
	}
}
END_TEST

/* Zero quanta, on for as long as it likes, and an idle fabric: no alarm. */
START_TEST(idle_fabric_ends_and_alarms_nobody)
{
	struct rig *r = rig_run(
		"switches:\n"
		"  s: {profile: tomahawk-7060cx, ports: 4, rate: 100Gbps, pfc_watchdog: {poll: "
		"100ms, detection: 100ms}}\n"
		"hosts: {h: {count: 4, nic: 100Gbps}}\n"
		"links: [{from: h, to: s, delay: 1us}]\n"
		"workload:\n"
		"  - incast: {from: 'h[1-3]', to: 'h[0]', size: 1MB, rounds: 2, period: 900ms}\n");

	ck_assert_int_eq(r->end, ENGINE_IDLE);
	ck_assert_uint_eq(watchdog_of(r)->detected, 0);
	rig_assert_all_delivered(r, 6);
	rig_free(r);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		storm_costs_its_own_queue_and_nothing_after,
		short_storms_lose_nothing,
		timers_are_accurate,
		forward_ignores_pause,
		alert_changes_nothing,
		drop_ends_the_pauses_upstream,
		queues_are_independent,
		many_to_many_and_many_to_one,
		watching_changes_nothing,
		a_link_that_goes_down_alarms_nobody,
		idle_fabric_ends_and_alarms_nobody,
	};

	return rig_main("watchdog", tests, sizeof(tests) / sizeof(tests[0]));
}
