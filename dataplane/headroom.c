/* SPDX-License-Identifier: BSD-3-Clause */
#include "headroom.h"

#include <assert.h>

#include "units.h"

/* Parts of a byte in which every term is whole: lcm of 792 x 10^9, 4,096 x 10^6 and 10^3. */
#define PARTS 50688000000000ULL
/* cable: 2 x mm / 1000 x bps / 8 / 198,000,000 m/s = mm x bps / (792 x 10^9) bytes */
#define CABLE_PARTS (PARTS / 792000000000ULL)
/* gearbox, there and back: 2 x bps / 10^6 x ns / 8192 = bps x ns / (4,096 x 10^6) bytes */
#define GEARBOX_PARTS (PARTS / 4096000000ULL)
/* tile: 120 ns = bps x 15 / 10^9 bytes */
#define TILE_PARTS (PARTS / 1000000000ULL * 15)

static uint64_t
ceil_kib(uint64_t bytes)
{
	return (bytes + 1023) / 1024 * 1024;
}

/* Cells of bytes that the worst packets take for each cell's worth of bytes, rounded up. */
static uint32_t
worst_case_factor(uint32_t cell_bytes)
{
	if (cell_bytes > 2 * UNITS_MIN_FRAME_BYTES)
		return (cell_bytes + UNITS_MIN_FRAME_BYTES - 1) / UNITS_MIN_FRAME_BYTES;
	return (3 * cell_bytes) / (1 + cell_bytes); /* of 2 cell / (1 + cell) */
}

static uint64_t
peer_millibytes(const struct headroom_cfg *cfg)
{
	if (cfg->peer_millibytes != HEADROOM_PEER_AUTO)
		return cfg->peer_millibytes;
	return (uint64_t)units_pause_response_quanta(cfg->speed_bps) * (UNITS_QUANTUM_BITS / 8) *
	       1000;
}

static unsigned __int128
cable_parts(const struct headroom_cfg *cfg)
{
	return (unsigned __int128)cfg->speed_bps * cfg->cable_mm * CABLE_PARTS;
}

static unsigned __int128
gearbox_parts(const struct headroom_cfg *cfg)
{
	return (unsigned __int128)cfg->speed_bps * cfg->gearbox_delay_ns * GEARBOX_PARTS;
}

static unsigned __int128
tile_parts(const struct headroom_cfg *cfg)
{
	return cfg->tile ? (unsigned __int128)cfg->speed_bps * TILE_PARTS : 0;
}

/* What arrives until the peer stops, in PARTS of a byte. */
static unsigned __int128
propagation_parts(const struct headroom_cfg *cfg)
{
	return (unsigned __int128)cfg->port_mtu_bytes * PARTS + cable_parts(cfg) +
	       gearbox_parts(cfg) +
	       (unsigned __int128)(cfg->mac_phy_millibytes + peer_millibytes(cfg)) *
		       (PARTS / 1000) +
	       tile_parts(cfg);
}

/* 100 x the mean packet. */
static uint64_t
mean_packet_100(const struct headroom_cfg *cfg)
{
	return (uint64_t)cfg->small_packet_percent * UNITS_MIN_FRAME_BYTES +
	       (uint64_t)(100 - cfg->small_packet_percent) * cfg->lossless_mtu_bytes;
}

/*
 * With d = 100 x the mean packet, the share of small packets is 6,400 / d and each byte takes
 * (d + 6,400 (factor - 1)) / d bytes of cells. This is that numerator.
 */
static uint64_t
occupied_100(const struct headroom_cfg *cfg)
{
	return mean_packet_100(cfg) +
	       100ULL * UNITS_MIN_FRAME_BYTES * (worst_case_factor(cfg->cell_bytes) - 1);
}

static uint64_t
xoff_bytes(const struct headroom_cfg *cfg)
{
	uint64_t d = mean_packet_100(cfg);
	uint64_t occupied = occupied_100(cfg);
	unsigned __int128 kib = (unsigned __int128)PARTS * d * 1024;
	unsigned __int128 sum = propagation_parts(cfg) * occupied +
				(unsigned __int128)cfg->lossless_mtu_bytes * PARTS * d;

	return (uint64_t)((sum + kib - 1) / kib) * 1024;
}

