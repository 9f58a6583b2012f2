/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures are written byte by byte here, in every format that is promised, and played into a
 * sink over one link: the arrival times are worked out from time stamps, rate and delay.
 */

#include "replay_rig.h"
#include "suite.h"

START_TEST(formats_and_byte_orders)
{
	enum format format = _i / 2;
	/* Time stamps with nanoseconds where the format has them. */
	uint64_t odd_ns = format == PCAP_US ? 0 : 7;
	struct replay_cfg cfg = cfg_default();
	struct replay_scan scan;
	char error[256] = "";
	struct writer w;
	struct bench b;

	write_start(&w, format, _i % 2, 1);
	write_frame(&w, 1700000000123456000, 100, 100, 1);
	write_frame(&w, 1700000000123457000 + odd_ns, 1000, 1000, 2);
	write_frame(&w, 1700000003000000000, 200, 200, 3);
	write_end(&w);

	ck_assert_int_eq(replay_scan(path, &scan, error, sizeof(error)), 0);
	ck_assert_uint_eq(scan.packets, 3);
	ck_assert_uint_eq(scan.bytes, 1300 + 3 * 4);
	ck_assert_uint_eq(scan.captured_max_bytes, 1000);
	ck_assert_uint_eq(scan.frame_max_bytes, 1004);
	ck_assert_int_eq(scan.first_ns, 1700000000123456000);
	ck_assert_int_eq(scan.last_ns, 1700000003000000000);

	cfg.start_ps = 5 * US;
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert(replay_done(b.replay));
	ck_assert_str_eq(replay_error(b.replay), "");
	ck_assert_uint_eq(b.seen_count, 3);
	ck_assert_uint_eq(b.seen[0].now_ps, arrival_ps(5 * US, 104));
	ck_assert_uint_eq(b.seen[1].now_ps, arrival_ps(6 * US + odd_ns * NS, 1004));
	ck_assert_uint_eq(b.seen[2].now_ps, arrival_ps(5 * US + 2876544 * US, 204));
	for (uint8_t i = 0; i < 3; i++)
		ck_assert_uint_eq(b.seen[i].fill, i + 1);
	ck_assert_uint_eq(replay_results(b.replay)->packets, 3);
	ck_assert_uint_eq(replay_results(b.replay)->bytes, 1312);
	ck_assert_uint_eq(replay_results(b.replay)->truncated, 0);
	bench_close(&b);
}
END_TEST

/* Three times as fast: every due time is the floor of a third, without adding up. */
START_TEST(speed_does_not_drift)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_NS, false, 1);
	for (uint64_t i = 0; i < 50; i++)
		write_frame(&w, 1000 + i * 100, 60, 60, 0);
	write_end(&w);
	cfg.speed_num = 3;
	cfg.speed_den = 2;
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 50);
	for (uint64_t i = 0; i < 50; i++)
		ck_assert_uint_eq(b.seen[i].now_ps, arrival_ps(i * 100 * NS * 2 / 3, 64));
	bench_close(&b);
}
END_TEST

/* 7 Gb/s: (1,004 + 20) x 8 bits every 1,170,285 5/7 ps, whatever the time stamps say. */
START_TEST(fixed_rate)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	for (uint64_t i = 0; i < 50; i++)
		write_frame(&w, 1000000000 * (i % 3), 1000, 1000, 0);
	write_end(&w);
	cfg.rate_bps = 7 * GBPS;
	cfg.start_ps = 3 * US;
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 50);
	for (uint64_t i = 0; i < 50; i++)
		ck_assert_uint_eq(b.seen[i].now_ps,
				  arrival_ps(3 * US + i * 1024 * 8 * 1000 / 7, 1004));
	bench_close(&b);
}
END_TEST

/* Denser than the port can send: back to back, in order; then by the time stamps again. */
START_TEST(frames_queue_behind_the_port)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_NS, false, 1);
	for (uint64_t i = 0; i < 20; i++)
		write_frame(&w, i, 1000, 1000, i);
	write_frame(&w, 100000, 1000, 1000, 20);
	write_end(&w);
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 21);
	for (uint64_t i = 0; i < 20; i++) {
		ck_assert_uint_eq(b.seen[i].now_ps, arrival_ps(i * 1024 * 80, 1004));
		ck_assert_uint_eq(b.seen[i].fill, i);
	}
	ck_assert_uint_eq(b.seen[20].now_ps, arrival_ps(100 * US, 1004));
	bench_close(&b);
}
END_TEST

