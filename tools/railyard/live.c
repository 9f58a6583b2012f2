/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "fabric.h"
#include "human.h"
#include "kernel_interface.h"

/* More would not fit on a screen. */
#define MOST_ROWS 24
/* Of a terminal that does not tell. */
#define USUAL_COLUMNS 80

/* Counters that only grow, and a depth that does not. */
struct live_port {
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t marked;
	uint64_t drops;
	uint64_t xoff_received;
	uint64_t xoff_sent;
	uint64_t depth_bytes;
	bool link_down;
};

static uint32_t
port_count(const struct fabric *f)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		count += f->nodes[i]->port_count;
	return count;
}

void
live_init(struct live *live, const struct fabric *f, bool quiet)
{
	*live = (struct live){.fabric = f, .terminal = isatty(STDERR_FILENO) == 1};
	live->ports = calloc(port_count(f) + 1, sizeof(*live->ports));
	live->links_down = calloc(f->ethdev_count + 1, sizeof(*live->links_down));
	live->enabled = !quiet && live->ports != NULL && live->links_down != NULL;
	for (uint32_t i = 0; live->enabled && i < f->ethdev_count; i++) {
		const struct ethdev_port *p = &f->ethdevs[i];

		if (ethdev_pauses_doubt(p) != NULL)
			fprintf(stderr, "%s:%u: %s\n", p->node->name, p->node_port,
				ethdev_pauses_doubt(p));
		if (fabric_ethdev_is_socket(p) && kernel_interface_offloads(p->interface))
			fprintf(stderr,
				"%s:%u: its interface has offloads on: frames may come without "
				"checksums or too large; `ethtool -K NAME tx off gso off tso off`, "
				"of a veth at both ends\n",
				p->node->name, p->node_port);
	}
}

static void
read_port(const struct fabric *f, uint32_t node, uint16_t port, struct live_port *out)
{
	const struct node_port *p = &f->nodes[node]->ports[port];

	*out = (struct live_port){
		.rx_packets = p->rx_packets,
		.rx_bytes = p->rx_bytes,
		.tx_packets = p->tx_packets,
		.tx_bytes = p->tx_bytes,
		.link_down = p->link_down,
	};
	for (int reason = 0; reason < DROP_REASON_COUNT; reason++)
		for (int n = 0; n < 8; n++)
			out->drops += p->drops[reason][n];
	for (int n = 0; n < PFC_PRIORITIES; n++) {
		out->xoff_received += p->pfc_rx.xoff_frames[n];
		out->xoff_sent += p->pfc_tx.xoff_frames[n];
	}
	for (int n = 0; node < f->switch_count && n < SWITCH_QUEUES; n++) {
		out->depth_bytes += f->switches[node]->ports[port].queues[n].bytes;
		out->marked += f->switches[node]->ports[port].queues[n].marked;
	}
}

static void
add(struct live_port *sum, const struct live_port *now, const struct live_port *before)
{
	sum->rx_packets += now->rx_packets - before->rx_packets;
	sum->rx_bytes += now->rx_bytes - before->rx_bytes;
	sum->tx_packets += now->tx_packets - before->tx_packets;
	sum->tx_bytes += now->tx_bytes - before->tx_bytes;
	sum->marked += now->marked - before->marked;
	sum->drops += now->drops - before->drops;
	sum->xoff_received += now->xoff_received - before->xoff_received;
	sum->xoff_sent += now->xoff_sent - before->xoff_sent;
	sum->depth_bytes = RTE_MAX(sum->depth_bytes, now->depth_bytes);
}

static int
terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return USUAL_COLUMNS;
	return size.ws_col;
}

/*
 * A line of the screen, cut at its edge: one that wraps would be two, and the next screen would
 * begin too low. Its last column is left free, where terminals differ on when a line is full.
 */
