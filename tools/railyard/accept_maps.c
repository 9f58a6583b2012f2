/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the maps: what classifies frames is looked up here, in the configuration, and counted
 * there, at queues and priority groups. As many frames of a value as it and one more, so that a
 * difference tells which value went astray; of eight values 1, 2, 4, ... so that it tells for any.
 */
#include <inttypes.h>
#include <stdio.h>

#include "accept_internal.h"

struct counts {
	uint32_t pgs[8];
	uint32_t queues[8];
};

static void
count(struct counts *c, const struct switch_maps *maps, uint8_t tc, uint32_t frames)
{
	c->pgs[maps->tc_to_pg[tc]] += frames;
	c->queues[maps->tc_to_queue[tc]] += frames;
}

static void
expect(struct accept_sets *sets, const struct counts *c)
{
	for (int n = 0; n < 8; n++) {
		accept_set(sets, "expect.tiers.dut.queues.%d.tx_packets=%u", n, c->queues[n]);
		accept_set(sets, "expect.tiers.dut.pgs.%d.packets=%u", n, c->pgs[n]);
	}
}

bool
accept_prepare_dscp_maps(const struct accept_dut *dut, struct accept_sets *sets,
			 char why[ACCEPT_TEXT_BYTES])
{
	const struct switch_maps *maps = switch_port_maps(dut->cfg, 0);
	struct counts c = {0};

	(void)why;
	for (uint32_t dscp = 0; dscp < 64; dscp++)
		count(&c, maps, maps->dscp_to_tc[dscp], dscp + 1);
	expect(sets, &c);
	return true;
}

bool
accept_prepare_dot1p_map(const struct accept_dut *dut, struct accept_sets *sets,
			 char why[ACCEPT_TEXT_BYTES])
{
	const struct switch_maps *maps = switch_port_maps(dut->cfg, 0);
	struct counts c = {0};

	if (dut->cfg->ports[0].maps != 0 && !maps->trust_pcp) {
		snprintf(why, ACCEPT_TEXT_BYTES, "port 0 has maps of its own, and trusts DSCP");
		return false;
	}
	for (uint32_t pcp = 0; pcp < 8; pcp++) {
		uint8_t tc = maps->pcp_to_tc[pcp];

		/* A class that only 802.1p would come to, in a switch that does not trust it. */
		if (dut->cfg->ports[0].mmu.pg_profile[maps->tc_to_pg[tc]] < 0 ||
		    dut->cfg->ports[0].mmu.queue_profile[maps->tc_to_queue[tc]] < 0)
			tc = dut->lossless.tc;
		accept_set(sets, "switches.dut.maps.pcp_to_tc.%u=%u", pcp, tc);
		count(&c, maps, tc, 1u << pcp);
	}
	expect(sets, &c);
	return true;
}
