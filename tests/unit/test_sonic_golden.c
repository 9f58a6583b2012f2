/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch loaded from SONiC's files, filled with packets until it pauses and drops, against the
 * packet counts that the SONiC community's tests hold real switches to (sonic-mgmt, tests/qos,
 * qos_params of Tomahawk and Trident3; buffers as sonic-buildimage ships them for the Arista
 * 7060CX-32S and 7050CX3-32S). As there: 64-byte packets, a cell each, and an egress port that is
 * held; the margin is four packets.
 */
#define TEST_EAL_MB "160"
#define RIG_PORTS 32u
#define RIG_PACKETS 147456u

#include "config.h"
#include "switch_rig.h"

#define MARGIN 4
#define STEP_PS 6720 /* a 64-byte packet at 100 Gb/s */
#define TARGET 7     /* the egress port; ports 0 to 7 share a partition */
#define HELD_PS (10000 * UNITS_PS_PER_US)

static struct rig rig;

/* tests/data/sonic, or the real files where they are. */
static const char *
data_dir(bool real, char *buffer, size_t bytes)
{
	const char *slash = strrchr(__FILE__, '/');

	snprintf(buffer, bytes, "%.*s/%s", slash == NULL ? 1 : (int)(slash - __FILE__),
		 slash == NULL ? "." : __FILE__,
		 real ? "../../../shared/data/sonic" : "../data/sonic");
	return buffer;
}

/* The switch of these files on the bench, with station n on port n and a held egress port. */
static void
open_switch(const char *asic, const char *const *files, size_t count)
{
	char yaml[2048], error[CONFIG_ERROR_BYTES] = "", configs[600], dir[512];
	const char *dirs[] = {configs, NULL};
	struct scenario *s;
	size_t used;

	snprintf(configs, sizeof(configs), "%s/../../../configs",
		 data_dir(false, dir, sizeof(dir)));
	used = (size_t)snprintf(yaml, sizeof(yaml), "switches: {tor: {asic: %s, sonic: [", asic);
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(yaml + used, sizeof(yaml) - used, "%s%s",
					 i == 0 ? "" : ", ", files[i]);
	used += (size_t)snprintf(yaml + used, sizeof(yaml) - used, "]}}\nduration: 1ms\n");
	ck_assert_msg(config_load_buffer((const uint8_t *)yaml, used, "golden.yaml", NULL, 0, dirs,
					 &s, error, sizeof(error)) == 0,
		      "%s", error);
	rig_clear(&rig);
	ck_assert_uint_eq(s->switches[0].cfg.port_count, RIG_PORTS);
	rig.cfg.mmu = s->switches[0].cfg.mmu;
	rig.cfg.maps = s->switches[0].cfg.maps;
	memcpy(rig.ports, s->switches[0].ports, sizeof(rig.ports));
	for (uint16_t port = 0; port < RIG_PORTS; port++) {
		ck_assert_uint_eq(rig.ports[port].maps, 0);
		for (int i = 0; i < SWITCH_QUEUES; i++)
			rig.ports[port].wred[i] = rig.ports[port].scheduler[i] = -1;
	}
	rig.ports[TARGET].port.hold_until_ps = HELD_PS;
	scenario_free(s);
	rig_open(&rig, 1);
}

static void
open_tomahawk(bool real, const char *speed)
{
	char dir[300], own[300], file[4][400];
	const char *files[4] = {file[0], file[1], file[2], file[3]};

	data_dir(real, dir, sizeof(dir));
	data_dir(false, own, sizeof(own));
	if (real) {
		snprintf(file[0], sizeof(file[0]), "%s/buffer-arista7060-t0.json", dir);
		snprintf(file[1], sizeof(file[1]), "%s/th_arista7060cx32s_pg_profile_lookup.ini",
			 dir);
	} else {
		snprintf(file[0], sizeof(file[0]), "%s/tomahawk/buffers.json", dir);
		snprintf(file[1], sizeof(file[1]), "%s/tomahawk/pg_profile_lookup.ini", dir);
	}
	snprintf(file[2], sizeof(file[2]), "%s/tomahawk/ports-%s.json", own, speed);
	snprintf(file[3], sizeof(file[3]), "%s/tomahawk/qos.json", own);
	open_switch("tomahawk", files, 4);
}

