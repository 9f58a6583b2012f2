/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report in the XML of JUnit, which CI systems read: one suite of test cases. Text may be
 * anything: what XML cannot hold is written as '?'.
 */
#ifndef RAILYARD_JUNIT_H
#define RAILYARD_JUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum junit_outcome {
	JUNIT_PASSED,
	JUNIT_FAILED,  /* what was tested is not so */
	JUNIT_ERROR,   /* it could not be tested */
	JUNIT_SKIPPED, /* it does not apply */
};

struct junit_case {
	char *class_name; /* what is tested: "configs/incast.yaml" */
	char *name;       /* "drops == 0" */
	char *message;    /* of what did not pass, in one line; or "" */
	char *text;       /* more lines, or "" */
	enum junit_outcome outcome;
};

struct junit {
	char *suite;
	struct junit_case *cases;
	size_t count;
	size_t size;
	bool short_of_memory; /* said when it is written */
};

/* All texts are copied; text may be NULL. */
void junit_init(struct junit *junit, const char *suite);
void junit_add(struct junit *junit, enum junit_outcome outcome, const char *class_name,
	       const char *name, const char *message, const char *text);
void junit_print(const struct junit *junit, FILE *out);
/* As a file: 0, or -errno with one line in why, and no file. */
int junit_write(const struct junit *junit, const char *path, char *why, size_t why_bytes);
void junit_fini(struct junit *junit);

#endif
