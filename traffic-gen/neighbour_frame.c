/* SPDX-License-Identifier: BSD-3-Clause */
#include "neighbour_frame.h"

#include <assert.h>
#include <netinet/icmp6.h>
#include <string.h>

#include <rte_arp.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_icmp.h>
#include <rte_ip.h>

#define VLAN_ID_MASK 0xfff
#define ND_HOP_LIMIT 255
#define ND_LINK_OPTION_BYTES 8u /* type, length, a MAC address */
#define IPV4_DONT_FRAGMENT 0x4000

static const uint8_t broadcast_mac[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t no_ip[16];
static const uint8_t all_nodes_ip[16] = {0xff, 0x02, [15] = 1};

static uint32_t
ip_bytes(const struct neighbour_station *me)
{
	return me->address.is_ipv6 ? 16 : 4;
}

static bool
is_my_ip(const struct neighbour_station *me, const uint8_t *ip)
{
	return memcmp(ip, me->address.ip, ip_bytes(me)) == 0;
}

/* RFC 4291 2.7.1: ff02::1:ff00:0/104 and the address' last 24 bits. */
static void
solicited_node(const uint8_t ip[16], uint8_t group[16])
{
	static const uint8_t prefix[13] = {0xff, 0x02, [11] = 1, [12] = 0xff};

	memcpy(group, prefix, sizeof(prefix));
	memcpy(group + 13, ip + 13, 3);
}

/* RFC 2464 7. */
static void
group_mac(const uint8_t group[16], uint8_t mac[6])
{
	mac[0] = mac[1] = 0x33;
	memcpy(mac + 2, group + 12, 4);
}

/* In the station's VLAN; a tag with ID 0 tells a priority only (802.1Q 9.6). */
static bool
is_my_vlan(const struct neighbour_station *me, const struct packet *k)
{
	uint16_t id = k->flags & PACKET_VLAN ? k->vlan_tci & VLAN_ID_MASK : 0;
	uint8_t tag_bytes = k->flags & PACKET_VLAN ? 4 : 0;

	return id == me->vlan_id && k->l3_ofs == RTE_ETHER_HDR_LEN + tag_bytes;
}

static enum neighbour_kind
decode_arp(const struct neighbour_station *me, const struct rte_mbuf *m,
	   struct neighbour_claim *claim)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct rte_arp_hdr *arp = (const void *)(frame + packet_of(m)->l3_ofs);
	bool is_request;

	if (memcmp(frame, me->address.mac, 6) != 0 && memcmp(frame, broadcast_mac, 6) != 0)
		return NEIGHBOUR_OTHER;
	if (m->data_len < packet_of(m)->l3_ofs + sizeof(*arp))
		return NEIGHBOUR_MALFORMED;
	if (arp->arp_hardware != rte_cpu_to_be_16(RTE_ARP_HRD_ETHER) ||
	    arp->arp_protocol != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4))
		return NEIGHBOUR_OTHER;
	if (arp->arp_hlen != 6 || arp->arp_plen != 4)
		return NEIGHBOUR_MALFORMED;
	is_request = arp->arp_opcode == rte_cpu_to_be_16(RTE_ARP_OP_REQUEST);
	if (me->address.is_ipv6 || !is_my_ip(me, (const uint8_t *)&arp->arp_data.arp_tip) ||
	    (!is_request && arp->arp_opcode != rte_cpu_to_be_16(RTE_ARP_OP_REPLY)))
		return NEIGHBOUR_OTHER;
	if (!rte_is_valid_assigned_ether_addr(&arp->arp_data.arp_sha))
		return NEIGHBOUR_MALFORMED;
	*claim = (struct neighbour_claim){.mac_claimed = true};
	memcpy(claim->ip, &arp->arp_data.arp_sip, 4);
	memcpy(claim->mac, &arp->arp_data.arp_sha, 6);
	return is_request ? NEIGHBOUR_REQUEST : NEIGHBOUR_ANSWER;
}

/* Find the option that holds a MAC address. False: options of no length, or beyond the end. */
static bool
link_option(const uint8_t *at, uint32_t bytes, uint8_t type, struct neighbour_claim *claim)
{
	while (bytes != 0) {
		uint32_t option_bytes;

		if (bytes < 8)
			return false;
		option_bytes = at[1] * 8u;
		if (option_bytes == 0 || option_bytes > bytes)
			return false;
		if (at[0] == type && !claim->mac_claimed) {
			claim->mac_claimed = true;
			memcpy(claim->mac, at + 2, 6);
		}
		at += option_bytes;
		bytes -= option_bytes;
	}
	return !claim->mac_claimed || !(claim->mac[0] & 1);
}

