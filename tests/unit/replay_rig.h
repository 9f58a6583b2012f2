/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures written byte by byte, and a bench that replays one into a sink. */
#ifndef RAILYARD_TEST_REPLAY_RIG_H
#define RAILYARD_TEST_REPLAY_RIG_H

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

static inline void
setup(void)
{
	test_eal_init();
	pool = packet_pool_create("replay", 255, 2048);
	ck_assert_ptr_nonnull(pool);
	snprintf(directory, sizeof(directory), "/tmp/railyard-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/in.pcap", directory);
}

static inline void
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

static inline void
put(struct writer *w, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		int shift = 8 * (w->big_endian ? bytes - 1 - i : i);

		fputc(value >> shift & 0xff, w->file);
	}
}

static inline void
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

static inline void
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
static inline void
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

static inline void
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

static inline void
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

static inline void
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

static inline enum engine_end
bench_run_until(struct bench *b, uint64_t until_ps)
{
	struct engine_virtual engine;
	enum engine_end end;

	ck_assert_int_eq(engine_virtual_init(&engine, b->nodes, 2, DELAY_PS), 0);
	end = engine_virtual_run(&engine, until_ps);
	engine_virtual_fini(&engine);
	return end;
}

static inline void
bench_run(struct bench *b)
{
	ck_assert_int_eq(bench_run_until(b, UNITS_NEVER_PS), ENGINE_IDLE);
}

static inline void
bench_close(struct bench *b)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(b->nodes[i]->ops->held(b->nodes[i]), 0);
		b->nodes[i]->ops->destroy(b->nodes[i]);
		link_fini(&b->links[i]);
	}
}

static inline struct replay_cfg
cfg_default(void)
{
	return (struct replay_cfg){
		.name = "replay", .path = path, .port = {.rate_bps = 100 * GBPS}};
}

/* 24 B at 80 ps a byte after the frame: when the last bit of a frame due at due_ps is there. */
static inline uint64_t
arrival_ps(uint64_t due_ps, uint32_t frame_bytes)
{
	return due_ps + (frame_bytes + 20) * 80 + DELAY_PS;
}

#endif
