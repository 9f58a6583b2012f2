/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: one line of flows.csv each, and the figures made of all of them. */
#include "datagram.h"
#include "results_internal.h"

#define PPM 1000000.0

static const char *
verb_name(enum verb verb)
{
	static const char *const names[] = {
		[VERB_SEND] = "send",   [VERB_SEND_IMM] = "send_imm",
		[VERB_WRITE] = "write", [VERB_WRITE_IMM] = "write_imm",
		[VERB_READ] = "read",   [VERB_UDP] = "udp",
	};

	return names[verb];
}

static bool
is_completed(const struct flow_record *f)
{
	return !f->failed && f->end_ps != 0;
}

static uint64_t
slowdown_ppm(const struct flow_record *f)
{
	return (uint64_t)((unsigned __int128)(f->end_ps - f->start_ps) * 1000000 / f->ideal_ps);
}

/* 0, or -ENOMEM. */
static int
add_completed(struct flow_stats *s, const struct flow_record *f)
{
	uint64_t fct_ps = f->end_ps - f->start_ps;
	double rate_bps;
	int ret = 0;

	if (s->fct_ps.counters == NULL)
		ret = histogram_init(&s->fct_ps);
	if (ret == 0 && s->slowdown_ppm.counters == NULL)
		ret = histogram_init(&s->slowdown_ppm);
	if (ret != 0)
		return ret;
	s->completed++;
	s->completed_bytes += f->bytes;
	histogram_record(&s->fct_ps, fct_ps);
	if (f->ideal_ps > 0)
		histogram_record(&s->slowdown_ppm, slowdown_ppm(f));
	rate_bps = (double)f->bytes * 8 * UNITS_PS_PER_S / (double)(fct_ps > 0 ? fct_ps : 1);
	s->rate_sum += rate_bps;
	s->rate_square_sum += rate_bps * rate_bps;
	return 0;
}

static int
add_flow(struct flow_stats *s, const struct flow_record *f)
{
	s->count++;
	s->retransmitted_packets += f->retransmitted_packets;
	if (is_completed(f))
		return add_completed(s, f);
	if (f->failed)
		s->failed++;
	else
		s->incomplete++;
	return 0;
}

static const char *
host_name(const struct results *r, uint32_t host)
{
	return host < r->fabric->host_count ? host_node(r->fabric->hosts[host])->name : "";
}

static void
write_flow(const struct results *r, const struct flow_record *f, FILE *out)
{
	const struct scenario *scenario = r->fabric->scenario;

	results_csv_text(out, host_name(r, f->source));
	fputc(',', out);
	results_csv_text(out, host_name(r, f->destination));
	fprintf(out, ",%u,%u,", f->source_qp, f->destination_qp);
	results_csv_text(out, f->workload < scenario->workload_count
				      ? scenario->workloads[f->workload].name
				      : "");
	fprintf(out, ",%s,%llu,", verb_name(f->verb), (unsigned long long)f->bytes);
	results_csv_us(out, f->start_ps);
	fputc(',', out);
	if (is_completed(f))
		results_csv_us(out, f->end_ps - f->start_ps);
	fputc(',', out);
	if (is_completed(f) && f->ideal_ps > 0)
		fprintf(out, "%.6f", (double)slowdown_ppm(f) / PPM);
	fprintf(out, ",%llu,%s\n", (unsigned long long)f->retransmitted_packets,
		is_completed(f) ? "completed"
		: f->failed     ? "failed"
				: "incomplete");
}

void
results_flow(struct results *r, const struct flow_record *f)
{
	if (f->start_ps < r->first_start_ps)
		r->first_start_ps = f->start_ps;
	if (is_completed(f) && f->end_ps > r->last_end_ps)
		r->last_end_ps = f->end_ps;
	if (add_flow(&r->flows, f) != 0)
		r->short_of_memory = true;
	if (f->workload < r->workload_count && add_flow(&r->workloads[f->workload], f) != 0)
		r->short_of_memory = true;
	if (r->files[RESULTS_FLOWS] != NULL)
		write_flow(r, f, r->files[RESULTS_FLOWS]);
}

void
flow_stats_fini(struct flow_stats *s)
{
	histogram_fini(&s->fct_ps);
	histogram_fini(&s->slowdown_ppm);
}

