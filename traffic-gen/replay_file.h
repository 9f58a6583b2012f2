/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a capture file frame by frame, with errors that say where: what replay_scan() and the
 * replay node share. Not for use beyond replay*.c.
 */
#ifndef RAILYARD_REPLAY_FILE_H
#define RAILYARD_REPLAY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcap/pcap.h>

struct replay_file {
	pcap_t *pcap;
	char *path;
	uint64_t packets; /* read so far */
	char error[512];
};

struct replay_record {
	const uint8_t *data; /* valid until the next call */
	uint32_t captured_bytes;
	uint32_t frame_bytes; /* on the wire: padded, FCS counted */
	int64_t time_ns;
	bool is_truncated; /* the file has less than the frame */
};

/* 0, or -errno with file->error set. */
int replay_file_open(struct replay_file *file, const char *path);
void replay_file_close(struct replay_file *file);

/* 1 = a record, 0 = end of file, or -EBADMSG with file->error set. */
int replay_file_next(struct replay_file *file, struct replay_record *record);

#endif
