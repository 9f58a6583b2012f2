#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_iperf.py RAILYARD CONFIGS: ping and iperf3 across the switch, over IPv4 and IPv6; and iperf3's
datagrams at more than the emulated rate: ECN-capable ones arrive with CE, but not the last, which
leave a queue below Kmin behind; of others those that find it above are dropped, and none is marked."""
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import threading

from wire import BOUND_S, Bench, checksum, enter, skip, udp_frame

DSCP = 26
ECT0, CE = 2, 3
PORT = 5201
KMIN_BYTES = 20000
DATAGRAM_BYTES = 1400
# 1 MB of datagrams at once, and room for them; they leave at 10 Mb/s. TCP is of another class.
SETTINGS = """time: real
mbufs: 16384
report_interval: 100ms
switches:
  tor:
    ports: 2
    rate: 10Mbps
    cell: 256
    pools:
      ingress: {type: ingress, mode: static, size: 8MB}
      egress: {type: egress, mode: static, size: 8MB}
    buffer_profiles:
      lossy: {pool: ingress, size: 0, static_th: 4MB}
      egress: {pool: egress, size: 0, static_th: 8MB}
    pfc_enable: []
    pgs:
      - {pgs: "0-7", profile: lossy}
    wred:
      early: {min: 20KB, max: 60KB, probability: 50%, ecn: all}
    queues:
      - {queues: "0-7", profile: egress}
      - {queues: 3, wred: early}
ethdevs:
"""


def start(station, *command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            preexec_fn=lambda: enter(station.namespace.fd))


def finish(process):
    try:
        output = process.communicate(timeout=BOUND_S)[0]
    finally:
        process.kill()
    assert process.returncode == 0, f"{process.args}: exit {process.returncode}: {output}"
    return output


def ping(a, address):
    # With a deadline it fails when an answer is missing.
    finish(start(a, "ping", "-q", "-c", "10", "-i", "0.01", "-w", str(BOUND_S), "-s", "1000", address))
    print(f"ping {address}: 10 of 10 answered")


class Iperf:
    """An iperf3 server in b, for one test of a client in a."""

    def __init__(self, a, b, address, *options):
        self.server = start(b, "iperf3", "--server", "--one-off", "--forceflush", "--bind", address)
        self.command = ("iperf3", "--client", address, "--json", *options)
        self.a, self.client = a, None

    def __enter__(self):
        said = b""
        while b"listening" not in said:
            assert select.select([self.server.stdout], [], [], BOUND_S)[0], "iperf3's server does not start"
            part = os.read(self.server.stdout.fileno(), 4096)
            assert part, f"iperf3's server ended: {said}"
            said += part
        self.client = start(self.a, *self.command)
        return self

    def __exit__(self, *_):
        for process in (self.client, self.server):
            process.kill()
            process.communicate()

    def result(self):
        return json.loads(finish(self.client))["end"]


def tcp(a, b, address):
    with Iperf(a, b, address, "--bytes", "500K") as iperf:
        end = iperf.result()
    # The server counts what came in before the client, whose data is on its way, said that it is done.
    assert end["sum_sent"]["bytes"] >= 500 << 10 and end["sum_received"]["bytes"] > 0, end
    print(f"iperf3 TCP to {address}: {end['sum_sent']['bytes']} bytes")


def udp(a, b, ecn):
    """The datagrams of iperf3 that b sees, in order."""
    # Several may be sent; one that is late is not the next test's.
    marker = udp_frame(a, b, DSCP, 0, b"the test is over" + os.urandom(48))
    seen_marker = threading.Event()

    def mark_end(iperf):
        # One may find a queue that drops it.
        try:
            iperf.result()
        finally:
            while not seen_marker.wait(0.05):
                a.send(marker)

    options = ("--udp", "--bitrate", "0", "--bytes", "1M", "--length", str(DATAGRAM_BYTES), "--tos", str(DSCP << 2 | ecn))
    with Iperf(a, b, b.ipv4, *options) as iperf:
        ending = threading.Thread(target=mark_end, args=(iperf,), daemon=True)
        ending.start()
        try:
            seen = b.until(lambda frame: frame == marker)
        finally:
            seen_marker.set()
        ending.join(BOUND_S)
    # Its first datagram, a greeting, has no DSCP yet.
    seen = [f for f in seen if f[12:14] == b"\x08\0" and f[23] == 17 and f[15] >> 2 == DSCP
            and struct.unpack_from("!H", f, 36)[0] == PORT]
    assert len(seen) > 10 and all(checksum(f[14:34]) == 0 for f in seen), f"{len(seen)} frames; IPv4 checksum"
    return [f[15] & 3 for f in seen]


def shallow(a, b):
    """Below Kmin whatever the clock does: all at once they do not reach it."""
    sent = [udp_frame(a, b, DSCP, ECT0, struct.pack("!I", n) + bytes(996)) for n in range(15)]
    assert sum(map(len, sent)) < KMIN_BYTES
    for frame in sent:
        a.send(frame)
    seen = b.until(lambda frame: frame == sent[-1])
    assert [f for f in seen if f in sent] == sent, "marked, or lost"


def marking(program, configs):
    with Bench(program, configs, SETTINGS) as bench:
        a, b = bench.stations
        ping(a, b.ipv4)
        ping(a, b.ipv6)
        tcp(a, b, b.ipv4)
        tcp(a, b, b.ipv6)
        shallow(a, b)
        capable = udp(a, b, ECT0)
        others = udp(a, b, 0)
        summary, _ = bench.stop()
    # Marks are by depth when a frame leaves: of the last ten, and some markers, it is below Kmin.
    assert set(capable[-10:]) == {ECT0}, capable[-10:]
    assert set(capable) == {ECT0, CE}, set(capable)
    assert 0 < capable.count(CE) <= summary["ecn_marked"], (capable.count(CE), summary["ecn_marked"])
    assert set(others) == {0}, set(others)
    drops = {reason: n for reason, n in summary["drops_by_reason"].items() if n}
    assert set(drops) == {"wred"}, drops
    print(f"iperf3 UDP: {capable.count(CE)} of {len(capable)} marked; of others {len(others)} arrived, "
          f"{drops['wred']} dropped by WRED")


def main():
    for tool in ("ping", "iperf3"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    marking(sys.argv[1], sys.argv[2])


main()
