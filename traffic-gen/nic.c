/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic.h"

#include <errno.h>
#include <stdio.h>

#include <rte_prefetch.h>

#include "host_state.h"
#include "requester.h"
#include "responder.h"

static struct nic_class *
class_of(struct nic *nic, const struct nic_context *context)
{
	if (context->kind == NIC_ACK || context->kind == NIC_NEIGHBOUR)
		return &nic->ack;
	return context->kind == NIC_CNP ? &nic->cnp : &nic->data;
}

static void
append(struct nic_class *class, struct nic_context *context, uint8_t priority)
{
	struct nic_fifo *fifo = &class->fifos[priority];

	context->next = NULL;
	context->place = NIC_READY;
	context->priority = priority;
	if (fifo->head == NULL)
		fifo->head = context;
	else
		fifo->tail->next = context;
	fifo->tail = context;
	class->ready |= (uint8_t)(1u << priority);
}

/* Take the first context of the priority after the one served last, among `unpaused`. */
static struct nic_context *
take(struct nic_class *class, uint8_t unpaused)
{
	uint32_t mask = class->ready & unpaused;
	uint32_t after = mask & (0xfeu << class->turn);
	struct nic_context *context;
	struct nic_fifo *fifo;
	uint8_t priority;

	if (mask == 0)
		return NULL;
	priority = (uint8_t)__builtin_ctz(after != 0 ? after : mask);
	fifo = &class->fifos[priority];
	context = fifo->head;
	fifo->head = context->next;
	if (fifo->head == NULL) {
		class->ready &= (uint8_t) ~(1u << priority);
	} else {
		/* The requester of the queue pair whose turn is next: qp.h puts it first. */
		rte_prefetch0((const uint8_t *)fifo->head + RTE_CACHE_LINE_SIZE);
		rte_prefetch0((const uint8_t *)fifo->head + 2 * RTE_CACHE_LINE_SIZE);
	}
	context->place = NIC_IDLE;
	return context;
}

void
nic_ready(struct host *host, struct nic_context *context, uint8_t priority, uint64_t now_ps)
{
	if (context->place != NIC_IDLE) {
		if (unlikely(context->place == NIC_BARRED)) {
			context->place = NIC_HELD;
			context->priority = priority;
			neighbour_want(host, qp_of(context)->peer, now_ps);
		}
		return;
	}
	append(class_of(&host->nic, context), context, priority);
	node_wake_port(&host->node, 0, now_ps);
}

void
nic_admit(struct host *host, struct nic_context *contexts, uint32_t count, uint64_t now_ps)
{
	for (uint32_t i = 0; i < count; i++) {
		bool was_held = contexts[i].place == NIC_HELD;

		if (!was_held && contexts[i].place != NIC_BARRED)
			continue;
		contexts[i].place = NIC_IDLE;
		if (was_held)
			nic_ready(host, &contexts[i], contexts[i].priority, now_ps);
	}
}

/* Contexts whose pacing time has come join the FIFO of their priority. */
static void
release_paced(struct nic *nic, uint64_t now_ps)
{
	while (heap_due_ps(&nic->paced) <= now_ps) {
		struct nic_context *context = heap_pop(&nic->paced).item;

		append(&nic->data, context, context->priority);
	}
}

/* Let it wait for its pacing, but look again when its rate may have risen. */
static void
wait_paced(struct host *host, struct nic_context *context, uint64_t due_ps)
{
	uint64_t change_ps =
		congestion_next_change_ps(&qp_of(context)->congestion, &host->cfg->congestion);

	context->place = NIC_PACED;
	heap_push(&host->nic.paced, RTE_MIN(due_ps, change_ps), context);
}

static void
put_back(struct host *host, struct nic_context *context, uint8_t priority, uint64_t now_ps)
{
	uint64_t due_ps = host->paced ? qp_pace_ps(host, qp_of(context), now_ps) : 0;

	context->priority = priority;
	if (due_ps > now_ps)
		wait_paced(host, context, due_ps);
	else
		append(&host->nic.data, context, priority);
}

/* A frame of a queue pair's requester or responder; NULL with *blocked = no packet buffer. */
static struct rte_mbuf *
send_data(struct host *host, struct nic_context *context, uint64_t now_ps, bool *blocked)
{
	struct qp *qp = qp_of(context);
	bool is_request = context->kind == NIC_REQUESTER;
	uint8_t priority = context->priority;
	struct rte_mbuf *m = NULL;

	if (is_request ? !requester_can_send(host, qp) : !responder_can_send(qp))
		return NULL;
	if (host->paced && qp_pace_ps(host, qp, now_ps) > now_ps) {
		put_back(host, context, priority, now_ps);
		return NULL;
	}
	/* The message at hand may be of another class than the one it became ready for. */
	if ((is_request ? requester_priority(host, qp) : responder_priority(host, qp)) ==
	    priority) {
		m = is_request ? requester_send(host, qp, now_ps)
			       : responder_send(host, qp, now_ps);
		*blocked = m == NULL;
	}
	if (is_request ? requester_has_unsent(qp) : responder_can_send(qp))
		put_back(host, context,
			 is_request ? requester_priority(host, qp) : responder_priority(host, qp),
			 now_ps);
	return m;
}

