/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pg_profile_lookup.ini: headroom by speed and cable for the static buffer model. Columns: speed
 * (Mb/s), cable, size, xon, xoff, threshold, and on some ASICs xon_offset.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonic.h"

#define MAX_LOOKUP 512
#define COLUMNS 7

static int
check_columns(struct sonic *s, const struct config_mark *mark, char *const *column, int count)
{
	static const char *const names[COLUMNS] = {"speed", "cable",     "size",      "xon",
						   "xoff",  "threshold", "xon_offset"};

	if (count < COLUMNS - 1)
		return config_fail(&s->c->error, mark,
				   "%d columns; a row has speed, cable, size, xon, xoff, threshold "
				   "and maybe xon_offset",
				   count);
	for (int i = 0; i < count; i++) {
		const char *text = column[i];
		size_t digits = strspn(text += i == 5 && *text == '-', "0123456789");
		const char *rest = i == 1 ? "m" : "";

		if (digits == 0 || digits > 15 || strcmp(text + digits, rest) != 0)
			return config_fail(&s->c->error, mark, "%s: \"%.40s\", but it takes %s",
					   names[i], column[i],
					   i == 1 ? "a length such as 40m" : "a whole number");
	}
	return 0;
}

static int
read_line(struct sonic *s, const struct config_mark *mark, char *line)
{
	char *column[COLUMNS + 1], *state = NULL;
	struct sonic_lookup *row;
	int count = 0, rc;

	line[strcspn(line, "#")] = '\0';
	for (char *p = strtok_r(line, " \t\r", &state); p != NULL && count <= COLUMNS;
	     p = strtok_r(NULL, " \t\r", &state))
		column[count++] = p;
	if (count == 0)
		return 0;
	if (count > COLUMNS)
		return config_fail(&s->c->error, mark, "more than %d columns", COLUMNS);
	rc = check_columns(s, mark, column, count);
	if (rc != 0)
		return rc;
	if (s->lookup_count == MAX_LOOKUP)
		return config_fail(&s->c->error, mark, "more than %d rows", MAX_LOOKUP);
	if (s->lookup == NULL)
		s->lookup = CONFIG_NEW(s->c, struct sonic_lookup, MAX_LOOKUP);
	row = &s->lookup[s->lookup_count];
	*row = (struct sonic_lookup){
		.mark = *mark,
		.speed_mbps = strtoull(column[0], NULL, 10),
		.cable = column[1],
		.size = column[2],
		.xon = column[3],
		.xoff = column[4],
		.threshold = column[5],
		.xon_offset = count == COLUMNS ? column[6] : NULL,
	};
	if (sonic_find_lookup(s, row->speed_mbps, row->cable) != NULL)
		return config_fail(&s->c->error, mark, "a second row for %s and %s", column[0],
				   column[1]);
	s->lookup_count++;
	return 0;
}

int
sonic_read_lookup(struct sonic *s, const char *file, const char *text)
{
	char *line = config_arena_copy(&s->c->arena, text, strlen(text));
	struct config_mark mark = {.file = file, .column = 1};

	s->has_lookup = true;
	while (line != NULL) {
		char *next = strchr(line, '\n');
		int rc;

		if (next != NULL)
			*next++ = '\0';
		mark.line++;
		rc = read_line(s, &mark, line);
		if (rc != 0)
			return rc;
		line = next;
	}
	return 0;
}

const struct sonic_lookup *
sonic_find_lookup(const struct sonic *s, uint64_t speed_mbps, const char *cable)
{
	for (uint32_t i = 0; i < s->lookup_count; i++)
		if (s->lookup[i].speed_mbps == speed_mbps && strcmp(s->lookup[i].cable, cable) == 0)
			return &s->lookup[i];
	return NULL;
}
