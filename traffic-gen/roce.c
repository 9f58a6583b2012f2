/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "roce.h"
#include "units.h"

#define VLAN_BYTES 4u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define UDP_BYTES 8u
#define BTH_BYTES 12u
#define RETH_BYTES 16u
#define AETH_BYTES 4u
#define IMMDT_BYTES 4u
#define CNP_RESERVED_BYTES 16u

#define IPPROTO_UDP_NUMBER 17
#define UDP_PORT_BASE 0xc000u

/* Ethernet, VLAN, IPv6, UDP are 66 bytes; a copy of constant length needs no branches. */
#define PATH_COPY_BYTES 80u
static_assert(PATH_COPY_BYTES <= PACKET_HEADER_ROOM_BYTES, "every packet has room for a path");

/* Extended headers by opcode, IBTA table 38. */
enum extension {
	EXT_KNOWN = 1 << 0,
	EXT_RETH = 1 << 1,
	EXT_AETH = 1 << 2,
	EXT_IMMDT = 1 << 3,
	EXT_CNP = 1 << 4,
};

static const uint8_t opcode_extensions[256] = {
	[ROCE_SEND_FIRST] = EXT_KNOWN,
	[ROCE_SEND_MIDDLE] = EXT_KNOWN,
	[ROCE_SEND_LAST] = EXT_KNOWN,
	[ROCE_SEND_LAST_IMM] = EXT_KNOWN | EXT_IMMDT,
	[ROCE_SEND_ONLY] = EXT_KNOWN,
	[ROCE_SEND_ONLY_IMM] = EXT_KNOWN | EXT_IMMDT,
	[ROCE_WRITE_FIRST] = EXT_KNOWN | EXT_RETH,
	[ROCE_WRITE_MIDDLE] = EXT_KNOWN,
	[ROCE_WRITE_LAST] = EXT_KNOWN,
	[ROCE_WRITE_LAST_IMM] = EXT_KNOWN | EXT_IMMDT,
	[ROCE_WRITE_ONLY] = EXT_KNOWN | EXT_RETH,
	[ROCE_WRITE_ONLY_IMM] = EXT_KNOWN | EXT_RETH | EXT_IMMDT,
	[ROCE_READ_REQUEST] = EXT_KNOWN | EXT_RETH,
	[ROCE_READ_RESPONSE_FIRST] = EXT_KNOWN | EXT_AETH,
	[ROCE_READ_RESPONSE_MIDDLE] = EXT_KNOWN,
	[ROCE_READ_RESPONSE_LAST] = EXT_KNOWN | EXT_AETH,
	[ROCE_READ_RESPONSE_ONLY] = EXT_KNOWN | EXT_AETH,
	[ROCE_ACK] = EXT_KNOWN | EXT_AETH,
	[ROCE_CNP] = EXT_KNOWN | EXT_CNP,
};

static void
put_be16(uint8_t *to, uint16_t value)
{
	value = rte_cpu_to_be_16(value);
	memcpy(to, &value, sizeof(value));
}

static void
put_be32(uint8_t *to, uint32_t value)
{
	value = rte_cpu_to_be_32(value);
	memcpy(to, &value, sizeof(value));
}

static void
put_be64(uint8_t *to, uint64_t value)
{
	value = rte_cpu_to_be_64(value);
	memcpy(to, &value, sizeof(value));
}

static uint16_t
get_be16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return rte_be_to_cpu_16(value);
}

static uint32_t
get_be32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return rte_be_to_cpu_32(value);
}

static uint64_t
get_be64(const uint8_t *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return rte_be_to_cpu_64(value);
}

