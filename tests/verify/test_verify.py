#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `wavetank verify` pass each protocol, and find each deliberate fault? Usage: test_verify.py WAVETANK."""
import re
import subprocess
import sys

WAVETANK = sys.argv[1]
FAILURES = []


def run(*arguments):
    done = subprocess.run([WAVETANK, "verify", "--quiet", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def expect(condition, what, output):
    print("%s %s" % ("ok  " if condition else "FAIL", what), flush=True)
    if not condition:
        FAILURES.append(what)
        print(output)


def protocols():
    listed = subprocess.run([WAVETANK, "list", "protocols"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def breaks():
    return [tuple(line.split()[:2]) for line in run("--list-breaks")[1].splitlines()]


def every_protocol_passes():
    for protocol in protocols():
        status, output = run("--exhaustive", protocol)
        expect(status == 0 and "exhausted, no fault" in output, "%s passes" % protocol, output)


def user_errors():
    for arguments, status, words in [(["ssi"], 2, "no protocol"), (["si", "--l1s", "9"], 2, "1 to 4"),
                                     (["si", "--break", "nothing"], 2, "no deliberate fault"), ([], 2, "one protocol"),
                                     (["si", "--exhaustive", "--states", "1000"], 6, "NOT exhausted"),
                                     (["si", "--exhaustive", "--memory", "16", "--lines", "2"], 6, "NOT exhausted")]:
        got, output = run(*arguments)
        expect(got == status and words in output, "%s gives %d" % (" ".join(arguments), status), output)


def a_fault_is_told():
    status, output = run("--exhaustive", "si", "--break", "keep_line_at_atomic")
    expect(status == 1 and re.search(r"^read: ", output, re.M) and "The shortest path" in output and
           "as a program" in output and "exchange A" in output, "a fault is told as a path and a program", output)


def main():
    every_protocol_passes()
    a_fault_is_told()
    user_errors()
    return 1 if FAILURES else 0


sys.exit(main())
