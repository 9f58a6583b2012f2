/* SPDX-License-Identifier: BSD-3-Clause */
/* How a network is routed, and whether that can come to a deadlock. */
#include <errno.h>
#include <stdlib.h>

#include "fabric_cycles.h"
#include "topo.h"

int
topo_print_routing(const struct topo *t)
{
	const struct scenario *s = t->scenario;
	struct host_routes *tables = calloc((size_t)s->switch_count + 1, sizeof(*tables));
	struct host_directory directory = {.host_count = 0};
	struct fabric_cycle cycle = {.count = 0};
	bool up_down = false;
	char text[400];
	int rc = tables == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = fabric_routes_directory(&directory, &t->graph, s);
	if (rc == 0)
		rc = fabric_routes_up_down(&t->graph, &up_down);
	if (rc == 0)
		rc = fabric_routes_compute(tables, &directory, &t->graph, s, up_down);
	if (rc == 0)
		rc = fabric_cycles_find(&t->graph, s, tables, &cycle);
	if (rc == 0)
		printf("Routing   %s\n", up_down ? "up, then down; also after failures"
						 : "shortest paths, whatever their course");
	if (rc == 0 && cycle.count != 0)
		printf("          closes a cycle of lossless buffers, which PFC can bring to a "
		       "deadlock:\n          %s\n",
		       fabric_cycle_text(s, &cycle, text, sizeof(text)));
	if (tables != NULL)
		fabric_routes_free(tables, s->switch_count);
	free(tables);
	host_directory_fini(&directory);
	return rc;
}
