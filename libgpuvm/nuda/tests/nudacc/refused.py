#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong programs are refused at the right place. Usage: refused.py NUDACC FOLDER [NAME ...]

Each program of the folder says in a comment, on the line of its mistake, `error at TEXT: MESSAGE`: nudacc must tell one error,
in that line, at the column of TEXT, that begins with MESSAGE, show the line with a caret, and write no file.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

EXPECTED = re.compile(r"error at (.*?): (.*?) \*/")
TOLD = re.compile(r"^(.*?):(\d+):(\d+): error: nuda: (.*)$")


def expectation(path):
    """The line's number, the line, the column and the message that a program expects."""
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            found = EXPECTED.search(line)
            if found:
                return number, line.rstrip("\n"), line.index(found[1]) + 1, found[2]
    raise SystemExit(path + ": no `error at`")


def fault(nudacc, path, output):
    """What is wrong with nudacc's answer to a program, or None."""
    number, line, column, message = expectation(path)
    done = subprocess.run([nudacc, "-c", path, "-o", output], check=False, capture_output=True, text=True, timeout=120)
    lines = done.stderr.splitlines()
    told = [(index, TOLD.match(one)) for index, one in enumerate(lines) if TOLD.match(one)]
    if done.returncode != 1 or os.path.exists(output):
        return "status %d, not refused\n%s" % (done.returncode, done.stderr)
    if len(told) != 1:
        return "%d errors instead of one\n%s" % (len(told), done.stderr)
    index, found = told[0]
    want = (path, number, column)
    got = (found[1], int(found[2]), int(found[3]))
    if want != got or not found[4].startswith(message):
        return "expected %s:%d:%d: %s\n%s" % (*want, message, done.stderr)
    if lines[index + 1] != line or lines[index + 2] != re.sub(r"[^\t]", " ", line[:column - 1]) + "^":
        return "the line and the caret are not shown\n" + done.stderr
    return None


def main():
    nudacc, folder, *names = sys.argv[1:]
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
             if name.endswith(".c") and (not names or name[:-2] in names)]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda path: fault(nudacc, path, os.path.join(place, os.path.basename(path) + ".o")), paths))
    for path, text in zip(paths, faults):
        if text:
            print("%s: %s" % (path, text))
    print("%d wrong programs, %d of them as expected" % (len(paths), faults.count(None)))
    return 0 if paths and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
