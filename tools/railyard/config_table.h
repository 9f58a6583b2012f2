/* SPDX-License-Identifier: BSD-3-Clause */
/* Shorthand for the rows of the field tables: S is the raw struct, M its member. */
#ifndef RAILYARD_CONFIG_TABLE_H
#define RAILYARD_CONFIG_TABLE_H

#include "config_fields.h"
#include "config_raw.h"

/* The member's place, with its type checked. */
#define SLOT(S, M, TYPE)  \
	(offsetof(S, M) + \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((S *)0)->M), TYPE) ? 1 : -1]))

#define NUMBER(S, M, KEY, UNIT, DEFAULT, HELP, ...)                                              \
	{                                                                                        \
		.key = KEY, .kind = CONFIG_NUMBER, .unit = CONFIG_UNIT_##UNIT,                   \
		.fallback = DEFAULT, .offset = SLOT(S, M, uint64_t), .help = HELP, ##__VA_ARGS__ \
	}
#define SIGNED(S, M, KEY, HELP, ...)                                                            \
	{                                                                                       \
		.key = KEY, .kind = CONFIG_SIGNED, .offset = SLOT(S, M, int64_t), .help = HELP, \
		##__VA_ARGS__                                                                   \
	}
#define FLAG(S, M, KEY, DEFAULT, HELP, ...)                                                      \
	{                                                                                        \
		.key = KEY, .kind = CONFIG_FLAG, .fallback = DEFAULT, .offset = SLOT(S, M, int), \
		.help = HELP, ##__VA_ARGS__                                                      \
	}
#define CHOICE(S, M, KEY, CHOICES, DEFAULT, HELP, ...)                                      \
	{                                                                                   \
		.key = KEY, .kind = CONFIG_CHOICE, .choices = CHOICES, .fallback = DEFAULT, \
		.offset = SLOT(S, M, int), .help = HELP, ##__VA_ARGS__                      \
	}
#define TEXT(S, M, KEY, DEFAULT, HELP, ...)                                     \
	{                                                                       \
		.key = KEY, .kind = CONFIG_TEXT, .fallback = DEFAULT,           \
		.offset = SLOT(S, M, const char *), .help = HELP, ##__VA_ARGS__ \
	}
#define TEXTS(S, M, KEY, HELP, ...)                                                       \
	{                                                                                 \
		.key = KEY, .kind = CONFIG_TEXTS, .offset = SLOT(S, M, struct raw_texts), \
		.help = HELP, ##__VA_ARGS__                                               \
	}
#define PRIORITIES(S, M, KEY, DEFAULT, HELP, ...)                           \
	{                                                                   \
		.key = KEY, .kind = CONFIG_PRIORITIES, .fallback = DEFAULT, \
		.offset = SLOT(S, M, int), .help = HELP, ##__VA_ARGS__      \
	}
#define RANGE(S, M, KEY, COUNT, HELP, ...)                                          \
	{                                                                           \
		.key = KEY, .kind = CONFIG_RANGE, .max = COUNT,                     \
		.offset = SLOT(S, M, struct raw_range), .help = HELP, ##__VA_ARGS__ \
	}
/* min: how many values there are */
#define TABLE(S, M, KEY, COUNT, VALUES, HELP)                                  \
	{                                                                      \
		.key = KEY, .kind = CONFIG_TABLE, .max = COUNT, .min = VALUES, \
		.offset = SLOT(S, M, struct raw_map), .help = HELP             \
	}
#define OBJECT(S, M, TYPE, KEY, OBJ, HELP, ...)                                               \
	{                                                                                     \
		.key = KEY, .kind = CONFIG_OBJECT, .object = OBJ, .offset = SLOT(S, M, TYPE), \
		.help = HELP, ##__VA_ARGS__                                                   \
	}
#define OPTIONAL(S, M, TYPE, KEY, OBJ, HELP)                                                      \
	{                                                                                         \
		.key = KEY, .kind = CONFIG_OPTIONAL, .object = OBJ, .offset = SLOT(S, M, TYPE *), \
		.help = HELP                                                                      \
	}
#define NAMED(S, M, KEY, OBJ, HELP)                                  \
	{                                                            \
		.key = KEY, .kind = CONFIG_NAMED, .object = OBJ,     \
		.offset = SLOT(S, M, struct raw_array), .help = HELP \
	}
#define OBJECTS(S, M, KEY, OBJ, HELP, ...)                                          \
	{                                                                           \
		.key = KEY, .kind = CONFIG_OBJECTS, .object = OBJ,                  \
		.offset = SLOT(S, M, struct raw_array), .help = HELP, ##__VA_ARGS__ \
	}
/* What a rate may be at least: below it, pacing rounds and times grow beyond reason. */
#define LEAST_RATE_BPS 1000
/* The same for ports: lengths of pauses are counted in whole Mb/s. */
#define LEAST_PORT_RATE_BPS 1000000

#define END                 \
	{                   \
		.key = NULL \
	}

extern const struct config_object config_eal_object;
extern const struct config_object config_ethdev_object;
extern const struct config_object config_balancer_object;
extern const struct config_object config_entropy_object;
extern const struct config_object config_pfc_object;
extern const struct config_object config_hold_object;
extern const struct config_object config_watchdog_object;
extern const struct config_object config_port_watchdog_object;
extern const struct config_object config_impairment_object;
extern const struct config_object config_failure_object;
extern const struct config_object config_routing_object;
extern const struct config_object config_host_object;
extern const struct config_object config_receiver_object;

#endif
