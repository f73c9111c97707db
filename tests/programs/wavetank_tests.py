# SPDX-License-Identifier: MIT
"""Runs OpenCL programs on Wavetank and on PoCL for the tests of this folder and of ../litmus.

The environment says what to test: WAVETANK is the command, WAVETANK_BUILD the build folder.
"""
import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest

WAVETANK = os.environ.get("WAVETANK", "")
BUILD = os.environ.get("WAVETANK_BUILD", "")
POCL = "Portable Computing Language"
MODELS = ("timed", "functional")


class Result:
    """What one run gave: its exit status, its output, its statistics (None without Wavetank)."""

    def __init__(self, status, output, errors, statistics=None):
        self.status = status
        self.output = output
        self.errors = errors
        self.statistics = statistics

    def kernels(self):
        """(name, wavefront instructions) of each launch."""
        return [(k["name"], k["instructions"]) for k in self.statistics["kernels"]]

    def lines(self, *words):
        """The words behind `words` in each line that has one of them: checksums, verdicts."""
        return [line for line in self.output.splitlines() if any(word in line for word in words)]

    def report(self):
        return "status %d\n%s%s" % (self.status, self.output[-2000:], self.errors[-2000:])


def execute(command, timeout=300, environment=None):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=environment, check=False
    )
    return Result(done.returncode, done.stdout, done.stderr)


def on_wavetank(program, model="timed", settings=(), options=(), timeout=300):
    """Runs a program (a list) under `wavetank run`; settings are "path=value"."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "statistics.json")
        command = [WAVETANK, "run", "--quiet", "--model", model, "--json", path, *options]
        for setting in settings:
            command += ["-o", setting]
        result = execute(command + ["--", *program], timeout)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                result.statistics = json.load(stream)
    return result


def stacks(sums):
    """The latency stacks of a kernel or a run: {"load": {"instructions", "cycles", "parts": {name: cycles}}, ...}."""
    found = {}
    for path, value in sums.items():
        place, name = path.rsplit(".", 1)
        if not place.endswith("_stack"):
            continue
        stack = found.setdefault(place.rsplit(".", 1)[-1][:-len("_stack")], {"parts": {}})
        (stack if name in ("instructions", "cycles") else stack["parts"])[name] = value
    return found


@functools.cache
def protocol_names():
    return [line.split()[0] for line in execute([WAVETANK, "list", "protocols"]).output.splitlines()]


@functools.cache
def has_pocl():
    try:
        return POCL in execute(["clinfo", "-l"]).output
    except FileNotFoundError:
        return False


def program_path(*parts):
    return os.path.join(BUILD, *parts)


class ProgramTest(unittest.TestCase):
    """Checks that every test of this folder needs."""

    def assert_passed(self, result, what):
        self.assertEqual(result.status, 0, "%s: %s" % (what, result.report()))

    def run_models(self, program):
        """Runs timed and functional; both must succeed, agree in what they print and in instructions per launch."""
        results = {model: on_wavetank(program, model) for model in MODELS}
        for model in MODELS:
            self.assert_passed(results[model], model)
            self.assertTrue(results[model].statistics["kernels"], "no kernel in the statistics")
        return results


def main():
    if not os.path.exists(WAVETANK):
        sys.exit("set WAVETANK to the command and WAVETANK_BUILD to the build folder")
    unittest.main(module="__main__", verbosity=2)
