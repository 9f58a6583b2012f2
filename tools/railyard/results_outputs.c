/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that a run writes must be neither what it reads nor each other. Names say little (links,
 * "./", two ways into a directory), so files are told apart by device and inode; one that is
 * not there yet by its directory's and its own name.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results_internal.h"

#define MAX_LINKS 40

struct named_file {
	char path[PATH_MAX];
	char what[64]; /* "the input", "the capture of tor:0" */
	bool known;    /* the three below say which file it is */
	dev_t device;
	ino_t inode;
	char name[NAME_MAX + 1]; /* in that directory; "" = the inode is the file's own */
};

/* Cut path into its directory ("." when it has none) and return the last part. */
static const char *
split(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		snprintf(dir, PATH_MAX, ".");
	else
		snprintf(dir, PATH_MAX, "%.*s", (int)(slash == path ? 1 : slash - path), path);
	return slash == NULL ? path : slash + 1;
}

/* Replace path, a link, by what it points to. */
static bool
follow(char path[PATH_MAX])
{
	char dir[PATH_MAX];
	char target[PATH_MAX];
	char joined[2 * PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	split(path, dir);
	snprintf(joined, sizeof(joined), "%s%s%s", target[0] == '/' ? "" : dir,
		 target[0] == '/' ? "" : "/", target);
	if (strlen(joined) >= PATH_MAX)
		return false;
	strcpy(path, joined);
	return true;
}

/*
 * What cannot be looked up cannot be opened either, and opening it says why. Devices may be
 * written to by several: nothing of theirs is truncated.
 */
static void
identify(struct named_file *f)
{
	char path[PATH_MAX];
	char dir[PATH_MAX];
	const char *name;
	struct stat st;

	strcpy(path, f->path);
	for (int i = 0; i < MAX_LINKS; i++) {
		if (stat(path, &st) == 0) {
			f->known = !S_ISCHR(st.st_mode);
			f->device = st.st_dev;
			f->inode = st.st_ino;
			return;
		}
		if (!follow(path))
			break;
	}
	name = split(path, dir);
	if (stat(dir, &st) != 0 || strlen(name) > NAME_MAX)
		return;
	f->known = true;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	strcpy(f->name, name);
}

static bool
is_same(const struct named_file *a, const struct named_file *b)
{
	return a->known && b->known && a->device == b->device && a->inode == b->inode &&
	       strcmp(a->name, b->name) == 0;
}

/* Longer names cannot be opened. */
static void
take(struct named_file *f, const char *path, const char *what)
{
	snprintf(f->what, sizeof(f->what), "%s", what);
	if ((size_t)snprintf(f->path, sizeof(f->path), "%s", path) < sizeof(f->path))
		identify(f);
}

int
results_protect(struct results *r, const char *path)
{
	char **grown = realloc(r->inputs, (r->input_count + 1) * sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	r->inputs = grown;
	r->inputs[r->input_count] = strdup(path);
	if (r->inputs[r->input_count] == NULL)
		return -ENOMEM;
	r->input_count++;
	return 0;
}

/* The protected ones first; returns how many there are. */
static size_t
list_files(const struct results *r, struct named_file *files)
{
	const char *const others[] = {RESULTS_SUMMARY, RESULTS_SUMMARY_TEMPORARY, RESULTS_CONFIG};
	char path[PATH_MAX];
	char what[64];
	size_t count = 0;

	for (size_t i = 0; i < r->input_count; i++)
		take(&files[count++], r->inputs[i], "the input");
	for (size_t i = 0; i < RESULTS_FILE_COUNT + RTE_DIM(others); i++) {
		const char *name = i < RESULTS_FILE_COUNT ? results_file_names[i]
							  : others[i - RESULTS_FILE_COUNT];

		if (results_path(r, name, path, sizeof(path)))
			take(&files[count++], path, "the results'");
	}
	for (size_t i = 0; i < capture_set_count(r->captures); i++) {
		const char *file = capture_set_file(r->captures, i, what, sizeof(what));

		take(&files[count++], file, what);
	}
	return count;
}

int
results_check_outputs(const struct results *r, char *why, size_t why_bytes)
{
	size_t most = r->input_count + RESULTS_FILE_COUNT + 3 + capture_set_count(r->captures);
	struct named_file *files = calloc(most, sizeof(*files));
	size_t count;
	int ret = 0;

	if (files == NULL) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	count = list_files(r, files);
	for (size_t i = r->input_count; ret == 0 && i < count; i++) {
		for (size_t j = 0; ret == 0 && j < i; j++) {
			if (!is_same(&files[i], &files[j]))
				continue;
			snprintf(why, why_bytes,
				 "cannot write %s %s: it is the same file as %s %s; choose another "
				 "name or directory",
				 files[i].what, files[i].path, files[j].what, files[j].path);
			ret = -EEXIST;
		}
	}
	free(files);
	return ret;
}
