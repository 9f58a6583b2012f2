/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay_file.h"

struct replay {
	struct node node;
	struct replay_file file;
	struct replay_record next; /* read, not yet sent; its data in libpcap's buffer */
	uint64_t next_due_ps;      /* UNITS_NEVER_PS = there is none */
	struct rte_mbuf *head;     /* the frame of `next` as a packet, while PFC holds it up */
	int64_t first_ns;
	uint64_t start_ps;
	uint64_t speed_num;
	uint64_t speed_den;
	uint64_t rate_bps;
	uint64_t rate_remainder; /* of rate_bps: carried, so that the rate does not drift */
	bool stopped;            /* sends no more than what is under way */
	struct replay_results results;
};

static struct replay *
replay_of(struct node *node)
{
	return (struct replay *)node;
}

int
replay_scan(const char *path, struct replay_scan *scan, char *error, size_t error_bytes)
{
	struct replay_record record;
	struct replay_file file;
	int rc;

	*scan = (struct replay_scan){0};
	rc = replay_file_open(&file, path);
	while (rc == 0 && (rc = replay_file_next(&file, &record)) == 1) {
		if (scan->packets++ == 0)
			scan->first_ns = record.time_ns;
		scan->last_ns = record.time_ns;
		scan->bytes += record.frame_bytes;
		if (record.captured_bytes > scan->captured_max_bytes)
			scan->captured_max_bytes = record.captured_bytes;
		if (record.frame_bytes > scan->frame_max_bytes)
			scan->frame_max_bytes = record.frame_bytes;
		rc = 0;
	}
	if (rc < 0)
		snprintf(error, error_bytes, "%s", file.error);
	replay_file_close(&file);
	return rc;
}

/* Time stamps may say anything; this is 106 days, half of what the clock can count. */
#define DUE_MAX_PS (1ULL << 63)

/* start_ps + (time - first) / speed. */
static uint64_t
due_by_time_ps(const struct replay *r, int64_t time_ns)
{
	unsigned __int128 offset_ps, due_ps;

	if (time_ns <= r->first_ns)
		return r->start_ps;
	offset_ps = (unsigned __int128)((uint64_t)time_ns - (uint64_t)r->first_ns) *
		    UNITS_PS_PER_NS * r->speed_den / r->speed_num;
	due_ps = offset_ps + r->start_ps;
	return due_ps < DUE_MAX_PS ? (uint64_t)due_ps : DUE_MAX_PS;
}

/* The end of the frame that is to leave at due_ps at the fixed rate. */
static uint64_t
due_by_rate_ps(struct replay *r, uint64_t due_ps, uint32_t frame_bytes)
{
	uint64_t bits = (uint64_t)(frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) * 8;
	uint64_t dividend = bits * UNITS_PS_PER_S + r->rate_remainder;

	r->rate_remainder = dividend % r->rate_bps;
	return due_ps + dividend / r->rate_bps;
}

/* Read the frame after the one that was due at due_ps. */
static void
read_next(struct replay *r)
{
	uint64_t before_due_ps = r->next_due_ps;
	uint32_t before_bytes = r->next.frame_bytes;
	int64_t before_ns = r->next.time_ns;
	bool is_first = r->file.packets == 0;
	int rc = replay_file_next(&r->file, &r->next);

	if (rc != 1) {
		r->results.failed = rc < 0;
		r->next_due_ps = UNITS_NEVER_PS;
		return;
	}
	if (is_first) {
		r->first_ns = r->next.time_ns;
		r->next_due_ps = r->start_ps;
		return;
	}
	if (r->next.time_ns < before_ns)
		r->results.backward++;
	if (r->rate_bps != 0)
		r->next_due_ps = due_by_rate_ps(r, before_due_ps, before_bytes);
	else
		r->next_due_ps = due_by_time_ps(r, r->next.time_ns);
}

/* A packet of the frame that is next, or NULL when there is no buffer for it. */
static struct rte_mbuf *
make_packet(struct replay *r)
{
	struct rte_mbuf *m = node_new_packet(&r->node);
	uint32_t stored;

	if (m == NULL)
		return NULL;
	stored = rte_pktmbuf_tailroom(m);
	if (stored > r->next.captured_bytes)
		stored = r->next.captured_bytes;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), r->next.data, stored);
	m->data_len = stored;
	m->pkt_len = stored;
	packet_of(m)->frame_bytes = r->next.frame_bytes;
	packet_parse(m);
	return m;
}

