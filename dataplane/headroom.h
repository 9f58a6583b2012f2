/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much headroom a port needs: the dynamic headroom calculation of SONiC for NVIDIA
 * Spectrum (SONiC, dynamically-headroom-calculation; sonic-swss pull request 3235, 2024).
 * What may still arrive after XOFF is a frame of ours in the way of the pause frame, both ways
 * of the cable, gearbox, MAC and PHY, and what the peer sends until it reacts; each of it in
 * cells that small packets fill badly; and the lossless frame that was under way.
 *
 * Exact: fractions are carried to the one rounding up to 1,024 bytes that SONiC does, so a row
 * here and one of SONiC's differ only if its floating point is wrong. Kept as published: bytes
 * of small packets are counted as 6,400 / (mean packet) percent, which at 50 % of 64 B and
 * 1,024 B is 11.76 % and not 5.88 %, and at 0 % is not 0; a gearbox's ns and Mb/s are divided
 * by 8,192. Left out: the 2 KiB that SONiC adds since July 2026 when there is no shared
 * headroom pool, and the 18 KiB of Spectrum-6.
 */
#ifndef RAILYARD_HEADROOM_H
#define RAILYARD_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

/* 802.3 31B.3.7 at the port's speed, as units_pause_response_quanta() has it. */
#define HEADROOM_PEER_AUTO UINT64_MAX
/* 0.8 KiB, of all Spectrum generations. */
#define HEADROOM_MAC_PHY_MILLIBYTES 819200u

struct headroom_cfg {
	uint64_t speed_bps; /* up to 10 Tb/s */
	uint64_t cable_mm;  /* up to 100 km */
	uint32_t port_mtu_bytes;
	uint32_t lossless_mtu_bytes; /* at least 64 */
	uint32_t small_packet_percent;
	uint32_t gearbox_delay_ns;
	uint32_t cell_bytes; /* 1 to 65,536 */
	uint32_t pipeline_latency_bytes;
	uint64_t mac_phy_millibytes; /* thousandths, since SONiC has 0.8 and 3.8 KiB */
	uint64_t peer_millibytes;    /* or HEADROOM_PEER_AUTO; else up to 2^50 */
	uint32_t lanes;              /* 8 lanes: twice the pipeline latency and a frame more */
	bool tile;                   /* count what is on a tile of Spectrum-4 and -5: 120 ns */
	bool shared_pool;            /* headroom comes from a shared headroom pool */
};

/* Whole KiB. */
struct headroom {
	uint64_t xoff_bytes;
	uint64_t xon_bytes;
	uint64_t size_bytes; /* xon, and xoff too unless there is a shared headroom pool */
};

/* What it is made of, in thousandths of a byte, rounded to the nearest. */
struct headroom_terms {
	uint64_t frame_millibytes; /* a frame of ours in the way of the pause frame */
	uint64_t cable_millibytes; /* both ways */
	uint64_t gearbox_millibytes;
	uint64_t mac_phy_millibytes;
	uint64_t peer_millibytes; /* what the peer sends until it obeys */
	uint64_t tile_millibytes;
	uint64_t propagation_millibytes; /* the sum of these */
	uint32_t occupancy_millis;       /* bytes of cells for a byte, in thousandths */
	uint64_t lossless_frame_millibytes;
};

/*
 * What is enough whatever the sizes of lossless frames are, counted as a switch does: in whole
 * cells a frame, with preamble and gap, and the pause frame's own time, none of which the
 * formula above has. Not rounded to KiB, and sharp: a sender of the worst frames, of 64 bytes or
 * just above k cells, fills it but for less than its last term, one largest frame.
 */
struct headroom_worst {
	uint32_t frame_bytes; /* the worst ones, FCS counted */
	uint32_t frame_cells;
	uint64_t xoff_bytes; /* whole cells */
};

struct headroom headroom_compute(const struct headroom_cfg *cfg);
struct headroom_worst headroom_worst(const struct headroom_cfg *cfg);
struct headroom_terms headroom_explain(const struct headroom_cfg *cfg);

#endif
