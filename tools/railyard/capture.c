/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "node.h"
#include "output.h"
#include "roce.h"

/* tcpdump's own default. */
#define SNAP_BYTES 262144

struct capture {
	char *node_name;
	char *file;
	uint16_t port;
	enum capture_direction direction;
	const struct node *node; /* NULL until opened */
	pcap_dumper_t *dumper;
};

struct capture_set {
	struct capture *captures;
	size_t count;
	pcap_t *pcap; /* stands for link type, snap length and precision */
	uint32_t snap_bytes;
};

/* In front of a frame's bytes. */
struct record {
	size_t capture; /* which one wants it */
	struct pcap_pkthdr header;
};

struct capture_set *
capture_set_create(void)
{
	struct capture_set *set = calloc(1, sizeof(*set));

	if (set != NULL)
		set->snap_bytes = SNAP_BYTES;
	return set;
}

/* Split "NODE:PORT=FILE". A file's name may hold colons and equal signs, a node's may not. */
static int
parse_spec(struct capture *c, const char *spec)
{
	const char *equals = strchr(spec, '=');
	const char *colon;
	unsigned long port;
	char *end;

	if (equals == NULL || equals[1] == '\0')
		return -EINVAL;
	colon = memrchr(spec, ':', (size_t)(equals - spec));
	if (colon == NULL || colon == spec || colon[1] < '0' || colon[1] > '9')
		return -EINVAL;
	port = strtoul(colon + 1, &end, 10);
	if (end != equals || port > UINT16_MAX)
		return -EINVAL;
	c->port = (uint16_t)port;
	c->node_name = strndup(spec, (size_t)(colon - spec));
	c->file = strdup(equals + 1);
	return c->node_name == NULL || c->file == NULL ? -ENOMEM : 0;
}

static void
free_capture(struct capture *c)
{
	free(c->node_name);
	free(c->file);
}

int
capture_set_add(struct capture_set *set, const char *spec, enum capture_direction direction,
		char *why, size_t why_bytes)
{
	struct capture c = {.direction = direction};
	struct capture *grown;
	int ret = parse_spec(&c, spec);

	if (ret == -EINVAL)
		snprintf(why, why_bytes,
			 "capture '%s': expected NODE:PORT=FILE, as in tor:0=a.pcap", spec);
	for (size_t i = 0; ret == 0 && i < set->count; i++) {
		if (strcmp(set->captures[i].file, c.file) != 0)
			continue;
		snprintf(why, why_bytes, "capture '%s': %s is already used by another capture",
			 spec, c.file);
		ret = -EINVAL;
	}
	if (ret == 0) {
		grown = realloc(set->captures, (set->count + 1) * sizeof(c));
		if (grown == NULL)
			ret = -ENOMEM;
		else
			set->captures = grown;
	}
	if (ret == -ENOMEM)
		snprintf(why, why_bytes, "capture '%s': out of memory", spec);
	if (ret != 0) {
		free_capture(&c);
		return ret;
	}
	set->captures[set->count++] = c;
	return 0;
}

size_t
capture_set_count(const struct capture_set *set)
{
	return set->count;
}

const char *
capture_set_file(const struct capture_set *set, size_t i, char *what, size_t what_bytes)
{
	const struct capture *c = &set->captures[i];

	snprintf(what, what_bytes, "the capture of %s:%u", c->node_name, c->port);
	return c->file;
}

static int
find_port(struct capture *c, struct node *const *nodes, uint32_t node_count, struct node **found,
	  char *why, size_t why_bytes)
{
	for (uint32_t i = 0; i < node_count; i++) {
		if (strcmp(nodes[i]->name, c->node_name) != 0)
			continue;
		*found = nodes[i];
		if (c->port < nodes[i]->port_count)
			return 0;
		snprintf(why, why_bytes, "capture %s:%u: %s has ports 0 to %u", c->node_name,
			 c->port, c->node_name, nodes[i]->port_count - 1);
		return -EINVAL;
	}
	snprintf(why, why_bytes, "capture %s:%u: no switch or host is called '%s'", c->node_name,
		 c->port, c->node_name);
	return -EINVAL;
}

static int
open_file(struct capture_set *set, struct capture *c, char *why, size_t why_bytes)
{
	FILE *file = fopen(c->file, "wb");
	int error = errno;

	if (file == NULL) {
		snprintf(why, why_bytes, "capture %s:%u: cannot write %s: %s", c->node_name,
			 c->port, c->file, strerror(error));
		return -error;
	}
	c->dumper = pcap_dump_fopen(set->pcap, file);
	if (c->dumper == NULL) {
		snprintf(why, why_bytes, "capture %s:%u: cannot write %s: %s", c->node_name,
			 c->port, c->file, pcap_geterr(set->pcap));
		fclose(file);
		output_remove(c->file);
		return -EIO;
	}
	return 0;
}

