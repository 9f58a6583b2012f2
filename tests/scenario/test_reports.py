#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Reports for CI of check, run and accept, of what is fine and of what is not, with names that XML and
GitHub's commands must escape.

usage: test_reports.py RAILYARD SOURCE_DIRECTORY [unittest's arguments]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RAILYARD = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
ODD = "a<b>&\"c'\u00e9, %:.yaml"

BAD = """
duration: 1ms
switches: {s: {profile: generic-32mb, ports: 4, cable: 10km, wred: {lossless: {min: 90KB, max: 90KB}}}}
hosts: {h: {count: 2, nic: 100Gbps}}
links: [{from: h, to: "s[0-1]", length: 5m}]
expect: {drops: "> 5", cnp_sent: "< 1"}
"""
# A switch whose queues drop before it pauses.
PROFILE = ("static_th: 32MiB", "static_th: 1MiB")


class Reports(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.bad = self.write(ODD, BAD)
        with open(os.path.join(SOURCE, "configs", "profiles", "generic-32mb.yaml"), encoding="utf-8") as read:
            self.profile = self.write("switch " + ODD, read.read().replace(*PROFILE))
        self.good = os.path.join(SOURCE, "configs", "incast.yaml")

    def write(self, name, text):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def runs(self):
        """Commands, their exit status, and how many annotations of errors they print at least."""
        return ((["check", self.bad], 1, 1), (["check", self.good], 0, 0),
                (["run", self.bad, "--quiet"], 1, 1), (["run", self.good, "--quiet"], 0, 0),
                (["accept", "--profile", self.profile, "s1", "s4", "t14"], 1, 1),
                (["accept", "s6"], 0, 0))

    def test_junit(self):
        report = os.path.join(self.directory.name, "report.xml")
        lint = shutil.which("xmllint")
        for command, status, _ in self.runs():
            with self.subTest(command):
                done = subprocess.run([RAILYARD, *command, "--junit", report], capture_output=True, timeout=120)
                self.assertEqual(done.returncode, status, done.stderr)
                suite, = xml.etree.ElementTree.parse(report).getroot()
                for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                    self.assertEqual(suite.get(key), str(len(suite.findall("testcase/" + tag))))
                self.assertEqual(suite.get("tests"), str(len(suite.findall("testcase"))))
                self.assertEqual(int(suite.get("failures")) + int(suite.get("errors")) > 0, status != 0)
                if lint is not None:
                    valid = subprocess.run([lint, "--noout", "--nonet", "--schema",
                                            os.path.join(SOURCE, "tests", "data", "junit.xsd"), report],
                                           capture_output=True, text=True, timeout=60)
                    self.assertEqual(valid.returncode, 0, valid.stderr)
        if lint is None:
            print("not held against tests/data/junit.xsd: there is no xmllint", file=sys.stderr)

    def test_annotations(self):
        for command, status, least in self.runs():
            with self.subTest(command):
                done = subprocess.run([RAILYARD, *command, "--github"], capture_output=True, text=True,
                                      timeout=120, encoding="utf-8")
                self.assertEqual(done.returncode, status, done.stderr)
                lines = [line for line in (done.stdout + done.stderr).split("\n") if line.startswith("::")]
                self.assertGreaterEqual(len([line for line in lines if line.startswith("::error ")]), least)
                for line in lines:
                    self.assertRegex(line, r"^::(error|warning|notice) file=[^,:]+(,line=\d+)?(,col=\d+)?,"
                                           r"title=[^,:]+::[^\n]+$")
                    self.assertNotRegex(line, r"%(?!25|0A|0D|3A|2C)")
                if least:
                    path = re.sub("[%:,]", lambda m: "%%%02X" % ord(m[0]), command[2] if command[0] == "accept"
                                  else command[1])
                    self.assertIn("::error file=" + path + ",", "\n".join(lines))

    def test_contradictions(self):
        """What is given twice, or could not all be printed: one line, nothing run or written."""
        for command, part in ((["check", self.good, "--json", "--github"], "not both"),
                              (["check", self.good, "--junit", "-"], "--junit -"),
                              (["run", self.good, "--junit", "-"], "--junit -"),
                              (["accept", "s6", "--junit", "-"], "--junit -"),
                              (["accept", "--asic", "tomahawk", "--asic", "trident3"], "--asic: given twice")):
            with self.subTest(command):
                done = subprocess.run([RAILYARD, *command], capture_output=True, text=True, timeout=60,
                                      cwd=self.directory.name)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(part, done.stderr)
                self.assertFalse(os.path.exists(os.path.join(self.directory.name, "-")))

    def test_help_fits_80_columns(self):
        for command in ("", "run", "check", "accept", "headroom", "import", "import sonic", "import topology",
                        "compare", "replay", "topo", "reference"):
            done = subprocess.run([RAILYARD, *command.split(), "--help"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, command)
            self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [], command)

    def test_rate_without_files(self):
        """... would be a verdict on another switch."""
        done = subprocess.run([RAILYARD, "accept", "--rate", "100Gbps"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