/* Internet checksum from a sum of words as they lie in memory; so is the result. */
static uint16_t
checksum_finish(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint32_t
extension_bytes(uint8_t extensions)
{
	return (extensions & EXT_RETH ? RETH_BYTES : 0) + (extensions & EXT_AETH ? AETH_BYTES : 0) +
	       (extensions & EXT_IMMDT ? IMMDT_BYTES : 0) +
	       (extensions & EXT_CNP ? CNP_RESERVED_BYTES : 0);
}

uint32_t
roce_extension_bytes(uint8_t opcode)
{
	uint8_t extensions = opcode_extensions[opcode];

	return extensions & EXT_KNOWN ? extension_bytes(extensions) : UINT32_MAX;
}

static void
path_init_ipv4(struct roce_path *path, const struct roce_path_cfg *cfg)
{
	uint8_t *ip = path->bytes + path->l3_ofs;

	ip[0] = 0x45;
	ip[1] = cfg->traffic_class;
	put_be16(ip + 6, RTE_IPV4_HDR_DF_FLAG);
	ip[8] = cfg->ttl;
	ip[9] = IPPROTO_UDP_NUMBER;
	memcpy(ip + 12, cfg->source.ip, 4);
	memcpy(ip + 16, cfg->destination.ip, 4);
	path->checksum_base = rte_raw_cksum(ip, IPV4_BYTES);
}

static void
path_init_ipv6(struct roce_path *path, const struct roce_path_cfg *cfg)
{
	uint8_t *ip = path->bytes + path->l3_ofs;

	put_be32(ip, 6u << 28 | (uint32_t)cfg->traffic_class << 20);
	ip[6] = IPPROTO_UDP_NUMBER;
	ip[7] = cfg->ttl;
	memcpy(ip + 8, cfg->source.ip, 16);
	memcpy(ip + 24, cfg->destination.ip, 16);
	/* The pseudo header's addresses and protocol, and the UDP ports after them. */
	path->checksum_base =
		(uint32_t)rte_raw_cksum(ip + 8, 32 + 4) + rte_cpu_to_be_16(IPPROTO_UDP_NUMBER);
}

void
roce_path_init(struct roce_path *path, const struct roce_path_cfg *cfg)
{
	uint32_t type_ofs = 2 * RTE_ETHER_ADDR_LEN + (cfg->has_vlan ? VLAN_BYTES : 0);
	bool is_ipv6 = cfg->source.is_ipv6;
	uint8_t *udp;

	assert(cfg->source.is_ipv6 == cfg->destination.is_ipv6);
	memset(path, 0, sizeof(*path));
	path->is_ipv6 = is_ipv6;
	path->has_vlan = cfg->has_vlan;
	path->vlan_tci = cfg->has_vlan ? cfg->vlan_tci : 0;
	path->traffic_class = cfg->traffic_class;
	path->l3_ofs = type_ofs + sizeof(rte_be16_t);
	path->l4_ofs = path->l3_ofs + (is_ipv6 ? IPV6_BYTES : IPV4_BYTES);
	path->bth_ofs = path->l4_ofs + UDP_BYTES;

	memcpy(path->bytes, cfg->destination.mac, RTE_ETHER_ADDR_LEN);
	memcpy(path->bytes + RTE_ETHER_ADDR_LEN, cfg->source.mac, RTE_ETHER_ADDR_LEN);
	if (cfg->has_vlan) {
		put_be16(path->bytes + 12, RTE_ETHER_TYPE_VLAN);
		put_be16(path->bytes + 14, cfg->vlan_tci);
	}
	put_be16(path->bytes + type_ofs, is_ipv6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4);

	udp = path->bytes + path->l4_ofs;
	put_be16(udp, cfg->udp_source_port);
	put_be16(udp + 2, ROCE_UDP_PORT);
	if (is_ipv6)
		path_init_ipv6(path, cfg);
	else
		path_init_ipv4(path, cfg);
}

void
roce_path_set_source_port(struct roce_path *path, uint16_t udp_source_port)
{
	uint8_t *at = path->bytes + path->l4_ofs;
	uint16_t before, after = rte_cpu_to_be_16(udp_source_port);

	memcpy(&before, at, sizeof(before));
	memcpy(at, &after, sizeof(after));
	if (!path->is_ipv6)
		return;
	/* RFC 1624, folded each time: the complement adds a word of ones. */
	path->checksum_base += (uint16_t)~before + after;
	path->checksum_base = (path->checksum_base & 0xffff) + (path->checksum_base >> 16);
}

static uint32_t
pad_bytes_of(uint32_t payload_bytes)
{
	return -payload_bytes & 3;
}

/* From the Ethernet header to the ICRC. */
static uint32_t
whole_bytes(const struct roce_path *path, const struct roce_packet *p)
{
	uint8_t extensions = opcode_extensions[p->opcode];

	assert(extensions & EXT_KNOWN);
	return path->bth_ofs + BTH_BYTES + extension_bytes(extensions) + p->payload_bytes +
	       pad_bytes_of(p->payload_bytes) + ROCE_ICRC_BYTES;
}

uint32_t
roce_frame_bytes(const struct roce_path *path, const struct roce_packet *p)
{
	return RTE_MAX(whole_bytes(path, p) + UNITS_FCS_BYTES, UNITS_MIN_FRAME_BYTES);
}

static void
encode_bth(uint8_t *bth, const struct roce_packet *p)
{
	bool is_cnp = p->opcode == ROCE_CNP;
	/* MigReq: a queue pair without an alternate path is always in the migrated state. */
	uint32_t second = is_cnp ? 0 : 0x40 | pad_bytes_of(p->payload_bytes) << 4;
	uint32_t becn = is_cnp || p->becn;
	uint32_t ack_request = !is_cnp && p->ack_request;
	uint32_t psn = is_cnp ? 0 : p->psn & ROCE_PSN_MASK;

	put_be32(bth, (uint32_t)p->opcode << 24 | second << 16 | ROCE_PKEY_DEFAULT);
	put_be32(bth + 4, becn << 30 | (p->dest_qp & 0xffffff));
	put_be32(bth + 8, ack_request << 31 | psn);
}

static void
encode_extensions(uint8_t *at, const struct roce_packet *p)
{
	uint8_t extensions = opcode_extensions[p->opcode];

	if (extensions & EXT_RETH) {
		put_be64(at, p->va);
		put_be32(at + 8, p->rkey);
		put_be32(at + 12, p->dma_bytes);
		at += RETH_BYTES;
	}
	if (extensions & EXT_AETH) {
		put_be32(at, (uint32_t)p->syndrome << 24 | (p->msn & 0xffffff));
		at += AETH_BYTES;
	}
	if (extensions & EXT_IMMDT)
		put_be32(at, p->immediate);
	if (extensions & EXT_CNP)
		memset(at, 0, CNP_RESERVED_BYTES);
}

/* Each 8 bytes say where they belong: PSN (3 bytes) and byte offset in the packet (5). */
static void
encode_payload(uint8_t *at, const struct roce_packet *p)
{
	uint64_t tag = (uint64_t)(p->psn & ROCE_PSN_MASK) << 40;
	uint32_t whole = p->payload_bytes & ~7u;
	uint32_t offset;
	uint8_t last[8];

	for (offset = 0; offset < whole; offset += 8)
		put_be64(at + offset, tag | offset);
	put_be64(last, tag | offset);
	memcpy(at + offset, last, p->payload_bytes - whole);
	memset(at + p->payload_bytes, 0, pad_bytes_of(p->payload_bytes));
}

/* Identification is unused on frames with DF (RFC 6864); the PSN helps whoever reads a trace. */
static void
encode_ipv4(uint8_t *frame, const struct roce_path *path, uint32_t psn, uint32_t whole)
{
	uint8_t *ip = frame + path->l3_ofs;
	uint16_t total = rte_cpu_to_be_16(whole - path->l3_ofs);
	uint16_t id = rte_cpu_to_be_16(psn & 0xffff);
	uint16_t checksum = checksum_finish(path->checksum_base + total + id);

	memcpy(ip + 2, &total, sizeof(total));
	memcpy(ip + 4, &id, sizeof(id));
	memcpy(ip + 10, &checksum, sizeof(checksum));
}

/*
 * UDP over IPv6 needs a checksum (RFC 8200 8.1). It covers payload and ICRC: of a frame whose
 * payload is elided nobody can check it, and the bytes not in memory are taken as zero.
 */
static void
encode_udp_checksum(uint8_t *frame, const struct roce_path *path, uint32_t whole, uint32_t stored)
{
	uint16_t length = rte_cpu_to_be_16(whole - path->l4_ofs);
	uint16_t checksum;

	/* The length counts twice: in the pseudo header and in the UDP header. */
	checksum = checksum_finish(path->checksum_base + 2u * length +
				   rte_raw_cksum(frame + path->bth_ofs, stored - path->bth_ofs));
	if (checksum == 0)
		checksum = 0xffff;
	memcpy(frame + path->l4_ofs + 6, &checksum, sizeof(checksum));
}

static void
fill_parsed(struct rte_mbuf *m, const struct roce_path *path)
{
	struct packet *k = packet_of(m);

	k->flags = PACKET_PARSED | PACKET_UDP | PACKET_ROCE |
		   (path->is_ipv6 ? PACKET_IPV6 : PACKET_IPV4) | (path->has_vlan ? PACKET_VLAN : 0);
	k->l3_ofs = path->l3_ofs;
	k->l4_ofs = path->l4_ofs;
	k->traffic_class = path->traffic_class;
	k->vlan_tci = path->vlan_tci;
}

void
roce_encode(struct rte_mbuf *m, const struct roce_path *path, const struct roce_packet *p,
	    bool with_payload)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint8_t extensions = opcode_extensions[p->opcode];
	uint32_t whole = whole_bytes(path, p);
	uint32_t payload_ofs = path->bth_ofs + BTH_BYTES + extension_bytes(extensions);
	bool is_whole = with_payload || p->payload_bytes == 0;
	uint32_t stored = is_whole ? whole : payload_ofs;

	assert(rte_pktmbuf_tailroom(m) >= RTE_MAX(stored, PATH_COPY_BYTES));
	memcpy(frame, path->bytes, PATH_COPY_BYTES);
	put_be16(frame + path->l4_ofs + 4, whole - path->l4_ofs);
	encode_bth(frame + path->bth_ofs, p);
	encode_extensions(frame + path->bth_ofs + BTH_BYTES, p);
	if (path->is_ipv6)
		put_be16(frame + path->l3_ofs + 4, whole - path->l4_ofs);
	else
		encode_ipv4(frame, path, p->psn, whole);
	if (is_whole) {
		uint32_t icrc;

		encode_payload(frame + payload_ofs, p);
		icrc = rte_cpu_to_le_32(roce_icrc(frame, whole, path->l3_ofs, path->l4_ofs));
		memcpy(frame + whole - ROCE_ICRC_BYTES, &icrc, sizeof(icrc));
	}
	if (path->is_ipv6)
		encode_udp_checksum(frame, path, whole, stored);

	m->data_len = stored;
	m->pkt_len = stored;
	fill_parsed(m, path);
	packet_of(m)->frame_bytes = RTE_MAX(whole + UNITS_FCS_BYTES, UNITS_MIN_FRAME_BYTES);
	packet_of(m)->elided = !is_whole;
}

