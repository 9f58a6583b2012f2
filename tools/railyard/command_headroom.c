/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much headroom a lossless priority group needs, by speed, cable and what is behind it:
 * explained for one port, as a table for many, beside the rows that a switch's profile has.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "config_internal.h"
#include "headroom_report.h"
#include "options.h"
#include "search_path.h"

#define MAX_LIST 64
#define MAX_ROWS (MAX_LIST * MAX_LIST)

enum {
	OPTION_SPEED = OPTION_OWN,
	OPTION_CABLE,
	OPTION_PROFILE,
	OPTION_ASIC,
	OPTION_MTU,
	OPTION_LOSSLESS_MTU,
	OPTION_SMALL,
	OPTION_CELL,
	OPTION_PEER,
	OPTION_PIPELINE,
	OPTION_GEARBOX,
	OPTION_MAC_PHY,
	OPTION_LANES,
	OPTION_TILE,
	OPTION_SHARED,
	OPTION_PORTS,
	OPTION_PRIORITIES,
	OPTION_RATIO,
	OPTION_PRIVATE,
	OPTION_INI,
};

static const char usage[] =
	"usage: railyard headroom --speed RATE[,RATE...] --cable LENGTH[,LENGTH...]\n"
	"                         [options]\n"
	"       railyard headroom --profile NAME [options]\n"
	"\n"
	"Compute xoff, xon and size of a lossless priority group as SONiC's dynamic\n"
	"headroom calculation does; explain each term for one speed and cable, print a\n"
	"table for more.\n"
	"\n"
	"  --profile NAME          cell, model and headroom table of a switch's buffer\n"
	"                          profile: its rows beside what is computed for their\n"
	"                          speed and cable\n"
	"  --asic NAME             cell, pipeline latency and tile of an ASIC\n"
	"                          (configs/profiles/asics), such as spectrum4\n"
	"  --cell SIZE             buffer cell (default 256)\n"
	"  --mtu SIZE              largest frame of the port (9100)\n"
	"  --lossless-mtu SIZE     largest lossless packet (1024)\n"
	"  --small-packets PERCENT share of 64-byte packets, which fill cells badly (50%)\n"
	"  --peer-response SIZE    what the peer sends until it obeys; auto (default):\n"
	"                          the most that 802.3 31B.3.7 allows at the speed\n"
	"  --pipeline-latency SIZE what is in the switch's pipeline: xon (19KiB)\n"
	"  --mac-phy SIZE          MAC and PHY delay (819 and 0.2 B)\n"
	"  --gearbox TIME          a gearbox's delay (0)\n"
	"  --lanes N               8: twice the pipeline latency, and an MTU more (4)\n"
	"  --tile                  add 120 ns, as for Spectrum-4 and -5\n"
	"  --shared-pool           the headroom comes from a shared headroom pool\n"
	"  --ports N               size such a pool for N ports, with\n"
	"  --priorities N          lossless priorities of each (2)\n"
	"  --over-subscribe N      of which one in N fills its headroom at a time (2)\n"
	"  --private SIZE          headroom that each port has of its own (10KiB)\n"
	"  --ini                   as SONiC's pg_profile_lookup.ini\n"
	"  --json                  as JSON, with every term\n";

struct request {
	struct headroom_cfg cfg; /* of every row but for speed and cable */
	struct headroom_pool pool;
	const char *profile;
	const char *asic;
	uint64_t speeds_bps[MAX_LIST];
	uint64_t cables_mm[MAX_LIST];
	size_t speed_count, cable_count;
	bool ini, json;
	struct headroom_row *rows;
	size_t row_count;
};

/* A quantity from min to max: 0, or -1 with a line printed. */
static int
take(const char *option, enum config_unit unit, const char *text, uint64_t min, uint64_t max,
     uint64_t *value)
{
	char why[160], low[32], high[32];

	if (config_unit_parse(unit, text, value, why, sizeof(why)) != 0) {
		fprintf(stderr, "railyard: --%s %s: %s\n", option, text, why);
		return -1;
	}
	if (*value >= min && *value <= max)
		return 0;
	config_unit_format(unit, min, low, sizeof(low));
	config_unit_format(unit, max, high, sizeof(high));
	fprintf(stderr, "railyard: --%s %s: takes %s to %s\n", option, text, low, high);
	return -1;
}

static int
take_u32(const char *option, enum config_unit unit, const char *text, uint32_t min, uint32_t max,
	 uint32_t *value)
{
	uint64_t wide;

	if (take(option, unit, text, min, max, &wide) != 0)
		return -1;
	*value = (uint32_t)wide;
	return 0;
}

