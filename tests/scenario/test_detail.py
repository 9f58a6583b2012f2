#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`results: {detail: ...}`: what is left out of lists and files is the rest of the 1,000 largest, and is counted.

The files in full are the oracle for all others. One leaf-spine of 384 hosts that all send: 384 ports of leaves to hosts, 384
up, 384 down and 384 of hosts, each with data one way and acknowledgements the other."""
import csv
import json
import os
import subprocess
import sys
import tempfile

RAILYARD, CONFIGS = sys.argv[1:3]
MOST = 1000
PORTS = 4 * 384
# By which column rows of a file are compared; and the list of the summary that has the same rows, if any.
FILES = {"ports.csv": (("rx_bytes", "tx_bytes"), None), "queues.csv": (("max_bytes",), "queues"),
         "pgs.csv": (("max_bytes",), "pgs"), "groups.csv": (("utilisation",), None), "drops.csv": (("packets",), "drops"),
         "reordering.csv": (("reordered",), None)}


def run(directory, detail):
    out = os.path.join(directory, detail)
    sets = ["topology={kind: leaf-spine, leaves: 24, hosts_per_leaf: 16, rate: 400Gbps, switch: {balancer: spray}, "
            "host: {receiver: out-of-order}}", "duration=10us", "sample_interval=5us", "results.detail=" + detail]
    command = [RAILYARD, "run", os.path.join(CONFIGS, "scale.yaml"), "--out", out]
    command += [word for text in sets for word in ("--set", text)]
    screen = subprocess.run(command, check=True, timeout=200, stdout=subprocess.PIPE, text=True).stdout
    # Nobody is sent to a file for rows that it does not have.
    assert ("the largest in " + out in screen) == (detail == "aggregate"), screen
    assert ("more in " + out in screen) == (detail != "aggregate"), screen
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    rows = {}
    for name in os.listdir(out):
        if name.endswith(".csv"):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                rows[name] = list(csv.DictReader(file))
    return summary, rows


def largest(rows, keys):
    """In the order of the file; the first of equal ones."""
    order = sorted(range(len(rows)), key=lambda i: (-sum(float(rows[i][key]) for key in keys), i))
    return [rows[i] for i in sorted(order[:MOST])]


def same_places(listed, rows, cls):
    return [(r["node"], r["port"], r[cls]) for r in listed] == [(r["node"], int(r["port"]), int(r[cls])) for r in rows]


with tempfile.TemporaryDirectory() as tmp:
    full, full_rows = run(tmp, "full")
    auto, auto_rows = run(tmp, "auto")
    aggregate, aggregate_rows = run(tmp, "aggregate")
assert full["digest"] == auto["digest"] == aggregate["digest"]

# Nothing is left out of anything.
assert full["left_out"] == {}, full["left_out"]
assert len(full_rows["ports.csv"]) == PORTS
assert len(full_rows["queues.csv"]) > MOST and len(full_rows["pgs.csv"]) > MOST
assert same_places(full["queues"], full_rows["queues.csv"], "queue")
assert same_places(full["pgs"], full_rows["pgs.csv"], "pg")
assert len(full["reordering"]["hosts"]) == len({r["host"] for r in full_rows["reordering.csv"]})

# Files have all rows, the summary's lists do not.
assert auto_rows == full_rows
for name in ("queues", "pgs"):
    assert len(auto[name]) == MOST
    assert auto["left_out"][name] == len(full[name]) - MOST
assert not any(name.endswith(".csv") for name in auto["left_out"])

# Files have the largest rows.
for name, (keys, listed) in FILES.items():
    everything = full_rows[name]
    if name == "groups.csv":  # six digits do not tell all members apart
        assert len(aggregate_rows[name]) == min(MOST, len(everything))
    else:
        assert aggregate_rows[name] == largest(everything, keys), name
    assert aggregate["left_out"].get(name, 0) == max(0, len(everything) - MOST), name
    if listed is not None:
        assert aggregate[listed] == auto[listed]
assert aggregate["left_out"]["ports.csv"] == PORTS - MOST
assert full_rows["timeseries.csv"] and full_rows["rates.csv"]
assert aggregate_rows["timeseries.csv"] == [] and aggregate_rows["rates.csv"] == []
assert aggregate_rows["balance.csv"] == full_rows["balance.csv"] != []
assert aggregate_rows["flows.csv"] == full_rows["flows.csv"]
