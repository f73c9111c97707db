# SPDX-License-Identifier: MIT
"""A scalar load of what a transaction writes is a named fault with both source lines; other scalar loads are none."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, main, on_wavetank, program_path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "scalar.cl")
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")
GLOBAL = ("serial_global", "ideal_global", "kilotm")
N = 3
GROUPS = 4
FAULTS = ("inside", "before", "overlapping", "at_last_committed")
# kernels, one after the other: what words 0, N and 1000 must be on systems for global memory
RIGHT = {
    "as_volatile": (0, 64 * GROUPS, 0),
    "beside": (0, 64 * GROUPS, 0),
    "fixed_inside": (0, 64 * GROUPS, 0),
    "never_committed": (N * 64 * GROUPS, 0, 0),
    "as_volatile+afterwards": (0, 64 * GROUPS, 64 * GROUPS),
}


def lines_of(kernel):
    """Of its scalar load and its store."""
    with open(SOURCE, encoding="ascii") as stream:
        lines = stream.read().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("KERNEL %s(" % kernel))
    return [next(i for i in range(start, len(lines)) if mark in lines[i]) + 1 for mark in ("/* READ", "/* WRITE")]


class Scalar(ProgramTest):
    def run_kernel(self, kernel, *settings, model="timed"):
        command = [program_path("tests/tm/kernel"), SOURCE, kernel, str(N), "64", str(GROUPS), "-g -I " + INCLUDE]
        return on_wavetank(command, model, ("gpu.compute_units=4",) + settings, options=("--max-cycles", "5000000"), timeout=100)

    def assert_named(self, kernel, *settings, model="timed"):
        result = self.run_kernel(kernel, *settings, model=model)
        self.assertNotEqual(result.status, 0, result.report())
        read, write = lines_of(kernel)
        self.assertRegex(result.errors, r"\.cl:%d: kernel %s, work-group 0:0:0, wavefront 0: 's_load_" % (read, kernel))
        self.assertIn("a scalar load reads what a transaction of this kernel writes", result.errors)
        self.assertRegex(result.errors, r"the other access is 'buffer_.*\.cl:%d\)" % write)
        return re.sub(r"program-\w+", "program", result.errors)

    def assert_right(self, kernels, *settings, model="timed"):
        result = self.run_kernel(kernels, *settings, model=model)
        self.assert_passed(result, kernels)
        words = [int(word) for word in result.output.split()]
        self.assertEqual((words[0], words[N], words[1000]), RIGHT[kernels], (kernels, settings))
        return result

    def test_faults_are_named(self):
        for kernel in FAULTS:
            for system in GLOBAL + ("localtm",):
                with self.subTest(kernel=kernel, system=system):
                    self.assert_named(kernel, "gpu.transactional_memory=" + system)

    def test_faults_are_named_on_the_functional_model(self):
        for kernel in FAULTS:
            with self.subTest(kernel=kernel):
                self.assert_named(kernel, model="functional")

    def test_other_scalar_loads_are_right(self):
        for kernels in RIGHT:
            for system in GLOBAL:
                with self.subTest(kernels=kernels, system=system):
                    self.assert_right(kernels, "gpu.transactional_memory=" + system)
            self.assert_right(kernels, model="functional")

    def test_a_store_that_no_system_isolates_counts_in_each_attempt(self):
        self.assert_named("inside", "gpu.transactional_memory=ideal")

    def test_hints_mean_nothing_without_a_system(self):
        for kernel in FAULTS:
            self.assert_passed(self.run_kernel(kernel, "gpu.transactional_memory=none"), kernel)

    def test_scalar_loads_inside_are_unwatched(self):
        for kernel, unwatched in (("as_volatile", 0), ("fixed_inside", 64 * GROUPS)):
            result = self.assert_right(kernel, "gpu.transactional_memory=serial_global", "gpu.wavefront_lanes=64")
            self.assertEqual(result.statistics["kernels"][0]["sums"]["cu.tm.unwatched"], unwatched, kernel)

    def test_neither_sleep_nor_order_matters(self):
        runs = [self.assert_named("before", "gpu.transactional_memory=ideal_global", *more)
                for more in ((), ("sim.sleep=0",), ("sim.order_seed=7",))]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])


if __name__ == "__main__":
    main()
