/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a run that goes on. */
#include <errno.h>

#include "results_internal.h"

/* Working the summary out leaves traces, in the end and among the warnings: take them back. */
static json_t *
summary_so_far(struct results *r, const struct results_end *end)
{
	struct results_end end_before = r->end;
	json_t *warnings_before = r->warnings;
	json_t *summary = NULL;

	r->end = *end;
	r->end.state = RESULTS_RUNNING;
	/* Of a run that goes on packets are under way; that is no warning. */
	r->end.in_flight = 0;
	r->warnings = json_deep_copy(warnings_before);
	if (r->warnings != NULL)
		summary = results_build_summary(r);
	json_decref(r->warnings);
	r->warnings = warnings_before;
	r->end = end_before;
	return summary;
}

static int
write_line(const json_t *summary)
{
	int rc = json_dumpf(summary, stderr,
			    JSON_COMPACT | JSON_REAL_PRECISION(RESULTS_JSON_DIGITS));

	fputc('\n', stderr);
	return rc == 0 ? results_flush(stderr) : -EIO;
}

int
results_snapshot(struct results *r, const struct results_end *end, char *path, size_t path_bytes)
{
	char name[48], why[512];
	json_t *summary;
	int rc;

	results_drain(r);
	summary = summary_so_far(r, end);
	path[0] = '\0';
	if (summary == NULL)
		return -ENOMEM;
	for (int i = 0; i < RESULTS_FILE_COUNT; i++)
		if (r->files[i] != NULL)
			fflush(r->files[i]);
	if (r->dir == NULL) {
		rc = write_line(summary);
	} else {
		snprintf(name, sizeof(name), "snapshot-%u.json", ++r->snapshot_count);
		rc = results_write_json(r, summary, name, why, sizeof(why));
		/* The run is worth more than a picture of it: say so, and go on. */
		if (rc != 0)
			fprintf(stderr, "railyard: %s\n", why);
		else
			(void)results_path(r, name, path, path_bytes);
	}
	json_decref(summary);
	return rc;
}
