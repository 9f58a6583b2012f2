/* SPDX-License-Identifier: BSD-3-Clause */
#include "pfc.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

enum { PFC_FRAME_BYTES = 60, OPCODE_PAUSE = 0x0001, OPCODE_PFC = 0x0101 };

bool
pfc_decode(struct rte_mbuf *m, struct pfc_frame *f)
{
	const uint8_t *at = rte_pktmbuf_mtod(m, const uint8_t *) + packet_of(m)->l3_ofs;
	uint32_t bytes =
		m->data_len > packet_of(m)->l3_ofs ? m->data_len - packet_of(m)->l3_ofs : 0;
	uint32_t opcode;

	*f = (struct pfc_frame){0};
	if (bytes < 4)
		return false;
	opcode = at[0] << 8 | at[1];
	f->is_pause = opcode == OPCODE_PAUSE;
	if (opcode != OPCODE_PFC)
		return true;
	if (bytes < 4 + 2 * PFC_PRIORITIES)
		return false;
	f->is_pfc = true;
	f->vector = at[3];
	for (int i = 0; i < PFC_PRIORITIES; i++)
		f->quanta[i] = (uint16_t)(at[4 + 2 * i] << 8 | at[5 + 2 * i]);
	return true;
}

/* A blank MAC control frame; the octet after the opcode. */
static uint8_t *
encode_head(struct rte_mbuf *m, const uint8_t source_mac[6], uint16_t opcode)
{
	static const uint8_t group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
	uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);
	struct packet *p = packet_of(m);

	memset(at, 0, PFC_FRAME_BYTES);
	memcpy(at, group, 6);
	memcpy(at + 6, source_mac, 6);
	at[12] = 0x88;
	at[13] = 0x08;
	at[14] = (uint8_t)(opcode >> 8);
	at[15] = (uint8_t)opcode;
	m->data_len = PFC_FRAME_BYTES;
	m->pkt_len = PFC_FRAME_BYTES;
	p->frame_bytes = PFC_FRAME_BYTES + UNITS_FCS_BYTES;
	p->l3_ofs = 14;
	p->flags = PACKET_PARSED | PACKET_MAC_CONTROL;
	return at + 16;
}

void
pfc_encode(struct rte_mbuf *m, const uint8_t source_mac[6], uint8_t vector,
	   const uint16_t quanta[PFC_PRIORITIES])
{
	uint8_t *at = encode_head(m, source_mac, OPCODE_PFC);

	at[1] = vector;
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		at[2 + 2 * i] = (uint8_t)(quanta[i] >> 8);
		at[3 + 2 * i] = (uint8_t)quanta[i];
	}
}

void
pfc_encode_pause(struct rte_mbuf *m, const uint8_t source_mac[6], uint16_t quanta)
{
	uint8_t *at = encode_head(m, source_mac, OPCODE_PAUSE);

	at[0] = (uint8_t)(quanta >> 8);
	at[1] = (uint8_t)quanta;
}

int
pfc_rx_init(struct pfc_rx *rx, const struct pfc_cfg *cfg, uint64_t rate_bps)
{
	/* No more frames can arrive within the response time than fit it at line rate. */
	uint64_t most = cfg->response_ps / units_frame_ps(UNITS_MIN_FRAME_BYTES, rate_bps) + 2;
	uint32_t size = 4;

	if (most > 1u << 20)
		return -EINVAL;
	while (size < most)
		size *= 2;
	*rx = (struct pfc_rx){.next_change_ps = UNITS_NEVER_PS, .mask = size - 1};
	rx->pending = calloc(size, sizeof(*rx->pending));
	return rx->pending == NULL ? -ENOMEM : 0;
}

void
pfc_rx_fini(struct pfc_rx *rx)
{
	free(rx->pending);
	rx->pending = NULL;
}

