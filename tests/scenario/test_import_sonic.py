#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`railyard import sonic` as a user meets it: real and broken files, and what comes of them."""

import glob
import json
import os
import subprocess
import sys
import unittest

from scratch import Scratch

RAILYARD, SOURCE = sys.argv[1], os.path.abspath(sys.argv[2])
OWN = os.path.join(SOURCE, "tests", "data", "sonic")
REAL = os.path.join(SOURCE, "..", "shared", "data", "sonic")
TOMAHAWK = [os.path.join(OWN, "tomahawk", name)
            for name in ("buffers.json", "qos.json", "ports-100g.json", "pg_profile_lookup.ini")]

# A switch of two ports, for one change each.
PORTS = {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}}
BASE = {
    "PORT": PORTS,
    "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}},
    "BUFFER_POOL": {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "2000000"},
        "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "12000000"}},
    "BUFFER_PROFILE": {
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "1"},
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12000000"}},
    "BUFFER_PG": {"Ethernet0,Ethernet4|0": {"profile": "ingress_lossy_profile"}},
    "BUFFER_QUEUE": {"Ethernet0,Ethernet4|0-7": {"profile": "egress_lossless_profile"}},
    "DSCP_TO_TC_MAP": {"AZURE": {"3": "3"}},
    "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "3": "3"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3"}},
    "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "[TC_TO_PRIORITY_GROUP_MAP|AZURE]",
                                             "tc_to_queue_map": "AZURE", "pfc_enable": "3"}},
}


def railyard(*arguments):
    return subprocess.run([RAILYARD, *arguments], capture_output=True, text=True, timeout=120)


def changed(table, row, fields):
    """BASE with one row changed; fields None takes it out."""
    base = json.loads(json.dumps(BASE))
    rows = base.setdefault(table, {})
    if fields is None:
        del rows[row]
    else:
        rows[row] = {**rows.get(row, {}), **fields}
    return base


