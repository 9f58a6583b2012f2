/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One transfer alone on an idle path: its completion time is known to the picosecond, worked
 * out here by hand for the simplest cases and by fabric_ideal_ps() for all.
 */
#include "rig.h"

#define TWO_HOSTS                                                                       \
	"switches: {tor: {profile: generic-32mb, ports: 2, rate: %s%s}}\n"              \
	"hosts: {h: {count: 2, nic: %s, mtu: %u, congestion_control: none%s}}\n"        \
	"links: [{from: 'h[0-1]', to: 'tor[0-1]', delay: 1us}]\n"                       \
	"workload: [{elephants: {from: 'h[0]', to: 'h[1]', size: %uB, count: 1, verb: " \
	"%s}}]\n"

static struct rig *
one_transfer(const char *rate, const char *switch_more, unsigned int mtu, const char *host_more,
	     unsigned int bytes, const char *verb)
{
	struct rig *r = rig_run(TWO_HOSTS, rate, switch_more, rate, mtu, host_more, bytes, verb);

	ck_assert_uint_eq(r->flow_count, 1);
	ck_assert_uint_ne(r->flows[0].end_ps, 0);
	return r;
}

/*
 * 4096 B in one WRITE Only over IPv4 at 400 Gb/s: frame 14+20+8+12+16+4096+4+4 = 4174 B, with
 * preamble and gap 4194 x 20 ps = 83,880 ps a hop; the ACK is 14+20+8+12+4+4+4 = 66 B, 86 x 20
 * = 1,720 ps a hop. Two hops each way, 1 us each.
 */
START_TEST(test_write_only_by_hand)
{
	struct rig *r = one_transfer("400Gbps", "", 4096, "", 4096, "write");

	ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps,
			  2 * 83880 + 2 * 1720 + 4 * 1000000);
	rig_free(r);
}
END_TEST

/*
 * 10 MB in SENDs of 1000 payload... at MTU 1024: 9,765 full packets and one of 640 B. Frames
 * of 14+20+8+12+1024+4+4 = 1086 B take 1106 x 80 = 88,480 ps at 100 Gb/s, the last 702 B:
 * 57,760 ps. The last frame leaves the host after all others and crosses the switch alone,
 * but behind the one before it: that one ends its second hop 88,480 ps after the last one
 * entered the wire, so the last waits for nothing once 57,760 < 88,480: it ends at
 * 9765 x 88,480 + max(57,760 + 1 us, 88,480 + 1 us) + 57,760 + 1 us.
 */
START_TEST(test_send_by_hand)
{
	struct rig *r = one_transfer("100Gbps", "", 1024, "", 10000000, "send");
	uint64_t data_ps = 9765ULL * 88480 + 88480 + 1000000 + 57760 + 1000000;

	ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps,
			  data_ps + 2 * (86 * 80 + 1000000));
	rig_free(r);
}
END_TEST

START_TEST(test_slowdown_is_one)
{
	static const char *const verbs[] = {"send", "send_imm", "write", "write_imm", "read"};
	static const unsigned int sizes[] = {1, 3, 255, 1024, 1025, 4096, 65536, 1000003};
	static const char *const rates[] = {"100Gbps", "25Gbps", "800Gbps"};
	static const char *const more[] = {"", ", latency: 400ns",
					   ", latency: 400ns, cut_through: yes"};
	static const char *const hosts[] = {"", ", ip: ipv6", ", vlan: 7"};

	for (unsigned int v = 0; v < 5; v++) {
		for (unsigned int z = 0; z < 8; z++) {
			unsigned int i = v * 8 + z;
			unsigned int mtu = 256u << i % 5;
			struct rig *r = one_transfer(rates[i % 3], more[(i / 3) % 3], mtu,
						     hosts[(i / 2) % 3], sizes[z], verbs[v]);

			ck_assert_msg(
				r->flows[0].end_ps - r->flows[0].start_ps == r->flows[0].ideal_ps,
				"%s of %u B at MTU %u: %llu ps, ideal %llu ps", verbs[v], sizes[z],
				mtu,
				(unsigned long long)(r->flows[0].end_ps - r->flows[0].start_ps),
				(unsigned long long)r->flows[0].ideal_ps);
			rig_free(r);
		}
	}
}
END_TEST

/* Two switches and a slower middle: the bottleneck paces, nothing is lost without a pause. */
START_TEST(test_two_switches)
{
	struct rig *r = rig_run(
		"switches:\n"
		"  a: {profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {mode: l3}}\n"
		"  b: {profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {mode: l3}}\n"
		"hosts: {h: {count: 2, nic: 100Gbps, mtu: 1024, congestion_control: none}}\n"
		"links:\n"
		"  - {from: 'h[0]', to: 'a[0]', delay: 1us}\n"
		"  - {from: 'a[1]', to: 'b[1]', delay: 3us}\n"
		"  - {from: 'h[1]', to: 'b[0]', delay: 1us}\n"
		"workload: [{elephants: {from: 'h[0]', to: 'h[1]', size: 100KB, count: "
		"1, verb: "
		"write}}]\n");

	ck_assert_uint_eq(r->flow_count, 1);
	ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps, r->flows[0].ideal_ps);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	rig_free(r);
}
END_TEST

/* A router next to a bridge: whichever comes first, the frame reaches its host. */
START_TEST(test_router_and_bridge)
{
	static const char *const modes[][3] = {
		{"l3", "l2", "l3"}, {"l2", "l3", "l2"}, {"l3", "l3", "l2"}};
	for (int m = 0; m < 3; m++) {
		struct rig *r = rig_run(
			"switches:\n"
			"  a: {profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {mode: "
			"%s}}\n"
			"  b: {profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {mode: "
			"%s}}\n"
			"  c: {profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {mode: "
			"%s}}\n"
			"hosts: {h: {count: 2, nic: 100Gbps, congestion_control: none}}\n"
			"links:\n"
			"  - {from: 'h[0]', to: 'a[0]', delay: 1us}\n"
			"  - {from: 'a[1]', to: 'b[0]', delay: 1us}\n"
			"  - {from: 'b[1]', to: 'c[0]', delay: 1us}\n"
			"  - {from: 'c[1]', to: 'h[1]', delay: 1us}\n"
			"workload: [{elephants: {from: 'h[0]', to: 'h[1]', size: 100KB}}]\n",
			modes[m][0], modes[m][1], modes[m][2]);

		ck_assert_uint_eq(rig_all_drops(r), 0);
		ck_assert_uint_eq(r->flows[0].end_ps - r->flows[0].start_ps, r->flows[0].ideal_ps);
		rig_free(r);
	}
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {test_write_only_by_hand, test_send_by_hand,
				      test_slowdown_is_one, test_two_switches,
				      test_router_and_bridge};

	return rig_main("timing", tests, sizeof(tests) / sizeof(tests[0]));
}