static void __attribute__((format(printf, 1, 2))) screen_line(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%.*s\033[K\n", terminal_columns() - 1, text);
}

static void
print_row(const char *name, const struct live_port *d, double seconds)
{
	screen_line("%-18s %12s %10s %12s %10s %10s %8llu %7llu %7llu %8llu", name,
		    human_rate_bps((double)d->rx_bytes * 8 / seconds).text,
		    human_short((double)d->rx_packets / seconds).text,
		    human_rate_bps((double)d->tx_bytes * 8 / seconds).text,
		    human_short((double)d->tx_packets / seconds).text,
		    human_bytes((double)d->depth_bytes).text, (unsigned long long)d->marked,
		    (unsigned long long)d->xoff_received, (unsigned long long)d->xoff_sent,
		    (unsigned long long)d->drops);
}

/* Without those lost, which are drops. */
static uint64_t
impaired_frames(const struct impair *im)
{
	return im == NULL
		       ? 0
		       : im->counters.duplicated + im->counters.delayed + im->counters.corrupted +
				 im->counters.marked + im->counters.pauses;
}

static void
print_reasons(struct live *live)
{
	const struct fabric *f = live->fabric;
	const struct engine_real_pace *pace = engine_real_worst(&f->real);
	char text[400] = "drops so far:";
	size_t used = strlen(text);
	uint64_t impaired = 0;

	for (int reason = 0; reason < DROP_REASON_COUNT; reason++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < f->node_count; i++)
			for (uint16_t port = 0; port < f->nodes[i]->port_count; port++)
				for (int n = 0; n < 8; n++)
					sum += f->nodes[i]->ports[port].drops[reason][n];
		if (sum != 0 && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s %llu",
						 drop_reason_name((enum drop_reason)reason),
						 (unsigned long long)sum);
	}
	for (uint32_t i = 0; i < f->node_count; i++)
		for (uint16_t port = 0; port < f->nodes[i]->port_count; port++)
			impaired += impaired_frames(f->nodes[i]->ports[port].impair);
	if (impaired != 0 && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, "; impaired %llu",
			 (unsigned long long)impaired);
	screen_line("%s", text);
	screen_line("loop p99 %s, behind at most %s, late %s",
		    human_time_us((double)histogram_percentile(&pace->turn_ps, 990000) /
				  UNITS_PS_PER_US)
			    .text,
		    human_time_us((double)pace->behind_max_ps / UNITS_PS_PER_US).text,
		    human_percent(f->real.now_ps == 0
					  ? 0
					  : (double)pace->late_ps / (double)f->real.now_ps)
			    .text);
}

/* Above the last screen, if there is one, so that it does not scroll. */
static void
begin_screen(struct live *live, uint64_t now_ps)
{
	if (live->drawn_lines != 0)
		fprintf(stderr, "\033[%uA", live->drawn_lines);
	screen_line("%s  %.1f s", live->fabric->scenario->file, (double)now_ps / UNITS_PS_PER_S);
	screen_line("%-18s %12s %10s %12s %10s %10s %8s %7s %7s %8s", "port", "rx", "packets/s",
		    "tx", "packets/s", "depth", "marks", "paused", "pauses", "drops");
}

static void
print_line(const struct live_port *sum, double seconds, uint64_t now_ps)
{
	fprintf(stderr,
		"%.1f s: rx %s, %s packets/s; tx %s, %s packets/s; depth %s; marks %llu; XOFF "
		"received %llu, sent %llu; drops %llu\n",
		(double)now_ps / UNITS_PS_PER_S,
		human_rate_bps((double)sum->rx_bytes * 8 / seconds).text,
		human_short((double)sum->rx_packets / seconds).text,
		human_rate_bps((double)sum->tx_bytes * 8 / seconds).text,
		human_short((double)sum->tx_packets / seconds).text,
		human_bytes((double)sum->depth_bytes).text, (unsigned long long)sum->marked,
		(unsigned long long)sum->xoff_received, (unsigned long long)sum->xoff_sent,
		(unsigned long long)sum->drops);
}

static void
report(struct live *live, uint64_t now_ps)
{
	const struct fabric *f = live->fabric;
	double seconds = (double)(now_ps - live->reported_ps) / UNITS_PS_PER_S;
	struct live_port sum = {0}, *before = live->ports;
	uint32_t rows = 0;

	if (live->terminal)
		begin_screen(live, now_ps);
	for (uint32_t i = 0; i < f->node_count; i++) {
		for (uint16_t port = 0; port < f->nodes[i]->port_count; port++, before++) {
			struct live_port now, row = {0};
			char name[NODE_NAME_BYTES + 16];

			if (f->nodes[i]->ports[port].tx == NULL)
				continue;
			read_port(f, i, port, &now);
			add(&row, &now, before);
			add(&sum, &now, before);
			*before = now;
			if (!live->terminal || rows == MOST_ROWS)
				continue;
			snprintf(name, sizeof(name), "%s:%u%s", f->nodes[i]->name, port,
				 now.link_down ? " DOWN" : "");
			print_row(name, &row, seconds);
			rows++;
		}
	}
	if (live->terminal) {
		print_row("all", &sum, seconds);
		print_reasons(live);
		live->drawn_lines = rows + 5;
	} else {
		print_line(&sum, seconds, now_ps);
	}
}

static void
report_links(struct live *live, uint64_t now_ps)
{
	const struct fabric *f = live->fabric;

	for (uint32_t i = 0; i < f->ethdev_count; i++) {
		const struct ethdev_port *p = &f->ethdevs[i];

		if (live->links_down[i] == !p->link_up)
			continue;
		live->links_down[i] = !p->link_up;
		fprintf(stderr, "%.1f s: %s:%u: link %s\n", (double)now_ps / UNITS_PS_PER_S,
			p->node->name, p->node_port, p->link_up ? "up" : "down");
	}
}

void
live_update(struct live *live, uint64_t now_ps)
{
	if (!live->enabled)
		return;
	if (!live->terminal)
		report_links(live, now_ps);
	if (now_ps - live->reported_ps < live->fabric->scenario->report_interval_ps)
		return;
	report(live, now_ps);
	live->reported_ps = now_ps;
}

void
live_end(struct live *live)
{
	free(live->ports);
	free(live->links_down);
	live->ports = NULL;
	live->links_down = NULL;
	live->enabled = false;
}
