/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_file(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

const char *
output_input(const char *output, const char *const *inputs, size_t count)
{
	for (size_t i = 0; output != NULL && i < count; i++)
		if (inputs[i] != NULL && is_file(output, inputs[i]))
			return inputs[i];
	return NULL;
}

void
output_remove(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

int
output_close(FILE *out, const char *path)
{
	int error = 0;

	/* Of what was written before only that it failed is known, not why. */
	if (fflush(out) != 0)
		error = errno;
	else if (ferror(out) != 0)
		error = EIO;
	if (fclose(out) != 0 && error == 0)
		error = errno;
	if (error != 0)
		output_remove(path);
	return -error;
}
