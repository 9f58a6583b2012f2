/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line pieces that subcommands share. */
#ifndef RAILYARD_OPTIONS_H
#define RAILYARD_OPTIONS_H

#include "session.h"

/* Options every run takes; subcommands append their own with values from OPTION_OWN on. */
enum {
	OPTION_OUT = 256,
	OPTION_SET,
	OPTION_SEED,
	OPTION_LCORES,
	OPTION_QUIET,
	OPTION_JSON,
	OPTION_DUMP,
	OPTION_OWN
};

/* clang-format off */
#define OPTIONS_COMMON                                                                             \
	{"out", required_argument, NULL, OPTION_OUT},                                              \
	{"set", required_argument, NULL, OPTION_SET},                                              \
	{"seed", required_argument, NULL, OPTION_SEED},                                            \
	{"lcores", required_argument, NULL, OPTION_LCORES},                                        \
	{"quiet", no_argument, NULL, OPTION_QUIET},                                                \
	{"json", no_argument, NULL, OPTION_JSON},                                                  \
	{"dump-config", no_argument, NULL, OPTION_DUMP},                                           \
	{"help", no_argument, NULL, 'h'}
/* clang-format on */

#define OPTIONS_COMMON_HELP                                                \
	"  --out DIR          write result files into DIR\n"               \
	"  --set PATH=VALUE   change any configuration value,\n"           \
	"                     e.g. switches.tor.rate=400Gbps\n"            \
	"  --seed N           another sequence of random choices\n"        \
	"  --lcores N         run on N cores, with the same results\n"     \
	"                     (default: as many as help)\n"                \
	"  --json             print summary.json instead of the summary\n" \
	"  --quiet            print nothing but errors\n"                  \
	"  --dump-config      print every effective value as YAML and stop\n"

/* Take one common option: 1 taken, 0 not one of them, -1 bad value (a line was printed). */
int options_take(struct session_options *options, int option, const char *value);

/* A value that is given once: 0, or -1 when it is there already (a line was printed). */
int options_once(const char **slot, const char *option, const char *value);

/* A file to write, given once; "-" is none. */
int options_file(const char **slot, const char *option, const char *value);

/* Whole unsigned number, any base C knows: true when text is one. */
bool options_number(const char *text, uint64_t *value);

/*
 * May this be written to? Not when it leads to one of the files that were read; a line was printed
 * then. Names may be NULL.
 */
bool options_may_write(const char *output, const char *const *inputs, size_t count);

/* Print "railyard: LINE" to stderr and return code. */
int options_fail(int code, const char *line);

/*
 * The same of an error in YAML that an option was turned into: "NAME:1:26: what is wrong" becomes
 * "--option: what is wrong". An error that is of another file stays as it is.
 */
int options_fail_in(int code, const char *option, const char *name, const char *error);

#endif
