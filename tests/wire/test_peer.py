#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_peer.py RAILYARD CONFIGS: generator and switch as two processes over vhost, and either is
killed. The switch sees its links go, forwards for the next generator, and ends with whole results;
the generator, whose switch is gone, gives its messages up and ends with whole results too."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from telemetry import BOUND_S, Client, until

PORTS = 3
EAL = ["--eal", "--single-file-segments"]  # shared with the other process
ENDLESS = ["--set", 'workload=[{incast: {from: "h[1-2]", to: "h[0]", size: 100KB, rounds: 0, at: 10us}}]',
           "--set", "duration=600s", "--set", "expect={}"]


class Process:
    def __init__(self, program, directory, name, config, *arguments):
        self.runtime, self.out = f"{directory}/{name}-runtime", f"{directory}/{name}"
        os.mkdir(self.runtime)
        self.errors = open(f"{directory}/{name}.err", "w+")
        self.process = subprocess.Popen([program, "run", config, "--out", self.out, *EAL, *arguments],
                                        stdout=subprocess.DEVNULL, stderr=self.errors,
                                        env=os.environ | {"RUNTIME_DIRECTORY": self.runtime})

    def client(self):
        path = f"{self.runtime}/dpdk/railyard-{self.process.pid}/dpdk_telemetry.v2"
        until(f"{self.out}'s telemetry", lambda: self.process.poll() is not None or os.path.exists(path))
        return Client(path)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def finish(self):
        """Its summary, once it has ended."""
        self.process.wait(BOUND_S)
        self.errors.seek(0)
        assert self.process.returncode == 0, f"{self.out}: exit {self.process.returncode}: {self.errors.read()}"
        with open(self.out + "/summary.json") as f:
            return json.load(f)


def links(switch):
    return [row["link_up"] for row in (switch.ask("/railyard/ports,tor") or {}).values()]


def passing(generator):
    client = generator.client()
    # It does not answer while it waits for its links.
    until("messages", lambda: (client.ask("/railyard/flows") or {"all": {"completed": 0}})["all"]["completed"] > 2)


def play(program, configs, directory, started):
    def start(name, kind, device, *arguments):
        devices = ", ".join(f'{{port: "{kind}[{n}]", vdev: "{device.format(n=n, path=f"{directory}/v{n}")}"}}'
                            for n in range(PORTS))
        config = configs + ("/nic-switch.yaml" if kind == "tor" else "/nic-generator.yaml")
        started.append(Process(program, directory, name, config, "--set", f"ethdevs=[{devices}]", *arguments))
        return started[-1]

    generator = ("h", "net_virtio_user{n},path={path},queues=1")
    switch = start("switch", "tor", "net_vhost{n},iface={path},queues=1", "--set", "switches.tor.ports=3")
    until("its sockets", lambda: all(os.path.exists(f"{directory}/v{n}") for n in range(PORTS)))
    asked = switch.client()
    first = start("first", *generator, *ENDLESS)
    passing(first)
    assert links(asked) == [1] * PORTS
    first.kill()
    until("the links to go", lambda: links(asked) == [0] * PORTS)
    summary = start("second", *generator).finish()
    assert summary["state"] == "complete" and summary["flows"]["completed"] == 4, summary["flows"]
    assert summary["transport"]["bytes_delivered"] == 4000000, summary["transport"]
    switch.process.send_signal(signal.SIGINT)
    summary = switch.finish()
    assert summary["state"] == "interrupted" and summary["packets"]["from_devices"] > 0
    for device in summary["real_time"]["devices"]:
        assert device["link_ups"] == 2 and device["link_downs"] >= 1, device

    switch = start("switch2", "tor", "net_vhost{n},iface={path},queues=1", "--set", "switches.tor.ports=3")
    until("its sockets", lambda: all(os.path.exists(f"{directory}/v{n}") for n in range(PORTS)))
    switch.client()
    third = start("third", *generator, *ENDLESS)
    passing(third)
    switch.kill()
    summary = third.finish()
    assert summary["flows"]["completed"] > 0 and summary["flows"]["failed"] > 0, summary["flows"]
    print(f"peer: {summary['flows']['completed']} messages, {summary['flows']['failed']} given up")


def main():
    program, configs = sys.argv[1:3]
    started = []
    with tempfile.TemporaryDirectory(prefix="ryp") as directory:
        try:
            play(program, configs, directory, started)
        finally:
            for process in started:
                process.kill()
                process.errors.close()


main()
