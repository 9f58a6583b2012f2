/* SPDX-License-Identifier: BSD-3-Clause */
/* No run writes over what it reads, or twice into one file; and failing to print is a failure. */
#include <errno.h>
#include <sys/stat.h>

#include "results_rig.h"
#include "suite.h"

static void
write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_msg(out != NULL, "%s", path);
	fputs(text, out);
	fclose(out);
}

static void
check_text(const char *path, const char *text)
{
	char line[64] = "";
	FILE *in = fopen(path, "r");

	ck_assert_msg(in != NULL, "%s", path);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), in));
	ck_assert_str_eq(line, text);
	fclose(in);
}

/* One way to name a file twice: @ stands for the directory; "" = not given. */
struct clash {
	const char *input;
	const char *link; /* made before, to target; hard when it begins with '=' */
	const char *target;
	const char *first;
	const char *second;
	bool with_dir;
	const char *says; /* NULL: all is fine */
};

static const struct clash clashes[] = {
	{"@/tor-1.pcap", "", "", "tor:1=@/tor-1.pcap", "", true, "the capture of tor:1"},
	{"@/../*/tor-1.pcap", "", "", "tor:1=@/./tor-1.pcap", "", false, "the input"},
	{"@/config.yaml", "", "", "", "", true, "the input"},
	{"@/my.yaml", "@/config.yaml", "my.yaml", "", "", true, "config.yaml"},
	{"@/my.yaml", "=@/flows.csv", "@/my.yaml", "", "", true, "flows.csv"},
	{"@/my.yaml", "@/summary.json", "@/my.yaml", "", "", true, "summary.json"},
	{"@/my.yaml", "", "", "tor:0=@/sx", "tor:1=@/./sx", false, "the capture of tor:0"},
	{"@/my.yaml", "@/ln", "sx", "tor:0=@/sx", "tor:1=@/ln", false, "the capture of tor:0"},
	{"@/my.yaml", "", "", "tor:0=@/flows.csv", "", true, "the results' @/flows.csv"},
	{"@/my.yaml", "", "", "tor:0=@/summary.json", "", true, "summary.json"},
	{"@/my.yaml", "@/rates.csv", "/dev/null", "tor:0=/dev/null", "", true, NULL},
	{"@/my.yaml", "", "", "tor:0=@/sx", "tor:1=@/sx.pcap", true, NULL},
};

/* With the directory in place of @, and its own name in place of *. */
static char *
expand(const char *text)
{
	static char spaces[8][256];
	static unsigned int next;
	char *out = spaces[next++ % 8];
	char *at = out;

	for (; *text != '\0'; text++) {
		if (*text == '@')
			at += sprintf(at, "%s", dir);
		else if (*text == '*')
			at += sprintf(at, "%s", strrchr(dir, '/') + 1);
		else
			*at++ = *text;
	}
	*at = '\0';
	return out;
}

static int
add_capture(struct rig *rig, const char *spec)
{
	if (spec[0] == '\0')
		return 0;
	return capture_set_add(results_captures(rig->results), expand(spec), CAPTURE_BOTH, why,
			       sizeof(why));
}

static void
make_link(const struct clash *c)
{
	if (c->link[0] == '=')
		ck_assert_int_eq(link(expand(c->target), expand(c->link + 1)), 0);
	else if (c->link[0] != '\0')
		ck_assert_int_eq(symlink(expand(c->target), expand(c->link)), 0);
}

/* Nothing is created or cut short when two names mean one file. */
START_TEST(outputs_overwrite_neither_inputs_nor_each_other)
{
	const struct clash *c = &clashes[_i];
	struct rig *rig = rig_create();
	struct stat st;
	int ret;

	mkdir(dir, 0777);
	write_text(expand(c->input), "mine");
	make_link(c);
	ck_assert_int_eq(results_protect(rig->results, expand(c->input)), 0);
	ck_assert_int_eq(add_capture(rig, c->first), 0);
	ck_assert_int_eq(add_capture(rig, c->second), 0);
	ret = results_open(rig->results, &rig->fabric, c->with_dir ? dir : NULL, why, sizeof(why));
	check_text(expand(c->input), "mine");
	if (c->says == NULL) {
		ck_assert_msg(ret == 0, "%s", why);
	} else {
		ck_assert_int_eq(ret, -EEXIST);
		ck_assert_msg(strstr(why, expand(c->says)) != NULL, "%s", why);
		ck_assert_ptr_null(strchr(why, '\n'));
		ck_assert_int_ne(stat(expand("@/pgs.csv"), &st), 0);
		ck_assert_int_ne(stat(expand("@/sx"), &st), 0);
	}
	unlink(expand(c->input));
	if (c->link[0] != '\0')
		unlink(expand(c->link + (c->link[0] == '=')));
	unlink(expand("@/sx"));
	unlink(expand("@/sx.pcap"));
	rig_destroy(rig);
}
END_TEST

/* A directory that is not there yet: the clash is seen all the same, and it is not left. */
START_TEST(a_clash_in_a_new_directory_leaves_none)
{
	struct rig *rig = rig_create();
	struct stat st;

	ck_assert_int_eq(add_capture(rig, "tor:0=@/flows.csv"), 0);
	ck_assert_int_eq(results_open(rig->results, &rig->fabric, dir, why, sizeof(why)), -EEXIST);
	ck_assert_int_ne(stat(dir, &st), 0);
	rig_destroy(rig);
}
END_TEST

/* Printing to a full disk or a closed stream is not a success. */
START_TEST(printing_tells_when_it_failed)
{
	struct rig *rig = rig_create();
	FILE *full = fopen("/dev/full", "w");
	json_t *s;

	open_results(rig);
	fill_counters(rig);
	add_flows(rig);
	s = finish_results(rig, RESULTS_COMPLETE);
	if (full != NULL) {
		ck_assert_int_eq(results_print_json(rig->results, full), -ENOSPC);
		ck_assert_int_lt(summary_print(s, NULL, false, full), 0);
		fclose(full);
	}
	full = fopen("/dev/null", "w");
	ck_assert_int_eq(results_print_json(rig->results, full), 0);
	ck_assert_int_eq(summary_print(s, NULL, false, full), 0);
	fclose(full);
	rig_destroy(rig);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("results_outputs");
	TCase *tc = tcase_create("results_outputs");

	snprintf(dir, sizeof(dir), "/tmp/railyard-outputs-%ld", (long)getpid());
	tcase_add_loop_test(tc, outputs_overwrite_neither_inputs_nor_each_other, 0,
			    RTE_DIM(clashes));
	tcase_add_test(tc, a_clash_in_a_new_directory_leaves_none);
	tcase_add_test(tc, printing_tells_when_it_failed);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