uint32_t
roce_restore(const struct rte_mbuf *m, uint8_t *frame, uint32_t room)
{
	const struct packet *k = packet_of(m);
	uint32_t stored = rte_pktmbuf_data_len(m), whole = k->frame_bytes - UNITS_FCS_BYTES;
	struct roce_packet p;
	uint32_t icrc;

	if (!k->elided || room < whole) {
		stored = RTE_MIN(stored, room);
		memcpy(frame, rte_pktmbuf_mtod(m, const uint8_t *), stored);
		return stored;
	}
	memcpy(frame, rte_pktmbuf_mtod(m, const uint8_t *), stored);
	memset(frame + stored, 0, whole - stored);
	if (!(k->flags & PACKET_ROCE) || roce_decode(m, &p) != 0)
		return whole;
	whole = stored + p.payload_bytes + pad_bytes_of(p.payload_bytes) + ROCE_ICRC_BYTES;
	encode_payload(frame + stored, &p);
	icrc = rte_cpu_to_le_32(roce_icrc(frame, whole, k->l3_ofs, k->l4_ofs));
	memcpy(frame + whole - ROCE_ICRC_BYTES, &icrc, sizeof(icrc));
	if (k->flags & PACKET_IPV6) {
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(frame + k->l4_ofs);

		udp->dgram_cksum = 0;
		udp->dgram_cksum = rte_ipv6_udptcp_cksum((const void *)(frame + k->l3_ofs), udp);
	}
	return whole;
}

