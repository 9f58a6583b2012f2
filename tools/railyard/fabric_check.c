/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>

#include <rte_mempool.h>

#include "fabric.h"

struct totals {
	uint64_t created;
	uint64_t copied;
	uint64_t delivered;
	uint64_t consumed;
	uint64_t dropped;
	uint64_t held;
	uint64_t in_links;
};

static struct totals
add_up(const struct fabric *f)
{
	struct totals t = {0};

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct node *n = f->nodes[i];

		t.created += n->counters.created;
		t.copied += n->counters.copied;
		t.delivered += n->counters.delivered;
		t.consumed += n->counters.consumed;
		t.dropped += n->counters.dropped;
		t.held += n->ops->held != NULL ? n->ops->held(n) : 0;
		for (uint16_t port = 0; port < n->port_count; port++)
			t.in_links += n->ports[port].impair != NULL
					      ? impair_held(n->ports[port].impair)
					      : 0;
	}
	for (uint32_t i = 0; i < f->link_count; i++)
		t.in_links += link_held(&f->links[i]);
	t.in_links += fabric_ethdev_held(f);
	return t;
}

uint64_t
fabric_in_flight(const struct fabric *f)
{
	struct totals t = add_up(f);

	return t.held + t.in_links;
}

bool
fabric_exhausted(const struct fabric *f)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		if (f->nodes[i]->no_buffers != 0)
			return true;
	}
	return false;
}

bool
fabric_is_stalled(const struct fabric *f)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct node *n = f->nodes[i];

		for (uint16_t port = 0; port < n->port_count; port++) {
			if (n->ports[port].has_hold &&
			    n->ports[port].cfg.hold_until_ps == UNITS_NEVER_PS)
				return true;
		}
	}
	return false;
}

/* Every packet made is somewhere, and nowhere twice. */
static int
check_sums(const struct fabric *f, bool at_end, char *why, size_t why_bytes)
{
	struct totals t = add_up(f);
	uint64_t made = t.created + t.copied + (uint64_t)fabric_ethdev_balance(f);
	uint64_t ended = t.delivered + t.consumed + t.dropped;
	unsigned int in_use = packet_pool_in_use(f->pool);

	if (made != ended + t.held + t.in_links) {
		snprintf(why, why_bytes,
			 "%llu packets were made, but %llu ended, %llu are held and %llu in links",
			 (unsigned long long)made, (unsigned long long)ended,
			 (unsigned long long)t.held, (unsigned long long)t.in_links);
		return -EPROTO;
	}
	/* Devices hold packets too: to receive into, and to send. */
	if (f->ethdev_count == 0 && in_use != t.held + t.in_links) {
		snprintf(why, why_bytes, "%u packet buffers are in use for %llu packets under way",
			 in_use, (unsigned long long)(t.held + t.in_links));
		return -EPROTO;
	}
	if (at_end && t.held + t.in_links != 0) {
		snprintf(why, why_bytes, "%llu packets are still under way",
			 (unsigned long long)(t.held + t.in_links));
		return -EPROTO;
	}
	return 0;
}

int
fabric_check(const struct fabric *f, bool at_end, char *why, size_t why_bytes)
{
	char detail[384];

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct node *n = f->nodes[i];

		/* In real time others may send more than there is room for: a warning. */
		if (n->no_buffers != 0 && !f->scenario->real_time) {
			snprintf(why, why_bytes,
				 "%s found the packet pool of %u empty: raise `mbufs`", n->name,
				 f->pool_count);
			return -EPROTO;
		}
		if (n->ops->check != NULL && n->ops->check(n, detail, sizeof(detail)) != 0) {
			snprintf(why, why_bytes, "%s: %s", n->name, detail);
			return -EPROTO;
		}
	}
	return check_sums(f, at_end, why, why_bytes);
}
