/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom is sharp at every speed and cable of two tables that SONiC ships, with packets: what
 * headroom_worst() computes loses nothing, whatever the frames, and 80 % of it loses; and a row of
 * a table holds as many frames as it has cells for, to the frame.
 *
 * The sender is as bad as it may be: at line rate, frames of 64 bytes or just above k cells, a
 * peer that takes all of its response time, and a frame of our MTU that starts to leave just
 * before the pause frame wants to. By hand: with XOFF decided at T, the pause frame waits for that
 * frame (all of it but 1 ps), takes 84 bytes and the cable; the sender starts no frame when its
 * response is over; and one that it starts takes the cable back. So ceil((frame + 84 bytes + 2
 * cables + response) / worst frame) arrive.
 */
#include <stdint.h>

static uint64_t cable_ps;
#define RIG_CABLE_PS cable_ps
#include "headroom.h"
#include "headroom_tables.h"
#include "switch_rig.h"

#define OWN_FRAME_BYTES 9100u
#define FRAMES_TO_XOFF 20u
#define FRAME_KINDS 6

static struct rig rig;

/* What the tables' rows are for. */
static struct headroom_cfg
tomahawk(int row)
{
	return (struct headroom_cfg){
		.speed_bps = headroom_tomahawk[row].speed_mbps * HEADROOM_MBPS,
		.cable_mm = headroom_tomahawk[row].cable_m * 1000,
		.port_mtu_bytes = OWN_FRAME_BYTES,
		.lossless_mtu_bytes = 1060,
		.cell_bytes = 208,
		.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
		.peer_millibytes = HEADROOM_PEER_AUTO,
	};
}

static struct headroom_cfg
sn2700(int row)
{
	return (struct headroom_cfg){
		.speed_bps = headroom_sn2700[row].speed_mbps * HEADROOM_MBPS,
		.cable_mm = headroom_sn2700[row].cable_m * 1000,
		.port_mtu_bytes = OWN_FRAME_BYTES,
		.lossless_mtu_bytes = 1024,
		.small_packet_percent = 100,
		.cell_bytes = 96,
		.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
		.peer_millibytes = 3891200,
	};
}

static const struct {
	struct headroom_cfg (*cfg)(int row);
	const struct headroom_table_row *rows;
} tables[] = {{tomahawk, headroom_tomahawk}, {sn2700, headroom_sn2700}};

/* 64 bytes, and a byte more than 1, 2, ... cells. */
static uint32_t
frame_bytes_of(const struct headroom_cfg *cfg, int kind)
{
	return kind == 0 ? UNITS_MIN_FRAME_BYTES : (uint32_t)kind * cfg->cell_bytes + 1;
}

static uint32_t
cells_of(const struct headroom_cfg *cfg, uint32_t frame_bytes)
{
	return (frame_bytes + cfg->cell_bytes - 1) / cfg->cell_bytes;
}

/* MAC, PHY and the peer, as the time from the pause frame's last bit to the last frame's first. */
static uint64_t
response_ps(const struct headroom_cfg *cfg)
{
	uint64_t peer = cfg->peer_millibytes != HEADROOM_PEER_AUTO
				? cfg->peer_millibytes
				: units_pause_response_quanta(cfg->speed_bps) * 64000ULL;

	return (peer + cfg->mac_phy_millibytes) * 8 * UNITS_PS_PER_NS / (cfg->speed_bps / 1000000);
}

static uint64_t
blind_ps(const struct headroom_cfg *cfg, uint64_t response)
{
	return units_frame_ps(OWN_FRAME_BYTES, cfg->speed_bps) - 1 +
	       units_frame_ps(UNITS_MIN_FRAME_BYTES, cfg->speed_bps) + 2 * cable_ps + response;
}

static uint64_t
frames_after_xoff(const struct headroom_cfg *cfg, uint32_t frame_bytes, uint64_t response)
{
	uint64_t frame_ps = units_frame_ps(frame_bytes, cfg->speed_bps);

	return (blind_ps(cfg, response) + frame_ps - 1) / frame_ps;
}

static void
open_row(const struct headroom_cfg *cfg, uint32_t frame_bytes, uint64_t xoff_bytes)
{
	rig_clear(&rig);
	rig.cfg.mmu.cell_bytes = cfg->cell_bytes;
	rig.cfg.mmu.profiles[RIG_LOSSLESS] = (struct mmu_profile_cfg){
		.is_static = true,
		.static_th_bytes =
			(uint64_t)FRAMES_TO_XOFF * cells_of(cfg, frame_bytes) * cfg->cell_bytes,
		.lossless = true,
		.xoff_bytes = xoff_bytes,
		.xon_offset_bytes = 4096};
	for (int port = 0; port < 3; port++)
		rig.ports[port].port.rate_bps = cfg->speed_bps;
	rig.ports[1].port.hold_until_ps = UNITS_PS_PER_MS;
	rig_open(&rig, 1);
}

