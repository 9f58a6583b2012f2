/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary's watchdogs: where a pause storm was found, when, and what it cost. */
#include "results_internal.h"

/* A time of the run, or null when it has not come. */
static json_t *
time_us(uint64_t count, uint64_t ps)
{
	return count == 0 ? json_null() : json_real((double)ps / UNITS_PS_PER_US);
}

static json_t *
row_json(const struct switch_node *sw, uint16_t port, uint8_t priority)
{
	const struct watchdog *w = &sw->watchdogs[port][priority];

	return json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:o, s:o}", "node", sw->node.name,
			 "port", port, "priority", priority, "queue",
			 sw->ports[port].maps->pfc_to_queue[priority], "detected",
			 (json_int_t)w->detected, "restored", (json_int_t)w->restored, "dropped",
			 (json_int_t)w->dropped, "first_detected_us",
			 time_us(w->detected, w->first_detected_ps), "last_restored_us",
			 time_us(w->restored, w->last_restored_ps));
}

json_t *
results_watchdog_json(const struct results *r)
{
	json_int_t detected = 0, restored = 0, dropped = 0;
	json_t *rows = json_array();

	for (uint32_t i = 0; i < r->fabric->switch_count; i++) {
		const struct switch_node *sw = r->fabric->switches[i];

		for (uint16_t port = 0; sw->watchdogs != NULL && port < sw->cfg->port_count;
		     port++) {
			for (uint8_t priority = 0; priority < PFC_PRIORITIES; priority++) {
				const struct watchdog *w = &sw->watchdogs[port][priority];

				if (w->detected == 0)
					continue;
				detected += (json_int_t)w->detected;
				restored += (json_int_t)w->restored;
				dropped += (json_int_t)w->dropped;
				json_array_append_new(rows, row_json(sw, port, priority));
			}
		}
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "detected", detected, "restored", restored,
			 "dropped", dropped, "storms", rows);
}
