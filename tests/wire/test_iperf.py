#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_iperf.py RAILYARD CONFIGS: ping and iperf3 across the switch, over IPv4 and IPv6; and iperf3's
datagrams at more than the emulated rate: ECN-capable ones arrive with CE, but not the last, which
leave a queue below Kmin behind; of others those that find it above are dropped, and none is marked.
And of datagrams that a pause has gathered in the queue, whose depth is then known for each as it
leaves: below Kmin none gets CE, from Kmax on all do, and between the share is the profile's."""
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import threading

from wire import BOUND_S, Bench, checksum, enter, pfc_frame, skip, udp_frame

DSCP = 26
ECT0, CE = 2, 3
PORT = 5201
KMIN_BYTES, KMAX_BYTES = 20000, 60000
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


# The same class, but it can be paused: 65,535 quanta take 33 s at this rate. All are marked from Kmax on.
GATHERING = SETTINGS.replace("rate: 10Mbps", "rate: 1Mbps").replace("pfc_enable: []", "pfc_enable: [3]").replace(
    "probability: 50%", "probability: 100%").replace(
    "      egress: {pool", "      lossless: {pool: ingress, size: 0, static_th: 2MB, xoff: 1MB}\n      egress: {pool").replace(
    '"0-7", profile: lossy}\n', '"0-7", profile: lossy}\n      - {pgs: 3, profile: lossless}\n')


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


def udp(a, b, ecn, amount="1M", before_marker=lambda: None):
    """The datagrams of iperf3 that b sees, in order: (ECN field, bytes of the frame with FCS)."""
    # Several may be sent; one that is late is not the next test's.
    marker = udp_frame(a, b, DSCP, 0, b"the test is over" + os.urandom(48))
    seen_marker = threading.Event()

    def mark_end(iperf):
        # One may find a queue that drops it.
        try:
            iperf.result()
            before_marker()
        finally:
            while not seen_marker.wait(0.05):
                a.send(marker)

    options = ("--udp", "--bitrate", "0", "--bytes", amount, "--length", str(DATAGRAM_BYTES), "--tos", str(DSCP << 2 | ecn))
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
    return [(f[15] & 3, len(f) + 4) for f in seen]


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
        capable = [ecn for ecn, _ in udp(a, b, ECT0)]
        others = [ecn for ecn, _ in udp(a, b, 0)]
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


def gathered(program, configs):
    with Bench(program, configs, GATHERING) as bench:
        a, b = bench.stations
        b.send(pfc_frame(b.mac, 0x08, [0, 0, 0, 0xFFFF, 0, 0, 0, 0]))
        # What b sends now comes after its pause.
        ping(b, a.ipv4)
        seen = udp(a, b, ECT0, "200K", lambda: b.send(pfc_frame(b.mac, 0x08, [0] * 8)))
        _, ports = bench.stop()
    assert ports[1]["xoff_received_3"] == "1" and ports[1]["xon_received_3"] == "1", ports[1]
    # What each left behind; and a marker or two, which are small, may have come in at the end.
    behind = [sum(size for _, size in seen[n + 1:]) for n in range(len(seen))]
    below = [ecn for (ecn, _), depth in zip(seen, behind) if depth < KMIN_BYTES - DATAGRAM_BYTES]
    beyond = [ecn for (ecn, _), depth in zip(seen, behind) if depth >= KMAX_BYTES]
    between = [(ecn, (depth - KMIN_BYTES) / (KMAX_BYTES - KMIN_BYTES))
               for (ecn, _), depth in zip(seen, behind) if KMIN_BYTES <= depth < KMAX_BYTES]
    assert len(below) >= 10 and set(below) == {ECT0}, below
    assert len(beyond) >= 50 and set(beyond) == {CE}, beyond
    marked = [ecn for ecn, _ in between].count(CE)
    expected = sum(share for _, share in between)
    deviation = sum(share * (1 - share) for _, share in between) ** 0.5
    # Six deviations, and none at all, are both less likely than one in a hundred million.
    assert 0 < marked and abs(marked - expected) < 6 * deviation, (marked, expected, deviation)
    print(f"gathered: CE in {beyond.count(CE)} of {len(beyond)} beyond Kmax, in {marked} of {len(between)} between "
          f"({expected:.1f} expected), in {below.count(CE)} of {len(below)} below Kmin")


def main():
    for tool in ("ping", "iperf3"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    marking(sys.argv[1], sys.argv[2])
    gathered(sys.argv[1], sys.argv[2])


main()
