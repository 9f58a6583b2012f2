/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command writes at its user's word: whole or not at all, and never its own input. */
#ifndef RAILYARD_OUTPUT_H
#define RAILYARD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Do both names lead to one file? */
bool output_is_file(const char *path, const char *other);

/* Close it; if not all has got there, remove the file. 0 or -errno. */
int output_close(FILE *out, const char *path);

/* Remove what we made; a device or pipe that a user named is not ours. */
void output_remove(const char *path);

#endif
