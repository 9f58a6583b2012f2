/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs side by side: the metrics of their summaries, a column a run. What is compared is what
 * `expect:` knows, so that a figure seen here can be held to a bound there.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rte_common.h>

#include "commands.h"
#include "expect.h"
#include "human.h"
#include "options.h"

#define MAX_RUNS 64
#define MAX_METRICS 64
#define METRIC_COLUMNS 24
#define RUN_COLUMNS 16
#define CELL_BYTES 64

enum { OPTION_METRIC = OPTION_OWN, OPTION_ALL, OPTION_CSV };

static const char usage[] =
	"usage: railyard compare RUN [RUN...] [options]\n"
	"\n"
	"Print runs side by side. RUN is what `railyard run --out` wrote: a directory, or\n"
	"a summary.json. With two runs, the change from the first to the second is shown;\n"
	"with one, its metrics under the names that `expect:` knows.\n"
	"\n"
	"  --metric NAME  this metric, or all below it (flows.fct_us, tiers.leaf); may be\n"
	"                 given again\n"
	"  --all          every metric that any of the runs measured\n"
	"  --csv          as CSV: plain numbers in the metrics' own units\n"
	"\n"
	"`railyard reference --metrics` lists the metrics.\n";

/* What people look at first; a prefix stands for all below it. */
static const char *const main_metrics[] = {
	"drops",
	"ecn_marked_fraction",
	"cnp_sent",
	"pfc.xoff_sent",
	"pfc.paused_fraction",
	"queues.max_bytes",
	"headroom.margin_bytes",
	"flows.count",
	"flows.completed",
	"flows.failed",
	"flows.fct_us.p50",
	"flows.fct_us.p99",
	"flows.fct_us.max",
	"flows.slowdown.p99",
	"goodput_bps",
	"jain",
	"retransmits",
	"timeouts",
	"links",
	"reordering",
	"virtual_s",
};

struct run {
	const char *path;
	char *label;
	json_t *summary;
};

struct comparison {
	struct run runs[MAX_RUNS];
	size_t run_count;
	const char *metrics[MAX_METRICS];
	bool found[MAX_METRICS];
	size_t metric_count;
	int name_columns;
	size_t run_columns;
	bool all;
	bool csv;
};

/* The last part of a path, without "/summary.json" and slashes at the end. */
static char *
label_of(const char *path)
{
	static const char file[] = "/summary.json";
	size_t length = strlen(path);
	size_t from;

	if (length > strlen(file) && strcmp(path + length - strlen(file), file) == 0)
		length -= strlen(file);
	while (length > 1 && path[length - 1] == '/')
		length--;
	from = length;
	while (from > 0 && path[from - 1] != '/')
		from--;
	return strndup(path + from, length - from);
}

/* Two runs with one label are told apart by their whole paths. */
static void
label_runs(struct comparison *c)
{
	bool twice[MAX_RUNS] = {false};

	for (size_t i = 0; i < c->run_count; i++) {
		c->runs[i].label = label_of(c->runs[i].path);
		for (size_t j = 0; j < i; j++)
			if (strcmp(c->runs[j].label, c->runs[i].label) == 0)
				twice[i] = twice[j] = true;
	}
	for (size_t i = 0; i < c->run_count; i++) {
		if (!twice[i])
			continue;
		free(c->runs[i].label);
		c->runs[i].label = strdup(c->runs[i].path);
	}
}

/* So wide that two texts that differ do so in what print_cell() shows, the end. */
static void
widen_for(struct comparison *c, const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b), same = 0;

	while (same < a_length && same < b_length &&
	       a[a_length - 1 - same] == b[b_length - 1 - same])
		same++;
	if (strcmp(a, b) != 0)
		c->run_columns = RTE_MAX(c->run_columns, same + 1 + strlen(".."));
}

/* 0, or -1 with a line printed. */
static int
load(struct run *run)
{
	char path[4096];
	struct stat st;
	json_error_t error;

	if (stat(run->path, &st) == 0 && S_ISDIR(st.st_mode)) {
		snprintf(path, sizeof(path), "%s/summary.json", run->path);
		if (stat(path, &st) != 0) {
			fprintf(stderr,
				"railyard: %s: no summary.json in it: not the directory of a run, "
				"or of one that has not ended\n",
				run->path);
			return -1;
		}
	} else {
		snprintf(path, sizeof(path), "%s", run->path);
	}
	run->summary = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (run->summary == NULL) {
		if (error.line < 0)
			fprintf(stderr, "railyard: %s\n", error.text);
		else
			fprintf(stderr, "railyard: %s:%d:%d: %s\n", path, error.line, error.column,
				error.text);
		return -1;
	}
	if (!json_is_string(json_object_get(run->summary, "scenario"))) {
		fprintf(stderr, "railyard: %s: not the summary of a run: it has no \"scenario\"\n",
			path);
		return -1;
	}
	return 0;
}

