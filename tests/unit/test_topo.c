/* SPDX-License-Identifier: BSD-3-Clause */
/* Capacities and paths of networks whose numbers are known, and their drawings. */
#include "topo.h"

#include "config_rig.h"
#include "suite.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define GBPS 1000000000ull

static struct scenario *
load_topo(const char *text, struct topo *t)
{
	struct scenario *s;

	ck_assert_str_eq(load(text, NULL, 0, &s), "");
	ck_assert_int_eq(topo_init(t, s), 0);
	return s;
}

static void
unload(struct topo *t, struct scenario *s)
{
	topo_fini(t);
	scenario_free(s);
}

/* A switch of 4 x 400G down and 2 x 800G up is not oversubscribed; pods share half of that. */
START_TEST(tiers_and_their_capacity)
{
	struct topo t;
	struct scenario *s = load_topo("topology: {kind: three-tier, pods: 3, leaves: 4, "
				       "hosts_per_leaf: 4, rate: 400Gbps, leaf_links: {rate: "
				       "800Gbps}, spine_links: {oversubscription: 4}}\n",
				       &t);

	ck_assert_uint_eq(t.tier_count, 3);
	ck_assert_str_eq(t.tiers[0].name, "leaf");
	ck_assert_uint_eq(t.tiers[0].count, 12);
	ck_assert_uint_eq(t.tiers[0].level, 0);
	ck_assert_uint_eq(t.tiers[0].ports_min, 6);
	ck_assert_uint_eq(t.tiers[0].links_down, 48);
	ck_assert_uint_eq(t.tiers[0].links_up, 24);
	ck_assert_uint_eq(t.tiers[0].down_bps, 48 * 400 * GBPS);
	ck_assert_uint_eq(t.tiers[0].up_bps, 24 * 800 * GBPS);
	ck_assert_str_eq(t.tiers[1].name, "spine");
	ck_assert_uint_eq(t.tiers[1].count, 6);
	ck_assert_uint_eq(t.tiers[1].down_bps, 4 * t.tiers[1].up_bps);
	ck_assert_str_eq(t.tiers[2].name, "core");
	ck_assert_uint_eq(t.tiers[2].level, 2);
	ck_assert_uint_eq(t.tiers[2].up_bps, 0);
	unload(&t, s);
}
END_TEST

static const struct {
	const char *text;
	uint32_t from, to; /* host */
	uint32_t links;
	uint64_t count;
	uint64_t delay_us;
	uint64_t flow_bps, send_bps; /* from the first half of the hosts to the second */
} nets[] = {
	/* k = 4: (k/2)^2 paths from pod to pod, k/2 in a pod, all of it at full rate */
	{"topology: {kind: fat-tree, k: 4}\n", 0, 15, 6, 4, 6, 800 * GBPS, 800 * GBPS},
	{"topology: {kind: fat-tree, k: 4}\n", 0, 2, 4, 2, 4, 800 * GBPS, 800 * GBPS},
	{"topology: {kind: fat-tree, k: 4}\n", 0, 1, 2, 1, 2, 800 * GBPS, 800 * GBPS},
	{"topology: {kind: fat-tree, k: 8}\n", 0, 127, 6, 16, 6, 6400 * GBPS, 6400 * GBPS},
	/* 3:1 at the leaves: a third of 6 x 100G */
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 6, leaf_links: "
	 "{oversubscription: 3}}\n",
	 0, 6, 4, 2, 4, 200 * GBPS, 600 * GBPS},
	/* two cables up times two down at each of 3 spines; latency at each of three switches */
	{"topology: {kind: leaf-spine, leaves: 2, hosts_per_leaf: 2, spines: 3, leaf_links: "
	 "{count: 2}, switch: {latency: 1us}}\n",
	 0, 3, 4, 12, 7, 200 * GBPS, 200 * GBPS},
	/* rails: one leaf for NIC 0 of all servers, and a way over the spine to NIC 1 */
	{"topology: {kind: rail-optimized, servers: 4, gpus: 2, spines: 1}\n", 0, 6, 2, 1, 2,
	 400 * GBPS, 400 * GBPS},
	{"topology: {kind: rail-optimized, servers: 4, gpus: 2, spines: 1}\n", 0, 7, 4, 1, 4,
	 400 * GBPS, 400 * GBPS},
	/* a ring of three, one host each: half of 3 is 1 */
	{"switches: {s: {count: 3, ports: 3, profile: generic-32mb, forwarding: {mode: l3}}}\n"
	 "hosts: {h: {count: 3}}\n"
	 "links:\n  - {from: h, to: 's[*][0]', delay: 1us}\n"
	 "  - {from: 's[*][1]', to: ['s1[2]', 's2[2]', 's0[2]'], delay: 5us}\n",
	 0, 2, 3, 1, 7, 100 * GBPS, 100 * GBPS},
	/* two islands */
	{"switches: {s: {count: 2, ports: 2, profile: generic-32mb}}\n"
	 "hosts: {h: {count: 4}}\nlinks: [{from: h, to: s, delay: 1us}]\n",
	 0, 3, TOPO_UNREACHED, 0, 0, 0, 200 * GBPS},
};

