/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the configuration share while a file is loaded. */
#ifndef RAILYARD_CONFIG_INTERNAL_H
#define RAILYARD_CONFIG_INTERNAL_H

#include "config.h"
#include "config_decode.h"
#include "config_raw.h"
#include "config_tree.h"
#include "scenario.h"

struct config {
	struct config_arena arena;
	struct config_error error;
	bool judged;       /* the linter says what is wrong with buffers and PFC */
	bool bridge_fails; /* it has been said what becomes of entries of layer 2 */
	struct config_decoder decoder;
	const char *directory;     /* of the file */
	const char *const *search; /* NULL-terminated, or NULL */
	struct config_node *root;
	struct raw_run raw;
	struct scenario *scenario;
	uint32_t warning_size;
	struct config_mark *link_marks; /* where each link of the scenario is written */
	struct scenario_end *access;    /* what each host is linked to */
	uint32_t *part; /* by switch, then host: what links join it to, in the end; or NULL */
};

#define CONFIG_NEW(c, type, count) \
	((type *)config_arena_alloc(&(c)->arena, ((count) + 1) * sizeof(type)))

#define RAW_AT(array, type, n) ((type *)config_array_at(&(array), sizeof(type), (n)))

/* The place of a key of an item, or of the item when the key is not there. */
struct config_mark config_item_mark(const struct raw_item *item, const char *key);

