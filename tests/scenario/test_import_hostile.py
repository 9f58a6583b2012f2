#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What `railyard import sonic` does with files that are no configuration of a switch: one line with
the place, exit status 2, nothing written, and all of it in bounded time and memory.

usage: test_import_hostile.py RAILYARD SOURCE_DIRECTORY [unittest's arguments]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from scratch import Scratch

RAILYARD = os.path.abspath(sys.argv[1])

# Files end at 16 MiB; a tree of them takes some twenty times that, and sanitizers three times more.
MEMORY_KIB = 2 << 20
SECONDS = 100

# Each table that is read has a row.
WHOLE = {
    "DEVICE_METADATA": {"localhost": {"hwsku": "x", "platform": "y"}},
    "PORT": {"Ethernet0": {"speed": "100000", "mtu": "9100"}, "Ethernet4": {"speed": "100000"}},
    "PORTCHANNEL": {"PortChannel1": {"mtu": "9100"}},
    "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {"NULL": "NULL"}},
    "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}},
    "BUFFER_POOL": {"in": {"type": "ingress", "mode": "dynamic", "size": "10000000"},
                    "out": {"type": "egress", "mode": "static", "size": "12000000"}},
    "BUFFER_PROFILE": {"lossy": {"pool": "in", "size": "0", "dynamic_th": "1"},
                       "lossless": {"pool": "in", "size": "4096", "dynamic_th": "1", "xoff": "200000",
                                    "xon_offset": "4096"},
                       "queue": {"pool": "out", "size": "0", "static_th": "12000000"}},
    "BUFFER_PG": {"Ethernet0,Ethernet4|0-2": {"profile": "lossy"}, "Ethernet0,Ethernet4|3": {"profile": "lossless"},
                  "Ethernet0,Ethernet4|4-7": {"profile": "lossy"}},
    "BUFFER_QUEUE": {"Ethernet0,Ethernet4|0-7": {"profile": "queue"}},
    "BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "lossy"}},
    "BUFFER_PORT_EGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "queue"}},
    "DSCP_TO_TC_MAP": {"AZURE": {"3": "3"}},
    "DOT1P_TO_TC_MAP": {"AZURE": {"3": "3"}},
    "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "3": "3"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3"}},
    "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3"}},
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3"}},
    "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {
        "dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
        "pfc_to_queue_map": "AZURE", "pfc_to_pg_map": "AZURE", "pfc_enable": "3", "pfcwd_sw_enable": "3"}},
    "WRED_PROFILE": {"ecn": {"green_min_threshold": "100000", "green_max_threshold": "200000",
                             "green_drop_probability": "5", "wred_green_enable": "true", "ecn": "ecn_all"}},
    "SCHEDULER": {"shared": {"type": "DWRR", "weight": "10"}},
    "QUEUE": {"Ethernet0,Ethernet4|3": {"scheduler": "shared", "wred_profile": "ecn"}},
    "PFC_WD": {"Ethernet0": {"detection_time": "200", "restoration_time": "200", "action": "drop"},
               "GLOBAL": {"POLL_INTERVAL": "200"}},
    "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}},
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0"}},
}


