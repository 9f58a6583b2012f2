/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The completion time of a transfer that has the network to itself: frames follow each other
 * at line rate, store and forward at every hop, and the answer travels back.
 *
 * With F_j(k) the time at which frame k has left link j, F_j(k) = max(F_{j-1}(k) + delay,
 * F_j(k-1)) + wire time. The frames between the first and the last are equal, so after a few of
 * them F_j grows by the largest wire time of links 1..j, and the middle is skipped.
 */
#include <string.h>

#include "fabric.h"
#include "roce.h"

/* Frames worked out one by one before the steady state is assumed. */
#define EXPLICIT_FRAMES (4 * FABRIC_MAX_HOPS)

struct path {
	uint32_t hops;
	const struct fabric_edge *edges[FABRIC_MAX_HOPS];
	bool cut_through[FABRIC_MAX_HOPS]; /* the node that receives forwards from the head on */
};

/* Cables of the scenario come first among the edges, two each. */
static const struct fabric_edge *
edge_from(const struct fabric *f, uint32_t node, uint16_t port)
{
	const struct graph_arc *arc = fabric_graph_behind(&f->graph, node, port);
	const struct fabric_edge *e;

	if (arc == NULL)
		return NULL;
	e = &f->edges[2 * (size_t)arc->link];
	return e->from_node == node && e->from_port == port ? e : e + 1;
}

static bool
path_find(const struct fabric *f, uint32_t source, uint32_t destination, struct path *path)
{
	uint32_t node = f->switch_count + source;
	uint16_t port = 0;

	path->hops = 0;
	while (path->hops < FABRIC_MAX_HOPS) {
		const struct fabric_edge *e = edge_from(f, node, port);

		if (e == NULL)
			return false;
		path->edges[path->hops] = e;
		path->cut_through[path->hops++] = f->links[e - f->edges].cut_through_bytes != 0;
		if (e->to_node == f->switch_count + destination)
			return true;
		if (e->to_node >= f->switch_count)
			return false;
		node = e->to_node;
		port = fabric_port_to(f, node, destination);
		if (port == FABRIC_NO_PORT)
			return false;
	}
	return false;
}

/* Send one more frame down the path; done_ps[j] is when the last frame left link j. */
static uint64_t
send_frame(const struct path *path, uint64_t done_ps[FABRIC_MAX_HOPS], uint32_t frame_bytes,
	   uint64_t from_ps)
{
	uint64_t ready_ps = from_ps, tail_ps = 0;

	for (uint32_t j = 0; j < path->hops; j++) {
		const struct fabric_edge *e = path->edges[j];
		uint64_t wire_ps = units_frame_ps(frame_bytes, e->rate_bps);
		uint64_t start_ps = ready_ps > done_ps[j] ? ready_ps : done_ps[j];

		done_ps[j] = start_ps + wire_ps > tail_ps ? start_ps + wire_ps : tail_ps;
		tail_ps = done_ps[j] + e->delay_ps;
		ready_ps = tail_ps;
		if (path->cut_through[j] && frame_bytes > 64)
			ready_ps =
				start_ps + (done_ps[j] - start_ps) / frame_bytes * 64 + e->delay_ps;
	}
	return tail_ps;
}

/* Skip `frames` equal frames: link j advances at the pace of the slowest up to it. */
static void
skip_frames(const struct path *path, uint64_t done_ps[FABRIC_MAX_HOPS], uint32_t frame_bytes,
	    uint64_t frames)
{
	uint64_t slowest_ps = 0;

	for (uint32_t j = 0; j < path->hops; j++) {
		uint64_t wire_ps = units_frame_ps(frame_bytes, path->edges[j]->rate_bps);

		if (wire_ps > slowest_ps)
			slowest_ps = wire_ps;
		done_ps[j] += frames * slowest_ps;
	}
}

struct sizes {
	uint32_t headers_bytes; /* Ethernet to BTH, ICRC and FCS */
	uint32_t first_bytes;   /* extended headers by position */
	uint32_t middle_bytes;
	uint32_t last_bytes;
	uint32_t only_bytes;
	uint32_t mtu_bytes;
};