/* "a,b,c" */
static int
take_list(const char *option, enum config_unit unit, const char *text, uint64_t min, uint64_t max,
	  uint64_t *values, size_t *count)
{
	*count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		char item[64];

		if (*count == MAX_LIST)
			return options_fail(-1, "headroom: at most 64 speeds and 64 cables");
		snprintf(item, sizeof(item), "%.*s", (int)length, text);
		if (take(option, unit, item, min, max, &values[(*count)++]) != 0)
			return -1;
		if (text[length] == '\0')
			return 0;
		text += length + 1;
	}
}

static int
take_small(const char *text, uint32_t *percent)
{
	uint64_t share_q32;

	if (take("small-packets", CONFIG_UNIT_PERCENT, text, 0, CONFIG_ONE_Q32, &share_q32) != 0)
		return -1;
	if (!config_unit_percents(share_q32, percent))
		return options_fail(-1, "--small-packets: takes whole percents");
	return 0;
}

static int
take_peer(const char *text, uint64_t *millibytes)
{
	uint64_t bytes;

	*millibytes = HEADROOM_PEER_AUTO;
	if (strcmp(text, "auto") == 0)
		return 0;
	if (take("peer-response", CONFIG_UNIT_SIZE, text, 0, 1 << 30, &bytes) != 0)
		return -1;
	*millibytes = bytes * 1000;
	return 0;
}

/* What the computation takes beside speed and cable: 1 taken, 0 not one of these, -1 bad. */
static int
take_model(struct headroom_cfg *cfg, int option, const char *text)
{
	uint64_t wide = 0;
	int rc = 0;

	switch (option) {
	case OPTION_MTU:
		rc = take_u32("mtu", CONFIG_UNIT_SIZE, text, 64, 65535, &cfg->port_mtu_bytes);
		break;
	case OPTION_LOSSLESS_MTU:
		rc = take_u32("lossless-mtu", CONFIG_UNIT_SIZE, text, 64, 16384,
			      &cfg->lossless_mtu_bytes);
		break;
	case OPTION_SMALL:
		rc = take_small(text, &cfg->small_packet_percent);
		break;
	case OPTION_PEER:
		rc = take_peer(text, &cfg->peer_millibytes);
		break;
	case OPTION_PIPELINE:
		rc = take_u32("pipeline-latency", CONFIG_UNIT_SIZE, text, 0, 1 << 30,
			      &cfg->pipeline_latency_bytes);
		break;
	case OPTION_GEARBOX:
		rc = take("gearbox", CONFIG_UNIT_TIME, text, 0, 1000000000, &wide);
		cfg->gearbox_delay_ns = (uint32_t)(wide / 1000);
		break;
	case OPTION_MAC_PHY:
		rc = take("mac-phy", CONFIG_UNIT_SIZE, text, 0, 1 << 30, &wide);
		cfg->mac_phy_millibytes = wide * 1000;
		break;
	case OPTION_LANES:
		rc = take_u32("lanes", CONFIG_UNIT_COUNT, text, 1, 16, &cfg->lanes);
		break;
	case OPTION_TILE:
		cfg->tile = true;
		break;
	case OPTION_SHARED:
		cfg->shared_pool = true;
		break;
	default:
		return 0;
	}
	return rc == 0 ? 1 : -1;
}

static int
take_rest(struct request *r, int option, const char *text)
{
	switch (option) {
	case OPTION_SPEED:
		return take_list("speed", CONFIG_UNIT_RATE, text, 1000000, 1600000000000,
				 r->speeds_bps, &r->speed_count);
	case OPTION_CABLE:
		return take_list("cable", CONFIG_UNIT_LENGTH, text, 0, 100000000, r->cables_mm,
				 &r->cable_count);
	case OPTION_PROFILE:
		r->profile = text;
		return 0;
	case OPTION_ASIC:
		r->asic = text;
		return 0;
	case OPTION_CELL:
		return take_u32("cell", CONFIG_UNIT_SIZE, text, 32, 65536, &r->cfg.cell_bytes);
	case OPTION_PORTS:
		return take_u32("ports", CONFIG_UNIT_COUNT, text, 1, 65535, &r->pool.ports);
	case OPTION_PRIORITIES:
		return take_u32("priorities", CONFIG_UNIT_COUNT, text, 1, 8, &r->pool.priorities);
	case OPTION_RATIO:
		return take_u32("over-subscribe", CONFIG_UNIT_COUNT, text, 1, 1000,
				&r->pool.over_subscribe_ratio);
	case OPTION_PRIVATE:
		return take("private", CONFIG_UNIT_SIZE, text, 0, 1 << 30, &r->pool.private_bytes);
	case OPTION_INI:
		r->ini = true;
		return 0;
	case OPTION_JSON:
		r->json = true;
		return 0;
	default:
		return options_fail(-1, "see `railyard headroom --help`");
	}
}

