/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV files: their headers, and those that list the counters at the end of the run. */
#include <inttypes.h>
#include <string.h>

#include "results_internal.h"

const char *const results_file_names[RESULTS_FILE_COUNT] = {
	[RESULTS_FLOWS] = "flows.csv",     [RESULTS_SERIES] = "timeseries.csv",
	[RESULTS_RATES] = "rates.csv",     [RESULTS_PORTS] = "ports.csv",
	[RESULTS_QUEUES] = "queues.csv",   [RESULTS_PGS] = "pgs.csv",
	[RESULTS_DROPS] = "drops.csv",     [RESULTS_REORDERING] = "reordering.csv",
	[RESULTS_BALANCE] = "balance.csv", [RESULTS_GROUPS] = "groups.csv",
};

static const char *const headers[RESULTS_FILE_COUNT] = {
	[RESULTS_FLOWS] = "source,destination,source_qp,destination_qp,workload,verb,bytes,"
			  "start_us,fct_us,slowdown,retransmitted_packets,status",
	[RESULTS_SERIES] = "time_us,node,port,kind,index,depth_bytes,limit_bytes,paused,"
			   "rate_bps,marks",
	[RESULTS_RATES] = "time_us,host,peer,qp,rate_bps",
	[RESULTS_PORTS] = "node,port,rate_bps,rx_packets,rx_bytes,tx_packets,tx_bytes,"
			  "tx_utilisation,drops,pause_frames,mac_control_other",
	[RESULTS_QUEUES] = "node,port,queue,tx_packets,tx_bytes,marked,dropped,max_bytes,"
			   "max_cells,used_cells,limit_cells,used_bytes,limit_bytes,"
			   "used_fraction",
	[RESULTS_PGS] = "node,port,pg,lossless,packets,bytes,dropped,xoffs,max_bytes,max_cells,"
			"used_cells,limit_cells,used_bytes,limit_bytes,used_fraction,"
			"headroom_max_cells,headroom_cells,headroom_max_bytes,headroom_bytes",
	[RESULTS_DROPS] = "node,port,class,reason,packets",
	[RESULTS_REORDERING] = "host,peer,qp,direction,packets,reordered,fraction,distance_max,"
			       "held_max",
	[RESULTS_BALANCE] = "time_us,from,to,groups,links,utilisation_mean,utilisation_max,"
			    "imbalance,imbalance_max,imbalance_max_at",
	[RESULTS_GROUPS] = "node,group,members,port,to,packets,bytes,utilisation,over_mean",
};

/* By priority, after the fixed columns of ports.csv. */
static const char *const priority_columns[] = {"xoff_sent",    "xon_sent",  "xoff_received",
					       "xon_received", "paused_us", "pausing_us"};