/* Jain's index of the completed flows' throughputs: 1 = all equal, 1/n = one has all. */
double
results_jain(const struct flow_stats *s)
{
	if (s->completed == 0 || s->rate_square_sum <= 0)
		return -1;
	return s->rate_sum * s->rate_sum / ((double)s->completed * s->rate_square_sum);
}

/*
 * Payload accepted in order, over the time from the first message's start to the last one's
 * end (the end of the run while one is incomplete, or when the traffic is not made of messages).
 */
double
results_goodput_bps(const struct results *r, const struct results_totals *t)
{
	uint64_t from_ps = r->first_start_ps;
	uint64_t to_ps = r->last_end_ps;

	if (r->flows.count == 0)
		from_ps = 0;
	if (r->flows.completed < r->flows.count || r->flows.count == 0)
		to_ps = r->end.virtual_ps;
	if (to_ps <= from_ps)
		return 0;
	return (double)t->hosts.bytes_delivered * 8 * UNITS_PS_PER_S / (double)(to_ps - from_ps);
}

json_t *
results_distribution_json(const struct histogram *h, double unit)
{
	static const struct {
		const char *name;
		uint32_t ppm;
	} points[] = {{"p50", 500000}, {"p95", 950000}, {"p99", 990000}, {"p99_9", 999000}};
	json_t *o = json_object();
	bool empty = h->counters == NULL || h->count == 0;

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		json_object_set_new(
			o, points[i].name,
			empty ? json_null()
			      : json_real((double)histogram_percentile(h, points[i].ppm) / unit));
	json_object_set_new(o, "max", empty ? json_null() : json_real((double)h->max / unit));
	json_object_set_new(o, "min", empty ? json_null() : json_real((double)h->min / unit));
	json_object_set_new(o, "mean",
			    empty ? json_null()
				  : json_real((double)h->sum / (double)h->count / unit));
	return o;
}

static json_t *
stats_json(const struct flow_stats *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "count", (json_int_t)s->count,
			 "completed", (json_int_t)s->completed, "failed", (json_int_t)s->failed,
			 "incomplete", (json_int_t)s->incomplete, "completed_bytes",
			 (json_int_t)s->completed_bytes, "retransmitted_packets",
			 (json_int_t)s->retransmitted_packets, "fct_us",
			 results_distribution_json(&s->fct_ps, UNITS_PS_PER_US), "slowdown",
			 results_distribution_json(&s->slowdown_ppm, PPM));
}

json_t *
results_flows_json(const struct results *r)
{
	return stats_json(&r->flows);
}

/* Of all hosts; NULL by the clock, where it is not known which workload a datagram is of. */
static json_t *
datagrams_json(const struct results *r, uint32_t workload)
{
	struct datagram_counts sum = {0};

	if (r->fabric->scenario->workloads[workload].kind != SCENARIO_UDP || r->end.real_time)
		return json_null();
	for (uint32_t i = 0; i < r->fabric->host_count; i++) {
		const struct datagram_counts *c = host_datagrams(r->fabric->hosts[i], workload);

		if (c == NULL)
			continue;
		sum.sent += c->sent;
		sum.received += c->received;
		sum.ce_received += c->ce_received;
		sum.ce_last = RTE_MAX(sum.ce_last, c->ce_last);
		if (c->ce_first != 0 && (sum.ce_first == 0 || c->ce_first < sum.ce_first))
			sum.ce_first = c->ce_first;
	}
	return json_pack("{s:I, s:I, s:o, s:I, s:I, s:I}", "sent", (json_int_t)sum.sent, "received",
			 (json_int_t)sum.received, "lost_fraction",
			 sum.sent == 0 ? json_null()
				       : json_real(1 - (double)sum.received / (double)sum.sent),
			 "ce_received", (json_int_t)sum.ce_received, "ce_first",
			 (json_int_t)sum.ce_first, "ce_last", (json_int_t)sum.ce_last);
}

json_t *
results_workloads_json(const struct results *r)
{
	const struct scenario *scenario = r->fabric->scenario;
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->workload_count; i++) {
		const struct flow_stats *s = &r->workloads[i];
		double jain = results_jain(s);
		json_t *o = stats_json(s);

		json_object_set_new(o, "name", json_string(scenario->workloads[i].name));
		json_object_set_new(o, "jain", jain < 0 ? json_null() : json_real(jain));
		json_object_set_new(o, "udp", datagrams_json(r, i));
		json_array_append_new(list, o);
	}
	return list;
}
