/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual engine: the result does not depend on how nodes are listed, how long windows are,
 * how often it is stopped or how many lcores it runs on, and idle time costs nothing.
 */
/* Four that share a CPU: they interleave in any order, and work on every machine. */
#define TEST_EAL_LCORES "(0-3)@0"

#include <errno.h>

#include "switch_rig.h"

#define PEERS 6u

static struct rig rig;

/* Lossless traffic meets at station 0, lossy at 5, and some is spread over all. */
static uint8_t
destination(uint16_t port, uint8_t flow)
{
	if (flow == 3)
		return port == 0 ? 1 : 0;
	if (flow == 2)
		return port == 5 ? 4 : 5;
	return (uint8_t)((port + flow) % PEERS);
}

static void
load_rig(uint64_t seed)
{
	struct prng p = prng_init(seed, 0);

	rig_clear(&rig);
	/* Small enough for pauses and drops. */
	rig.cfg.mmu.pools[0].size_bytes = 60000;
	rig.cfg.mmu.profiles[RIG_LOSSLESS].xoff_bytes = 60000;
	rig_open(&rig, seed);
	for (uint16_t port = 0; port < PEERS; port++) {
		struct station *st = rig_cable(&rig, port, 200000);

		for (uint8_t flow = 2; flow < 5; flow++) {
			struct frame_spec spec = {.from = (uint8_t)port,
						  .to = destination(port, flow),
						  .ecn = PACKET_ECT0,
						  .frame_bytes =
							  64 + (uint32_t)prng_below(&p, 1455)};

			station_send(st, flow, spec, 100 + prng_below(&p, 100),
				     prng_below(&p, 3) * 1000000, 0);
		}
	}
}

/* Run the rig with its nodes in the given order; the digests by port, the switch's first. */
static void
run_in_order(const uint32_t *order, uint64_t window_ps, uint64_t stride_ps, uint16_t lcores,
	     uint64_t *digests)
{
	struct node *nodes[PEERS + 1];
	struct engine_virtual e;
	uint64_t until_ps = stride_ps;

	for (uint32_t i = 0; i <= PEERS; i++)
		nodes[i] = order[i] == 0 ? &rig.sw->node : &rig.stations[order[i] - 1].node;
	ck_assert_int_eq(engine_virtual_init(&e, nodes, PEERS + 1, window_ps), 0);
	ck_assert_int_eq(engine_virtual_spread(&e, lcores), 0);
	while (engine_virtual_run(&e, until_ps) != ENGINE_IDLE) {
		ck_assert_uint_eq(e.now_ps, until_ps);
		until_ps += stride_ps;
	}
	for (uint32_t i = 0; i <= PEERS; i++)
		digests[order[i]] = nodes[i]->digest.hash;
	engine_virtual_fini(&e);
}

static const uint32_t in_order[PEERS + 1] = {0, 1, 2, 3, 4, 5, 6};

START_TEST(node_order_windows_and_lcores_do_not_matter)
{
	static const uint32_t orders[][PEERS + 1] = {
		{6, 5, 4, 3, 2, 1, 0}, {3, 0, 6, 1, 5, 2, 4}, {0, 1, 2, 3, 4, 5, 6}};
	static const uint64_t windows_ps[] = {1000000, 333333,  1000000, 17,
					      1000000, 1000000, 333333};
	static const uint64_t strides_ps[] = {1000000000, 1000000000, 7777777,   1000000000,
					      1000000000, 77777777,   1000000000};
	static const uint16_t lcores[] = {1, 1, 1, 1, 2, 3, 4};
	uint64_t wanted[PEERS + 1], got[PEERS + 1], pauses, drops;

	load_rig(1);
	run_in_order(in_order, RIG_CABLE_PS, 1000000000, 1, wanted);
	pauses = rig.stations[2].node.ports[0].pfc_rx.pauses[3];
	drops = rig.sw->node.counters.dropped;
	ck_assert_uint_gt(pauses, 0); /* or there is little to agree on */
	ck_assert_uint_gt(drops, 0);
	rig_close(&rig);
	load_rig(1);
	run_in_order(orders[_i % 3], windows_ps[_i], strides_ps[_i], lcores[_i], got);
	for (uint32_t i = 0; i <= PEERS; i++)
		ck_assert_uint_eq(got[i], wanted[i]);
	rig_close(&rig);
}
END_TEST

