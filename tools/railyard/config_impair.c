/* SPDX-License-Identifier: BSD-3-Clause */
/* Impairments: one entry for each port that an item of the list selects. */
#include <string.h>

#include <rte_ether.h>

#include "config_internal.h"

/* More would make times of a run overflow sooner or later. */
#define MAX_DELAY_PS (10 * UNITS_PS_PER_S)
#define ONE_Q32 (1ULL << 32)

static bool
same_end(const struct scenario_end *a, const struct scenario_end *b)
{
	return a->is_switch == b->is_switch && a->index == b->index && a->port == b->port;
}

static int
check_port(struct config *c, const struct raw_impairment *r, const struct scenario_end *end)
{
	const struct scenario *s = c->scenario;
	struct config_mark mark = config_item_mark(&r->item, "port");
	bool linked = false;
	char name[64];

	config_end_name(c, end, name, sizeof(name));
	if (!end->is_switch && s->hosts[end->index].remote)
		return config_fail(&c->error, &mark, "port: %s is remote: it has no port here",
				   name);
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		linked |= same_end(&l->a, end);
		linked |= same_end(&l->b, end);
	}
	for (uint32_t i = 0; i < s->ethdev_count; i++)
		linked |= same_end(&s->ethdevs[i].end, end);
	if (!linked)
		return config_fail(&c->error, &mark, "port: nothing is linked to %s", name);
	return 0;
}

static int
check_loss(struct config *c, const struct raw_impairment *r)
{
	struct config_mark mark = config_item_mark(&r->item, "loss_burst");

	if (r->loss_burst == 0)
		return 0;
	if (r->loss_q32 == 0)
		return config_fail(&c->error, &mark,
				   "loss_burst: needs loss, the share of frames lost");
	/* A run of received frames has one at least. */
	if (r->loss_q32 < ONE_Q32 && r->loss_q32 > r->loss_burst * (ONE_Q32 / (r->loss_burst + 1)))
		return config_fail(&c->error, &mark,
				   "loss_burst: runs of %llu can lose at most %llu of %llu frames",
				   (unsigned long long)r->loss_burst,
				   (unsigned long long)r->loss_burst,
				   (unsigned long long)r->loss_burst + 1);
	return 0;
}

static int
check_storm(struct config *c, const struct raw_storm *storm)
{
	struct config_mark mark = config_item_mark(&storm->item, "source_mac");
	struct rte_ether_addr mac;

	if (storm->source_mac != NULL && rte_ether_unformat_addr(storm->source_mac, &mac) != 0)
		return config_fail(&c->error, &mark,
				   "source_mac: \"%s\" is no MAC address such as 02:00:00:00:00:01",
				   storm->source_mac);
	return 0;
}

static int
check_item(struct config *c, const struct raw_impairment *r)
{
	struct config_mark mark = config_item_mark(&r->item, "until");
	const uint64_t delays_ps[] = {r->delay_ps, r->jitter_ps, r->reorder_delay_ps};
	static const char *const keys[] = {"delay", "jitter", "reorder_delay"};

	if (r->until_ps != 0 && r->until_ps <= r->from_ps)
		return config_fail(&c->error, &mark, "until: is not after from");
	if ((r->pause != NULL || r->stall == 1) && r->until_ps == 0 &&
	    c->scenario->duration_ps == 0 && !c->scenario->real_time)
		return config_fail(
			&c->error, &r->item.mark,
			"impairment: with pause or stall and without until, the run needs a "
			"duration to end at");
	for (uint32_t i = 0; i < 3; i++) {
		mark = config_item_mark(&r->item, keys[i]);
		if (delays_ps[i] > MAX_DELAY_PS)
			return config_fail(&c->error, &mark, "%s: is more than 10s", keys[i]);
	}
	mark = config_item_mark(&r->item, "reorder");
	if (r->reorder_q32 != 0 && r->reorder_delay_ps == 0)
		return config_fail(&c->error, &mark, "reorder: needs a reorder_delay");
	if (r->pause != NULL) {
		int rc = check_storm(c, r->pause);

		if (rc != 0)
			return rc;
	}
	return check_loss(c, r);
}

