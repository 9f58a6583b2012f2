/* SPDX-License-Identifier: BSD-3-Clause */
#include "junit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static char *
copy(struct junit *junit, const char *text)
{
	char *copied = strdup(text == NULL ? "" : text);

	if (copied == NULL)
		junit->short_of_memory = true;
	return copied;
}

void
junit_init(struct junit *junit, const char *suite)
{
	*junit = (struct junit){0};
	junit->suite = copy(junit, suite);
}

void
junit_add(struct junit *junit, enum junit_outcome outcome, const char *class_name, const char *name,
	  const char *message, const char *text)
{
	if (junit->count == junit->size) {
		size_t size = junit->size == 0 ? 32 : 2 * junit->size;
		struct junit_case *grown = realloc(junit->cases, size * sizeof(*grown));

		if (grown == NULL) {
			junit->short_of_memory = true;
			return;
		}
		junit->cases = grown;
		junit->size = size;
	}
	junit->cases[junit->count++] = (struct junit_case){
		.class_name = copy(junit, class_name),
		.name = copy(junit, name),
		.message = copy(junit, message),
		.text = copy(junit, text),
		.outcome = outcome,
	};
}

void
junit_fini(struct junit *junit)
{
	for (size_t i = 0; i < junit->count; i++) {
		free(junit->cases[i].class_name);
		free(junit->cases[i].name);
		free(junit->cases[i].message);
		free(junit->cases[i].text);
	}
	free(junit->cases);
	free(junit->suite);
	*junit = (struct junit){0};
}

/* Bytes of the UTF-8 character at text, 0 when it is none that XML 1.0 allows. */
static size_t
character_bytes(const unsigned char *text)
{
	size_t bytes = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	uint32_t code = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	for (size_t i = 1; i < bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (bytes == 1)
		return code >= 0x20 || code == '\t' || code == '\n' ? 1 : 0;
	if (text[0] < 0xc0 || text[0] > 0xf7 || code < least[bytes] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe)
		return 0;
	return bytes;
}

static void
print_escaped(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t bytes = character_bytes((const unsigned char *)text);

		if (bytes == 0)
			fputc('?', out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else if (*text == '\n')
			fputs("&#10;", out);
		else
			fwrite(text, 1, bytes, out);
		text += bytes == 0 ? 1 : bytes;
	}
}

static void
print_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	print_escaped(out, value);
	fputc('"', out);
}

static void
print_case(const struct junit_case *c, FILE *out)
{
	static const char *const elements[] = {
		[JUNIT_PASSED] = "system-out",
		[JUNIT_FAILED] = "failure",
		[JUNIT_ERROR] = "error",
		[JUNIT_SKIPPED] = "skipped",
	};
	const char *element = elements[c->outcome];

	fputs("    <testcase", out);
	print_attribute(out, "classname", c->class_name);
	print_attribute(out, "name", c->name);
	if (c->outcome == JUNIT_PASSED && c->text[0] == '\0') {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, ">\n      <%s", element);
	if (c->outcome != JUNIT_PASSED)
		print_attribute(out, "message", c->message);
	fputc('>', out);
	print_escaped(out, c->text);
	fprintf(out, "</%s>\n    </testcase>\n", element);
}

void
junit_print(const struct junit *junit, FILE *out)
{
	size_t by_outcome[4] = {0};

	for (size_t i = 0; i < junit->count; i++)
		by_outcome[junit->cases[i].outcome]++;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
	print_attribute(out, "name", junit->suite);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		junit->count, by_outcome[JUNIT_FAILED], by_outcome[JUNIT_ERROR],
		by_outcome[JUNIT_SKIPPED]);
	for (size_t i = 0; i < junit->count; i++)
		print_case(&junit->cases[i], out);
	fputs("  </testsuite>\n</testsuites>\n", out);
}

int
junit_write(const struct junit *junit, const char *path, char *why, size_t why_bytes)
{
	FILE *out = NULL;
	int error = ENOMEM;

	if (!junit->short_of_memory) {
		out = fopen(path, "w");
		error = out == NULL ? errno : 0;
	}
	if (out != NULL) {
		junit_print(junit, out);
		error = -output_close(out, path);
	}
	if (error != 0)
		snprintf(why, why_bytes, "cannot write %.900s: %s", path, strerror(error));
	return -error;
}
