#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What came of the meson tests of a build tree, for tools/check.

Usage: testlog.py TREE NAME LOG

Prints `pass|fail|skip<TAB>NAME: test<TAB>log or reason`, a line a test, or a line a case for
tests that wrote a TAP file (TREE/tests/**/TEST.tap, as Check does). Exit 1 when nothing ran.
"""
import glob
import json
import os
import re
import sys

PASSED = ("OK", "EXPECTEDFAIL")


def cases_of(tree):
    """directory/name of each TAP file -> {case: passed}; a case that loops counts once."""
    cases = {}
    for path in glob.glob(os.path.join(tree, "tests", "**", "*.tap"), recursive=True):
        with open(path, errors="replace") as f:
            lines = [re.match(r"(not )?ok \d+ - (.*)", line.rstrip("\n")) for line in f]
        own = cases.setdefault("/".join(os.path.splitext(path)[0].split(os.sep)[-2:]), {})
        for match in filter(None, lines):
            case = case_name(match.group(2))
            own[case] = own.get(case, True) and not match.group(1)
    return cases


def case_name(text):
    """Check writes file:suite:case: message."""
    parts = text.split(":")
    return f"{parts[1].strip()}: {parts[2].strip()}" if len(parts) > 2 else text


def main():
    tree, name, log = sys.argv[1:]
    path = os.path.join(tree, "meson-logs", "testlog.json")
    if not os.path.isfile(path):
        return 1
    cases = cases_of(tree)
    count = 0
    with open(path) as f:
        tests = [json.loads(line) for line in f if line.strip()]
    for test in tests:
        # "project:suite / name", where the name may start with the suite's.
        suite, _, title = test["name"].rpartition(" / ")
        suite = suite.split(":")[-1]
        result = test["result"]
        own = cases.get(f"{suite}/{title.removeprefix(suite).strip()}", {})
        for case, passed in own.items():
            print("pass" if passed else "fail", f"{name}: {title}: {case}", log, sep="\t")
        if result == "SKIP":
            said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
            print("skip", f"{name}: {title}", said[-1] if said else "no reason given", sep="\t")
        elif result in PASSED and not own:
            print("pass", f"{name}: {title}", log, sep="\t")
        elif result not in PASSED and all(own.values()):
            # A crash or a timeout, after the cases that were reported.
            print("fail", f"{name}: {title}: {result.lower()}", log, sep="\t")
        count += 1
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
