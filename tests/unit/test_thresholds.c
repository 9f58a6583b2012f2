/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The buffer thresholds of the DCQCN paper (Zhu et al., SIGCOMM 2015, section 4), for a switch
 * of 12 MB with 32 ports of 40 Gb/s and 8 priorities, 22.4 KB in flight a port and priority:
 * t_PFC <= 24.47 KB when it is static, t_ECN < 21.75 KB with a dynamic t_PFC of beta = 8.
 */
#include "mmu.h"
#include "suite.h"

#include <string.h>

enum { PORTS = 32, PRIORITIES = 8, CELL_BYTES = 10 };

static const uint64_t buffer_bytes = 12000000;
static const uint64_t flight_bytes = 22400;

static struct mmu mmu;

/* One ingress profile for all PGs, headroom of what may be in flight, and egress without limit. */
static void
open_switch(bool is_static, uint64_t static_th_bytes)
{
	static struct mmu_port_cfg ports[PORTS];
	static struct mmu_cfg cfg;

	cfg = (struct mmu_cfg){
		.cell_bytes = CELL_BYTES, .partitions = 1, .pool_count = 2, .profile_count = 2};
	cfg.pools[0] = (struct mmu_pool_cfg){
		.dynamic = !is_static,
		.size_bytes = buffer_bytes - PRIORITIES * PORTS * flight_bytes,
	};
	cfg.pools[1] = (struct mmu_pool_cfg){.egress = true, .size_bytes = buffer_bytes};
	/* beta = 8 over 8 priorities: each may have as much as is free, alpha = 1. */
	cfg.profiles[0] = (struct mmu_profile_cfg){.is_static = is_static,
						   .static_th_bytes = static_th_bytes,
						   .lossless = true,
						   .xoff_bytes = flight_bytes};
	cfg.profiles[1] = (struct mmu_profile_cfg){
		.pool = 1, .is_static = true, .static_th_bytes = buffer_bytes};
	for (int port = 0; port < PORTS; port++) {
		for (int c = 0; c < PRIORITIES; c++) {
			ports[port].pg_profile[c] = 0;
			ports[port].queue_profile[c] = 1;
		}
	}
	ck_assert_int_eq(mmu_init(&mmu, &cfg, PORTS, ports), 0);
}

static struct mmu_verdict
admit(uint16_t in_port, uint16_t out_port, uint8_t priority)
{
	struct packet p = {.frame_bytes = CELL_BYTES,
			   .in_port = in_port,
			   .out_port = out_port,
			   .pg = priority,
			   .queue = priority};

	return mmu_admit(&mmu, &p);
}

/* Every PG to its threshold, then everything that is in flight: how many did not get there. */
static uint32_t
fill_static(uint64_t threshold_bytes)
{
	uint32_t short_of = 0, lost = 0;

	open_switch(true, threshold_bytes);
	for (uint16_t pg = 0; pg < PORTS * PRIORITIES; pg++) {
		uint16_t port = pg / PRIORITIES;
		uint8_t priority = pg % PRIORITIES;

		while (!mmu_pg(&mmu, port, priority)->xoff)
			EXPECT(admit(port, 0, priority).admitted);
		short_of +=
			mmu_pg(&mmu, port, priority)->shared_cells < threshold_bytes / CELL_BYTES;
		for (uint64_t i = 0; i < flight_bytes / CELL_BYTES; i++)
			lost += !admit(port, 0, priority).admitted;
	}
	mmu_fini(&mmu);
	return short_of + lost;
}

START_TEST(static_pfc_threshold)
{
	/* (B - 8 n t_flight) / (8 n) = 24,475 B */
	ck_assert_uint_eq(fill_static(24470), 0);
	ck_assert_uint_gt(fill_static(24480), 0);
}
END_TEST

/* One port's traffic spread over all egress queues, each at t_ecn: is it paused? */
static bool
paused_before_marking(uint64_t ecn_bytes)
{
	bool paused = false;

	open_switch(false, 0);
	for (uint64_t i = 0; i < ecn_bytes / CELL_BYTES; i++) {
		for (uint16_t out = 0; out < PORTS; out++) {
			for (uint8_t priority = 0; priority < PRIORITIES; priority++)
				paused |= admit(0, out, priority).xoff;
		}
	}
	mmu_fini(&mmu);
	return paused;
}

START_TEST(ecn_before_dynamic_pfc)
{
	/* beta (B - 8 n t_flight) / (8 n (beta + 1)) = 21,755 B */
	ck_assert(!paused_before_marking(21750));
	ck_assert(paused_before_marking(21760));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("thresholds");
	TCase *paper = suite_topic(suite, "SIGCOMM 2015");

	tcase_add_test(paper, static_pfc_threshold);
	tcase_add_test(paper, ecn_before_dynamic_pfc);
	return suite_run(suite);
}
