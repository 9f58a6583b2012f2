#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_rxe_rules.py RAILYARD SOURCE: the generator's messages are, packet by packet and header by
header, those of another implementation of RoCEv2, the Linux soft-RoCE driver, captured (optional
data beside the source tree).

A message becomes a tuple of packets in which PSNs count from the message's first and MSNs from
the queue pair's first message; the same verb, size and MTU must give the same tuple. What
depends on who speaks is left out: addresses, ports, numbers of queue pairs, first PSNs, keys,
identifications, DSCP and ECN (the driver's answers copy the data's), and MigReq (path migration is
optional: NICs say 1, the driver 0).
"""
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

ETHERNET, IPV4, UDP, BTH, ICRC = 14, 20, 8, 12, 4
RETH, AETH, IMMEDIATE = 16, 4, 4
VERBS = ("send", "write", "read")
# Extended headers of the opcodes of RC, IBTA table 38.
REQUESTS = {0: 0, 1: 0, 2: 0, 4: 0, 6: RETH, 7: 0, 8: 0, 10: RETH, 12: RETH}
RESPONSES = {13: AETH, 14: 0, 15: AETH, 16: AETH, 17: AETH}
STARTS = {0: "send", 4: "send", 6: "write", 10: "write", 12: "read"}
ENDS = (2, 4, 8, 10, 12)
PSNS = 1 << 24
MIGRATION = 0x40

Packet = collections.namedtuple(
    "Packet", "source destination opcode flags pkey ackreq psn payload extension ttl")


def frames(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"), "little-endian, us or ns"
    offset = 24
    while offset < len(data):
        captured, = struct.unpack_from("<I", data, offset + 8)
        yield data[offset + 16:offset + 16 + captured]
        offset += 16 + captured


def parse(frame):
    """A Packet, or None for what is not a reliable connection's."""
    if len(frame) < ETHERNET + IPV4 + UDP + BTH or frame[12:14] != b"\x08\0" or frame[23] != 17:
        return None
    version, _, total, _, fragment, ttl = struct.unpack_from("!BBHHHB", frame, ETHERNET)
    source, destination = frame[26:30], frame[30:34]
    source_port, port, udp_bytes, checksum = struct.unpack_from("!HHHH", frame, ETHERNET + IPV4)
    opcode, flags, pkey, queue_pair, word = struct.unpack_from("!BBHII", frame, ETHERNET + IPV4 + UDP)
    extension_bytes = {**REQUESTS, **RESPONSES}.get(opcode)
    if port != 4791 or extension_bytes is None:
        return None
    start = ETHERNET + IPV4 + UDP + BTH
    # What no rule lets vary: said once here, for both sides. A source port of 0xc000 on (A17.3.1).
    assert version == 0x45 and fragment == 0x4000 and checksum == 0 and source_port >= 0xC000
    assert queue_pair >> 24 == 0, "reserved, FECN and BECN bits"
    assert word >> 24 & 0x7F == 0, "reserved bits beside AckReq"
    assert total == len(frame) - ETHERNET and udp_bytes == total - IPV4, "lengths"
    payload = len(frame) - start - extension_bytes - ICRC
    pad = flags >> 4 & 3
    assert payload % 4 == 0 and payload >= pad
    return Packet(source, destination, opcode, flags, pkey, word >> 31, word % PSNS, payload - pad,
                  frame[start:start + extension_bytes], ttl)


