/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of load on one port: both classes too much, load that changes, pauses, mixed speeds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accept_internal.h"
#include "config.h"

#define PAYLOAD_SHARE ((double)ACCEPT_PAYLOAD_BYTES / ACCEPT_WIRE_BYTES)

/* The share of the port that the lossless class has when both want more; 0: it is not known. */
static double
lossless_share(const struct accept_dut *dut, char why[ACCEPT_TEXT_BYTES])
{
	uint32_t weight = 0, sum = 0;

	return accept_weights(dut, &weight, &sum, why) ? (double)weight / sum : 0;
}

bool
accept_prepare_both(const struct accept_dut *dut, struct accept_sets *sets,
		    char why[ACCEPT_TEXT_BYTES])
{
	double share = lossless_share(dut, why);
	uint64_t least_ps, duration_ps;

	if (why[0] != '\0')
		return false;
	accept_set(sets, "expect.workloads.lossy.udp.lost_fraction=0.001 .. %.4f",
		   1 - (1 - share) / 1.2 + 0.015);
	accept_set(sets, "hosts.roce.congestion_control.rate=%" PRIu64 "kbps",
		   dut->rate_bps * 6 / 10 / 1000);
	/* Until the lossless class, too, has filled what it may twice. */
	least_ps = (uint64_t)((double)accept_bytes_ps(dut, accept_size_bytes(dut, sets, 2, 0)) * 2 /
			      (1.2 - share));
	if (least_ps < 10000 * (uint64_t)UNITS_PS_PER_US)
		least_ps = 10000 * (uint64_t)UNITS_PS_PER_US;
	duration_ps = accept_set_duration(dut, sets, least_ps);
	accept_set(sets, "expect.goodput_bps=>= %.0f",
		   0.95 * share * (double)dut->rate_bps * PAYLOAD_SHARE *
			   accept_running_share(dut, duration_ps));
	return true;
}

bool
accept_prepare_fluctuating(const struct accept_dut *dut, struct accept_sets *sets,
			   char why[ACCEPT_TEXT_BYTES])
{
	double share = lossless_share(dut, why);
	uint64_t held = (uint64_t)accept_lossy_cells(dut) * dut->cfg->mmu.cell_bytes;
	uint64_t half_ps, least_ps = 20000 * (uint64_t)UNITS_PS_PER_US;

	if (why[0] != '\0')
		return false;
	if (share < 0.35) {
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "takes a lossless class with a weight of 35 %% at least");
		return false;
	}
	/* What is held at the end is half a percent of a background of 80 %. */
	half_ps = accept_bytes_ps(dut, held * 125);
	half_ps = half_ps > least_ps ? half_ps : least_ps;
	sets->too_deep |= held > ACCEPT_MOST_BYTES / 10;
	for (uint32_t i = 0; i < 5; i++) {
		bool later = i == 1 || i == 3;

		if (later)
			accept_set(sets, "workload[%u].udp.at=%" PRIu64 "ps", i, half_ps);
		accept_set(sets, "workload[%u].udp.until=%" PRIu64 "ps", i,
			   i == 4 || later ? 2 * half_ps : half_ps);
	}
	return true;
}

/* 90 % of an interval. */
#define THROTTLE_QUANTA 17578u

bool
accept_prepare_throttling(const struct accept_dut *dut, struct accept_sets *sets,
			  char why[ACCEPT_TEXT_BYTES])
{
	uint64_t interval_ps = accept_bytes_ps(dut, THROTTLE_QUANTA * 64ULL * 10 / 9);

	(void)why;
	accept_set(sets, "impairments[0].pause.interval=%" PRIu64 "ps", interval_ps);
	accept_set(sets, "impairments[0].until=%" PRIu64 "ps", 100 * interval_ps);
	return true;
}

/* Can port 2 be of that rate? Headroom may not be known for it. */
static bool
has_speed(const struct accept_dut *dut, uint64_t rate_bps, char why[ACCEPT_TEXT_BYTES])
{
	char yaml[1200], error[CONFIG_ERROR_BYTES];
	struct scenario *s;
	int rc;

	snprintf(yaml, sizeof(yaml),
		 "switches: {dut: {profile: %s, port_settings: [{ports: 2, rate: %" PRIu64
		 "kbps}]}}\n",
		 dut->quoted, rate_bps / 1000);
	rc = config_load_buffer((const uint8_t *)yaml, strlen(yaml), "accept", NULL, 0,
				dut->search_dirs, &s, error, sizeof(error));
	if (rc == 0)
		scenario_free(s);
	else
		snprintf(why, ACCEPT_TEXT_BYTES,
			 "it has no headroom for a port of %" PRIu64 " Mb/s", rate_bps / 1000000);
	return rc == 0;
}

bool
accept_prepare_speeds(const struct accept_dut *dut, struct accept_sets *sets,
		      char why[ACCEPT_TEXT_BYTES])
{
	uint64_t slow_bps = dut->rate_bps / 4;

	if (!has_speed(dut, slow_bps, why))
		return false;
	accept_set(sets, "switches.dut.port_settings[0].rate=%" PRIu64 "kbps", slow_bps / 1000);
	accept_set(sets, "workload[0].elephants.size=%" PRIu64,
		   accept_size_bytes(dut, sets, 2, 8000000));
	accept_set(sets, "expect.goodput_bps=>= %.0f", 0.95 * (double)slow_bps * PAYLOAD_SHARE);
	return true;
}
