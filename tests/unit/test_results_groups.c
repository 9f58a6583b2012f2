/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How evenly equal ways were used, against numbers worked out by hand. A leaf has two cables to
 * each of two spines; it chooses among all four, and for some destinations between the first two.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "fabric.h"
#include "results.h"
#include "suite.h"

#define PORTS 4
#define US UNITS_PS_PER_US

static char dir[64];
static char why[512];

struct rig {
	struct scenario scenario;
	struct scenario_switch scenario_switches[3];
	struct fabric fabric;
	struct switch_cfg cfgs[3];
	struct switch_node switches[3];
	struct switch_node *switch_list[3];
	struct node *nodes[3];
	struct pipeline pipeline;
	struct link links[2 * PORTS];
	struct fabric_edge edges[2 * PORTS];
	struct host_routes routes[3];
	struct results *results;
};

static void
init_switch(struct rig *rig, uint32_t i, const char *name, const char *tier, uint16_t ports)
{
	struct switch_node *sw = &rig->switches[i];

	rig->cfgs[i].port_count = ports;
	sw->cfg = &rig->cfgs[i];
	sw->pipeline = &rig->pipeline;
	sw->ports = calloc(ports, sizeof(*sw->ports));
	sw->node.id = i;
	sw->node.port_count = ports;
	sw->node.ports = calloc(ports, sizeof(*sw->node.ports));
	ck_assert(sw->ports != NULL && sw->node.ports != NULL);
	for (uint16_t n = 0; n < ports; n++)
		sw->ports[n].maps = &rig->cfgs[i].maps;
	snprintf(sw->node.name, sizeof(sw->node.name), "%s", name);
	snprintf(rig->scenario_switches[i].tier, sizeof(rig->scenario_switches[i].tier), "%s",
		 tier);
	rig->scenario_switches[i].cfg.forwarding.layer3 = true;
	rig->switch_list[i] = sw;
	rig->nodes[i] = &sw->node;
}

static void
add_route(struct rig *rig, uint32_t sw, const uint16_t *ports, uint16_t count)
{
	struct next_hop hops[PORTS] = {0};
	uint16_t group;

	for (uint16_t i = 0; i < count; i++)
		hops[i] = (struct next_hop){.weight = 1, .port = ports[i]};
	ck_assert_int_eq(next_hops_add(&rig->routes[sw].hops, hops, count, &group), 0);
}

static struct rig *
rig_create(uint64_t interval_ps)
{
	static const uint16_t all[] = {0, 1, 2, 3}, turned[] = {2, 3, 0, 1};
	struct rig *rig = calloc(1, sizeof(*rig));

	ck_assert_ptr_nonnull(rig);
	init_switch(rig, 0, "leaf0", "leaf", PORTS);
	init_switch(rig, 1, "spine0", "spine", 2);
	init_switch(rig, 2, "spine1", "spine", 2);
	for (uint16_t i = 0; i < PORTS; i++) {
		rig->edges[2 * i] = (struct fabric_edge){0, 1u + i / 2, i, i % 2, 0, 0};
		rig->edges[2 * i + 1] = (struct fabric_edge){1u + i / 2, 0, i % 2, i, 0, 0};
		rig->nodes[0]->ports[i].tx = &rig->links[2 * i];
		rig->nodes[1 + i / 2]->ports[i % 2].tx = &rig->links[2 * i + 1];
	}
	add_route(rig, 0, all, 4);
	add_route(rig, 0, turned, 4); /* the same four */
	add_route(rig, 0, all, 2);
	add_route(rig, 0, all, 1); /* no choice */
	add_route(rig, 1, all, 2);
	add_route(rig, 2, all, 2);
	rig->scenario = (struct scenario){.file = "rig.yaml",
					  .sample_interval_ps = interval_ps,
					  .switch_count = 3,
					  .switches = rig->scenario_switches};
	rig->fabric = (struct fabric){.scenario = &rig->scenario,
				      .node_count = 3,
				      .nodes = rig->nodes,
				      .switch_count = 3,
				      .switches = rig->switch_list,
				      .link_count = 2 * PORTS,
				      .links = rig->links,
				      .edges = rig->edges,
				      .routes = rig->routes};
	rig->results = results_create();
	ck_assert_ptr_nonnull(rig->results);
	strcpy(dir, "/tmp/railyard-groups-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_msg(results_open(rig->results, &rig->fabric, dir, why, sizeof(why)) == 0, "%s",
		      why);
	return rig;
}

