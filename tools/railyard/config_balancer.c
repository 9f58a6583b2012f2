/* SPDX-License-Identifier: BSD-3-Clause */
/* A switch's `balancer` into a struct balancer_cfg. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "config_internal.h"

/* By bit of enum balancer_field. */
static const char *const field_names[BALANCER_FIELDS] = {
	"src_ip",  "dst_ip", "src_port", "dst_port", "protocol",
	"dest_qp", "vlan",   "src_mac",  "dst_mac",  "in_port",
};

static int
read_field(struct config *c, const struct raw_text *text, uint16_t *fields)
{
	for (int i = 0; i < BALANCER_FIELDS; i++) {
		if (strcmp(text->text, field_names[i]) == 0) {
			if (*fields >> i & 1)
				return config_fail(&c->error, &text->mark,
						   "fields: %s is given twice; a hash takes a "
						   "field once",
						   text->text);
			*fields |= (uint16_t)(1u << i);
			return 0;
		}
	}
	return config_fail(&c->error, &text->mark,
			   "fields: \"%.30s\" is no field; there are src_ip, dst_ip, src_port, "
			   "dst_port, protocol, dest_qp, vlan, src_mac, dst_mac, in_port",
			   text->text);
}

static int
resolve_hash(struct config *c, struct raw_hash *raw, struct balancer_hash_cfg *hash)
{
	static const enum balancer_function functions[] = {BALANCER_CRC32C, BALANCER_TOEPLITZ,
							   BALANCER_JHASH};
	struct raw_text *items;
	uint32_t count = 0;

	for (uint32_t i = 0; i < raw->fields.count; i++)
		if (read_field(c, &raw->fields.items[i], &hash->fields) != 0)
			return -EINVAL;
	if (hash->fields == 0)
		hash->fields = BALANCER_FIVE_TUPLE;
	items = CONFIG_NEW(c, struct raw_text, BALANCER_FIELDS);
	for (int i = 0; i < BALANCER_FIELDS; i++)
		if (hash->fields >> i & 1)
			items[count++].text = field_names[i];
	raw->fields = (struct raw_texts){.items = items, .count = count};
	hash->function = functions[raw->function];
	hash->modulo = raw->pick == 1;
	hash->offset = (uint8_t)raw->offset;
	return 0;
}

static int
check_numbers(struct config *c, const struct raw_balancer *r)
{
	struct config_mark mark;

	if ((r->max_flows & (r->max_flows - 1)) != 0) {
		mark = config_item_mark(&r->item, "max_flows");
		return config_fail(&c->error, &mark, "max_flows: %u is not a power of 2",
				   (unsigned int)r->max_flows);
	}
	if (r->past_weight + r->future_weight == 0) {
		mark = config_item_mark(&r->item, "past_weight");
		return config_fail(&c->error, &mark,
				   "past_weight: one of past_weight and future_weight must be "
				   "more than 0");
	}
	return 0;
}

/* Switches hash and draw each in its own way: else all would choose alike, tier after tier. */
void
config_seed_balancer(const struct config *c, const struct raw_switch *raw,
		     struct scenario_switch *sw)
{
	struct balancer_cfg *cfg = &sw->cfg.forwarding.balancer;
	uint64_t own = c->scenario->seed + (uint64_t)(sw - c->scenario->switches);

	cfg->seed = own;
	cfg->hash.seed = raw->balancer.hash.seed == CONFIG_AUTO ? own : raw->balancer.hash.seed;
}

int
config_resolve_balancer(struct config *c, struct raw_switch *raw, struct scenario_switch *sw)
{
	/* In the order of the field's words, as balancer_unit is of its own. */
	static const struct balancer_ops *const kinds[] = {
		&balancer_ecmp,     &balancer_weighted, &balancer_flowlet,
		&balancer_adaptive, &balancer_drill,    &balancer_spray,
	};
	struct balancer_cfg *cfg = &sw->cfg.forwarding.balancer;
	struct raw_balancer *r = &raw->balancer;
	struct config_mark mark = config_item_mark(&raw->item, "balancer");

	if (kinds[r->kind] != &balancer_ecmp && !sw->cfg.forwarding.layer3)
		return config_fail(&c->error, &mark,
				   "balancer: %s forwards by MAC address, over one path; give it "
				   "`forwarding: {mode: l3}`",
				   raw->item.name);
	cfg->ops = kinds[r->kind];
	config_seed_balancer(c, raw, sw);
	cfg->table_entries = (uint32_t)r->max_flows;
	cfg->gap_ps = r->gap_ps;
	cfg->unit = r->unit;
	cfg->sticky = r->sticky == 1;
	cfg->interval_ps = r->interval_ps;
	cfg->exponent = (uint8_t)r->exponent;
	cfg->falls_at_once = r->load_current == 1;
	cfg->past_weight = (uint8_t)r->past_weight;
	cfg->future_weight = (uint8_t)r->future_weight;
	cfg->full_queue_ps = r->full_queue_ps;
	cfg->samples = (uint8_t)r->samples;
	cfg->memory = (uint8_t)r->memory;
	cfg->random = r->order == 1;
	if (check_numbers(c, r) != 0)
		return -EINVAL;
	return resolve_hash(c, &r->hash, &cfg->hash);
}
