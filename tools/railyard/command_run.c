/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "capture_select.h"
#include "commands.h"
#include "options.h"

enum { OPTION_PCAP = OPTION_OWN, OPTION_SNAP, OPTION_EAL, OPTION_JUNIT, OPTION_GITHUB };

static const char usage[] =
	"usage: railyard run FILE.yaml [options]\n"
	"\n"
	"Run a scenario and print what happened.\n"
	"\n" OPTIONS_COMMON_HELP
	"  --pcap NODE:PORT=FILE  capture a port (hosts have port 0), nanosecond pcap\n"
	"  --pcap PORTS=FILE      the same of 'tor[0-3]', named as in "
	"a-tor-0.pcap\n"
	"  --snap BYTES           write at most so much of each captured frame\n"
	"  --junit FILE           write a JUnit report: a case for each expectation\n"
	"  --github               failed expectations as annotations of a GitHub workflow\n"
	"  --eal \"ARGUMENTS\"      real time: more arguments for DPDK's environment\n"
	"\n"
	"Exit codes: 0 fine, 1 an expectation failed, 2 bad usage or configuration, 3 the\n"
	"run broke an invariant or came to a deadlock.\n";

struct arguments {
	struct session_options options;
	const char *captures[CAPTURE_MOST_FILES];
	size_t capture_count;
	uint64_t snap_bytes; /* 0 = whole frames */
};

static int
take_own(struct arguments *a, int option, const char *value)
{
	switch (option) {
	case OPTION_PCAP:
		if (a->capture_count == CAPTURE_MOST_FILES)
			return options_fail(-1, "--pcap: at most 64 times");
		a->captures[a->capture_count++] = value;
		return 0;
	case OPTION_SNAP:
		if (options_number(value, &a->snap_bytes) && a->snap_bytes >= 14 &&
		    a->snap_bytes <= 262144)
			return 0;
		return options_fail(-1, "--snap: give a number of bytes from 14 to 262144");
	case OPTION_EAL:
		a->options.eal = value;
		return 0;
	case OPTION_JUNIT:
		return options_file(&a->options.junit, "--junit", value);
	case OPTION_GITHUB:
		a->options.github = true;
		return 0;
	default:
		return options_fail(-1, "see `railyard run --help`");
	}
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct arguments *a)
{
	static const struct option longs[] = {OPTIONS_COMMON,
					      {"pcap", required_argument, NULL, OPTION_PCAP},
					      {"snap", required_argument, NULL, OPTION_SNAP},
					      {"eal", required_argument, NULL, OPTION_EAL},
					      {"junit", required_argument, NULL, OPTION_JUNIT},
					      {"github", no_argument, NULL, OPTION_GITHUB},
					      {0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = options_take(&a->options, option, optarg);

		if (taken < 0)
			return -1;
		if (taken > 0)
			continue;
		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (take_own(a, option, optarg) != 0)
			return -1;
	}
	if (argc - optind != 1)
		return options_fail(-1, argc == optind
						? "run: give a configuration, e.g. `railyard run "
						  "configs/incast.yaml`"
						: "run: give one configuration only");
	a->options.config = argv[optind];
	return 0;
}

static int
run(struct session *s, const struct arguments *a)
{
	int code = session_load(s, &a->options);

	if (code != SESSION_FINE)
		return code;
	if (a->options.dump_config) {
		return session_dump(s);
	}
	code = session_build(s, 0, 0);
	if (code == SESSION_FINE && a->snap_bytes != 0)
		capture_set_snap(results_captures(s->results), (uint32_t)a->snap_bytes);
	for (size_t i = 0; code == SESSION_FINE && i < a->capture_count; i++) {
		if (capture_select(results_captures(s->results), s->scenario, a->captures[i],
				   s->error, sizeof(s->error)) != 0)
			code = SESSION_USAGE;
	}
	return code != SESSION_FINE ? code : session_run(s);
}

int
command_run(int argc, char **argv)
{
	struct arguments a = {0};
	struct session s;
	int rc = parse(argc, argv, &a);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	return session_end(&s, run(&s, &a));
}
