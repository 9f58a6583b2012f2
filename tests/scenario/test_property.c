/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some hundred random small configurations. In each: no invariant breaks (the rig checks them),
 * every message completes exactly once or its failure is reported, and a lossless class loses
 * nothing when its headroom meets the lower bound.
 */
#include "rig.h"

#include "prng.h"

enum { CONFIGS = 300 };

static uint64_t
pick(struct prng *p, const uint64_t *values, uint64_t count)
{
	return values[prng_below(p, count)];
}

struct draw {
	uint64_t gbps;
	uint64_t delay_ns;
	uint64_t response_ns;
	uint64_t mtu;
	uint64_t senders;
	uint64_t pool_kb;
	int64_t alpha;
	uint64_t headroom_bytes;
	uint64_t kmin_kb;
	uint64_t kmax_kb;
	uint64_t percent;
	uint64_t size_kb;
	uint64_t jitter_us;
	uint64_t udp_gbps;
	const char *verb;
	const char *control;
	const char *mark_at;
};

/* 2 x delay x rate + response + 2 frames, and every packet may waste most of a cell. */
static uint64_t
headroom_bound_bytes(const struct draw *d, uint64_t cell_bytes)
{
	uint64_t wire_bytes = (2 * d->delay_ns + d->response_ns) * d->gbps / 8 + 2 * (d->mtu + 100);
	/* Smallest frames: 64 + 20 bytes of wire time each, and a cell or more each. */
	uint64_t packets = wire_bytes / 84 + 4;

	return wire_bytes + packets * cell_bytes;
}

static struct draw
draw_one(struct prng *p)
{
	static const uint64_t rates[] = {10, 25, 40, 100, 200, 400};
	static const uint64_t mtus[] = {256, 512, 1024, 2048, 4096};
	static const uint64_t pools[] = {64, 256, 1024, 4096};
	static const char *const verbs[] = {"send", "send_imm", "write", "write_imm", "read"};
	static const char *const controls[] = {"dcqcn", "paper", "none"};
	struct draw d = {
		.gbps = pick(p, rates, 6),
		.delay_ns = 1 + prng_below(p, 3000),
		.response_ns = prng_below(p, 3000),
		.mtu = pick(p, mtus, 5),
		.senders = 2 + prng_below(p, 6),
		.pool_kb = pick(p, pools, 4),
		.alpha = (int64_t)prng_below(p, 8) - 4,
		.kmin_kb = 1 + prng_below(p, 300),
		.percent = prng_below(p, 101),
		.size_kb = 1 + prng_below(p, 400),
		.jitter_us = prng_below(p, 20),
		.verb = verbs[prng_below(p, 5)],
		.control = controls[prng_below(p, 3)],
		.mark_at = prng_below(p, 2) ? "enqueue" : "dequeue",
	};

	d.kmax_kb = d.kmin_kb + prng_below(p, 600);
	d.udp_gbps = prng_below(p, 2) * d.gbps / 2;
	return d;
}

