/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom is sharp: what arrives after XOFF fits it or not, to the frame. A station sends at
 * line rate over 1 us of cable to a port that is stopped, and obeys PFC after its response time.
 *
 * Worked by hand at 100 Gb/s: XOFF is sent when frame 100 is in, at T. Its successor left the
 * station at T - 1 us. The pause frame takes 6,720 ps and 1 us; the station starts no frame from
 * T + 1,006,720 ps + response on. So ceil((2,006,720 + response) / frame) frames arrive after
 * XOFF, where a frame of 1,024 B takes 83,520 ps and 4 cells of 256 B.
 */
#include "switch_rig.h"

#define FRAME_BYTES 1024u
#define FRAME_PS 83520u
#define CELLS 4u
#define XOFF_AFTER 100u
#define HEADROOM 50u /* frames */

static struct rig rig;

static const struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = FRAME_BYTES};

static void
open_stopped(uint32_t headroom_frames)
{
	rig_clear(&rig);
	rig.cfg.mmu.cell_bytes = 256;
	rig.cfg.mmu.profiles[RIG_LOSSLESS] =
		(struct mmu_profile_cfg){.is_static = true,
					 .static_th_bytes = (uint64_t)XOFF_AFTER * CELLS * 256,
					 .lossless = true,
					 .xoff_bytes = (uint64_t)headroom_frames * CELLS * 256,
					 .xon_offset_bytes = 4096};
	rig.ports[1].port.hold_until_ps = UNITS_PS_PER_MS;
	rig_open(&rig, 1);
}

static uint64_t
lossless_drops(void)
{
	return rig_drops(&rig, DROP_INGRESS_HEADROOM) + rig_drops(&rig, DROP_HEADROOM_POOL) +
	       rig_drops(&rig, DROP_INGRESS_LIMIT) + rig_drops(&rig, DROP_EGRESS_LIMIT);
}

/* From 0 to 3 us of response: nothing lost up to 50 frames after XOFF, each one beyond is. */
START_TEST(drops_start_when_headroom_ends)
{
	uint64_t with = 0, without = 0;

	for (uint64_t response_ps = 0; response_ps <= 3000000; response_ps += 25000) {
		uint64_t after = (2006720 + response_ps + FRAME_PS - 1) / FRAME_PS;
		uint64_t lost = after > HEADROOM ? after - HEADROOM : 0;
		const struct mmu_account *pg;

		open_stopped(HEADROOM);
		station_send(rig_cable(&rig, 0, response_ps), 3, spec, 10000, 1000000, 0);
		rig_engine(&rig, 100 * UNITS_PS_PER_US);
		pg = mmu_pg(&rig.sw->mmu, 0, 3);
		ck_assert_uint_eq(rig_port(&rig, 0)->rx_packets, XOFF_AFTER + after);
		ck_assert_uint_eq(lossless_drops(), lost);
		ck_assert_uint_eq(pg->headroom_cells, (after - lost) * CELLS);
		ck_assert_uint_eq(pg->xoffs, 1);
		with += lost != 0;
		without += lost == 0;
		rig_close(&rig);
	}
	ck_assert_uint_gt(with, 20);
	ck_assert_uint_gt(without, 20);
}
END_TEST

/*
 * The bound that a lossless setting must meet, 2 x delay x rate + response + 2 frames, is enough
 * (with the pause frame's own 84 bytes), and less than two frames above what is needed.
 */
START_TEST(lower_bound_is_tight)
{
	for (uint64_t response_ps = 0; response_ps <= 3000000; response_ps += 100000) {
		uint64_t bound_bytes = 2 * RIG_CABLE_PS / 80 + response_ps / 80 + 84 +
				       2 * (FRAME_BYTES + UNITS_WIRE_OVERHEAD_BYTES);
		uint32_t frames =
			(uint32_t)(bound_bytes / (FRAME_BYTES + UNITS_WIRE_OVERHEAD_BYTES));

		for (uint32_t less = 0; less <= 3; less += 3) {
			open_stopped(frames - less);
			station_send(rig_cable(&rig, 0, response_ps), 3, spec, 10000, 1000000, 0);
			rig_engine(&rig, 100 * UNITS_PS_PER_US);
			ck_assert_int_eq(lossless_drops() == 0, less == 0);
			rig_close(&rig);
		}
	}
}
END_TEST

/*
 * XOFF and XON over and over, the port released and the sender refreshed: all 20,000 frames
 * arrive in order, none lost, and the pauses the sender saw are what the switch meant.
 */
