/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people read them: 1.42 MB, 123 us, 98.1 Gb/s, 12,345. Three significant digits. */
#ifndef RAILYARD_HUMAN_H
#define RAILYARD_HUMAN_H

#include <stdint.h>

struct human {
	char text[32];
};

struct human human_count(uint64_t count);     /* 1,234,567: exact */
struct human human_short(double count);       /* 5.12 M */
struct human human_bytes(double bytes);       /* powers of 1,000 */
struct human human_time_us(double us);        /* from ns to s */
struct human human_rate_bps(double rate_bps); /* Gb/s and so on */
struct human human_percent(double fraction);  /* 0.27 %; "<0.01 %" for what would read as 0 */

#endif
