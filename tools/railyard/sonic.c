/* SPDX-License-Identifier: BSD-3-Clause */
#include "sonic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Tables that are read; DEVICE_METADATA and the like in parts. */
static const char *const used[] = {
	"BUFFER_PG",
	"BUFFER_POOL",
	"BUFFER_PORT_EGRESS_PROFILE_LIST",
	"BUFFER_PORT_INGRESS_PROFILE_LIST",
	"BUFFER_PROFILE",
	"BUFFER_QUEUE",
	"CABLE_LENGTH",
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER",
	"DEVICE_METADATA",
	"DOT1P_TO_TC_MAP",
	"DSCP_TO_TC_MAP",
	"LOSSLESS_TRAFFIC_PATTERN",
	"MAP_PFC_PRIORITY_TO_QUEUE",
	"PFC_WD",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	"PORT",
	"PORTCHANNEL",
	"PORTCHANNEL_MEMBER",
	"PORT_QOS_MAP",
	"QUEUE",
	"SCHEDULER",
	"TC_TO_PRIORITY_GROUP_MAP",
	"TC_TO_QUEUE_MAP",
	"WRED_PROFILE",
	NULL,
};

static void
name_unused(struct sonic *s)
{
	char list[300] = "";

	for (uint32_t i = 0; i < s->tables->count; i++) {
		const char *const *u = used;
		size_t n = strlen(list);

		while (*u != NULL && strcmp(*u, s->tables->entries[i].key) != 0)
			u++;
		if (*u == NULL)
			snprintf(list + n, sizeof(list) - n, "%s%s", n > 0 ? ", " : "",
				 s->tables->entries[i].key);
	}
	if (list[0] != '\0')
		config_warn(s->c, &s->options->mark,
			    "tables that are not about buffers or QoS, or not "
			    "of these ports: %s",
			    list);
}

int
sonic_import(struct sonic *s, struct config *c, const struct sonic_options *options)
{
	static int (*const writers[])(struct sonic *) = {
		sonic_write_ports, sonic_write_buffers,  sonic_write_headroom,
		sonic_write_qos,   sonic_write_bindings,
	};
	int rc;

	*s = (struct sonic){.c = c, .options = options};
	s->out = sonic_map(s, &options->mark);
	rc = sonic_read_files(s);
	if (rc == 0)
		rc = sonic_find_asic(s);
	if (rc == 0) {
		sonic_assume_buffers(s);
		rc = sonic_choose_unit(s);
	}
	if (rc == 0)
		rc = sonic_read_ports(s);
	if (rc == 0)
		rc = sonic_read_bindings(s);
	if (rc == 0) {
		sonic_assume_qos(s);
		rc = sonic_assume_bindings(s);
	}
	if (rc == 0)
		rc = sonic_read_watchdogs(s);
	if (rc == 0)
		rc = sonic_check_cables(s);
	if (rc == 0)
		rc = sonic_fill_pools(s);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]) && rc == 0; i++)
		rc = writers[i](s);
	if (rc == 0)
		name_unused(s);
	return rc;
}
