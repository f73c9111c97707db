#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs print the same from a device as in plain C. Usage: same.py NUDACC FOLDER [NAME ...]

Each program is compiled by nudacc and, as plain C, by cc; both must print the same, and no loop of the first may run on the
host. NUDA_DEVICE says which device (default: PoCL).
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PLAIN = os.environ.get("CC", "cc").split() + ["-w", "-O1", "-ffp-contract=off"]
SECONDS = 300


def run(words, environment=None):
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=SECONDS,
                          env={**os.environ, **(environment or {})})


def fault(nudacc, path, place, options=("-Wno-dangling-else",)):
    """What is wrong with a program, or None. `options` go to nudacc: it must not warn."""
    program = os.path.join(place, os.path.basename(path)[:-2])
    device = {"NUDA_DEVICE": os.environ.get("NUDA_DEVICE", "portable"), "NUDA_TRACE": "1"}
    for words in [nudacc, "-O1", *options, path, "-o", program, "-lm"], [*PLAIN, path, "-o", program + ".plain", "-lm"]:
        done = run(words)
        if done.returncode:
            return "%s\n%s" % (" ".join(words), done.stderr)
        if done.stderr:
            return "a warning\n" + done.stderr
    plain, made = run([program + ".plain"]), run([program], device)
    if plain.returncode or made.returncode:
        return "status %d, of plain C %d\n%s" % (made.returncode, plain.returncode, made.stderr)
    if plain.stdout != made.stdout:
        return "expected\n%sinstead of\n%s%s" % (plain.stdout, made.stdout, made.stderr)
    if "on the host" in made.stderr or "on the device" not in made.stderr:
        return "not all loops ran on the device\n" + made.stderr
    return None


def main():
    nudacc, folder, *names = sys.argv[1:]
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
             if name.endswith(".c") and (not names or name[:-2] in names)]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda path: fault(nudacc, path, place), paths))
    for path, text in zip(paths, faults):
        if text:
            print("%s: %s" % (path, text))
    print("%d programs, %d of them the same as plain C" % (len(paths), faults.count(None)))
    return 0 if paths and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
