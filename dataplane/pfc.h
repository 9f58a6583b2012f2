/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Priority flow control, IEEE 802.1Qbb (802.1Q clause 36, frame format 802.3 annex 31D).
 *
 * pfc_rx is what a port has been told: per priority the time until which it may not start a
 * frame. A received frame takes effect `response_ps` after its arrival (802.3 31B.3.7 bounds
 * it), replaces the timer of each class whose enable bit is set, and 0 resumes. A frame that
 * has started is finished.
 *
 * pfc_tx is what a port tells its peer: the classes in XOFF. A change is sent at the next
 * transmit opportunity, ahead of all data; while XOFF lasts it is refreshed before it expires.
 */
#ifndef RAILYARD_PFC_H
#define RAILYARD_PFC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "units.h"

#define PFC_PRIORITIES 8

struct pfc_cfg {
	uint8_t enable;       /* bit n: priority n sends and obeys PFC */
	uint16_t quanta;      /* pause time in our XOFF frames */
	uint64_t refresh_ps;  /* XOFF is repeated this often */
	uint64_t response_ps; /* from a pause frame's last bit to the transmitter's stop */
};

/* A decoded MAC control frame. */
struct pfc_frame {
	bool is_pfc;    /* opcode 0x0101; otherwise something else, e.g. 802.3x PAUSE */
	bool is_pause;  /* opcode 0x0001 */
	uint8_t vector; /* class-enable */
	uint16_t quanta[PFC_PRIORITIES];
};

/* Decode a frame with PACKET_MAC_CONTROL; false when it is too short to be one. */
bool pfc_decode(struct rte_mbuf *m, struct pfc_frame *f);

/* Write a 64-byte PFC frame (60 in memory) with the port's own source address into a blank m. */
void pfc_encode(struct rte_mbuf *m, const uint8_t source_mac[6], uint8_t vector,
		const uint16_t quanta[PFC_PRIORITIES]);

/* The same of an 802.3x PAUSE frame, annex 31B: one time, for the whole port. */
void pfc_encode_pause(struct rte_mbuf *m, const uint8_t source_mac[6], uint16_t quanta);

struct pfc_pending {
	uint64_t effective_ps;
	uint8_t vector;
	uint16_t quanta[PFC_PRIORITIES];
};

struct pfc_rx {
	uint8_t paused;          /* bit n: priority n is stopped now */
	uint64_t next_change_ps; /* earliest pending effect or expiry */
	uint64_t until_ps[PFC_PRIORITIES];
	struct pfc_pending *pending; /* ring: frames received but not yet acted on */
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	/* results */
	uint64_t since_ps[PFC_PRIORITIES];
	uint64_t paused_ps[PFC_PRIORITIES];
	uint64_t pauses[PFC_PRIORITIES];
	uint64_t xoff_frames[PFC_PRIORITIES];
	uint64_t xon_frames[PFC_PRIORITIES];
};

int pfc_rx_init(struct pfc_rx *rx, const struct pfc_cfg *cfg, uint64_t rate_bps);
void pfc_rx_fini(struct pfc_rx *rx);

/* A PFC frame arrived at now_ps. */
void pfc_rx_frame(struct pfc_rx *rx, const struct pfc_cfg *cfg, uint64_t now_ps,
		  const struct pfc_frame *f);

/* Apply everything due at or before now_ps, in time order. */
void pfc_rx_apply(struct pfc_rx *rx, uint64_t rate_bps, uint64_t now_ps);

static inline void
pfc_rx_advance(struct pfc_rx *rx, uint64_t rate_bps, uint64_t now_ps)
{
	if (now_ps >= rx->next_change_ps)
		pfc_rx_apply(rx, rate_bps, now_ps);
}

/*
 * Forget what the peer has said, and close the books of paused time: at the end of a run, or when
 * there is no peer any more.
 */
void pfc_rx_close(struct pfc_rx *rx, uint64_t rate_bps, uint64_t now_ps);

struct pfc_tx {
	uint8_t wanted;         /* classes that should be in XOFF */
	uint8_t sent;           /* classes our last frames put in XOFF */
	uint64_t refresh_at_ps; /* never when sent == 0 */
	/* results */
	uint64_t since_ps[PFC_PRIORITIES];
	uint64_t xoff_ps[PFC_PRIORITIES];
	uint64_t xoff_frames[PFC_PRIORITIES];
	uint64_t xon_frames[PFC_PRIORITIES];
	uint64_t frames;
	uint64_t last_xoff_ps; /* when the last XOFF was sent, refreshes counted; 0 = never */
};

void pfc_tx_set(struct pfc_tx *tx, uint8_t priority, bool xoff, uint64_t now_ps);

/* When the port has a PFC frame to send: 0 = at the next opportunity. */
static inline uint64_t
pfc_tx_due_ps(const struct pfc_tx *tx)
{
	return tx->wanted != tx->sent ? 0 : tx->refresh_at_ps;
}

/* Compose the frame that is due at now_ps: changed classes, and all in XOFF when refreshing. */
void pfc_tx_take(struct pfc_tx *tx, const struct pfc_cfg *cfg, uint64_t now_ps, uint8_t *vector,
		 uint16_t quanta[PFC_PRIORITIES]);

#endif
