/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time series: what ports, queues and PGs hold and did since the last sample, and the rate
 * that congestion control allows each queue pair. A line is written while something is not
 * idle, and once more when it has just become so; files stay small and plots fall back to 0.
 */
#include <errno.h>
#include <stdlib.h>

#include "results_internal.h"

/* The port itself, its queues, its PGs. */
#define POINTS (1 + SWITCH_QUEUES + MMU_CLASSES)

struct sample {
	const char *kind;
	uint16_t port;
	uint8_t index;
	uint64_t depth_bytes;
	uint64_t limit_bytes; /* UINT64_MAX = none */
	uint8_t paused;
	uint64_t bytes; /* counters so far */
	uint64_t marked;
};

struct sampling {
	FILE *out;
	const struct node *node;
	uint64_t now_ps;
	uint64_t elapsed_ps;
};

int
results_series_init(struct results *r)
{
	const struct fabric *fabric = r->fabric;

	r->series = calloc(r->node_count + 1, sizeof(r->series[0]));
	if (r->series == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		r->series[fabric->switches[i]->node.id].sw = fabric->switches[i];
	for (uint32_t i = 0; i < fabric->host_count; i++)
		r->series[host_node(fabric->hosts[i])->id].host = fabric->hosts[i];
	return 0;
}

void
results_series_fini(struct results *r)
{
	for (uint32_t i = 0; r->series != NULL && i < r->node_count; i++)
		free(r->series[i].points);
	free(r->series);
}

static void
write_sample(const struct sampling *s, struct series_point *last, const struct sample *x)
{
	uint64_t rate_bps = 0;
	uint64_t marks = x->marked - last->marked;
	bool active;

	if (s->elapsed_ps > 0)
		rate_bps = (uint64_t)((unsigned __int128)(x->bytes - last->bytes) * 8 *
				      UNITS_PS_PER_S / s->elapsed_ps);
	active = x->depth_bytes > 0 || rate_bps > 0 || x->paused != 0 || marks > 0;
	if (active || last->active) {
		results_csv_us(s->out, s->now_ps);
		fputc(',', s->out);
		results_csv_text(s->out, s->node->name);
		fprintf(s->out, ",%u,%s,%u,%llu,", x->port, x->kind, x->index,
			(unsigned long long)x->depth_bytes);
		if (x->limit_bytes != UINT64_MAX)
			fprintf(s->out, "%llu", (unsigned long long)x->limit_bytes);
		fprintf(s->out, ",%u,%llu,%llu\n", x->paused, (unsigned long long)rate_bps,
			(unsigned long long)marks);
	}
	*last = (struct series_point){x->bytes, x->marked, active};
}

/* Guaranteed and shared, as it stands now. */
static uint64_t
limit_bytes(const struct mmu *mmu, const struct mmu_account *a, uint16_t port, uint8_t class,
	    bool is_pg)
{
	uint64_t cells;

	if (!a->bound)
		return UINT64_MAX;
	cells = is_pg ? mmu_pg_limit_cells(mmu, port, class)
		      : mmu_queue_limit_cells(mmu, port, class);
	return (cells + mmu->limits[a->limit].min_cells) * mmu->cell_bytes;
}

/* Is a priority paused that stops this queue? */
static bool
queue_is_paused(const struct switch_port *port, uint8_t paused, uint8_t queue)
{
	for (unsigned int priority = 0; priority < PFC_PRIORITIES; priority++) {
		if (((paused >> priority) & 1) != 0 && port->maps->pfc_to_queue[priority] == queue)
			return true;
	}
	return false;
}

static void
sample_queues(const struct sampling *s, const struct switch_node *sw, uint16_t port,
	      struct series_point *points, struct sample *whole)
{
	const struct mmu *mmu = &sw->mmu;

	for (uint8_t i = 0; i < SWITCH_QUEUES; i++) {
		const struct switch_queue *q = &sw->ports[port].queues[i];
		struct sample x = {
			.kind = "queue",
			.port = port,
			.index = i,
			.depth_bytes = q->bytes,
			.limit_bytes = UINT64_MAX,
			.paused = queue_is_paused(&sw->ports[port],
						  sw->node.ports[port].pfc_rx.paused, i),
			.bytes = q->tx_bytes,
			.marked = q->marked,
		};

		if (sw->pipeline->uses_mmu)
			x.limit_bytes = limit_bytes(mmu, mmu_queue(mmu, port, i), port, i, false);
		whole->depth_bytes += q->bytes;
		whole->marked += q->marked;
		write_sample(s, &points[i], &x);
	}
}

static void
sample_pgs(const struct sampling *s, const struct switch_node *sw, uint16_t port,
	   struct series_point *points)
{
	const struct mmu *mmu = &sw->mmu;

	for (uint8_t i = 0; i < MMU_CLASSES; i++) {
		const struct mmu_account *a = mmu_pg(mmu, port, i);
		uint64_t cells = (uint64_t)a->min_cells + a->shared_cells + a->headroom_cells;
		struct sample x = {
			.kind = "pg",
			.port = port,
			.index = i,
			.depth_bytes = cells * mmu->cell_bytes,
			.limit_bytes = limit_bytes(mmu, a, port, i, true),
			.paused = a->xoff,
			.bytes = a->bytes,
		};

		write_sample(s, &points[i], &x);
	}
}

struct rate_context {
	const struct results *r;
	FILE *out;
	const char *name;
	uint64_t now_ps;
};

static void
write_rate(void *context, uint32_t peer, uint32_t qp, uint64_t rate_bps)
{
	const struct rate_context *c = context;
	const struct fabric *fabric = c->r->fabric;

	results_csv_us(c->out, c->now_ps);
	fputc(',', c->out);
	results_csv_text(c->out, c->name);
	fputc(',', c->out);
	results_csv_text(c->out,
			 peer < fabric->host_count ? host_node(fabric->hosts[peer])->name : "");
	fprintf(c->out, ",%u,%llu\n", qp, (unsigned long long)rate_bps);
}

void
results_sample(void *context, struct node *node, uint64_t now_ps)
{
	struct results *r = context;
	struct series_node *n;
	struct sampling s = {NULL, node, now_ps, 0};

	if (r->fabric == NULL || r->files[RESULTS_SERIES] == NULL || r->aggregate)
		return;
	n = &r->series[node->id];
	if (n->points == NULL)
		n->points = calloc((size_t)node->port_count * POINTS, sizeof(n->points[0]));
	if (n->points == NULL) {
		__atomic_store_n(&r->short_of_memory, true, __ATOMIC_RELAXED);
		return;
	}
	s.out = journal_begin(r->journal, node);
	s.elapsed_ps = now_ps - n->sampled_ps;
	n->sampled_ps = now_ps;
	for (uint16_t port = 0; port < node->port_count; port++) {
		struct series_point *points = &n->points[port * POINTS];
		struct sample whole = {
			.kind = "port",
			.port = port,
			.limit_bytes = UINT64_MAX,
			.paused = node->ports[port].pfc_rx.paused,
			.bytes = node->ports[port].tx_bytes,
		};

		if (n->sw != NULL) {
			sample_queues(&s, n->sw, port, points + 1, &whole);
			if (n->sw->pipeline->uses_mmu)
				sample_pgs(&s, n->sw, port, points + 1 + SWITCH_QUEUES);
		}
		write_sample(&s, points, &whole);
	}
	results_noted(r, node, RESULTS_SERIES);
	if (n->host != NULL) {
		struct rate_context c = {r, journal_begin(r->journal, node), node->name, now_ps};

		host_each_rate(n->host, now_ps, write_rate, &c);
		results_noted(r, node, RESULTS_RATES);
	}
}
