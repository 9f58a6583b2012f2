/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a configuration names: profiles and workloads. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_internal.h"

#define SUFFIX ".yaml"

static bool
has_suffix(const char *name)
{
	size_t n = strlen(name), suffix = strlen(SUFFIX);

	return n > suffix && strcmp(name + n - suffix, SUFFIX) == 0;
}

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* directory/folder/name, and the suffix. */
static const char *
join(struct config *c, const char *directory, const char *folder, const char *name,
     const char *suffix)
{
	size_t bytes = strlen(directory) + strlen(folder) + strlen(name) + 16;
	char *path = config_arena_alloc(&c->arena, bytes);

	if (name[0] == '/')
		directory = "";
	snprintf(path, bytes, "%s%s%s%s%s%s", directory,
		 *directory == '\0' || directory[strlen(directory) - 1] == '/' ? "" : "/", folder,
		 *folder == '\0' ? "" : "/", name, suffix);
	return path;
}

/* The n-th place to look in: a directory and the folder in it. False when there are no more. */
static bool
place_at(const struct config *c, uint32_t n, const char *folder, const char **directory, char *in,
	 size_t in_bytes)
{
	*directory = c->directory;
	snprintf(in, in_bytes, "%s%s", n == 1 ? "../configs/" : "", folder);
	if (n < 2)
		return true;
	if (c->search == NULL)
		return false;
	for (uint32_t i = 0; i < n - 2; i++)
		if (c->search[i] == NULL)
			return false;
	*directory = c->search[n - 2];
	return *directory != NULL;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
add_known(struct config *c, const char *path, const char **known, uint32_t *count)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir != NULL && *count < CONFIG_MAX_KNOWN && (e = readdir(dir)) != NULL) {
		const char *name;
		bool twice = false;

		if (!has_suffix(e->d_name) || e->d_name[0] == '.')
			continue;
		name = config_arena_copy(&c->arena, e->d_name, strlen(e->d_name) - strlen(SUFFIX));
		for (uint32_t i = 0; i < *count; i++)
			twice = twice || strcmp(known[i], name) == 0;
		if (!twice)
			known[(*count)++] = name;
	}
	if (dir != NULL)
		closedir(dir);
}

uint32_t
config_known_files(struct config *c, const char *folder, const char *known[CONFIG_MAX_KNOWN])
{
	const char *directory;
	uint32_t count = 0;
	char in[32];

	for (uint32_t n = 0; place_at(c, n, folder, &directory, in, sizeof(in)); n++) {
		size_t bytes = strlen(directory) + strlen(in) + 2;
		char *path = config_arena_alloc(&c->arena, bytes);

		snprintf(path, bytes, "%s/%s", directory, in);
		add_known(c, path, known, &count);
	}
	qsort(known, count, sizeof(known[0]), compare_names);
	return count;
}

static int
fail_missing(struct config *c, const char *folder, const char *name, const struct config_mark *mark)
{
	const char *known[CONFIG_MAX_KNOWN] = {NULL}, *nearest;
	uint32_t count = config_known_files(c, folder, known);
	char list[300] = "none";
	size_t used = 0;

	for (uint32_t i = 0; i < count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i == 0 ? "" : ", ", known[i]);
	nearest = config_nearest(name, known, count);
	return config_fail(&c->error, mark,
			   "there is no %s/%.60s.yaml next to the file or among those that come "
			   "with railyard%s%s%s; there are %s",
			   folder, name, nearest != NULL ? "; did you mean " : "",
			   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "", list);
}

void
config_note_input(struct config *c, const char *path)
{
	struct scenario *s = c->scenario;

	/* A profile that many switches share is read for each. */
	for (uint32_t i = 0; i < s->input_count; i++)
		if (strcmp(s->inputs[i], path) == 0)
			return;
	if (s->input_count < SCENARIO_MAX_INPUTS)
		s->inputs[s->input_count++] = path;
}

int
config_find_file(struct config *c, const char *folder, const char *name,
		 const struct config_mark *mark, struct config_node **out)
{
	const char *directory, *path = NULL, *suffix = has_suffix(name) ? "" : SUFFIX;
	char in[32];
	int rc;

	if (strchr(name, '/') != NULL || has_suffix(name)) {
		path = join(c, c->directory, "", name, "");
		if (!is_file(path))
			path = join(c, c->directory, "", name, suffix);
		if (access(path, R_OK) != 0 &&
		    (name[0] == '/' || name[0] == '.' || has_suffix(name)))
			return config_fail(&c->error, mark, "%s: %s", path, strerror(errno));
		if (access(path, R_OK) != 0)
			path = NULL; /* "guides/arista-leaf" may be one of ours */
	}
	if (path == NULL) {
		for (uint32_t n = 0; place_at(c, n, folder, &directory, in, sizeof(in)); n++) {
			path = join(c, directory, in, name, suffix);
			if (access(path, R_OK) == 0)
				break;
			path = NULL;
		}
		if (path == NULL)
			return fail_missing(c, folder, name, mark);
	}
	config_note_input(c, path);
	rc = config_tree_read(&c->arena, path, out, &c->error);
	if (rc == 0 && (*out)->kind != CONFIG_MAP)
		return config_fail(&c->error, &(*out)->mark, "must be a map of keys to values");
	return rc;
}

const char *
config_beside(struct config *c, const char *path)
{
	size_t bytes = strlen(c->directory) + strlen(path) + 2;
	char *whole;

	if (path[0] == '/' || strcmp(c->directory, ".") == 0)
		return path;
	whole = config_arena_alloc(&c->arena, bytes);
	snprintf(whole, bytes, "%s%s%s", c->directory,
		 c->directory[strlen(c->directory) - 1] == '/' ? "" : "/", path);
	return whole;
}
