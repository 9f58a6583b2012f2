/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary's queues, priority groups, pools and headroom: watermarks against limits. */
#include <string.h>

#include "results_internal.h"

/* The largest over all queues, all PGs, or all lossless PGs, and where it was. */
struct extremes {
	uint64_t max_bytes;
	double max_fraction;
	uint64_t margin_bytes;
	double headroom_fraction;
	bool has_headroom;
	char bytes_at[RESULTS_PLACE_BYTES];
	char fraction_at[RESULTS_PLACE_BYTES];
	char margin_at[RESULTS_PLACE_BYTES];
};

static void
class_place(char place[RESULTS_PLACE_BYTES], const struct switch_node *sw, uint16_t port,
	    const char *kind, uint8_t class)
{
	snprintf(place, RESULTS_PLACE_BYTES, "%s:%u %s %u", sw->node.name, port, kind, class);
}

static void
note_extremes(struct extremes *e, const struct buffer_row *row, const char *place)
{
	uint64_t free_cells = row->headroom_cells - row->headroom_max_cells;
	uint64_t margin_bytes = free_cells * row->cell_bytes;

	if (row->max_bytes > e->max_bytes) {
		e->max_bytes = row->max_bytes;
		strcpy(e->bytes_at, place);
	}
	if (results_fraction(row) > e->max_fraction) {
		e->max_fraction = results_fraction(row);
		strcpy(e->fraction_at, place);
	}
	if (!row->lossless || row->headroom_cells == 0)
		return;
	if (row->headroom_max_cells > row->headroom_cells)
		margin_bytes = 0;
	if (!e->has_headroom || margin_bytes < e->margin_bytes) {
		e->margin_bytes = margin_bytes;
		strcpy(e->margin_at, place);
	}
	e->has_headroom = true;
	if ((double)row->headroom_max_cells / row->headroom_cells > e->headroom_fraction)
		e->headroom_fraction = (double)row->headroom_max_cells / row->headroom_cells;
}

static json_t *
extremes_json(const struct extremes *e)
{
	return json_pack("{s:I, s:f, s:s, s:s}", "bytes", (json_int_t)e->max_bytes, "fraction",
			 e->max_fraction, "bytes_at", e->bytes_at, "fraction_at", e->fraction_at);
}

static json_t *
headroom_json(const struct extremes *e)
{
	if (!e->has_headroom)
		return json_pack("{s:n, s:n}", "margin_bytes", "used_fraction");
	return json_pack("{s:I, s:f, s:s}", "margin_bytes", (json_int_t)e->margin_bytes,
			 "used_fraction", e->headroom_fraction, "margin_at", e->margin_at);
}

/* What a queue and a PG have in common; with the names of the CSV files. */
static json_t *
row_json(const struct switch_node *sw, uint16_t port, const char *kind, uint8_t class,
	 const struct buffer_row *row)
{
	bool is_pg = strcmp(kind, "pg") == 0;
	json_t *o = json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "node", sw->node.name, "port",
			      port, kind, class, is_pg ? "packets" : "tx_packets",
			      (json_int_t)row->packets, is_pg ? "bytes" : "tx_bytes",
			      (json_int_t)row->bytes, "dropped", (json_int_t)row->dropped,
			      "max_bytes", (json_int_t)row->max_bytes);

	if (row->limit_cells == 0)
		return o;
	json_object_set_new(o, "max_cells", json_integer(row->max_cells));
	json_object_set_new(o, "used_cells", json_integer(row->used_cells));
	json_object_set_new(o, "limit_cells", json_integer(row->limit_cells));
	json_object_set_new(o, "used_bytes",
			    json_integer((json_int_t)row->used_cells * row->cell_bytes));
	json_object_set_new(o, "limit_bytes",
			    json_integer((json_int_t)row->limit_cells * row->cell_bytes));
	json_object_set_new(o, "used_fraction", json_real(results_fraction(row)));
	return o;
}

