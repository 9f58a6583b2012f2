#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_loss.py RAILYARD CONFIGS: more frames than a packet socket's ring holds, while nobody empties
it. What the kernel threw away is counted and told of, and what the port got is what was left."""
import signal
import sys

from wire import Bench, until_state, udp_frame

RING, FRAMES = 1024, 3000
SETTINGS = """time: real
mbufs: 8192
report_interval: 100ms
switches: {tor: {profile: generic-32mb, ports: 2, rate: 10Gbps}}
ethdevs:
"""


def main():
    with Bench(sys.argv[1], sys.argv[2], SETTINGS) as bench:
        a, b = bench.stations
        last = udp_frame(a, b, 0, 0, b"last".ljust(64))
        bench.process.send_signal(signal.SIGSTOP)
        until_state(bench.process.pid, "T")
        for n in range(FRAMES):
            a.send(udp_frame(a, b, 0, 0, n.to_bytes(4, "big").ljust(64)))
        bench.process.send_signal(signal.SIGCONT)
        # Once one of the first is through there is room again.
        next(b.frames())
        while True:
            a.send(last)
            if any(frame == last for frame in b.frames(0.1)):
                break
        summary, _ = bench.stop()
    device = summary["real_time"]["devices"][0]
    # Stations' kernels say a word of their own now and then: theirs are in both.
    assert FRAMES - RING - 50 <= device["rx_unseen"] <= FRAMES, device
    assert device["rx_packets"] + device["rx_unseen"] >= FRAMES, device
    told = [line.split(":", 2)[1:] for line in summary["warnings"] if "its interface received" in line]
    assert len(told) == 1 and told[0][0] == "0", summary["warnings"]
    assert f" {device['rx_unseen']} frames that the port never saw" in told[0][1], told
    assert summary["real_time"]["devices"][1]["rx_unseen"] == 0
    print(f"loss: {device['rx_unseen']} of {FRAMES} were not seen, and told of")


main()
