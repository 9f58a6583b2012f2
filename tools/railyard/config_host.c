/* SPDX-License-Identifier: BSD-3-Clause */
/* Host groups into hosts, with addresses and congestion control resolved. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "dcqcn.h"

#define PAPER_CNP_INTERVAL_PS (50 * UNITS_PS_PER_US)
#define NIC_CNP_INTERVAL_PS (4 * UNITS_PS_PER_US) /* MIN_TIME_BETWEEN_CNPS */

static void
override_u64(uint64_t *raw, uint64_t *preset)
{
	if (*raw == CONFIG_AUTO)
		*raw = *preset;
	else
		*preset = *raw;
}

static void
override_flag(int *raw, bool *preset)
{
	if (*raw == CONFIG_UNSET)
		*raw = *preset;
	else
		*preset = *raw == 1;
}

/* The preset with what was overridden; the raw struct then shows all of it. */
static int
resolve_dcqcn(struct config *c, struct raw_congestion *r, struct dcqcn_cfg *d)
{
	uint64_t threshold, gd, percent_q32;
	struct config_mark mark = config_item_mark(&r->item, "min_decrease");

	if (dcqcn_preset(r->preset == RAW_PAPER ? "paper" : "connectx", d) != 0)
		return config_fail(&c->error, &r->item.mark, "congestion_control: no such preset");
	threshold = d->threshold;
	gd = d->gd_log2;
	percent_q32 = ((uint64_t)d->min_decrease_percent * CONFIG_ONE_Q32 + 50) / 100;
	override_u64(&r->alpha_timer_ps, &d->alpha_ps);
	override_u64(&r->g_q32, &d->g_q32);
	override_u64(&r->initial_alpha_q32, &d->initial_alpha_q32);
	override_u64(&r->cut_period_ps, &d->cut_ps);
	override_u64(&r->increase_timer_ps, &d->increase_ps);
	override_u64(&r->byte_counter_bytes, &d->byte_counter_bytes);
	override_u64(&r->threshold, &threshold);
	override_u64(&r->ai_rate_bps, &d->ai_bps);
	override_u64(&r->hai_rate_bps, &d->hai_bps);
	override_u64(&r->min_rate_bps, &d->min_rate_bps);
	override_u64(&r->max_rate_bps, &d->max_rate_bps);
	override_u64(&r->gd, &gd);
	override_u64(&r->min_decrease_q32, &percent_q32);
	override_flag(&r->clamp_target, &d->clamp_target);
	override_flag(&r->clamp_target_after_timer, &d->clamp_target_after_timer);
	override_u64(&r->first_rate_bps, &d->first_rate_bps);
	d->threshold = (uint32_t)threshold;
	d->gd_log2 = (uint32_t)gd;
	if (!config_unit_percents(percent_q32, &d->min_decrease_percent))
		return config_fail(&c->error, &mark, "min_decrease: takes whole percents");
	mark = config_item_mark(&r->item, "min_rate");
	if (d->max_rate_bps != 0 && d->min_rate_bps > d->max_rate_bps)
		return config_fail(&c->error, &mark, "min_rate: above max_rate");
	if (d->nic_form && d->cut_ps == 0) {
		mark = config_item_mark(&r->item, "cut_period");
		return config_fail(&c->error, &mark, "cut_period: must be more than 0");
	}
	return 0;
}

static int
resolve_congestion(struct config *c, struct raw_host *h, struct congestion_cfg *cfg)
{
	struct raw_congestion *r = &h->congestion;
	struct config_mark mark = config_item_mark(&r->item, "rate");

	if (h->cnp_interval_ps == CONFIG_AUTO)
		h->cnp_interval_ps =
			r->preset == RAW_PAPER ? PAPER_CNP_INTERVAL_PS : NIC_CNP_INTERVAL_PS;
	cfg->kind = r->preset == RAW_NO_CONTROL ? CONGESTION_NONE : CONGESTION_DCQCN;
	cfg->rate_bps = r->rate_bps;
	if (cfg->kind == CONGESTION_DCQCN && r->rate_bps != 0)
		return config_fail(&c->error, &mark,
				   "rate: only the preset none has a fixed rate; see max_rate");
	if (cfg->kind == CONGESTION_NONE)
		return 0;
	return resolve_dcqcn(c, r, &cfg->dcqcn);
}

