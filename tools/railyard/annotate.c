/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Some characters end a command, or (in a property) the property. */
static void
print_escaped(FILE *out, const char *text, size_t bytes, const char *special)
{
	for (size_t i = 0; i < bytes; i++) {
		if (strchr(special, text[i]) != NULL)
			fprintf(out, "%%%02X", (unsigned char)text[i]);
		else
			fputc(text[i], out);
	}
}

/* Where ":123" ends the text of so many bytes, or NULL. */
static const char *
number_at_end(const char *text, size_t bytes)
{
	size_t at = bytes;

	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	return at > 1 && at < bytes && text[at - 1] == ':' ? text + at - 1 : NULL;
}

void
annotate(FILE *out, enum annotate_level level, const char *place, const char *title,
	 const char *message)
{
	static const char *const commands[] = {"notice", "warning", "error"};
	const char *last = number_at_end(place, strlen(place));
	const char *first = last == NULL ? NULL : number_at_end(place, (size_t)(last - place));
	const char *line = first != NULL ? first : last;

	fprintf(out, "::%s file=", commands[level]);
	print_escaped(out, place, line == NULL ? strlen(place) : (size_t)(line - place), "%\r\n:,");
	if (line != NULL)
		fprintf(out, ",line=%ld", strtol(line + 1, NULL, 10));
	if (first != NULL)
		fprintf(out, ",col=%ld", strtol(last + 1, NULL, 10));
	fputs(",title=", out);
	print_escaped(out, title, strlen(title), "%\r\n:,");
	fputs("::", out);
	print_escaped(out, message, strlen(message), "%\r\n");
	fputc('\n', out);
}
