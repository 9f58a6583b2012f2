/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pipelines there are. To add one: write its file, declare its struct here, list it in
 * pipelines.c. Nothing else changes.
 */
#ifndef RAILYARD_PIPELINES_H
#define RAILYARD_PIPELINES_H

#include "switch.h"

extern const struct pipeline pipeline_shared_buffer;
extern const struct pipeline pipeline_ideal;

/* By the name in the configuration; NULL when there is none. */
const struct pipeline *pipelines_find(const char *name);

/* The n-th pipeline, NULL past the end. */
const struct pipeline *pipelines_at(unsigned int n);

#endif
