#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard headroom` prints the numbers that SONiC and its vendor published.

usage: test_headroom_command.py RAILYARD [unittest's arguments]
"""
import json
import os
import subprocess
import sys
import unittest

RAILYARD = os.path.abspath(sys.argv[1])

# sonic-swss pull request 3235: speed, cable, cell and the rest; xon, xoff, size.
PUBLISHED = [
    (["--speed", "400Gbps", "--cable", "300m", "--cell", "144", "--lanes", "8"], 38912, 272384, 320512),
    (["--speed", "100Gbps", "--cable", "40m", "--cell", "144"], 19456, 51200, 70656),
    (["--speed", "800Gbps", "--cable", "300m", "--cell", "192", "--lanes", "8", "--tile"],
     38912, 474112, 522240),
    (["--speed", "200Gbps", "--cable", "40m", "--cell", "192", "--tile"], 19456, 65536, 84992),
]
# sonic-buildimage, SN2700: all packets small, a peer response of 3.8 KiB; xoff by speed and cable.
SN2700 = {
    "5m": (29696, 29696, 29696, 29696, 30720),
    "40m": (29696, 31744, 32768, 33792, 38912),
    "300m": (36864, 48128, 59392, 66560, 104448),
}
SPEEDS = "10Gbps,25Gbps,40Gbps,50Gbps,100Gbps"


def headroom(*arguments):
    return subprocess.run([RAILYARD, "headroom", *arguments], capture_output=True, text=True,
                          timeout=60)


class Headroom(unittest.TestCase):
    def test_published_pairs(self):
        for arguments, xon, xoff, size in PUBLISHED:
            done = headroom(*arguments, "--json")
            row, = json.loads(done.stdout)
            self.assertEqual((row["xon_bytes"], row["xoff_bytes"], row["size_bytes"]),
                             (xon, xoff, size))

    def test_terms_add_up_to_xoff(self):
        for arguments, _, xoff, _ in PUBLISHED:
            row, = json.loads(headroom(*arguments, "--json").stdout)
            t = row["terms"]
            parts = sum(t[name + "_bytes"] for name in
                        ("frame", "cable", "gearbox", "mac_phy", "peer", "tile"))
            self.assertAlmostEqual(parts, t["propagation_bytes"], places=2)
            total = parts * t["cell_factor"] + t["lossless_frame_bytes"]
            # The factor is shown in thousandths.
            self.assertLess(abs(total - xoff), 1024 + parts / 1000)

    def test_asic(self):
        """An ASIC stands for its cell, pipeline latency and tile; what is said beside it comes first."""
        port = ["--speed", "200Gbps", "--cable", "40m", "--json"]
        by_hand = headroom(*port, "--cell", "192", "--tile").stdout
        self.assertEqual(headroom(*port, "--asic", "spectrum4").stdout, by_hand)
        self.assertEqual(headroom(*port, "--cell", "254", "--asic", "tomahawk").stdout,
                         headroom(*port, "--cell", "254").stdout)
        both = headroom(*port, "--profile", "generic-32mb", "--asic", "spectrum4")
        self.assertEqual(json.loads(both.stdout)[0]["terms"]["tile_bytes"], 3000)  # 120 ns
        done = headroom(*port, "--asic", "spectrum9")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--asic: ", done.stderr)

    def test_worst_frames(self):
        """By hand in test_headroom_formula.c: frames of 64 B in cells of 208, and a last one."""
        arguments = ["--speed", "100Gbps", "--cable", "5m", "--cell", "208"]
        row, = json.loads(headroom(*arguments, "--json").stdout)
        self.assertEqual(row["worst"], {"frame_bytes": 64, "frame_cells": 1, "xoff_bytes": 432 * 208})
        told, = (line for line in headroom(*arguments).stdout.splitlines() if "whatever the frames" in line)
        self.assertIn("89,856 B", told)
        self.assertIn("64 B frames, 1 cell each", told)
        table = headroom("--speed", "40Gbps,100Gbps", *arguments[2:]).stdout.splitlines()
        self.assertEqual((table[0].split()[-2:], table[2].split()[-1]), (["any", "frames"], "89856"))

    def test_table_as_ini(self):
        done = headroom("--speed", SPEEDS, "--cable", "5m,40m,300m", "--cell", "96",
                        "--small-packets", "100%", "--peer-response", "3891", "--ini")
        rows = [line.split() for line in done.stdout.splitlines() if line[0] != "#"]
        self.assertEqual(len(rows), 15)
        for speed, cable, size, xon, xoff, threshold in rows:
            n = ["10000", "25000", "40000", "50000", "100000"].index(speed)
            self.assertEqual(int(xoff), SN2700[cable][n])
            self.assertEqual((int(xon), int(size), threshold), (19456, 19456 + int(xoff), "0"))

    def test_profile_is_held_against_the_formula(self):
        rows = json.loads(headroom("--profile", "tomahawk-7060cx", "--json").stdout)
        self.assertEqual(len(rows), 15)
        row, = (r for r in rows if (r["speed_bps"], r["cable_m"]) == (100e9, 300))
        self.assertEqual(row["given_xoff_bytes"], 268736)
        short = headroom("--profile", "tomahawk-7060cx", "--speed", "100Gbps", "--cable", "5m",
                         "--peer-response", "1MB")
        self.assertIn("SHORT", short.stdout)
        missing = headroom("--profile", "no-such")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("railyard: --profile: there is no", missing.stderr)

    def test_pool(self):
        # By hand: 32 x 2 x 272,384 less 32 x 10 KiB, by 2.
        row, = json.loads(headroom(*PUBLISHED[0][0], "--ports", "32", "--json").stdout)
        self.assertEqual(row["shared_pool_bytes"], (32 * 2 * 272384 - 32 * 10240) // 2)

    def test_wrong_use_is_one_line_and_exit_2(self):
        for arguments in ([], ["--speed", "400Gbps"], ["--speed", "400", "--cable", "5m"],
                          ["--speed", "400Gbps", "--cable", "5"], ["--profile", "nothing"],
                          ["--speed", "1Tbps,", "--cable", "5m"], ["--cell", "1"], ["x"],
                          ["--speed", "400Gbps", "--cable", "5m", "--small-packets", "150%"]):
            done = headroom(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("railyard: "), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
