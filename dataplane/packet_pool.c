/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet_pool.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_mbuf.h>

#include "packet.h"

/* A page that saves translations, where the kernel has one to give. */
#define PAGE_BYTES (2u << 20)
#define FIRST_PACKETS 1024u
#define OPS_NAME "railyard_lifo"

static uint32_t
cache_size(uint32_t count)
{
	uint32_t cache = RTE_MEMPOOL_CACHE_MAX_SIZE;

	/* A pool may not be smaller than 1.5 times its cache. */
	return count < 2 * cache ? count / 2 : cache;
}

struct rte_mempool *
packet_pool_create(const char *name, uint32_t count, uint32_t data_bytes)
{
	if (data_bytes > UINT16_MAX) {
		rte_errno = EINVAL;
		return NULL;
	}
	return rte_pktmbuf_pool_create(name, count, cache_size(count), sizeof(struct packet),
				       (uint16_t)data_bytes, SOCKET_ID_ANY);
}

/* What a pool that grows keeps its free packets in. */
struct lifo {
	pthread_mutex_t lock;
	pthread_mutex_t growing;
	uint32_t count;
	bool closed;    /* being freed: DPDK empties it, which is no reason to grow */
	void **packets; /* [count of mp->size] */
};

/* Memory that begins with a page of that size. */
static void *
map(size_t bytes)
{
	char *at = mmap(NULL, bytes + PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (at == MAP_FAILED)
		return NULL;
	before = RTE_PTR_ALIGN_CEIL(at, PAGE_BYTES) - at;
	if (before != 0)
		munmap(at, before);
	if (before != PAGE_BYTES)
		munmap(at + before + bytes, PAGE_BYTES - before);
	/* Without, it is only slower. */
	(void)madvise(at + before, bytes, MADV_HUGEPAGE);
	return at + before;
}

static size_t
stack_bytes(const struct rte_mempool *mp)
{
	return RTE_ALIGN_CEIL(mp->size * sizeof(void *), (size_t)PAGE_BYTES);
}

static int
lifo_alloc(struct rte_mempool *mp)
{
	struct lifo *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	/* Of a large pool most is never touched. */
	l->packets = map(stack_bytes(mp));
	if (l->packets == NULL) {
		free(l);
		return -ENOMEM;
	}
	pthread_mutex_init(&l->lock, NULL);
	pthread_mutex_init(&l->growing, NULL);
	mp->pool_data = l;
	return 0;
}

static void
lifo_free(struct rte_mempool *mp)
{
	struct lifo *l = mp->pool_data;

	pthread_mutex_destroy(&l->lock);
	pthread_mutex_destroy(&l->growing);
	munmap(l->packets, stack_bytes(mp));
	free(l);
}

static int
lifo_put(struct rte_mempool *mp, void *const *packets, unsigned int n)
{
	struct lifo *l = mp->pool_data;

	pthread_mutex_lock(&l->lock);
	assert(l->count + n <= mp->size);
	memcpy(&l->packets[l->count], packets, n * sizeof(*packets));
	l->count += n;
	pthread_mutex_unlock(&l->lock);
	return 0;
}

static int
take(struct lifo *l, void **packets, unsigned int n)
{
	int rc = -ENOBUFS;

	pthread_mutex_lock(&l->lock);
	if (l->count >= n) {
		l->count -= n;
		memcpy(packets, &l->packets[l->count], n * sizeof(*packets));
		rc = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

static void
unmap(struct rte_mempool_memhdr *chunk, void *bytes)
{
	munmap(chunk->addr, (size_t)(uintptr_t)bytes);
}

/* Lay out more packets: a quarter of what there is. 0 or -errno. */
static int
grow(struct rte_mempool *mp)
{
	size_t each = mp->header_size + mp->elt_size + mp->trailer_size;
	size_t count = RTE_MAX(mp->populated_size / 4, FIRST_PACKETS);
	size_t bytes;
	void *at;
	int rc;

	count = RTE_MIN(count, mp->size - mp->populated_size);
	if (count == 0)
		return -ENOBUFS;
	bytes = RTE_ALIGN_CEIL(count * each, (size_t)getpagesize());
	if (bytes > PAGE_BYTES / 2)
		bytes = RTE_ALIGN_CEIL(bytes, (size_t)PAGE_BYTES);
	at = map(bytes);
	if (at == NULL)
		return -ENOMEM;
	rc = rte_mempool_populate_iova(mp, at, RTE_BAD_IOVA, bytes, unmap,
				       (void *)(uintptr_t)bytes);
	if (rc > 0)
		return 0;
	munmap(at, bytes);
	return rc == 0 ? -ENOBUFS : rc;
}

static int
lifo_get(struct rte_mempool *mp, void **packets, unsigned int n)
{
	struct lifo *l = mp->pool_data;
	int rc = take(l, packets, n);

	if (likely(rc == 0) || l->closed)
		return rc;
	pthread_mutex_lock(&l->growing);
	/* Another lcore may have made room while this one waited. */
	while ((rc = take(l, packets, n)) != 0) {
		if (grow(mp) != 0)
			break;
	}
	pthread_mutex_unlock(&l->growing);
	return rc;
}

static unsigned int
lifo_count(const struct rte_mempool *mp)
{
	const struct lifo *l = mp->pool_data;

	return l->count;
}

struct maker {
	rte_mempool_populate_obj_cb_t *add;
	void *context;
};

/* Before it can be had, a packet is made a packet. */
static void
make(struct rte_mempool *mp, void *context, void *packet, rte_iova_t iova)
{
	const struct maker *maker = context;

	maker->add(mp, maker->context, packet, iova);
	rte_pktmbuf_init(mp, NULL, packet, 0);
}

static int
lifo_populate(struct rte_mempool *mp, unsigned int most, void *at, rte_iova_t iova, size_t bytes,
	      rte_mempool_populate_obj_cb_t *add, void *context)
{
	struct maker maker = {add, context};

	return rte_mempool_op_populate_helper(mp, 0, most, at, iova, bytes, make, &maker);
}

static const struct rte_mempool_ops lifo_ops = {
	.name = OPS_NAME,
	.alloc = lifo_alloc,
	.free = lifo_free,
	.enqueue = lifo_put,
	.dequeue = lifo_get,
	.get_count = lifo_count,
	.populate = lifo_populate,
};

RTE_MEMPOOL_REGISTER_OPS(lifo_ops)

struct rte_mempool *
packet_pool_create_growing(const char *name, uint32_t most, uint32_t data_bytes)
{
	struct rte_pktmbuf_pool_private priv = {
		.mbuf_data_room_size = (uint16_t)data_bytes,
		.mbuf_priv_size = sizeof(struct packet),
	};
	struct rte_mempool *mp;
	int rc = -EINVAL;

	if (data_bytes > UINT16_MAX) {
		rte_errno = EINVAL;
		return NULL;
	}
	mp = rte_mempool_create_empty(
		name, most, sizeof(struct rte_mbuf) + sizeof(struct packet) + data_bytes,
		cache_size(most), sizeof(priv), SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_SPREAD);
	if (mp == NULL)
		return NULL;
	rc = rte_mempool_set_ops_byname(mp, OPS_NAME, NULL);
	if (rc == 0) {
		rte_pktmbuf_pool_init(mp, &priv);
		rc = grow(mp);
	}
	if (rc == 0)
		return mp;
	packet_pool_free(mp);
	rte_errno = -rc;
	return NULL;
}

void
packet_pool_free(struct rte_mempool *pool)
{
	if (pool != NULL && rte_mempool_get_ops(pool->ops_index)->get_count == lifo_count)
		((struct lifo *)pool->pool_data)->closed = true;
	rte_mempool_free(pool);
}

uint32_t
packet_pool_in_use(const struct rte_mempool *pool)
{
	return pool->populated_size - rte_mempool_avail_count(pool);
}
