/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures of a run in virtual time: pcap files with nanosecond timestamps (virtual time from
 * 0), Ethernet, no FCS. A frame whose payload is elided in memory appears as one cut by a snap
 * length: its record says the length it has on the wire.
 *
 * A frame that is received is stamped when the node gets it, one that is sent when its first
 * bit leaves: each file is in the order of its node's time.
 */
#ifndef RAILYARD_CAPTURE_H
#define RAILYARD_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mbuf.h>

struct node;
struct capture_set;

enum capture_direction { CAPTURE_BOTH, CAPTURE_RX, CAPTURE_TX };

/* NULL when memory is short. */
struct capture_set *capture_set_create(void);

/*
 * Ask for "NODE:PORT=FILE". Nothing is opened yet: 0, or -EINVAL (form, a FILE given twice) or
 * -ENOMEM with one line in why.
 */
int capture_set_add(struct capture_set *set, const char *spec, enum capture_direction direction,
		    char *why, size_t why_bytes);

/* How many were asked for; the i-th one's FILE, and "the capture of NODE:PORT" in what. */
size_t capture_set_count(const struct capture_set *set);
const char *capture_set_file(const struct capture_set *set, size_t i, char *what,
			     size_t what_bytes);

/* Write at most snap_bytes of each frame, as tcpdump -s does. */
void capture_set_snap(struct capture_set *set, uint32_t snap_bytes);

/*
 * Find the ports among the nodes, open the files, and have the ports observed
 * (node_port.captured). 0, or -errno with one line in why and no file left behind.
 */
int capture_set_open(struct capture_set *set, struct node *const *nodes, uint32_t node_count,
		     char *why, size_t why_bytes);

/*
 * The first capture from number `from` on that wants frames of this port and direction, or
 * capture_set_count().
 */
size_t capture_set_next(const struct capture_set *set, size_t from, const struct node *node,
			uint16_t port, bool is_tx);

/*
 * A frame as capture number i is to have it, to a stream: lcores may do this at the same time.
 * capture_set_write() writes what came out into the capture's file.
 */
void capture_set_record(const struct capture_set *set, size_t i, struct rte_mbuf *m,
			uint64_t now_ps, FILE *out);
void capture_set_write(struct capture_set *set, const void *record);

/* Hand what is buffered to the kernel. */
void capture_set_flush(struct capture_set *set);

/* Close and remove the files: the run does not start after all. */
void capture_set_discard(struct capture_set *set);

/* Close the files: 0, or -EIO with one line in why when not all could be written. */
int capture_set_close(struct capture_set *set, char *why, size_t why_bytes);

void capture_set_destroy(struct capture_set *set);

#endif
