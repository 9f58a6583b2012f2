/* SPDX-License-Identifier: BSD-3-Clause */
/* SONiC's headroom formula against numbers that SONiC and its vendor published. */
#include "headroom.h"
#include "headroom_tables.h"
#include "suite.h"
#include "units.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* What SONiC's defaults are: MTU 9100, packets of 64 and 1,024 bytes, pipeline 19 KiB. */
static const struct headroom_cfg sonic = {
	.port_mtu_bytes = 9100,
	.lossless_mtu_bytes = 1024,
	.small_packet_percent = 50,
	.pipeline_latency_bytes = 19 * 1024,
	.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
	.peer_millibytes = HEADROOM_PEER_AUTO,
	.lanes = 4,
};

START_TEST(spectrum_table_of_sonic)
{
	struct headroom_cfg cfg = sonic;
	struct headroom h;

	cfg.speed_bps = headroom_sn2700[_i].speed_mbps * HEADROOM_MBPS;
	cfg.cable_mm = headroom_sn2700[_i].cable_m * 1000;
	cfg.small_packet_percent = 100;
	cfg.cell_bytes = 96;
	cfg.peer_millibytes = 3891200;
	h = headroom_compute(&cfg);
	ck_assert_uint_eq(h.xoff_bytes, headroom_sn2700[_i].xoff_bytes);
	ck_assert_uint_eq(h.xon_bytes, headroom_sn2700[_i].xon_bytes);
	ck_assert_uint_eq(h.size_bytes, headroom_sn2700[_i].size_bytes);
	cfg.shared_pool = true;
	ck_assert_uint_eq(headroom_compute(&cfg).size_bytes, headroom_sn2700[_i].xon_bytes);
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, headroom_sn2700[_i].xoff_bytes);
}
END_TEST

/*
 * sonic-swss pull request 3235, "manual test result" with the inputs: MTU 9100, RDMA MTU 1024,
 * 50 % small packets; Spectrum-3 (cell of 144) and Spectrum-4 (cell of 192, and its tile). That
 * the 400 and 800 Gb/s ports have 8 lanes shows in their xon, twice 19 KiB.
 */
static const struct {
	uint64_t speed_mbps, cable_m;
	uint32_t cell_bytes, lanes;
	bool tile;
	uint64_t xon_bytes, xoff_bytes, size_bytes;
} published[] = {
	{400000, 300, 144, 8, false, 38912, 272384, 320512},
	{100000, 40, 144, 4, false, 19456, 51200, 70656},
	{800000, 300, 192, 8, true, 38912, 474112, 522240},
	{200000, 40, 192, 4, true, 19456, 65536, 84992},
};

START_TEST(spectrum_3_and_4_as_published)
{
	struct headroom_cfg cfg = sonic;
	struct headroom h;

	cfg.speed_bps = published[_i].speed_mbps * HEADROOM_MBPS;
	cfg.cable_mm = published[_i].cable_m * 1000;
	cfg.cell_bytes = published[_i].cell_bytes;
	cfg.lanes = published[_i].lanes;
	cfg.tile = published[_i].tile;
	h = headroom_compute(&cfg);
	ck_assert_uint_eq(h.xoff_bytes, published[_i].xoff_bytes);
	ck_assert_uint_eq(h.xon_bytes, published[_i].xon_bytes);
	ck_assert_uint_eq(h.size_bytes, published[_i].size_bytes);
}
END_TEST

/*
 * By hand: 100 Gb/s, 40 m, cell of 96 (factor 2), 394 quanta. Cable 2 x 40 x 12.5 x 10^9 / 198 x
 * 10^6 = 5,050.5; 9,100 + 5,050.5 + 819.2 + 25,216 = 40,185.7. Small packets are 6,400 / 544 =
 * 11.765 %: x 1.11765 + 1,024 = 45,937.4 -> 46,080.
 */
START_TEST(todays_peer_response_on_spectrum)
{
	struct headroom_cfg cfg = sonic;

	cfg.speed_bps = 100000 * HEADROOM_MBPS;
	cfg.cable_mm = 40000;
	cfg.cell_bytes = 96;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 46080);
}
END_TEST

