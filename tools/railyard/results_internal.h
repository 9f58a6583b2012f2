/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of results_*.c share; nobody else includes it. */
#ifndef RAILYARD_RESULTS_INTERNAL_H
#define RAILYARD_RESULTS_INTERNAL_H

#include "fabric.h"
#include "histogram.h"
#include "journal.h"
#include "results.h"
#include "scenario.h"
#include "switch.h"

enum results_file {
	RESULTS_FLOWS,
	RESULTS_SERIES,
	RESULTS_RATES,
	RESULTS_PORTS,
	RESULTS_QUEUES,
	RESULTS_PGS,
	RESULTS_DROPS,
	RESULTS_REORDERING,
	RESULTS_BALANCE,
	RESULTS_GROUPS,
	RESULTS_FILE_COUNT
};

/* Notes in the journal are lines of files of that number, but a struct flow_record for
 * RESULTS_FLOWS; and frames of captures.
 */
#define RESULTS_CAPTURED RESULTS_FILE_COUNT

#define RESULTS_SUMMARY "summary.json"
#define RESULTS_SUMMARY_TEMPORARY "summary.json.tmp"
#define RESULTS_JSON_DIGITS 12

/* "tor:12 pg 3" at most. */
#define RESULTS_PLACE_BYTES (NODE_NAME_BYTES + 16)

/* Messages that have ended, of the run or of one workload. */
struct flow_stats {
	uint64_t count;
	uint64_t completed;
	uint64_t failed;
	uint64_t incomplete;
	uint64_t completed_bytes;
	uint64_t retransmitted_packets;
	struct histogram fct_ps; /* counters NULL until the first completion */
	struct histogram slowdown_ppm;
	double rate_sum; /* of completed flows' bits a second, for Jain's index */
	double rate_square_sum;
};

/* One counter pair of the time series, as it was at the last sample. */
struct series_point {
	uint64_t bytes;
	uint64_t marked;
	bool active;
};

struct series_node {
	uint64_t sampled_ps;
	struct switch_node *sw; /* NULL: a host */
	struct host *host;
	struct series_point
		*points; /* by port: the port, its queues, its PGs; NULL until sampled */
};

struct results_groups;

/* Rows of a file: first their values are told, then those are written that it takes. */
struct results_rank {
	bool written; /* values are known, rows are being written */
	double *values;
	bool *keep; /* [count]; NULL: all */
	size_t count;
	size_t size;
	size_t next; /* row */
};

struct results {
	struct node_observer node_observer;
	struct host_observer host_observer;
	const struct fabric *fabric;
	struct capture_set *captures;
	struct journal *journal; /* what nodes report; NULL until opened */
	char *dir;               /* NULL: no files */
	bool made_dir;
	char **inputs; /* [input_count]: never to be written to */
	size_t input_count;
	FILE *files[RESULTS_FILE_COUNT]; /* NULL: no files, or short of memory */
	uint64_t flushed_ns;
	/* Counts of the fabric, which may be gone when the results are destroyed. */
	uint32_t node_count;
	uint32_t workload_count;
	struct series_node *series;    /* [node_count], by node id */
	struct results_groups *groups; /* of equal ways; NULL until opened */
	struct flow_stats flows;
	struct flow_stats *workloads; /* [workload_count] */
	uint64_t first_start_ps;
	uint64_t last_end_ps;
	bool short_of_memory;
	bool full;                  /* lists of the summary have all rows */
	bool aggregate;             /* files have the largest rows only */
	struct results_rank *ranks; /* [RESULTS_FILE_COUNT] */
	struct results_end end;
	json_t *warnings;
	json_t *summary;
	uint32_t failed_expectations;
	uint32_t snapshot_count;
};

/* Sums over all nodes. */
struct results_totals {
	struct node_counters nodes;
	struct host_results hosts;
	uint64_t xoff_frames;
	uint64_t xon_frames;
	uint64_t xoff_obeyed;
	uint64_t pause_frames;
	uint64_t mac_control_other;
	struct impair_counters impairments;
	uint64_t exhausted_nodes;
	uint64_t no_buffers;
};

/* Occupancy of a queue or PG over the run. limit_cells 0: the pipeline has no buffer limits. */
struct buffer_row {
	uint64_t packets; /* a queue: sent; a PG: admitted */
	uint64_t bytes;
	uint64_t marked;
	uint64_t dropped;
	uint64_t xoffs;
	uint64_t max_bytes; /* a queue: frame bytes; a PG: its cells in bytes */
	uint32_t cell_bytes;
	uint32_t max_cells;   /* all it held at once */
	uint32_t used_cells;  /* watermark of guaranteed and shared, to hold against limit_cells */
	uint32_t limit_cells; /* guaranteed + T when the shared watermark was set */
	uint32_t headroom_cells; /* headroom it may use */
	uint32_t headroom_max_cells;
	bool lossless;
};

