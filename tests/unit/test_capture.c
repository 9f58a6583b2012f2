/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures are read back with libpcap: bytes, lengths, times and order must be what was seen. */
#include <check.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "node.h"
#include "suite.h"

/* An mbuf as a pool lays it out, without a pool: mbuf, private area, data. */
struct frame {
	struct rte_mbuf mbuf;
	struct packet packet;
	uint8_t data[2048];
};

static char dir[] = "/tmp/railyard-capture-XXXXXX";
static char why[512];

static struct rte_mbuf *
frame_fill(struct frame *f, uint16_t data_bytes, uint32_t frame_bytes, uint8_t first)
{
	memset(f, 0, sizeof(*f));
	f->mbuf.buf_addr = f->data;
	f->mbuf.priv_size = sizeof(f->packet);
	f->mbuf.data_len = data_bytes;
	f->mbuf.pkt_len = data_bytes;
	f->packet.frame_bytes = frame_bytes;
	for (uint16_t i = 0; i < data_bytes; i++)
		f->data[i] = (uint8_t)(first + i);
	return &f->mbuf;
}

static struct node *
make_node(const char *name, uint16_t ports)
{
	struct node *node = calloc(1, sizeof(*node));

	ck_assert_ptr_nonnull(node);
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->port_count = ports;
	node->ports = calloc(ports, sizeof(node->ports[0]));
	ck_assert_ptr_nonnull(node->ports);
	return node;
}

static void
free_node(struct node *node)
{
	free(node->ports);
	free(node);
}

static void
path_in_dir(char *path, size_t bytes, const char *name)
{
	snprintf(path, bytes, "%s/%s", dir, name);
}

static void
check_record(pcap_t *pcap, uint64_t at_ns, uint32_t caplen, uint32_t len, uint8_t first)
{
	struct pcap_pkthdr *header;
	const u_char *data;

	ck_assert_int_eq(pcap_next_ex(pcap, &header, &data), 1);
	/* With nanosecond precision tv_usec holds nanoseconds. */
	ck_assert_uint_eq((uint64_t)header->ts.tv_sec, at_ns / 1000000000);
	ck_assert_uint_eq((uint64_t)header->ts.tv_usec, at_ns % 1000000000);
	ck_assert_uint_eq(header->caplen, caplen);
	ck_assert_uint_eq(header->len, len);
	for (uint32_t i = 0; i < caplen; i++)
		ck_assert_uint_eq(data[i], (uint8_t)(first + i));
}

static pcap_t *
reopen(const char *path)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap =
		pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);

	ck_assert_msg(pcap != NULL, "%s", error);
	ck_assert_int_eq(pcap_datalink(pcap), DLT_EN10MB);
	return pcap;
}

/* A frame comes by. */
static void
see(struct capture_set *set, const struct node *node, uint16_t port, bool is_tx, struct rte_mbuf *m,
    uint64_t now_ps)
{
	size_t i = capture_set_next(set, 0, node, port, is_tx);

	for (; i < capture_set_count(set); i = capture_set_next(set, i + 1, node, port, is_tx)) {
		char *record = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&record, &bytes);

		ck_assert_ptr_nonnull(out);
		capture_set_record(set, i, m, now_ps, out);
		fclose(out);
		capture_set_write(set, record);
		free(record);
	}
}

START_TEST(frames_read_back_as_they_were)
{
	struct node *nodes[] = {make_node("tor", 2), make_node("h0", 1)};
	struct capture_set *set = capture_set_create();
	struct frame f;
	char spec[128];
	char path[64];
	pcap_t *pcap;

	path_in_dir(path, sizeof(path), "a=b:1.pcap");
	snprintf(spec, sizeof(spec), "tor:1=%s", path);
	ck_assert_int_eq(capture_set_add(set, spec, CAPTURE_BOTH, why, sizeof(why)), 0);
	ck_assert_int_eq(capture_set_open(set, nodes, 2, why, sizeof(why)), 0);
	ck_assert(nodes[0]->ports[1].captured);
	ck_assert(!nodes[0]->ports[0].captured && !nodes[1]->ports[0].captured);

	/* A PFC frame, 60 bytes and FCS; whole in memory. */
	see(set, nodes[0], 1, true, frame_fill(&f, 60, 64, 1), 1999);
	/* Payload elided: 4,178 bytes on the wire with FCS, headers in memory. */
	see(set, nodes[0], 1, false, frame_fill(&f, 62, 4178, 9), 83960000);
	/* Other ports are not ours. */
	see(set, nodes[0], 0, true, frame_fill(&f, 60, 64, 7), 84000000);
	see(set, nodes[1], 0, true, frame_fill(&f, 60, 64, 7), 84000000);
	/* Past a second. */
	see(set, nodes[0], 1, true, frame_fill(&f, 1514, 1518, 77),
	    3 * UNITS_PS_PER_S + 123456789012ULL);
	ck_assert_int_eq(capture_set_close(set, why, sizeof(why)), 0);

	pcap = reopen(path);
	check_record(pcap, 1, 60, 60, 1);
	check_record(pcap, 83960, 62, 4174, 9);
	check_record(pcap, 3123456789ULL, 1514, 1514, 77);
	ck_assert_int_eq(pcap_next_ex(pcap, &(struct pcap_pkthdr *){NULL}, &(const u_char *){NULL}),
			 PCAP_ERROR_BREAK);
	pcap_close(pcap);
	capture_set_destroy(set);
	unlink(path);
	free_node(nodes[0]);
	free_node(nodes[1]);
}
END_TEST