/* RFC 4861 7.1.1 and 7.1.2, to us and with a valid checksum. Both messages are laid out alike. */
static enum neighbour_kind
decode_discovery(const struct neighbour_station *me, const struct rte_mbuf *m,
		 const struct rte_ipv6_hdr *ip, struct neighbour_claim *claim)
{
	uint32_t icmp_bytes = rte_be_to_cpu_16(ip->payload_len);
	struct nd_neighbor_solicit nd;
	bool is_request;

	if (icmp_bytes < sizeof(nd) || ip->hop_limits != ND_HOP_LIMIT)
		return NEIGHBOUR_MALFORMED;
	memcpy(&nd, ip + 1, sizeof(nd));
	is_request = nd.nd_ns_type == ND_NEIGHBOR_SOLICIT;
	*claim = (struct neighbour_claim){0};
	memcpy(claim->mac, rte_pktmbuf_mtod(m, const uint8_t *) + RTE_ETHER_ADDR_LEN, 6);
	memcpy(claim->ip, is_request ? ip->src_addr : nd.nd_ns_target.s6_addr, 16);
	if (nd.nd_ns_code != 0 || nd.nd_ns_target.s6_addr[0] == 0xff || claim->ip[0] == 0xff ||
	    !link_option((const uint8_t *)(ip + 1) + sizeof(nd), icmp_bytes - sizeof(nd),
			 is_request ? ND_OPT_SOURCE_LINKADDR : ND_OPT_TARGET_LINKADDR, claim))
		return NEIGHBOUR_MALFORMED;
	if (!is_request)
		return NEIGHBOUR_ANSWER;
	/* One who has no address yet asks the group, and has none to claim. */
	if (memcmp(claim->ip, no_ip, 16) == 0 && (claim->mac_claimed || is_my_ip(me, ip->dst_addr)))
		return NEIGHBOUR_MALFORMED;
	return is_my_ip(me, nd.nd_ns_target.s6_addr) ? NEIGHBOUR_REQUEST : NEIGHBOUR_OTHER;
}

/* To our addresses, or, what only a solicitation may be, to the group of our IP address. */
static bool
is_to_me(const struct neighbour_station *me, const uint8_t *frame, const struct rte_ipv6_hdr *ip,
	 bool group_too)
{
	uint8_t group[16], mac[6];

	if (memcmp(frame, me->address.mac, 6) == 0 && is_my_ip(me, ip->dst_addr))
		return true;
	solicited_node(me->address.ip, group);
	group_mac(group, mac);
	return group_too && memcmp(ip->dst_addr, group, 16) == 0 &&
	       (memcmp(frame, mac, 6) == 0 || memcmp(frame, me->address.mac, 6) == 0);
}

/* Over a valid packet the sum, its checksum included, is all ones. */
static bool
checksum_holds(const struct rte_ipv6_hdr *ip, const uint8_t *icmp)
{
	uint32_t sum =
		rte_ipv6_phdr_cksum(ip, 0) + rte_raw_cksum(icmp, rte_be_to_cpu_16(ip->payload_len));

	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

static enum neighbour_kind
decode_icmpv6(const struct neighbour_station *me, const struct rte_mbuf *m,
	      struct neighbour_claim *claim)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t l3_ofs = packet_of(m)->l3_ofs;
	const struct rte_ipv6_hdr *ip = (const void *)(frame + l3_ofs);
	const uint8_t *icmp = (const uint8_t *)(ip + 1);
	uint32_t icmp_bytes = rte_be_to_cpu_16(ip->payload_len);
	bool is_whole = m->data_len >= l3_ofs + sizeof(*ip) + icmp_bytes;
	bool is_echo;

	if (!me->address.is_ipv6 || ip->proto != IPPROTO_ICMPV6 ||
	    icmp_bytes < sizeof(struct icmp6_hdr) ||
	    m->data_len < l3_ofs + sizeof(*ip) + sizeof(struct icmp6_hdr))
		return NEIGHBOUR_OTHER;
	is_echo = icmp[0] == ICMP6_ECHO_REQUEST;
	if ((!is_echo && icmp[0] != ND_NEIGHBOR_SOLICIT && icmp[0] != ND_NEIGHBOR_ADVERT) ||
	    !is_to_me(me, frame, ip, icmp[0] == ND_NEIGHBOR_SOLICIT))
		return NEIGHBOUR_OTHER;
	if (is_whole ? !checksum_holds(ip, icmp) : !is_echo)
		return NEIGHBOUR_MALFORMED;
	if (!is_echo)
		return decode_discovery(me, m, ip, claim);
	return ip->src_addr[0] == 0xff || memcmp(ip->src_addr, no_ip, 16) == 0 ? NEIGHBOUR_MALFORMED
									       : NEIGHBOUR_ECHO;
}

