/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ASIC: by name, or by what DEVICE_METADATA says of the platform. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "sonic.h"

#define FOLDER "profiles/asics"

int
config_find_asic(struct config *c, const char *name, const struct config_mark *mark,
		 struct raw_asic *asic, struct config_node **node)
{
	int rc = config_find_file(c, FOLDER, name, mark, node);

	return rc != 0 ? rc
		       : config_decode(&c->decoder, &config_asic_object, *node, &(*node)->mark,
				       &asic->item);
}

uint64_t
sonic_memory(const struct raw_asic *asic)
{
	return asic->buffer_bytes != CONFIG_AUTO ? asic->buffer_bytes : asic->memory_bytes;
}

/* "x86_64-arista_7060_cx32s" has "arista_7060_cx32s": letters in either case, - as _. */
static bool
contains(const char *text, const char *part)
{
	for (; *text != '\0'; text++) {
		size_t n = 0;

		while (part[n] != '\0' &&
		       (tolower((unsigned char)text[n]) == tolower((unsigned char)part[n]) ||
			(text[n] == '-' && part[n] == '_') || (text[n] == '_' && part[n] == '-')))
			n++;
		if (part[n] == '\0')
			return true;
	}
	return false;
}

static bool
has_platform(const struct raw_asic *asic, const char *platform, const char *hwsku)
{
	for (uint32_t i = 0; i < asic->platforms.count; i++) {
		const char *part = asic->platforms.items[i].text;

		if ((platform != NULL && contains(platform, part)) ||
		    (hwsku != NULL && contains(hwsku, part)))
			return true;
	}
	return false;
}

int
sonic_find_asic(struct sonic *s)
{
	const struct config_node *device = sonic_row(s, "DEVICE_METADATA", "localhost");
	const char *platform = sonic_field(device, "platform");
	const char *hwsku = sonic_field(device, "hwsku");
	const char *known[CONFIG_MAX_KNOWN];
	struct config_mark mark = s->options->mark;
	struct config_node *node;
	uint32_t count;
	int rc;

	if (s->options->asic != NULL)
		return config_find_asic(s->c, s->options->asic, &mark, &s->asic, &node);
	count = config_known_files(s->c, FOLDER, known);
	for (uint32_t i = 0; i < count; i++) {
		rc = config_find_asic(s->c, known[i], &mark, &s->asic, &node);
		if (rc != 0 || has_platform(&s->asic, platform, hwsku))
			return rc;
	}
	rc = config_decode(&s->c->decoder, &config_asic_object, NULL, &mark, &s->asic.item);
	config_warn(s->c, &mark,
		    "the ASIC is not known (%s%.60s): cells of 256 bytes and one partition are "
		    "assumed; give asic",
		    platform != NULL ? "platform " : "DEVICE_METADATA|localhost has no platform",
		    platform != NULL ? platform : "");
	return rc;
}
