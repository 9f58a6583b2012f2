/* SPDX-License-Identifier: BSD-3-Clause */
#include "headroom_report.h"

#include <inttypes.h>
#include <string.h>

#include "config_units.h"
#include "human.h"
#include "units.h"

#define QUANTITY_BYTES 32

static const char *
rate_text(const struct headroom_cfg *cfg, char text[QUANTITY_BYTES])
{
	config_unit_format(CONFIG_UNIT_RATE, cfg->speed_bps, text, QUANTITY_BYTES);
	return text;
}

static const char *
length_text(const struct headroom_cfg *cfg, char text[QUANTITY_BYTES])
{
	config_unit_format(CONFIG_UNIT_LENGTH, cfg->cable_mm, text, QUANTITY_BYTES);
	return text;
}

uint64_t
headroom_pool_bytes(const struct headroom_pool *pool, const struct headroom_cfg *cfg)
{
	struct headroom_cfg shared = *cfg;
	struct headroom h;
	uint64_t sum_bytes, private_bytes = pool->ports * pool->private_bytes;

	shared.shared_pool = true;
	h = headroom_compute(&shared);
	sum_bytes = (h.xon_bytes + h.xoff_bytes - h.size_bytes) * pool->ports * pool->priorities;
	sum_bytes -= private_bytes < sum_bytes ? private_bytes : sum_bytes;
	return (sum_bytes + pool->over_subscribe_ratio - 1) / pool->over_subscribe_ratio;
}

static void
print_term(FILE *out, const char *name, uint64_t millibytes, const char *why)
{
	uint64_t tenths = (millibytes + 50) / 100;

	fprintf(out, "  %-42s %10s.%" PRIu64 " B%s%s\n", name, human_count(tenths / 10).text,
		tenths % 10, why[0] == '\0' ? "" : "   ", why);
}

/* What the peer may still send, and by which rule. */
static void
print_peer(FILE *out, const struct headroom_cfg *cfg, const struct headroom_terms *t)
{
	char why[80];

	if (cfg->peer_millibytes == HEADROOM_PEER_AUTO)
		snprintf(why, sizeof(why), "%u quanta of 64 B (802.3 31B.3.7)",
			 units_pause_response_quanta(cfg->speed_bps));
	else
		snprintf(why, sizeof(why), "as given");
	print_term(out, "the peer, until it obeys", t->peer_millibytes, why);
}

static void
print_xoff(FILE *out, const struct headroom_cfg *cfg)
{
	struct headroom_terms t = headroom_explain(cfg);
	char length[QUANTITY_BYTES], why[80];

	print_term(out, "our frame, in the way of the pause frame", t.frame_millibytes,
		   "the port's MTU");
	snprintf(why, sizeof(why), "2 x %s at 198,000 km/s", length_text(cfg, length));
	print_term(out, "the cable, there and back", t.cable_millibytes, why);
	if (t.gearbox_millibytes != 0)
		print_term(out, "the gearbox, there and back", t.gearbox_millibytes, "");
	print_term(out, "MAC and PHY", t.mac_phy_millibytes, "");
	print_peer(out, cfg, &t);
	if (t.tile_millibytes != 0)
		print_term(out, "the tile", t.tile_millibytes, "120 ns at the port's speed");
	print_term(out, "= may arrive after XOFF", t.propagation_millibytes, "");
	snprintf(why, sizeof(why), "%u %% of packets are 64 B, cells are %u B",
		 cfg->small_packet_percent, cfg->cell_bytes);
	fprintf(out, "  %-42s %10u.%03u     %s\n", "x cells that small packets fill badly",
		t.occupancy_millis / 1000, t.occupancy_millis % 1000, why);
	print_term(out, "+ the lossless frame that was under way", t.lossless_frame_millibytes, "");
}

/* What the formula leaves to the share of small packets, counted for the worst of them. */
static void
print_worst(FILE *out, const struct headroom_cfg *cfg)
{
	struct headroom_worst worst = headroom_worst(cfg);
	char why[80];

	snprintf(why, sizeof(why), "a flood of %u B frames, %u cell%s each", worst.frame_bytes,
		 worst.frame_cells, worst.frame_cells == 1 ? "" : "s");
	fprintf(out, "  %-42s %12s B   %s\n", "xoff, whatever the frames",
		human_count(worst.xoff_bytes).text, why);
}

static void
print_size(FILE *out, const struct headroom_cfg *cfg, const struct headroom *h)
{
	fprintf(out, "  %-42s %12s B   the pipeline's latency%s, up to whole KiB\n", "xon",
		human_count(h->xon_bytes).text, cfg->lanes == 8 ? ", twice for 8 lanes" : "");
	fprintf(out, "  %-42s %12s B   %s\n", "size", human_count(h->size_bytes).text,
		cfg->shared_pool  ? "xon: the headroom is in the shared pool"
		: cfg->lanes == 8 ? "xoff + xon + MTU for 8 lanes: the headroom is the PG's own"
				  : "xoff + xon: the headroom is the PG's own");
}

void
headroom_print_row(FILE *out, const struct headroom_row *row)
{
	const struct headroom_cfg *cfg = &row->cfg;
	struct headroom h = headroom_compute(cfg);
	char rate[QUANTITY_BYTES], length[QUANTITY_BYTES];

	fprintf(out, "Headroom of a lossless priority group, %s, cable of %s:\n\n",
		rate_text(cfg, rate), length_text(cfg, length));
	print_xoff(out, cfg);
	fprintf(out, "  %-42s %12s B   %s cells; up to whole KiB\n", "= xoff",
		human_count(h.xoff_bytes).text,
		human_count((h.xoff_bytes + cfg->cell_bytes - 1) / cfg->cell_bytes).text);
	print_size(out, cfg, &h);
	print_worst(out, cfg);
}