static void
open_trident3(void)
{
	char dir[300], file[3][400];
	const char *files[3] = {file[0], file[1], file[2]};

	data_dir(false, dir, sizeof(dir));
	snprintf(file[0], sizeof(file[0]), "%s/trident3/config_db.json", dir);
	snprintf(file[1], sizeof(file[1]), "%s/trident3/pg_profile_lookup.ini", dir);
	snprintf(file[2], sizeof(file[2]), "%s/trident3/ports-100g.json", dir);
	open_switch("trident3", files, 3);
}

static void
send_one(uint16_t port, uint8_t dscp)
{
	const struct frame_spec spec = {.from = (uint8_t)port, .to = TARGET, .dscp = dscp};
	uint64_t at_ps = rig.now_ps + STEP_PS > RIG_CABLE_PS ? rig.now_ps + STEP_PS : RIG_CABLE_PS;

	rig_feed(&rig, port, &spec, at_ps);
	rig_run(&rig, at_ps + 1); /* what arrives then has been dealt with */
}

static bool
is_paused(uint16_t port, uint8_t priority)
{
	return rig_port(&rig, port)->pfc_tx.wanted >> priority & 1;
}

/* Packets from one port until its sender is paused: the packet that does it counts. */
static uint32_t
fill_to_xoff(uint16_t port, uint8_t dscp)
{
	uint32_t n = 0;

	while (!is_paused(port, dscp)) {
		send_one(port, dscp);
		n++;
		ck_assert_uint_lt(n, 100000);
		ck_assert_uint_eq(rig.sw->node.counters.dropped, 0);
	}
	return n;
}

/* More of them, until one is lost: that counts too. */
static uint32_t
fill_to_drop(uint16_t port, uint8_t dscp)
{
	uint64_t dropped = rig.sw->node.counters.dropped;
	uint32_t n = 0;

	while (rig.sw->node.counters.dropped == dropped) {
		send_one(port, dscp);
		n++;
		ck_assert_uint_lt(n, 100000);
	}
	return n;
}

/* Let the egress go, and count the packets that leave until the sender may go on. */
static uint32_t
drain_to_xon(uint16_t port, uint8_t priority)
{
	uint64_t before = rig.sw->ports[TARGET].queues[priority].tx_packets;

	rig_run(&rig, HELD_PS);
	while (is_paused(port, priority))
		rig_run(&rig, rig.now_ps + STEP_PS);
	return (uint32_t)(rig.sw->ports[TARGET].queues[priority].tx_packets - before);
}

static void
expect_near(uint32_t measured, uint32_t golden)
{
	ck_assert_msg(measured + MARGIN >= golden && measured <= golden + MARGIN,
		      "%u packets, but hardware is held to %u", measured, golden);
}

struct golden {
	const char *speed;
	uint32_t trig_pfc;    /* pkts_num_trig_pfc */
	uint32_t headroom;    /* pkts_num_trig_ingr_drp - pkts_num_trig_pfc */
	uint32_t groups;      /* hdrm_pool_size: pgs_num */
	uint32_t trig_shared; /* hdrm_pool_size: pkts_num_trig_pfc, of each */
	uint32_t pool;        /* hdrm_pool_size: pkts_num_hdrm_full and _partial, in sum */
};

static const struct golden tomahawk[] = {
	{"40g", 6542, 7063 - 6542, 10, 1194, 9 * 520 + 361},
	{"50g", 6542, 7225 - 6542, 8, 1458, 7 * 682 + 267},
	{"100g", 6542, 7835 - 6542, 4, 2620, 3 * 1292 + 1165},
};

static void
check_limits(const struct golden *g, bool real)
{
	open_tomahawk(real, g->speed);
	expect_near(fill_to_xoff(0, 3), g->trig_pfc);
	expect_near(fill_to_drop(0, 3), g->headroom);
	ck_assert_uint_eq(rig_drops(&rig, DROP_INGRESS_HEADROOM), 1);
	rig_close(&rig);
}

