/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * configs/victim-flow.yaml: a flow that shares no congested link. The direction is that of the
 * DCQCN paper (SIGCOMM 2015, section 2.2): it could have half of a 40 Gb/s link and more, gets far
 * less with PFC alone, and still less when senders elsewhere join the incast; with DCQCN it does
 * not suffer. Medians over seeds, as ECMP puts the flows where it will.
 */
#include "rig.h"

enum { SEEDS = 5 };

#define VICTIM_BITS 40000000ULL /* 5 MB */

/* The victim's throughput in Mb/s; also checks that nothing was lost or sent again. */
static uint64_t
victim_mbps(unsigned int seed, const char *const *sets, uint32_t set_count)
{
	struct config_override all[8];
	char seed_text[32];
	uint64_t mbps = 0, repeats = 0;
	struct rig *r;

	snprintf(seed_text, sizeof(seed_text), "seed=%u", seed);
	for (uint32_t i = 0; i < set_count; i++)
		all[i].text = sets[i];
	all[set_count].text = seed_text;
	r = rig_build_config("victim-flow.yaml", all, set_count + 1);
	rig_drive(r);
	ck_assert_uint_eq(rig_all_drops(r), 0);
	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow_record *flow = &r->flows[i];

		repeats += flow->retransmitted_packets;
		ck_assert_uint_ne(flow->end_ps, 0);
		if (flow->source == 4)
			mbps = VICTIM_BITS * 1000000 / (flow->end_ps - flow->start_ps);
	}
	ck_assert_uint_eq(repeats, 0);
	rig_free(r);
	return mbps;
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t
median_mbps(const char *const *sets, uint32_t set_count)
{
	uint64_t mbps[SEEDS];

	for (unsigned int i = 0; i < SEEDS; i++)
		mbps[i] = victim_mbps(1 + i, sets, set_count);
	qsort(mbps, SEEDS, sizeof(mbps[0]), compare);
	return mbps[SEEDS / 2];
}

#define FEW "workload.0.elephants.from=[\"h[0-3]\"]"
#define MANY "workload.0.elephants.from=[\"h[0-3]\", \"h[10-11]\"]"
#define DCQCN "topology.host.congestion_control=paper"
#define SPRAY "topology.switch.balancer=spray", "topology.host.receiver=out-of-order"

START_TEST(pfc_alone_hurts_a_bystander)
{
	uint64_t few = median_mbps((const char *const[]){FEW}, 1);
	uint64_t many = median_mbps((const char *const[]){MANY}, 1);

	/* Half of the link it could have is 20 Gb/s. */
	ck_assert_uint_lt(few, 15000);
	ck_assert_uint_lt(many, 10000);
	ck_assert_uint_lt(many, few * 9 / 10);
}
END_TEST

START_TEST(dcqcn_spares_it)
{
	uint64_t few = median_mbps((const char *const[]){FEW, DCQCN}, 2);
	uint64_t many = median_mbps((const char *const[]){MANY, DCQCN}, 2);

	ck_assert_uint_gt(few, 20000);
	ck_assert_uint_gt(many, few * 9 / 10);
}
END_TEST

/* Spread over all paths, what waits for h15 stops none of them for long. */
START_TEST(spraying_spares_it)
{
	ck_assert_uint_gt(victim_mbps(1, (const char *const[]){MANY, SPRAY}, 3), 30000);
	ck_assert_uint_gt(victim_mbps(1, (const char *const[]){MANY, SPRAY, DCQCN}, 4), 30000);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {pfc_alone_hurts_a_bystander, dcqcn_spares_it,
				      spraying_spares_it};

	return rig_main("victim", tests, sizeof(tests) / sizeof(tests[0]));
}