static const struct option longs[] = {
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"cable", required_argument, NULL, OPTION_CABLE},
	{"profile", required_argument, NULL, OPTION_PROFILE},
	{"asic", required_argument, NULL, OPTION_ASIC},
	{"mtu", required_argument, NULL, OPTION_MTU},
	{"lossless-mtu", required_argument, NULL, OPTION_LOSSLESS_MTU},
	{"small-packets", required_argument, NULL, OPTION_SMALL},
	{"cell", required_argument, NULL, OPTION_CELL},
	{"peer-response", required_argument, NULL, OPTION_PEER},
	{"pipeline-latency", required_argument, NULL, OPTION_PIPELINE},
	{"gearbox", required_argument, NULL, OPTION_GEARBOX},
	{"mac-phy", required_argument, NULL, OPTION_MAC_PHY},
	{"lanes", required_argument, NULL, OPTION_LANES},
	{"tile", no_argument, NULL, OPTION_TILE},
	{"shared-pool", no_argument, NULL, OPTION_SHARED},
	{"ports", required_argument, NULL, OPTION_PORTS},
	{"priorities", required_argument, NULL, OPTION_PRIORITIES},
	{"over-subscribe", required_argument, NULL, OPTION_RATIO},
	{"private", required_argument, NULL, OPTION_PRIVATE},
	{"ini", no_argument, NULL, OPTION_INI},
	{"json", no_argument, NULL, OPTION_JSON},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* A profile's cell and model stand unless options say otherwise: hence it is read first. */
static int
load_profile(struct request *r, struct scenario **scenario)
{
	struct search_path path;
	char yaml[512], error[CONFIG_ERROR_BYTES];
	const struct raw_headroom_model *m;
	const struct raw_switch *raw;

	if (strpbrk(r->profile, "\"\\\n") != NULL)
		return options_fail(-1, "--profile: give the name of a profile, or its path");
	snprintf(yaml, sizeof(yaml), "switches: {sw: {profile: \"%s\"}}\n", r->profile);
	search_path_init(&path);
	if (config_load_buffer((const uint8_t *)yaml, strlen(yaml), "./--profile", NULL, 0,
			       path.list, scenario, error, sizeof(error)) != 0)
		return options_fail_in(-1, "--profile", "./--profile", error);
	raw = RAW_AT((*scenario)->config->raw.switches, struct raw_switch, 0);
	m = &raw->headroom_model;
	r->cfg.cell_bytes = (uint32_t)raw->cell_bytes;
	r->cfg.port_mtu_bytes = (uint32_t)raw->mtu_bytes;
	r->cfg.lossless_mtu_bytes = (uint32_t)m->lossless_mtu_bytes;
	(void)config_unit_percents(m->small_packets_q32, &r->cfg.small_packet_percent);
	if (m->peer_response_bytes != CONFIG_AUTO)
		r->cfg.peer_millibytes = m->peer_response_bytes * 1000;
	r->cfg.pipeline_latency_bytes = (uint32_t)m->pipeline_latency_bytes;
	r->cfg.lanes = (uint32_t)m->lanes;
	r->cfg.tile = m->tile == 1;
	for (uint32_t i = 0; i < raw->pools.count; i++)
		r->cfg.shared_pool |= RAW_AT(raw->pools, struct raw_pool, i)->xoff_bytes > 0;
	return 0;
}

/* Facts of an ASIC, which come before a profile's: what a switch that names both has. */
static int
load_asic(struct request *r)
{
	struct search_path path;
	struct raw_asic asic;
	char error[CONFIG_ERROR_BYTES];

	search_path_init(&path);
	if (config_load_asic(r->asic, path.list, &asic, error, sizeof(error)) != 0)
		return options_fail(-1, error);
	r->cfg.cell_bytes = (uint32_t)asic.cell_bytes;
	r->cfg.pipeline_latency_bytes = (uint32_t)asic.pipeline_latency_bytes;
	r->cfg.tile = asic.tile == 1;
	return 0;
}

