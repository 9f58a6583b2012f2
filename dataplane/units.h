/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time is picoseconds in uint64_t (213 days), sizes are bytes, rates are bits a second.
 *
 * A byte takes exactly 80, 40, 20 or 10 ps at 100, 200, 400 or 800 Gb/s, so the field's
 * line rates lose nothing; other rates are rounded up to the next picosecond a frame, so
 * an emulated port is never faster than its rate.
 */
#ifndef RAILYARD_UNITS_H
#define RAILYARD_UNITS_H

#include <stdint.h>

#define UNITS_PS_PER_NS 1000ULL
#define UNITS_PS_PER_US 1000000ULL
#define UNITS_PS_PER_MS 1000000000ULL
#define UNITS_PS_PER_S 1000000000000ULL

/* No event is due. */
#define UNITS_NEVER_PS UINT64_MAX

/* Preamble and start delimiter (8) and the minimum inter-frame gap (12), 802.3 clause 4. */
#define UNITS_WIRE_OVERHEAD_BYTES 20u
/* Smallest Ethernet frame, frame check sequence included. */
#define UNITS_MIN_FRAME_BYTES 64u
#define UNITS_FCS_BYTES 4u

/* 802.1Qbb pause quantum, in bits. */
#define UNITS_QUANTUM_BITS 512u

/* Time that `bits` take at `rate_bps`, rounded up. bits <= 18 Mbit, or the product overflows. */
static inline uint64_t
units_bits_ps(uint64_t bits, uint64_t rate_bps)
{
	return (bits * UNITS_PS_PER_S + rate_bps - 1) / rate_bps;
}

/* Wire time of a frame (FCS counted) with preamble and gap: 64 B at 400 Gb/s is 1,680 ps. */
static inline uint64_t
units_frame_ps(uint32_t frame_bytes, uint64_t rate_bps)
{
	return units_bits_ps((uint64_t)(frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) * 8, rate_bps);
}

/* Length of a pause of `quanta`: 65,535 quanta are 335.5 us at 100 Gb/s (802.1Qbb, 802.3 31B). */
static inline uint64_t
units_pause_ps(uint16_t quanta, uint64_t rate_bps)
{
	/* 65,535 x 512 bits fit the bound of units_bits_ps only below 2^24 bits: split. */
	return (uint64_t)quanta * UNITS_QUANTUM_BITS * 1000 * UNITS_PS_PER_NS /
	       (rate_bps / 1000000);
}

/*
 * The longest a station may take to act on a pause frame, in quanta of 512 bits: 802.3 31B.3.7
 * as SONiC's headroom calculation tabulates it; speeds between two rows take the row above, and
 * those above 400 Gb/s its row.
 */
uint32_t units_pause_response_quanta(uint64_t rate_bps);
/* The same as time. */
uint64_t units_pause_response_ps(uint64_t rate_bps);

#endif