static struct rte_mbuf *
replay_dequeue(struct node *node, uint16_t port, uint64_t now_ps, uint64_t *next_ps)
{
	const struct pfc_rx *pfc = &node->ports[port].pfc_rx;
	struct replay *r = replay_of(node);
	struct rte_mbuf *m;

	*next_ps = r->next_due_ps;
	if (r->next_due_ps > now_ps)
		return NULL;
	if (r->head == NULL)
		r->head = make_packet(r);
	m = r->head;
	if (m == NULL) {
		*next_ps = UNITS_NEVER_PS;
		return NULL;
	}
	if (pfc->paused >> (packet_dscp(packet_of(m)) >> 3) & 1) {
		*next_ps = pfc->next_change_ps;
		return NULL;
	}
	r->head = NULL;
	r->results.packets++;
	r->results.bytes += r->next.frame_bytes;
	r->results.truncated += r->next.is_truncated || m->data_len < r->next.captured_bytes;
	if (r->stopped)
		r->next_due_ps = UNITS_NEVER_PS;
	else
		read_next(r);
	*next_ps = r->next_due_ps;
	return m;
}

static void
replay_arrive(struct node *node, uint16_t port, struct rte_mbuf *m, uint64_t now_ps)
{
	replay_of(node)->results.received++;
	node_deliver(node, m, now_ps);
}

static void
replay_stop(struct node *node, uint64_t now_ps)
{
	struct replay *r = replay_of(node);

	/* A frame held up is under way: it may leave. */
	if (r->head == NULL)
		r->next_due_ps = UNITS_NEVER_PS;
	r->stopped = true;
}

static uint64_t
replay_held(const struct node *node)
{
	return ((const struct replay *)node)->head != NULL;
}

static int
replay_check(const struct node *node, char *why, size_t why_bytes)
{
	return 0;
}

static void
replay_destroy(struct node *node)
{
	struct replay *r = replay_of(node);

	if (r->head != NULL)
		packet_free(r->head);
	replay_file_close(&r->file);
	node_fini(node);
	free(r);
}

static const struct node_ops replay_ops = {
	.arrive = replay_arrive,
	.dequeue = replay_dequeue,
	.stop = replay_stop,
	.held = replay_held,
	.check = replay_check,
	.destroy = replay_destroy,
};

static int
set_speed(struct replay *r, const struct replay_cfg *cfg, char *error, size_t error_bytes)
{
	bool is_default = cfg->speed_num == 0 && cfg->speed_den == 0;

	if (!is_default && (cfg->speed_num == 0 || cfg->speed_den == 0)) {
		snprintf(error, error_bytes, "%s: speed %u/%u is not above 0", cfg->path,
			 cfg->speed_num, cfg->speed_den);
		return -EINVAL;
	}
	r->speed_num = is_default ? 1 : cfg->speed_num;
	r->speed_den = is_default ? 1 : cfg->speed_den;
	return 0;
}

int
replay_create(struct replay **out, const struct replay_cfg *cfg, uint32_t node_id, uint64_t seed,
	      struct rte_mempool *pool, const struct node_observer *observer, char *error,
	      size_t error_bytes)
{
	struct replay *r = calloc(1, sizeof(*r));
	int rc;

	if (r == NULL) {
		snprintf(error, error_bytes, "out of memory");
		return -ENOMEM;
	}
	r->start_ps = cfg->start_ps;
	r->rate_bps = cfg->rate_bps;
	rc = set_speed(r, cfg, error, error_bytes);
	if (rc != 0)
		goto err;
	rc = replay_file_open(&r->file, cfg->path);
	if (rc == 0) {
		read_next(r);
		rc = r->results.failed ? -EBADMSG : 0;
	}
	if (rc != 0) {
		snprintf(error, error_bytes, "%s", r->file.error);
		goto err_file;
	}
	rc = node_init(&r->node, &replay_ops, cfg->name, node_id, seed, pool, 1, &cfg->port);
	if (rc != 0) {
		snprintf(error, error_bytes, "%s: %s", cfg->name, strerror(-rc));
		goto err_file;
	}
	r->node.observer = observer;
	node_wake_port(&r->node, 0, r->next_due_ps);
	*out = r;
	return 0;
err_file:
	replay_file_close(&r->file);
err:
	free(r);
	return rc;
}

struct node *
replay_node(struct replay *replay)
{
	return &replay->node;
}

const struct replay_results *
replay_results(const struct replay *replay)
{
	return &replay->results;
}

const char *
replay_error(const struct replay *replay)
{
	return replay->file.error;
}

bool
replay_done(const struct replay *replay)
{
	return replay->next_due_ps == UNITS_NEVER_PS;
}
