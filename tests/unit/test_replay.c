/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures are written byte by byte here, in every format that is promised, and played into a
 * sink over one link: the arrival times are worked out from time stamps, rate and delay.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "eal.h"
#include "engine_virtual.h"
#include "replay.h"
#include "sink.h"

#define US UNITS_PS_PER_US
#define NS UNITS_PS_PER_NS
#define GBPS 1000000000ULL
#define DELAY_PS (1 * US)
#define SEEN_MAX 64

static struct rte_mempool *pool;
static char directory[64];
static char path[128];

static void
setup(void)
{
	test_eal_init();
	pool = packet_pool_create("replay", 255, 2048);
	ck_assert_ptr_nonnull(pool);
	snprintf(directory, sizeof(directory), "/tmp/railyard-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/in.pcap", directory);
}

static void
teardown(void)
{
	unlink(path);
	rmdir(directory);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), 255);
	rte_mempool_free(pool);
}

enum format { PCAP_US, PCAP_NS, PCAPNG };

struct writer {
	FILE *file;
	enum format format;
	bool big_endian;
};

static void
put(struct writer *w, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		int shift = 8 * (w->big_endian ? bytes - 1 - i : i);

		fputc(value >> shift & 0xff, w->file);
	}
}

static void
write_start(struct writer *w, enum format format, bool big_endian, uint32_t link_type)
{
	*w = (struct writer){fopen(path, "wb"), format, big_endian};
	ck_assert_ptr_nonnull(w->file);
	if (format != PCAPNG) {
		put(w, format == PCAP_NS ? 0xa1b23c4d : 0xa1b2c3d4, 4);
		put(w, 2, 2);
		put(w, 4, 2);
		put(w, 0, 8);
		put(w, 262144, 4);
		put(w, link_type, 4);
		return;
	}
	/* Section header, then an interface with nanosecond time stamps (if_tsresol 9). */
	put(w, 0x0a0d0d0a, 4);
	put(w, 28, 4);
	put(w, 0x1a2b3c4d, 4);
	put(w, 1, 2);
	put(w, 0, 2);
	put(w, UINT64_MAX, 8);
	put(w, 28, 4);
	put(w, 1, 4);
	put(w, 32, 4);
	put(w, link_type, 2);
	put(w, 0, 2);
	put(w, 262144, 4);
	put(w, 9, 2);
	put(w, 1, 2);
	put(w, w->big_endian ? 9u << 24 : 9, 4);
	put(w, 0, 4);
	put(w, 32, 4);
}

static void
write_header(struct writer *w, uint64_t time_ns, uint32_t captured, uint32_t length)
{
	if (w->format == PCAPNG) {
		put(w, 6, 4);
		put(w, 32 + (captured + 3) / 4 * 4, 4);
		put(w, 0, 4);
		put(w, time_ns >> 32, 4);
		put(w, time_ns & 0xffffffff, 4);
	} else {
		put(w, time_ns / 1000000000, 4);
		put(w, time_ns % 1000000000 / (w->format == PCAP_NS ? 1 : 1000), 4);
	}
	put(w, captured, 4);
	put(w, length, 4);
}

/* A frame to a group address of a local experiment, its bytes all `fill`, no IP. */
static void
write_frame(struct writer *w, uint64_t time_ns, uint32_t captured, uint32_t length, uint8_t fill)
{
	write_header(w, time_ns, captured, length);
	for (uint32_t i = 0; i < captured; i++)
		fputc(i == 12 ? 0x88 : i == 13 ? 0xb5 : fill, w->file);
	if (w->format == PCAPNG) {
		for (uint32_t i = captured; i % 4 != 0; i++)
			fputc(0, w->file);
		put(w, 32 + (captured + 3) / 4 * 4, 4);
	}
}

static void
write_end(struct writer *w)
{
	ck_assert_int_eq(fclose(w->file), 0);
}

/* Replay and sink, a link each way. */
struct bench {
	struct replay *replay;
	struct node *sink;
	struct link links[2];
	struct node *nodes[2];
	struct node_observer observer;
	uint32_t seen_count;
	struct {
		uint64_t now_ps;
		uint32_t data_bytes;
		uint32_t frame_bytes;
		uint8_t fill;
	} seen[SEEN_MAX];
};

static void
see(void *context, const struct node *node, uint16_t port, bool is_tx, struct rte_mbuf *m,
    uint64_t now_ps)
{
	struct bench *b = context;

	if (is_tx || node != b->sink)
		return;
	ck_assert_uint_lt(b->seen_count, SEEN_MAX);
	b->seen[b->seen_count].now_ps = now_ps;
	b->seen[b->seen_count].data_bytes = m->data_len;
	b->seen[b->seen_count].frame_bytes = packet_of(m)->frame_bytes;
	b->seen[b->seen_count].fill = *rte_pktmbuf_mtod_offset(m, uint8_t *, 20);
	b->seen_count++;
}

static void
bench_open(struct bench *b, const struct replay_cfg *cfg)
{
	struct sink_cfg sink_cfg = {.name = "sink", .port = {.rate_bps = 100 * GBPS}};
	char error[256];
	int rc;

	*b = (struct bench){.observer = {.context = b, .frame = see}};
	rc = replay_create(&b->replay, cfg, 0, 1, pool, &b->observer, error, sizeof(error));
	ck_assert_msg(rc == 0, "%s", error);
	b->sink = sink_create(&sink_cfg, 1, 1, pool, &b->observer);
	ck_assert_ptr_nonnull(b->sink);
	b->nodes[0] = replay_node(b->replay);
	b->nodes[1] = b->sink;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(link_init(&b->links[i], DELAY_PS), 0);
	node_attach(b->nodes[0], 0, &b->links[0], &b->links[1]);
	node_attach(b->nodes[1], 0, &b->links[1], &b->links[0]);
	b->sink->ports[0].captured = true;
}

static enum engine_end
bench_run_until(struct bench *b, uint64_t until_ps)
{
	struct engine_virtual engine;
	enum engine_end end;

	ck_assert_int_eq(engine_virtual_init(&engine, b->nodes, 2, DELAY_PS), 0);
	end = engine_virtual_run(&engine, until_ps);
	engine_virtual_fini(&engine);
	return end;
}

static void
bench_run(struct bench *b)
{
	ck_assert_int_eq(bench_run_until(b, UNITS_NEVER_PS), ENGINE_IDLE);
}

static void
bench_close(struct bench *b)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(b->nodes[i]->ops->held(b->nodes[i]), 0);
		b->nodes[i]->ops->destroy(b->nodes[i]);
		link_fini(&b->links[i]);
	}
}

static struct replay_cfg
cfg_default(void)
{
	return (struct replay_cfg){
		.name = "replay", .path = path, .port = {.rate_bps = 100 * GBPS}};
}

/* 24 B at 80 ps a byte after the frame: when the last bit of a frame due at due_ps is there. */
static uint64_t
arrival_ps(uint64_t due_ps, uint32_t frame_bytes)
{
	return due_ps + (frame_bytes + 20) * 80 + DELAY_PS;
}

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
	SRunner *runner = srunner_create(replay_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
