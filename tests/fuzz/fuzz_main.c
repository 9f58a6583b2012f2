/* SPDX-License-Identifier: BSD-3-Clause */
/* Replay files, and the files of directories, through a fuzz target. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int
replay_file(const char *path, size_t bytes)
{
	/* Exactly as large as the file, so that a sanitizer sees the first byte beyond it. */
	uint8_t *data = malloc(bytes > 0 ? bytes : 1);
	FILE *f = fopen(path, "rb");
	int result = -1;

	if (data != NULL && f != NULL && fread(data, 1, bytes, f) == bytes) {
		/* Said before, so that a crash has a name. */
		printf("%s\n", path);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, bytes);
		result = 0;
	} else {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	}
	if (f != NULL)
		fclose(f);
	free(data);
	return result;
}

/* The number of files replayed, or -1. */
static long
replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	long done = 0;
	int count;

	if (stat(path, &st) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path, (size_t)st.st_size) == 0 ? 1 : -1;

	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		char name[4096];
		long n = 0;

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			n = replay(name);
		free(entries[i]);
		done = n < 0 || done < 0 ? -1 : done + n;
	}
	free(entries);
	return done;
}

int
main(int argc, char **argv)
{
	long done = 0;

	for (int i = 1; i < argc; i++) {
		long n = replay(argv[i]);

		if (n < 0)
			return EXIT_FAILURE;
		done += n;
	}
	printf("%ld inputs\n", done);
	/* A corpus that went missing is a failure. */
	return done > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