class Message:
    def __init__(self, packet):
        self.verb, self.packets, self.answers = STARTS[packet.opcode], [packet], []
        self.first = packet.psn

    @property
    def bytes(self):
        if self.verb == "read":
            return struct.unpack("!QII", self.packets[0].extension)[2]
        return sum(packet.payload for packet in self.packets)

    def psn(self, n):
        """Of its packet n."""
        return (self.first + n) % PSNS

    def psns(self, mtu):
        return max(1, -(-self.bytes // mtu))

    def shape(self, number):
        """Requests, then answers; number: of the message, from 1 on."""
        shape = []
        for packet in self.packets + self.answers:
            extension = ()
            if RETH == len(packet.extension):
                extension = ("dma length", struct.unpack("!QII", packet.extension)[2])
            elif AETH == len(packet.extension):
                word, = struct.unpack("!I", packet.extension)
                extension = ("syndrome", word >> 24, "msn", (word & 0xFFFFFF) - number)
            shape.append((("opcode", packet.opcode), ("solicited, pad, version", packet.flags & ~MIGRATION),
                          ("pkey", packet.pkey), ("ackreq", packet.ackreq), ("psn", (packet.psn - self.first) % PSNS),
                          ("payload", packet.payload), ("ttl", packet.ttl), extension))
        return tuple(shape)


def conversations(path, mtu):
    """The messages of each requester, in order, with the packets that answer each."""
    requesters = collections.defaultdict(list)
    answers = []
    for packet in filter(None, map(parse, frames(path))):
        if packet.opcode in RESPONSES:
            answers.append(packet)
        elif packet.opcode in STARTS:
            requesters[packet.source].append(Message(packet))
        else:
            requesters[packet.source][-1].packets.append(packet)
    asked = {(requester, message.psn(n)): message
             for requester, messages in requesters.items() for message in messages for n in range(message.psns(mtu))}
    for packet in answers:
        asked[packet.destination, packet.psn].answers.append(packet)
    return list(requesters.values())


def check_rules(messages, mtu):
    """Rules of IBTA 9.2-9.7, which must hold of the driver's packets and of ours."""
    psn = messages[0].first
    for message in messages:
        assert message.first == psn, "PSNs of messages follow each other"
        psn = message.psn(message.psns(mtu))
        sizes = [p.payload for p in (message.answers if message.verb == "read" else message.packets)]
        assert sum(sizes) == message.bytes and len(sizes) == message.psns(mtu)
        assert all(size == mtu for size in sizes[:-1]), "packets but the last are of the MTU"
        assert [p.opcode in ENDS for p in message.packets] == [False] * (len(message.packets) - 1) + [True]
        for n, packet in enumerate(message.packets):
            assert packet.psn == message.psn(n)
        for packet in message.packets + message.answers:
            assert packet.flags >> 4 & 3 == -packet.payload % 4, "pad count"
        assert message.answers, "a message without an answer"


def shapes(path, mtu):
    """{(verb, bytes): shapes of its messages}."""
    found = collections.defaultdict(set)
    for messages in conversations(path, mtu):
        check_rules(messages, mtu)
        for number, message in enumerate(messages, 1):
            found[message.verb, message.bytes].add(message.shape(number))
    return found


SCENARIO = """switches: {{tor: {{profile: generic-32mb, ports: 2}}}}
hosts: {{h: {{count: 2, nic: 100Gbps, mtu: {mtu}, ack_every: {ack_every}}}}}
links: [{{from: "h[0-1]", to: "tor[0-1]", delay: 1us}}]
workload: [{{incast: {{from: "h[1]", to: "h[0]", size: {size}, verb: {verb}, rounds: 5}}}}]
"""


class Generator:
    def __init__(self, program, source, directory):
        self.program, self.directory = program, directory
        os.symlink(os.path.join(source, "configs", "profiles"), os.path.join(directory, "profiles"))

    def shapes(self, verb, size, mtu, ack_every=0):
        config, capture = (os.path.join(self.directory, name) for name in ("rules.yaml", "rules.pcap"))
        with open(config, "w") as f:
            f.write(SCENARIO.format(mtu=mtu, ack_every=ack_every, size=size, verb=verb))
        subprocess.run([self.program, "run", config, "--quiet", "--pcap", f"h1:0={capture}"], check=True)
        return shapes(capture, mtu)[verb, size]


def difference(theirs, ours):
    for n, (a, b) in enumerate(zip(theirs, ours)):
        if a != b:
            return f"packet {n}: the driver's {a}, ours {b}"
    return f"{len(theirs)} packets of the driver, {len(ours)} of ours"


def compare(name, captured, generator, mtu):
    for (verb, size), theirs in sorted(captured.items()):
        ours = generator.shapes(verb, size, mtu)
        assert len(theirs) == 1, f"{name}: {verb} of {size}: the driver's messages differ among themselves: {theirs}"
        assert len(ours) == 1, f"{verb} of {size}: our messages differ among themselves: {ours}"
        a, b = theirs.pop(), ours.pop()
        assert a == b, f"{name}: {verb} of {size}: {difference(a, b)}"
        print(f"{name}: {verb} of {size} bytes at MTU {mtu}: {len(a)} packets the same")


def ackreq_every(generator):
    """With ack_every: n the rest stays, but each n-th packet asks as well as the last."""
    (shape,) = generator.shapes("write", 8192, 1024, ack_every=3)
    asking = [dict(filter(None, packet[:-1]))["ackreq"] for packet in shape[:8]]
    assert asking[-1] == 1 and sum(asking) > 1, asking


def main():
    program, source = sys.argv[1:3]
    captures = os.path.join(source, "..", "shared", "data", "captures", "rxe")
    if not os.path.isdir(captures):
        print("no captures beside the source tree")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        generator = Generator(program, source, directory)
        for name in sorted(os.listdir(captures)):
            # Of the connection manager's the MTU does not matter: each message is one packet.
            mtu = int((re.search(r"-(1024|4096)\b", name) or [0, 4096])[1])
            compare(name, shapes(os.path.join(captures, name), mtu), generator, mtu)
        # Sizes that no capture has; the rules that hold of the driver's are those of ours.
        for verb in VERBS:
            for size in (1, 1025, 100003):
                for mtu in (1024, 4096):
                    assert len(generator.shapes(verb, size, mtu)) == 1
        ackreq_every(generator)


main()