def unprivileged():
    """For who may read anything, as root may."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class Hostile(Scratch):
    def setUp(self):
        super().setUp()
        os.chmod(self.directory.name, 0o755)  # for test_locked
        self.out = self.path("out.yaml")

    def run_bounded(self, *arguments, **options):
        """Exit status, standard error; what it took stays in bounds."""
        with tempfile.TemporaryFile() as err:
            child = subprocess.Popen([RAILYARD, "import", "sonic", *arguments, "-o", self.out],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, **options)
            signal.signal(signal.SIGALRM, lambda *_: child.kill())
            signal.alarm(SECONDS)
            _, status, usage = os.wait4(child.pid, 0)
            signal.alarm(0)
            child.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            self.assertLess(usage.ru_maxrss, MEMORY_KIB)
            return child.returncode, err.read().decode()

    def refused_file(self, path, *parts, arguments=(), **options):
        code, err = self.run_bounded(path, "--asic", "tomahawk", *arguments, **options)
        self.assertEqual((code, err.count("\n"), os.path.exists(self.out)), (2, 1, False), (parts, err[:2000]))
        self.assertLess(len(err), 1000)
        for part in ("railyard: ", *parts):
            self.assertIn(part, err)
        return err

    def refused(self, content, *parts, name="db.json"):
        return self.refused_file(self.path(name, content), name, *parts)

    def test_whole(self):
        """What is broken below is whole."""
        code, err = self.run_bounded(self.path("db.json", json.dumps(WHOLE)), "--asic", "tomahawk")
        self.assertEqual(code, 0, err)

    def test_no_json(self):
        whole = json.dumps(WHOLE)
        for content, *parts in (
                ("", "db.json:1:1: not JSON"), (" \n\n", "not JSON"), ("switches: {}", "not JSON"), ("3", "not JSON"),
                ("{'PORT': {}}", "not JSON"), ('{"PORT": {},}', "not JSON"), ("{} {}", "not JSON"), ("{} x", "not JSON"),
                ('{"PORT": {}} // ports', "not JSON"), ("[]", "object of tables"), ('["PORT"]', "object of tables"),
                ("[" * 100000, "not JSON", "depth"), ('{"a":' * 100000 + "1" + "}" * 100000, "not JSON", "depth"),
                ('{"PORT": {"Ethernet0": ' + "[" * 100000 + "]" * 100000 + "}}", "not JSON", "depth"),
                ('{"PORT": {"Ethernet0": {"speed": ' + "9" * 100000 + "}}}", "not JSON"),
                (b'{"PORT": {"\xff": {}}}', "not JSON", "unable to decode byte 0xff"),
                (b"\xef\xbb\xbf{}", "db.json:1:1: not JSON", "byte order mark"),
                ('{"PORT": {}}'.encode("utf-16"), "not JSON"), ('{"PORT": {"a\\u0000b": {}}}', "not JSON"),
                (b"\0" * 1000, "not JSON"), (os.urandom(1000), "not JSON")):
            with self.subTest(str(content[:40])):
                self.refused(content, *parts)
        for length in range(1, len(whole), 37):
            self.refused(whole[:length], "not JSON")

    def test_place_of_what_is_no_json(self):
        self.refused('{\n  "PORT": {\n    "Ethernet0": {"speed": }\n  }\n}\n', "db.json:3:")

    def test_twice(self):
        for content in ('{"PORT": {}, "PORT": {}}', '{"PORT": {"E0": {"speed": "1"}, "E0": {"speed": "2"}}}',
                        '{"PORT": {"E0": {"speed": "1", "speed": "2"}}}'):
            self.refused(content, "duplicate object key", "db.json:1:")

    def test_what_is_no_file(self):
        for made, part in ((lambda path: None, "No such file"), (os.mkdir, "Is a directory"),
                           # A pipe that nobody writes to is empty, not a reason to wait.
                           (os.mkfifo, "not JSON")):
            for end in ("json", "ini"):
                path = self.path(part.replace(" ", "") + "." + end)
                made(path)
                with self.subTest(path):
                    if end == "json" or part != "not JSON":
                        self.refused_file(path, path, part)
                    else:
                        self.assertEqual(self.run_bounded(path)[0], 2)
        for device, part in (("/dev/null", "not JSON"), ("/dev/zero", "larger than 16 MiB")):
            self.refused_file(device, device, part)

    def test_locked(self):
        locked = self.path("locked.json", "{}")
        os.chmod(locked, 0)
        try:
            subprocess.run([RAILYARD, "--version"], preexec_fn=unprivileged, check=True, capture_output=True)
        except (OSError, subprocess.SubprocessError) as error:
            self.skipTest("as another user the program does not run: %s" % error)
        self.refused_file(locked, locked, "Permission denied", preexec_fn=unprivileged)

    def test_large(self):
        """At most 16 MiB, and within them no more than a switch can have."""
        with open(self.path("db.json"), "wb") as file:
            file.truncate(100 << 20)
        self.refused_file(self.path("db.json"), "db.json: larger than 16 MiB")
        many = 400000
        rows = ",".join('"E%d":{}' % i for i in range(many))
        fields = ",".join('"f%d":"1"' % i for i in range(many))
        self.refused("{" + rows + "}", "more than 1024 tables")
        self.refused('{"PORT": {' + rows + "}}", "more than 16384 rows in PORT")
        self.refused('{"PORT": {"Ethernet0": {' + fields + "}}}", "PORT|Ethernet0", "more than 262144 values")
        self.refused('{"PORT": {"Ethernet0": {"lanes": [' + '"1",' * many + '"1"]}}}', "PORT|Ethernet0: lanes")
        self.refused('{"PORT": {"' + "E" * 1000000 + '": {"speed": "1"}}}', "PORT|EEEE")
        self.refused('{"PORT": {"Ethernet0": {"speed": "' + "9" * 1000000 + '"}}}', "PORT|Ethernet0: speed")

    def test_wrong_types_everywhere(self):
        """Of each table, of each row, of each field of a whole configuration."""
        def replaced(value, *path):
            copy = json.loads(json.dumps(WHOLE))
            inner = copy
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            return json.dumps(copy)

        for table, rows in WHOLE.items():
            for value in ([], 3, "x", None, True):
                self.refused(replaced(value, table), table, "takes an object of rows")
            for row, fields in rows.items():
                for value in ([], 3, "x", None, True):
                    self.refused(replaced(value, table, row), table + "|" + row, "takes an object of fields")
                for field in fields:
                    for value in (None, True, 1.5, {}, [1], [["x"]]):
                        self.refused(replaced(value, table, row, field), table + "|" + row, field + ": takes a text")

    def test_tables_that_are_not_read(self):
        """... may hold what they like."""
        for value in ([], 3, None, {"a": 1}, {"a": {"b": {"c": [1, None]}}}):
            path = self.path("db.json", json.dumps({**WHOLE, "BGP_NEIGHBOR": value}))
            code, err = self.run_bounded(path, "--asic", "tomahawk")
            self.assertEqual((code, err.count("BGP_NEIGHBOR")), (0, 1), err)
            os.remove(self.out)
        several = {"TABLE_%d" % i: {} for i in range(200)}
        code, err = self.run_bounded(self.path("db.json", json.dumps({**WHOLE, **several})), "--asic", "tomahawk")
        self.assertEqual(code, 0)
        named = [int(name) for name in err.replace(",", " ").replace("TABLE_", " ").split() if name.isdigit()]
        # The first ones by name, and the number of the others.
        self.assertEqual(named[:-1], list(range(len(named) - 1)))
        self.assertIn(" and %d more" % (200 - len(named) + 1), err)

    def test_references(self):
        """To nothing, to another kind of thing, to itself, in a ring."""
        for table, row, fields, *parts in (
                ("BUFFER_PROFILE", "lossy", {"pool": "nowhere"}, "no BUFFER_POOL|nowhere"),
                ("BUFFER_PROFILE", "lossy", {"pool": "[BUFFER_PROFILE|lossy]"}, "takes a name in BUFFER_POOL"),
                ("BUFFER_PROFILE", "lossy", {"pool": "[BUFFER_PROFILE|queue]"}, "takes a name in BUFFER_POOL"),
                ("BUFFER_PROFILE", "lossy", {"pool": ""}, "pool"),
                ("BUFFER_PG", "Ethernet0,Ethernet4|3", {"profile": "nowhere"}, "nowhere"),
                ("BUFFER_PG", "Ethernet0,Ethernet4|3", {"profile": "[BUFFER_PG|Ethernet0|3]"}, "BUFFER_PROFILE"),
                ("BUFFER_PG", "Ethernet0,Ethernet4|3", {"profile": "[BUFFER_PROFILE|"}, "profile"),
                ("BUFFER_QUEUE", "Ethernet0,Ethernet4|0-7", {"profile": "nowhere"}, "nowhere"),
                ("QUEUE", "Ethernet0,Ethernet4|3", {"scheduler": "nowhere"}, "no SCHEDULER|nowhere"),
                ("QUEUE", "Ethernet0,Ethernet4|3", {"wred_profile": "nowhere"}, "no WRED_PROFILE|nowhere"),
                ("PORT_QOS_MAP", "Ethernet0,Ethernet4", {"tc_to_pg_map": "nowhere"}, "no TC_TO_PRIORITY_GROUP_MAP|nowhere"),
                ("BUFFER_PORT_INGRESS_PROFILE_LIST", "Ethernet0", {"profile_list": "nowhere"}, "nowhere"),
                ("BUFFER_PG", "PortChannel7|3", {"profile": "lossless"}, "PortChannel7"),
                ("PFC_WD", "Ethernet8", {"detection_time": "200"}, "Ethernet8"),
                ("CABLE_LENGTH", "AZURE", {"Ethernet0": "-5m"}, "Ethernet0")):
            base = json.loads(json.dumps(WHOLE))
            base[table][row] = {**base[table].get(row, {}), **fields}
            with self.subTest(row=row, fields=fields):
                self.refused(json.dumps(base), table + "|" + row, *parts)
        # A port channel that is its own member.
        base = json.loads(json.dumps(WHOLE))
        base["PORTCHANNEL_MEMBER"] = {"PortChannel1|PortChannel1": {"NULL": "NULL"}}
        base["BUFFER_PG"]["PortChannel1|3"] = {"profile": "lossless"}
        self.refused(json.dumps(base), "BUFFER_PG|PortChannel1|3")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
