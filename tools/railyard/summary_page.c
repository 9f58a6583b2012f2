/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines, tables and colours of the summary's page. */
#include "summary_page.h"

#include <stdarg.h>
#include <string.h>

#include "human.h"

#define PLACE_COLUMNS 20
#define TEXT_COLUMNS (PAGE_COLUMNS - PAGE_LABEL_COLUMNS)

double
page_number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

uint64_t
page_count(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

const char *
page_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "";
}

const char *
page_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *
page_good(const struct page *p)
{
	return p->colour ? "\033[32m" : "";
}

const char *
page_bad(const struct page *p)
{
	return p->colour ? "\033[31m" : "";
}

const char *
page_plain(const struct page *p)
{
	return p->colour ? "\033[0m" : "";
}

/*
 * Bytes of text that fit into `columns`, cut at a space; colours take none. A word that is
 * longer than a line stays whole, so that it can be copied.
 */
static size_t
fitting(const char *text, size_t columns)
{
	size_t used = 0;
	size_t space = 0;
	size_t i = 0;

	while (text[i] != '\0') {
		if (text[i] == '\033') {
			i += strcspn(text + i, "m") + 1;
			continue;
		}
		if (text[i] == ' ')
			space = i;
		/* UTF-8: a character's other bytes take no column. */
		used += (text[i] & 0xc0) != 0x80;
		if (used > columns && space > 0)
			return space;
		i++;
	}
	return i;
}

void
page_say(const struct page *p, const char *label, const char *format, ...)
{
	char line[2048];
	const char *text = line;
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	do {
		size_t length = fitting(text, TEXT_COLUMNS);

		fprintf(p->out, "%-*s%.*s\n", PAGE_LABEL_COLUMNS, label, (int)length, text);
		label = "";
		text += length + (text[length] == ' ');
	} while (*text != '\0');
}

void
page_row(const struct page *p, const char *label, const char *place, const char *format, ...)
{
	char cells[512];
	va_list args;

	va_start(args, format);
	vsnprintf(cells, sizeof(cells), format, args);
	va_end(args);
	if (strlen(place) <= PLACE_COLUMNS &&
	    fitting(cells, TEXT_COLUMNS - PLACE_COLUMNS) == strlen(cells)) {
		fprintf(p->out, "%-*s%-*s%s\n", PAGE_LABEL_COLUMNS, label, PLACE_COLUMNS, place,
			cells);
		return;
	}
	fprintf(p->out, "%-*s%s\n", PAGE_LABEL_COLUMNS, label, place);
	if (fitting(cells, TEXT_COLUMNS - PLACE_COLUMNS) == strlen(cells))
		fprintf(p->out, "%*s%s\n", PAGE_LABEL_COLUMNS + PLACE_COLUMNS, "", cells);
	else
		page_say(p, "", "%s", cells + strspn(cells, " "));
}

void
page_rest(const struct page *p, size_t total, size_t shown, const char *file)
{
	struct human more = human_count(total - shown);

	if (total <= shown)
		return;
	if (p->dir != NULL && page_count(p->left_out, file) > 0)
		page_say(p, "", "%s more, the largest in %s/%s; all with results: full", more.text,
			 p->dir, file);
	else if (p->dir != NULL)
		page_say(p, "", "%s more in %s/%s", more.text, p->dir, file);
	else
		page_say(p, "", "%s more; --out DIR writes them to %s", more.text, file);
}

static double
weight(const json_t *row, const char *key, const char *more)
{
	return page_number(row, key) + (more != NULL ? page_number(row, more) : 0);
}

size_t
page_worst(const json_t *list, const char *key, const char *more, size_t want,
	   json_t *worst[PAGE_WORST])
{
	size_t found = 0;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		size_t at = found;

		while (at > 0 && weight(row, key, more) > weight(worst[at - 1], key, more))
			at--;
		if (at >= want)
			continue;
		if (found < want)
			found++;
		memmove(&worst[at + 1], &worst[at], (found - at - 1) * sizeof(worst[0]));
		worst[at] = row;
	}
	return found;
}
