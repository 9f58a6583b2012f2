/* SPDX-License-Identifier: BSD-3-Clause */
/* Headroom as text: one row explained term by term, tables, and what a shared pool needs. */
#ifndef RAILYARD_HEADROOM_REPORT_H
#define RAILYARD_HEADROOM_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "headroom.h"

/* A row that a switch's profile has, beside what is computed for its speed and cable. */
struct headroom_row {
	struct headroom_cfg cfg;
	uint64_t given_xoff_bytes; /* 0 = none to compare with */
	int64_t dynamic_th;
};

/* The ports that a shared headroom pool is for. */
struct headroom_pool {
	uint32_t ports; /* 0 = no pool is asked for */
	uint32_t priorities;
	uint32_t over_subscribe_ratio; /* at least 1 */
	uint64_t private_bytes;        /* of each port */
};

/*
 * Bytes of a shared pool when all ports have the row: the sum of xon + xoff - size over ports and
 * priorities, less what ports have of their own, over the ratio, rounded up (SONiC).
 */
uint64_t headroom_pool_bytes(const struct headroom_pool *pool, const struct headroom_cfg *cfg);

void headroom_print_row(FILE *out, const struct headroom_row *row);
void headroom_print_table(FILE *out, const struct headroom_row *rows, size_t count);
/* As SONiC's pg_profile_lookup.ini. */
void headroom_print_ini(FILE *out, const struct headroom_row *rows, size_t count);
void headroom_print_pool(FILE *out, const struct headroom_pool *pool,
			 const struct headroom_row *rows, size_t count);
/* A list of objects, a row each; NULL when memory is short. */
json_t *headroom_json(const struct headroom_row *rows, size_t count,
		      const struct headroom_pool *pool);

#endif
