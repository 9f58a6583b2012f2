/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rules share; nobody else includes it. */
#ifndef RAILYARD_LINT_INTERNAL_H
#define RAILYARD_LINT_INTERNAL_H

#include <inttypes.h>

#include "config_internal.h"
#include "lint.h"

#define LINT_TEXT_BYTES 256

/* The switch's raw configuration; of a group, that of all. */
const struct raw_switch *lint_raw(const struct lint *lint, uint32_t sw);
/* The settings of one port. */
const struct raw_port *lint_raw_port(const struct raw_switch *raw, uint32_t port);

const struct raw_host *lint_raw_host(const struct lint *lint, uint32_t host);

/* Nothing is attached to the port, and it has no buffer. */
bool lint_is_unused(const struct lint *lint, uint32_t sw, uint32_t port);

/* The profile of a PG or queue, or NULL. */
const struct mmu_profile_cfg *lint_profile(const struct switch_cfg *cfg, int16_t index);
/* Is the PG of a traffic class lossless at this port? */
bool lint_is_lossless(const struct switch_cfg *cfg, uint32_t port, uint8_t tc);
/* Traffic classes that some DSCP (or PCP, where that is trusted) leads to at a port, a bit each. */
uint8_t lint_classes(const struct switch_cfg *cfg, uint32_t port);
/* Those of all ports: what may leave by any. */
uint8_t lint_all_classes(const struct switch_cfg *cfg);

void lint_finding_fini(struct lint_finding *f);
/* Equal findings of the members of a group become one. */
void lint_merge_groups(struct lint *lint);
/* What is found alike of several queues, or PGs, of the switch that is being judged is one. */
void lint_merge_indices(struct lint *lint);

#endif