/* Frames that are lost with so much headroom; the frames that arrive are counted, too. */
static uint64_t
lost(const struct headroom_cfg *cfg, uint32_t frame_bytes, uint64_t xoff_bytes, uint64_t response)
{
	const struct frame_spec there = {.from = 0, .to = 1, .frame_bytes = frame_bytes};
	const struct frame_spec back = {.from = 2, .to = 0, .frame_bytes = OWN_FRAME_BYTES};
	uint64_t own_ps = units_frame_ps(OWN_FRAME_BYTES, cfg->speed_bps);
	uint64_t to_xoff_ps = FRAMES_TO_XOFF * units_frame_ps(frame_bytes, cfg->speed_bps);
	uint64_t dropped;

	open_row(cfg, frame_bytes, xoff_bytes);
	station_send(rig_cable(&rig, 0, response), 3, there, 100000, own_ps + 1, 0);
	/* Stored, then forwarded: it leaves port 0 a picosecond before XOFF is decided. */
	station_send(rig_cable(&rig, 2, 0), 1, back, 1, to_xoff_ps, 0);
	rig_engine(&rig, own_ps + 1 + to_xoff_ps + 2 * blind_ps(cfg, response));
	ck_assert_uint_eq(rig_port(&rig, 0)->rx_packets,
			  FRAMES_TO_XOFF + frames_after_xoff(cfg, frame_bytes, response));
	dropped = rig_drops(&rig, DROP_INGRESS_HEADROOM);
	ck_assert_uint_eq(rig.sw->node.counters.dropped, dropped);
	rig_close(&rig);
	return dropped;
}

static struct headroom_cfg
begin(int i)
{
	struct headroom_cfg cfg = tables[i / HEADROOM_TABLE_ROWS].cfg(i % HEADROOM_TABLE_ROWS);

	cable_ps = cfg.cable_mm * 1000 / 198; /* 198,000 km/s are 0.198 mm a ps */
	return cfg;
}

static uint64_t
row_xoff(int i)
{
	return tables[i / HEADROOM_TABLE_ROWS].rows[i % HEADROOM_TABLE_ROWS].xoff_bytes;
}

/* No frames make what is computed too little, and the worst fill more than 80 % of it. */
START_TEST(computed_is_enough_and_less_is_not)
{
	const struct headroom_cfg cfg = begin(_i);
	const struct headroom_worst worst = headroom_worst(&cfg);
	uint64_t response = response_ps(&cfg);

	for (int kind = 0; kind < FRAME_KINDS; kind++)
		ck_assert_uint_eq(
			lost(&cfg, frame_bytes_of(&cfg, kind), worst.xoff_bytes, response), 0);
	ck_assert_uint_gt(lost(&cfg, worst.frame_bytes, worst.xoff_bytes * 8 / 10, response), 0);
}
END_TEST

/* Of each size: enough for the frames that arrive loses none, and for one less, one. */
START_TEST(to_the_frame)
{
	const struct headroom_cfg cfg = begin(_i);
	uint64_t response = response_ps(&cfg);

	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		uint32_t frame = frame_bytes_of(&cfg, kind);
		uint64_t each = (uint64_t)cells_of(&cfg, frame) * cfg.cell_bytes;
		uint64_t frames = frames_after_xoff(&cfg, frame, response);

		ck_assert_uint_eq(lost(&cfg, frame, frames * each, response), 0);
		ck_assert_uint_eq(lost(&cfg, frame, (frames - 1) * each, response), 1);
	}
}
END_TEST

/*
 * A row of the table, with the response that 802.3 allows on Tomahawk and with that of its own
 * calculation on SN2700, loses nothing; with a peer that is slower by the frame for which it has
 * no more cells, that frame.
 */
START_TEST(published_row_is_enough_until_its_cells_are_full)
{
	const struct headroom_cfg cfg = begin(_i);
	uint64_t response = response_ps(&cfg);

	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		uint32_t frame = frame_bytes_of(&cfg, kind);
		uint64_t frame_ps = units_frame_ps(frame, cfg.speed_bps);
		uint64_t frames = row_xoff(_i) / cfg.cell_bytes / cells_of(&cfg, frame);
		uint64_t longest = response + frames * frame_ps - blind_ps(&cfg, response);

		ck_assert_uint_ge(longest, response);
		ck_assert_uint_eq(lost(&cfg, frame, row_xoff(_i), response), 0);
		ck_assert_uint_eq(lost(&cfg, frame, row_xoff(_i), longest), 0);
		ck_assert_uint_eq(lost(&cfg, frame, row_xoff(_i), longest + 1), 1);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("headroom_rows");
	TCase *topic = suite_topic(suite, "rows");

	rig_set_up_pool();
	tcase_add_loop_test(topic, computed_is_enough_and_less_is_not, 0, 2 * HEADROOM_TABLE_ROWS);
	tcase_add_loop_test(topic, to_the_frame, 0, 2 * HEADROOM_TABLE_ROWS);
	tcase_add_loop_test(topic, published_row_is_enough_until_its_cells_are_full, 0,
			    2 * HEADROOM_TABLE_ROWS);
	return suite_run(suite);
}
