/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "config_cases.h"
#include "config_rig.h"
#include "config_units.h"
#include "suite.h"

START_TEST(bad_input_says_where_and_what)
{
	const char *error = load(bad[_i].text, NULL, 0, NULL);

	ck_assert_msg(strstr(error, bad[_i].place) != NULL, "%s\n%s\nnot at %s", bad[_i].text,
		      error, bad[_i].place);
	ck_assert_msg(strstr(error, bad[_i].what) != NULL, "%s\n%s\ndoes not say %s", bad[_i].text,
		      error, bad[_i].what);
	ck_assert_ptr_null(strchr(error, '\n'));
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
	struct scenario *scenario;
	char error[CONFIG_ERROR_BYTES];

	ck_assert_int_ne(
		config_load("/nonexistent/x.yaml", NULL, 0, NULL, &scenario, error, sizeof(error)),
		0);
	ck_assert_str_eq(error, "/nonexistent/x.yaml: No such file or directory");
	ck_assert_int_ne(config_load("/", NULL, 0, NULL, &scenario, error, sizeof(error)), 0);
	ck_assert_str_eq(error, "/: Is a directory");
}
END_TEST

/* Aliases of aliases: 10^9 values from ten lines. */
START_TEST(alias_bomb_is_bounded)
{
	char text[1024] = "a: &a [1,1,1,1,1,1,1,1,1,1]\n";

	for (char c = 'b'; c < 'k'; c++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1,
			 c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
	ck_assert_ptr_nonnull(strstr(load(text, NULL, 0, NULL), "more than 262144 values"));
}
END_TEST

static const struct {
	enum config_unit unit;
	const char *text;
	uint64_t value;
	const char *printed; /* NULL: as written */
} quantities[] = {
	{CONFIG_UNIT_TIME, "5ms", 5000000000, NULL},
	{CONFIG_UNIT_TIME, "2us", 2000000, NULL},
	{CONFIG_UNIT_TIME, "800ns", 800000, NULL},
	{CONFIG_UNIT_TIME, "10ps", 10, NULL},
	{CONFIG_UNIT_TIME, "1s", 1000000000000, NULL},
	{CONFIG_UNIT_TIME, "0.001ns", 1, "1ps"},
	{CONFIG_UNIT_TIME, "83.88608us", 83886080, NULL},
	{CONFIG_UNIT_TIME, "1.5 us", 1500000, "1.5us"},
	{CONFIG_UNIT_TIME, "3\xc2\xb5s", 3000000, "3us"},
	{CONFIG_UNIT_TIME, "0", 0, NULL},
	{CONFIG_UNIT_RATE, "100Gbps", 100000000000, NULL},
	{CONFIG_UNIT_RATE, "1.5Gbps", 1500000000, NULL},
	{CONFIG_UNIT_RATE, "10Mbps", 10000000, NULL},
	{CONFIG_UNIT_RATE, "40Gb/s", 40000000000, "40Gbps"},
	{CONFIG_UNIT_RATE, "1.6Tbps", 1600000000000, NULL},
	{CONFIG_UNIT_RATE, "7bps", 7, NULL},
	{CONFIG_UNIT_SIZE, "400KB", 400000, NULL},
	{CONFIG_UNIT_SIZE, "9MiB", 9 << 20, NULL},
	{CONFIG_UNIT_SIZE, "208B", 208, NULL},
	{CONFIG_UNIT_SIZE, "208", 208, "208B"},
	{CONFIG_UNIT_SIZE, "1.5KiB", 1536, "1536B"},
	{CONFIG_UNIT_SIZE, "10875072", 10875072, "10875072B"},
	{CONFIG_UNIT_SIZE, "2GB", 2000000000, NULL},
	{CONFIG_UNIT_LENGTH, "40m", 40000, NULL},
	{CONFIG_UNIT_LENGTH, "2km", 2000000, NULL},
	{CONFIG_UNIT_LENGTH, "0.5m", 500, "500mm"},
	{CONFIG_UNIT_PERCENT, "100%", 1ULL << 32, NULL},
	{CONFIG_UNIT_PERCENT, "25%", 1ULL << 30, NULL},
	{CONFIG_UNIT_PERCENT, "5%", 214748365, NULL}, /* 214748364.8 */
	{CONFIG_UNIT_PERCENT, "97.53%", 4188881604, NULL},
	{CONFIG_UNIT_PERCENT, "0", 0, "0%"},
	{CONFIG_UNIT_SHARE, "0.5", 1ULL << 31, NULL},
	{CONFIG_UNIT_SHARE, "50%", 1ULL << 31, "0.5"},
	{CONFIG_UNIT_SHARE, "1/256", 1ULL << 24, "0.00390625"},
	{CONFIG_UNIT_SHARE, "5/1024", 20971520, "0.0048828125"},
	{CONFIG_UNIT_COUNT, "18446744073709551614", UINT64_MAX - 1, NULL},
};

START_TEST(quantities_are_exact_both_ways)
{
	const char *printed = quantities[_i].printed;
	char text[64], why[160] = "";
	uint64_t value;

	if (printed == NULL)
		printed = quantities[_i].text;
	ck_assert_msg(config_unit_parse(quantities[_i].unit, quantities[_i].text, &value, why,
					sizeof(why)) == 0,
		      "%s", why);
	ck_assert_uint_eq(value, quantities[_i].value);
	config_unit_format(quantities[_i].unit, value, text, sizeof(text));
	ck_assert_str_eq(text, printed);
	ck_assert_int_eq(config_unit_parse(quantities[_i].unit, text, &value, why, sizeof(why)), 0);
	ck_assert_uint_eq(value, quantities[_i].value);
}
END_TEST

static const struct {
	enum config_unit unit;
	const char *text;
} nonsense[] = {
	{CONFIG_UNIT_TIME, ""},         {CONFIG_UNIT_TIME, "us"},
	{CONFIG_UNIT_TIME, "1.us"},     {CONFIG_UNIT_TIME, "1..2us"},
	{CONFIG_UNIT_TIME, "1e3us"},    {CONFIG_UNIT_TIME, "5 m s"},
	{CONFIG_UNIT_TIME, "+5us"},     {CONFIG_UNIT_TIME, "5US"},
	{CONFIG_UNIT_TIME, "0x5us"},    {CONFIG_UNIT_RATE, "100G"},
	{CONFIG_UNIT_RATE, "100GBps"},  {CONFIG_UNIT_RATE, "0.5bps"},
	{CONFIG_UNIT_SIZE, "4K"},       {CONFIG_UNIT_SIZE, "4Kib"},
	{CONFIG_UNIT_SIZE, "1.5B"},     {CONFIG_UNIT_PERCENT, "0.2"},
	{CONFIG_UNIT_PERCENT, "20 %%"}, {CONFIG_UNIT_SHARE, "1/0"},
	{CONFIG_UNIT_SHARE, "1/2/3"},   {CONFIG_UNIT_SHARE, "1/-2"},
	{CONFIG_UNIT_COUNT, "5us"},     {CONFIG_UNIT_COUNT, "18446744073709551615"},
};

START_TEST(nonsense_is_no_quantity)
{
	char why[160] = "";
	uint64_t value;

	ck_assert_int_ne(
		config_unit_parse(nonsense[_i].unit, nonsense[_i].text, &value, why, sizeof(why)),
		0);
	ck_assert_uint_gt(strlen(why), 0);
}
END_TEST

/* Every share survives being printed and read. */
START_TEST(shares_survive_printing)
{
	char text[64], why[160];
	uint64_t value, share;

	for (uint64_t i = 0; i < 2000; i++) {
		share = i * 2147483 + i * i;
		for (int unit = CONFIG_UNIT_PERCENT; unit <= CONFIG_UNIT_SHARE; unit++) {
			config_unit_format((enum config_unit)unit, share, text, sizeof(text));
			EXPECT(config_unit_parse((enum config_unit)unit, text, &value, why,
						 sizeof(why)) == 0);
			EXPECT(value == share);
		}
	}
}
END_TEST

START_TEST(every_shipped_scenario_loads_and_survives_a_dump)
{
	char configs[300], path[600], error[CONFIG_ERROR_BYTES] = "";
	DIR *dir = opendir(configs_dir(configs, sizeof(configs)));
	struct dirent *entry;
	int count = 0;

	ck_assert_msg(dir != NULL, "%s", configs);
	while ((entry = readdir(dir)) != NULL) {
		struct scenario *scenario;

		if (strstr(entry->d_name, ".yaml") == NULL)
			continue;
		snprintf(path, sizeof(path), "%s/%s", configs, entry->d_name);
		ck_assert_msg(config_load(path, NULL, 0, NULL, &scenario, error, sizeof(error)) ==
				      0,
			      "%s", error);
		ck_assert_msg(scenario->warning_count == 0, "%s", scenario->warnings[0]);
		check_round_trip(scenario);
		scenario_free(scenario);
		count++;
	}
	closedir(dir);
	ck_assert_int_ge(count, 7);
}
END_TEST

/* Every key that has no place in the shipped scenarios. */
START_TEST(every_key_survives_a_dump)
{
	static const char text[] =
		"duration: 1ms\npayload: full\nmbufs: 1000\nswitches:\n"
		"  a:\n    profile: generic-32mb\n    ports: 6\n    latency: 400ns\n"
		"    cut_through: yes\n    trust: pcp\n    mtu: 4500\n"
		"    pfc: {quanta: 1000, refresh: 1us, response: 300ns}\n"
		"    maps: {pcp_to_tc: {3: 3}, pfc_to_queue: {3: 3}, pg_to_pfc: {3: 3}}\n"
		"    wred:\n      own: {min: 1KB, max: 2KB, ecn: all, mark_at: enqueue, weight: "
		"3,\n"
		"            drop: {min: 5KB, max: 6KB, probability: 33.3%}}\n"
		"      never: {min: 1KB, max: 2KB, ecn: none, drop: none}\n"
		"    schedulers: {slow: {weight: 7, pir: 10Gbps, pbs: 9000}}\n"
		"    queues:\n      - {queues: all, profile: egress}\n"
		"      - {ports: [0, \"2-3\"], queues: [1, 2], scheduler: slow, wred: own}\n"
		"    port_settings:\n"
		"      - {ports: 4, rate: 25Gbps, shaper: {rate: 5Gbps, burst: 3000}, mtu: 9216}\n"
		"      - {ports: \"4-5\", hold: {from: 1us, until: 2us}, pfc_enable: []}\n"
		"      - {ports: 5, pfc: {quanta: 5}, cable: 3m}\n"
		"    forwarding:\n      mode: l3\n      learn: yes\n      aging: 1s\n"
		"      static: [{mac: \"02:00:00:00:00:09\", vlan: 5, port: 1}]\n"
		"      routes: [{prefix: 10.9.0.0/16, ports: [1, 2],\n"
		"                macs: [\"02:00:00:00:00:07\", \"02:00:00:00:00:08\"]},\n"
		"               {prefix: \"fd00::/8\", ports: 3}]\n"
		"  b: {pipeline: ideal, ports: 2, rate: 100Gbps, forwarding: {mode: l3},\n"
		"      balancer: {kind: spray, order: random, hash: {function: toeplitz, seed: 9,\n"
		"                 fields: [dest_qp, src_ip], pick: modulo, offset: 3}}}\n"
		"hosts:\n"
		"  x: {count: 2, vlan: 7, ip: ipv6, dscp: 24, ack_dscp: 8, ecn_capable: no,\n"
		"      congestion_control: {preset: paper, g: 1/16, clamp_target: no}, ttl: 9,\n"
		"      cnp_scope: per_ip, drain_rate: 1Gbps, window: 64KB, timeout: 0, mtu: 1024,\n"
		"      hold: {until: 3us}}\n"
		"  y: {ip: ipv6, mtu: 1024, congestion_control: {preset: none, rate: 1.25Gbps}}\n"
		"links:\n  - {from: x, to: \"a[0,2]\", length: 40m}\n"
		"  - {from: y, to: \"b[1]\", delay: 3ns}\n  - {from: \"a[1]\", to: \"b[0]\", "
		"delay: 1us}\n"
		"workload:\n"
		"  - elephants: {pairs: [{from: x, to: [y, y]}], size: 1GiB, verb: read, qps: 4}\n"
		"  - poisson: {from: x, to: [x, y], cdf: {points: [[64, 1%], [1KB, 100%]]}, load: "
		"1/3}\n"
		"  - udp: {from: y, to: x, rate: 1Gbps, poisson: yes, dscp: 3, until: 1ms}\n"
		"  - incast: {from: x, to: y, size: 5, rounds: 0, period: 1us, jitter: 2ns, "
		"verb: send_imm}\n"
		"expect:\n  drops: 0\n  flows.fct_us.p99: \"<= 2ms\"\n  jain: \"!= 20%\"\n";
	struct scenario *s;
	const char *error = load(text, NULL, 0, &s);

	ck_assert_str_eq(error, "");
	check_round_trip(s);
	ck_assert_uint_eq(s->switches[0].ports[4].port.rate_bps, 25000000000);
	ck_assert_uint_eq(s->switches[0].ports[4].port.pfc.enable, 0);
	ck_assert_uint_eq(s->switches[0].ports[5].port.hold_until_ps, 2000000);
	ck_assert_uint_eq(s->switches[0].ports[5].port.pfc.quanta, 5);
	ck_assert_int_eq(s->switches[0].ports[3].scheduler[2], 0);
	ck_assert_int_eq(s->switches[0].ports[1].scheduler[2], -1);
	ck_assert_uint_eq(s->links[0].delay_ps, 202000); /* 40 m at 5.05 ns */
	ck_assert_ptr_eq(s->switches[1].cfg.forwarding.balancer.ops, &balancer_spray);
	ck_assert_uint_eq(s->switches[1].cfg.forwarding.balancer.hash.fields,
			  BALANCER_SRC_IP | BALANCER_DEST_QP);
	ck_assert_uint_eq(s->switches[1].cfg.forwarding.balancer.hash.seed, 9);
	ck_assert(s->expectations[1].value == 2000.0);
	ck_assert(s->expectations[2].value == 0.2);
	scenario_free(s);
}
END_TEST

/* The numbers of SONiC's files, through the profile and the headroom table. */
START_TEST(tomahawk_profile)
{
	struct scenario *s;
	const struct switch_port_cfg *p;
	const struct mmu_cfg *mmu;
	const struct mmu_profile_cfg *lossless;

	ck_assert_str_eq(load("switches: {tor: {profile: tomahawk-7060cx, ports: 17, cable: 300m}}",
			      NULL, 0, &s),
			 "");
	p = &s->switches[0].ports[16];
	mmu = &s->switches[0].cfg.mmu;
	ck_assert_uint_eq(mmu->cell_bytes, 208);
	ck_assert_uint_eq(mmu->partitions, 4);
	ck_assert(!mmu->size_includes_xoff);
	ck_assert_uint_eq(mmu->pools[0].size_bytes, 10875072);
	ck_assert_uint_eq(mmu->pools[0].xoff_bytes, 4194112);
	lossless = &mmu->profiles[p->mmu.pg_profile[3]];
	ck_assert_str_eq(lossless->name, "pg_lossless_100000_300m_profile");
	ck_assert(lossless->lossless);
	ck_assert_uint_eq(lossless->size_bytes, 1248);
	ck_assert_uint_eq(lossless->xoff_bytes, 268736);
	ck_assert_uint_eq(lossless->xon_offset_bytes, 2288);
	ck_assert_int_eq(lossless->dynamic_th, 0);
	ck_assert_int_eq(p->mmu.pg_profile[4], p->mmu.pg_profile[3]);
	ck_assert_int_eq(mmu->profiles[p->mmu.pg_profile[0]].dynamic_th, 3);
	ck_assert_uint_eq(s->switches[0].cfg.maps.dscp_to_tc[26], 3);
	ck_assert_uint_eq(s->switches[0].cfg.maps.dscp_to_tc[48], 6);
	ck_assert_uint_eq(s->switches[0].cfg.maps.dscp_to_tc[10], 1);
	ck_assert_uint_eq(p->port.pfc.enable, 0x18);
	ck_assert_uint_eq(p->port.pfc.quanta, 65535);
	ck_assert(s->switches[0].schedulers[p->scheduler[6]].strict);
	scenario_free(s);
}
END_TEST

START_TEST(hosts_and_presets)
{
	struct scenario *s;

	ck_assert_str_eq(
		load(TOR "workload: [{elephants: {permutation: h, size: 1MB}}]\n", NULL, 0, &s),
		"");
	ck_assert_uint_eq(s->host_count, 3);
	ck_assert_str_eq(s->hosts[2].cfg.name, "h2");
	ck_assert_uint_eq(s->hosts[0].cfg.congestion.kind, CONGESTION_DCQCN);
	ck_assert(s->hosts[0].cfg.congestion.dcqcn.nic_form);
	ck_assert_uint_eq(s->hosts[0].cfg.cnp_interval_ps, 4000000);
	ck_assert_uint_eq(s->hosts[0].cfg.retransmit_timeout_ps, 67108864000); /* 67.1 ms */
	ck_assert_uint_eq(s->hosts[0].cfg.ack_dscp, -1);
	ck_assert_uint_eq(s->hosts[0].dscp, 26);
	ck_assert_mem_eq(s->hosts[2].address.ip, ((uint8_t[4]){10, 0, 0, 3}), 4);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_ne(s->workloads[0].from[i], s->workloads[0].to[i]);
	scenario_free(s);
}
END_TEST

START_TEST(overrides)
{
	static const char text[] =
		TOR "workload: [{incast: {from: \"h[1-2]\", to: h0, size: 1MB}}]\n";
	static const char *const sets[] = {
		"switches.tor.wred.lossless.min=50KB",
		"workload[0].incast.size=2MB",
		"workload.0.incast.to=[h0]",
		"expect.flows.fct_us.p99=< 10ms",
		"hosts.h.congestion_control={preset: paper, ai_rate: 1Gbps}",
		"switches.tor.queues[1].scheduler=strict", /* an entry of the profile */
		"seed=7",
		"switches.tor.maps.dscp_to_tc={\"0-63\": 3}",
	};
	struct scenario *s;

	ck_assert_str_eq(load(text, sets, 8, &s), "");
	ck_assert_uint_eq(s->switches[0].wred[0].mark.min_bytes, 50000);
	ck_assert_uint_eq(s->workloads[0].bytes, 2000000);
	ck_assert_str_eq(s->expectations[0].metric, "flows.fct_us.p99");
	ck_assert(s->expectations[0].value == 10000.0);
	ck_assert(!s->hosts[0].cfg.congestion.dcqcn.nic_form);
	ck_assert_uint_eq(s->hosts[0].cfg.congestion.dcqcn.ai_bps, 1000000000);
	ck_assert_uint_eq(s->hosts[0].cfg.cnp_interval_ps, 50000000);
	ck_assert_int_eq(s->switches[0].ports[0].scheduler[3], 0);
	ck_assert_uint_eq(s->seed, 7);
	ck_assert_uint_eq(s->switches[0].cfg.maps.dscp_to_tc[0], 3);
	scenario_free(s);
}
END_TEST

/* Words that stand for maps, lists that are not there yet, and keys to do without. */
START_TEST(overrides_open_and_take_out)
{
	static const char text[] =
		"switches: {tor: {profile: generic-32mb, ports: 4}}\n"
		"hosts: {h: {count: 3, congestion_control: paper}}\n"
		"links: [{from: h, to: \"tor[0-2]\", delay: 1us}]\n"
		"workload: [{poisson: {from: h, to: h, cdf: websearch, load: 50%, count: 1}}]\n";
	static const char *const sets[] = {
		"hosts.h.congestion_control.g=1/64",
		"workload[0].poisson.cdf.points=[[0, 0%], [1KB, 100%]]",
		"switches.tor.port_settings[0].ports=1",
		"switches.tor.port_settings[0].mtu=5000",
		"switches.tor.port_settings.1={ports: 2, mtu: 6000}",
		"links[0].delay=null",
		"links[0].length=10m",
		"switches.tor.wred.lossless.probability=null", /* a key of the profile */
	};
	struct scenario *s;

	ck_assert_str_eq(load(text, sets, 8, &s), "");
	ck_assert(!s->hosts[0].cfg.congestion.dcqcn.nic_form);
	ck_assert_uint_eq(s->hosts[0].cfg.congestion.dcqcn.g_q32, 1ULL << 26);
	ck_assert_str_eq(s->workloads[0].cdf_name, "websearch");
	ck_assert_uint_eq(s->workloads[0].cdf.count, 2);
	ck_assert_uint_eq(s->switches[0].ports[1].mtu_bytes, 5000);
	ck_assert_uint_eq(s->switches[0].ports[2].mtu_bytes, 6000);
	ck_assert_uint_eq(s->links[0].delay_ps, 50500); /* 5.05 ns a metre */
	ck_assert_uint_eq(s->switches[0].wred[0].mark.probability_q32, 1ULL << 32);
	check_round_trip(s);
	scenario_free(s);
}
END_TEST

START_TEST(workloads_have_names_of_their_own)
{
	static const char *const names[] = {"incast", "incast-3", "incast-2", "udp", "udp-2"};
	struct scenario *s;

	ck_assert_str_eq(load(TOR "workload:\n"
				  "  - incast: {from: h1, to: h0, size: 1MB}\n"
				  "  - incast: {from: h2, to: h0, size: 1MB}\n"
				  "  - incast: {name: incast-2, from: h2, to: h1, size: 1MB}\n"
				  "  - udp: {from: h1, to: h0, rate: 1Gbps, until: 1ms}\n"
				  "  - udp: {from: h2, to: h0, rate: 1Gbps, until: 1ms}\n",
			      NULL, 0, &s),
			 "");
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_str_eq(s->workloads[i].name, names[i]);
	check_round_trip(s);
	scenario_free(s);
}
END_TEST

/* However much is said on the command line, an error is one whole line. */
START_TEST(blame_is_bounded)
{
#define LONG "a234567890123456789012345678901234567890123456789012345678901234567890"
	static const char *const sets[] = {
		"hosts.h.count=18",   "hosts.h.timeout=1",    "expect.b" LONG "=0",
		"expect.c" LONG "=0", "expect.d" LONG "=0",   "expect.e" LONG "=0",
		"expect.f" LONG "=0", "expect.g" LONG "=\n0",
	};
	const char *error = load(TOR, sets, 2, NULL);

	ck_assert_ptr_nonnull(
		strstr(error, "(with --set hosts.h.count=18 --set hosts.h.timeout=1)"));
	error = load(TOR, sets, 8, NULL);
	ck_assert_ptr_null(strchr(error, '\n'));
	ck_assert_ptr_nonnull(strstr(error, "pair up one to one (with --set ...)"));
}
END_TEST

START_TEST(bad_overrides_name_the_argument)
{
	const char *error = load("seed: 1\n" TOR, &bad_sets[_i].set, 1, NULL);

	if (strncmp(bad_sets[_i].set, "seed.x", 6) == 0)
		ck_assert_str_eq(error, "--set seed.x=5: seed is a value (1), nothing is below it");
	else
		ck_assert_msg(strstr(error, bad_sets[_i].error) == error, "%s\n%s", error,
			      bad_sets[_i].error);
}
END_TEST

START_TEST(silent_trouble_is_warned_of)
{
	struct scenario *s;

	ck_assert_str_eq(load(warnings[_i].text, NULL, 0, &s), "");
	if (warnings[_i].warning == NULL)
		ck_assert_msg(s->warning_count == 0, "%s", s->warnings[0]);
	else
		ck_assert_msg(s->warning_count == 1 &&
				      strstr(s->warnings[0], warnings[_i].warning) ==
					      s->warnings[0],
			      "%s\nnot %s", s->warning_count > 0 ? s->warnings[0] : "none",
			      warnings[_i].warning);
	scenario_free(s);
}
END_TEST

/* Anchors, merge keys and aliases are YAML's way not to repeat oneself. */
START_TEST(anchors_and_merge_keys)
{
	struct scenario *s;

	ck_assert_str_eq(load("switches:\n"
			      "  a: &a {profile: generic-32mb, ports: 3, latency: 1us}\n"
			      "  b: {<<: *a, ports: 2}\n  c: *a\n",
			      (const char *const[]){"switches.c.ports=5"}, 1, &s),
			 "");
	ck_assert_uint_eq(s->switches[0].cfg.port_count, 3);
	ck_assert_uint_eq(s->switches[1].cfg.port_count, 2);
	ck_assert_uint_eq(s->switches[1].latency_ps, 1000000);
	ck_assert_uint_eq(s->switches[2].cfg.port_count, 5);
	scenario_free(s);
}
END_TEST

/* The page and the schema of the repository are those of the table. */
START_TEST(reference_and_schema_are_current)
{
	static const struct {
		const char *file;
		void (*print)(FILE *out);
	} pages[] = {
		{"../docs/config.md", config_print_reference},
		{"../docs/railyard.schema.json", config_print_schema},
	};
	char configs[300], path[600], *text = NULL, *kept;
	size_t bytes, n;
	FILE *out = open_memstream(&text, &bytes), *file;

	pages[_i].print(out);
	fclose(out);
	snprintf(path, sizeof(path), "%s/%s", configs_dir(configs, sizeof(configs)),
		 pages[_i].file);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	kept = calloc(1, bytes + 2);
	n = fread(kept, 1, bytes + 1, file);
	fclose(file);
	ck_assert_msg(n == bytes && memcmp(kept, text, bytes) == 0,
		      "docs/%s is not what `railyard reference` prints", pages[_i].file + 8);
	free(kept);
	free(text);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int
main(void)
{
	Suite *suite = suite_create("config");
	TCase *topic = suite_topic(suite, "errors");

	tcase_add_loop_test(topic, bad_input_says_where_and_what, 0, COUNT(bad));
	tcase_add_test(topic, files_that_cannot_be_read);
	tcase_add_test(topic, alias_bomb_is_bounded);
	tcase_add_loop_test(topic, bad_overrides_name_the_argument, 0, COUNT(bad_sets));
	tcase_add_loop_test(topic, silent_trouble_is_warned_of, 0, COUNT(warnings));
	topic = suite_topic(suite, "units");
	tcase_add_loop_test(topic, quantities_are_exact_both_ways, 0, COUNT(quantities));
	tcase_add_loop_test(topic, nonsense_is_no_quantity, 0, COUNT(nonsense));
	tcase_add_test(topic, shares_survive_printing);
	topic = suite_topic(suite, "scenarios");
	tcase_add_test(topic, every_shipped_scenario_loads_and_survives_a_dump);
	tcase_add_test(topic, every_key_survives_a_dump);
	tcase_add_test(topic, tomahawk_profile);
	tcase_add_test(topic, hosts_and_presets);
	tcase_add_test(topic, overrides);
	tcase_add_test(topic, overrides_open_and_take_out);
	tcase_add_test(topic, workloads_have_names_of_their_own);
	tcase_add_test(topic, blame_is_bounded);
	tcase_add_test(topic, anchors_and_merge_keys);
	tcase_add_loop_test(topic, reference_and_schema_are_current, 0, 2);
	return suite_run(suite);
}
