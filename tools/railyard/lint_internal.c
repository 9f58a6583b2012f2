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

const struct raw_host *
lint_raw_host(const struct lint *lint, uint32_t host)
{
	const struct raw_array *hosts = &lint->scenario->config->raw.hosts;
	uint32_t i = hosts->count - 1;

	while (i > 0 && RAW_AT(*hosts, struct raw_host, i)->first > host)
		i--;
	return RAW_AT(*hosts, struct raw_host, i);
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
	uint8_t pg = switch_port_maps(cfg, port)->tc_to_pg[tc];
	const struct mmu_profile_cfg *p = lint_profile(cfg, cfg->ports[port].mmu.pg_profile[pg]);

	return p != NULL && p->lossless;
}

uint8_t
lint_classes(const struct switch_cfg *cfg, uint32_t port)
{
	const struct switch_maps *maps = switch_port_maps(cfg, port);
	uint8_t classes = 0;

	for (uint32_t i = 0; i < 64; i++)
		classes |= (uint8_t)(1u << maps->dscp_to_tc[i]);
	for (uint32_t i = 0; maps->trust_pcp && i < 8; i++)
		classes |= (uint8_t)(1u << maps->pcp_to_tc[i]);
	return classes;
}

uint8_t
lint_all_classes(const struct switch_cfg *cfg)
{
	uint8_t classes = 0;

	for (uint32_t port = 0; port < cfg->port_count; port++)
		classes |= lint_classes(cfg, port);
	return classes;
}