void
pfc_rx_frame(struct pfc_rx *rx, const struct pfc_cfg *cfg, uint64_t now_ps,
	     const struct pfc_frame *f)
{
	uint8_t vector = f->vector & cfg->enable;
	struct pfc_pending *slot;

	for (int i = 0; i < PFC_PRIORITIES; i++) {
		if (!(vector >> i & 1))
			continue;
		if (f->quanta[i] != 0)
			rx->xoff_frames[i]++;
		else
			rx->xon_frames[i]++;
	}
	if (vector == 0)
		return;
	if (unlikely(rx->tail - rx->head > rx->mask)) {
		/* More than a wire carries (impairments can): one with the last of them. */
		slot = &rx->pending[(rx->tail - 1) & rx->mask];
		slot->vector |= vector;
		for (int i = 0; i < PFC_PRIORITIES; i++) {
			if (vector >> i & 1)
				slot->quanta[i] = f->quanta[i];
		}
		return;
	}
	slot = &rx->pending[rx->tail++ & rx->mask];
	slot->effective_ps = now_ps + cfg->response_ps;
	slot->vector = vector;
	memcpy(slot->quanta, f->quanta, sizeof(slot->quanta));
	if (slot->effective_ps < rx->next_change_ps)
		rx->next_change_ps = slot->effective_ps;
}

static void
resume(struct pfc_rx *rx, int priority, uint64_t now_ps)
{
	rx->paused &= (uint8_t) ~(1u << priority);
	rx->paused_ps[priority] += now_ps - rx->since_ps[priority];
}

static void
expire(struct pfc_rx *rx, uint64_t now_ps)
{
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		if (rx->paused >> i & 1 && rx->until_ps[i] <= now_ps)
			resume(rx, i, rx->until_ps[i]);
	}
}

static void
take_effect(struct pfc_rx *rx, const struct pfc_pending *f, uint64_t rate_bps)
{
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		bool paused = rx->paused >> i & 1;

		if (!(f->vector >> i & 1))
			continue;
		if (f->quanta[i] == 0) {
			if (paused)
				resume(rx, i, f->effective_ps);
			continue;
		}
		if (!paused) {
			rx->paused |= (uint8_t)(1u << i);
			rx->since_ps[i] = f->effective_ps;
			rx->pauses[i]++;
		}
		rx->until_ps[i] = f->effective_ps + units_pause_ps(f->quanta[i], rate_bps);
	}
}

void
pfc_rx_apply(struct pfc_rx *rx, uint64_t rate_bps, uint64_t now_ps)
{
	uint64_t next_ps = UNITS_NEVER_PS;

	while (rx->head != rx->tail && rx->pending[rx->head & rx->mask].effective_ps <= now_ps) {
		const struct pfc_pending *f = &rx->pending[rx->head++ & rx->mask];

		expire(rx, f->effective_ps);
		take_effect(rx, f, rate_bps);
	}
	expire(rx, now_ps);
	if (rx->head != rx->tail)
		next_ps = rx->pending[rx->head & rx->mask].effective_ps;
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		if (rx->paused >> i & 1 && rx->until_ps[i] < next_ps)
			next_ps = rx->until_ps[i];
	}
	rx->next_change_ps = next_ps;
}

void
pfc_rx_close(struct pfc_rx *rx, uint64_t rate_bps, uint64_t now_ps)
{
	pfc_rx_advance(rx, rate_bps, now_ps);
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		if (rx->paused >> i & 1)
			resume(rx, i, now_ps);
	}
	rx->head = rx->tail;
	rx->next_change_ps = UNITS_NEVER_PS;
}

void
pfc_tx_set(struct pfc_tx *tx, uint8_t priority, bool xoff, uint64_t now_ps)
{
	uint8_t bit = (uint8_t)(1u << priority);

	if (!!(tx->wanted & bit) == xoff)
		return;
	tx->wanted ^= bit;
	if (xoff)
		tx->since_ps[priority] = now_ps;
	else
		tx->xoff_ps[priority] += now_ps - tx->since_ps[priority];
}

void
pfc_tx_take(struct pfc_tx *tx, const struct pfc_cfg *cfg, uint64_t now_ps, uint8_t *vector,
	    uint16_t quanta[PFC_PRIORITIES])
{
	uint8_t changed = tx->wanted ^ tx->sent;

	/* Every XOFF class is renewed by any frame: one timer serves the port. */
	*vector = changed | tx->wanted;
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		bool xoff = tx->wanted >> i & 1;

		quanta[i] = xoff ? cfg->quanta : 0;
		if (xoff)
			tx->xoff_frames[i]++;
		else if (changed >> i & 1)
			tx->xon_frames[i]++;
	}
	tx->frames++;
	tx->sent = tx->wanted;
	if (tx->wanted != 0)
		tx->last_xoff_ps = now_ps;
	tx->refresh_at_ps = tx->sent == 0 ? UNITS_NEVER_PS : now_ps + cfg->refresh_ps;
}
