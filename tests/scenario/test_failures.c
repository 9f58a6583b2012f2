/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that fail in a run: what is lost is counted, traffic moves when routing says so and not
 * before, and every message is delivered once all the same.
 */
#include "rig.h"

#include "prng.h"

#define US UNITS_PS_PER_US

/* Leaves 0 and 1 under spines 2 and 3, two hosts a leaf; h0 and h1 at leaf 0. */
static struct rig *
two_by_two(const char *rest)
{
	char yaml[4096];

	snprintf(yaml, sizeof(yaml),
		 "switches:\n"
		 "  leaf: {count: 2, profile: generic-32mb, ports: 4, rate: 100Gbps, forwarding: "
		 "{mode: l3}}\n"
		 "  spine: {count: 2, profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: "
		 "{mode: l3}}\n"
		 "hosts: {h: {count: 4, nic: 100Gbps, timeout: 6}}\n"
		 "links:\n"
		 "  - {from: 'h[0-1]', to: 'leaf0[0-1]', delay: 500ns}\n"
		 "  - {from: 'h[2-3]', to: 'leaf1[0-1]', delay: 500ns}\n"
		 "  - {from: 'leaf0[2-3]', to: 'spine[0-1][0]', delay: 500ns}\n"
		 "  - {from: 'leaf1[2-3]', to: 'spine[0-1][1]', delay: 500ns}\n"
		 "routing: {failover_delay: 10us, reroute_delay: 50us}\n"
		 "%s",
		 rest);
	return rig_build(yaml);
}

static const struct node_port *
port_of(const struct rig *r, uint32_t sw, uint16_t port)
{
	return &r->fabric->switches[sw]->node.ports[port];
}

static void
until(struct rig *r, uint64_t at_ps)
{
	ck_assert_int_eq(fabric_run(r->fabric, at_ps), ENGINE_UNTIL);
}

#define CONSTANT                                                                                 \
	"workload:\n"                                                                            \
	"  - udp: {from: 'h0', to: 'h2', frame: 1KB, rate: 10Gbps, until: 400us, name: there}\n" \
	"  - udp: {from: 'h2', to: 'h0', frame: 1KB, rate: 10Gbps, until: 400us, name: back}\n"

/* Which uplink of a leaf carries the constant stream. */
static uint16_t
uplink_in_use(const struct rig *r, uint32_t leaf)
{
	uint64_t a = port_of(r, leaf, 2)->tx_packets, b = port_of(r, leaf, 3)->tx_packets;

	ck_assert((a == 0) != (b == 0));
	return a != 0 ? 2 : 3;
}

/* With a failure of each of leaf 0's uplinks in turn: the one that is used and the other. */
static struct rig *
fail_uplink(uint16_t uplink)
{
	char rest[1024];

	snprintf(rest, sizeof(rest),
		 "failures: [{link: 'leaf0[%u]', at: 100us, until: 200us, down: yes}]\n" CONSTANT,
		 uplink);
	return two_by_two(rest);
}

/*
 * The stream of 10 Gb/s leaves by the other uplink from 110 us on, not before; what came in
 * between (about 12 frames of 1 KB), and what was on the wire, is lost as link_down. New routes
 * bring nothing more, until those at 250 us bring it back.
 */