/* The run's digest: the same for the same, another for another seed. */
START_TEST(digest_names_the_run)
{
	uint64_t digests[3];

	for (int run = 0; run < 3; run++) {
		struct node *nodes[PEERS + 1] = {NULL};
		struct engine_virtual e;

		load_rig(run < 2 ? 1 : 2);
		nodes[0] = &rig.sw->node;
		for (uint32_t i = 0; i < PEERS; i++)
			nodes[i + 1] = &rig.stations[i].node;
		engine_virtual_init(&e, nodes, PEERS + 1, RIG_CABLE_PS);
		ck_assert_int_eq(engine_virtual_run(&e, UNITS_PS_PER_S), ENGINE_IDLE);
		digests[run] = engine_virtual_digest(&e);
		engine_virtual_fini(&e);
		rig_close(&rig);
	}
	ck_assert_uint_eq(digests[0], digests[1]);
	ck_assert_uint_ne(digests[0], digests[2]);
}
END_TEST

struct count {
	uint64_t windows;
	uint64_t stop_after;
	uint64_t last_ps;
};

static bool
count_window(void *context, uint64_t now_ps)
{
	struct count *c = context;

	ck_assert_uint_gt(now_ps, c->last_ps);
	c->last_ps = now_ps;
	return ++c->windows == c->stop_after;
}

/* A switch and so many stations, of which the first has frames to send to the second. */
static void
open_sender(struct node *nodes[], uint16_t stations, uint64_t frames)
{
	const struct frame_spec spec = {.from = 0, .to = 1, .frame_bytes = 64};

	rig_clear(&rig);
	rig_open(&rig, 1);
	nodes[0] = &rig.sw->node;
	for (uint16_t i = 0; i < stations; i++)
		nodes[i + 1] = &rig_cable(&rig, i, 0)->node;
	station_send(&rig.stations[0], 1, spec, frames, 0, 0);
}

/* 50 frames, one a second: a handful of windows each, not a million a second. */
START_TEST(idle_time_is_skipped)
{
	struct count count = {.stop_after = UINT64_MAX};
	struct node *nodes[3];
	struct engine_virtual e;

	open_sender(nodes, 2, 50);
	rig.stations[0].flows[1].interval_ps = UNITS_PS_PER_S;
	engine_virtual_init(&e, nodes, 3, RIG_CABLE_PS);
	e.between = count_window;
	e.context = &count;
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_IDLE);
	ck_assert_uint_eq(rig.stations[1].received, 50);
	ck_assert_uint_le(count.windows, 50 * 6);
	/* Nothing is due: it is idle whatever the bound. */
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_IDLE);
	engine_virtual_fini(&e);
	rig_close(&rig);
}
END_TEST

START_TEST(between_can_stop)
{
	struct count count = {.stop_after = 7};
	struct node *nodes[2];
	struct engine_virtual e;

	open_sender(nodes, 1, 1000000);
	engine_virtual_init(&e, nodes, 2, RIG_CABLE_PS);
	e.between = count_window;
	e.context = &count;
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_STOPPED);
	ck_assert_uint_eq(count.windows, 7);
	ck_assert_uint_eq(e.now_ps, count.last_ps);
	engine_virtual_fini(&e);
	rig_close(&rig);
}
END_TEST

