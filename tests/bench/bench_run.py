#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packet-hops per second of a scenario, best and median of a few runs on one core.

Usage: bench_run.py RAILYARD SCENARIO [RUNS]
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile


def main():
    railyard, scenario = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rates, summary = [], {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([railyard, "run", scenario, "--json", "--quiet", "--out", os.path.join(out, "results")],
                                  capture_output=True, text=True)
        # 1 is an expectation that failed: the run is as long.
        if done.returncode > 1:
            sys.exit(f"{scenario}: exit status {done.returncode}: {done.stderr.strip()}")
        summary = json.loads(done.stdout)
        rates.append(summary["packet_hops_per_s"] / 1e6)
    print(f"{os.path.basename(scenario)}: {max(rates):.2f} M packet-hops/s (median {statistics.median(rates):.2f} of "
          f"{runs} runs), {summary['packet_hops']} packet-hops in {summary['virtual_s'] * 1e3:.3f} ms of virtual time")


if __name__ == "__main__":
    main()