static struct rte_mbuf *
send_datagram(struct host *host, struct nic_context *context, bool *blocked)
{
	struct datagram_queue *queue = (struct datagram_queue *)context;
	struct rte_mbuf *m = datagram_send(host, queue);

	*blocked = m == NULL;
	if (queue->head != queue->tail)
		append(&host->nic.data, context, context->priority);
	return m;
}

static struct rte_mbuf *
next_data(struct host *host, uint8_t unpaused, uint64_t now_ps, bool *blocked)
{
	struct nic_class *class = &host->nic.data;
	struct nic_context *context;

	while (!*blocked && (context = take(class, unpaused)) != NULL) {
		uint8_t priority = context->priority;
		struct rte_mbuf *m = context->kind == NIC_DATAGRAM
					     ? send_datagram(host, context, blocked)
					     : send_data(host, context, now_ps, blocked);

		if (m != NULL) {
			class->turn = priority;
			return m;
		}
	}
	return NULL;
}

static struct rte_mbuf *
send_neighbour(struct host *host, struct nic_context *context)
{
	struct rte_mbuf *m = neighbour_send(host);

	if (host->neighbours.head != host->neighbours.tail)
		append(&host->nic.ack, context, neighbour_priority(&host->neighbours));
	return m;
}

/* A CNP or, when there is none, an acknowledgement or another answer. */
static struct rte_mbuf *
next_control(struct host *host, uint8_t unpaused, bool *blocked)
{
	struct nic *nic = &host->nic;
	struct nic_context *context;
	struct rte_mbuf *m = NULL;

	context = take(&nic->cnp, unpaused);
	if (context != NULL) {
		m = qp_send_cnp(host, qp_of(context));
		if (m == NULL)
			append(&nic->cnp, context, context->priority);
		*blocked = m == NULL;
		return m;
	}
	while ((context = take(&nic->ack, unpaused)) != NULL) {
		struct qp *qp;

		nic->ack.turn = context->priority;
		if (context->kind == NIC_NEIGHBOUR)
			return send_neighbour(host, context);
		qp = qp_of(context);
		if (!responder_can_ack(qp))
			continue;
		m = responder_send_ack(host, qp);
		*blocked = m == NULL;
		if (responder_can_ack(qp))
			append(&nic->ack, context, context->priority);
		return m;
	}
	return NULL;
}

/* When the port wants to be asked again, given what is left. */
static uint64_t
next_ps(const struct host *host, uint8_t paused, uint64_t now_ps)
{
	const struct nic *nic = &host->nic;
	uint8_t waiting = nic->cnp.ready | nic->ack.ready;
	uint64_t next = UNITS_NEVER_PS;

	if (!host->stopped) {
		waiting |= nic->data.ready;
		next = heap_due_ps(&nic->paced);
	}
	if (waiting & (uint8_t)~paused)
		return now_ps;
	if (waiting != 0)
		next = RTE_MIN(next, host->node.ports[0].pfc_rx.next_change_ps);
	return next;
}

struct rte_mbuf *
nic_dequeue(struct host *host, uint64_t now_ps, uint64_t *next)
{
	uint8_t paused = host->node.ports[0].pfc_rx.paused;
	uint8_t unpaused = (uint8_t)~paused;
	struct rte_mbuf *m = NULL;
	bool blocked = false;

	if ((host->nic.cnp.ready | host->nic.ack.ready) & unpaused)
		m = next_control(host, unpaused, &blocked);
	if (m == NULL && !blocked && !host->stopped) {
		release_paced(&host->nic, now_ps);
		m = next_data(host, unpaused, now_ps, &blocked);
	}
	*next = unlikely(blocked) ? now_ps + UNITS_PS_PER_US : next_ps(host, paused, now_ps);
	return m;
}

static int
check_class(const struct nic_class *class, const char *name, char *why, size_t why_bytes)
{
	for (int i = 0; i < NIC_PRIORITIES; i++) {
		const struct nic_context *context = class->fifos[i].head;

		if ((context != NULL) != (class->ready >> i & 1)) {
			snprintf(why, why_bytes, "%s FIFO %d contradicts its bit", name, i);
			return -EPROTO;
		}
		for (; context != NULL; context = context->next) {
			if (context->place == NIC_READY && context->priority == i)
				continue;
			snprintf(why, why_bytes, "%s FIFO %d holds a stray context", name, i);
			return -EPROTO;
		}
	}
	return 0;
}

int
nic_check(const struct nic *nic, char *why, size_t why_bytes)
{
	if (check_class(&nic->cnp, "CNP", why, why_bytes) != 0 ||
	    check_class(&nic->ack, "ACK", why, why_bytes) != 0 ||
	    check_class(&nic->data, "data", why, why_bytes) != 0)
		return -EPROTO;
	return 0;
}
