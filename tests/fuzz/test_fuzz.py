#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the two generators find what is wrong? Deliberate faults (`wavetank list breaks`) must be found, made smaller and kept."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kernels
from kernel import Slot
from tree import Type

BUILD = os.environ["WAVETANK_BUILD"]
KERNELS = [sys.executable, os.path.join(HERE, "kernels.py"), "--build", BUILD]
INSTRUCTIONS = [os.path.join(BUILD, "tests", "fuzz", "fuzz_instructions")]


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=240,
                          **options)


def bits(*values):
    return struct.pack("<%df" % len(values), *values)


class Generators(unittest.TestCase):
    def test_a_seed_fixes_the_kernels(self):
        first, second = (run(KERNELS + ["--print", "--seed", "5", "--count", "3"],
                             env=dict(os.environ, PYTHONHASHSEED=hashing)).stdout for hashing in ("1", "2"))
        self.assertEqual(first, second)
        self.assertIn("kernel void k2(", first)
        self.assertNotEqual(first, run(KERNELS + ["--print", "--seed", "6", "--count", "3"]).stdout)

    def test_a_seed_fixes_the_streams(self):
        first, second = (run(INSTRUCTIONS + ["--print", "--seed", "5"]).stdout for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, run(INSTRUCTIONS + ["--print", "--seed", "6"]).stdout)

    def test_a_stream_that_reads_stale_data_is_found_and_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = ["--set", "debug.break=keep_line_at_store"]
            found = run(INSTRUCTIONS + broken + ["--seed", "4", "--count", "4000", "--seconds", "120", "--most-findings", "1",
                                                 "--keep", folder])
            self.assertEqual(found.returncode, 1, found.stdout)
            path = re.search(r"--replay (\S+)", found.stdout).group(1)
            with open(path, encoding="ascii") as stream:
                self.assertLess(len(stream.readlines()), 12, found.stdout)  # of up to 96
            self.assertEqual(run(INSTRUCTIONS + broken + ["--replay", path]).returncode, 1)
            self.assertEqual(run(INSTRUCTIONS + ["--replay", path]).returncode, 0)

    def test_a_kernel_that_reads_stale_data_is_found_made_smaller_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            found = run(KERNELS + ["--set", "debug.break=keep_line_at_store", "--seed", "1", "--count", "24", "--seconds",
                                   "120", "--most-failures", "1", "--shrink-tries", "16", "--without-pocl",
                                   "--keep", folder])
            self.assertEqual(found.returncode, 1, found.stdout)
            place = os.path.join(folder, os.listdir(folder)[0])
            self.assertEqual(sorted(os.listdir(place)), ["README", "case.txt", "kernel.cl"])
            before, after = map(int, re.search(r"(\d+) bytes of source to (\d+)", found.stdout).groups())
            self.assertLess(after, before)


class Comparison(unittest.TestCase):
    def is_near(self, first, second, ulp):
        return kernels.is_near(Slot(Type("float"), 0, ulp), bits(first), bits(second))

    def test_an_error_is_allowed_up_to_twice_its_bound(self):
        one = 2.0 ** -23
        self.assertTrue(self.is_near(1.0, 1.0 + 8 * one, 4))
        self.assertFalse(self.is_near(1.0, 1.0 + 9 * one, 4))
        self.assertFalse(self.is_near(-1.0, 1.0, 4))

    def test_zeros_and_what_is_flushed_to_them_are_alike(self):
        self.assertTrue(self.is_near(0.0, -0.0, 1))
        self.assertTrue(self.is_near(1e-39, 0.0, 1))
        self.assertFalse(self.is_near(1e-37, 0.0, 1))

    def test_infinity_is_only_near_itself(self):
        self.assertTrue(self.is_near(float("inf"), float("inf"), 1))
        self.assertFalse(self.is_near(float("inf"), 1e30, 16))


if __name__ == "__main__":
    unittest.main()
