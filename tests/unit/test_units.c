/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of frames and pauses, against what the standards' own numbers come to by hand. */
#include "units.h"
#include "suite.h"

#define GBPS 1000000000ULL

/* (bytes + 20) x 8 / rate: (64 + 20) x 20 ps = 1,680 ps; (4,178 + 20) x 20 ps = 83,960 ps. */
START_TEST(frame_time_is_exact)
{
	static const struct {
		uint32_t bytes;
		uint64_t gbps;
		uint64_t wire_ps;
	} rows[] = {
		{64, 400, 1680},     {4178, 400, 83960}, {64, 100, 6720},     {1518, 100, 123040},
		{1518, 10, 1230400}, {1518, 800, 15380}, {9216, 200, 369440}, {64, 1, 672000},
		{64, 25, 26880},     {1500, 40, 304000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_uint_eq(units_frame_ps(rows[i].bytes, rows[i].gbps * GBPS),
				  rows[i].wire_ps);
}
END_TEST

/* 84 bytes at 3 Gb/s are 224,000 ps; at 7 Gb/s 96,000; at 9 Gb/s 74,666.7: never rounded down. */
START_TEST(odd_rates_round_up)
{
	ck_assert_uint_eq(units_frame_ps(64, 3 * GBPS), 224000);
	ck_assert_uint_eq(units_frame_ps(64, 7 * GBPS), 96000);
	ck_assert_uint_eq(units_frame_ps(64, 9 * GBPS), 74667);
	for (uint64_t rate_bps = 999999937; rate_bps < 900 * GBPS; rate_bps = rate_bps * 17 / 13) {
		uint64_t wire_ps = units_frame_ps(1000, rate_bps);

		ck_assert(wire_ps * (unsigned __int128)rate_bps >= 1020 * 8 * UNITS_PS_PER_S);
		ck_assert((wire_ps - 1) * (unsigned __int128)rate_bps < 1020 * 8 * UNITS_PS_PER_S);
	}
}
END_TEST

/* Largest argument its contract allows. */
START_TEST(bits_do_not_overflow)
{
	ck_assert_uint_eq(units_bits_ps(18000000, 100 * GBPS), 180000000);
	ck_assert_uint_eq(units_bits_ps(18000000, 1), 18000000 * UNITS_PS_PER_S);
}
END_TEST

/*
 * 802.1Qbb: a quantum is 512 bit times: 51.2 ns at 10G, 5.12 ns at 100G, 0.64 ns at 800G;
 * 65,535 of them 335.5, 167.8, 83.9 and 41.9 us at 100, 200, 400 and 800G (838.8 at 40G).
 */
START_TEST(pause_time_is_quanta_of_512_bits)
{
	static const struct {
		uint64_t gbps;
		uint64_t quantum_ps;
		uint64_t longest_tenths_us;
	} rows[] = {
		{10, 51200, 33553}, {25, 20480, 13421}, {40, 12800, 8388}, {50, 10240, 6710},
		{100, 5120, 3355},  {200, 2560, 1677},  {400, 1280, 838},  {800, 640, 419},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t rate_bps = rows[i].gbps * GBPS;

		ck_assert_uint_eq(units_pause_ps(0, rate_bps), 0);
		ck_assert_uint_eq(units_pause_ps(1, rate_bps), rows[i].quantum_ps);
		ck_assert_uint_eq(units_pause_ps(65535, rate_bps), 65535 * rows[i].quantum_ps);
		ck_assert_uint_eq(units_pause_ps(65535, rate_bps) / 100000,
				  rows[i].longest_tenths_us);
	}
}
END_TEST

/* 802.3 31B.3.7 in quanta, as SONiC's headroom calculation lists them; 800G uses 400G's. */
START_TEST(response_time_follows_the_standards_table)
{
	static const struct {
		uint64_t mbps;
		uint64_t quanta;
	} rows[] = {
		{100, 1},      {1000, 2},     {10000, 67},   {25000, 80},
		{40000, 118},  {50000, 147},  {100000, 394}, {200000, 453},
		{400000, 905}, {800000, 905}, {75000, 394},  {1001, 67},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bit_million_ps = UNITS_PS_PER_S / rows[i].mbps; /* of 10^6 bits */
		uint64_t expected_ps = rows[i].quanta * 512 * bit_million_ps / 1000000;
		uint64_t got_ps = units_pause_response_ps(rows[i].mbps * 1000000);

		ck_assert_msg(got_ps >= expected_ps && got_ps <= expected_ps + 100,
			      "%llu Mb/s: %llu ps, not %llu", (unsigned long long)rows[i].mbps,
			      (unsigned long long)got_ps, (unsigned long long)expected_ps);
	}
	/* 394 x 64 B = 25,216 B at 100G: 2.017 us. */
	ck_assert_uint_eq(units_pause_response_ps(100 * GBPS), 25216 * 80);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("units");
	TCase *frames = suite_topic(suite, "frames");
	TCase *pauses = suite_topic(suite, "pauses");

	tcase_add_test(frames, frame_time_is_exact);
	tcase_add_test(frames, odd_rates_round_up);
	tcase_add_test(frames, bits_do_not_overflow);
	tcase_add_test(pauses, pause_time_is_quanta_of_512_bits);
	tcase_add_test(pauses, response_time_follows_the_standards_table);
	return suite_run(suite);
}
