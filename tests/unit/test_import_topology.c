/* SPDX-License-Identifier: BSD-3-Clause */
/* Other simulators' topologies and flows: what becomes of them, and what is said of bad ones. */
#include "import_topology.h"

#include <unistd.h>

#include "config_rig.h"
#include "suite.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static void
write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
}

/* The scenario as YAML (to be freed), or NULL and the error; flows may be NULL. */
static char *
import(const char *topology, const char *flows, char error[CONFIG_ERROR_BYTES])
{
	struct config_error e = {.text = error, .bytes = CONFIG_ERROR_BYTES};
	struct config_arena arena = {.blocks = NULL};
	struct import m = {.arena = &arena, .error = &e};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int rc;

	error[0] = '\0';
	rc = import_topology_read(&m, topology);
	if (rc == 0 && flows != NULL)
		rc = import_flows_read(&m, flows);
	if (rc == 0)
		rc = import_topology_write(&m, out);
	fclose(out);
	config_arena_free(&arena);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

static char *
import_text(const char *topology, const char *flows, char error[CONFIG_ERROR_BYTES])
{
	char directory[] = "/tmp/railyard-import-XXXXXX", paths[2][64], *yaml;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(paths[0], sizeof(paths[0]), "%s/t", directory);
	snprintf(paths[1], sizeof(paths[1]), "%s/f", directory);
	write_file(paths[0], topology);
	write_file(paths[1], flows != NULL ? flows : "");
	yaml = import(paths[0], flows != NULL ? paths[1] : NULL, error);
	unlink(paths[0]);
	unlink(paths[1]);
	rmdir(directory);
	return yaml;
}

static struct scenario *
load_import(const char *topology, const char *flows)
{
	char error[CONFIG_ERROR_BYTES], *yaml = import_text(topology, flows, error);
	struct scenario *s;

	ck_assert_msg(yaml != NULL, "%s", error);
	ck_assert_str_eq(load(yaml, NULL, 0, &s), "");
	check_round_trip(s);
	free(yaml);
	return s;
}

/* Two racks of two hosts below one faster switch; the hosts' numbers are neither first nor last. */
static const char racks[] = "7 3 6\n0 3 6\n"
			    "1 0 100Gbps 1000ns 0\n2 0 100Gbps 0.001ms 0\n"
			    "4 3 100Gbps 1000ns 0.01\n5 3 100Gbps 1000ns 0\n\n"
			    "0 6 400Gbps 2us 0.000000\n3 6 400Gbps 2us 0\n";

START_TEST(nodes_become_groups)
{
	struct scenario *s = load_import(racks, NULL);

	ck_assert_uint_eq(s->host_count, 4);
	ck_assert_uint_eq(s->switch_count, 3);
	ck_assert_uint_eq(s->link_count, 6);
	ck_assert_str_eq(s->switches[0].cfg.name, "leaf0");
	ck_assert_str_eq(s->switches[1].cfg.name, "leaf1");
	ck_assert_str_eq(s->switches[2].cfg.name, "spine0");
	ck_assert_str_eq(s->switches[2].tier, "spine");
	ck_assert_uint_eq(s->switches[1].ports[1].port.rate_bps, 100000000000);
	ck_assert_uint_eq(s->switches[1].ports[2].port.rate_bps, 400000000000);
	ck_assert(s->switches[0].cfg.forwarding.layer3);
	/* in the order of the file: node 4 is the third host, at node 3's first port */
	ck_assert_uint_eq(s->links[2].a.index, 2);
	ck_assert_uint_eq(s->links[2].b.index, 1);
	ck_assert_uint_eq(s->links[2].b.port, 0);
	ck_assert_uint_eq(s->links[1].delay_ps, 1000000);
	ck_assert_uint_eq(s->links[4].delay_ps, 2000000);
	/* an error rate is a share of packets lost, either way */
	ck_assert_uint_eq(s->impairment_count, 1);
	ck_assert_uint_eq(s->impairments[0].end.index, 2);
	scenario_free(s);
}
END_TEST

/* What starts together and is as large stands together; time begins with the first. */
START_TEST(flows_become_elephants)
{
	struct scenario *s = load_import(racks, "4\n1 5 3 100 5000 2.000001\n1 2 3 100 7000 2\n"
						"4 2 3 100 7000 2\n5 1 5 100 7000 2\n\nnotes\n");

	ck_assert_uint_eq(s->workload_count, 3);
	ck_assert_uint_eq(s->workloads[0].from_count, 2);
	ck_assert_uint_eq(s->workloads[0].from[1], 2);
	ck_assert_uint_eq(s->workloads[0].to[1], 1);
	ck_assert_uint_eq(s->workloads[0].bytes, 7000);
	ck_assert_uint_eq(s->workloads[0].at_ps, 0);
	ck_assert_int_eq(s->workloads[0].dscp, SCENARIO_DSCP_OF_HOST);
	ck_assert_int_eq(s->workloads[1].dscp, 40);
	ck_assert_uint_eq(s->workloads[2].bytes, 5000);
	ck_assert_uint_eq(s->workloads[2].at_ps, 1000000);
	scenario_free(s);
}
END_TEST

/* htsim counts hosts: the fourth is node 5. */
START_TEST(connection_matrices)
{
	struct scenario *s =
		load_import(racks, "Nodes 4\nConnections 2\n"
				   "0->3 id 1 start 0 size 2000\n2->1 start 0 size 2000\n");

	ck_assert_uint_eq(s->workload_count, 1);
	ck_assert_uint_eq(s->workloads[0].from_count, 2);
	ck_assert_uint_eq(s->workloads[0].from[0], 0);
	ck_assert_uint_eq(s->workloads[0].to[0], 3);
	ck_assert_uint_eq(s->workloads[0].from[1], 2);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *topology;
	const char *flows;
	const char *error; /* from "/t:" or "/f:" on */
} bad[] = {
	{"", NULL, "/t: is empty"},
	{"3 1\n", NULL, "/t:1:1: takes the numbers of nodes"},
	{"3 4 2\n", NULL, "/t:1:1: takes the numbers of nodes"},
	{"3 1 2\n3\n", NULL, "/t:2:1: 3 is no node; there are 0 to 2"},
	{"3 2 2\n1 1\n", NULL, "/t:2:1: 1 is in the list twice"},
	{"3 1 2\n1 2\n", NULL, "/t:2:1: 2: more switches than the first line says"},
	{"3 2 2\n1\n", NULL, "/t:2:1: ends within the numbers of 2 switches"},
	{"3 1 2\n2\n0 2 100Gbps 1us 0\n", NULL, "/t:3:1: ends after 1 of 2 links"},
	{"3 1 2\n2\n0 2 100Gbps\n", NULL, "/t:3:1: a link is: node node rate"},
	{"3 1 2\n2\n0 9 100Gbps 1us 0\n", NULL, "/t:3:1: 0, 9: there are nodes 0 to 2"},
	{"3 1 2\n2\n0 2 fast 1us 0\n", NULL, "/t:3:1: \"fast\" is not a rate"},
	{"3 1 2\n2\n0 2 100Gbps 1 0\n", NULL, "/t:3:1: "},
	{"3 1 2\n2\n0 2 100Gbps 0ns 0\n", NULL, "/t:3:1: a link's rate and delay"},
	{"3 1 2\n2\n0 2 100Gbps 1us 1.5\n", NULL, "/t:3:1: 1.5: an error rate is 0 to 1"},
	{"3 1 2\n2\n0 2 100Gbps 1us 0\n0 2 100Gbps 1us 0\n", NULL,
	 "/t:4:1: node 0 is a host and has 2 links"},
	{"3 1 1\n2\n0 2 100Gbps 1us 0\n", NULL, "/t:3:1: node 1 is a host and has 0 links"},
	{racks, "x\n", "/f:1:1: starts with the number of flows"},
	{racks, "2\n1 2 3 100 1000 2\n", "/f:2:1: ends after 1 of 2 flows"},
	{racks, "1\n1 2 3 100 1000\n", "/f:2:1: a flow is: source destination"},
	{racks, "1\n1 7 3 100 1000 2\n", "/f:2:1: 1, 7: "},
	{racks, "1\n1 0 3 100 1000 2\n", "/f:2:1: node 0 is a switch"},
	{racks, "1\n1 1 3 100 1000 2\n", "/f:2:1: 1 would send to itself"},
	{racks, "1\n1 2 8 100 1000 2\n", "/f:2:1: 8: a priority is 0 to 7"},
	{racks, "1\n1 2 3 100 0 2\n", "/f:2:1: a flow has 1 to 2^31 bytes"},
	{racks, "1\n1 2 3 100 1000 soon\n", "/f:2:1: "},
	{racks, "Nodes 4\n", "/f:1:1: starts with \"Nodes n\""},
	{racks, "Nodes 4\nConnections 1\n0-3 size 1\n", "/f:3:1: a connection is: "},
	{racks, "Nodes 4\nConnections 1\n0->4 start 0 size 1\n", "/f:3:1: 0 to 4: "},
	{racks, "Nodes 4\nConnections 1\n0->1 start 5 size 1\n", "/f:3:1: start 5: "},
};

START_TEST(bad_files_say_where_and_what)
{
	char error[CONFIG_ERROR_BYTES];
	char *yaml = import_text(bad[_i].topology, bad[_i].flows, error);

	ck_assert_ptr_null(yaml);
	ck_assert_msg(strstr(error, bad[_i].error) != NULL, "%s\nis not\n%s", error, bad[_i].error);
}
END_TEST

START_TEST(a_file_that_is_not_there)
{
	char error[CONFIG_ERROR_BYTES];

	ck_assert_ptr_null(import("/nowhere/t", NULL, error));
	ck_assert_str_eq(error, "/nowhere/t: No such file or directory");
}
END_TEST

/* The simulators' own examples, where they are at hand; hosts, switches and links as they say. */
START_TEST(examples_of_the_simulators)
{
	static const struct {
		const char *file;
		uint32_t hosts, switches, links;
	} files[] = {
		{"hpcc_topology.txt", 65, 1, 65},
		{"hpcc_fat_tree_320.txt", 320, 56, 480},
		{"conweave_leaf_spine_128.txt", 128, 16, 192},
	};
	char path[400], configs[300], error[CONFIG_ERROR_BYTES], *yaml;
	struct scenario *s;

	snprintf(path, sizeof(path), "%s/../../shared/data/peers/%s",
		 configs_dir(configs, sizeof(configs)), files[_i].file);
	if (access(path, R_OK) != 0) {
		fprintf(stderr, "%s is not here: not tried\n", files[_i].file);
		return;
	}
	yaml = import(path, NULL, error);
	ck_assert_msg(yaml != NULL, "%s", error);
	ck_assert_str_eq(load(yaml, NULL, 0, &s), "");
	ck_assert_uint_eq(s->host_count, files[_i].hosts);
	ck_assert_uint_eq(s->switch_count, files[_i].switches);
	ck_assert_uint_eq(s->link_count, files[_i].links);
	scenario_free(s);
	free(yaml);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("import_topology");
	TCase *topic = suite_topic(suite, "files");

	tcase_add_test(topic, nodes_become_groups);
	tcase_add_test(topic, flows_become_elephants);
	tcase_add_test(topic, connection_matrices);
	tcase_add_loop_test(topic, bad_files_say_where_and_what, 0, COUNT_OF(bad));
	tcase_add_test(topic, a_file_that_is_not_there);
	tcase_add_loop_test(topic, examples_of_the_simulators, 0, 3);
	return suite_run(suite);
}
