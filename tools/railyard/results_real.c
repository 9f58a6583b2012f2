/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary's part on real time: how well the poll loop kept up, and what devices did. */
#include <rte_ethdev.h>

#include "results_internal.h"

/* Late for more of the run than this, or turns that last longer: the result is in doubt. */
#define MOST_LATE_FRACTION 0.01
#define LONGEST_TURN_PS (100 * UNITS_PS_PER_US)

static double
us(uint64_t ps)
{
	return (double)ps / UNITS_PS_PER_US;
}

static double
late_fraction(const struct engine_real *e)
{
	return e->now_ps == 0 ? 0 : (double)engine_real_worst(e)->late_ps / (double)e->now_ps;
}

static void
warn_of_loop(struct results *r, const struct engine_real *e)
{
	const struct engine_real_pace *pace = engine_real_worst(e);
	uint64_t p99_ps = histogram_percentile(&pace->turn_ps, 990000);

	if (late_fraction(e) <= MOST_LATE_FRACTION && p99_ps <= LONGEST_TURN_PS)
		return;
	results_warn(r,
		     "the poll loop was late for %.1f %% of the run, by up to %.0f us (turns: p99 "
		     "%.1f us): delays, pauses and rates on devices are not faithful; give it a "
		     "core of its own (eal.cores) or lower the rates",
		     late_fraction(e) * 100, us(pace->behind_max_ps), us(p99_ps));
}

static void
warn_of_device(struct results *r, const char *place, const struct ethdev_port *p,
	       const struct rte_eth_stats *stats, uint32_t lost)
{
	const struct ethdev_counters *c = &p->counters;
	uint64_t downs = p->node->ports[p->node_port].link_downs;

	if (downs != 0)
		results_warn(r, "%s: its link went down %llu time%s%s", place,
			     (unsigned long long)downs, downs == 1 ? "" : "s",
			     p->link_up ? "" : ", and is down");
	else if (!p->link_up)
		results_warn(r, "%s: it had no link", place);
	if (c->tx_dropped != 0)
		results_warn(r,
			     "%s: the device was slower than the port's rate: it had no room for "
			     "%llu frames",
			     place, (unsigned long long)c->tx_dropped);
	if (c->rx_refused != 0)
		results_warn(
			r, "%s: %llu frames came in pieces, larger than a packet, and were dropped",
			place, (unsigned long long)c->rx_refused);
	if (stats->imissed != 0 || stats->rx_nombuf != 0)
		results_warn(r,
			     "%s: the device lost %llu frames before they reached the port (%llu "
			     "for want of packet buffers: raise `mbufs`)",
			     place, (unsigned long long)(stats->imissed + stats->rx_nombuf),
			     (unsigned long long)stats->rx_nombuf);
	if (lost != 0)
		results_warn(
			r,
			"%s: its interface received %u frames that the port never saw: the "
			"packet socket's ring was full (raise framecnt, or lower the load), or "
			"offloads made one of several",
			place, lost);
	if (ethdev_pauses_doubt(p) != NULL)
		results_warn(r, "%s: %s", place, ethdev_pauses_doubt(p));
}

static json_t *
device_json(struct results *r, uint32_t n)
{
	const struct fabric *f = r->fabric;
	const struct ethdev_port *p = &f->ethdevs[n];
	const struct ethdev_counters *c = &p->counters;
	const struct node_port *port = &p->node->ports[p->node_port];
	uint32_t lost = fabric_sockets_lost(f, n);
	struct rte_eth_stats stats = {0};
	char place[RESULTS_PLACE_BYTES], name[RTE_ETH_NAME_MAX_LEN] = "";

	results_place(place, f->nodes[f->ethdev_ends[n].node], f->ethdev_ends[n].port);
	(void)rte_eth_dev_get_name_by_port(p->port_id, name);
	(void)rte_eth_stats_get(p->port_id, &stats);
	warn_of_device(r, place, p, &stats, lost);
	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:I}",
		"port", place, "device", name, "rx_packets", (json_int_t)c->rx_packets, "rx_bytes",
		(json_int_t)c->rx_bytes, "rx_refused", (json_int_t)c->rx_refused, "rx_missed",
		(json_int_t)stats.imissed, "rx_no_buffer", (json_int_t)stats.rx_nombuf, "rx_unseen",
		(json_int_t)lost, "tx_packets", (json_int_t)c->tx_packets, "tx_bytes",
		(json_int_t)c->tx_bytes, "tx_dropped", (json_int_t)c->tx_dropped, "tx_no_link",
		(json_int_t)c->tx_no_link, "link_up", p->link_up, "link_ups",
		(json_int_t)port->link_ups, "link_downs", (json_int_t)port->link_downs);
}

json_t *
results_real_json(struct results *r)
{
	const struct engine_real *e = &r->fabric->real;
	const struct engine_real_pace *pace = engine_real_worst(e);
	json_t *devices = json_array();

	warn_of_loop(r, e);
	for (uint32_t i = 0; i < r->fabric->ethdev_count; i++)
		json_array_append_new(devices, device_json(r, i));
	return json_pack("{s:i, s:I, s:{s:f, s:f, s:f}, s:f, s:f, s:o}", "lcores",
			 (int)e->lcore_count, "turns", (json_int_t)pace->turns, "turn_us", "p50",
			 us(histogram_percentile(&pace->turn_ps, 500000)), "p99",
			 us(histogram_percentile(&pace->turn_ps, 990000)), "max",
			 us(pace->turn_ps.max), "behind_max_us", us(pace->behind_max_ps),
			 "late_fraction", late_fraction(e), "devices", devices);
}
