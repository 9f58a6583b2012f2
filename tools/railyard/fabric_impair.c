/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives ports their impairments: all of one port, in the order of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

static bool
same_end(const struct scenario_end *a, const struct scenario_end *b)
{
	return a->is_switch == b->is_switch && a->index == b->index && a->port == b->port;
}

/* Frames that delays keep under way at most, when they are the smallest. */
uint64_t
fabric_impaired_packets(const struct scenario *s)
{
	uint64_t packets = 0;

	for (uint32_t i = 0; i < s->impairment_count; i++) {
		const struct scenario_impairment *m = &s->impairments[i];
		uint64_t rate_bps =
			m->end.is_switch
				? s->switches[m->end.index].ports[m->end.port].port.rate_bps
				: s->hosts[m->end.index].cfg.port.rate_bps;

		packets += (m->cfg.delay_ps + m->cfg.jitter_ps + m->cfg.reorder_delay_ps) *
				   (uint64_t)(m->cfg.rx + m->cfg.tx) /
				   units_frame_ps(UNITS_MIN_FRAME_BYTES, rate_bps) +
			   64;
	}
	return packets;
}

int
fabric_impair(struct fabric *f, char *why, size_t why_bytes)
{
	const struct scenario *s = f->scenario;
	struct impair_cfg *rules = calloc(s->impairment_count + 1, sizeof(*rules));
	int rc = rules == NULL ? -1 : 0;

	for (uint32_t i = 0; rc == 0 && i < s->impairment_count; i++) {
		const struct scenario_end *end = &s->impairments[i].end;
		struct node *node = end->is_switch ? &f->switches[end->index]->node
						   : host_node(f->hosts[end->index]);
		struct impair *impair;
		uint32_t count = 0;

		if (node->ports[end->port].impair != NULL)
			continue;
		for (uint32_t n = i; n < s->impairment_count; n++) {
			if (same_end(&s->impairments[n].end, end))
				rules[count++] = s->impairments[n].cfg;
		}
		rc = impair_create(&impair, rules, count, s->seed,
				   (uint64_t)node->id << 16 | end->port);
		if (rc == 0)
			node_impair(node, end->port, impair);
	}
	free(rules);
	if (rc != 0)
		snprintf(why, why_bytes, "impairments: out of memory");
	return rc;
}
