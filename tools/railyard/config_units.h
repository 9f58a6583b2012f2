/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantities as people write them: 100Gbps, 2us, 400KB, 9MiB, 40m, 20%. Exact: a value that is
 * not a whole number of picoseconds, bits a second or bytes is an error, not rounded. Shares
 * are kept in 2^-32, rounded to the nearest.
 *
 * A number without a unit is an error (0 is 0 in any unit), except for counts, and sizes where
 * it means bytes. Thousands are 1000 in KB, MB, Gbps and 1024 in KiB, MiB.
 */
#ifndef RAILYARD_CONFIG_UNITS_H
#define RAILYARD_CONFIG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_unit {
	CONFIG_UNIT_COUNT,   /* no unit */
	CONFIG_UNIT_TIME,    /* ps */
	CONFIG_UNIT_RATE,    /* bits a second */
	CONFIG_UNIT_SIZE,    /* bytes; a bare number is bytes */
	CONFIG_UNIT_LENGTH,  /* mm */
	CONFIG_UNIT_PERCENT, /* 2^-32; needs the % sign */
	CONFIG_UNIT_SHARE,   /* 2^-32; 0.5, 50% or 1/256 */
};

#define CONFIG_ONE_Q32 (1ULL << 32)

/* 0, or -EINVAL with what is wrong and would be right in why[], without place or key. */
int config_unit_parse(enum config_unit unit, const char *text, uint64_t *value, char *why,
		      size_t why_bytes);

/* Text that parses to exactly this value. */
void config_unit_format(enum config_unit unit, uint64_t value, char *out, size_t bytes);

/* The whole percents of a share that was read from a percentage; false when it has a fraction. */
bool config_unit_percents(uint64_t share_q32, uint32_t *percents);

/*
 * The largest value of a unit that any key takes, so that sums and products of two of a kind stay
 * in range in the dataplane.
 */
uint64_t config_unit_max(enum config_unit unit);

/* "a time such as 5ms, 2us, 800ns or 10ps" */
const char *config_unit_example(enum config_unit unit);

#endif
