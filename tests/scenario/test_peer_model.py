#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Railyard's permutation under PFC alone, against the peer's rules (peer_model.py) with our bytes.

usage: test_peer_model.py RAILYARD CONFIGS [unittest's arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import peer_model

RAILYARD, CONFIGS = (os.path.abspath(path) for path in sys.argv[1:3])
BUFFER = 4 << 20
# 1,024 bytes: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4; preamble and gap 20; AETH 4.
BYTES = f"--size=1048576 --buffer={BUFFER} --payload=1024 --header=62 --gap=20 --ack=66 --pfc=64"


class PeerModel(unittest.TestCase):
    def railyard(self, ack_dscp):
        sets = ["hosts.h.congestion_control=none", "hosts.h.ecn_capable=no", "expect=null",
                f"hosts.h.ack_dscp={ack_dscp}", "workload.0.elephants.size=1MiB"]
        sets += [f"switches.{name}.pools.ingress.size={BUFFER - 4 * peer_model.HEADROOM}"
                 for name in [f"{tier}{n}" for tier in ("leaf", "spine") for n in range(8)] +
                 ["core"]]
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([RAILYARD, "run", CONFIGS + "/peers/permutation.yaml", "--quiet",
                            "--out", out] + [word for text in sets for word in ("--set", text)],
                           check=True, stdout=subprocess.DEVNULL, timeout=120)
            with open(out + "/summary.json") as f:
                summary = json.load(f)
        self.assertGreater(summary["pfc"]["xoff_sent"], 10)
        return [summary["flows"]["fct_us"][key] for key in ("min", "mean", "max")]

    def model(self, *arguments):
        times = peer_model.Model(peer_model.options(
            BYTES.split() + ["--exact", *arguments])).run()
        return min(times), sum(times) / len(times), max(times)

    def test_acknowledgements_in_the_class_of_the_data(self):
        self.compare(26)

    def test_acknowledgements_first(self):
        self.compare(48, "--acks-first")

    def compare(self, ack_dscp, *arguments):
        for ours, theirs in zip(self.railyard(ack_dscp), self.model(*arguments)):
            self.assertAlmostEqual(ours / theirs, 1, delta=0.001)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
