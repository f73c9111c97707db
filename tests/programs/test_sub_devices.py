#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A queue on a sub-device runs on its compute units alone, takes as much longer, and computes the same as the whole device and
as PoCL."""
import os
import subprocess
import sys
import unittest

from wavetank_tests import POCL, ProgramTest, execute, has_pocl, main, on_wavetank

PROGRAM = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sub_device_program.py")]
UNITS = 4
# Launches in order: whole, two halves, two single ones.
RANGES = [range(0, 4), range(0, 2), range(2, 4), range(0, 1), range(1, 2)]


class SubDevices(ProgramTest):
    def test_launches_stay_on_their_compute_units(self):
        result = on_wavetank(PROGRAM + ["Wavetank"], settings=["gpu.compute_units=%d" % UNITS])
        self.assert_passed(result, "sub-devices")
        kernels = result.statistics["kernels"]
        self.assertEqual(len(kernels), len(RANGES))
        for kernel, units in zip(kernels, RANGES):
            groups = [kernel["places"].get("cu%d.groups" % unit, 0) for unit in range(UNITS)]
            self.assertEqual([unit for unit in range(UNITS) if groups[unit]], list(units))
            self.assertEqual(sum(groups), 40)
            self.assertEqual(len({groups[unit] for unit in units}), 1, "evenly")
        cycles = [kernel["cycles"] for kernel in kernels]
        for launch, times in ((1, 2), (2, 2), (3, 4), (4, 4)):  # less what starting and ending take
            self.assertGreater(cycles[launch] / cycles[0], 0.7 * times)
            self.assertLess(cycles[launch] / cycles[0], times)
        self.assertAlmostEqual(cycles[4] / cycles[3], 1, delta=0.05)

    def test_results_are_the_whole_devices(self):
        outputs = {model: on_wavetank(PROGRAM + ["Wavetank"], model, ["gpu.compute_units=%d" % UNITS]) for model in ("timed", "functional")}
        if has_pocl():
            outputs["pocl"] = execute(PROGRAM + [POCL])
        for name, result in outputs.items():
            self.assert_passed(result, name)
            self.assertEqual(len({line.split()[2] for line in result.output.splitlines()}), 1, name)
        sums = {result.output.split()[2] for result in outputs.values()}
        self.assertEqual(len(sums), 1)


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pyopencl"], capture_output=True, check=False).returncode:
        sys.exit(77)
    main()
