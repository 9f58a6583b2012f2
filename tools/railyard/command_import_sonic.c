/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "config.h"
#include "options.h"
#include "output.h"
#include "search_path.h"

enum { OPTION_ASIC = OPTION_OWN, OPTION_NAMESPACE, OPTION_RATE, OPTION_NAME, OPTION_SWITCH_ONLY };

static const char usage[] =
	"usage: railyard import sonic FILE... [-o OUT.yaml] [options]\n"
	"\n"
	"Make a scenario from a SONiC switch's files: CONFIG_DB as JSON in one file or\n"
	"several (config_db.json, buffers.json, qos.json; later ones win), and\n"
	"pg_profile_lookup.ini of the static buffer model. The scenario has a host at\n"
	"each port and an incast; it runs as it is.\n"
	"\n"
	"  -o FILE               write it there instead of standard output\n"
	"  --asic NAME           facts of the ASIC (configs/profiles/asics); otherwise\n"
	"                        by the platform's name in DEVICE_METADATA\n"
	"  --asic-namespace N    of files about several ASICs: 0, asic0 or host|asic0\n"
	"  --rate RATE           of ports whose speed the files do not say\n"
	"  --name NAME           of the switch (tor)\n"
	"  --switch-only         only the keys of the switch: a profile for others\n"
	"\n"
	"Warnings go to standard error. Exit codes: 0 fine, 2 bad usage or files.\n";

struct arguments {
	struct config_sonic what;
	const char *out;
	bool switch_only;
};

static int
take(struct arguments *a, int option)
{
	switch (option) {
	case 'o':
		return options_once(&a->out, "-o", optarg);
	case OPTION_ASIC:
		return options_once(&a->what.asic, "--asic", optarg);
	case OPTION_NAMESPACE:
		return options_once(&a->what.asic_namespace, "--asic-namespace", optarg);
	case OPTION_RATE:
		return options_once(&a->what.rate, "--rate", optarg);
	case OPTION_NAME:
		a->what.name = optarg;
		return 0;
	case OPTION_SWITCH_ONLY:
		a->switch_only = true;
		return 0;
	case 'h':
		fputs(usage, stdout);
		return 1;
	default:
		return options_fail(-1, "see `railyard import sonic --help`");
	}
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct arguments *a)
{
	static const struct option longs[] = {
		{"asic", required_argument, NULL, OPTION_ASIC},
		{"asic-namespace", required_argument, NULL, OPTION_NAMESPACE},
		{"rate", required_argument, NULL, OPTION_RATE},
		{"name", required_argument, NULL, OPTION_NAME},
		{"switch-only", no_argument, NULL, OPTION_SWITCH_ONLY},
		{"help", no_argument, NULL, 'h'},
		{0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		int rc = take(a, option);

		if (rc != 0)
			return rc;
	}
	if (optind == argc)
		return options_fail(-1, "import sonic: give files, e.g. `railyard import sonic "
					"config_db.json -o tor.yaml`");
	a->what.files = (const char *const *)&argv[optind];
	a->what.file_count = (uint32_t)(argc - optind);
	return 0;
}

static void
print(const struct scenario *s, const struct arguments *a, FILE *out)
{
	fputs("# Made by `railyard import sonic` from", out);
	for (uint32_t i = 0; i < a->what.file_count; i++) {
		fputs(i == 0 ? " " : ", ", out);
		for (const char *p = a->what.files[i]; *p != '\0'; p++)
			fputc((unsigned char)*p < ' ' ? '?' : *p, out);
	}
	fputs("\n", out);
	for (uint32_t i = 0; i < s->warning_count; i++)
		fprintf(out, "# %s\n", s->warnings[i]);
	config_print_source(s, a->switch_only ? a->what.name : NULL, out);
}

/* A file that cannot be written whole is taken away again. */
static int
write_file(const struct scenario *s, const struct arguments *a)
{
	FILE *out = fopen(a->out, "w");
	int rc = -errno;

	if (out != NULL) {
		print(s, a, out);
		rc = output_close(out, a->out);
	}
	if (rc == 0)
		return SESSION_FINE;
	fprintf(stderr, "railyard: %s: %s\n", a->out, strerror(-rc));
	return SESSION_USAGE;
}

int
command_import_sonic(int argc, char **argv)
{
	struct arguments a = {.what.name = "tor"};
	char error[CONFIG_ERROR_BYTES] = "";
	struct search_path path;
	struct scenario *s;
	int rc = parse(argc, argv, &a);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	if (!options_may_write(a.out, a.what.files, a.what.file_count))
		return SESSION_USAGE;
	search_path_init(&path);
	if (config_load_sonic(&a.what, path.list, &s, error, sizeof(error)) != 0)
		return options_fail(SESSION_USAGE, error);
	for (uint32_t i = 0; i < s->warning_count; i++)
		fprintf(stderr, "railyard: %s\n", s->warnings[i]);
	rc = SESSION_FINE;
	if (a.out != NULL)
		rc = write_file(s, &a);
	else
		print(s, &a, stdout);
	scenario_free(s);
	return rc;
}