static void
rig_destroy(struct rig *rig)
{
	char command[128];

	results_destroy(rig->results);
	for (int i = 0; i < 3; i++) {
		free(rig->switches[i].ports);
		free(rig->nodes[i]->ports);
		next_hops_fini(&rig->routes[i].hops);
	}
	free(rig);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

/* What the leaf's ports have sent for so far, in us. */
static void
set_busy(struct rig *rig, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t busy_us[PORTS] = {a, b, c, d};

	for (int i = 0; i < PORTS; i++)
		rig->nodes[0]->ports[i].busy_ps = busy_us[i] * US;
}

/* After 100 us; `links` of the summary. */
static const json_t *
finish(struct rig *rig)
{
	struct results_end end = {.state = RESULTS_COMPLETE, .virtual_ps = 100 * US};

	ck_assert_msg(results_finish(rig->results, &end, why, sizeof(why)) == 0, "%s", why);
	return json_object_get(results_summary(rig->results), "links");
}

static double
number(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	ck_assert_msg(json_is_number(value), "%s", key);
	return json_number_value(value);
}

static const json_t *
kind(const json_t *links, const char *from)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(links, "kinds"), i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "from")), from) == 0)
			return row;
	}
	ck_abort_msg("no links from %s", from);
	return NULL;
}

static void
check_file(const char *name, const char *text)
{
	char path[128], found[2000];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	n = fread(found, 1, sizeof(found) - 1, f);
	found[n] = '\0';
	fclose(f);
	ck_assert_str_eq(found, text);
}

/*
 * Busy for 40, 20, 0 and 20 us. Of the four: mean 20, the busiest 2 times that. Of the first two:
 * mean 30, 4/3. Together (40 + 40) / (20 + 30) = 1.6. The idle link is one of the four; the
 * spines, which could have chosen, sent nothing and do not count.
 */
START_TEST(busiest_over_mean_of_equal_ways)
{
	struct rig *rig = rig_create(0);
	const json_t *links;

	set_busy(rig, 40, 20, 0, 20);
	links = finish(rig);
	ck_assert_double_eq_tol(number(links, "imbalance"), 1.6, 1e-9);
	ck_assert(json_is_null(json_object_get(links, "imbalance_sampled")));
	ck_assert_double_eq_tol(number(kind(links, "leaf"), "imbalance"), 1.6, 1e-9);
	ck_assert_double_eq_tol(number(kind(links, "leaf"), "imbalance_max"), 2, 1e-9);
	ck_assert_str_eq(
		json_string_value(json_object_get(kind(links, "leaf"), "imbalance_max_at")),
		"leaf0");
	ck_assert_double_eq(number(kind(links, "leaf"), "groups"), 2);
	ck_assert_double_eq(number(kind(links, "spine"), "groups"), 0);
	ck_assert(json_is_null(json_object_get(kind(links, "spine"), "imbalance")));
	rig_destroy(rig);
}
END_TEST

/* One of four alone is 4 times their mean; of the first two it is twice. (40 + 40) / (10 + 20). */
START_TEST(one_link_for_all)
{
	struct rig *rig = rig_create(0);
	const json_t *links;

	set_busy(rig, 40, 0, 0, 0);
	links = finish(rig);
	ck_assert_double_eq_tol(number(links, "imbalance"), 80.0 / 30, 1e-9);
	ck_assert_double_eq_tol(number(kind(links, "leaf"), "imbalance_max"), 4, 1e-9);
	rig_destroy(rig);
}
END_TEST

/* A link that was down could not have been used: 40, 20, 20 have the mean 80/3. */
START_TEST(links_that_are_down)
{
	struct rig *rig = rig_create(0);

	set_busy(rig, 40, 20, 0, 20);
	rig->nodes[0]->ports[2].link_down = true;
	ck_assert_double_eq_tol(number(finish(rig), "imbalance"), 80 / (80.0 / 3 + 30), 1e-9);
	rig_destroy(rig);
}
END_TEST

