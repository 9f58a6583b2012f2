/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scenario's network looks like: its tiers, their capacity, its paths, a drawing. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "topo.h"

enum { OPTION_DOT = OPTION_OWN, OPTION_SVG, OPTION_PAIR };

static const char usage[] =
	"usage: railyard topo FILE.yaml [options]\n"
	"\n"
	"Print the network of a scenario: tiers of switches and how much they are\n"
	"oversubscribed, hosts, links, bisection, and the paths between two hosts; and\n"
	"draw it.\n"
	"\n"
	"  --set PATH=VALUE   change any configuration value\n"
	"  --pair HOST,HOST   whose paths to count; left out: the first host and the last\n"
	"  --dot FILE         write the drawing as Graphviz text\n"
	"  --svg FILE         draw it with Graphviz's dot, if that is installed\n"
	"\n"
	"Large networks are drawn with like nodes as one.\n";

struct arguments {
	struct session_options options;
	const char *pair;
	const char *dot;
	const char *svg;
};

/* 0 to go on, 1 when help was printed, -1 on bad usage (a line was printed). */
static int
parse(int argc, char **argv, struct arguments *a)
{
	static const struct option longs[] = {{"set", required_argument, NULL, OPTION_SET},
					      {"pair", required_argument, NULL, OPTION_PAIR},
					      {"dot", required_argument, NULL, OPTION_DOT},
					      {"svg", required_argument, NULL, OPTION_SVG},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = options_take(&a->options, option, optarg);

		if (taken < 0)
			return -1;
		if (taken > 0)
			continue;
		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (option == OPTION_PAIR)
			a->pair = optarg;
		else if (option == OPTION_DOT)
			a->dot = optarg;
		else if (option == OPTION_SVG)
			a->svg = optarg;
		else
			return options_fail(-1, "see `railyard topo --help`");
	}
	if (a->dot != NULL && a->svg != NULL && strcmp(a->dot, a->svg) == 0)
		return options_fail(-1, "--dot and --svg: one file cannot be both");
	if (argc - optind != 1)
		return options_fail(-1, "topo: give one configuration, e.g. `railyard topo "
					"configs/leaf-spine-permutation.yaml`");
	a->options.config = argv[optind];
	return 0;
}

static bool
find_host(const struct scenario *s, const char *name, size_t bytes, uint32_t *host)
{
	for (*host = 0; *host < s->host_count; (*host)++)
		if (strncmp(s->hosts[*host].cfg.name, name, bytes) == 0 &&
		    s->hosts[*host].cfg.name[bytes] == '\0')
			return true;
	return false;
}

/* "h0,h5" */
static int
parse_pair(struct session *se, const char *text, uint32_t pair[2])
{
	const struct scenario *s = se->scenario;
	const char *comma = strchr(text, ',');

	if (comma != NULL && find_host(s, text, (size_t)(comma - text), &pair[0]) &&
	    find_host(s, comma + 1, strlen(comma + 1), &pair[1]) && pair[0] != pair[1])
		return 0;
	snprintf(se->error, sizeof(se->error), "--pair %s: not two hosts, such as %s,%s", text,
		 s->host_count > 1 ? s->hosts[0].cfg.name : "h0",
		 s->host_count > 1 ? s->hosts[1].cfg.name : "h1");
	return -EINVAL;
}

static int
write_dot(struct session *se, const struct topo *t, const char *path)
{
	FILE *out = fopen(path, "w");
	int rc = out == NULL ? -errno : topo_dot(t, out);

	if (out != NULL) {
		int closed = output_close(out, path);

		rc = rc != 0 ? rc : closed;
	}
	if (rc != 0)
		snprintf(se->error, sizeof(se->error), "%s: %s", path, strerror(-rc));
	return rc;
}

/* dot, reading from `in`; 127 tells that there is none. */
static pid_t
start_dot(const int ends[2], const char *path)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	execlp("dot", "dot", "-Tsvg", "-o", path, (char *)NULL);
	_exit(127);
}

static int
write_svg(struct session *se, const struct topo *t, const char *path)
{
	int ends[2], status = -1, rc = -EIO;
	FILE *in;
	pid_t pid;

	if (pipe(ends) != 0) {
		snprintf(se->error, sizeof(se->error), "%s: %s", path, strerror(errno));
		return -EIO;
	}
	pid = start_dot(ends, path);
	close(ends[0]);
	in = fdopen(ends[1], "w");
	if (in == NULL) {
		close(ends[1]);
	} else {
		rc = pid < 0 ? -EAGAIN : topo_dot(t, in);
		fclose(in);
	}
	if (pid > 0 && waitpid(pid, &status, 0) != pid)
		status = -1;
	if (rc == 0 && status == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		snprintf(se->error, sizeof(se->error),
			 "--svg needs Graphviz's `dot`, which is not installed; --dot writes its "
			 "input");
	else
		snprintf(se->error, sizeof(se->error), "%s: dot did not draw it", path);
	return -EIO;
}

static bool
may_draw(const struct arguments *a, const struct scenario *s)
{
	return options_may_write(a->dot, s->inputs, s->input_count) &&
	       options_may_write(a->svg, s->inputs, s->input_count);
}

static int
report(const struct arguments *a, struct session *se)
{
	uint32_t pair[2] = {0, se->scenario->host_count - 1};
	struct topo t;
	int rc;

	if (!may_draw(a, se->scenario))
		return SESSION_USAGE;
	if (a->pair != NULL && parse_pair(se, a->pair, pair) != 0)
		return SESSION_USAGE;
	rc = topo_init(&t, se->scenario);
	if (rc == 0)
		rc = topo_print(&t, pair);
	fflush(stdout);
	if (rc != 0)
		snprintf(se->error, sizeof(se->error), "topo: %s", strerror(-rc));
	if (rc == 0 && a->dot != NULL)
		rc = write_dot(se, &t, a->dot);
	if (rc == 0 && a->svg != NULL)
		rc = write_svg(se, &t, a->svg);
	topo_fini(&t);
	return rc == 0 ? SESSION_FINE : SESSION_USAGE;
}

int
command_topo(int argc, char **argv)
{
	struct arguments a = {0};
	struct session s;
	int rc = parse(argc, argv, &a), code;

	if (rc != 0)
		return rc < 0 ? SESSION_USAGE : SESSION_FINE;
	signal(SIGPIPE, SIG_IGN); /* there may be no dot to read what we write */
	code = session_load(&s, &a.options);
	return session_end(&s, code == SESSION_FINE ? report(&a, &s) : code);
}