void config_warn(struct config *c, const struct config_mark *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Find and read NAME.yaml, a map, in `folder` ("profiles"): next to the file, under the search
 * directories; a NAME with a slash or ending in .yaml is a path from the file's directory.
 */
int config_find_file(struct config *c, const char *folder, const char *name,
		     const struct config_mark *mark, struct config_node **out);

/*
 * Put what `topology` stands for into the tree, as switches, hosts and links, and take it out.
 * What the file says of a tier (switches.leaf) or of the hosts (hosts.h) stays and wins.
 */
int config_expand_topology(struct config *c);

/* The names of the files that config_find_file() finds in `folder`; returns how many. */
#define CONFIG_MAX_KNOWN 32
uint32_t config_known_files(struct config *c, const char *folder,
			    const char *known[CONFIG_MAX_KNOWN]);

/* The path of a file that is named from the configuration's directory. */
const char *config_beside(struct config *c, const char *path);

/* Note that the scenario was read from it; the path stays the caller's or the arena's. */
void config_note_input(struct config *c, const char *path);

/* Facts of an ASIC by name: decoded, and the file. */
int config_find_asic(struct config *c, const char *name, const struct config_mark *mark,
		     struct raw_asic *asic, struct config_node **node);
/* The same without a scenario; platforms are left out. 0, or negative with a line in error. */
int config_load_asic(const char *name, const char *const *search_dirs, struct raw_asic *asic,
		     char *error, size_t error_bytes);

/* A switch from SONiC's files, or with the facts of an ASIC: their keys under its own. */
int config_merge_sonic(struct config *c, struct config_node *sw);

/* The tree of a scenario around a switch of SONiC's files, into c->root. */
int config_make_sonic(struct config *c, const struct config_sonic *what);

/* Each makes its part of the scenario. */
int config_resolve_switches(struct config *c);
int config_resolve_hosts(struct config *c);
int config_resolve_receiver(struct config *c, struct raw_host *h, struct receiver_cfg *cfg);
int config_resolve_links(struct config *c);
int config_resolve_real(struct config *c);
int config_resolve_impairments(struct config *c);
/* Behind impairments: it may add some. */
int config_resolve_failures(struct config *c);
int config_resolve_workloads(struct config *c);
int config_resolve_expectations(struct config *c);

/* Parts of config_resolve_switches(). */
void config_resolve_maps(struct config *c, struct raw_switch *raw, struct scenario_switch *sw);
int config_resolve_buffers(struct config *c, struct raw_switch *raw, struct scenario_switch *sw);
/* Make and fill the rows of `headroom` that are to be computed. */
int config_complete_headroom(struct config *c, struct raw_switch *raw);
/* Give `port`, whose other settings are effective, the watchdog that it has. */
int config_resolve_watchdog(struct config *c, struct raw_switch *raw, struct raw_port *port);
bool config_same_watchdog(const struct raw_watchdog *a, const struct raw_watchdog *b);
void config_fill_watchdog(const struct raw_switch *raw, const struct raw_watchdog *w,
			  struct watchdog_cfg *cfg);
int config_resolve_forwarding(struct config *c, struct raw_switch *raw, struct scenario_switch *sw);
/* For a switch that was copied from the first of its group: tables and a seed of its own. */
int config_copy_forwarding(struct config *c, const struct raw_switch *raw,
			   struct scenario_switch *sw);
int config_resolve_balancer(struct config *c, struct raw_switch *raw, struct scenario_switch *sw);
void config_seed_balancer(const struct config *c, const struct raw_switch *raw,
			  struct scenario_switch *sw);

/* A port without priority groups or without queues, and that nothing is attached to. */
bool config_port_unused(const struct scenario *s, uint32_t index, uint32_t port);

/* What PGs of a lossless class may hold of their pool, all ports together, before headroom. */
uint64_t config_lossless_bytes(const struct scenario_switch *sw, uint32_t port, uint8_t tc);

/* A queue that carries a lossless traffic class can be full before its PG pauses. */
bool config_egress_can_drop(const struct scenario_switch *sw, uint32_t port, uint8_t tc);

/* The index of a profile for PGs or for queues by its name, or -1. */
int config_find_profile(const struct mmu_cfg *mmu, const char *name, bool egress);

/* Ends that one selection picks, and links of a scenario. */
#define CONFIG_MAX_ENDS (1u << 18)

/* A list of selections ("h[0-3]", "tor") to ends; hosts_only: switches are an error. */
int config_select(struct config *c, const struct raw_texts *texts, bool hosts_only,
		  struct scenario_end **ends, uint32_t *count);

/* The group that a switch of the scenario is of. */
struct raw_switch *config_raw_switch(const struct config *c, uint32_t index);

/* Is it the name of a member of a group, as "h3"? */
bool config_is_member(const struct config *c, const char *name);

static inline uint32_t
config_switch_count(const struct raw_switch *sw)
{
	return sw->count == CONFIG_AUTO ? 1 : (uint32_t)sw->count;
}

static inline uint32_t
config_host_servers(const struct raw_host *h)
{
	return h->count == CONFIG_AUTO ? 1 : (uint32_t)h->count;
}

static inline uint32_t
config_host_count(const struct raw_host *h)
{
	return config_host_servers(h) * (h->nics == CONFIG_AUTO ? 1 : (uint32_t)h->nics);
}

/* Consistency of the whole, once everything is resolved. */
int config_check_switches(struct config *c);
int config_check_fabric(struct config *c);
int config_check_loops(struct config *c);
int config_check_pfc(struct config *c);
int config_check_traffic(struct config *c);

/* Of either end of a link: its rate and PFC, and the largest frame that it sends. */
uint64_t config_end_rate(const struct scenario *s, const struct scenario_end *end);
const struct pfc_cfg *config_end_pfc(const struct scenario *s, const struct scenario_end *end);
uint32_t config_end_frame(const struct scenario *s, const struct scenario_end *end);

/* The addresses a host group was given, for its n-th host. */
int config_host_address(struct config *c, const struct raw_host *raw, uint32_t n,
			struct scenario_host *host);

bool config_parse_mac(const char *text, uint8_t mac[6]);

/* pause timers of one port: what is auto follows from its rate */
void config_fill_pfc(struct raw_pfc *pfc, uint64_t rate_bps);

/* "h3" or "tor port 3" */
const char *config_end_name(const struct config *c, const struct scenario_end *end, char *buffer,
			    size_t bytes);

#endif
