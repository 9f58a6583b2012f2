/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom tables that SONiC ships (sonic-buildimage, pg_profile_lookup.ini), as numbers:
 * 10 to 100 Gb/s by 5, 40 and 300 m.
 */
#ifndef RAILYARD_TEST_HEADROOM_TABLES_H
#define RAILYARD_TEST_HEADROOM_TABLES_H

#include <stdint.h>

#define HEADROOM_MBPS 1000000ULL
#define HEADROOM_TABLE_ROWS 15

struct headroom_table_row {
	uint64_t speed_mbps, cable_m, size_bytes, xon_bytes, xoff_bytes;
};

/* device/arista/x86_64-arista_7060_cx32s: Tomahawk, cell of 208. Inputs are not published. */
static const struct headroom_table_row headroom_tomahawk[HEADROOM_TABLE_ROWS] = {
	{10000, 5, 1248, 2288, 35776},     {25000, 5, 1248, 2288, 53248},
	{40000, 5, 1248, 2288, 66560},     {50000, 5, 1248, 2288, 90272},
	{100000, 5, 1248, 2288, 165568},   {10000, 40, 1248, 2288, 37024},
	{25000, 40, 1248, 2288, 53248},    {40000, 40, 1248, 2288, 71552},
	{50000, 40, 1248, 2288, 96096},    {100000, 40, 1248, 2288, 177632},
	{10000, 300, 1248, 2288, 46176},   {25000, 300, 1248, 2288, 79040},
	{40000, 300, 1248, 2288, 108160},  {50000, 300, 1248, 2288, 141856},
	{100000, 300, 1248, 2288, 268736},
};

/*
 * device/mellanox, SN2700: Spectrum, cell of 96. All packets small, a lossless MTU of 1,024, an
 * MTU of 9,100, and a peer response of 3.8 KiB whatever the speed give its rows.
 */
static const struct headroom_table_row headroom_sn2700[HEADROOM_TABLE_ROWS] = {
	{10000, 5, 49152, 19456, 29696},      {25000, 5, 49152, 19456, 29696},
	{40000, 5, 49152, 19456, 29696},      {50000, 5, 49152, 19456, 29696},
	{100000, 5, 50176, 19456, 30720},     {10000, 40, 49152, 19456, 29696},
	{25000, 40, 51200, 19456, 31744},     {40000, 40, 52224, 19456, 32768},
	{50000, 40, 53248, 19456, 33792},     {100000, 40, 58368, 19456, 38912},
	{10000, 300, 56320, 19456, 36864},    {25000, 300, 67584, 19456, 48128},
	{40000, 300, 78848, 19456, 59392},    {50000, 300, 86016, 19456, 66560},
	{100000, 300, 123904, 19456, 104448},
};

#endif
