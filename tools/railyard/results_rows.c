/* SPDX-License-Identifier: BSD-3-Clause */
/* Read the counters of nodes: what the CSV files and the summary both report. */
#include <string.h>

#include "results_internal.h"

/* Guaranteed and shared use against the limit that stood when the shared use peaked. */
static void
account_row(const struct mmu *mmu, const struct mmu_account *a, uint16_t port, uint8_t class,
	    bool is_pg, struct buffer_row *row)
{
	const struct mmu_limit *limit = &mmu->limits[a->limit];

	row->cell_bytes = mmu->cell_bytes;
	row->max_cells = a->max_cells;
	if (!a->bound)
		return;
	row->lossless = limit->lossless;
	if (a->max_shared_cells > 0) {
		row->used_cells = limit->min_cells + a->max_shared_cells;
		row->limit_cells = limit->min_cells + a->limit_at_max_cells;
	} else {
		/* It never left its guarantee: hold it against what it could have had. */
		row->used_cells = a->max_cells;
		row->limit_cells =
			limit->min_cells + (is_pg ? mmu_pg_limit_cells(mmu, port, class)
						  : mmu_queue_limit_cells(mmu, port, class));
	}
}

/* Headroom a PG may use: its own, or no more than there is in the pool it shares. */
static void
headroom_row(const struct mmu *mmu, uint16_t port, const struct mmu_account *a,
	     struct buffer_row *row)
{
	const struct mmu_limit *limit;
	const struct mmu_pool *pool;

	if (!row->lossless)
		return;
	limit = &mmu->limits[a->limit];
	pool = &mmu->pools[mmu->partition[port] * mmu->pool_count + limit->pool];
	row->headroom_cells = limit->xoff_cells;
	if (pool->headroom_size_cells > 0 &&
	    (row->headroom_cells == 0 || row->headroom_cells > pool->headroom_size_cells))
		row->headroom_cells = pool->headroom_size_cells;
	row->headroom_max_cells = a->max_headroom_cells;
}

bool
results_queue_row(const struct switch_node *sw, uint16_t port, uint8_t queue,
		  struct buffer_row *row)
{
	const struct switch_queue *q = &sw->ports[port].queues[queue];

	*row = (struct buffer_row){
		.packets = q->tx_packets,
		.bytes = q->tx_bytes,
		.marked = q->marked,
		.dropped = q->dropped,
		.max_bytes = q->max_bytes,
	};
	if (sw->pipeline->uses_mmu)
		account_row(&sw->mmu, mmu_queue(&sw->mmu, port, queue), port, queue, false, row);
	return row->packets > 0 || row->dropped > 0 || row->max_bytes > 0;
}

bool
results_pg_row(const struct switch_node *sw, uint16_t port, uint8_t pg, struct buffer_row *row)
{
	const uint64_t(*drops)[8] = (const uint64_t(*)[8])sw->node.ports[port].drops;
	const struct mmu_account *a;

	*row = (struct buffer_row){0};
	if (!sw->pipeline->uses_mmu)
		return false;
	a = mmu_pg(&sw->mmu, port, pg);
	account_row(&sw->mmu, a, port, pg, true, row);
	headroom_row(&sw->mmu, port, a, row);
	row->packets = a->packets;
	row->bytes = a->bytes;
	row->xoffs = a->xoffs;
	row->max_bytes = (uint64_t)a->max_cells * sw->mmu.cell_bytes;
	row->dropped = drops[DROP_INGRESS_HEADROOM][pg] + drops[DROP_HEADROOM_POOL][pg] +
		       drops[DROP_INGRESS_LIMIT][pg];
	return row->packets > 0 || row->dropped > 0;
}

double
results_fraction(const struct buffer_row *row)
{
	return row->limit_cells == 0 ? 0 : (double)row->used_cells / row->limit_cells;
}

void
results_place(char place[RESULTS_PLACE_BYTES], const struct node *node, uint16_t port)
{
	snprintf(place, RESULTS_PLACE_BYTES, "%s:%u", node->name, port);
}

static void
add_impairments(struct impair_counters *sum, const struct impair_counters *c)
{
	sum->lost += c->lost;
	sum->duplicated += c->duplicated;
	sum->delayed += c->delayed;
	sum->reordered += c->reordered;
	sum->corrupted += c->corrupted;
	sum->marked += c->marked;
	sum->pauses += c->pauses;
}

static void
add_node(struct results_totals *t, const struct node *node)
{
	const struct node_counters *c = &node->counters;

	t->nodes.created += c->created;
	t->nodes.copied += c->copied;
	t->nodes.delivered += c->delivered;
	t->nodes.consumed += c->consumed;
	t->nodes.dropped += c->dropped;
	t->nodes.dropped_bytes += c->dropped_bytes;
	t->nodes.hops += c->hops;
	t->nodes.marked += c->marked;
	t->exhausted_nodes += node->no_buffers != 0;
	t->no_buffers += node->no_buffers;
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct node_port *port = &node->ports[p];

		t->pause_frames += port->pause_frames;
		t->mac_control_other += port->mac_control_other;
		if (port->impair != NULL)
			add_impairments(&t->impairments, &port->impair->counters);
		for (int i = 0; i < PFC_PRIORITIES; i++) {
			t->xoff_frames += port->pfc_tx.xoff_frames[i];
			t->xon_frames += port->pfc_tx.xon_frames[i];
			t->xoff_obeyed += port->pfc_rx.xoff_frames[i];
		}
	}
}

static void
add_host(struct host_results *sum, const struct host_results *h)
{
	sum->messages_posted += h->messages_posted;
	sum->messages_completed += h->messages_completed;
	sum->messages_failed += h->messages_failed;
	sum->messages_delivered += h->messages_delivered;
	sum->bytes_delivered += h->bytes_delivered;
	sum->data_packets_sent += h->data_packets_sent;
	sum->retransmitted_packets += h->retransmitted_packets;
	sum->retransmitted_nak += h->retransmitted_nak;
	sum->retransmitted_gap += h->retransmitted_gap;
	sum->retransmitted_timeout += h->retransmitted_timeout;
	sum->acks_sent += h->acks_sent;
	sum->naks_sent += h->naks_sent;
	sum->timeouts += h->timeouts;
	sum->out_of_order += h->out_of_order;
	sum->duplicates += h->duplicates;
	sum->data_packets_received += h->data_packets_received;
	sum->reordered_packets += h->reordered_packets;
	sum->reorder_held_max = RTE_MAX(sum->reorder_held_max, h->reorder_held_max);
	sum->ce_received += h->ce_received;
	sum->cnp_sent += h->cnp_sent;
	sum->cnp_received += h->cnp_received;
	sum->neighbours_answered += h->neighbours_answered;
	sum->echoes_answered += h->echoes_answered;
	sum->neighbours_asked += h->neighbours_asked;
	sum->neighbours_lost += h->neighbours_lost;
	sum->udp_sent += h->udp_sent;
	sum->udp_received += h->udp_received;
	sum->udp_bytes_received += h->udp_bytes_received;
}

void
results_totals(const struct results *r, struct results_totals *t)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < r->fabric->node_count; i++)
		add_node(t, r->fabric->nodes[i]);
	for (uint32_t i = 0; i < r->fabric->host_count; i++)
		add_host(&t->hosts, host_results(r->fabric->hosts[i]));
}