class Import(Scratch):
    def setUp(self):
        super().setUp()
        self.out = self.path("out.yaml")

    def summary(self, path, *arguments):
        run = railyard("run", path, "--json", *arguments)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return json.loads(run.stdout)

    def check_whole(self, files, *arguments):
        """Imports, runs, behaves the same after a dump, and can be judged."""
        run = railyard("import", "sonic", *files, "-o", self.out, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(all(line.startswith("railyard: ") for line in run.stderr.splitlines()), run.stderr)
        summary = self.summary(self.out)
        dump = railyard("run", self.out, "--dump-config")
        self.assertEqual(dump.returncode, 0, dump.stderr)
        self.assertEqual(self.summary(self.path("dump.yaml", dump.stdout))["digest"], summary["digest"])
        judged = railyard("check", self.out, "--json")
        self.assertIn(judged.returncode, (0, 1), judged.stderr)
        findings = json.loads(judged.stdout)
        self.assertEqual(judged.returncode, findings["errors"] > 0)
        self.assertEqual({f["node"] for f in findings["findings"]} - {"tor", ""}, set())
        again = railyard("check", self.path("dump.yaml"), "--json")
        self.assertEqual([f for f in json.loads(again.stdout)["findings"] if f["rule"] != "config"],
                         [f for f in findings["findings"] if f["rule"] != "config"])
        return run.stderr, summary

    def check_refused(self, content, *parts, name="db.json", arguments=()):
        path = self.path(name, content)
        run = railyard("import", "sonic", path, "-o", self.out, *arguments)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in (os.path.basename(path), *parts):
            self.assertIn(part, run.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_own_files(self):
        warnings, summary = self.check_whole(TOMAHAWK)
        self.assertEqual(warnings, "")
        self.assertEqual([e["met"] for e in summary["expectations"]], [True])  # drops: 0
        trident = os.path.join(OWN, "trident3")
        warnings, _ = self.check_whole(sorted(glob.glob(os.path.join(trident, "*"))))
        self.assertEqual(warnings, "")

    def test_real_files(self):
        files = sorted(glob.glob(os.path.join(REAL, "*.json")))
        if not files:
            self.skipTest(f"there is no {REAL}")
        for file in files:
            with self.subTest(file):
                warnings, _ = self.check_whole([file])
                with open(file) as read:
                    tables = json.load(read)
                # What it lacks is named, and what is assumed in its place.
                for table, row in (("PORT", "Ethernet0"), ("CABLE_LENGTH", "AZURE"), ("BUFFER_POOL", ""),
                                   ("PORT_QOS_MAP", "Ethernet0")):
                    lacks = row not in json.dumps(tables.get(table, "none")) or table not in tables
                    told = f"there is no {table}:" in warnings or f"has a row in {table}:" in warnings
                    self.assertEqual(lacks, told, (table, warnings))
                for what in ("the ASIC is not known", "there is no pg_profile_lookup.ini"):
                    self.assertIn(what, warnings)
        # The zero pools and port limits of Spectrum; a table of a ToR with its buffers.
        self.check_whole([os.path.join(REAL, name) for name in ("buffers-mellanox2410.json",
                                                                "sn2700_pg_profile_lookup.ini")], "--asic", "spectrum1")
        self.check_whole([os.path.join(REAL, name) for name in ("buffer-arista7060-t0.json",
                                                                "th_arista7060cx32s_pg_profile_lookup.ini")],
                         "--asic", "tomahawk")
        for pair in (("buffer-arista7050cx3-dualtor", "qos-arista7050cx3-dualtor"),
                     ("buffer-arista7800r3-48cq2-lc", "qos-arista7800r3-48cq2-lc"),
                     ("buffer-no-config", "qos-no-config")):
            with self.subTest(pair):
                self.check_whole([os.path.join(REAL, f"{name}.json") for name in pair])

    def test_in_a_scenario(self):
        """`sonic:` loads what the import writes; so does a profile of the switch alone."""
        self.check_whole(TOMAHAWK)
        digest = self.summary(self.out)["digest"]
        with open(self.out) as file:
            rest = file.read()
        rest = rest[rest.index("hosts:"):]
        head = "time: virtual\nduration: 5ms\nswitches:\n  tor: "
        direct = self.path("direct.yaml", head + "{sonic: [" + ", ".join(TOMAHAWK) + "]}\n" + rest)
        self.assertEqual(self.summary(direct)["digest"], digest)
        run = railyard("import", "sonic", *TOMAHAWK, "--switch-only", "-o", self.path("tor.yaml"))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        by_profile = self.path("profile.yaml", head + "{profile: ./tor.yaml}\n" + rest)
        self.assertEqual(self.summary(by_profile)["digest"], digest)
        # A port by its name.
        named = self.path("named.yaml", head + "{sonic: [" + ", ".join(TOMAHAWK) + "]}\n" +
                          rest.replace('to: "tor[0-31]"', 'to: ["tor[Ethernet0]", "tor[1-30,Ethernet124]"]'))
        self.assertEqual(self.summary(named)["digest"], digest)
        # What the scenario says itself comes first.
        run = railyard("run", direct, "--dump-config", "--set", "switches.tor.pools.ingress_lossless_pool.size=9MB")
        self.assertIn("size: 9MB, xoff: 4194112B", run.stdout)

    def test_taken_out(self):
        """--set KEY=null takes `sonic` out as it does any key: a switch without files is left."""
        scenario = self.path("in.yaml", "duration: 1us\nswitches:\n  tor: {profile: generic-32mb, sonic: [nowhere.json], "
                             "asic: tomahawk}\n")
        self.assertEqual(railyard("run", scenario).returncode, 2)
        out = "switches.tor.%s=null"
        run = railyard("run", scenario, "--dump-config", "--set", out % "sonic", "--set", "switches.tor.ports=4")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("cell: 208B", run.stdout)
        run = railyard("run", scenario, "--dump-config", "--set", out % "sonic", "--set", out % "asic",
                       "--set", "switches.tor.ports=4")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("cell: 256B", run.stdout)

    def test_base(self):
        self.check_whole([self.path("db.json", json.dumps(BASE))], "--asic", "tomahawk")

    def test_later_files_win(self):
        first = self.path("a.json", json.dumps(BASE))
        second = self.path("b.json", json.dumps({"BUFFER_POOL": {"ingress_lossless_pool": {"size": "9000000"}}}))
        run = railyard("import", "sonic", first, second, "--asic", "tomahawk")
        self.assertIn("ingress_lossless_pool: {type: ingress, mode: dynamic, size: 9000000, xoff: 2000000}", run.stdout)

    def test_namespaces(self):
        several = json.dumps({"localhost": {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-arista_7060_cx32s"}}},
                              "asic0": BASE, "asic1": changed("PORT", "Ethernet0", {"speed": "40000"})})
        self.check_refused(several, "several ASICs", "asic_namespace")
        self.check_refused(several, 'no "asic7"', arguments=("--asic-namespace", "asic7"))
        for name, hosts in (("0", "h100g"), ("asic1", "h40g")):
            run = railyard("import", "sonic", self.path("db.json", several), "--asic-namespace", name)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"  {hosts}:\n", run.stdout)

    def test_virtual_output_queues(self):
        base = json.loads(json.dumps(BASE))
        base["BUFFER_QUEUE"] = {f"lc{card}|asic0|{port}|0-7": {"profile": "egress_lossless_profile"}
                                for card in (1, 2) for port in PORTS}
        path = self.path("db.json", json.dumps(base))
        run = railyard("import", "sonic", path, "--asic", "jericho2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("those towards lc1|asic0 are taken", run.stderr)
        run = railyard("import", "sonic", path, "--asic", "jericho2", "--asic-namespace", "lc2|asic0")
        self.assertEqual((run.returncode, run.stderr.count("lc1")), (0, 0), run.stderr)

    def test_dynamic_model(self):
        """Pools without a size, and PGs whose profile is NULL: worked out by hand as SONiC does."""
        base = {**BASE, "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0",
                                                          "buffer_model": "dynamic"}},
                "PORT": {"Ethernet0": {"speed": "400000", "lanes": "0,1,2,3,4,5,6,7"}, "Ethernet4": {"speed": "100000"}},
                "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "300m"}},
                "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}},
                "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "1", "over_subscribe_ratio": "2"}},
                "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
                                "egress_lossless_pool": {"type": "egress", "mode": "static"}}}
        base["BUFFER_PG"] = {**base["BUFFER_PG"], "Ethernet0,Ethernet4|3": {"profile": "NULL"}}
        run = railyard("import", "sonic", self.path("db.json", json.dumps(base)))
        self.assertEqual(run.returncode, 0, run.stderr)
        # Of 60,817,392 bytes: xon of both lossless PGs, 38,912 and 19,456; 19,456 for each lossy PG and
        # for each port; 10 KiB for each port's mirror, 10 KiB of private headroom for each, 256 KiB.
        reserved = 38912 + 19456 + 2 * 19456 + 2 * 19456 + 2 * 10240 + 2 * 10240 + 262144
        shared = (265216 + 220160 - 2 * 10240) // 2
        # The size that Spectrum has counts the shared headroom.
        self.assertIn(f"ingress_lossless_pool: {{type: ingress, mode: dynamic, size: {60817392 - reserved}, "
                      f"xoff: {shared}}}", run.stdout)
        self.assertIn("egress_lossless_pool: {type: egress, mode: static, size: 60817392}", run.stdout)
        self.assertIn("cable: 40m, pool: ingress_lossless_pool, size: 38912, xon: 38912, xoff: 265216, dynamic_th: 1",
                      run.stdout)
        self.check_refused(json.dumps({**base, "DEVICE_METADATA": {}}), "BUFFER_POOL|ingress_lossless_pool",
                           "how much memory the ASIC has is not known")

    def test_pcp(self):
        base = changed("PORT_QOS_MAP", "Ethernet0,Ethernet4", {"dot1p_to_tc_map": "AZURE"})
        base["DOT1P_TO_TC_MAP"] = {"AZURE": {"3": "3"}}
        del base["PORT_QOS_MAP"]["Ethernet0,Ethernet4"]["dscp_to_tc_map"]
        run = railyard("import", "sonic", self.path("db.json", json.dumps(base)), "--asic", "tomahawk")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("    trust: pcp\n", run.stdout)
        base["PORT_QOS_MAP"]["Ethernet0"] = {"dscp_to_tc_map": "AZURE"}
        self.check_refused(json.dumps(base), "trust 802.1p priorities", arguments=("--asic", "tomahawk"))

    def test_limits_of_ports(self):
        base = {**BASE, "BUFFER_PORT_INGRESS_PROFILE_LIST": {port: {"profile_list": "[BUFFER_PROFILE|ingress_lossy_profile]"}
                                                             for port in PORTS}}
        self.check_whole([self.path("db.json", json.dumps(base))], "--asic", "tomahawk")
        with open(self.out) as file:
            self.assertIn("ingress_profiles: [ingress_lossy_profile]", file.read())
        base["BUFFER_PORT_INGRESS_PROFILE_LIST"]["Ethernet0"]["profile_list"] += ",nowhere"
        os.remove(self.out)
        self.check_refused(json.dumps(base), "BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0", "nowhere",
                           arguments=("--asic", "tomahawk"))

    def test_ports_without_buffer(self):
        """Ports that are down have profiles of nothing on Spectrum: no PFC is assumed there."""
        base = json.loads(json.dumps(BASE))
        del base["PORT_QOS_MAP"]
        base["BUFFER_PROFILE"]["egress_zero_profile"] = {"pool": "egress_lossless_pool", "size": "0", "static_th": "0"}
        base["BUFFER_QUEUE"] = {"Ethernet0|0-7": {"profile": "egress_lossless_profile"},
                                "Ethernet4|0-7": {"profile": "egress_zero_profile"}}
        run = railyard("import", "sonic", self.path("db.json", json.dumps(base)), "--asic", "spectrum1", "-o", self.out)
        self.assertEqual(run.returncode, 0, run.stderr)
        found = json.loads(railyard("check", self.out, "--json").stdout)["findings"]
        self.assertEqual([f for f in found if f["rule"] in ("egress-drops-lossless", "pfc-not-lossless") or
                          f["rule"] == "headroom-short" and f["ports"] != [0]], [])

    def test_speeds_below_a_gigabit(self):
        """... have hosts of their own: found by the fuzzer, which had two of one name."""
        ports = {"Ethernet%d" % i: {"speed": speed} for i, speed in enumerate(("10", "100", "1000", "2500", "2000"))}
        base = {"PORT": ports, "CABLE_LENGTH": {"AZURE": {port: "5m" for port in ports}}}
        run = railyard("import", "sonic", self.path("db.json", json.dumps(base)), "-o", self.out)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.out) as file:
            hosts = file.read().split("hosts:")[1]
        for name in ("h10m", "h100m", "h1g", "h2500m", "h2g"):
            self.assertIn(f"  {name}:\n", hosts)

    def test_unused_tables_are_named_once(self):
        base = {**BASE, "VLAN": {"Vlan10": {"vlanid": "10"}}, "LOOPBACK_INTERFACE": {}}
        run = railyard("import", "sonic", self.path("db.json", json.dumps(base)), "--asic", "tomahawk")
        self.assertEqual(run.stderr.count("VLAN, LOOPBACK_INTERFACE"), 1)

        # To have them is no finding.
        scenario = self.path("in.yaml", "switches: {tor: {sonic: [db.json], asic: tomahawk}}\n")
        self.assertNotIn("VLAN", railyard("check", scenario).stdout)

    def test_what_is_taken_otherwise_is_said(self):
        watchdog = {"detection_time": "200", "restoration_time": "200"}
        for base, said in (
                (changed("PFC_WD", "Ethernet0", watchdog), "PORT_QOS_MAP has no pfcwd_sw_enable"),
                (changed("BUFFER_PG", "Ethernet4|3", {"profile": "ingress_lossy_profile"}),
                 "BUFFER_PG has ingress_lossy_profile for PG 3 of Ethernet4, but pfc_enable"),
                (changed("PORTCHANNEL_MEMBER", "PortChannel1|Ethernet99", {}),
                 'PORTCHANNEL_MEMBER|PortChannel1|Ethernet99: there is no port "Ethernet99" in PORT'),
                (changed("SCHEDULER", "x", {"type": "DWRR", "weight": "0"}), "SCHEDULER|x: weight: 0 is taken as 1"),
                (changed("WRED_PROFILE", "x", {"ecn": "ecn_yellow", "wred_green_enable": "true",
                                               "green_max_threshold": "9"}), "WRED_PROFILE|x: ecn: marks nothing")):
            with self.subTest(said):
                run = railyard("import", "sonic", self.path("db.json", json.dumps(base)), "--asic", "tomahawk")
                self.assertEqual((run.returncode, run.stderr.count(said)), (0, 1), run.stderr)

    def test_small_frames(self):
        """Ports of 1500 bytes: hosts whose packets pass."""
        base = changed("PORT", "Ethernet0", {"mtu": "1500"})
        self.check_whole([self.path("db.json", json.dumps(base))], "--asic", "tomahawk")

    def test_not_a_scenario(self):
        for command in ("run", "check"):
            run = railyard(command, self.path("db.json", json.dumps(BASE)))
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
            self.assertIn("railyard import sonic", run.stderr)

    def test_what_cannot_be(self):
        profile = "BUFFER_PROFILE", "ingress_lossy_profile"
        for base, *parts in (
                (changed(*profile, {"pool": "nowhere"}), "BUFFER_PROFILE|ingress_lossy_profile", "BUFFER_POOL|nowhere"),
                (changed(*profile, {"pool": "[BUFFER_POOL|nowhere]"}), "there is no BUFFER_POOL|nowhere"),
                # a reference to itself, and to another that refers back
                (changed(*profile, {"pool": "[BUFFER_PROFILE|ingress_lossy_profile]"}), "takes a name in BUFFER_POOL"),
                (changed(*profile, {"packet_discard_action": "trim"}), "packet_discard_action"),
                (changed(*profile, {"shape": "round"}), "shape: Railyard does not know"),
                (changed("BUFFER_PG", "Ethernet0|3", {"profile": "ingress_losy_profile"}), "BUFFER_PG|Ethernet0|3",
                 "did you mean ingress_lossy_profile?"),
                (changed("BUFFER_PG", "Ethernet0|3-9", {"profile": "ingress_lossy_profile"}), "BUFFER_PG|Ethernet0|3-9"),
                (changed("BUFFER_PG", "Ethernet8|3", {"profile": "ingress_lossy_profile"}), "no port Ethernet8"),
                (changed("BUFFER_PG", "Ethernet0", {"profile": "ingress_lossy_profile"}), "a key here is port|number"),
                (changed("BUFFER_POOL", "ingress_lossless_pool", {"type": "sideways"}),
                 '"sideways", but it takes ingress'),
                (changed(*profile, {"dynamic_th": "8"}), "BUFFER_PROFILE|ingress_lossy_profile", "8 is out of range"),
                (changed("PFC_WD", "Ethernet0", {"detection_time": "100"}), "PFC_WD|Ethernet0", "below the poll interval"),
                (changed("PFC_WD", "GLOBAL", {"POLL_INTERVAL": "0"}), "PFC_WD|GLOBAL", "poll"),
                (changed("PORT_QOS_MAP", "Ethernet0", {"dscp_to_tc_map": "BLUE"}), "no DSCP_TO_TC_MAP|BLUE"),
                (changed("PORT_QOS_MAP", "Ethernet0", {"pfc_enable": "3,8"}), '"3,8"'),
                (changed("DSCP_TO_TC_MAP", "AZURE", {"64": "1"}), "DSCP_TO_TC_MAP|AZURE", '"64" is not a number 0 to 63'),
                (changed("SCHEDULER", "x", {"type": "DWRR", "cir": "1000"}), "SCHEDULER|x", "cir"),
                (changed("SCHEDULER", "x", {"meter_type": "packets"}), "SCHEDULER|x", "meter_type"),
                (changed("WRED_PROFILE", "x", {"green_min_threshold": "9", "green_max_threshold": "8"}),
                 "WRED_PROFILE|x", "below green_min_threshold"),
                (changed("PFC_WD", "Ethernet0", {"action": "drop"}), "PFC_WD|Ethernet0", "detection_time"),
                (changed("CABLE_LENGTH", "AZURE", {"Ethernet0": "0m"}), "PORT|Ethernet0", "a cable of 0m"),
                (changed("PORT", "Ethernet0", {"speed": "0"}), "PORT|Ethernet0", "speed: takes Mb/s"),
                (changed("LOSSLESS_TRAFFIC_PATTERN", "AZURE", {"mtu": "0"}), "LOSSLESS_TRAFFIC_PATTERN|AZURE", "mtu"),
                (changed("CABLE_LENGTH", "AZURE", {"Ethernet0": "far"}), "CABLE_LENGTH|AZURE", "Ethernet0")):
            with self.subTest(parts):
                self.check_refused(json.dumps(base), *parts, arguments=("--asic", "tomahawk"))

    def test_lookup_table(self):
        db = self.path("base.json", json.dumps(BASE))
        for text, *parts in (("100000 5m 1248 2288 165568 0\n", "no row for 100000 and 40m"),
                             ("100000 5m 1248 2288\n", ":1:1: 4 columns"),
                             ("# speed\n\n100000 5 1248 2288 165568 0\n", ":3:1: cable"),
                             ("100000 5m 1248 2288 165568 0\n" * 2, ":2:1: a second row"),
                             ("100000 5m 1248 2288 1e9 0\n", "xoff")):
            run = railyard("import", "sonic", db, self.path("pg_profile_lookup.ini", text), "-o", self.out)
            self.assertEqual(run.returncode, 2, text)
            self.assertEqual(run.stderr.count("\n"), 1)
            for part in parts:
                self.assertIn(part, run.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_published_settings(self):
        """Each guide goes over a profile with buffers; each ASIC gives a switch its facts."""
        incast = os.path.join(SOURCE, "configs", "incast.yaml")
        profiles = os.path.join(SOURCE, "configs", "profiles")
        guides = sorted(glob.glob(os.path.join(profiles, "guides", "*.yaml")))
        self.assertGreaterEqual(len(guides), 9)
        for guide in guides:
            name = "guides/" + os.path.basename(guide)[:-len(".yaml")]
            run = railyard("run", incast, "--dump-config", "--set", f"switches.tor.profile=[{name}, tomahawk-7060cx]")
            self.assertEqual((run.returncode, run.stderr), (0, ""), guide)
        for asic in sorted(glob.glob(os.path.join(profiles, "asics", "*.yaml"))):
            name = os.path.basename(asic)[:-len(".yaml")]
            with open(asic) as file:
                cell = next(line.split()[1] for line in file if line.startswith("cell:"))
            run = railyard("run", incast, "--dump-config", "--set", f"switches.tor.asic={name}")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"    cell: {cell}B\n", run.stdout)

    def test_usage(self):
        for arguments, part in (((), "give files"), (("/nowhere.json",), "No such file"),
                                (("--rate", "fast", TOMAHAWK[0]), "--rate"),
                                (("--rate", "0", TOMAHAWK[0]), "--rate 0: takes 1Mbps or more"),
                                (("--asic", "tomahawk", "--asic", "trident3", *TOMAHAWK), "given twice"),
                                (("--asic", "tomahwk", *TOMAHAWK), "did you mean tomahawk")):
            run = railyard("import", "sonic", *arguments)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run.stderr)
            self.assertIn(part, run.stderr)
        run = railyard("import", "sonic", *TOMAHAWK, "-o", "/nowhere/out.yaml")
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1]+sys.argv[3:])
