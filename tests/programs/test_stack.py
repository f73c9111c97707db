#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the latency stack names is what bounds a program: relieving it helps, relieving something else does not. The README's
showcase, matrix_transpose of 512 rows."""
import unittest

from wavetank_tests import ProgramTest, main, on_wavetank, program_path, stacks

TRANSPOSE = ["workloads", "matrix_transpose"]


class Showcase(ProgramTest):
    def measure(self, *settings):
        """(cycles, the load stack's parts as shares)"""
        result = on_wavetank([program_path(*TRANSPOSE), "--size", "512"], settings=settings)
        self.assert_passed(result, settings)
        kernel, = result.statistics["kernels"]
        stack = stacks(kernel["sums"])["load"]
        return kernel["cycles"], {part: cycles / stack["cycles"] for part, cycles in stack["parts"].items()}

    def test_the_part_that_is_named_is_what_bounds(self):
        cycles, parts = self.measure()
        self.assertEqual(max(parts, key=parts.get), "l1_set", parts)
        self.assertGreater(parts["l1_set"], 0.4)
        relieved, parts = self.measure("l1.ways=16")
        self.assertLess(relieved, 0.75 * cycles)
        self.assertLess(parts["l1_set"], 0.2)
        modulo, _ = self.measure("address.rule=modulo")
        self.assertLess(relieved, modulo)
        same, parts = self.measure("l1.mshr_entries=256")
        self.assertAlmostEqual(same / cycles, 1, delta=0.01)
        self.assertGreater(parts["l1_set"], 0.4)


if __name__ == "__main__":
    main()