START_TEST(paths_and_bisection)
{
	struct topo t;
	struct scenario *s = load_topo(nets[_i].text, &t);
	struct topo_paths paths;
	uint64_t flow_bps, send_bps;

	ck_assert_int_eq(topo_paths_between(&t, nets[_i].from, nets[_i].to, &paths), 0);
	ck_assert_uint_eq(paths.links, nets[_i].links);
	ck_assert_uint_eq(paths.count, nets[_i].count);
	ck_assert_uint_eq(paths.delay_ps, nets[_i].delay_us * UNITS_PS_PER_US);
	ck_assert_int_eq(topo_flow(&t, s->host_count / 2, &flow_bps, &send_bps), 0);
	ck_assert_uint_eq(flow_bps, nets[_i].flow_bps);
	ck_assert_uint_eq(send_bps, nets[_i].send_bps);
	unload(&t, s);
}
END_TEST

/* A ring of four routers, s0 to s3, a host each: cables of 1 us; what the routers are told. */
#define RING(routes0, routes1)                                                               \
	("switches:\n"                                                                       \
	 "  s0: {ports: 3, profile: generic-32mb, forwarding: {mode: l3" routes0 "}}\n"      \
	 "  s1: {ports: 3, profile: generic-32mb, forwarding: {mode: l3" routes1 "}}\n"      \
	 "  s2: {ports: 3, profile: generic-32mb, forwarding: {mode: l3}}\n"                 \
	 "  s3: {ports: 3, profile: generic-32mb, forwarding: {mode: l3}}\n"                 \
	 "hosts: {h: {count: 4}}\n"                                                          \
	 "links:\n  - {from: h, to: ['s0[0]', 's1[0]', 's2[0]', 's3[0]'], delay: 1us}\n"     \
	 "  - {from: ['s0[1]', 's1[1]', 's2[1]', 's3[1]'], to: ['s1[2]', 's2[2]', 's3[2]', " \
	 "'s0[2]'], delay: 1us}\n")

static const struct {
	const char *text;
	uint32_t to; /* from the first host */
	uint32_t links, links_max;
	uint64_t count, delay_us;
	enum topo_stray stray;
	uint32_t stray_at;
} routed[] = {
	/* both ways round to the opposite one; one way to the neighbour */
	{RING("", ""), 2, 4, 4, 2, 4, TOPO_STRAY_NONE, 0},
	{RING("", ""), 1, 3, 3, 1, 3, TOPO_STRAY_NONE, 0},
	/* h2 by port 1 alone; h1 the long way, from which s3 sends half back; both ways at once; a
	 * default, which routes to hosts beat */
	{RING(", routes: [{prefix: 10.0.0.3/32, ports: 1}]", ""), 2, 4, 4, 1, 4, TOPO_STRAY_NONE,
	 0},
	{RING(", routes: [{prefix: 10.0.0.2/32, ports: 2}]", ""), 1, 5, 5, 1, 5, TOPO_STRAY_LOOP,
	 0},
	{RING(", routes: [{prefix: 10.0.0.2/32, ports: [1, 2]}]", ""), 1, 3, 5, 2, 3,
	 TOPO_STRAY_LOOP, 0},
	{RING(", routes: [{prefix: 0.0.0.0/0, ports: 0}]", ""), 1, 3, 3, 1, 3, TOPO_STRAY_NONE, 0},
	/* back and forth; into a host that forwards nothing */
	{RING(", routes: [{prefix: 10.0.0.3/32, ports: 1}]",
	      ", routes: [{prefix: 10.0.0.3/32, ports: 2}]"),
	 2, TOPO_UNREACHED, 0, 0, 0, TOPO_STRAY_LOOP, 0},
	{RING("", ", routes: [{prefix: 10.0.0.3/32, ports: 0}]"), 2, 4, 4, 1, 4, TOPO_STRAY_END, 1},
	/* bridges have one path, and go by their entries */
	{"switches:\n"
	 "  a: {ports: 3, profile: generic-32mb}\n  b: {ports: 3, profile: generic-32mb}\n"
	 "hosts: {h: {count: 2}}\n"
	 "links: [{from: h, to: ['a[0]', 'b[0]'], delay: 1us}, {from: 'a[1-2]', to: 'b[1-2]', "
	 "delay: 1us}]\n",
	 1, 3, 3, 1, 3, TOPO_STRAY_NONE, 0},
};