START_TEST(one_direction_only)
{
	struct node *node = make_node("tor", 1);
	struct capture_set *set = capture_set_create();
	struct frame f;
	char spec[128];
	char path[64];
	pcap_t *pcap;

	path_in_dir(path, sizeof(path), "tx.pcap");
	snprintf(spec, sizeof(spec), "tor:0=%s", path);
	ck_assert_int_eq(capture_set_add(set, spec, CAPTURE_TX, why, sizeof(why)), 0);
	ck_assert_int_eq(capture_set_open(set, &node, 1, why, sizeof(why)), 0);
	see(set, node, 0, false, frame_fill(&f, 60, 64, 1), 1000);
	see(set, node, 0, true, frame_fill(&f, 60, 64, 2), 2000);
	ck_assert_int_eq(capture_set_close(set, why, sizeof(why)), 0);
	pcap = reopen(path);
	check_record(pcap, 2, 60, 60, 2);
	ck_assert_int_eq(pcap_next_ex(pcap, &(struct pcap_pkthdr *){NULL}, &(const u_char *){NULL}),
			 PCAP_ERROR_BREAK);
	pcap_close(pcap);
	capture_set_destroy(set);
	unlink(path);
	free_node(node);
}
END_TEST

static const char *const bad_specs[] = {
	"",         "tor",      "tor:0",    "tor:0=",      "=f",
	":0=f",     "tor=f",    "tor:=f",   "tor:x=f",     "tor:-1=f",
	"tor:1x=f", "tor: 1=f", "tor:+1=f", "tor:65536=f", "tor:99999999999999999999=f",
};

START_TEST(wrong_form_is_one_line)
{
	struct capture_set *set = capture_set_create();

	ck_assert_int_lt(capture_set_add(set, bad_specs[_i], CAPTURE_BOTH, why, sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(why, "NODE:PORT=FILE"));
	ck_assert_ptr_null(strchr(why, '\n'));
	capture_set_destroy(set);
}
END_TEST

START_TEST(wrong_place_leaves_no_file)
{
	static const struct {
		const char *port;
		const char *file;
		const char *says;
	} cases[] = {
		{"leaf:0", "x.pcap", "no switch or host is called 'leaf'"},
		{"tor:2", "x.pcap", "tor has ports 0 to 1"},
		{"tor:0", "no/such/dir/x.pcap", "No such file or directory"},
	};
	struct node *node = make_node("tor", 2);
	struct capture_set *set = capture_set_create();
	char spec[256];
	char good[64];
	char path[64];

	/* The first is fine, so its file must go again. */
	path_in_dir(good, sizeof(good), "good.pcap");
	snprintf(spec, sizeof(spec), "tor:0=%s", good);
	ck_assert_int_eq(capture_set_add(set, spec, CAPTURE_BOTH, why, sizeof(why)), 0);
	path_in_dir(path, sizeof(path), cases[_i].file);
	snprintf(spec, sizeof(spec), "%s=%s", cases[_i].port, path);
	ck_assert_int_eq(capture_set_add(set, spec, CAPTURE_BOTH, why, sizeof(why)), 0);
	ck_assert_int_lt(capture_set_open(set, &node, 1, why, sizeof(why)), 0);
	ck_assert_msg(strstr(why, cases[_i].says) != NULL, "%s", why);
	ck_assert_int_ne(access(good, F_OK), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(!node->ports[0].captured);
	capture_set_destroy(set);
	free_node(node);
}
END_TEST

START_TEST(a_file_is_used_once)
{
	struct capture_set *set = capture_set_create();

	ck_assert_int_eq(capture_set_add(set, "tor:0=a", CAPTURE_BOTH, why, sizeof(why)), 0);
	ck_assert_int_lt(capture_set_add(set, "tor:1=a", CAPTURE_BOTH, why, sizeof(why)), 0);
	capture_set_destroy(set);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
	struct node *node = make_node("tor", 1);
	struct capture_set *set = capture_set_create();
	struct frame f;

	if (access("/dev/full", W_OK) == 0) {
		ck_assert_int_eq(
			capture_set_add(set, "tor:0=/dev/full", CAPTURE_BOTH, why, sizeof(why)), 0);
		ck_assert_int_eq(capture_set_open(set, &node, 1, why, sizeof(why)), 0);
		see(set, node, 0, true, frame_fill(&f, 60, 64, 1), 0);
		ck_assert_int_lt(capture_set_close(set, why, sizeof(why)), 0);
		ck_assert_ptr_nonnull(strstr(why, "No space left"));
	}
	capture_set_destroy(set);
	free_node(node);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("capture");
	TCase *tc = tcase_create("capture");
	int code;

	if (mkdtemp(dir) == NULL) {
		perror(dir);
		return EXIT_FAILURE;
	}
	tcase_add_test(tc, frames_read_back_as_they_were);
	tcase_add_test(tc, one_direction_only);
	tcase_add_loop_test(tc, wrong_form_is_one_line, 0, RTE_DIM(bad_specs));
	tcase_add_loop_test(tc, wrong_place_leaves_no_file, 0, 3);
	tcase_add_test(tc, a_file_is_used_once);
	tcase_add_test(tc, a_full_disk_is_reported);
	suite_add_tcase(suite, tc);
	code = suite_run(suite);
	rmdir(dir);
	return code;
}
