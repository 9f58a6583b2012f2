/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads and expectations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "prng.h"

static int
to_hosts(struct config *c, const struct raw_texts *texts, uint32_t **out, uint32_t *count)
{
	struct scenario_end *ends;
	int rc = config_select(c, texts, true, &ends, count);

	if (rc != 0)
		return rc;
	*out = CONFIG_NEW(c, uint32_t, *count);
	for (uint32_t i = 0; i < *count; i++)
		(*out)[i] = ends[i].index;
	return 0;
}

/* Append from[i] -> to[i]; one receiver alone takes every sender's. */
static int
add_pairs(struct config *c, const struct config_mark *mark, const struct raw_texts *from_names,
	  const struct raw_texts *to_names, struct scenario_workload *w)
{
	uint32_t *from, *to, *all_from, *all_to, from_count, to_count;
	int rc = to_hosts(c, from_names, &from, &from_count);

	if (rc == 0)
		rc = to_hosts(c, to_names, &to, &to_count);
	if (rc != 0)
		return rc;
	if (to_count != from_count && to_count != 1)
		return config_fail(&c->error, mark,
				   "from selects %u hosts and to %u; give as many of both, or one "
				   "receiver",
				   from_count, to_count);
	all_from = CONFIG_NEW(c, uint32_t, w->from_count + from_count);
	all_to = CONFIG_NEW(c, uint32_t, w->from_count + from_count);
	for (uint32_t i = 0; i < w->from_count; i++) {
		all_from[i] = w->from[i];
		all_to[i] = w->to[i];
	}
	for (uint32_t i = 0; i < from_count; i++) {
		all_from[w->from_count + i] = from[i];
		all_to[w->from_count + i] = to[to_count == 1 ? 0 : i];
	}
	w->from = all_from;
	w->to = all_to;
	w->from_count += from_count;
	w->to_count = w->from_count;
	return 0;
}

static int
resolve_pairs(struct config *c, const struct raw_workload *r, struct scenario_workload *w)
{
	int rc = 0;

	if (r->pairs.count > 64)
		return config_fail(&c->error, &r->item.mark,
				   "pairs: more than 64 entries; use lists in from and to");
	for (uint32_t i = 0; rc == 0 && i < r->pairs.count; i++) {
		const struct raw_pair *p = RAW_AT(r->pairs, struct raw_pair, i);

		rc = add_pairs(c, &p->item.mark, &p->from, &p->to, w);
	}
	return rc;
}

/* Sattolo's shuffle: one cycle over all, so nobody sends to itself. */
static int
resolve_permutation(struct config *c, const struct raw_workload *r, struct scenario_workload *w)
{
	struct prng prng;
	int rc = to_hosts(c, &r->permutation, &w->from, &w->from_count);

	if (rc != 0)
		return rc;
	if (w->from_count < 2)
		return config_fail(&c->error, &r->permutation.items[0].mark,
				   "permutation: takes two or more hosts");
	w->to_count = w->from_count;
	w->to = CONFIG_NEW(c, uint32_t, w->to_count);
	memcpy(w->to, w->from, w->to_count * sizeof(uint32_t));
	prng = prng_init(c->scenario->seed, 0x7065726dULL + c->scenario->workload_count);
	for (uint32_t i = w->to_count - 1; i > 0; i--) {
		uint32_t j = (uint32_t)prng_below(&prng, i);
		uint32_t held = w->to[i];

		w->to[i] = w->to[j];
		w->to[j] = held;
	}
	return 0;
}

static int
resolve_elephants(struct config *c, const struct raw_workload *r, struct scenario_workload *w)
{
	bool ends = r->from.count > 0 && r->to.count > 0;

	if ((r->pairs.count > 0) + (r->permutation.count > 0) + ends != 1 ||
	    (r->from.count > 0) != (r->to.count > 0))
		return config_fail(&c->error, &r->item.mark,
				   "elephants: give from and to, or pairs, or permutation");
	if (ends)
		return add_pairs(c, &r->item.mark, &r->from, &r->to, w);
	return r->pairs.count > 0 ? resolve_pairs(c, r, w) : resolve_permutation(c, r, w);
}

static int
load_cdf(struct config *c, struct raw_cdf *cdf)
{
	struct config_mark mark = config_item_mark(&cdf->item, "name");
	const struct config_node *points;
	struct config_node *file;
	struct raw_cdf loaded;
	int rc;

	if (cdf->name == NULL)
		return config_fail(&c->error, &cdf->item.mark, "cdf: needs a name or points");
	rc = config_find_file(c, "workloads", cdf->name, &mark, &file);
	if (rc == 0)
		rc = config_decode(&c->decoder, &config_cdf_object, file, &file->mark,
				   &loaded.item);
	if (rc != 0)
		return rc;
	points = config_tree_find(file, "points");
	if (points == NULL)
		return config_fail(&c->error, &file->mark, "cdf: needs points");
	cdf->points = loaded.points;
	cdf->point_count = loaded.point_count;
	return 0;
}

static int
resolve_cdf(struct config *c, struct raw_workload *r, struct scenario_workload *w)
{
	int rc = 0;

	if (r->cdf.point_count == 0)
		rc = load_cdf(c, &r->cdf);
	if (rc != 0)
		return rc;
	w->cdf_points = CONFIG_NEW(c, struct cdf_point, r->cdf.point_count);
	for (uint32_t i = 0; i < r->cdf.point_count; i++)
		w->cdf_points[i] = (struct cdf_point){
			.bytes = r->cdf.points[i].bytes,
			.share_q32 = r->cdf.points[i].share_q32,
		};
	w->cdf = (struct cdf){.count = r->cdf.point_count, .points = w->cdf_points};
	snprintf(w->cdf_name, sizeof(w->cdf_name), "%s",
		 r->cdf.name != NULL ? r->cdf.name : "points");
	if (cdf_mean_bytes(&w->cdf) == 0)
		return config_fail(&c->error, &r->cdf.item.mark, "cdf: the mean is 0 bytes");
	return 0;
}