START_TEST(time_stamps_that_go_back)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_NS, false, 1);
	write_frame(&w, 50000, 60, 60, 0);
	write_frame(&w, 60000, 60, 60, 1);
	write_frame(&w, 55000, 60, 60, 2); /* back */
	write_frame(&w, 10000, 60, 60, 3); /* before the first, too */
	write_frame(&w, 70000, 60, 60, 4);
	write_end(&w);
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 5);
	ck_assert_uint_eq(b.seen[1].now_ps, arrival_ps(10 * US, 64));
	ck_assert_uint_eq(b.seen[2].now_ps, arrival_ps(10 * US + 84 * 80, 64));
	ck_assert_uint_eq(b.seen[3].now_ps, arrival_ps(10 * US + 2 * 84 * 80, 64));
	ck_assert_uint_eq(b.seen[4].now_ps, arrival_ps(20 * US, 64));
	ck_assert_uint_eq(replay_results(b.replay)->backward, 2);
	bench_close(&b);
}
END_TEST

START_TEST(lengths_on_the_wire)
{
	static const struct {
		uint32_t captured, length, data_bytes, frame_bytes;
	} cases[] = {
		{96, 1500, 96, 1504},     /* snap length */
		{60, 60, 60, 64},         /* smallest whole frame */
		{42, 42, 42, 64},         /* padded by the NIC after the capture */
		{30, 42, 30, 64},         /* that, cut */
		{3000, 9000, 2048, 9004}, /* larger than a packet buffer */
		{100, 64, 100, 104},      /* a writer that forgot the wire length */
	};
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, true, 1);
	for (size_t i = 0; i < RTE_DIM(cases); i++)
		write_frame(&w, i * 10000, cases[i].captured, cases[i].length, i);
	write_end(&w);
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, RTE_DIM(cases));
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		ck_assert_uint_eq(b.seen[i].data_bytes, cases[i].data_bytes);
		ck_assert_uint_eq(b.seen[i].frame_bytes, cases[i].frame_bytes);
	}
	ck_assert_uint_eq(replay_results(b.replay)->truncated, 3);
	ck_assert_uint_eq(b.sink->ports[0].rx_bytes, replay_results(b.replay)->bytes);
	bench_close(&b);
}
END_TEST

/* Frames shorter than their own headers reach the other end, whatever it makes of them. */
START_TEST(runts)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	for (uint32_t i = 0; i < 20; i++)
		write_frame(&w, i * 1000, i, i, 0);
	write_end(&w);
	bench_open(&b, &cfg);
	b.sink->ports[0].captured = false;
	bench_run(&b);
	ck_assert_uint_eq(b.sink->counters.delivered, 20);
	bench_close(&b);
}
END_TEST

/* PFC holds up the head, and what is behind it, for the quanta of the frame. */
START_TEST(pfc_is_obeyed)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	write_frame(&w, 0, 60, 60, 0);
	write_frame(&w, 20000, 60, 60, 1);
	write_frame(&w, 21000, 60, 60, 2);
	write_end(&w);
	cfg.port.pfc = (struct pfc_cfg){.enable = 0xff};
	bench_open(&b, &cfg);
	b.sink->ports[0].cfg.pfc =
		(struct pfc_cfg){.enable = 0xff, .quanta = 10000, .refresh_ps = UNITS_PS_PER_S};
	node_pause_peer(b.sink, 0, 0, true, 0);
	/* XOFF lasts, and is refreshed, until it is taken back. */
	ck_assert_int_eq(bench_run_until(&b, 200 * US), ENGINE_UNTIL);
	node_pause_peer(b.sink, 0, 0, false, 200 * US);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 3);
	ck_assert_uint_eq(b.seen[0].now_ps, arrival_ps(0, 64));
	/* 10,000 quanta of 5.12 ns from the pause frame's arrival, 84 byte times and the delay. */
	ck_assert_uint_eq(b.seen[1].now_ps, arrival_ps(arrival_ps(51200 * NS, 64), 64));
	ck_assert_uint_eq(b.seen[2].now_ps, b.seen[1].now_ps + 84 * 80);
	bench_close(&b);
}
END_TEST

START_TEST(empty_capture)
{
	struct replay_cfg cfg = cfg_default();
	struct replay_scan scan;
	char error[256] = "";
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	write_end(&w);
	ck_assert_int_eq(replay_scan(path, &scan, error, sizeof(error)), 0);
	ck_assert_uint_eq(scan.packets, 0);
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert(replay_done(b.replay) && !replay_results(b.replay)->failed);
	bench_close(&b);
}
END_TEST

static void
break_cut_in_header(void)
{
	ck_assert_int_eq(truncate(path, 24 + 16 + 60 + 7), 0);
}

static void
break_cut_in_data(void)
{
	ck_assert_int_eq(truncate(path, 24 + 16 + 60 + 16 + 59), 0);
}

static void
break_lengths(void)
{
	struct writer w = {fopen(path, "r+b"), PCAP_US, false};

	fseek(w.file, 24 + 16 + 60 + 8, SEEK_SET);
	put(&w, 0x7fffffff, 4);
	write_end(&w);
}

