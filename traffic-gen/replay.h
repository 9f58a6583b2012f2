/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replay is a node with one port that plays a capture file into its link, frame by frame as
 * it reads it: any file libpcap reads (microsecond or nanosecond pcap in either byte order,
 * pcapng), of link type Ethernet, of any length.
 *
 * Each frame is due at start_ps plus its time stamp's distance from the first frame's, over the
 * speed: by absolute time, so that rounding does not add up. A frame that is due while the port
 * is busy follows at once, in order. A time stamp earlier than the one before it makes its frame
 * due at once. With rate_bps the time stamps are not used.
 *
 * A frame that was captured in part keeps its length on the wire. Frames captured without the
 * frame check sequence, as they usually are, get it back in their length; short ones are padded
 * to 64 bytes on the wire.
 *
 * The port obeys PFC when its configuration enables it: the frame at the head then holds up
 * those behind it. Priority of a frame is its DSCP >> 3. Frames that come in are delivered.
 */
#ifndef RAILYARD_REPLAY_H
#define RAILYARD_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node.h"

/* Longer frames are taken as corruption; libpcap's own bound. */
#define REPLAY_FRAME_MAX_BYTES 262144u

struct replay_cfg {
	char name[NODE_NAME_BYTES];
	const char *path; /* copied */
	struct node_port_cfg port;
	uint64_t start_ps;
	/* Gaps are divided by speed_num / speed_den; both 0 = as captured. */
	uint32_t speed_num;
	uint32_t speed_den;
	uint64_t rate_bps; /* != 0: back to back at this rate, preamble and gap counted */
};

struct replay_results {
	uint64_t packets;   /* sent */
	uint64_t bytes;     /* of them on the wire, FCS counted */
	uint64_t truncated; /* not whole in the file, or larger than a packet buffer */
	uint64_t backward;  /* time stamp earlier than the frame's before it */
	uint64_t received;  /* frames that came in */
	bool failed;        /* the file broke off: see replay_error() */
};

/* What the whole file holds. */
struct replay_scan {
	uint64_t packets;
	uint64_t bytes;              /* on the wire, FCS counted */
	uint32_t captured_max_bytes; /* the room a packet needs to lose nothing */
	uint32_t frame_max_bytes;
	int64_t first_ns; /* time stamps of the first and the last frame, since 1970 */
	int64_t last_ns;
};

/*
 * Read the file once from end to end. 0, or -errno with "FILE: [packet N: ]what is wrong" in
 * error: -EBADMSG when the file is not a capture, is cut off or corrupt, -EPROTONOSUPPORT when
 * its link type is not Ethernet. Packet numbers start at 1, as readers of captures count.
 */
int replay_scan(const char *path, struct replay_scan *scan, char *error, size_t error_bytes);

struct replay;

/* 0, or -errno with a message as above. */
int replay_create(struct replay **out, const struct replay_cfg *cfg, uint32_t node_id,
		  uint64_t seed, struct rte_mempool *pool, const struct node_observer *observer,
		  char *error, size_t error_bytes);

/* The node's ops->destroy() frees the replay. */
struct node *replay_node(struct replay *replay);

const struct replay_results *replay_results(const struct replay *replay);

/* What broke the replay off, or "" when nothing did. */
const char *replay_error(const struct replay *replay);

/* Every frame has been sent, or the file broke off. */
bool replay_done(const struct replay *replay);

#endif