START_TEST(nothing_was_sent)
{
	struct rig *rig = rig_create(10 * US);
	const json_t *links = finish(rig);

	ck_assert(json_is_null(json_object_get(links, "imbalance")));
	ck_assert(json_is_null(json_object_get(links, "imbalance_sampled")));
	check_file("balance.csv", "time_us,from,to,groups,links,utilisation_mean,utilisation_max,"
				  "imbalance,imbalance_max,imbalance_max_at\n");
	check_file("groups.csv",
		   "node,group,members,port,to,packets,bytes,utilisation,over_mean\n");
	rig_destroy(rig);
}
END_TEST

/*
 * Four even links for 10 us: 4 each, both groups 1. Then the first alone for 10 us, 8 more: 4 and
 * 2, together 16 / (2 + 4). Then nothing, until a spine sends 6 by one of two. Over the whole run
 * the leaf's busiest had 12 of a mean of 6 and of 8: 24/14. By interval, the spine's too: (4 + 4 +
 * 8 + 8 + 6) / (4 + 4 + 2 + 4 + 3).
 */
START_TEST(by_sample_interval)
{
	struct rig *rig = rig_create(10 * US);
	const json_t *links;

	set_busy(rig, 4, 4, 4, 4);
	results_groups_sample(rig->results, 10 * US);
	set_busy(rig, 12, 4, 4, 4);
	results_groups_sample(rig->results, 20 * US);
	results_groups_sample(rig->results, 30 * US);
	results_groups_sample(rig->results, 40 * US);
	rig->nodes[1]->ports[1].busy_ps = 6 * US;
	links = finish(rig);
	ck_assert_double_eq_tol(number(kind(links, "leaf"), "imbalance"), 24.0 / 14, 1e-9);
	/* and the spine's 6 of a mean of 3 */
	ck_assert_double_eq_tol(number(links, "imbalance"), 2, 1e-9);
	ck_assert_double_eq_tol(number(links, "imbalance_sampled"), 30.0 / 17, 1e-9);
	check_file("balance.csv",
		   "time_us,from,to,groups,links,utilisation_mean,utilisation_max,imbalance,"
		   "imbalance_max,imbalance_max_at\n"
		   "10.000000,leaf,spine,2,6,0.400000,0.400000,1.000000,1.000000,leaf0\n"
		   "20.000000,leaf,spine,2,6,0.266667,0.800000,2.666667,4.000000,leaf0\n"
		   "30.000000,leaf,spine,0,0,0,0,,,\n"
		   "100.000000,spine,leaf,1,2,0.050000,0.100000,2.000000,2.000000,spine0\n");
	rig_destroy(rig);
}
END_TEST

/* Every member of what was used, idle ones too, against the mean of its group: 10 us of 100. */
START_TEST(members_of_groups)
{
	struct balancer_port ports[PORTS] = {{.packets = 7, .bytes = 700}, {.packets = 3}};
	struct rig *rig = rig_create(0);

	rig->switches[0].forwarding.balancer.ports = ports;
	set_busy(rig, 20, 10, 0, 10);
	finish(rig);
	check_file("groups.csv", "node,group,members,port,to,packets,bytes,utilisation,over_mean\n"
				 "leaf0,0,4,0,spine0,7,700,0.200000,2.000000\n"
				 "leaf0,0,4,1,spine0,3,0,0.100000,1.000000\n"
				 "leaf0,0,4,2,spine1,0,0,0.000000,0.000000\n"
				 "leaf0,0,4,3,spine1,0,0,0.100000,1.000000\n"
				 "leaf0,1,2,0,spine0,7,700,0.200000,1.333333\n"
				 "leaf0,1,2,1,spine0,3,0,0.100000,0.666667\n");
	rig_destroy(rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("results_groups");
	TCase *topic = suite_topic(suite, "imbalance");

	tcase_add_test(topic, busiest_over_mean_of_equal_ways);
	tcase_add_test(topic, one_link_for_all);
	tcase_add_test(topic, links_that_are_down);
	tcase_add_test(topic, nothing_was_sent);
	tcase_add_test(topic, by_sample_interval);
	tcase_add_test(topic, members_of_groups);
	return suite_run(suite);
}
