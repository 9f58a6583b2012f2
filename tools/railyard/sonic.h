/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A switch from SONiC's own files: CONFIG_DB as JSON, in one file or several (config_db.json,
 * buffers.json, qos.json), and pg_profile_lookup.ini of the static buffer model. What comes out is
 * a switch as Railyard's configuration has it, as a tree for the decoder; each node is marked with
 * the file, table and key it is from, so that whatever is found wrong later names them.
 *
 * Of several files later ones win, field by field. Nothing is dropped in silence: what a table
 * says and Railyard has no word for is an error; tables that are not about buffers and QoS are
 * named once. What CONFIG_DB means: docs/sonic.md.
 */
#ifndef RAILYARD_SONIC_H
#define RAILYARD_SONIC_H

#include "config_internal.h"
#include "switch.h"

#define SONIC_MAX_ROWS 16384
#define SONIC_MAX_TABLES 1024 /* SONiC has some 200 */
#define SONIC_CLASSES 8
#define SONIC_TCS 16

struct sonic_options {
	const struct raw_text *files;
	uint32_t file_count;
	const char *asic;        /* NULL: by the platform's name */
	const char *namespace;   /* "asic0", "0" or "host|asic0"; NULL: the only one */
	uint64_t rate_bps;       /* of ports whose speed the files do not say; 0: 100 Gb/s */
	struct config_mark mark; /* of the key that asks for all this */
};

/* A row of pg_profile_lookup.ini. */
struct sonic_lookup {
	struct config_mark mark;
	uint64_t speed_mbps;
	const char *cable; /* "300m" */
	const char *size;
	const char *xon;
	const char *xoff;
	const char *threshold;
	const char *xon_offset; /* NULL: no such column */
};

/* A row of PFC_WD. */
struct sonic_watchdog {
	struct config_mark mark;
	uint64_t detection_ms;
	uint64_t restoration_ms; /* 0: it is not restored */
	const char *action;
	uint8_t priorities;
	bool given;
};

/* What a port's queues and priority groups are bound to; NULL = nothing. Rows are CONFIG_DB's. */
struct sonic_port {
	const char *name;
	struct config_mark mark;
	uint32_t number; /* of its name: ports are in this order */
	uint64_t speed_mbps;
	uint64_t mtu_bytes; /* as SONiC says it: without Ethernet's header and FCS */
	uint32_t lanes;
	bool up;
	const char *cable;             /* NULL or "0m": no lossless priority group is made */
	const struct config_node *qos; /* row of PORT_QOS_MAP */
	uint8_t pfc_enable;
	const char *pg[SONIC_CLASSES]; /* names of buffer profiles; "NULL" = to be made */
	const char *queue[SONIC_CLASSES];
	const char *scheduler[SONIC_CLASSES];
	const char *wred[SONIC_CLASSES];
	struct sonic_watchdog watchdog;
	const struct config_node *limits[2]; /* ingress, egress: rows of port profile lists */
};

struct sonic {
	struct config *c;
	const struct sonic_options *options;
	struct raw_asic asic;
	struct config_node *tables;
	struct sonic_lookup *lookup;
	uint32_t lookup_count;
	bool has_lookup;
	bool has_ports;   /* there is a PORT table */
	bool has_qos;     /* there is a row of PORT_QOS_MAP for a port */
	bool watches_pfc; /* ports of PFC_WD are without pfcwd_sw_enable */
	const char *unit; /* "host|asic" of four-token keys: the switch this is about */
	struct sonic_port *ports;
	uint32_t port_count;
	struct config_node *out;
};

/* The switch that `options` asks for, in s->out: a tree with the keys of a switch. 0 or -EINVAL. */
int sonic_import(struct sonic *s, struct config *c, const struct sonic_options *options);

/* Is it a table that import reads? Of others only the name is kept. */
bool sonic_is_read(const char *table);

/* sonic_read.c: files into tables. */
int sonic_read_files(struct sonic *s);

/* sonic_lookup.c */
int sonic_read_lookup(struct sonic *s, const char *file, const char *text);
const struct sonic_lookup *sonic_find_lookup(const struct sonic *s, uint64_t speed_mbps,
					     const char *cable);

/* sonic_asic.c: facts of the ASIC, by name or by the platform. */
int sonic_find_asic(struct sonic *s);
/* Its packet memory, or CONFIG_AUTO. */
uint64_t sonic_memory(const struct raw_asic *asic);

/* sonic_ports.c: which ports there are. */
int sonic_read_ports(struct sonic *s);
/* A port that carries no traffic of a user; it is left out. */
bool sonic_is_internal(const struct sonic *s, const char *name);

/* sonic_keys.c: the ports and classes of a row's key, "Ethernet0,Ethernet4|3-4" and the like. */
struct sonic_key {
	uint64_t ports[SWITCH_MAX_PORTS / 64]; /* none when the row is of another switch */
	uint8_t classes;
};
int sonic_read_key(struct sonic *s, const struct config_entry *row, bool has_classes,
		   struct sonic_key *key);
/* Members of port channels that are no ports: a warning for each. */
void sonic_check_members(struct sonic *s);
/* Which switch rows of four tokens are about. */
int sonic_choose_unit(struct sonic *s);

/* sonic_bindings.c: what ports are bound to. */
int sonic_read_bindings(struct sonic *s);

