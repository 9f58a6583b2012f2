/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "config.h"
#include "expect.h"
#include "options.h"

static const char usage[] =
	"usage: railyard reference --markdown | --schema | --metrics\n"
	"\n"
	"Print the reference of every configuration key, the JSON Schema for editors, or\n"
	"the metrics that `expect:` knows.\n";

int
command_reference(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--markdown") == 0)
		config_print_reference(stdout);
	else if (argc == 2 && strcmp(argv[1], "--schema") == 0)
		config_print_schema(stdout);
	else if (argc == 2 && strcmp(argv[1], "--metrics") == 0)
		expect_print_metrics(stdout);
	else if (argc == 2 && strcmp(argv[1], "--help") == 0)
		fputs(usage, stdout);
	else
		return options_fail(SESSION_USAGE,
				    "reference: give --markdown, --schema or --metrics");
	return SESSION_FINE;
}
