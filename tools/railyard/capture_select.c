/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* Where a file's name has its suffix, or ends. */
static size_t
stem_bytes(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(file, '.');

	return dot == NULL || dot == file || (slash != NULL && dot <= slash + 1)
		       ? strlen(file)
		       : (size_t)(dot - file);
}

static int
add_end(struct capture_set *set, const struct scenario *s, const struct scenario_end *end,
	const char *file, bool alone, char *why, size_t why_bytes)
{
	const char *node =
		end->is_switch ? s->switches[end->index].cfg.name : s->hosts[end->index].cfg.name;
	size_t stem = stem_bytes(file), bytes = strlen(file) + 3 * NODE_NAME_BYTES;
	char *spec = malloc(bytes);
	int rc;

	if (spec == NULL) {
		snprintf(why, why_bytes, "--pcap: out of memory");
		return -ENOMEM;
	}
	if (alone)
		snprintf(spec, bytes, "%s:%u=%s", node, end->port, file);
	else
		snprintf(spec, bytes, "%s:%u=%.*s-%s-%u%s", node, end->port, (int)stem, file, node,
			 end->port, file + stem);
	rc = capture_set_add(set, spec, CAPTURE_BOTH, why, why_bytes);
	free(spec);
	return rc;
}

static int
fail_count(const char *ports, size_t length, uint32_t count, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes,
		 "--pcap: %.*s: %u port%s, each with a file; a run writes at most %d files",
		 (int)length, ports, count, count == 1 ? "" : "s", CAPTURE_MOST_FILES);
	return -E2BIG;
}

static int
add_selected(struct capture_set *set, const struct scenario *s, const char *ports, const char *file,
	     char *why, size_t why_bytes)
{
	struct scenario_end *ends;
	uint32_t count;
	int rc = config_select_ports(s, ports, "--pcap", &ends, &count, why, why_bytes);

	if (rc == 0 && capture_set_count(set) + count > CAPTURE_MOST_FILES)
		rc = fail_count(ports, strlen(ports), count, why, why_bytes);
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = add_end(set, s, &ends[i], file, count == 1, why, why_bytes);
	return rc;
}

int
capture_select(struct capture_set *set, const struct scenario *s, const char *spec, char *why,
	       size_t why_bytes)
{
	size_t length = strcspn(spec, "=");
	const char *colon = memchr(spec, ':', length);
	char *ports;
	int rc;

	if (colon != NULL && memchr(spec, '[', (size_t)(colon - spec)) != NULL) {
		snprintf(why, why_bytes,
			 "--pcap: %.*s: after brackets a port stands in brackets, too, as in "
			 "leaf[0-1][2]=FILE",
			 (int)length, spec);
		return -EINVAL;
	}
	if (colon != NULL || length == 0 || spec[length] == '\0' || spec[length + 1] == '\0') {
		if (capture_set_count(set) == CAPTURE_MOST_FILES)
			return fail_count(spec, length, 1, why, why_bytes);
		return capture_set_add(set, spec, CAPTURE_BOTH, why, why_bytes);
	}
	ports = strndup(spec, length);
	if (ports == NULL) {
		snprintf(why, why_bytes, "--pcap: out of memory");
		return -ENOMEM;
	}
	rc = add_selected(set, s, ports, spec + length + 1, why, why_bytes);
	free(ports);
	return rc;
}
