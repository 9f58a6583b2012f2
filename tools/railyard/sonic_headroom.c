/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom of the ports whose priority groups have no lossless profile of their own: a row for
 * each speed and cable, from pg_profile_lookup.ini (SONiC's static model), or computed as the
 * dynamic model does.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headroom.h"

#include "sonic.h"

#define POOL "ingress_lossless_pool"

/* Does a priority with PFC lack a lossless profile on this port? */
static bool
lacks_profile(const struct sonic *s, const struct sonic_port *p)
{
	for (uint32_t n = 0; n < SONIC_CLASSES; n++) {
		const struct config_node *row;

		if (!(p->pfc_enable >> n & 1))
			continue;
		row = p->pg[n] == NULL ? NULL : sonic_row(s, "BUFFER_PROFILE", p->pg[n]);
		if (row == NULL || sonic_field(row, "xoff") == NULL)
			return true;
	}
	return false;
}

bool
sonic_needs_headroom(const struct sonic *s, const struct sonic_port *p)
{
	return p->cable != NULL && strcmp(p->cable, "0m") != 0 && lacks_profile(s, p);
}

static bool
same_row(const struct sonic_port *a, const struct sonic_port *b)
{
	return a->speed_mbps == b->speed_mbps && strcmp(a->cable, b->cable) == 0;
}

static int
put_threshold(struct sonic *s, struct config_node *out, const struct config_mark *mark,
	      const char *threshold)
{
	const struct config_node *pool = sonic_row(s, "BUFFER_POOL", POOL);
	const char *mode = sonic_field(pool, "mode");
	bool fixed = mode != NULL && strcmp(mode, "static") == 0;

	sonic_put(s, out, fixed ? "static_th" : "dynamic_th", mark, "%s", threshold);
	return 0;
}

static int
write_lookup(struct sonic *s, struct config_node *out, const struct sonic_port *p,
	     const struct headroom *h)
{
	const struct sonic_lookup *row = sonic_find_lookup(s, p->speed_mbps, p->cable);
	uint64_t size_bytes;
	int rc = sonic_guarantee(s, &row->mark, POOL, h->size_bytes, h->xoff_bytes, &size_bytes);

	if (rc != 0)
		return rc;
	sonic_put(s, out, "size", &row->mark, "%" PRIu64, size_bytes);
	sonic_put(s, out, "xon", &row->mark, "%s", row->xon);
	sonic_put(s, out, "xoff", &row->mark, "%s", row->xoff);
	if (row->xon_offset != NULL)
		sonic_put(s, out, "xon_offset", &row->mark, "%s", row->xon_offset);
	return put_threshold(s, out, &row->mark, row->threshold);
}

/* Of ports with the same speed and cable, the ones that need most decide. */
static void
worst_port(const struct sonic *s, const struct sonic_port *p, uint64_t *mtu_bytes, uint32_t *lanes)
{
	*mtu_bytes = 0;
	*lanes = 0;
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct sonic_port *q = &s->ports[i];

		if (!sonic_needs_headroom(s, q) || !same_row(p, q))
			continue;
		*mtu_bytes = q->mtu_bytes > *mtu_bytes ? q->mtu_bytes : *mtu_bytes;
		*lanes = q->lanes > *lanes ? q->lanes : *lanes;
	}
}

static const struct config_node *
first_row(const struct sonic *s, const char *name)
{
	const struct config_node *table = sonic_table(s, name);

	return table->count > 0 ? table->entries[0].value : NULL;
}

