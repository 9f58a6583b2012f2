/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include <rte_common.h>

#include "replay.h"
#include "units.h"

static int
fail(struct replay_file *file, int rc, const char *what)
{
	snprintf(file->error, sizeof(file->error), "%s: %s", file->path, what);
	return rc;
}

/* A FIFO or a terminal could only be read once, and opening it may wait for ever. */
static int
open_regular(struct replay_file *file, FILE **out)
{
	struct stat st;

	if (stat(file->path, &st) != 0)
		return fail(file, -errno, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(file, -EISDIR, "is a directory");
	if (!S_ISREG(st.st_mode))
		return fail(file, -EINVAL, "is not a regular file");
	*out = fopen(file->path, "rb");
	return *out != NULL ? 0 : fail(file, -errno, strerror(errno));
}

static int
check_link_type(struct replay_file *file)
{
	int type = pcap_datalink(file->pcap);
	const char *name = pcap_datalink_val_to_name(type);
	char what[128];

	if (type == DLT_EN10MB)
		return 0;
	snprintf(what, sizeof(what), "link type %s (%d) is not Ethernet",
		 name != NULL ? name : "unknown", type);
	return fail(file, -EPROTONOSUPPORT, what);
}

int
replay_file_open(struct replay_file *file, const char *path)
{
	char errbuf[PCAP_ERRBUF_SIZE] = "";
	FILE *stream;
	int rc;

	*file = (struct replay_file){.path = strdup(path)};
	if (file->path == NULL) {
		snprintf(file->error, sizeof(file->error), "out of memory");
		return -ENOMEM;
	}
	rc = open_regular(file, &stream);
	if (rc == 0) {
		/* The stream is libpcap's once it succeeds. */
		file->pcap = pcap_fopen_offline_with_tstamp_precision(
			stream, PCAP_TSTAMP_PRECISION_NANO, errbuf);
		if (file->pcap == NULL) {
			fclose(stream);
			rc = fail(file, -EBADMSG, errbuf);
		} else {
			rc = check_link_type(file);
		}
	}
	if (rc != 0)
		replay_file_close(file);
	return rc;
}

void
replay_file_close(struct replay_file *file)
{
	if (file->pcap != NULL)
		pcap_close(file->pcap);
	file->pcap = NULL;
	free(file->path);
	file->path = NULL;
}

static int
fail_at_packet(struct replay_file *file, const char *what)
{
	snprintf(file->error, sizeof(file->error), "%s: packet %" PRIu64 ": %s", file->path,
		 file->packets + 1, what);
	return -EBADMSG;
}

/* pcapng time stamps span more than 64 bits of nanoseconds. */
static int64_t
time_ns_of(const struct timeval *ts)
{
	__int128 ns = (__int128)ts->tv_sec * 1000000000 + ts->tv_usec;

	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

int
replay_file_next(struct replay_file *file, struct replay_record *record)
{
	struct pcap_pkthdr *header;
	const uint8_t *data;
	uint32_t length;
	char what[128];
	int rc;

	rc = pcap_next_ex(file->pcap, &header, &data);
	if (rc == PCAP_ERROR_BREAK)
		return 0;
	if (rc != 1)
		return fail_at_packet(file, pcap_geterr(file->pcap));
	/* Some writers leave the wire length smaller than what they stored. */
	length = header->len > header->caplen ? header->len : header->caplen;
	if (length > REPLAY_FRAME_MAX_BYTES) {
		snprintf(what, sizeof(what), "a frame of %u bytes, more than %u", length,
			 REPLAY_FRAME_MAX_BYTES);
		return fail_at_packet(file, what);
	}
	file->packets++;
	*record = (struct replay_record){
		.data = data,
		.is_truncated = header->caplen < length,
		.captured_bytes = header->caplen,
		.frame_bytes = RTE_MAX(length + UNITS_FCS_BYTES, UNITS_MIN_FRAME_BYTES),
		.time_ns = time_ns_of(&header->ts),
	};
	return 1;
}
