/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of the progress line: what fits, the less important left out first. */
#include <stdio.h>
#include <string.h>

#include "human.h"
#include "progress.h"

#define PS_PER_US 1e6

enum part { TIME, RATE, SHARE, BYTES, LEFT, PARTS };

static size_t
columns_of(char parts[PARTS][64])
{
	size_t columns = 0;

	for (int i = 0; i < PARTS; i++) {
		if (parts[i][0] != '\0')
			columns += strlen(parts[i]) + (columns > 0 ? 2 : 0);
	}
	return columns;
}

void
progress_line(const struct progress_figures *f, size_t columns, char *line, size_t line_bytes)
{
	static const enum part dispensable[] = {RATE, BYTES, LEFT, SHARE};
	char parts[PARTS][64] = {""};
	size_t used = 0;

	snprintf(parts[TIME], 64, "%s", human_time_us((double)f->now_ps / PS_PER_US).text);
	snprintf(parts[RATE], 64, "%s packets/s", human_short(f->hops_per_s).text);
	if (f->share >= 0)
		snprintf(parts[SHARE], 64, "%.0f %%", f->share * 100);
	if (f->completed_bytes > 0)
		snprintf(parts[BYTES], 64, "%s done", human_bytes((double)f->completed_bytes).text);
	if (f->left_s >= 0)
		snprintf(parts[LEFT], 64, "%s%.0f s left", f->at_most ? "at most " : "about ",
			 f->left_s);
	for (size_t i = 0; i < sizeof(dispensable) / sizeof(dispensable[0]); i++) {
		if (columns_of(parts) > columns)
			parts[dispensable[i]][0] = '\0';
	}
	line[0] = '\0';
	for (int i = 0; i < PARTS && used < line_bytes; i++) {
		if (parts[i][0] != '\0')
			used += (size_t)snprintf(line + used, line_bytes - used, "%s%s",
						 used > 0 ? "  " : "", parts[i]);
	}
	if (columns < line_bytes)
		line[columns] = '\0';
}
