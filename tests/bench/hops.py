#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packet-hops a second of a scenario on one core: CPU time, median of five runs.

usage: hops.py RAILYARD CONFIG [--set PATH=VALUE ...]
"""
import json
import os
import statistics
import subprocess
import sys
import time

RUNS = 5


def run(arguments):
    before = os.times()
    wall = time.monotonic()
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=False)
    wall = time.monotonic() - wall
    after = os.times()
    if done.returncode > 1:
        sys.exit(f"exit code {done.returncode}: {' '.join(arguments)}")
    cpu = after.children_user - before.children_user
    return json.loads(done.stdout), cpu, wall


def main():
    program, config, *options = sys.argv[1:]
    command = [program, "run", config, "--json", *options]
    results = [run(command) for _ in range(RUNS)]
    hops = results[0][0]["packet_hops"]
    inner = statistics.median(r[0]["packet_hops_per_s"] for r in results)
    cpu = statistics.median(r[1] for r in results)
    print(f"{os.path.basename(config)}: {hops / 1e6:.2f} M packet-hops, "
          f"{inner / 1e6:.2f} M/s in the run (median of {RUNS} by the wall clock), "
          f"{1e9 * cpu / hops:.0f} ns of user CPU a hop over the whole process")


if __name__ == "__main__":
    main()
