/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes of pools that the files leave to the dynamic buffer model, as SONiC's buffer manager
 * computes them on Spectrum (sonic-swss, buffer_pool_mellanox.lua): what the memory has beyond
 * guarantees, headroom and what the ASIC keeps for itself. With over_subscribe_ratio n, headroom
 * is a shared pool of an n-th of what all groups could ask for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "headroom.h"

#include "sonic.h"

#define INGRESS_POOL "ingress_lossless_pool"
#define MIRROR_BYTES (10u << 10)  /* a port */
#define PRIVATE_BYTES (10u << 10) /* a port with lossless groups, of the shared headroom */
#define SYSTEM_BYTES (256u << 10) /* the whole switch */

struct use {
	uint64_t reserved;
	uint64_t shared; /* headroom that is not in reserved */
	uint64_t private;
};

static int
add_profile(struct sonic *s, const char *name, struct use *u)
{
	const struct config_node *row = sonic_row(s, "BUFFER_PROFILE", name);
	uint64_t size = 0, xoff = 0, xon = 0;
	int rc = sonic_number(s, row, "size", 1ULL << 40, 0, &size);

	if (rc == 0)
		rc = sonic_number(s, row, "xoff", 1ULL << 40, 0, &xoff);
	if (rc == 0)
		rc = sonic_number(s, row, "xon", 1ULL << 40, 0, &xon);
	u->reserved += size;
	u->shared += xon + xoff > size ? xon + xoff - size : 0;
	return rc;
}

static int
add_group(struct sonic *s, const struct sonic_port *p, uint32_t pg, struct use *u, bool *lossless)
{
	const struct config_node *row =
		p->pg[pg] == NULL ? NULL : sonic_row(s, "BUFFER_PROFILE", p->pg[pg]);
	struct headroom h;
	int rc;

	if (row != NULL && sonic_field(row, "xoff") != NULL) {
		*lossless = true;
		return add_profile(s, p->pg[pg], u);
	}
	if (!(p->pfc_enable >> pg & 1)) {
		u->reserved += p->pg[pg] != NULL ? s->asic.pipeline_latency_bytes : 0;
		return 0;
	}
	*lossless = true;
	rc = sonic_headroom_of(s, p, &h);
	u->reserved += h.size_bytes;
	u->shared += h.xon_bytes + h.xoff_bytes > h.size_bytes
			     ? h.xon_bytes + h.xoff_bytes - h.size_bytes
			     : 0;
	return rc;
}

static int
add_port(struct sonic *s, const struct sonic_port *p, struct use *u)
{
	bool lossless = false;
	int rc = 0;

	u->reserved += MIRROR_BYTES + (p->up ? s->asic.pipeline_latency_bytes : 0);
	for (uint32_t n = 0; n < SONIC_CLASSES && rc == 0; n++) {
		rc = add_group(s, p, n, u, &lossless);
		if (rc == 0 && p->queue[n] != NULL)
			rc = add_profile(s, p->queue[n], u);
	}
	u->private += lossless ? PRIVATE_BYTES : 0;
	return rc;
}

static void
put_field(struct sonic *s, struct config_node *row, const char *field, uint64_t value)
{
	if (sonic_field(row, field) == NULL)
		sonic_put(s, row, field, &row->mark, "%" PRIu64, value);
}

/* An egress pool of lossless queues is as large as the memory: only the ingress may refuse them. */
static int
fill(struct sonic *s, struct config_node *row, uint64_t share, uint64_t shared_headroom)
{
	const char *type = sonic_field(row, "type");
	uint64_t percent, size = share;
	int rc = sonic_number(s, row, "percentage", 100, 100, &percent);

	if (rc != 0 || sonic_field(row, "size") != NULL)
		return rc;
	if (type != NULL && strcmp(type, "egress") == 0 &&
	    strstr(row->mark.file, "lossless") != NULL)
		size = s->asic.buffer_bytes;
	size = size * percent / 100;
	if (shared_headroom > 0 && strstr(row->mark.file, "|" INGRESS_POOL) != NULL) {
		put_field(s, row, "xoff", shared_headroom);
		size += s->asic.size_includes_xoff == 1 ? shared_headroom : 0;
	}
	put_field(s, row, "size", size);
	config_warn(s->c, &row->mark, "has no size: %" PRIu64 " bytes are computed", size);
	return 0;
}

/* How many ingress pools share what there is; 0 when all pools have sizes. */
static uint32_t
count_unsized(const struct sonic *s, const struct config_node **first)
{
	const struct config_node *pools = sonic_table(s, "BUFFER_POOL");
	uint32_t unsized = 0, ingress = 0;

	for (uint32_t i = 0; i < pools->count; i++) {
		const struct config_node *row = pools->entries[i].value;
		const char *type = sonic_field(row, "type");

		ingress += type != NULL && strcmp(type, "egress") != 0;
		if (sonic_field(row, "size") != NULL)
			continue;
		*first = unsized++ == 0 ? row : *first;
	}
	return unsized == 0 ? 0 : ingress > 0 ? ingress : 1;
}

int
sonic_fill_pools(struct sonic *s)
{
	const struct config_node *defaults = sonic_table(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER");
	const struct config_node *first = NULL, *pools = sonic_table(s, "BUFFER_POOL");
	struct use u = {.reserved = SYSTEM_BYTES};
	uint32_t ingress = count_unsized(s, &first);
	uint64_t ratio, shared = 0;
	int rc = 0;

	if (ingress == 0)
		return 0;
	if (s->asic.buffer_bytes == CONFIG_AUTO)
		return config_fail(
			&s->c->error, &first->mark,
			"has no size, and how much memory the ASIC has is not known: give "
			"it the size that `show buffer information` shows on the switch");
	rc = sonic_number(s, defaults->count > 0 ? defaults->entries[0].value : NULL,
			  "over_subscribe_ratio", 1000, 0, &ratio);
	for (uint32_t i = 0; i < s->port_count && rc == 0; i++)
		rc = add_port(s, &s->ports[i], &u);
	if (rc != 0)
		return rc;
	if (ratio > 0) {
		shared = u.shared > u.private ? (u.shared - u.private + ratio - 1) / ratio : 0;
		u.reserved += shared + u.private;
	}
	if (u.reserved >= s->asic.buffer_bytes)
		return config_fail(&s->c->error, &first->mark,
				   "has no size, and nothing is left for it: %" PRIu64
				   " bytes are reserved of %" PRIu64,
				   u.reserved, s->asic.buffer_bytes);
	for (uint32_t i = 0; i < pools->count && rc == 0; i++)
		rc = fill(s, pools->entries[i].value, (s->asic.buffer_bytes - u.reserved) / ingress,
			  shared);
	return rc;
}
