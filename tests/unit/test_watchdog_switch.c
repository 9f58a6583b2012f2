/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes wrong with PFC watchdogs elsewhere, at a switch, with frames: pauses of zero quanta
 * that keep a storm alive, links that flap, pauses sent while it drops, packets that are still
 * lost after it is over. Polls every 100 ms, 200 ms to detect and to restore; a peer at port 1
 * pauses priority 3 every 200 us.
 */
#include "switch_rig.h"

#define MS UNITS_PS_PER_MS
#define POLL_MS 100
#define DETECTION_MS 200
#define RESTORATION_MS 200
#define EVERY_PS (200 * UNITS_PS_PER_US) /* 65,535 quanta are 335 us */

static struct rig rig;

static const struct frame_spec stormed = {.from = 0, .to = 1, .dscp = 24};

static void
open_watched(int detect, enum watchdog_action action)
{
	rig_clear(&rig);
	rig.cfg.watchdog_poll_ps = POLL_MS * MS;
	rig.cfg.mmu.profiles[RIG_LOSSLESS] = (struct mmu_profile_cfg){.is_static = true,
								      .static_th_bytes = 100 * 208,
								      .lossless = true,
								      .xoff_bytes = 100 * 208,
								      .xon_offset_bytes = 2080};
	for (int port = 0; port < 2; port++)
		rig.ports[port].watchdog =
			(struct watchdog_cfg){.priorities = 0x08,
					      .detect = (enum watchdog_detect)detect,
					      .action = action,
					      .detection_ps = DETECTION_MS * MS,
					      .restoration_ps = RESTORATION_MS * MS};
	rig.ports[2].port.hold_until_ps = 5000 * MS;
	rig_open(&rig, 1);
	rig.now_ps = EVERY_PS;
}

static void
feed_pause(uint16_t quanta, uint64_t at_ps)
{
	uint8_t source[6];
	uint16_t all[8];
	struct rte_mbuf *m = packet_alloc(rig_pool);

	ck_assert_ptr_nonnull(m);
	frame_station(source, 1);
	for (int i = 0; i < 8; i++)
		all[i] = quanta;
	pfc_encode(m, source, 0x08, all);
	packet_of(m)->flags = 0; /* as it comes off the wire */
	rig_feed_packet(&rig, 1, m, at_ps);
}

/* Pause frames until until_ps, and packets for the queue that they stop, one in 10 ms. */
static void
pauses(uint16_t quanta, uint64_t until_ps)
{
	for (uint64_t at_ps = rig.now_ps + EVERY_PS; at_ps < until_ps; at_ps += EVERY_PS) {
		feed_pause(quanta, at_ps);
		if (at_ps / EVERY_PS % 50 == 0)
			rig_feed(&rig, 0, &stormed, at_ps);
		rig_run(&rig, at_ps + 1);
	}
	rig_run(&rig, until_ps);
}

static const struct watchdog *
dog(void)
{
	return &rig.sw->watchdogs[1][3];
}

/* XON frames that never end, from before a storm on and after it: no storm, and none that stays. */
START_TEST(zero_quanta_are_no_pause)
{
	open_watched(_i, WATCHDOG_DROP);
	pauses(0, 1000 * MS);
	ck_assert_uint_eq(dog()->detected, 0);
	pauses(65535, 1500 * MS);
	ck_assert_uint_eq(dog()->detected, 1);
	ck_assert(dog()->storming);
	pauses(0, 2000 * MS);
	ck_assert_uint_eq(dog()->detected, 1);
	ck_assert_uint_eq(dog()->restored, 1);
	ck_assert_uint_le(dog()->last_restored_ps, (1500 + RESTORATION_MS + POLL_MS) * MS);
	rig_close(&rig);
}
END_TEST

/* After the end nothing is dropped any more: what comes leaves, and the counts stand still. */
START_TEST(nothing_is_dropped_after_the_end)
{
	uint64_t dropped;

	open_watched(_i, WATCHDOG_DROP);
	pauses(65535, 500 * MS);
	rig_run(&rig, (500 + RESTORATION_MS + POLL_MS) * MS);
	ck_assert_uint_eq(dog()->restored, 1);
	dropped = rig_drops(&rig, DROP_PFC_WATCHDOG);
	ck_assert_uint_gt(dropped, 0);
	ck_assert_uint_eq(dog()->dropped, dropped);
	rig.count = 0;
	for (int i = 0; i < 1000; i++)
		rig_feed(&rig, 0, &stormed, rig.now_ps + MS + (uint64_t)i * 6720);
	rig_run(&rig, rig.now_ps + 10 * MS);
	ck_assert_uint_eq(rig_departed(&rig, 1), 1000);
	ck_assert_uint_eq(rig_drops(&rig, DROP_PFC_WATCHDOG), dropped);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, dropped);
	rig_close(&rig);
}
END_TEST