static json_t *
pg_json(const struct switch_node *sw, uint16_t port, uint8_t pg, const struct buffer_row *row)
{
	json_t *o = row_json(sw, port, "pg", pg, row);

	json_object_set_new(o, "lossless", json_boolean(row->lossless));
	json_object_set_new(o, "xoffs", json_integer((json_int_t)row->xoffs));
	if (!row->lossless)
		return o;
	json_object_set_new(o, "headroom_max_cells", json_integer(row->headroom_max_cells));
	json_object_set_new(o, "headroom_cells", json_integer(row->headroom_cells));
	json_object_set_new(o, "headroom_max_bytes",
			    json_integer((json_int_t)row->headroom_max_cells * row->cell_bytes));
	json_object_set_new(o, "headroom_bytes",
			    json_integer((json_int_t)row->headroom_cells * row->cell_bytes));
	return o;
}

static void
add_switch(const struct switch_node *sw, json_t *queues, json_t *pgs, struct extremes *queue_max,
	   struct extremes *pg_max)
{
	char place[RESULTS_PLACE_BYTES];
	struct buffer_row row;

	for (uint32_t n = 0; n < (uint32_t)sw->node.port_count * SWITCH_QUEUES; n++) {
		uint16_t port = (uint16_t)(n / SWITCH_QUEUES);
		uint8_t class = n % SWITCH_QUEUES;

		if (results_queue_row(sw, port, class, &row)) {
			json_t *o = row_json(sw, port, "queue", class, &row);

			json_object_set_new(o, "marked", json_integer((json_int_t)row.marked));
			json_array_append_new(queues, o);
			class_place(place, sw, port, "queue", class);
			note_extremes(queue_max, &row, place);
		}
		if (results_pg_row(sw, port, class, &row)) {
			json_array_append_new(pgs, pg_json(sw, port, class, &row));
			class_place(place, sw, port, "pg", class);
			note_extremes(pg_max, &row, place);
		}
	}
}

/* Pools by partition; those that nothing was charged to are left out. */
static void
add_pools(const struct switch_node *sw, json_t *list)
{
	const struct mmu *mmu = &sw->mmu;

	if (!sw->pipeline->uses_mmu)
		return;
	for (uint32_t i = 0; i < mmu->partitions * mmu->pool_count; i++) {
		const struct mmu_pool *pool = &mmu->pools[i];
		uint32_t index = i % mmu->pool_count;

		if (pool->max_used_cells == 0 && pool->max_headroom_cells == 0)
			continue;
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "node", sw->node.name,
				  "pool", sw->cfg->mmu.pools[index].name, "partition",
				  (int)(i / mmu->pool_count), "cell_bytes", (int)mmu->cell_bytes,
				  "size_cells", (json_int_t)pool->size_cells, "max_used_cells",
				  (json_int_t)pool->max_used_cells, "headroom_size_cells",
				  (json_int_t)pool->headroom_size_cells, "headroom_max_cells",
				  (json_int_t)pool->max_headroom_cells));
	}
}

int
results_buffers_json(const struct results *r, json_t *summary)
{
	const struct fabric *fabric = r->fabric;
	struct extremes queue_max = {0};
	struct extremes pg_max = {0};
	json_t *queues = json_array();
	json_t *pgs = json_array();
	json_t *pools = json_array();

	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		add_switch(fabric->switches[i], queues, pgs, &queue_max, &pg_max);
		add_pools(fabric->switches[i], pools);
	}
	return json_object_set_new(summary, "queues_max", extremes_json(&queue_max)) |
	       json_object_set_new(summary, "pgs_max", extremes_json(&pg_max)) |
	       json_object_set_new(summary, "headroom", headroom_json(&pg_max)) |
	       json_object_set_new(summary, "queues", queues) |
	       json_object_set_new(summary, "pgs", pgs) |
	       json_object_set_new(summary, "pools", pools);
}
