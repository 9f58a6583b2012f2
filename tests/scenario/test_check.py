#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard check`: every rule has a change to a clean configuration that trips it and nothing else.

usage: test_check.py RAILYARD SOURCE_DIRECTORY [unittest's arguments]
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

# 32 MiB, two lossless classes. 100 Gb/s over 5 m in cells of 256 B need less than 200 KB.
PROFILE = """
ports: 4
rate: 100Gbps
cable: 5m
cell: 256
pfc_enable: [3, 4]
maps:
  tc_to_pg: {"0-7": 0, 3: 3, 4: 4}
pools:
  ingress: {type: ingress, mode: dynamic, size: 24MiB}
  egress: {type: egress, mode: static, size: 64MiB}
buffer_profiles:
  lossless: {pool: ingress, size: 4KiB, dynamic_th: 0, xoff: 200KB, xon_offset: 10KB}
  lossy: {pool: ingress, size: 0, dynamic_th: -1}
  egress: {pool: egress, size: 0, static_th: 64MiB}
pgs:
  - {pgs: "0-7", profile: lossy}
  - {pgs: "3-4", profile: lossless}
wred:
  lossless: {min: 100KB, max: 400KB, probability: 20%, ecn: all}
schedulers:
  shared: {type: dwrr, weight: 10}
  strict: {type: strict}
queues:
  - {queues: "0-7", profile: egress, scheduler: shared}
  - {queues: "3-4", wred: lossless}
  - {queues: 6, scheduler: strict}
pfc_watchdog: {poll: 200ms, detection: 200ms, restoration: 200ms}
"""
SCENARIO = """
time: virtual
duration: 1ms
switches:
  a: {profile: ./base.yaml}
  b: {profile: ./base.yaml}
hosts:
  h: {count: 4, nic: 100Gbps}
links:
  - {from: "h[0-1]", to: "a[0-1]", length: 5m}
  - {from: "h[2-3]", to: "b[0-1]", length: 5m}
  - {from: "a[3]", to: "b[3]", length: 5m}
"""

ROW = "{speed: 100Gbps, cable: %s, size: 4KiB, xoff: %s, xon_offset: 10KB, dynamic_th: 0, pool: ingress}"
# Only PG 3 is bound by hand: 4 is for the table of headroom.
BIND_3 = ["switches.a.pgs[1].pgs=3"]

# rule -> what is set, options. Each trips the rule and no other.
TRIPS = {
    "pfc-not-lossless": BIND_3,
    "lossless-not-pfc": ["switches.a.pgs[1].pgs=2-4", "switches.a.maps.tc_to_pg.2=0"],
    "pause-wrong-queue": ["switches.a.maps.pfc_to_queue={3: 4, 4: 3}"],
    "headroom-short": ["switches.a.buffer_profiles.lossless.xoff=40KB"],
    "headroom-pool-short": ["switches.a.pools.ingress.xoff=300KB"],
    "no-buffer": ["switches.a.queues[0].queues=0-6", "switches.a.queues[3]={queues: 7, scheduler: shared}"],
    "pool-overcommitted": ["switches.a.buffer_profiles.lossy.size=1MiB"],
    # One PG may have 12.6 MB of the 24 MiB, each of four 5 MB.
    "xoff-before-ecn": ["switches.a.wred.lossless.min=8MB", "switches.a.wred.lossless.max=20MB"],
    "ecn-step": ["switches.a.wred.lossless.max=100KB"],
    "ecn-jump": ["switches.a.wred.lossless.probability=0%"],
    "ecn-steep": ["switches.a.wred.lossless.probability=100%"],
    "ecn-collapsed": ["switches.a.wred.lossless.min=102401", "switches.a.wred.lossless.max=102500"],
    "ecn-off": ["switches.a.queues[1].wred=null"],
    "wred-drops-lossless": ["switches.a.wred.lossless.ecn=none"],
    "roce-lossy": ["switches.a.maps.dscp_to_tc={26: 1, 24: 3, 48: 6}",
                   "switches.b.maps.dscp_to_tc={26: 1, 24: 3, 48: 6}"],
    "roce-usual-lossy": ["switches.%s.maps.dscp_to_tc={3: 3, 48: 6}" % n for n in "ab"] +
                        ["hosts.h.dscp=3", "hosts.h.dscp_to_priority.3=3"],
    "cnp-not-ahead": ["switches.a.queues[2].scheduler=shared"],
    "cnp-lossless": ["switches.a.maps.dscp_to_tc={26: 3, 48: 4}", "switches.a.queues[2].queues=4"],
    "no-scheduler": ["switches.a.queues[0]={queues: '1-7', profile: egress, scheduler: shared}",
                     "switches.a.queues[3]={queues: 0, profile: egress}"],
    "starved-queue": ["switches.a.schedulers.big={type: dwrr, weight: 100}",
                      "switches.a.schedulers.small={type: dwrr, weight: 1}",
                      "switches.a.queues[0].scheduler=big",
                      "switches.a.queues[3]={queues: 5, scheduler: small}"],
    "strict-data": ["switches.a.queues[1].scheduler=strict"],
    "no-hysteresis": ["switches.a.buffer_profiles.lossless.xon_offset=0"],
    "headroom-table-odd": BIND_3 + ["switches.a.headroom[0]=" + ROW % ("5m", "300KB"),
                                    "switches.a.headroom[1]=" + ROW % ("40m", "200KB")],
    "cable-without-row": BIND_3 + ["switches.a.headroom[0]=" + ROW % ("40m", "300KB")],
    "cable-zero": ["switches.a.cable=0m"],
    "watchdog-range": ["switches.a.pfc_watchdog.detection=6s"],
    "watchdog-off": ["switches.a.pfc_watchdog=null"],
    "egress-drops-lossless": ["switches.a.buffer_profiles.egress.static_th=1MiB"],
    "pfc-asymmetric": ["switches.b.port_settings[0]={ports: 3, pfc_enable: []}",
                       "switches.b.pgs[2]={ports: 3, pgs: all, profile: lossy}"],
    "mtu-asymmetric": ["switches.b.port_settings[0]={ports: 3, mtu: 5000}"],
    "map-asymmetric": ["switches.b.maps.dscp_to_tc={26: 4, 48: 6}"],
}


def check(*arguments):
    return subprocess.run([RAILYARD, "check", *arguments], capture_output=True, text=True, timeout=60)


def rules():
    """Name and level of each rule, as the program lists them."""
    listed = {}
    for line in check("--rules").stdout.splitlines():
        name, level, _ = line.split(None, 2)
        listed[name] = level
    return listed


class Check(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.file = self.write("fabric.yaml", SCENARIO)
        self.write("base.yaml", PROFILE)

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def run_check(self, sets, *options):
        return check(self.file, *options, *["--set=" + s for s in sets])

    def findings(self, sets, *options):
        done = self.run_check(sets, "--json", *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["findings"]

    def test_clean(self):
        done = self.run_check([], "--strict")
        self.assertEqual(done.stdout.strip(), self.file + ": 0 errors, 0 warnings, 0 remarks")
        self.assertEqual(done.returncode, 0)

    def test_every_rule_has_a_case(self):
        # A cycle takes three switches: test_cycle.
        self.assertEqual(set(TRIPS) | {"buffer-cycle"}, set(rules()))

    def test_documented(self):
        with open(os.path.join(SOURCE, "docs", "check.md"), encoding="utf-8") as page:
            rows = [[cell.strip(" `") for cell in line.split("|")[1:3]] for line in page
                    if line.startswith("| `")]
        self.assertEqual([tuple(row) for row in rows], list(rules().items()))

    def test_each_rule_alone(self):
        levels = rules()
        for rule, sets in TRIPS.items():
            with self.subTest(rule):
                found = self.findings(sets)
                self.assertEqual({f["rule"] for f in found}, {rule}, found)
                self.assertEqual({f["level"] for f in found}, {levels[rule]})
                for f in found:
                    self.assertTrue(f["found"] and f["why"] and f["right"] and f["place"], f)

    def test_exit_codes(self):
        for rule, level in rules().items():
            if rule not in TRIPS:
                continue
            with self.subTest(rule):
                for options, code in (((), level == "error"), (("--strict",), level != "info")):
                    self.assertEqual(self.run_check(TRIPS[rule], *options).returncode, code)
        self.assertEqual(self.run_check(["switches.a.nothing=1"]).returncode, 2)
        self.assertEqual(check().returncode, 2)
        self.assertEqual(self.run_check([], "--roce-dscp", "64").returncode, 2)

    def test_default_map_of_sonic(self):
        """DSCP 3 and 4 to their classes, 8 to 0, 5 to 2, 46 and 48 to 5 and 6, all others to 1."""
        maps = ["switches.%s.maps.dscp_to_tc={'0-63': 1, 3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}" % n
                for n in "ab"]
        hosts = ["hosts.h.dscp=3", "hosts.h.dscp_to_priority.3=3"]
        usual, = {f["found"] for f in self.findings(maps + hosts)}
        self.assertIn("DSCP 24", usual)
        self.assertIn("DSCP 26", usual)
        asked = self.findings(maps + hosts, "--roce-dscp", "24,26")
        self.assertEqual({(f["rule"], f["place"]) for f in asked},
                         {("roce-lossy", "%s:0-3 DSCP %d" % (n, d)) for n in "ab" for d in (24, 26)})
        # Who says that DSCP 3 is all there is hears nothing.
        self.assertEqual(self.findings(maps + hosts, "--roce-dscp", "3"), [])

    def test_cycle(self):
        done = check(os.path.join(SOURCE, "configs", "deadlock.yaml"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("s0:3 -> s1:3 -> s2:3 -> s0:3, priority 3", done.stdout)

    def test_a_class_that_does_not_obey_its_pauses(self):
        """Each of the maps between class, PG, priority and queue can break it."""
        for maps in ("tc_to_queue={5: 5, 6: 6, 7: 7, 3: 4, 4: 3}", "pg_to_pfc={3: 4, 4: 3}", "pfc_to_queue={3: 4, 4: 3}"):
            found = {(f["rule"], f["place"]) for f in self.findings(["switches.a.maps." + maps])}
            self.assertEqual(found, {("pause-wrong-queue", "a:0-3 traffic class %d" % n) for n in (3, 4)}, maps)
        # Both ways round, it is right again.
        self.assertEqual(self.findings(["switches.a.maps.pg_to_pfc={3: 4, 4: 3}",
                                        "switches.a.maps.pfc_to_queue={3: 4, 4: 3}"]), [])

    def test_a_class_that_misses_its_pg(self):
        """PFC for 5, with a lossless PG 5; the maps of SONiC's template send class 5 to PG 0."""
        sets = ["switches.%s.%s" % (n, change) for n in "ab" for change in
                ("pfc_enable=[3, 4, 5]", "pgs[1].pgs=3-5", "maps.dscp_to_tc={26: 3, 46: 5, 48: 6}",
                 "pfc_watchdog=null")] + ["hosts.h.pfc_enable=[3, 4, 5]"]
        found = {(f["rule"], f["found"].split(",")[-1]) for f in self.findings(sets)}
        self.assertEqual(found, {("pfc-not-lossless", " which is lossy"),
                                 ("watchdog-off", "lossless priorities are not watched: 3 4 5")})

    def test_cnps_that_are_alone_need_but_come_first(self):
        sets = TRIPS["cnp-not-ahead"]
        self.assertEqual({f["right"] for f in self.findings(sets)}, {"a strict queue of their own"})
        alone = sets + ["switches.%s.maps.dscp_to_tc={26: 3, 48: 6}" % n for n in "ab"]
        self.assertEqual({f["right"] for f in self.findings(alone)},
                         {"a strict scheduler for queue 6, before that of the data"})

    def test_xon_below_the_limit_is_no_hysteresis(self):
        sets = TRIPS["no-hysteresis"] + ["switches.a.buffer_profiles.lossless.xon=10KB"]
        self.assertEqual({f["rule"] for f in self.findings(sets)}, {"no-hysteresis"})
        fixed = sets + ["switches.a.buffer_profiles.lossless.dynamic_th=null",
                        "switches.a.buffer_profiles.lossless.static_th=2MiB"]
        self.assertEqual({f["rule"] for f in self.findings(fixed)}, {"no-hysteresis"})
        # NVIDIA's default: as much as is guaranteed.
        self.assertEqual(self.findings(sets + ["switches.a.buffer_profiles.lossless.size=10KB"]), [])

    def test_an_egress_pool_that_is_too_small(self):
        """All of 16 MiB may be used, but PGs of four ports may hold 4/5 of 24 MiB. What it says is right, is."""
        small = ["switches.a.pools.egress.size=16MiB", "switches.a.buffer_profiles.egress.static_th=16MiB"]
        found = self.findings(small)
        self.assertEqual({f["rule"] for f in found}, {"egress-drops-lossless"})
        right = str((24 << 20) * 4 // 5)
        self.assertIn(right, found[0]["right"])
        self.assertEqual(self.findings([s.replace("16MiB", right) for s in small]), [])

    def test_headroom_says_both_numbers(self):
        found = self.findings(TRIPS["headroom-short"])[0]
        self.assertIn("xoff 40000", found["found"])
        need = json.loads(subprocess.run(
            [RAILYARD, "headroom", "--speed", "100Gbps", "--cable", "5m", "--cell", "256", "--json"],
            capture_output=True, check=True, timeout=60).stdout)[0]["xoff_bytes"]
        self.assertIn("needs %d" % need, found["found"])

    def test_json(self):
        done = self.run_check(TRIPS["headroom-short"] + TRIPS["ecn-jump"] + TRIPS["watchdog-off"],
                              "--json")
        told = json.loads(done.stdout)
        self.assertEqual((told["file"], told["errors"], told["warnings"], told["remarks"]),
                         (self.file, 1, 1, 1))
        # Errors come first; PGs 3 and 4 are one, and so are queues 3 and 4.
        self.assertEqual([f["rule"] for f in told["findings"]],
                         ["headroom-short", "ecn-jump", "watchdog-off"])
        self.assertEqual([f["place"] for f in told["findings"]][:2], ["a:0-3 PG 3, 4", "a:0-3 queue 3, 4"])
        for f in told["findings"]:
            self.assertEqual(set(f), {"rule", "level", "node", "nodes", "place", "ports", "found",
                                      "why", "right"})
            self.assertEqual((f["node"], f["nodes"], f["ports"]), ("a", ["a"], [0, 1, 2, 3]))

    def test_a_group_is_told_once(self):
        """Three leaves of one configuration, the last with a longer cable: it alone is short."""
        group = SCENARIO[:SCENARIO.index("switches:")] + """
switches:
  leaf: {count: 3, profile: ./base.yaml}
  spine: {profile: ./base.yaml}
hosts:
  h: {count: 3, nic: 100Gbps}
links:
  - {from: "h[0-1]", to: ["leaf0[0]", "leaf1[0]"], length: 5m}
  - {from: "h[2]", to: "leaf2[0]", length: 1km}
  - {from: "spine[0-2]", to: ["leaf0[3]", "leaf1[3]", "leaf2[3]"], length: 5m}
"""
        file = self.write("group.yaml", group)
        found = json.loads(check(file, "--json", "--set=switches.leaf.wred.lossless.max=100KB").stdout)
        steps = [f for f in found["findings"] if f["rule"] == "ecn-step"]
        self.assertEqual([(f["node"], f["place"]) for f in steps],
                         [("leaf[0-2]", "leaf[0-2]:0-3 queue 3, 4")])
        self.assertEqual(steps[0]["nodes"], ["leaf0", "leaf1", "leaf2"])
        self.assertEqual(found["warnings"], len([f for f in found["findings"] if f["level"] == "warning"]))
        short = [f for f in found["findings"] if f["rule"] == "headroom-short"]
        self.assertEqual([f["place"] for f in short], ["leaf2:0 PG 3, 4"])
        # Of both ends of links.
        found = json.loads(check(file, "--json", "--set=hosts.h.pfc_enable=[5]",
                                 "--set=switches.leaf.mtu=5000").stdout)["findings"]
        self.assertEqual({(f["rule"], f["place"]) for f in found if f["rule"].endswith("asymmetric")},
                         {("pfc-asymmetric", "leaf[0-2]:0"), ("mtu-asymmetric", "spine:0-2")})

    def test_maps_of_a_port(self):
        """A port with maps of its own is judged by them, the others by the switch's."""
        own = "{ports: 1, maps: {dscp_to_tc: {26: 1, 24: 3, 48: 6}, tc_to_pg: {'0-7': 0, 3: 3, 4: 4}}}"
        found = self.findings(["switches.a.port_settings[0]=" + own])
        self.assertEqual([(f["rule"], f["place"]) for f in found], [("roce-lossy", "a:1 DSCP 26")])

    def test_memory(self):
        """
        Guarantees are beside the pools. By hand: 4 ports of two PGs of 4 KiB and of own headroom of
        200 KB in cells of 256 are 4 x 2 x (4096 + 200192) bytes.
        """
        guaranteed = 4 * 2 * (4096 + 200192)
        for buffer, rules in (((24 << 20) + guaranteed, set()),
                              ((24 << 20) + guaranteed - 1, {"pool-overcommitted"})):
            found = self.findings(["switches.a.buffer=%d" % buffer])
            self.assertEqual({f["rule"] for f in found}, rules)
        self.assertIn("%d guaranteed" % guaranteed, found[0]["found"])
        # A pool that is smaller than what is guaranteed beside it, in enough memory.
        self.assertEqual(self.findings(["switches.a.buffer=64MiB",
                                        "switches.a.buffer_profiles.lossy.size=1MiB"]), [])

    def test_memory_of_an_asic(self):
        """16 MB of a Tomahawk, 42 of a Tomahawk 2: no pool of 24 MiB fits the former."""
        for asic, rules in (("tomahawk", {"pool-overcommitted"}), ("tomahawk2", set())):
            found = self.findings(["switches.a.asic=" + asic])
            self.assertEqual({f["rule"] for f in found} & {"pool-overcommitted"}, rules, asic)

    def test_what_does_not_load(self):
        """These are no findings, since nothing could run with them: one line, and exit status 2."""
        for sets, part in ((["switches.a.wred.lossless.max=50KB"], "max"),
                           (["switches.a.pfc_watchdog.poll=300ms"], "below the poll interval"),
                           (["switches.a.wred.lossless.probability=120%"], "probability")):
            done = self.run_check(sets)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(part, done.stderr)

    def test_github(self):
        done = self.run_check(TRIPS["headroom-short"], "--github")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1)  # PG 3 and PG 4
        for line in lines:
            self.assertTrue(line.startswith("::error file=" + self.file + ",title=headroom-short::a:0-3"),
                            line)
        done = self.run_check(TRIPS["ecn-jump"], "--github")
        self.assertIn("::warning file=", done.stdout)
        self.assertIn("Pmax 0 %25", done.stdout)

    def junit(self, command, name="report.xml", code=0):
        path = os.path.join(self.directory.name, name)
        done = subprocess.run([RAILYARD, *command, "--junit", path], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        suite, = xml.etree.ElementTree.parse(path).getroot()
        return suite, {case.get("name"): case for case in suite}

    def test_junit_of_check(self):
        sets = ["--set=" + s for s in TRIPS["headroom-short"] + TRIPS["ecn-jump"]]
        suite, cases = self.junit(["check", self.file, *sets], code=1)
        self.assertEqual((suite.get("tests"), suite.get("failures")), (str(len(cases)), "1"))
        self.assertLessEqual(set(rules()), set(cases))
        self.assertIn("xoff 40000", cases["headroom-short"].find("failure").text)
        self.assertIsNone(cases["ecn-jump"].find("failure"))
        self.assertIn("Pmax 0 %", cases["ecn-jump"].find("system-out").text)
        suite, cases = self.junit(["check", self.file, "--strict", *sets], code=1)
        self.assertEqual(suite.get("failures"), "2")

    def test_junit_of_run(self):
        odd = self.write("a<b>&\"c\u00e9.yaml", SCENARIO + "expect: {drops: 0, cnp_sent: '> 0'}\n")
        command = ["run", odd, "--quiet", "--github"]
        suite, cases = self.junit(command, code=1)
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "1"))
        self.assertEqual(set(cases), {"run", "drops 0", "cnp_sent > 0"})
        self.assertEqual(cases["run"].get("classname"), odd)
        self.assertEqual(cases["cnp_sent > 0"].find("failure").get("message"),
                         "expected cnp_sent > 0, measured 0")
        done = subprocess.run([RAILYARD, *command], capture_output=True, text=True, timeout=60)
        self.assertIn("::error file=%s,line=13,col=30,title=expectation failed::"
                      "expected cnp_sent > 0, measured 0\n" % odd, done.stderr)

    def test_report_does_not_replace_the_configuration(self):
        for command in ("check", "run"):
            done = subprocess.run([RAILYARD, command, self.file, "--junit", self.file],
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 2)
        with open(self.file, encoding="utf-8") as kept:
            self.assertEqual(kept.read(), SCENARIO)

    def test_shipped_scenarios(self):
        """
        What is found in them is so: most have no watchdog, two no ECN, on purpose.
        """
        meant = {"incast-pfc-only.yaml": {"ecn-off"}, "lossless-lossy-mix.yaml": {"ecn-off"},
                 "deadlock.yaml": {"buffer-cycle"}}
        directory = os.path.join(SOURCE, "configs")
        for name in sorted(os.listdir(directory)):
            if not name.endswith(".yaml"):
                continue
            done = check(os.path.join(directory, name), "--json")
            if "no switch in it" in done.stderr:
                continue
            with self.subTest(name):
                found = {f["rule"] for f in json.loads(done.stdout)["findings"]}
                self.assertEqual(found - {"watchdog-off"}, meant.get(name, set()))

    def test_shipped_profiles(self):
        for name in ("generic-32mb", "tomahawk-7060cx"):
            done = check(self.write("profile.yaml", "switches: {s: {profile: %s}}\n" % name), "--json")
            with self.subTest(name):
                self.assertEqual({f["rule"] for f in json.loads(done.stdout)["findings"]},
                                 {"watchdog-off"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
