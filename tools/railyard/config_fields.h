/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one table of fields. An object of the YAML is a config_object: a list of fields, each
 * with its key, kind, unit, range, default, help, and place in a raw struct (config_raw.h).
 */
#ifndef RAILYARD_CONFIG_FIELDS_H
#define RAILYARD_CONFIG_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config_units.h"

enum config_kind {
	CONFIG_NUMBER,     /* uint64_t in `unit` */
	CONFIG_SIGNED,     /* int64_t */
	CONFIG_FLAG,       /* int: yes or no */
	CONFIG_CHOICE,     /* int: index into choices */
	CONFIG_TEXT,       /* const char * */
	CONFIG_TEXTS,      /* struct raw_texts: one text or a list */
	CONFIG_PRIORITIES, /* int: bit mask from a list of 0..7 */
	CONFIG_RANGE,      /* struct raw_range below max */
	CONFIG_TABLE,      /* struct raw_map: max keys, values below min */
	CONFIG_POINTS,     /* struct raw_point *, uint32_t count: list of [bytes, percent] */
	CONFIG_OBJECT,     /* the object's struct itself; always there */
	CONFIG_OPTIONAL,   /* pointer to the object's struct; NULL = not given */
	CONFIG_NAMED,      /* struct raw_array: map of names to objects */
	CONFIG_OBJECTS,    /* struct raw_array: list of objects */
};

enum config_field_flag {
	CONFIG_REQUIRED = 1 << 0,
	CONFIG_MAY_BE_AUTO = 1 << 1,  /* "auto" is a value; the default if there is no other */
	CONFIG_MAY_BE_UNSET = 1 << 2, /* left out means not set; no word for it */
	CONFIG_NOT_DUMPED = 1 << 4,   /* what it said stands in other keys */
	CONFIG_POSITIVE = 1 << 3,     /* 0 is not a value */
	CONFIG_OR_ZERO = 1 << 5,      /* 0 is a value beside min to max */
};

struct config_object;

struct config_field {
	const char *key;
	const char *alias; /* also accepted; never printed */
	enum config_kind kind;
	enum config_unit unit;
	unsigned flags;
	int64_t min;
	uint64_t max;               /* 0 = what the type holds; CONFIG_RANGE, CONFIG_TABLE: count */
	const char *fallback;       /* the default, as text */
	const char *const *choices; /* NULL-terminated; CONFIG_OBJECTS: words in a list's place */
	const struct config_object *object;
	size_t offset;
	const char *help;
};

struct config_object {
	const char *name; /* section of the reference page */
	const char *help;
	const char *shorthand; /* a scalar in place of the map sets this key */
	size_t size;
	const struct config_field *fields; /* ends with key NULL */
	uint32_t name_bytes;               /* CONFIG_NAMED: names must be shorter; 0 = any key */
	bool is_value;                     /* written as its shorthand alone, never as a map */
};

extern const struct config_object config_run_object;
extern const struct config_object config_switch_object;
extern const struct config_object config_topology_object;

extern const struct config_object config_asic_object;
extern const struct config_object config_cdf_object;

/* fields of switches are in config_fields_switch.c, all others in config_fields.c */

#endif