START_TEST(paths_follow_configured_routes)
{
	struct topo t;
	struct scenario *s = load_topo(routed[_i].text, &t);
	struct topo_paths paths;

	ck_assert_int_eq(topo_paths_between(&t, 0, routed[_i].to, &paths), 0);
	ck_assert_uint_eq(paths.links, routed[_i].links);
	ck_assert_uint_eq(paths.links_max, routed[_i].links_max);
	ck_assert_uint_eq(paths.count, routed[_i].count);
	ck_assert_uint_eq(paths.delay_ps, routed[_i].delay_us * UNITS_PS_PER_US);
	ck_assert_int_eq(paths.stray, routed[_i].stray);
	ck_assert_uint_eq(paths.stray_at, routed[_i].stray_at);
	unload(&t, s);
}
END_TEST

START_TEST(span_of_all_pairs)
{
	struct topo_span span;
	struct topo t;
	struct scenario *s = load_topo("topology: {kind: fat-tree, k: 4}\n", &t);

	ck_assert_int_eq(topo_span_of(&t, &span), 0);
	ck_assert_uint_eq(span.links_min, 2);
	ck_assert_uint_eq(span.links_max, 6);
	ck_assert_uint_eq(span.unreachable, 0);
	unload(&t, s);
	s = load_topo(nets[COUNT_OF(nets) - 1].text, &t);
	ck_assert_int_eq(topo_span_of(&t, &span), 0);
	ck_assert_uint_eq(span.links_max, 2);
	ck_assert_uint_eq(span.unreachable, 2 * 2 * 2);
	unload(&t, s);
}
END_TEST

static uint32_t
lines_with(const char *text, const char *what)
{
	uint32_t count = 0;

	for (; (text = strstr(text, what)) != NULL; text += strlen(what))
		count++;
	return count;
}

/* Lines of cables; those that only keep nodes in order begin otherwise. */
static uint32_t
cables(const char *text)
{
	uint32_t count = 0;

	while ((text = strstr(text, "\n\t\"")) != NULL) {
		const char *end = strchr(++text, '\n'), *link = strstr(text, " -- ");

		count += link != NULL && end != NULL && link < end;
	}
	return count;
}

/* Small: every node and cable. Large: no more than a picture holds, all hosts accounted for. */
START_TEST(drawings)
{
	static const struct {
		const char *text;
		uint32_t nodes, edges;
		const char *has;
	} rows[] = {
		{"topology: {kind: fat-tree, k: 4}\n", 36, 48, "\"core0\" -- \"spine0\";"},
		/* hosts by leaf */
		{"topology: {kind: leaf-spine, leaves: 16, hosts_per_leaf: 16, spines: 4}\n",
		 16 + 4 + 16, 16 + 64, "h16\\nto h31\\n16 hosts"},
		/* by pod: three tiers in each, and the cores */
		{"topology: {kind: fat-tree, k: 16}\n", 3 * 16 + 1, 3 * 16,
		 "\"core0\" -- \"spine8\" [label=\"64 x 100Gbps, 1us\""},
		/* by tier: pods are too many */
		{"topology: {kind: fat-tree, k: 40}\n", 4, 3, "h0\\nto h15999\\n16000 hosts"},
	};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct topo t;
	struct scenario *s = load_topo(rows[_i].text, &t);

	ck_assert_int_eq(topo_dot(&t, out), 0);
	fclose(out);
	ck_assert_uint_eq(lines_with(text, "shape="), rows[_i].nodes);
	ck_assert_uint_eq(cables(text), rows[_i].edges);
	ck_assert_msg(strstr(text, rows[_i].has) != NULL, "%s\nis not in\n%s", rows[_i].has, text);
	free(text);
	unload(&t, s);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("topo");
	TCase *topic = suite_topic(suite, "numbers");

	tcase_add_test(topic, tiers_and_their_capacity);
	tcase_add_loop_test(topic, paths_and_bisection, 0, COUNT_OF(nets));
	tcase_add_loop_test(topic, paths_follow_configured_routes, 0,
			    sizeof(routed) / sizeof(routed[0]));
	tcase_add_test(topic, span_of_all_pairs);
	topic = suite_topic(suite, "drawings");
	tcase_add_loop_test(topic, drawings, 0, 4);
	return suite_run(suite);
}
