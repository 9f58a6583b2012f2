/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `railyard replay`: a capture goes into one port of a configured switch; every other port
 * without a link gets a sink, and what leaves for it is captured.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "config_units.h"
#include "options.h"
#include "replay.h"
#include "sink.h"

/* A metre of cable or so: the sinks are next to the switch. */
#define CABLE_PS (10 * UNITS_PS_PER_NS)

enum { OPTION_CONFIG = OPTION_OWN, OPTION_IN, OPTION_PORT, OPTION_TO, OPTION_SPEED, OPTION_RATE };

static const char usage[] =
	"usage: railyard replay --config FILE.yaml --in TRACE.pcap --port [SWITCH:]PORT\n"
	"                       [options]\n"
	"\n"
	"Play a capture into a port of a switch with its original gaps, and write what\n"
	"leaves each port as DIR/SWITCH-PORT.pcap: with marks applied, and PFC frames\n"
	"where it pauses.\n"
	"\n"
	"  --config FILE.yaml       the switch; hosts and a workload may run beside it\n"
	"  --in TRACE.pcap          pcap (us or ns, any byte order) or pcapng, Ethernet\n"
	"  --port [SWITCH:]PORT     where it goes in\n"
	"  --to PORT                send all of it out of here, whatever its addresses\n"
	"  --speed X                X times as fast (0.001 to 1000)\n"
	"  --rate RATE              back to back at this rate, e.g. 40Gbps\n" OPTIONS_COMMON_HELP;

struct arguments {
	struct session_options options;
	const char *in;
	const char *port;
	const char *to;
	uint32_t speed_milli; /* 0 = not given */
	uint64_t rate_bps;
};

static int
parse_speed(const char *text, uint32_t *milli)
{
	char *end;
	double x = strtod(text, &end);

	if (end == text || *end != '\0' || !(x >= 0.001 && x <= 1000)) {
		fprintf(stderr, "railyard: --speed %s: give a factor from 0.001 to 1000\n", text);
		return -1;
	}
	*milli = (uint32_t)(x * 1000 + 0.5);
	return 0;
}

