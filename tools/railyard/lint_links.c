/* SPDX-License-Identifier: BSD-3-Clause */
/* The two ends of a link against each other. */
#include "lint_internal.h"

static struct lint_place
place_of(const struct lint *lint, const struct scenario_end *end)
{
	const struct scenario *s = lint->scenario;

	if (end->is_switch)
		return (struct lint_place){s->switches[end->index].cfg.name, end->port, NULL, -1};
	return (struct lint_place){s->hosts[end->index].cfg.name, -1, NULL, -1};
}

/* The group of what is there: of each of its members the same may be said. */
static const char *
name_of(const struct lint *lint, const struct scenario_end *end)
{
	return end->is_switch ? lint->scenario->switches[end->index].tier
			      : lint_raw_host(lint, end->index)->item.name;
}

/* "3, 4" */
static void
format_priorities(uint8_t priorities, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint8_t i = 0; i < 8; i++) {
		if (priorities >> i & 1 && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, "%s%u",
						 used == 0 ? "" : ", ", i);
	}
}

/* What `end` pauses, the other must obey. Ports with no priority at all pause nobody. */
static void
judge_pfc(struct lint *lint, const struct scenario_end *end, const struct scenario_end *peer)
{
	const struct scenario *s = lint->scenario;
	uint8_t deaf = config_end_pfc(s, end)->enable & (uint8_t)~config_end_pfc(s, peer)->enable;
	const struct lint_place at = place_of(lint, end);
	char list[32], found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	/* A host that does no more than its share: it pauses only when told to drain slowly. */
	if (deaf == 0 || !end->is_switch)
		return;
	format_priorities(deaf, list, sizeof(list));
	snprintf(found, sizeof(found), "pauses priorities %s, which %s does not obey", list,
		 name_of(lint, peer));
	snprintf(right, sizeof(right), "the same pfc_enable at both ends");
	lint_find(lint, LINT_PFC_ASYMMETRIC, &at, found, right);
}

static void
judge_mtu(struct lint *lint, const struct scenario_end *end, const struct scenario_end *peer)
{
	const struct scenario *s = lint->scenario;
	uint32_t sent = config_end_frame(s, end), taken;
	const struct lint_place at = place_of(lint, end);
	char found[LINT_TEXT_BYTES], right[LINT_TEXT_BYTES];

	if (!peer->is_switch)
		return;
	taken = s->switches[peer->index].ports[peer->port].mtu_bytes;
	if (sent <= taken)
		return;
	snprintf(found, sizeof(found), "sends frames of up to %u bytes to %s, whose mtu is %u",
		 sent, name_of(lint, peer), taken);
	snprintf(right, sizeof(right), "an mtu of %u", sent);
	lint_find(lint, LINT_MTU_ASYMMETRIC, &at, found, right);
}

/* Lossless data of one priority here, and of another there. */
static void
judge_maps(struct lint *lint, const struct scenario_end *end, const struct scenario_end *peer)
{
	const struct scenario *s = lint->scenario;
	const struct lint_place at = place_of(lint, end);

	if (!end->is_switch || !peer->is_switch || end->index > peer->index)
		return;
	for (uint8_t dscp = 0; dscp < 64; dscp++) {
		uint8_t ours =
			switch_port_maps(&s->switches[end->index].cfg, end->port)->dscp_to_tc[dscp];
		uint8_t theirs = switch_port_maps(&s->switches[peer->index].cfg, peer->port)
					 ->dscp_to_tc[dscp];
		char found[LINT_TEXT_BYTES];

		if (ours == theirs || !(lint->roce_dscps >> dscp & 1))
			continue;
		snprintf(found, sizeof(found), "DSCP %u is traffic class %u here, and %u at %s",
			 dscp, ours, theirs, name_of(lint, peer));
		lint_find(lint, LINT_MAP_ASYMMETRIC, &at, found, "one dscp_to_tc for all switches");
	}
}

void
lint_links(struct lint *lint)
{
	for (uint32_t i = 0; i < lint->scenario->link_count; i++) {
		const struct scenario_link *l = &lint->scenario->links[i];

		for (int side = 0; side < 2; side++) {
			const struct scenario_end *end = side == 0 ? &l->a : &l->b;
			const struct scenario_end *peer = side == 0 ? &l->b : &l->a;

			judge_pfc(lint, end, peer);
			judge_mtu(lint, end, peer);
			judge_maps(lint, end, peer);
		}
	}
	for (uint32_t i = 0; i < lint->scenario->warning_count; i++)
		lint_find(lint, LINT_CONFIG, &(struct lint_place){"", -1, NULL, -1},
			  lint->scenario->warnings[i], "");
}