static struct sizes
sizes_of(const struct fabric *f, uint32_t sender, enum verb verb, bool is_ipv6, uint32_t mtu_bytes)
{
	bool has_vlan = f->scenario->hosts[sender].cfg.has_vlan;
	bool imm = verb == VERB_SEND_IMM || verb == VERB_WRITE_IMM;
	bool write = verb == VERB_WRITE || verb == VERB_WRITE_IMM;
	struct sizes z = {
		.headers_bytes = 14 + (has_vlan ? 4 : 0) + (is_ipv6 ? 40 : 20) + 8 + 12 +
				 ROCE_ICRC_BYTES + UNITS_FCS_BYTES,
		.mtu_bytes = mtu_bytes,
	};

	if (verb == VERB_READ) {
		z.first_bytes = roce_extension_bytes(ROCE_READ_RESPONSE_FIRST);
		z.last_bytes = roce_extension_bytes(ROCE_READ_RESPONSE_LAST);
		z.only_bytes = roce_extension_bytes(ROCE_READ_RESPONSE_ONLY);
		return z;
	}
	z.first_bytes = write ? roce_extension_bytes(ROCE_WRITE_FIRST) : 0;
	z.last_bytes = imm ? roce_extension_bytes(ROCE_SEND_LAST_IMM) : 0;
	z.only_bytes = z.first_bytes + z.last_bytes;
	return z;
}

static uint32_t
frame_of(const struct sizes *z, uint32_t extension_bytes, uint64_t payload_bytes)
{
	uint32_t bytes = z->headers_bytes + extension_bytes + (((uint32_t)payload_bytes + 3) & ~3u);

	return bytes < UNITS_MIN_FRAME_BYTES ? UNITS_MIN_FRAME_BYTES : bytes;
}

/* When the last frame of the message has arrived, the first leaving at from_ps. */
static uint64_t
send_message(const struct path *path, const struct sizes *z, uint64_t bytes, uint64_t from_ps)
{
	uint64_t done_ps[FABRIC_MAX_HOPS] = {0};
	uint64_t packets = bytes == 0 ? 1 : (bytes + z->mtu_bytes - 1) / z->mtu_bytes;
	uint64_t middle, explicit_count;
	uint32_t frame;

	if (packets == 1)
		return send_frame(path, done_ps, frame_of(z, z->only_bytes, bytes), from_ps);
	send_frame(path, done_ps, frame_of(z, z->first_bytes, z->mtu_bytes), from_ps);
	middle = packets - 2;
	frame = frame_of(z, z->middle_bytes, z->mtu_bytes);
	explicit_count = middle < EXPLICIT_FRAMES ? middle : EXPLICIT_FRAMES;
	for (uint64_t i = 0; i < explicit_count; i++)
		send_frame(path, done_ps, frame, from_ps);
	skip_frames(path, done_ps, frame, middle - explicit_count);
	bytes -= (packets - 1) * z->mtu_bytes;
	return send_frame(path, done_ps, frame_of(z, z->last_bytes, bytes), from_ps);
}

uint64_t
fabric_ideal_ps(void *context, uint32_t source, uint32_t destination, enum verb verb,
		uint64_t bytes)
{
	const struct fabric *f = context;
	bool is_ipv6 = f->peers[source].address.is_ipv6;
	uint32_t mtu_bytes = f->peers[source].mtu_bytes < f->peers[destination].mtu_bytes
				     ? f->peers[source].mtu_bytes
				     : f->peers[destination].mtu_bytes;
	bool read = verb == VERB_READ;
	uint32_t sender = read ? destination : source;
	struct sizes z = sizes_of(f, sender, verb, is_ipv6, mtu_bytes);
	uint64_t none_ps[FABRIC_MAX_HOPS] = {0};
	struct path there, back;
	uint64_t now_ps;

	if (!path_find(f, source, destination, &there) || !path_find(f, destination, source, &back))
		return 0;
	if (read) {
		uint32_t request = frame_of(&z, roce_extension_bytes(ROCE_READ_REQUEST), 0);

		now_ps = send_frame(&there, none_ps, request, 0);
		return send_message(&back, &z, bytes, now_ps);
	}
	now_ps = send_message(&there, &z, bytes, 0);
	return send_frame(&back, none_ps, frame_of(&z, roce_extension_bytes(ROCE_ACK), 0), now_ps);
}
