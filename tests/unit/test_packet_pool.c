/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool that grows gives as many packets as it may and no more, hands out first what was freed
 * last, and takes memory for what is used and not for what could be.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eal.h"
#include "packet.h"
#include "suite.h"

#define MOST 50000u

static uint64_t
resident_bytes(void)
{
	unsigned long size, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%lu %lu", &size, &pages), 2);
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

START_TEST(as_many_as_it_may_and_no_more)
{
	struct rte_mempool *pool =
		packet_pool_create_growing("many", MOST, PACKET_HEADER_ROOM_BYTES);
	struct rte_mbuf **all = calloc(MOST, sizeof(struct rte_mbuf *));

	ck_assert_ptr_nonnull(pool);
	ck_assert_ptr_nonnull(all);
	for (uint32_t i = 0; i < MOST; i++) {
		all[i] = packet_alloc(pool);
		EXPECT(all[i] != NULL);
		EXPECT(all[i]->pool == pool && all[i]->refcnt == 1 && all[i]->nb_segs == 1);
		EXPECT(rte_pktmbuf_tailroom(all[i]) == PACKET_HEADER_ROOM_BYTES);
		/* Each is its own: what is written stays. */
		memcpy(rte_pktmbuf_mtod(all[i], void *), &i, sizeof(i));
		packet_of(all[i])->uid = i;
	}
	ck_assert_ptr_null(packet_alloc(pool));
	ck_assert_uint_eq(packet_pool_in_use(pool), MOST);
	for (uint32_t i = 0; i < MOST; i++) {
		EXPECT(packet_of(all[i])->uid == i);
		EXPECT(memcmp(rte_pktmbuf_mtod(all[i], void *), &i, sizeof(i)) == 0);
		packet_free(all[i]);
	}
	ck_assert_uint_eq(packet_pool_in_use(pool), 0);
	packet_pool_free(pool);
	free(all);
}
END_TEST

/* A million packets pass, a hundred at a time: memory for a few thousand is laid out. */
START_TEST(memory_is_for_what_is_used)
{
	uint64_t before_bytes = resident_bytes();
	struct rte_mempool *pool =
		packet_pool_create_growing("few", 1 << 24, PACKET_HEADER_ROOM_BYTES);
	struct rte_mbuf *some[100];

	ck_assert_ptr_nonnull(pool);
	for (uint32_t round = 0; round < 10000; round++) {
		for (uint32_t i = 0; i < 100; i++) {
			some[i] = packet_alloc(pool);
			EXPECT(some[i] != NULL);
		}
		for (uint32_t i = 0; i < 100; i++)
			packet_free(some[i]);
	}
	ck_assert_uint_le(pool->populated_size, 4096);
	/* Sixteen million would be 6 GB. */
	ck_assert_uint_lt(resident_bytes() - before_bytes, 64 << 20);
	packet_pool_free(pool);
}
END_TEST

START_TEST(last_freed_first_used)
{
	struct rte_mempool *pool =
		packet_pool_create_growing("last", MOST, PACKET_HEADER_ROOM_BYTES);
	struct rte_mbuf *a = packet_alloc(pool), *b = packet_alloc(pool);

	packet_free(b);
	packet_free(a);
	ck_assert_ptr_eq(packet_alloc(pool), a);
	ck_assert_ptr_eq(packet_alloc(pool), b);
	packet_free(a);
	/* One is still out: the pool goes all the same. */
	packet_pool_free(pool);
}
END_TEST

/* Names may be used again, and either kind is freed the same way. */
START_TEST(small_ones_and_fixed_ones)
{
	for (uint32_t most = 1; most < 3000; most += 700) {
		struct rte_mempool *pool =
			packet_pool_create_growing("small", most, PACKET_HEADER_ROOM_BYTES);
		uint32_t count = 0;

		ck_assert_ptr_nonnull(pool);
		while (packet_alloc(pool) != NULL)
			count++;
		ck_assert_uint_eq(count, most);
		packet_pool_free(pool);
	}
	packet_pool_free(packet_pool_create("small", 1000, PACKET_HEADER_ROOM_BYTES));
	packet_pool_free(NULL);
	ck_assert_ptr_null(packet_pool_create_growing("room", 10, 65536));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("packet_pool");
	TCase *topic = suite_topic(suite, "pool");

	test_eal_init();
	tcase_add_test(topic, as_many_as_it_may_and_no_more);
	tcase_add_test(topic, memory_is_for_what_is_used);
	tcase_add_test(topic, last_freed_first_used);
	tcase_add_test(topic, small_ones_and_fixed_ones);
	return suite_run(suite);
}