/* Its table's rows, with those of --speed and --cable only where these are given. */
static void
add_profile_rows(struct request *r, const struct raw_switch *raw)
{
	for (uint32_t i = 0; i < raw->headroom.count && r->row_count < MAX_ROWS; i++) {
		const struct raw_headroom *h = RAW_AT(raw->headroom, struct raw_headroom, i);
		bool wanted = r->speed_count == 0, cable = r->cable_count == 0;

		for (size_t n = 0; n < r->speed_count; n++)
			wanted |= r->speeds_bps[n] == h->speed_bps;
		for (size_t n = 0; n < r->cable_count; n++)
			cable |= r->cables_mm[n] == h->cable_mm;
		if (!wanted || !cable)
			continue;
		r->rows[r->row_count] = (struct headroom_row){
			.cfg = r->cfg,
			.given_xoff_bytes = h->xoff_bytes,
			.dynamic_th = h->dynamic_th == INT64_MIN ? 0 : h->dynamic_th,
		};
		r->rows[r->row_count].cfg.speed_bps = h->speed_bps;
		r->rows[r->row_count++].cfg.cable_mm = h->cable_mm;
	}
}

static void
add_rows(struct request *r)
{
	for (size_t cable = 0; cable < r->cable_count; cable++) {
		for (size_t speed = 0; speed < r->speed_count; speed++) {
			struct headroom_row *row = &r->rows[r->row_count++];

			*row = (struct headroom_row){.cfg = r->cfg};
			row->cfg.speed_bps = r->speeds_bps[speed];
			row->cfg.cable_mm = r->cables_mm[cable];
		}
	}
}

static int
parse(int argc, char **argv, struct request *r)
{
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken;

		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		taken = take_model(&r->cfg, option, optarg);
		if (taken < 0 || (taken == 0 && take_rest(r, option, optarg) != 0))
			return -1;
	}
	if (optind != argc)
		return options_fail(-1, "headroom: takes options only; see `railyard headroom "
					"--help`");
	return 0;
}

static int
print(const struct request *r)
{
	int rc = 0;

	if (r->json) {
		json_t *list = headroom_json(r->rows, r->row_count, &r->pool);

		rc = json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
		putchar('\n');
		json_decref(list);
		return rc == 0 ? SESSION_FINE : options_fail(SESSION_USAGE, "headroom: no memory");
	}
	if (r->ini) {
		headroom_print_ini(stdout, r->rows, r->row_count);
		return SESSION_FINE;
	}
	if (r->row_count == 1 && r->rows[0].given_xoff_bytes == 0)
		headroom_print_row(stdout, &r->rows[0]);
	else
		headroom_print_table(stdout, r->rows, r->row_count);
	if (r->pool.ports != 0)
		headroom_print_pool(stdout, &r->pool, r->rows, r->row_count);
	return SESSION_FINE;
}

/* Options twice: once to find the profile and the ASIC, once over what they say. */
static int
prepare(int argc, char **argv, struct request *r, struct scenario **scenario)
{
	int rc = parse(argc, argv, r);

	if (rc != 0)
		return rc;
	if (r->profile != NULL && load_profile(r, scenario) != 0)
		return -1;
	if (r->asic != NULL && load_asic(r) != 0)
		return -1;
	(void)parse(argc, argv, r);
	if (r->profile == NULL) {
		if (r->speed_count == 0 || r->cable_count == 0)
			return options_fail(-1, "headroom: give --speed and --cable, such as "
						"--speed 400Gbps --cable 40m; or --profile");
		add_rows(r);
		return 0;
	}
	add_profile_rows(r, RAW_AT((*scenario)->config->raw.switches, struct raw_switch, 0));
	if (r->row_count == 0 && r->speed_count > 0 && r->cable_count > 0)
		add_rows(r);
	if (r->row_count == 0) {
		fprintf(stderr,
			"railyard: --profile %s: has no headroom table for that; give --speed and "
			"--cable\n",
			r->profile);
		return -1;
	}
	return 0;
}

int
command_headroom(int argc, char **argv)
{
	struct request r = {
		.cfg = {.port_mtu_bytes = 9100,
			.lossless_mtu_bytes = 1024,
			.small_packet_percent = 50,
			.cell_bytes = 256,
			.pipeline_latency_bytes = 19 * 1024,
			.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
			.peer_millibytes = HEADROOM_PEER_AUTO,
			.lanes = 4},
		.pool = {.priorities = 2, .over_subscribe_ratio = 2, .private_bytes = 10240},
	};
	struct scenario *scenario = NULL;
	int code = SESSION_USAGE;
	int rc;

	r.rows = calloc(MAX_ROWS, sizeof(*r.rows));
	if (r.rows == NULL)
		return options_fail(SESSION_USAGE, "headroom: no memory");
	rc = prepare(argc, argv, &r, &scenario);
	if (rc >= 0)
		code = rc > 0 ? SESSION_FINE : print(&r);
	if (scenario != NULL)
		scenario_free(scenario);
	free(r.rows);
	return code;
}
