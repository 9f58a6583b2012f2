/* SPDX-License-Identifier: BSD-3-Clause */
/* How a network is routed, and whether that can come to a deadlock. */
#include "fabric_cycles.h"
#include "topo.h"

int
topo_print_routing(const struct topo *t)
{
	struct fabric_cycle cycle = {.count = 0};
	bool up_down = false;
	char text[400];
	int rc = fabric_cycles_judge(&t->graph, t->scenario, &up_down, &cycle);

	if (rc != 0)
		return rc;
	printf("Routing   %s\n", up_down ? "up, then down; also after failures"
					 : "shortest paths, whatever their course");
	if (cycle.count != 0)
		printf("          closes a cycle of lossless buffers, which PFC can bring to a "
		       "deadlock:\n          %s\n",
		       fabric_cycle_text(t->scenario, &cycle, text, sizeof(text)));
	return 0;
}
