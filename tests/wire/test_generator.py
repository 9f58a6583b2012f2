#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_generator.py RAILYARD CONFIGS PCAP_VERIFY: generator and switch as two processes, joined by
veth pairs. An incast under DCQCN is marked, notified and paused, all of it in the captures of the
switch's ports; each message completes exactly once; every frame is whole and its ICRC right."""
import json
import os
import shutil
import subprocess
import sys

from wire import BOUND_S, Bench, enter, ip, offloads_off

HOSTS = 3
# A small static limit: the burst of two senders pauses them before DCQCN slows them down. On a
# busy machine a pause may take long to arrive, so the headroom has room for all they send.
SETTINGS = """time: real
mbufs: 16384
report_interval: 100ms
switches:
  tor:
    ports: 3
    rate: 1Gbps
    cell: 256
    pfc_enable: [3]
    maps: {tc_to_pg: {"0-7": 0, 3: 3}}
    pools:
      ingress: {type: ingress, mode: static, size: 16MB}
      egress: {type: egress, mode: static, size: 32MB}
    buffer_profiles:
      lossless: {pool: ingress, size: 0, static_th: 60KB, xoff: 8MB, xon_offset: 20KB}
      lossy: {pool: ingress, size: 0, static_th: 1MB}
      egress: {pool: egress, size: 0, static_th: 32MB}
    pgs:
      - {pgs: "0-7", profile: lossy}
      - {pgs: 3, profile: lossless}
    wred:
      lossless: {min: 20KB, max: 80KB, probability: 20%, ecn: all}
    queues:
      - {queues: "0-7", profile: egress}
      - {queues: 3, wred: lossless}
ethdevs:
"""
DEVICE = 'vdev: "net_af_packet{n},iface={name}{n},blocksz=16384,framesz=16384,framecnt=1024"'


class Pair(Bench):
    """The switch in one namespace, all hosts of the generator in another."""

    def stations_make(self):
        self.generator = self.namespace("g")
        for n in range(HOSTS):
            ip("-n", self.switch.name, "link", "add", f"p{n}", "mtu", "9000", "type", "veth", "peer", "name", f"g{n}",
               "mtu", "9000", "netns", self.generator.name)
        for namespace, name in ((self.switch, "p"), (self.generator, "g")):
            with namespace.inside():
                for n in range(HOSTS):
                    # Nobody else may speak on them.
                    with open(f"/proc/sys/net/ipv6/conf/{name}{n}/disable_ipv6", "w") as f:
                        f.write("1")
                    offloads_off(f"{name}{n}")
            for n in range(HOSTS):
                ip("-n", namespace.name, "link", "set", f"{name}{n}", "up")
        return []

    def interfaces(self):
        return [(namespace, f"{name}{n}") for namespace, name in ((self.switch, "p"), (self.generator, "g"))
                for n in range(HOSTS)]

    def devices(self):
        return "".join(f'  - {{port: "tor[{n}]", {DEVICE.format(n=n, name="p")}}}\n' for n in range(HOSTS))

    def generate(self):
        config = self.dir + "/generator.yaml"
        with open(os.path.join(self.configs, "nic-generator.yaml")) as f:
            lines = f.read().splitlines()
        at = lines.index("ethdevs:") + 1
        lines[at:at + HOSTS] = [f'  - {{port: "h[{n}]", {DEVICE.format(n=n, name="g")}}}' for n in range(HOSTS)]
        with open(config, "w") as f:
            f.write("\n".join(lines) + "\n")
        done = subprocess.run([self.program, "run", config, "--out", self.dir + "/generator"], capture_output=True,
                              text=True, timeout=2 * BOUND_S, preexec_fn=lambda: enter(self.generator.fd))
        assert done.returncode == 0, f"generator: exit {done.returncode}: {done.stdout}{done.stderr}"
        with open(self.dir + "/generator/summary.json") as f:
            return json.load(f)


def check(generator, switch):
    transport = generator["transport"]
    assert generator["state"] == "complete" and switch["state"] == "interrupted"
    assert generator["flows"]["completed"] == 4 and transport["messages_delivered"] == 4, transport
    assert transport["bytes_delivered"] == 4000000, transport
    assert switch["packets"]["dropped"] == 0, switch["drops"]
    assert switch["ecn_marked"] > 0 and generator["cnp_sent"] > 0
    assert switch["pfc"]["xoff_sent"] > 0, switch["pfc"]


def check_captures(verify, directory):
    files = [f"{directory}/{name}.pcap" for name in ("receiver", "sender")]
    done = subprocess.run([verify, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    counts = dict(zip(words[::2], map(int, words[1::2])))
    assert all(counts[what] > 0 for what in ("roce", "ce", "cnp", "pfc")), counts
    print("captures:", done.stdout.strip())
    if shutil.which("tshark") is None:
        return
    for file in files:
        done = subprocess.run(["tshark", "-r", file, "-Y", "_ws.malformed"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "", f"{file}: {done.stdout}{done.stderr}"


def main():
    program, configs, verify = sys.argv[1:4]
    with Pair(program, configs, SETTINGS) as pair:
        generator = pair.generate()
        switch, _ = pair.stop()
        check(generator, switch)
        check_captures(verify, pair.dir)
    print(f"4 messages, {switch['ecn_marked']} marks, {generator['cnp_sent']} CNPs, "
          f"{switch['pfc']['xoff_sent']} XOFF")


main()
