/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frame layout and timing of 802.1Qbb. At 100 Gb/s a quantum is 5,120 ps, so 100 quanta are
 * 512,000 ps and 65,535 quanta 335,539,200 ps.
 */
#include <string.h>

#include "eal.h"
#include "packet.h"
#include "pfc.h"
#include "prng.h"
#include "suite.h"

#define RATE_BPS 100000000000ULL
#define QUANTUM_PS 5120ULL

static struct rte_mempool *pool;
static const uint8_t mac[6] = {0x02, 0x52, 0x59, 0x00, 0x00, 0x07};

/* XOFF of priority 3 for 0xffff, byte for byte: 60 bytes in memory, 64 with the FCS. */
START_TEST(xoff_frame_bytes)
{
	static const uint8_t wanted[60] = {
		0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x52, 0x59, 0x00, 0x00, 0x07, 0x88,
		0x08, 0x01, 0x01, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff,
	};
	const uint16_t quanta[8] = {[3] = 0xffff};
	struct rte_mbuf *m = packet_alloc(pool);

	memset(rte_pktmbuf_mtod(m, void *), 0xaa, PACKET_HEADER_ROOM_BYTES); /* no leftovers */
	pfc_encode(m, mac, 1 << 3, quanta);
	ck_assert_uint_eq(m->data_len, 60);
	ck_assert_uint_eq(m->pkt_len, 60);
	ck_assert_mem_eq(rte_pktmbuf_mtod(m, void *), wanted, 60);
	ck_assert_uint_eq(packet_of(m)->frame_bytes, 64);
	packet_free(m);
}
END_TEST

/* XON: the class stays enabled, its time is 0. Other classes' times are big-endian in place. */
START_TEST(xon_and_all_classes_bytes)
{
	uint16_t quanta[8] = {0};
	struct rte_mbuf *m = packet_alloc(pool);
	const uint8_t *at = rte_pktmbuf_mtod(m, const uint8_t *);

	pfc_encode(m, mac, 1 << 3, quanta);
	ck_assert_uint_eq(at[16] << 8 | at[17], 0x0008);
	for (int i = 18; i < 60; i++)
		ck_assert_uint_eq(at[i], 0);
	for (uint16_t i = 0; i < 8; i++)
		quanta[i] = (uint16_t)(0x1020 + i * 0x0101);
	pfc_encode(m, mac, 0xff, quanta);
	ck_assert_uint_eq(at[16] << 8 | at[17], 0x00ff);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(at[18 + 2 * i] << 8 | at[19 + 2 * i], quanta[i]);
	packet_free(m);
}
END_TEST

START_TEST(decode_is_encode_backwards)
{
	struct prng p = prng_init(4, 4);
	struct rte_mbuf *m = packet_alloc(pool);
	struct pfc_frame f;

	for (int round = 0; round < 1000; round++) {
		uint8_t vector = (uint8_t)prng_next(&p);
		uint16_t quanta[8];

		for (int i = 0; i < 8; i++)
			quanta[i] = (uint16_t)prng_next(&p);
		pfc_encode(m, mac, vector, quanta);
		packet_parse(m);
		ck_assert(packet_of(m)->flags & PACKET_MAC_CONTROL);
		ck_assert(pfc_decode(m, &f));
		ck_assert(f.is_pfc && !f.is_pause);
		ck_assert_uint_eq(f.vector, vector);
		ck_assert_mem_eq(f.quanta, quanta, sizeof(quanta));
	}
	packet_free(m);
}
END_TEST

