/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC_WD: the watchdog of a port, and in the row GLOBAL how often it looks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sonic.h"

#define DEFAULT_POLL_MS 200
#define MAX_MS 60000

bool
sonic_same_watchdog(const struct sonic_watchdog *a, const struct sonic_watchdog *b)
{
	if (!a->given || !b->given)
		return a->given == b->given;
	return a->detection_ms == b->detection_ms && a->restoration_ms == b->restoration_ms &&
	       strcmp(a->action, b->action) == 0 && a->priorities == b->priorities;
}

static int
read_row(struct sonic *s, const struct config_entry *e, struct sonic_watchdog *w)
{
	static const char *const fields[] = {"action", "detection_time", "restoration_time",
					     "pfc_stat_history", NULL};
	static const char *const actions[] = {"drop", "forward", "alert", NULL};
	const char *action = sonic_field(e->value, "action");
	const char *const *known = actions;
	int rc = sonic_known_fields(s, e->value, fields);

	w->given = true;
	w->mark = e->value->mark;
	w->action = action != NULL ? action : "drop";
	while (*known != NULL && strcmp(*known, w->action) != 0)
		known++;
	if (rc == 0 && *known == NULL)
		rc = config_fail(&s->c->error, &e->value->mark,
				 "action: \"%.40s\", but it takes drop, forward or alert", action);
	if (rc == 0)
		rc = sonic_number(s, e->value, "detection_time", MAX_MS, 0, &w->detection_ms);
	if (rc == 0 && w->detection_ms == 0)
		rc = config_fail(&s->c->error, &e->value->mark, "has no detection_time");
	return rc != 0 ? rc
		       : sonic_number(s, e->value, "restoration_time", MAX_MS, 0,
				      &w->restoration_ms);
}

/* Which priorities: those of pfcwd_sw_enable, else those with PFC. */
static int
watched(struct sonic *s, const struct sonic_port *p, uint8_t *mask)
{
	const char *text = sonic_field(p->qos, "pfcwd_sw_enable");

	*mask = text == NULL ? p->pfc_enable : 0;
	s->watches_pfc = s->watches_pfc || (text == NULL && p->qos != NULL && *mask != 0);
	return text == NULL || text[0] == '\0' ? 0 : sonic_classes(s, &p->qos->mark, text, mask);
}

int
sonic_read_watchdogs(struct sonic *s)
{
	const struct config_node *table = sonic_table(s, "PFC_WD");

	for (uint32_t i = 0; i < table->count; i++) {
		const struct config_entry *e = &table->entries[i];
		struct sonic_watchdog w = {.given = false};
		struct sonic_key key;
		int rc;

		if (strcmp(e->key, "GLOBAL") == 0)
			continue;
		rc = sonic_read_key(s, e, false, &key);
		if (rc == 0)
			rc = read_row(s, e, &w);
		for (uint32_t port = 0; rc == 0 && port < s->port_count; port++) {
			if (!(key.ports[port / 64] >> port % 64 & 1))
				continue;
			s->ports[port].watchdog = w;
			rc = watched(s, &s->ports[port], &s->ports[port].watchdog.priorities);
		}
		if (rc != 0)
			return rc;
	}
	if (s->watches_pfc)
		config_warn(s->c, &table->mark,
			    "PORT_QOS_MAP has no pfcwd_sw_enable: the priorities of pfc_enable are "
			    "watched; recent SONiC watches none then");
	return 0;
}

static int
write_poll(struct sonic *s, struct config_node *out)
{
	static const char *const fields[] = {"POLL_INTERVAL", "BIG_RED_SWITCH", NULL};
	const struct config_node *global = sonic_row(s, "PFC_WD", "GLOBAL");
	const char *red = sonic_field(global, "BIG_RED_SWITCH");
	const struct config_mark mark =
		global != NULL ? global->mark : sonic_table(s, "PFC_WD")->mark;
	uint64_t poll_ms;
	int rc = global == NULL ? 0 : sonic_known_fields(s, global, fields);

	if (rc == 0 && red != NULL && strcmp(red, "enable") == 0)
		rc = config_fail(&s->c->error, &global->mark,
				 "BIG_RED_SWITCH: Railyard has none; it stops all lossless queues");
	if (rc == 0)
		rc = sonic_number(s, global, "POLL_INTERVAL", MAX_MS, DEFAULT_POLL_MS, &poll_ms);
	if (rc != 0)
		return rc;
	sonic_put(s, out, "poll", &mark, "%" PRIu64 "ms", poll_ms);
	sonic_put(s, out, "detect", &mark, "%s",
		  s->asic.watchdog == 1 ? "no-progress" : "pause-frames");
	return 0;
}

/* The switch's own stands in front of those of ports that differ. */
int
sonic_write_watchdog(struct sonic *s, const struct sonic_watchdog *w,
		     const struct sonic_watchdog *base, struct config_node *out)
{
	const struct config_node *table = sonic_table(s, "PFC_WD");
	struct config_node *dog;
	int rc = 0;

	if (table->count == 0 || (base != NULL && sonic_same_watchdog(w, base)))
		return 0;
	dog = sonic_put_map(s, out, "pfc_watchdog", CONFIG_MAP, &table->mark);
	if (base == NULL)
		rc = write_poll(s, dog);
	if (w->given) {
		sonic_put(s, dog, "detection", &w->mark, "%" PRIu64 "ms", w->detection_ms);
		sonic_put(s, dog, "restoration", &w->mark, "%" PRIu64 "ms", w->restoration_ms);
		sonic_put(s, dog, "action", &w->mark, "%s", w->action);
	}
	sonic_put_priorities(s, dog, "priorities", &table->mark, w->priorities);
	return rc;
}
