/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies: how many of what, who is linked to whom, and how it is all called. */
#include "config_rig.h"
#include "suite.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t
tier_count(const struct scenario *s, const char *tier)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->switch_count; i++)
		count += strcmp(s->switches[i].tier, tier) == 0;
	return count;
}

static uint32_t
find_switch(const struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->switch_count; i++)
		if (strcmp(s->switches[i].cfg.name, name) == 0)
			return i;
	ck_abort_msg("no %s", name);
	return 0;
}

static uint32_t
find_host(const struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->host_count; i++)
		if (strcmp(s->hosts[i].cfg.name, name) == 0)
			return i;
	ck_abort_msg("no %s", name);
	return 0;
}

static const struct {
	const char *text;
	uint32_t leaves, spines, cores, hosts, links, gateways;
} shapes[] = {
	{"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 3}", 4, 2, 0, 12, 12 + 8},
	{"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 3, leaf_links: {count: 3}}", 4,
	 2, 0, 12, 12 + 24},
	/* k^3/4 hosts and as many cables in each of three tiers; k^2/2, k^2/2 and k^2/4 switches.
	 */
	{"{kind: fat-tree, k: 2}", 2, 2, 1, 2, 6},
	{"{kind: fat-tree, k: 4}", 8, 8, 4, 16, 48},
	{"{kind: fat-tree, k: 8}", 32, 32, 16, 128, 384},
	/* As many as the links upwards need: 4 x 100G down, 4:1 up on 50G; 3 x 200G down, 3:2 up.
	 */
	{"{kind: three-tier, pods: 2, leaves: 3, hosts_per_leaf: 4, leaf_links: {rate: 200Gbps}, "
	 "spine_links: {rate: 400Gbps, oversubscription: 1.5}}",
	 6, 4, 2, 24, 24 + 12 + 4},
	{"{kind: three-tier, pods: 3, leaves: 2, spines: 2, cores: 6, hosts_per_leaf: 5}", 6, 6, 6,
	 30, 30 + 12 + 18},
	{"{kind: rail-optimized, servers: 8, gpus: 4, spines: 2}", 4, 2, 0, 32, 32 + 8},
	{"{kind: rail-optimized, servers: 8, servers_per_leaf: 2, spines: 2}", 32, 2, 0, 64,
	 64 + 64},
	{"{kind: rail-optimized, servers: 8, pods: 2, spines: 3, cores: 6, gpus: 2}", 4, 6, 6, 16,
	 16 + 12 + 12},
	/* 4 and 6 leaves in place of 12; cores by given number, and at 3:1 of 6 leaves. */
	{"{kind: leaf-spine, leaves: 12, spines: 2, hosts_per_leaf: 3, scale: 3}", 4, 2, 0, 12,
	 12 + 8},
	{"{kind: three-tier, pods: 2, leaves: 12, spines: 2, cores: 8, hosts_per_leaf: 2, scale: "
	 "2}",
	 12, 4, 4, 24, 24 + 24 + 8},
	{"{kind: three-tier, pods: 2, leaves: 12, hosts_per_leaf: 2, scale: 2, spine_links: "
	 "{oversubscription: 3}}",
	 12, 4, 4, 24, 24 + 24 + 8},
	{"{kind: rail-optimized, servers: 8, servers_per_leaf: 2, spines: 2, scale: 4}", 8, 2, 0,
	 16, 16 + 16},
	/* Two apart; joined: by every spine; by every core; 2:1 of two pods is one cable up. */
	{"{kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 1, clusters: 2}", 4, 4, 0, 4,
	 4 + 8},
	{"{kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 1, clusters: 3, gateways: 2, "
	 "gateway_links: {count: 2, rate: 50Gbps}}",
	 6, 6, 0, 6, 6 + 12 + 24, 2},
	{"{kind: fat-tree, k: 4, clusters: 2, gateways: 3}", 16, 16, 8, 32, 2 * 48 + 24, 3},
	{"{kind: three-tier, pods: 2, leaves: 2, hosts_per_leaf: 2, clusters: 2, gateway_links: "
	 "{oversubscription: 2}}",
	 8, 8, 8, 16, 16 + 16 + 16 + 8, 1},
	{"{kind: rail-optimized, servers: 4, gpus: 2, spines: 2, clusters: 2, gateways: 1}", 4, 4,
	 0, 16, 16 + 8 + 4, 1},
};

