/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command writes at its user's word: whole or not at all, and never its own input. */
#ifndef RAILYARD_OUTPUT_H
#define RAILYARD_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/* The input that the output's name leads to as well, or NULL. Names may be NULL. */
const char *output_input(const char *output, const char *const *inputs, size_t count);

/* Close it; if not all has got there, remove the file. 0 or -errno. */
int output_close(FILE *out, const char *path);

/* Remove what we made; a device or pipe that a user named is not ours. */
void output_remove(const char *path);

#endif
