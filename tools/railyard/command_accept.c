/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accept.h"
#include "annotate.h"
#include "commands.h"
#include "junit.h"
#include "options.h"
#include "search_path.h"

#define MAX_FILES 32
#define DEFAULT_PROFILE "tomahawk-7060cx"

enum {
	OPTION_PROFILE = OPTION_OWN,
	OPTION_SONIC,
	OPTION_ASIC,
	OPTION_NAMESPACE,
	OPTION_RATE,
	OPTION_JUNIT,
	OPTION_GITHUB,
	OPTION_LIST
};

static const char usage[] =
	"usage: railyard accept [--profile NAME|FILE | --asic NAME | --sonic FILE...]\n"
	"                       [options] [TEST...]\n"
	"\n"
	"Run the acceptance tests of a switch's buffers, PFC, ECN and scheduling: frames\n"
	"through the switch, against numbers worked out from its configuration. TEST: a\n"
	"test's name or the beginning of it, such as s1 or w; otherwise all.\n"
	"\n"
	"  --profile NAME|FILE  the switch: a profile, or a file of the keys of a switch\n"
	"                       (default: " DEFAULT_PROFILE ")\n"
	"  --sonic FILE         the switch: its SONiC files, as for\n"
	"                       `railyard import sonic`\n"
	"  --asic NAME          facts of its ASIC; without --sonic: SONiC as its\n"
	"                       templates set up a switch of 32 ports with that ASIC\n"
	"                       (configs/sonic/template.json)\n"
	"  --asic-namespace N   of files about several ASICs: 0, asic0 or host|asic0\n"
	"  --rate RATE          of ports whose speed the files do not say, with --sonic\n"
	"  --junit FILE         write a JUnit report: a case for each test\n"
	"  --github             annotations of a GitHub workflow for what fails\n"
	"  --json               results as JSON\n"
	"  --list               list the tests and stop\n"
	"\n"
	"Exit codes: 0 no test failed, 1 one did, 2 bad usage or files.\n";

struct request {
	const char *profile; /* NULL: from SONiC files */
	const char *title;   /* whose tests they are */
	const char *files[MAX_FILES];
	struct config_sonic sonic;
	const char *junit; /* NULL = no report */
	bool github;
	bool json;
	bool list;
	char **names; /* NULL-terminated: beginnings of tests' names; none = all */
};