static struct scenario *
load_shape(int n)
{
	struct scenario *s;
	char text[400];

	snprintf(text, sizeof(text), "topology: %s\n", shapes[n].text);
	ck_assert_str_eq(load(text, NULL, 0, &s), "");
	return s;
}

START_TEST(counts_of_each_tier)
{
	struct scenario *s = load_shape(_i);

	ck_assert_uint_eq(tier_count(s, "leaf"), shapes[_i].leaves);
	ck_assert_uint_eq(tier_count(s, "spine"), shapes[_i].spines);
	ck_assert_uint_eq(tier_count(s, "core"), shapes[_i].cores);
	ck_assert_uint_eq(s->switch_count, shapes[_i].leaves + shapes[_i].spines +
						   shapes[_i].cores + shapes[_i].gateways);
	ck_assert_uint_eq(s->host_count, shapes[_i].hosts);
	ck_assert_uint_eq(s->link_count, shapes[_i].links);
	ck_assert_uint_eq(s->warning_count, 0);
	check_round_trip(s);
	scenario_free(s);
}
END_TEST

/* Each port takes one link (the configuration sees to at most one): none is left over. */
START_TEST(every_port_is_linked)
{
	struct scenario *s = load_shape(_i);
	uint32_t ends = s->host_count;

	for (uint32_t i = 0; i < s->switch_count; i++)
		ends += s->switches[i].cfg.port_count;
	ck_assert_uint_eq(2 * s->link_count, ends);
	scenario_free(s);
}
END_TEST

/* Links between two switches, by number. */
static uint32_t
links_between(const struct scenario *s, uint32_t a, uint32_t b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		if (!l->a.is_switch || !l->b.is_switch)
			continue;
		count += (l->a.index == a && l->b.index == b) ||
			 (l->a.index == b && l->b.index == a);
	}
	return count;
}

/* Every leaf has a spine of its pod once, and no other; a core has one spine of each pod. */
START_TEST(pods_are_whole_and_apart)
{
	struct scenario *s;
	uint32_t leaf, spine, core;

	ck_assert_str_eq(load("topology: {kind: three-tier, pods: 3, leaves: 2, spines: 4, cores: "
			      "8, hosts_per_leaf: 2, leaf_links: {count: 2}}\n",
			      NULL, 0, &s),
			 "");
	leaf = find_switch(s, "leaf0");
	spine = find_switch(s, "spine0");
	core = find_switch(s, "core0");
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t j = 0; j < 12; j++)
			ck_assert_uint_eq(links_between(s, leaf + i, spine + j),
					  i / 2 == j / 4 ? 2 : 0);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t by_pod[3] = {0};

		for (uint32_t j = 0; j < 12; j++)
			by_pod[j / 4] += links_between(s, spine + j, core + i);
		for (uint32_t pod = 0; pod < 3; pod++)
			ck_assert_uint_eq(by_pod[pod], 1);
	}
	scenario_free(s);
}
END_TEST

/* Cores of one cluster have its own pods below and every gateway above; hosts go on in numbers. */
START_TEST(clusters_are_joined_at_the_top)
{
	struct scenario *s;
	uint32_t spine, core, gateway;

	ck_assert_str_eq(
		load("topology: {kind: three-tier, clusters: 2, pods: 3, leaves: 2, spines: "
		     "2, cores: 4, hosts_per_leaf: 2, gateways: 2, gateway_links: {count: "
		     "3, delay: 7us}}\n",
		     NULL, 0, &s),
		"");
	spine = find_switch(s, "spine0");
	core = find_switch(s, "core0");
	gateway = find_switch(s, "gateway0");
	/* Plane 0 of a cluster is its first two cores, plane 1 the others; 6 spines a cluster. */
	for (uint32_t i = 0; i < 12; i++)
		for (uint32_t j = 0; j < 8; j++)
			ck_assert_uint_eq(links_between(s, spine + i, core + j),
					  i / 6 == j / 4 && i % 2 == j % 4 / 2);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t j = 0; j < 2; j++)
			ck_assert_uint_eq(links_between(s, core + i, gateway + j), 3);
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];

		if (!l->a.is_switch) /* 12 hosts a cluster on 6 leaves */
			ck_assert_uint_eq(l->b.index, l->a.index / 2);
		else
			ck_assert_uint_eq(l->delay_ps == 7000000, l->b.index >= gateway);
	}
	scenario_free(s);
}
END_TEST