START_TEST(leaf_fails_over_after_its_delay)
{
	struct rig *r = fail_uplink(2);
	uint16_t used, other;
	uint64_t before, lost;

	until(r, 99 * US);
	used = uplink_in_use(r, 0);
	rig_free(r);
	r = fail_uplink(used);
	other = 5 - used;
	until(r, 100 * US);
	before = port_of(r, 0, used)->tx_packets;
	ck_assert_uint_eq(rig_all_drops(r), 0);
	until(r, 110 * US);
	ck_assert_uint_eq(port_of(r, 0, used)->tx_packets, before);
	ck_assert_uint_eq(port_of(r, 0, other)->tx_packets, 0);
	lost = rig_drops(r, DROP_LINK_DOWN);
	ck_assert_uint_ge(lost, 11);
	until(r, 111 * US); /* a frame each 0.8 us */
	ck_assert_uint_ge(port_of(r, 0, other)->tx_packets, 1);
	until(r, 249 * US);
	ck_assert_uint_eq(port_of(r, 0, used)->tx_packets, before);
	until(r, 250 * US);
	before = port_of(r, 0, other)->tx_packets;
	until(r, 300 * US);
	ck_assert_uint_le(port_of(r, 0, other)->tx_packets, before + 1);
	rig_drive(r);
	ck_assert_uint_eq(rig_drops(r, DROP_NO_ROUTE) + rig_drops(r, DROP_LINK_DOWN),
			  rig_all_drops(r));
	ck_assert_uint_eq(host_results(r->fabric->hosts[2])->udp_received +
				  host_results(r->fabric->hosts[0])->udp_received +
				  rig_all_drops(r),
			  host_results(r->fabric->hosts[0])->udp_sent +
				  host_results(r->fabric->hosts[2])->udp_sent);
	rig_free(r);
}
END_TEST

/* The other way: leaf 1 goes on by the spine that has lost leaf 0, until 150 us exactly. */
START_TEST(the_rest_reroutes_after_its_delay)
{
	struct rig *r = fail_uplink(2);
	uint64_t before, no_route;
	uint16_t used, other;

	until(r, 99 * US);
	used = uplink_in_use(r, 1); /* port 2 is to spine 0 at both leaves */
	rig_free(r);
	r = fail_uplink(used);
	other = 5 - used;
	until(r, 110 * US);
	ck_assert_uint_eq(rig_drops(r, DROP_NO_ROUTE), 0);
	until(r, 150 * US);
	ck_assert_uint_eq(port_of(r, 1, other)->tx_packets, 0);
	/* 40 us of 10 Gb/s: the spine has no way from 110 us on. */
	no_route = rig_drops(r, DROP_NO_ROUTE);
	ck_assert_uint_ge(no_route, 45);
	ck_assert_uint_le(no_route, 51);
	before = port_of(r, 1, used)->tx_packets;
	until(r, 151 * US);
	ck_assert_uint_ge(port_of(r, 1, other)->tx_packets, 1);
	until(r, 249 * US);
	ck_assert_uint_le(port_of(r, 1, used)->tx_packets, before + 1);
	ck_assert_uint_ge(port_of(r, 1, other)->tx_packets, 110);
	/* On the wire at 150 us: 500 ns and a frame. */
	ck_assert_uint_le(rig_drops(r, DROP_NO_ROUTE), no_route + 2);
	until(r, 300 * US);
	ck_assert_uint_ge(port_of(r, 1, used)->tx_packets, before + 50);
	rig_drive(r);
	rig_free(r);
}
END_TEST

static struct rig *
transfers(const char *failures)
{
	char rest[1024];

	snprintf(rest, sizeof(rest),
		 "failures:\n%s"
		 "workload:\n"
		 "  - elephants: {from: 'h[0-1]', to: 'h[2-3]', size: 2MB}\n"
		 "  - elephants: {from: 'h[2-3]', to: 'h[0-1]', size: 2MB}\n",
		 failures);
	return two_by_two(rest);
}

static const char *const breaks[] = {
	"  - {link: 'leaf0[2]', at: 50us, down: yes}\n",
	"  - {link: 'leaf0[3]', at: 50us, until: 51us, down: yes}\n",
	"  - {link: spine0, at: 50us, until: 400us, down: yes}\n",
	"  - {link: h0, at: 50us, until: 300us, down: yes}\n",
	"  - {link: leaf0, at: 50us, until: 120us, down: yes}\n",
	"  - {link: 'leaf0[2]', at: 50us, until: 200us, down: yes}\n"
	"  - {link: 'leaf1[3]', at: 55us, until: 250us, down: yes}\n",
	"  - {link: 'leaf0[2-3]', at: 50us, rate: 10Gbps}\n"
	"  - {link: h2, at: 60us, until: 200us, loss: 1%, delay: 2us}\n",
};

