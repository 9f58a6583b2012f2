/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lint.h"
#include "options.h"
#include "output.h"
#include "search_path.h"

enum {
	OPTION_GITHUB = OPTION_OWN,
	OPTION_ROCE_DSCP,
	OPTION_CNP_DSCP,
	OPTION_STRICT,
	OPTION_RULES,
	OPTION_JUNIT
};

static const char usage[] =
	"usage: railyard check FILE.yaml [options]\n"
	"\n"
	"Judge the buffers, PFC, ECN and QoS of a scenario's switches without running it:\n"
	"what would lose packets, pause too early, mark too late, or starve; where, and\n"
	"what would be right.\n"
	"\n"
	"  --roce-dscp N[,N...]  DSCPs of RoCE data (default: those the hosts use, or 26)\n"
	"  --cnp-dscp N          DSCP of CNPs (default: that of the hosts, or 48)\n"
	"  --strict              warnings fail as errors do\n"
	"  --json                findings as JSON\n"
	"  --github              findings as annotations of a GitHub workflow\n"
	"  --junit FILE          write a JUnit report: a case for each rule\n"
	"  --set PATH=VALUE      change any configuration value\n"
	"  --rules               list the rules and stop\n"
	"\n"
	"Exit codes: 0 no errors, 1 errors, 2 bad usage or configuration.\n";

struct request {
	struct session_options options;
	uint64_t roce_dscps;
	uint8_t cnp_dscp;
	bool strict;
	bool github;
	bool rules;
	const char *junit; /* NULL = no report */
};

/* "24,26" to bits: 0, or -1 with a line printed. */
static int
take_dscps(const char *text, uint64_t *bits)
{
	*bits = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		char item[16];
		uint64_t dscp;

		snprintf(item, sizeof(item), "%.*s", (int)(length > 15 ? 15 : length), text);
		if (!options_number(item, &dscp) || dscp > 63)
			return options_fail(-1, "--roce-dscp: give numbers from 0 to 63, such as "
						"24,26");
		*bits |= 1ULL << dscp;
		if (text[length] == '\0')
			return 0;
		text += length + 1;
	}
}

static int
take_own(struct request *r, int option, const char *value)
{
	uint64_t dscp;

	switch (option) {
	case OPTION_GITHUB:
		r->github = true;
		return 0;
	case OPTION_STRICT:
		r->strict = true;
		return 0;
	case OPTION_RULES:
		r->rules = true;
		return 0;
	case OPTION_JUNIT:
		return options_file(&r->junit, "--junit", value);
	case OPTION_ROCE_DSCP:
		return take_dscps(value, &r->roce_dscps);
	case OPTION_CNP_DSCP:
		if (!options_number(value, &dscp) || dscp > 63)
			return options_fail(-1, "--cnp-dscp: give a number from 0 to 63");
		r->cnp_dscp = (uint8_t)dscp;
		return 0;
	default:
		return options_fail(-1, "see `railyard check --help`");
	}
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct request *r)
{
	static const struct option longs[] = {
		{"set", required_argument, NULL, OPTION_SET},
		{"json", no_argument, NULL, OPTION_JSON},
		{"github", no_argument, NULL, OPTION_GITHUB},
		{"roce-dscp", required_argument, NULL, OPTION_ROCE_DSCP},
		{"cnp-dscp", required_argument, NULL, OPTION_CNP_DSCP},
		{"strict", no_argument, NULL, OPTION_STRICT},
		{"junit", required_argument, NULL, OPTION_JUNIT},
		{"rules", no_argument, NULL, OPTION_RULES},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = option == 'h' ? 0 : options_take(&r->options, option, optarg);

		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (taken < 0 || (taken == 0 && take_own(r, option, optarg) != 0))
			return -1;
	}
	if (r->options.json && r->github)
		return options_fail(-1, "check: give --json or --github, not both");
	if (!r->rules && argc - optind != 1)
		return options_fail(-1, "check: give one configuration, e.g. `railyard check "
					"configs/incast.yaml`");
	r->options.config = argv[optind];
	return 0;
}

static void
print_rules(void)
{
	for (int rule = 0; rule < LINT_CONFIG; rule++)
		printf("%-22s %-8s %s\n", lint_rule_name((enum lint_rule)rule),
		       lint_level_name(lint_rule_level((enum lint_rule)rule)),
		       lint_rule_why((enum lint_rule)rule));
}

static void
print(const struct request *r, const struct lint *lint)
{
	if (r->options.json) {
		json_t *findings = lint_json(lint);

		json_dumpf(findings, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(findings);
	} else if (r->github) {
		lint_print_github(lint, stdout);
	} else {
		lint_print(lint, stdout);
	}
}

/* The report, if one is asked for: 0, or -1 with a line printed. */
static int
report(const struct request *r, const struct lint *lint)
{
	struct junit junit;
	char why[SESSION_ERROR_BYTES];
	int rc;

	if (r->junit == NULL)
		return 0;
	junit_init(&junit, "railyard check");
	lint_junit(lint, r->strict ? LINT_WARNING : LINT_ERROR, &junit);
	rc = junit_write(&junit, r->junit, why, sizeof(why));
	junit_fini(&junit);
	return rc == 0 ? 0 : options_fail(-1, why);
}

static int
judge(const struct request *r)
{
	struct search_path path;
	struct scenario *scenario;
	struct lint lint;
	char error[SESSION_ERROR_BYTES];
	int code = SESSION_FINE;

	search_path_init(&path);
	if (config_load_judged(r->options.config, r->options.sets, r->options.set_count, path.list,
			       &scenario, error, sizeof(error)) != 0)
		return options_fail(SESSION_USAGE, error);
	if (!options_may_write(r->junit, scenario->inputs, scenario->input_count))
		code = SESSION_USAGE;
	else if (scenario->switch_count == 0)
		code = options_fail(SESSION_USAGE, "check: there is no switch in it to judge");
	else if (lint_run(&lint, scenario, r->roce_dscps, r->cnp_dscp) != 0)
		code = options_fail(SESSION_USAGE, "check: no memory");
	else {
		print(r, &lint);
		if (lint_count(&lint, LINT_ERROR) > 0 ||
		    (r->strict && lint_count(&lint, LINT_WARNING) > 0))
			code = SESSION_EXPECTATION;
		if (report(r, &lint) != 0)
			code = SESSION_USAGE;
		lint_fini(&lint);
	}
	scenario_free(scenario);
	return code;
}

int
command_check(int argc, char **argv)
{
	struct request r = {.cnp_dscp = UINT8_MAX};
	int rc = parse(argc, argv, &r);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	if (r.rules) {
		print_rules();
		return SESSION_FINE;
	}
	return judge(&r);
}