/* NIC i of every server is on a leaf of rail i; servers share leaves block by block. */
START_TEST(rails)
{
	struct scenario *s;
	uint32_t leaf;

	ck_assert_str_eq(load("topology: {kind: rail-optimized, servers: 12, servers_per_leaf: 3, "
			      "gpus: 4, spines: 2}\n",
			      NULL, 0, &s),
			 "");
	leaf = find_switch(s, "leaf0");
	ck_assert_uint_eq(find_host(s, "gpu7-3"), 7 * 4 + 3);
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct scenario_link *l = &s->links[i];
		uint32_t server = l->a.index / 4, rail = l->a.index % 4;

		if (l->a.is_switch)
			continue;
		ck_assert_uint_eq(l->b.index - leaf, server / 3 * 4 + rail);
		ck_assert_uint_eq(l->b.port, server % 3);
	}
	scenario_free(s);
}
END_TEST

/* What is behind an index of host_count hosts: 10.0.0.1 and up, without a gap. */
START_TEST(addresses_count_up)
{
	struct scenario *s;

	ck_assert_str_eq(load("topology: {kind: fat-tree, k: 12}\n", NULL, 0, &s), "");
	for (uint32_t i = 0; i < s->host_count; i++) {
		const uint8_t *ip = s->hosts[i].address.ip;

		ck_assert_uint_eq((uint32_t)ip[0] << 24 | ip[1] << 16 | ip[2] << 8 | ip[3],
				  0x0a000001 + i);
	}
	scenario_free(s);
}
END_TEST

/* A list of selections, and the hosts they are. */
START_TEST(servers_and_rails_are_selected)
{
	static const struct {
		const char *text;
		const char *hosts;
	} rows[] = {
		{"'gpu[1][2]'", "gpu1-2 "},
		{"gpu1-2", "gpu1-2 "},
		{"gpu1", "gpu1-0 gpu1-1 gpu1-2 "},
		{"'gpu[1]'", "gpu1-0 gpu1-1 gpu1-2 "},
		{"'gpu1[0,2]'", "gpu1-0 gpu1-2 "},
		{"'gpu[*][0]'", "gpu0-0 gpu1-0 gpu2-0 "},
		{"'gpu[2,0-1][1]'", "gpu2-1 gpu0-1 gpu1-1 "},
		{"'gpu[1-2][*]'", "gpu1-0 gpu1-1 gpu1-2 gpu2-0 gpu2-1 gpu2-2 "},
		{"['gpu[0][0]', x]", "gpu0-0 x "},
	};
	char text[400], names[200] = "";
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "topology: {kind: rail-optimized, servers: 3, gpus: 3, spines: 1}\n"
		 "switches: {s: {profile: generic-32mb, ports: 2}}\nhosts: {x: {}, y: {}}\n"
		 "links: [{from: [x, y], to: s, delay: 1us}]\n"
		 "workload: [{udp: {from: %s, to: y, rate: 1Gbps, until: 1us}}]\n",
		 rows[_i].text);
	ck_assert_str_eq(load(text, NULL, 0, &s), "");
	for (uint32_t i = 0; i < s->workloads[0].from_count; i++) {
		strcat(names, s->hosts[s->workloads[0].from[i]].cfg.name);
		strcat(names, " ");
	}
	ck_assert_str_eq(names, rows[_i].hosts);
	scenario_free(s);
}
END_TEST

/* Ports of a group's switches: members first, then their ports. */
START_TEST(ports_of_groups_are_selected)
{
	static const struct {
		const char *text;
		const char *ports;
	} rows[] = {
		{"'leaf[0-1][0-1]'", "leaf0:0 leaf0:1 leaf1:0 leaf1:1 "},
		{"'leaf[1][0-3]'", "leaf1:0 leaf1:1 leaf1:2 leaf1:3 "},
		{"['leaf1[2]', 'leaf0[3]', 'leaf[*][0]']", "leaf1:2 leaf0:3 leaf0:0 leaf1:0 "},
		{"leaf1", "leaf1:0 leaf1:1 leaf1:2 leaf1:3 "},
		{"'leaf[0]'", "leaf0:0 leaf0:1 leaf0:2 leaf0:3 "},
	};
	char text[400], names[200] = "";
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "switches: {leaf: {count: 2, profile: generic-32mb, ports: 4}}\n"
		 "hosts: {h: {count: 4}}\nlinks: [{from: h, to: %s, delay: 1us}]\n",
		 rows[_i].text);
	ck_assert_str_eq(load(text, NULL, 0, &s), "");
	for (uint32_t i = 0; i < s->link_count; i++)
		sprintf(names + strlen(names), "%s:%u ", s->switches[s->links[i].b.index].cfg.name,
			s->links[i].b.port);
	ck_assert_str_eq(names, rows[_i].ports);
	check_round_trip(s);
	scenario_free(s);
}
END_TEST

