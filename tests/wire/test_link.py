#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_link.py RAILYARD CONFIGS: a port whose cable is pulled, or whose interface is taken down. What
is meant for it is dropped as link_down, the other port goes on, and when the link is back so is the
traffic; log, telemetry and results say so."""
import select
import socket
import sys

from telemetry import BOUND_S, until
from wire import Bench, ip, links_wait, udp_frame

DSCP, PG = 26, 3  # of a class of its own: the stations' kernels send what they like
SETTINGS = """time: real
mbufs: 4096
report_interval: 100ms
switches: {tor: {profile: generic-32mb, ports: 2, rate: 1Gbps}}
ethdevs:
"""
FRAMES = 5


def wait_for(bench, text):
    """A line of the switch's log."""
    while select.select([bench.process.stderr], [], [], BOUND_S)[0]:
        line = bench.process.stderr.readline()
        assert line, "the switch ended"
        if text in line:
            return
    raise AssertionError(f"the log does not say {text!r}")


def crosses(source, destination, text):
    frame = udp_frame(source, destination, DSCP, 0, text.encode().ljust(64))
    source.send(frame)
    return destination.until(lambda f: f == frame)


def link_down_drops(telemetry):
    """Of port 0, where what cannot leave by port 1 came in."""
    return (telemetry.ask("/railyard/drops,tor,0") or {}).get(f"tor/0/link_down/{PG}", {}).get("packets", 0)


def pull(bench, namespace, name, round_number):
    a, b = bench.stations
    telemetry = bench.telemetry()
    lost = [udp_frame(a, b, DSCP, 0, bytes([round_number, n]) * 64) for n in range(FRAMES)]
    ip("-n", namespace.name, "link", "set", name, "down")
    wait_for(bench, "tor:1: link down")
    port = telemetry.ask("/railyard/ports,tor,1")["tor/1"]
    assert port["link_up"] == 0 and port["link_downs"] == round_number, port
    for frame in lost:
        a.send(frame)
    until("the drops", lambda: link_down_drops(telemetry) == round_number * FRAMES)
    ip("-n", namespace.name, "link", "set", name, "up")
    wait_for(bench, "tor:1: link up")
    links_wait(bench.interfaces())
    # A socket on an interface that went down says so, once.
    b.raw.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    seen = crosses(a, b, f"after {round_number}")
    assert not any(frame in lost for frame in seen), "sent all the same"
    crosses(b, a, f"after {round_number}")


def main():
    with Bench(sys.argv[1], sys.argv[2], SETTINGS) as bench:
        a, b = bench.stations
        crosses(b, a, "before")
        crosses(a, b, "before")
        pull(bench, b.namespace, "eth0", 1)
        pull(bench, bench.switch, "p1", 2)
        summary, ports = bench.stop()
    device = summary["real_time"]["devices"][1]
    assert device["link_up"] is True and device["link_ups"] == device["link_downs"] == 2, device
    assert [ports[n]["link_downs"] for n in range(2)] == ["0", "2"], ports
    assert summary["drops_by_reason"]["link_down"] >= 2 * FRAMES, summary["drops"]
    assert "tor:1: its link went down 2 times" in summary["warnings"], summary["warnings"]
    print(f"link: down and up twice, {summary['drops_by_reason']['link_down']} frames dropped for it")


main()