static void
break_wire_length(void)
{
	struct writer w = {fopen(path, "r+b"), PCAP_US, false};

	fseek(w.file, 24 + 16 + 60 + 12, SEEK_SET);
	put(&w, 300000, 4);
	write_end(&w);
}

/* The second of two frames is broken: the scan says so, and the replay stops after the first. */
START_TEST(broken_in_the_middle)
{
	static void (*const breaks[])(void) = {break_cut_in_header, break_cut_in_data,
					       break_lengths, break_wire_length};
	struct replay_cfg cfg = cfg_default();
	char error[256] = "", want[256];
	struct replay_scan scan;
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	write_frame(&w, 0, 60, 60, 0);
	write_frame(&w, 1000, 60, 60, 0);
	write_end(&w);
	breaks[_i]();
	snprintf(want, sizeof(want), "%s: packet 2: ", path);
	ck_assert_int_eq(replay_scan(path, &scan, error, sizeof(error)), -EBADMSG);
	ck_assert_msg(strncmp(error, want, strlen(want)) == 0, "%s", error);
	ck_assert_uint_gt(strlen(error), strlen(want) + 10);
	ck_assert_uint_eq(scan.packets, 1);
	bench_open(&b, &cfg);
	bench_run(&b);
	ck_assert_uint_eq(b.seen_count, 1);
	ck_assert(replay_done(b.replay) && replay_results(b.replay)->failed);
	ck_assert_str_eq(replay_error(b.replay), error);
	bench_close(&b);
}
END_TEST

static void
check_refused(const struct replay_cfg *cfg, int rc, const char *what)
{
	struct replay_scan scan;
	char error[256] = "";
	struct replay *replay;

	ck_assert_int_eq(replay_scan(cfg->path, &scan, error, sizeof(error)), rc);
	ck_assert_msg(strstr(error, what) != NULL, "%s", error);
	ck_assert_ptr_nonnull(strstr(error, cfg->path));
	error[0] = 0;
	ck_assert_int_eq(replay_create(&replay, cfg, 0, 1, pool, NULL, error, sizeof(error)), rc);
	ck_assert_msg(strstr(error, what) != NULL, "%s", error);
}

START_TEST(refused_from_the_start)
{
	struct replay_cfg cfg = cfg_default();
	struct replay *replay;
	char error[256] = "";
	struct writer w;

	check_refused(&cfg, -ENOENT, "No such file");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	check_refused(&cfg, -EINVAL, "not a regular file");
	unlink(path);
	write_start(&w, PCAP_US, false, 105);
	write_end(&w);
	check_refused(&cfg, -EPROTONOSUPPORT, "IEEE802_11 (105) is not Ethernet");
	w.file = fopen(path, "wb");
	write_end(&w);
	check_refused(&cfg, -EBADMSG, "truncated");
	w.file = fopen(path, "wb");
	fprintf(w.file, "switches:\n  tor: {ports: 17, rate: 100Gbps}\n");
	write_end(&w);
	check_refused(&cfg, -EBADMSG, "unknown file format");
	cfg.path = directory;
	check_refused(&cfg, -EISDIR, "directory");
	cfg = cfg_default();
	cfg.speed_den = 2;
	ck_assert_int_eq(replay_create(&replay, &cfg, 0, 1, pool, NULL, error, sizeof(error)),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(error, "speed"));
}
END_TEST

/* Ended early, between two frames: nothing more is sent, and nothing stays behind. */
START_TEST(stop)
{
	struct replay_cfg cfg = cfg_default();
	struct writer w;
	struct bench b;

	write_start(&w, PCAP_US, false, 1);
	for (uint64_t i = 0; i < 10; i++)
		write_frame(&w, i * 10000, 60, 60, 0);
	write_end(&w);
	bench_open(&b, &cfg);
	ck_assert_int_eq(bench_run_until(&b, 45 * US), ENGINE_UNTIL);
	b.nodes[0]->ops->stop(b.nodes[0], 45 * US);
	bench_run(&b);
	ck_assert(replay_done(b.replay));
	ck_assert_uint_eq(b.seen_count, 5);
	bench_close(&b);
}
END_TEST

static Suite *
replay_suite(void)
{
	Suite *s = suite_create("replay");
	TCase *c = tcase_create("replay");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, formats_and_byte_orders, 0, 6);
	tcase_add_test(c, speed_does_not_drift);
	tcase_add_test(c, fixed_rate);
	tcase_add_test(c, frames_queue_behind_the_port);
	tcase_add_test(c, time_stamps_that_go_back);
	tcase_add_test(c, lengths_on_the_wire);
	tcase_add_test(c, runts);
	tcase_add_test(c, pfc_is_obeyed);
	tcase_add_test(c, empty_capture);
	tcase_add_loop_test(c, broken_in_the_middle, 0, 4);
	tcase_add_test(c, refused_from_the_start);
	tcase_add_test(c, stop);
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	return suite_run(replay_suite());
}
