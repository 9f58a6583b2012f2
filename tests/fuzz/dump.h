/* SPDX-License-Identifier: BSD-3-Clause */
/* What targets that load a scenario ask of it. */
#ifndef RAILYARD_TEST_FUZZ_DUMP_H
#define RAILYARD_TEST_FUZZ_DUMP_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* The dump of what was loaded is a configuration too, and its own dump is the same. */
static inline void
dump_check(const struct scenario *scenario, const char *const *dirs)
{
	char *text[2] = {NULL, NULL}, error[CONFIG_ERROR_BYTES];
	size_t bytes[2];
	struct scenario *again;
	FILE *out = open_memstream(&text[0], &bytes[0]);

	assert(out != NULL);
	config_dump(scenario, out);
	fclose(out);
	if (config_load_buffer((const uint8_t *)text[0], bytes[0], "dump.yaml", NULL, 0, dirs,
			       &again, error, sizeof(error)) != 0) {
		fprintf(stderr, "the dump does not load: %s\n%s", error, text[0]);
		abort();
	}
	out = open_memstream(&text[1], &bytes[1]);
	assert(out != NULL);
	config_dump(again, out);
	fclose(out);
	if (bytes[0] != bytes[1] || memcmp(text[0], text[1], bytes[0]) != 0) {
		fprintf(stderr, "the dump changes:\n%s\n%s", text[0], text[1]);
		abort();
	}
	scenario_free(again);
	free(text[0]);
	free(text[1]);
}

#endif