/* between() sees the nodes at rest, whatever the lcores, as often as it wants. */
START_TEST(between_comes_every_so_many_windows)
{
	struct count count = {.stop_after = 5};
	struct node *nodes[3];
	struct engine_virtual e;

	open_sender(nodes, 2, 1000000);
	engine_virtual_init(&e, nodes, 3, RIG_CABLE_PS);
	ck_assert_int_eq(engine_virtual_spread(&e, 3), 0);
	ck_assert_int_eq(engine_virtual_spread(&e, 5), -EINVAL);
	ck_assert_int_eq(engine_virtual_spread(&e, 3), 0);
	e.between = count_window;
	e.context = &count;
	e.between_windows = 10;
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_STOPPED);
	ck_assert_uint_eq(count.windows, 5);
	/* Frames are back to back: a window begins no more than one after the last has ended. */
	ck_assert_uint_ge(e.now_ps, 50 * RIG_CABLE_PS);
	ck_assert_uint_lt(e.now_ps, 50 * (RIG_CABLE_PS + 6720));
	for (int i = 0; i < 3; i++)
		ck_assert_uint_le(nodes[i]->last_event_ps, e.now_ps);
	/* It goes on where it stopped, on another number of lcores. */
	count = (struct count){.stop_after = UINT64_MAX, .last_ps = e.now_ps};
	ck_assert_int_eq(engine_virtual_spread(&e, 2), 0);
	ck_assert_int_eq(engine_virtual_run(&e, 500 * RIG_CABLE_PS), ENGINE_UNTIL);
	ck_assert_uint_ge(count.windows, 44);
	ck_assert_uint_le(count.windows, 45);
	engine_virtual_fini(&e);
	rig_close(&rig);
}
END_TEST

/* Stations 0 and 2 do all the work, and are on one lcore at first; the digest of all. */
static uint64_t
run_two_of_six(uint16_t lcores, uint16_t *first, uint16_t *third)
{
	struct node *nodes[PEERS + 1];
	struct engine_virtual e;
	uint64_t digest;

	rig_clear(&rig);
	rig_open(&rig, 1);
	nodes[0] = &rig.sw->node;
	for (uint16_t i = 0; i < PEERS; i++)
		nodes[i + 1] = &rig_cable(&rig, i, 0)->node;
	for (uint8_t i = 0; i < 3; i += 2)
		station_send(&rig.stations[i], 1,
			     (struct frame_spec){.from = i, .to = 2 - i, .frame_bytes = 1518},
			     30000, 0, 0);
	ck_assert_int_eq(engine_virtual_init(&e, nodes, PEERS + 1, RIG_CABLE_PS), 0);
	ck_assert_int_eq(engine_virtual_spread(&e, lcores), 0);
	if (lcores > 1)
		ck_assert_uint_eq(nodes[1]->outbox->lcore, nodes[3]->outbox->lcore);
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_IDLE);
	ck_assert_uint_eq(rig.stations[0].received, 30000);
	ck_assert_uint_eq(rig.stations[2].received, 30000);
	*first = nodes[1]->outbox->lcore;
	*third = nodes[3]->outbox->lcore;
	digest = engine_virtual_digest(&e);
	engine_virtual_fini(&e);
	rig_close(&rig);
	return digest;
}

START_TEST(nodes_move_to_where_there_is_room)
{
	uint16_t first, third;
	uint64_t digest = run_two_of_six(1, &first, &third);

	ck_assert_uint_eq(run_two_of_six(3, &first, &third), digest);
	ck_assert_uint_ne(first, third);
}
END_TEST

/* Without links there is no shortest delay: a window may be as long as time. */
START_TEST(endless_window)
{
	struct node *nodes[1];
	struct engine_virtual e;

	rig_clear(&rig);
	rig_open(&rig, 1);
	nodes[0] = &rig.sw->node;
	rig_feed(&rig, 0, &(const struct frame_spec){.from = 0, .to = 1}, 5000000);
	engine_virtual_init(&e, nodes, 1, UNITS_NEVER_PS);
	ck_assert_int_eq(engine_virtual_run(&e, UNITS_NEVER_PS), ENGINE_IDLE);
	ck_assert_uint_eq(rig.out[1].staged[0].count, 1);
	engine_virtual_fini(&e);
	rig_close(&rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("engine");
	TCase *windows = suite_topic(suite, "windows");
	TCase *time = suite_topic(suite, "time");

	rig_set_up_pool();
	tcase_add_loop_test(windows, node_order_windows_and_lcores_do_not_matter, 0, 7);
	tcase_add_test(windows, digest_names_the_run);
	tcase_add_test(windows, nodes_move_to_where_there_is_room);
	tcase_add_test(time, idle_time_is_skipped);
	tcase_add_test(time, between_can_stop);
	tcase_add_test(time, between_comes_every_so_many_windows);
	tcase_add_test(time, endless_window);
	return suite_run(suite);
}