static int
take_own(struct arguments *a, int option, const char *value)
{
	char why[256];

	switch (option) {
	case OPTION_CONFIG:
		a->options.config = value;
		return 0;
	case OPTION_IN:
		a->in = value;
		return 0;
	case OPTION_PORT:
		a->port = value;
		return 0;
	case OPTION_TO:
		a->to = value;
		return 0;
	case OPTION_SPEED:
		return parse_speed(value, &a->speed_milli);
	case OPTION_RATE:
		if (config_unit_parse(CONFIG_UNIT_RATE, value, &a->rate_bps, why, sizeof(why)) ==
			    0 &&
		    a->rate_bps != 0)
			return 0;
		fprintf(stderr, "railyard: --rate %s: give a rate such as 40Gbps\n", value);
		return -1;
	default:
		return options_fail(-1, "see `railyard replay --help`");
	}
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct arguments *a)
{
	static const struct option longs[] = {OPTIONS_COMMON,
					      {"config", required_argument, NULL, OPTION_CONFIG},
					      {"in", required_argument, NULL, OPTION_IN},
					      {"port", required_argument, NULL, OPTION_PORT},
					      {"to", required_argument, NULL, OPTION_TO},
					      {"speed", required_argument, NULL, OPTION_SPEED},
					      {"rate", required_argument, NULL, OPTION_RATE},
					      {0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = options_take(&a->options, option, optarg);

		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (taken < 0 || (taken == 0 && take_own(a, option, optarg) != 0))
			return -1;
	}
	if (argc != optind || a->options.config == NULL || a->in == NULL || a->port == NULL)
		return options_fail(-1, "replay: give --config FILE.yaml --in TRACE.pcap --port "
					"PORT");
	if (a->rate_bps != 0 && a->speed_milli != 0)
		return options_fail(-1, "replay: --speed and --rate exclude each other");
	return 0;
}

/* "PORT" of the first switch, or "SWITCH:PORT". */
static int
find_port(struct session *s, const char *option, const char *text, uint32_t *sw, uint16_t *port)
{
	const struct scenario *scenario = s->scenario;
	const char *colon = strrchr(text, ':');
	uint64_t number;

	*sw = 0;
	if (colon != NULL) {
		size_t length = (size_t)(colon - text);

		while (*sw < scenario->switch_count &&
		       (strncmp(scenario->switches[*sw].cfg.name, text, length) != 0 ||
			scenario->switches[*sw].cfg.name[length] != '\0'))
			++*sw;
		text = colon + 1;
	}
	if (*sw >= scenario->switch_count) {
		snprintf(s->error, sizeof(s->error), "%s: the configuration has no such switch",
			 option);
		return SESSION_USAGE;
	}
	if (!options_number(text, &number) || number >= scenario->switches[*sw].cfg.port_count) {
		snprintf(s->error, sizeof(s->error), "%s %s: switch %s has ports 0 to %u", option,
			 text, scenario->switches[*sw].cfg.name,
			 scenario->switches[*sw].cfg.port_count - 1);
		return SESSION_USAGE;
	}
	*port = (uint16_t)number;
	return SESSION_FINE;
}

/*
 * A trace often holds both directions of a conversation, and all of it enters by one port: the
 * switch must not conclude from that where the stations are.
 */
static int
set_forwarding(struct session *s, const struct arguments *a, uint32_t sw)
{
	struct forwarding_cfg *f = &s->scenario->switches[sw].cfg.forwarding;
	uint32_t to_switch;
	uint16_t to;
	int code;

	f->no_learning = true;
	if (a->to == NULL)
		return SESSION_FINE;
	code = find_port(s, "--to", a->to, &to_switch, &to);
	if (code != SESSION_FINE)
		return code;
	f->fixed = true;
	f->fixed_port = to;
	return SESSION_FINE;
}

/* What the switch sends out of the port, as DIR/SWITCH-PORT.pcap. */
static int
capture_port(struct session *s, const struct node *node, uint16_t port)
{
	char spec[1024];

	if (s->options->out_dir == NULL)
		return SESSION_FINE;
	snprintf(spec, sizeof(spec), "%s:%u=%s/%s-%u.pcap", node->name, port, s->options->out_dir,
		 node->name, port);
	return capture_set_add(results_captures(s->results), spec, CAPTURE_TX, s->error,
			       sizeof(s->error)) == 0
		       ? SESSION_FINE
		       : SESSION_USAGE;
}

static void
report_trace(struct session *s, void *context)
{
	const struct replay_results *r = replay_results(context);

	if (r->failed)
		results_warn(s->results, "the trace broke off: %s", replay_error(context));
	if (r->truncated != 0)
		results_warn(s->results,
			     "%llu of %llu frames of the trace are not whole; their length on the "
			     "wire was used",
			     (unsigned long long)r->truncated, (unsigned long long)r->packets);
	if (r->backward != 0)
		results_warn(s->results,
			     "%llu frames of the trace are stamped earlier than the one before "
			     "them; they were sent at once",
			     (unsigned long long)r->backward);
}

static int
add_replay(struct session *s, const struct arguments *a, uint32_t sw, uint16_t port)
{
	struct fabric *f = s->fabric;
	struct node *node = &f->switches[sw]->node;
	struct replay_cfg cfg = {
		.name = "replay",
		.path = a->in,
		.port = node->ports[port].cfg,
		.speed_num = a->speed_milli,
		.speed_den = a->speed_milli != 0 ? 1000 : 0,
		.rate_bps = a->rate_bps,
	};
	struct replay *replay;

	if (node->ports[port].tx != NULL) {
		snprintf(s->error, sizeof(s->error),
			 "--port %u: a link of the configuration uses it; choose a free port",
			 port);
		return SESSION_USAGE;
	}
	/* The trace was recorded already: it is not held back by pauses. */
	cfg.port.pfc.enable = 0;
	cfg.port.hold_from_ps = 0;
	cfg.port.hold_until_ps = 0;
	cfg.port.mac[5] ^= 0x80;
	if (replay_create(&replay, &cfg, f->node_count, s->scenario->seed, f->pool,
			  results_node_observer(s->results), s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	s->before_report = report_trace;
	s->context = replay;
	if (fabric_add_node(f, replay_node(replay)) == 0 &&
	    fabric_connect(f, replay_node(replay), 0, node, port, CABLE_PS) == 0)
		return capture_port(s, node, port);
	snprintf(s->error, sizeof(s->error), "out of memory");
	return SESSION_USAGE;
}

/* A sink at a port, and a capture of what leaves for it. */
static int
add_sink(struct session *s, struct node *node, uint16_t port)
{
	struct sink_cfg cfg = {.port = node->ports[port].cfg};
	struct node *sink;

	snprintf(cfg.name, sizeof(cfg.name), "sink%u", port);
	cfg.port.hold_until_ps = cfg.port.hold_from_ps;
	cfg.port.mac[5] ^= 0x80;
	sink = sink_create(&cfg, s->fabric->node_count, s->scenario->seed, s->fabric->pool,
			   results_node_observer(s->results));
	if (sink == NULL || fabric_add_node(s->fabric, sink) != 0 ||
	    fabric_connect(s->fabric, node, port, sink, 0, CABLE_PS) != 0) {
		snprintf(s->error, sizeof(s->error), "out of memory");
		return SESSION_USAGE;
	}
	return capture_port(s, node, port);
}

static int
replay(struct session *s, const struct arguments *a)
{
	struct replay_scan scan;
	struct node *node;
	uint32_t sw;
	uint16_t port;
	int code = session_load(s, &a->options);

	if (code != SESSION_FINE)
		return code;
	if (a->options.dump_config) {
		return session_dump(s);
	}
	code = find_port(s, "--port", a->port, &sw, &port);
	if (code == SESSION_FINE)
		code = set_forwarding(s, a, sw);
	if (code != SESSION_FINE)
		return code;
	if (replay_scan(a->in, &scan, s->error, sizeof(s->error)) != 0)
		return SESSION_USAGE;
	code = session_build(s, s->scenario->switches[sw].cfg.port_count, scan.captured_max_bytes);
	if (code == SESSION_FINE && results_protect(s->results, a->in) != 0) {
		snprintf(s->error, sizeof(s->error), "out of memory");
		code = SESSION_USAGE;
	}
	if (code == SESSION_FINE)
		code = add_replay(s, a, sw, port);
	if (code != SESSION_FINE)
		return code;
	node = &s->fabric->switches[sw]->node;
	for (uint16_t i = 0; code == SESSION_FINE && i < node->port_count; i++) {
		if (node->ports[i].tx == NULL)
			code = add_sink(s, node, i);
	}
	return code != SESSION_FINE ? code : session_run(s);
}

int
command_replay(int argc, char **argv)
{
	struct arguments a = {0};
	struct session s;
	int rc = parse(argc, argv, &a);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	return session_end(&s, replay(&s, &a));
}