START_TEST(pauses_come_and_go_without_loss)
{
	const uint64_t response_ps = 2017280; /* 394 quanta */
	struct station *from, *to;
	uint64_t paused_ps;

	open_stopped(HEADROOM);
	rig.sw->node.ports[1].cfg.hold_until_ps = 600 * UNITS_PS_PER_US; /* longer than a pause */
	from = rig_cable(&rig, 0, response_ps);
	to = rig_cable(&rig, 1, response_ps);
	/* A second sender makes two into one. */
	station_send(from, 3, spec, 10000, 1000000, 0);
	station_send(rig_cable(&rig, 2, response_ps), 3,
		     (struct frame_spec){.from = 2, .to = 1, .frame_bytes = FRAME_BYTES}, 10000,
		     1000000, 0);
	ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
	ck_assert_uint_eq(lossless_drops(), 0);
	ck_assert_uint_eq(to->from[0][3].packets, 10000);
	ck_assert_uint_eq(to->from[2][3].packets, 10000);
	ck_assert_uint_eq(to->from[0][3].reordered + to->from[2][3].reordered, 0);
	ck_assert_uint_gt(mmu_pg(&rig.sw->mmu, 0, 3)->xoffs, 5);
	paused_ps = from->node.ports[0].pfc_rx.paused_ps[3];
	/* Each change of mind takes the same way: the times agree but for waits of a frame. */
	ck_assert_double_eq_tol((double)paused_ps, (double)rig_port(&rig, 0)->pfc_tx.xoff_ps[3],
				(double)mmu_pg(&rig.sw->mmu, 0, 3)->xoffs * 100000);
	ck_assert_uint_eq(rig.sw->mmu.held_cells, 0);
	rig_close(&rig);
}
END_TEST

/* A large frame on its way back delays the pause frame; anything may be the rate or the size. */
static uint32_t
enough_frames(uint64_t rate_bps, uint64_t response_ps, uint32_t frame_bytes, uint32_t back_bytes)
{
	uint64_t frame_ps = units_frame_ps(frame_bytes, rate_bps);
	uint64_t blind_ps = units_frame_ps(back_bytes, rate_bps) + units_frame_ps(64, rate_bps) +
			    2 * RIG_CABLE_PS + response_ps;

	return (uint32_t)((blind_ps + frame_ps - 1) / frame_ps) + 1;
}

START_TEST(enough_headroom_never_loses)
{
	static const uint64_t rates_gbps[] = {10, 25, 100, 400, 800};
	struct prng p = prng_init(99, (uint64_t)_i);

	for (int round = 0; round < 12; round++) {
		uint64_t rate_bps = rates_gbps[prng_below(&p, 5)] * 1000000000;
		uint64_t response_ps = prng_below(&p, 2 * units_pause_response_ps(rate_bps));
		uint32_t cells = 1 + (uint32_t)prng_below(&p, 36), frame_bytes = cells * 256;
		uint32_t frames = enough_frames(rate_bps, response_ps, frame_bytes, 9216);
		struct frame_spec there = {.from = 0, .to = 1, .frame_bytes = frame_bytes};
		struct frame_spec back = {.from = 2, .to = 0, .frame_bytes = 9216};

		rig_clear(&rig);
		rig.cfg.mmu.cell_bytes = 256;
		rig.cfg.mmu.profiles[RIG_LOSSLESS] =
			(struct mmu_profile_cfg){.dynamic_th = -2 + (int32_t)prng_below(&p, 4),
						 .size_bytes = prng_below(&p, 20000),
						 .lossless = true,
						 .xoff_bytes = (uint64_t)frames * frame_bytes,
						 .xon_offset_bytes = prng_below(&p, 9000)};
		rig.cfg.mmu.pools[0].size_bytes = 50000 + prng_below(&p, 1000000);
		for (int port = 0; port < 3; port++) {
			rig.ports[port].port.rate_bps = rate_bps;
			rig.ports[port].port.pfc.refresh_ps = units_pause_ps(65535, rate_bps) / 2;
		}
		rig.ports[1].port.rate_bps =
			rate_bps / (1 + prng_below(&p, 4)); /* a slow way out */
		rig.ports[1].port.hold_until_ps = prng_below(&p, 50 * UNITS_PS_PER_US);
		rig_open(&rig, (uint64_t)round);
		rig_cable(&rig, 1, 0);
		station_send(rig_cable(&rig, 0, response_ps), 3, there, 2000, 1000000, 0);
		station_send(rig_cable(&rig, 2, response_ps), 1, back, 500, 1000000, 0);
		ck_assert_int_eq(rig_engine(&rig, UNITS_PS_PER_S), ENGINE_IDLE);
		ck_assert_uint_eq(rig.stations[1].from[0][3].packets, 2000);
		ck_assert_uint_eq(rig.stations[1].from[0][3].reordered, 0);
		ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
		rig_close(&rig);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("headroom");
	TCase *sharp = suite_topic(suite, "sharp");
	TCase *lossless = suite_topic(suite, "lossless");

	rig_set_up_pool();
	tcase_add_test(sharp, drops_start_when_headroom_ends);
	tcase_add_test(sharp, lower_bound_is_tight);
	tcase_add_test(lossless, pauses_come_and_go_without_loss);
	tcase_add_loop_test(lossless, enough_headroom_never_loses, 0, 5);
	return suite_run(suite);
}