static struct impair_cfg
make_cfg(const struct raw_impairment *r)
{
	struct rte_ether_addr mac;
	struct impair_cfg cfg = {
		.rx = r->direction != 2,
		.tx = r->direction != 1,
		.mac_control = r->mac_control == 1,
		.from_ps = r->from_ps,
		.until_ps = r->until_ps == 0 ? UNITS_NEVER_PS : r->until_ps,
		.loss_q32 = r->loss_q32,
		.loss_burst = (uint32_t)r->loss_burst,
		.loss_every = (uint32_t)r->loss_every,
		.duplicate_q32 = r->duplicate_q32,
		.delay_ps = r->delay_ps,
		.jitter_ps = r->jitter_ps,
		.reorder_q32 = r->reorder_q32,
		.reorder_delay_ps = r->reorder_delay_ps,
		.bit_error_q32 = r->bit_error_q32,
		.mark_q32 = r->mark_q32,
		.mark_every = (uint32_t)r->mark_every,
	};

	if (r->pause != NULL) {
		cfg.pause_global = r->pause->frames == 1;
		cfg.pause_vector = (uint8_t)r->pause->priorities;
		cfg.pause_quanta = (uint16_t)r->pause->quanta;
		cfg.pause_interval_ps = r->pause->interval_ps;
		cfg.pause_forged = r->pause->source_mac != NULL;
		if (cfg.pause_forged && rte_ether_unformat_addr(r->pause->source_mac, &mac) == 0)
			memcpy(cfg.pause_source_mac, &mac, sizeof(cfg.pause_source_mac));
	}
	return cfg;
}

/* Headroom is computed from cables: what a delay keeps under way is not in it. */
static void
warn_headroom(struct config *c, const struct raw_impairment *r, const struct scenario_end *end)
{
	const struct pfc_cfg *pfc = config_end_pfc(c->scenario, end);
	char name[64];

	if (pfc->enable == 0 || r->delay_ps + r->jitter_ps == 0)
		return;
	config_warn(c, &r->item.mark,
		    "%s: headroom does not count this delay: a lossless class may lose packets "
		    "when it is paused",
		    config_end_name(c, end, name, sizeof(name)));
}

/* A stalled port is one that is held: of that a port has one interval. */
static int
stall(struct config *c, const struct raw_impairment *r, const struct scenario_end *end)
{
	struct config_mark mark = config_item_mark(&r->item, "stall");
	struct node_port_cfg *port =
		end->is_switch ? &c->scenario->switches[end->index].ports[end->port].port
			       : &c->scenario->hosts[end->index].cfg.port;
	char name[64];

	if (r->stall != 1)
		return 0;
	config_end_name(c, end, name, sizeof(name));
	if (r->direction == 1)
		return config_fail(&c->error, &mark, "stall: is of what a port sends, not rx");
	if (port->hold_from_ps != port->hold_until_ps)
		return config_fail(&c->error, &mark,
				   "stall: %s is held already, and has one interval for it", name);
	port->hold_from_ps = r->from_ps;
	port->hold_until_ps = r->until_ps == 0 ? UNITS_NEVER_PS : r->until_ps;
	return 0;
}

/* Selected ports of all items, to make room for; select tells what is wrong with one. */
static int
count_ends(struct config *c, uint64_t *total)
{
	*total = 0;
	for (uint32_t i = 0; i < c->raw.impairments.count; i++) {
		struct raw_impairment *r = RAW_AT(c->raw.impairments, struct raw_impairment, i);
		struct scenario_end *ends;
		uint32_t count;
		int rc = config_select(c, &r->port, false, &ends, &count);

		if (rc != 0)
			return rc;
		*total += count;
		if (*total > UINT16_MAX)
			return config_fail(&c->error, &r->item.mark,
					   "impairment: more than %u ports in all", UINT16_MAX);
	}
	return 0;
}

int
config_resolve_impairments(struct config *c)
{
	struct scenario *s = c->scenario;
	uint64_t total;
	int rc = count_ends(c, &total);

	if (rc != 0)
		return rc;
	s->impairments = CONFIG_NEW(c, struct scenario_impairment, total);
	for (uint32_t i = 0; i < c->raw.impairments.count; i++) {
		struct raw_impairment *r = RAW_AT(c->raw.impairments, struct raw_impairment, i);
		struct scenario_end *ends;
		uint32_t count;

		rc = check_item(c, r);
		if (rc == 0)
			rc = config_select(c, &r->port, false, &ends, &count);
		for (uint32_t n = 0; rc == 0 && n < count; n++) {
			rc = check_port(c, r, &ends[n]);
			if (rc == 0)
				rc = stall(c, r, &ends[n]);
			if (n == 0)
				warn_headroom(c, r, &ends[n]);
			s->impairments[s->impairment_count++] = (struct scenario_impairment){
				.end = ends[n],
				.cfg = make_cfg(r),
			};
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}
