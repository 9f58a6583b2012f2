/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiver of a host group: its fields, and what they make. */
#include <inttypes.h>

#include "config_internal.h"
#include "config_table.h"

#define DEFAULT_WINDOW 1024u
#define DEFAULT_NAK_DISTANCE 128u

static const char *const orderings[] = {"go-back-n", "out-of-order", NULL};
static const char *const reactions[] = {"nak", "cnp", "both", "none", NULL};

enum reaction { NAK, CNP, BOTH, NONE };

static const struct config_field receiver_fields[] = {
	CHOICE(struct raw_receiver, ordering, "ordering", orderings, "go-back-n",
	       "go-back-n: what does not come in order is lost. out-of-order: it is placed on "
	       "arrival, "
	       "messages complete in order, and only what is missing is sent again; between hosts "
	       "that "
	       "both do so"),
	NUMBER(struct raw_receiver, window, "window", COUNT, "auto",
	       "out-of-order: packets it places ahead of a missing one, and at most unacknowledged "
	       "by "
	       "a sender without a `window` of its own; auto = 1024",
	       .flags = CONFIG_MAY_BE_AUTO, .min = 8, .max = 65536),
	CHOICE(struct raw_receiver, on_reorder, "on_reorder", reactions, "nak",
	       "when packets are missing: a NAK, a CNP, both, or nothing, which leaves it to the "
	       "sender's timer"),
	NUMBER(struct raw_receiver, nak_distance, "nak_distance", COUNT, "auto",
	       "out-of-order: a packet is missing when one so many PSNs later has come; 1 = at "
	       "once; "
	       "auto = 128, or half the window",
	       .flags = CONFIG_MAY_BE_AUTO, .min = 1, .max = 65535),
	END,
};

const struct config_object config_receiver_object = {
	.name = "receiver",
	.help = "What a host does about packets that come out of order. A word alone is the "
		"ordering: "
		"`receiver: out-of-order`.",
	.shorthand = "ordering",
	.size = sizeof(struct raw_receiver),
	.fields = receiver_fields,
};

/* Go-back-N has neither window nor distance. */
static int
check_go_back_n(struct config *c, const struct raw_host *h)
{
	const struct raw_receiver *r = &h->receiver;
	struct config_mark mark = config_item_mark(&r->item, "window");

	if (r->window != CONFIG_AUTO)
		return config_fail(&c->error, &mark,
				   "window: a go-back-n receiver has none; it takes `ordering: "
				   "out-of-order`, or is the `window` of the host, in bytes");
	mark = config_item_mark(&r->item, "nak_distance");
	if (r->nak_distance != CONFIG_AUTO)
		return config_fail(&c->error, &mark,
				   "nak_distance: a go-back-n receiver NAKs at once; it takes "
				   "`ordering: out-of-order`");
	return 0;
}

static int
check_out_of_order(struct config *c, const struct raw_host *h)
{
	const struct raw_receiver *r = &h->receiver;
	struct config_mark mark = config_item_mark(&r->item, "ordering");

	if (h->remote == 1)
		return config_fail(
			&c->error, &mark,
			"ordering: what a real machine makes of out-of-order packets is not "
			"known here; a remote host has go-back-n");
	mark = config_item_mark(&r->item, "nak_distance");
	if (r->nak_distance != CONFIG_AUTO && (r->on_reorder == CNP || r->on_reorder == NONE))
		return config_fail(&c->error, &mark,
				   "nak_distance: there are no NAKs with on_reorder: %s",
				   reactions[r->on_reorder]);
	if (r->nak_distance != CONFIG_AUTO && r->nak_distance >= r->window)
		return config_fail(&c->error, &mark,
				   "nak_distance: must be less than the window of %" PRIu64
				   " packets",
				   r->window);
	return 0;
}

int
config_resolve_receiver(struct config *c, struct raw_host *h, struct receiver_cfg *cfg)
{
	struct raw_receiver *r = &h->receiver;
	int rc;

	*cfg = (struct receiver_cfg){
		.silent = r->on_reorder == CNP || r->on_reorder == NONE,
		.cnp = r->on_reorder == CNP || r->on_reorder == BOTH,
	};
	if (r->ordering == 0)
		return check_go_back_n(c, h);
	if (r->window == CONFIG_AUTO)
		r->window = DEFAULT_WINDOW;
	rc = check_out_of_order(c, h);
	if (rc != 0)
		return rc;
	if (r->nak_distance == CONFIG_AUTO && !cfg->silent)
		r->nak_distance = RTE_MIN(DEFAULT_NAK_DISTANCE, r->window / 2);
	cfg->ordering = RECEIVER_OUT_OF_ORDER;
	cfg->window_packets = (uint32_t)r->window;
	cfg->nak_distance = cfg->silent ? 1 : (uint32_t)r->nak_distance;
	return 0;
}
