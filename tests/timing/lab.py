# SPDX-License-Identifier: MIT
"""Runs of timing.c's program under `wavetank run`, their statistics, and a list of checks on them."""
import argparse
import concurrent.futures
import itertools
import json
import os
import subprocess
import tempfile


class Launch:
    """One launch of a run: cycles, statistics by path (.sums of all places of a kind; .places), nanoseconds of its event."""

    def __init__(self, kernel, event_ns):
        self.cycles, self.sums, self.places, self.event_ns = kernel["cycles"], kernel["sums"], kernel["places"], event_ns


class Lab:
    """Runs the program, and keeps what the checks find."""

    def __init__(self, wavetank, program, folder, parameters):
        self.wavetank, self.program, self.folder = wavetank, program, folder
        self.parameters, self.numbers = parameters, itertools.count()

    def run(self, commands, settings=None):
        """(parameters, launches, lines printed) of one run."""
        path = os.path.join(self.folder, f"{next(self.numbers)}.json")
        command = [self.wavetank, "run", "--quiet", "--gpu", "hd7970", "--json", path]
        for name, value in (settings or {}).items():
            command += ["-o", f"{name}={value}"]
        done = subprocess.run([*command, "--", self.program, *commands.split()], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} -- timing {commands}: {done.returncode}\n{done.stdout[-2000:]}")
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
        os.unlink(path)
        lines = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 2]
        values = self.parameters((name, row["value"]) for name, row in data["configuration"]["parameters"].items())
        times = [int(ns) for name, ns in lines if name != "write"]
        launches = [Launch(kernel, ns) for kernel, ns in zip(data["kernels"], times, strict=True)]
        return values, launches, lines

    def slope(self, commands, settings=None):
        """Parameters, and cycles and statistics by which the last launch of a run exceeds the last but one."""
        values, launches, _ = self.run(commands, settings)
        less, more = launches[-2:]
        return values, more.cycles - less.cycles, lambda name: more.sums[name] - less.sums[name]

    def cold_slope(self, warm, less, more, settings=None):
        """The same between two runs, of which each does `warm` first: for what may not find the other's lines in L2."""
        values, short, _ = self.run(f"{warm} {less}", settings)
        _, long, _ = self.run(f"{warm} {more}", settings)
        return values, long[-1].cycles - short[-1].cycles, lambda name: long[-1].sums[name] - short[-1].sums[name]


CHECKS = []


def only(*variants):
    """A check that is made with each variant's settings."""
    def add(function):
        CHECKS.extend((function, settings) for settings in variants)
        return function
    return add


def check(*variants):
    """The same, and with the configuration as it is."""
    return only({}, *variants)


def between(what, value, least, most):
    """One finding: (holds, text)."""
    return least <= value <= most, f"{what}: {value:.4g}, expected {least:.4g}" + (f" to {most:.4g}" if most != least else "")


def near(what, value, expected, part=0.0, cycles=0.0):
    """Equal but for a part of it, or for so many cycles."""
    return between(what, value, expected * (1 - part) - cycles, expected * (1 + part) + cycles)


def examine(lab, function, settings):
    """A check's name and its findings."""
    name = function.__name__ + "".join(f" {path}={value}" for path, value in settings.items())
    try:
        return name, list(function(lab, settings))
    except (RuntimeError, KeyError, subprocess.TimeoutExpired) as error:
        return name, [(False, repr(error))]


def main(description, parameters):
    """Makes the checks; the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wavetank", "timing"):
        parser.add_argument(name)
    parser.add_argument("--only", default="", help="checks whose name contains this")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    passed = failed = 0
    chosen = [(function, settings) for function, settings in CHECKS if options.only in function.__name__]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        lab = Lab(options.wavetank, options.timing, folder, parameters)
        for job in [pool.submit(examine, lab, function, settings) for function, settings in chosen]:
            name, findings = job.result()
            for holds, text in findings:
                passed += holds
                failed += not holds
                if options.verbose or not holds:
                    print(("ok   " if holds else "FAIL ") + f"{name}: {text}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0