static int
check_host(struct config *c, const struct raw_host *h)
{
	struct config_mark mark = config_item_mark(&h->item, "mtu");
	uint64_t mtu = h->mtu_bytes;

	if (mtu < 256 || mtu > 4096 || (mtu & (mtu - 1)) != 0)
		return config_fail(&c->error, &mark,
				   "mtu: %" PRIu64
				   " is no path MTU; there are 256, 512, 1024, 2048 "
				   "and 4096",
				   mtu);
	mark = config_item_mark(&h->item, "window");
	if (h->window_bytes != 0 && h->window_bytes < mtu)
		return config_fail(&c->error, &mark,
				   "window: smaller than one packet of %" PRIu64 " bytes", mtu);
	mark = config_item_mark(&h->item, "rx_xon");
	if (h->rx_xon_bytes > h->rx_xoff_bytes)
		return config_fail(&c->error, &mark,
				   "rx_xon: above rx_xoff; it must be at most that");
	mark = config_item_mark(&h->item, "rx_xoff");
	if (h->rx_xoff_bytes > h->rx_buffer_bytes)
		return config_fail(&c->error, &mark,
				   "rx_xoff: above rx_buffer; it must leave room for what is under "
				   "way");
	mark = config_item_mark(&h->item, "hold");
	if (h->hold != NULL && h->hold->until_ps < h->hold->from_ps)
		return config_fail(&c->error, &mark, "hold: until is before from");
	return 0;
}

/* 02:00, number; 10.0.0.1 and up, fd00::1 and up. */
static void
set_address(struct scenario_host *host, uint32_t index, bool is_ipv6)
{
	uint32_t n = index + 1;
	uint8_t tail[4] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
	struct roce_address *a = &host->address;

	memcpy(a->mac, (uint8_t[6]){2, 0, tail[0], tail[1], tail[2], tail[3]}, 6);
	memcpy(host->cfg.port.mac, a->mac, 6);
	a->is_ipv6 = is_ipv6;
	if (is_ipv6) {
		a->ip[0] = 0xfd;
		memcpy(a->ip + 12, tail, 4);
	} else {
		memcpy(a->ip, (uint8_t[4]){10, tail[1], tail[2], tail[3]}, 4);
	}
}

static void
fill_host(const struct config *c, const struct raw_host *h, const struct congestion_cfg *congestion,
	  const struct receiver_cfg *receiver, uint32_t index, struct scenario_host *host)
{
	struct host_cfg *cfg = &host->cfg;

	cfg->port.rate_bps = h->nic_bps;
	cfg->port.pfc = (struct pfc_cfg){
		.enable = (uint8_t)h->pfc_enable,
		.quanta = (uint16_t)h->pfc.quanta,
		.refresh_ps = h->pfc.refresh_ps,
		.response_ps = h->pfc.response_ps,
	};
	if (h->hold != NULL) {
		cfg->port.hold_from_ps = h->hold->from_ps;
		cfg->port.hold_until_ps = h->hold->until_ps;
	}
	cfg->mtu_bytes = (uint32_t)h->mtu_bytes;
	cfg->with_payload = c->scenario->with_payload;
	cfg->ecn_capable = h->ecn_capable == 1;
	cfg->has_vlan = h->vlan != 0;
	cfg->vlan_tci = (uint16_t)h->vlan;
	cfg->cnp_dscp = (uint8_t)h->cnp_dscp;
	cfg->ack_dscp = h->ack_dscp == CONFIG_AUTO ? -1 : (int8_t)h->ack_dscp;
	for (uint32_t i = 0; i < 64; i++) {
		const int8_t priority = h->dscp_to_priority.value[i];

		cfg->dscp_to_priority[i] = (uint8_t)(priority >= 0 ? priority : (int8_t)(i >> 3));
	}
	cfg->maps_priority = true;
	cfg->ttl = (uint8_t)h->ttl;
	cfg->congestion = *congestion;
	cfg->cnp_interval_ps = h->cnp_interval_ps;
	cfg->cnp_scope = (enum cnp_scope)h->cnp_scope;
	cfg->ack_request_packets = (uint32_t)h->ack_every;
	cfg->ack_coalesce = (uint32_t)h->ack_coalesce;
	/* 4.096 us x 2^n, IBTA 9.7.6.1.3 */
	cfg->retransmit_timeout_ps = h->timeout == 0 ? 0 : 4096000ULL << h->timeout;
	cfg->retry_limit = (uint32_t)h->retry;
	cfg->window_bytes = h->window_bytes;
	cfg->max_read_outstanding = (uint32_t)h->max_read;
	cfg->receiver = *receiver;
	cfg->entropy.ports = h->entropy.kind == 1 ? (uint16_t)h->entropy.ports : 1;
	cfg->drain_bps = h->drain_rate_bps;
	cfg->rx_buffer_bytes = h->rx_buffer_bytes;
	cfg->rx_xoff_bytes = h->rx_xoff_bytes;
	cfg->rx_xon_bytes = h->rx_xon_bytes;
	host->dscp = (uint8_t)h->dscp;
	host->remote = h->remote == 1;
	host->mac_unknown = host->remote && h->mac == NULL;
	set_address(host, index, h->ip == 1);
}