/* 802.3x PAUSE has opcode 1; what is cut short is no frame; anything else is neither. */
START_TEST(decode_tells_pause_short_and_unknown_apart)
{
	const uint16_t quanta[8] = {9, 9, 9, 9, 9, 9, 9, 9};
	struct rte_mbuf *m = packet_alloc(pool);
	uint8_t *at = rte_pktmbuf_mtod(m, uint8_t *);
	struct pfc_frame f;

	pfc_encode(m, mac, 0xff, quanta);
	for (uint16_t bytes = 14; bytes < 60; bytes++) {
		m->data_len = bytes;
		ck_assert_int_eq(pfc_decode(m, &f), bytes >= 14 + 2 + 2 + 16);
	}
	m->data_len = 60;
	at[14] = 0x00;
	ck_assert(pfc_decode(m, &f));
	ck_assert(f.is_pause && !f.is_pfc);
	at[15] = 0x02;
	ck_assert(pfc_decode(m, &f));
	ck_assert(!f.is_pause && !f.is_pfc);
	packet_free(m);
}
END_TEST

static struct pfc_rx rx;

static void
rx_setup(const struct pfc_cfg *cfg)
{
	ck_assert_int_eq(pfc_rx_init(&rx, cfg, RATE_BPS), 0);
}

static void
receive(const struct pfc_cfg *cfg, uint64_t now_ps, uint8_t priority, uint16_t quanta)
{
	struct pfc_frame f = {.is_pfc = true, .vector = (uint8_t)(1u << priority)};

	/* Times of classes that are not enabled mean nothing. */
	memset(f.quanta, 0x77, sizeof(f.quanta));
	f.quanta[priority] = quanta;
	pfc_rx_advance(&rx, RATE_BPS, now_ps);
	pfc_rx_frame(&rx, cfg, now_ps, &f);
}

static uint8_t
paused_at(uint64_t now_ps)
{
	pfc_rx_advance(&rx, RATE_BPS, now_ps);
	return rx.paused;
}

/* Effect after the response time, end after the quanta by itself, to the picosecond. */
START_TEST(pause_starts_after_the_response_and_expires)
{
	const struct pfc_cfg cfg = {.enable = 0x18, .response_ps = 2000000};

	rx_setup(&cfg);
	receive(&cfg, 1000000, 3, 100);
	ck_assert_uint_eq(rx.next_change_ps, 3000000);
	ck_assert_uint_eq(paused_at(2999999), 0);
	ck_assert_uint_eq(paused_at(3000000), 0x08);
	ck_assert_uint_eq(rx.next_change_ps, 3000000 + 100 * QUANTUM_PS);
	ck_assert_uint_eq(paused_at(3000000 + 100 * QUANTUM_PS - 1), 0x08);
	ck_assert_uint_eq(paused_at(3000000 + 100 * QUANTUM_PS), 0);
	ck_assert_uint_eq(rx.next_change_ps, UNITS_NEVER_PS);
	ck_assert_uint_eq(rx.paused_ps[3], 100 * QUANTUM_PS);
	ck_assert_uint_eq(rx.pauses[3], 1);
	ck_assert_uint_eq(rx.xoff_frames[3], 1);
	for (int i = 0; i < 8; i++)
		ck_assert(i == 3 || (rx.paused_ps[i] == 0 && rx.xoff_frames[i] == 0));
	pfc_rx_fini(&rx);
}
END_TEST

/* A new frame replaces the timer, be it longer or shorter; the pause goes on without a gap. */
START_TEST(new_frame_replaces_the_timer)
{
	const struct pfc_cfg cfg = {.enable = 0x08};

	rx_setup(&cfg);
	receive(&cfg, 0, 3, 65535);
	ck_assert_uint_eq(paused_at(0), 0x08);
	receive(&cfg, 1000000, 3, 10); /* shorter: 335 us become 51,200 ps from now */
	ck_assert_uint_eq(paused_at(1000000 + 10 * QUANTUM_PS - 1), 0x08);
	receive(&cfg, 1000000 + 10 * QUANTUM_PS - 1, 3, 1000); /* longer */
	ck_assert_uint_eq(paused_at(1000000 + 1010 * QUANTUM_PS - 2), 0x08);
	ck_assert_uint_eq(paused_at(1000000 + 1010 * QUANTUM_PS - 1), 0);
	ck_assert_uint_eq(rx.pauses[3], 1);
	ck_assert_uint_eq(rx.paused_ps[3], 1000000 + 1010 * QUANTUM_PS - 1);
	pfc_rx_fini(&rx);
}
END_TEST