/* Is headroom of a shared pool? */
static int
is_shared(struct sonic *s, bool *shared)
{
	const char *ratio = sonic_field(first_row(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER"),
					"over_subscribe_ratio");
	uint64_t xoff_bytes = 0;
	int rc = sonic_number(s, sonic_row(s, "BUFFER_POOL", POOL), "xoff", 1ULL << 40, 0,
			      &xoff_bytes);

	*shared = xoff_bytes > 0 || (ratio != NULL && strcmp(ratio, "0") != 0);
	return rc;
}

/* Looked at whether or not headroom is computed: what it says is wrong either way. */
static int
read_traffic(struct sonic *s, uint64_t *mtu_bytes, uint64_t *small_percent)
{
	const struct config_node *traffic = first_row(s, "LOSSLESS_TRAFFIC_PATTERN");
	int rc = sonic_number(s, traffic, "mtu", 9216, 1024, mtu_bytes);

	if (rc == 0 && *mtu_bytes < 64)
		return config_fail(&s->c->error, &traffic->mark, "mtu: takes 64 to 9216");
	return rc != 0 ? rc
		       : sonic_number(s, traffic, "small_packet_percentage", 100, 50,
				      small_percent);
}

static int
compute(struct sonic *s, const struct sonic_port *p, struct headroom *h)
{
	uint64_t mtu_bytes, lossless_mtu = 0, small_percent = 0, cable_mm = 0;
	struct headroom_cfg cfg;
	bool shared = false;
	uint32_t lanes;
	char why[160];
	int rc = read_traffic(s, &lossless_mtu, &small_percent);

	if (rc == 0)
		rc = is_shared(s, &shared);
	if (rc != 0)
		return rc;
	config_unit_parse(CONFIG_UNIT_LENGTH, p->cable, &cable_mm, why, sizeof(why));
	worst_port(s, p, &mtu_bytes, &lanes);
	cfg = (struct headroom_cfg){
		.speed_bps = p->speed_mbps * 1000000,
		.cable_mm = cable_mm,
		.port_mtu_bytes = (uint32_t)mtu_bytes,
		.lossless_mtu_bytes = (uint32_t)lossless_mtu,
		.small_packet_percent = (uint32_t)small_percent,
		.cell_bytes = (uint32_t)s->asic.cell_bytes,
		.pipeline_latency_bytes = (uint32_t)s->asic.pipeline_latency_bytes,
		.mac_phy_millibytes = HEADROOM_MAC_PHY_MILLIBYTES,
		.peer_millibytes = HEADROOM_PEER_AUTO,
		.lanes = lanes,
		.tile = s->asic.tile == 1,
		.shared_pool = shared,
	};
	*h = headroom_compute(&cfg);
	return 0;
}

int
sonic_headroom_of(struct sonic *s, const struct sonic_port *p, struct headroom *h)
{
	const struct sonic_lookup *row;

	*h = (struct headroom){0};
	if (!s->has_lookup)
		return compute(s, p, h);
	row = sonic_find_lookup(s, p->speed_mbps, p->cable);
	if (row == NULL)
		return config_fail(&s->c->error, &p->mark,
				   "pg_profile_lookup.ini has no row for %" PRIu64
				   " and %s: SONiC makes no lossless priority group then",
				   p->speed_mbps, p->cable);
	*h = (struct headroom){
		.size_bytes = strtoull(row->size, NULL, 10),
		.xon_bytes = strtoull(row->xon, NULL, 10),
		.xoff_bytes = strtoull(row->xoff, NULL, 10),
	};
	return 0;
}

static int
write_computed(struct sonic *s, struct config_node *out, const struct sonic_port *p,
	       const struct headroom *h)
{
	const char *threshold = sonic_field(first_row(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER"),
					    "default_dynamic_th");
	bool shared = false;
	int rc = is_shared(s, &shared);

	if (rc != 0)
		return rc;
	/* SONiC's size counts xoff unless there is a shared pool; Railyard's never does. */
	sonic_put(s, out, "size", &p->mark, "%" PRIu64,
		  h->size_bytes - (shared ? 0 : h->xoff_bytes));
	sonic_put(s, out, "xon", &p->mark, "%" PRIu64, h->xon_bytes);
	sonic_put(s, out, "xoff", &p->mark, "%" PRIu64, h->xoff_bytes);
	return put_threshold(s, out, &p->mark, threshold != NULL ? threshold : "0");
}

static int
write_row(struct sonic *s, struct config_node *list, const struct sonic_port *p)
{
	struct config_node *out = sonic_put_map(s, list, NULL, CONFIG_MAP, &p->mark);
	struct headroom h;
	char speed[32];
	int rc = sonic_headroom_of(s, p, &h);

	if (rc != 0)
		return rc;
	config_unit_format(CONFIG_UNIT_RATE, p->speed_mbps * 1000000, speed, sizeof(speed));
	sonic_put(s, out, "speed", &p->mark, "%s", speed);
	sonic_put(s, out, "cable", &p->mark, "%s", p->cable);
	sonic_put(s, out, "pool", &p->mark, "%s", POOL);
	return s->has_lookup ? write_lookup(s, out, p, &h) : write_computed(s, out, p, &h);
}

/* A port that has PFC, and nothing to make its headroom from. */
int
sonic_check_cables(struct sonic *s)
{
	bool assumed = false;

	for (uint32_t i = 0; i < s->port_count; i++) {
		struct sonic_port *p = &s->ports[i];

		if (!lacks_profile(s, p) || sonic_needs_headroom(s, p))
			continue;
		if (p->cable == NULL && sonic_table(s, "CABLE_LENGTH")->count == 0) {
			p->cable = "40m";
			assumed = true;
			continue;
		}
		return config_fail(&s->c->error, &p->mark,
				   "has %s, but %s: SONiC makes no lossless priority group "
				   "then; give it a length, or take pfc_enable out",
				   s->has_qos ? "pfc_enable"
					      : "PFC on 3 and 4 (assumed: no port has a row in "
						"PORT_QOS_MAP)",
				   p->cable == NULL ? "no cable in CABLE_LENGTH" : "a cable of 0m");
	}
	if (assumed)
		config_warn(s->c, &s->options->mark,
			    "there is no CABLE_LENGTH: cables of 40m are assumed");
	return 0;
}

/* A lossy profile that a row of BUFFER_PG has for a priority with PFC gives way, as on the switch.
 */
static void
warn_replaced(struct sonic *s)
{
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct sonic_port *p = &s->ports[i];

		for (uint32_t n = 0; n < SONIC_CLASSES && sonic_needs_headroom(s, p); n++) {
			const struct config_node *row =
				p->pg[n] == NULL ? NULL : sonic_row(s, "BUFFER_PROFILE", p->pg[n]);

			if (!(p->pfc_enable >> n & 1) || row == NULL ||
			    sonic_field(row, "xoff") != NULL)
				continue;
			config_warn(s->c, &s->options->mark,
				    "BUFFER_PG has %s for PG %u of %s, but pfc_enable makes it "
				    "lossless: the profile of its speed and cable takes its place, "
				    "as SONiC's buffer manager has it",
				    p->pg[n], n, p->name);
			return;
		}
	}
}

/* Does the switch have the dynamic buffer model, whose headroom is in no table? */
static bool
is_dynamic(const struct sonic *s)
{
	const char *model =
		sonic_field(sonic_row(s, "DEVICE_METADATA", "localhost"), "buffer_model");

	return model != NULL && strcmp(model, "dynamic") == 0;
}

int
sonic_write_headroom(struct sonic *s)
{
	struct config_node *list = NULL;
	uint64_t mtu_bytes, small_percent;
	int rc = read_traffic(s, &mtu_bytes, &small_percent);

	for (uint32_t i = 0; i < s->port_count && rc == 0; i++) {
		const struct sonic_port *p = &s->ports[i];
		bool twice = false;

		if (!sonic_needs_headroom(s, p))
			continue;
		for (uint32_t k = 0; k < i; k++)
			twice = twice || (sonic_needs_headroom(s, &s->ports[k]) &&
					  same_row(p, &s->ports[k]));
		if (twice)
			continue;
		if (list == NULL)
			list = sonic_put_map(s, s->out, "headroom", CONFIG_LIST, &p->mark);
		rc = write_row(s, list, p);
	}
	if (rc == 0)
		warn_replaced(s);
	if (rc == 0 && list != NULL && !s->has_lookup && !is_dynamic(s))
		config_warn(
			s->c, &s->options->mark,
			"there is no pg_profile_lookup.ini: headroom is computed, as the dynamic "
			"buffer model of SONiC on Spectrum does");
	return rc;
}