/* What stands under the names of its parts is added and wins; --set reaches all of it. */
START_TEST(tiers_have_settings_of_their_own)
{
	static const char text[] =
		"topology:\n  kind: leaf-spine\n  leaves: 2\n  spines: 2\n  hosts_per_leaf: 2\n"
		"  rate: 400Gbps\n  delay: 2us\n  host_links: {rate: 100Gbps, length: 3m}\n"
		"  switch: {latency: 300ns, profile: generic-32mb}\n  host: {mtu: 1024}\n"
		"switches:\n  spine: {latency: 700ns, tier: top}\n"
		"  leaf: {port_settings: [{ports: 3, mtu: 1500}]}\n";
	static const char *const sets[] = {"switches.leaf.mtu=8000", "hosts.h.dscp=30",
					   "topology.leaf_links.count=1"};
	const struct scenario_switch *leaf, *spine;
	struct scenario *s;

	ck_assert_str_eq(load(text, sets, COUNT_OF(sets), &s), "");
	leaf = &s->switches[find_switch(s, "leaf1")];
	spine = &s->switches[find_switch(s, "spine1")];
	ck_assert_str_eq(leaf->tier, "leaf");
	ck_assert_str_eq(spine->tier, "top");
	ck_assert_uint_eq(leaf->latency_ps, 300000);
	ck_assert_uint_eq(spine->latency_ps, 700000);
	ck_assert_uint_eq(leaf->ports[0].port.rate_bps, 100000000000);
	ck_assert_uint_eq(leaf->ports[2].port.rate_bps, 400000000000);
	ck_assert_uint_eq(spine->ports[0].port.rate_bps, 400000000000);
	ck_assert_uint_eq(leaf->ports[2].mtu_bytes, 8000);
	ck_assert_uint_eq(leaf->ports[3].mtu_bytes, 1500);
	ck_assert(leaf->cfg.forwarding.layer3);
	ck_assert_uint_ne(leaf->cfg.forwarding.balancer.hash.seed,
			  spine->cfg.forwarding.balancer.hash.seed);
	ck_assert_uint_eq(s->hosts[0].cfg.mtu_bytes, 1024);
	ck_assert_uint_eq(s->hosts[0].dscp, 30);
	ck_assert_uint_eq(s->links[0].delay_ps, 3000 * 505 / 100); /* 5.05 ns a metre */
	ck_assert_uint_eq(s->links[4].delay_ps, 2000000);
	check_round_trip(s);
	scenario_free(s);
}
END_TEST

/* --set takes numbers out, also where something else then decides. */
START_TEST(numbers_are_taken_out)
{
	static const char text[] =
		"topology: {kind: leaf-spine, leaves: 4, hosts_per_leaf: 4, spines: "
		"2, scale: 2, leaf_links: {rate: 50Gbps, delay: 9us}}\n";
	static const char *const sets[] = {"topology.spines=null", "topology.scale=null",
					   "topology.leaf_links.delay=null"};
	static const char *const wrong[] = {"topology.cores=null"};
	struct scenario *s;

	ck_assert_str_eq(load(text, sets, COUNT_OF(sets), &s), "");
	ck_assert_uint_eq(tier_count(s, "leaf"), 4);
	ck_assert_uint_eq(tier_count(s, "spine"), 8); /* 4 x 100G down */
	ck_assert_uint_eq(s->links[16].delay_ps, 1000000);
	scenario_free(s);
	ck_assert_str_eq(load(text, wrong, 1, NULL),
			 "--set topology.cores=null: there is no cores to take out");
}
END_TEST