/* Ports with PFC have a cable: read, assumed when there is no CABLE_LENGTH at all, or an error. */
int sonic_check_cables(struct sonic *s);

/* sonic_defaults.c: what the files do not say, with a warning. */
#define SONIC_INGRESS_LOSSY "ingress_lossy_profile"
#define SONIC_EGRESS_LOSSY "egress_lossy_profile"
#define SONIC_EGRESS_LOSSLESS "egress_lossless_profile"
void sonic_assume_buffers(struct sonic *s);
void sonic_assume_qos(struct sonic *s);
int sonic_assume_bindings(struct sonic *s);

/* Headroom of a port's lossless groups, sizes as SONiC has them (sonic_headroom.c). */
struct headroom;
int sonic_headroom_of(struct sonic *s, const struct sonic_port *p, struct headroom *h);

/* sonic_pools.c: sizes that are left to the dynamic buffer model, into the rows of BUFFER_POOL. */
int sonic_fill_pools(struct sonic *s);

/* Each writes its keys into s->out. */
int sonic_write_ports(struct sonic *s);
int sonic_write_buffers(struct sonic *s);
int sonic_write_headroom(struct sonic *s);
int sonic_write_bindings(struct sonic *s);
int sonic_write_qos(struct sonic *s);

/* Has this port priority groups that headroom is to be found for? */
bool sonic_needs_headroom(const struct sonic *s, const struct sonic_port *p);

/* sonic_maps.c: what PORT_QOS_MAP names for a port; -1 = nothing. */
#define SONIC_MAPS 6
struct sonic_maps {
	int8_t value[SONIC_MAPS][64];
};
int sonic_read_maps(struct sonic *s, const struct sonic_port *p, struct sonic_maps *maps);
/* The key `maps`, or of it what differs from base. */
void sonic_write_maps(struct sonic *s, const struct config_mark *mark,
		      const struct sonic_maps *maps, const struct sonic_maps *base,
		      struct config_node *out);

/* The shaper of a scheduler (sonic_qos.c); nothing when it has no peak rate. */
int sonic_write_shaper(struct sonic *s, const struct config_node *row, const char *rate_key,
		       const char *burst_key, struct config_node *out);

/* A list of priorities, as pfc_enable (sonic_settings.c). */
void sonic_put_priorities(struct sonic *s, struct config_node *out, const char *key,
			  const struct config_mark *mark, uint8_t mask);

bool sonic_same_watchdog(const struct sonic_watchdog *a, const struct sonic_watchdog *b);
/* Lists of profiles for whole ports (sonic_bindings.c). */
int sonic_write_limits(struct sonic *s, const struct sonic_port *p, struct config_node *out);

/* sonic_watchdog.c: into the ports; the key pfc_watchdog of a switch (base NULL) or of ports. */
int sonic_read_watchdogs(struct sonic *s);
int sonic_write_watchdog(struct sonic *s, const struct sonic_watchdog *w,
			 const struct sonic_watchdog *base, struct config_node *out);

/* Hosts, links and an incast for the switch `name`, into the tree of a whole scenario. */
int sonic_write_scenario(struct sonic *s, const char *name, struct config_node *root);

/* A row of a table of named things to an entry of the map `out` (sonic_buffers.c). */
typedef int sonic_row_writer(struct sonic *s, struct config_node *out,
			     const struct config_entry *row);
int sonic_write_table(struct sonic *s, const char *table, const char *key, sonic_row_writer *write);

/* Bytes that a lossless profile of this size guarantees: on some ASICs its size counts xoff. */
int sonic_guarantee(struct sonic *s, const struct config_mark *mark, const char *pool,
		    uint64_t size_bytes, uint64_t xoff_bytes, uint64_t *out);

/* Tables and rows (sonic_table.c). A table that is not there has no rows. */
const struct config_node *sonic_table(const struct sonic *s, const char *table);
const struct config_node *sonic_row(const struct sonic *s, const char *table, const char *key);
/* A field's text, or NULL. */
const char *sonic_field(const struct config_node *row, const char *field);
/* The same as a whole number of at most max; `fallback` when it is not there. */
int sonic_number(struct sonic *s, const struct config_node *row, const char *field, uint64_t max,
		 uint64_t fallback, uint64_t *out);
/* What it refers to in `table`, in either style; must be there. *name is NULL without the field. */
int sonic_reference(struct sonic *s, const struct config_node *row, const char *field,
		    const char *table, const char **name);
/* "Ethernet0,Ethernet4" or "3-4,6" of a key or value. */
int sonic_classes(struct sonic *s, const struct config_mark *mark, const char *text, uint8_t *mask);
/* Every field of the row is in the list (ends with NULL), or an error. */
int sonic_known_fields(struct sonic *s, const struct config_node *row, const char *const *known);

/* Trees (sonic_table.c). */
struct config_node *sonic_map(struct sonic *s, const struct config_mark *mark);
struct config_node *sonic_put_map(struct sonic *s, struct config_node *map, const char *key,
				  enum config_node_kind kind, const struct config_mark *mark);
void sonic_put(struct sonic *s, struct config_node *map, const char *key,
	       const struct config_mark *mark, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A name as Railyard has them: letters, digits, - and _; all else becomes _. */
const char *sonic_name(struct sonic *s, const char *name);
const char *sonic_print(struct sonic *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "0-3,7" of the set bits. */
const char *sonic_span(struct sonic *s, const uint64_t *bits, uint32_t count);

#endif