/* Several PGs, each to its limit in turn, again and again, since each lowers that of the others. */
static void
fill_groups(uint32_t groups, uint32_t trigger)
{
	for (uint32_t packet = 0; packet < trigger - MARGIN; packet++)
		for (uint32_t g = 0; g < groups; g++)
			send_one((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4);
	for (uint32_t g = 0; g < groups; g++)
		ck_assert_msg(!is_paused((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4), "group %u", g);
	for (uint32_t packet = 0; packet < 2 * MARGIN; packet++)
		for (uint32_t g = 0; g < groups; g++)
			if (!is_paused((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4))
				send_one((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4);
	for (uint32_t g = 0; g < groups; g++)
		ck_assert_msg(is_paused((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4), "group %u", g);
}

static void
check_pool(const struct golden *g, bool real)
{
	uint32_t packets = 0;

	open_tomahawk(real, g->speed);
	fill_groups(g->groups, g->trig_shared);
	for (uint32_t group = 0; rig_drops(&rig, DROP_HEADROOM_POOL) == 0 && group < g->groups;
	     group++)
		packets += fill_to_drop((uint16_t)(group / 2), group % 2 == 0 ? 3 : 4) - 1;
	ck_assert_uint_eq(rig_drops(&rig, DROP_HEADROOM_POOL), 1);
	/* Each group may have used up to its margin of headroom already. */
	ck_assert_uint_le(packets, g->pool + MARGIN);
	ck_assert_uint_ge(packets + MARGIN * g->groups, g->pool);
	expect_near(rig.sw->mmu.pools[0].headroom_used_cells, g->pool);
	rig_close(&rig);
}

/* SAI's tests of XOFF and of the headroom pool. */
START_TEST(tomahawk_limits)
{
	check_limits(&tomahawk[_i], false);
	check_pool(&tomahawk[_i], false);
}
END_TEST

static bool
have_real_files(void)
{
	char dir[300], file[400];
	FILE *f;

	snprintf(file, sizeof(file), "%s/buffer-arista7060-t0.json",
		 data_dir(true, dir, sizeof(dir)));
	f = fopen(file, "r");
	if (f == NULL) {
		printf("skipped: there is no %s\n", file);
		return false;
	}
	fclose(f);
	return true;
}

/* The same from the files of a switch, where they are. */
START_TEST(tomahawk_limits_from_real_files)
{
	if (!have_real_files())
		return;
	check_limits(&tomahawk[_i], true);
	check_pool(&tomahawk[_i], true);
}
END_TEST

/* xon_1: pkts_num_dismiss_pfc. */
START_TEST(tomahawk_resumes)
{
	open_tomahawk(false, "100g");
	fill_to_xoff(0, 3);
	expect_near(drain_to_xon(0, 3), 12);
	rig_close(&rig);
}
END_TEST

/* lossy_queue_1: pkts_num_trig_egr_drp. Nobody is paused. */
START_TEST(tomahawk_lossy_queue)
{
	open_tomahawk(false, "100g");
	expect_near(fill_to_drop(0, 8), 9887);
	ck_assert_uint_eq(rig_drops(&rig, DROP_EGRESS_LIMIT), 1);
	ck_assert_uint_eq(rig_port(&rig, 0)->pfc_tx.frames, 0);
	rig_close(&rig);
}
END_TEST

/* xoff_1, xon_1: of the dual ToR and of the others. */
START_TEST(trident3_limits)
{
	open_trident3();
	fill_to_xoff(0, 3);
	expect_near(fill_to_drop(0, 3), 625);
	rig_close(&rig);
	open_trident3();
	fill_to_xoff(0, 3);
	expect_near(drain_to_xon(0, 3), 18);
	rig_close(&rig);
}
END_TEST

/*
 * The headroom pool, by as many PGs as have more headroom in sum than it holds. Where they pause
 * follows from the pool: 18 guaranteed cells and a twelfth of 32712448 / 256.
 */
START_TEST(trident3_headroom_pool)
{
	uint32_t groups = 11;

	open_trident3();
	fill_groups(groups, 18 + 32712448 / 256 / 12);
	for (uint32_t g = 0; rig_drops(&rig, DROP_HEADROOM_POOL) == 0 && g < groups; g++)
		fill_to_drop((uint16_t)(g / 2), g % 2 == 0 ? 3 : 4);
	expect_near(rig.sw->mmu.pools[0].headroom_used_cells, 6336);
	rig_close(&rig);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("sonic_golden");
	TCase *t = tcase_create("golden");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, tomahawk_limits, 0, 3);
	tcase_add_loop_test(t, tomahawk_limits_from_real_files, 0, 3);
	tcase_add_test(t, tomahawk_resumes);
	tcase_add_test(t, tomahawk_lossy_queue);
	tcase_add_test(t, trident3_limits);
	tcase_add_test(t, trident3_headroom_pool);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	rig_set_up_pool();
	return suite_run(suite());
}