START_TEST(zero_quanta_resume_now)
{
	const struct pfc_cfg cfg = {.enable = 0x18, .response_ps = 500};

	rx_setup(&cfg);
	receive(&cfg, 0, 3, 65535);
	receive(&cfg, 10, 4, 65535);
	ck_assert_uint_eq(paused_at(600), 0x18);
	receive(&cfg, 1000, 3, 0);
	ck_assert_uint_eq(paused_at(1499), 0x18);
	ck_assert_uint_eq(paused_at(1500), 0x10); /* 4 is left alone */
	ck_assert_uint_eq(rx.paused_ps[3], 1000);
	ck_assert_uint_eq(rx.xon_frames[3], 1);
	receive(&cfg, 2000, 3, 0); /* resuming what runs is nothing */
	ck_assert_uint_eq(paused_at(2500), 0x10);
	ck_assert_uint_eq(rx.paused_ps[3], 1000);
	pfc_rx_fini(&rx);
}
END_TEST

/* Only enabled priorities obey; a frame that concerns none of them changes and counts nothing. */
START_TEST(disabled_priorities_and_empty_vectors_do_nothing)
{
	const struct pfc_cfg cfg = {.enable = 0x08};
	struct pfc_frame f = {.is_pfc = true, .vector = 0};

	rx_setup(&cfg);
	memset(f.quanta, 0xff, sizeof(f.quanta));
	pfc_rx_frame(&rx, &cfg, 0, &f);
	receive(&cfg, 0, 4, 65535);
	ck_assert_uint_eq(paused_at(1), 0);
	ck_assert_uint_eq(rx.next_change_ps, UNITS_NEVER_PS);
	f.vector = 0xff;
	pfc_rx_frame(&rx, &cfg, 2, &f);
	ck_assert_uint_eq(paused_at(2), 0x08);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(rx.xoff_frames[i], i == 3);
	pfc_rx_fini(&rx);
}
END_TEST

/*
 * XOFF and XON that are both still within the response time act one after the other, as late
 * as they came; looking late does not change the accounts.
 */
START_TEST(frames_under_way_act_in_turn)
{
	const struct pfc_cfg cfg = {.enable = 0x08, .response_ps = 2000000};

	rx_setup(&cfg);
	receive(&cfg, 0, 3, 65535);
	receive(&cfg, 10000, 3, 0);
	receive(&cfg, 30000, 3, 65535);
	receive(&cfg, 70000, 3, 0);
	ck_assert_uint_eq(paused_at(2000000), 0x08);
	ck_assert_uint_eq(paused_at(2010000), 0);
	ck_assert_uint_eq(paused_at(9000000), 0);
	ck_assert_uint_eq(rx.paused_ps[3], 10000 + 40000);
	ck_assert_uint_eq(rx.pauses[3], 2);
	pfc_rx_fini(&rx);
}
END_TEST

/* As many frames as fit the response time at line rate (64 B each 6,720 ps) find room. */
START_TEST(line_rate_of_pause_frames_fits)
{
	const struct pfc_cfg cfg = {.enable = 0xff, .response_ps = 2017280};
	uint64_t now_ps = 0;

	rx_setup(&cfg);
	for (int i = 0; i < 5000; i++, now_ps += 6720)
		receive(&cfg, now_ps, (uint8_t)(i % 8), (uint16_t)(i % 3 * 100));
	paused_at(now_ps + 10000000);
	ck_assert_uint_eq(rx.head, rx.tail);
	pfc_rx_fini(&rx);
}
END_TEST

START_TEST(close_ends_an_open_pause)
{
	const struct pfc_cfg cfg = {.enable = 0x08};

	rx_setup(&cfg);
	receive(&cfg, 0, 3, 65535);
	pfc_rx_close(&rx, RATE_BPS, 123456);
	ck_assert_uint_eq(rx.paused_ps[3], 123456);
	pfc_rx_fini(&rx);
}
END_TEST

