#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_signals.py RAILYARD CONFIGS: Ctrl-C and SIGTERM, at any moment of a run by the clock, once or
twice, leave whole results: every file there, every line whole, all sums closed, exit status 0."""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
from telemetry import BOUND_S, Client, until  # noqa: E402

ENDLESS = ["--set", 'workload=[{incast: {from: "h[1-4]", to: "h[0]", size: 100KB, rounds: 0, period: 10ms}}]',
           "--set", "duration=600s", "--set", "expect={}", "--set", "report_interval=100ms", "--set", "sample_interval=1ms"]
FILES = {"summary.json", "flows.csv", "timeseries.csv", "rates.csv", "ports.csv", "queues.csv", "pgs.csv", "drops.csv",
         "reordering.csv", "balance.csv", "groups.csv", "config.yaml"}


def check_files(out):
    """The summary; all that the files say is whole."""
    assert FILES <= set(os.listdir(out)), sorted(os.listdir(out))
    assert not any(name.endswith(".tmp") for name in os.listdir(out)), os.listdir(out)
    for name in FILES:
        with open(f"{out}/{name}", newline="") as f:
            text = f.read()
        assert text.endswith("\n"), f"{name} ends in the middle of a line"
        if name.endswith(".csv"):
            rows = list(csv.reader(text.splitlines()))
            assert len({len(row) for row in rows}) == 1, f"{name}: rows of different lengths"
    with open(out + "/summary.json") as f:
        summary = json.load(f)
    packets = summary["packets"]
    assert packets["sent"] + packets["copied"] == \
        packets["delivered"] + packets["consumed"] + packets["dropped"] + packets["in_flight"], packets
    with open(out + "/flows.csv") as f:
        assert sum(1 for _ in f) - 1 == summary["flows"]["count"], "flows.csv and the summary do not agree"
    return summary


def interrupted(program, config, directory, settings, ready, signals):
    runtime, out = directory + "/runtime", directory + "/out"
    os.mkdir(runtime)
    process = subprocess.Popen([program, "run", config, "--out", out, *settings], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=os.environ | {"RUNTIME_DIRECTORY": runtime})
    try:
        ready(process, runtime)
        for number in signals:
            process.send_signal(number)
        printed, errors = process.communicate(timeout=BOUND_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == 0, f"{signals}: exit {process.returncode}: {errors}"
    summary = check_files(out)
    assert summary["state"] == "interrupted" and summary["warnings"] is not None
    assert "interrupted" in printed.lower(), printed
    return summary


def in_the_middle(process, runtime):
    process.stderr.readline()  # it is polling
    client = Client(f"{runtime}/dpdk/railyard-{process.pid}/dpdk_telemetry.v2")
    until("a message", lambda: client.ask("/railyard/flows")["all"]["completed"] > 0)


def at_the_start(process, runtime):
    """Its socket is there; its ports need not be."""
    until("DPDK", lambda: os.path.exists(f"{runtime}/dpdk/railyard-{process.pid}/dpdk_telemetry.v2"))


def main():
    program, configs = sys.argv[1:3]
    loop = configs + "/nic-loop.yaml"
    for signals in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGTERM], [signal.SIGTERM] * 5):
        for ready in (in_the_middle, at_the_start):
            with tempfile.TemporaryDirectory(prefix="ryg") as directory:
                summary = interrupted(program, loop, directory, ENDLESS, ready, signals)
                assert ready is at_the_start or summary["flows"]["completed"] > 0
    # A generator that waits for its peers' links.
    with tempfile.TemporaryDirectory(prefix="ryg") as directory:
        devices = ", ".join(f'{{port: "h[{n}]", vdev: "net_memif{n},role=server,id={n},socket={directory}/m"}}'
                            for n in range(3))
        summary = interrupted(program, configs + "/nic-generator.yaml", directory,
                              ["--set", f"ethdevs=[{devices}]", "--set", "expect={}"], at_the_start, [signal.SIGTERM])
        assert summary["flows"]["completed"] == 0 and len(summary["warnings"]) > 0
    print("9 runs interrupted, 9 whole results")


main()