/* Is this one of names[], or below one of them? */
static bool
is_among(const char *metric, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(metric, names[i], length) == 0 &&
		    (metric[length] == '\0' || metric[length] == '.'))
			return true;
	}
	return false;
}

/* Every metric there is, then those of the tiers and workloads that any run has, each once. */
static void
visit_metrics(struct comparison *c,
	      void (*visit)(struct comparison *c, const struct expect_metric *metric))
{
	struct expect_metric metric;

	for (size_t n = 0; expect_metric_at(n, &metric); n++)
		visit(c, &metric);
	for (size_t i = 0; i < c->run_count; i++) {
		for (size_t n = 0; expect_part_metric_at(c->runs[i].summary, n, &metric); n++) {
			size_t j = 0;

			while (j < i && expect_row_of(&metric, c->runs[j].summary) == NULL)
				j++;
			if (j == i)
				visit(c, &metric);
		}
	}
}

/*
 * Drops by reason are many: among the main metrics only those that happened are shown. So are the
 * metrics of tiers and workloads, unless one is named in full.
 */
static bool
is_wanted(const struct comparison *c, const struct expect_metric *metric)
{
	bool measured = false, other_than_zero = false;

	for (size_t i = 0; i < c->run_count; i++) {
		const json_t *value = expect_metric_of(metric, c->runs[i].summary);

		measured |= value != NULL;
		other_than_zero |= value != NULL && json_number_value(value) != 0;
	}
	for (size_t i = 0; i < c->metric_count; i++)
		if (strcmp(metric->name, c->metrics[i]) == 0)
			return true;
	if (metric->list[0] != '\0' && !other_than_zero)
		return false;
	if (c->metric_count > 0)
		return is_among(metric->name, c->metrics, c->metric_count);
	if (!measured)
		return false;
	if (c->all)
		return true;
	return is_among(metric->name, main_metrics,
			sizeof(main_metrics) / sizeof(main_metrics[0])) &&
	       (other_than_zero || strchr(metric->name, '.') == NULL ||
		strncmp(metric->name, "drops.", strlen("drops.")) != 0);
}

static struct human
human_metric(enum expect_unit unit, double value)
{
	switch (unit) {
	case EXPECT_COUNT:
		return human_count((uint64_t)value);
	case EXPECT_BYTES:
		return human_bytes(value);
	case EXPECT_US:
		return human_time_us(value);
	case EXPECT_S:
		return human_time_us(value * 1e6);
	case EXPECT_BPS:
		return human_rate_bps(value);
	case EXPECT_FRACTION:
		return human_percent(value);
	case EXPECT_PER_S:
	case EXPECT_RATIO:
		break;
	}
	return human_short(value);
}

