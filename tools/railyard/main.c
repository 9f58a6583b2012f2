/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "pipelines.h"

static const char usage[] =
	"railyard " RAILYARD_VERSION ": a packet-level switch dataplane emulator\n"
	"with a RoCEv2 traffic generator\n"
	"\n"
	"usage: railyard COMMAND ...\n"
	"\n"
	"  run FILE.yaml    run a scenario\n"
	"  replay           play a capture through a switch\n"
	"  accept           acceptance tests of a switch's buffers, PFC and ECN\n"
	"  check FILE.yaml  judge buffers, PFC, ECN and QoS without running\n"
	"  compare RUN...   print runs side by side\n"
	"  headroom         how much headroom a lossless port needs, and why\n"
	"  topo FILE.yaml   print and draw the network of a scenario\n"
	"  import           a switch from SONiC's files, a network from simulators'\n"
	"  reference        every configuration key, as Markdown or JSON Schema\n"
	"  pipelines        the switch pipelines there are\n"
	"\n"
	"`railyard COMMAND --help` says more.\n"
	"Start with `railyard run configs/incast.yaml`.\n";

static int
command_pipelines(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (unsigned int i = 0; pipelines_at(i) != NULL; i++)
		printf("%-16s %s\n", pipelines_at(i)->name, pipelines_at(i)->help);
	return SESSION_FINE;
}

static int
dispatch(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		/* clang-format off */
		{"run", command_run},
		{"replay", command_replay},
		{"accept", command_accept}, {"check", command_check},
		{"compare", command_compare},
		{"headroom", command_headroom},
		{"import", command_import},
		{"reference", command_reference},
		{"topo", command_topo},
		{"pipelines", command_pipelines},
		/* clang-format on */
	};

	if (argc < 2) {
		fputs(usage, stderr);
		return SESSION_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(usage, stdout);
		return SESSION_FINE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("railyard " RAILYARD_VERSION);
		return SESSION_FINE;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "railyard: there is no command '%s'; see `railyard --help`\n", argv[1]);
	return SESSION_USAGE;
}

int
main(int argc, char **argv)
{
	int code = dispatch(argc, argv);

	if (code == SESSION_FINE && (fflush(stdout) != 0 || ferror(stdout)))
		return options_fail(SESSION_USAGE, "standard output: cannot write all of it");
	return code;
}
