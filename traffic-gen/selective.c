/* SPDX-License-Identifier: BSD-3-Clause */
#include "selective.h"

#include <stdlib.h>

#include "host_state.h"
#include "requester.h"
#include "requester_internal.h"

#define RESENDS_START 16u

struct selective *
selective_new(uint32_t peer_window)
{
	struct selective *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->peer_window = peer_window;
	return s;
}

void
selective_free(struct selective *s)
{
	if (s == NULL)
		return;
	reorder_window_free(s->requests);
	reorder_window_free(s->responses);
	free(s->resends);
	free(s);
}

static struct resend *
resend_at(const struct selective *s, uint32_t index)
{
	return &s->resends[index & s->resend_mask];
}

/* Leave out what has been acknowledged since. */
static void
drop_acknowledged(struct qp *qp)
{
	struct selective *s = qp->selective;

	for (; s->resend_head != s->resend_tail; s->resend_head++) {
		struct resend *e = resend_at(s, s->resend_head);
		uint64_t end_seq = e->seq + e->packets;

		if (end_seq <= qp->una_seq)
			continue;
		e->seq = RTE_MAX(e->seq, qp->una_seq);
		e->packets = (uint32_t)(end_seq - e->seq);
		return;
	}
}

/* False: more than a window of them, or no memory. */
static bool
resends_grow(struct selective *s)
{
	uint32_t size = s->resends == NULL ? 0 : s->resend_mask + 1;
	uint32_t larger = size == 0 ? RESENDS_START : 2 * size;
	struct resend *resends;

	if (s->resend_tail - s->resend_head < size)
		return true;
	if (size > s->peer_window)
		return false;
	resends = malloc(larger * sizeof(*resends));
	if (resends == NULL)
		return false;
	for (uint32_t i = 0; i < size; i++)
		resends[i] = *resend_at(s, s->resend_head + i);
	free(s->resends);
	s->resends = resends;
	s->resend_mask = larger - 1;
	s->resend_tail -= s->resend_head;
	s->resend_head = 0;
	return true;
}

/* What finds no room is left to the timer. */
static void
send_again(struct host *host, struct qp *qp, uint64_t seq, uint32_t packets,
	   enum repeat_cause cause, uint64_t now_ps)
{
	struct selective *s = qp->selective;

	if (!resends_grow(s))
		return;
	*resend_at(s, s->resend_tail++) =
		(struct resend){.seq = seq, .packets = packets, .cause = (uint8_t)cause};
	nic_ready(host, &qp->contexts[NIC_REQUESTER], selective_priority(host, qp), now_ps);
}

uint8_t
selective_priority(const struct host *host, const struct qp *qp)
{
	const struct selective *s = qp->selective;

	return host_priority(host, requester_of_seq(qp, resend_at(s, s->resend_head)->seq)->dscp);
}

struct rte_mbuf *
selective_send(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct selective *s = qp->selective;
	const struct resend *e = resend_at(s, s->resend_head);
	struct request *r = requester_of_seq(qp, e->seq);
	struct rte_mbuf *m = requester_build(host, qp, r, e->seq, e->packets, true, now_ps);
	uint64_t end_seq = e->seq + e->packets;

	if (m == NULL)
		return NULL;
	requester_count_repeat(host, r, (enum repeat_cause)e->cause);
	if (qp->ackreq_seq < end_seq)
		qp->ackreq_seq = end_seq;
	if (qp->deadline_ps == UNITS_NEVER_PS)
		requester_start_timer(host, qp, now_ps);
	s->resend_head++;
	drop_acknowledged(qp);
	return m;
}

/* The first packet that is not acknowledged is missing: once until una_seq has moved. */
static void
repair_first(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct selective *s = qp->selective;
	const struct request *r = requester_of_seq(qp, qp->una_seq);
	uint64_t index = qp->una_seq - r->first_seq;
	uint32_t packets = (uint32_t)requester_next_packets(host, qp, r, index);

	if (s->responses != NULL && packets > 1)
		packets = reorder_run(s->responses, qp_psn(qp, qp->una_seq), packets);
	s->recovered_seq = qp->una_seq + packets;
	send_again(host, qp, qp->una_seq, packets, REPEAT_TIMEOUT, now_ps);
}

void
selective_timed_out(struct host *host, struct qp *qp, uint64_t now_ps)
{
	qp->selective->recover_seq = qp->sent_seq;
	qp->ackreq_seq = qp->una_seq;
	if (qp->una_seq < qp->sent_seq)
		repair_first(host, qp, now_ps);
}

void
selective_progressed(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct selective *s = qp->selective;

	drop_acknowledged(qp);
	if (s->responses != NULL)
		reorder_expect(s->responses, qp_psn(qp, qp->una_seq));
	if (qp->una_seq < s->recover_seq && qp->una_seq >= s->recovered_seq)
		repair_first(host, qp, now_ps);
}

void
selective_fail(struct qp *qp)
{
	if (qp->selective != NULL)
		qp->selective->resend_head = qp->selective->resend_tail;
}

