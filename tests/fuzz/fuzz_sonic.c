/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a file of a SONiC switch: a scenario that dumps and loads again, or one line of
 * error. What does not begin as JSON is a pg_profile_lookup.ini, beside a switch that needs one.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "dump.h"
#include "fuzz.h"

/* ASICs and profiles by name are those of the source tree. */
static const char *const dirs[] = {RAILYARD_TEST_CONFIGS, NULL};

static const char base[] =
	"{\"PORT\": {\"Ethernet0\": {\"speed\": \"100000\"}, \"Ethernet4\": {\"speed\": "
	"\"100000\"}},"
	"\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"5m\", \"Ethernet4\": \"40m\"}}}";

static void
write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");

	assert(f != NULL && fwrite(data, 1, bytes, f) == bytes);
	assert(fclose(f) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char directory[] = "/tmp/railyard-fuzz-XXXXXX";
	char error[CONFIG_ERROR_BYTES] = "", json[64], ini[64];
	const char *files[2] = {json, ini};
	struct config_sonic what = {.name = "tor", .files = files, .asic = "tomahawk"};
	struct scenario *scenario = NULL;

	assert(mkdtemp(strcpy(directory, "/tmp/railyard-fuzz-XXXXXX")) != NULL);
	snprintf(json, sizeof(json), "%s/db.json", directory);
	snprintf(ini, sizeof(ini), "%s/db.ini", directory);
	what.file_count = bytes > 0 && strchr("{[ \n", data[0]) != NULL ? 1 : 2;
	if (what.file_count == 1)
		write_file(json, data, bytes);
	else
		write_file(json, base, sizeof(base) - 1);
	write_file(ini, data, bytes);
	if (config_load_sonic(&what, dirs, &scenario, error, sizeof(error)) == 0) {
		dump_check(scenario, dirs);
		scenario_free(scenario);
	} else {
		/* One line that says something, and nothing to free. */
		assert(error[0] != '\0' && strchr(error, '\n') == NULL);
		assert(strnlen(error, sizeof(error)) < sizeof(error));
	}
	unlink(json);
	unlink(ini);
	rmdir(directory);
	return 0;
}