/* Many random frames against a timer a class, written out. */
START_TEST(agrees_with_plain_timers)
{
	const struct pfc_cfg cfg = {.enable = 0x7e, .response_ps = 100000};
	struct prng p = prng_init(6, (uint64_t)_i);
	uint64_t until_ps[8] = {0}, paused_ps[8] = {0}, since_ps = 0, now_ps = 0;

	rx_setup(&cfg);
	/* All frames of one instant act at one instant: the model steps from instant to instant. */
	for (int round = 0; round < 3000; round++) {
		struct pfc_frame f = {.is_pfc = true, .vector = (uint8_t)prng_next(&p)};

		for (int i = 0; i < 8; i++)
			f.quanta[i] = (uint16_t)(prng_below(&p, 3) * prng_below(&p, 40));
		now_ps += 6720 + prng_below(&p, 100000);
		pfc_rx_advance(&rx, RATE_BPS, now_ps);
		pfc_rx_frame(&rx, &cfg, now_ps, &f);
		for (int i = 0; i < 8; i++) {
			uint64_t end_ps = until_ps[i] < now_ps ? until_ps[i] : now_ps;

			paused_ps[i] += end_ps > since_ps ? end_ps - since_ps : 0;
			if (f.vector & cfg.enable & 1u << i)
				until_ps[i] = now_ps + f.quanta[i] * QUANTUM_PS;
		}
		since_ps = now_ps;
	}
	for (int i = 0; i < 8; i++)
		paused_ps[i] += until_ps[i] > since_ps ? until_ps[i] - since_ps : 0;
	paused_at(now_ps + cfg.response_ps + UNITS_PS_PER_MS);
	ck_assert_uint_eq(rx.paused, 0);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(rx.paused_ps[i], paused_ps[i]);
	pfc_rx_fini(&rx);
}
END_TEST

static const struct pfc_cfg tx_cfg = {.enable = 0x18, .quanta = 1000, .refresh_ps = 2000000};

START_TEST(tx_sends_changes_at_once_and_names_them)
{
	struct pfc_tx tx = {.refresh_at_ps = UNITS_NEVER_PS};
	uint16_t quanta[8];
	uint8_t vector;

	ck_assert_uint_eq(pfc_tx_due_ps(&tx), UNITS_NEVER_PS);
	pfc_tx_set(&tx, 3, true, 100);
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), 0);
	pfc_tx_take(&tx, &tx_cfg, 200, &vector, quanta);
	ck_assert_uint_eq(vector, 0x08);
	ck_assert_uint_eq(quanta[3], 1000);
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), 200 + 2000000);
	pfc_tx_set(&tx, 3, true, 300); /* no change, nothing to say */
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), 200 + 2000000);
	pfc_tx_set(&tx, 3, false, 1100);
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), 0);
	pfc_tx_take(&tx, &tx_cfg, 1200, &vector, quanta);
	ck_assert_uint_eq(vector, 0x08); /* XON: the bit is set, the time 0 */
	ck_assert_uint_eq(quanta[3], 0);
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), UNITS_NEVER_PS);
	ck_assert_uint_eq(tx.xoff_ps[3], 1000);
	ck_assert_uint_eq(tx.xoff_frames[3], 1);
	ck_assert_uint_eq(tx.xon_frames[3], 1);
	ck_assert_uint_eq(tx.frames, 2);
}
END_TEST

/* XON of one class while another is in XOFF; and a change of mind before anything was sent. */
START_TEST(tx_classes_are_apart)
{
	struct pfc_tx tx = {.refresh_at_ps = UNITS_NEVER_PS};
	uint16_t quanta[8];
	uint8_t vector;

	pfc_tx_set(&tx, 3, true, 0);
	pfc_tx_set(&tx, 3, false, 10);
	ck_assert_uint_eq(pfc_tx_due_ps(&tx), UNITS_NEVER_PS);
	pfc_tx_set(&tx, 3, true, 20);
	pfc_tx_set(&tx, 4, true, 20);
	pfc_tx_take(&tx, &tx_cfg, 20, &vector, quanta);
	ck_assert_uint_eq(vector, 0x18);
	pfc_tx_set(&tx, 4, false, 30);
	pfc_tx_take(&tx, &tx_cfg, 30, &vector, quanta);
	ck_assert_uint_eq(vector & 0x10, 0x10);
	ck_assert_uint_eq(vector & ~0x18, 0);
	ck_assert_uint_eq(quanta[4], 0);
	ck_assert(!(vector & 0x08) || quanta[3] == 1000); /* never an XON for 3 */
	ck_assert_uint_ne(pfc_tx_due_ps(&tx), UNITS_NEVER_PS);
}
END_TEST