/*
 * The peer pauses and its link goes down, again and again, with packets waiting: a pause goes with
 * its link, so however long that is down, and however soon it is paused again, it is no storm.
 */
START_TEST(flapping_links_are_no_storm)
{
	open_watched(_i, WATCHDOG_DROP);
	for (uint64_t flap = 0; flap < 20; flap++) {
		pauses(65535, rig.now_ps + (30 + flap * 7) * MS);
		node_set_link(&rig.sw->node, 1, false, rig.now_ps);
		rig_run(&rig, rig.now_ps + (flap % 2 == 0 ? 1 : 400) * MS);
		node_set_link(&rig.sw->node, 1, true, rig.now_ps);
	}
	ck_assert_uint_eq(dog()->detected, 0);
	ck_assert_uint_eq(rig_drops(&rig, DROP_PFC_WATCHDOG), 0);
	/* It would have been: a pause as long as all of these, without a flap. */
	pauses(65535, rig.now_ps + (DETECTION_MS + 2 * POLL_MS) * MS);
	ck_assert_uint_eq(dog()->detected, 1);
	rig_close(&rig);
}
END_TEST

/*
 * While it drops it sends no pause: one that had been sent is taken back, and packets beyond any
 * limit of the PG bring no other.
 */
START_TEST(drop_sends_no_pause)
{
	uint64_t frames;

	open_watched(_i, WATCHDOG_DROP);
	pauses(65535, 50 * MS);
	for (int i = 0; i < 150; i++)
		rig_feed(&rig, 0, &stormed, rig.now_ps + EVERY_PS + (uint64_t)i * 6720);
	pauses(65535, 150 * MS);
	ck_assert_uint_eq(rig_port(&rig, 0)->pfc_tx.wanted, 0x08);
	pauses(65535, 450 * MS);
	ck_assert_uint_eq(dog()->detected, 1);
	ck_assert_uint_eq(rig_port(&rig, 0)->pfc_tx.wanted, 0);
	frames = rig_port(&rig, 0)->pfc_tx.frames;
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 1000; i++)
			rig_feed(&rig, 0, &stormed, rig.now_ps + EVERY_PS + (uint64_t)i * 6720);
		rig_run(&rig, rig.now_ps + EVERY_PS + 1000 * 6720);
		feed_pause(65535, rig.now_ps + UNITS_PS_PER_US + 1);
	}
	ck_assert_uint_ge(dog()->dropped, 10000);
	ck_assert_uint_eq(rig_port(&rig, 0)->pfc_tx.frames, frames);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.frames, 0);
	ck_assert_uint_eq(rig.sw->held_packets, 0);
	rig_run(&rig, rig.now_ps + MS);
	rig_close(&rig);
}
END_TEST

/*
 * What came from the stormed port may have filled its own PG: it is let go when the storm is known,
 * paused again when that is over and the PG is still full, and what comes in between is dropped.
 */
START_TEST(the_stormed_port_is_not_paused)
{
	const struct frame_spec from_it = {.from = 1, .to = 2, .dscp = 24};
	uint64_t dropped;

	open_watched(_i, WATCHDOG_DROP);
	for (int i = 0; i < 150; i++)
		rig_feed(&rig, 1, &from_it, rig.now_ps + EVERY_PS + (uint64_t)i * 6720);
	rig_run(&rig, 50 * MS);
	pauses(65535, 150 * MS);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.wanted, 0x08);
	pauses(65535, 450 * MS);
	ck_assert_uint_eq(dog()->detected, 1);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.wanted, 0);
	dropped = rig_drops(&rig, DROP_PFC_WATCHDOG);
	for (int i = 0; i < 100; i++)
		rig_feed(&rig, 1, &from_it, rig.now_ps + EVERY_PS + (uint64_t)i * 6720);
	rig_run(&rig, 500 * MS);
	ck_assert_uint_eq(rig_drops(&rig, DROP_PFC_WATCHDOG) - dropped, 100);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.wanted, 0);
	rig_run(&rig, (500 + RESTORATION_MS + POLL_MS) * MS);
	ck_assert_uint_eq(dog()->restored, 1);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.wanted, 0x08);
	rig_run(&rig, 6000 * MS);
	ck_assert_uint_eq(rig_port(&rig, 1)->pfc_tx.wanted, 0);
	rig_close(&rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("watchdog_switch");
	TCase *topic = suite_topic(suite, "faults");

	rig_set_up_pool();
	tcase_add_loop_test(topic, zero_quanta_are_no_pause, 0, 2);
	tcase_add_loop_test(topic, nothing_is_dropped_after_the_end, 0, 2);
	tcase_add_loop_test(topic, flapping_links_are_no_storm, 0, 2);
	tcase_add_loop_test(topic, drop_sends_no_pause, 0, 2);
	tcase_add_loop_test(topic, the_stormed_port_is_not_paused, 0, 2);
	return suite_run(suite);
}
