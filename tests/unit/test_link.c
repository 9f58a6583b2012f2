/* SPDX-License-Identifier: BSD-3-Clause */
/* A link keeps order and time whatever its ring does; the model is a plain queue of numbers. */
#include "eal.h"
#include "link.h"
#include "prng.h"
#include "suite.h"

#define POOL_PACKETS 4096u

static struct rte_mempool *pool;

static struct rte_mbuf *
new_packet(uint64_t uid, uint32_t frame_bytes)
{
	struct rte_mbuf *m = packet_alloc(pool);

	ck_assert_ptr_nonnull(m);
	packet_of(m)->uid = uid;
	packet_of(m)->frame_bytes = frame_bytes;
	return m;
}

/* A 1,000-byte frame at 100 Gb/s from 5 us on: 81,600 ps on the wire, 1 us away. */
START_TEST(store_and_forward_waits_for_the_last_bit)
{
	struct rte_mbuf *m = new_packet(1, 1000);
	struct link link;

	ck_assert_int_eq(link_init(&link, 1000000), 0);
	ck_assert_uint_eq(link_next_ps(&link), UNITS_NEVER_PS);
	link_send(&link, m, 5000000, 5081600);
	ck_assert_uint_eq(link_next_ps(&link), UNITS_NEVER_PS); /* not before the barrier */
	link_collect(&link);
	ck_assert_uint_eq(link_next_ps(&link), 6081600);
	ck_assert_uint_eq(packet_of(m)->tail_ps, 6081600);
	ck_assert_ptr_eq(link_pop(&link), m);
	ck_assert_uint_eq(link_next_ps(&link), UNITS_NEVER_PS);
	packet_free(m);
	link_fini(&link);
}
END_TEST

/*
 * Cut through after 100 bytes: the head of a 1,000-byte frame acts after 100 of its 1,020 byte
 * times (a tenth of the frame's wire time at the most), the tail as before; a frame no longer
 * than that acts when it is whole. Order holds: nothing overtakes.
 */
START_TEST(cut_through_acts_on_the_head)
{
	struct rte_mbuf *large = new_packet(1, 1000), *small = new_packet(2, 100);
	struct link link;
	uint64_t large_ps;

	ck_assert_int_eq(link_init(&link, 1000000), 0);
	link.cut_through_bytes = 100;
	link_send(&link, large, 0, 81600);
	link_send(&link, small, 81600, 91200);
	link_collect(&link);
	large_ps = link_next_ps(&link);
	ck_assert_uint_ge(large_ps, 1000000 + 100 * 80);
	ck_assert_uint_le(large_ps, 1000000 + 81600 / 10);
	ck_assert_uint_eq(packet_of(large)->tail_ps, 1081600);
	ck_assert_ptr_eq(link_pop(&link), large);
	ck_assert_uint_eq(link_next_ps(&link), 1091200);
	ck_assert_ptr_eq(link_pop(&link), small);
	packet_free(large);
	packet_free(small);
	link_fini(&link);
}
END_TEST

/* Bursts of any size against pops of any size, so that rings grow while they are wrapped. */
START_TEST(order_survives_growth)
{
	struct prng p = prng_init(1, (uint64_t)_i);
	uint64_t sent = 0, popped = 0, now_ps = 0;
	struct link link;

	ck_assert_int_eq(link_init(&link, 500), 0);
	link.head = link.tail = UINT32_MAX - 20; /* the counters wrap as well */
	for (int round = 0; round < 400; round++) {
		uint64_t burst = prng_below(&p, 1 + (uint64_t)round % 150);
		uint64_t take = prng_below(&p, 1 + (uint64_t)round % 140);

		while (burst-- > 0 && sent - popped < POOL_PACKETS / 2) {
			now_ps += 10;
			link_send(&link, new_packet(sent++, 64), now_ps - 10, now_ps);
		}
		link_collect(&link);
		for (; take > 0 && popped < sent; take--) {
			uint64_t due_ps = link_next_ps(&link);
			struct rte_mbuf *m = link_pop(&link);

			ck_assert_uint_eq(packet_of(m)->uid, popped++);
			ck_assert_uint_eq(due_ps, popped * 10 + 500);
			packet_free(m);
		}
	}
	ck_assert_uint_gt(link.mask, 127); /* it did grow */
	link_fini(&link);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), POOL_PACKETS);
}
END_TEST

START_TEST(fini_gives_back_what_is_under_way)
{
	struct link link;

	ck_assert_int_eq(link_init(&link, 1), 0);
	for (uint64_t i = 0; i < 100; i++)
		link_send(&link, new_packet(i, 64), i, i + 1);
	link_collect(&link);
	for (uint64_t i = 0; i < 30; i++)
		link_send(&link, new_packet(i, 64), 200 + i, 201 + i);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), POOL_PACKETS - 130);
	link_fini(&link);
	ck_assert_uint_eq(rte_mempool_avail_count(pool), POOL_PACKETS);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("link");
	TCase *times = suite_topic(suite, "times");
	TCase *ring = suite_topic(suite, "ring");
	int failed;

	test_eal_init();
	pool = packet_pool_create("packets", POOL_PACKETS, PACKET_HEADER_ROOM_BYTES);
	tcase_add_test(times, store_and_forward_waits_for_the_last_bit);
	tcase_add_test(times, cut_through_acts_on_the_head);
	tcase_add_loop_test(ring, order_survives_growth, 0, 8);
	tcase_add_test(ring, fini_gives_back_what_is_under_way);
	failed = suite_run(suite);
	rte_mempool_free(pool);
	return failed;
}
