#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
docs/sonic.md, from a config_db.json to a verdict: its commands, one after the other as they are
written, print what is written below them. How many tests and rules there are is left open.

usage: test_sonic_howto.py RAILYARD SOURCE_DIRECTORY [unittest's arguments]
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

RAILYARD = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])


def steps():
    """Commands and what they print."""
    with open(os.path.join(SOURCE, "docs", "sonic.md"), encoding="utf-8") as page:
        section = page.read().split("\n## From a config_db.json")[1].split("\n## ")[0]
    found, command = [], []
    for line in section.splitlines():
        text = line[4:] if line.startswith("    ") else ""
        if line.startswith("    $ ") or command:
            command.append(text[2:])
            if not re.search(r"[\\|]$", text):
                found.append(("\n".join(command), []))
                command = []
        elif found and (line.startswith("    ") or line == ""):
            found[-1][1].append(text)
        elif line:
            found.append((None, []))  # prose
    return [(command, "\n".join(lines).strip("\n")) for command, lines in found if command is not None]


def masked(text):
    """Without the numbers of acceptance tests and rules."""
    return re.sub(r"\d+ (passed|not applicable)", r"N \1",
                  re.sub(r'(railyard (?:accept|check)" tests=|skipped=)"\d+"', r'\1"N"', text))


class HowTo(unittest.TestCase):
    def test_commands_as_written(self):
        listed = steps()
        self.assertGreater(len(listed), 10)
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "build"))
            os.symlink(RAILYARD, os.path.join(directory, "build", "railyard"))
            os.symlink(os.path.join(SOURCE, "configs"), os.path.join(directory, "configs"))
            for command, written in listed:
                done = subprocess.run(["bash", "-c", command], cwd=directory, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=240)
                with self.subTest(command):
                    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n")
                    self.assertEqual(masked(printed), masked(written))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