/* Fragments, and headers with options, are left alone: a ping has neither. */
static enum neighbour_kind
decode_icmpv4(const struct neighbour_station *me, const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t l3_ofs = packet_of(m)->l3_ofs;
	const struct rte_ipv4_hdr *ip = (const void *)(frame + l3_ofs);
	const struct rte_icmp_hdr *icmp = (const void *)(ip + 1);
	uint32_t total_bytes = rte_be_to_cpu_16(ip->total_length);
	const uint8_t *source = (const uint8_t *)&ip->src_addr;

	if (me->address.is_ipv6 || memcmp(frame, me->address.mac, 6) != 0 ||
	    !is_my_ip(me, (const uint8_t *)&ip->dst_addr) || ip->next_proto_id != IPPROTO_ICMP ||
	    rte_ipv4_hdr_len(ip) != sizeof(*ip) ||
	    (ip->fragment_offset & rte_cpu_to_be_16(0x3fff)) != 0)
		return NEIGHBOUR_OTHER;
	if (total_bytes < sizeof(*ip) + sizeof(*icmp) ||
	    m->data_len < l3_ofs + sizeof(*ip) + sizeof(*icmp) ||
	    icmp->icmp_type != RTE_IP_ICMP_ECHO_REQUEST || icmp->icmp_code != 0)
		return NEIGHBOUR_OTHER;
	if (rte_raw_cksum(ip, sizeof(*ip)) != 0xffff ||
	    (m->data_len >= l3_ofs + total_bytes &&
	     rte_raw_cksum(icmp, total_bytes - sizeof(*ip)) != 0xffff))
		return NEIGHBOUR_MALFORMED;
	/* Neither a group (224/3 is all of those, and broadcast) nor nobody. */
	return source[0] >= 224 || source[0] == 0 ? NEIGHBOUR_MALFORMED : NEIGHBOUR_ECHO;
}

enum neighbour_kind
neighbour_decode(const struct neighbour_station *me, const struct rte_mbuf *m,
		 struct neighbour_claim *claim)
{
	const struct packet *k = packet_of(m);
	const uint8_t *type = rte_pktmbuf_mtod(m, const uint8_t *) + k->l3_ofs - 2;

	if (k->flags & (PACKET_MALFORMED | PACKET_MAC_CONTROL | PACKET_UDP) || !is_my_vlan(me, k))
		return NEIGHBOUR_OTHER;
	if (k->flags & PACKET_IPV4)
		return decode_icmpv4(me, m);
	if (k->flags & PACKET_IPV6)
		return decode_icmpv6(me, m, claim);
	return (type[0] << 8 | type[1]) == RTE_ETHER_TYPE_ARP ? decode_arp(me, m, claim)
							      : NEIGHBOUR_OTHER;
}

/* Ethernet header, with a tag where the station has one. Returns where layer 3 begins. */
static uint8_t *
put_ethernet(const struct neighbour_station *me, struct rte_mbuf *m, const uint8_t to[6],
	     uint16_t type, uint8_t priority)
{
	struct rte_ether_hdr *ethernet = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_vlan_hdr *vlan = (struct rte_vlan_hdr *)(ethernet + 1);

	memcpy(&ethernet->dst_addr, to, 6);
	memcpy(&ethernet->src_addr, me->address.mac, 6);
	ethernet->ether_type = rte_cpu_to_be_16(type);
	if (me->vlan_id == 0)
		return (uint8_t *)vlan;
	ethernet->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN);
	vlan->vlan_tci = rte_cpu_to_be_16((uint16_t)(priority << 13 | me->vlan_id));
	vlan->eth_proto = rte_cpu_to_be_16(type);
	return (uint8_t *)(vlan + 1);
}

