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
	{"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n\nsrc dst rate\n2 3 100Gbps 1us 0\n1 2 "
	 "100Gbps 1us 0\n",
	 NULL, "/t:8:1: more than the 2 links that line 1 says"},
	{racks, "\n1\n1 2 3 100 1000 2\n2 1 3 100 1000 2\n",
	 "/f:4:1: more than the 1 flows that line 2 says"},
	{racks, "Nodes 4\nConnections 1\n0->3 start 0 size 1\n1->3 start 0 size 1\n",
	 "/f:4:1: more than the 1 connections that line 2 says"},
	{racks, "Nodes 4\nConnections 1\n0->3 start 0 size 1\nfailure 1\n",
	 "/f:4:1: more than the 1 connections"},
	{racks, "Nodes 3\nConnections 1\n0->3 start 0 size 1\n",
	 "/f:3:1: 0 to 3: there are \"Nodes 3\", numbered from 0"},
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
	{racks, "Nodes 5\nConnections 1\n0->4 start 0 size 1\n", "/f:3:1: 0 to 4: "},
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

/* `topology: {kind: file}` in a directory of its own, with these files and further lines. */
static const char *
load_beside(const char *topology, const char *flows, const char *yaml, struct scenario **out)
{
	static char error[CONFIG_ERROR_BYTES];
	char directory[] = "/tmp/railyard-import-XXXXXX", paths[3][64], configs[300];
	const char *dirs[] = {configs_dir(configs, sizeof(configs)), NULL};

	ck_assert_ptr_nonnull(mkdtemp(directory));
	for (int i = 0; i < 3; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%c", directory, "tfy"[i]);
	write_file(paths[0], topology);
	write_file(paths[1], flows);
	write_file(paths[2], yaml);
	error[0] = '\0';
	*out = NULL;
	config_load(paths[2], NULL, 0, dirs, out, error, sizeof(error));
	for (int i = 0; i < 3; i++)
		unlink(paths[i]);
	rmdir(directory);
	return error;
}

/* The same scenario as the one that the import writes, with what the file says of its groups. */
START_TEST(a_configuration_names_the_files)
{
	static const char flows[] = "2\n1 5 3 100 5000 2.000001\n1 2 3 100 7000 2\n";
	struct scenario *s, *imported = load_import(racks, flows);

	ck_assert_str_eq(
		load_beside(racks, flows, "topology: {kind: file, path: t, flows: f}\n", &s), "");
	compare_scenarios(s, imported);
	check_round_trip(s);
	scenario_free(s);
	scenario_free(imported);
	ck_assert_str_eq(
		load_beside(racks, flows,
			    "topology:\n  kind: file\n  format: hpcc\n  path: t\n  flows: f\n"
			    "  switch: {pipeline: ideal, latency: 300ns}\n"
			    "  host: {mtu: 1024}\n"
			    "switches: {spine: {latency: 700ns}, leaf: {port_settings: [{ports: "
			    "'2', mtu: 2000}]}}\n"
			    "workload: [{elephants: {from: h0, to: h1, size: 1KB}}]\n",
			    &s),
		"");
	/* the file's own groups come first */
	ck_assert_str_eq(s->switches[0].cfg.name, "spine0");
	ck_assert_uint_eq(s->switches[0].latency_ps, 700000);
	ck_assert_uint_eq(s->switches[1].latency_ps, 300000);
	ck_assert_str_eq(s->switches[1].cfg.pipeline, "ideal"); /* no profile then */
	ck_assert_uint_eq(s->switches[1].ports[2].port.rate_bps, 400000000000);
	ck_assert_uint_eq(s->switches[1].ports[2].mtu_bytes, 2000);
	ck_assert_uint_eq(s->hosts[3].cfg.mtu_bytes, 1024);
	ck_assert_uint_eq(s->workload_count, 3);
	ck_assert_uint_eq(s->workloads[0].bytes, 1000);
	ck_assert_uint_eq(s->workloads[1].bytes, 7000);
	scenario_free(s);
}
END_TEST

/* What is wrong is where it is written: in the configuration, or in the file that it names. */
static const struct {
	const char *yaml;
	const char *topology; /* NULL: racks */
	const char *flows;
	const char *error;
} badly_named[] = {
	{"topology: {kind: file}\n", NULL, "", "/y:1:11: path: file needs it"},
	{"topology: {kind: file, path: x}\n", NULL, "", "/y:1:30: path: "},
	{"topology: {kind: file, path: t, flows: x}\n", NULL, "", "/y:1:40: flows: "},
	{"topology: {kind: file, path: t, format: yaml}\n", NULL, "", "/y:1:41: format: \"yaml\""},
	{"topology: {kind: file, path: t, leaves: 2}\n", NULL, "",
	 "/y:1:33: leaves: the file says it; take it out"},
	{"topology: {kind: fat-tree, k: 4, path: t}\n", NULL, "",
	 "/y:1:34: path: only with kind: file"},
	{"topology: {kind: file, path: t}\n", "3 1 2\n2\n0 2 fast 1us 0\n", "",
	 "/t:3:1: \"fast\" is not a rate"},
	{"topology: {kind: file, path: t, flows: f}\n", NULL, "1\n1 0 3 100 1000 2\n",
	 "/f:2:1: node 0 is a switch"},
	/* right in the file, but not as a scenario */
	{"topology: {kind: file, path: t, flows: f}\nhosts: {h: {nic: 50Gbps}}\n", NULL,
	 "1\n1 2 3 100 1000 2\n", "/t:3:1: link: h0 runs at 50Gbps and leaf0 port 0 at 100Gbps"},
	{"topology: {kind: file, path: t}\nswitches: {leaf: {ports: 2}}\n", NULL, "",
	 "/t:3:1: ports: there is no port 2"},
	{"topology: {kind: file, path: t}\nlinks: {}\n", NULL, "", "/y:2:8: links: takes a list"},
};

START_TEST(places_of_what_is_wrong)
{
	const char *topology = badly_named[_i].topology;
	struct scenario *s;
	const char *error = load_beside(topology != NULL ? topology : racks, badly_named[_i].flows,
					badly_named[_i].yaml, &s);

	ck_assert_ptr_null(s);
	ck_assert_msg(strstr(error, badly_named[_i].error) != NULL, "%s\nis not\n%s", error,
		      badly_named[_i].error);
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
	tcase_add_test(topic, a_configuration_names_the_files);
	tcase_add_loop_test(topic, places_of_what_is_wrong, 0, COUNT_OF(badly_named));
	tcase_add_test(topic, a_file_that_is_not_there);
	tcase_add_loop_test(topic, examples_of_the_simulators, 0, 3);
	return suite_run(suite);
}
