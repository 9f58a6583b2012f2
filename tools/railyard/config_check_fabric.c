/* SPDX-License-Identifier: BSD-3-Clause */
/* Consistency of links with the nodes they meet. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "pipelines.h"
#include "units.h"

/* Ethernet, VLAN, IPv6, UDP, BTH, RETH, immediate, ICRC, FCS around a payload. */
static uint32_t
frame_bytes(const struct scenario_host *h, uint32_t payload_bytes)
{
	return 14 + (h->cfg.has_vlan ? 4 : 0) + (h->address.is_ipv6 ? 40 : 20) + 8 + 12 + 16 + 4 +
	       payload_bytes + 4 + UNITS_FCS_BYTES;
}

uint64_t
config_end_rate(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? s->switches[e->index].ports[e->port].port.rate_bps
			    : s->hosts[e->index].cfg.port.rate_bps;
}

const struct pfc_cfg *
config_end_pfc(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? &s->switches[e->index].ports[e->port].port.pfc
			    : &s->hosts[e->index].cfg.port.pfc;
}

uint32_t
config_end_frame(const struct scenario *s, const struct scenario_end *e)
{
	return e->is_switch ? s->switches[e->index].ports[e->port].mtu_bytes
			    : frame_bytes(&s->hosts[e->index], s->hosts[e->index].cfg.mtu_bytes);
}

static int
take_end(struct config *c, const struct config_mark *mark, const struct scenario_end *e,
	 uint8_t **taken)
{
	uint32_t node = e->is_switch ? c->scenario->host_count + e->index : e->index;
	char name[64];

	if (taken[node][e->port]++ == 0)
		return 0;
	return config_fail(&c->error, mark, "link: %s is linked already; a port takes one link",
			   config_end_name(c, e, name, sizeof(name)));
}

static int
check_link(struct config *c, const struct scenario_link *l, const struct config_mark *mark,
	   uint8_t **taken)
{
	const struct scenario *s = c->scenario;
	uint64_t a = config_end_rate(s, &l->a), b = config_end_rate(s, &l->b);
	char a_name[64], b_name[64], a_rate[32], b_rate[32];
	int rc = take_end(c, mark, &l->a, taken);

	if (rc == 0 && l->a.is_switch && l->b.is_switch && l->a.index == l->b.index)
		return config_fail(
			&c->error, mark,
			"link: %s and port %u of the same switch; a link joins two nodes",
			config_end_name(c, &l->a, a_name, sizeof(a_name)), l->b.port);
	if (rc == 0)
		rc = take_end(c, mark, &l->b, taken);
	if (rc != 0)
		return rc;
	config_unit_format(CONFIG_UNIT_RATE, a, a_rate, sizeof(a_rate));
	config_unit_format(CONFIG_UNIT_RATE, b, b_rate, sizeof(b_rate));
	if (a != b)
		return config_fail(
			&c->error, mark,
			"link: %s runs at %s and %s at %s; set the same with nic, rate or "
			"port_settings",
			config_end_name(c, &l->a, a_name, sizeof(a_name)), a_rate,
			config_end_name(c, &l->b, b_name, sizeof(b_name)), b_rate);
	return 0;
}

/* A frame of the host must fit the switch port it meets. */
static int
check_mtu(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
	  const struct config_mark *mark)
{
	const struct scenario *s = c->scenario;
	uint32_t frame = config_end_frame(s, host), mtu;

	if (host->is_switch || !port->is_switch)
		return 0;
	mtu = s->switches[port->index].ports[port->port].mtu_bytes;
	if (frame <= mtu)
		return 0;
	return config_fail(
		&c->error, mark,
		"link: frames of %s take up to %u bytes at path MTU %u, but %s port %u takes "
		"%u; raise the switch's mtu or lower the host's",
		s->hosts[host->index].cfg.name, frame, s->hosts[host->index].cfg.mtu_bytes,
		s->switches[port->index].cfg.name, port->port, mtu);
}

static uint8_t
class_of(const struct switch_maps *maps, const struct scenario_host *h)
{
	if (maps->trust_pcp && h->cfg.has_vlan)
		return maps->pcp_to_tc[h->cfg.dscp_to_priority[h->dscp]];
	return maps->dscp_to_tc[h->dscp];
}