static int
check_names(struct config *c)
{
	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		const struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, g);

		for (uint32_t i = 0; i < c->raw.switches.count; i++)
			if (strcmp(RAW_AT(c->raw.switches, struct raw_switch, i)->item.name,
				   h->item.name) == 0)
				return config_fail(&c->error, &h->item.mark,
						   "hosts: %s is a switch already", h->item.name);
		/* "h" with 20 hosts and "h1" with 5 both have an h11: digits end no name. */
		if (strchr("0123456789", h->item.name[strlen(h->item.name) - 1]) != NULL &&
		    h->count != CONFIG_AUTO)
			return config_fail(
				&c->error, &h->item.mark,
				"hosts: the name of a group with a count must not end in a "
				"digit (%s)",
				h->item.name);
		if (h->count == CONFIG_AUTO && config_is_member(c, h->item.name))
			return config_fail(&c->error, &h->item.mark,
					   "hosts: there is a second host %s", h->item.name);
	}
	for (uint32_t g = 0; g < c->raw.switches.count; g++) {
		const struct raw_switch *sw = RAW_AT(c->raw.switches, struct raw_switch, g);

		if (config_is_member(c, sw->item.name))
			return config_fail(&c->error, &sw->item.mark,
					   "switches: there is a second switch %s", sw->item.name);
	}
	return 0;
}

/* h, h3, or gpu7-3 */
static void
set_name(const struct raw_host *h, uint32_t n, char name[NODE_NAME_BYTES])
{
	uint32_t nics = h->nics == CONFIG_AUTO ? 1 : (uint32_t)h->nics;

	if (h->count == CONFIG_AUTO)
		snprintf(name, NODE_NAME_BYTES, "%s", h->item.name);
	else if (h->nics == CONFIG_AUTO)
		snprintf(name, NODE_NAME_BYTES, "%s%u", h->item.name, n);
	else
		snprintf(name, NODE_NAME_BYTES, "%s%u-%u", h->item.name, n / nics, n % nics);
}

int
config_resolve_hosts(struct config *c)
{
	struct scenario *s = c->scenario;
	uint64_t total = 0;

	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, g);

		h->first = (uint32_t)total;
		if (h->nics != CONFIG_AUTO && h->count == CONFIG_AUTO)
			return config_fail(&c->error, &h->item.mark,
					   "hosts: nics are of servers; give their count");
		if (h->nics != CONFIG_AUTO &&
		    strlen(h->item.name) + sizeof("65535-255") > NODE_NAME_BYTES)
			return config_fail(&c->error, &h->item.mark,
					   "hosts: the name of servers with nics has 1 to %zu "
					   "characters",
					   NODE_NAME_BYTES - sizeof("65535-255"));
		total += config_host_count(h);
		if (total > 65536)
			return config_fail(&c->error, &h->item.mark, "hosts: more than 65536");
	}
	s->hosts = CONFIG_NEW(c, struct scenario_host, total);
	s->host_count = (uint32_t)total;
	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, g);
		uint32_t count = config_host_count(h);
		struct congestion_cfg congestion = {.kind = CONGESTION_NONE};
		struct receiver_cfg receiver;
		int rc = check_host(c, h);

		if (rc == 0)
			rc = resolve_congestion(c, h, &congestion);
		if (rc == 0)
			rc = config_resolve_receiver(c, h, &receiver);
		if (rc != 0)
			return rc;
		config_fill_pfc(&h->pfc, h->nic_bps);
		for (uint32_t i = 0; i < count; i++) {
			struct scenario_host *host = &s->hosts[h->first + i];

			fill_host(c, h, &congestion, &receiver, h->first + i, host);
			rc = config_host_address(c, h, i, host);
			if (rc != 0)
				return rc;
			set_name(h, i, host->cfg.name);
		}
	}
	return check_names(c);
}
