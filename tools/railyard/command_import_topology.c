/* SPDX-License-Identifier: BSD-3-Clause */
/* `railyard import topology`: a scenario from what other simulators read. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "config.h"
#include "import_topology.h"
#include "options.h"
#include "output.h"

enum { OPTION_FLOWS = OPTION_OWN };

static const char usage[] =
	"usage: railyard import topology FILE [options]\n"
	"\n"
	"Make a scenario of a topology file of the ns-3 RDMA simulators (HPCC and its\n"
	"descendants).\n"
	"\n"
	"  --flows FILE   with its flows; or those of an htsim connection matrix\n"
	"  -o FILE        write it there instead of to standard output\n";

/* The whole text is made before a file is touched. */
static int
put_out(const char *path, const char *text, size_t bytes, char *error, size_t error_bytes)
{
	FILE *out = path == NULL ? stdout : fopen(path, "w");
	int rc = -errno;

	if (out != NULL) {
		(void)fwrite(text, 1, bytes, out);
		rc = path != NULL ? output_close(out, path) : fflush(out) != 0 ? -errno : 0;
	}
	if (rc != 0)
		snprintf(error, error_bytes, "%s: %s", path != NULL ? path : "standard output",
			 strerror(-rc));
	return rc;
}

static int
import_topology(const char *file, const char *flows, const char *path)
{
	char text[CONFIG_ERROR_BYTES] = "", *yaml = NULL;
	struct config_error error = {.text = text, .bytes = sizeof(text)};
	struct config_arena arena = {.blocks = NULL};
	struct import m = {.arena = &arena, .error = &error};
	size_t bytes = 0;
	FILE *out = open_memstream(&yaml, &bytes);
	int rc = out == NULL ? -errno : import_topology_read(&m, file);

	if (rc == 0 && flows != NULL)
		rc = import_flows_read(&m, flows);
	if (rc == 0)
		rc = import_topology_write(&m, out);
	if (out != NULL)
		fclose(out);
	if (rc == 0)
		rc = put_out(path, yaml, bytes, text, sizeof(text));
	free(yaml);
	config_arena_free(&arena);
	if (rc == 0)
		return SESSION_FINE;
	return options_fail(SESSION_USAGE, text[0] != '\0' ? text : strerror(-rc));
}

int
command_import_topology(int argc, char **argv)
{
	static const struct option longs[] = {{"flows", required_argument, NULL, OPTION_FLOWS},
					      {"out", required_argument, NULL, 'o'},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	const char *flows = NULL, *path = NULL;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "ho:", longs, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return SESSION_FINE;
		}
		if (option == OPTION_FLOWS)
			flows = optarg;
		else if (option == 'o')
			path = optarg;
		else
			return options_fail(SESSION_USAGE, "see `railyard import topology --help`");
	}
	if (argc - optind != 1)
		return options_fail(SESSION_USAGE, "import topology: give one file");
	if (!options_may_write(path, (const char *const[]){argv[optind], flows}, 2))
		return SESSION_USAGE;
	return import_topology(argv[optind], flows, path);
}
