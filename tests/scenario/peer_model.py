#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of HPCC's ns-3 simulator for a permutation under PFC alone, written down apart from
Railyard, to tell what the two differ in (docs/peers.md). Rules, by their files:

switch-mmu.cc      bytes; 4 KiB reserved and 37,500 bytes of headroom a port; a port's share is an
                   eighth of what is free; pause from there on, resume 3 KiB below, headroom empty
switch-node.cc     EcmpHash (MurmurHash3) of addresses 11.0.n.1 and ports, seeded by the number
third.cc           next hops in the order in which a search from the destination comes to them,
                   neighbours by address in memory; acknowledgements in queue 0 or in the data's
qbb-net-device.cc  queue 0 first, pauses in it; whole nanoseconds

usage: peer_model.py [--help]        as published: 876/2011/3412 us with the defaults
"""
import argparse
import heapq
from collections import deque

PAIRS = (5, 13, 3, 10, 8, 9, 1, 2, 6, 4, 12, 14, 0, 15, 7, 11)
RESERVED, HEADROOM, RESUME = 4096, 37500, 3072
DELAY_PS = 1_000_000
DATA, ACK, PFC = range(3)


def murmur3(words, seed):
    def rotate(x, n):
        return (x << n | x >> (32 - n)) & 0xffffffff
    h = seed
    for k in words:
        h ^= rotate(k * 0xcc9e2d51 & 0xffffffff, 15) * 0x1b873593 & 0xffffffff
        h = (rotate(h, 13) * 5 + 0xe6546b64) & 0xffffffff
    h ^= 4 * len(words)
    for shift, factor in ((16, 0x85ebca6b), (13, 0xc2b2ae35), (16, 1)):
        h = (h ^ h >> shift) * factor & 0xffffffff
    return h


class Port:
    def __init__(self, peer, peer_port):
        self.peer, self.peer_port = peer, peer_port
        self.first, self.data = deque(), deque()
        self.busy = self.paused = False
        self.used = self.headroom = 0  # of the ingress side, as is:
        self.pausing = False


class Node:
    def __init__(self, number):
        self.number, self.ports, self.routes, self.shared = number, [], {}, 0


def fat_tree():
    """16 hosts, 8 leaves from 16, 8 spines from 24, 4 cores from 32."""
    nodes = [Node(n) for n in range(36)]

    def link(a, b):
        nodes[a].ports.append(Port(b, len(nodes[b].ports)))
        nodes[b].ports.append(Port(a, len(nodes[a].ports) - 1))
    for pod in range(4):
        for leaf in (2 * pod, 2 * pod + 1):
            for host in (2 * leaf, 2 * leaf + 1):
                link(host, 16 + leaf)
            for spine in (2 * pod, 2 * pod + 1):
                link(16 + leaf, 24 + spine)
        for spine in (0, 1):
            for core in (0, 1):
                link(24 + 2 * pod + spine, 32 + 2 * spine + core)
    for host in range(16):
        distance, queue = {host: 0}, [host]
        for n in queue:
            for port in sorted(nodes[n].ports, key=lambda p: -p.peer):
                if port.peer not in distance:
                    distance[port.peer] = distance[n] + 1
                    if port.peer >= 16:
                        queue.append(port.peer)
                if distance[port.peer] == distance[n] + 1:
                    nodes[port.peer].routes.setdefault(host, []).append(port.peer_port)
    return nodes


class Model:
    def __init__(self, o):
        self.o, self.nodes = o, fat_tree()
        self.events, self.count, self.now = [], 0, 0
        self.sent, self.received, self.end = [0] * 16, [0] * 16, [0] * 16
        self.pauses = 0
        self.free = o.buffer - 4 * (HEADROOM + RESERVED)
        self.choices = {}

    def at(self, time, *event):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, event))

    def start(self, port, packet):
        time = (packet[2] + self.o.gap) * 80
        time -= time % 1000 if self.o.truncate else 0
        port.busy = True
        self.at(self.now + time, None, port)
        self.at(self.now + time + DELAY_PS, packet, self.nodes[port.peer], port.peer_port)

    def kick(self, port):
        if port.busy:
            return
        node = self.nodes[self.nodes[port.peer].ports[port.peer_port].peer]
        if port.first:
            self.start(port, port.first.popleft())
        elif port.paused:
            return
        elif port.data:
            packet = port.data.popleft()
            if node.number >= 16:
                port.busy = True
                self.release(node, packet)
            self.start(port, packet)
        elif node.number < 16 and self.sent[node.number] < self.o.size:
            payload = min(self.o.payload, self.o.size - self.sent[node.number])
            self.sent[node.number] += payload
            self.start(port, [DATA, node.number, payload + self.o.header, None])

    def pause(self, port, pausing):
        port.pausing = pausing
        self.pauses += pausing
        port.first.append([PFC, pausing, self.o.pfc, None])
        self.kick(port)

    def admit(self, node, port, size):
        total, limit = port.used + size, (self.free - node.shared) // 8
        if total <= RESERVED:
            port.used = total
        elif total - RESERVED > limit:
            port.headroom += size
            assert port.headroom <= HEADROOM
        else:
            port.used = total
            node.shared += min(size, total - RESERVED)
        if not port.pausing and (port.headroom or max(port.used - RESERVED, 0) >=
                                 (self.free - node.shared) // 8):
            self.pause(port, True)

    def release(self, node, packet):
        port, size = packet[3], packet[2]
        headroom = min(port.headroom, size)
        size -= headroom
        port.headroom -= headroom
        node.shared -= min(size, max(port.used - RESERVED, 0))
        port.used -= size
        over = max(port.used - RESERVED, 0)
        if port.pausing and not port.headroom and (
                over == 0 or over + RESUME <= (self.free - node.shared) // 8):
            self.pause(port, False)

    def choose(self, node, kind, flow):
        ends = (flow, PAIRS[flow]) if kind == DATA else (PAIRS[flow], flow)
        ports = 10000 | 100 << 16 if kind == DATA else 100 | 10000 << 16
        hops = node.routes[ends[1]]
        key = [0x0b000001 + (n << 8) for n in ends] + [ports]
        return node.ports[hops[murmur3(key, node.number) % len(hops)]]

    def forward(self, node, port, packet):
        kind, flow, size = packet[:3]
        out = self.choices.get((node, kind, flow))
        if out is None:
            out = self.choices[node, kind, flow] = self.choose(node, kind, flow)
        packet[3] = port
        if kind == ACK and self.o.acks_first:
            out.first.append(packet)
        else:
            self.admit(node, port, size)
            out.data.append(packet)
        self.kick(out)

    def take(self, packet, node, index):
        port, (kind, flow, size) = node.ports[index], packet[:3]
        if kind == PFC:
            port.paused = flow
        elif node.number >= 16:
            self.forward(node, port, packet)
            return
        elif kind == DATA:
            self.received[flow] += size - self.o.header
            last = self.received[flow] == self.o.size
            (port.first if self.o.acks_first else port.data).append(
                [ACK, flow, self.o.ack, None, last])
        elif packet[4]:
            self.end[flow] = self.now
        self.kick(port)

    def run(self):
        for host in range(16):
            self.kick(self.nodes[host].ports[0])
        while self.events:
            self.now, _, (packet, *where) = heapq.heappop(self.events)
            if packet is None:
                where[0].busy = False
                self.kick(where[0])
            else:
                self.take(packet, *where)
        return [end / 1e6 for end in self.end]


def options(arguments=None):
    parser = argparse.ArgumentParser(description="HPCC's ns-3 simulator, permutation, PFC alone")
    for name, default, what in (
            ("size", 10_000_000, "bytes of a flow"), ("buffer", 32 << 20, "bytes of a switch"),
            ("payload", 1000, "bytes of a packet"), ("header", 48, "bytes around it"),
            ("ack", 60, "bytes of an acknowledgement"), ("pfc", 43, "bytes of a pause"),
            ("gap", 0, "bytes between frames")):
        parser.add_argument("--" + name, type=int, default=default, help=f"{what} ({default})")
    parser.add_argument("--exact", dest="truncate", action="store_false",
                        help="times in picoseconds")
    parser.add_argument("--acks-first", action="store_true", help="not in the data's class")
    return parser.parse_args(arguments)


def main():
    model = Model(options())
    times = model.run()
    print(f"{min(times):.0f}/{sum(times) / 16:.0f}/{max(times):.0f} us, {model.pauses} pauses")


if __name__ == "__main__":
    main()
