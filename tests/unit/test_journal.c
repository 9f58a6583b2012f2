/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes come out in the order of windows and nodes, and of one node in the order it made them,
 * whoever runs the node: in the order of a journal with one lcore.
 */
#include "journal.h"
#include "prng.h"
#include "suite.h"

#define NODES 16u
#define WINDOWS 50u
#define LCORES 4u

static struct node nodes[NODES];
static struct link_outbox outboxes[LCORES];

struct heard {
	char text[65536];
	size_t bytes;
	uint32_t count;
};

static void
hear(void *context, uint32_t kind, const void *note, size_t bytes)
{
	struct heard *h = context;

	ck_assert_uint_lt(h->bytes + bytes, sizeof(h->text));
	memcpy(h->text + h->bytes, note, bytes);
	h->bytes += bytes;
	h->count++;
}

/* Each node, in the order of the lcores, makes a few notes in most windows. */
static void
fill(struct journal *j, uint16_t lcores, struct heard *h, uint32_t drain_every)
{
	for (uint32_t w = 0; w < WINDOWS; w++) {
		for (uint32_t k = 0; k < NODES; k++) {
			/* Lcore by lcore, within each by number. */
			uint32_t i = k * lcores % NODES + k * lcores / NODES;
			struct prng p = prng_init(1, w * NODES + i);

			nodes[i].outbox = &outboxes[i % lcores];
			nodes[i].window_end_ps = w;
			for (uint64_t n = prng_below(&p, 4); n > 0; n--) {
				fprintf(journal_begin(j, &nodes[i]), "%u %u %llu\n", w, i,
					(unsigned long long)n);
				ck_assert_int_eq(journal_end(j, &nodes[i], (uint32_t)n), 0);
			}
		}
		if (w % drain_every == 0)
			ck_assert_int_eq(journal_drain(j, hear, h), 0);
	}
	ck_assert_int_eq(journal_drain(j, hear, h), 0);
	ck_assert_int_eq(journal_drain(j, hear, h), 0); /* nothing is told twice */
}

START_TEST(order_is_that_of_one_lcore)
{
	struct heard *wanted = calloc(2, sizeof(*wanted)), *got = wanted + 1;
	struct journal *one = journal_create(1), *many = journal_create(LCORES);

	ck_assert_ptr_nonnull(wanted);
	ck_assert_ptr_nonnull(one);
	ck_assert_ptr_nonnull(many);
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].id = i;
	for (uint16_t i = 0; i < LCORES; i++)
		outboxes[i].lcore = i;
	fill(one, 1, wanted, 1);
	fill(many, LCORES, got, (uint32_t)_i);
	ck_assert_uint_gt(wanted->count, NODES * WINDOWS);
	ck_assert_uint_eq(got->count, wanted->count);
	ck_assert_uint_eq(got->bytes, wanted->bytes);
	ck_assert_mem_eq(got->text, wanted->text, wanted->bytes);
	journal_destroy(one);
	journal_destroy(many);
	free(wanted);
}
END_TEST

/* Of a node that no engine runs, and a note without anything in it. */
START_TEST(nothing_is_no_note)
{
	struct journal *j = journal_create(1);
	struct node node = {.id = 3};
	struct heard *h = calloc(1, sizeof(*h));

	ck_assert_ptr_nonnull(journal_begin(j, &node));
	ck_assert_int_eq(journal_end(j, &node, 1), 0);
	ck_assert_int_eq(journal_drain(j, hear, h), 0);
	ck_assert_uint_eq(h->count, 0);
	fputs("x", journal_begin(j, &node));
	ck_assert_int_eq(journal_end(j, &node, 1), 0);
	ck_assert_int_eq(journal_drain(j, hear, h), 0);
	ck_assert_uint_eq(h->count, 1);
	ck_assert_str_eq(h->text, "x");
	journal_destroy(j);
	free(h);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("journal");
	TCase *topic = suite_topic(suite, "order");

	tcase_add_loop_test(topic, order_is_that_of_one_lcore, 1, 8);
	tcase_add_test(topic, nothing_is_no_note);
	return suite_run(suite);
}