/* A count may be below 0 (a margin); its digits are then not for human_count(). */
static void
format_cell(const struct comparison *c, const struct expect_metric *metric, const json_t *value,
	    char cell[CELL_BYTES])
{
	double number = value == NULL ? 0 : json_number_value(value);

	if (value == NULL)
		snprintf(cell, CELL_BYTES, "%s", c->csv ? "" : "-");
	else if (c->csv && json_is_integer(value))
		snprintf(cell, CELL_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (c->csv)
		snprintf(cell, CELL_BYTES, "%.12g", number);
	else
		snprintf(cell, CELL_BYTES, "%s%s", number < 0 ? "-" : "",
			 human_metric(metric->unit, number < 0 ? -number : number).text);
}

/* From the first run to the second, "" where that says nothing. */
static void
format_change(const json_t *first, const json_t *second, char cell[CELL_BYTES])
{
	double from = first == NULL ? 0 : json_number_value(first);
	double to = second == NULL ? 0 : json_number_value(second);

	cell[0] = '\0';
	if (first == NULL || second == NULL)
		return;
	if (from == to)
		snprintf(cell, CELL_BYTES, "=");
	else if (from > 0 && to / from < 100)
		snprintf(cell, CELL_BYTES, "%+.1f %%", (to - from) / from * 100);
	else if (from > 0)
		snprintf(cell, CELL_BYTES, "x%.0f", to / from);
}

/* In quotes where CSV needs them. */
static void
print_quoted(const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* A label that is longer than its column keeps its end, which tells runs apart. */
static void
print_cell(const struct comparison *c, const char *text)
{
	size_t length = strlen(text);

	if (c->csv) {
		putchar(',');
		print_quoted(text);
	} else if (length <= c->run_columns) {
		printf("  %*s", (int)c->run_columns, text);
	} else {
		printf("  ..%s", text + length - (c->run_columns - strlen("..")));
	}
}

static void
print_name(const struct comparison *c, const char *name)
{
	if (c->csv)
		print_quoted(name);
	else
		printf("%-*s", c->name_columns, name);
}

/* Of a file's name there is no room for the directory. */
static const char *
text_of(const struct comparison *c, size_t run, const char *key)
{
	const char *text = json_string_value(json_object_get(c->runs[run].summary, key)) ?: "";
	const char *slash = c->csv ? NULL : strrchr(text, '/');

	return slash == NULL ? text : slash + 1;
}

static void
print_texts(const struct comparison *c, const char *key)
{
	print_name(c, key);
	for (size_t i = 0; i < c->run_count; i++)
		print_cell(c, text_of(c, i, key));
	putchar('\n');
}

static void
measure_runs(struct comparison *c)
{
	for (size_t i = 0; i < c->run_count; i++) {
		for (size_t j = 0; j < i; j++) {
			widen_for(c, c->runs[i].label, c->runs[j].label);
			widen_for(c, text_of(c, i, "scenario"), text_of(c, j, "scenario"));
		}
	}
}

static void
print_head(const struct comparison *c)
{
	print_name(c, c->csv ? "metric" : "");
	for (size_t i = 0; i < c->run_count; i++)
		print_cell(c, c->runs[i].label);
	if (!c->csv && c->run_count == 2)
		print_cell(c, "change");
	putchar('\n');
	print_texts(c, "scenario");
	print_texts(c, "state");
	print_texts(c, "digest");
}

static void
measure_name(struct comparison *c, const struct expect_metric *metric)
{
	int columns = (int)strlen(metric->name);

	if (columns > c->name_columns && is_wanted(c, metric))
		c->name_columns = columns;
}

static void
print_metric(struct comparison *c, const struct expect_metric *metric)
{
	char cell[CELL_BYTES];

	if (!is_wanted(c, metric))
		return;
	print_name(c, metric->name);
	for (size_t i = 0; i < c->run_count; i++) {
		format_cell(c, metric, expect_metric_of(metric, c->runs[i].summary), cell);
		print_cell(c, cell);
	}
	if (!c->csv && c->run_count == 2) {
		format_change(expect_metric_of(metric, c->runs[0].summary),
			      expect_metric_of(metric, c->runs[1].summary), cell);
		if (cell[0] != '\0')
			print_cell(c, cell);
	}
	putchar('\n');
}

static void
find_metric(struct comparison *c, const struct expect_metric *metric)
{
	for (size_t i = 0; i < c->metric_count; i++)
		c->found[i] |= is_among(metric->name, &c->metrics[i], 1);
}

/* Every --metric names something there is: 0, or -1 with a line printed. */
static int
check_metrics(struct comparison *c)
{
	visit_metrics(c, find_metric);
	for (size_t i = 0; i < c->metric_count; i++) {
		if (c->found[i])
			continue;
		fprintf(stderr,
			"railyard: compare: there is no metric %s; `railyard reference --metrics` "
			"lists them\n",
			c->metrics[i]);
		return -1;
	}
	return 0;
}

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct comparison *c)
{
	static const struct option longs[] = {{"metric", required_argument, NULL, OPTION_METRIC},
					      {"all", no_argument, NULL, OPTION_ALL},
					      {"csv", no_argument, NULL, OPTION_CSV},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return 1;
		case OPTION_METRIC:
			if (c->metric_count == MAX_METRICS)
				return options_fail(-1, "--metric: at most 64; or give --all");
			c->metrics[c->metric_count++] = optarg;
			break;
		case OPTION_ALL:
			c->all = true;
			break;
		case OPTION_CSV:
			c->csv = true;
			break;
		default:
			return options_fail(-1, "see `railyard compare --help`");
		}
	}
	if (optind == argc)
		return options_fail(-1, "compare: give the directories of runs, as `railyard run "
					"--out DIR` writes them");
	if (argc - optind > MAX_RUNS)
		return options_fail(-1, "compare: at most 64 runs");
	for (; optind < argc; optind++)
		c->runs[c->run_count++].path = argv[optind];
	return 0;
}

int
command_compare(int argc, char **argv)
{
	struct comparison c = {.name_columns = METRIC_COLUMNS, .run_columns = RUN_COLUMNS};
	int code = SESSION_FINE;
	int rc = parse(argc, argv, &c);

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	for (size_t i = 0; code == SESSION_FINE && i < c.run_count; i++) {
		if (load(&c.runs[i]) != 0)
			code = SESSION_USAGE;
	}
	if (code == SESSION_FINE && check_metrics(&c) != 0)
		code = SESSION_USAGE;
	if (code == SESSION_FINE) {
		label_runs(&c);
		measure_runs(&c);
		visit_metrics(&c, measure_name);
		print_head(&c);
		visit_metrics(&c, print_metric);
	}
	for (size_t i = 0; i < c.run_count; i++) {
		json_decref(c.runs[i].summary);
		free(c.runs[i].label);
	}
	return code;
}
