#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The workloads give right results timed and functional, the same in both, and what they give on PoCL."""
import os
import re
import unittest

from wavetank_tests import POCL, WAVETANK, ProgramTest, execute, has_pocl, main, program_path, stacks

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "workloads")
# Not a workload to measure machines with: its own test asks what it says.
OTHERS = {"common", "microbenchmarks"}


def workload_names():
    return sorted(name for name in os.listdir(SOURCES)
                  if os.path.isdir(os.path.join(SOURCES, name)) and name not in OTHERS)


class Kind:
    """What must be equal: results on every device; instructions in both models (not where work-items race for a lock)."""
    def __init__(self, same_bits, same_instructions):
        self.same_bits = same_bits
        self.same_instructions = same_instructions


KINDS = {"exact": Kind(True, True), "close": Kind(False, True), "racing": Kind(True, False)}


def cases():
    """(name, arguments, kind), from each folder's file `cases`: a line each."""
    for name in workload_names():
        with open(os.path.join(SOURCES, name, "cases"), encoding="ascii") as stream:
            for line in stream:
                kind, *arguments = line.split()
                yield name, arguments, KINDS[kind]


class Workloads(ProgramTest):
    def check_stacks(self, kernel):
        """That each access's parts are its latency, the simulator checks itself."""
        sums = kernel["sums"]
        self.assertEqual(set(stacks(sums)), {"load", "store", "atomic"})
        for kind, stack in stacks(sums).items():
            self.assertEqual(sum(stack["parts"].values()), stack["cycles"], (kernel["name"], kind))
            self.assertGreaterEqual(stack["instructions"], sums["cu.%s_latency" % kind]["count"])
            self.assertGreaterEqual(stack["cycles"], sums["cu.%s_latency" % kind]["sum"])

    def check(self, name, arguments, kind):
        program = [program_path("workloads", name), *arguments, "--verbose"]
        results = self.run_models(program)
        checksum = results["timed"].lines("checksum")
        self.assertEqual(len(checksum), 1)
        self.assertEqual(checksum, results["functional"].lines("checksum"))
        for kernel in results["timed"].statistics["kernels"]:
            self.check_stacks(kernel)
        if kind.same_instructions:
            self.assertEqual(results["timed"].kernels(), results["functional"].kernels())
        if has_pocl():
            pocl = execute(program + ["--platform", POCL])
            self.assert_passed(pocl, "PoCL")
            if kind.same_bits:
                self.assertEqual(checksum, pocl.lines("checksum"))


def case_method(case):
    return lambda self: self.check(*case)


for index, one in enumerate(cases()):
    words = "_".join(one[1]).replace("--", "")
    setattr(Workloads, "test_%02d_%s_%s" % (index, one[0], words), case_method(one))


class Folders(unittest.TestCase):
    """What every workload has to have."""

    def test_each_has_its_parts(self):
        for name in workload_names():
            for part in ("kernel.cl", "host.c", "README.md", "cases"):
                self.assertTrue(os.path.exists(os.path.join(SOURCES, name, part)), "%s lacks %s" % (name, part))
            self.assertTrue(os.path.exists(program_path("workloads", name)), name + " is not in workloads/meson.build")

    def test_hosts_are_short(self):
        for name in workload_names():
            with open(os.path.join(SOURCES, name, "host.c"), encoding="utf-8") as stream:
                self.assertLessEqual(len(stream.readlines()), 120, name)

    def test_small_is_smaller(self):
        for name in workload_names():
            output = execute([program_path("workloads", name), "--help"]).output
            size = int(re.search(r"--size N .*\(default (\d+)\)", output).group(1))
            small = re.search(r"--small +--size (\d+)", output)
            self.assertTrue(small, name + " has no --small")
            self.assertLess(int(small.group(1)), size, name)


class ByName(ProgramTest):
    """Programs that come with Wavetank are found by the command."""

    def test_the_list_has_them_all(self):
        output = execute([WAVETANK, "list", "workloads"]).output
        listed = [line.split()[0] for line in output.splitlines()]
        self.assertEqual(listed, sorted(workload_names() + ["microbenchmarks"]))
        self.assertTrue(all(len(line.split(maxsplit=1)[1]) > 10 for line in output.splitlines()), output)

    def test_what_follows_the_dashes_is_the_programs(self):
        result = execute([WAVETANK, "run", "--quiet", "--workload", "vector_add", "--", "--size", "63", "--verbose"])
        self.assert_passed(result, "vector_add")
        self.assertIn("on Wavetank", result.output)
        result = execute([WAVETANK, "run", "--quiet", "--workload", "vector_add", "--", "--size", "0"])
        self.assertEqual(result.status, 2)

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        result = execute([WAVETANK, "run", "--workload", "vectr_add"])
        self.assertEqual(result.status, 2)
        self.assertIn("did you mean 'vector_add'?", result.errors)


class Refusals(ProgramTest):
    def test_mistakes_end_with_status_2(self):
        program = program_path("workloads", "vector_add")
        for arguments in (["--size", "0"], ["--size"], ["--sise", "4"], ["--platform", "No such"]):
            self.assertEqual(execute([program, *arguments]).status, 2, arguments)

    def test_help_names_every_option(self):
        output = execute([program_path("workloads", "matrix_transpose"), "--help"]).output
        for option in ("--size", "--iterations", "--seed", "--device", "--platform", "--verbose", "--padding"):
            self.assertIn(option, output)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