struct headroom
headroom_compute(const struct headroom_cfg *cfg)
{
	bool wide = cfg->lanes == 8;
	struct headroom h;

	assert(cfg->cell_bytes > 0 && cfg->small_packet_percent <= 100);
	assert(cfg->lossless_mtu_bytes >= UNITS_MIN_FRAME_BYTES);
	h.xoff_bytes = xoff_bytes(cfg);
	h.xon_bytes = ceil_kib((uint64_t)cfg->pipeline_latency_bytes * (wide ? 2 : 1));
	h.size_bytes = h.xon_bytes;
	if (!cfg->shared_pool)
		h.size_bytes =
			ceil_kib(h.xoff_bytes + h.xon_bytes + (wide ? cfg->port_mtu_bytes : 0));
	return h;
}

static uint64_t
millibytes(unsigned __int128 parts)
{
	return (uint64_t)((parts + PARTS / 2000) / (PARTS / 1000));
}

struct headroom_terms
headroom_explain(const struct headroom_cfg *cfg)
{
	uint64_t d = mean_packet_100(cfg);
	uint64_t occupied = occupied_100(cfg);

	return (struct headroom_terms){
		.frame_millibytes = cfg->port_mtu_bytes * 1000ULL,
		.cable_millibytes = millibytes(cable_parts(cfg)),
		.gearbox_millibytes = millibytes(gearbox_parts(cfg)),
		.mac_phy_millibytes = cfg->mac_phy_millibytes,
		.peer_millibytes = peer_millibytes(cfg),
		.tile_millibytes = millibytes(tile_parts(cfg)),
		.propagation_millibytes = millibytes(propagation_parts(cfg)),
		.occupancy_millis = (uint32_t)((occupied * 1000 + d / 2) / d),
		.lossless_frame_millibytes = cfg->lossless_mtu_bytes * 1000ULL,
	};
}

/*
 * The frame that takes most cells for its time on the wire. (k + 1) cells in k cell + 21 bytes:
 * the least k is the worst when a cell has more than 21 bytes, and the largest when it has less.
 */
static void
find_worst_frame(const struct headroom_cfg *cfg, struct headroom_worst *worst)
{
	*worst = (struct headroom_worst){.frame_bytes = UNITS_MIN_FRAME_BYTES};
	worst->frame_cells = (UNITS_MIN_FRAME_BYTES + cfg->cell_bytes - 1) / cfg->cell_bytes;
	for (uint32_t k = 1; (uint64_t)k * cfg->cell_bytes < cfg->lossless_mtu_bytes; k++) {
		uint32_t frame = k * cfg->cell_bytes + 1;

		if (frame <= UNITS_MIN_FRAME_BYTES ||
		    (uint64_t)(k + 1) * (worst->frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) <=
			    (uint64_t)worst->frame_cells * (frame + UNITS_WIRE_OVERHEAD_BYTES))
			continue;
		worst->frame_bytes = frame;
		worst->frame_cells = k + 1;
	}
}

/*
 * Frames that start before the sender stops arrive; all but the last are over by then. So their
 * cells are less than those of worst frames in that time, and the last is a largest one.
 */
struct headroom_worst
headroom_worst(const struct headroom_cfg *cfg)
{
	struct headroom_worst worst;
	unsigned __int128 parts =
		propagation_parts(cfg) +
		(unsigned __int128)(UNITS_MIN_FRAME_BYTES + 2 * UNITS_WIRE_OVERHEAD_BYTES) * PARTS;
	unsigned __int128 wire;
	uint64_t cells;

	find_worst_frame(cfg, &worst);
	wire = (unsigned __int128)(worst.frame_bytes + UNITS_WIRE_OVERHEAD_BYTES) * PARTS;
	cells = (uint64_t)((parts * worst.frame_cells + wire - 1) / wire) - 1;
	cells += (cfg->lossless_mtu_bytes + cfg->cell_bytes - 1) / cfg->cell_bytes;
	worst.xoff_bytes = cells * cfg->cell_bytes;
	return worst;
}
