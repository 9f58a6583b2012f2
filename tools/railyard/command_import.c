/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations of others into Railyard's. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"

static const char usage[] = "usage: railyard import KIND ...\n"
			    "\n"
			    "  sonic     a switch from CONFIG_DB (JSON) and pg_profile_lookup.ini\n"
			    "  topology  a network and its flows from files of other simulators\n"
			    "\n"
			    "`railyard import KIND --help` says more.\n";

int
command_import(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} kinds[] = {
		{"sonic", command_import_sonic},
		{"topology", command_import_topology},
	};

	if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return SESSION_FINE;
	}
	for (size_t i = 0; argc >= 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			return kinds[i].run(argc - 1, argv + 1);
	return options_fail(SESSION_USAGE, "import: say what, e.g. `railyard import sonic "
					   "config_db.json -o tor.yaml`");
}
