/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_routes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
read_be(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

/* By address, of equal ones the lower host first. */
static int
compare(const void *a, const void *b)
{
	const struct host_range *x = a, *y = b;

	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->host > y->host) - (x->host < y->host);
}

/* Join what follows each other; returns how many ranges are left. */
static uint32_t
join(struct host_range *ranges, uint32_t count)
{
	uint32_t kept = 0;

	qsort(ranges, count, sizeof(*ranges), compare);
	for (uint32_t i = 0; i < count; i++) {
		struct host_range *last = kept == 0 ? NULL : &ranges[kept - 1];
		uint64_t apart = last == NULL || last->high != ranges[i].high
					 ? UINT64_MAX
					 : ranges[i].low - last->low;

		if (last != NULL && apart < last->count)
			continue;
		if (last != NULL && apart == last->count &&
		    ranges[i].host == last->host + last->count)
			last->count++;
		else
			ranges[kept++] = ranges[i];
	}
	return kept;
}

int
host_directory_init(struct host_directory *d, const struct host_address *hosts, uint32_t count)
{
	*d = (struct host_directory){.host_count = count};
	d->ranges4 = calloc((size_t)count + 1, sizeof(*d->ranges4));
	d->ranges6 = calloc((size_t)count + 1, sizeof(*d->ranges6));
	d->places = malloc(((size_t)count + 1) * sizeof(*d->places));
	d->macs = calloc((size_t)count + 1, sizeof(*d->macs));
	if (d->ranges4 == NULL || d->ranges6 == NULL || d->places == NULL || d->macs == NULL) {
		host_directory_fini(d);
		return -ENOMEM;
	}
	memset(d->places, 0xff, ((size_t)count + 1) * sizeof(*d->places));
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *ip = hosts[i].ip;

		if (hosts[i].is_ipv6)
			d->ranges6[d->range6_count++] =
				(struct host_range){read_be(ip, 8), read_be(ip + 8, 8), 1, i};
		else
			d->ranges4[d->range4_count++] =
				(struct host_range){0, read_be(ip, 4), 1, i};
	}
	d->range4_count = join(d->ranges4, d->range4_count);
	d->range6_count = join(d->ranges6, d->range6_count);
	return 0;
}

void
host_directory_fini(struct host_directory *d)
{
	free(d->ranges4);
	free(d->ranges6);
	free(d->places);
	free(d->macs);
	*d = (struct host_directory){0};
}

static uint32_t
find(const struct host_range *ranges, uint32_t count, uint64_t high, uint64_t low)
{
	uint32_t first = 0;

	/* The last range that does not begin behind the address. */
	while (count > 1) {
		uint32_t half = count / 2;
		const struct host_range *r = &ranges[first + half];

		if (r->high < high || (r->high == high && r->low <= low)) {
			first += half;
			count -= half;
		} else {
			count = half;
		}
	}
	if (count == 0 || ranges[first].high != high || low < ranges[first].low ||
	    low - ranges[first].low >= ranges[first].count)
		return HOST_ROUTES_NO_HOST;
	return ranges[first].host + (uint32_t)(low - ranges[first].low);
}

uint32_t
host_directory_find4(const struct host_directory *d, uint32_t ip)
{
	return find(d->ranges4, d->range4_count, 0, ip);
}

uint32_t
host_directory_find6(const struct host_directory *d, const uint8_t ip[16])
{
	return find(d->ranges6, d->range6_count, read_be(ip, 8), read_be(ip + 8, 8));
}

int
host_routes_init(struct host_routes *r, const struct host_directory *d, uint32_t edge_count,
		 uint32_t slot_count)
{
	*r = (struct host_routes){
		.directory = d, .edge_count = edge_count, .slot_count = slot_count};
	r->by_edge = malloc(((size_t)edge_count + 1) * sizeof(*r->by_edge));
	r->by_slot = malloc(((size_t)slot_count + 1) * sizeof(*r->by_slot));
	if (r->by_edge == NULL || r->by_slot == NULL) {
		host_routes_fini(r);
		return -ENOMEM;
	}
	memset(r->by_edge, 0xff, ((size_t)edge_count + 1) * sizeof(*r->by_edge));
	memset(r->by_slot, 0xff, ((size_t)slot_count + 1) * sizeof(*r->by_slot));
	return 0;
}

void
host_routes_fini(struct host_routes *r)
{
	next_hops_fini(&r->hops);
	free(r->by_edge);
	free(r->by_slot);
	*r = (struct host_routes){0};
}