static void
decode_extensions(const uint8_t *at, uint8_t extensions, struct roce_packet *p)
{
	if (extensions & EXT_RETH) {
		p->va = get_be64(at);
		p->rkey = get_be32(at + 8);
		p->dma_bytes = get_be32(at + 12);
		at += RETH_BYTES;
	}
	if (extensions & EXT_AETH) {
		p->syndrome = at[0];
		p->msn = get_be32(at) & 0xffffff;
		at += AETH_BYTES;
	}
	if (extensions & EXT_IMMDT)
		p->immediate = get_be32(at);
}

int
roce_decode(const struct rte_mbuf *m, struct roce_packet *p)
{
	const struct packet *k = packet_of(m);
	const uint8_t *udp = rte_pktmbuf_mtod_offset(m, const uint8_t *, k->l4_ofs);
	const uint8_t *bth = udp + UDP_BYTES;
	uint32_t udp_bytes = get_be16(udp + 4);
	uint8_t extensions, pad_bytes;
	uint32_t header_bytes;

	assert(k->flags & PACKET_ROCE);
	extensions = opcode_extensions[bth[0]];
	pad_bytes = bth[1] >> 4 & 3;
	header_bytes = UDP_BYTES + BTH_BYTES + extension_bytes(extensions);
	if (k->l4_ofs + header_bytes > rte_pktmbuf_data_len(m) ||
	    header_bytes + pad_bytes + ROCE_ICRC_BYTES > udp_bytes ||
	    k->l4_ofs + udp_bytes + UNITS_FCS_BYTES > k->frame_bytes)
		return -EBADMSG;

	*p = (struct roce_packet){
		.opcode = bth[0],
		.ack_request = bth[8] >> 7,
		.becn = bth[4] >> 6 & 1,
		.pad_bytes = pad_bytes,
		.dest_qp = get_be32(bth + 4) & 0xffffff,
		.psn = get_be32(bth + 8) & ROCE_PSN_MASK,
		.payload_bytes = udp_bytes - header_bytes - pad_bytes - ROCE_ICRC_BYTES,
	};
	decode_extensions(bth + BTH_BYTES, extensions, p);
	return 0;
}

uint16_t
roce_udp_source_port_of_label(uint32_t flow_label)
{
	return ((flow_label & 0x3fff) ^ ((flow_label & 0xfc000) >> 14)) | UDP_PORT_BASE;
}

uint16_t
roce_udp_source_port(uint32_t local_qp, uint32_t remote_qp)
{
	uint64_t label = (uint64_t)local_qp * remote_qp;

	label ^= label >> 20;
	label ^= label >> 40;
	return roce_udp_source_port_of_label(label & 0xfffff);
}