static struct rig *
run_draw(const struct draw *d, uint64_t headroom_bytes, uint64_t seed)
{
	char udp[256] = "";

	if (d->udp_gbps != 0)
		snprintf(udp, sizeof(udp),
			 "  - udp: {from: 'h[1]', to: 'h[0]', rate: %lluGbps, frame: 700B, "
			 "poisson: yes,"
			 " dscp: 0, until: 100us}\n",
			 (unsigned long long)d->udp_gbps);
	return rig_run(
		"seed: %llu\n"
		"switches:\n"
		"  s:\n"
		"    ports: %llu\n"
		"    rate: %lluGbps\n"
		"    cell: 208B\n"
		"    maps: {dscp_to_tc: {26: 3, 48: 6}}\n"
		"    pfc_enable: [3]\n"
		"    pfc: {response: %lluns}\n"
		"    pools:\n"
		"      in: {type: ingress, mode: dynamic, size: %lluKB}\n"
		"      out: {type: egress, mode: dynamic, size: %lluKB}\n"
		"      all: {type: egress, mode: static, size: 64MB}\n"
		"    buffer_profiles:\n"
		"      lossless: {pool: in, size: 208B, dynamic_th: %lld, xoff: %lluB, xon_offset: "
		"2080B}\n"
		"      lossy: {pool: in, size: 0, dynamic_th: 0}\n"
		"      queue: {pool: out, size: 208B, dynamic_th: -1}\n"
		"      lossless_queue: {pool: all, size: 0, static_th: 64MB}\n"
		"    pgs: [{ports: all, pgs: '3', profile: lossless}, {ports: all, pgs: '0-2,4-7', "
		"profile: "
		"lossy}]\n"
		"    queues:\n"
		"      - {ports: all, queues: '3', profile: lossless_queue, wred: ecn}\n"
		"      - {ports: all, queues: '0-2,4-7', profile: queue}\n"
		"    wred: {ecn: {min: %lluKB, max: %lluKB, probability: %llu%%, ecn: all, "
		"mark_at: %s}}\n"
		"hosts: {h: {count: %llu, nic: %lluGbps, mtu: %llu, congestion_control: %s,\n"
		"  pfc_enable: [3], pfc: {response: %lluns}, timeout: 8}}\n"
		"links: [{from: h, to: s, delay: %lluns}]\n"
		"workload:\n"
		"  - incast: {from: 'h[1-%llu]', to: 'h[0]', size: %lluKB, at: 1us, jitter: "
		"%lluus, verb: "
		"%s}\n%s",
		(unsigned long long)seed, (unsigned long long)d->senders + 1,
		(unsigned long long)d->gbps, (unsigned long long)d->response_ns,
		(unsigned long long)d->pool_kb, (unsigned long long)d->pool_kb, (long long)d->alpha,
		(unsigned long long)headroom_bytes, (unsigned long long)d->kmin_kb,
		(unsigned long long)d->kmax_kb, (unsigned long long)d->percent, d->mark_at,
		(unsigned long long)d->senders + 1, (unsigned long long)d->gbps,
		(unsigned long long)d->mtu, d->control, (unsigned long long)d->response_ns,
		(unsigned long long)d->delay_ns, (unsigned long long)d->senders,
		(unsigned long long)d->size_kb, (unsigned long long)d->jitter_us, d->verb, udp);
}

static uint64_t
lossless_drops(const struct rig *r)
{
	const struct node *n = &r->fabric->switches[0]->node;
	uint64_t sum = 0;

	for (uint16_t p = 0; p < n->port_count; p++) {
		for (int reason = 0; reason < DROP_REASON_COUNT; reason++)
			sum += n->ports[p].drops[reason][3];
	}
	return sum;
}

START_TEST(test_lossless_never_loses)
{
	for (uint64_t i = 0; i < CONFIGS; i++) {
		struct prng p = prng_init(20260101, i);
		struct draw d = draw_one(&p);
		struct rig *r = run_draw(&d, headroom_bound_bytes(&d, 208), i);

		ck_assert_msg(lossless_drops(r) == 0, "configuration %llu loses %llu",
			      (unsigned long long)i, (unsigned long long)lossless_drops(r));
		rig_assert_all_delivered(r, d.senders);
		rig_free(r);
	}
}
END_TEST

/* Too little headroom: losses may happen, and nothing else may go wrong. */
START_TEST(test_short_headroom_recovers)
{
	uint64_t lossy = 0;

	for (uint64_t i = 0; i < CONFIGS / 3; i++) {
		struct prng p = prng_init(20260102, i);
		struct draw d = draw_one(&p);
		struct rig *r = run_draw(&d, 208, i);

		lossy += lossless_drops(r) != 0;
		rig_assert_all_delivered(r, d.senders);
		rig_free(r);
	}
	/* The property above would mean nothing if headroom were never needed. */
	ck_assert_uint_gt(lossy, CONFIGS / 30);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {test_lossless_never_loses, test_short_headroom_recovers};

	return rig_main("property", tests, sizeof(tests) / sizeof(tests[0]));
}
