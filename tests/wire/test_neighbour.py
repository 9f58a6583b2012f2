#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_neighbour.py RAILYARD CONFIGS: hosts of the generator and the kernel's network stack find each
other, over IPv4 and IPv6: the kernel pings them and keeps them as neighbours, they resolve the
kernel's MAC address and send it RoCE. The same in a VLAN, with frames made here. A peer that is not
there is named in the summary."""
import shutil
import socket
import struct
import subprocess
import sys

from wire import BOUND_S, Bench, ip, skip

TAG = struct.pack("!HH", 0x8100, 100)
TAGGED_MAC = bytes((2, 0, 0, 0, 0, 3))
BROADCAST = b"\xff" * 6
# The kernel does not speak RoCE: what is sent to it is never acknowledged, and nobody minds.
SETTINGS = """time: real
payload: full
mbufs: 4096
report_interval: 100ms
hosts:
  four: {nic: 1Gbps, timeout: 0, address: 10.99.0.100}
  six: {nic: 1Gbps, timeout: 0, ip: ipv6, address: "fd99::100"}
  tagged: {nic: 1Gbps, timeout: 0, address: 10.98.0.100, vlan: 100}
  kernel-four: {nic: 1Gbps, remote: yes, address: 10.99.0.1}
  kernel-six: {nic: 1Gbps, remote: yes, ip: ipv6, address: "fd99::2"}
  kernel-tagged: {nic: 1Gbps, remote: yes, address: 10.98.0.1, vlan: 100}
  ghost: {nic: 1Gbps, remote: yes, address: 10.99.0.200}
workload:
  - elephants: {from: [four, four, six, tagged], to: [kernel-four, ghost, kernel-six, kernel-tagged], size: 100, count: 1, verb: send, at: 10us}
ethdevs:
"""
ROCE_PORT = 4791


class Generator(Bench):
    ports = ("four", "six", "tagged")
    captures = {"four": "four:0", "six": "six:0", "tagged": "tagged:0"}

    def stations_make(self):
        stations = super().stations_make()
        # They listen before anyone sends.
        self.sockets = [listen(stations[0], stations[0].ipv4), listen(stations[1], stations[1].ipv6)]
        return stations


def listen(station, address):
    with station.namespace.inside():
        s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(BOUND_S)
    s.bind((address, ROCE_PORT))
    return s


def receives(s, source):
    """One SEND Only with 100 bytes: BTH, payload, ICRC; the MAC address was right or it were not here."""
    data, address = s.recvfrom(2048)
    assert address[0] == source, address
    assert data[0] == 4 and len(data) == 12 + 100 + 4, data.hex()


def arp(opcode, source_mac, source_ip, mac, address, tag):
    to = BROADCAST if opcode == 1 else mac
    addresses = (source_mac, socket.inet_aton(source_ip), mac, socket.inet_aton(address))
    return to + source_mac + tag + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, opcode) + b"".join(addresses)


def tagged(station):
    """Found in its VLAN, and finding; outside of it neither."""
    me, it = "10.98.0.1", "10.98.0.100"
    question = arp(1, TAGGED_MAC, it, bytes(6), me, TAG).ljust(60, b"\0")
    station.until(lambda frame: frame == question)
    station.send(arp(2, station.mac, "10.98.0.2", TAGGED_MAC, it, TAG))
    station.send(arp(2, station.mac, me, TAGGED_MAC, it, b""))
    station.send(arp(1, station.mac, me, bytes(6), it, b""))
    station.send(arp(1, station.mac, "10.98.0.3", bytes(6), it, TAG))
    answer = arp(2, TAGGED_MAC, it, station.mac, "10.98.0.3", TAG).ljust(60, b"\0")
    seen = station.until(lambda frame: frame == answer)
    # None of these was the answer it wants, and it hears nothing that is not tagged.
    assert all(frame[12:16] == TAG and frame[16:18] == b"\x08\x06" for frame in seen if frame[6:12] == TAGGED_MAC), seen
    station.send(arp(2, station.mac, me, TAGGED_MAC, it, TAG))
    station.until(lambda frame: frame[:18] == station.mac + TAGGED_MAC + struct.pack("!HHH", 0x8100, 3 << 13 | 100, 0x0800))


def pings(station, address, mac):
    """Small, ordinary and large enough to be no smallest frame; and what the kernel then knows."""
    name = station.namespace.name
    ip("-n", name, "neigh", "flush", "dev", "eth0")
    for size in (0, 56, 1400):
        done = subprocess.run(["ip", "netns", "exec", name, "ping", "-c", "1", "-w", str(BOUND_S), "-s", str(size),
                               address], capture_output=True, text=True, timeout=2 * BOUND_S)
        assert done.returncode == 0 and "1 received" in done.stdout, f"{address}: {done.stdout}{done.stderr}"
    known = ip("-n", name, "neigh", "show", address, "dev", "eth0").stdout
    assert f"lladdr {mac}" in known, known


def check_captures(bench):
    if shutil.which("tshark") is None:
        print("tshark is not installed: captures are not looked at")
        return
    bad = ("_ws.malformed || ip.checksum.status == 0 || icmp.checksum.status == 0 || icmpv6.checksum.status == 0 || "
           "udp.checksum.status == 0 || frame.len < 42")
    for name in bench.captures:
        done = subprocess.run(["tshark", "-r", f"{bench.dir}/{name}.pcap", "-o", "ip.check_checksum:TRUE",
                               "-o", "udp.check_checksum:TRUE", "-Y", bad], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "", f"{name}: {done.stdout}{done.stderr}"


def main():
    with Generator(sys.argv[1], sys.argv[2], SETTINGS) as bench:
        if shutil.which("ping") is None:
            skip("ping (iputils) is not installed")
        receives(bench.sockets[0], "10.99.0.100")
        receives(bench.sockets[1], "fd99::100")
        tagged(bench.stations[2])
        pings(bench.stations[0], "10.99.0.100", "02:00:00:00:00:01")
        pings(bench.stations[1], "fd99::100", "02:00:00:00:00:02")
        summary, _ = bench.stop()
        check_captures(bench)
    neighbours = summary["neighbours"]
    assert neighbours["answered"] >= 3 and neighbours["echoes_answered"] >= 6, neighbours
    assert summary["packets"]["dropped"] == 0, summary["drops"]
    silent = [line for line in summary["warnings"] if "MAC address" in line]
    assert len(silent) == 1 and silent[0].startswith("ghost (10.99.0.200)") and "four" in silent[0], summary["warnings"]
    print(f"neighbours: {neighbours['answered']} answers, {neighbours['echoes_answered']} echoes, "
          f"{neighbours['asked']} asked; {silent[0]}")


main()
