/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a configuration: a scenario that dumps and loads again, or one line of error. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "dump.h"
#include "fuzz.h"

/* Profiles and workloads by name are those of the source tree. */
static const char *const dirs[] = {RAILYARD_TEST_CONFIGS, NULL};

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
	dump_check(scenario, dirs);
	scenario_free(scenario);
	return 0;
}
