/* SPDX-License-Identifier: BSD-3-Clause */
/* What is the same for every switch of an ASIC, whatever its configuration (profiles/asics). */
#include "mmu.h"

#include "config_table.h"

static const char *const mark_places[] = {"dequeue", "enqueue", NULL};
static const char *const watchdogs[] = {"pause-frames", "no-progress", NULL};

static const struct config_field asic_fields[] = {
	TEXTS(struct raw_asic, platforms, "platforms",
	      "parts of SONiC's names of platforms that have it"),
	NUMBER(struct raw_asic, cell_bytes, "cell", SIZE, "256", "buffer cell", .min = 32,
	       .max = 65536),
	NUMBER(struct raw_asic, partitions, "partitions", COUNT, "1",
	       "parts a pool is split into evenly", .min = 1, .max = MMU_MAX_PARTITIONS),
	NUMBER(struct raw_asic, buffer_bytes, "buffer", SIZE, NULL,
	       "all of the packet memory, for pools whose size SONiC computes",
	       .flags = CONFIG_MAY_BE_UNSET),
	NUMBER(struct raw_asic, memory_bytes, "memory", SIZE, NULL,
	       "without `buffer`: the packet memory as published, which no pools can exceed",
	       .flags = CONFIG_MAY_BE_UNSET),
	FLAG(struct raw_asic, size_includes_xoff, "size_includes_xoff", "no",
	     "a pool's size counts its shared headroom pool"),
	FLAG(struct raw_asic, profile_includes_xoff, "profile_includes_xoff", "no",
	     "the size of a lossless profile counts its xoff, unless there is a shared headroom "
	     "pool"),
	FLAG(struct raw_asic, zero_threshold, "zero_threshold", "no",
	     "dynamic_th -8 is no shared buffer at all, and not 1/256 of what is free"),
	NUMBER(struct raw_asic, highest_threshold, "highest_threshold", COUNT, "7",
	       "a dynamic_th above it counts as this", .max = 7),
	CHOICE(struct raw_asic, mark_at, "mark_at", mark_places, "dequeue",
	       "when ECN looks at a queue's depth"),
	CHOICE(struct raw_asic, watchdog, "watchdog", watchdogs, "pause-frames",
	       "how the PFC watchdog tells a storm: pauses keep coming, or a queue cannot send"),
	NUMBER(struct raw_asic, pipeline_latency_bytes, "pipeline_latency", SIZE, "19KiB",
	       "what is in the pipeline, for computed headroom", .max = 1 << 30),
	FLAG(struct raw_asic, tile, "tile", "no", "computed headroom has a term for the tile"),
	END,
};

const struct config_object config_asic_object = {
	.name = "asic",
	.help = "Facts of an ASIC.",
	.size = sizeof(struct raw_asic),
	.fields = asic_fields,
};