/*
 * By hand: the same with the pause frame's 84 bytes and a gap of 20 more, 40,289.7, is 688.7
 * cells of frames of 97 bytes, two for 117: 688 and 11 for the last of 1,024. On Tomahawk over 5 m
 * frames of 64 are the worst, a cell for 84: 35,870.5 bytes are 427 of them, and five cells.
 */
START_TEST(worst_frames)
{
	struct headroom_cfg cfg = sonic;
	struct headroom_worst worst;

	cfg.speed_bps = 100000 * HEADROOM_MBPS;
	cfg.cable_mm = 40000;
	cfg.cell_bytes = 96;
	worst = headroom_worst(&cfg);
	ck_assert_uint_eq(worst.frame_bytes, 97);
	ck_assert_uint_eq(worst.frame_cells, 2);
	ck_assert_uint_eq(worst.xoff_bytes, (688 + 11) * 96);
	cfg.cable_mm = 5000;
	cfg.cell_bytes = 208;
	worst = headroom_worst(&cfg);
	ck_assert_uint_eq(worst.frame_bytes, 64);
	ck_assert_uint_eq(worst.xoff_bytes, (427 + 5) * 208);
}
END_TEST

/*
 * A sum of whole KiB stays as it is, and a thousandth of a byte more is the next KiB. By hand,
 * 100 % of 64 B packets in cells of 64 (factor 2): 2 x 9,728 + 1,024 = 20 KiB; 99 m of cable
 * there and back are 1 us, 12,500 bytes, and 300 more make 2 x 12,800 = 25 KiB; 1,024 ns of
 * gearbox are 100,000 x 1,024 / 8,192 = 12,500 bytes each way, 50,000 in cells.
 */
START_TEST(rounding_is_exact)
{
	struct headroom_cfg cfg = {
		.speed_bps = 100000 * HEADROOM_MBPS,
		.port_mtu_bytes = 9728,
		.lossless_mtu_bytes = 1024,
		.small_packet_percent = 100,
		.cell_bytes = 64,
		.pipeline_latency_bytes = 1025,
	};

	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 20 * 1024);
	ck_assert_uint_eq(headroom_compute(&cfg).xon_bytes, 2048);
	cfg.peer_millibytes = 1;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 21 * 1024);
	cfg.cable_mm = 99000;
	cfg.peer_millibytes = 300000;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 45 * 1024);
	cfg.peer_millibytes++;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 46 * 1024);
	cfg.peer_millibytes--;
	cfg.gearbox_delay_ns = 1024;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes, 94 * 1024); /* 96,080 bytes */
}
END_TEST

/*
 * The largest inputs of the contract: 1,024 x (cable 10^21 / 792 x 10^9 + gearbox 10^13 x
 * (2^32 - 1) / 4,096,000,000 + peer 2^50 / 1,000 + tile 150,000 + 9,100 + 819.2) + 64 bytes.
 */
START_TEST(large_inputs_do_not_overflow)
{
	struct headroom_cfg cfg = sonic;

	cfg.speed_bps = 10000000 * HEADROOM_MBPS;
	cfg.cable_mm = 100000000;
	cfg.cell_bytes = 65536;
	cfg.lossless_mtu_bytes = 64;
	cfg.gearbox_delay_ns = UINT32_MAX;
	cfg.peer_millibytes = 1ULL << 50;
	cfg.tile = true;
	ck_assert_uint_eq(headroom_compute(&cfg).xoff_bytes / 1024, 11612922690584ULL);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("headroom_formula");
	TCase *topic = suite_topic(suite, "published");

	tcase_add_loop_test(topic, spectrum_table_of_sonic, 0, HEADROOM_TABLE_ROWS);
	tcase_add_loop_test(topic, spectrum_3_and_4_as_published, 0, COUNT(published));
	topic = suite_topic(suite, "arithmetic");
	tcase_add_test(topic, todays_peer_response_on_spectrum);
	tcase_add_test(topic, worst_frames);
	tcase_add_test(topic, rounding_is_exact);
	tcase_add_test(topic, large_inputs_do_not_overflow);
	return suite_run(suite);
}