/* A host whose data the switch puts in a class that it does not pause for, though it pauses. */
static void
warn_lossy_class(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
		 bool *warned)
{
	const struct scenario_switch *sw;
	const struct scenario_host *h;
	const struct switch_port_cfg *p;
	const struct switch_maps *maps;
	uint8_t tc;
	int16_t n;

	if (host->is_switch || !port->is_switch || *warned)
		return;
	sw = &c->scenario->switches[port->index];
	h = &c->scenario->hosts[host->index];
	p = &sw->ports[port->port];
	maps = switch_port_maps(&sw->cfg, port->port);
	tc = class_of(maps, h);
	n = p->mmu.pg_profile[maps->tc_to_pg[tc]];
	if (p->port.pfc.enable == 0 || !pipelines_find(sw->cfg.pipeline)->uses_mmu ||
	    (n >= 0 && sw->cfg.mmu.profiles[n].lossless))
		return;
	*warned = true;
	config_warn(
		c, &config_raw_switch(c, port->index)->item.mark,
		"%s puts DSCP %u of %s in traffic class %u, which is lossy, while it has PFC on "
		"for other classes; see maps.dscp_to_tc",
		sw->cfg.name, h->dscp, h->cfg.name, tc);
}

/* WRED on a lossless queue drops what cannot be marked, before PFC has its say. */
static void
warn_not_ect(struct config *c, const struct scenario_end *host, const struct scenario_end *port,
	     bool *warned)
{
	const struct scenario_switch *sw;
	const struct switch_maps *maps;
	const struct scenario_host *h;
	uint8_t tc, queue;

	if (host->is_switch || !port->is_switch || *warned)
		return;
	sw = &c->scenario->switches[port->index];
	h = &c->scenario->hosts[host->index];
	maps = switch_port_maps(&sw->cfg, port->port);
	tc = class_of(maps, h);
	if (h->cfg.ecn_capable || !pipelines_find(sw->cfg.pipeline)->uses_mmu ||
	    !(sw->ports[port->port].port.pfc.enable >> maps->pg_to_pfc[maps->tc_to_pg[tc]] & 1))
		return;
	for (uint32_t i = 0; i < sw->cfg.port_count && !*warned; i++) {
		int16_t n;

		queue = switch_port_maps(&sw->cfg, i)->tc_to_queue[tc];
		n = sw->ports[i].wred[queue];
		if (n < 0 || !sw->wred[n].drop.enable)
			continue;
		*warned = true;
		config_warn(
			c, &config_raw_switch(c, port->index)->item.mark,
			"%s drops packets of %s, which are not ECN capable, by WRED profile %s in "
			"lossless queue %u; see wred.%s.drop",
			sw->cfg.name, h->cfg.name, sw->wred[n].name, queue, sw->wred[n].name);
	}
}

static int
check_each_link(struct config *c, uint8_t **taken)
{
	bool lossy = false, not_ect = false;

	for (uint32_t i = 0; i < c->scenario->link_count; i++) {
		const struct scenario_link *l = &c->scenario->links[i];
		const struct config_mark *mark = &c->link_marks[i];
		int rc = check_link(c, l, mark, taken);

		if (rc == 0)
			rc = check_mtu(c, &l->a, &l->b, mark);
		if (rc == 0)
			rc = check_mtu(c, &l->b, &l->a, mark);
		if (rc != 0)
			return rc;
		if (!c->judged) {
			warn_lossy_class(c, &l->a, &l->b, &lossy);
			warn_lossy_class(c, &l->b, &l->a, &lossy);
		}
		warn_not_ect(c, &l->a, &l->b, &not_ect);
		warn_not_ect(c, &l->b, &l->a, &not_ect);
	}
	return 0;
}

int
config_check_fabric(struct config *c)
{
	const struct scenario *s = c->scenario;
	uint32_t nodes = s->host_count + s->switch_count;
	uint8_t **taken = CONFIG_NEW(c, uint8_t *, nodes);
	int rc;

	for (uint32_t i = 0; i < nodes; i++)
		taken[i] = CONFIG_NEW(
			c, uint8_t,
			i < s->host_count ? 1 : s->switches[i - s->host_count].cfg.port_count);
	rc = check_each_link(c, taken);
	for (uint32_t i = 0; i < s->ethdev_count && rc == 0; i++)
		rc = take_end(c, &RAW_AT(c->raw.ethdevs, struct raw_ethdev, i)->item.mark,
			      &s->ethdevs[i].end, taken);
	if (rc != 0)
		return rc;
	for (uint32_t g = 0; g < c->raw.hosts.count; g++) {
		const struct raw_host *h = RAW_AT(c->raw.hosts, struct raw_host, g);

		for (uint32_t i = h->first; i < h->first + config_host_count(h); i++)
			if (taken[i][0] == 0 && !s->hosts[i].remote)
				return config_fail(&c->error, &h->item.mark,
						   "hosts: %s has no link; add one to links",
						   s->hosts[i].cfg.name);
	}
	return 0;
}
