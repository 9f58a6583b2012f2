#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_telemetry.py RAILYARD CONFIGS: a run by the clock answers DPDK's telemetry as dpdk-telemetry.py
asks it; what it says grows towards what the summary says at the end; a snapshot is written on
request and on SIGUSR1; and nothing is left of the socket."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from telemetry import BOUND_S, Client, until

SETTINGS = ["--set", 'workload=[{incast: {from: "h[1-4]", to: "h[0]", size: 100KB, rounds: 0, period: 10ms}}]',
            "--set", "duration=600s", "--set", "expect={}", "--set", "report_interval=100ms"]


def total(rows, key):
    return sum(row[key] for row in (rows or {}).values())


def check_commands(client):
    commands = client.ask("/")
    names = ["config", "ports", "queues", "pgs", "flows", "drops", "snapshot"]
    assert all("/railyard/" + name in commands for name in names), commands
    config = client.ask("/railyard/config")
    assert config["nodes"] == ["tor", "h0", "h1", "h2", "h3", "h4"] and config["devices"] == 10, config
    ports = client.ask("/railyard/ports,tor")
    assert sorted(ports) == [f"tor/{n}" for n in range(5)], sorted(ports)
    assert list(client.ask("/railyard/ports,tor,1")) == ["tor/1"]
    assert list(client.ask("/railyard/queues,tor,0"))[0].startswith("tor/0/")
    # What is not there is refused, and harms nothing.
    for wrong in ("/railyard/ports,nix", "/railyard/pgs,tor,5", "/railyard/queues,tor,x", "/railyard/ports," + "x" * 99):
        assert client.ask(wrong) is None, wrong


def check_against(summary, ports, queues, pgs):
    """What was told during the run is no more than what the run came to."""
    of = {(p["node"], p["port"]): p for p in summary["ports"]}
    for row in ports.values():
        last = of[row["node"], row["port"]]
        assert 0 < row["rx_packets"] <= last["rx_packets"] and row["tx_bytes"] <= last["tx_bytes"], (row, last)
    assert total(queues, "tx_packets") <= sum(q["tx_packets"] for q in summary["queues"])
    assert total(queues, "marked") <= summary["ecn_marked"]
    assert total(pgs, "packets") <= sum(p["packets"] for p in summary["pgs"])


def run(program, configs, directory):
    runtime = directory + "/runtime"
    out = directory + "/out"
    os.mkdir(runtime)
    process = subprocess.Popen([program, "run", configs + "/nic-loop.yaml", *SETTINGS, "--out", out],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"RUNTIME_DIRECTORY": runtime})
    try:
        # Its first line of log says that it is polling.
        assert "packets/s" in process.stderr.readline()
        path = f"{runtime}/dpdk/railyard-{process.pid}/dpdk_telemetry.v2"
        client = Client(path)
        assert client.pid == process.pid
        until("a message", lambda: client.ask("/railyard/flows")["all"]["completed"] > 0)
        check_commands(client)
        told = [client.ask(f"/railyard/{what},tor") for what in ("ports", "queues", "pgs")]
        # One answer is of one moment: what the switch has forwarded has come in.
        assert total(told[0], "tx_packets") <= total(told[0], "rx_packets"), told[0]
        assert client.ask("/railyard/snapshot") == {"file": out + "/snapshot-1.json"}
        process.send_signal(signal.SIGUSR1)
        until("the second snapshot", lambda: os.path.exists(out + "/snapshot-2.json"))
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=BOUND_S)[1]
        assert process.returncode == 0, errors
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert not os.path.exists(os.path.dirname(path)), os.listdir(os.path.dirname(path))
    summaries = []
    for name in ("snapshot-1", "snapshot-2", "summary"):
        with open(f"{out}/{name}.json") as f:
            summaries.append(json.load(f))
    assert [s["state"] for s in summaries] == ["running", "running", "interrupted"]
    sent = [s["packets"]["sent"] for s in summaries]
    assert 0 < sent[0] <= sent[1] <= sent[2], sent
    assert set(summaries[0]) == set(summaries[2]) - {"expectations"}, set(summaries[0]) ^ set(summaries[2])
    check_against(summaries[2], *told)
    print(f"packets sent: {sent}")


def refused(program, configs, directory):
    """With telemetry off there is no socket, nor in virtual time."""
    for setting in ("eal={telemetry: no}", "time=virtual"):
        runtime = directory + "/none"
        os.makedirs(runtime, exist_ok=True)
        done = subprocess.run([program, "run", configs + "/nic-loop.yaml", "--quiet", "--set", setting],
                              capture_output=True, text=True, timeout=BOUND_S,
                              env=os.environ | {"RUNTIME_DIRECTORY": runtime})
        assert done.returncode == 0 and os.listdir(runtime) == [], (setting, done.stderr, os.listdir(runtime))


def main():
    with tempfile.TemporaryDirectory(prefix="ryt") as directory:
        run(sys.argv[1], sys.argv[2], directory)
        refused(sys.argv[1], sys.argv[2], directory)


main()