/* What is in memory ends at `end`; after `elided_bytes` more the frame does, or the smallest one.
 */
static void
finish(struct rte_mbuf *m, const uint8_t *end, uint32_t elided_bytes)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t least = UNITS_MIN_FRAME_BYTES - UNITS_FCS_BYTES;
	uint32_t bytes = (uint32_t)(end - frame);

	if (bytes + elided_bytes < least) {
		memset(frame + bytes, 0, least - bytes);
		bytes = least;
		elided_bytes = 0;
	}
	m->data_len = (uint16_t)bytes;
	m->pkt_len = bytes;
	packet_of(m)->frame_bytes = bytes + elided_bytes + UNITS_FCS_BYTES;
	packet_of(m)->elided = elided_bytes != 0;
	packet_parse(m);
}

static void
encode_arp(const struct neighbour_station *me, uint16_t opcode, const uint8_t target_mac[6],
	   const uint8_t target_ip[4], struct rte_mbuf *m)
{
	bool is_request = opcode == RTE_ARP_OP_REQUEST;
	struct rte_arp_hdr *arp = (void *)put_ethernet(
		me, m, is_request ? broadcast_mac : target_mac, RTE_ETHER_TYPE_ARP, 0);

	*arp = (struct rte_arp_hdr){
		.arp_hardware = rte_cpu_to_be_16(RTE_ARP_HRD_ETHER),
		.arp_protocol = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4),
		.arp_hlen = 6,
		.arp_plen = 4,
		.arp_opcode = rte_cpu_to_be_16(opcode),
	};
	memcpy(&arp->arp_data.arp_sha, me->address.mac, 6);
	memcpy(&arp->arp_data.arp_sip, me->address.ip, 4);
	if (!is_request)
		memcpy(&arp->arp_data.arp_tha, target_mac, 6);
	memcpy(&arp->arp_data.arp_tip, target_ip, 4);
	finish(m, (const uint8_t *)(arp + 1), 0);
}

/* A solicitation or an advertisement, with our MAC address as its option. */
static void
encode_discovery(const struct neighbour_station *me, const struct nd_neighbor_solicit *nd,
		 const uint8_t to_mac[6], const uint8_t to_ip[16], struct rte_mbuf *m)
{
	struct rte_ipv6_hdr *ip = (void *)put_ethernet(me, m, to_mac, RTE_ETHER_TYPE_IPV6, 0);
	uint8_t *icmp = (uint8_t *)(ip + 1);
	uint8_t *option = icmp + sizeof(*nd);
	uint16_t sum;

	*ip = (struct rte_ipv6_hdr){
		.vtc_flow = rte_cpu_to_be_32(6u << 28),
		.payload_len = rte_cpu_to_be_16(sizeof(*nd) + ND_LINK_OPTION_BYTES),
		.proto = IPPROTO_ICMPV6,
		.hop_limits = ND_HOP_LIMIT,
	};
	memcpy(ip->src_addr, me->address.ip, 16);
	memcpy(ip->dst_addr, to_ip, 16);
	memcpy(icmp, nd, sizeof(*nd));
	option[0] = nd->nd_ns_type == ND_NEIGHBOR_SOLICIT ? ND_OPT_SOURCE_LINKADDR
							  : ND_OPT_TARGET_LINKADDR;
	option[1] = ND_LINK_OPTION_BYTES / 8;
	memcpy(option + 2, me->address.mac, 6);
	sum = rte_ipv6_udptcp_cksum(ip, icmp);
	memcpy(icmp + offsetof(struct icmp6_hdr, icmp6_cksum), &sum, sizeof(sum));
	finish(m, option + ND_LINK_OPTION_BYTES, 0);
}

void
neighbour_encode_request(const struct neighbour_station *me, const uint8_t ip[16],
			 struct rte_mbuf *m)
{
	struct nd_neighbor_solicit nd = {.nd_ns_type = ND_NEIGHBOR_SOLICIT};
	uint8_t group[16], mac[6];

	if (!me->address.is_ipv6) {
		encode_arp(me, RTE_ARP_OP_REQUEST, broadcast_mac, ip, m);
		return;
	}
	memcpy(&nd.nd_ns_target, ip, 16);
	solicited_node(ip, group);
	group_mac(group, mac);
	encode_discovery(me, &nd, mac, group, m);
}