static void
print_given(FILE *out, const struct headroom_row *row, const struct headroom *h)
{
	uint64_t given = row->given_xoff_bytes;

	if (given == 0)
		fprintf(out, " %12s", "-");
	else if (given >= h->xoff_bytes)
		fprintf(out, " %12" PRIu64 "   %" PRIu64 " B to spare", given,
			given - h->xoff_bytes);
	else
		fprintf(out, " %12" PRIu64 "   %" PRIu64 " B SHORT", given, h->xoff_bytes - given);
}

void
headroom_print_table(FILE *out, const struct headroom_row *rows, size_t count)
{
	bool given = false;

	for (size_t i = 0; i < count; i++)
		given |= rows[i].given_xoff_bytes != 0;
	fprintf(out, "%10s %8s %10s %10s %10s %10s%s\n", "speed", "cable", "size", "xon", "xoff",
		"any frames", given ? "   given xoff" : "");
	for (size_t i = 0; i < count; i++) {
		struct headroom h = headroom_compute(&rows[i].cfg);
		char rate[QUANTITY_BYTES], length[QUANTITY_BYTES];

		fprintf(out, "%10s %8s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
			rate_text(&rows[i].cfg, rate), length_text(&rows[i].cfg, length),
			h.size_bytes, h.xon_bytes, h.xoff_bytes,
			headroom_worst(&rows[i].cfg).xoff_bytes);
		if (given)
			print_given(out, &rows[i], &h);
		fputc('\n', out);
	}
}

void
headroom_print_ini(FILE *out, const struct headroom_row *rows, size_t count)
{
	fprintf(out, "# PG lossless profiles.\n# speed cable size xon xoff threshold\n");
	for (size_t i = 0; i < count; i++) {
		struct headroom h = headroom_compute(&rows[i].cfg);
		char length[QUANTITY_BYTES];

		fprintf(out, "%" PRIu64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
			rows[i].cfg.speed_bps / 1000000, length_text(&rows[i].cfg, length),
			h.size_bytes, h.xon_bytes, h.xoff_bytes, rows[i].dynamic_th);
	}
}

void
headroom_print_pool(FILE *out, const struct headroom_pool *pool, const struct headroom_row *rows,
		    size_t count)
{
	fprintf(out,
		"\nShared headroom pool for %u ports of %u lossless priorities, over-subscribed "
		"%u:1\n",
		pool->ports, pool->priorities, pool->over_subscribe_ratio);
	for (size_t i = 0; i < count; i++) {
		char rate[QUANTITY_BYTES], length[QUANTITY_BYTES];

		fprintf(out, "%10s %8s %14s B\n", rate_text(&rows[i].cfg, rate),
			length_text(&rows[i].cfg, length),
			human_count(headroom_pool_bytes(pool, &rows[i].cfg)).text);
	}
}

static json_t *
worst_json(const struct headroom_cfg *cfg)
{
	struct headroom_worst worst = headroom_worst(cfg);

	return json_pack("{s:I, s:I, s:I}", "frame_bytes", (json_int_t)worst.frame_bytes,
			 "frame_cells", (json_int_t)worst.frame_cells, "xoff_bytes",
			 (json_int_t)worst.xoff_bytes);
}

static json_t *
terms_json(const struct headroom_cfg *cfg)
{
	struct headroom_terms t = headroom_explain(cfg);

	return json_pack(
		"{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "frame_bytes",
		(double)t.frame_millibytes / 1e3, "cable_bytes", (double)t.cable_millibytes / 1e3,
		"gearbox_bytes", (double)t.gearbox_millibytes / 1e3, "mac_phy_bytes",
		(double)t.mac_phy_millibytes / 1e3, "peer_bytes", (double)t.peer_millibytes / 1e3,
		"tile_bytes", (double)t.tile_millibytes / 1e3, "propagation_bytes",
		(double)t.propagation_millibytes / 1e3, "cell_factor",
		(double)t.occupancy_millis / 1e3, "lossless_frame_bytes",
		(double)t.lossless_frame_millibytes / 1e3);
}

json_t *
headroom_json(const struct headroom_row *rows, size_t count, const struct headroom_pool *pool)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct headroom_cfg *cfg = &rows[i].cfg;
		struct headroom h = headroom_compute(cfg);
		json_t *row = json_pack(
			"{s:I, s:f, s:I, s:I, s:I, s:o, s:o}", "speed_bps",
			(json_int_t)cfg->speed_bps, "cable_m", (double)cfg->cable_mm / 1e3,
			"size_bytes", (json_int_t)h.size_bytes, "xon_bytes",
			(json_int_t)h.xon_bytes, "xoff_bytes", (json_int_t)h.xoff_bytes, "worst",
			worst_json(cfg), "terms", terms_json(cfg));

		if (rows[i].given_xoff_bytes != 0)
			json_object_set_new(row, "given_xoff_bytes",
					    json_integer((json_int_t)rows[i].given_xoff_bytes));
		if (pool->ports != 0)
			json_object_set_new(
				row, "shared_pool_bytes",
				json_integer((json_int_t)headroom_pool_bytes(pool, cfg)));
		json_array_append_new(list, row);
	}
	return list;
}
