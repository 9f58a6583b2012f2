#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `railyard run` says of failures, lcores and reordering, and captures of selected ports.

usage: test_fabric_command.py RAILYARD CONFIGS [unittest's arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

RAILYARD, CONFIGS = (os.path.abspath(path) for path in sys.argv[1:3])

# Two leaves, two spines; a stream of 400 us that nothing but `failures` disturbs.
FABRIC = """
switches:
  leaf: {{count: 2, profile: generic-32mb, ports: 4, rate: 100Gbps, forwarding: {{mode: {mode}}}}}
  spine: {{count: 2, profile: generic-32mb, ports: 2, rate: 100Gbps, forwarding: {{mode: l3}}}}
hosts: {{h: {{count: 4, nic: 100Gbps}}}}
links:
  - {{from: 'h[0-1]', to: 'leaf0[0-1]', delay: 500ns}}
  - {{from: 'h[2-3]', to: 'leaf1[0-1]', delay: 500ns}}
  - {{from: 'leaf0[2-3]', to: 'spine[0-1][0]', delay: 500ns}}
  - {{from: 'leaf1[2-3]', to: 'spine[0-1][1]', delay: 500ns}}
routing: {{{routing}}}
failures:
{failures}
workload:
  - udp: {{from: h0, to: h2, frame: 1KB, rate: 10Gbps, until: 400us}}
"""


class Command(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.out = os.path.join(self.directory.name, "out")

    def run_config(self, config, *arguments):
        self.done = subprocess.run([RAILYARD, "run", config, "--out", self.out, *arguments],
                                   capture_output=True, text=True, timeout=120)
        if self.done.returncode == 2:
            return None
        with open(self.out + "/summary.json") as f:
            return json.load(f)

    def run_fabric(self, *failures, routing="", mode="l3", arguments=()):
        config = os.path.join(self.directory.name, "fabric.yaml")
        with open(config, "w") as f:
            f.write(FABRIC.format(routing=routing, mode=mode,
                                  failures="\n".join("  - {%s}" % text for text in failures)))
        return self.run_config(config, *arguments)

    def page(self):
        """The summary's words, whatever lines they came on."""
        return " ".join(self.done.stdout.split())

    def test_scenario_is_calm_without_its_failure(self):
        s = self.run_config(CONFIGS + "/link-failure.yaml", "--set", "failures=null",
                            "--set", "expect=null")
        t = s["transport"]
        self.assertEqual((s["packets"]["dropped"], t["timeouts"], t["retransmitted_packets"],
                          t["naks_sent"]), (0, 0, 0, 0))

    def test_all_kinds_of_failures_are_listed(self):
        s = self.run_fabric("link: h2, at: 100us, until: 200us, loss: 10%, delay: 2us",
                            "link: 'leaf0[2]', at: 150us, until: 200us, down: yes",
                            "link: 'leaf0[3]', at: 300us, rate: 25Gbps, loss: 1%",
                            "link: 'leaf1[3]', at: 5ms, down: yes")
        impaired, down, slow, never = s["failures"]
        self.assertEqual([f["begun"] for f in s["failures"]], [True, True, True, False])
        self.assertAlmostEqual(impaired["loss"], 0.1, places=6)
        self.assertEqual((impaired["delay_us"], impaired["rate_bps"], impaired["down"]),
                         (2, 0, False))
        self.assertEqual((impaired["rerouted_us"], impaired["restored_us"]), (None, None))
        self.assertEqual((down["rerouted_us"], down["restored_us"]), (200, 250))
        self.assertEqual((slow["rate_bps"], slow["rerouted_us"], slow["restored_us"]),
                         (25e9, 350, None))
        self.assertEqual((never["rerouted_us"], never["until_us"]), (None, None))
        # 100 us of 10 Gb/s are about 120 frames, of which each tenth is lost.
        self.assertGreater(s["impairments"]["lost"], 3)
        self.assertGreater(s["impairments"]["delayed"], 80)
        for words in ("h2:0 - leaf1:0 10.0 % lost, 2.00 us longer, from 100 us to 200 us",
                      "from 150 us to 200 us; 0 lost on the wire; new routes at 200 us, and at "
                      "250 us",
                      "at 25.0 Gb/s, 1.00 % lost, from 300 us to the end; new routes at 350 us",
                      "never happened; the run had ended before 5.00 ms"):
            self.assertIn(words, self.page())

    def test_failures_of_rate_overlap_with_none_of_loss(self):
        self.assertIsNotNone(self.run_fabric("link: h2, at: 100us, loss: 1%",
                                             "link: h2, at: 120us, until: 130us, down: yes"))
        self.assertIsNone(self.run_fabric("link: h2, at: 100us, rate: 10Gbps",
                                          "link: h2, at: 120us, until: 130us, down: yes"))
        self.assertIn("overlaps", self.done.stderr)

    def test_what_can_have_no_effect_is_said(self):
        failure = "link: 'leaf0[2]', at: 150us, until: 200us, down: yes"
        s = self.run_fabric(failure, routing="failover_delay: 20us, reroute_delay: 5us")
        self.assertEqual(len(s["warnings"]), 1)
        self.assertIn(": reroute_delay: 5us is sooner than failover_delay, 20us", s["warnings"][0])
        self.assertEqual(self.run_fabric(failure)["warnings"], [])
        s = self.run_fabric(failure, "link: 'leaf1[2]', at: 150us, down: yes", mode="l2")
        self.assertEqual(len(s["warnings"]), 1)
        self.assertIn("link: leaf0 port 2 forwards at layer 2", s["warnings"][0])
        self.assertEqual(self.run_fabric("link: h1, at: 150us, down: yes", mode="l2")["warnings"],
                         [])

    def test_more_lcores_than_cpus_are_said(self):
        cpus = len(os.sched_getaffinity(0))
        if cpus + 1 > 8:
            self.skipTest("more CPUs than the fabric has nodes")
        failure = "link: 'leaf0[2]', at: 150us, until: 200us, down: yes"
        one = self.run_fabric(failure, arguments=("--lcores", "1"))
        self.assertEqual(self.done.stderr, "")
        many = self.run_fabric(failure, arguments=("--lcores", str(cpus + 1)))
        self.assertEqual(self.done.stderr.count("\n"), 1)
        self.assertIn(f"{cpus + 1} lcores share {cpus} CPU", self.done.stderr)
        self.assertEqual(one["digest"], many["digest"])
        self.assertEqual(many["warnings"], [])

    def test_selected_ports_are_captured(self):
        base = os.path.join(self.directory.name, "a.b")
        os.mkdir(base)
        self.run_fabric("link: 'leaf0[2]', at: 150us, until: 200us, down: yes", arguments=(
            "--pcap", f"leaf[0-1][2,3]={base}/up.pcap", "--pcap", f"h[2]={base}/host",
            "--pcap", f"spine={base}/all", "--pcap", f"h0:0={base}/own"))
        self.assertEqual(self.done.stderr, "")
        self.assertEqual(sorted(os.listdir(base)), sorted(
            [f"up-leaf{leaf}-{port}.pcap" for leaf in (0, 1) for port in (2, 3)] +
            [f"all-spine{spine}-{port}" for spine in (0, 1) for port in (0, 1)] +
            ["host", "own"]))
        used = {name for name in os.listdir(base) if os.path.getsize(f"{base}/{name}") > 24}
        self.assertTrue({"host", "own"} < used, used)

    def test_selections_of_nothing_or_too_much_are_one_line(self):
        for selection, words in (("leaf[0-2]", "leaf has switches 0 to 1"),
                                 ("loaf[0]", "did you mean leaf?"), ("leaf[0]:2", "in brackets"),
                                 ("leaf", "leaf: 144 ports")):
            self.run_fabric("link: h1, at: 150us, down: yes", arguments=(
                "--set", "switches.leaf.ports=72", "--pcap", f"{selection}={self.out}.pcap"))
            self.assertEqual(self.done.returncode, 2, selection)
            self.assertEqual(self.done.stderr.count("\n"), 1, selection)
            self.assertIn("railyard: --pcap: ", self.done.stderr)
            self.assertIn(words, self.done.stderr)
            self.assertEqual([f for f in os.listdir(self.directory.name) if "pcap" in f], [])

    def test_reordering_in_words(self):
        spray = ("--set", "topology.switch.balancer=spray", "--set", "expect=null")
        self.run_config(CONFIGS + "/leaf-spine-permutation.yaml", *spray)
        self.assertIn("came after one sent later", self.page())
        self.assertIn("none was placed before its turn", self.page())
        self.run_config(CONFIGS + "/leaf-spine-permutation.yaml", *spray,
                        "--set", "hosts.h.receiver=out-of-order")
        self.assertRegex(self.page(), r"up to [1-9]\d* of a queue pair at once placed before")

    def test_losses_make_early_packets_but_no_late_ones(self):
        s = self.run_config(CONFIGS + "/loss.yaml", "--quiet")
        self.assertGreater(s["transport"]["out_of_order"], 0)
        self.assertEqual(s["reordering"]["reordered"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