/*
 * A sender that refreshes every 2 us with pauses of 1,000 quanta (5.12 us), and a receiver
 * 1 us away: one pause, from the first frame's effect to the XON's, without a gap.
 */
START_TEST(refresh_leaves_no_gap)
{
	const struct pfc_cfg peer = {.enable = 0x18, .response_ps = 500000};
	struct pfc_tx tx = {.refresh_at_ps = UNITS_NEVER_PS};
	const uint64_t delay_ps = 1000000, stop_ps = 50000000;
	struct pfc_frame f = {.is_pfc = true};

	rx_setup(&peer);
	pfc_tx_set(&tx, 3, true, 0);
	for (uint64_t now_ps = 0; now_ps <= stop_ps; now_ps += 10000) {
		if (now_ps == stop_ps)
			pfc_tx_set(&tx, 3, false, now_ps);
		if (pfc_tx_due_ps(&tx) <= now_ps) {
			pfc_tx_take(&tx, &tx_cfg, now_ps, &f.vector, f.quanta);
			pfc_rx_advance(&rx, RATE_BPS, now_ps + delay_ps);
			pfc_rx_frame(&rx, &peer, now_ps + delay_ps, &f);
		}
		if (now_ps > 1500000)
			ck_assert_uint_eq(paused_at(now_ps), 0x08);
	}
	ck_assert_uint_eq(tx.xoff_frames[3], 25); /* at 0, 2, ... 48 us */
	ck_assert_uint_eq(paused_at(stop_ps + 1500000), 0);
	ck_assert_uint_eq(rx.pauses[3], 1);
	ck_assert_uint_eq(rx.paused_ps[3], stop_ps);
	ck_assert_uint_eq(tx.xoff_ps[3], stop_ps);
	pfc_rx_fini(&rx);
}
END_TEST

static void
add_cases(Suite *suite)
{
	TCase *frame = suite_topic(suite, "frame");
	TCase *receiver = suite_topic(suite, "receiver");
	TCase *sender = suite_topic(suite, "sender");

	tcase_add_test(frame, xoff_frame_bytes);
	tcase_add_test(frame, xon_and_all_classes_bytes);
	tcase_add_test(frame, decode_is_encode_backwards);
	tcase_add_test(frame, decode_tells_pause_short_and_unknown_apart);
	tcase_add_test(receiver, pause_starts_after_the_response_and_expires);
	tcase_add_test(receiver, new_frame_replaces_the_timer);
	tcase_add_test(receiver, zero_quanta_resume_now);
	tcase_add_test(receiver, disabled_priorities_and_empty_vectors_do_nothing);
	tcase_add_test(receiver, frames_under_way_act_in_turn);
	tcase_add_test(receiver, line_rate_of_pause_frames_fits);
	tcase_add_test(receiver, close_ends_an_open_pause);
	tcase_add_loop_test(receiver, agrees_with_plain_timers, 0, 10);
	tcase_add_test(sender, tx_sends_changes_at_once_and_names_them);
	tcase_add_test(sender, tx_classes_are_apart);
	tcase_add_test(sender, refresh_leaves_no_gap);
}

int
main(void)
{
	Suite *suite = suite_create("pfc");
	int failed;

	test_eal_init();
	pool = packet_pool_create("packets", 64, PACKET_HEADER_ROOM_BYTES);
	add_cases(suite);
	failed = suite_run(suite);
	rte_mempool_free(pool);
	return failed;
}