static void
fill_workload(const struct raw_workload *r, struct scenario_workload *w)
{
	snprintf(w->name, sizeof(w->name), "%s", r->name);
	w->verb = w->kind == SCENARIO_UDP ? VERB_UDP : (enum verb)r->verb;
	w->dscp = r->dscp == CONFIG_AUTO ? SCENARIO_DSCP_OF_HOST : (int16_t)r->dscp;
	w->qps = w->kind == SCENARIO_UDP ? 1 : (uint8_t)r->qps;
	w->outstanding = w->kind == SCENARIO_ELEPHANTS ? (uint32_t)r->outstanding : 1;
	w->at_ps = r->at_ps;
	w->until_ps = UNITS_NEVER_PS;
	if (w->kind == SCENARIO_POISSON || w->kind == SCENARIO_UDP)
		w->until_ps = r->until_ps == CONFIG_AUTO ? UNITS_NEVER_PS : r->until_ps;
	w->bytes = r->bytes;
	w->rounds = (uint32_t)r->rounds;
	w->period_ps = r->period_ps;
	w->jitter_ps = r->jitter_ps;
	w->count = (uint32_t)r->count;
	w->load_q32 = r->load_q32;
	w->frame_bytes = (uint32_t)r->frame_bytes;
	w->rate_bps = r->rate_bps;
	w->poisson = r->poisson == 1;
	w->ecn_capable = r->ecn_capable == 1;
	w->paired = w->kind == SCENARIO_UDP && r->spread == 0;
}

/* The one workload that an entry holds; NULL after an error. */
static struct raw_workload *
kind_of(struct config *c, const struct raw_workload_entry *e, enum scenario_workload_kind *kind)
{
	struct raw_workload *const kinds[] = {
		[SCENARIO_INCAST] = e->incast,
		[SCENARIO_ELEPHANTS] = e->elephants,
		[SCENARIO_POISSON] = e->poisson,
		[SCENARIO_UDP] = e->udp,
	};
	struct raw_workload *r = NULL;

	for (int k = 0; k < 4; k++) {
		if (kinds[k] == NULL)
			continue;
		if (r != NULL) {
			config_fail(&c->error, &e->item.mark,
				    "workload: an entry holds one; put a dash before each");
			return NULL;
		}
		r = kinds[k];
		*kind = (enum scenario_workload_kind)k;
	}
	if (r == NULL)
		config_fail(&c->error, &e->item.mark,
			    "workload: one of incast, elephants, poisson, udp");
	return r;
}

static bool
has_name(const struct raw_workload *r)
{
	return config_tree_find(r->item.node, "name") != NULL;
}

static const struct raw_workload *
find_name(struct raw_workload *const *all, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i]->name != NULL && strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

/* Results are by name: names that were given stand, others get a number where they must. */
static int
resolve_names(struct config *c, struct raw_workload *const *all, uint32_t count)
{
	const char **defaults = CONFIG_NEW(c, const char *, count);

	for (uint32_t i = 0; i < count; i++) {
		struct config_mark mark = config_item_mark(&all[i]->item, "name");

		defaults[i] = all[i]->name;
		if (!has_name(all[i]))
			all[i]->name = NULL;
		else if (find_name(all, i, all[i]->name) != NULL)
			return config_fail(&c->error, &mark, "name: there is a second workload %s",
					   all[i]->name);
	}
	for (uint32_t i = 0; i < count; i++) {
		char name[NODE_NAME_BYTES];

		if (all[i]->name != NULL)
			continue;
		snprintf(name, sizeof(name), "%s", defaults[i]);
		for (uint32_t n = 2; find_name(all, count, name) != NULL; n++)
			snprintf(name, sizeof(name), "%s-%u", defaults[i], n);
		all[i]->name = config_arena_copy(&c->arena, name, strlen(name));
	}
	return 0;
}

static int
resolve_workload(struct config *c, struct raw_workload *r, struct scenario_workload *w)
{
	int rc;

	fill_workload(r, w);
	if (w->kind == SCENARIO_ELEPHANTS) {
		rc = resolve_elephants(c, r, w);
	} else if (w->paired) {
		rc = add_pairs(c, &r->item.mark, &r->from, &r->to, w);
	} else {
		rc = to_hosts(c, &r->from, &w->from, &w->from_count);
		if (rc == 0)
			rc = to_hosts(c, &r->to, &w->to, &w->to_count);
	}
	if (rc == 0 && w->kind == SCENARIO_POISSON)
		rc = resolve_cdf(c, r, w);
	c->scenario->workload_count++;
	return rc;
}

int
config_resolve_workloads(struct config *c)
{
	const struct raw_array *list = &c->raw.workload;
	struct raw_workload **all = CONFIG_NEW(c, struct raw_workload *, list->count);
	int rc;

	if (list->count > 1000)
		return config_fail(&c->error, &c->raw.item.mark, "workload: more than 1000");
	c->scenario->workloads = CONFIG_NEW(c, struct scenario_workload, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		all[i] = kind_of(c, RAW_AT(*list, struct raw_workload_entry, i),
				 &c->scenario->workloads[i].kind);
		if (all[i] == NULL)
			return -EINVAL;
	}
	rc = resolve_names(c, all, list->count);
	for (uint32_t i = 0; i < list->count && rc == 0; i++)
		rc = resolve_workload(c, all[i], &c->scenario->workloads[i]);
	return rc;
}
