/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration: YAML in, a struct scenario out, or one line that says what is wrong, where
 * (file:line:col), and what would be right.
 *
 * One table of fields an object (config_fields.c) drives the decoder, --dump-config, the
 * reference page and the JSON Schema.
 */
#ifndef RAILYARD_CONFIG_H
#define RAILYARD_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "scenario.h"

#define CONFIG_ERROR_BYTES 512

/* --set PATH=VALUE, applied to the YAML tree before it is decoded. */
struct config_override {
	const char *text; /* "switches.tor.wred.lossless.min=100KB" */
};

/*
 * Load a file. Profiles and workloads named in it are looked for next to it, then in each of
 * search_dirs (NULL-terminated list of directories that hold profiles/ and workloads/; may be
 * NULL). 0 with *out, or -errno with one line in error[].
 */
int config_load(const char *path, const struct config_override *sets, size_t set_count,
		const char *const *search_dirs, struct scenario **out, char *error,
		size_t error_bytes);

/*
 * The same for the linter: what it finds wrong with a switch's buffers, or across a link, is
 * neither an error nor a warning here.
 */
int config_load_judged(const char *path, const struct config_override *sets, size_t set_count,
		       const char *const *search_dirs, struct scenario **out, char *error,
		       size_t error_bytes);

/* The same from memory; `name` stands for the file in messages and for its directory. */
int config_load_buffer(const uint8_t *data, size_t bytes, const char *name,
		       const struct config_override *sets, size_t set_count,
		       const char *const *search_dirs, struct scenario **out, char *error,
		       size_t error_bytes);

/* A switch from SONiC's own files. Words are as in the YAML; NULL where nothing was said. */
struct config_sonic {
	const char *name; /* of the switch */
	const char *const *files;
	uint32_t file_count;
	const char *asic;
	const char *asic_namespace;
	const char *rate;
};

/* The same for a scenario made around such a switch: a host at each port, and an incast. */
int config_load_sonic(const struct config_sonic *what, const char *const *search_dirs,
		      struct scenario **out, char *error, size_t error_bytes);

/* What a scenario was loaded from, as YAML: all of it, or (switch_name) the keys of a switch. */
void config_print_source(const struct scenario *scenario, const char *switch_name, FILE *out);

void scenario_free(struct scenario *scenario);

/*
 * The ports that a selection names, "tor[0-3]" or "h[0]", as everywhere in the file; memory of the
 * scenario. place: where it is written, for the message. 0, or -EINVAL with one line in why.
 */
int config_select_ports(const struct scenario *scenario, const char *selection, const char *place,
			struct scenario_end **ends, uint32_t *count, char *why, size_t why_bytes);

/* Every effective value, as YAML that loads back to the same scenario. */
void config_dump(const struct scenario *scenario, FILE *out);

/* The reference page (Markdown) and the JSON Schema of all keys. */
void config_print_reference(FILE *out);
void config_print_schema(FILE *out);

#endif
