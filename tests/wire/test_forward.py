#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_forward.py RAILYARD CONFIGS: what a switch passes comes out as it went in (ARP, ICMP, TCP
over IPv4 and IPv6, tags, DSCP and ECN, unknown ethertypes), and what it must not pass does not
(PFC, LLDP)."""
import os
import socket
import struct
import sys
import threading

from wire import BOUND_S, Bench, checksum, is_pfc, pfc_frame, udp_frame

SETTINGS = """time: real
mbufs: 4096
report_interval: 100ms
switches: {tor: {profile: generic-32mb, ports: 2, rate: 1Gbps}}
ethdevs:
"""


def ping(a, b):
    """Echo requests by the kernel's own hand; it resolves the address by ARP."""
    with a.namespace.inside():
        s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    with s:
        s.settimeout(BOUND_S)
        for number in range(1, 6):
            body = struct.pack("!HH", os.getpid() & 0xFFFF, number) + os.urandom(1000)
            s.sendto(struct.pack("!BBH", 8, 0, checksum(b"\x08\0\0\0" + body)) + body, (b.ipv4, 0))
            while True:
                answer = s.recv(4096)
                if answer[20] == 0 and answer[24:] == body:
                    break
    print("ping: 5 of 5 answered")


def transfer(a, b, family, address):
    data = os.urandom(1 << 20)
    with b.namespace.inside():
        server = socket.create_server((address, 7777), family=family)
    server.settimeout(BOUND_S)
    received = bytearray()

    def serve():
        connection, _ = server.accept()
        with connection:
            connection.settimeout(BOUND_S)
            while part := connection.recv(65536):
                received.extend(part)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with a.namespace.inside():
        client = socket.socket(family, socket.SOCK_STREAM)
    with client:
        client.settimeout(BOUND_S)
        client.connect((address, 7777))
        client.sendall(data)
    thread.join(BOUND_S)
    server.close()
    assert received == data, f"TCP to {address}: {len(received)} of {len(data)} bytes, or others"
    print(f"TCP to {address}: 1 MiB")


def raw(a, b):
    unknown = b.mac + a.mac + b"\x88\xb5" + bytes(range(100))
    lldp = bytes.fromhex("0180c200000e") + a.mac + b"\x88\xcc" + bytes(50)
    passed = [udp_frame(a, b, 26, 2, os.urandom(1000)), udp_frame(a, b, 48, 1, os.urandom(64)),
              udp_frame(a, b, 26, 2, os.urandom(500), tag=3 << 13 | 100),
              udp_frame(a, b, 0, 0, os.urandom(8000)), unknown]
    marker = udp_frame(a, b, 0, 0, b"the last one" + os.urandom(100))
    for _ in range(3):
        a.send(pfc_frame(a.mac, 0x08, [0, 0, 0, 100, 0, 0, 0, 0]))
    a.send(lldp)
    for frame in passed + [marker]:
        a.send(frame)
    left = passed + [marker]
    seen = []
    # Of different classes: not in order, but all of them.
    while left:
        seen += b.until(lambda frame: frame in left)
        left.remove(seen[-1])
    assert not any(is_pfc(frame) for frame in seen), "a PFC frame was forwarded"
    assert lldp not in seen, "an LLDP frame was forwarded"
    print(f"raw: {len(passed) + 1} frames came out as they went in")


def main():
    with Bench(sys.argv[1], sys.argv[2], SETTINGS) as bench:
        a, b = bench.stations
        ping(a, b)
        transfer(a, b, socket.AF_INET, b.ipv4)
        transfer(a, b, socket.AF_INET6, b.ipv6)
        raw(a, b)
        summary, ports = bench.stop()
    drops = {reason: n for reason, n in summary["drops_by_reason"].items() if n}
    assert drops == {"link_local": 1}, drops
    assert ports[0]["xoff_received_3"] == "3", ports[0]
    assert summary["packets"]["consumed"] == 3
    for device in summary["real_time"]["devices"]:
        assert device["rx_packets"] > 0 and device["tx_dropped"] == device["rx_refused"] == 0, device
    print("counters agree")


main()
