# SPDX-License-Identifier: MIT
"""What the tests of `wavetank verify` share: to run it, and to count what is not as it should be. The first argument is WAVETANK."""
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
