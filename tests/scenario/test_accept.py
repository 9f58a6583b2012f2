#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard accept`: its scenarios run as they are, other switches pass them, a bad one does not.

usage: test_accept.py RAILYARD SOURCE_DIRECTORY [unittest's arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RAILYARD = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
SCENARIOS = os.path.join(SOURCE, "configs", "acceptance")
SONIC = os.path.join(SOURCE, "..", "shared", "data", "sonic")


def accept(*arguments):
    return subprocess.run([RAILYARD, "accept", *arguments], capture_output=True, text=True, timeout=240)


def results(*arguments):
    """Verdicts by test, and why, as the program prints them as JSON."""
    return {r["test"]: r for r in json.loads(accept("--json", *arguments).stdout)}


def verdicts(*arguments):
    return {name: r["verdict"] for name, r in results(*arguments).items()}


def tests():
    return [line.split()[0] for line in accept("--list").stdout.splitlines()]


class Accept(unittest.TestCase):
    def write(self, text):
        handle, path = tempfile.mkstemp(suffix=".yaml")
        self.addCleanup(os.remove, path)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def shipped(self, name, *changes):
        with open(os.path.join(SOURCE, "configs", "profiles", name + ".yaml"), encoding="utf-8") as read:
            text = read.read()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write(text)

    def test_each_scenario_is_a_test(self):
        self.assertEqual(sorted(name[:-5] for name in os.listdir(SCENARIOS)), sorted(tests()))

    def test_documented(self):
        with open(os.path.join(SOURCE, "docs", "acceptance.md"), encoding="utf-8") as page:
            rows = [line.split("`")[1] for line in page if line.startswith("| `")]
        self.assertEqual(rows, tests())

    def test_scenarios_run_as_they_are(self):
        for name in tests():
            with self.subTest(name):
                done = subprocess.run([RAILYARD, "run", os.path.join(SCENARIOS, name + ".yaml"), "--quiet"],
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_numbers_in_the_files_are_those_worked_out(self):
        """Counts that accept sets for the Tomahawk are the ones the files give: the same bounds."""
        for name, result in results("s", "e").items():
            with self.subTest(name):
                with open(os.path.join(SCENARIOS, name + ".yaml"), encoding="utf-8") as read:
                    text = read.read()
                for row in result["expectations"]:
                    bound = row["expected"].strip('"').lstrip("<>= ")
                    if row["metric"] != "headroom.used_fraction":
                        self.assertIn(bound, text, row)

    def test_another_profile(self):
        expected = dict.fromkeys(tests(), "pass")
        for name in ("s4-headroom-pool", "s11-dwrr-changed", "s12-storm-headroom"):
            expected[name] = "not applicable"
        self.assertEqual(verdicts("--profile", "generic-32mb"), expected)

    def test_asic_alone(self):
        """SONiC's templates on two ASICs: a pool in parts, and one whose size counts its headroom."""
        for asic in ("tomahawk5", "spectrum2"):
            found = verdicts("--asic", asic, "s1", "s10", "s11", "s6", "s7", "s8", "t11")
            expected = {name: "pass" for name in tests() if name.split("-")[0] in
                        ("s1", "s10", "s11", "s6", "s7", "s8", "t11")}
            self.assertEqual(found, expected, asic)
        done = accept("--asic", "tomahawk5", "--profile", "generic-32mb")
        self.assertEqual(done.returncode, 2)
        self.assertIn("or --asic alone", done.stderr)

    def test_other_rates_and_classes(self):
        """400 Gb/s, RoCE as DSCP 24 in class 5, WRED off."""
        path = self.shipped("generic-32mb", ("rate: 100Gbps", "rate: 400Gbps"),
                            ("pfc_enable: [3]", "pfc_enable: [5]"),
                            ('{"0-7": 0, 3: 3}', '{"0-7": 0, 5: 5}'),
                            ("maps:", 'maps:\n  dscp_to_tc: {"0-63": 1, 24: 5, 48: 6}'),
                            ("pgs: 3", "pgs: 5"), ("queues: 3, wred: lossless", "queues: 5"))
        expected = dict.fromkeys(tests(), "pass")
        for name in (["s4-headroom-pool", "s11-dwrr-changed", "s12-storm-headroom", "r2-dcqcn-incast"] +
                     [name for name in tests() if name[0] == "e"]):
            expected[name] = "not applicable"
        self.assertEqual(verdicts("--profile", path), expected)

    def failures(self, name, *sets):
        """What does not hold when the switch of a test is not what the test is about."""
        arguments = [word for text in sets for word in ("--set", text)]
        done = subprocess.run([RAILYARD, "run", os.path.join(SCENARIOS, name + ".yaml"), "--json", *arguments],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        return {row["metric"]: (row["expected"], row["measured"])
                for row in json.loads(done.stdout)["expectations"] if not row["met"]}

    def test_a_wrong_map_is_found(self):
        """DSCP 40 (41 frames) in TC 5 instead of 1; 802.1p priority 5 (32 frames) in TC 1."""
        self.assertEqual(self.failures("s10-dscp-maps", "switches.dut.maps.dscp_to_tc.40=5"),
                         {"tiers.dut.queues.1.tx_packets": ("1933", 1933 - 41),
                          "tiers.dut.queues.5.tx_packets": ("47", 47 + 41)})
        self.assertEqual(self.failures("s10-dot1p-map", 'switches.dut.maps.pcp_to_tc={"0": 0, "1": 1, "2": 2, '
                                       '"3": 3, "4": 4, "5": 1, "6": 6, "7": 7}'),
                         {"tiers.dut.queues.1.tx_packets": ("2", 34), "tiers.dut.queues.5.tx_packets": ("32", 0)})
        self.assertIn("tiers.dut.pgs.3.packets",
                      self.failures("s10-dscp-maps", "switches.dut.maps.tc_to_pg.3=0"))

    def test_wrong_weights_are_found(self):
        """A heavier lossless queue is empty rounds before the others; one no longer strict, after."""
        found = self.failures("s11-dwrr", "switches.dut.schedulers.lossless.weight=18")
        self.assertEqual(set(found), {f"tiers.dut.queues.{q}.emptied_us" for q in (3, 4)})
        found = self.failures("s11-dwrr", "switches.dut.schedulers.strict.type=dwrr")
        self.assertIn("tiers.dut.queues.6.emptied_us", found)

    def test_wrong_times_are_found(self):
        found = self.failures("w6-watchdog-timers", "switches.p2.pfc_watchdog.detection=400ms",
                              "switches.p3.pfc_watchdog.restoration=300ms")
        # Restored later, the queue of p3 gets less.
        self.assertEqual(set(found), {"tiers.p2.watchdog.first_detected_us",
                                      "tiers.p3.watchdog.last_restored_us", "workloads.udp-4.udp.received"})
        found = self.failures("w5-watchdog-start", "switches.late.pfc_watchdog.start=0")
        self.assertEqual(set(found), {"tiers.late.watchdog.first_detected_us"})
        found = self.failures("w2-watchdog-two-senders", "switches.long.pfc_watchdog.restoration=0")
        self.assertIn("tiers.long.watchdog.dropped", found)
        found = self.failures("w3-watchdog-all-to-all", "switches.many.pfc_watchdog.action=alert")
        self.assertIn("tiers.many.watchdog.dropped", found)

    def test_pauses_that_do_not_end_are_found(self):
        """Without a watchdog's act the backlog stays as long as the storm, 900 ms."""
        found = self.failures("s12-storm-headroom", "switches.forwarded.pfc_watchdog.action=alert")
        self.assertIn("tiers.forwarded.pfc.last_xoff_us", found)

    def test_a_group_that_never_pauses_fails(self):
        path = self.shipped("generic-32mb", ("static_th: 32MiB", "static_th: 1MiB"))
        for name, result in results("--profile", path, "s2", "s3").items():
            self.assertEqual(result["verdict"], "fail", name)
            measured = {row["metric"]: row["measured"] for row in result["expectations"] if not row["met"]}
            self.assertEqual(measured["tiers.kept.pfc.xoff_sent"], 0, name)

    def test_egress_that_drops_first(self):
        path = self.shipped("generic-32mb", ("static_th: 32MiB", "static_th: 1MiB"))
        found = results("--profile", path, "s1")["s1-pfc-xoff-limit"]
        self.assertEqual(found["verdict"], "fail")
        failed = {row["metric"]: row["measured"] for row in found["expectations"] if not row["met"]}
        self.assertGreater(failed["drops.egress_limit"], 0)
        # 8 MiB would be needed to pause.
        self.assertEqual(failed["tiers.above.pfc.xoff_sent"], 0)

    def test_reports(self):
        path = self.shipped("generic-32mb", ("static_th: 32MiB", "static_th: 1MiB"))
        with tempfile.TemporaryDirectory() as directory:
            report = os.path.join(directory, "accept.xml")
            done = accept("--profile", path, "--junit", report, "s1", "s4", "t14")
            suite, = xml.etree.ElementTree.parse(report).getroot()
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 passed, 1 failed, 1 not applicable, 0 errors", done.stdout)
        self.assertIn("FAILED drops.egress_limit 0", done.stdout)
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "errors", "skipped")],
                         ["3", "1", "0", "1"])
        cases = {case.get("name"): case for case in suite}
        self.assertIn("drops.egress_limit", cases["s1-pfc-xoff-limit"].find("failure").text)
        self.assertIn("no shared headroom pool", cases["s4-headroom-pool"].find("skipped").get("message"))

    def test_bad_usage(self):
        for arguments in (["--profile", "no-such"], ["no-such-test"], ["--sonic", "no-such.json"],
                          ["--profile", "generic-32mb", "--sonic", "x.json"], ["--what"]):
            done = accept(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.splitlines()), 2 if arguments == ["--what"] else 1,
                             done.stderr)
        self.assertIn("railyard: --profile: there is no", accept("--profile", "no-such").stderr)

    @unittest.skipUnless(os.path.isdir(SONIC), "no SONiC files at " + SONIC)
    def test_one_asic_of_several(self):
        """Which ASIC is asked for; what was assumed is said; the report names the file."""
        with open(os.path.join(SOURCE, "configs", "sonic", "template.json"), encoding="utf-8") as read:
            tables = json.load(read)
        tables.pop("CABLE_LENGTH", None)
        file = self.write(json.dumps({"localhost": {}, "asic0": tables, "asic1": tables}))
        junit = self.write("")
        done = accept("s1", "--sonic", file, "--asic", "tomahawk")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds several ASICs", done.stderr)
        done = accept("s1", "--sonic", file, "--asic", "tomahawk", "--asic-namespace", "asic1", "--junit", junit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("there is no CABLE_LENGTH", done.stderr)
        case = xml.etree.ElementTree.parse(junit).getroot().find(".//testcase")
        self.assertEqual(case.get("classname"), file)

    def test_imported_switch(self):
        found = verdicts("--sonic", os.path.join(SONIC, "buffer-arista7060-t0.json"), "--sonic",
                         os.path.join(SONIC, "th_arista7060cx32s_pg_profile_lookup.ini"),
                         "--asic", "tomahawk", "--rate", "100Gbps", "s", "e")
        expected = {name: "pass" for name in tests() if name[0] in "se"}
        # 28 ports in four partitions; the file has no WRED and no schedulers.
        for name in ["s4-headroom-pool", "s11-dwrr-changed"] + [name for name in expected if name[0] == "e"]:
            expected[name] = "not applicable"
        self.assertEqual(found, expected)

    @unittest.skipUnless(os.path.isdir(SONIC), "no SONiC files at " + SONIC)
    def test_generator_tests_of_an_imported_switch(self):
        """A Trident 3 with 256-byte cells, RoCE as DSCP 3, WRED by another name."""
        found = results("--sonic", os.path.join(SONIC, "buffer-arista7050cx3-dualtor.json"), "--sonic",
                        os.path.join(SONIC, "qos-arista7050cx3-dualtor.json"), "--asic", "trident3",
                        "--rate", "100Gbps", "t", "e")
        expected = {name: "pass" for name in tests() if name[0] in "te"}
        expected["t13-mixed-speeds"] = "not applicable"
        self.assertEqual({name: r["verdict"] for name, r in found.items()}, expected)
        self.assertIn("no headroom", found["t13-mixed-speeds"]["why"])

    def test_marking_at_enqueue(self):
        """Which frames are marked is the other way round; how many, and what is dropped, is not."""
        path = self.shipped("generic-32mb", ("ecn: all", "ecn: all, mark_at: enqueue"))
        found = verdicts("--profile", path, "e")
        self.assertEqual(found.pop("e2-dequeue-marking"), "not applicable")
        self.assertEqual(set(found.values()), {"pass"}, found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
