/* SPDX-License-Identifier: BSD-3-Clause */
#include "search_path.h"

#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

void
search_path_init(struct search_path *path)
{
	char exe[400] = "";
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *dir;

	if (n < 0)
		n = 0;
	exe[n] = '\0';
	dir = dirname(exe);
	snprintf(path->dirs[0], sizeof(path->dirs[0]), "%s/../configs", dir);
	snprintf(path->dirs[1], sizeof(path->dirs[1]), "%s/../share/railyard", dir);
	path->list[0] = path->dirs[0];
	path->list[1] = path->dirs[1];
	path->list[2] = RAILYARD_SOURCE_CONFIGS;
	path->list[3] = NULL;
}
