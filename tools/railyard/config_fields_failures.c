/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of failures of links, and of the routing that answers them. */
#include "config_table.h"

static const struct config_field failure_fields[] = {
	TEXTS(struct raw_failure, link, "link",
	      "one end of it: `leaf0[8]`, or `h[3]`; `spine0`: all its links; or several",
	      .flags = CONFIG_REQUIRED),
	NUMBER(struct raw_failure, at_ps, "at", TIME, "0", "begins"),
	NUMBER(struct raw_failure, until_ps, "until", TIME, "0", "ends; 0 = with the run"),
	FLAG(struct raw_failure, down, "down", "no",
	     "no link: what is on the wire is lost, and nothing can be sent"),
	NUMBER(struct raw_failure, rate_bps, "rate", RATE, "0",
	       "a lower rate of both ends; 0 = as it was", .flags = CONFIG_OR_ZERO,
	       .min = LEAST_PORT_RATE_BPS),
	NUMBER(struct raw_failure, delay_ps, "delay", TIME, "0", "further delay, both ways"),
	NUMBER(struct raw_failure, loss_q32, "loss", PERCENT, "0%",
	       "share of frames lost, both ways", .max = CONFIG_ONE_Q32),
	END,
};

const struct config_object config_failure_object = {
	.name = "failure",
	.help = "A link that fails or gets worse for a time; both of its ends see it at once. "
		"While "
		"a link is down its ports have no carrier: frames that had been sent or queued, "
		"and "
		"those still sent its way, are dropped as link_down. Routing answers as `routing` "
		"says.",
	.size = sizeof(struct raw_failure),
	.fields = failure_fields,
};

static const struct config_field routing_fields[] = {
	NUMBER(struct raw_routing, failover_ps, "failover_delay", TIME, "10us",
	       "from a link's failure until the routers at its ends leave it out of their groups "
	       "of "
	       "next hops"),
	NUMBER(struct raw_routing, reroute_ps, "reroute_delay", TIME, "50us",
	       "from a link's failure, its return or a change of its rate until all routers have "
	       "new routes"),
	END,
};

const struct config_object config_routing_object = {
	.name = "routing",
	.help = "How soon layer 3 goes other ways after a failure. The defaults are those of a "
		"fabric "
		"that repairs itself in hardware; routing protocols take milliseconds to seconds. "
		"Entries of layer 2 stay as they are. In a Clos network new paths go up and then "
		"down, never up again.",
	.size = sizeof(struct raw_routing),
	.fields = routing_fields,
};
