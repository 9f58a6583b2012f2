/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong, as workflow commands of GitHub: lines of a job's log that the site shows at the
 * place of the file that they name.
 */
#ifndef RAILYARD_ANNOTATE_H
#define RAILYARD_ANNOTATE_H

#include <stdio.h>

enum annotate_level { ANNOTATE_NOTICE, ANNOTATE_WARNING, ANNOTATE_ERROR };

/* place: "file", "file:line" or "file:line:column". */
void annotate(FILE *out, enum annotate_level level, const char *place, const char *title,
	      const char *message);

#endif
