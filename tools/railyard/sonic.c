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

bool
sonic_is_read(const char *table)
{
	const char *const *u = used;

	while (*u != NULL && strcmp(*u, table) != 0)
		u++;
	return *u != NULL;
}

/* As many whole names as a line takes, and how many more there are. */
static void
name_unused(struct sonic *s)
{
	char list[380] = "", more[32] = "";
	uint32_t left_out = 0;
	size_t used_bytes = 0;

	for (uint32_t i = 0; i < s->tables->count; i++) {
		const char *key = s->tables->entries[i].key;

		if (sonic_is_read(key))
			continue;
		if (left_out > 0 || used_bytes + strlen(key) + 3 > sizeof(list))
			left_out++;
		else
			used_bytes += (size_t)snprintf(list + used_bytes, sizeof(list) - used_bytes,
						       "%s%s", used_bytes > 0 ? ", " : "", key);
	}
	if (left_out > 0)
		snprintf(more, sizeof(more), " and %u more", left_out);
	/* Nothing is wrong with having them: no finding. */
	if ((used_bytes > 0 || left_out > 0) && !s->c->judged)
		config_warn(s->c, &s->options->mark,
			    "tables that are not about buffers or QoS, or not "
			    "of these ports: %s%s",
			    list, more);
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
	if (rc == 0) {
		sonic_check_members(s);
		rc = sonic_read_bindings(s);
	}
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
