#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The switch by the clock beside testpmd's mac forwarding, on the same kind of ports.

usage: real.py BENCH_REAL [FRAME_BYTES ...]

One core each, by turns, so that both meet the machine in the same state; medians of ROUNDS. A
packet costs what its thread's CPU time says, so another process on the core does not count.
Without testpmd (Debian package dpdk-dev) the switch's figures stand alone.
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

ROUNDS = 5
PACKETS = 20_000_000
SECONDS = 1.5
WORKER = 1  # testpmd forwards on a core that is not its main one


def cpu_seconds(pid):
    """CPU time of testpmd's forwarding thread."""
    for path in glob.glob(f"/proc/{pid}/task/*/"):
        with open(path + "comm", encoding="ascii") as comm:
            name = comm.read().strip()
        if re.fullmatch(rf"(lcore|rte)-(worker|slave)-{WORKER}", name):
            with open(path + "schedstat", encoding="ascii") as schedstat:
                return int(schedstat.read().split()[0]) / 1e9
    raise RuntimeError("testpmd has no forwarding thread")


def testpmd(program, device, frame_bytes):
    """Nanoseconds a packet of mac forwarding between two ports."""
    arguments = f",size={frame_bytes - 4},copy=0" if device == "null" else ""
    command = [program, "-l", f"0,{WORKER}", "--no-huge", "-m", "128", "--no-pci", "--no-telemetry",
               "--file-prefix", f"bench-{os.getpid()}",
               *[f"--vdev=net_{device}{i}{arguments}" for i in (0, 1)],
               "--", "-i", "--forward-mode=mac", "--total-num-mbufs=8192",
               f"--txpkts={frame_bytes - 4}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as child:
        # A ring goes round with what is put in at the start: two bursts of 32 a port.
        child.stdin.write("start tx_first 2\n" if device == "ring" else "start\n")
        child.stdin.flush()
        time.sleep(1)
        before = cpu_seconds(child.pid)
        child.stdin.write("show port stats all\n")
        child.stdin.flush()
        time.sleep(SECONDS)
        child.stdin.write("show port stats all\n")
        child.stdin.flush()
        cpu = cpu_seconds(child.pid) - before
        out, _ = child.communicate("stop\nquit\n")
    counts = [int(n) for n in re.findall(r"RX-packets: (\d+) +RX-missed", out)]
    if len(counts) != 4:
        raise RuntimeError(f"testpmd's output is not understood:\n{out}")
    return 1e9 * cpu / (counts[2] + counts[3] - counts[0] - counts[1])


def switch(bench, device, frame_bytes):
    done = subprocess.run([bench, device, str(frame_bytes), str(PACKETS)], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["ns_per_packet"]


def main():
    bench, *sizes = sys.argv[1:]
    program = shutil.which("dpdk-testpmd")
    for device in ("null", "ring"):
        for frame_bytes in map(int, sizes or ("64", "1024")):
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(switch(bench, device, frame_bytes))
                if program:
                    theirs.append(testpmd(program, device, frame_bytes))
            mine = statistics.median(ours)
            line = f"net_{device}, {frame_bytes} B: switch {mine:.1f} ns a packet, {1e3 / mine:.1f} Mpps"
            if theirs:
                base = statistics.median(theirs)
                line += (f"; testpmd mac {base:.1f} ns, {1e3 / base:.1f} Mpps; "
                         f"ratio {mine / base:.2f}")
            print(line, flush=True)


if __name__ == "__main__":
    main()