static uint64_t
bytes_delivered(const struct rig *r)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		bytes += host_results(r->fabric->hosts[i])->bytes_delivered;
	return bytes;
}

/* Whatever breaks, and the same twice over. */
START_TEST(transfers_survive)
{
	struct rig *r = transfers(breaks[_i]);
	uint64_t digest;

	rig_drive(r);
	rig_assert_all_delivered(r, 4);
	/* However often something was sent again. */
	ck_assert_uint_eq(bytes_delivered(r), 4 * 2000000);
	ck_assert_uint_eq(rig_drops(r, DROP_NO_ROUTE) + rig_drops(r, DROP_LINK_DOWN) +
				  rig_drops(r, DROP_IMPAIRED_LOSS),
			  rig_all_drops(r));
	ck_assert_uint_ge(rig_all_drops(r), 1);
	digest = r->digest;
	rig_free(r);
	r = transfers(breaks[_i]);
	rig_drive(r);
	ck_assert_uint_eq(r->digest, digest);
	rig_free(r);
}
END_TEST

/* Two leaves that have no spine in common are cut off, not joined through a third. */
START_TEST(failure_makes_no_valley)
{
	struct rig *r = rig_run(
		"switches:\n"
		"  leaf: {count: 3, profile: generic-32mb, ports: 3, forwarding: {mode: l3}}\n"
		"  spine: {count: 2, profile: generic-32mb, ports: 3, forwarding: {mode: l3}}\n"
		"hosts: {h: {count: 3}}\n"
		"links:\n"
		"  - {from: 'h[0-2]', to: 'leaf[0-2][0]', delay: 500ns}\n"
		"  - {from: 'leaf[0-2][1]', to: 'spine0[0-2]', delay: 500ns}\n"
		"  - {from: 'leaf[0-2][2]', to: 'spine1[0-2]', delay: 500ns}\n"
		"duration: 300us\n"
		"routing: {failover_delay: 0, reroute_delay: 0}\n"
		"failures: [{link: ['leaf0[1]', 'leaf1[2]'], at: 0, down: yes}]\n"
		"workload:\n"
		"  - udp: {from: h0, to: h1, frame: 1KB, rate: 1Gbps}\n"
		"  - udp: {from: h0, to: h2, frame: 1KB, rate: 1Gbps}\n"
		"  - udp: {from: h2, to: h1, frame: 1KB, rate: 1Gbps}\n");

	ck_assert(r->fabric->up_down);
	ck_assert_uint_gt(rig_drops(r, DROP_NO_ROUTE), 30);
	ck_assert_uint_eq(rig_drops(r, DROP_LINK_DOWN), 0);
	ck_assert_uint_eq(host_results(r->fabric->hosts[1])->udp_received,
			  host_results(r->fabric->hosts[2])->udp_sent);
	ck_assert_uint_eq(host_results(r->fabric->hosts[2])->udp_received * 2,
			  host_results(r->fabric->hosts[0])->udp_sent);
	rig_free(r);
}
END_TEST

/* 100 us at 25 Gb/s carry 312,500 bytes of frames with 20 bytes around each. */
START_TEST(degraded_link_carries_its_rate)
{
	struct rig *r =
		two_by_two("duration: 300us\n"
			   "failures: [{link: h2, at: 100us, until: 200us, rate: 25Gbps}]\n"
			   "workload: [{udp: {from: h0, to: h2, frame: 1000, rate: 95Gbps}}]\n");
	const struct node_port *port = port_of(r, 1, 0);
	uint64_t before;

	until(r, 101 * US);
	before = port->tx_packets;
	until(r, 199 * US);
	ck_assert_uint_ge(port->tx_packets - before, 98ull * 3125 / 1020 - 2);
	ck_assert_uint_le(port->tx_packets - before, 98ull * 3125 / 1020 + 2);
	until(r, 201 * US);
	before = port->tx_packets;
	until(r, 299 * US); /* its queue is full: at line rate again */
	ck_assert_uint_ge(port->tx_packets - before, 98ull * 12500 / 1020 - 2);
	rig_drive(r);
	rig_free(r);
}
END_TEST