int
capture_set_open(struct capture_set *set, struct node *const *nodes, uint32_t node_count, char *why,
		 size_t why_bytes)
{
	struct node *node;
	int ret = 0;

	if (set->count == 0)
		return 0;
	for (size_t i = 0; i < set->count; i++) {
		ret = find_port(&set->captures[i], nodes, node_count, &node, why, why_bytes);
		if (ret != 0)
			return ret;
		set->captures[i].node = node;
	}
	set->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES,
							 PCAP_TSTAMP_PRECISION_NANO);
	if (set->pcap == NULL) {
		snprintf(why, why_bytes, "capture: out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; ret == 0 && i < set->count; i++)
		ret = open_file(set, &set->captures[i], why, why_bytes);
	for (size_t i = 0; i < set->count; i++) {
		struct capture *c = &set->captures[i];

		if (ret == 0)
			((struct node *)(uintptr_t)c->node)->ports[c->port].captured = true;
	}
	if (ret != 0)
		capture_set_discard(set);
	return ret;
}

void
capture_set_discard(struct capture_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct capture *c = &set->captures[i];

		if (c->dumper == NULL)
			continue;
		pcap_dump_close(c->dumper);
		c->dumper = NULL;
		output_remove(c->file);
	}
}

static bool
wants(const struct capture *c, const struct node *node, uint16_t port, bool is_tx)
{
	if (c->node != node || c->port != port || c->dumper == NULL)
		return false;
	return c->direction == CAPTURE_BOTH || (c->direction == CAPTURE_TX) == is_tx;
}

void
capture_set_snap(struct capture_set *set, uint32_t snap_bytes)
{
	set->snap_bytes = snap_bytes;
}

size_t
capture_set_next(const struct capture_set *set, size_t from, const struct node *node, uint16_t port,
		 bool is_tx)
{
	while (from < set->count && !wants(&set->captures[from], node, port, is_tx))
		from++;
	return from;
}

void
capture_set_record(const struct capture_set *set, size_t i, struct rte_mbuf *m, uint64_t now_ps,
		   FILE *out)
{
	uint8_t frame[SNAP_BYTES];
	uint32_t wire_bytes = packet_of(m)->frame_bytes - UNITS_FCS_BYTES;
	uint32_t bytes = roce_restore(m, frame, sizeof(frame));
	struct record record = {
		.capture = i,
		/* With nanosecond precision the field for microseconds holds nanoseconds. */
		.header.ts.tv_sec = (time_t)(now_ps / UNITS_PS_PER_S),
		.header.ts.tv_usec = (suseconds_t)(now_ps % UNITS_PS_PER_S / UNITS_PS_PER_NS),
		.header.caplen = bytes < set->snap_bytes ? bytes : set->snap_bytes,
		.header.len = wire_bytes > bytes ? wire_bytes : bytes,
	};

	fwrite(&record, sizeof(record), 1, out);
	fwrite(frame, record.header.caplen, 1, out);
}

void
capture_set_write(struct capture_set *set, const void *bytes)
{
	struct record record;

	memcpy(&record, bytes, sizeof(record));
	pcap_dump((u_char *)set->captures[record.capture].dumper, &record.header,
		  (const u_char *)bytes + sizeof(record));
}

void
capture_set_flush(struct capture_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->captures[i].dumper != NULL)
			pcap_dump_flush(set->captures[i].dumper);
	}
}

int
capture_set_close(struct capture_set *set, char *why, size_t why_bytes)
{
	int ret = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct capture *c = &set->captures[i];

		if (c->dumper == NULL)
			continue;
		errno = 0;
		if (pcap_dump_flush(c->dumper) != 0 || ferror(pcap_dump_file(c->dumper)) != 0) {
			snprintf(why, why_bytes, "capture %s:%u: cannot write all of %s: %s",
				 c->node_name, c->port, c->file,
				 errno != 0 ? strerror(errno) : "write error");
			ret = -EIO;
		}
		pcap_dump_close(c->dumper);
		c->dumper = NULL;
	}
	return ret;
}

void
capture_set_destroy(struct capture_set *set)
{
	char why[1];

	if (set == NULL)
		return;
	capture_set_close(set, why, sizeof(why));
	for (size_t i = 0; i < set->count; i++)
		free_capture(&set->captures[i]);
	if (set->pcap != NULL)
		pcap_close(set->pcap);
	free(set->captures);
	free(set);
}