static const struct {
	const char *text;
	const char *error; /* from the place on */
} bad[] = {
	{"topology: {leaves: 4}\n", "1:11: topology: needs kind"},
	{"topology: {kind: ring}\n", "1:18: kind: \"ring\", but it takes one of leaf-spine, "},
	{"topology: {kind: leaf-spine, leaves: 4}\n", "1:11: hosts_per_leaf: leaf-spine needs it"},
	{"topology: {kind: fat-tree, k: 5}\n", "1:31: k: must be even"},
	{"topology: {kind: fat-tree, k: 4, pods: 3}\n", "1:40: pods: fat-tree has no such number"},
	{"topology: {kind: fat-tree, k: 4, leaf_links: {count: 2}}\n",
	 "1:46: leaf_links: a fat-tree has one cable"},
	{"topology: {kind: fat-tree, k: 66}\n", "1:11: topology: 71874 hosts"},
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 3, spines: 1, leaf_links: "
	 "{oversubscription: 2}}\n",
	 "1:102: oversubscription: spines are given too"},
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 3, leaf_links: "
	 "{oversubscription: 2}}\n",
	 "1:91: oversubscription: takes 1.50 links of 100Gbps upwards"},
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 96}\n",
	 "1:11: topology: a leaf has 96 links upwards; a route has at most 64"},
	{"topology: {kind: leaf-spine, leaves: 600, hosts_per_leaf: 1}\n",
	 "1:11: topology: a spine has 600 ports (600 down, 0 up); at most 512"},
	{"topology: {kind: three-tier, pods: 2, leaves: 2, spines: 2, cores: 3, hosts_per_leaf: "
	 "2}\n",
	 "1:68: cores: must be a multiple of spines"},
	{"topology: {kind: rail-optimized, servers: 9, pods: 2}\n",
	 "1:43: servers: must be a multiple of pods"},
	{"topology: {kind: rail-optimized, servers: 9, servers_per_leaf: 2}\n",
	 "1:64: servers_per_leaf: must divide"},
	{"topology: {kind: leaf-spine, leaves: 10, hosts_per_leaf: 2, scale: 4}\n",
	 "1:38: leaves: must be a multiple of scale"},
	{"topology: {kind: fat-tree, k: 4, scale: 2}\n",
	 "1:41: scale: fat-tree has no such number"},
	{"topology: {kind: fat-tree, k: 4, gateways: 2}\n",
	 "1:44: gateways: they join clusters, and there is one"},
	{"topology: {kind: fat-tree, k: 16, clusters: 9, gateways: 1}\n",
	 "1:11: topology: a gateway has 576 ports"},
	{"topology: {kind: fat-tree, k: 4, host_links: {count: 2}}\n",
	 "1:54: count: a host has one cable"},
	{"topology: {kind: fat-tree, k: 4, host_links: {oversubscription: 2}}\n",
	 "1:65: oversubscription: hosts are as many as"},
	{"topology: {kind: fat-tree, k: 4, spine_links: {oversubscription: 2}}\n",
	 "1:66: oversubscription: a fat-tree has none"},
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 2, spine_links: {}}\n",
	 "1:73: spine_links: they lead to cores, and there are none"},
	{"topology: {kind: fat-tree, k: 4, gateway_links: {rate: 1Gbps}}\n",
	 "1:49: gateway_links: they join clusters, and there is one"},
	{"topology: {kind: fat-tree, k: 4, clusters: 2, gateway_links: {rate: 1Gbps}}\n",
	 "1:62: gateway_links: they lead to gateways, and there are none; give gateways"},
	{"topology: {kind: fat-tree, k: 4, delay: 1us, length: 3m}\n",
	 "1:54: length: delay is given too"},
	{"topology: {kind: fat-tree, k: 4}\nswitches: [1]\n", "2:11: switches: takes a map"},
	{"topology: {kind: fat-tree, k: 4}\nlinks: {}\n", "2:8: links: takes a list"},
	{"topology: {kind: fat-tree, k: 4}\nswitches: {leaf: 3}\n", "2:18: switch: \"3\", but"},
	{"topology: {kind: fat-tree, k: 4}\nhosts: {h: {nic: 400Gbps}}\n",
	 "1:11: link: h0 runs at 400Gbps and leaf0 port 0 at 100Gbps"},
	{"topology: {kind: fat-tree, k: 4}\nswitches: {leaf: {count: 3}}\n",
	 "2:26: count: the topology has 8 of leaf; change its own numbers"},
	{"topology: {kind: rail-optimized, servers: 2}\nhosts: {gpu: {count: 16}}\n",
	 "2:22: count: the topology has 2 of gpu"},
	{"topology: {kind: fat-tree, k: 4}\nswitches: {leaff: {balancer: spray}}\n",
	 "2:12: switches: the topology has no leaff, but leaf, spine, core; another"},
	{"topology: {kind: fat-tree, k: 4}\nswitches: {leaf0: {profile: generic-32mb}}\nlinks: "
	 "[]\n",
	 "2:12: switches: there is a second switch leaf0"},
	{"topology: {kind: fat-tree, k: 4}\nhosts: {leaf0: {}}\n", "2:9: hosts: there is a second"},
	{"switches: {s3: {count: 2, profile: generic-32mb}}\n",
	 "1:12: switches: the name of a group with a count must not end in a digit (s3)"},
	{"hosts: {h: {nics: 8}}\n", "1:9: hosts: nics are of servers; give their count"},
	{"topology: {kind: rail-optimized, servers: 2}\nworkload: [{udp: {rate: 1Gbps, to: gpu0, "
	 "from: 'gpu[2][0]'}}]\n",
	 "2:48: gpu[2][0]: gpu has servers 0 to 1"},
	{"topology: {kind: rail-optimized, servers: 2}\nworkload: [{udp: {rate: 1Gbps, to: gpu0, "
	 "from: 'gpu[0][8]'}}]\n",
	 "2:48: gpu[0][8]: gpu has NICs 0 to 7"},
	{"topology: {kind: rail-optimized, servers: 2}\nworkload: [{udp: {rate: 1Gbps, to: gpu0, "
	 "from: 'gpu[0][0][0]'}}]\n",
	 "2:48: \"gpu[0][0][0]\" selects nothing"},
	{"topology: {kind: rail-optimized, servers: 2}\nworkload: [{udp: {rate: 1Gbps, to: gpu0, "
	 "from: gpu1-8}}]\n",
	 "2:48: there is no host \"gpu1-8\"; there are gpu0-0 to gpu1-7"},
	{"topology: {kind: fat-tree, k: 4}\nworkload: [{udp: {rate: 1Gbps, to: h0, from: h16}}]\n",
	 "2:46: there is no host \"h16\"; there are h0 to h15"},
	{"topology: {kind: fat-tree, k: 4}\nworkload: [{udp: {rate: 1Gbps, to: h0, from: "
	 "leaf9}}]\n",
	 "2:46: there is no host \"leaf9\""},
	{"topology: {kind: fat-tree, k: 4}\nfailures: [{link: 'leaf8[0]', down: yes}]\n",
	 "2:19: there is no host or switch \"leaf8\"; there are leaf0 to leaf7"},
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 2}\n"
	 "links: [{from: 'leaf[2][0]', to: h, delay: 1us}]\n",
	 "2:16: leaf[2][0]: leaf has switches 0 to 1"},
};

