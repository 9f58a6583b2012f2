/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "junit.h"
#include "output.h"

bool
options_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

int
options_fail(int code, const char *line)
{
	fprintf(stderr, "railyard: %s\n", line);
	return code;
}

int
options_fail_in(int code, const char *option, const char *name, const char *error)
{
	size_t length = strlen(name);
	const char *what = strstr(error, ": ");

	if (strncmp(error, name, length) != 0 || error[length] != ':' || what == NULL)
		return options_fail(code, error);
	fprintf(stderr, "railyard: %s%s\n", option, what);
	return code;
}

int
options_once(const char **slot, const char *option, const char *value)
{
	if (*slot != NULL) {
		fprintf(stderr, "railyard: %s: given twice (%s and %s)\n", option, *slot, value);
		return -1;
	}
	*slot = value;
	return 0;
}

int
options_file(const char **slot, const char *option, const char *value)
{
	if (strcmp(value, "-") == 0) {
		fprintf(stderr,
			"railyard: %s -: standard output has the findings and results; give a file "
			"(./- for one of that name)\n",
			option);
		return -1;
	}
	return options_once(slot, option, value);
}

bool
options_may_write(const char *output, const char *const *inputs, size_t count)
{
	const char *input = output_input(output, inputs, count);

	if (input != NULL)
		fprintf(stderr,
			"railyard: cannot write %s: it is the same file as the input %s; choose "
			"another name\n",
			output, input);
	return input == NULL;
}

int
options_take(struct session_options *o, int option, const char *value)
{
	switch (option) {
	case OPTION_OUT:
		o->out_dir = value;
		return 1;
	case OPTION_SET:
		if (o->set_count == SESSION_MAX_SETS)
			return options_fail(-1, "--set: too many; put them into the file");
		o->sets[o->set_count++].text = value;
		return 1;
	case OPTION_SEED:
		if (!options_number(value, &o->seed)) {
			fprintf(stderr,
				"railyard: --seed %s: not a whole number from 0 to 2^64-1\n",
				value);
			return -1;
		}
		o->has_seed = true;
		return 1;
	case OPTION_LCORES:
		if (!options_number(value, &o->lcores) || o->lcores == 0 || o->lcores > 128) {
			fprintf(stderr, "railyard: --lcores %s: not a whole number from 1 to 128\n",
				value);
			return -1;
		}
		return 1;
	case OPTION_QUIET:
		o->quiet = true;
		return 1;
	case OPTION_JSON:
		o->json = true;
		return 1;
	case OPTION_DUMP:
		o->dump_config = true;
		return 1;
	default:
		return 0;
	}
}