static int
take(struct request *r, int option)
{
	switch (option) {
	case OPTION_PROFILE:
		return options_once(&r->profile, "--profile", optarg);
	case OPTION_SONIC:
		if (r->sonic.file_count == MAX_FILES)
			return options_fail(-1, "--sonic: at most 32 files");
		r->files[r->sonic.file_count++] = optarg;
		return 0;
	case OPTION_ASIC:
		return options_once(&r->sonic.asic, "--asic", optarg);
	case OPTION_NAMESPACE:
		return options_once(&r->sonic.asic_namespace, "--asic-namespace", optarg);
	case OPTION_RATE:
		return options_once(&r->sonic.rate, "--rate", optarg);
	case OPTION_JUNIT:
		return options_file(&r->junit, "--junit", optarg);
	case OPTION_GITHUB:
		r->github = true;
		return 0;
	case OPTION_JSON:
		r->json = true;
		return 0;
	case OPTION_LIST:
		r->list = true;
		return 0;
	case 'h':
		fputs(usage, stdout);
		return 1;
	default:
		return options_fail(-1, "see `railyard accept --help`");
	}
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct request *r)
{
	static const struct option longs[] = {
		{"profile", required_argument, NULL, OPTION_PROFILE},
		{"sonic", required_argument, NULL, OPTION_SONIC},
		{"asic", required_argument, NULL, OPTION_ASIC},
		{"asic-namespace", required_argument, NULL, OPTION_NAMESPACE},
		{"rate", required_argument, NULL, OPTION_RATE},
		{"junit", required_argument, NULL, OPTION_JUNIT},
		{"github", no_argument, NULL, OPTION_GITHUB},
		{"json", no_argument, NULL, OPTION_JSON},
		{"list", no_argument, NULL, OPTION_LIST},
		{"help", no_argument, NULL, 'h'},
		{0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int rc = take(r, option);

		if (rc != 0)
			return rc;
	}
	if (r->profile != NULL && r->sonic.file_count > 0)
		return options_fail(-1, "accept: give --profile or --sonic, not both");
	if (r->sonic.file_count == 0 && (r->sonic.rate != NULL || r->sonic.asic_namespace != NULL ||
					 (r->sonic.asic != NULL && r->profile != NULL)))
		return options_fail(
			-1,
			"accept: --asic, --asic-namespace and --rate go with the files of --sonic, "
			"or --asic alone");
	if (r->profile == NULL && r->sonic.file_count == 0 && r->sonic.asic == NULL)
		r->profile = DEFAULT_PROFILE;
	r->sonic.files = r->files;
	r->names = &argv[optind];
	return 0;
}

/* Does a test's name begin so? s1 is not the beginning of s10. */
static bool
begins(const struct accept_test *test, const char *name)
{
	size_t length = strlen(name);

	return strncmp(test->name, name, length) == 0 &&
	       (length == 0 || !isdigit((unsigned char)name[length - 1]) ||
		!isdigit((unsigned char)test->name[length]));
}

static bool
is_asked_for(const struct request *r, const struct accept_test *test)
{
	for (char **name = r->names; *name != NULL; name++) {
		if (begins(test, *name))
			return true;
	}
	return r->names[0] == NULL;
}

/* Every name must be that of a test. */
static int
check_names(const struct request *r)
{
	for (char **name = r->names; *name != NULL; name++) {
		bool found = false;

		for (size_t i = 0; accept_test_at(i) != NULL; i++)
			found |= begins(accept_test_at(i), *name);
		if (found)
			continue;
		fprintf(stderr, "railyard: accept: no test begins with '%s'; see --list\n", *name);
		return -1;
	}
	return 0;
}

static const char *const verdicts[] = {
	[ACCEPT_PASS] = "pass",
	[ACCEPT_FAIL] = "FAIL",
	[ACCEPT_NOT_APPLICABLE] = "n/a",
	[ACCEPT_ERROR] = "ERROR",
};

/* Expected and measured, a line each. */
static void
print_rows(const struct accept_result *result, FILE *out)
{
	const json_t *list = json_object_get(result->summary, "expectations");
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		char rule[160], measured[64];

		snprintf(rule, sizeof(rule), "%s %s",
			 json_string_value(json_object_get(row, "metric")),
			 json_string_value(json_object_get(row, "expected")));
		summary_format_measured(row, measured, sizeof(measured));
		fprintf(out, "       %-6s %-44s measured %s\n",
			json_is_true(json_object_get(row, "met")) ? "met" : "FAILED", rule,
			measured);
	}
}

static void
print_result(const struct accept_result *result, FILE *out)
{
	fprintf(out, "%-6s %s: %s\n", verdicts[result->verdict], result->test->name,
		result->test->asks);
	if (result->why[0] != '\0')
		fprintf(out, "       %s\n", result->why);
	print_rows(result, out);
}

static json_t *
result_json(const struct accept_result *result)
{
	static const char *const words[] = {"pass", "fail", "not applicable", "error"};
	json_t *list = json_object_get(result->summary, "expectations");

	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "test", result->test->name, "asks",
			 result->test->asks, "verdict", words[result->verdict], "why", result->why,
			 "expectations", list == NULL ? json_array() : json_incref(list));
}

static void
add_case(struct junit *junit, const char *title, const struct accept_result *result)
{
	static const enum junit_outcome outcomes[] = {
		[ACCEPT_PASS] = JUNIT_PASSED,
		[ACCEPT_FAIL] = JUNIT_FAILED,
		[ACCEPT_NOT_APPLICABLE] = JUNIT_SKIPPED,
		[ACCEPT_ERROR] = JUNIT_ERROR,
	};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out == NULL) {
		junit->short_of_memory = true;
		return;
	}
	print_rows(result, out);
	fclose(out);
	junit_add(junit, outcomes[result->verdict], title, result->test->name,
		  result->why[0] != '\0' ? result->why : result->test->asks, text);
	free(text);
}

/* What fails, at the file of the switch. */
static void
annotate_result(const char *file, const struct accept_result *result)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out == NULL)
		return;
	fprintf(out, "%s", result->test->asks);
	if (result->why[0] != '\0')
		fprintf(out, ": %s", result->why);
	fputc('\n', out);
	print_rows(result, out);
	fclose(out);
	annotate(stderr, ANNOTATE_ERROR, file, result->test->name, text);
	free(text);
}

