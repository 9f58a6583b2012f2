/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How evenly equal ways were used. A group is what a router chooses from: ports of one switch that
 * lead to a destination equally well, at least two, with every link up. Its imbalance is the use of
 * the busiest of them over the mean of all, idle ones too: 1 is even, and n when one of n alone
 * was used. Groups that nothing took are not counted, nor links that were down.
 *
 * Of many groups the sums are compared, busiest links over means, so that one counts by what it
 * carried: a switch that sent a few acknowledgements by one link does not make a fabric uneven.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "results_internal.h"

#define MAX_KINDS 64
#define SET_WORDS (SWITCH_MAX_PORTS / 64)

struct group {
	uint32_t node;
	uint32_t first; /* of the members */
	uint16_t count;
	uint8_t kind;
};

struct member {
	uint16_t port;
	uint64_t busy_ps; /* at the last sample */
};

struct kind {
	const char *from; /* tiers */
	const char *to;
	bool active; /* in the last interval */
};

struct results_groups {
	const struct fabric *fabric;
	uint32_t count;
	uint32_t size;
	uint32_t member_count;
	uint32_t member_size;
	uint32_t kind_count;
	struct group *groups; /* by switch */
	struct member *members;
	struct kind kinds[MAX_KINDS];
	uint64_t sampled_ps;
	/* over all intervals */
	double busiest_sum_ps;
	double mean_sum_ps;
};

/* One group in one span of time. */
struct load {
	uint32_t links;
	uint64_t busy_ps;
	uint64_t busiest_ps;
};

/* The groups of a kind. */
struct loads {
	uint32_t groups;
	uint32_t links;
	uint64_t busy_ps;
	uint64_t busiest_ps;
	double busiest_sum_ps;
	double mean_sum_ps;
	double worst;
	uint32_t worst_node;
};

static void
port_set(const struct member *members, uint32_t count, uint64_t set[SET_WORDS])
{
	memset(set, 0, SET_WORDS * sizeof(*set));
	for (uint32_t i = 0; i < count; i++)
		set[members[i].port / 64] |= 1ull << members[i].port % 64;
}

/* The kind of links from one switch to what is behind a port; the last one takes what is beyond. */
static uint8_t
kind_of(struct results_groups *g, uint32_t node, uint16_t port)
{
	const struct fabric *f = g->fabric;
	const struct link *tx = f->nodes[node]->ports[port].tx;
	const char *from = f->scenario->switches[node].tier, *to = "host";
	uint32_t i = 0;

	if (tx >= f->links && tx < f->links + f->link_count &&
	    f->edges[tx - f->links].to_node < f->switch_count)
		to = f->scenario->switches[f->edges[tx - f->links].to_node].tier;
	while (i < g->kind_count &&
	       (strcmp(g->kinds[i].from, from) != 0 || strcmp(g->kinds[i].to, to) != 0))
		i++;
	if (i == g->kind_count && i < MAX_KINDS)
		g->kinds[g->kind_count++] = (struct kind){.from = from, .to = to};
	return (uint8_t)(i < MAX_KINDS ? i : MAX_KINDS - 1);
}

static int
reserve(struct results_groups *g, uint32_t members)
{
	if (g->count == g->size) {
		uint32_t size = g->size == 0 ? 64 : 2 * g->size;
		struct group *grown = realloc(g->groups, size * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		g->groups = grown;
		g->size = size;
	}
	if (g->member_count + members > g->member_size) {
		uint32_t size = 2 * (g->member_count + members);
		struct member *grown = realloc(g->members, size * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		g->members = grown;
		g->member_size = size;
	}
	return 0;
}

/* Destinations whose routes have the same ports have one group; `first` is the switch's first. */
static int
add_group(struct results_groups *g, uint32_t node, uint32_t first, const struct next_hop *hops,
	  uint16_t count)
{
	struct member *members;
	uint64_t set[SET_WORDS], other[SET_WORDS];

	if (count < 2)
		return 0;
	if (reserve(g, count) != 0)
		return -ENOMEM;
	members = &g->members[g->member_count];
	for (uint16_t i = 0; i < count; i++)
		members[i] = (struct member){.port = hops[i].port};
	port_set(members, count, set);
	for (uint32_t i = first; i < g->count; i++) {
		port_set(&g->members[g->groups[i].first], g->groups[i].count, other);
		if (memcmp(set, other, sizeof(set)) == 0)
			return 0;
	}
	g->groups[g->count++] = (struct group){.node = node,
					       .first = g->member_count,
					       .count = count,
					       .kind = kind_of(g, node, members[0].port)};
	g->member_count += count;
	return 0;
}

static int
add_table(struct results_groups *g, uint32_t node, uint32_t first, const struct next_hops *n)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < n->group_count; i++)
		rc = add_group(g, node, first, next_hops_members(n, (uint16_t)i),
			       n->groups[i].count);
	return rc;
}

