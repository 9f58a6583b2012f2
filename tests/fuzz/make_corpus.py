#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the seeds of tests/fuzz/corpus/{frame,pcap}: small frames and captures made by hand, the
right ones and those that end early or contradict themselves. Usage: make_corpus.py [DIRECTORY]

Independent of the project's own encoder: a seed that verifies says something about the decoder.
"""
import os
import struct
import sys
import zlib

MAC_A, MAC_B = bytes.fromhex("020000000001"), bytes.fromhex("020000000100")
IP_A, IP_B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
IP6_A, IP6_B = b"\xfd" + bytes(14) + b"\x01", b"\xfd" + bytes(14) + b"\x02"
ECT0, CE = 2, 3
ROCE_PORT = 4791


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(payload, tos=26 << 2 | ECT0, ttl=64, protocol=17, options=b"", fragment=0x4000, total=None):
    words = 5 + len(options) // 4
    total = words * 4 + len(payload) if total is None else total
    head = struct.pack(">BBHHHBBH", 0x40 | words, tos, total, 0, fragment, ttl, protocol, 0) + IP_A + IP_B + options
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def ipv6(payload, tclass=26 << 2 | ECT0, hops=64, following=17, length=None):
    length = len(payload) if length is None else length
    return struct.pack(">IHBB", 6 << 28 | tclass << 20, length, following, hops) + IP6_A + IP6_B + payload


def udp(payload, port=ROCE_PORT, length=None):
    return struct.pack(">HHHH", 0xC123, port, 8 + len(payload) if length is None else length, 0) + payload


def bth(opcode, psn=1, qp=0x11, ack=False, pad=0):
    return struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xFFFF, qp, (0x80000000 if ack else 0) | psn)


def arp(operation):
    return struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation) + MAC_A + IP_A + (MAC_B if operation == 2 else bytes(6)) + IP_B


def echo(kind):
    """Without data, or with zeros, which add nothing to the sum."""
    head = struct.pack(">BBHHH", kind, 0, 0, 1, 1)
    return head[:2] + struct.pack(">H", checksum(head)) + head[4:]


def icmpv6(kind, body):
    message = struct.pack(">BBH", kind, 0, 0) + body
    pseudo = IP6_A + IP6_B + struct.pack(">II", len(message), 58) + message
    return message[:2] + struct.pack(">H", checksum(pseudo + bytes(len(pseudo) % 2))) + message[4:]


def icrc(l3, l3_bytes):
    """CRC-32 over 8 ones and the packet from the IP header, mutable fields as ones."""
    b = bytearray(l3)
    if l3_bytes == 20:
        b[1] = b[8] = b[10] = b[11] = 0xFF
    else:
        b[0] |= 0x0F
        b[1] = b[2] = b[3] = b[7] = 0xFF
    b[l3_bytes + 6] = b[l3_bytes + 7] = 0xFF  # UDP checksum
    b[l3_bytes + 8 + 4] = 0xFF  # BTH resv8a
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(b)))


def roce(transport, network=ipv4, **fields):
    """A whole RoCEv2 network packet with its ICRC; `transport` starts at the BTH."""
    packet = network(udp(transport + bytes(4)), **fields)
    return packet[:-4] + icrc(packet[:-4], 20 if network is ipv4 else 40)


def ethernet(payload, kind, tags=()):
    head = MAC_B + MAC_A
    for tpid, tci in tags:
        head += struct.pack(">HH", tpid, tci)
    frame = head + struct.pack(">H", kind) + payload
    return frame + bytes(max(0, 60 - len(frame)))


RETH = struct.pack(">QII", 0x1000, 0x77, 8192)
AETH = struct.pack(">I", 0x1F000001)
IMMEDIATE = struct.pack(">I", 42)
EXTENSIONS = {
    0x00: b"", 0x01: b"", 0x02: b"", 0x03: IMMEDIATE, 0x04: b"", 0x05: IMMEDIATE, 0x06: RETH, 0x07: b"", 0x08: b"",
    0x09: IMMEDIATE, 0x0A: RETH, 0x0B: RETH + IMMEDIATE, 0x0C: RETH, 0x0D: AETH, 0x0E: b"", 0x0F: AETH, 0x10: AETH,
    0x11: AETH, 0x81: bytes(16), 0x7F: b"",
}
NO_PAYLOAD = (0x0C, 0x11, 0x81)
MAC_CONTROL = bytes.fromhex("0180c2000001") + MAC_A + b"\x88\x08"


def frames():
    """Name -> (bytes on the wire beyond those in memory, frame)."""
    seeds = {}
    for opcode, extension in EXTENSIONS.items():
        payload = b"" if opcode in NO_PAYLOAD else bytes(range(32))
        whole = ethernet(roce(bth(opcode) + extension + payload), 0x0800)
        seeds[f"roce-{opcode:02x}"] = (0, whole)
    write = bth(0x06) + RETH
    seeds["roce-ipv6"] = (0, ethernet(roce(write + bytes(64), ipv6), 0x86DD))
    seeds["roce-pad"] = (0, ethernet(roce(bth(0x04, pad=3, ack=True) + bytes(8)), 0x0800))
    seeds["roce-pad-only"] = (0, ethernet(roce(bth(0x04, pad=3)), 0x0800))
    seeds["roce-bad-icrc"] = (0, ethernet(roce(bth(0x04) + bytes(32))[:-1] + b"\x00", 0x0800))
    seeds["roce-vlan"] = (0, ethernet(roce(write + bytes(64)), 0x0800, [(0x8100, 0x6064)]))
    seeds["roce-qinq"] = (0, ethernet(roce(write + bytes(64)), 0x0800, [(0x88A8, 100), (0x8100, 0x6064)]))
    elided = ethernet(ipv4(udp(write), total=20 + 8 + len(write) + 4096 + 4), 0x0800)
    seeds["roce-elided"] = (4100, elided)
    seeds["roce-elided-too-long"] = (100, elided)
    seeds["roce-psn-wrap"] = (0, ethernet(roce(bth(0x04, psn=0xFFFFFF, qp=0xFFFFFF) + bytes(4)), 0x0800))
    for cut in (0, 1, 6, 13, 14, 15, 17, 33, 34, 41, 42, 53, 54, 69, 70):
        seeds[f"roce-cut-{cut}"] = (4100, elided[:cut])
    seeds["vlan-cut"] = (0, ethernet(b"", 0x0800, [(0x8100, 1)])[:17])
    seeds["qinq-cut"] = (0, ethernet(b"", 0x0800, [(0x88A8, 1), (0x8100, 1)])[:20])
    seeds["udp"] = (0, ethernet(ipv4(udp(bytes(20), port=53), tos=0), 0x0800))
    seeds["udp-short-length"] = (0, ethernet(ipv4(udp(bytes(20), length=4)), 0x0800))
    seeds["udp-long-length"] = (0, ethernet(ipv4(udp(bth(4) + bytes(8), length=2000)), 0x0800))
    seeds["ipv4-ce"] = (0, ethernet(ipv4(udp(bytes(20), port=53), tos=CE), 0x0800))
    seeds["ipv4-ttl-1"] = (0, ethernet(ipv4(udp(bytes(20)), ttl=1), 0x0800))
    seeds["ipv4-ttl-0"] = (0, ethernet(ipv4(udp(bytes(20)), ttl=0), 0x0800))
    seeds["ipv4-options"] = (0, ethernet(ipv4(udp(bth(4) + bytes(8)), options=b"\x94\x04\x00\x00"), 0x0800))
    seeds["ipv4-options-40"] = (0, ethernet(ipv4(udp(bth(4) + bytes(8)), options=bytes(40)), 0x0800))
    seeds["ipv4-options-40-qinq"] = (0, ethernet(ipv4(udp(bth(4) + bytes(8)), options=bytes(40)), 0x0800,
                                                 [(0x88A8, 1), (0x8100, 1)]))
    seeds["ipv4-fragment"] = (0, ethernet(ipv4(udp(bytes(20)), fragment=0x2000), 0x0800))
    seeds["ipv4-fragment-later"] = (0, ethernet(ipv4(udp(bytes(20)), fragment=0x0010), 0x0800))
    seeds["ipv4-total-0"] = (0, ethernet(ipv4(udp(bytes(20)), total=0), 0x0800))
    seeds["ipv4-total-long"] = (0, ethernet(ipv4(udp(bytes(20)), total=1500), 0x0800))
    seeds["ipv4-ihl-0"] = (0, ethernet(b"\x40" + ipv4(udp(bytes(20)))[1:], 0x0800))
    seeds["ipv4-ihl-15-cut"] = (0, ethernet(b"\x4f" + ipv4(b"")[1:], 0x0800)[:60])
    seeds["ipv4-version-6"] = (0, ethernet(ipv6(udp(bytes(20))), 0x0800))
    seeds["ipv4-tcp"] = (0, ethernet(ipv4(bytes(20), protocol=6), 0x0800))
    seeds["ipv4-bad-checksum"] = (0, ethernet(ipv4(udp(bytes(20)))[:10] + b"\x12\x34" + ipv4(udp(bytes(20)))[12:], 0x0800))
    seeds["ipv6-udp"] = (0, ethernet(ipv6(udp(bytes(20), port=53), tclass=1), 0x86DD))
    seeds["ipv6-hop-1"] = (0, ethernet(ipv6(udp(bytes(20)), hops=1), 0x86DD))
    seeds["ipv6-hop-by-hop"] = (0, ethernet(ipv6(b"\x11\x00" + bytes(6) + udp(bytes(20)), following=0), 0x86DD))
    seeds["ipv6-long"] = (0, ethernet(ipv6(udp(bytes(20)), length=0xFFFF), 0x86DD))
    seeds["ipv6-cut"] = (0, ethernet(ipv6(udp(bytes(20))), 0x86DD)[:50])
    seeds["pfc"] = (0, MAC_CONTROL + struct.pack(">HH8H", 0x0101, 0x18, *([0xFFFF] * 8)) + bytes(26))
    seeds["pfc-xon"] = (0, MAC_CONTROL + struct.pack(">HH8H", 0x0101, 0x18, *([0] * 8)) + bytes(26))
    seeds["pfc-no-class"] = (0, MAC_CONTROL + struct.pack(">HH8H", 0x0101, 0, *([1] * 8)) + bytes(26))
    seeds["pfc-cut"] = (0, (MAC_CONTROL + struct.pack(">HH8H", 0x0101, 0xFF, *([1] * 8)))[:33])
    seeds["pause"] = (0, MAC_CONTROL + struct.pack(">HH", 1, 0xFFFF) + bytes(42))
    seeds["mac-control-other"] = (0, MAC_CONTROL + struct.pack(">H", 6) + bytes(44))
    seeds["mac-control-cut"] = (0, MAC_CONTROL + b"\x01")
    seeds["link-local"] = (0, bytes.fromhex("0180c200000e") + MAC_A + b"\x88\xcc" + bytes(46))
    seeds["broadcast-arp"] = (0, b"\xff" * 6 + MAC_A + b"\x08\x06" + bytes(46))
    seeds["arp-request"] = (0, b"\xff" * 6 + MAC_A + b"\x08\x06" + arp(1) + bytes(18))
    seeds["arp-answer"] = (0, MAC_B + MAC_A + b"\x08\x06" + arp(2) + bytes(18))
    seeds["arp-cut"] = (0, b"\xff" * 6 + MAC_A + b"\x08\x06" + arp(1)[:-1])
    seeds["echo-ipv4"] = (0, ethernet(ipv4(echo(8) + bytes(32), protocol=1), 0x0800))
    seeds["echo-ipv4-elided"] = (32, ethernet(ipv4(echo(8), protocol=1, total=28 + 32), 0x0800))
    tagged = MAC_B + MAC_A + b"\x81\x00\x00\x07\x86\xdd"
    seeds["echo-ipv6"] = (0, tagged + ipv6(icmpv6(128, bytes(33)), following=58))
    link = lambda kind: struct.pack(">BB", kind, 1) + MAC_A
    seeds["nd-solicitation"] = (0, tagged + ipv6(icmpv6(135, bytes(4) + IP6_B + link(1)), hops=255, following=58))
    seeds["nd-advertisement"] = (0, tagged + ipv6(icmpv6(136, b"\x60" + bytes(3) + IP6_A + link(2)), hops=255, following=58))
    seeds["nd-option-long"] = (0, tagged + ipv6(icmpv6(135, bytes(4) + IP6_B + b"\x05\x02" + bytes(6)), hops=255, following=58))
    seeds["group-source"] = (0, MAC_B + b"\x01" + MAC_A[1:] + b"\x08\x00" + ipv4(udp(bytes(20))))
    return seeds


def pcap(records, order="<", nanoseconds=True, snaplen=65535, link=1, version=(2, 4), magic=None):
    """records: (seconds, fraction, frame, bytes on the wire or None)."""
    magic = magic if magic is not None else (0xA1B23C4D if nanoseconds else 0xA1B2C3D4)
    out = struct.pack(order + "IHHiIII", magic, *version, 0, 0, snaplen, link)
    for seconds, fraction, frame, wire in records:
        out += struct.pack(order + "IIII", seconds, fraction, len(frame), len(frame) if wire is None else wire) + frame
    return out


def pcapng(frame):
    def block(kind, body):
        body += bytes(-len(body) % 4)
        total = 12 + len(body)
        return struct.pack("<II", kind, total) + body + struct.pack("<I", total)
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HHB3x", 9, 1, 9) + bytes(4))
    return section + interface + block(6, struct.pack("<IIIII", 0, 0, 1000, len(frame), len(frame)) + frame)


def captures():
    write = ethernet(roce(bth(0x0A, ack=True) + RETH + bytes(32)), 0x0800)
    small = ethernet(ipv4(udp(bytes(18), port=53), tos=0), 0x0800)
    six = ethernet(roce(bth(0x04) + bytes(32), ipv6), 0x86DD)
    pfc = frames()["pfc"][1]
    four = [(1, 0, write, None), (1, 500, small, None), (1, 999, six, None), (2, 0, write, None)]
    whole = pcap(four)
    return {
        "ns-little": whole,
        "ns-big": pcap(four, order=">"),
        "us-little": pcap(four, nanoseconds=False),
        "us-big": pcap(four, order=">", nanoseconds=False),
        "ng": pcapng(write),
        "empty": b"",
        "magic-only": whole[:4],
        "header-cut": whole[:23],
        "no-records": whole[:24],
        "record-header-cut": whole[:24 + 15],
        "record-cut": whole[:-1],
        "record-cut-at-start": whole[:24 + 16],
        "snapped": pcap([(0, 0, write[:54], 4178), (0, 100, write[:64], 4178)], snaplen=64),
        "snaplen-0": pcap(four, snaplen=0),
        "zero-length": pcap([(0, 0, b"", None), (0, 1, b"", 64), (0, 2, write, None)]),
        "runt": pcap([(0, 0, write[:13], None), (0, 1, write[:14], None), (0, 2, write[:1], None)]),
        "wire-shorter-than-captured": pcap([(0, 0, write, 20)]),
        "wire-huge": pcap([(0, 0, write, 0xFFFFFFFF), (0, 10, write, 0x7FFFFFFF)]),
        "captured-huge": whole[:24] + struct.pack("<IIII", 0, 0, 0xFFFFFFFF, 64) + write,
        "captured-over-snaplen": pcap([(0, 0, write, None)], snaplen=16),
        "jumbo": pcap([(0, 0, write[:14] + ipv4(udp(bytes(9000), port=53)), None)]),
        "backwards": pcap([(5, 0, write, None), (4, 0, write, None), (5, 1, write, None)]),
        "same-instant": pcap([(0, 0, write, None)] * 8),
        "far-apart": pcap([(0, 0, write, None), (0xFFFFFFFF, 0, write, None)]),
        # Further than a 64-bit count of picoseconds.
        "far-apart-signed": pcap([(0, 0, write, None), (0x7FFFFFFF, 0, write, None)]),
        "far-apart-days": pcap([(0, 0, write, None), (200 * 86400, 0, write, None)]),
        "fraction-too-large": pcap([(0, 0xFFFFFFFF, write, None), (0, 0, write, None)]),
        "fraction-too-large-us": pcap([(0, 2000000, write, None), (1, 0, write, None)], nanoseconds=False),
        "not-ethernet": pcap(four, link=101),
        "version-1": pcap(four, version=(1, 0)),
        "bad-magic": pcap(four, magic=0xDEADBEEF),
        "pfc": pcap([(0, 0, pfc, None), (0, 1, pfc, None), (0, 2, write, None)]),
        "pfc-storm": pcap([(0, 0, pfc, None)] * 40),
        "flood": pcap([(0, 0, b"\xff" * 6 + write[6:], None), (0, 1, b"\x02\xff" + write[2:], None)]),
    }


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    files = {f"frame/{name}": struct.pack(">H", more) + frame for name, (more, frame) in frames().items()}
    files.update({f"pcap/{name}": data for name, data in captures().items()})
    for name, data in files.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    print(f"{len(files)} seeds")


if __name__ == "__main__":
    main()
