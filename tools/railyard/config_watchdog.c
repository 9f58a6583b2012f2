/* SPDX-License-Identifier: BSD-3-Clause */
/* The PFC watchdog of a port, from the switch's settings and its own. */
#include <string.h>

#include "config_internal.h"
#include "pipelines.h"

static int
check(struct config *c, const struct raw_switch *raw, const struct raw_watchdog *w)
{
	struct config_mark mark = config_item_mark(&w->item, "detection");
	char poll[32];

	config_unit_format(CONFIG_UNIT_TIME, raw->watchdog->poll_ps, poll, sizeof(poll));
	if (w->detection_ps < raw->watchdog->poll_ps)
		return config_fail(
			&c->error, &mark,
			"detection: is below the poll interval %s; nothing shows in less", poll);
	mark = config_item_mark(&w->item, "restoration");
	if (w->restoration_ps != 0 && w->restoration_ps < raw->watchdog->poll_ps)
		return config_fail(&c->error, &mark,
				   "restoration: is below the poll interval %s; nothing shows in "
				   "less (0 = never)",
				   poll);
	mark = config_item_mark(&w->item, "priorities");
	if (!pipelines_find(raw->pipeline)->uses_mmu && w->priorities != 0)
		return config_fail(&c->error, &mark,
				   "pfc_watchdog: pipeline %s has none; remove it, or use another",
				   raw->pipeline);
	return 0;
}

int
config_resolve_watchdog(struct config *c, struct raw_switch *raw, struct raw_port *port)
{
	struct raw_watchdog *w = CONFIG_NEW(c, struct raw_watchdog, 1);

	if (raw->watchdog == NULL) {
		struct config_mark mark = config_item_mark(&port->item, "pfc_watchdog");

		return port->watchdog == NULL ? 0
					      : config_fail(&c->error, &mark,
							    "pfc_watchdog: the switch has none; "
							    "give it `pfc_watchdog: "
							    "{poll: 200ms, priorities: []}`");
	}
	*w = port->watchdog != NULL ? *port->watchdog : *raw->watchdog;
	if (w->priorities == CONFIG_UNSET)
		w->priorities = port->pfc_enable;
	port->watchdog = w;
	return check(c, raw, w);
}

bool
config_same_watchdog(const struct raw_watchdog *a, const struct raw_watchdog *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->detection_ps == b->detection_ps && a->restoration_ps == b->restoration_ps &&
	       a->action == b->action && a->priorities == b->priorities;
}

void
config_fill_watchdog(const struct raw_switch *raw, const struct raw_watchdog *w,
		     struct watchdog_cfg *cfg)
{
	*cfg = (struct watchdog_cfg){0};
	if (w == NULL)
		return;
	*cfg = (struct watchdog_cfg){
		.priorities = (uint8_t)w->priorities,
		.detect = (enum watchdog_detect)raw->watchdog->detect,
		.action = (enum watchdog_action)w->action,
		.detection_ps = w->detection_ps,
		.restoration_ps = w->restoration_ps,
	};
}