void
neighbour_encode_answer(const struct neighbour_station *me, const struct neighbour_claim *asked,
			struct rte_mbuf *m)
{
	struct nd_neighbor_solicit nd = {.nd_ns_type = ND_NEIGHBOR_ADVERT};
	uint8_t mac[6];

	if (!me->address.is_ipv6) {
		encode_arp(me, RTE_ARP_OP_REPLY, asked->mac, asked->ip, m);
		return;
	}
	memcpy(&nd.nd_ns_target, me->address.ip, 16);
	if (memcmp(asked->ip, no_ip, 16) == 0) {
		/* RFC 4861 7.2.4: not as a solicited one, to all. */
		nd.nd_ns_reserved = ND_NA_FLAG_OVERRIDE;
		group_mac(all_nodes_ip, mac);
		encode_discovery(me, &nd, mac, all_nodes_ip, m);
		return;
	}
	nd.nd_ns_reserved = ND_NA_FLAG_SOLICITED | ND_NA_FLAG_OVERRIDE;
	encode_discovery(me, &nd, asked->mac, asked->ip, m);
}

/* Type and code become those of an answer; of the sum only that word changes (RFC 1624). */
static void
turn_echo(uint8_t *icmp, uint8_t answer_type)
{
	uint16_t checksum = (uint16_t)(icmp[2] << 8 | icmp[3]);
	uint32_t sum = (uint16_t)~checksum;

	sum += (uint16_t) ~(icmp[0] << 8) + (uint32_t)(answer_type << 8);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	icmp[0] = answer_type;
	icmp[2] = (uint8_t)(~sum >> 8);
	icmp[3] = (uint8_t)~sum;
}

static void
turn_ipv4(const struct neighbour_station *me, struct rte_ipv4_hdr *ip)
{
	ip->type_of_service &= 0xfc; /* not ECN capable */
	ip->packet_id = 0;
	ip->fragment_offset = rte_cpu_to_be_16(IPV4_DONT_FRAGMENT);
	ip->time_to_live = me->ttl;
	ip->dst_addr = ip->src_addr;
	memcpy(&ip->src_addr, me->address.ip, 4);
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	turn_echo((uint8_t *)(ip + 1), RTE_IP_ICMP_ECHO_REPLY);
}

static void
turn_ipv6(const struct neighbour_station *me, struct rte_ipv6_hdr *ip, uint8_t traffic_class)
{
	ip->vtc_flow = rte_cpu_to_be_32(6u << 28 | (traffic_class & 0xfcu) << 20);
	ip->hop_limits = me->ttl;
	memcpy(ip->dst_addr, ip->src_addr, 16);
	memcpy(ip->src_addr, me->address.ip, 16);
	turn_echo((uint8_t *)(ip + 1), ICMP6_ECHO_REPLY);
}

/* Bytes of the IP packet, as its header says. */
static uint32_t
packet_bytes(const uint8_t *ip, bool is_ipv6)
{
	const struct rte_ipv4_hdr *v4 = (const void *)ip;
	const struct rte_ipv6_hdr *v6 = (const void *)ip;

	return is_ipv6 ? sizeof(*v6) + rte_be_to_cpu_16(v6->payload_len)
		       : rte_be_to_cpu_16(v4->total_length);
}

void
neighbour_encode_echo(const struct neighbour_station *me, const struct rte_mbuf *request,
		      struct rte_mbuf *m)
{
	const uint8_t *asked = rte_pktmbuf_mtod(request, const uint8_t *);
	const struct packet *k = packet_of(request);
	bool is_ipv6 = me->address.is_ipv6;
	uint32_t bytes = packet_bytes(asked + k->l3_ofs, is_ipv6);
	uint32_t stored = RTE_MIN(bytes, (uint32_t)request->data_len - k->l3_ofs);
	uint8_t *ip = put_ethernet(me, m, asked + RTE_ETHER_ADDR_LEN,
				   is_ipv6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4,
				   k->traffic_class >> 5);

	assert(rte_pktmbuf_tailroom(m) >= request->data_len);
	memcpy(ip, asked + k->l3_ofs, stored);
	if (is_ipv6)
		turn_ipv6(me, (struct rte_ipv6_hdr *)ip, k->traffic_class);
	else
		turn_ipv4(me, (struct rte_ipv4_hdr *)ip);
	finish(m, ip + stored, bytes - stored);
}
