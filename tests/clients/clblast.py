# SPDX-License-Identifier: MIT
"""CLBlast's correctness tests (package clblast-tests), a program a routine, each for all precisions that the device has."""
import glob
import re

from case import FAIL, PASS, SKIP, ending, make_case

CLIENTS = ("CLBlast",)
QUICK = ("xaxpy",)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def read_tests(status, output):
    """For each precision the routine's sections: "Pass rate 100.0%: 36 passed / 0 skipped / 0 failed"."""
    found, routine, section = {}, "", ""
    for line in COLOUR.sub("", output).splitlines():
        start = re.match(r"\* Starting tests for the '(\w+)' routine", line)
        part = re.match(r"\* Testing '(.*?)' for '(.*)':", line)
        rate = re.search(r"Pass rate .*: *(\d+) passed / (\d+) skipped / (\d+) failed", line)
        if start:
            routine = start.group(1)
        if part:
            section = "%s, %s" % part.groups()
        if "All tests skipped" in line:
            found[routine] = SKIP
        if rate:
            passed, _, failed = map(int, rate.groups())
            found["%s: %s" % (routine, section)] = FAIL if failed else PASS if passed else SKIP
    if not found or (status != 0 and FAIL not in found.values()):
        found["ends"] = ending(status) if status != 0 else FAIL
    return found


def cases(_folder):
    programs = sorted(glob.glob("/usr/bin/clblast_test_*"))
    if not programs:
        return None
    return [make_case("CLBlast", program.rsplit("_", 1)[1], [program], read=read_tests, timeout=3600,
                      quick=program.rsplit("_", 1)[1] in QUICK)
            for program in programs]
