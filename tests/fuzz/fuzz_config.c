/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a configuration: a scenario that dumps and loads again, or one line of error. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fuzz.h"

/* Profiles and workloads by name are those of the source tree. */
static const char *const dirs[] = {RAILYARD_TEST_CONFIGS, NULL};

/* The dump of what was loaded is a configuration too, and its own dump is the same. */
static void
check_dump(const struct scenario *scenario)
{
	char *text[2] = {NULL, NULL}, error[CONFIG_ERROR_BYTES];
	size_t bytes[2];
	struct scenario *again;
	FILE *out;

	out = open_memstream(&text[0], &bytes[0]);
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char error[CONFIG_ERROR_BYTES] = "";
	struct scenario *scenario = NULL;
	int result;

	result = config_load_buffer(data, bytes, "fuzz.yaml", NULL, 0, dirs, &scenario, error,
				    sizeof(error));
	if (result != 0) {
		/* One line that says something, and nothing to free. */
		assert(result < 0 && error[0] != '\0' && strchr(error, '\n') == NULL);
		assert(strnlen(error, sizeof(error)) < sizeof(error));
		return 0;
	}
	check_dump(scenario);
	scenario_free(scenario);
	return 0;
}
