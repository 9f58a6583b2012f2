/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of summary*.c share: a page of 80 columns, and the JSON it is made from. */
#ifndef RAILYARD_SUMMARY_PAGE_H
#define RAILYARD_SUMMARY_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* Columns of a page, and of the labels at its left. */
#define PAGE_COLUMNS 80
#define PAGE_LABEL_COLUMNS 10
/* Rows of a table that may be shown. */
#define PAGE_WORST 8

struct page {
	FILE *out;
	const char *dir; /* NULL: no files */
	bool colour;
	const json_t *left_out; /* of the summary */
};

/* Members of an object: 0 or "" when there is none. */
double page_number(const json_t *o, const char *key);
uint64_t page_count(const json_t *o, const char *key);
const char *page_text(const json_t *o, const char *key);

/* "s" where n needs it. */
const char *page_plural(uint64_t n);

/* Escapes that begin and end a colour: "" on a page without. */
const char *page_good(const struct page *p);
const char *page_bad(const struct page *p);
const char *page_plain(const struct page *p);

/* Text after a label, continued under itself where the page ends. */
void page_say(const struct page *p, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line of a table: where, in 20 columns or on a line of its own, and the cells beside it. */
void page_row(const struct page *p, const char *label, const char *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* How many rows of a table are not shown, and where they are. */
void page_rest(const struct page *p, size_t total, size_t shown, const char *file);

/*
 * The rows of a list with the largest value of `key` (and `more`, when not NULL, added), largest
 * first, earlier ones first among equals. Returns how many: want (at most PAGE_WORST) or fewer.
 */
size_t page_worst(const json_t *list, const char *key, const char *more, size_t want,
		  json_t *worst[PAGE_WORST]);

/* summary_expect.c */
void summary_print_expectations(const struct page *p, const json_t *summary);

/* results_failures.c: links that failed. */
void summary_print_links(const struct page *p, const json_t *summary);

#endif
