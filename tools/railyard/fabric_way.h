/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a switch sends what is for a host, as forwarding will once it runs: a set of ports. */
#ifndef RAILYARD_FABRIC_WAY_H
#define RAILYARD_FABRIC_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "host_routes.h"
#include "scenario.h"

#define FABRIC_WAY_WORDS (SWITCH_MAX_PORTS / 64)

/*
 * The ports of switch `sw` towards the host: by its table, or by a configured route of a longer
 * prefix than the table's, or a configured entry of a bridge. Links that are down are not left out
 * of what is configured.
 */
void fabric_way_out(const struct scenario *scenario, const struct host_routes *table, uint32_t sw,
		    uint32_t host, uint64_t ports[FABRIC_WAY_WORDS]);

/* The next port of the set from *port on; false when there is none. */
bool fabric_way_next(const uint64_t ports[FABRIC_WAY_WORDS], uint32_t *port);

#endif
