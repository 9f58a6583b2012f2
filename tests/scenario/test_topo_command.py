#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard topo` and `railyard import topology` as a user meets them: what is printed, exit statuses, files."""

import os
import pathlib
import subprocess
import sys
import unittest

from scratch import Scratch

RAILYARD, CONFIGS = sys.argv[1], sys.argv[2]
STAR = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n"


def railyard(*arguments, **environment):
    return subprocess.run([RAILYARD, *arguments], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **environment))


class Topo(Scratch):
    def test_numbers(self):
        # 7 leaves below a spine, 7:1: one link up; 16 spines a pod are 16 planes of one core.
        run = railyard("topo", os.path.join(CONFIGS, "pods-oversubscribed.yaml"))
        self.assertEqual(run.returncode, 0, run.stderr)
        for line in ("spine               128       8  7 x 400 Gb/s   1 x 400 Gb/s   7:1",
                     "Hosts     896, h0 to h895", "16 paths of 6 links"):
            self.assertIn(line, run.stdout)
        self.assertLessEqual(max(map(len, run.stdout.splitlines())), 80)

    def test_a_file_is_imported_or_named(self):
        # Either way it is the same run; and nothing is written over what it reads.
        star, flows = self.path("star.txt", STAR), self.path("flows.txt", "1\n0 2 3 100 50000 2\n")
        named = self.path("named.yaml", "topology: {kind: file, path: star.txt, flows: flows.txt}\n")
        imported = self.path("imported.yaml")
        self.assertEqual(railyard("import", "topology", star, "--flows", flows, "-o", imported).returncode, 0)
        digests = []
        for scenario in (named, imported):
            run = railyard("run", scenario)
            self.assertEqual(run.returncode, 0, run.stderr)
            digests += [line for line in run.stdout.splitlines() if line.startswith("Digest")]
        self.assertEqual(len(digests), 2)
        self.assertEqual(digests[0], digests[1])
        for file in (star, flows):
            with open(file) as before:
                text = before.read()
            run = railyard("run", named, "--pcap", "leaf0:0=" + file)
            self.assertEqual(run.returncode, 2)
            self.assertIn("it is the same file as the input", run.stderr)
            with open(file) as after:
                self.assertEqual(after.read(), text)

    def test_whatever_is_read_is_an_input(self):
        generic = pathlib.Path(CONFIGS, "profiles", "generic-32mb.yaml").read_text()
        sonic = [self.path(name, pathlib.Path(CONFIGS, "sonic", name).read_text())
                 for name in ("config_db.json", "pg_profile_lookup.ini")]
        profile = self.path("mine.yaml", generic)
        rest = ("hosts: {h: {count: 2}}\nlinks: [{from: 'h[0-1]', to: 'tor[0-1]', delay: 1us}]\n"
                "workload: [{incast: {from: 'h[1]', to: 'h[0]', size: 10KB}}]\n")
        ours = self.path("ours.yaml", "switches: {tor: {profile: mine.yaml}}\n" + rest)
        theirs = self.path("theirs.yaml", "switches: {tor: {sonic: [config_db.json, pg_profile_lookup.ini], "
                                          "asic: tomahawk}}\n" + rest.replace("h: {", "h: {nic: 100Gbps, "))
        files = {ours: (ours, profile), theirs: (theirs, *sonic)}
        commands = [(("run", scenario, *option), file) for scenario, inputs in files.items() for file in inputs
                    for option in (("--pcap", "tor:0=" + file), ("--junit", file))]
        commands += [(("check", scenario, "--junit", file), file) for scenario, inputs in files.items() for file in inputs]
        commands += [(("accept", "--profile", profile, "s1", "--junit", profile), profile)]
        commands += [(("accept", "--sonic", sonic[0], "--sonic", sonic[1], "s1", "--junit", file), file) for file in sonic]
        for arguments, file in commands:
            text = pathlib.Path(file).read_text()
            run = railyard(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertIn("it is the same file as the input", run.stderr, arguments)
            self.assertEqual(pathlib.Path(file).read_text(), text, arguments)
        for scenario in files:
            self.assertEqual(railyard("run", scenario, "--quiet").returncode, 0, scenario)

    def test_what_takes_nothing_is_not_removed(self):
        # A device is not a file that was half written. The link would be gone, and not the device.
        full = self.path("full")
        os.symlink("/dev/full", full)
        star, incast = self.path("star.txt", STAR), os.path.join(CONFIGS, "incast.yaml")
        sonic = [os.path.join(CONFIGS, "sonic", name) for name in ("config_db.json", "pg_profile_lookup.ini")]
        for arguments in (("import", "topology", star, "-o", full), ("import", "sonic", *sonic, "-o", full),
                          ("topo", incast, "--dot", full), ("check", incast, "--junit", full),
                          ("accept", "--junit", full, "s1"), ("run", incast, "--quiet", "--junit", full)):
            run = railyard(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn("No space left on device", run.stderr)
            self.assertTrue(os.path.islink(full), arguments)

    def test_what_is_read_is_not_written(self):
        star, flows = self.path("star.txt", STAR), self.path("flows.txt", "1\n0 2 3 100 50000 2\n")
        named = self.path("named.yaml", "topology: {kind: file, path: star.txt, flows: flows.txt}\n")
        link = self.path("link")
        os.symlink(named, link)
        for arguments in (("topo", named, "--dot", link), ("topo", named, "--svg", star),
                          ("topo", named, "--dot", flows), ("import", "topology", star, "-o", star),
                          ("import", "topology", star, "--flows", flows, "-o", flows),
                          ("import", "sonic", star, "-o", star)):
            before = [pathlib.Path(file).read_text() for file in (star, flows, named)]
            run = railyard(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("it is the same file as the input", run.stderr)
            self.assertEqual(before, [pathlib.Path(file).read_text() for file in (star, flows, named)])
        both = self.path("both")
        run = railyard("topo", named, "--dot", both, "--svg", both)
        self.assertEqual((run.returncode, os.path.exists(both)), (2, False))

    def test_drawing(self):
        dot = self.path("net.dot")
        run = railyard("topo", os.path.join(CONFIGS, "incast.yaml"), "--dot", dot, "--pair", "h3,h4")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("h3 to h4: 1 path of 2 links, 2.00 us", run.stdout)
        with open(dot) as file:
            lines = file.read().splitlines()
        self.assertEqual(sum(" -- " in line for line in lines if "rank=same" not in line), 17)

    def test_nodes_are_drawn_in_their_order(self):
        for name, order, lines in (("polarization", '"core0"', "line"), ("deadlock", '"s0" -- "s1" -- "s2"', "true")):
            dot = self.path(name + ".dot")
            self.assertEqual(railyard("topo", os.path.join(CONFIGS, name + ".yaml"), "--dot", dot).returncode, 0)
            text = pathlib.Path(dot).read_text()
            self.assertIn("rank=same; edge [style=invis]; " + order + "}", text)
            self.assertIn("splines=" + lines, text)  # straight ones between s0 and s2 would hide behind s1

    def test_errors_are_one_line(self):
        incast = os.path.join(CONFIGS, "incast.yaml")
        for arguments, line in (
                (("--pair", "h3"), "railyard: --pair h3: not two hosts, such as h0,h1\n"),
                (("--pair", "h3,tor"), "railyard: --pair h3,tor: not two hosts, such as h0,h1\n"),
                (("--dot", "/nowhere/net"), "railyard: /nowhere/net: No such file or directory\n")):
            run = railyard("topo", incast, *arguments)
            self.assertEqual((run.returncode, run.stderr), (2, line))

    def test_no_graphviz(self):
        run = railyard("topo", os.path.join(CONFIGS, "incast.yaml"), "--svg", self.path("net.svg"), PATH="/nowhere")
        self.assertEqual(run.returncode, 2)
        self.assertIn("needs Graphviz's `dot`", run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1)

    def test_import_runs(self):
        out = self.path("star.yaml")
        run = railyard("import", "topology", self.path("t", STAR), "--flows", self.path("f", "1\n0 2 3 9 4096 2\n"),
                       "-o", out)
        self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", ""))
        run = railyard("run", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 of 1 completed", run.stdout)

    def test_import_writes_nothing_of_bad_files(self):
        out, bad = self.path("star.yaml"), self.path("t", STAR.replace("100Gbps 1us 0\n2", "100Gbps 0us 0\n2"))
        run = railyard("import", "topology", bad, "-o", out)
        self.assertEqual((run.returncode, run.stderr),
                         (2, f"railyard: {bad}:4:1: a link's rate and delay are more than 0\n"))
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
