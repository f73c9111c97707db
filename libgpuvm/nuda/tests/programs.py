#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The five programs of examples/: built by a plain compiler and by nudacc, run on the host and on devices, must print the same. Then the
paper's program: its arrays go up once at most, and what is printed comes down once, however many its iterations.

    programs.py --nudacc FILE --build FOLDER [--fake FILE] [--only NAME,...] [--run COMMAND] [--full]

--build: libgpuvm's build folder. --fake: libnuda-fake.so. --run: a command before each program (a simulator's), with small sizes, instead of
PoCL and the fake device. --full: the paper's size, 2048, and not 1024. The last line says how many checks passed.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
# Arguments on PoCL and the fake device, and on a simulator.
PROGRAMS = {
    "matvec": (["256", "20"], ["128", "3"]),
    "stencil": (["20"], ["2"]),
    "nbody": (["300", "3"], ["100", "2"]),
    "histogram": (["100000", "2"], ["5000", "2"]),
    "spmv": (["3000", "4"], ["500", "2"]),
}
# The paper's: 1,000 iterations. Vectors of 4096 bytes and more have whole pages.
ITERATIONS = 1000
PAGES_FROM = "4096"
TIMEOUT_S = 250

results = []


def check(is_right, what, detail=""):
    results.append(bool(is_right))
    if not is_right:
        print(f"FAILED: {what}" + (f"\n{detail}" if detail else ""))
    return is_right


def run(command, **variables):
    """The process, finished, with what it printed on each stream."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUDA_")}
    environment.update(variables)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


class Builder:
    """Both compilers. Neither contracts floating-point operations."""

    def __init__(self, nudacc, build, folder):
        self.nudacc, self.folder = nudacc, folder
        self.folder_of_library = str((build / "nuda/src").resolve())
        places = [str((build / place).resolve()) for place in ("nuda/src", "src")]
        self.libraries = ["-Wl,--no-as-needed", *[f"-L{place}" for place in places], "-lnuda", "-lgpuvm",
                          "-Wl,-rpath," + ":".join(places)]

    def build(self, name):
        """Paths of the plain program and of nudacc's, or None."""
        source = str(EXAMPLES / f"{name}.c")
        plain, made = str(self.folder / f"{name}-plain"), str(self.folder / name)
        common = ["-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
        for command in (["cc", *common, "-ffp-contract=off", source, "-o", plain, "-lm"],
                        [self.nudacc, *common, source, "-o", made, *self.libraries, "-lm"]):
            done = run(command, NUDACC_LIBRARY=self.folder_of_library)
            if not check(done.returncode == 0 and not done.stderr, f"building {name} by {command[0]}", done.stderr):
                return None
        return plain, made


def check_program(name, builder, devices, prefix):
    programs = builder.build(name)
    if not programs:
        return
    arguments = PROGRAMS[name][1 if prefix else 0]
    expected = run([programs[0], *arguments])
    check(expected.returncode == 0 and expected.stdout, f"{name} on the host", expected.stderr)
    for title, variables in devices.items():
        done = run([*prefix, programs[1], *arguments], NUDA_TRACE="1", **variables)
        is_same = done.stdout == expected.stdout if not prefix else expected.stdout.strip() in done.stdout
        check(done.returncode == 0 and is_same, f"{name} on {title} prints what the host prints",
              f"{expected.stdout}{done.returncode}: {done.stdout}{done.stderr}")
        where = "on the host" if variables.get("NUDA_DEVICE") == "none" else "iterations on the device"
        check(where in done.stderr, f"{name} says where its loops run: {where}", done.stderr)


def check_traffic(builder, devices, n):
    programs = builder.build("matvec")
    if not programs:
        return
    expected = run([programs[0], str(n), str(ITERATIONS)]).stdout
    for title, variables in devices.items():
        if variables["NUDA_DEVICE"] == "none":
            continue
        done = run([programs[1], str(n), str(ITERATIONS)], NUDA_TRACE="1", GPUVM_ALIGN_FROM=PAGES_FROM, **variables)
        check(done.returncode == 0 and done.stdout == expected, f"the paper's program on {title} prints what the host prints",
              f"{expected}{done.stdout}{done.stderr[-1000:]}")
        found = re.search(r"in all: (\d+) bytes to the device in (\d+) transfers, (\d+) bytes from it in (\d+)", done.stderr)
        launches = done.stderr.count("iterations on the device")
        check(launches == ITERATIONS, f"{ITERATIONS} launches", str(launches))
        if not check(found, "the totals are told", done.stderr[-1000:]):
            continue
        up, commands_up, down, commands_down = (int(field) for field in found.groups())
        vector = 4 * n
        check(up <= n * vector + 3 * vector and commands_up <= 4, f"{title}: each array goes up once at most", found[0])
        check(down == vector and commands_down <= max(1, vector // 4096), f"{title}: x comes down once", found[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nudacc", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--fake")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--run", default="")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    prefix = shlex.split(options.run)
    devices = {"a simulated device": {}} if prefix else {"PoCL": {"NUDA_DEVICE": "portable"}, "no device": {"NUDA_DEVICE": "none"}}
    if options.fake and not prefix:
        devices["the fake device"] = {"NUDA_DEVICE": str(pathlib.Path(options.fake).resolve())}
    with tempfile.TemporaryDirectory(prefix="nuda-programs-") as name:
        builder = Builder(options.nudacc, options.build, pathlib.Path(name))
        for program in options.only.split(","):
            check_program(program, builder, devices, prefix)
        if not prefix:
            check_traffic(builder, devices, 2048 if options.full else 1024)
    print(f"{sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


sys.exit(main())
