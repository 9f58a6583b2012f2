/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines.h"

#include <stddef.h>
#include <string.h>

static const struct pipeline *const all[] = {
	&pipeline_shared_buffer,
	&pipeline_ideal,
};

const struct pipeline *
pipelines_at(unsigned int n)
{
	return n < sizeof(all) / sizeof(all[0]) ? all[n] : NULL;
}

const struct pipeline *
pipelines_find(const char *name)
{
	for (unsigned int i = 0; pipelines_at(i) != NULL; i++) {
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return NULL;
}
