#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard compare` shows what the summaries say, and refuses what is none.

usage: test_compare.py RAILYARD CONFIGS [unittest's arguments]
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

RAILYARD, CONFIGS = (os.path.abspath(path) for path in sys.argv[1:3])


def railyard(*arguments):
    return subprocess.run([RAILYARD, *arguments], capture_output=True, text=True, timeout=120)


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.runs = []
        for name, size in (("one", "100KB"), ("a, b", "200KB")):
            path = os.path.join(cls.directory.name, name)
            railyard("run", CONFIGS + "/incast.yaml", "--quiet", "--out", path,
                     "--set", f"workload.0.incast.size={size}")
            cls.runs.append(path)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def summary(self, run):
        with open(self.runs[run] + "/summary.json") as f:
            return json.load(f)

    def test_csv_has_the_numbers_of_the_summaries(self):
        done = railyard("compare", *self.runs, "--csv", "--all")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {row[0]: row[1:] for row in csv.reader(done.stdout.splitlines())}
        self.assertEqual(rows["metric"], ["one", "a, b"])
        for run in (0, 1):
            s = self.summary(run)
            self.assertEqual(rows["digest"][run], s["digest"])
            self.assertEqual(float(rows["drops"][run]), s["packets"]["dropped"])
            self.assertEqual(float(rows["flows.completed"][run]), 16)
            self.assertAlmostEqual(float(rows["flows.fct_us.p99"][run]),
                                   s["flows"]["fct_us"]["p99"], places=4)
            self.assertEqual(float(rows["drops.ttl"][run]), 0)

    def test_a_prefix_chooses_what_is_below_it(self):
        done = railyard("compare", *self.runs, "--csv", "--metric", "flows.fct_us")
        names = [row.split(",")[0] for row in done.stdout.splitlines()][4:]
        self.assertEqual(sorted(names), sorted(
            "flows.fct_us." + p for p in ("min", "mean", "p50", "p95", "p99", "p99_9", "max")))

    def test_tiers_and_workloads_have_metrics(self):
        # As `expect:` calls them; what never happened is left out, unless it is asked for.
        done = railyard("compare", *self.runs, "--csv", "--metric", "tiers.tor", "--metric", "workloads.incast",
                        "--metric", "tiers.tor.queues.5.marked")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {row[0]: row[1:] for row in csv.reader(done.stdout.splitlines())}
        for run in (0, 1):
            tier, workload = self.summary(run)["tiers"][0], self.summary(run)["workloads"][0]
            for name, value in (("tiers.tor.queues.3.tx_packets", tier["queues"]["3"]["tx_packets"]),
                                ("tiers.tor.queues.5.marked", 0),
                                ("tiers.tor.pools.ingress_max_bytes", tier["pools"]["ingress_max_bytes"]),
                                ("workloads.incast.completed", 16),
                                ("workloads.incast.fct_us.min", workload["fct_us"]["min"])):
                self.assertAlmostEqual(float(rows[name][run]), value, places=4)
        self.assertNotIn("tiers.tor.queues.5.tx_packets", rows)
        self.assertIn("tiers.tor.queues.3.max_bytes,", railyard("compare", *self.runs, "--all", "--csv").stdout)

    def test_change_is_from_the_first_to_the_second(self):
        first, second = (self.summary(run)["goodput_bps"] for run in (0, 1))
        done = railyard("compare", *self.runs, "--metric", "goodput_bps")
        change = f"{(second - first) / first * 100:+.1f} %"
        self.assertTrue(done.stdout.splitlines()[-1].endswith(change), done.stdout)
        same = railyard("compare", self.runs[0], self.runs[0], "--metric", "goodput_bps")
        self.assertTrue(same.stdout.splitlines()[-1].endswith(" ="), same.stdout)

    def test_one_run_shows_its_metrics(self):
        done = railyard("compare", self.runs[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = dict(line.split(None, 1) for line in done.stdout.splitlines()[1:])
        self.assertEqual(rows["digest"].lstrip(".").strip(), self.summary(0)["digest"])
        self.assertEqual(rows["flows.completed"].strip(), "16")
        self.assertNotIn("change", done.stdout)

    def test_names_that_differ_are_shown_as_they_differ(self):
        # In front, behind which all are alike; and in the directory, far from the end.
        end = "-with-a-name-of-many-characters"
        for names in (("a" + end, "b" + end), ("one/" + end, "two/" + end)):
            runs = [os.path.join(self.directory.name, name) for name in names]
            for run in runs:
                os.makedirs(run)
                with open(run + "/summary.json", "w") as f:
                    json.dump(self.summary(0), f)
            done = railyard("compare", *runs)
            heads = done.stdout.splitlines()[0].split()
            self.assertNotEqual(heads[0], heads[1], done.stdout)
            for run, head in zip(runs, heads):
                self.assertTrue(run.endswith(head.lstrip(".")), done.stdout)

    def test_links_that_nobody_used_have_no_busiest(self):
        # Of a leaf's hosts only: spines see nothing.
        scenario = os.path.join(self.directory.name, "near.yaml")
        with open(scenario, "w") as f:
            f.write("topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2}\n"
                    "workload: [{elephants: {from: h0, to: h1, size: 100KB}}]\n")
        rows = [line.split() for line in railyard("run", scenario).stdout.splitlines()]
        busiest = {(row[0], row[1]): row[-1] for row in rows if row[:2] in (["host,", "leaf"], ["leaf,", "spine"])}
        self.assertEqual(busiest, {("host,", "leaf"): "h0:0", ("leaf,", "spine"): "-"})

    def test_what_is_no_run_is_one_line_and_exit_2(self):
        broken = os.path.join(self.directory.name, "broken.json")
        with open(broken, "w") as f:
            f.write('{"scenario": "x", ')
        for arguments in (["/dev/null"], ["/nonexistent"], [self.directory.name], [broken],
                          [self.runs[0], broken], [], [self.runs[0], "--metric", "nothing"],
                          [self.runs[0], "--unknown"]):
            done = railyard("compare", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "", arguments)
            self.assertIn("railyard: ", done.stderr, arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
