/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes that can come to a deadlock of PFC. */
#include "fabric_cycles.h"
#include "lint_internal.h"

void
lint_cycles(struct lint *lint)
{
	const struct lint_place at = {"", -1, NULL, -1};
	struct fabric_cycle cycle = {.count = 0};
	struct fabric_graph graph;
	bool up_down;
	char text[LINT_TEXT_BYTES];

	if (fabric_graph_init(&graph, lint->scenario) != 0) {
		lint->short_of_memory = true;
		return;
	}
	if (fabric_cycles_judge(&graph, lint->scenario, &up_down, &cycle) != 0)
		lint->short_of_memory = true;
	else if (cycle.count != 0)
		lint_find(lint, LINT_BUFFER_CYCLE, &at,
			  fabric_cycle_text(lint->scenario, &cycle, text, sizeof(text)),
			  "routes that go up and then down only, or a priority of its own a turn");
	fabric_graph_fini(&graph);
}
