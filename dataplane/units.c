/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <stddef.h>

uint32_t
units_pause_response_quanta(uint64_t rate_bps)
{
	/* 802.3 31B.3.7 (quanta of 512 bits), as in SONiC's dynamic headroom calculation. */
	static const struct {
		uint64_t rate_bps;
		uint32_t quanta;
	} rows[] = {
		{100000000ULL, 1},      {1000000000ULL, 2},     {10000000000ULL, 67},
		{25000000000ULL, 80},   {40000000000ULL, 118},  {50000000000ULL, 147},
		{100000000000ULL, 394}, {200000000000ULL, 453}, {400000000000ULL, 905},
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	size_t row = 0;

	while (row + 1 < count && rate_bps > rows[row].rate_bps)
		row++;
	return rows[row].quanta;
}

uint64_t
units_pause_response_ps(uint64_t rate_bps)
{
	return units_bits_ps((uint64_t)units_pause_response_quanta(rate_bps) * UNITS_QUANTUM_BITS,
			     rate_bps);
}