void
results_csv_text(FILE *out, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void
results_csv_us(FILE *out, uint64_t ps)
{
	uint64_t us = ps / UNITS_PS_PER_US;

	fprintf(out, "%" PRIu64 ".%06u", us, (unsigned int)(ps - us * UNITS_PS_PER_US));
}

void
results_write_header(const struct results *r, enum results_file file)
{
	FILE *out = r->files[file];

	fputs(headers[file], out);
	for (size_t i = 0; file == RESULTS_PORTS && i < RTE_DIM(priority_columns); i++) {
		for (int p = 0; p < PFC_PRIORITIES; p++)
			fprintf(out, ",%s_%d", priority_columns[i], p);
	}
	if (file == RESULTS_PORTS)
		fputs(",impaired_lost,impaired_duplicated,impaired_delayed,impaired_reordered,"
		      "impaired_corrupted,impaired_marked,impaired_pauses,link_up,link_ups,"
		      "link_downs,balanced_packets,balanced_bytes",
		      out);
	fputc('\n', out);
}

static void
write_counts(FILE *out, const uint64_t counts[PFC_PRIORITIES])
{
	for (int i = 0; i < PFC_PRIORITIES; i++)
		fprintf(out, ",%" PRIu64, counts[i]);
}

static void
write_times(FILE *out, const uint64_t times_ps[PFC_PRIORITIES])
{
	for (int i = 0; i < PFC_PRIORITIES; i++) {
		fputc(',', out);
		results_csv_us(out, times_ps[i]);
	}
}

static void
write_impairments(FILE *out, const struct impair *im)
{
	static const struct impair_counters none;
	const struct impair_counters *c = im == NULL ? &none : &im->counters;

	fprintf(out,
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		c->lost, c->duplicated, c->delayed, c->reordered, c->corrupted, c->marked,
		c->pauses);
}

/* What a balancer sent here: 0 at hosts, and where there is no choice. */
static void
write_balanced(const struct results *r, const struct node *node, uint16_t index, FILE *out)
{
	const struct balancer *b = NULL;
	uint64_t packets = 0, bytes = 0;

	if (node->id < r->fabric->switch_count)
		b = &r->fabric->switches[node->id]->forwarding.balancer;
	if (b != NULL && b->ports != NULL && index < b->port_count) {
		packets = b->ports[index].packets;
		bytes = b->ports[index].bytes;
	}
	fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", packets, bytes);
}

static void
write_port(const struct results *r, const struct node *node, uint16_t index)
{
	const struct node_port *port = &node->ports[index];
	FILE *out = r->files[RESULTS_PORTS];
	FILE *drops_out = r->files[RESULTS_DROPS];
	uint64_t drops = 0;

	for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
		for (int class = 0; class < 8; class ++) {
			uint64_t packets = port->drops[reason][class];

			drops += packets;
			if (packets == 0 || !results_takes_row(r, RESULTS_DROPS, (double)packets))
				continue;
			results_csv_text(drops_out, node->name);
			fprintf(drops_out, ",%u,%d,%s,%" PRIu64 "\n", index, class,
				drop_reason_name((enum drop_reason)reason), packets);
		}
	}
	if (!results_takes_row(r, RESULTS_PORTS, (double)(port->rx_bytes + port->tx_bytes)))
		return;
	results_csv_text(out, node->name);
	fprintf(out, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f", index,
		port->cfg.rate_bps, port->rx_packets, port->rx_bytes, port->tx_packets,
		port->tx_bytes,
		r->end.virtual_ps > 0 ? (double)port->busy_ps / (double)r->end.virtual_ps : 0.0);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, drops, port->pause_frames,
		port->mac_control_other);
	write_counts(out, port->pfc_tx.xoff_frames);
	write_counts(out, port->pfc_tx.xon_frames);
	write_counts(out, port->pfc_rx.xoff_frames);
	write_counts(out, port->pfc_rx.xon_frames);
	write_times(out, port->pfc_rx.paused_ps);
	write_times(out, port->pfc_tx.xoff_ps);
	write_impairments(out, port->impair);
	fprintf(out, ",%d,%" PRIu64 ",%" PRIu64, !port->link_down, port->link_ups,
		port->link_downs);
	write_balanced(r, node, index, out);
}

/* max_cells on; empty where the pipeline has no buffer limits. */
static void
write_occupancy(FILE *out, const struct buffer_row *row)
{
	if (row->limit_cells == 0) {
		fputs(",,,,,,", out);
		return;
	}
	fprintf(out, ",%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%.6f", row->max_cells, row->used_cells,
		row->limit_cells, (uint64_t)row->used_cells * row->cell_bytes,
		(uint64_t)row->limit_cells * row->cell_bytes, results_fraction(row));
}

static void
write_queue(FILE *out, const struct node *node, uint16_t port, uint8_t queue,
	    const struct buffer_row *row)
{
	results_csv_text(out, node->name);
	fprintf(out, ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, port, queue,
		row->packets, row->bytes, row->marked, row->dropped, row->max_bytes);
	write_occupancy(out, row);
	fputc('\n', out);
}

static void
write_pg(FILE *out, const struct node *node, uint16_t port, uint8_t pg,
	 const struct buffer_row *row)
{
	results_csv_text(out, node->name);
	fprintf(out, ",%u,%u,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, port, pg,
		row->lossless, row->packets, row->bytes, row->dropped, row->xoffs, row->max_bytes);
	write_occupancy(out, row);
	fprintf(out, ",%u,%u,%" PRIu64 ",%" PRIu64 "\n", row->headroom_max_cells,
		row->headroom_cells, (uint64_t)row->headroom_max_cells * row->cell_bytes,
		(uint64_t)row->headroom_cells * row->cell_bytes);
}

void
results_write_counters(const struct results *r)
{
	const struct fabric *fabric = r->fabric;
	struct buffer_row row;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		for (uint16_t port = 0; port < fabric->nodes[i]->port_count; port++)
			write_port(r, fabric->nodes[i], port);
	}
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		const struct switch_node *sw = fabric->switches[i];

		for (uint32_t n = 0; n < (uint32_t)sw->node.port_count * SWITCH_QUEUES; n++) {
			uint16_t port = (uint16_t)(n / SWITCH_QUEUES);
			uint8_t class = n % SWITCH_QUEUES;

			if (results_queue_row(sw, port, class, &row) &&
			    results_takes_row(r, RESULTS_QUEUES, (double)row.max_bytes))
				write_queue(r->files[RESULTS_QUEUES], &sw->node, port, class, &row);
			if (results_pg_row(sw, port, class, &row) &&
			    results_takes_row(r, RESULTS_PGS, (double)row.max_bytes))
				write_pg(r->files[RESULTS_PGS], &sw->node, port, class, &row);
		}
	}
}