/* results_rows.c: false when nothing came by. */
bool results_queue_row(const struct switch_node *sw, uint16_t port, uint8_t queue,
		       struct buffer_row *row);
bool results_pg_row(const struct switch_node *sw, uint16_t port, uint8_t pg,
		    struct buffer_row *row);
double results_fraction(const struct buffer_row *row);
void results_place(char place[RESULTS_PLACE_BYTES], const struct node *node, uint16_t port);
void results_totals(const struct results *r, struct results_totals *t);

/*
 * results.c: `json` as DIR/name, under another name first, so that it is whole or not there. 0,
 * or -errno with one line in why.
 */
int results_write_json(const struct results *r, const json_t *json, const char *name, char *why,
		       size_t why_bytes);

/* results_outputs.c: 0, or -EEXIST or -ENOMEM with one line in why. */
int results_check_outputs(const struct results *r, char *why, size_t why_bytes);

/* results.c: flush, and tell whether all that was ever printed arrived. 0 or -errno. */
int results_flush(FILE *out);

/*
 * results.c: end the note that a node has begun in the journal, on whatever lcore it runs; and
 * let all notes come into files and figures, between windows.
 */
void results_noted(struct results *r, const struct node *node, uint32_t kind);
void results_drain(struct results *r);

/* results_flows.c */
void results_flow(struct results *r, const struct flow_record *f);
json_t *results_flows_json(const struct results *r);
json_t *results_workloads_json(const struct results *r);
/* Percentiles and extremes in that unit; null each when nothing was recorded. */
json_t *results_distribution_json(const struct histogram *h, double unit);
double results_jain(const struct flow_stats *s);
double results_goodput_bps(const struct results *r, const struct results_totals *t);
void flow_stats_fini(struct flow_stats *s);

/* results_series.c */
int results_series_init(struct results *r);
void results_series_fini(struct results *r);
void results_sample(void *context, struct node *node, uint64_t now_ps);

/* results_groups.c. 0 or -ENOMEM; fini() also when that failed. */
int results_groups_init(struct results *r);
void results_groups_fini(struct results *r);
/*
 * Complete the rows of `kinds` with the imbalance of their groups; returns the largest. 0: there
 * is none.
 */
double results_groups_json(const struct results *r, json_t *kinds);
/* The same by sample interval, over all kinds; 0: there is none. */
double results_groups_sampled(const struct results *r);
void results_write_groups(const struct results *r);

/* results_reordering.c */
void results_write_reordering(const struct results *r);
json_t *results_reordering_json(struct results *r, const struct results_totals *t);

/* results_csv.c: the files that are written at the end. */
extern const char *const results_file_names[RESULTS_FILE_COUNT];
void results_write_header(const struct results *r, enum results_file file);
void results_write_counters(const struct results *r);
/* A name as a CSV field, quoted when it must be. */
void results_csv_text(FILE *out, const char *text);
/* Picoseconds as microseconds, all digits. */
void results_csv_us(FILE *out, uint64_t ps);

/* results_pauses.c, results_buffers.c, results_json.c: parts of the summary; NULL: no memory. */
/* results_marks.c: marks by depth, against what profiles say. */
json_t *results_marks_json(const struct results *r);
json_t *results_pfc_json(const struct results *r, const struct results_totals *t);
/* results_cap.c: of lists in the summary that are longer than this, the largest rows. */
#define RESULTS_LIST_MAX 1000
void results_cap(json_t *summary);
/* The `most` largest of count values, the first of equal ones. 0 or -ENOMEM. */
int results_largest(const double *values, size_t count, size_t most, bool *keep);

/*
 * results_files.c: the files that are written at the end, with all rows or the largest of each.
 * What is left out goes into the summary.
 */
void results_write_files(struct results *r);
/* Whether a row with this value is to be written now. */
bool results_takes_row(const struct results *r, enum results_file file, double value);

json_t *results_links_json(const struct results *r);
json_t *results_tiers_json(const struct results *r);
json_t *results_watchdog_json(const struct results *r);
int results_buffers_json(const struct results *r, json_t *summary);
/* results_real.c: the poll loop and the devices, and what of them is a reason to doubt. */
json_t *results_real_json(struct results *r);
/* results_neighbours.c; with a warning for each peer that did not answer. */
json_t *results_neighbours_json(struct results *r, const struct host_results *h);
/* results_failures.c: links that failed, in the order of the file. */
json_t *results_failures_json(const struct results *r);
json_t *results_build_summary(struct results *r);

#endif