int
results_groups_init(struct results *r)
{
	const struct fabric *f = r->fabric;
	struct results_groups *g = calloc(1, sizeof(*g));
	int rc = g == NULL ? -ENOMEM : 0;

	r->groups = g;
	for (uint32_t i = 0; rc == 0 && i < f->switch_count; i++) {
		uint32_t first = g->count;

		g->fabric = f;
		if (!f->scenario->switches[i].cfg.forwarding.layer3)
			continue;
		if (f->routes != NULL)
			rc = add_table(g, i, first, &f->routes[i].hops);
		if (rc == 0)
			rc = add_table(g, i, first, &f->switches[i]->forwarding.hops);
	}
	return rc;
}

void
results_groups_fini(struct results *r)
{
	if (r->groups == NULL)
		return;
	free(r->groups->groups);
	free(r->groups->members);
	free(r->groups);
}

/* Since the last sample, or over the run. False when nothing took it. */
static bool
load_of(const struct results_groups *g, const struct group *group, bool sampled, struct load *load)
{
	const struct node *node = g->fabric->nodes[group->node];

	*load = (struct load){0};
	for (uint32_t i = 0; i < group->count; i++) {
		const struct member *m = &g->members[group->first + i];
		const struct node_port *port = &node->ports[m->port];
		uint64_t busy_ps = port->busy_ps - (sampled ? m->busy_ps : 0);

		if (busy_ps == 0 && port->link_down)
			continue;
		load->links++;
		load->busy_ps += busy_ps;
		load->busiest_ps = RTE_MAX(load->busiest_ps, busy_ps);
	}
	return load->busy_ps > 0;
}

static void
add_load(struct loads *sum, uint32_t node, const struct load *load)
{
	double mean_ps = (double)load->busy_ps / load->links;
	double imbalance = (double)load->busiest_ps / mean_ps;

	sum->groups++;
	sum->links += load->links;
	sum->busy_ps += load->busy_ps;
	sum->busiest_ps = RTE_MAX(sum->busiest_ps, load->busiest_ps);
	sum->busiest_sum_ps += (double)load->busiest_ps;
	sum->mean_sum_ps += mean_ps;
	if (imbalance > sum->worst) {
		sum->worst = imbalance;
		sum->worst_node = node;
	}
}

static void
add_loads(const struct results_groups *g, bool sampled, struct loads sums[MAX_KINDS])
{
	struct load load;

	memset(sums, 0, MAX_KINDS * sizeof(*sums));
	for (uint32_t i = 0; i < g->count; i++) {
		if (load_of(g, &g->groups[i], sampled, &load))
			add_load(&sums[g->groups[i].kind], g->groups[i].node, &load);
	}
}

/* A line while something is sent, and once more when nothing is. */
static void
write_sample(const struct results_groups *g, const struct kind *kind, const struct loads *sum,
	     uint64_t now_ps, FILE *out)
{
	double elapsed_ps = (double)(now_ps - g->sampled_ps);

	results_csv_us(out, now_ps);
	fputc(',', out);
	results_csv_text(out, kind->from);
	fputc(',', out);
	results_csv_text(out, kind->to);
	fprintf(out, ",%u,%u", sum->groups, sum->links);
	if (sum->groups == 0) {
		fputs(",0,0,,,\n", out);
		return;
	}
	fprintf(out, ",%.6f,%.6f,%.6f,%.6f,", (double)sum->busy_ps / sum->links / elapsed_ps,
		(double)sum->busiest_ps / elapsed_ps, sum->busiest_sum_ps / sum->mean_sum_ps,
		sum->worst);
	results_csv_text(out, g->fabric->nodes[sum->worst_node]->name);
	fputc('\n', out);
}