void
selective_nak(struct host *host, struct qp *qp, uint64_t seq, uint64_t now_ps)
{
	const struct request *r = requester_of_seq(qp, seq);
	uint64_t index = seq - r->first_seq;
	uint32_t packets = 1;

	if (r->verb == VERB_READ) {
		/* One request stood for them all: the NAKs for the others say nothing new. */
		if (index % requester_read_packets(host, qp) != 0)
			return;
		packets = (uint32_t)requester_next_packets(host, qp, r, index);
	}
	send_again(host, qp, seq, packets, REPEAT_NAK, now_ps);
}

/*
 * Take the responses whose turn it is, and complete what that completes, from una_seq on. Returns
 * whether una_seq has moved.
 */
static bool
advance(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct reorder_window *w = qp->selective->responses;
	uint64_t before = qp->una_seq;

	for (;;) {
		const struct request *r;

		requester_acknowledge(host, qp, qp->ack_seen_seq, now_ps);
		r = requester_oldest(qp);
		if (r == NULL || r->verb != VERB_READ || w == NULL || w->held == 0 ||
		    reorder_take(w, qp_psn(qp, qp->una_seq)) == 0)
			return qp->una_seq != before;
		requester_take_response(host, qp, now_ps);
	}
}

void
selective_acknowledge(struct host *host, struct qp *qp, uint64_t acked_seq, uint64_t now_ps)
{
	if (acked_seq > qp->ack_seen_seq)
		qp->ack_seen_seq = acked_seq;
	if (advance(host, qp, now_ps))
		requester_progressed(host, qp, now_ps);
}

struct reorder_window *
selective_window(struct host *host, struct qp *qp, struct reorder_window **window,
		 uint32_t expected_psn, uint32_t psn, uint64_t now_ps)
{
	const struct receiver_cfg *cfg = &host->cfg->receiver;
	uint32_t ahead = (uint32_t)roce_psn_distance(expected_psn, psn);

	host->results.out_of_order++;
	if (*window == NULL)
		*window = reorder_window_new(cfg->window_packets, expected_psn);
	if (*window == NULL)
		return NULL;
	reorder_expect(*window, expected_psn);
	if (reorder_note_early(*window, psn) && cfg->cnp)
		qp_owe_cnp(host, qp, now_ps);
	if (ahead >= cfg->window_packets) {
		reorder_lost_before(*window, roce_psn_add(psn, 1));
		return NULL;
	}
	if (!cfg->silent && ahead >= cfg->nak_distance)
		reorder_lost_before(*window, roce_psn_add(psn, 1 - cfg->nak_distance));
	return *window;
}

/* Ask again for the responses that are missing. */
static void
ask_for_holes(struct host *host, struct qp *qp, uint64_t now_ps)
{
	struct reorder_window *w = qp->selective->responses;
	uint32_t una_psn = qp_psn(qp, qp->una_seq);
	uint32_t n, psn;

	while ((n = reorder_next_hole(w, una_psn, UINT32_MAX, &psn)) != 0) {
		uint64_t seq = qp->una_seq + (uint32_t)roce_psn_distance(una_psn, psn);
		uint64_t end_seq = RTE_MIN(seq + n, qp->sent_seq);

		while (seq < end_seq) {
			const struct request *r = requester_of_seq(qp, seq);
			uint64_t index = seq - r->first_seq;
			uint64_t chunk = requester_read_packets(host, qp);
			uint64_t packets = r->packets - index;

			/* A repeated request stays within one that was sent before. */
			packets = RTE_MIN(packets, chunk - index % chunk);
			packets = RTE_MIN(packets, end_seq - seq);
			if (r->verb == VERB_READ)
				send_again(host, qp, seq, (uint32_t)packets, REPEAT_GAP, now_ps);
			seq += r->verb == VERB_READ ? packets : r->packets - index;
		}
	}
}

static void
note_held(struct host *host, const struct reorder_window *w)
{
	if (w->held > host->results.reorder_held_max)
		host->results.reorder_held_max = w->held;
}

bool
selective_read_response(struct host *host, struct qp *qp, uint64_t seq, const struct roce_packet *p,
			uint64_t now_ps)
{
	struct reorder_window **w = &qp->selective->responses;
	const struct request *r = requester_of_seq(qp, seq);
	bool moved, fits = true;

	if (r->verb != VERB_READ) {
		host->results.duplicates++;
		return true;
	}
	/* It acknowledges what was asked before it. */
	if (r->first_seq > qp->ack_seen_seq)
		qp->ack_seen_seq = r->first_seq;
	moved = advance(host, qp, now_ps);
	if (seq < qp->una_seq) {
		host->results.duplicates++;
	} else if (seq == qp->una_seq) {
		host_place(host, qp, true, p->psn, p->payload_bytes);
		requester_take_response(host, qp, now_ps);
		(void)advance(host, qp, now_ps);
		moved = true;
	} else if (selective_window(host, qp, w, qp_psn(qp, qp->una_seq), p->psn, now_ps) == NULL) {
		fits = false;
	} else if (reorder_put(*w, p->psn, 1)) {
		host_place(host, qp, true, p->psn, p->payload_bytes);
		note_held(host, *w);
	} else {
		host->results.duplicates++;
	}
	if (moved)
		requester_progressed(host, qp, now_ps);
	if (*w != NULL)
		ask_for_holes(host, qp, now_ps);
	return fits;
}
