/* SPDX-License-Identifier: BSD-3-Clause */
/* Where profiles and workloads live: beside the build tree, installed, or where it was built. */
#ifndef RAILYARD_SEARCH_PATH_H
#define RAILYARD_SEARCH_PATH_H

struct search_path {
	char dirs[2][512];
	const char *list[4]; /* NULL-terminated; points into dirs */
};

void search_path_init(struct search_path *path);

#endif