void
results_groups_sample(void *context, uint64_t now_ps)
{
	struct results *r = context;
	struct results_groups *g = r->groups;
	struct loads sums[MAX_KINDS];

	if (g == NULL || now_ps <= g->sampled_ps)
		return;
	add_loads(g, true, sums);
	for (uint32_t i = 0; i < g->kind_count; i++) {
		bool active = sums[i].groups > 0;

		if (r->files[RESULTS_BALANCE] != NULL && (active || g->kinds[i].active))
			write_sample(g, &g->kinds[i], &sums[i], now_ps, r->files[RESULTS_BALANCE]);
		g->kinds[i].active = active;
		g->busiest_sum_ps += sums[i].busiest_sum_ps;
		g->mean_sum_ps += sums[i].mean_sum_ps;
	}
	for (uint32_t i = 0; i < g->count; i++) {
		struct member *members = &g->members[g->groups[i].first];

		for (uint32_t n = 0; n < g->groups[i].count; n++)
			members[n].busy_ps =
				g->fabric->nodes[g->groups[i].node]->ports[members[n].port].busy_ps;
	}
	g->sampled_ps = now_ps;
}

double
results_groups_json(const struct results *r, json_t *kinds)
{
	const struct results_groups *g = r->groups;
	struct loads sums[MAX_KINDS];
	double worst = 0;
	json_t *row;
	size_t n;

	add_loads(g, false, sums);
	json_array_foreach(kinds, n, row)
	{
		const char *from = json_string_value(json_object_get(row, "from"));
		const char *to = json_string_value(json_object_get(row, "to"));
		const struct loads *sum = NULL;

		for (uint32_t i = 0; i < g->kind_count; i++)
			if (strcmp(g->kinds[i].from, from) == 0 && strcmp(g->kinds[i].to, to) == 0)
				sum = &sums[i];
		json_object_set_new(row, "groups", json_integer(sum == NULL ? 0 : sum->groups));
		if (sum == NULL || sum->groups == 0) {
			json_object_set_new(row, "imbalance", json_null());
			json_object_set_new(row, "imbalance_max", json_null());
			json_object_set_new(row, "imbalance_max_at", json_null());
			continue;
		}
		json_object_set_new(row, "imbalance",
				    json_real(sum->busiest_sum_ps / sum->mean_sum_ps));
		json_object_set_new(row, "imbalance_max", json_real(sum->worst));
		json_object_set_new(row, "imbalance_max_at",
				    json_string(r->fabric->nodes[sum->worst_node]->name));
		worst = RTE_MAX(worst, sum->busiest_sum_ps / sum->mean_sum_ps);
	}
	return worst;
}

double
results_groups_sampled(const struct results *r)
{
	const struct results_groups *g = r->groups;

	return g->mean_sum_ps > 0 ? g->busiest_sum_ps / g->mean_sum_ps : 0;
}

/* The node at the other end of a port's cable, "" for none. */
static const char *
behind(const struct fabric *f, const struct node_port *port)
{
	return port->tx >= f->links && port->tx < f->links + f->link_count
		       ? f->nodes[f->edges[port->tx - f->links].to_node]->name
		       : "";
}

static void
write_member(const struct results *r, uint32_t index, uint32_t n, double mean_ps, FILE *out)
{
	const struct results_groups *g = r->groups;
	const struct group *group = &g->groups[index];
	const struct node *node = r->fabric->nodes[group->node];
	uint16_t port = g->members[group->first + n].port;
	const struct balancer *b = &r->fabric->switches[group->node]->forwarding.balancer;
	double run_ps = r->end.virtual_ps == 0 ? 1 : (double)r->end.virtual_ps;
	double busy_ps = (double)node->ports[port].busy_ps;

	if (!results_takes_row(r, RESULTS_GROUPS, busy_ps))
		return;
	results_csv_text(out, node->name);
	fprintf(out, ",%u,%u,%u,", index, group->count, port);
	results_csv_text(out, behind(r->fabric, &node->ports[port]));
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f\n",
		b->ports == NULL ? 0 : b->ports[port].packets,
		b->ports == NULL ? 0 : b->ports[port].bytes, busy_ps / run_ps, busy_ps / mean_ps);
}

void
results_write_groups(const struct results *r)
{
	const struct results_groups *g = r->groups;
	FILE *out = r->files[RESULTS_GROUPS];
	struct load load;

	for (uint32_t i = 0; i < g->count; i++) {
		if (!load_of(g, &g->groups[i], false, &load))
			continue;
		for (uint32_t n = 0; n < g->groups[i].count; n++)
			write_member(r, i, n, (double)load.busy_ps / load.links, out);
	}
}
