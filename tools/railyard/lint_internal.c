/* SPDX-License-Identifier: BSD-3-Clause */
#include "lint_internal.h"

const struct raw_switch *
lint_raw(const struct lint *lint, uint32_t sw)
{
	const struct raw_array *switches = &lint->scenario->config->raw.switches;
	uint32_t i = switches->count - 1;

	while (i > 0 && RAW_AT(*switches, struct raw_switch, i)->first > sw)
		i--;
	return RAW_AT(*switches, struct raw_switch, i);
}

const struct raw_port *
lint_raw_port(const struct raw_switch *raw, uint32_t port)
{
	uint32_t i = 0;

	while (!config_range_has(&RAW_AT(raw->port_settings, struct raw_port, i)->ports, port))
		i++;
	return RAW_AT(raw->port_settings, struct raw_port, i);
}

bool
lint_is_unused(const struct lint *lint, uint32_t sw, uint32_t port)
{
	return lint->link_of[lint->first_port[sw] + port] == LINT_NO_LINK &&
	       config_port_unused(lint->scenario, sw, port);
}

const struct mmu_profile_cfg *
lint_profile(const struct switch_cfg *cfg, int16_t index)
{
	return index < 0 ? NULL : &cfg->mmu.profiles[index];
}

bool
lint_is_lossless(const struct switch_cfg *cfg, uint32_t port, uint8_t tc)
{
	const struct mmu_profile_cfg *p =
		lint_profile(cfg, cfg->ports[port].mmu.pg_profile[cfg->maps.tc_to_pg[tc]]);

	return p != NULL && p->lossless;
}

uint8_t
lint_classes(const struct switch_cfg *cfg)
{
	uint8_t classes = 0;

	for (uint32_t i = 0; i < 64; i++)
		classes |= (uint8_t)(1u << cfg->maps.dscp_to_tc[i]);
	for (uint32_t i = 0; cfg->maps.trust_pcp && i < 8; i++)
		classes |= (uint8_t)(1u << cfg->maps.pcp_to_tc[i]);
	return classes;
}
