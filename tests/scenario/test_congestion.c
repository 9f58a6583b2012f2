/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control loops do together: ECN before PFC, go-back-N without PFC, the DCQCN fixed
 * point, fairness.
 */
#include "rig.h"

#define INCAST                                                                         \
	"switches: {tor: {profile: generic-32mb, ports: 17, rate: 100Gbps%s}}\n"       \
	"hosts: {h: {count: 17, nic: 100Gbps, mtu: 1024, congestion_control: %s%s}}\n" \
	"links: [{from: 'h[0-16]', to: 'tor[0-16]', delay: 1us}]\n"                    \
	"workload: [{incast: {from: 'h[1-16]', to: 'h[0]', size: %s, at: 1us}}]\n"

#define ECN_ON ", wred: {lossless: {min: 100KB, max: 400KB, probability: 20%, ecn: all}}"
#define ECN_OFF \
	", wred: {lossless: {min: 100KB, max: 400KB, probability: 20%, ecn: none, drop: none}}"

/*
 * Oracle: with ECN set to act before PFC, an incast that DCQCN can hold ends with far fewer
 * pauses than the same with ECN off; neither loses anything.
 */
START_TEST(test_ecn_before_pfc)
{
	struct rig *with = rig_run(INCAST, ECN_ON, "dcqcn", "", "2MB");
	struct rig *without = rig_run(INCAST, ECN_OFF, "dcqcn", "", "2MB");

	ck_assert_uint_eq(rig_all_drops(with), 0);
	ck_assert_uint_eq(rig_all_drops(without), 0);
	ck_assert_uint_gt(rig_marked(with), 0);
	ck_assert_uint_eq(rig_marked(without), 0);
	ck_assert_uint_gt(rig_xoffs(without), 0);
	ck_assert_uint_lt(rig_xoffs(with) * 3, rig_xoffs(without));
	rig_assert_all_delivered(with, 16);
	rig_assert_all_delivered(without, 16);
	rig_free(with);
	rig_free(without);
}
END_TEST

/* Oracle: PFC off and no congestion control loses packets, and go-back-N completes all. */
START_TEST(test_lossy_completes)
{
	struct rig *r =
		rig_run(INCAST, ", pfc_enable: []", "none", ", pfc_enable: [], timeout: 6", "2MB");
	uint64_t repeated = 0;

	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		repeated += host_results(r->fabric->hosts[i])->retransmitted_packets;
	ck_assert_uint_gt(rig_all_drops(r), 0);
	ck_assert_uint_gt(repeated, 0);
	ck_assert_uint_eq(rig_xoffs(r), 0);
	rig_assert_all_delivered(r, 16);
	rig_free(r);
}
END_TEST

/* With PFC only, 16 equal senders share the port: Jain's index of their bytes over time. */
START_TEST(test_pfc_only_fair)
{
	struct rig *r = rig_run(INCAST, ECN_OFF, "none", "", "1MB");
	uint64_t rates[16];

	ck_assert_uint_eq(r->flow_count, 16);
	for (uint32_t i = 0; i < 16; i++)
		rates[i] = UNITS_PS_PER_S / (r->flows[i].end_ps - r->flows[i].start_ps);
	ck_assert_uint_gt(rig_jain_ppm(rates, 16), 990000);
	rig_free(r);
}
END_TEST

#define FIXED_POINT                                                                        \
	"duration: 200ms\n"                                                                \
	"switches: {tor: {profile: generic-32mb, ports: 9, rate: 40Gbps,\n"                \
	"  wred: {lossless: {min: 5KB, max: 200KB, probability: %u%%, ecn: all}}}}\n"      \
	"hosts: {h: {count: 9, nic: 40Gbps, mtu: 1024, cnp_interval: 50us,\n"              \
	"  congestion_control: {preset: paper, alpha_timer: 55us, increase_timer: 55us,\n" \
	"  byte_counter: 10MB, threshold: 5, ai_rate: 40Mbps}}}\n"                         \
	"links: [{from: 'h[0-8]', to: 'tor[0-8]', delay: 1us}]\n"                          \
	"workload: [{elephants: {from: 'h[1-%u]', to: 'h[0]', size: 100MB, count: "        \
	"0}}]\n"

struct long_run {
	uint64_t marked_ppm;
	uint64_t jain_ppm;
	uint64_t used_ppm; /* of the bottleneck's rate */
};

static struct long_run
long_run(unsigned int senders, unsigned int percent)
{
	struct rig *r = rig_run(FIXED_POINT, percent, senders);
	const struct switch_queue *q = &r->fabric->switches[0]->ports[0].queues[3];
	uint64_t sent[8];
	struct long_run l = {
		.marked_ppm = q->marked * 1000000 / q->tx_packets,
		.used_ppm =
			r->fabric->switches[0]->node.ports[0].busy_ps * 1000 / (r->end_ps / 1000),
	};

	for (uint32_t i = 0; i < senders; i++)
		sent[i] = host_results(r->fabric->hosts[i + 1])->data_packets_sent;
	l.jain_ppm = rig_jain_ppm(sent, senders);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	rig_free(r);
	return l;
}

/*
 * The fluid model's fixed point (CoNEXT 2016, "ECN or Delay", exact root): at 40 Gb/s, R_AI 40
 * Mb/s, B 10 MB, T 55 us, tau 50 us, F 5, a packet is marked with p = 0.000777 for 2 flows and
 * 0.004552 for 8. Few flows oscillate around it, so a long average is held to a wide band, and
 * the trend over N to its direction.
 */
START_TEST(test_dcqcn_fixed_point)
{
	struct long_run two = long_run(2, 1), eight = long_run(8, 1);

	ck_assert_msg(two.marked_ppm > 777 / 3 && two.marked_ppm < 777 * 3, "N=2: p = %llu ppm",
		      (unsigned long long)two.marked_ppm);
	ck_assert_msg(eight.marked_ppm > 4552 / 3 && eight.marked_ppm < 4552 * 3,
		      "N=8: p = %llu ppm", (unsigned long long)eight.marked_ppm);
	ck_assert_uint_gt(eight.marked_ppm, two.marked_ppm);
	ck_assert_uint_gt(two.jain_ppm, 950000);
	ck_assert_uint_gt(eight.jain_ppm, 950000);
	ck_assert_uint_gt(eight.used_ppm, 800000);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {test_ecn_before_pfc, test_lossy_completes, test_pfc_only_fair,
				      test_dcqcn_fixed_point};

	return rig_main("congestion", tests, sizeof(tests) / sizeof(tests[0]));
}