/* All tests that are asked for; how many came to each verdict in counts[]. */
static void
run_all(const struct request *r, const struct accept_dut *dut, const char *const *dirs,
	struct junit *junit, json_t *list, unsigned int counts[4])
{
	for (size_t i = 0; accept_test_at(i) != NULL; i++) {
		struct accept_result result;

		if (!is_asked_for(r, accept_test_at(i)))
			continue;
		accept_run(dut, accept_test_at(i), dirs, &result);
		counts[result.verdict]++;
		add_case(junit, r->title, &result);
		if (r->github && (result.verdict == ACCEPT_FAIL || result.verdict == ACCEPT_ERROR))
			annotate_result(r->profile != NULL ? r->profile : r->files[0], &result);
		if (r->json)
			json_array_append_new(list, result_json(&result));
		else
			print_result(&result, stdout);
		fflush(stdout);
		json_decref(result.summary);
	}
}

static int
run_tests(const struct request *r, const char *profile, const char *const *dirs)
{
	unsigned int counts[4] = {0};
	char why[SESSION_ERROR_BYTES];
	struct accept_dut dut;
	struct junit junit;
	json_t *list;
	int code;

	if (accept_dut_init(&dut, profile, dirs, why, sizeof(why)) != 0)
		return options_fail_in(SESSION_USAGE, "--profile", "accept", why);
	if (!options_may_write(r->junit, dut.scenario->inputs, dut.scenario->input_count)) {
		accept_dut_fini(&dut);
		return SESSION_USAGE;
	}
	list = json_array();
	junit_init(&junit, "railyard accept");
	run_all(r, &dut, dirs, &junit, list, counts);
	if (r->json) {
		json_dumpf(list, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		printf("\n%s: %u passed, %u failed, %u not applicable, %u errors\n", r->title,
		       counts[ACCEPT_PASS], counts[ACCEPT_FAIL], counts[ACCEPT_NOT_APPLICABLE],
		       counts[ACCEPT_ERROR]);
	}
	code = counts[ACCEPT_FAIL] + counts[ACCEPT_ERROR] > 0 ? SESSION_EXPECTATION : SESSION_FINE;
	if (r->junit != NULL && junit_write(&junit, r->junit, why, sizeof(why)) != 0)
		code = options_fail(SESSION_USAGE, why);
	junit_fini(&junit);
	json_decref(list);
	accept_dut_fini(&dut);
	return code;
}

/*
 * An imported switch is a profile for as long as its tests take: a file without a name, of which
 * nothing is left however they end.
 */
static int
accept_sonic(const struct request *r, const char *const *dirs)
{
	char path[32], error[CONFIG_ERROR_BYTES];
	struct scenario *s;
	FILE *out;
	int fd, code;

	if (config_load_sonic(&r->sonic, dirs, &s, error, sizeof(error)) != 0)
		return options_fail(SESSION_USAGE, error);
	if (!options_may_write(r->junit, s->inputs, s->input_count)) {
		scenario_free(s);
		return SESSION_USAGE;
	}
	/* What is proved holds for what was assumed; of the template that is all there is. */
	for (uint32_t i = 0; r->title == r->files[0] && i < s->warning_count; i++)
		fprintf(stderr, "railyard: %s\n", s->warnings[i]);
	fd = memfd_create("switch", 0);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out == NULL) {
		scenario_free(s);
		return options_fail(SESSION_USAGE, "no memory for the switch's keys");
	}
	config_print_source(s, r->sonic.name, out);
	scenario_free(s);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = fflush(out) != 0 || ferror(out) != 0
		       ? options_fail(SESSION_USAGE, "no memory for the switch's keys")
		       : run_tests(r, path, dirs);
	fclose(out);
	return code;
}

/* A switch as SONiC's templates set it up; the importer says what is wrong when it is not there. */
static void
find_default(const char *const *dirs, char *file, size_t bytes)
{
	snprintf(file, bytes, "sonic/template.json");
	for (; *dirs != NULL && access(file, R_OK) != 0; dirs++)
		snprintf(file, bytes, "%s/sonic/template.json", *dirs);
}

int
command_accept(int argc, char **argv)
{
	struct request r = {.sonic.name = "dut"};
	struct search_path path;
	char file[1024];
	int rc = parse(argc, argv, &r);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	if (check_names(&r) != 0)
		return SESSION_USAGE;
	if (r.list) {
		for (size_t i = 0; accept_test_at(i) != NULL; i++)
			printf("%-28s %s\n", accept_test_at(i)->name, accept_test_at(i)->asks);
		return SESSION_FINE;
	}
	search_path_init(&path);
	r.title = r.profile != NULL ? r.profile : r.files[0];
	if (r.profile == NULL && r.sonic.file_count == 0) {
		r.title = r.sonic.asic;
		find_default(path.list, file, sizeof(file));
		r.files[r.sonic.file_count++] = file;
	}
	return r.profile != NULL ? run_tests(&r, r.profile, path.list)
				 : accept_sonic(&r, path.list);
}