START_TEST(bad_input_says_where_and_what)
{
	const char *error = load(bad[_i].text, NULL, 0, NULL);

	ck_assert_msg(strncmp(error, "t.yaml:", 7) == 0 &&
			      strncmp(error + 7, bad[_i].error, strlen(bad[_i].error)) == 0,
		      "%s\n%s\nis not\nt.yaml:%s", bad[_i].text, error, bad[_i].error);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("topology");
	TCase *topic = suite_topic(suite, "shapes");

	tcase_add_loop_test(topic, counts_of_each_tier, 0, COUNT_OF(shapes));
	tcase_add_loop_test(topic, every_port_is_linked, 0, COUNT_OF(shapes));
	tcase_add_test(topic, pods_are_whole_and_apart);
	tcase_add_test(topic, clusters_are_joined_at_the_top);
	tcase_add_test(topic, rails);
	tcase_add_test(topic, addresses_count_up);
	topic = suite_topic(suite, "names");
	tcase_add_loop_test(topic, servers_and_rails_are_selected, 0, 9);
	tcase_add_loop_test(topic, ports_of_groups_are_selected, 0, 5);
	tcase_add_test(topic, tiers_have_settings_of_their_own);
	tcase_add_test(topic, numbers_are_taken_out);
	topic = suite_topic(suite, "errors");
	tcase_add_loop_test(topic, bad_input_says_where_and_what, 0, COUNT_OF(bad));
	return suite_run(suite);
}
