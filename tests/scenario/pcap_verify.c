/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcap_verify FILE...: every RoCEv2 frame of captures must be whole and carry a right ICRC, every
 * IPv4 header a right checksum, every UDP checksum over IPv6 be right. Prints what it counted;
 * fails on the first frame that is wrong, or when there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "eal.h"
#include "roce.h"

struct counts {
	unsigned long frames;
	unsigned long roce;
	unsigned long ce;
	unsigned long cnp;
	unsigned long pfc;
};

static void
fail(const char *file, unsigned long number, const char *what)
{
	fprintf(stderr, "%s: frame %lu: %s\n", file, number, what);
	exit(EXIT_FAILURE);
}

static bool
ip_is_right(uint8_t *frame, const struct packet *p)
{
	const uint8_t *ip = frame + p->l3_ofs;

	if (p->flags & PACKET_IPV4)
		return rte_raw_cksum(ip, 20) == 0xffff;
	if (p->flags & PACKET_IPV6 && p->flags & PACKET_UDP) {
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(frame + p->l4_ofs);
		uint16_t found = udp->dgram_cksum;

		udp->dgram_cksum = 0;
		udp->dgram_cksum = rte_ipv6_udptcp_cksum((const void *)ip, udp);
		return udp->dgram_cksum == found;
	}
	return true;
}

static void
check_frame(const char *file, struct counts *c, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	const struct packet *p = packet_of(m);
	struct roce_packet roce;

	c->frames++;
	if (p->flags & PACKET_MALFORMED)
		fail(file, c->frames, "malformed");
	if (!ip_is_right(frame, p))
		fail(file, c->frames, "wrong checksum");
	c->pfc += (p->flags & PACKET_MAC_CONTROL) != 0;
	c->ce += packet_ecn(p) == PACKET_CE;
	if (!(p->flags & PACKET_ROCE))
		return;
	if (roce_decode(m, &roce) != 0)
		fail(file, c->frames, "its lengths contradict its opcode");
	if (!roce_icrc_verify(m))
		fail(file, c->frames, "wrong ICRC");
	c->roce++;
	c->cnp += roce.opcode == ROCE_CNP;
}

static void
check_file(const char *file, struct rte_mempool *pool, struct counts *c)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const u_char *data;
	pcap_t *pcap = pcap_open_offline(file, error);
	int rc;

	if (pcap == NULL)
		fail(file, 0, error);
	while ((rc = pcap_next_ex(pcap, &header, &data)) == 1) {
		struct rte_mbuf *m = packet_alloc(pool);

		if (header->caplen != header->len)
			fail(file, c->frames + 1, "cut");
		memcpy(rte_pktmbuf_append(m, (uint16_t)header->caplen), data, header->caplen);
		packet_of(m)->frame_bytes =
			RTE_MAX(header->len + UNITS_FCS_BYTES, UNITS_MIN_FRAME_BYTES);
		packet_parse(m);
		check_frame(file, c, m);
		packet_free(m);
	}
	if (rc != PCAP_ERROR_BREAK)
		fail(file, c->frames, pcap_geterr(pcap));
	pcap_close(pcap);
}

int
main(int argc, char **argv)
{
	struct counts c = {0};
	struct rte_mempool *pool;

	test_eal_init();
	pool = packet_pool_create("verify", 64, 16384);
	if (pool == NULL)
		return EXIT_FAILURE;
	for (int i = 1; i < argc; i++)
		check_file(argv[i], pool, &c);
	printf("frames %lu roce %lu ce %lu cnp %lu pfc %lu\n", c.frames, c.roce, c.ce, c.cnp,
	       c.pfc);
	return c.roce != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