/* A configured route over two ports goes by the one that is left. */
START_TEST(configured_routes_follow_their_ports)
{
	struct rig *r = rig_run(
		"switches:\n"
		"  a: {profile: generic-32mb, ports: 3, forwarding: {mode: l3, routes: [{prefix: "
		"0.0.0.0/0, ports: [1, 2]}, {prefix: 10.0.0.2/32, ports: [1, 2]}]}}\n"
		"  b: {profile: generic-32mb, ports: 3, forwarding: {mode: l3}}\n"
		"hosts: {x: {address: 10.0.0.1}, y: {address: 10.0.0.2, timeout: 4}}\n"
		"links:\n"
		"  - {from: x, to: 'a[0]', delay: 500ns}\n"
		"  - {from: y, to: 'b[0]', delay: 500ns}\n"
		"  - {from: 'a[1-2]', to: 'b[1-2]', delay: 500ns}\n"
		"routing: {failover_delay: 5us, reroute_delay: 20us}\n"
		"failures: [{link: 'a[1]', at: 50us, until: 100us, down: yes},\n"
		"  {link: 'a[2]', at: 150us, until: 200us, down: yes}]\n"
		"workload: [{udp: {from: x, to: y, frame: 1KB, rate: 10Gbps, until: 300us}}]\n");
	uint64_t sent = host_results(r->fabric->hosts[0])->udp_sent;

	/* Twice at most 5 us and what was on the wire. */
	ck_assert_uint_ge(rig_all_drops(r), 1);
	ck_assert_uint_le(rig_all_drops(r), 18);
	ck_assert_uint_eq(rig_drops(r, DROP_LINK_DOWN), rig_all_drops(r));
	ck_assert_uint_eq(host_results(r->fabric->hosts[1])->udp_received + rig_all_drops(r), sent);
	rig_free(r);
}
END_TEST

/* Incasts with pauses while links come and go at random: nothing hangs, nothing is there twice. */
START_TEST(random_failures_lose_no_message)
{
	struct prng random = prng_init((uint64_t)_i, 77);
	char rest[2048] = "failures:\n";

	for (uint32_t n = 0; n < 5; n++) {
		static const char *const links[] = {"leaf0[2]", "leaf0[3]", "leaf1[2]", "h[1]",
						    "h[2]"};
		unsigned long long at = 20 + prng_below(&random, 200);
		size_t used = strlen(rest);

		snprintf(rest + used, sizeof(rest) - used,
			 "  - {link: '%s', at: %lluus, until: %lluus, %s}\n", links[n], at,
			 at + 1 + prng_below(&random, 150),
			 prng_below(&random, 4) == 0 ? "rate: 10Gbps" : "down: yes");
	}
	strcat(rest, "seed: 5\n"
		     "workload:\n"
		     "  - incast: {from: 'h[1-3]', to: h0, size: 300KB, rounds: 3, period: 100us}\n"
		     "  - incast: {from: 'h[0-1]', to: h3, size: 200KB, rounds: 3, period: 90us, "
		     "verb: read}\n");
	{
		struct rig *r = two_by_two(rest);

		rig_drive(r);
		rig_assert_all_delivered(r, 15);
		rig_free(r);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("failures");
	TCase *t = suite_topic(suite, "failures");

	test_eal_init();
	tcase_set_timeout(t, 300);
	tcase_add_test(t, leaf_fails_over_after_its_delay);
	tcase_add_test(t, the_rest_reroutes_after_its_delay);
	tcase_add_loop_test(t, transfers_survive, 0, sizeof(breaks) / sizeof(breaks[0]));
	tcase_add_test(t, failure_makes_no_valley);
	tcase_add_test(t, degraded_link_carries_its_rate);
	tcase_add_test(t, configured_routes_follow_their_ports);
	tcase_add_loop_test(t, random_failures_lose_no_message, 0, 30);
	return suite_run(suite);
}
