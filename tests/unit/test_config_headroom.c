/* SPDX-License-Identifier: BSD-3-Clause */
/* Headroom that the configuration does not name but leaves to the formula. */
#include "config_rig.h"
#include "suite.h"

/*
 * Rows of speed and cable alone, and `computed`, with the numbers of test_headroom_formula.c:
 * Spectrum at 100 Gb/s and 40 m, 46,080 bytes of xoff; Spectrum-4 at 800 Gb/s and 300 m (8
 * lanes), 474,112 of xoff, 38,912 of xon and, with xoff, 522,240 of size.
 */
#define COMPUTED                                                                              \
	"switches:\n  s:\n    ports: 3\n    mtu: 9100\n    cable: 40m\n    pfc_enable: [3]\n" \
	"    buffer_profiles: {lossy: {pool: in, dynamic_th: 0}, e: {pool: out, static_th: "  \
	"16MiB}}\n"                                                                           \
	"    pgs: [{pgs: 0-7, profile: lossy}]\n    queues: [{queues: all, profile: e}]\n"

static const struct mmu_profile_cfg *
lossless_of(const struct scenario *s, uint32_t port)
{
	return &s->switches[0].cfg.mmu.profiles[s->switches[0].ports[port].mmu.pg_profile[3]];
}

START_TEST(headroom_is_computed)
{
	static const char spectrum[] = COMPUTED
		"    pools: {in: {type: ingress, size: 12MiB}, out: {type: egress, mode: static, "
		"size: 16MiB}}\n    cell: 96\n    headroom_model: {pool: in}\n"
		"    headroom: [{speed: 100Gbps, cable: 40m}, {speed: 100Gbps, cable: 5m, size: "
		"1KB, "
		"xoff: 2KB, dynamic_th: 1}]\n    port_settings: [{ports: 2, cable: 5m}]\n";
	static const char spectrum4[] = COMPUTED
		"    pools: {in: {type: ingress, size: 64MiB}, out: {type: egress, mode: static, "
		"size: 16MiB}}\n    cell: 192\n    headroom: computed\n    rate: 800Gbps\n"
		"    headroom_model: {pool: in, lanes: 8, tile: yes, dynamic_th: -2}\n"
		"    port_settings: [{ports: 1, cable: 300m}, {ports: 2, pfc_enable: []}]\n";
	struct scenario *s;

	ck_assert_str_eq(load(spectrum, NULL, 0, &s), "");
	ck_assert_str_eq(lossless_of(s, 0)->name, "pg_lossless_100000_40m_profile");
	ck_assert_uint_eq(lossless_of(s, 0)->xoff_bytes, 46080);
	ck_assert_uint_eq(lossless_of(s, 0)->xon_bytes, 19456);
	ck_assert_uint_eq(lossless_of(s, 0)->size_bytes, 19456);
	ck_assert_int_eq(lossless_of(s, 0)->dynamic_th, 0);
	ck_assert_uint_eq(lossless_of(s, 2)->xoff_bytes, 2000);
	ck_assert_uint_eq(lossless_of(s, 2)->xon_bytes, 0);
	check_round_trip(s);
	scenario_free(s);

	ck_assert_str_eq(load(spectrum4, NULL, 0, &s), "");
	ck_assert_str_eq(lossless_of(s, 1)->name, "pg_lossless_800000_300m_profile");
	ck_assert_uint_eq(lossless_of(s, 1)->xoff_bytes, 474112);
	ck_assert_uint_eq(lossless_of(s, 1)->xon_bytes, 38912);
	ck_assert_uint_eq(lossless_of(s, 1)->size_bytes, 522240 - 474112);
	ck_assert_int_eq(lossless_of(s, 1)->dynamic_th, -2);
	ck_assert_uint_eq(s->switches[0].cfg.mmu.profile_count, 4); /* none for port 2's own */
	check_round_trip(s);
	scenario_free(s);

	/* a shared headroom pool: size is xon */
	ck_assert_str_eq(
		load(spectrum4, (const char *const[]){"switches.s.pools.in.xoff=4MiB"}, 1, &s), "");
	ck_assert_uint_eq(lossless_of(s, 1)->xoff_bytes, 474112);
	ck_assert_uint_eq(lossless_of(s, 1)->size_bytes, 38912);
	scenario_free(s);
}
END_TEST

/* Each key of the model counts; 1,024 bytes of a larger mtu are those of the port's frames. */
START_TEST(headroom_follows_its_model)
{
	static const struct {
		const char *set;
		uint64_t xoff_bytes, xon_bytes;
	} rows[] = {
		/* 40,185.7 bytes as in test_headroom_formula.c; 9,100 x 1.11765 = 10,170 less */
		{"mtu=1518", 37888, 19456},
		/* x 2 */
		{"headroom_model.small_packets=100%", 81920, 19456},
		/* small packets are 6,400 / 2,080 = 3.0769 %: 41,422.2 + 4,096 */
		{"headroom_model.lossless_mtu=4096", 46080, 19456},
		/* 25,216 x 1.11765 = 28,182.6 less */
		{"headroom_model.peer_response=0", 18432, 19456},
		{"headroom_model.pipeline_latency=42KiB", 46080, 43008},
		/* 1,500 x 1.11765 = 1,676.5 more */
		{"headroom_model.tile=yes", 48128, 19456},
		{"headroom_model.lanes=8", 46080, 38912},
		/* port 1 has the same cable and rate: the row suits its frames too */
		{"port_settings=[{ports: 1, mtu: 10124}]", 47104, 19456},
	};
	static const char text[] = COMPUTED
		"    pools: {in: {type: ingress, size: 12MiB}, out: {type: egress, mode: static, "
		"size: 16MiB}}\n    cell: 96\n    headroom: computed\n"
		"    headroom_model: {pool: in}\n";
	char set[100];
	struct scenario *s;

	snprintf(set, sizeof(set), "switches.s.%s", rows[_i].set);
	ck_assert_str_eq(load(text, (const char *const[]){set}, 1, &s), "");
	ck_assert_uint_eq(lossless_of(s, 0)->xoff_bytes, rows[_i].xoff_bytes);
	ck_assert_uint_eq(lossless_of(s, 0)->xon_bytes, rows[_i].xon_bytes);
	scenario_free(s);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("config_headroom");
	TCase *topic = suite_topic(suite, "headroom");

	tcase_add_test(topic, headroom_is_computed);
	tcase_add_loop_test(topic, headroom_follows_its_model, 0, 8);
	return suite_run(suite);
}
